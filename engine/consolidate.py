"""What a decision does to the store: versions are written, never rewritten.

Every method runs inside the caller's transaction, so that all that a message changes is there at once or
not at all. Each leaves a step (``engine.timeline``), from which the valid times of all versions follow, a
row of history and, where a message said so, its source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from engine.errors import InputError, NotFoundError, ScopeError
from engine.ledger import UNDONE, Event, Ledger, Vector, in_utc, step_of
from engine.store import ChangeRow, Store
from engine.store.writes import derived_id
from engine.timeline import Step, StepKind
from engine.types import Fact, Instant, Kind, Operation, Scope, Source, Stored


class Change(StrEnum):
    """How an update changes a memory: the world ``changed``, the old value was wrong and is ``corrected``,
    or it was right and is ``refined``."""

    CHANGED = "changed"
    CORRECTED = "corrected"
    REFINED = "refined"


class Consolidator:
    """Writes decisions into a store.

    Args:
        store: where to; its clock gives the recorded time. The consolidator has no encoder: embeddings are
            computed before the transaction and handed in (neurostack#89).
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._ledger = Ledger(store)

    def add(
        self,
        fact: Fact,
        embedding: Vector,
        scope: Scope,
        source: Source,
        metadata: Mapping[str, Any],
        decision_id: str,
    ) -> str:
        """A new memory.

        Args:
            fact: what it says. A state is true within the fact's valid time, an event or a plan from when
                it was told.
            embedding: float32 [d] of its text.
            scope: whose it is; never changes.
            source: the message that told it.
            metadata: JSON of the caller's.
            decision_id: the decision that this is a part of.

        Returns:
            The memory's id, which follows from scope, message and text.

        Raises:
            ScopeError: no id in the scope.
            InputError: a time without zone, or metadata or an embedding that cannot be stored.
        """
        self._ledger.require()
        if not scope.key:
            raise ScopeError("F701", "a memory needs a user_id, agent_id or run_id")
        recorded = self.store.now()
        memory_id = self._ledger.free_id(scope, source, fact)
        self.store.insert_memory(memory_id, scope, metadata, source, recorded)
        step = step_of(StepKind.ADD, 1, fact, source)
        event = Event(Operation.ADD, None, decision_id, source, recorded)
        self._ledger.write_version(memory_id, step, fact, embedding, event)
        return memory_id

    def update(
        self,
        memory_id: str,
        fact: Fact,
        embedding: Vector,
        source: Source,
        decision_id: str,
        how: Change = Change.CHANGED,
        version: int | None = None,
    ) -> int:
        """A new value in a memory's place, as its next version.

        Args:
            memory_id: which memory.
            fact, embedding, source, decision_id: as of ``add``.
            how: ``changed`` ends the old value where the new one begins (the fact's ``valid_from``, else
                when it was told); ``corrected`` and ``refined`` void it, and the new one takes its place
                in time.
            version: the version that is touched; by default the one true when the message was sent.

        Returns:
            The number of the new version.

        Raises:
            NotFoundError: no such memory or version.
            InputError: the memory is over, or the version is void (another writer was first): decide again.
        """
        identity = self._ledger.identity(memory_id)
        line = self._ledger.timeline(memory_id)
        if identity.tombstone is not None and line.at(in_utc(source.timestamp)) is None:
            raise InputError("F702", f"memory {memory_id} is over ({identity.tombstone}); revive it or add anew")
        if version is not None:
            self._ledger.check_touched(memory_id, line, version)
        number = self.store.next_number(memory_id)
        step = step_of(StepKind(how), number, fact, source, version)
        return self._write(memory_id, step, fact, embedding, Operation.UPDATE, str(how), decision_id, source)

    def earlier(self, memory_id: str, fact: Fact, embedding: Vector, source: Source, decision_id: str) -> int:
        """A statement older than what is known: it becomes an earlier version, and what is true now stays.

        Its valid time ends where the first statement told later begins; where that one has no beginning, it
        is now known to begin when it was told.

        Args and Returns:
            As of ``update``.

        Raises:
            NotFoundError: no such memory.
            InputError: nothing in the memory was told later than the source.
        """
        identity = self._ledger.identity(memory_id)
        told_later = any(step.told > in_utc(source.timestamp) for step in self.store.steps(memory_id))
        if not told_later and identity.tombstone is None:
            raise InputError("F703", f"the message is not older than memory {memory_id}; update it instead")
        step = step_of(StepKind.EARLIER, self.store.next_number(memory_id), fact, source)
        return self._write(memory_id, step, fact, embedding, Operation.UPDATE, "earlier", decision_id, source)

    def revive(self, memory_id: str, fact: Fact, embedding: Vector, source: Source, decision_id: str) -> int:
        """What was over comes back, as a new version from the fact's ``valid_from``, else from when it was
        told.

        Args, Returns and Raises:
            As of ``update``; a memory that is not over is taken too.
        """
        self._ledger.identity(memory_id)
        step = step_of(StepKind.REVIVE, self.store.next_number(memory_id), fact, source)
        return self._write(memory_id, step, fact, embedding, Operation.UPDATE, "revived", decision_id, source)

    def end(self, memory_id: str, at: Instant | None, reason: str, source: Source, decision_id: str) -> None:
        """A memory is over from a moment on; before it, it stays true.

        Args:
            memory_id: which memory.
            at: when it ended; None for when it was told.
            reason: kept as the tombstone.
            source, decision_id: as of ``add``.

        Raises:
            NotFoundError: no such memory.
        """
        step = Step(StepKind.END, 0, in_utc(source.timestamp), valid_to=at, reason=reason)
        self._finish(memory_id, step, reason, source, decision_id)

    def void(self, memory_id: str, reason: str, source: Source, decision_id: str) -> None:
        """A memory is retracted: it was true at no moment.

        Args and Raises:
            As of ``end``.
        """
        step = Step(StepKind.VOID, 0, in_utc(source.timestamp), reason=reason)
        self._finish(memory_id, step, reason, source, decision_id)

    def noop(self, memory_id: str, source: Source, scope: Scope, decision_id: str, fact: Fact | None = None) -> bool:
        """The memory says it already: its provenance grows, its text and embedding stay.

        Args:
            memory_id: which memory.
            source: the message that said it again.
            scope: labels that the memory lacks are attached, once; none is ever replaced.
            decision_id: as of ``add``.
            fact: what was said; a ``valid_from`` that the memory lacks is taken over.

        Returns:
            Whether the source was new.

        Raises:
            NotFoundError: no such memory.
            ScopeError: the scope is another tenant's.
        """
        identity = self._ledger.identity(memory_id)
        self._ledger.check_scope(identity, scope)
        line = self._ledger.timeline(memory_id)
        touched = line.at(in_utc(source.timestamp)) or line.last()
        number = touched.number if touched is not None else self.store.next_number(memory_id) - 1
        begin = fact.valid_from if fact is not None and fact.kind is Kind.STATE else None
        step = Step(StepKind.NOOP, number, in_utc(source.timestamp), valid_from=begin)
        event = Event(Operation.NOOP, None, decision_id, source, self._ledger.recorded(memory_id))
        new = self.store.insert_source(memory_id, number, source, decision_id, event.recorded_at)
        labels = self._ledger.attach(identity, scope)
        self.store.insert_change(decision_id, memory_id, Operation.NOOP, step, number, number, labels)
        self._ledger.settle(memory_id, event.recorded_at)
        text = self.store.text(memory_id, number)
        self._ledger.note(memory_id, event, text, text, number)
        return new

    def attach_labels(self, memory_id: str, scope: Scope) -> tuple[str, ...]:
        """Sets those labels of the scope that the memory lacks.

        Returns:
            The names of the labels that were set.

        Raises:
            NotFoundError: no such memory.
            ScopeError: the scope is another tenant's.
        """
        identity = self._ledger.identity(memory_id)
        self._ledger.check_scope(identity, scope)
        return self._ledger.attach(identity, scope)

    def annotate(self, memory_id: str, metadata: Mapping[str, Any], source: Source | None = None) -> None:
        """Replaces a memory's metadata; text, versions and embedding stay.

        Raises:
            NotFoundError: no such memory.
            InputError: the metadata is no JSON.
        """
        self._ledger.identity(memory_id)
        event = Event(Operation.UPDATE, "metadata", "", source, self._ledger.recorded(memory_id))
        self.store.set_metadata(memory_id, metadata)
        shown = self._ledger.shown(memory_id)
        self._ledger.note(memory_id, event, shown.fact.text, shown.fact.text, shown.version.number)

    def restore(
        self, memory_id: str, version: int, source: Source | None = None, decision_id: str | None = None
    ) -> int:
        """Makes an old version current again, as a new version from now (the store's clock) on.

        Args:
            memory_id: which memory; one that is over comes back.
            version: the number of the version to copy.
            source: the message that asked for it, if one did.
            decision_id: by default one that is derived, under which ``undo`` takes the restoring back.

        Returns:
            The number of the new version.

        Raises:
            NotFoundError: no such memory or version.
        """
        self._ledger.identity(memory_id)
        old = next((v for v in self.store.versions(memory_id) if v.number == version), None)
        if old is None:
            raise NotFoundError("F704", f"memory {memory_id} has no version {version}")
        number = self.store.next_number(memory_id)
        told = in_utc(source.timestamp) if source is not None else self.store.now()
        step = Step(StepKind.REVIVE, number, told, Instant(told), fact_kind=old.fact.kind, reason="restored")
        embedding = self.store.vectors([(memory_id, version)])[0]
        decision_id = decision_id or derived_id("restore", memory_id, number)
        reason = f"restored version {version}"
        return self._write(memory_id, step, old.fact, embedding, Operation.UPDATE, reason, decision_id, source)

    def undo(self, decision_id: str) -> tuple[str, ...]:
        """Takes a decision back: every memory that it touched gets the valid times it would have without.

        What later decisions did stays. Nothing is erased: what the decision made is void, with the reason
        ``undone``; its sources no longer count; a memory that has nothing else is over.

        Args:
            decision_id: which decision.

        Returns:
            The ids of the memories that it had touched, sorted.

        Raises:
            NotFoundError: no such decision.
            InputError: it was taken back before.
        """
        self._ledger.require()
        changes = self.store.changes(decision_id)
        record = self.store.decision(decision_id)
        if not changes and record is None:
            raise NotFoundError("F705", f"there is no decision {decision_id}")
        if any(change.undone for change in changes) or (record is not None and record.undone_at is not None):
            raise InputError("F706", f"decision {decision_id} was taken back before")
        touched = tuple(sorted({change.memory_id for change in changes}))
        recorded = {memory_id: self._ledger.recorded(memory_id) for memory_id in touched}
        shown = {memory_id: self._ledger.shown(memory_id) for memory_id in touched}
        self.store.mark_undone(decision_id, max([self.store.now(), *recorded.values()]))
        for memory_id in touched:
            own = [change for change in changes if change.memory_id == memory_id]
            self._take_back(memory_id, own, shown[memory_id], recorded[memory_id])
        return touched

    def _take_back(self, memory_id: str, changes: Iterable[ChangeRow], before: Stored, recorded: datetime) -> None:
        decision_id = ""
        for change in changes:
            decision_id = change.decision_id
            for label in change.labels:
                self.store.set_label(memory_id, label, None)
        self.store.remove_sources(memory_id, decision_id, recorded)
        self._ledger.settle(memory_id, recorded)
        after = self._ledger.shown(memory_id)
        event = Event(Operation.UPDATE, UNDONE, decision_id, None, recorded)
        old = None if before.tombstone is not None else before.fact.text
        new = None if after.tombstone is not None else after.fact.text
        if new is None:
            event = Event(Operation.DELETE, after.tombstone, decision_id, None, recorded)
        elif (old, before.version) == (new, after.version):
            event = Event(Operation.NOOP, UNDONE, decision_id, None, recorded)
        self._ledger.note(memory_id, event, old, new, after.version.number)

    def _write(
        self,
        memory_id: str,
        step: Step,
        fact: Fact,
        embedding: Vector,
        operation: Operation,
        reason: str,
        decision_id: str,
        source: Source | None,
    ) -> int:
        event = Event(operation, reason, decision_id, source, self._ledger.recorded(memory_id))
        before = self._ledger.before(memory_id, step)
        # An earlier version replaces nothing, and what is over says nothing.
        silent = step.kind is StepKind.EARLIER or self.store.identity(memory_id).tombstone is not None
        old = None if silent or before is None else self.store.text(memory_id, before)
        self._ledger.write_version(memory_id, step, fact, embedding, event, before, old)
        return step.number

    def _finish(self, memory_id: str, step: Step, reason: str, source: Source, decision_id: str) -> None:
        self._ledger.identity(memory_id)
        event = Event(Operation.DELETE, reason, decision_id, source, self._ledger.recorded(memory_id))
        number = self._ledger.before(memory_id, step)
        if number is None:
            number = self._ledger.shown(memory_id).version.number
        self.store.insert_change(decision_id, memory_id, Operation.DELETE, step, number, None)
        self._ledger.settle(memory_id, event.recorded_at)
        self._ledger.note(memory_id, event, self.store.text(memory_id, number), None, number)
