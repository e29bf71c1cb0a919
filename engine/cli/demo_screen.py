"""How the demo looks: five parts, 100 columns, the same in a pipe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from engine.cli.output import console, day, event, span, table
from engine.cli.waterfall import draw

if TYPE_CHECKING:
    from engine.cli.demo import Answer, Demo, Superseded

ALONE = 3
"""Somebody of whom fewer memories are kept stands under "others"."""
CHANGES = 24
FEATURES = 8


def show_demo(told: Demo, out: Console | None = None) -> None:
    """Draws all of it."""
    out = out or console()
    seconds = f"{told.report.seconds:.1f} s"
    out.print(f"{told.report.messages} messages of one household, January to August 2026, taken in within {seconds}")
    counts = told.report.memories
    out.print(Text("  ").join(Text.assemble(f"{n} ", event(name)) for name, n in counts.items()))
    _heading(out, f"What is remembered on {told.as_of}")
    _remembered(out, told.remembered)
    _heading(out, "What changed or ended, and which message did it")
    _superseded(out, told.superseded)
    _heading(out, "What was skipped, and why")
    _skipped(out, told.report.skipped, told.report.examples)
    if told.explained is not None:
        _heading(out, "One decision, feature by feature")
        draw(told.explained, out, FEATURES)
    _heading(out, "One question, two moments")
    _answers(out, told.answers)


def _heading(out: Console, title: str) -> None:
    out.print()
    out.print(Rule(Text(title, style="bold"), align="left", style="bright_black"))
    out.print()


def _remembered(out: Console, memories: Sequence[Mapping[str, Any]]) -> None:
    sizes = Counter(one["subject"] for one in memories)
    people = [name for name, n in sorted(sizes.items(), key=lambda item: (-item[1], item[0])) if n >= ALONE]
    for name in [*people, None]:
        of_one = [m for m in memories if (m["subject"] == name if name else m["subject"] not in people)]
        if not of_one:
            continue
        out.print(Text(name or "others", style="bold cyan"))
        rows = table(("", {"width": 20, "style": "bright_black"}), ("", {"ratio": 1}), ("", {"width": 16}))
        rows.show_header = False
        last = None
        for one in sorted(of_one, key=lambda m: (m["attribute"] is None, m["attribute"] or "", m["memory"])):
            label = (one["attribute"] or "other").replace("_", " ")
            rows.add_row("" if label == last else label, one["memory"], Text(span(one), style="bright_black"))
            last = label
        out.print(Padding(rows, (0, 0, 1, 2)))


def _superseded(out: Console, changes: Sequence[Superseded]) -> None:
    rows = table(("told", {"no_wrap": True}), ("old → new", {"ratio": 1}), ("because", {"ratio": 1}))
    last = None
    for change in changes[-CHANGES:]:
        new = Text(change.new, style="green") if change.new else Text("over", style="red")
        pair = Text.assemble((change.old, "strike bright_black"), " → ", new)
        said = Text.assemble((f"{change.speaker}: ", "cyan"), f"“{' '.join(change.message.split())}”")
        because = (change.at, change.speaker, change.message)
        rows.add_row(*(("", pair, "") if because == last else (day(change.at), pair, said)))
        last = because
    out.print(rows)
    if len(changes) > CHANGES:
        out.print(f"the latest {CHANGES} of {len(changes)}; all of them with --json", style="bright_black")


def _skipped(out: Console, skipped: Mapping[str, int], examples: Mapping[str, str]) -> None:
    rows = table(("", {"justify": "right"}), ("reason", {"ratio": 1}), ("such as", {"ratio": 1}))
    for reason, count in skipped.items():
        example = " ".join(examples[reason].split())
        rows.add_row(str(count), reason, f"“{example[:90]}{'…' if len(example) > 90 else ''}”")
    out.print(rows)


def _answers(out: Console, answers: Sequence[Answer]) -> None:
    out.print(Text(answers[0].question, style="bold"))
    rows = table(("as of", {"no_wrap": True}), ("answer", {"ratio": 1}), ("score", {"justify": "right"}))
    for one in answers:
        score = "–" if one.score is None else f"{one.score:.3f}"
        rows.add_row(one.as_of, one.answer or "nothing is known", score)
    out.print(rows)
