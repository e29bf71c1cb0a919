"""What exact comparisons settle before any probability: rules that force ADD, and labels that a pair cannot have.

Numbers, dates, names and polarity are compared exactly, and the lexicon knows what an attribute can hold. The
classifier sees what is settled here as features; ``engine.decide`` never does what is ruled out here.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from engine import world
from engine.comparison import Comparison, counted, kin_share, subject_parts, words_of
from engine.endings import ended_by_rule, outlives
from engine.lexicon import Lexicon, singular
from engine.types import Effect, Fact, Kind, Modality, Operation, Pair, Polarity, Tense

LINK_KIN = 0.34  # a third of the memory's content words, or their relatives, stand in the statement
LINK_COSINE = 0.5
HALF = 0.5
SELF = "self"
SAME_MEANING = 0.75
A_WHILE = timedelta(days=200)


REPEATED = frozenset("visited injury accident achievement event".split())
"""Attributes of what happens more than once (graphiti#1865): another date is another time."""


AGAINST = {
    "other parties": "they are about different people",
    "numbers differ": "the numbers differ",
    "times differ": "the days or months differ",
    "other names": "they name different people, places or things",
    "other things": "their values have nothing to do with each other",
    "one denies": "one denies what the other affirms",
    "something else": "it says something else",
    "one is over": "one says that it is over",
    "opposite words": "their words are opposites",
    "outlives": "it outlives its subject",
    "something else ended": "something else ended",
    "something else denied": "something else is denied",
    "happened": "a present state does not undo what happened",
    "happened again": "it happened again",
    "time over": "it tells of a time that is over",
    "opposites apart": "they are opposite words about different things",
    "only planned": "a plan changes nothing until it is carried out",
    "only wished": "it has nothing to do with what was only possible or wished for",
    "nothing links": "nothing links the one to the other",
    "holds one": "the attribute holds one value at a time",
    "holds another": "another name in an attribute that holds one value",
    "the opposite": "it says the opposite of the same thing",
    "takes its place": "it is told to take its place",
    "excluded": "the one rules the other out",
    "recounted": "the same things were counted again",
}
"""What speaks against a label, each with its sentence. Every one is a feature of the classifier."""
CERTAIN = frozenset((
    "other parties", "numbers differ", "times differ", "one denies", "holds one", "holds another", "the opposite",
    "takes its place", "excluded", "recounted", "nothing links",
))  # fmt: skip
"""What rules a label out; the others leave it to the classifier how much they weigh, and nothing is done on them."""

FORCED = {
    "no common subject": "they are about different subjects",
    "not comparable": "their attributes have nothing to do with each other",
    "hedged": "what is only possible or wished for changes nothing",
    "one breath": "both were told in one sentence, so both are true",
    "another time": "it is another time that the like happened",
    "for a while": "it lasts for a limited time, and what was before holds again afterwards",
}
"""The rules that force ADD, with the reason that each gives."""


def settled(c: Comparison, lexicon: Lexicon) -> Comparison:
    """The comparison with what is settled about it, for the features."""
    rule = rule_of(c, lexicon)
    return replace(
        c,
        against=frozenset(against(c, lexicon).values()),
        forced=rule or "",
        over=ended_by_rule(c, lexicon) is not None,
    )


def impossible(c: Comparison, lexicon: Lexicon) -> dict[Operation, str]:
    """What a pair cannot be, whatever the classifier thinks of it, each with the reason.

    Numbers, dates and polarity are compared exactly (mcp-memory-service#1216), so a difference in them is no
    repetition; and an attribute that holds one value cannot hold two (mem0#4956).
    """
    return apart(c, lexicon)[0]


def apart(c: Comparison, lexicon: Lexicon) -> tuple[dict[Operation, str], dict[Operation, str]]:
    """What a pair cannot be, and what it hardly is (the classifier may think so, but nothing is done on it), each label
    with the reason."""
    ruled_out: dict[Operation, str] = {}
    doubts: dict[Operation, str] = {}
    for label, key in against(c, lexicon).items():
        (ruled_out if key in CERTAIN else doubts)[label] = AGAINST[key]
    return ruled_out, doubts


def against(c: Comparison, lexicon: Lexicon) -> dict[Operation, str]:
    """What speaks against the labels that a pair should not have: keys of ``AGAINST``."""
    if _other_parties(c, lexicon):
        return dict.fromkeys((Operation.UPDATE, Operation.DELETE, Operation.NOOP), "other parties")
    out: dict[Operation, str] = {}
    if c.numbers_clash:
        out[Operation.NOOP] = "numbers differ"
    elif c.times_differ:
        out[Operation.NOOP] = "times differ"
    elif c.names_clash:
        out[Operation.NOOP] = "other names"
    elif _other_things(c):
        out[Operation.NOOP] = "other things"
    elif c.candidate_negative != c.existing_negative and not (c.candidate_ends or c.existing_ends):
        out[Operation.NOOP] = "one denies"
    elif _says_something_else(c):
        out[Operation.NOOP] = "something else"
    elif c.same_attribute and _denies(c.pair.candidate) != _denies(c.pair.existing):
        out[Operation.NOOP] = "one is over"
    elif c.antonyms and c.same_subject and c.candidate_negative == c.existing_negative and not c.candidate_ends:
        out[Operation.NOOP] = "opposite words"
    if reason := _leaves_alone(c, lexicon) or ("" if linked(c) else "nothing links"):
        out[Operation.UPDATE] = out[Operation.DELETE] = reason
    elif _two_of_one(c):
        out[Operation.ADD] = out[Operation.DELETE] = "holds one"
        if out.get(Operation.NOOP) == "other names":
            out[Operation.NOOP] = "holds another"
    elif _turns_round(c):
        out = dict.fromkeys((Operation.ADD, Operation.DELETE, Operation.NOOP), "the opposite")
    elif _replaces(c):
        out[Operation.ADD] = out[Operation.DELETE] = "takes its place"
        out.setdefault(Operation.NOOP, "takes its place")
    elif c.excluded and c.same_subject and c.pair.candidate.modality is Modality.ASSERTED and not _is_history(c):
        out[Operation.ADD] = out[Operation.NOOP] = "excluded"
    elif recounted(c):
        out[Operation.ADD] = out[Operation.DELETE] = "recounted"
    return out


def _for_a_while(c: Comparison) -> bool:
    """Whether a statement tells of a stay with an end in sight, and the memory of what lasts: "I'm staying in Ghent
    until 31 August"."""
    old, new = c.pair.existing, c.pair.candidate
    if new.valid_to is None or old.valid_to is not None or c.object_equal or new.correction:
        return False
    begins = new.valid_from.at if new.valid_from is not None else new.said_at
    states = old.kind is Kind.STATE and new.kind is Kind.STATE and new.polarity is Polarity.POSITIVE
    return states and begins is not None and new.valid_to.at - begins <= A_WHILE


def _is_history(c: Comparison) -> bool:
    """Whether either tells what happened or is only planned, which excludes no state."""
    return any(f.kind is not Kind.STATE for f in (c.pair.existing, c.pair.candidate))


def recounted(c: Comparison) -> bool:
    """Whether both say how many of the same things somebody has: "three cats" and "one cat"."""
    old, new = c.pair.existing, c.pair.candidate
    if not (c.same_subject and (c.same_attribute or c.same_predicate)) or new.effect is Effect.ENDS:
        return False
    if not all(f.kind is Kind.STATE and f.polarity is Polarity.POSITIVE for f in (old, new)) or "also" in c.cues:
        return False
    counts = [counted(f.object) for f in (old, new)]
    return None not in counts and counts[0] != counts[1] and counts[0][1] == counts[1][1]  # type: ignore[index]


def _denies(fact: Fact) -> bool:
    """Whether a fact says that something is not, or no longer."""
    return fact.polarity is Polarity.NEGATIVE or fact.effect is Effect.ENDS


def _another_party(c: Comparison, lexicon: Lexicon) -> bool:
    """Whether one is about somebody of the other's subject, and does not tell of their end: "my brother's" is never
    "mine" (mem0#5867)."""
    old, new = c.pair.existing, c.pair.candidate
    if c.same_subject or new.attribute == "death" or new.effect is Effect.ENDS and c.subject_mentioned:
        return False  # but that somebody gave up the cello is no word on their daughter's
    longer = max((old.subject, new.subject), key=len)
    kinds = {lexicon.roles[w].kind for w in subject_parts(longer)[1].split() if w in lexicon.roles}
    return c.subject_owned and bool(kinds & {"person", "animal"})


def _other_parties(c: Comparison, lexicon: Lexicon) -> bool:
    """Whether the subjects are two people for certain: somebody and a relative, a mother and a father."""
    new = c.pair.candidate
    if c.same_subject or new.effect is Effect.ENDS or new.attribute == "death":
        return False
    one, other = (_relation(f.subject, lexicon) for f in (c.pair.existing, new))
    if one is None or other is None or one[0] != other[0]:
        return False
    if SELF in (one[1], other[1]):
        return one != other
    certain = one[3] and other[3] and "parent" not in (one[1], other[1])
    return certain and (one[1] != other[1] or {one[2], other[2]} == {"female", "male"})


def _relation(subject: str, lexicon: Lexicon) -> tuple[str, str, str, bool] | None:
    """Whose relative a subject is, by which relation, of which gender, and whether nobody else can be it (a friend may
    be a neighbour); people stand to themselves as ``SELF``. None where it is no person or animal."""
    owner, rest, names = subject_parts(subject)
    if not owner:
        return ("user", SELF, "any", True) if rest == "user" else None
    words = [w for w in rest.split() if w not in names]
    known = [lexicon.roles[w] for w in (" ".join(words), *words[-1:]) if w in lexicon.roles]
    if not known or known[0].kind not in ("person", "animal"):
        return None
    return owner, known[0].attribute, known[0].gender, known[0].lasting or known[0].attribute == "partner"


def linked(c: Comparison) -> bool:
    """Whether anything but the classifier ties a change to a memory: its slot, a word of its value, a name, or
    at least its meaning. "I quit my job" is no word on the languages somebody speaks."""
    slot = c.same_attribute or c.same_group or c.excluded or c.same_predicate or c.antonyms
    value = c.object_shared > 0 or c.names_equal or c.broader or c.finer or c.kin_beside_subject >= LINK_KIN
    party = c.subject_mentioned and not c.same_subject
    return slot or value or party or c.pair.text_cosine >= LINK_COSINE


def same_slot(c: Comparison) -> bool:
    """Whether both tell the same attribute, use the same predicate, rule each other out, or say opposite things of
    one value, of one subject."""
    return c.same_subject and (c.same_attribute or c.same_predicate or c.excluded or c.antonyms and _values_meet(c))


def _values_meet(c: Comparison) -> bool:
    """Whether the values have anything to do with each other: a word, a kind, a meaning."""
    return c.object_equal or c.object_shared > 0 or c.broader or c.finer or c.pair.object_cosine >= LINK_COSINE


def _says_something_else(c: Comparison) -> bool:
    """Whether little of a statement stands in a memory of another slot, in whatever words: taking it for known would
    lose it without a word."""
    slot = c.same_attribute or c.same_predicate or c.antonyms or c.excluded
    return not slot and c.kin_candidate < HALF and c.pair.text_cosine < SAME_MEANING and not c.broader


def _other_things(c: Comparison) -> bool:
    """Whether both tell a value of one attribute, and the values have nothing to do with each other."""
    old, new = c.pair.existing, c.pair.candidate
    if kin_share(old.object, new.text) or kin_share(new.object, old.text):
        return False  # "teaches maths" and "is a teacher"
    plain = all(_is_plain_word(f.object) for f in (old, new))  # "cat" and "dog"
    named_alike = c.objects_apart or c.cardinality == "many" and _values_apart(c)  # "a Land Rover" and "a road bike"
    return c.same_attribute and named_alike and (c.pair.object_cosine < LINK_COSINE or plain)


def _values_apart(c: Comparison) -> bool:
    """Whether two values share no word and neither is a kind of the other."""
    return c.both_objects and c.object_shared == 0 and not c.broader and not c.finer


def _is_plain_word(value: str) -> bool:
    words = [w for w in value.split() if w.lower() not in ("a", "an", "the")]
    return len(words) == 1 and world.is_word(singular(words[0].lower()))


def _leaves_alone(c: Comparison, lexicon: Lexicon) -> str | None:
    """Why a statement can change nothing of a memory: what happened has happened, and a wish is no state."""
    old, new = c.pair.existing, c.pair.candidate
    if outlives(c, lexicon):
        return "outlives"
    named = words_of(new.object).stems & words_of(old.text).stems
    if new.effect is Effect.ENDS and c.cardinality == "many" and _other_things(c) and not named:
        return "something else ended"
    if new.polarity is Polarity.NEGATIVE and c.cardinality == "many" and c.objects_apart and not named:
        return "something else denied"
    if new.correction or new.polarity is Polarity.NEGATIVE or new.effect is Effect.ENDS:
        return None
    if old.kind is Kind.EVENT and new.kind is Kind.STATE and c.same_subject:
        return "happened"
    if c.same_attribute and new.attribute in REPEATED and (c.numbers_clash or c.times_differ):
        return "happened again"
    if old.tense is Tense.PAST and old.valid_to is not None and old.effect is Effect.STATES and c.same_subject:
        return "time over"
    if c.antonyms and c.both_objects and not _values_meet(c) and not (c.excluded or c.same_attribute or c.same_group):
        return "opposites apart"
    if new.kind is Kind.PLAN and old.kind is Kind.STATE and new.tense not in (Tense.PAST, Tense.PERFECT):
        return "only planned"
    hedged = old.modality in (Modality.POSSIBLE, Modality.DESIRED) and new.modality is Modality.ASSERTED
    if hedged and c.object_shared == 0:
        return "only wished"
    return None


def _two_of_one(c: Comparison) -> bool:
    """Whether both tell a present value of a single-valued attribute, and not expressly a second one."""
    old, new = c.pair.existing, c.pair.candidate
    present = all(
        f.kind is not Kind.EVENT
        and (f.modality is Modality.ASSERTED or _is_announced(f))
        and f.polarity is Polarity.POSITIVE
        and f.effect is not Effect.ENDS
        and (f.tense is not Tense.PAST or f.effect is Effect.STARTS)
        for f in (old, new)
    )
    return (
        present
        and c.same_subject
        and c.same_attribute
        and c.cardinality == "one"
        and c.both_objects
        and ("also" not in c.cues)
    )


def _turns_round(c: Comparison) -> bool:
    """Whether a statement says the opposite of one thing: "loves opera" and "hates opera" (mem0 PR#2709)."""
    old, new = c.pair.existing, c.pair.candidate
    present = all(f.kind is Kind.STATE and f.modality is Modality.ASSERTED and not _denies(f) for f in (old, new))
    opposite = c.antonyms and not c.same_predicate and c.object_equal
    return present and c.same_subject and opposite and not c.numbers_clash and "also" not in c.cues


def _replaces(c: Comparison) -> bool:
    """Whether a statement says that it takes the place of what was told of an attribute of many values: "change of
    plan, we're going to Kraków", "he's only into dinosaurs now"."""
    old, new = c.pair.existing, c.pair.candidate
    if not (c.same_subject and c.same_attribute) or any(_denies(f) for f in (old, new)):
        return False
    if old.kind is Kind.PLAN and new.kind is Kind.PLAN:
        return "replanned" in c.cues
    states = old.kind is Kind.STATE and new.kind is Kind.STATE and new.modality is Modality.ASSERTED
    return states and "only now" in c.cues and not c.object_equal


def _is_announced(fact: Fact) -> bool:
    """Whether a fact tells a state that begins on a day to come: "from 1 October I will be living in Bratislava"."""
    return fact.kind is Kind.STATE and fact.modality is Modality.INTENDED and fact.valid_from is not None


def _another_time(c: Comparison) -> bool:
    """Whether an event cannot be the one that is known (graphiti#1865): it is dated after the memory was told, or it is
    of a kind that happens again and has another date.

    "I visited Porto last week", a year later in the same words: another visit, with its own day.
    """
    old, new = c.pair.existing, c.pair.candidate
    if old.kind is not Kind.EVENT or new.kind is not Kind.EVENT or new.valid_from is None:
        return False
    if new.correction or "put right" in new.cues:
        return False
    if old.valid_from is not None and new.attribute in REPEATED and c.same_attribute:
        return old.valid_from.at != new.valid_from.at and old.valid_from.precision is new.valid_from.precision
    foretold = old.said_at is not None and old.valid_from is not None and old.valid_from.at > old.said_at
    return old.said_at is not None and not foretold and new.valid_from.at > old.said_at


def is_repetition(pair: Pair) -> bool:
    """Whether a statement is word for word what the memory says (hindsight#360)."""
    old, new = pair.existing, pair.candidate
    same_words = old.text.casefold().split() == new.text.casefold().split()
    return same_words and old.kind is new.kind and (old.kind is not Kind.EVENT or old.valid_from == new.valid_from)


def rule_of(c: Comparison, lexicon: Lexicon) -> str | None:
    """The rule that forces ADD, if one holds."""
    old, new = c.pair.existing, c.pair.candidate
    if not c.topic or _another_party(c, lexicon):
        return "no common subject"
    if old.span is not None and old.span == new.span and not new.correction and old.text.lower() != new.text.lower():
        return "one breath"
    if _another_time(c):
        return "another time"
    if new.modality in (Modality.POSSIBLE, Modality.DESIRED) and old.modality is Modality.ASSERTED:
        return "hedged"
    if _for_a_while(c):
        return "for a while"
    unrelated = c.known_attributes and not (c.same_attribute or c.excluded or c.same_predicate)
    if unrelated and c.same_group:
        unrelated = c.object_shared == 0
    if (
        unrelated
        and not c.antonyms
        and not c.correction
        and new.effect is not Effect.ENDS
        and c.kin_beside_subject < 0.75
    ):
        return "not comparable"
    named = c.names_equal or bool(words_of(new.object).stems & words_of(old.text).stems)
    if unrelated and new.effect is Effect.ENDS and new.attribute != "death" and not named:
        return "not comparable"
    if (
        not c.same_subject
        and not c.subject_owned
        and not c.candidate_ends
        and not c.candidate_negative
        and c.jaccard < 0.5
    ):
        return "no common subject"
    return None
