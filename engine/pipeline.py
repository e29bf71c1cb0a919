"""The loop, in order: message → sentences → facts → neighbours → pairs → decision → consolidation.

Language and embedding work is done first, in one batch over the whole input; then each message is decided
and written in one short transaction, so that no lock is held across model calls (neurostack#89) and a
decision never rests on a stale reading (odysseus#1940).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from engine import explain
from engine.apply import Applied, Applier
from engine.attribution import Attribution
from engine.classifier import Classifier
from engine.consolidate import Consolidator
from engine.corrections import Conversation, putting_right
from engine.decide import Policy, decide
from engine.durable import Gate
from engine.embed import Encoder
from engine.facts import Extracted, Extractor
from engine.facts.fragments import Fragments
from engine.facts.gate import REASONS
from engine.facts.people import Party
from engine.forget import Forgetter, unchanged
from engine.language import foreign
from engine.lexicon import Lexicon
from engine.messages import is_blank
from engine.neighbourhood import Neighbourhood
from engine.pairing import as_user, pair_up, texts_of
from engine.pieces import Piece, Told, Written, read_pieces, sentence_spans
from engine.rescheduled import in_its_own_words
from engine.retakes import unsaid
from engine.sentences import parse
from engine.settings import Settings
from engine.store import Store
from engine.store.writes import derived_id
from engine.types import (
    Command,
    CommandKind,
    Decision,
    Effect,
    Fact,
    Message,
    Neighbour,
    Polarity,
    Role,
    Scope,
    Sentence,
    Skip,
    Source,
)

OLDER = "it was told before what is remembered, and changes nothing of it"
CONTEXT_CHARS = 400
"""How much of a message is searched along with a memory that came from it."""
RECEIPT_CHARS = 200
"""How much of a message that is too long to be read is repeated in its receipt."""


@dataclass(frozen=True, slots=True)
class Read:
    """One message with everything that was read out of it; ``wrong`` maps the text of a fact to that of the one it puts
    right."""

    message: Message
    facts: tuple[Fact, ...]
    commands: tuple[Command, ...]
    skipped: tuple[Skip, ...]
    parties: tuple[Party, ...]
    wrong: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Outcome:
    """What a call did: one entry for each memory touched, one for each piece skipped."""

    results: list[Applied] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)


class Pipeline:
    """Runs the loop for one store.

    Parameters
    ----------
    store : Store
    lexicon : Lexicon
    encoder : Encoder
    model : Classifier
    gate : Gate
    attribution : Attribution
    settings : Settings
    """

    def __init__(
        self,
        store: Store,
        lexicon: Lexicon,
        encoder: Encoder,
        model: Classifier,
        gate: Gate,
        attribution: Attribution,
        settings: Settings,
    ) -> None:
        self.store = store
        self.lexicon = lexicon
        self.fragments = Fragments(lexicon)
        self.encoder = encoder
        self.model = model
        self.gate = gate
        self.attribution = attribution
        self.settings = settings
        self.policy = Policy(settings.overwrite_cost)
        self.neighbourhood = Neighbourhood(store, lexicon, encoder, settings)
        self.applier = Applier(store, Consolidator(store), lexicon)
        self.forgetter = Forgetter(store, self.applier.consolidator, encoder, self.neighbourhood)

    def add(
        self,
        messages: Sequence[Message],
        scope: Scope,
        metadata: Mapping[str, Any] | None = None,
        together: Callable[[], None] | None = None,
    ) -> Outcome:
        """Takes messages in.

        Parameters
        ----------
        messages : sequence of Message
            In the order of the conversation.
        scope : Scope
            Whose memories they make.
        metadata : mapping, optional
            JSON that new memories carry.
        together : callable, optional
            Given, all is written in one transaction that ends with calling it: all of the messages are in, with
            what it writes, or none is. The models have run before that.

        Returns
        -------
        Outcome
        """
        readings = self.read(messages, scope)
        self._warm(readings, scope)
        outcome = Outcome()
        try:
            with self.store.transaction() if together else nullcontext():
                for reading in readings:
                    self.store.next_moment()
                    with self.store.transaction():
                        self._write(reading, scope, metadata or {}, outcome)
                if together:
                    together()
        except BaseException:
            self.neighbourhood.forget(scope)
            raise
        return outcome

    def read(self, messages: Sequence[Message], scope: Scope) -> list[Read]:
        """Messages → facts, commands and skips, nothing stored. Earlier turns of the scope are known."""
        refused = {id(m): self._refusal(m, scope) for m in messages}
        ingested = [m for m in messages if refused[id(m)] is None]
        pieces = self._pieces(messages, ingested, scope)
        meant = [replace(m, content=unsaid(m.content)) for m in ingested]
        statements = [replace(m, content=text) for m in ingested for p in pieces[id(m)] for text in (p.text, p.was)]
        parses = iter(parse([*meant, *statements]))
        parsed = {id(m): _in_own_words(m, next(parses)) for m in ingested}
        written = {id(m): [Written(p, next(parses), next(parses)) for p in pieces[id(m)]] for m in ingested}
        parties: list[Party] = self._known_parties(scope)
        extractor = Extractor(self.lexicon)
        found: list[tuple[Message, Told, tuple[Party, ...]]] = []
        for message in messages:
            reason = refused[id(message)]
            if reason is None and not (parsed[id(message)] or pieces[id(message)]):
                # "lol", an emoji: nothing is left to read
                reason = "greeting" if any(c.isalnum() for c in message.content) else "empty"
            if reason is not None:
                skip = Skip(message.id, _shortened(message.content, reason), reason)
                left = Told(Extracted(skipped=(skip,)), parties, {})
            else:
                left = read_pieces(extractor, message, parsed[id(message)], written[id(message)], parties)
                parties = left.parties
            found.append((message, left, tuple(parties[-12:])))
        verdicts = iter(self.gate.judge([c for _, t, _ in found for c in t.found.candidates], self.encoder))
        gated = [
            self._gated(message, told, known, [next(verdicts) for _ in told.found.candidates])
            for message, told, known in found
        ]
        return self._typed(gated)

    def _typed(self, readings: Sequence[Read]) -> list[Read]:
        """Gives an attribute, where it is clear, to facts whose words the lexicon does not know."""
        facts = [(f, as_user(f, r.message.speaker)) for r in readings for f in r.facts]
        found = self.attribution.typed([meant for _, meant in facts], self.encoder, self.lexicon)
        typed = (_with_slots(fact, meant, new) for (fact, meant), new in zip(facts, found, strict=True))
        return [replace(r, facts=tuple(next(typed) for _ in r.facts)) for r in readings]

    def _gated(self, message: Message, told: Told, parties: tuple[Party, ...], keeps: Sequence[bool]) -> Read:
        """Parts the candidates of a message into facts and skips; a sentence that left a fact is not skipped.

        "I bought a canoe. Scratch that.": what is taken back in the next breath was never said.
        """
        extracted = told.found
        facts = [c.fact for c, keep in zip(extracted.candidates, keeps, strict=True) if keep]
        kept = {f.span for f in facts}
        dropped = {c.fact.span: None for c, k in zip(extracted.candidates, keeps, strict=True) if not k}
        skips = [Skip(s.message_id, s.text, "moment") for s in dropped if s is not None and s not in kept]
        commands = []
        for command in extracted.commands:
            unsaid = _just_before(command, facts, message)
            facts = [f for f in facts if f not in unsaid]
            skips += [Skip(message.id, text, "joke") for text in {f.span.text: None for f in unsaid if f.span}]
            if not unsaid:
                commands.append(command)
        skipped = (*extracted.skipped, *skips)
        if not (facts or commands or skipped):
            skipped = (Skip(message.id, message.content, "fragment"),)
        return Read(message, tuple(facts), tuple(commands), skipped, parties, told.wrong)

    def _refusal(self, message: Message, scope: Scope) -> str | None:
        """Why a message is not read at all; None where it is."""
        if message.role in (Role.SYSTEM, Role.TOOL):
            return "role"
        if message.role is Role.ASSISTANT and scope.agent_id is None:
            return "assistant"
        if is_blank(message.content):
            return "empty"
        if len(message.content) > self.settings.max_message_chars:
            return "too long"
        return "language" if foreign(message.content) else None

    def _pieces(
        self, messages: Sequence[Message], ingested: Sequence[Message], scope: Scope
    ) -> dict[int, tuple[Piece, ...]]:
        """Bare answers, corrections and fragments among the messages, each written out as a statement."""
        sent = {m.id for m in messages}
        turns = self.store.turns(scope.key) if scope.key else ()
        # Of a message that comes again only what was said before it counts.
        earlier = turns[: next((i for i, turn in enumerate(turns) if turn.id in sent), len(turns))]
        conversation = Conversation([*earlier, *messages], self.lexicon, self._fragments)
        read = {id(m) for m in ingested}
        return {id(m): conversation.pieces(i) for i, m in enumerate(messages, len(earlier)) if id(m) in read}

    def _fragments(self, message: Message, before: Message | None) -> tuple[Piece, ...]:
        """Statements without a verb, each written out: "mum of three"."""
        return tuple(Piece(f.start, f.end, f.text) for f in self.fragments.of(message, before))

    def _known_parties(self, scope: Scope) -> list[Party]:
        if not scope.key:
            return []
        rows = sorted(self.store.entities(scope.key), key=lambda r: (r.recorded_at, r.name))
        return [self._party(r.owner, r.role, r.name, r.kind) for r in rows]

    def _party(self, owner: str, role: str, name: str, kind: str) -> Party:
        if kind in ("thing", "things"):
            return Party(f"{owner}'s {name}", owner, None, None, "thing", "thing", kind == "things")
        if kind == "place":
            return Party(name, owner, role, name, "place", kind)
        word = self.lexicon.roles.get(role)
        lasting = word is None or word.lasting or word.kind != "person"
        text = f"{owner}'s {role} {name}" if lasting and role else name
        return Party(text, owner or None, role or None, name, word.gender if word else "any", kind)

    def _warm(self, readings: Sequence[Read], scope: Scope) -> None:
        """Encodes, before any lock is taken, all that the decisions will ask for."""
        facts = [(f, r.message.speaker) for r in readings for f in r.facts]
        texts = {t for f, _ in facts for t in texts_of([f])}
        texts |= {c.target for r in readings for c in r.commands if c.target.strip()}
        if texts:
            self.encoder.encode(sorted(texts))
        near = {as_user(n.memory.fact, s) for f, s in facts for n in self.neighbourhood.of(f, scope)}
        near |= {as_user(f, s) for f, s in facts}
        if near:
            self.encoder.encode(texts_of(list(near)))

    def _write(self, reading: Read, scope: Scope, metadata: Mapping[str, Any], outcome: Outcome) -> None:
        message = reading.message
        for command in reading.commands:
            applied = self.forgetter.obey(command, message, scope)
            outcome.results += applied
            if not applied:
                outcome.skipped.append(Skip(message.id, command.span.text, REASONS["unknown target"]))
        for ordinal, fact in enumerate(reading.facts):
            applied = self._settle(fact, ordinal, message, scope, metadata, reading.wrong.get(fact.text))
            outcome.results += applied
            if not applied:
                outcome.skipped.append(Skip(message.id, fact.span.text if fact.span else fact.text, OLDER))
        outcome.skipped += [Skip(s.message_id, s.text, REASONS.get(s.reason, s.reason)) for s in reading.skipped]
        for party in reading.parties:
            if party.owner and (party.name and party.role or party.kind == "thing"):
                name = party.name or party.text.removeprefix(f"{party.owner}'s ")
                kind = "things" if party.kind == "thing" and party.plural else party.kind
                self.store.put_entity(scope.key, name, party.role or "", party.owner, kind)
        if all(turn.id != message.id for turn in self.store.turns(scope.key)):
            self.store.append_turns(scope.key, [message], self.settings.conversation_turns)

    def _settle(
        self,
        fact: Fact,
        ordinal: int,
        message: Message,
        scope: Scope,
        metadata: Mapping[str, Any],
        wrong: str | None = None,
    ) -> list[Applied]:
        """Decides one fact and writes what follows, with the record of the decision; ``wrong`` is the text of what it
        puts right."""
        decision_id = derived_id("decision", scope.key, message.id, ordinal, fact.text)
        held = self.store.decision(decision_id)
        if held is not None:  # the same message again: nothing new is learnt
            touched = [done["memory_id"] for done in held.record.get("operations", ())]
            return unchanged(self.store, decision_id, touched, message)
        neighbours = self.neighbourhood.of(fact, scope)
        fact = in_its_own_words(fact, neighbours, self.lexicon)
        decision = putting_right(self.decide(fact, neighbours, message.speaker), neighbours, wrong)
        source = source_of(message, fact)
        embedding = self.encoder.encode([fact.text])[0]
        since = self.store.generation(scope.key)
        applied = self.applier.apply(decision, neighbours, embedding, scope, source, metadata, decision_id)
        record = explain.record(decision, neighbours, self.model, self.policy, message.id, applied)
        record |= {"labels": [scope.user_id, scope.agent_id, scope.run_id], "metadata": dict(metadata)}
        self.store.record_decision(decision_id, scope.key, record, review=decision.review)
        self.neighbourhood.advance(scope, since, [a.memory_id for a in applied])
        return applied

    def decide(self, fact: Fact, neighbours: Sequence[Neighbour], speaker: str = "user") -> Decision:
        """The decision for a fact against its neighbours, nothing stored.

        A speaker with a name is compared as ``user``: the labelled pairs are about users, and a speaker's name
        in a memory is no more of a link than "I".
        """
        both = [(as_user(n.memory.fact, speaker), as_user(fact, speaker)) for n in neighbours]
        pairs = pair_up(both, self.encoder, self.model.meaning)
        return replace(decide(fact, pairs, self.model, self.lexicon, self.policy), resolved_fact=fact)


def _in_own_words(message: Message, sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Sentences of a message that was mended before the parse, with the text that stands there."""
    return tuple(replace(s, message=message, text=message.content[s.start : s.end]) for s in sentences)


