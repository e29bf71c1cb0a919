"""Dates by the calendar: days, months, years, seasons, quarters, decades, weekdays, holidays."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from engine.when.clocks import Clock
from engine.when.durations import Duration
from engine.when.numbers import DECADES, cardinal, ordinal, short_year, year
from engine.when.periods import (
    DAY,
    Frame,
    Period,
    around,
    chosen,
    day_of,
    days_of,
    holiday,
    minute_of,
    months_of,
    utc,
    week_of,
    weekday_of,
    year_of,
    yearly,
)
from engine.when.words import DAYPARTS, HOLIDAYS, MONTHS, SEASONS, WEEKDAYS, Words, longest, word

_LEAP_REACH = 8  # 1896 and 1904 are the leap years on either side of 1900
_DAY_FIRST = re.compile(r"([0-9]{1,2})([/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})")
_YEAR_FIRST = re.compile(r"([0-9]{4})([/.])([0-9]{1,2})\2([0-9]{1,2})")
_MONTH_YEAR = re.compile(r"([0-9]{1,2})/([0-9]{4})")
_DECADE = re.compile(r"(?:([0-9]{3})|'?([0-9]))0s")
_QUARTER = re.compile(r"q[1-4]")


@dataclass(frozen=True, slots=True)
class Found:
    """What begins at a position: its ``kind``, the position after it, and the period it names.

    ``kind`` is date, weekday, month, year, decade, ordinal, season, holiday, clock, duration or recurring;
    all but "date" need a sign from the sentence that a time is meant. ``period`` is None where none can be
    told. ``part`` is the part of the day that was named, ``clock`` and ``length`` what else was read.
    """

    kind: str
    stop: int
    period: Period | None = None
    part: str = ""
    clock: Clock | None = None
    length: Duration | None = None


def numeric(words: Words, i: int, frame: Frame) -> Found | None:
    """ISO dates, and dates in figures where day and month cannot be mistaken for one another.

    "03/04/2020" is March in one country and April in the next, so it is found but names no period.
    """
    text = word(words, i)
    if text[:4].isdecimal() and text[4:5] == "-":
        return Found("date", i + 1, _iso(text))
    if match := _YEAR_FIRST.fullmatch(text):
        return Found("date", i + 1, day_of(int(match[1]), int(match[3]), int(match[4])) if int(match[1]) else None)
    if match := _MONTH_YEAR.fullmatch(text):
        known = 1 <= int(match[1]) <= 12 and int(match[2]) > 1800
        return Found("date", i + 1, months_of(int(match[2]), int(match[1]))) if known else None
    match = _DAY_FIRST.fullmatch(text)
    if match is None or match[2] == "." and len(match[4]) < 4:
        return None
    first, second, full = int(match[1]), int(match[3]), int(match[4])
    if len(match[4]) == 2:
        full = short_year(full, frame.base.year)
    elif full == 0:
        return None
    if match[2] == "." or first > 12 or first == second:
        return Found("date", i + 1, day_of(full, second, first))
    return Found("date", i + 1, day_of(full, first, second) if second > 12 else None)


def _iso(text: str) -> Period | None:
    if len(text) == 7:
        return months_of(int(text[:4]), int(text[5:]))
    try:
        moment = utc(datetime.fromisoformat(text.upper()))
    except ValueError:
        return None
    return minute_of(moment) if len(text) > 10 else days_of(moment)


def month_name(words: Words, i: int) -> tuple[int, int] | None:
    """The month named at a position, full or short ("Sept."), and the position after it."""
    number = MONTHS.get(word(words, i))
    if number is None:
        return None
    return number, i + 1 + (len(words[i]) < 5 and word(words, i + 1) == "." and word(words, i + 2)[:1].isdecimal())


def _year_after(words: Words, i: int, frame: Frame) -> tuple[int | None, int]:
    """The year behind a day, month, season or holiday, if one stands there."""
    stop = i + (word(words, i) in (",", "of", "in"))
    found = year(words, stop, frame.base.year)
    return found if found else (None, i)


def day_and_month(words: Words, i: int, frame: Frame) -> Found | None:
    """ "10 March", "the third of May 2019", "March 10th, 2019"; the year's kind of day where none is told."""
    month = month_name(words, i)
    if month:
        start = month[1] + (word(words, month[1]) == "the")
        day = ordinal(words, start) or (cardinal(words, start) if start == month[1] else None)
        if day is None or not 1 <= day[0] <= 31:
            return None
        return _day(day[0], month[0], day[1], words, frame)
    day = ordinal(words, i) or cardinal(words, i)
    if day is None or not 1 <= day[0] <= 31:
        return None
    stop = day[1] + (word(words, day[1]) == "of")
    month = month_name(words, stop)
    return _day(day[0], month[0], month[1], words, frame) if month else None


def _day(day: int, month: int, stop: int, words: Words, frame: Frame) -> Found:
    named, stop = _year_after(words, stop, frame)
    if named is not None:
        return Found("date", stop, day_of(named, month, day))
    reach = _LEAP_REACH if (month, day) == (2, 29) else 1
    return Found("date", stop, yearly(lambda y: day_of(y, month, day), frame, reach))


def month(words: Words, i: int, frame: Frame) -> Found | None:
    """ "March", "March 2019", "March of '19"."""
    named = month_name(words, i)
    if named is None:
        return None
    told, stop = _year_after(words, named[1], frame)
    if told is not None:
        return Found("date", stop, months_of(told, named[0]))
    return Found("month", i + 1, yearly(lambda y: months_of(y, named[0]), frame))


