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
from engine.answers import answered, whole
from engine.apply import Applied, Applier
from engine.classifier import Classifier
from engine.consolidate import Consolidator
from engine.decide import Policy, decide
from engine.durable import Gate
from engine.embed import Encoder
from engine.facts import Extracted, Extractor
from engine.facts.gate import REASONS
from engine.facts.people import Party
from engine.forget import Forgetter, unchanged
from engine.language import foreign
from engine.lexicon import Lexicon
from engine.messages import is_blank
from engine.neighbourhood import Neighbourhood
from engine.pairing import as_user, pair_up, texts_of
from engine.sentences import parse
from engine.settings import Settings
from engine.store import Store
from engine.store.writes import derived_id
from engine.types import Command, CommandKind, Decision, Fact, Message, Neighbour, Role, Scope, Skip, Source

OLDER = "it was told before what is remembered, and changes nothing of it"
RECEIPT_CHARS = 200
"""How much of a message that is too long to be read is repeated in its receipt."""


@dataclass(frozen=True, slots=True)
class Read:
    """One message with everything that was read out of it."""

    message: Message
    facts: tuple[Fact, ...]
    commands: tuple[Command, ...]
    skipped: tuple[Skip, ...]
    parties: tuple[Party, ...]


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
    settings : Settings
    """

    def __init__(
        self,
        store: Store,
        lexicon: Lexicon,
        encoder: Encoder,
        model: Classifier,
        gate: Gate,
        settings: Settings,
    ) -> None:
        self.store = store
        self.lexicon = lexicon
        self.encoder = encoder
        self.model = model
        self.gate = gate
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
        said = self._answers(messages, ingested, scope)
        parsed = dict(
            zip([id(m) for m in (*ingested, *said.values())], parse([*ingested, *said.values()]), strict=True)
        )
        parties: list[Party] = self._known_parties(scope)
        extractor = Extractor(self.lexicon)
        found: list[tuple[Message, Extracted, tuple[Party, ...]]] = []
        for message in messages:
            reason = refused[id(message)]
            if reason is None and not parsed[id(message)]:  # "lol", an emoji: nothing is left to read
                reason = "greeting" if any(c.isalnum() for c in message.content) else "empty"
            if reason is not None:
                left = Extracted(skipped=(Skip(message.id, _shortened(message.content, reason), reason),))
            else:
                left, known = extractor.read(parsed[id(message)], parties)
                full = said.get(id(message))
                if full is not None and not left.candidates and not left.commands:
                    left, known = extractor.read(parsed[id(full)], parties)
                    left = _as_said(left, message)
                parties = known
            found.append((message, left, tuple(parties[-12:])))
        verdicts = iter(self.gate.judge([c for _, e, _ in found for c in e.candidates], self.encoder))
        return [self._gated(message, e, known, [next(verdicts) for _ in e.candidates]) for message, e, known in found]

    def _gated(self, message: Message, extracted: Extracted, parties: tuple[Party, ...], keeps: Sequence[bool]) -> Read:
        """Parts the candidates of a message into facts and skips; a sentence that left a fact is not skipped.

        "I bought a canoe. Scratch that.": what is taken back in the next breath was never said.
        """
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
        return Read(message, tuple(facts), tuple(commands), skipped, parties)

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

    def _answers(self, messages: Sequence[Message], ingested: Sequence[Message], scope: Scope) -> dict[int, Message]:
        """Bare answers among the messages, each written out as a statement."""
        turns = self.store.turns(scope.key) if scope.key else ()
        before = dict(zip(map(id, messages), (turns[-1] if turns else None, *messages), strict=False))
        written = {id(m): answered(before[id(m)], m) for m in ingested}
        return {id(m): replace(m, content=text) for m in ingested if (text := written[id(m)]) is not None}

    def _known_parties(self, scope: Scope) -> list[Party]:
        if not scope.key:
            return []
        rows = sorted(self.store.entities(scope.key), key=lambda r: (r.recorded_at, r.name))
        return [self._party(r.owner, r.role, r.name, r.kind) for r in rows]

    def _party(self, owner: str, role: str, name: str, kind: str) -> Party:
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
            applied = self._settle(fact, ordinal, message, scope, metadata)
            outcome.results += applied
            if not applied:
                outcome.skipped.append(Skip(message.id, fact.span.text if fact.span else fact.text, OLDER))
        outcome.skipped += [Skip(s.message_id, s.text, REASONS.get(s.reason, s.reason)) for s in reading.skipped]
        for party in reading.parties:
            if party.name and party.role and party.owner:
                self.store.put_entity(scope.key, party.name, party.role, party.owner, party.kind)
        if all(turn.id != message.id for turn in self.store.turns(scope.key)):
            self.store.append_turns(scope.key, [message], self.settings.conversation_turns)

    def _settle(
        self, fact: Fact, ordinal: int, message: Message, scope: Scope, metadata: Mapping[str, Any]
    ) -> list[Applied]:
        """Decides one fact and writes what follows, with the record of the decision."""
        decision_id = derived_id("decision", scope.key, message.id, ordinal, fact.text)
        held = self.store.decision(decision_id)
        if held is not None:  # the same message again: nothing new is learnt
            touched = [done["memory_id"] for done in held.record.get("operations", ())]
            return unchanged(self.store, decision_id, touched, message)
        neighbours = self.neighbourhood.of(fact, scope)
        decision = self.decide(fact, neighbours, message.speaker)
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


def _as_said(read: Extracted, message: Message) -> Extracted:
    """What was read out of an answer written out, as standing in the answer itself."""
    span = whole(message)
    candidates = tuple(replace(c, fact=c.fact.but(span=span)) for c in read.candidates)
    return Extracted(candidates, (), tuple(Skip(message.id, message.content, s.reason) for s in read.skipped))


def _just_before(command: Command, facts: Sequence[Fact], message: Message) -> list[Fact]:
    """The facts of the sentence that stands right before an order to take back."""
    if command.kind is not CommandKind.RETRACT:
        return []
    spans = [f.span for f in facts if f.span is not None and f.span.end <= command.span.start]
    last = max(spans, key=lambda span: span.end, default=None)
    if last is None or any(c.isalnum() for c in message.content[last.end : command.span.start]):
        return []
    return [f for f in facts if f.span == last]


def _shortened(text: str, reason: str) -> str:
    return text[:RECEIPT_CHARS] + "…" if reason == "too long" else text


def source_of(message: Message, fact: Fact) -> Source:
    """A fact's provenance: the sentence it came from, with the message's time and speaker."""
    text = fact.span.text if fact.span else message.content
    return Source(message.id, text, message.timestamp, message.speaker, message.role)
