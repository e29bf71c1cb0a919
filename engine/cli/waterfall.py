"""The waterfall of a decision on a console, from the bars of ``engine.waterfall.steps``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from engine.cli.output import event, table
from engine.explain import weighing
from engine.waterfall import MOST, Step, span, steps

BAR = 30


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
    low, high = span(drawn)
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
