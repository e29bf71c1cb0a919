"""Pieces of a page that stands alone: escaped HTML, tables, charts as inline SVG, one style.

Nothing is fetched: no scripts, no fonts, no pictures, and a policy in the page itself that forbids them. Colours follow
the reader's light or dark setting and turn to black on white in print. What a chart shows stands in a table as well.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NewType

Html = NewType("Html", str)
Ticks = tuple[Sequence[float], Sequence[float]]
Place = Callable[[float, float], tuple[float, float]]
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = """
:root { color-scheme: light dark; --ink: #1b1d21; --faint: #565b64; --page: #ffffff; --panel: #f5f6f8;
  --line: #d5d8dd; --up: #1a7f4b; --down: #c2362b; --sum: #2c5fa8; --tint: 45%; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e9ec; --faint: #a3a9b3; --page: #15171b; --panel: #1f2227;
  --line: #3a3f47; --up: #4cc38a; --down: #f0776c; --sum: #7fb0f5; --tint: 38%; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 74rem; padding: 2rem 1.25rem 4rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 3rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 0 0 .35rem; }
p { margin: .4rem 0; max-width: 52rem; }
a { color: var(--sum); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: 1rem 0 0; list-style: none; }
.faint, caption, figcaption { color: var(--faint); }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .75rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .35rem; }
th, td { padding: .28rem .7rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th:first-child, td:first-child { text-align: left; }
thead th { border-bottom: 2px solid var(--line); vertical-align: bottom; }
tbody th { font-weight: 400; }
tr.lead th, tr.lead td { font-weight: 650; }
td.shade { background: color-mix(in srgb, var(--hue) calc(var(--share) * var(--tint)), transparent); }
td.meter { background: linear-gradient(to right, color-mix(in srgb, var(--sum) 24%, transparent)
  calc(var(--share) * 100%), transparent 0); }
.cards { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; padding: 0; list-style: none; }
.cards li { flex: 1 1 9rem; background: var(--panel); border: 1px solid var(--line); border-radius: .5rem;
  padding: .7rem .9rem; }
.cards strong { display: block; font-size: 1.7rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.beside { display: flex; flex-wrap: wrap; gap: 1rem 3rem; align-items: flex-start; }
figure { margin: .75rem 0; flex: 0 1 34rem; min-width: min(100%, 18rem); }
figure svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--faint); font: 12px system-ui, sans-serif; }
svg .strong { fill: var(--ink); font-weight: 650; }
svg .axis { stroke: var(--line); fill: none; }
svg .ideal { stroke: var(--faint); stroke-dasharray: 5 4; fill: none; }
svg .line { stroke: var(--sum); stroke-width: 2; fill: none; }
svg .dot { fill: var(--sum); stroke: var(--page); }
svg .chosen { fill: var(--up); stroke: var(--page); }
svg .other { fill: var(--down); stroke: var(--page); }
.errors { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 33rem), 1fr)); gap: 1rem;
  padding: 0; margin: 1rem 0; list-style: none; }
.errors > li { background: var(--panel); border: 1px solid var(--line); border-left: .3rem solid var(--line);
  border-radius: .5rem; padding: .8rem 1rem; break-inside: avoid; min-width: 0; }
.errors > li.worst { border-left-color: var(--down); }
.errors dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .8rem; margin: .4rem 0; }
.errors dt { color: var(--faint); }
.errors dd { margin: 0; overflow-wrap: anywhere; }
.fall { width: 100%; font-size: .84rem; line-height: 1.3; table-layout: fixed; margin-bottom: 0; }
.fall th, .fall td { padding: .16rem .4rem .16rem 0; }
.fall th { overflow-wrap: anywhere; }
.fall .what { width: 50%; }
.fall .n { width: 3.6rem; }
.fall tr:last-child > * { font-weight: 650; border-bottom: 0; }
.bar { position: relative; display: block; height: 1.05em; background: linear-gradient(var(--faint), var(--faint))
  var(--zero) 0 / 1px 100% no-repeat; }
