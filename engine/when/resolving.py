"""One phrase → the period it names."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

from engine.types import Instant, Precision
from engine.when.bounds import Bound, Lead, bound, tail
from engine.when.grammar import parse
from engine.when.periods import Frame, around, utc
from engine.when.words import APPROXIMATE, MONTHS, RELATIONS, Words, longest, split

Prefer = Literal["past", "future"]

_LONGEST_PHRASE = 80  # characters: beyond, it is a sentence
_PLAIN = re.compile(r"[A-Za-z0-9 ,.:/+'-]+")
_STOPS = (".", ",", "!", "?", ";")
_PERIODS = {"year": Precision.YEAR, "month": Precision.MONTH, "day": Precision.DAY, "time": Precision.MINUTE}


def resolve(text: str, base: datetime, prefer: Prefer = "past") -> tuple[Instant, datetime] | None:
    """The period that one phrase names, its preposition passed over.

    Parameters
    ----------
    text : str
        A phrase such as "in March", "half four", "since 2019", "two weeks ago"; not a sentence.
    base : datetime
        When it was said; taken to be in UTC where it has no zone. Every result is in UTC.
    prefer : {"past", "future"}
        "In March" is the latest March that has begun, or the first that is not over; likewise days of the
        month, seasons and holidays. A weekday is the latest one not after today, or the next after today.

    Returns
    -------
    (Instant, datetime) or None
        The start with its precision ("in 2019" is a YEAR) and the exclusive end, always after the start.
        A duration ("for six years") is the time from so long ago to the base, "in two weeks" the day.
        None for what names no single period: repeated times, vague ones, ambiguous figures
        ("03/04/2020"), anything else.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST_PHRASE:
        return None
    frame = Frame(utc_or_none(base) or base, prefer == "future")
    if frame.base.tzinfo is None:
        return None
    words = split(text).words
    found = read(words, frame)
    if found is None:
        return _by_dateparser(text, words, frame)
    if found.start is None or found.end is None or found.end <= found.start.at:
        return None
    return found.start, found.end


def utc_or_none(moment: datetime) -> datetime | None:
    try:
        return utc(moment)
    except OverflowError:  # the first and last hours of the calendar, seen from another zone
        return None


def read(words: Words, frame: Frame) -> Bound | None:
    """Reads all the words as one time with its preposition; None where they are no such thing."""
    end = len(words)
    while end and words[end - 1] in _STOPS:
        end -= 1
    words = words[:end]
    i = longest(words, 0, RELATIONS)
    before = Lead(0, words[:i], RELATIONS[words[:i]]) if i else Lead(0)
    for _ in range(3):
        start = longest(words, i, APPROXIMATE)
        if start == i or start >= end:
            break
        i = start
    for at, prepended in ((i, before), (0, Lead(0))):
        if before.entry in ("after", "before") and at == 0:
            break
        found = parse(words, at, frame)
        if found is None:
            continue
        stop, onwards, _ = tail(words, found.stop, found, prepended)
        if stop == end:
            try:
                return bound(words, at, found, prepended, frame, onwards)
            except (OverflowError, ValueError):  # the calendar's limits
                return None
    return None


def _by_dateparser(text: str, words: Words, frame: Frame) -> tuple[Instant, datetime] | None:
    """Full dates in a notation that our grammar lacks ("Wed, 05 Jan 2022 10:00:00 GMT").

    dateparser finds dates in ordinary words, so it is asked only about a month's name with figures beside
    it, and never about a duration or a bare number.
    """
    figures = any(w[0].isdecimal() for w in words)
    if not figures or not any(w in MONTHS for w in words) or not _PLAIN.fullmatch(text):
        return None
    if any(len(w) > 12 for w in words) or sum(w.isalpha() for w in words) > 4:
        return None
    if any((own := parse(words, i, frame)) and own.kind == "date" and own.period is None for i in range(len(words))):
        return None  # understood and refused: "Tuesday 10 March" of no year, "03/04/2020"
    return _parsed(text, frame.today, frame.future)


@lru_cache(maxsize=4096)
def _parsed(text: str, today: datetime, future: bool) -> tuple[Instant, datetime] | None:
    from dateparser.date import DateDataParser  # half a second to import, and rarely asked

    settings: dict[str, Any] = {
        "RELATIVE_BASE": today.replace(tzinfo=None),
        "PREFER_DATES_FROM": "future" if future else "past",
        "TIMEZONE": "UTC",
        "TO_TIMEZONE": "UTC",
        "RETURN_TIME_AS_PERIOD": True,
        "PARSERS": ["absolute-time"],
        "REQUIRE_PARTS": ["month"],
    }
    try:
        data = DateDataParser(languages=["en"], settings=settings).get_date_data(text)
        if data is None or data.date_obj is None or data.period not in _PERIODS:
            return None
        period = around(utc(data.date_obj), _PERIODS[data.period])
    except (ValueError, OverflowError, TypeError, AttributeError, KeyError, IndexError):
        return None  # odd figures trip it in several ways
    return Instant(period.start, period.precision), period.end
