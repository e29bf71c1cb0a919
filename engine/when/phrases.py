"""A parsed sentence → the times that it names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from engine.types import Instant, Sentence, Token
from engine.when.bounds import Bound, Lead, Relation, bound, lead, tail
from engine.when.dates import Found, day_and_month
from engine.when.evidence import Evidence
from engine.when.grammar import may_start, parse
from engine.when.numbers import cardinal
from engine.when.periods import Frame, day_of, utc
from engine.when.resolving import Prefer, resolve, utc_or_none
from engine.when.words import Line, Words, split, word

_BRIDGES = ("to", "until", "till", "til", "through", "thru", "-")
_SKIPPED = ("duration", "year", "spoken", "clock", "ordinal", "decade")  # refused, none of their words is a time


@dataclass(frozen=True, slots=True)
class TimePhrase:
    """A time as a sentence names it.

    ``relation`` says how it bounds what is told: ``at`` (in, on, at, bare), ``since`` (since, from, as of,
    "… onwards", after), ``until`` (until, up to, through, by the end of), ``for`` (a duration that reaches
    back to the present), ``within`` (by, before, within), ``recurring`` (every Monday: no instant).

    ``text`` is in the sentence's words and ``positions`` are those of its tokens, the preposition's
    included. ``start`` and ``end`` (exclusive) are those of the period named, None where it cannot be told
    ("a few years ago"); a duration's are the time from so long ago to the message. "Before March" has an
    end alone, "after March" a start alone.
    """

    relation: Relation
    text: str
    positions: tuple[int, ...]
    start: Instant | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Read:
    """A found time with the words it spans."""

    start: int
    stop: int
    bound: Bound
    found: Found


def time_phrases(sentence: Sentence, *, prefer: Prefer = "past") -> tuple[TimePhrase, ...]:
    """The times of a sentence, in the order of the text.

    Parameters
    ----------
    sentence : Sentence
        Its entities of time and its parse decide where a word is ambiguous.
    prefer : {"past", "future"}
        Which March "in March" is; see ``resolve``.

    Returns
    -------
    tuple of TimePhrase
        They never overlap. "From 2015 to 2018" is two, a since and an until.
    """
    base = utc_or_none(sentence.message.timestamp)
    if base is None:
        return ()
    text, starts = _joined(sentence.tokens)
    line = split(text)
    if not any(may_start(w) for w in line.words):
        return ()
    places = _places(line, starts)
    evidence = Evidence(sentence, line.words, tuple(sentence.tokens[p[0]] for p in places))
    reads = list(_reads(line.words, evidence, Frame(base, prefer == "future")))
    found = [_phrase(r, line, text, places) for r in _on_their_day(reads, line.words)]
    found += _left_over(sentence, {p for f in found for p in f.positions}, base, prefer)
    return tuple(sorted(found, key=lambda f: f.positions))


def _joined(tokens: tuple[Token, ...]) -> tuple[str, list[int]]:
    """The tokens' texts as they stood, one space where there was any; and where each begins in it."""
    parts: list[str] = []
    starts, at, end = [], 0, tokens[0].start if tokens else 0
    for token in tokens:
        if token.start > end:
            parts.append(" ")
            at += 1
        starts.append(at)
        parts.append(token.text)
        at += len(token.text)
        end = token.end
    return "".join(parts), starts


def _places(line: Line, starts: list[int]) -> list[tuple[int, int]]:
    """For every word the positions of the first and the last token it stands in."""
    places, token = [], 0
    for start, end in zip(line.starts, line.ends, strict=True):
        while token + 1 < len(starts) and starts[token + 1] <= start:
            token += 1
        last = token
        while last + 1 < len(starts) and starts[last + 1] < end:
            last += 1
        places.append((token, last))
    return places


def _reads(words: Words, evidence: Evidence, frame: Frame) -> Iterator[_Read]:
    i, free = 0, 0
    while i < len(words):
        if not may_start(words[i]) or words[i] == "the" and not may_start(word(words, i + 1) or "x"):
            i += 1
            continue
        pair = _days(words, i, evidence, frame, free)
        found = None if pair else parse(words, i, frame)
        if found is not None:
            before = evidence.unless_particle(_free(lead(words, i), free, i), i)
            stop, onwards, reaches = tail(words, found.stop, found, before)
            if evidence.admits(found, i, before, reaches):
                pair = _range(words, i, found, before, evidence, frame)
                if not pair and (one := _bound(words, i, found, before, frame, onwards)):
                    pair = (_Read(before.start, stop, one, found),)
                if not pair:
                    stop = found.stop
                pair = tuple(_habit(r, i, evidence, frame) for r in pair)
            else:
                stop = found.stop if found.kind in _SKIPPED else i + 1
        if pair:
            yield from pair
            stop = free = pair[-1].stop
        elif found is None:
            stop = i + 1
        i = max(stop, i + 1)


def _free(before: Lead, free: int, i: int) -> Lead:
    """A preposition that already belongs to the time before is not this one's."""
    return before if before.start >= free else Lead(max(free, i) if free > before.start else before.start)


def _bound(words: Words, i: int, found: Found, before: Lead, frame: Frame, onwards: bool) -> Bound | None:
    try:
        return bound(words, i, found, before, frame, onwards)
    except (OverflowError, ValueError):  # the calendar's limits
        return None


def _habit(read: _Read, i: int, evidence: Evidence, frame: Frame) -> _Read:
    """A mere time of day or season in the simple present comes round again ("wakes up at 5:30")."""
    mere = read.found.kind in ("clock", "spoken") or read.found.kind == "season" and read.bound.relation == "at"
    if mere and not frame.future and evidence.habitual(i):
        return _Read(read.start, read.stop, Bound("recurring"), read.found)
    return read


