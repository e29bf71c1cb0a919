"""An explanation as a picture: the waterfall of a decision in a PNG, SVG or PDF file.

Needs matplotlib, which is in the extra ``plots``. It is imported only when something is drawn, without pyplot and its
state, and with its own defaults: the same explanation gives the same bytes, whatever a user has set up.
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import InputError, MissingExtraError
from engine.explain import Explanation
from engine.waterfall import MOST, Step, span, steps

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")
STATE = ("backend", "backend_fallback", "interactive", "toolbar")  # settings of windows, which nothing here opens
UP, DOWN, SUM = "#1a7f4b", "#c2362b", "#2c5fa8"
INK, FAINT, GRID = "#1c1c1c", "#5c5c5c", "#d9d9d9"
COLOURS = {"ADD": UP, "UPDATE": "#946200", "DELETE": DOWN, "NOOP": FAINT}
WIDTH = 10.0  # inches, as all that follows
LABELS, EDGE = 4.1, 0.3
ROW, LINE, AXIS = 0.46, 0.24, 0.62
THICK = 0.6  # of a row
LABEL_WIDTH, TEXT_WIDTH = 50, 82  # characters
MOST_LINES = 4
DPI = 150


def waterfall(told: Explanation | Mapping[str, Any], path: str | Path, most: int = MOST) -> None:
    """Draws an explanation into a file.

    Parameters
    ----------
    told : Explanation or mapping
        What ``Memory.explain`` returns. Texts are drawn as they are in it: ask for it with ``hide_values`` where they
        are nobody's business.
    path : str or Path
        The file; its suffix, ``.png``, ``.svg`` or ``.pdf``, says what it will be.
    most : int
        How many features have a bar of their own; the others share one.

    Raises
    ------
    InputError
        F840: another suffix, or the file cannot be written.
    MissingExtraError
        F205: matplotlib is not installed.
    """
    told = told.as_dict() if isinstance(told, Explanation) else told
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in SUFFIXES:
        raise InputError("F840", f"cannot draw {path.name!r}; name a file that ends in {', '.join(SUFFIXES)}")
    try:
        import matplotlib
    except ImportError as error:
        remedy = "drawing needs matplotlib: pip install 'factfold[plots]'"
        raise MissingExtraError("F205", remedy) from error
    own = {k: v for k, v in matplotlib.rcParamsDefault.items() if k not in STATE}
    with matplotlib.rc_context({**own, "svg.hashsalt": "factfold"}):
        figure = _figure(told, steps(told, most))
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Glyph .* missing")  # a box stands in its place
                figure.savefig(path, dpi=DPI, format=kind[1:], metadata=_metadata(told, kind))
        except OSError as error:
            raise InputError("F840", f"cannot write {path}: {error.strerror or error}; choose another place") from error


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the head: what is said, how tall it is in inches."""

    text: str
    colour: str = INK
    bold: bool = False
    height: float = LINE


def _figure(told: Mapping[str, Any], drawn: Sequence[Step]) -> Figure:
    """The head above, the bars below; every part as tall as its text needs."""
    from matplotlib.figure import Figure

    head, foot = _head(told), _foot(told)
    rows = ROW * len(drawn) + AXIS if drawn else 0.0
    height = 2 * EDGE + sum(line.height for line in (*head, *foot)) + rows
    figure = Figure(figsize=(WIDTH, height), facecolor="white")
    top = _written(figure, head, height - EDGE)
    if drawn:
        place = (LABELS / WIDTH, (top - rows + AXIS) / height, (WIDTH - LABELS - EDGE) / WIDTH, (rows - AXIS) / height)
        _bars(figure.add_axes(place), drawn)
    _written(figure, foot, top - rows)
    return figure


