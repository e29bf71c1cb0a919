"""Labelled sentences: what is worth remembering, and which attribute it tells."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InputError

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """``keep`` says whether it is worth remembering; ``reason`` why not, ``attribute`` what it tells."""

    text: str
    keep: bool
    reason: str = ""
    attribute: str = ""
    register: str = ""
    group: str = ""


def shipped() -> list[Path]:
    """The files of labelled sentences that ship, in order of name."""
    return sorted(DATA.glob("sentences_*.jsonl"))


def read_sentences(paths: Iterable[Path]) -> list[LabelledSentence]:
    """Reads and merges files; a text that stands twice is taken from the last file.

    Raises
    ------
    InputError
        Every bad line, with its number, at once.
    """
    merged: dict[str, LabelledSentence] = {}
    problems = []
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                if not isinstance(row.get("text"), str) or not row["text"].strip():
                    raise ValueError("'text' must be a non-empty text")
                if row.get("label") not in ("keep", "skip"):
                    raise ValueError(f"label {row.get('label')!r} is neither keep nor skip")
            except (ValueError, AttributeError) as error:
                problems.append(f"{path.name} line {number}: {error}")
                continue
            reason, attribute, register = (str(row.get(n) or "") for n in ("reason", "attribute", "register"))
            group = str(row.get("group") or f"{path.stem}:{number}")
            merged[row["text"]] = LabelledSentence(
                row["text"], row["label"] == "keep", reason, attribute, register, group
            )
    if problems:
        raise InputError("F051", "these lines are no labelled sentences; mend them:\n  " + "\n  ".join(problems))
    return [merged[text] for text in sorted(merged)]


def data_hash(sentences: Sequence[LabelledSentence]) -> str:
    """SHA-256 over texts and labels, in the order given."""
    digest = hashlib.sha256()
    for s in sentences:
        digest.update(f"{s.text}\x1f{s.keep}\x1f{s.attribute}\x1e".encode())
    return digest.hexdigest()
