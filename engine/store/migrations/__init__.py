"""The steps that bring a database to this release: append-only, each in one transaction with its record."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from engine.store.migrations import m001_initial, m002_ingested, m003_source_context

Migration = Callable[[sqlite3.Connection], None]

# Never edit or reorder what has been released: append.
MIGRATIONS: tuple[tuple[str, Migration], ...] = (
    ("m001_initial", m001_initial.migrate),
    ("m002_ingested", m002_ingested.migrate),
    ("m003_source_context", m003_source_context.migrate),
)
