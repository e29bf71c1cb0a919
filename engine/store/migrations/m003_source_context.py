"""What stood around a source in its message: searched as well, since the words of an answer may stand beside it."""

from __future__ import annotations

import sqlite3

STATEMENT = "ALTER TABLE sources ADD COLUMN context TEXT NOT NULL DEFAULT ''"


def migrate(connection: sqlite3.Connection) -> None:
    """Adds the column; sources of earlier releases have none."""
    connection.execute(STATEMENT)
