"""The waterfall of a decision: a first bar for the prior, one a feature, a last one for the sum.

``steps`` is the pure part, from an explanation to numbers; ``draw`` puts them on a console.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from engine.cli.output import event, table
from engine.explain import weighing

BAR = 30
MOST = 10


@dataclass(frozen=True, slots=True)
class Step:
    """One bar: it runs from ``start`` to ``end`` on the axis of log-odds."""

    label: str
    start: float
    end: float
    is_total: bool = False

    @property
    def change(self) -> float:
        return self.end - self.start


def steps(told: Mapping[str, Any], most: int = MOST) -> list[Step]:
    """The bars of an explanation.

    Parameters
    ----------
    told : mapping
        What ``Memory.explain`` returns.
    most : int
        How many features have a bar of their own; the others share one.

    Returns
    -------
    list of Step
        Prior, features by the size of their part, the rest, the sum. Empty where no pair was compared.
    """
    if not told["bars"]:
        return []
    out = [Step("before any feature", 0.0, told["prior"])]
    for bar in told["bars"][:most]:
        label = bar["sentence"] if bar["value"] in (0.0, 1.0) else f"{bar['sentence']} ({bar['value']:.2f})"
        label = f"not: {bar['sentence']}" if bar["value"] == 0.0 else label
        out.append(Step(label, out[-1].end, out[-1].end + bar["contribution"]))
    rest = told["bars"][most:]
    if rest:
        out.append(Step(f"{len(rest)} smaller ones", out[-1].end, out[-1].end + sum(b["contribution"] for b in rest)))
    out.append(Step(f"log-odds of {told['label']}", 0.0, out[-1].end, is_total=True))
    return out


def draw(told: Mapping[str, Any], to: Console, most: int = MOST) -> None:
    """Draws an explanation: the pair, probabilities and costs, the waterfall, the rule and what was done."""
    head = Text.assemble(event(told["operation"]), "  ", (told["candidate"], "bold"))
    to.print(head)
    if told["existing"] is not None:
        to.print(Text(f"against  {told['existing']}", style="cyan"))
    if told["probabilities"]:
        shares = "   ".join(f"{label} {p:.2f}" for label, p in sorted(told["probabilities"].items()))
        to.print(shares)
        for line in weighing(told["costs"], told["ruled_out"], told["threshold"]):
            to.print(line)
    drawn = steps(told, most)
    if drawn:
        to.print()
        to.print(_chart(drawn))
        to.print()
    if told["rule"]:
        to.print(f"rule: {told['rule']}")
    for reason in told["reasons"]:
        to.print(f"because: {reason}")
    for done in told["operations"]:
        was = f", it said: {done['previous']}" if done["previous"] else ""
        to.print(Text.assemble("done: ", event(done["operation"]), f" on {done['memory_id']}{was}"))
    if told["model"]:
        to.print(f"model: {told['model']}", style="bright_black")


def _chart(drawn: list[Step]) -> Any:
    low = min(min(s.start, s.end) for s in drawn)
    high = max(max(s.start, s.end) for s in drawn)
    scale = BAR / ((high - low) or 1.0)
    chart = table(("", {"ratio": 1}), ("", {"justify": "right", "no_wrap": True}), ("", {"no_wrap": True}))
    chart.show_header = False
    for step in drawn:
        left, right = sorted((step.start, step.end))
        before = round((left - low) * scale)
        length = max(1, round((right - low) * scale) - before)
        style = "blue" if step.is_total else "green" if step.change >= 0 else "red"
        bar = Text(" " * before + ("█" if step.change >= 0 else "▒") * length, style=style)
        chart.add_row(Text(step.label, style="bold" if step.is_total else ""), f"{step.change:+.2f}", bar)
    return chart
