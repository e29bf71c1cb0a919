"""Which messages a replay has taken in, so that one that stopped can go on where it was.

``digest`` tells the words apart from others that an export gave the same id.
"""

from __future__ import annotations

import sqlite3

STATEMENT = """CREATE TABLE ingested (
    scope_key TEXT NOT NULL, message_id TEXT NOT NULL, digest TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    PRIMARY KEY (scope_key, message_id)
) STRICT, WITHOUT ROWID"""


def migrate(connection: sqlite3.Connection) -> None:
    """Creates the table."""
    connection.execute(STATEMENT)
