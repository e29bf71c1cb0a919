"""A plan that gets another time is told without saying which: "they've pushed me to Thursday". The plan that is meant
is written in its own words at the new time, so that the decision sees one and the same plan."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.comparison import words_of
from engine.lexicon import Lexicon
from engine.parts import times_in
from engine.types import Fact, Kind, Neighbour

_MOVED = re.compile(r"^(?P<whose>.+?)'s (?P<what>.+?) was rescheduled to (?P<when>.+)$")
_LINK = re.compile(r"(?:\s|^)(?:on|at|in|for|from|by)\s*$", re.I)
_LED = re.compile(r"^(?:on|at|in|from|to)\b", re.I)
_ANY = frozenset("appointment meeting slot visit session booking".split())
"""Words that stand for whatever was agreed."""


def in_its_own_words(fact: Fact, neighbours: Sequence[Neighbour], lexicon: Lexicon) -> Fact:
    """The plan that a fact moves, at its new time.

    Parameters
    ----------
    fact : Fact
        Perhaps "user's appointment was rescheduled to Thursday".
    neighbours : sequence of Neighbour
        The memories among which the plan is looked for.
    lexicon : Lexicon
        For the attributes that hold plans.

    Returns
    -------
    Fact
        The same fact where it moves nothing, or where not exactly one plan can be meant.
    """
    told = _MOVED.match(fact.text)
    if told is None or lexicon.group(fact.attribute) != "plan":
        return fact
    plans = [n.memory.fact for n in neighbours if _is_timed_plan(n.memory.fact, fact)]
    named = words_of(told["what"]).stems
    meant = [p for p in plans if named <= words_of(p.text).stems]
    if not meant and set(told["what"].lower().split()) <= _ANY:
        meant = plans
    if len(meant) != 1:
        return fact
    plan = meant[0]
    return fact.but(
        text=_at(plan.text, told["when"]),
        predicate=plan.predicate,
        object=plan.object if not times_in(plan.object) else _at(plan.object, told["when"]),
        attribute=plan.attribute,
        kind=plan.kind,
        cues=(*fact.cues, "instead"),
    )


def _is_timed_plan(plan: Fact, fact: Fact) -> bool:
    return plan.kind is Kind.PLAN and plan.subject == fact.subject and bool(times_in(plan.text))


def _at(text: str, when: str) -> str:
    """A text with its times exchanged for another: "the dentist on Tuesday at 9:30" → "the dentist on Thursday"."""
    found = times_in(text)
    start, end = found[0][0], found[-1][1]
    link = _LINK.search(text[:start])
    before = text[: link.start() if link else start].rstrip()
    lead = "" if _LED.match(when) else f"{link.group().strip()} " if link else "on "
    return " ".join(f"{before} {lead}{when} {text[end:].strip()}".split())
