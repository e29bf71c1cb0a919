"""Orders to the memory: which memories "forget my old address" or "scratch that" mean, and taking them back."""

from __future__ import annotations

from collections.abc import Iterable

from engine.apply import Applied
from engine.comparison import words_of
from engine.consolidate import Consolidator
from engine.embed import Encoder
from engine.neighbourhood import Neighbourhood
from engine.store import Store
from engine.store.writes import derived_id
from engine.types import Command, CommandKind, Message, Operation, Role, Scope, Source, Stored

NEAR = 0.45
_EMPTY = frozenset(
    "thing stuff bit part everyth detail old former previous all whole about you gave told said my our i we me us mine "
    "myself pleas".split()
)


class Forgetter:
    """Carries out commands, inside the caller's transaction.

    Parameters
    ----------
    store : Store
    consolidator : Consolidator
    encoder : Encoder
    neighbourhood : Neighbourhood
        Its index gives the nearest memory without reading the scope again.
    """

    def __init__(
        self, store: Store, consolidator: Consolidator, encoder: Encoder, neighbourhood: Neighbourhood
    ) -> None:
        self.store = store
        self.consolidator = consolidator
        self.encoder = encoder
        self.neighbourhood = neighbourhood

    def obey(self, command: Command, message: Message, scope: Scope) -> list[Applied]:
        """Ends what a command names.

        Returns
        -------
        list of Applied
            Empty where nothing stored is meant.
        """
        decision_id = derived_id("command", scope.key, message.id, command.span.text)
        held = self.store.decision(decision_id)
        if held is not None:  # the same message again
            return unchanged(self.store, decision_id, held.record.get("memories", ()), message)
        since = self.store.generation(scope.key)
        if command.kind is CommandKind.RETRACT:
            done = self._take_back_last(message, scope)
        else:
            source = Source(message.id, command.span.text, message.timestamp, message.speaker, message.role)
            done = []
            for memory in self._meant(command.target, scope):
                # Over from now on; what was known before stays history, and purge erases.
                self.consolidator.end(memory.id, None, f"asked to forget: {command.target}", source, decision_id)
                done.append(_deleted(memory, decision_id, message))
        if done:
            # What was taken back is of the earlier message's decisions, and not to be taken back once more with these.
            key = "asked_in" if command.kind is CommandKind.RETRACT else "message_id"
            told = command.target or command.span.text
            record = {"command": told, key: message.id, "memories": [a.memory_id for a in done]}
            self.store.record_decision(decision_id, scope.key, record)
            self.neighbourhood.advance(scope, since, [a.memory_id for a in done])
        return done

    def _meant(self, target: str, scope: Scope) -> list[Stored]:
        """Memories that hold every content word of the target, else the nearest where it shares one. What is yet
        to begin is meant as well."""
        wanted = words_of(target).stems - _EMPTY
        if not wanted:
            return []
        labelled: dict[str, list[frozenset[str]]] = {}
        for memory_id, text, attribute in self.store.said(scope.key):
            words = words_of(f"{text} {(attribute or '').replace('_', ' ')}").stems
            if wanted & words:
                labelled.setdefault(memory_id, []).append(words)
        meant = sorted(i for i, said in labelled.items() if any(wanted <= words for words in said))
        if labelled and not meant:
            nearest = self.neighbourhood.nearest(target, scope)
            if nearest is not None and nearest.similarity >= NEAR and nearest.id in labelled:
                meant = [nearest.id]
        found = self.store.find_many(meant)
        return sorted((m for m in found.values() if m.tombstone is None), key=lambda m: (m.created_at, m.id))

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


def unchanged(store: Store, decision_id: str, memory_ids: Iterable[str], message: Message) -> list[Applied]:
    """The receipt of a message that came again: each memory that its decision had touched, as it is now."""
    found = store.find_many(set(memory_ids))
    return [
        Applied(i, m.fact.text, Operation.NOOP, m.fact.text, m.version.number, 1.0, decision_id, message.id)
        for i in dict.fromkeys(memory_ids)
        if (m := found.get(i)) is not None
    ]


def _deleted(memory: Stored, decision_id: str, message: Message) -> Applied:
    return Applied(
        memory.id, memory.fact.text, Operation.DELETE, memory.fact.text, memory.version.number, 1.0, decision_id,
        message.id,
    )  # fmt: skip
