"""What the tests of the command line, of replay and of readers share."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path


def message(content, day="2026-03-01", **more):
    return {"role": "user", "content": content, "timestamp": f"{day}T10:00:00Z", **more}


def write_jsonl(path: Path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def dump(path: Path) -> str:
    """Everything a database holds, as SQL."""
    connection = sqlite3.connect(path)
    try:
        return "\n".join(connection.iterdump())
    finally:
        connection.close()