def bare_year(words: Words, i: int, frame: Frame) -> Found | None:
    """ "2019", "nineteen ninety eight", "'98"."""
    found = year(words, i, frame.base.year)
    return Found("year", found[1], year_of(found[0])) if found else None


def decade(words: Words, i: int, frame: Frame) -> Found | None:
    """ "The nineties", "the 90s", "the 1990s": ten years, known by the year they begin in."""
    match = _DECADE.fullmatch(word(words, i))
    if match and match[1]:
        start = int(match[1]) * 10
        if not 1800 <= start <= 2090:
            return None
    elif match:
        start = short_year(int(match[2]) * 10, frame.base.year)
    elif word(words, i) in DECADES:
        start = short_year(DECADES[words[i]], frame.base.year)
    else:
        return None
    return Found("decade", i + 1, year_of(start, 10))


def season_of(name: str, year_: int) -> Period:
    return months_of(year_, SEASONS[name], 3)


def season(words: Words, i: int, frame: Frame) -> Found | None:
    """ "Spring", "summer 2018", "the winter of 2019" (December 2019 to February 2020)."""
    name = word(words, i)
    if name not in SEASONS:
        return None
    told, stop = _year_after(words, i + 1, frame)
    if told is not None:
        return Found("date", stop, season_of(name, told))
    return Found("season", i + 1, yearly(lambda y: season_of(name, y), frame))


def quarter(words: Words, i: int, frame: Frame) -> Found | None:
    """ "Q3", "Q3 2025", "the third quarter of 2025"."""
    if _QUARTER.fullmatch(word(words, i)):
        which, stop = int(words[i][1]), i + 1
    else:
        number = ordinal(words, i)
        if number is None or not 1 <= number[0] <= 4 or word(words, number[1]) != "quarter":
            return None
        which, stop = number[0], number[1] + 1
    told, after = _year_after(words, stop, frame)
    if told is not None:
        return Found("date", after, months_of(told, 3 * which - 2, 3))
    if stop > i + 1:
        return None
    return Found("date", stop, yearly(lambda y: months_of(y, 3 * which - 2, 3), frame))


def special_day(words: Words, i: int, frame: Frame) -> Found | None:
    """A holiday of the lexicon, with or without its year."""
    stop = longest(words, i, (words[i : i + n] for n in (1, 2, 3) if words[i : i + n] in HOLIDAYS))
    if stop == i:
        return None
    rule = HOLIDAYS[words[i:stop]]
    told, after = _year_after(words, stop, frame)
    if told is not None:
        return Found("date", after, holiday(rule, told))
    kind = "date" if words[stop - 1] in ("day", "eve", "sunday", "monday", "friday") else "holiday"
    return Found(kind, stop, yearly(lambda y: holiday(rule, y), frame))


def weekday(words: Words, i: int, frame: Frame) -> Found | None:
    """ "Monday", "Tuesday 10 March", "Friday the 13th", "Monday week", "Friday night", "Friday next week"."""
    number = WEEKDAYS.get(word(words, i))
    if number is None:
        return None
    stop = i + 1 + (word(words, i + 1) in (",", "."))
    stop += word(words, stop) == "the"
    dated = day_and_month(words, stop, frame) or month_day(words, stop, frame)
    if dated is not None:
        return Found("date", dated.stop, _on_weekday(words, stop, number, dated, frame))
    after, then = word(words, i + 1), word(words, i + 2)
    if after == "week":
        return Found("date", i + 2, days_of(weekday_of(number, Frame(frame.base, True)).start + 7 * DAY))
    if after in ("next", "last", "this") and then == "week":
        week = week_of(frame.today, {"next": 1, "last": -1, "this": 0}[after])
        return Found("date", i + 3, days_of(week.start + number * DAY))
    period = weekday_of(number, frame)
    if after in DAYPARTS:
        return Found("weekday", i + 2, period, DAYPARTS[after])
    return Found("weekday", i + 1, period)


def _on_weekday(words: Words, i: int, weekday_: int, dated: Found, frame: Frame) -> Period | None:
    """The date that falls on the weekday told with it ("Tuesday 10 March", "Friday the 13th"): in the
    frame's direction, else in the other one, within about a year; None where they do not meet.

    A date that tells its year stands as it is, whatever day somebody took it for.
    """
    rule = month_day if dated.kind == "ordinal" else day_and_month
    ahead = [Frame(frame.base + k * 30 * DAY, True) for k in range(13)]
    behind = [Frame(frame.base - k * 30 * DAY) for k in range(13)]
    read = [rule(words, i, f) for f in ((*ahead, *behind) if frame.future else (*behind, *ahead))]
    periods = [r.period for r in read if r is not None and r.period is not None]
    if len(set(periods)) == 1:
        return periods[0]
    return next((p for p in periods if p.start.weekday() == weekday_), None)


def month_day(words: Words, i: int, frame: Frame) -> Found | None:
    """ "(The) 14th": the latest or next month that has such a day."""
    day = ordinal(words, i)
    if day is None or not 1 <= day[0] <= 31:
        return None
    index = frame.base.year * 12 + frame.base.month - 1
    candidates = (day_of((index + k) // 12, (index + k) % 12 + 1, day[0]) for k in range(-2, 3))
    return Found("ordinal", day[1], chosen(candidates, frame))


def moment(distance: Duration, base: datetime, ahead: bool) -> Period | None:
    """What lies a duration behind or ahead, as exactly as the duration tells."""
    if distance.vague:
        return None
    at = distance.on(base) if ahead else distance.back(base)
    return around(at, distance.precision)
