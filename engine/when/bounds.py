"""How a time bounds what is told: at it, since it, until it, within it, for so long.

Ends are exclusive and a named period belongs to what it bounds: "until 31 July" ends on 1 August, "until
2019" on 1 January 2020, "from 2015 to 2018" on 1 January 2019. "Before 2019" ends on 1 January 2019. A time
of day is a moment: "until 3pm" ends at three.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from engine.types import Instant, Precision
from engine.when.dates import Found, moment
from engine.when.periods import Frame, days_of
from engine.when.words import APPROXIMATE, REACHING, RELATIONS, Words, longest, longest_before, word

Relation = Literal["at", "since", "until", "for", "within", "recurring"]
DURATIONS = ("duration", "reaching", "ahead")


@dataclass(frozen=True, slots=True)
class Lead:
    """What stands before a time: where it begins, the preposition's words, and its entry in the lexicon
    (at, since, until, within, after, before; empty where there is no preposition)."""

    start: int
    words: Words = ()
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Bound:
    """A relation with the period it is about."""

    relation: Relation
    start: Instant | None = None
    end: datetime | None = None


def lead(words: Words, i: int) -> Lead:
    """The preposition before a time, looked for beyond "the", "about", "at least" and the like."""
    the = i - (word(words, i - 1) == "the")
    near = the
    for _ in range(3):
        near = longest_before(words, near, APPROXIMATE)
    for at in (near, the, i):
        start = longest_before(words, at, RELATIONS)
        if start < at:
            return Lead(start, words[start:at], RELATIONS[words[start:at]])
    return Lead(near)


def tail(words: Words, stop: int, found: Found, before: Lead) -> tuple[int, bool, bool]:
    """What closes a time: the position after it, whether it goes on from there ("onwards"), and whether it
    reaches the present ("nine years now")."""
    if found.kind in DURATIONS:
        end = longest(words, stop, REACHING)
        return end, False, end > stop
    if word(words, stop) == "and" and word(words, stop + 1) in ("onwards", "onward"):
        return stop + 2, True, False
    if word(words, stop) in ("onwards", "onward", "forward", "forwards"):
        return stop + 1, True, False
    if word(words, stop) == "on" and before.entry == "since" and word(words, stop + 1) in ("", ".", ",", ";", "and"):
        return stop + 1, True, False
    return stop, False, False


def bound(words: Words, i: int, found: Found, before: Lead, frame: Frame, onwards: bool = False) -> Bound | None:
    """What a time says behind its preposition; None where the two make no sense together."""
    if found.kind in ("recurring", "plural"):
        return Bound("recurring")
    if found.kind in DURATIONS:
        return _lasting(found, before, frame)
    period = found.period
    relation: Relation = "at"
    if onwards or before.entry in ("since", "after"):
        relation = "since"
    elif before.entry in ("within", "before"):
        relation = "within"
    elif before.entry == "until":
        relation = "until"
    if before.words == ("by",) and word(words, i + (word(words, i) == "the")) == "end":
        relation = "until"
    if period is None:
        return Bound(relation)
    if before.entry == "after":
        moment_ = period.start if period.precision is Precision.MINUTE else period.end
        return Bound("since", Instant(moment_, period.precision))
    if before.entry == "before":
        return Bound("within", None, period.start)
    return Bound(relation, Instant(period.start, period.precision), period.end)


def _lasting(found: Found, before: Lead, frame: Frame) -> Bound | None:
    length = found.length
    assert length is not None
    if found.kind == "ahead":
        relation: Relation = "within" if before.entry == "within" or before.words == ("in",) else "at"
        if length.vague:
            return Bound(relation)
        today = days_of(frame.today)
        return Bound(relation, Instant(today.start, today.precision), length.on(max(frame.base, today.end)))
    if found.kind == "duration" and before.words == ("in",):
        ahead = moment(length, frame.base, True)
        return Bound("at", Instant(ahead.start, ahead.precision), ahead.end) if ahead else Bound("at")
    if before.entry == "within" and found.kind == "duration":
        if before.words != ("within",) or length.vague:
            return Bound("within") if before.words == ("within",) else None
        return Bound("within", Instant(frame.base, Precision.MINUTE), length.on(frame.base))
    if before.entry in ("after", "before", "until") or before.entry == "at" and before.words[-1] in ("at", "on"):
        return None
    relation = "since" if before.entry == "since" else "for"
    behind = moment(length, frame.base, False)
    if behind is None:
        return Bound(relation)
    return Bound(relation, Instant(behind.start, behind.precision), max(frame.base, behind.end))
