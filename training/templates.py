"""Templates of statements: how something is said, changed, ended, denied, and which values belong to it.

``data/templates.toml`` holds a list of entries::

    [[entry]]
    name = "residence"                 attribute = "residence"          cardinality = "one"
    says = ["{s} lives in {v}"]        a statement of the value {v} of the subject {s}; several say the same
    switches = ["{s} moved from {v} to {w}"]
    also = ["{s} also lives in {v}"]   one more value beside others
    ends = ["{s} has left {v}"]        denies = ["{s} does not live in {v}"]
    hedges = ["{s} may move to {v}"]   only possible or wished for
    values = ["Lisbon", "Pune"]        no two of them can be the same thing
    narrower = [["Portugal", "Lisbon"]]      [broad, narrow]
    same = [["Mumbai", "Bombay"]]            one value in two notations
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from engine.errors import InputError
from training.pairs import DATA

TEMPLATES = DATA / "templates.toml"
_PLACEHOLDER = re.compile(r"\{[^}]*\}?|\}")
_WANTED = {
    "says": "{s}{v}",
    "switches": "{s}{v}{w}",
    "also": "{s}{v}",
    "ends": "{s}{v}",
    "denies": "{s}{v}",
    "hedges": "{s}{v}",
}
_LEAST = {"says": 2, "ends": 1, "denies": 1, "values": 3}


@dataclass(frozen=True, slots=True)
class Entry:
    """The templates of one attribute. ``narrower`` and ``same`` hold (broad, narrow) and (one, other)."""

    name: str
    attribute: str
    cardinality: str
    says: tuple[str, ...]
    ends: tuple[str, ...]
    denies: tuple[str, ...]
    values: tuple[str, ...]
    switches: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    hedges: tuple[str, ...] = ()
    narrower: tuple[tuple[str, str], ...] = ()
    same: tuple[tuple[str, str], ...] = ()

    @property
    def templates(self) -> tuple[str, ...]:
        """All of its templates."""
        return (*self.says, *self.switches, *self.also, *self.ends, *self.denies, *self.hedges)


def read_templates(path: Path = TEMPLATES) -> list[Entry]:
    """Reads the entries, in the order of the file.

    Parameters
    ----------
    path : Path, default=the shipped file

    Raises
    ------
    InputError
        F054 with everything that is wrong, at once.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise InputError("F054", f"templates cannot be read from {path.name}: {error}") from error
    rows = content.get("entry", [])
    problems = [] if isinstance(rows, list) and rows else ["it holds no [[entry]]"]
    problems += [f"unknown table or key {key!r}" for key in sorted(set(content) - {"entry"})]
    entries = []
    for number, row in enumerate(rows if isinstance(rows, list) else (), 1):
        name = row.get("name") if isinstance(row, dict) else None
        wrong = _wrong(row) if isinstance(row, dict) else ["is no table"]
        problems += [f"entry {number} ({name or 'no name'}): {what}" for what in wrong]
        if not wrong:
            entries.append(_entry(row))
    repeated = sorted(name for name, n in Counter(e.name for e in entries).items() if n > 1)
    problems += [f"the name {name!r} stands twice" for name in repeated]
    if problems:
        raise InputError("F054", f"mend these templates in {path.name}:\n  " + "\n  ".join(problems))
    return entries


def _entry(row: Mapping[str, Any]) -> Entry:
    def frozen(value: Any) -> Any:
        return tuple(map(frozen, value)) if isinstance(value, list) else value

    return Entry(**{key: frozen(value) for key, value in row.items()})


def _wrong(row: Mapping[str, Any]) -> list[str]:
    known = {f.name for f in fields(Entry)}
    wrong = [f"unknown key {key!r}" for key in sorted(set(row) - known)]
    wrong += [f"{key!r} must be a text" for key in ("name", "attribute") if not _is_text(row.get(key))]
    if row.get("cardinality") not in ("one", "many"):
        wrong.append(f"cardinality {row.get('cardinality')!r} is neither one nor many")
    for key in (*_WANTED, "values"):
        texts = row.get(key, [])
        if not isinstance(texts, list) or not all(map(_is_text, texts)):
            wrong.append(f"{key!r} must be a list of texts")
            continue
        if len(set(texts)) < max(_LEAST.get(key, 0), len(texts)):
            wrong.append(f"{key!r} wants {_LEAST.get(key, 0)} different texts or more, none of them twice")
        allowed = _WANTED.get(key, "")
        wrong += [
            f"{key!r}: {text!r} must have {' '.join(_PLACEHOLDER.findall(allowed)) or 'no placeholder'}"
            for text in texts
            if sorted(set(_PLACEHOLDER.findall(text))) != sorted(_PLACEHOLDER.findall(allowed))
        ]
    for key in ("narrower", "same"):
        both = row.get(key, [])
        if not isinstance(both, list) or not all(
            isinstance(p, list) and len(p) == 2 and all(map(_is_text, p)) for p in both
        ):
            wrong.append(f"{key!r} must be a list of pairs of texts")
    return wrong


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
