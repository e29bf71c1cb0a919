"""The one ordered list of pair features.

It drives the classifier's vector, the names in the model's JSON, the labels of an explanation, the table in
the docs and the labelling screen. To add a feature, add a line to ``FEATURES``; nothing else changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.comparison import Comparison, compare, is_past
from engine.exact import AGAINST, FORCED, settled
from engine.lexicon import Lexicon
from engine.types import Effect, Kind, Modality, Operation, Pair, Polarity

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Feature:
    """One column: its name, the block it belongs to, a sentence for explanations, and its value in
    roughly [-1, 1]."""

    name: str
    block: str
    sentence: str
    value: Callable[[Comparison], float]


def _slot(c: Comparison) -> bool:
    return c.topic and (c.same_attribute or c.same_predicate or c.pair.predicate_cosine > 0.8)


def _other_value(c: Comparison) -> bool:
    return c.both_objects and not c.object_equal and not c.candidate_object_in_existing


def _one(c: Comparison) -> bool:
    return c.cardinality == "one"


def _many(c: Comparison) -> bool:
    return c.cardinality == "many"


def _turns_negative(c: Comparison) -> bool:
    return c.candidate_negative and not c.existing_negative


def _turns_positive(c: Comparison) -> bool:
    return c.existing_negative and not c.candidate_negative


def _ends(c: Comparison) -> bool:
    return c.candidate_ends and not c.existing_ends


def _hedged(c: Comparison) -> bool:
    return c.pair.candidate.modality is not Modality.ASSERTED


# The cells: one for each way in which slot, value and stance can meet. Exactly one is 1 for a pair of the same
# subject; what a logistic regression cannot multiply by itself, it finds multiplied here.
SLOTS = {
    "excluded": "the new state rules the old one out",
    "one": "the same attribute, which holds one value at a time",
    "many": "the same attribute, which holds many values",
    "open": "the same predicate",
    "family": "attributes of one family",
    "unlike": "attributes that have nothing in common",
    "unknown": "an attribute that is not known",
}
VALUES = {
    "missing": "no value to compare",
    "equal": "the same value",
    "narrower": "a part of the old value",
    "wider": "the old value and more",
    "counted": "another number, day or month",
    "broader": "a wider kind or place than the old value",
    "finer": "a narrower kind or place than the old value",
    "shared": "values that share words",
    "alike": "values alike in meaning",
    "other": "another value",
}
STANCES = {
    "affirmed": "affirmed as before",
    "denied": "denied now",
    "ended": "ended now",
    "regained": "affirmed where it was denied",
    "redenied": "denied as before",
    "hedged": "only possible or wished for",
}
_COARSE_SLOTS = {"excluded": "slot", "one": "slot", "many": "slot", "open": "slot"}
_COARSE_VALUES = {"missing": "missing", "other": "other", "alike": "other"}


def slot_of(c: Comparison) -> str:
    """Which of ``SLOTS`` a comparison falls into."""
    if c.excluded:
        return "excluded"
    if c.same_attribute:
        return "one" if _one(c) else "many"
    if c.same_predicate or c.pair.predicate_cosine > 0.8:
        return "open"
    if c.same_group:
        return "family"
    return "unlike" if c.known_attributes else "unknown"


def value_of(c: Comparison) -> str:
    """Which of ``VALUES`` a comparison falls into."""
    if not c.both_objects:
        return "missing"
    if c.numbers_equal and not c.times_differ and not c.names_differ:
        return "equal"
    if c.object_equal:
        return "counted" if c.numbers_differ or c.times_differ else "equal"
    if (c.numbers_differ or c.times_differ) and c.object_shared > 0:
        return "counted"
    if c.broader != c.finer:
        return "broader" if c.broader else "finer"
    if c.candidate_object_in_existing:
        return "narrower"
    if c.existing_object_in_candidate:
        return "wider"
    if c.object_shared > 0:
        return "shared"
    return "alike" if c.pair.object_cosine > 0.6 else "other"


def stance_of(c: Comparison) -> str:
    """Which of ``STANCES`` a comparison falls into."""
    if _hedged(c):
        return "hedged"
    if _turns_positive(c):
        return "regained"
    if c.pair.candidate.polarity is Polarity.NEGATIVE and c.existing_negative:
        return "redenied"
    if _ends(c):
        return "ended"
    return "denied" if _turns_negative(c) else "affirmed"


def _cell(slot: str, value: str) -> Feature:
    def test(c: Comparison) -> bool:
        if c.long or not c.topic or stance_of(c) != "affirmed":
            return False
        return slot_of(c) == slot and value_of(c) == value

    return Feature(f"affirmed_{slot}_{value}", "cell", f"{SLOTS[slot]}: {VALUES[value]}", test)


def _coarse_cell(stance: str, slot: str, value: str, *, long: bool = False) -> Feature:
    def test(c: Comparison) -> bool:
        return (
            c.topic
            and (c.long or not long)
            and stance_of(c) == stance
            and _COARSE_SLOTS.get(slot_of(c), "beside") == slot
            and _COARSE_VALUES.get(value_of(c), "common") == value
        )

    where = "the same slot" if slot == "slot" else "beside it"
    what = {"missing": "no value to compare", "other": "another value", "common": "the value"}[value]
    name, told = f"{stance}_{slot}_{value}", f"{where}: {what} {STANCES[stance]}"
    return (
        Feature(f"long_{name}", "cell", f"long statements, {told}", test) if long else Feature(name, "cell", told, test)
    )


CELLS: tuple[Feature, ...] = (
    *(_cell(slot, value) for slot in SLOTS for value in VALUES),
    *(
        _coarse_cell(stance, slot, value)
        for stance in STANCES
        if stance != "affirmed"
        for slot in ("slot", "beside")
        for value in ("missing", "common", "other")
    ),
    # long statements share patterns less by chance and are read less surely: few cells of their own
    *(
        _coarse_cell("affirmed", slot, value, long=True)
        for slot in ("slot", "beside")
        for value in ("missing", "common", "other")
    ),
)

_BELIEF: tuple[tuple[str, str, Callable[[Comparison], float]], ...] = (
    ("one", "of an attribute that holds one value", lambda c: c.topic and slot_of(c) == "one"),
    ("many", "of an attribute that holds many values", lambda c: c.topic and slot_of(c) == "many"),
    ("counted", "but numbers, days or months differ", lambda c: c.numbers_clash or c.times_differ),
    ("apart", "but the subjects differ", lambda c: not c.same_subject),
    ("long", "of long statements", lambda c: c.long),
)


def _evidence(name: str, sentence: str, holds: Callable[[Comparison], bool]) -> tuple[Feature, Feature]:
    """What exact comparison finds, and once more where the statements are short: then it was read rightly."""
    return (
        Feature(name, "exact", sentence, holds),
        Feature(f"{name}_short", "exact", f"short statements: {sentence}", lambda c: not c.long and holds(c)),
    )


SETTLED: tuple[Feature, ...] = tuple(
    feature
    for key, sentence in (*AGAINST.items(), *FORCED.items())
    for feature in _evidence(
        f"exact_{key.replace(' ', '_')}",
        sentence,
        lambda c, key=key: key in c.against or key == c.forced,  # type: ignore[misc]
    )
)

FEATURES: tuple[Feature, ...] = (
    # whom it is about
    Feature("same_subject", "subject", "both are about the same subject", lambda c: c.same_subject),
    Feature("subject_owned", "subject", "one is about what belongs to the other's subject", lambda c: c.subject_owned),
    Feature("subject_mentioned", "subject", "one names the other's subject",
            lambda c: c.subject_mentioned and not c.same_subject),
    Feature("topic", "subject", "they are about the same party, or what is its own", lambda c: c.topic),
    Feature("subject_overlap", "subject", "the subjects share words", lambda c: c.subject_overlap),
    # what is told of it
    Feature("same_attribute", "attribute", "both tell the same attribute", lambda c: c.same_attribute),
    Feature("same_group", "attribute", "their attributes are of one family", lambda c: c.same_group),
    Feature("other_attribute", "attribute", "they tell different attributes",
            lambda c: c.known_attributes and not c.same_attribute and not c.same_group),
    Feature("known_attributes", "attribute", "both attributes are known", lambda c: c.known_attributes),
    Feature("same_predicate", "attribute", "they use the same predicate", lambda c: c.same_predicate),
    Feature("predicate_cosine", "attribute", "the predicates mean alike", lambda c: c.pair.predicate_cosine),
    Feature("single_valued", "attribute", "the attribute holds one value at a time", _one),
    Feature("many_valued", "attribute", "the attribute holds many values", _many),
    Feature("antonyms", "attribute", "their words are opposites", lambda c: c.antonyms),
    Feature("excluded", "attribute", "the new value rules the old one out", lambda c: c.excluded),
    # the values
    Feature("both_objects", "object", "both have a value", lambda c: c.both_objects),
    Feature("object_equal", "object", "the values are equal", lambda c: c.object_equal),
    Feature("object_narrower", "object", "the new value is a part of the old", lambda c: c.candidate_object_in_existing),
    Feature("object_wider", "object", "the new value contains the old", lambda c: c.existing_object_in_candidate),
    Feature("object_shared", "object", "the values share words", lambda c: c.object_shared),
    Feature("object_cosine", "object", "the values mean alike", lambda c: c.pair.object_cosine),
    Feature("numbers_differ", "object", "their numbers differ", lambda c: c.numbers_differ),
    Feature("numbers_equal", "object", "their numbers are equal", lambda c: c.numbers_equal),
    Feature("times_differ", "object", "their days or months differ", lambda c: c.times_differ),
    Feature("times_equal", "object", "their days or months are equal", lambda c: c.times_equal),
    Feature("names_differ", "object", "they name different people, places or things", lambda c: c.names_differ),
    Feature("names_equal", "object", "they name the same", lambda c: c.names_equal),
    # how it is said
    Feature("turns_negative", "stance", "the new one denies, the old one affirms", _turns_negative),
    Feature("turns_positive", "stance", "the new one affirms, the old one denies", _turns_positive),
    Feature("both_negative", "stance", "both deny", lambda c: c.candidate_negative and c.existing_negative),
    Feature("candidate_ends", "stance", "the new one tells an end", _ends),
    Feature("existing_ends", "stance", "the old one tells an end", lambda c: c.existing_ends),
    Feature("both_end", "stance", "both tell an end", lambda c: c.existing_ends and c.candidate_ends),
    Feature("starts", "stance", "the new one tells a beginning", lambda c: c.pair.candidate.effect is Effect.STARTS),
    Feature("correction", "stance", "the new one corrects", lambda c: c.correction),
    Feature("hedged", "stance", "the new one is only possible or wished for", _hedged),
    Feature("existing_hedged", "stance", "the old one is only possible or wished for",
            lambda c: c.pair.existing.modality is not Modality.ASSERTED),
    Feature("candidate_past", "stance", "the new one tells of the past", lambda c: is_past(c.pair.candidate)),
    Feature("existing_past", "stance", "the old one tells of the past", lambda c: is_past(c.pair.existing)),
    Feature("same_kind", "stance", "both are a state, an event or a plan",
            lambda c: c.pair.candidate.kind is c.pair.existing.kind),
    Feature("candidate_event", "stance", "the new one is an event", lambda c: c.pair.candidate.kind is Kind.EVENT),
    Feature("existing_event", "stance", "the old one is an event", lambda c: c.pair.existing.kind is Kind.EVENT),
    # the whole texts
    Feature("text_cosine", "text", "the statements mean alike", lambda c: c.pair.text_cosine),
    Feature("jaccard", "text", "the statements share words", lambda c: c.jaccard),
    Feature("existing_covered", "text", "the new one has the words of the old", lambda c: c.candidate_covers),
    Feature("candidate_covered", "text", "the old one has the words of the new", lambda c: c.existing_covers),
    Feature("new_words", "text", "words that only the new one has", lambda c: min(c.new_words, 6) / 6),
    Feature("lost_words", "text", "words that only the old one has", lambda c: min(c.lost_words, 6) / 6),
    Feature("wording", "text", "the same words in the same order", lambda c: c.wording),
    Feature("long", "text", "both are long statements", lambda c: c.long),
    Feature("long_jaccard", "text", "long statements that share words", lambda c: c.long * c.jaccard),
    Feature("long_cosine", "text", "long statements that mean alike", lambda c: c.long * c.pair.text_cosine),
    Feature("long_wording", "text", "long statements of the same words in the same order", lambda c: c.long * c.wording),
    Feature("long_aligned", "text", "long statements whose words find each other",
            lambda c: c.long * c.pair.alignment.candidate_mean),
    Feature("long_denied", "text", "a long statement denied by one that shares words",
            lambda c: c.long * _turns_negative(c) * c.jaccard),
    # what exact comparisons settle
    *SETTLED,
    Feature("over_by_rule", "exact", "it names the old one as over", lambda c: c.over),
    # products: what only means something together
    Feature("slot_other_value", "product", "same subject and attribute, another value",
            lambda c: _slot(c) and _other_value(c)),
    Feature("slot_one_other_value", "product", "a single-valued attribute with another value",
            lambda c: _slot(c) and _one(c) and _other_value(c)),
    Feature("slot_many_other_value", "product", "a many-valued attribute with another value",
            lambda c: _slot(c) and _many(c) and _other_value(c)),
    Feature("slot_same_value", "product", "same subject and attribute, same value",
            lambda c: _slot(c) and (c.object_equal or c.candidate_object_in_existing)
            and c.candidate_negative == c.existing_negative),
    Feature("slot_denied", "product", "the same thing is denied",
            lambda c: c.topic and _turns_negative(c) and (c.object_shared > 0 or not c.both_objects)),
    Feature("slot_ended", "product", "what is there is ended",
            lambda c: c.topic and _ends(c) and (c.object_shared > 0 or c.same_group or c.same_attribute)),
    Feature("subset_same_stance", "product", "nothing new is said",
            lambda c: c.topic and c.new_words == 0 and c.candidate_negative == c.existing_negative
            and not _ends(c)),
    Feature("superset_same_stance", "product", "the old one is said with more",
            lambda c: c.topic and c.lost_words == 0 and c.new_words > 0
            and c.candidate_negative == c.existing_negative and not _ends(c)),
    Feature("subject_text_cosine", "product", "same subject and alike in meaning",
            lambda c: c.same_subject * c.pair.text_cosine),
    Feature("subject_predicate_cosine", "product", "same subject and predicates alike",
            lambda c: c.same_subject * c.pair.predicate_cosine),
    Feature("predicate_numbers_differ", "product", "the same is counted or dated differently",
            lambda c: _slot(c) and (c.numbers_differ or c.times_differ)),
    Feature("ends_cosine", "product", "an end, and alike in meaning",
            lambda c: c.topic * (_ends(c) or _turns_negative(c)) * c.pair.text_cosine),
    Feature("ends_object_cosine", "product", "an end, and the values alike",
            lambda c: c.topic * (_ends(c) or _turns_negative(c)) * c.pair.object_cosine),
    Feature("ends_but_names_differ", "product", "an end of something else",
            lambda c: (_ends(c) or _turns_negative(c)) and c.names_differ),
    Feature("many_object_cosine", "product", "a many-valued attribute, values alike",
            lambda c: _many(c) * c.pair.object_cosine),
    Feature("events_apart", "product", "two events",
            lambda c: c.pair.candidate.kind is Kind.EVENT and c.pair.existing.kind is Kind.EVENT
            and not c.candidate_ends),
    # what it says of its relation to what was before
    Feature("says_now", "cue", "it says that this holds now", lambda c: "now" in c.cues),
    Feature("says_instead", "cue", "it says that something took another's place", lambda c: "instead" in c.cues),
    Feature("says_also", "cue", "it says that this is one more", lambda c: "also" in c.cues),
    Feature("says_again", "cue", "it says that this is so again, or still", lambda c: "again" in c.cues),
    Feature("says_only", "cue", "it says that this is so and nothing else", lambda c: "only" in c.cues),
    Feature("slot_now", "cue", "it says that this slot holds this now", lambda c: _slot(c) and "now" in c.cues),
    Feature("slot_also", "cue", "it says that this slot holds this too", lambda c: _slot(c) and "also" in c.cues),
    Feature("ended_instead", "cue", "an end, and something in its place",
            lambda c: _ends(c) and bool({"instead", "now"} & c.cues)),
    Feature("denied_instead", "cue", "a denial, and something in its place",
            lambda c: _turns_negative(c) and bool({"instead", "now"} & c.cues)),
    # how the words find each other
    Feature("existing_aligned", "alignment", "the old words find like ones in the new",
            lambda c: c.pair.alignment.existing_mean),
    Feature("candidate_aligned", "alignment", "the new words find like ones in the old",
            lambda c: c.pair.alignment.candidate_mean),
    Feature("existing_odd_word", "alignment", "the old word that fits least still fits",
            lambda c: c.pair.alignment.existing_least),
    Feature("candidate_odd_word", "alignment", "the new word that fits least still fits",
            lambda c: c.pair.alignment.candidate_least),
    *CELLS,
    # what is known of the words
    Feature("broader", "world", "the new one names a wider kind or place", lambda c: c.broader and not c.finer),
    Feature("finer", "world", "the new one names a narrower kind or place", lambda c: c.finer and not c.broader),
    Feature("existing_kin", "world", "the old words, or their relatives, stand in the new", lambda c: c.kin_existing),
    Feature("candidate_kin", "world", "the new words, or their relatives, stand in the old", lambda c: c.kin_candidate),
    Feature("broader_affirmed", "world", "the same thing in wider terms",
            lambda c: c.same_subject and c.broader and not c.finer and stance_of(c) == "affirmed"),
    Feature("finer_affirmed", "world", "the same thing in narrower terms",
            lambda c: c.same_subject and c.finer and not c.broader and stance_of(c) == "affirmed"),
    # what the difference of the two embeddings suggests (a regression of its own, trained out of fold), and how
    # far to believe it where the slots say more: embeddings cannot tell one value from many, nor 4.2 from 5.1
    *(
        Feature(f"meaning_{operation.lower()}", "meaning", f"the embeddings' difference suggests {operation}",
                lambda c, i=i: c.pair.meaning[i])  # type: ignore[misc]
        for i, operation in enumerate(Operation)
    ),
    *(
        Feature(f"meaning_{operation.lower()}_{name}", "meaning",
                f"the embeddings' difference suggests {operation}, {sentence}",
                lambda c, i=i, flag=flag: c.pair.meaning[i] * flag(c))  # type: ignore[misc]
        for name, sentence, flag in _BELIEF
        for i, operation in enumerate(Operation)
    ),
)  # fmt: skip

NAMES: tuple[str, ...] = tuple(f.name for f in FEATURES)


def vectors(pairs: Sequence[Pair], lexicon: Lexicon) -> Matrix:
    """The features of pairs.

    Parameters
    ----------
    pairs : sequence of Pair
        ``n`` pairs.
    lexicon : Lexicon
        For the comparison of attributes.

    Returns
    -------
    ndarray of float64, shape [n, len(FEATURES)]
        In the order of ``FEATURES``.
    """
    out = np.zeros((len(pairs), len(FEATURES)))
    for row, pair in enumerate(pairs):
        comparison = settled(compare(pair, lexicon), lexicon)
        out[row] = [float(feature.value(comparison)) for feature in FEATURES]
    return out