def _bridge(words: Words, stop: int, before: Lead) -> int:
    """Where the end of a range begins; 0 where no range is told."""
    if words[stop : stop + 2] == ("up", "to"):
        return stop + 2
    if word(words, stop) in _BRIDGES or word(words, stop) == "and" and _between(words, before):
        return stop + 1
    return 0


def _between(words: Words, before: Lead) -> bool:
    return "between" in words[max(before.start - 1, 0) : before.start + 1]


def _range(words: Words, i: int, found: Found, before: Lead, evidence: Evidence, frame: Frame) -> tuple[_Read, ...]:
    """ "From 2015 to 2018", "between March and June 2019", "9:00-17:00": from the one and until the other."""
    at = _bridge(words, found.stop, before)
    if not at or found.period is None or found.kind in ("holiday", "now"):
        return ()
    ahead = Frame(found.period.start, True)
    last = parse(words, at, ahead) or _short_year(words, at, found)
    if last is None or last.period is None:
        return ()
    if before.words != ("from",) and not _between(words, before) and not _akin(found, last):
        return ()
    fixed = parse(words, at, frame)
    told = fixed is not None and fixed.period == last.period
    if told and (found.kind != last.kind or found.period.start >= last.period.start):
        found = parse(words, i, Frame(last.period.start)) or found  # "March to June 2019": March 2019 as well
    if found.period is None or found.period.start >= last.period.start:
        return ()
    start = before.start - (word(words, before.start - 1) == "between")
    round_again = found.kind in ("weekday", "clock") and not frame.future and evidence.habitual(i)
    if round_again:
        return (_Read(start, last.stop, Bound("recurring"), found),)
    since = Bound("since", Instant(found.period.start, found.period.precision), found.period.end)
    until = Bound("until", Instant(last.period.start, last.period.precision), last.period.end)
    return _Read(start, found.stop, since, found), _Read(_to(words, found.stop), last.stop, until, last)


def _to(words: Words, stop: int) -> int:
    """Where the end of a range begins in the text: a mere hyphen is not shown."""
    return stop + (word(words, stop) == "-")


def _akin(one: Found, other: Found) -> bool:
    days = ("date", "weekday", "ordinal", "month")
    return one.kind == other.kind or one.kind in days and other.kind in days


def _short_year(words: Words, at: int, found: Found) -> Found | None:
    """The "18" of "2015-18"."""
    from engine.when.periods import year_of

    text = word(words, at).lstrip("'")
    if found.kind != "year" or found.period is None or len(text) != 2 or not text.isdecimal():
        return None
    return Found("year", at + 1, year_of(found.period.start.year // 100 * 100 + int(text)))


def _days(words: Words, i: int, evidence: Evidence, frame: Frame, free: int) -> tuple[_Read, ...]:
    """ "11 to 14 September": the first day's month is told with the second."""
    first = cardinal(words, i)
    if first is None or not 1 <= first[0] <= 31 or word(words, first[1]) not in (*_BRIDGES, "and"):
        return ()
    before = _free(lead(words, i), free, i)
    if words[first[1]] == "and" and not _between(words, before):
        return ()
    try:
        last = day_and_month(words, first[1] + 1, frame)
    except (OverflowError, ValueError):
        return ()
    if last is None or last.period is None or not evidence.admits(last, first[1] + 1, before, False):
        return ()
    day = day_of(last.period.start.year, last.period.start.month, first[0])
    if day is None or day.start >= last.period.start:
        return ()
    found = Found("date", first[1], day)
    start = before.start - (word(words, before.start - 1) == "between")
    since = Bound("since", Instant(day.start, day.precision), day.end)
    until = Bound("until", Instant(last.period.start, last.period.precision), last.period.end)
    return _Read(start, first[1], since, found), _Read(_to(words, first[1]), last.stop, until, last)


def _on_their_day(reads: list[_Read], words: Words) -> list[_Read]:
    """A lone time of day belongs to the one day that the sentence names ("on Friday we meet at 9:30")."""
    days = [r for r in reads if r.bound.relation == "at" and r.found.period and r.found.period.is_day]
    if len(days) != 1 or days[0].found.period is None:
        return reads
    day, part = days[0].found.period.start, days[0].found.part
    out = []
    for read in reads:
        clock = read.found.clock
        if clock is not None and read.found.kind in ("clock", "spoken") and read.bound.relation == "at":
            period = clock.on(day, read.found.part or part)
            read = _Read(
                read.start, read.stop, Bound("at", Instant(period.start, period.precision), period.end), read.found
            )
        out.append(read)
    return out


def _phrase(read: _Read, line: Line, text: str, places: list[tuple[int, int]]) -> TimePhrase:
    first, last = places[read.start][0], places[read.stop - 1][1]
    return TimePhrase(
        read.bound.relation,
        text[line.starts[read.start] : line.ends[read.stop - 1]],
        tuple(range(first, last + 1)),
        read.bound.start,
        read.bound.end,
    )


def _left_over(sentence: Sentence, taken: set[int], base: datetime, prefer: Prefer) -> Iterator[TimePhrase]:
    """Entities of time that our grammar did not read, where they spell out a date."""
    run: list[Token] = []
    for token in (*sentence.tokens, None):
        if token is not None and token.ent in ("DATE", "TIME") and token.i not in taken:
            run.append(token)
            continue
        if len(run) > 2 and any(t.text[:1].isdecimal() for t in run) and not any(t.low == "old" for t in run):
            text, _ = _joined(tuple(run))
            period = resolve(text, utc(base), prefer)
            if period is not None:
                yield TimePhrase("at", text, tuple(t.i for t in run), *period)
        run = []