def _head(told: Mapping[str, Any]) -> list[_Line]:
    """The operation, the two texts and the probabilities."""
    lines = [_Line(told["operation"], COLOURS.get(told["operation"], INK), bold=True, height=0.36)]
    lines += [_Line(text, bold=True) for text in _wrapped("new", told["candidate"])]
    if told["existing"] is not None:
        lines += [_Line(text) for text in _wrapped("held", told["existing"])]
    if told["probabilities"]:
        shares = "    ".join(f"{label} {p:.2f}" for label, p in sorted(told["probabilities"].items()))
        lines.append(_Line(shares, FAINT, height=0.3))
    return [*lines, _Line("", height=0.12)]


def _foot(told: Mapping[str, Any]) -> list[_Line]:
    """The rule and the reasons."""
    said = ([("rule", told["rule"])] if told["rule"] else []) + [("because", reason) for reason in told["reasons"]]
    return [_Line(text, FAINT) for name, value in said for text in _wrapped(name, value)]


def _wrapped(name: str, text: str) -> list[str]:
    """A named text in lines of one width; what is too long ends in an ellipsis."""
    lines = textwrap.wrap(_printable(text), TEXT_WIDTH, max_lines=MOST_LINES, placeholder=" …") or [""]
    return [f"{name}: {lines[0]}", *(f"    {line}" for line in lines[1:])]


def _printable(text: str) -> str:
    """A text without what no file of XML may hold; line breaks become blanks."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())


def _written(figure: Figure, lines: Sequence[_Line], top: float) -> float:
    """Writes lines from a height in inches downwards; returns where they end."""
    height = figure.get_figheight()
    for line in lines:
        # A text is never mathematics: "$20 or $30" has two dollars.
        figure.text(
            EDGE / WIDTH, (top - line.height / 2) / height, line.text, color=line.colour, parse_math=False,
            fontweight="bold" if line.bold else "normal", fontsize=15 if line.height > 0.3 else 10.5, va="center",
        )  # fmt: skip
        top -= line.height
    return top


def _bars(axes: Axes, drawn: Sequence[Step]) -> None:
    low, high = span(drawn)
    room = (high - low or 1.0) * 0.14
    axes.set_xlim(low - room, high + room)
    axes.set_ylim(len(drawn) - 0.5, -0.5)
    axes.axvline(0.0, color=FAINT, linewidth=0.8, zorder=1)
    for i, step in enumerate(drawn):
        colour = SUM if step.is_total else UP if step.change >= 0 else DOWN
        axes.barh(i, step.change, THICK, left=step.start, color=colour, zorder=3)
        right = step.change >= 0
        axes.annotate(
            f"{step.change:+.2f}", (step.end, i), xytext=(4 if right else -4, 0), textcoords="offset points",
            ha="left" if right else "right", va="center", fontsize=9.5, color=INK, zorder=4,
        )  # fmt: skip
        if i + 1 < len(drawn):  # the next bar begins where this one ends
            axes.plot([step.end] * 2, [i + THICK / 2, i + 1 - THICK / 2], color=FAINT, linewidth=0.7, zorder=2)
    axes.set_yticks(range(len(drawn)))
    names = axes.set_yticklabels([textwrap.fill(step.label, LABEL_WIDTH) for step in drawn], fontsize=9.5, color=INK)
    for name in names:
        name.set_parse_math(False)
    names[-1].set_fontweight("bold")
    axes.set_xlabel("log-odds", color=FAINT, fontsize=9.5)
    axes.tick_params(axis="x", colors=FAINT, labelsize=9)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=GRID, linewidth=0.6, zorder=0)
    axes.set_axisbelow(True)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(GRID)


def _metadata(told: Mapping[str, Any], kind: str) -> dict[str, str | None]:
    """A title for readers who cannot see it, and nothing that changes from day to day or release to release."""
    against = "" if told["existing"] is None else f", against: {told['existing']}"
    title = _printable(f"{told['operation']}: {told['candidate']}{against}")
    if kind == ".png":
        return {"Title": title, "Software": "factfold"}
    if kind == ".svg":
        return {"Title": title, "Creator": "factfold", "Date": None}
    return {"Title": title, "Creator": "factfold", "Producer": "factfold", "CreationDate": None}
