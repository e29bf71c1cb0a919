"""Periods of the calendar, and which of them is meant: the last one or the next.

Weeks begin on Monday. Seasons are those of the northern hemisphere, by whole months. Every period lies in
UTC and is never empty.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from engine.types import Precision

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """From ``start`` to before ``end``; ``precision`` names the unit that ``start`` is the beginning of."""

    start: datetime
    precision: Precision
    end: datetime

    @property
    def is_day(self) -> bool:
        return self.precision is Precision.DAY and self.end - self.start == DAY


@dataclass(frozen=True, slots=True)
class Frame:
    """The moment a text is read from, and whether its times lie ahead or behind."""

    base: datetime
    future: bool = False

    @property
    def today(self) -> datetime:
        return self.base.replace(hour=0, minute=0, second=0, microsecond=0)


def utc(moment: datetime) -> datetime:
    """The same moment in UTC; a naive one is taken to be in UTC already."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def year_of(year: int, count: int = 1) -> Period:
    return Period(datetime(year, 1, 1, tzinfo=UTC), Precision.YEAR, datetime(year + count, 1, 1, tzinfo=UTC))


def months_of(year: int, month: int, count: int = 1) -> Period:
    start = datetime(year, month, 1, tzinfo=UTC)
    return Period(start, Precision.MONTH, shifted(start, months=count))


def days_of(start: datetime, count: int = 1) -> Period:
    return Period(start, Precision.DAY, start + count * DAY)


def day_of(year: int, month: int, day: int) -> Period | None:
    """A day, or None where the month has no such day."""
    if not 1 <= month <= 12 or not 1 <= day <= monthrange(year, month)[1]:
        return None
    return days_of(datetime(year, month, day, tzinfo=UTC))


def minute_of(moment: datetime) -> Period:
    start = moment.replace(second=0, microsecond=0)
    return Period(start, Precision.MINUTE, start + timedelta(minutes=1))


def around(moment: datetime, precision: Precision) -> Period:
    """The year, month, day or minute that a moment lies in."""
    if precision is Precision.YEAR:
        return year_of(moment.year)
    if precision is Precision.MONTH:
        return months_of(moment.year, moment.month)
    if precision is Precision.DAY:
        return days_of(moment.replace(hour=0, minute=0, second=0, microsecond=0))
    return minute_of(moment)


def shifted(moment: datetime, months: int = 0, days: int = 0, minutes: int = 0) -> datetime:
    """A moment moved on; a day that the month lacks becomes its last (31 March + 1 month = 30 April)."""
    index = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(index, 12)
    day = min(moment.day, monthrange(year, month + 1)[1]) if 1 <= year <= 9999 else 1
    return moment.replace(year=year, month=month + 1, day=day) + timedelta(days=days, minutes=minutes)


def week_of(moment: datetime, weeks: int = 0) -> Period:
    """The week of a moment, or the one ``weeks`` after it."""
    return days_of(moment - moment.weekday() * DAY + 7 * weeks * DAY, 7)


def weekend_of(week: Period) -> Period:
    return days_of(week.start + 5 * DAY, 2)


def easter(year: int) -> datetime:
    """Western Easter Sunday.

    References
    ----------
    The anonymous Gregorian computus (Meeus, Jones, Butcher), *Astronomical Algorithms*, 1991, chapter 8.
    """
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    m = (32 + 2 * e + 2 * i - h - k) % 7
    n = (a + 11 * h + 22 * m) // 451
    month, day = divmod(h + m - 7 * n + 114, 31)
    return datetime(year, month, day + 1, tzinfo=UTC)


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> datetime:
    """The nth such weekday of a month, from its end where nth is negative."""
    if nth > 0:
        first = datetime(year, month, 1, tzinfo=UTC)
        return first + ((weekday - first.weekday()) % 7 + 7 * (nth - 1)) * DAY
    last = datetime(year, month, monthrange(year, month)[1], tzinfo=UTC)
    return last - ((last.weekday() - weekday) % 7 + 7 * (-nth - 1)) * DAY


