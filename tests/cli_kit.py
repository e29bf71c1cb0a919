"""What the tests of the command line, of replay and of readers share."""

from __future__ import annotations

import json
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

import pytest
from memory_kit import shared_encoder

from engine.cli import main


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


@dataclass
class Ran:
    code: int
    out: str
    err: str

    @property
    def data(self):
        return json.loads(self.out)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs a command in an empty folder, with the shared encoder."""
    monkeypatch.chdir(tmp_path)
    for name in [n for n in os.environ if n.startswith("FACTFOLD_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr("engine.memory.MiniLM", lambda **_: shared_encoder())

    def call(*arguments):
        capsys.readouterr()
        code = main([str(a) for a in arguments])
        told = capsys.readouterr()
        return Ran(code, told.out, told.err)

    return call


@pytest.fixture
def moved(run):
    """A database where Ana moved from Austin to Denver; the receipt of the move."""
    assert run("add", "I live in Austin.", "--user", "ana", "--at", "2026-03-01").code == 0
    done = run("add", "I moved to Denver.", "--user", "ana", "--at", "2026-07-01", "--json")
    assert done.code == 0
    (result,) = done.data["results"]
    assert (result["event"], result["previous_memory"]) == ("UPDATE", "user lives in Austin")
    return result
