"""Times told by their distance from the present or from another time.

"Last Friday" is the latest Friday before today, "next Friday" that of the next week, "this Friday" that of
this week. "Last summer" is the latest that is over, "next spring" the first still to begin.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.when.dates import Found, moment, month_name, season_of
from engine.when.durations import duration
from engine.when.numbers import cardinal, ordinal
from engine.when.periods import (
    DAY,
    Frame,
    Period,
    chosen,
    days_of,
    edge,
    half,
    holiday,
    minute_of,
    months_of,
    nth_weekday,
    shifted,
    third,
    week_of,
    weekday_of,
    weekend_of,
    year_of,
)
from engine.when.words import DAYPARTS, HOLIDAYS, SEASONS, WEEKDAYS, Words, longest, word

Rule = Callable[[Words, int, Frame], Found | None]

_NAMED_DAYS = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1, "tmrw": 1, "tomoz": 1}
_LAST, _NEXT = ("last", "previous"), ("next", "coming", "upcoming", "following")
_THIRDS = {"early": 0, "mid": 1, "middle": 1, "late": 2}
_EDGES = {"start": False, "beginning": False, "end": True}


def named_day(words: Words, i: int, frame: Frame) -> Found | None:
    """ "Today", "yesterday evening", "tonight", "now"."""
    name = word(words, i)
    if name == "now":
        return Found("now", i + 1, minute_of(frame.base))
    if name not in _NAMED_DAYS:
        return None
    day = days_of(frame.today + _NAMED_DAYS[name] * DAY)
    if name == "tonight":
        return Found("date", i + 1, day, "night")
    part = DAYPARTS.get(word(words, i + 1), "")
    return Found("date", i + 1 + bool(part), day, part)


def distant(words: Words, i: int, frame: Frame) -> Found | None:
    """ "Two weeks ago", "a month from now", "a week on Friday"."""
    found = duration(words, i)
    if found is None:
        return None
    length, stop = found
    if word(words, stop) == "ago":
        return Found("date", stop + 1, moment(length, frame.base, False))
    if words[stop : stop + 2] in (("from", "now"), ("from", "today")):
        return Found("date", stop + 2, moment(length, frame.base, True))
    if word(words, stop) in ("on", "from", "tomorrow") and length.days and not length.vague:
        if word(words, stop) == "tomorrow":
            return Found("date", stop + 1, days_of(frame.today + (length.days + 1) * DAY))
        number = WEEKDAYS.get(word(words, stop + 1))
        if number is not None:
            day = weekday_of(number, Frame(frame.base, True)).start
            return Found("date", stop + 2, days_of(day + length.days * DAY))
    return None


def anchored(words: Words, i: int, frame: Frame) -> Found | None:
    """ "Last Friday", "this week", "next spring", "last night", "this coming weekend"."""
    how, at = word(words, i), i + 1
    if how == "this" and word(words, at) in ("coming", "past"):
        how, at = ("next" if words[at] == "coming" else "last"), at + 1
        if word(words, at) in WEEKDAYS:
            ahead = how == "next"
            behind = frame if ahead else Frame(frame.base - DAY)
            return _with_part(words, at, weekday_of(WEEKDAYS[words[at]], Frame(behind.base, ahead)))
    turn = -1 if how in _LAST else 1 if how in _NEXT else 0 if how in ("this", "current") else None
    if turn is None:
        return None
    name = word(words, at)
    if name in WEEKDAYS and how in ("coming", "upcoming"):
        return _with_part(words, at, weekday_of(WEEKDAYS[name], Frame(frame.base, True)))
    if name in WEEKDAYS:
        return _with_part(words, at, _weekday(WEEKDAYS[name], turn, frame))
    if name in DAYPARTS and turn < 1:
        if turn == -1 and name not in ("night", "evening"):
            return None
        return Found("date", at + 1, days_of(frame.today + turn * DAY), DAYPARTS[name])
    if name in SEASONS:
        return Found("date", at + 1, _yearly(lambda y: season_of(name, y), turn, frame))
    month = month_name(words, at)
    if month is not None:
        return Found("date", month[1], _yearly(lambda y: months_of(y, month[0]), turn, frame))
    stop = longest(words, at, (words[at : at + n] for n in (1, 2, 3) if words[at : at + n] in HOLIDAYS))
    if stop > at:
        rule = HOLIDAYS[words[at:stop]]
        return Found("date", stop, _yearly(lambda y: holiday(rule, y), turn, frame))
    period = unit_period(name, turn, frame)
    return Found("date", at + 1, period) if period else None


def _with_part(words: Words, at: int, period: Period) -> Found:
    part = DAYPARTS.get(word(words, at + 1), "")
    return Found("date", at + 1 + bool(part), period, part)


def _weekday(number: int, turn: int, frame: Frame) -> Period:
    if turn == -1:
        return weekday_of(number, Frame(frame.base - DAY))
    day = days_of(week_of(frame.today, turn).start + number * DAY)
    if turn == 0 and frame.future and day.end <= frame.base:
        return days_of(day.start + 7 * DAY)  # "this Monday" said on a Friday of what is to come
    return day


def _yearly(make: Callable[[int], Period], turn: int, frame: Frame) -> Period | None:
    """The latest that is over (-1), the first still to begin (1), or the one that runs or is nearest (0)."""
    periods = [make(frame.base.year + k) for k in (-2, -1, 0, 1, 2)]
    if turn == -1:
        return next((p for p in reversed(periods) if p.end <= frame.base), None)
    if turn == 1:
        return next((p for p in periods if p.start > frame.base), None)
    if frame.future:
        return next((p for p in periods if p.end > frame.base), None)
    return min(periods, key=lambda p: max(p.start - frame.base, frame.base - p.end, 0 * DAY))


def unit_period(name: str, turn: int, frame: Frame) -> Period | None:
    """ "Last week" (-1), "this month" (0), "next year" (1); units shorter than a week have none."""
    today = frame.today
    name = "year" if name == "yr" else name
    if name == "week":
        return week_of(today, turn)
    if name == "weekend":
        return weekend_of(week_of(today, turn))
    if name == "month":
        at = shifted(today, months=turn)
        return months_of(at.year, at.month)
    if name == "quarter":
        at = shifted(today, months=3 * turn)
        return months_of(at.year, (at.month - 1) // 3 * 3 + 1, 3)
    if name == "year":
        return year_of(today.year + turn)
    if name == "decade":
        return year_of((today.year // 10 + turn) * 10, 10)
    return None


def weekend(words: Words, i: int, frame: Frame) -> Found | None:
    """ "(At) the weekend": the latest that has begun or the first that is not over; "the weekend before last"
    and "the year after next" likewise for every unit."""
    name = word(words, i)
    if words[i + 1 : i + 3] in (("before", "last"), ("after", "next")):
        period = unit_period(name, -2 if words[i + 1] == "before" else 2, frame)
        return Found("date", i + 3, period) if period else None
    if name != "weekend":
        return None
    return Found("weekend", i + 1, chosen((weekend_of(week_of(frame.today, k)) for k in (-1, 0, 1)), frame))


def part_of(words: Words, i: int, frame: Frame, inner: Rule) -> Found | None:
    """ "Early 2020", "mid-May", "the end of June", "the first half of 2019", "later this year"."""
    first = word(words, i)
    if first in ("earlier", "later") and word(words, i + 1) in ("this", "today", "in", "on"):
        return _inner(words, i + 1 + (words[i + 1] in ("in", "on")), frame, inner)
    if first in _THIRDS and not (first == "middle" and word(words, i + 1) != "of"):
        whole = _inner(words, i + 1 + (word(words, i + 1) in ("of", "in", "on")), frame, inner)
        kind = "date" if first == "middle" else whole.kind if whole else ""
        return whole and Found(kind, whole.stop, whole.period and third(whole.period, _THIRDS[first]))
    if first in ("very", "back", "tail"):
        return part_of(words, i + 1, frame, inner) if word(words, i + 1) in _EDGES else None
    if first in _EDGES and word(words, i + 1) == "of":
        whole = _inner(words, i + 2, frame, inner, unit=True)
        return whole and Found("date", whole.stop, whole.period and edge(whole.period, _EDGES[first]))
    if first in ("first", "second") and words[i + 1 : i + 3] == ("half", "of"):
        whole = _inner(words, i + 3, frame, inner, unit=True)
        return whole and Found("date", whole.stop, whole.period and half(whole.period, first == "second"))
    if first == "month" and word(words, i + 1) == "of" and month_name(words, i + 2):
        whole = _inner(words, i + 2, frame, inner)
        return whole and Found("date", whole.stop, whole.period)
    return None


def _inner(words: Words, i: int, frame: Frame, inner: Rule, unit: bool = False) -> Found | None:
    """The time that a part is taken of; "the year" and "the month" count only there."""
    the = word(words, i) == "the"
    if unit and the and (period := unit_period(word(words, i + 1), 0, frame)):
        return Found("date", i + 2, period)
    return inner(words, i + the, frame)


def counted(words: Words, i: int, frame: Frame, inner: Rule) -> Found | None:
    """ "The first week of June", "the last Friday in May", "the fourth of next month"."""
    number = ordinal(words, i)
    which, at = (-1, i + 1) if word(words, i) == "last" else number or (0, i)
    if not which or which > 31:
        return None
    if word(words, at) in ("of", "in") and word(words, at + 1) in ("this", "next", "last", "the"):
        month = _inner(words, at + 1, frame, inner, unit=True)
        if month is None or month.period is None or which < 0:
            return None
        whole = month.period
        day = days_of(whole.start + (which - 1) * DAY)
        return Found("date", month.stop, day) if _is_month(whole) and day.end <= whole.end else None
    name = word(words, at)
    if name not in ("week", "weekend", "day", *WEEKDAYS) or word(words, at + 1) not in ("of", "in") or which > 5:
        return None
    month = _inner(words, at + 2, frame, inner, unit=True)
    if month is None or month.period is None or not _is_month(month.period):
        return None
    return Found("date", month.stop, _nth(name, which, month.period))


def _is_month(period: Period) -> bool:
    return period == months_of(period.start.year, period.start.month)


def _nth(name: str, which: int, month: Period) -> Period | None:
    start, days = month.start, (month.end - month.start).days
    if name == "day":
        return days_of(month.end - DAY) if which < 0 else days_of(start + (which - 1) * DAY)
    if name == "week":
        first = days - 7 if which < 0 else 7 * (which - 1)
        return days_of(start + first * DAY, min(7, days - first)) if first < days else None
    day = nth_weekday(start.year, start.month, WEEKDAYS.get(name, 5), which)
    if day >= month.end:
        return None
    return days_of(day, 2 if name == "weekend" else 1)


def beside(words: Words, i: int, frame: Frame, inner: Rule) -> Found | None:
    """ "The day before yesterday", "the week after Easter", "two days after Christmas"."""
    count, at = cardinal(words, i) or (1, i)
    name = word(words, at).removesuffix("s") if count > 1 else word(words, at)
    if name not in ("day", "night", "week", "weekend", "month") or word(words, at + 1) not in ("before", "after"):
        return None
    ahead = words[at + 1] == "after"
    anchor = _inner(words, at + 2, frame, inner)
    if anchor is None or anchor.kind in ("clock", "ordinal") or not 0 < count <= 1000:
        return None
    period = anchor.period
    if period is None or not period.is_day:
        return None
    if name in ("day", "night"):
        return Found("date", anchor.stop, days_of(period.start + (count if ahead else -count) * DAY))
    if name == "weekend":
        weeks = [weekend_of(week_of(period.start, k)) for k in (-1, 0, 1)]
        if ahead:
            return Found("date", anchor.stop, next(w for w in weeks if w.start >= period.end))
        return Found("date", anchor.stop, next(w for w in reversed(weeks) if w.end <= period.start))
    months, days = (count, 0) if name == "month" else (0, 7 * count)
    if ahead:
        start, end = period.end, shifted(period.end, months, days)
    else:
        start, end = shifted(period.start, -months, -days), period.start
    return Found("date", anchor.stop, days_of(start, (end - start).days))
