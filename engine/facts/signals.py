"""What the gate looks at in a clause: one ordered list of named signals.

The gate itself (``engine.durable``) is a logistic regression over these and the embedding of the statement.
To add a signal, add a line to ``SIGNALS``; then train with ``factfold train --what gate``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.facts import gate
from engine.facts.arguments import arguments
from engine.facts.clauses import SPEAKER
from engine.facts.people import FIRST
from engine.facts.told import Told
from engine.lexicon import Lexicon
from engine.types import Effect, Kind, Modality, Polarity, Tense, Token


@dataclass(frozen=True, slots=True)
class Seen:
    """A clause with what several signals ask for."""

    told: Told
    lexicon: Lexicon
    owned: bool
    heads: tuple[Token, ...]
    text: str

    def cued(self, kind: str) -> bool:
        return any(f" {cue} " in self.text for cue in self.lexicon.cues[kind])

    def has_entity(self, *kinds: str) -> bool:
        return any(t.ent in kinds for t in self.heads)

    @property
    def subject_kind(self) -> str:
        token = self.told.clause.subject
        if token is None or token == SPEAKER or self.told.tree[token].low in FIRST:
            return "speaker"
        party = self.told.party
        if party.name or party.role:
            return "person" if party.kind != "thing" else "thing"
        return "own" if party.owner else "other"

    @property
    def attribute_kind(self) -> Kind | None:
        known = self.lexicon.attributes.get(self.told.reading.attribute or "")
        return known.kind if known else None


Signal = Callable[[Seen], bool | float]

SIGNALS: tuple[tuple[str, Signal], ...] = (
    ("passing_by_rule", lambda s: not s.owned and gate.is_passing(
        s.told.clause, s.told.stance, s.told.reading, s.lexicon)),
    ("owned_property", lambda s: s.owned),
    ("known_state", lambda s: s.attribute_kind is Kind.STATE),
    ("known_event", lambda s: s.attribute_kind is Kind.EVENT),
    ("known_plan", lambda s: s.attribute_kind is Kind.PLAN),
    ("about_speaker", lambda s: s.subject_kind == "speaker"),
    ("about_person", lambda s: s.subject_kind == "person"),
    ("about_own_thing", lambda s: s.subject_kind == "own"),
    ("about_other", lambda s: s.subject_kind == "other"),
    ("present", lambda s: s.told.stance.tense is Tense.PRESENT),
    ("past", lambda s: s.told.stance.tense is Tense.PAST),
    ("perfect", lambda s: s.told.stance.tense is Tense.PERFECT),
    ("future", lambda s: s.told.stance.tense is Tense.FUTURE),
    ("progressive", lambda s: s.told.stance.progressive),
    ("arranged", lambda s: s.told.arranged),
    ("negative", lambda s: s.told.stance.polarity is Polarity.NEGATIVE),
    ("starts", lambda s: s.told.effect is Effect.STARTS),
    ("ends", lambda s: s.told.effect is Effect.ENDS),
    ("possible", lambda s: s.told.stance.modality is Modality.POSSIBLE),
    ("desired", lambda s: s.told.stance.modality is Modality.DESIRED),
    ("intended", lambda s: s.told.stance.modality is Modality.INTENDED),
    ("momentary", lambda s: s.cued("moment_adverbs")),
    ("frequent", lambda s: s.cued("frequency")),
    ("weak_event", lambda s: s.told.clause.verb.lemma in s.lexicon.cues["weak_events"]),
    ("durable_event", lambda s: s.told.clause.verb.lemma in s.lexicon.cues["durable_events"]),
    ("mood", lambda s: any(s.lexicon.in_class("mood", [t.low]) for t in s.heads)),
    ("copula", lambda s: s.told.clause.verb.lemma == "be"),
    ("subordinate", lambda s: s.told.clause.link not in ("main", "conj")),
    ("names_person", lambda s: s.has_entity("PERSON")),
    ("names_place", lambda s: s.has_entity("GPE", "LOC", "FAC")),
    ("names_organisation", lambda s: s.has_entity("ORG")),
    ("names_thing", lambda s: s.has_entity("WORK_OF_ART", "PRODUCT", "EVENT", "LANGUAGE", "NORP")),
    ("tells_time", lambda s: s.has_entity("DATE", "TIME")),
    ("tells_number", lambda s: any(t.pos == "NUM" for t in s.told.tree.tokens)),
    ("relation_word", lambda s: any(t.low in s.lexicon.roles for t in s.told.tree.tokens)),
    ("pronoun_value", lambda s: s.told.reading.value is not None
        and s.told.tree[s.told.reading.value].pos in ("PRON", "DET")),
    ("no_value", lambda s: s.told.reading.value is None and not s.told.reading.fixed),
    ("exclaimed", lambda s: any("!" in t.text for t in s.told.tree.tokens[-2:])),
    ("length", lambda s: min(len(s.told.words()), 30) / 30),
)  # fmt: skip

NAMES: tuple[str, ...] = tuple(name for name, _ in SIGNALS)


def signals_of(told: Told, lexicon: Lexicon, *, owned: bool) -> tuple[float, ...]:
    """The signals of a clause, in the order of ``NAMES``.

    Parameters
    ----------
    told : Told
    lexicon : Lexicon
    owned : bool
        Whether the clause says "X's N is V".
    """
    heads = tuple(told.tree[a.head] for a in arguments(told.clause))
    seen = Seen(told, lexicon, owned, heads, f" {' '.join(told.words())} ")
    return tuple(float(signal(seen)) for _, signal in SIGNALS)
