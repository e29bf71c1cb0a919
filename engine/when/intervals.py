"""The times of a clause → its valid time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from engine.types import Instant, Precision, Tense
from engine.when.durations import Duration, duration
from engine.when.periods import around, utc
from engine.when.phrases import TimePhrase
from engine.when.resolving import resolve
from engine.when.words import split

_OVER = (Tense.PAST, Tense.PERFECT)


def interval(phrases: Sequence[TimePhrase], said_at: datetime, tense: Tense) -> tuple[Instant | None, Instant | None]:
    """When what a clause tells was true.

    Parameters
    ----------
    phrases : sequence of TimePhrase
        Those of the clause.
    said_at : datetime
        The message's time.
    tense : Tense
        Of the clause's verb.

    Returns
    -------
    (Instant or None, Instant or None)
        ``valid_from`` and the exclusive ``valid_to``; the first is before the second where both are known.

    Notes
    -----
    since → from; until → to, the period it names included ("until 31 July" → 1 August; "till 2019" → 1
    January 2020; "until 3pm" → 15:00); at → from. Recurring and within bound nothing.

    A time that contradicts the tense is read in the other direction: "I'm here until Friday" and "I'm
    getting married on Saturday" lie ahead, "I lived there until May" behind. What a past tense says to have
    lasted until a period that still runs was over on the day it was said.

    for → from, so long before the message, in the present and the perfect. In the past ("I lived there for
    six years") nobody knows where it lies, unless a since or an until tells. In the present, days and weeks
    need a "now" or "already" ("we're in Spain for two weeks" is not over), and hours bound nothing ("walks
    for an hour").
    """
    said_at = utc(said_at)
    turned = [_turned(p, said_at, tense) for p in phrases]
    since = _first(turned, "since")
    until = _first(turned, "until")
    if since and until and since.start and until.end and until.end <= since.start.at:
        again = resolve(until.text, since.start.at, "future")
        until = replace(until, start=again[0], end=again[1]) if again else until
    lasting = _first(turned, "for")
    at = _first(turned, "at")
    begin = since.start if since else None
    end = _end(until, said_at, tense) if until else None
    length = _length(lasting) if lasting else None
    if lasting and length and not length.vague:
        begin, end = _lasting(lasting, length, begin, end, until, said_at, tense)
    if begin is None and since is None and at is not None:
        begin = at.start
    if begin is not None and end is not None and begin.at >= end.at:
        return None, None  # they contradict each other: neither is known
    return begin, end


def _first(phrases: Sequence[TimePhrase], relation: str) -> TimePhrase | None:
    mine = [p for p in phrases if p.relation == relation]
    return next((p for p in mine if p.start is not None or p.end is not None), None)


def _turned(phrase: TimePhrase, said_at: datetime, tense: Tense) -> TimePhrase:
    """The phrase read in the direction of the tense, where as it stands it contradicts it.

    The English present takes no definite time of the past, so a bare day in it lies ahead.
    """
    if phrase.start is None or phrase.end is None or phrase.relation not in ("at", "since", "until"):
        return phrase
    ahead = tense is Tense.FUTURE or tense is Tense.PRESENT and phrase.relation != "since"
    if ahead and phrase.end <= said_at:
        again = resolve(phrase.text, said_at, "future")
    elif tense in _OVER and phrase.start.at > said_at:
        again = resolve(phrase.text, said_at, "past")
    else:
        return phrase
    return replace(phrase, start=again[0], end=again[1]) if again else phrase


def _end(until: TimePhrase, said_at: datetime, tense: Tense) -> Instant | None:
    if until.end is None:
        return None
    precision = until.start.precision if until.start else Precision.DAY
    if until.start is not None and precision is Precision.MINUTE:
        if until.text.lower().endswith("now"):
            return until.start if tense is Tense.PAST else None
        return until.start
    if tense in _OVER and until.end > said_at and (until.start is None or until.start.at <= said_at):
        return Instant(around(said_at, Precision.DAY).start, Precision.DAY) if tense is Tense.PAST else None
    return Instant(until.end, precision)


def _lasting(
    phrase: TimePhrase,
    length: Duration,
    begin: Instant | None,
    end: Instant | None,
    until: TimePhrase | None,
    said_at: datetime,
    tense: Tense,
) -> tuple[Instant | None, Instant | None]:
    """What a duration adds to the bounds that are known."""
    if begin is not None and end is None and tense is Tense.PAST:
        stop = around(length.on(begin.at), length.precision).start
        return begin, Instant(stop, length.precision) if begin.at < stop <= said_at else None
    if begin is None and end is not None and until is not None and until.start is not None:
        start = around(length.back(until.start.at), length.precision).start
        return Instant(start, length.precision), end
    if begin is not None or end is not None or tense in (Tense.PAST, Tense.FUTURE):
        return begin, end
    if tense is Tense.PRESENT and (length.short or not length.months and not _reaches(phrase)):
        return begin, end
    return phrase.start, end


def _reaches(phrase: TimePhrase) -> bool:
    words = split(phrase.text).words
    return bool({"now", "already", "last", "past", "counting", "far", "straight"} & set(words))


def _length(phrase: TimePhrase) -> Duration | None:
    """The duration that a phrase names, read again from its words."""
    words = split(phrase.text).words
    for i in range(len(words)):
        found = duration(words, i) or (duration(("a", *words[i : i + 1]), 0) if i else None)
        if found is not None:
            return found[0]
    return None
