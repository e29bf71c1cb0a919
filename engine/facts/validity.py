"""When what a clause tells is true, and whether it is a state, an event or a plan."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.facts.told import Told
from engine.lexicon import Lexicon
from engine.types import Effect, Instant, Kind, Modality, Tense
from engine.when import TimePhrase, interval, time_phrases


@dataclass(frozen=True, slots=True)
class Validity:
    """Kind and valid time of a clause, with the time phrases that gave it."""

    kind: Kind
    start: Instant | None
    end: Instant | None
    phrases: tuple[TimePhrase, ...]


def validity_of(told: Told, lexicon: Lexicon) -> Validity:
    """Reads kind and valid time off tense, modality, attribute and dates.

    Parameters
    ----------
    told : Told
    lexicon : Lexicon
        For the kind of the attribute.

    Returns
    -------
    Validity
    """
    stance, said = told.stance, told.sentence.message.timestamp
    known = lexicon.attributes.get(told.reading.attribute or "")
    ahead = stance.tense is Tense.FUTURE or told.arranged or known is not None and known.kind is Kind.PLAN
    found = time_phrases(told.sentence, prefer="future" if ahead else "past")
    if not ahead and stance.tense is Tense.PRESENT and any(_lies_ahead(p, said) for p in found):
        found = time_phrases(told.sentence, prefer="future")
    phrases = tuple(p for p in found if told.owns(p.positions))
    start, end = interval(phrases, said, stance.tense)
    kind = _kind(told, lexicon, bool(start and start.at > said), bool(start and end))
    if start and start.at > said and kind is not Kind.PLAN and _is_by_the_way(told, phrases):
        start = None  # "pregnant, due in April": the state is present, the date belongs to something in it
    if start is None and stance.modality in (Modality.POSSIBLE, Modality.DESIRED):
        start = Instant(said)  # a wish or a possibility is known from when it was told
    if (
        start is None
        and kind is Kind.STATE
        and told.effect is Effect.STARTS
        and stance.tense in (Tense.PAST, Tense.PERFECT)
    ):
        start = Instant(said)  # it had begun by the time it was told
    if told.arranged and kind is not Kind.PLAN and (start is None or start.at > said):
        kind = Kind.PLAN
    return Validity(kind, start, end, phrases)


JUST_BEGUN = timedelta(days=60)
_ANNOUNCING = {"from", "starting", "beginning", "as", "effective", "onwards", "commencing", "with"}


def _lies_ahead(phrase: TimePhrase, said: datetime) -> bool:
    """Whether a time beside a present tense is one to come: an end ("until May"), or a beginning that is announced
    ("from 1 April") and has not just been; with a year it stands as it is."""
    words = set(phrase.text.lower().split())
    if any(len(w) == 4 and w.isdigit() for w in words) or phrase.end is None:
        return False
    if phrase.relation == "until":
        return phrase.end <= said
    return phrase.relation == "since" and bool(words & _ANNOUNCING) and phrase.end + JUST_BEGUN <= said


def _is_by_the_way(told: Told, phrases: tuple[TimePhrase, ...]) -> bool:
    """Whether a time ahead stands in a clause of the present that is no plan."""
    present = told.stance.tense in (Tense.PRESENT, Tense.PERFECT) and not told.arranged
    present = present and told.effect is not Effect.STARTS  # "I start at Volvo on 1 September"
    return present and told.stance.modality is Modality.ASSERTED and all(p.relation != "since" for p in phrases)


def _kind(told: Told, lexicon: Lexicon, dated_ahead: bool, bounded: bool) -> Kind:
    stance, reading, effect = told.stance, told.reading, told.effect
    known = lexicon.attributes.get(reading.attribute or "")
    if stance.tense is Tense.FUTURE or stance.modality is Modality.INTENDED:
        # "From 1 October I will be living in …" is a state that begins then; "I'll buy …" a plan.
        stative = known is not None and known.kind is Kind.STATE and reading.effect is Effect.STATES
        return Kind.STATE if stative and dated_ahead and effect is Effect.STATES else Kind.PLAN
    if stance.modality in (Modality.POSSIBLE, Modality.DESIRED):
        return Kind.STATE
    if effect is Effect.ENDS:
        return Kind.STATE if stance.bare or stance.former else Kind.EVENT
    if known is not None and known.kind is not Kind.STATE:
        under_way = stance.progressive and stance.tense is Tense.PRESENT and dated_ahead
        if (
            known.kind is Kind.PLAN
            and stance.tense is Tense.PAST
            and not (dated_ahead or stance.progressive)
            and effect is Effect.STATES
        ):
            return Kind.EVENT  # "I had surgery in 2015"
        return Kind.PLAN if under_way else known.kind  # "I'm running the marathon on 6 December"
    if stance.tense is Tense.PAST:
        # "Worked at Infosys from 2012 to 2018" is a state of those years.
        return Kind.STATE if known is not None and (effect is Effect.STARTS or known.lasting or bounded) else Kind.EVENT
    if stance.tense is Tense.PERFECT and known is None and not stance.progressive:
        return Kind.STATE if told.clause.verb.lemma in ("be", "have") else Kind.EVENT
    return Kind.STATE
