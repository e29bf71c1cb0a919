"""Whole memories out of a database and into another, with all that was ever recorded of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.store import codec
from engine.store.journal import Journal
from engine.store.writes import LABELS
from engine.types import Fact, Scope

Row = dict[str, Any]
# The columns of each table that go along; embeddings are computed anew, scopes and ids stand once.
COLUMNS: dict[str, tuple[str, ...]] = {
    "spans": (
        "number", "valid_from", "from_precision", "valid_to", "to_precision", "void", "reason", "recorded_at",
        "superseded_at",
    ),
    "sources": (
        "number", "message_id", "text", "context", "timestamp", "speaker", "role", "recorded_at", "decision_id",
        "removed_at",
    ),
    "history": (
        "ordinal", "id", "old_memory", "new_memory", "event", "created_at", "updated_at", "is_deleted", "actor_id",
        "role", "version", "reason", "decision_id", "source",
    ),
    "changes": (
        "decision_id", "operation", "version_before", "version_after", "step", "number", "told_at", "valid_from",
        "from_precision", "valid_to", "to_precision", "target", "fact_kind", "reason", "labels", "undone_at",
    ),
}  # fmt: skip
_ORDERS = {"spans": "id", "sources": "id", "history": "ordinal", "changes": "id"}
DECISION = ("id", "created_at", "record", "review", "undone_at", "feedback")
TIMES = ("created_at", "updated_at", "recorded_at", "superseded_at", "removed_at", "undone_at", "told_at", "timestamp",
         "valid_from", "valid_to")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Whole:
    """A memory with everything recorded of it: ``versions`` as (number, fact, recorded_at), ``tables`` the rows of
    the tables in ``COLUMNS``, ``decisions`` those that touched it."""

    id: str
    scope: Scope
    metadata: Mapping[str, Any]
    created_at: str
    updated_at: str
    actor_id: str | None
    role: str | None
    tombstone: str | None
    versions: tuple[tuple[int, Fact, str], ...]
    tables: Mapping[str, Sequence[Row]]
    decisions: tuple[Row, ...] = ()


class Moves(Journal):
    """Dumping and restoring whole memories."""

    def wholes(self, scope: Scope) -> Iterator[Whole]:
        """Every memory of a scope, or of everybody for an empty one, by tenant, creation and id; one snapshot.

        Decisions go along unless the scope names labels beside the tenant: they also speak of memories without.
        """
        named = [(label, value) for label in LABELS if (value := getattr(scope, label)) is not None]
        where = " AND ".join(["1", *(["scope_key = ?"] if named else []), *(f"{label} = ?" for label, _ in named)])
        values = (*([scope.key] if named else []), *(value for _, value in named))
        with self.reading() as connection:
            query = f"SELECT * FROM memories WHERE {where} ORDER BY scope_key, created_at, id"
            for row in connection.execute(query, values).fetchall():
                yield self._whole(connection, row, with_decisions=len(named) < 2)

    def _whole(self, connection: sqlite3.Connection, row: sqlite3.Row, with_decisions: bool) -> Whole:
        versions = connection.execute(
            "SELECT number, fact, recorded_at FROM versions WHERE memory_id = ? ORDER BY number", (row["id"],)
        )
        decisions = connection.execute(
            f"""SELECT {", ".join(DECISION)} FROM decisions
            WHERE id IN (SELECT decision_id FROM changes WHERE memory_id = ?) ORDER BY created_at, id""",
            (row["id"],),
        )
        return Whole(
            row["id"],
            Scope(row["user_id"], row["agent_id"], row["run_id"]),
            json.loads(row["metadata"]),
            row["created_at"],
            row["updated_at"],
            row["actor_id"],
            row["role"],
            row["tombstone"],
            tuple((v["number"], codec.read_fact(v["fact"]), v["recorded_at"]) for v in versions.fetchall()),
            {table: self._table(connection, table, row["id"]) for table in COLUMNS},
            tuple(dict(d) for d in decisions.fetchall()) if with_decisions else (),
        )

    def _table(self, connection: sqlite3.Connection, table: str, memory_id: str) -> list[Row]:
        query = f"SELECT {', '.join(COLUMNS[table])} FROM {table} WHERE memory_id = ? ORDER BY {_ORDERS[table]}"
        return [dict(row) for row in connection.execute(query, (memory_id,))]

    def taken_ids(self, memory_ids: Collection[str]) -> list[str]:
        """Those of the ids that the database has already, sorted."""
        query = "SELECT id FROM memories WHERE id IN (SELECT value FROM json_each(:key)) ORDER BY id"
        with self.reading():
            return [row["id"] for row in self._rows(query, json.dumps(sorted(memory_ids)))]

    def restore_wholes(self, memories: Sequence[Whole], vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Writes whole memories, within the caller's transaction.

        Args:
            memories: none of their ids may be taken.
            vectors: float32 [d] of every version's text.

        Raises:
            InputError: what is written does not fit together; the caller's transaction then takes it back.
        """
        for memory in memories:
            try:
                self._restore(memory, vectors)
            except sqlite3.IntegrityError as error:
                raise InputError("F831", f"memory {memory.id} cannot be taken in: {error}; export it anew") from error

    def _restore(self, memory: Whole, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        key = memory.scope.key
        self._insert(
            key, "memories", id=memory.id, scope_key=key, user_id=memory.scope.user_id, agent_id=memory.scope.agent_id,
            run_id=memory.scope.run_id, metadata=codec.write_json(dict(memory.metadata)), created_at=memory.created_at,
            updated_at=memory.updated_at, actor_id=memory.actor_id, role=memory.role, tombstone=memory.tombstone,
        )  # fmt: skip
        for number, fact, recorded_at in memory.versions:
            self.insert_version(memory.id, number, fact, vectors[fact.text], codec.read_time(recorded_at))
        for table, rows in memory.tables.items():
            for row in rows:
                self._insert(key, table, memory_id=memory.id, **row)
        for row in memory.decisions:
            names = ", ".join(("scope_key", *row))
            marks = ", ".join("?" * (len(row) + 1))
            self.connection.execute(
                f"INSERT INTO decisions ({names}) VALUES ({marks}) ON CONFLICT (id) DO NOTHING", (key, *row.values())
            )


def read_mem0_history(path: Path) -> list[Row]:
    """The rows of a mem0 ``history.db``, in the order in which they were written; the file is only read.

    Raises:
        InputError: the file has no such table.
    """
    names = ("memory_id", "old_memory", "new_memory", "event", "created_at", "updated_at", "is_deleted", "actor_id",
             "role")  # fmt: skip
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            connection.row_factory = sqlite3.Row
            held = {row["name"] for row in connection.execute("PRAGMA table_info(history)")}
            if not held >= {"memory_id", "new_memory", "event"}:
                raise InputError("F833", f"{path.name} holds no table of mem0's history; give mem0's history.db")
            if "ordinal" in held:
                told = (
                    f"{path.name} is a database of factfold, not of mem0; name it with --db, or give mem0's history.db"
                )
                raise InputError("F833", told)
            chosen = ", ".join(name if name in held else f"NULL AS {name}" for name in names)
            return [dict(row) for row in connection.execute(f"SELECT {chosen} FROM history ORDER BY rowid")]
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise InputError("F833", f"{path.name} cannot be read as a database: {error}") from error
