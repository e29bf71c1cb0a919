"""True erasure, for privacy law: no row and no free page keeps what was purged."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection
from typing import Any

from engine import timeline
from engine.errors import InputError, ScopeError
from engine.store import codec
from engine.store.rows import PurgeReport
from engine.store.writes import LABELS, Writes
from engine.types import Scope

BLANK = "[purged]"
_OF_MEMORIES = ("accesses", "changes", "history", "sources", "spans", "versions")


class Purge(Writes):
    """Erasing, the only thing that removes rows of memories."""

    def purge(self, memory_id: str | None = None, scope: Scope | None = None) -> PurgeReport:
        """Erases one memory, or all of a scope, without a trace.

        A scope that names nothing but the tenant takes its conversation, names and decisions along. One
        that names further labels takes the memories that carry them. A decision that speaks of erased
        memories only goes; one that speaks of others too stays with the erased words blanked. Turns that
        the memories came from go. Another memory taken from the same sentence keeps that sentence as its
        source: purge it too where the words themselves must go.

        Args:
            memory_id: which memory; must be None with a scope.
            scope: whose memories.

        Returns:
            What was erased. Once the transaction is committed the write-ahead log is emptied as well.

        Raises:
            InputError: neither or both were given.
            ScopeError: the scope is empty.
            NotFoundError: there is no such memory.
        """
        if (memory_id is None) == (scope is None):
            raise InputError("F630", "purge takes either a memory's id or a scope")
        if scope is not None and not scope.key:
            raise ScopeError("F631", "purge needs a user_id, agent_id or run_id: it never erases everybody")
        with self.transaction():
            if memory_id is not None:
                report = self._purge_memories(self.identity(memory_id).scope_key, [memory_id])
            else:
                assert scope is not None
                report = self._purge_scope(scope)
            self._state.erased = True
            codec.read_fact.cache_clear()  # nor does this process remember
            timeline.forget()
            return report

    def _purge_scope(self, scope: Scope) -> PurgeReport:
        named = [(label, value) for label in LABELS if (value := getattr(scope, label)) is not None]
        where = " AND ".join(["scope_key = ?", *(f"{label} = ?" for label, _ in named)])
        rows = self.connection.execute(
            f"SELECT id FROM memories WHERE {where} ORDER BY id", (scope.key, *(value for _, value in named))
        )
        memory_ids = [row[0] for row in rows]
        if len(named) > 1:
            return self._purge_memories(scope.key, memory_ids)
        counts = {
            table: self._delete(table, "scope_key = ?", (scope.key,)) for table in ("decisions", "turns", "entities")
        }
        report = self._purge_memories(scope.key, memory_ids)
        self._delete("ingested", "scope_key = ?", (scope.key,))
        self.connection.execute("DELETE FROM generations WHERE scope_key = ?", (scope.key,))
        return PurgeReport(
            report.memories, report.versions, report.sources, report.history, redacted=report.redacted, **counts
        )

    def _purge_memories(self, scope_key: str, memory_ids: Collection[str]) -> PurgeReport:
        decisions, redacted = self._purge_decisions(scope_key, frozenset(memory_ids))
        turns = self._purge_turns(scope_key, memory_ids)
        words = self._words(memory_ids)
        self._purge_contexts(memory_ids)
        counts = dict.fromkeys((*_OF_MEMORIES, "memories"), 0)
        for memory_id in memory_ids:
            for table in _OF_MEMORIES:
                counts[table] += self._delete(table, "memory_id = ?", (memory_id,))
            counts["memories"] += self._delete("memories", "id = ?", (memory_id,))
        entities = self._purge_entities(scope_key, words)
        self._touch(scope_key)
        return PurgeReport(
            counts["memories"], counts["versions"], counts["sources"], counts["history"], decisions, turns, entities, redacted
        )

    def _purge_turns(self, scope_key: str, memory_ids: Collection[str]) -> int:
        messages = {message for memory_id in memory_ids for message in self._messages(memory_id)}
        rows = self.connection.execute(
            "SELECT ordinal, message FROM turns WHERE scope_key = ?", (scope_key,)
        ).fetchall()
        return sum(
            self._delete("turns", "scope_key = ? AND ordinal = ?", (scope_key, row["ordinal"]))
            for row in rows
            if codec.read_message(row["message"]).id in messages
        )

    def _purge_contexts(self, memory_ids: Collection[str]) -> None:
        """Other memories of the same messages keep their own sentence, and not what stood around it."""
        for message in sorted({message for memory_id in memory_ids for message in self._messages(memory_id)}):
            self.connection.execute("UPDATE sources SET context = '' WHERE message_id = ?", (message,))

    def _purge_entities(self, scope_key: str, words: Collection[str]) -> int:
        """Erases the names that stood in what was purged and stand in nothing that stays."""
        rows = self.connection.execute(
            """SELECT v.text FROM versions v JOIN memories m ON m.id = v.memory_id WHERE m.scope_key = ?
            UNION ALL SELECT s.text FROM sources s JOIN memories m ON m.id = s.memory_id WHERE m.scope_key = ?""",
            (scope_key, scope_key),
        )
        kept = "\n".join(row[0] for row in rows).lower()
        gone = "\n".join(words).lower()
        names = [row[0] for row in self.connection.execute("SELECT name FROM entities WHERE scope_key = ?", (scope_key,))]
        return sum(
            self._delete("entities", "scope_key = ? AND name = ?", (scope_key, name))
            for name in sorted(set(names))
            if name.lower() in gone and name.lower() not in kept
        )

    def _messages(self, memory_id: str) -> set[str]:
        """The messages that a memory was told in, confirmed in or ended by."""
        told = self.connection.execute("SELECT message_id FROM sources WHERE memory_id = ?", (memory_id,))
        found = {row[0] for row in told}
        return found | {row.source.message_id for row in self.history(memory_id) if row.source is not None}

    def _purge_decisions(self, scope_key: str, memory_ids: frozenset[str]) -> tuple[int, int]:
        """Erases or blanks the decisions that touch or mention the memories."""
        everyone = {
            row[0] for row in self.connection.execute("SELECT id FROM memories WHERE scope_key = ?", (scope_key,))
        }
        words = self._words(memory_ids)
        gone = redacted = 0
        for row in self.connection.execute(
            "SELECT * FROM decisions WHERE scope_key = ? ORDER BY id", (scope_key,)
        ).fetchall():
            mentioned = self._mentioned(row, everyone)
            if not mentioned & memory_ids:
                continue
            if mentioned <= memory_ids:
                gone += self._delete("decisions", "id = ?", (row["id"],))
                continue
            record = _blank(json.loads(row["record"]), words)
            label = None if row["feedback"] is None else codec.write_json(_blank(json.loads(row["feedback"]), words))
            self.connection.execute(
                "UPDATE decisions SET record = ?, feedback = ? WHERE id = ?",
                (codec.write_json(record), label, row["id"]),
            )
            redacted += 1
        return gone, redacted

    def _mentioned(self, decision: sqlite3.Row, everyone: set[str]) -> set[str]:
        touched = {
            row[0]
            for row in self.connection.execute("SELECT memory_id FROM changes WHERE decision_id = ?", (decision["id"],))
        }
        return touched | (everyone & set(_strings(json.loads(decision["record"]))))

    def _words(self, memory_ids: Collection[str]) -> tuple[str, ...]:
        """The ids, texts, values and sources of memories: what must not stand in a record that stays."""
        words: set[str] = set(memory_ids)
        for memory_id in memory_ids:
            for query in (
                "SELECT text FROM versions WHERE memory_id = ?",
                "SELECT object FROM versions WHERE memory_id = ?",
                "SELECT text FROM sources WHERE memory_id = ?",
            ):
                words |= {row[0] for row in self.connection.execute(query, (memory_id,))}
        return tuple(sorted(words - {""}, key=lambda word: (-len(word), word)))

    def _delete(self, table: str, where: str, values: tuple[Any, ...]) -> int:
        return self.connection.execute(f"DELETE FROM {table} WHERE {where}", values).rowcount


def _strings(value: Any) -> list[str]:
    """All strings of a JSON value, keys included."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *_strings(item))]
    return [text for item in value for text in _strings(item)] if isinstance(value, list) else []


def _blank(value: Any, words: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        for word in words:
            if word in value:  # whole words only: "cat" must not blank a part of "category"
                value = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", BLANK, value)
        return value
    if isinstance(value, dict):
        return {BLANK if key in words else key: _blank(item, words) for key, item in value.items()}
    return [_blank(item, words) for item in value] if isinstance(value, list) else value
