"""What is kept beside memories: decisions, the running conversation, known names, accesses, the encoder."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from engine.errors import InputError, NotFoundError, StoreError
from engine.store import codec
from engine.store.database import Database
from engine.store.rows import Access, DecisionRow, EntityRow
from engine.types import Message

KEPT_TURNS = 12


class Records(Database):
    """Reads and writes of everything that is no memory. Each write is its own transaction, or a part of
    the one that is open."""

    @property
    def encoder_id(self) -> str | None:
        """The encoder whose vectors are stored, once it is known."""
        return self._meta("encoder_id")

    @property
    def dimension(self) -> int | None:
        """The length of the stored vectors, once it is known."""
        value = self._meta("dimension")
        return None if value is None else int(value)

    def check_encoder(self, encoder_id: str, dimension: int) -> None:
        """Sets the encoder on first use; later refuses any other.

        Args:
            encoder_id: the encoder's name and version.
            dimension: the length of its vectors.

        Raises:
            StoreError: the database holds vectors of another encoder.
        """
        if (self.encoder_id, self.dimension) == (encoder_id, dimension):
            return  # no write lock for what every opening does
        with self.transaction():
            held = (self.encoder_id, self.dimension)
            if held == (None, None):
                self._set_meta("encoder_id", encoder_id)
                self._set_meta("dimension", str(dimension))
            elif held != (encoder_id, dimension):
                raise StoreError(
                    "F606",
                    f"{self.path} holds vectors of {held[0]} ({held[1]} dimensions), the encoder is {encoder_id} "
                    f"({dimension}); run `factfold reembed`, or choose the former encoder",
                )

    def record_decision(
        self, decision_id: str, scope_key: str, record: Mapping[str, Any], review: bool = False
    ) -> None:
        """Keeps a decision for ``explain``, ``review`` and ``undo``.

        Args:
            decision_id: given by the caller.
            scope_key: the tenant.
            record: JSON of any shape; name memories by their ids in it.
            review: whether a person should look at it.

        Raises:
            InputError: the id is taken, or the record is no JSON.
        """
        with self.transaction():
            try:
                self.connection.execute(
                    "INSERT INTO decisions (id, scope_key, created_at, record, review) VALUES (?, ?, ?, ?, ?)",
                    (decision_id, scope_key, codec.write_time(self.now()), codec.write_json(dict(record)), int(review)),
                )
            except sqlite3.IntegrityError as error:
                raise InputError("F611", f"there is a decision {decision_id} already; ids are used once") from error

    def decision(self, decision_id: str) -> DecisionRow | None:
        """A recorded decision, or None."""
        with self.reading() as connection:
            row = connection.execute("SELECT * FROM decisions WHERE id = ?", (decision_id,)).fetchone()
        return None if row is None else _decision(row)

    def decisions(self, scope_key: str) -> list[DecisionRow]:
        """The decisions of a scope that were not taken back, oldest first."""
        query = "SELECT * FROM decisions WHERE scope_key = ? AND undone_at IS NULL ORDER BY created_at, id"
        with self.reading() as connection:
            return list(map(_decision, connection.execute(query, (scope_key,))))

    def decision_ids(self, scope_key: str) -> list[str]:
        """The ids of what ``decisions`` gives, in its order, for looking at many of them one by one."""
        query = "SELECT id FROM decisions WHERE scope_key = ? AND undone_at IS NULL ORDER BY created_at, id"
        with self.reading() as connection:
            return [row[0] for row in connection.execute(query, (scope_key,))]

    def decisions_judged(self, scope_key: str) -> list[DecisionRow]:
        """The decisions of a scope that a person judged, those that were taken back for it as well; oldest first."""
        query = "SELECT * FROM decisions WHERE scope_key = ? AND feedback IS NOT NULL ORDER BY created_at, id"
        with self.reading() as connection:
            return list(map(_decision, connection.execute(query, (scope_key,))))

    def decisions_to_review(self, scope_key: str) -> list[DecisionRow]:
        """The decisions of a scope that wait for a person: neither judged nor taken back; oldest first."""
        query = """SELECT * FROM decisions WHERE scope_key = ? AND review = 1
            AND undone_at IS NULL AND feedback IS NULL ORDER BY created_at, id"""
        with self.reading() as connection:
            return list(map(_decision, connection.execute(query, (scope_key,))))

    def set_feedback(self, decision_id: str, feedback: str) -> None:
        """Files a person's judgement.

        Raises:
            NotFoundError: there is no such decision.
        """
        with self.transaction():
            done = self.connection.execute("UPDATE decisions SET feedback = ? WHERE id = ?", (feedback, decision_id))
            if done.rowcount == 0:
                raise NotFoundError("F612", f"there is no decision {decision_id}")

    def append_turns(self, scope_key: str, messages: Sequence[Message], keep: int = KEPT_TURNS) -> None:
        """Continues a scope's conversation and forgets all but its last ``keep`` turns."""
        with self.transaction():
            query = "SELECT COALESCE(MAX(ordinal), 0) FROM turns WHERE scope_key = ?"
            last = self.connection.execute(query, (scope_key,)).fetchone()[0]
            self.connection.executemany(
                "INSERT INTO turns (scope_key, ordinal, message) VALUES (?, ?, ?)",
                [(scope_key, last + n, codec.write_message(m)) for n, m in enumerate(messages, start=1)],
            )
            self.connection.execute(
                "DELETE FROM turns WHERE scope_key = ? AND ordinal <= ?", (scope_key, last + len(messages) - keep)
            )
            self._touch(scope_key)

    def turns(self, scope_key: str) -> tuple[Message, ...]:
        """The last turns of a scope's conversation, oldest first."""
        query = "SELECT message FROM turns WHERE scope_key = ? ORDER BY ordinal"
        with self.reading() as connection:
            return tuple(codec.read_message(row[0]) for row in connection.execute(query, (scope_key,)))

    def put_entity(self, scope_key: str, name: str, role: str, owner: str = "user", kind: str = "person") -> None:
        """Remembers a name. The same owner's same name is known once: a new role replaces the old one."""
        with self.transaction():
            self.connection.execute(
                """INSERT INTO entities (scope_key, owner, name, role, kind, recorded_at) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (scope_key, owner, name)
                DO UPDATE SET role = excluded.role, kind = excluded.kind, recorded_at = excluded.recorded_at""",
                (scope_key, owner, name, role, kind, codec.write_time(self.now())),
            )
            self._touch(scope_key)

    def entities(self, scope_key: str) -> tuple[EntityRow, ...]:
        """The names known in a scope, the latest told first."""
        query = "SELECT * FROM entities WHERE scope_key = ? ORDER BY recorded_at DESC, owner, name"
        with self.reading() as connection:
            return tuple(
                EntityRow(r["name"], r["role"], r["owner"], r["kind"], codec.read_time(r["recorded_at"]))
                for r in connection.execute(query, (scope_key,))
            )

    def count_accesses(self, memory_ids: Iterable[str], at: datetime | None = None) -> None:
        """Counts that memories were found. Ids that are gone meanwhile are passed over."""
        with self.transaction():
            moment = codec.write_time(at or self.now())
            self.connection.executemany(
                """INSERT INTO accesses (memory_id, count, last_at)
                SELECT id, 1, ?2 FROM memories WHERE id = ?1
                ON CONFLICT (memory_id) DO UPDATE SET count = count + 1, last_at = max(last_at, excluded.last_at)""",
                [(memory_id, moment) for memory_id in sorted(memory_ids)],
            )

    def accesses(self, scope_key: str) -> Mapping[str, Access]:
        """How often each memory of a scope was found; those never found are missing."""
        query = """SELECT a.* FROM memories m JOIN accesses a ON a.memory_id = m.id
            WHERE m.scope_key = ? ORDER BY m.id"""
        with self.reading() as connection:
            rows = connection.execute(query, (scope_key,)).fetchall()
        return {row["memory_id"]: Access(row["count"], codec.read_time(row["last_at"])) for row in rows}

    def access_counts(self, scope_key: str) -> dict[str, int]:
        """How often each memory of a scope was found, and nothing else of it."""
        query = """SELECT a.memory_id, a.count FROM memories m JOIN accesses a ON a.memory_id = m.id
            WHERE m.scope_key = ?"""
        with self.reading() as connection:
            return dict(map(tuple, connection.execute(query, (scope_key,))))

    def scope_keys(self) -> tuple[str, ...]:
        """Every tenant that the database holds anything of, sorted."""
        query = """SELECT scope_key FROM memories UNION SELECT scope_key FROM turns UNION
            SELECT scope_key FROM decisions UNION SELECT scope_key FROM entities ORDER BY 1"""
        with self.reading() as connection:
            return tuple(row[0] for row in connection.execute(query))

    def generation(self, scope_key: str) -> int:
        """A number that grows with every write to a scope: a cache built at another one is stale."""
        with self.reading() as connection:
            row = connection.execute("SELECT value FROM generations WHERE scope_key = ?", (scope_key,)).fetchone()
        return 0 if row is None else int(row[0])

    def _touch(self, scope_key: str) -> None:
        value = int(self._meta("generation") or 0) + 1
        self._set_meta("generation", str(value))
        self.connection.execute(
            """INSERT INTO generations (scope_key, value) VALUES (?, ?)
            ON CONFLICT (scope_key) DO UPDATE SET value = excluded.value""",
            (scope_key, value),
        )

    def _meta(self, key: str) -> str | None:
        with self.reading() as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def _set_meta(self, key: str, value: str) -> None:
        self.connection.execute(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )


def _decision(row: sqlite3.Row) -> DecisionRow:
    undone = row["undone_at"]
    return DecisionRow(
        id=row["id"],
        scope_key=row["scope_key"],
        created_at=codec.read_time(row["created_at"]),
        record=json.loads(row["record"]),
        review=bool(row["review"]),
        undone_at=None if undone is None else codec.read_time(undone),
        feedback=row["feedback"],
    )
