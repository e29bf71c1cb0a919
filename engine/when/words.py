"""Text → lower-case words with their offsets, and the words that name times.

The tables come from ``engine/lexicon/times.toml``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.lexicon import HERE
from engine.types import Precision

Words = tuple[str, ...]

_WORD = re.compile(
    r"""
      [0-9]{4}-(?:0[1-9]|1[0-2])(?:-[0-9]{2}(?:t[0-9:.]+(?:z|[+-][0-9]{2}:?[0-9]{2})?)?)?(?![0-9])  # ISO 8601
    | [0-9]{1,4}([/.])[0-9]{1,2}\1[0-9]{2,4}(?![0-9])
    | [0-9]{1,2}/[0-9]{4}(?![0-9])
    | [0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?![0-9:])
    | [0-9]{1,3}(?:,[0-9]{3})+(?![0-9])
    | [0-9]+(?:[.,][0-9]+)?(?:st|nd|rd|th|am|pm|s)?(?![^\W_])
    | '[0-9]{2}s?(?![^\W_])
    | (?<![^\W_])[ap]\.\ ?m\b\.?
    | [^\W\d_]+(?:'[^\W\d_]+)*(?![^\W_])
    | [^\W_]+
    | \S
    """,
    re.X | re.I,
)


def _table() -> Mapping[str, Any]:
    return tomllib.loads((HERE / "times.toml").read_text(encoding="utf-8"))


def _phrases(lines: Iterable[str]) -> frozenset[Words]:
    return frozenset(tuple(line.split()) for line in lines)


_TIMES = _table()
MONTHS: Mapping[str, int] = {w: int(n) for n, names in _TIMES["months"].items() for w in names}
WEEKDAYS: Mapping[str, int] = {w: int(n) for n, names in _TIMES["weekdays"].items() for w in names}
SEASONS: Mapping[str, int] = dict(_TIMES["seasons"])
UNITS: Mapping[str, str] = {w: unit for unit, entry in _TIMES["units"].items() for w in entry["words"]}
SIZES: Mapping[str, tuple[int, int, int]] = {
    u: (e["size"][0], e["size"][1], e["size"][2]) for u, e in _TIMES["units"].items()
}
PRECISIONS: Mapping[str, Precision] = {u: Precision(e["precision"]) for u, e in _TIMES["units"].items()}
DAYPARTS: Mapping[str, str] = {w: part for part, names in _TIMES["dayparts"].items() for w in names}
HOLIDAYS: Mapping[Words, str] = {tuple(name.split()): rule for name, rule in _TIMES["holidays"].items()}
RELATIONS: Mapping[Words, str] = {tuple(p.split()): r for r, names in _TIMES["relations"].items() for p in names}
APPROXIMATE = _phrases(_TIMES["approximate"]["words"])
REACHING = _phrases(_TIMES["reaching"]["words"])
MEASURES: frozenset[str] = frozenset(_TIMES["measures"]["words"])
NAMES = frozenset(MONTHS) | frozenset(WEEKDAYS)


@dataclass(frozen=True, slots=True)
class Line:
    """The words of a text: ``words[k]`` stands at ``[starts[k], ends[k])`` of it."""

    words: Words
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def split(text: str) -> Line:
    """Splits a text into lower-case words and signs.

    A hyphen within a word is left out ("twenty-third", "mid-May"); between numbers or between names of days
    and months it is a range and stays ("2015-2018", "Mon-Fri").
    """
    found = [(m.group().lower(), m.start(), m.end()) for m in _WORD.finditer(text)]
    kept = []
    for k, (word, start, end) in enumerate(found):
        if word == "-" and 0 < k < len(found) - 1:
            before, after = found[k - 1], found[k + 1]
            ranged = _ranges(before[0]) and _ranges(after[0])
            if before[2] == start and after[1] == end and not ranged:
                continue
        kept.append((word, start, end))
    return Line(tuple(w for w, _, _ in kept), tuple(s for _, s, _ in kept), tuple(e for _, _, e in kept))


def _ranges(word: str) -> bool:
    return word[:1].isdecimal() or word in NAMES or word in ("am", "pm")


def word(words: Words, i: int) -> str:
    """The word at a position, empty outside the text."""
    return words[i] if 0 <= i < len(words) else ""


def longest(words: Words, i: int, phrases: Iterable[Words]) -> int:
    """Where the longest of the phrases that begin at ``i`` ends; ``i`` where none does."""
    return max((i + len(p) for p in phrases if words[i : i + len(p)] == p), default=i)


def longest_before(words: Words, i: int, phrases: Iterable[Words]) -> int:
    """Where the longest of the phrases that end before ``i`` begins; ``i`` where none does."""
    return min((i - len(p) for p in phrases if len(p) <= i and words[i - len(p) : i] == p), default=i)
