"""Look-ups that a decision needs: memories by id, by slot, by name, and what a message left."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from itertools import zip_longest

from engine.store import codec
from engine.store.reads import ORDER
from engine.store.verify import Verify
from engine.types import Stored


class Lookups(Verify):
    """Questions of the pipeline. None of them changes anything."""

    def find_many(self, memory_ids: Collection[str]) -> dict[str, Stored]:
        """Memories by id, each with the version that is true now, else the last of its line."""
        if not memory_ids:
            return {}
        key = json.dumps(sorted(memory_ids))
        return {m.id: m for m in self._latest("id IN (SELECT value FROM json_each(:key))", key)}

    def slot_ids(self, scope_key: str, subject: str, attributes: Sequence[str], limit: int = 24) -> list[str]:
        """The live memories of a subject with one of the attributes, the latest first.

        Args:
            scope_key: the tenant.
            subject: as it stands in memories.
            attributes: names of the lexicon.
            limit: at most so many.
        """
        query = """SELECT id, MAX(created_at) AS at FROM live
            WHERE scope_key = :key AND tombstone IS NULL AND subject = :subject
              AND attribute IN (SELECT value FROM json_each(:attributes))
            GROUP BY id ORDER BY at DESC, id LIMIT :limit"""
        with self.reading():
            rows = self._rows(query, scope_key, subject=subject, attributes=json.dumps(attributes), limit=limit)
        return [row["id"] for row in rows]

    def said(self, scope_key: str) -> list[tuple[str, str, str | None]]:
        """What each memory of a scope that is not over says now, will say, or said last: (id, text, attribute),
        nothing else of it read."""
        query = f"""SELECT id, text, attribute, valid_to FROM live
            WHERE scope_key = :key AND tombstone IS NULL {ORDER}"""
        moment = codec.write_time(self.now())
        with self.reading():
            rows = self._rows(query, scope_key)
        return [
            (row["id"], row["text"], row["attribute"])
            for row, after in zip_longest(rows, rows[1:])
            if after is None or after["id"] != row["id"] or row["valid_to"] is None or row["valid_to"] > moment
        ]

    def naming_ids(self, scope_key: str, name: str, limit: int = 24) -> list[str]:
        """The live memories whose text holds a name, the latest first."""
        query = """SELECT id, MAX(created_at) AS at FROM live
            WHERE scope_key = :key AND tombstone IS NULL AND text LIKE :like ESCAPE '\\'
            GROUP BY id ORDER BY at DESC, id LIMIT :limit"""
        escaped = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        with self.reading():
            rows = self._rows(query, scope_key, like=f"%{escaped}%", limit=limit)
        return [row["id"] for row in rows]

    def decisions_of(self, scope_key: str, message_id: str) -> list[str]:
        """The decisions that a message led to and that still stand, latest first."""
        query = """SELECT id FROM decisions WHERE scope_key = :key AND undone_at IS NULL
            AND json_extract(record, '$.message_id') = :message ORDER BY created_at DESC, id DESC"""
        with self.reading():
            return [row["id"] for row in self._rows(query, scope_key, message=message_id)]
