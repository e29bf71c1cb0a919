"""The first schema.

Versions are immutable. When a version was true is told by its spans: a span is never changed either, only
superseded by a later one, so that both times can be asked for, that of the world and that of the store.
"""

from __future__ import annotations

import sqlite3

APPLICATION_ID = 0x46414354  # "FACT": tells our files from other programs'

STATEMENTS = (
    "CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT",
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    """CREATE TABLE memories (
        id TEXT PRIMARY KEY,
        scope_key TEXT NOT NULL CHECK (scope_key <> ''),
        user_id TEXT, agent_id TEXT, run_id TEXT,
        metadata TEXT NOT NULL DEFAULT '{}',
        created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
        actor_id TEXT, role TEXT,
        tombstone TEXT
    ) STRICT""",
    "CREATE INDEX memories_scope ON memories (scope_key, created_at, id)",
    """CREATE TABLE versions (
        memory_id TEXT NOT NULL REFERENCES memories (id),
        number INTEGER NOT NULL CHECK (number > 0),
        scope_key TEXT NOT NULL,
        text TEXT NOT NULL,
        subject TEXT NOT NULL COLLATE NOCASE, predicate TEXT NOT NULL, object TEXT NOT NULL, attribute TEXT,
        polarity TEXT NOT NULL, modality TEXT NOT NULL, kind TEXT NOT NULL,
        fact TEXT NOT NULL,
        hash TEXT NOT NULL,
        embedding BLOB NOT NULL,
        recorded_at TEXT NOT NULL,
        PRIMARY KEY (memory_id, number)
    ) STRICT""",
    "CREATE INDEX versions_subject ON versions (scope_key, subject, attribute)",
    """CREATE TABLE spans (
        id INTEGER PRIMARY KEY,
        memory_id TEXT NOT NULL, number INTEGER NOT NULL,
        valid_from TEXT, from_precision TEXT,
        valid_to TEXT, to_precision TEXT,
        void INTEGER NOT NULL DEFAULT 0 CHECK (void IN (0, 1)),
        reason TEXT,
        recorded_at TEXT NOT NULL,
        superseded_at TEXT,
        FOREIGN KEY (memory_id, number) REFERENCES versions (memory_id, number)
    ) STRICT""",
    "CREATE INDEX spans_version ON spans (memory_id, number)",
    "CREATE UNIQUE INDEX spans_current ON spans (memory_id, number) WHERE superseded_at IS NULL",
    """CREATE TABLE sources (
        id INTEGER PRIMARY KEY,
        memory_id TEXT NOT NULL, number INTEGER NOT NULL,
        message_id TEXT NOT NULL, text TEXT NOT NULL, timestamp TEXT NOT NULL,
        speaker TEXT NOT NULL, role TEXT NOT NULL,
        recorded_at TEXT NOT NULL,
        decision_id TEXT NOT NULL,
        removed_at TEXT,
        FOREIGN KEY (memory_id, number) REFERENCES versions (memory_id, number)
    ) STRICT""",
    "CREATE INDEX sources_memory ON sources (memory_id, id)",
    "CREATE INDEX sources_message ON sources (message_id)",
    """CREATE TABLE history (
        memory_id TEXT NOT NULL REFERENCES memories (id),
        ordinal INTEGER NOT NULL,
        id TEXT NOT NULL UNIQUE,
        old_memory TEXT, new_memory TEXT,
        event TEXT NOT NULL CHECK (event IN ('ADD', 'UPDATE', 'DELETE', 'NOOP')),
        created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
        is_deleted INTEGER NOT NULL CHECK (is_deleted IN (0, 1)),
        actor_id TEXT, role TEXT,
        version INTEGER NOT NULL,
        reason TEXT, decision_id TEXT, source TEXT,
        PRIMARY KEY (memory_id, ordinal)
    ) STRICT""",
    """CREATE TABLE changes (
        id INTEGER PRIMARY KEY,
        decision_id TEXT NOT NULL,
        memory_id TEXT NOT NULL REFERENCES memories (id),
        operation TEXT NOT NULL,
        version_before INTEGER, version_after INTEGER,
        step TEXT NOT NULL, number INTEGER NOT NULL, told_at TEXT NOT NULL,
        valid_from TEXT, from_precision TEXT,
        valid_to TEXT, to_precision TEXT,
        target INTEGER, fact_kind TEXT NOT NULL, reason TEXT,
        labels TEXT NOT NULL DEFAULT '[]',
        undone_at TEXT
    ) STRICT""",
    "CREATE INDEX changes_decision ON changes (decision_id)",
    "CREATE INDEX changes_memory ON changes (memory_id, id)",
    """CREATE TABLE decisions (
        id TEXT PRIMARY KEY,
        scope_key TEXT NOT NULL,
        created_at TEXT NOT NULL,
        record TEXT NOT NULL,
        review INTEGER NOT NULL DEFAULT 0 CHECK (review IN (0, 1)),
        undone_at TEXT,
        feedback TEXT
    ) STRICT""",
    "CREATE INDEX decisions_scope ON decisions (scope_key, review, created_at, id)",
    """CREATE TABLE turns (
        scope_key TEXT NOT NULL, ordinal INTEGER NOT NULL, message TEXT NOT NULL,
        PRIMARY KEY (scope_key, ordinal)
    ) STRICT""",
    """CREATE TABLE entities (
        scope_key TEXT NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, kind TEXT NOT NULL,
        recorded_at TEXT NOT NULL,
        PRIMARY KEY (scope_key, owner, name)
    ) STRICT""",
    """CREATE TABLE accesses (
        memory_id TEXT PRIMARY KEY REFERENCES memories (id),
        count INTEGER NOT NULL, last_at TEXT NOT NULL
    ) STRICT""",
    # One counter for all scopes: a scope that was purged and comes back can never meet an old number again.
    "CREATE TABLE generations (scope_key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT",
    """CREATE VIEW live AS
        SELECT m.id, m.scope_key, m.user_id, m.agent_id, m.run_id, m.metadata, m.created_at, m.updated_at,
               m.tombstone, v.number, v.text, v.subject, v.attribute, v.fact, v.hash, v.embedding,
               v.recorded_at AS version_recorded_at,
               s.valid_from, s.from_precision, s.valid_to, s.to_precision, s.void
        FROM spans s
        JOIN versions v ON v.memory_id = s.memory_id AND v.number = s.number
        JOIN memories m ON m.id = s.memory_id
        WHERE s.superseded_at IS NULL AND s.void = 0""",
)


def migrate(connection: sqlite3.Connection) -> None:
    """Creates all tables and marks the file as ours."""
    # Statement by statement: executescript would commit the transaction that holds us.
    for statement in STATEMENTS:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
