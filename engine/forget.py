"""Orders to the memory: which memories "forget my old address" or "scratch that" mean, and taking them back."""

from __future__ import annotations

from engine.apply import Applied
from engine.comparison import words_of
from engine.consolidate import Consolidator
from engine.embed import Encoder
from engine.store import Store
from engine.store.writes import derived_id
from engine.types import Command, CommandKind, Message, Operation, Role, Scope, Source, Stored

NEAR = 0.45
_EMPTY = frozenset("thing stuff bit part everyth detail old former previous all whole about you gave told said".split())


class Forgetter:
    """Carries out commands, inside the caller's transaction.

    Parameters
    ----------
    store : Store
    consolidator : Consolidator
    encoder : Encoder
    """

    def __init__(self, store: Store, consolidator: Consolidator, encoder: Encoder) -> None:
        self.store = store
        self.consolidator = consolidator
        self.encoder = encoder

    def obey(self, command: Command, message: Message, scope: Scope) -> list[Applied]:
        """Ends what a command names.

        Returns
        -------
        list of Applied
            Empty where nothing stored is meant.
        """
        if command.kind is CommandKind.RETRACT:
            return self._take_back_last(message, scope)
        decision_id = derived_id("command", scope.key, message.id, command.span.text)
        source = Source(message.id, command.span.text, message.timestamp, message.speaker, message.role)
        done = []
        for memory in self._meant(command.target, scope):
            self.consolidator.void(memory.id, f"asked to forget: {command.target}", source, decision_id)
            done.append(_deleted(memory, decision_id, message))
        if done:
            record = {"command": command.target, "message_id": message.id, "memories": [a.memory_id for a in done]}
            self.store.record_decision(decision_id, scope.key, record)
        return done

    def _meant(self, target: str, scope: Scope) -> list[Stored]:
        """Live memories that hold every content word of the target, else the nearest that share one."""
        wanted = words_of(target).stems - _EMPTY
        live = [m for m in self.store.active(scope.key, self.store.now()) if m.tombstone is None]
        if not wanted or not live:
            return []
        labelled = {m.id: words_of(f"{m.fact.text} {(m.fact.attribute or '').replace('_', ' ')}").stems for m in live}
        exact = [m for m in live if wanted <= labelled[m.id]]
        if exact:
            return exact
        vector = self.encoder.encode([target])[0]
        matrix = self.store.vectors([(m.id, m.version.number) for m in live])
        scored = sorted(zip(live, matrix @ vector, strict=True), key=lambda pair: (-round(float(pair[1]), 6), pair[0].id))
        return [m for m, score in scored[:1] if score >= NEAR and wanted & labelled[m.id]]

    def _take_back_last(self, message: Message, scope: Scope) -> list[Applied]:
        """ "Scratch that" takes back what the last message of the same speaker had led to."""
        earlier = [t for t in self.store.turns(scope.key) if t.role is Role.USER and t.speaker == message.speaker]
        for turn in reversed(earlier):
            decisions = self.store.decisions_of(scope.key, turn.id)
            if not decisions:
                continue
            done = []
            for decision_id in decisions:
                for memory_id in self.consolidator.undo(decision_id):
                    memory = self.store.find(memory_id)
                    if memory is not None:
                        done.append(_deleted(memory, decision_id, message))
            return done
        return []


def _deleted(memory: Stored, decision_id: str, message: Message) -> Applied:
    return Applied(
        memory.id, memory.fact.text, Operation.DELETE, memory.fact.text, memory.version.number, 1.0, decision_id,
        message.id,
    )  # fmt: skip
