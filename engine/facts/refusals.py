"""A form that was found, the times beside it, and why it is not taken at its word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.facts.people import FIRST, Cast
from engine.facts.surface import Surface
from engine.lexicon.frames import Frame
from engine.when import TimePhrase

Range = tuple[int, int]
Bound = Mapping[str, Range]

_NOMINAL = frozenset({"DET", "ADJ", "NOUN", "PROPN", "NUM"})
_BRIEF = frozenset(
    "day days night nights weekend week weeks hour hours fortnight minute minutes bit while today tonight".split()
)
_APART = 6  # how many words may stand between a frame and its time


@dataclass(frozen=True, slots=True)
class Match:
    """A form found: the tokens it covers, what its slots hold, the tokens in it that it passes over, and how much
    it asks for (``weight``: of two of one length the more demanding one is meant)."""

    frame: Frame
    start: int
    stop: int
    bound: Bound
    passed: tuple[int, ...]
    weight: int

    @property
    def span(self) -> range:
        return range(self.start, self.stop)


def refused(surface: Surface, match: Match, cast: Cast) -> bool:
    """Whether a match is not what it looks like, for one of the reasons below."""
    reasons = (_is_cut, _is_blocked, _is_foreign, _is_brief)
    return any(reason(surface, match) for reason in reasons) or _is_of_another_kind(surface, match, cast)


def _is_blocked(surface: Surface, match: Match) -> bool:
    """Whether a word before or in a match says that it does not hold: a negation, "if", "nearly", "would"."""
    blockers = surface.lexicon.frames.blockers
    outside = {*range(surface.clause_start(match.start), match.start), *match.passed}
    if any(surface.tokens[i].low in blockers and i not in surface.timed for i in outside):
        return True
    return any(t.low in ("if", "unless", "whether") for t in surface.tokens[: match.start])


def _is_cut(surface: Surface, match: Match) -> bool:
    """Whether the words go on: "no more asthma talk", "closed the deal", "a couple of idiots"."""
    if match.start and _is_led_in(surface, match):
        return True
    if match.stop >= len(surface.tokens) or match.stop in surface.timed or surface.light(match.stop) is not None:
        return False
    after = surface.tokens[match.stop]
    verbless = all(surface.tokens[i].pos not in ("VERB", "AUX") for i in match.span)
    goes_on = after.pos in _NOMINAL or after.tag in ("PRP$", "POS") or after.low in ("of", "that") or after.text == "-"
    return goes_on or verbless and after.pos in ("VERB", "AUX")


def _is_led_in(surface: Surface, match: Match) -> bool:
    """Whether a match begins within a phrase: "sister's [trip was cancelled]"."""
    before = surface.tokens[match.start - 1]
    if match.start - 1 in surface.timed or surface.is_light(match.start - 1):
        return False
    slot = any(start == match.start for start, _ in match.bound.values()) and surface.tokens[match.start].tag != "PRP"
    within = before.pos in ("DET", "ADJ", "NUM") or before.tag in ("PRP$", "POS")
    return within or slot and before.pos in ("NOUN", "PROPN")


def _is_of_another_kind(surface: Surface, match: Match, cast: Cast) -> bool:
    """Whether a frame about animals has a person in it."""
    span = match.bound.get("who")
    if not match.frame.party or span is None:
        return False
    words = [surface.tokens[i] for i in range(*span)]
    kinds = {surface.lexicon.roles[t.low].kind for t in words if t.low in surface.lexicon.roles}
    known = cast.by_name(words[-1].text)
    return match.frame.party not in kinds | ({known.kind} if known is not None else set())


def _is_foreign(surface: Surface, match: Match) -> bool:
    """Whether a slot holds something of somebody else's: "my mum's flat", "their trip"."""
    who = match.bound.get("who") or match.bound.get("whose")
    other = who is not None and surface.tokens[who[1] - 1].low not in FIRST
    for name, (start, stop) in match.bound.items():
        if name in ("who", "whose", "agent"):
            continue
        for i in range(start, stop):
            token = surface.tokens[i]
            if token.tag == "PRP$" and token.low not in FIRST and not other:
                return True
            owner = surface.tokens[i - 1] if token.tag == "POS" and i > start else None
            if owner is not None and (owner.low in surface.lexicon.roles or owner.ent == "PERSON") and i < stop - 1:
                return True
    return False


def _is_brief(surface: Surface, match: Match) -> bool:
    """Whether it is only for a while: "gave up coffee for a week", "until Easter"."""
    after = surface.tokens[match.stop].low if match.stop < len(surface.tokens) else ""
    lasting = [p for p in beside(surface, match) if p.relation == "for" or p.text.lower().startswith("for ")]
    passing = any(t.low in surface.lexicon.frames.passing for t in surface.tokens[match.start :])
    return passing or after in ("until", "till") or any(_BRIEF & set(p.text.lower().split()) for p in lasting)


def beside(surface: Surface, match: Match) -> list[TimePhrase]:
    """The times of a match: within it, or right before or behind it."""
    taken = {i for start, stop in match.bound.values() for i in range(start, stop)}
    free = [p for p in surface.times if not taken & set(p.positions)]
    inside = [p for p in free if match.start <= p.positions[0] < match.stop]
    near = [p for p in free if p not in inside and (_meets(surface, p, match) or _leads(surface, p, match))]
    return sorted(inside + near, key=lambda p: p.positions)


def _meets(surface: Surface, phrase: TimePhrase, match: Match) -> bool:
    """Whether a time stands behind a match in the same clause, with few words and no verb between them."""
    if phrase.positions[0] < match.stop:
        return False
    between = range(match.stop, phrase.positions[0])
    verbal = any(surface.tokens[i].pos in ("VERB", "AUX") for i in between)
    return len(between) <= _APART and not verbal and surface.clause_start(phrase.positions[0]) <= match.start


def _leads(surface: Surface, phrase: TimePhrase, match: Match) -> bool:
    """Whether a time opens the clause of a match: "On Friday they …", "as of May, …"."""
    if phrase.positions[-1] >= match.start:
        return False
    between = range(phrase.positions[-1] + 1, match.start)
    only_light = all(surface.is_light(i) or surface.tokens[i].text == "," for i in between)
    return only_light and surface.begins(phrase.positions[0])