def _with_slots(fact: Fact, meant: Fact, typed: Fact) -> Fact:
    """The fact as its speaker told it, with the attribute that was found."""
    if typed is meant:
        return fact
    value = fact.object if typed.object == meant.object else typed.object
    return fact.but(attribute=typed.attribute, kind=typed.kind, object=value)


def _just_before(command: Command, facts: Sequence[Fact], message: Message) -> list[Fact]:
    """The facts of the sentence that stands right before an order to take back."""
    if command.kind is not CommandKind.RETRACT:
        return []
    spans = [f.span for f in facts if f.span is not None and f.span.end <= command.span.start]
    last = max(spans, key=lambda span: span.end, default=None)
    if last is None or any(c.isalnum() for c in message.content[last.end : command.span.start]):
        return []
    begins = max((start for start, _ in sentence_spans(message.content) if start <= last.start), default=last.start)
    unsaid = [f for f in facts if f.span is not None and begins <= f.span.start and f.span.end <= last.end]
    # "I don't play the drums. Please ignore it": what is denied was told before, and the denial stands.
    return [] if any(f.polarity is Polarity.NEGATIVE or f.effect is Effect.ENDS for f in unsaid) else unsaid


def _shortened(text: str, reason: str) -> str:
    return text[:RECEIPT_CHARS] + "…" if reason == "too long" else text


def source_of(message: Message, fact: Fact) -> Source:
    """A fact's provenance: the sentence it came from, with the message's time and speaker and what stood around it."""
    if fact.span is None:
        return Source(message.id, message.content, message.timestamp, message.speaker, message.role)
    around = around_of(message.content, fact.span.start, fact.span.end)
    context = around if around != fact.span.text else ""
    return Source(message.id, fact.span.text, message.timestamp, message.speaker, message.role, context)


def around_of(text: str, start: int, end: int) -> str:
    """The words around a span, up to ``CONTEXT_CHARS``: all of a short message."""
    spare = max(0, CONTEXT_CHARS - (end - start)) // 2
    first, last = max(0, start - spare), min(len(text), end + spare)
    last = min(len(text), last + max(0, spare - start))
    first = max(0, first - max(0, end + spare - len(text)))
    before = text.rfind(" ", 0, first) + 1 if first else 0
    after = text.find(" ", last) if last < len(text) else len(text)
    return text[before : after if after >= 0 else len(text)].strip()
