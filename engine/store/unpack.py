"""Database rows as the frozen rows that the store gives out."""

from __future__ import annotations

import json
import sqlite3

from engine.store import codec
from engine.store.rows import ChangeRow, HistoryRow
from engine.timeline import Step, StepKind, Stretch
from engine.types import Instant, Kind, Operation, Version


def _from(row: sqlite3.Row) -> Instant | None:
    return codec.read_instant(row["valid_from"], row["from_precision"])


def _to(row: sqlite3.Row) -> Instant | None:
    return codec.read_instant(row["valid_to"], row["to_precision"])


def stretch(row: sqlite3.Row) -> Stretch:
    """The valid time of a version."""
    return Stretch(row["number"], _from(row), _to(row), bool(row["void"]), row["reason"])


def version(row: sqlite3.Row) -> Version:
    """A version with its valid time."""
    return Version(
        memory_id=row["id"],
        number=row["number"],
        fact=codec.read_fact(row["fact"]),
        hash=row["hash"],
        valid_from=_from(row),
        valid_to=_to(row),
        recorded_at=codec.read_time(row["version_recorded_at"]),
        void=bool(row["void"]),
    )


def history(row: sqlite3.Row) -> HistoryRow:
    """An event in a memory's life."""
    return HistoryRow(
        id=row["id"],
        memory_id=row["memory_id"],
        old_memory=row["old_memory"],
        new_memory=row["new_memory"],
        event=Operation(row["event"]),
        created_at=codec.read_time(row["created_at"]),
        updated_at=codec.read_time(row["updated_at"]),
        is_deleted=bool(row["is_deleted"]),
        actor_id=row["actor_id"],
        role=row["role"],
        version=row["version"],
        reason=row["reason"],
        decision_id=row["decision_id"],
        source=codec.read_source(row["source"]),
    )


def change(row: sqlite3.Row) -> ChangeRow:
    """A step that a decision took."""
    step = Step(
        kind=StepKind(row["step"]),
        number=row["number"],
        told=codec.read_time(row["told_at"]),
        valid_from=_from(row),
        valid_to=_to(row),
        target=row["target"],
        fact_kind=Kind(row["fact_kind"]),
        reason=row["reason"],
    )
    return ChangeRow(
        id=row["id"],
        memory_id=row["memory_id"],
        decision_id=row["decision_id"],
        operation=Operation(row["operation"]),
        version_before=row["version_before"],
        version_after=row["version_after"],
        step=step,
        labels=tuple(json.loads(row["labels"])),
        undone=row["undone_at"] is not None,
    )
