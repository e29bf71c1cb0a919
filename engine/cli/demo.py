"""``demo``: what a household told over eight months, what became of it, and why. This is the gathering part."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from engine.cli.demo_screen import show_demo
from engine.cli.options import json_option
from engine.cli.output import emit_json, progress_bar
from engine.memory import Memory
from engine.replay import ReplayReport, replay

SAMPLE = Path(__file__).resolve().parent.parent / "samples" / "demo.jsonl"
WHO = "household"
NOW = datetime(2026, 9, 1, 12, tzinfo=UTC)
MARCH = datetime(2026, 3, 15, 12, tzinfo=UTC)
QUESTION = "Where does Maya work?"
ALL = 100_000
OPERATIONS = ("UPDATE", "DELETE")


@dataclass(frozen=True, slots=True)
class Superseded:
    """A memory that changed or ended: what it said, what it says now (None: it is over), and the message."""

    operation: str
    old: str
    new: str | None
    at: str
    speaker: str
    message: str
    decision_id: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A question's answer as of a moment."""

    question: str
    as_of: str
    answer: str | None
    score: float | None


@dataclass(frozen=True, slots=True)
class Demo:
    """All that the demo shows."""

    report: ReplayReport
    as_of: str
    remembered: tuple[Mapping[str, Any], ...]
    superseded: tuple[Superseded, ...]
    explained: Mapping[str, Any] | None
    answers: tuple[Answer, ...]


@click.command()
@json_option
def demo(as_json: bool) -> None:
    """Show it at work on eight months of chats.

    What is remembered, what changed and why, what was skipped, one decision laid open. Works in a temporary
    database; yours is left alone.
    """
    with progress_bar("replaying messages") as progress:
        told = gather(progress)
    if as_json:
        emit_json(asdict(told))
    else:
        show_demo(told)


def gather(progress: Callable[[int, int], None] | None = None) -> Demo:
    """Replays the sample into a temporary database and asks it everything."""
    with (
        tempfile.TemporaryDirectory(prefix="factfold-demo-") as folder,
        Memory(Path(folder) / "demo.db", clock=lambda: NOW) as memory,
    ):
        report = replay([SAMPLE], memory, progress=progress)
        superseded = superseded_in(memory)
        return Demo(
            report=report,
            as_of=NOW.date().isoformat(),
            remembered=tuple(memory.get_all(user_id=WHO, top_k=ALL, as_of=NOW)["results"]),
            superseded=superseded,
            explained=_telling(memory, superseded),
            answers=tuple(_answer(memory, moment) for moment in (MARCH, NOW)),
        )


def superseded_in(memory: Memory) -> tuple[Superseded, ...]:
    """What changed or ended, in the order it was told."""
    ids = {one["id"] for one in memory.get_all(user_id=WHO, top_k=ALL, include_history=True)["results"]}
    found = []
    for memory_id in sorted(ids):
        for row in memory.history(memory_id):
            source = row["source"]
            if row["event"] not in OPERATIONS or source is None or not row["old_memory"]:
                continue
            if row["old_memory"] == row["new_memory"]:
                continue
            ended = row["event"] == "DELETE"
            found.append(
                Superseded(
                    row["event"], row["old_memory"], None if ended else row["new_memory"], source["timestamp"],
                    source["speaker"], source["text"], row["decision_id"] or "",
                )
            )  # fmt: skip
    return tuple(sorted(found, key=lambda s: (s.at, s.old, s.new or "")))


def _telling(memory: Memory, superseded: Sequence[Superseded]) -> Mapping[str, Any] | None:
    """The change of one attribute that the model, and no rule, was most sure of."""
    told = [memory.explain(s.decision_id) for s in superseded if s.operation == "UPDATE" and s.decision_id]
    learnt = [t for t in told if t["bars"] and not t["rule"] and t["operation"] == t["label"] == "UPDATE"]
    return max(learnt, key=lambda t: (_is_plain(t), t["probabilities"]["UPDATE"], t["decision_id"]), default=None)


def _is_plain(told: Mapping[str, Any]) -> bool:
    """Whether a decision is about the same attribute of the same subject: the kind that is understood at a glance."""
    values = {bar["feature"]: bar["value"] for bar in told["bars"]}
    return values.get("same_attribute") == 1 and values.get("same_subject") == 1


def _answer(memory: Memory, moment: datetime) -> Answer:
    found = memory.search(QUESTION, user_id=WHO, as_of=moment, top_k=1)["results"]
    best = found[0] if found else None
    return Answer(
        QUESTION, moment.date().isoformat(), best["memory"] if best else None, best["score"] if best else None
    )