.bar i { position: absolute; top: 0; bottom: 0; min-width: 2px; border-radius: 2px; background: var(--hue); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media print { :root { --ink: #000; --faint: #444; --page: #fff; --panel: #fff; --line: #bbb; --up: #1a7f4b;
  --down: #c2362b; --sum: #2c5fa8; --tint: 45%; }
  body { max-width: none; padding: 0; font-size: 10pt; } nav { display: none; }
  h2 { break-after: avoid; } tr, figure { break-inside: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
"""


def text(value: str) -> Html:
    """A text as it is, whatever signs it holds."""
    return Html(html.escape(value))


def joined(parts: Iterable[str], between: str = "") -> Html:
    """Pieces of HTML in a row."""
    return Html(between.join(parts))


def tag(name: str, *inside: Html, **attributes: str) -> Html:
    """An element.

    Parameters
    ----------
    name : str
    inside : Html
        What is no HTML yet goes through ``text``.
    attributes : str
        ``cls`` stands for ``class``, other underscores for hyphens; an empty value leaves the attribute out.
    """
    told = {"class" if k == "cls" else k.replace("_", "-"): v for k, v in attributes.items() if v}
    head = "".join(f' {k}="{html.escape(v)}"' for k, v in told.items())
    return Html(f"<{name}{head}>{''.join(inside)}</{name}>")


def section(key: str, title: str, *inside: Html) -> Html:
    """A part of the page with a heading that can be linked to."""
    return tag("section", tag("h2", text(title), id=key), *inside, aria_labelledby=key)


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[Html]], *, lead: bool = False) -> Html:
    """A table: a caption, a row of headings, rows whose first cell is their heading.

    Parameters
    ----------
    caption : str
    header : sequence of str
    rows : iterable of sequence of Html
        Cells as long as the header: their content, or whole ``td`` elements.
    lead : bool
        Whether the first row is the one that matters.
    """
    top = joined(tag("th", text(name), scope="col") for name in header)
    body = [
        tag("tr", tag("th", row[0], scope="row"), *map(_cell, row[1:]), cls="lead" if lead and not i else "")
        for i, row in enumerate(rows)
    ]
    made = tag("table", tag("caption", text(caption)), tag("thead", tag("tr", top)), tag("tbody", *body))
    return tag("div", made, cls="scroll", tabindex="0", role="group", aria_label=caption)


def _cell(content: Html) -> Html:
    return content if content.startswith("<td") else tag("td", content)


def shaded(value: str, share: float, hue: str) -> Html:
    """A cell whose ground is the darker the greater a share in [0, 1] is; ``hue`` is up, down or sum."""
    return tag("td", text(value), cls="shade", style=f"--share:{share:.3f};--hue:var(--{hue})")


def meter(value: str, share: float) -> Html:
    """A cell whose ground is a bar as long as a share in [0, 1]."""
    return tag("td", text(value), cls="meter", style=f"--share:{share:.3f}")


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of a chart; ``kind`` is a class of the style, ``name`` is written beside it."""

    x: float
    y: float
    radius: float = 4.0
    kind: str = "dot"
    name: str = ""


WIDE, TALL = 520, 380
LEFT, RIGHT, TOP, BOTTOM = 58, 24, 16, 46


def chart(
    title: str, told: str, axes: tuple[str, str], ticks: Ticks, dots: Sequence[Dot],
    line: Sequence[tuple[float, float]], *, ideal: bool = False,
) -> Html:  # fmt: skip
    """Points and a line in an SVG, axes in per cent.

    Parameters
    ----------
    title, told : str
        What it is, and in words what it shows.
    axes : tuple of str
        Names of the x and the y axis.
    ticks : tuple of sequence of float
        Where lines are drawn, of x and of y; the first and the last are the limits.
    dots : sequence of Dot
    line : sequence of tuple of float
    ideal : bool
        Whether the diagonal is drawn.
    """
    (x0, x1), (y0, y1) = ((of[0], of[-1]) for of in ticks)

    def at(x: float, y: float) -> tuple[float, float]:
        across = (x - x0) / (x1 - x0) * (WIDE - LEFT - RIGHT)
        down = (y - y0) / (y1 - y0) * (TALL - TOP - BOTTOM)
        return round(LEFT + across, 1), round(TALL - BOTTOM - down, 1)

    parts = [tag("title", text(title)), tag("desc", text(told)), *_grid(axes, ticks, at)]
    if ideal:
        least, most = max(x0, y0), min(x1, y1)
        parts.append(_path("ideal", [at(least, least), at(most, most)]))
    parts.append(_path("line", [at(x, y) for x, y in line]))
    for dot in dots:
        x, y = at(dot.x, dot.y)
        parts.append(tag("circle", cx=f"{x:g}", cy=f"{y:g}", r=f"{dot.radius:.1f}", cls=dot.kind))
        if dot.name:
            left = x > WIDE - 110
            parts.append(
                tag("text", text(dot.name), x=f"{x - 9 if left else x + 9:g}", y=f"{y - 5:g}",
                    cls="" if dot.kind == "dot" else "strong", text_anchor="end" if left else "start")
            )  # fmt: skip
    drawn = tag("svg", *parts, viewBox=f"0 0 {WIDE} {TALL}", role="img", aria_label=f"{title}. {told}")
    return tag("figure", drawn, tag("figcaption", text(title)))


def _grid(axes: tuple[str, str], ticks: Ticks, at: Place) -> list[Html]:
    """Lines each way with their figures, and the names of the axes."""
    xs, ys = ticks
    parts = []
    for x in xs:
        across, low = at(x, ys[0])
        parts.append(_path("axis", [(across, low), at(x, ys[-1])]))
        parts.append(tag("text", text(f"{100 * x:.3g}"), x=f"{across:g}", y=f"{low + 17:g}", text_anchor="middle"))
    for y in ys:
        left, down = at(xs[0], y)
        parts.append(_path("axis", [(left, down), at(xs[-1], y)]))
        parts.append(tag("text", text(f"{100 * y:.3g}"), x=f"{left - 7:g}", y=f"{down + 4:g}", text_anchor="end"))
    middle, half = (LEFT + WIDE - RIGHT) / 2, (TOP + TALL - BOTTOM) / 2
    parts.append(tag("text", text(f"{axes[0]} (%)"), x=f"{middle:g}", y=f"{TALL - 8}", text_anchor="middle"))
    parts.append(
        tag("text", text(f"{axes[1]} (%)"), text_anchor="middle", transform=f"translate(15 {half:g}) rotate(-90)")
    )
    return parts


def _path(kind: str, points: Sequence[tuple[float, float]]) -> Html:
    return tag("polyline", points=" ".join(f"{x:g},{y:g}" for x, y in points), cls=kind)


def page(title: str, *inside: Html) -> str:
    """The whole document."""
    head = (
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<title>{html.escape(title)}</title>\n<style>{STYLE}</style>"
    )
    body = "\n".join(inside)
    return f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'
