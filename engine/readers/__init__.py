"""Transcripts → conversations. The format is told by what a file holds, never by its name.

One small module a family, each with ``NAME``, ``recognises`` and ``read``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.readers import chat_jsonl, locomo, message_list
from engine.readers.transcript import Conversation, Tally, Transcript

__all__ = ["FORMATS", "Conversation", "Transcript", "files_of", "read_transcripts"]

FORMATS = (locomo.NAME, message_list.NAME, chat_jsonl.NAME)
SHOWN = 50


def read_transcripts(paths: Iterable[str | Path]) -> list[Transcript]:
    """Reads files, and the files in folders.

    Parameters
    ----------
    paths : iterable of str or Path

    Returns
    -------
    list of Transcript
        In the order given; the files of a folder in the order of their names.

    Raises
    ------
    InputError
        F801: everything that cannot be read in any of the files, with the numbers of lines, at once.
    """
    found: list[Transcript] = []
    problems: list[str] = []
    for path in files_of(paths):
        tally = Tally()
        try:
            name = _read(_text(path), tally)
        except ValueError as error:
            problems.append(f"{path}: {error}")
            continue
        problems += [f"{path} {problem}" for problem in tally.problems]
        found.append(tally.transcript(path, name))
    if problems:
        more = [f"… and {len(problems) - SHOWN} more"] if len(problems) > SHOWN else []
        listed = "\n  ".join(problems[:SHOWN] + more)
        raise InputError("F801", f"{len(problems)} place(s) cannot be read; mend or remove them:\n  {listed}")
    return found


def files_of(paths: Iterable[str | Path]) -> list[Path]:
    """The files that paths name: themselves, or what lies in a folder (hidden files left out).

    Raises
    ------
    InputError
        F802: every path that is not there, and folders without a file.
    """
    files: list[Path] = []
    missing: list[str] = []
    for path in map(Path, paths):
        inside = sorted(p for p in path.rglob("*") if p.is_file() and not _hidden(p.relative_to(path)))
        if path.is_dir() and inside:
            files += inside
        elif path.is_file():
            files.append(path)
        else:
            missing.append(f"{path} (an empty folder)" if path.is_dir() else str(path))
    if missing:
        raise InputError("F802", f"there is nothing to read at {', '.join(missing)}; check the paths")
    return list(dict.fromkeys(files))


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ValueError(f"cannot be read ({error.strerror or error})") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"is no UTF-8 text (byte {error.start}); convert it first") from None


def _read(text: str, tally: Tally) -> str:
    """Reads a text into the tally and returns the name of its format."""
    if not text.strip():
        raise ValueError("is empty")
    try:
        value: Any = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        if chat_jsonl.recognises(text):
            chat_jsonl.read(text, tally)
            return chat_jsonl.NAME
        if text.lstrip()[0] in "[{":
            raise ValueError(f"is neither JSON nor JSON Lines ({error})") from None
        raise ValueError(f"is no transcript of a known format; known are {', '.join(FORMATS)}") from None
    if locomo.recognises(value):
        locomo.read(value, tally)
        return locomo.NAME
    if message_list.recognises(value):
        message_list.read(value, tally)
        return message_list.NAME
    if value == []:
        return message_list.NAME
    raise ValueError(f"is JSON, but no transcript of a known format; known are {', '.join(FORMATS)}")
