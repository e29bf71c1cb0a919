"""Parsed sentences → facts, commands and skips: the steps of extraction in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.facts import gate
from engine.facts.antecedents import dated, remember, with_place
from engine.facts.arguments import arguments
from engine.facts.clauses import SPEAKER, Clause, clauses
from engine.facts.commands import command_of
from engine.facts.compose import compose, compose_whole
from engine.facts.copula import owned_by_having, possessive_copula, relations_in
from engine.facts.fragments import fragment_of
from engine.facts.frames import Framed, framed_facts, frames_in
from engine.facts.instructions import instruction_of
from engine.facts.people import FIRST, SECOND, Cast, Party, introduce
from engine.facts.signals import signals_of
from engine.facts.stance import stance_of
from engine.facts.told import Told
from engine.facts.tree import Tree
from engine.facts.typing import Reading, readings
from engine.lexicon import Lexicon
from engine.types import Command, Effect, Fact, Modality, Polarity, Sentence, Skip, Span, Tense


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact that still has to pass the gate, with what the gate looks at; None for what always passes."""

    fact: Fact
    signals: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Extracted:
    """All that was read out of sentences, in the order of the text, before the gate."""

    candidates: tuple[Candidate, ...] = ()
    commands: tuple[Command, ...] = ()
    skipped: tuple[Skip, ...] = ()


