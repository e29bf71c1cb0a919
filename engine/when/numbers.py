"""Numbers in figures and in words: cardinals, ordinals, years.

A compact table of our own. A general package for spelled numbers joins what belongs apart in speech
("twenty twenty one" is a year, not 41), so the few forms that dates use are read here.
"""

from __future__ import annotations

import re

from engine.when.words import Words, word

_SMALL = {
    name: n
    for n, name in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
}
_TENS = {n: 10 * k for k, n in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_ORDINALS = {
    name: n
    for n, name in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        1,
    )
} | {"thirtieth": 30}
DECADES = {name[:-1] + "ies": n for name, n in _TENS.items()}
SPELLED = frozenset(_SMALL) | frozenset(_TENS) | frozenset(_ORDINALS)
_FIGURES = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,7}")
_FIGURE_ORDINAL = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)")
EARLIEST, LATEST = 1800, 2099  # what a bare number of four figures may mean as a year

Number = tuple[int, int]


def cardinal(words: Words, i: int) -> Number | None:
    """The number at a position.

    Returns
    -------
    (int, int) or None
        Its value and the position after it.
    """
    first = word(words, i)
    if _FIGURES.fullmatch(first):
        return int(first.replace(",", "")), i + 1
    small = (1, i + 1) if first == "a" and word(words, i + 1) in ("hundred", "thousand") else _below_hundred(words, i)
    if small is None:
        return None
    value, stop = small
    if word(words, stop) in ("hundred", "thousand"):
        value *= 100 if word(words, stop) == "hundred" else 1000
        stop += 1
        rest = _below_hundred(words, stop + (word(words, stop) == "and"))
        if rest is not None:
            return value + rest[0], rest[1]
    return value, stop


def _below_hundred(words: Words, i: int) -> Number | None:
    first = word(words, i)
    if first in _SMALL:
        return _SMALL[first], i + 1
    if first in _TENS:
        unit = _SMALL.get(word(words, i + 1), 0)
        return (_TENS[first] + unit, i + 2) if 0 < unit < 10 else (_TENS[first], i + 1)
    return None


def ordinal(words: Words, i: int) -> Number | None:
    """ "23rd", "third", "twenty third": the value and the position after it."""
    first = word(words, i)
    figure = _FIGURE_ORDINAL.fullmatch(first)
    if figure:
        return int(figure.group(1)), i + 1
    if first in _ORDINALS:
        return _ORDINALS[first], i + 1
    unit = _ORDINALS.get(word(words, i + 1), 0)
    if first in _TENS and 0 < unit < 10:
        return _TENS[first] + unit, i + 2
    return None


def year(words: Words, i: int, now: int) -> Number | None:
    """A year in figures ("2019", "'98") or as it is spoken ("nineteen ninety eight", "twenty oh nine").

    Parameters
    ----------
    words : tuple of str
        The text.
    i : int
        Where the year is to begin.
    now : int
        The year it is; a year of two figures is the latest one not more than ten years ahead.
    """
    first = word(words, i)
    if len(first) == 4 and first.isascii() and first.isdecimal():
        return (int(first), i + 1) if EARLIEST <= int(first) <= LATEST else None
    if len(first) == 3 and first[0] == "'" and first[1:].isascii() and first[1:].isdecimal():
        return short_year(int(first[1:]), now), i + 1
    if first == "two" and word(words, i + 1) == "thousand":
        joined = i + 2 + (word(words, i + 2) == "and")
        rest = _below_hundred(words, joined)
        return (2000 + rest[0], rest[1]) if rest else (2000, i + 2)
    century = {"eighteen": 1800, "nineteen": 1900, "twenty": 2000}.get(first)
    if century is None:
        return None
    second = word(words, i + 1)
    if second == "hundred" and century < 2000:
        return century, i + 2
    if second in ("oh", "o") and 0 < _SMALL.get(word(words, i + 2), 0) < 10:
        return century + _SMALL[word(words, i + 2)], i + 3
    rest = _below_hundred(words, i + 1)
    if rest is not None and rest[0] >= 10 and century + rest[0] <= LATEST:
        return century + rest[0], rest[1]
    return None


def short_year(value: int, now: int) -> int:
    """A year of two figures: the latest such year not more than ten years after ``now``."""
    full = now // 100 * 100 + value
    return full - 100 if full > now + 10 else full + 100 if full + 100 <= now + 10 else full
