"""Reading memories: as of a moment of the world, and as the store knew them at a moment of its own."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import NotFoundError
from engine.store import codec, unpack
from engine.store.records import Records
from engine.store.rows import ChangeRow, HistoryRow, Identity, SpanRow
from engine.timeline import Step
from engine.types import Operation, Scope, Source, Stored, Version

# The same columns as the view `live`, for versions of any state (current spans, void ones too) ...
_CURRENT = """(
    SELECT m.id, m.scope_key, m.user_id, m.agent_id, m.run_id, m.metadata, m.created_at, m.updated_at,
           m.tombstone, v.number, v.text, v.subject, v.attribute, v.fact, v.hash, v.embedding,
           v.recorded_at AS version_recorded_at,
           s.valid_from, s.from_precision, s.valid_to, s.to_precision, s.void
    FROM spans s
    JOIN versions v ON v.memory_id = s.memory_id AND v.number = s.number
    JOIN memories m ON m.id = s.memory_id
    WHERE {when}
)"""
_ANY = _CURRENT.format(when="s.superseded_at IS NULL")
# ... and for what was known at a moment of the store.
_KNOWN = _CURRENT.format(
    when="s.void = 0 AND s.recorded_at <= :known AND (s.superseded_at IS NULL OR s.superseded_at > :known)"
)
# All that a Stored needs; not `*`, which would drag the embeddings along.
_STORED = """id, user_id, agent_id, run_id, metadata, created_at, updated_at, tombstone, number, fact, hash,
    version_recorded_at, valid_from, from_precision, valid_to, to_precision, void"""
_COVERS = "(valid_from IS NULL OR valid_from <= :as_of) AND (valid_to IS NULL OR valid_to > :as_of)"
# The last of a memory's rows is the version that answers: NULL sorts first in SQLite.
ORDER = "ORDER BY created_at, id, valid_from, number"


class Reads(Records):
    """Questions about memories. None of them changes anything."""

    def get(self, memory_id: str, as_of: datetime, known_at: datetime | None = None) -> Stored | None:
        """The memory as it was true at ``as_of`` in the world, by what the store knew at ``known_at``.

        Args:
            memory_id: its id.
            as_of: the moment asked for, aware.
            known_at: a moment of the store's clock; None for now.

        Returns:
            The memory, or None where no version of it was true then.
        """
        found = self._at("id = :key", memory_id, as_of, known_at)
        return found[0] if found else None

    def active(self, scope_key: str, as_of: datetime, known_at: datetime | None = None) -> list[Stored]:
        """All memories of a scope that are true at ``as_of``, each once, sorted by creation and id.

        Args and meaning as of ``get``.
        """
        return self._at("scope_key = :key", scope_key, as_of, known_at)

    def lines(self, scope_key: str) -> tuple[list[Stored], NDArray[np.float32]]:
        """Every version of a scope that was, is or will be true, with its embedding: what ``active`` chooses from
        for any moment.

        Returns:
            ``n`` versions sorted by creation, id and line, and a float32 matrix [n, d].
        """
        with self.reading():
            rows = self._rows(f"SELECT {_STORED}, embedding FROM live WHERE scope_key = :key {ORDER}", scope_key)
            memories = self._stored(rows, "m.scope_key = :key", scope_key, None)
            return memories, self._matrix(row["embedding"] for row in rows)

    def find(self, memory_id: str) -> Stored | None:
        """A memory whatever its state: with the version true now, else the last of its line, else the
        last recorded."""
        return next(iter(self._latest("id = :key", memory_id)), None)

    def all(self, scope_key: str, include_history: bool = False) -> list[Stored]:
        """The memories of a scope.

        Args:
            scope_key: the tenant.
            include_history: False: each memory that is not over, once. True: every version of every memory,
                over and void ones too.

        Returns:
            Sorted by creation, id and number.
        """
        if not include_history:
            return [m for m in self._latest("scope_key = :key", scope_key) if m.tombstone is None]
        with self.reading():
            rows = self._rows(
                f"SELECT {_STORED} FROM {_ANY} WHERE scope_key = :key ORDER BY created_at, id, number", scope_key
            )
            return self._stored(rows, "m.scope_key = :key", scope_key, None)

    def versions(self, memory_id: str) -> tuple[Version, ...]:
        """All versions of a memory with their present valid time, by number; empty for an unknown id."""
        with self.reading():
            return tuple(
                map(
                    unpack.version,
                    self._rows(f"SELECT {_STORED} FROM {_ANY} WHERE id = :key ORDER BY number", memory_id),
                )
            )

    def text(self, memory_id: str, number: int) -> str:
        """The text of a version.

        Raises:
            NotFoundError: it does not exist.
        """
        query = "SELECT text FROM versions WHERE memory_id = ? AND number = ?"
        with self.reading() as connection:
            row = connection.execute(query, (memory_id, number)).fetchone()
        if row is None:
            raise NotFoundError("F610", f"there is no version {number} of memory {memory_id}")
        return str(row["text"])

    def closed_like(self, scope_key: str, subject: str, attribute: str | None) -> list[Stored]:
        """What was once known of a subject's attribute and is over: the versions of tombstoned memories
        (retracted ones too) and the closed versions of others.

        Returns:
            One entry a version, sorted by creation, id and number.
        """
        query = f"""SELECT {_STORED} FROM {_ANY}
            WHERE scope_key = :key AND subject = :subject AND attribute IS :attribute
              AND (tombstone IS NOT NULL OR (void = 0 AND valid_to IS NOT NULL))
            ORDER BY created_at, id, number"""
        with self.reading():
            rows = self._rows(query, scope_key, subject=subject, attribute=attribute)
            return self._stored(rows, "m.scope_key = :key", scope_key, None)

    def embeddings(
        self, scope_key: str, as_of: datetime | None = None
    ) -> tuple[tuple[str, ...], tuple[int, ...], NDArray[np.float32]]:
        """What an index of a scope holds: of every memory that is not over the versions that are true at
        ``as_of`` or later, and its last one.

        A memory has two rows where its next version is known before it begins. As time goes on rows only
        become superfluous, never missing, so an index of the same generation stays complete.

        Args:
            scope_key: the tenant.
            as_of: the earliest moment that will be asked for; None for the clock's now.

        Returns:
            ids, version numbers, and a float32 matrix [n, d] (shape [0, dimension] when there is none),
            sorted by creation, id and number.
        """
        query = f"""SELECT id, number, created_at, valid_to, embedding FROM live
            WHERE scope_key = :key AND tombstone IS NULL {ORDER}"""
        moment = codec.write_time(as_of or self.now())
        with self.reading():
            rows = self._rows(query, scope_key)
            kept = [
                row
                for row, after in zip_longest(rows, rows[1:])
                if after is None or after["id"] != row["id"] or row["valid_to"] is None or row["valid_to"] > moment
            ]
            kept.sort(key=lambda row: (row["created_at"], row["id"], row["number"]))
            ids = tuple(row["id"] for row in kept)
            return ids, tuple(row["number"] for row in kept), self._matrix(row["embedding"] for row in kept)

    def vectors(self, keys: Sequence[tuple[str, int]]) -> NDArray[np.float32]:
        """The embeddings of given versions.

        Args:
            keys: (memory id, version number).

        Returns:
            float32 [len(keys), d], in the order of the keys.

        Raises:
            NotFoundError: one of them does not exist.
        """
        blobs: list[bytes] = []
        with self.reading() as connection:
            for memory_id, number in keys:
                row = connection.execute(
                    "SELECT embedding FROM versions WHERE memory_id = ? AND number = ?", (memory_id, number)
                ).fetchone()
                if row is None:
                    raise NotFoundError("F610", f"there is no version {number} of memory {memory_id}")
                blobs.append(row["embedding"])
            return self._matrix(blobs)

    def identity(self, memory_id: str) -> Identity:
        """What of a memory does not depend on a moment.

        Raises:
            NotFoundError: there is none of that id.
        """
        with self.reading() as connection:
            row = connection.execute("SELECT * FROM memories WHERE id = ?", (memory_id,)).fetchone()
        if row is None:
            raise NotFoundError("F610", f"there is no memory {memory_id}; list them to see their ids")
        return Identity(
            row["id"],
            row["scope_key"],
            Scope(row["user_id"], row["agent_id"], row["run_id"]),
            codec.read_time(row["created_at"]),
            codec.read_time(row["updated_at"]),
            row["tombstone"],
        )

    def history(self, memory_id: str) -> tuple[HistoryRow, ...]:
        """What happened to a memory, in the order of recording; empty for an unknown id."""
        with self.reading():
            rows = self._rows("SELECT * FROM history WHERE memory_id = :key ORDER BY ordinal", memory_id)
        return tuple(map(unpack.history, rows))

    def spans(self, memory_id: str) -> tuple[SpanRow, ...]:
        """The present valid time of every version of a memory, by number."""
        query = "SELECT * FROM spans WHERE memory_id = :key AND superseded_at IS NULL ORDER BY number"
        with self.reading():
            return tuple(SpanRow(row["id"], unpack.stretch(row)) for row in self._rows(query, memory_id))

    def steps(self, memory_id: str) -> tuple[Step, ...]:
        """What was done to a memory and not taken back, in the order of recording."""
        query = "SELECT * FROM changes WHERE memory_id = :key AND undone_at IS NULL ORDER BY id"
        with self.reading():
            return tuple(unpack.change(row).step for row in self._rows(query, memory_id))

    def changes(self, decision_id: str) -> tuple[ChangeRow, ...]:
        """What a decision did, in the order of recording."""
        query = "SELECT * FROM changes WHERE decision_id = :key ORDER BY id"
        with self.reading():
            return tuple(map(unpack.change, self._rows(query, decision_id)))

    def _rows(self, query: str, key: str, **more: Any) -> list[sqlite3.Row]:
        return self.connection.execute(query, {"key": key, **more}).fetchall()

    def _at(self, where: str, key: str, as_of: datetime, known_at: datetime | None) -> list[Stored]:
        table = "live" if known_at is None else _KNOWN
        moments = {"as_of": codec.write_time(as_of), "known": None if known_at is None else codec.write_time(known_at)}
        with self.reading():
            rows = self._rows(f"SELECT {_STORED} FROM {table} WHERE {where} AND {_COVERS} {ORDER}", key, **moments)
            last = {row["id"]: row for row in rows}
            return self._stored(last.values(), f"m.{where}", key, moments["known"])

    def _latest(self, where: str, key: str) -> list[Stored]:
        moment = codec.write_time(self.now())
        with self.reading():
            rows = self._rows(f"SELECT {_STORED} FROM {_ANY} WHERE {where} {ORDER}", key)
            best: dict[str, tuple[tuple[bool, bool, int], sqlite3.Row]] = {}
            for place, row in enumerate(rows):
                true_now = (row["valid_from"] or "") <= moment and (row["valid_to"] is None or row["valid_to"] > moment)
                rank = (not row["void"], not row["void"] and true_now, row["number"] if row["void"] else place)
                if row["id"] not in best or rank > best[row["id"]][0]:
                    best[row["id"]] = (rank, row)
            return self._stored([row for _, row in best.values()], f"m.{where}", key, None)

    def _stored(self, rows: Iterable[sqlite3.Row], where: str, key: str, known: str | None) -> list[Stored]:
        sources = self._sources(where, key, known)
        states = {} if known is None else self._states(where, key, known)
        return [
            Stored(
                id=row["id"],
                scope=Scope(row["user_id"], row["agent_id"], row["run_id"]),
                version=unpack.version(row),
                created_at=codec.read_time(row["created_at"]),
                updated_at=codec.read_time(states[row["id"]][0] if row["id"] in states else row["updated_at"]),
                metadata={} if row["metadata"] == "{}" else json.loads(row["metadata"]),
                sources=tuple(sources.get(row["id"], ())),
                tombstone=states[row["id"]][1] if row["id"] in states else row["tombstone"],
            )
            for row in rows
        ]

    def _sources(self, where: str, key: str, known: str | None) -> dict[str, list[Source]]:
        query = f"""SELECT s.* FROM memories m JOIN sources s ON s.memory_id = m.id
            WHERE {where} AND (:known IS NULL OR s.recorded_at <= :known)
              AND (s.removed_at IS NULL OR s.removed_at > :known) ORDER BY s.id"""
        found: dict[str, list[Source]] = {}
        for row in self._rows(query, key, known=known):
            found.setdefault(row["memory_id"], []).append(codec.source_from(row))
        return found

    def _states(self, where: str, key: str, known: str) -> dict[str, tuple[str, str | None]]:
        """When each memory had last been changed, and why it was over, at a moment of the store."""
        query = f"""SELECT h.* FROM memories m JOIN history h ON h.memory_id = m.id
            WHERE {where} AND h.updated_at <= :known AND h.event <> 'NOOP' ORDER BY h.memory_id, h.ordinal"""
        found: dict[str, tuple[str, str | None]] = {}
        for row in self._rows(query, key, known=known):
            before = found.get(row["memory_id"], ("", None))[1]
            reason = row["reason"] if row["event"] == Operation.DELETE else before
            found[row["memory_id"]] = (row["updated_at"], reason if row["is_deleted"] else None)
        return found

    def _matrix(self, blobs: Iterable[bytes]) -> NDArray[np.float32]:
        vectors = [np.frombuffer(blob, dtype="<f4") for blob in blobs]
        if not vectors:
            return np.zeros((0, self.dimension or 0), dtype=np.float32)
        return np.stack(vectors).astype(np.float32, copy=False)
