"""The longest time that begins at a word: date and time of day joined, durations, repeated times."""

from __future__ import annotations

from engine.when import dates, relative
from engine.when.clocks import Clock, clock, part_of_day
from engine.when.dates import Found
from engine.when.durations import duration
from engine.when.numbers import SPELLED
from engine.when.periods import Frame
from engine.when.recurring import recurring
from engine.when.words import DAYPARTS, HOLIDAYS, MEASURES, MONTHS, SEASONS, UNITS, WEEKDAYS, Words, word

_JOINTS = ("at", "around", "about", "by", "from")
_STARTS = (
    frozenset(MONTHS)
    | frozenset(WEEKDAYS)
    | frozenset(d + "s" for d in WEEKDAYS)
    | frozenset(SEASONS)
    | frozenset(UNITS)
    | frozenset(p + "s" for p in DAYPARTS)
    | frozenset(name[0] for name in HOLIDAYS)
    | SPELLED
    | frozenset(relative._NAMED_DAYS)
    | frozenset(
        "last next this past previous coming upcoming current early mid middle late earlier later start beginning end "
        "very first second month half quarter noon midday midnight now a an couple few several many some good whole "
        "full dozen hundred every each most daily weekly fortnightly monthly quarterly yearly annually nightly hourly "
        "once twice thrice weekend weekends weekdays weeknights q1 q2 q3 q4 nineties eighties seventies sixties "
        "fifties forties thirties twenties the umpteen numerous countless day night week".split()
    )
)


def may_start(first: str) -> bool:
    """Whether a time can begin with a word; cheap, asked of every word of every sentence."""
    return first in _STARTS or "0" <= first[0] <= "9" or first[0] == "'" and len(first) > 2


def date(words: Words, i: int, frame: Frame) -> Found | None:
    """The longest date that begins at a position, without its time of day."""
    best: Found | None = None
    for rule in _RULES:
        found = rule(words, i, frame)
        if found is not None and (best is None or found.stop > best.stop):
            best = found
    for nested in (relative.part_of, relative.counted, relative.beside):
        found = nested(words, i, frame, date)
        if found is not None and (best is None or found.stop > best.stop):
            best = found
    return best


_RULES = (
    relative.named_day,
    relative.anchored,
    relative.weekend,
    relative.distant,
    dates.weekday,
    dates.day_and_month,
    dates.month,
    dates.numeric,
    dates.special_day,
    dates.season,
    dates.quarter,
    dates.decade,
    dates.bare_year,
)


def parse(words: Words, i: int, frame: Frame) -> Found | None:
    """The time that begins at a position.

    Parameters
    ----------
    words : tuple of str
        The lower-case words of a text.
    i : int
        Where it is to begin; a "the" is passed over.
    frame : Frame
        The moment of speaking and the direction.

    Returns
    -------
    Found or None
        The longest reading. None too where the calendar ends (year 1 and year 9999).
    """
    try:
        return _parse(words, i, frame)
    except (OverflowError, ValueError):  # datetime's own limits: "9000 years ago"
        return None


def _parse(words: Words, i: int, frame: Frame) -> Found | None:
    the = word(words, i) == "the"
    at = i + the
    again = recurring(words, at)
    if again is not None:
        return again
    found = date(words, at, frame)
    if found is None and (the or "0" <= word(words, at)[:1] <= "9"):
        found = dates.month_day(words, at, frame)  # "fifth" without "the" counts something; "5th" may be a day
    elif the and found is not None and found.kind in ("month", "year"):
        return None  # "the March on Washington", "the 2019 model"
    if found is not None:
        return _with_clock(words, found, frame)
    reaching = _reaching(words, at, the)
    if reaching is not None:
        return reaching
    if the:
        return None
    timed = clock(words, i)
    if timed is not None:
        return _with_date(words, i, *timed, frame)
    after = word(words, i - 1) in ("at", "around", "by", "until", "till", "from")
    if after and (bare := clock(words, i, bare=True)):
        dated = _with_date(words, i, *bare, frame)
        if dated.kind == "date":
            return dated
    length = duration(words, i)
    if length is None or word(words, length[1]) in MEASURES or word(words, length[1]) == "'":
        return None
    return Found("duration", length[1], length=length[0])


def _reaching(words: Words, i: int, the: bool) -> Found | None:
    """ "The last two years", "the past month", "the next few weeks"; "last year" alone is a date."""
    which = word(words, i)
    if which not in ("last", "past", "next", "coming"):
        return None
    length = duration(words, i + 1)
    if length is None and (the or which == "past"):
        length = duration(("a", *words[i + 1 : i + 2]), 0)
        length = (length[0], i + 2) if length else None
    if length is None:
        return None
    return Found("ahead" if which in ("next", "coming") else "reaching", length[1], length=length[0])


def _with_clock(words: Words, found: Found, frame: Frame) -> Found:
    """Joins the time of day that follows a date: "tomorrow at nine", "10 March, 9:30"."""
    period = found.period
    if found.kind not in ("date", "weekday", "ordinal", "holiday") or period is not None and not period.is_day:
        return found
    at = found.stop + (word(words, found.stop) == ",")
    joint = word(words, at) in _JOINTS
    bare = word(words, at) in ("at", "around") or "." in word(words, at)[:3]  # "thurs 9.20" is no price
    timed = clock(words, at + joint, bare)
    if timed is None:
        return found
    part, stop = part_of_day(words, timed[1]) or (found.part, timed[1])
    return Found("date", stop, timed[0].on(period.start, part) if period else None, clock=timed[0])


def _with_date(words: Words, i: int, timed: Clock, stop: int, frame: Frame) -> Found:
    """Joins the date that follows a time of day: "3pm on Friday", "half four this morning"."""
    part, stop = part_of_day(words, stop) or ("", stop)
    at = stop + (word(words, stop) in ("on", ","))
    at += word(words, at) == "the"
    dated = date(words, at, frame)
    if dated is None and at > stop:
        dated = dates.month_day(words, at, frame)
    day = dated.period if dated is not None else None
    if dated is not None and day is not None and day.is_day and dated.kind != "year":
        return Found("date", dated.stop, timed.on(day.start, part or dated.part), clock=timed)
    period = timed.nearest(frame, part)
    kind = "spoken" if timed.spoken else "clock"
    return Found(kind, stop, period, part, timed)
