"""Is a database sound? Problems are told, never mended in silence."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from engine.errors import FactfoldError
from engine.store import codec
from engine.store.purge import Purge
from engine.timeline import Stretch, fold

# Each query yields (what, where) of what must not be.
_RULES = (
    (
        "memory {} has no version",
        "SELECT id FROM memories m WHERE NOT EXISTS (SELECT 1 FROM versions WHERE memory_id = m.id) ORDER BY id",
    ),
    (
        "version {1} of memory {0} has {2} current spans, not one",
        """SELECT v.memory_id, v.number, COUNT(s.id) FROM versions v LEFT JOIN spans s
        ON s.memory_id = v.memory_id AND s.number = v.number AND s.superseded_at IS NULL
        GROUP BY v.memory_id, v.number HAVING COUNT(s.id) <> 1 ORDER BY 1, 2""",
    ),
    (
        "version {1} of memory {0} has no history row",
        """SELECT memory_id, number FROM versions v WHERE NOT EXISTS
        (SELECT 1 FROM history WHERE memory_id = v.memory_id AND version = v.number) ORDER BY 1, 2""",
    ),
    (
        "version {1} of memory {0} lies in another scope than the memory",
        """SELECT v.memory_id, v.number FROM versions v JOIN memories m ON m.id = v.memory_id
        WHERE v.scope_key <> m.scope_key ORDER BY 1, 2""",
    ),
    (
        "memory {0} is over ({1}) but version {2} has no end",
        """SELECT id, tombstone, number FROM live WHERE tombstone IS NOT NULL AND valid_to IS NULL ORDER BY 1, 3""",
    ),
    (
        "memory {0} is not over but has only void versions",
        """SELECT id FROM memories m WHERE tombstone IS NULL
        AND EXISTS (SELECT 1 FROM versions WHERE memory_id = m.id)
        AND NOT EXISTS (SELECT 1 FROM live WHERE live.id = m.id) ORDER BY id""",
    ),
    (
        "version {1} of memory {0} ends before it begins",
        "SELECT memory_id, number FROM spans WHERE valid_to < valid_from ORDER BY 1, 2",
    ),
    (
        "the key {1} of memory {0} does not fit its scope",
        """SELECT id, scope_key FROM memories WHERE scope_key <> CASE
        WHEN user_id IS NOT NULL THEN 'user:' || user_id WHEN agent_id IS NOT NULL THEN 'agent:' || agent_id
        ELSE 'run:' || COALESCE(run_id, '') END ORDER BY id""",
    ),
)


class Verify(Purge):
    """Checking, without changing anything."""

    def verify(self) -> list[str]:
        """Everything that is wrong with the database, as sentences; empty when it is sound."""
        problems: list[str] = []
        try:
            with self.reading() as connection:
                rows = connection.execute("PRAGMA integrity_check")
                problems += [f"SQLite: {row[0]}" for row in rows if row[0] != "ok"]
                if problems:
                    return problems  # no further question to a damaged file has a trustworthy answer
                problems += [
                    f"row {row[1]} of {row[0]} refers to a row of {row[2]} that is gone"
                    for row in connection.execute("PRAGMA foreign_key_check")
                ]
                for sentence, query in _RULES:
                    problems += [sentence.format(*row) for row in connection.execute(query)]
                problems.extend(self._wrong_versions(connection))
                problems.extend(self._wrong_timelines(connection))
        except (FactfoldError, sqlite3.Error, ValueError, KeyError) as error:
            problems.append(f"the database cannot be read: {error}")
        return problems

    def _wrong_versions(self, connection: sqlite3.Connection) -> Iterator[str]:
        dimension = self.dimension
        for row in connection.execute("SELECT * FROM versions ORDER BY memory_id, number"):
            name = f"version {row['number']} of memory {row['memory_id']}"
            if row["hash"] != codec.text_hash(row["text"]):
                yield f"the hash of {name} is not that of its text"
            size = len(row["embedding"])
            if dimension is not None and size != 4 * dimension:
                yield f"the embedding of {name} has {size / 4:g} dimensions, not {dimension}"
            fact = codec.read_fact(row["fact"])
            if (fact.text, fact.subject, fact.attribute) != (row["text"], row["subject"], row["attribute"]):
                yield f"the fact of {name} differs from its columns"

    def _wrong_timelines(self, connection: sqlite3.Connection) -> Iterator[str]:
        """The stored spans must be what the recorded steps amount to."""
        for row in connection.execute("SELECT id, tombstone FROM memories ORDER BY id").fetchall():
            line = fold(self.steps(row["id"]))
            wanted = {s.number: _interval(s) for s in line.stretches if not s.void}
            held = {s.stretch.number: _interval(s.stretch) for s in self.spans(row["id"]) if not s.stretch.void}
            if wanted != held:
                yield f"the valid times of memory {row['id']} are not those of the steps recorded for it"
            if line.tombstone != row["tombstone"] and wanted:
                yield f"the tombstone of memory {row['id']} is not that of the steps recorded for it"


def _interval(stretch: Stretch) -> tuple[object, object]:
    return stretch.valid_from, stretch.valid_to
