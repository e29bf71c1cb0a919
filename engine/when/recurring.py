"""Times that come round again: "every Monday", "on Tuesdays and Fridays", "twice a week", "daily".

They name no instant; only where they end is found.
"""

from __future__ import annotations

from engine.when.dates import Found
from engine.when.durations import duration
from engine.when.numbers import cardinal, ordinal
from engine.when.words import DAYPARTS, MONTHS, SEASONS, UNITS, WEEKDAYS, Words, word

_EVERY = ("every", "each")
_FREQUENCIES = frozenset("daily weekly fortnightly monthly quarterly yearly annually nightly hourly".split())
_PLURALS = (
    frozenset(d + "s" for d in WEEKDAYS if len(d) > 5)
    | frozenset(p + "s" for p in DAYPARTS if p != "lunchtime")
    | frozenset(("weekends", "weekdays", "weeknights"))
)
_ALONE = frozenset(d + "s" for d in WEEKDAYS if len(d) > 5) | {"weekends", "weekdays", "weeknights"}
_COUNTED = ("weekday", "weekend", "weeknight", "quarter", "term", "summer", "christmas", "easter", "birthday")


def recurring(words: Words, i: int) -> Found | None:
    """The repeated time that begins at a position."""
    first = word(words, i)
    if first in _EVERY:
        stop = _every(words, i + 1)
        return _found(_parts(words, _clocked(words, _listed(words, stop)))) if stop else None
    if first in _FREQUENCIES:
        return _found(i + 1)
    if first == "most":
        return _found(i + 2) if word(words, i + 1) in _PLURALS | {"days", "weeks", "months", "years"} else None
    if first in _PLURALS:
        return _found(_clocked(words, _listed(words, i + 1)), "recurring" if first in _ALONE else "plural")
    if first in WEEKDAYS and word(words, i + 1) in _PLURALS:
        return _found(_clocked(words, i + 2))
    number = ordinal(words, i)
    if number and (word(words, number[1]) in WEEKDAYS or word(words, number[1]) == "day"):
        of = number[1] + 1
        if word(words, of) in ("of", "in") and word(words, of + 1) in (*_EVERY, "the") and _is_unit(words, of + 2):
            return _found(of + 3) if word(words, of + 1) != "the" or words[i] != words[-1] else None
    return _rate(words, i)


def _found(stop: int, kind: str = "recurring") -> Found:
    return Found(kind, stop)


def _every(words: Words, i: int) -> int | None:
    """Behind "every": a unit, a day, a part of the day, a season or a month, counted or skipped."""
    if words[i : i + 3] == ("now", "and", "then"):
        return i + 3
    if words[i : i + 2] in (("so", "often"), ("few", "years"), ("few", "months"), ("few", "weeks"), ("few", "days")):
        return i + 2
    if words[i : i + 2] == ("now", "and") and word(words, i + 2) == "again":
        return i + 3
    skipped = ("other", "single", "second", "third", "working", "first", "last", "fourth")
    i += word(words, i) in skipped and word(words, i + 1) != "of"
    length = duration(words, i)
    if length is not None:
        return length[1]
    day = ordinal(words, i)
    if day is not None and word(words, day[1] + (word(words, day[1]) == "of")) in MONTHS:
        return day[1] + (words[day[1]] == "of") + 1
    if word(words, i) in WEEKDAYS:
        return i + 1 + (word(words, i + 1) in DAYPARTS)
    if word(words, i) in UNITS or word(words, i) in DAYPARTS or word(words, i) in SEASONS or word(words, i) in MONTHS:
        return i + 1
    return i + 1 if word(words, i) in _COUNTED else None


def _listed(words: Words, i: int) -> int:
    """ "Every Monday, Wednesday and Friday", "Tuesdays and Fridays", "Mondays to Thursdays"."""
    while True:
        at = i
        while word(words, at) in (",", "and", "&", "or", "to", "-", "through", "on", "every") and at < i + 3:
            at += 1
        name = word(words, at)
        if at == i or name not in WEEKDAYS and name not in _ALONE:
            return i
        i = at + 1


def _parts(words: Words, i: int) -> int:
    """ "Every day in the morning"."""
    if words[i : i + 2] == ("in", "the") and word(words, i + 2) in DAYPARTS:
        return i + 3
    return i


def _clocked(words: Words, i: int) -> int:
    """The time of day behind a repeated day: "every Monday at 7", "on Tuesdays at half six"."""
    from engine.when.clocks import clock

    if word(words, i) not in ("at", "around"):
        return i
    found = clock(words, i + 1, bare=True)
    return found[1] if found else i


def _rate(words: Words, i: int) -> Found | None:
    """ "Once a month", "three times a week", "two hours a day", "several times per year"."""
    first, stop = word(words, i), i + 1
    if first in ("once", "twice", "thrice"):
        pass
    elif first in ("several", "few", "many", "couple") or (number := cardinal(words, i)):
        stop = number[1] if first not in ("several", "few", "many", "couple") and number else i + 1
        stop += word(words, stop) == "of"
        if word(words, stop) == "times":
            stop += 1
        elif (length := duration(words, i)) is not None:
            stop = length[1]
        else:
            return None
    elif (length := duration(words, i)) is not None and first in ("an", "a", "half"):
        stop = length[1]
    else:
        return None
    if word(words, stop) in ("a", "an", "per", *_EVERY) and _is_unit(words, stop + 1):
        return _found(stop + 2)
    return None


def _is_unit(words: Words, i: int) -> bool:
    name = word(words, i)
    return name in UNITS and not name.endswith("s") or name in ("quarter", "season", "term")
