"""A decision → what the consolidator writes: which act, with which times, on which memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.comparison import words_of
from engine.consolidate import Change, Consolidator
from engine.lexicon import Lexicon
from engine.store import Store
from engine.types import (
    Decision,
    Effect,
    Fact,
    Kind,
    Neighbour,
    Operation,
    Polarity,
    Scope,
    Source,
    Stored,
)

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Applied:
    """One memory that a decision touched, as the caller is told of it."""

    memory_id: str
    text: str
    event: Operation
    previous: str | None
    version: int
    confidence: float
    decision_id: str
    message_id: str


@dataclass(frozen=True, slots=True)
class _Act:
    """What all writes of one decision share."""

    fact: Fact
    embedding: Vector
    scope: Scope
    source: Source
    metadata: Mapping[str, Any]
    decision_id: str
    confidence: float


class Applier:
    """Carries decisions out, inside the caller's transaction.

    Parameters
    ----------
    store : Store
    consolidator : Consolidator
    lexicon : Lexicon
    """

    def __init__(self, store: Store, consolidator: Consolidator, lexicon: Lexicon) -> None:
        self.store = store
        self.consolidator = consolidator
        self.lexicon = lexicon

    def apply(
        self,
        decision: Decision,
        neighbours: Sequence[Neighbour],
        embedding: Vector,
        scope: Scope,
        source: Source,
        metadata: Mapping[str, Any],
        decision_id: str,
    ) -> list[Applied]:
        """Writes a decision.

        Parameters
        ----------
        decision : Decision
            Its operations point into ``neighbours``.
        neighbours : sequence of Neighbour
        embedding : ndarray of float32, shape [d]
            Of the fact's text.
        scope, source, metadata, decision_id
            As the consolidator takes them.

        Returns
        -------
        list of Applied
            One for each memory touched, in the order of the operations.
        """
        act = _Act(decision.resolved_fact, embedding, scope, source, metadata, decision_id, decision.confidence)
        done: list[Applied] = []
        for operation, position in decision.operations:
            memory = neighbours[position].memory
            if operation is Operation.NOOP:
                done.append(self._confirm(act, memory))
            elif operation is Operation.UPDATE:
                done.append(self._update(act, memory))
            elif (ended := self._end(act, memory)) is not None:
                done.append(ended)
        if not decision.operations or self._is_worth_knowing(act, decision):
            done.append(self._add(act))
        return done

    def _is_worth_knowing(self, act: _Act, decision: Decision) -> bool:
        """An ending is kept as well, as an event or a negative state; a bare retraction leaves nothing."""
        return decision.operation is Operation.DELETE and not act.fact.bare and not is_retraction(act.fact)

    def _add(self, act: _Act) -> Applied:
        closed = self._closed(act)
        if closed is not None and "mention" in act.fact.cues:
            return self._confirm(act, closed)  # a mention is no assertion: it brings nothing back (Hexis#65)
        if closed is not None:
            return self._come_back(act, closed)
        memory_id = self.consolidator.add(act.fact, act.embedding, act.scope, act.source, act.metadata, act.decision_id)
        return self._told(act, memory_id, Operation.ADD, None, 1)

    def _closed(self, act: _Act) -> Stored | None:
        """What was once known of the same subject and attribute with the same value, and is over."""
        value = words_of(act.fact.object)
        for memory in reversed(self.store.closed_like(act.scope.key, act.fact.subject, act.fact.attribute)):
            old = words_of(memory.fact.object)
            same_value = value.stems == old.stems and value.numbers == old.numbers
            if same_value and memory.fact.kind is act.fact.kind and memory.fact.polarity is act.fact.polarity:
                if memory.fact.predicate == act.fact.predicate or act.fact.attribute is not None:
                    return memory if memory.tombstone is not None else None
        return None

    def _come_back(self, act: _Act, memory: Stored) -> Applied:
        ended = memory.version.valid_to
        if ended is not None and ended.at > act.source.timestamp and not memory.version.void:
            self.consolidator.noop(memory.id, act.source, act.scope, act.decision_id, act.fact)
            return self._told(act, memory.id, Operation.NOOP, memory.fact.text, memory.version.number)
        number = self.consolidator.revive(memory.id, act.fact, act.embedding, act.source, act.decision_id)
        return self._told(act, memory.id, Operation.UPDATE, memory.fact.text, number)

    def _confirm(self, act: _Act, memory: Stored) -> Applied:
        self.consolidator.noop(memory.id, act.source, act.scope, act.decision_id, act.fact)
        return self._told(act, memory.id, Operation.NOOP, memory.fact.text, memory.version.number)

    def _update(self, act: _Act, memory: Stored) -> Applied:
        if is_older(act.fact, act.source.timestamp, memory):
            number = self.consolidator.earlier(memory.id, act.fact, act.embedding, act.source, act.decision_id)
        else:
            how = how_it_changes(act.fact, memory.fact)
            number = self.consolidator.update(memory.id, act.fact, act.embedding, act.source, act.decision_id, how)
        return self._told(act, memory.id, Operation.UPDATE, memory.fact.text, number)

    def _end(self, act: _Act, memory: Stored) -> Applied | None:
        if is_older(act.fact, act.source.timestamp, memory):
            return None  # it was said again after it had ended
        if is_retraction(act.fact):
            self.consolidator.void(memory.id, act.fact.text, act.source, act.decision_id)
        else:
            at = act.fact.valid_from
            self.consolidator.end(memory.id, at, act.fact.text, act.source, act.decision_id)
        return self._told(act, memory.id, Operation.DELETE, memory.fact.text, memory.version.number)

    def _told(self, act: _Act, memory_id: str, event: Operation, previous: str | None, version: int) -> Applied:
        text = previous or act.fact.text if event in (Operation.NOOP, Operation.DELETE) else act.fact.text
        return Applied(
            memory_id, text, event, previous, version, act.confidence, act.decision_id, act.source.message_id
        )


def is_older(fact: Fact, told: datetime, memory: Stored) -> bool:
    """Whether a statement was made before what the memory now says, so that it must not overwrite it."""
    latest = max((s.timestamp for s in memory.sources), default=memory.created_at)
    starts = fact.valid_from.at if fact.valid_from is not None else told
    return told < latest and starts < latest


def is_retraction(fact: Fact) -> bool:
    """Whether a denial says that the thing never was: an explicit correction, or "never"."""
    denied = fact.polarity is Polarity.NEGATIVE and fact.effect is Effect.STATES
    return denied and (fact.correction or " never " in f" {fact.text.lower()} ") and fact.kind is Kind.STATE


def how_it_changes(new: Fact, old: Fact) -> Change:
    """Whether the world changed, the old value was wrong, or it is now told more precisely."""
    if new.correction and new.effect is Effect.STATES and new.polarity is old.polarity or "put right" in new.cues:
        return Change.CORRECTED
    before, after = words_of(old.text), words_of(new.text)
    if before.stems < after.stems and before.numbers <= after.numbers and new.polarity is old.polarity:
        return Change.REFINED
    return Change.CHANGED