def holiday(rule: str, year: int) -> Period:
    """A holiday of a year by its rule in the lexicon: "12-25", "easter -2", "11 3 4 1"."""
    if rule.startswith("easter"):
        return days_of(easter(year) + int(rule.split()[1]) * DAY)
    if "-" in rule and " " not in rule:
        month, day = rule.split("-")
        return days_of(datetime(year, int(month), int(day), tzinfo=UTC))
    month_, weekday, nth, plus = (int(n) for n in rule.split())
    return days_of(nth_weekday(year, month_, weekday, nth) + plus * DAY)


def yearly(make: Callable[[int], Period | None], frame: Frame, reach: int = 1) -> Period | None:
    """Which year's "in March", "on 10 May", "at Easter" is meant: the latest that has begun, or, ahead, the
    first that is not over.

    Parameters
    ----------
    make : callable
        The period in a given year, None where that year has none (29 February).
    frame : Frame
        Where the text stands in time.
    reach : int
        Years to look at on either side.
    """
    return chosen((make(frame.base.year + k) for k in range(-reach, reach + 1)), frame)


def chosen(candidates: Iterable[Period | None], frame: Frame) -> Period | None:
    """Of periods in order of time, the latest that has begun or the first that is not over."""
    real = [p for p in candidates if p is not None]
    if frame.future:
        return next((p for p in real if p.end > frame.base), None)
    return next((p for p in reversed(real) if p.start <= frame.base), None)


def weekday_of(weekday: int, frame: Frame) -> Period:
    """The latest such day not after today, or the next one after today."""
    behind = (frame.today.weekday() - weekday) % 7
    return days_of(frame.today + ((7 - behind) if frame.future else -behind) * DAY)


def third(period: Period, which: int) -> Period:
    """The early (0), middle (1) or late (2) third of a decade, year, season, month or week; a day is
    not divided."""
    if period.is_day or period.precision is Precision.MINUTE:
        return period
    if period.precision is Precision.YEAR:
        years = period.end.year - period.start.year
        if years > 1:
            cut = [0, 4, 7, years]
            return year_of(period.start.year + cut[which], cut[which + 1] - cut[which])
        return months_of(period.start.year, 4 * which + 1, 4)
    months = (period.end.year - period.start.year) * 12 + period.end.month - period.start.month
    if period.precision is Precision.MONTH and months > 1:
        first = shifted(period.start, months=which * months // 3)
        return months_of(first.year, first.month, max(months // 3, 1))
    days = (period.end - period.start).days
    cut = [0, 10, 20, days] if days > 20 else [0, round(days / 3), round(2 * days / 3), days]
    return days_of(period.start + cut[which] * DAY, cut[which + 1] - cut[which])


def edge(period: Period, last: bool) -> Period:
    """The beginning or end of a period: a decade's first or last year, a year's or season's month, a
    month's or week's day."""
    if period.is_day or period.precision is Precision.MINUTE:
        return period
    if period.precision is Precision.YEAR:
        if period.end.year - period.start.year > 1:
            return year_of(period.end.year - 1 if last else period.start.year)
        return months_of(period.start.year, 12 if last else 1)
    if period.precision is Precision.MONTH and period.end > shifted(period.start, months=1):
        month = shifted(period.end, months=-1) if last else period.start
        return months_of(month.year, month.month)
    return days_of(period.end - DAY if last else period.start)


def half(period: Period, second: bool) -> Period | None:
    """The first or second half of a year or month; None of anything else."""
    if period == year_of(period.start.year):
        return months_of(period.start.year, 7 if second else 1, 6)
    if period == months_of(period.start.year, period.start.month):
        middle = period.start + 15 * DAY
        return days_of(middle, (period.end - middle).days) if second else days_of(period.start, 15)
    return None
