"""A clause with all that was read off it, before it is written down as facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.facts.arguments import arguments
from engine.facts.clauses import Clause
from engine.facts.people import Party
from engine.facts.stance import Stance
from engine.facts.tree import Tree
from engine.facts.typing import Reading
from engine.lexicon import Lexicon
from engine.types import Effect, Polarity, Sentence, Tense

_ARRANGED = {
    "go",
    "fly",
    "travel",
    "move",
    "visit",
    "leave",
    "marry",
    "start",
    "run",
    "drive",
    "come",
    "head",
    "relocate",
}


@dataclass(frozen=True, slots=True)
class Told:
    """``subject`` is how the party is written here ("user and Ana"), ``plural`` whether it keeps a plural
    verb, ``further`` are the readings beside the main one, ``beside`` the other clauses of the sentence."""

    sentence: Sentence
    clause: Clause
    stance: Stance
    reading: Reading
    party: Party
    subject: str
    plural: bool
    beside: tuple[Clause, ...]
    further: tuple[Reading, ...] = ()

    @property
    def tree(self) -> Tree:
        return self.clause.tree

    @property
    def effect(self) -> Effect:
        """The control verb's aspect over the pattern's: "stopped living in", "started to leave"."""
        if self.stance.aspect is Effect.ENDS or self.stance.former:
            return Effect.ENDS
        if self.reading.effect is Effect.ENDS:
            return Effect.STATES if self.stance.polarity is Polarity.NEGATIVE else Effect.ENDS
        return self.stance.aspect if self.stance.aspect is Effect.STARTS else self.reading.effect

    @property
    def arranged(self) -> bool:
        """The present progressive of going and coming tells a plan: "we're flying to Oslo for Easter"."""
        return (
            self.stance.progressive
            and self.stance.tense is Tense.PRESENT
            and self.clause.verb.lemma in _ARRANGED
            and any(a.role == "prep" and a.prep in ("to", "for", "from") for a in arguments(self.clause))
        )

    @property
    def apart(self) -> set[int]:
        """The tops of clauses that are told on their own."""
        return {c.top for c in self.beside if c.top != self.clause.top and c.link not in ("content", "purpose")}

    def words(self) -> list[str]:
        """The words of the clause without those of clauses that are told on their own, in lower case."""
        apart = self.apart
        return [self.tree[i].low for i in self.tree.subtree(self.clause.top, apart) if i not in apart]

    def owns(self, positions: Sequence[int]) -> bool:
        """Whether a phrase stands under this clause's verbs and under no other clause's."""
        verbs = {self.clause.top, self.clause.head, *self.clause.chain}
        for i in positions:
            if i in verbs:
                return True
            for above in self.tree.ancestors(i):
                if above.i in verbs:
                    return True
                if above.pos in ("VERB", "AUX") and above.dep in ("ROOT", "conj", "relcl", "advcl", "ccomp"):
                    break
        return False

    def by(self, reading: Reading) -> Told:
        """The same clause under another of its readings."""
        return replace(self, reading=reading, further=())


def relation_cues(words: Iterable[str], lexicon: Lexicon) -> tuple[str, ...]:
    """What the words say of the statement's relation to what was before: now, instead, also, again."""
    text = f" {' '.join(words)} "
    kinds = ("now", "instead", "also", "again", "only")
    found = tuple(k for k in kinds if any(f" {cue} " in text for cue in lexicon.cues[f"says_{k}"]))
    return (*found, "only now") if "now" in found and " only " in text else found


def is_replanned(told: Told, lexicon: Lexicon) -> bool:
    """Whether the message says that another plan was made: "change of plan for Easter, …"."""
    text = f" {' '.join(told.sentence.message.content.lower().replace(',', ' ').replace(':', ' ').split())} "
    return any(f" {cue} " in text for cue in lexicon.cues["says_replanned"])


def corrects(told: Told, lexicon: Lexicon) -> bool:
    """Whether a statement says of itself that it corrects something: by a cue, or by "…, not …"."""
    text = f" {' '.join(t.low for t in told.sentence.tokens)} "
    return any(f" {cue} " in text for cue in lexicon.cues["correction"]) or any(
        t.dep == "contrast" for t in told.tree.tokens
    )
