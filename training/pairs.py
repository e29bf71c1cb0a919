"""Labelled pairs: the schema, reading, merging and hashing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.types import Operation

DATA = Path(__file__).parent / "data"
_TEXTS = ("existing", "candidate")
_FLAGS = ("hard", "generated", "reviewed")


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two statements and what the second does to the first.

    ``group`` is what must not be split between training and test (a wording family), ``family`` the kind
    of difficulty, ``attribute`` what the pair is about; the rest tells where the pair came from.
    """

    existing: str
    candidate: str
    label: Operation
    group: str = ""
    family: str = ""
    attribute: str = ""
    hard: bool = False
    generated: bool = False
    reviewed: bool = False
    source: str = ""
    note: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.existing, self.candidate


def shipped() -> list[Path]:
    """The files of labelled pairs that ship, in order of name."""
    return sorted(DATA.glob("pairs_*.jsonl"))


def read_pairs(paths: Iterable[Path]) -> list[LabelledPair]:
    """Reads and merges files of labelled pairs.

    Parameters
    ----------
    paths : iterable of Path
        JSONL files; a pair that stands twice is taken from the last file, so that corrections win.

    Returns
    -------
    list of LabelledPair
        Sorted by their texts: the same data in any order trains the same model.

    Raises
    ------
    InputError
        Every bad line of every file, with its number, at once.
    """
    merged: dict[tuple[str, str], LabelledPair] = {}
    problems: list[str] = []
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{path.name}: cannot be read ({error})")
            continue
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    pair = _pair(line, default_group=f"{path.stem}:{number}")
                    merged[pair.key] = pair
                except ValueError as error:
                    problems.append(f"{path.name} line {number}: {error}")
    if problems:
        raise InputError("F050", "these lines are no labelled pairs; mend or remove them:\n  " + "\n  ".join(problems))
    return [merged[key] for key in sorted(merged)]


def _pair(line: str, default_group: str) -> LabelledPair:
    try:
        row: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg})") from None
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    wrong = [f"{k!r} must be a non-empty text" for k in _TEXTS if not isinstance(row.get(k), str) or not row[k].strip()]
    wrong += [f"{k!r} must be true or false" for k in _FLAGS if not isinstance(row.get(k, False), bool)]
    label = row.get("label")
    if label not in Operation.__members__:
        wrong.append(f"label {label!r} is none of {', '.join(Operation)}")
    if wrong:
        raise ValueError("; ".join(wrong))
    known = {f.name for f in fields(LabelledPair)}
    values = {k: v for k, v in row.items() if k in known and v is not None} | {"label": Operation(str(label))}
    return LabelledPair(**{"group": default_group, **values})


def write_pairs(path: Path, pairs: Sequence[LabelledPair]) -> None:
    """Writes pairs as JSONL, leaving out what is empty."""
    with path.open("w", encoding="utf-8") as out:
        out.writelines(map(as_line, pairs))


def as_line(pair: LabelledPair) -> str:
    """A pair as a line of JSON, its end included; what is empty is left out."""
    row = {k: v for k, v in asdict(pair).items() if v not in ("", False)}
    return json.dumps(row, ensure_ascii=False) + "\n"


def data_hash(pairs: Sequence[LabelledPair]) -> str:
    """SHA-256 over texts, labels and groups, in the order given."""
    digest = hashlib.sha256()
    for pair in pairs:
        digest.update("\x1f".join((pair.existing, pair.candidate, pair.label, pair.group)).encode() + b"\x1e")
    return digest.hexdigest()