class Extractor:
    """Reads parsed sentences of one conversation.

    Parameters
    ----------
    lexicon : Lexicon
        Predicates, roles and cues.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    def read(self, sentences: Iterable[Sentence], known: Iterable[Party] = ()) -> tuple[Extracted, list[Party]]:
        """What sentences of one conversation leave behind, pronouns resolved along the way.

        Parameters
        ----------
        sentences : iterable of Sentence
            In order.
        known : iterable of Party
            Whom the conversation already knows, oldest first.

        Returns
        -------
        (Extracted, list of Party)
            With the parties known afterwards.
        """
        parties = list(known)
        candidates: list[Candidate] = []
        commands: list[Command] = []
        skipped: list[Skip] = []
        for sentence in sentences:
            cast = Cast(self.lexicon, sentence.message.speaker, parties)
            found = self.sentence(sentence, cast)
            for candidate in found.candidates:
                remember(cast, candidate.fact, self.lexicon)
            candidates += found.candidates
            commands += found.commands
            skipped += found.skipped
            parties = cast.parties
        return Extracted(tuple(_unique(dated(candidates))), tuple(commands), tuple(skipped)), parties

    def sentence(self, sentence: Sentence, cast: Cast) -> Extracted:
        """What one sentence leaves behind; ``cast`` learns whom it speaks of."""
        command = command_of(sentence)
        if command is not None:
            return Extracted(commands=(command,))
        sentence = with_place(sentence, cast)
        tree = Tree(sentence)
        if _leads_in(tree):
            return Extracted(skipped=(Skip(sentence.message.id, sentence.text, "quotation"),))
        found = clauses(tree, self.lexicon)
        candidates: list[Candidate] = []
        reasons: list[str] = []
        frames = frames_in(tree, found, cast)
        written: list[Framed] = []
        for clause in found:
            introduce(tree, cast, clause.top)
            frame = next((f for f in frames if f.covers(clause)), None)
            if frame is not None and (frame in written or (told_by := self._framed(frame, clause, cast))):
                candidates += [] if frame in written else told_by
                written.append(frame)
                continue
            told, reason = self._told(sentence, tree, clause, found, cast)
            if told is None:
                asked = reason == "request" or reason == "about assistant" and clause.verb.lemma == "call"
                wish = instruction_of(sentence, tree, clause, cast) if asked else None
                candidates += [Candidate(wish)] if wish else []
                reasons.append(reason)
                continue
            owned = possessive_copula(clause, cast, self.lexicon)
            certain = owned is not None and self.lexicon.knows(owned[1]) or _is_plain_taste(told)
            signals = None if certain else signals_of(told, self.lexicon, owned=owned is not None)
            candidates += [Candidate(fact, signals) for fact in compose(told, cast, self.lexicon, owned)]
        introduce(tree, cast, len(tree.tokens))
        for frame in frames:
            candidates += [] if frame.clauses else self._framed(frame, None, cast)
        # First what is presupposed ("my dog Rufus"), then what is said of it ("… died").
        candidates = [Candidate(fact) for fact in self._relations(sentence, tree, found, cast)] + candidates
        if not candidates and (labelled := fragment_of(sentence, cast, self.lexicon)) is not None:
            candidates.append(Candidate(labelled))
        if candidates:
            return Extracted(candidates=tuple(candidates))
        reason = next((r for r in reasons if r != "circumstance"), reasons[0] if reasons else "")
        if not reason:
            words = [t for t in tree.tokens if t.pos != "PUNCT"]
            reason = "greeting" if len(words) < 4 else "fragment"
        return Extracted(skipped=(Skip(sentence.message.id, sentence.text, reason),))

    def _framed(self, frame: Framed, clause: Clause | None, cast: Cast) -> list[Candidate]:
        """What a frame tells; whom it is about, it says itself, or the clause does in which it stands."""
        handed_down = clause is not None and clause.subject is not None and clause.subject not in frame.match.span
        subject = self._subject(clause.tree, clause, cast)[0] if clause is not None and handed_down else None
        if handed_down and subject is None and not frame.names_party:
            return []  # "he" of whom nothing is known
        return [Candidate(fact) for fact in framed_facts(frame, subject, cast)]

    def statement(self, text: str, sentences: Sequence[Sentence]) -> Fact:
        """One fact for a statement that stands alone: nothing is skipped, nothing is split.

        Parameters
        ----------
        text : str
            The statement, kept as the fact's text.
        sentences : sequence of Sentence
            Its parse; the first clause with a subject counts.
        """
        for sentence in sentences:
            cast = Cast(self.lexicon, "user")
            tree = Tree(sentence)
            found = clauses(tree, self.lexicon)
            for clause in found:
                if clause.link in ("relcl", "temporal", "conditional") or clause.subject is None:
                    continue
                party, subject, plural = self._subject(tree, clause, cast)
                if party is None:
                    continue
                stance = stance_of(clause, self.lexicon)
                reading = readings(clause, self.lexicon)[0]
                told = Told(sentence, clause, stance, reading, party, subject, plural, tuple(found))
                return compose_whole(told, cast, self.lexicon, text)
        return unread(text)

    def _told(
        self, sentence: Sentence, tree: Tree, clause: Clause, found: list[Clause], cast: Cast
    ) -> tuple[Told | None, str]:
        """The clause with its readings, or None and the reason why it asserts nothing."""
        stance = stance_of(clause, self.lexicon)
        reason = gate.reason_to_skip(tree, clause, stance, found, self.lexicon)
        if reason:
            return None, reason
        if clause.subject is None and not gate.is_elliptic(tree, clause, self.lexicon):
            return None, "fragment"
        party, text, plural = self._subject(tree, clause, cast)
        if party is None or gate.is_expletive(tree, clause):
            return None, "unresolved"
        if any(tree[a.head].low in SECOND for a in arguments(clause) if a.role != "prep"):
            return None, "about assistant"
        reading, *further = readings(clause, self.lexicon)
        if reading.attribute in WISHED and stance.modality is Modality.DESIRED:
            stance = replace(stance, modality=Modality.ASSERTED)
        if _empty(tree, clause, reading, cast):
            return None, "unresolved"
        for introduced in owned_by_having(clause, cast, party.text, self.lexicon):
            cast.mention(introduced)
        return Told(sentence, clause, stance, reading, party, text, plural, tuple(found), tuple(further)), ""

    def _subject(self, tree: Tree, clause: Clause, cast: Cast) -> tuple[Party | None, str, bool]:
        """The party a clause is about, how the subject is written, and whether the verb stays plural."""
        if clause.subject is None or clause.subject == SPEAKER:
            return Party(cast.speaker), cast.speaker, False
        members = tree.conjuncts(clause.subject)
        if len(members) > 1 and any(m.low in FIRST for m in members):
            others = [cast.resolve(tree, m.i) for m in members if m.low not in FIRST]
            names = [p.text for p in others if p is not None]
            return Party(cast.speaker), " and ".join([cast.speaker, *names]), True
        party = cast.resolve(tree, clause.subject)
        if party is None:
            return None, "", False
        if party.text != cast.speaker:
            cast.mention(party)
        if len(members) > 1:
            texts = [p.text for p in (cast.resolve(tree, m.i) for m in members) if p is not None]
            return party, ", ".join(texts[:-1]) + " and " + texts[-1] if len(texts) > 1 else party.text, True
        token = tree[clause.subject]
        return party, party.text, party.plural or token.tag == "NNS" or token.low in ("they", "both")

    def _relations(self, sentence: Sentence, tree: Tree, found: list[Clause], cast: Cast) -> list[Fact]:
        """ "My sister Ana …" tells, whatever else is said, that the speaker has a sister of that name."""
        out = []
        for i, party, text, attribute in relations_in(tree, cast, self.lexicon):
            within = next((c for c in reversed(found) if i in tree.subtree(c.top)), None)
            if within is not None and gate.is_conditional(within, found):
                continue
            cast.mention(party)
            out.append(
                Fact(
                    subject=party.owner or cast.speaker,
                    predicate=f"have {party.role}",
                    object=party.name or "",
                    text=text,
                    attribute=attribute,
                    cues=("mention",),
                    span=Span(sentence.message.id, sentence.start, sentence.end, sentence.text),
                    said_at=sentence.message.timestamp,
                )
            )
        return out


WISHED = frozenset({"nickname", "name", "pronouns", "preference"})
"""What somebody would like to be called is what to call them: the wish is the state."""


def _is_plain_taste(told: Told) -> bool:
    """ "I like tea", "I hate olives": a taste for a kind of thing, not for "that idea" or "the photo"."""
    value, token = told.reading.value, None
    if told.reading.attribute in ("like", "dislike", "preference") and value is not None:
        token = told.tree[value]
    further = ("dobj", "prep", "xcomp", "attr", "acomp")
    gerund = token is not None and token.tag == "VBG" and not told.tree.children(token.i, *further)
    return (
        token is not None
        and (gerund or token.pos in ("NOUN", "PROPN"))
        and told.tree.child(token.i, "det", "poss") is None
        and told.stance.tense is Tense.PRESENT
        and not told.stance.progressive
    )


def _leads_in(tree: Tree) -> bool:
    """Whether a sentence only leads in a quotation that was taken out: "the narrator opens with:"."""
    last = [t.text for t in tree.tokens[-2:]]
    return last == [":", "."] or last[-1] == ":"


def _empty(tree: Tree, clause: Clause, reading: Reading, cast: Cast) -> bool:
    """Whether all that is said of the subject is a pronoun that stands for something not told."""
    if reading.value is None:
        return False
    token = tree[reading.value]
    if token.low in ("this", "that", "these", "those", "it", "them", "one", "so", "there", "something", "you"):
        if token.low in ("it", "them") and cast.resolve(tree, token.i) is not None:
            return False
        return len([a for a in arguments(clause) if tree[a.head].pos != "PRON"]) == 0
    return False


def _unique(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The same statement of the same message counts once."""
    seen: set[tuple[str, str]] = set()
    out = []
    for candidate in candidates:
        span = candidate.fact.span
        key = (span.message_id if span else "", candidate.fact.text.lower())
        if key not in seen:
            seen.add(key)
            out.append(candidate)
    return out


def unread(text: str) -> Fact:
    """The fact of a text that has no clause: "user vegetarian"."""
    words = text.strip(" .").split()
    possessive = next((i for i, w in enumerate(words[:4]) if w.endswith("'s")), None)
    cut = 1 if possessive is None else possessive + 2
    negative = any(w.lower() in ("not", "no", "never", "without") for w in words)
    return Fact(
        subject=" ".join(words[:cut]),
        predicate="be",
        object=" ".join(words[cut:]),
        text=text,
        polarity=Polarity.NEGATIVE if negative else Polarity.POSITIVE,
        effect=Effect.STATES,
    )
