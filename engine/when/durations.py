"""How long: "six years", "a year and a half", "half an hour", "a couple of weeks", "18 months"."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from engine.types import Precision
from engine.when.numbers import cardinal
from engine.when.periods import shifted
from engine.when.words import PRECISIONS, SIZES, UNITS, Words, word

_ORDER = (Precision.MINUTE, Precision.DAY, Precision.MONTH, Precision.YEAR)
_VAGUE = ("few", "several", "many", "some", "umpteen", "numerous", "countless")
_FULL = ("good", "whole", "full", "solid", "long")
_SINGULAR = frozenset(("year", "month", "week", "day", "hour", "minute", "decade", "fortnight", "night"))
_LONGEST = 12_000  # months or units: beyond, it is no time that anybody lived through


@dataclass(frozen=True, slots=True)
class Duration:
    """Months, days and minutes; ``precision`` is how exact a moment so far away is known;
    ``unit`` is the coarsest one named. ``vague`` durations ("a few years") have no length.
    """

    months: int
    days: int
    minutes: int
    precision: Precision
    unit: str
    vague: bool = False

    @property
    def short(self) -> bool:
        """Less than a day."""
        return self.minutes > 0 and not self.months and not self.days

    def back(self, moment: datetime) -> datetime:
        return shifted(moment, -self.months, -self.days, -self.minutes)

    def on(self, moment: datetime) -> datetime:
        return shifted(moment, self.months, self.days, self.minutes)


def duration(words: Words, i: int) -> tuple[Duration, int] | None:
    """The duration that begins at a position, and the position after it.

    A number above one takes its unit in the plural: "a three year course" is no duration.
    """
    first = _part(words, i)
    if first is None or first[0].vague:
        return first
    found, stop = first
    if words[stop : stop + 3] == ("and", "a", "half") and word(words, stop + 3) not in UNITS:
        return _sum(found, _half(found.unit)), stop + 3
    if word(words, stop) in ("and", ","):
        second = _part(words, stop + 1 + (word(words, stop + 1) == "and"))
        if second is not None and not second[0].vague and SIZES[second[0].unit] < SIZES[found.unit]:
            return _sum(found, second[0]), second[1]
    return found, stop


def _part(words: Words, i: int) -> tuple[Duration, int] | None:
    """One number with its unit."""
    first = word(words, i)
    if first == "half" and word(words, i + 1) in ("a", "an"):
        name = UNITS.get(word(words, i + 2))
        return (_half(name), i + 3) if name and word(words, i + 2) in _SINGULAR else None
    if first in ("a", "an") and word(words, i + 1) in (*_FULL, "few", "couple", "dozen"):
        return _part(words, i + 1)
    if first in _FULL:
        return _part(words, i + 1) or (_unit(words, i + 1, 1) if word(words, i - 1) in ("a", "an") else None)
    if first in ("a", "an") and word(words, i + 1) != "hundred":
        return _unit(words, i + 1, 1)
    if first in ("couple", "dozen"):
        return _unit(words, i + 1 + (word(words, i + 1) == "of"), 2 if first == "couple" else 12)
    if first in _VAGUE:
        return _vaguely(words, i + 1)
    number = cardinal(words, i)
    if number is None:
        return _vaguely(words, i)
    value, stop = number
    if words[stop : stop + 3] == ("and", "a", "half"):
        unit = _unit(words, stop + 3, value, plural=True)
        return (_sum(unit[0], _half(unit[0].unit)), unit[1]) if unit else None
    if word(words, stop) in ("or", "to", "-") and (upper := cardinal(words, stop + 1)):
        return _vaguely(words, upper[1])
    return _unit(words, stop + (word(words, stop) in (*_FULL, "long", "odd", "more")), value)


def _unit(words: Words, i: int, count: int, plural: bool = False) -> tuple[Duration, int] | None:
    name = UNITS.get(word(words, i))
    if name is None or not 0 < count <= _LONGEST or (count > 1 or plural) and word(words, i) in _SINGULAR:
        return None
    months, days, minutes = SIZES[name]
    return Duration(months * count, days * count, minutes * count, PRECISIONS[name], name), i + 1


def _vaguely(words: Words, i: int) -> tuple[Duration, int] | None:
    name = UNITS.get(word(words, i))
    if name is None or word(words, i) in _SINGULAR:
        return None
    return Duration(0, 0, 0, PRECISIONS[name], name, vague=True), i + 1


def _half(unit: str) -> Duration:
    """Half of one unit, known a step finer: half a year is six months."""
    months, days, minutes = SIZES[unit]
    if months > 1:
        return Duration(months // 2, 0, 0, Precision.YEAR if months > 12 else Precision.MONTH, unit)
    if months:
        return Duration(0, 15, 0, Precision.DAY, unit)
    if days > 1:
        return Duration(0, days // 2, 0, Precision.DAY, unit)
    return Duration(0, 0, 720 if days else max(minutes // 2, 1), Precision.MINUTE, unit)


def _sum(one: Duration, other: Duration) -> Duration:
    finest = min(one.precision, other.precision, key=_ORDER.index)
    return Duration(
        one.months + other.months, one.days + other.days, one.minutes + other.minutes, finest, one.unit, False
    )
