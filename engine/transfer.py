"""Moving memories between databases: a JSONL file, one object a memory, with all that is recorded of it.

Embeddings are left out and computed anew, so that a file goes to a database of another encoder. What mem0 wrote is
read by ``engine.mem0``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from engine import mem0
from engine.embed import Encoder
from engine.errors import InputError
from engine.lexicon import Lexicon
from engine.messages import read_scope
from engine.store import Store, codec
from engine.store.moves import COLUMNS, DECISION, TIMES, Whole, read_mem0_history
from engine.types import Scope

FORMAT = 1
_OURS = re.compile(r'"factfold":\s*\d')
_SQLITE = b"SQLite format 3\x00"
_JSON = ("labels", "source", "record")
"""Columns that hold JSON: nested as such in the file."""
SHOWN = 20


def write(store: Store, path: Path, scope: Scope) -> int:
    """Writes memories to a file, which is there at once or not at all.

    Parameters
    ----------
    store : Store
    path : Path
        An existing file is replaced.
    scope : Scope
        Whose; everybody's where it is empty.

    Returns
    -------
    int
        How many memories.

    Raises
    ------
    InputError
        F834: the file cannot be written.
    """
    part = path.with_name(path.name + ".part")
    count = 0
    try:
        with part.open("w", encoding="utf-8", newline="\n") as out:
            for memory in store.wholes(scope):
                out.write(codec.write_json(_written(memory)) + "\n")
                count += 1
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError("F834", f"cannot write {path}: {error.strerror or error}; choose another place") from error
    return count


def read(store: Store, path: Path, scope: Scope, encoder: Encoder, lexicon: Lexicon) -> dict[str, int]:
    """Takes a file in, all of it or nothing.

    Parameters
    ----------
    store : Store
    path : Path
        What ``write`` wrote, a mem0 ``get_all`` JSON, or a mem0 ``history.db``; told apart by their content.
    scope : Scope
        Whose the memories are that do not tell.
    encoder : Encoder
    lexicon : Lexicon

    Returns
    -------
    dict
        ``memories`` and ``versions``.

    Raises
    ------
    InputError
        F830: the file cannot be read, with everything that is wrong with it; F831: ids that are taken; F832: what
        it holds does not fit together.
    ScopeError
        F835: memories that do not tell whose they are, and no scope.
    """
    wholes, told = _content(path, scope)
    ids = [m.id for m in wholes] + [m.id for m in told]
    texts = sorted({fact.text for m in wholes for _, fact, _ in m.versions} | {t for m in told for t in m.texts})
    facts = mem0.facts_of(told, lexicon)
    vectors = dict(zip(texts, encoder.encode(texts), strict=True)) if texts else {}
    with store.transaction():
        before = set(store.verify())
        if taken := store.taken_ids(ids):
            shown = ", ".join(taken[:SHOWN]) + (" …" if len(taken) > SHOWN else "")
            raise InputError(
                "F831",
                f"{len(taken)} of {len(ids)} memories of {path.name} are in this database already ({shown}); "
                "nothing was imported: use an empty database, or purge these first",
            )
        store.restore_wholes(wholes, vectors)
        mem0.write(store, told, facts, vectors)
        if problems := [p for p in store.verify() if p not in before]:
            raise InputError(
                "F832",
                f"{path.name} does not fit together, and nothing was imported; export it anew:\n  "
                + "\n  ".join(problems[:SHOWN]),
            )
    versions = sum(len(m.versions) for m in wholes) + sum(len(m.texts) for m in told)
    return {"memories": len(ids), "versions": versions}


def _content(path: Path, scope: Scope) -> tuple[list[Whole], list[mem0.Told]]:
    """What a file holds: whole memories of ours, or what mem0 tells."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError("F830", f"cannot read {path}: {error.strerror or error}; check the path") from error
    if raw.startswith(_SQLITE):
        return [], mem0.from_history(read_mem0_history(path), scope)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("F830", f"{path.name} is no text in UTF-8 ({error.reason}); give JSONL or JSON") from error
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines or _OURS.search(lines[0][1]):
        return _ours(path.name, lines), []
    try:
        content = json.loads(text)
    except ValueError as error:
        raise InputError(
            "F830", f"{path.name} is neither an export of factfold nor JSON of mem0's get_all ({error}); check the file"
        ) from error
    return [], mem0.from_listing(path.name, content, scope)


