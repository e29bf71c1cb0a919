"""What a replay has taken in: written in one transaction with what the messages left behind."""

from __future__ import annotations

from collections.abc import Iterable

from engine.store import codec
from engine.store.lookups import Lookups


class Journal(Lookups):
    """The record of ingested messages."""

    def ingested(self, scope_key: str) -> dict[str, str]:
        """The ids of the messages of a scope that a replay has taken in, each with its digest."""
        query = "SELECT message_id, digest FROM ingested WHERE scope_key = ? ORDER BY message_id"
        with self.reading() as connection:
            return {row["message_id"]: row["digest"] for row in connection.execute(query, (scope_key,))}

    def mark_ingested(self, scope_key: str, messages: Iterable[tuple[str, str]]) -> None:
        """Records messages as (id, digest); one that is recorded already is left as it is."""
        with self.transaction():
            moment = codec.write_time(self.now())
            self.connection.executemany(
                """INSERT INTO ingested (scope_key, message_id, digest, recorded_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (scope_key, message_id) DO NOTHING""",
                [(scope_key, message_id, digest, moment) for message_id, digest in messages],
            )
