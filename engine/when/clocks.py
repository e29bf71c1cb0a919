"""Times of day: "14:15", "3pm", "half four", "quarter to six", "ten past nine", "noon".

Without "am", "pm" or a part of the day, one to six o'clock is taken as the afternoon and seven to twelve as
it stands: nobody says "the meeting is at two" of the night. "05:30" and "14:15" are read as they stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.when.numbers import SPELLED, cardinal
from engine.when.periods import DAY, Frame, Period, minute_of
from engine.when.words import DAYPARTS, Words, word

_FIGURES = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?")
_DOTTED = re.compile(r"([0-9]{1,2})\.([0-9]{2})")
_JOINED = re.compile(r"([0-9]{1,2})(?:\.([0-9]{2}))?(am|pm)")
_HALF_DAYS = {"am": "am", "pm": "pm", "a.m.": "am", "p.m.": "pm", "a.m": "am", "p.m": "pm"}
_NAMED = {"noon": 12, "midday": 12, "midnight": 24}


@dataclass(frozen=True, slots=True)
class Clock:
    """``sure`` tells that half of the day is known; ``spoken`` that only words around it make it a time
    ("half four"), so that a sentence must give a sign of it."""

    hour: int
    minute: int
    sure: bool
    spoken: bool = False

    def on(self, day: datetime, part: str = "") -> Period:
        """This time on a day that begins at ``day``; the small hours of a night are those of the next day."""
        hour = self.hour
        if not self.sure:
            if part in ("afternoon", "evening"):
                hour += 12 * (hour < 12)
            elif part == "night":
                hour += 12 if 5 <= hour < 12 else 24 if hour < 5 else 12 * (hour == 12)
            elif part == "morning":
                hour %= 12
            elif hour <= 6:
                hour += 12
        elif part == "night" and hour < 5:
            hour += 24
        return minute_of(day + timedelta(hours=hour, minutes=self.minute))

    def nearest(self, frame: Frame, part: str = "") -> Period:
        """The latest such time not after the base, or the first one after it."""
        days = [self.on(frame.today + k * DAY, part) for k in (-2, -1, 0, 1, 2)]
        if frame.future:
            return next(p for p in days if p.start > frame.base)
        return next(p for p in reversed(days) if p.start <= frame.base)


def clock(words: Words, i: int, bare: bool = False) -> tuple[Clock, int] | None:
    """The time of day that begins at a position, and the position after it.

    Parameters
    ----------
    words : tuple of str
        The text.
    i : int
        Where the time is to begin.
    bare : bool
        An hour alone counts as well ("tomorrow at nine"), and so does "nine thirty".
    """
    first = word(words, i)
    if first in _NAMED:
        return Clock(_NAMED[first], 0, True), i + 1
    joined = _JOINED.fullmatch(first)
    if joined:
        return _half_day(int(joined.group(1)), int(joined.group(2) or 0), joined.group(3), i + 1)
    figures = _FIGURES.fullmatch(first) or _DOTTED.fullmatch(first)
    if figures:
        hour, minute = int(figures.group(1)), int(figures.group(2))
        half = _HALF_DAYS.get(word(words, i + 1))
        if half:
            return _half_day(hour, minute, half, i + 2)
        if hour > 23 or minute > 59 or ("." in first and not bare and not _part_after(words, i + 1)):
            return None
        return Clock(hour, minute, hour > 12 or hour == 0 or first[0] == "0"), i + 1
    return _spoken(words, i, bare)


def _half_day(hour: int, minute: int, half: str, stop: int) -> tuple[Clock, int] | None:
    if not 1 <= hour <= 12 or minute > 59:
        return (Clock(hour, minute, True), stop) if 13 <= hour <= 23 and half == "pm" and minute < 60 else None
    return Clock(hour % 12 + 12 * (half == "pm"), minute, True), stop


def _spoken(words: Words, i: int, bare: bool) -> tuple[Clock, int] | None:
    first = word(words, i)
    if first == "half":
        hour = _hour(words, i + 1 + (word(words, i + 1) == "past"))
        return _said(words, hour[0], 30, hour[1]) if hour else None
    lead, stop = (15, i + 1) if first == "quarter" else cardinal(words, i) or (0, i)
    if first == "a" and word(words, i + 1) == "quarter":
        lead, stop = 15, i + 2
    if word(words, stop) in ("minutes", "mins"):
        stop += 1
    if 0 < lead < 60 and word(words, stop) in ("past", "to") and (lead % 5 == 0 or words[stop - 1][:3] == "min"):
        if word(words, stop + 1) in _NAMED:
            hour = _NAMED[words[stop + 1]], stop + 2
            sure = True
        else:
            hour, sure = _hour(words, stop + 1), False
        if hour:
            whole, minute = (hour[0], lead) if words[stop] == "past" else ((hour[0] - 1) % 24, 60 - lead)
            if sure:
                return Clock(whole, minute, True, True), hour[1]
            return _said(words, whole or 12, minute, hour[1])
    hour = _hour(words, i)
    if hour is None:
        return None
    value, stop = hour
    if word(words, stop) in ("o'clock", "oclock"):
        found = _said(words, value, 0, stop + 1)
        return Clock(found[0].hour, 0, found[0].sure), found[1]
    half = _HALF_DAYS.get(word(words, stop))
    if half:
        return _half_day(value, 0, half, stop + 1)
    minutes = _minutes(words, stop) if word(words, i) in SPELLED else None
    if minutes and (bare or _HALF_DAYS.get(word(words, minutes[1])) or _part_after(words, minutes[1])):
        return _said(words, value, minutes[0], minutes[1])
    if bare or _part_after(words, stop):
        return Clock(value, 0, False, True), stop
    return None


def _said(words: Words, hour: int, minute: int, stop: int) -> tuple[Clock, int]:
    """A spoken time with the "am" or "pm" that may follow."""
    half = _HALF_DAYS.get(word(words, stop))
    if half:
        return Clock(hour % 12 + 12 * (half == "pm"), minute, True, True), stop + 1
    return Clock(hour, minute, False, True), stop


def _hour(words: Words, i: int) -> tuple[int, int] | None:
    number = cardinal(words, i)
    return number if number and 1 <= number[0] <= 12 and number[1] == i + 1 else None


def _minutes(words: Words, i: int) -> tuple[int, int] | None:
    if word(words, i) in ("oh", "o") and (unit := cardinal(words, i + 1)) and unit[0] < 10:
        return unit
    number = cardinal(words, i)
    return number if number and 10 <= number[0] <= 59 and word(words, i) in SPELLED else None


def _part_after(words: Words, i: int) -> bool:
    return part_of_day(words, i) is not None


def part_of_day(words: Words, i: int) -> tuple[str, int] | None:
    """ "In the morning", "at night" behind a time: the part's name and the position after it."""
    if words[i : i + 2] == ("in", "the") and word(words, i + 2) in DAYPARTS:
        return DAYPARTS[words[i + 2]], i + 3
    if words[i : i + 2] == ("at", "night"):
        return "night", i + 2
    return None