def _ours(name: str, lines: Iterable[tuple[int, str]]) -> list[Whole]:
    """The memories of an export; everything that is wrong with any line, at once."""
    found: list[Whole] = []
    first: dict[str, int] = {}
    problems: list[str] = []
    for number, line in lines:
        try:
            memory = _whole(json.loads(line))
            if memory.id in first:
                raise ValueError(f"memory {memory.id} stands in line {first[memory.id]} already")
            first[memory.id] = number
            found.append(memory)
        except KeyError as error:
            problems.append(f"line {number}: {error.args[0]!r} is missing")
        except (ValueError, TypeError, AttributeError) as error:
            problems.append(f"line {number}: {error}")
    if problems:
        more = [f"… and {len(problems) - SHOWN} more"] if len(problems) > SHOWN else []
        raise InputError(
            "F830", f"{name} cannot be imported; mend these:\n  " + "\n  ".join([*problems[:SHOWN], *more])
        )
    return found


def _written(memory: Whole) -> dict[str, Any]:
    number_now = max(memory.versions)[0]
    return {
        "factfold": FORMAT,
        "id": memory.id,
        "memory": next(fact.text for number, fact, _ in memory.versions if number == number_now),
        "user_id": memory.scope.user_id,
        "agent_id": memory.scope.agent_id,
        "run_id": memory.scope.run_id,
        "metadata": memory.metadata,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "actor_id": memory.actor_id,
        "role": memory.role,
        "tombstone": memory.tombstone,
        "versions": [
            {"number": number, "fact": json.loads(codec.write_fact(fact)), "recorded_at": recorded_at}
            for number, fact, recorded_at in memory.versions
        ],
        **{table: [_nested(row) for row in rows] for table, rows in memory.tables.items()},
        "decisions": [_nested(row) for row in memory.decisions],
    }


def _nested(row: Mapping[str, Any]) -> dict[str, Any]:
    return {k: json.loads(v) if k in _JSON and v is not None else v for k, v in row.items()}


def _whole(content: Any) -> Whole:
    """One object of an export, every field checked; ValueError, TypeError or KeyError where one is wrong."""
    if not isinstance(content, dict) or content.get("factfold") != FORMAT:
        raise ValueError(f"no memory of an export of format {FORMAT}; upgrade factfold, or export anew")
    scope = read_scope(content.get("user_id"), content.get("agent_id"), content.get("run_id"))
    if not scope.key:
        raise ValueError("no user_id, agent_id or run_id")
    if not isinstance(content["id"], str) or not content["id"].strip():
        raise ValueError("the id must be a non-empty text")
    versions = []
    for version in content["versions"]:
        fact = codec.read_fact(codec.write_json(version["fact"]))
        if not isinstance(fact.text, str) or not fact.text.strip():
            raise ValueError("a version without text")
        versions.append((int(version["number"]), fact, _time(version["recorded_at"])))
    if not versions:
        raise ValueError("a memory without versions")
    metadata = content["metadata"]
    if not isinstance(metadata, dict):
        raise TypeError(f"metadata must be an object, not {metadata!r}")
    codec.write_json(metadata)
    return Whole(
        content["id"],
        scope,
        metadata,
        _time(content["created_at"]),
        _time(content["updated_at"]),
        content["actor_id"],
        content["role"],
        content["tombstone"],
        tuple(versions),
        {table: [_row(row, columns) for row in content[table]] for table, columns in COLUMNS.items()},
        tuple(_row(row, DECISION) for row in content["decisions"]),
    )


_LATER = {"context": ""}
"""Columns that exports of earlier releases lack, with what they stand for."""


def _row(row: Mapping[str, Any], columns: Iterable[str]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for column in columns:
        value = row.get(column, _LATER[column]) if column in _LATER else row[column]
        if column in _JSON and value is not None:
            value = codec.write_json(value)
        elif column in TIMES and value is not None:
            value = _time(value)
        elif not isinstance(value, str | int | None):
            raise TypeError(f"{column} must be a text or a number, not {value!r}")
        elif isinstance(value, str):
            codec.write_json(value)  # refuses what cannot be stored as UTF-8
        out[column] = value
    return out


def _time(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{text!r} is no moment")
    return codec.write_time(codec.read_time(text))
