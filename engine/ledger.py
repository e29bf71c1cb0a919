"""Keeping what is stored in line with what was done: the part that all consolidation shares."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError, NotFoundError, ScopeError, StoreError
from engine.store import Identity, Store
from engine.store.writes import LABELS, derived_id
from engine.timeline import Step, StepKind, Stretch, Timeline, fold
from engine.types import Fact, Instant, Kind, Operation, Scope, Source, Stored

UNDONE = "undone"

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Event:
    """What a write leaves in the records beside its step."""

    operation: Operation
    reason: str | None
    decision_id: str
    source: Source | None
    recorded_at: datetime


class Ledger:
    """Timelines, history and labels of a store's memories.

    Args:
        store: where they lie; its clock gives the recorded time.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def write_version(
        self,
        memory_id: str,
        step: Step,
        fact: Fact,
        embedding: Vector,
        event: Event,
        before: int | None = None,
        old: str | None = None,
    ) -> None:
        """A version with its source, step, valid time and history; ``before`` and ``old`` tell the number and
        the text of what it touched."""
        self.store.insert_version(memory_id, step.number, fact, embedding, event.recorded_at)
        if event.source is not None:
            self.store.insert_source(memory_id, step.number, event.source, event.decision_id, event.recorded_at)
        self.store.insert_change(event.decision_id, memory_id, event.operation, step, before, step.number)
        self.settle(memory_id, event.recorded_at)
        self.note(memory_id, event, old, fact.text, step.number)

    def settle(self, memory_id: str, recorded: datetime) -> None:
        """Brings the stored valid times in line with the steps; only what differs is written."""
        line = self.timeline(memory_id)
        wanted = {stretch.number: stretch for stretch in line.stretches}
        held = {row.stretch.number: row.stretch for row in self.store.spans(memory_id)}
        for number in sorted(wanted.keys() | held.keys()):
            stretch = wanted.get(number)
            old = held.get(number)
            if stretch is None:  # its step was taken back
                assert old is not None
                stretch = Stretch(number, old.valid_from, old.valid_to, void=True, reason=UNDONE)
            if old is None or _interval(old) != _interval(stretch):
                self.store.put_stretch(memory_id, stretch, recorded)
        tombstone = line.tombstone
        if tombstone is None and line.last() is None:
            tombstone = UNDONE
        if tombstone != self.store.identity(memory_id).tombstone:
            self.store.set_tombstone(memory_id, tombstone)

    def note(self, memory_id: str, event: Event, old: str | None, new: str | None, version: int) -> None:
        """Writes the history row of an event; ``old`` and ``new`` are the memory's texts around it."""
        self.store.insert_history(
            memory_id,
            event.operation,
            old,
            new,
            version,
            event.recorded_at,
            event.reason,
            event.decision_id or None,
            event.source,
        )

    def attach(self, identity: Identity, scope: Scope) -> tuple[str, ...]:
        """Only labels weaker than the key can be unset and given, so the key cannot change."""
        attached = []
        for label in LABELS:
            value = getattr(scope, label)
            if value is not None and getattr(identity.scope, label) is None:
                self.store.set_label(identity.id, label, value)
                attached.append(label)
        return tuple(attached)

    def require(self) -> None:
        """Refuses to write outside a transaction."""
        if not self.store.in_transaction:
            raise StoreError("F615", "consolidation outside a transaction; use `with store.transaction():`")

    def identity(self, memory_id: str) -> Identity:
        """The memory that is to be written to; NotFoundError where there is none."""
        self.require()
        return self.store.identity(memory_id)

    def timeline(self, memory_id: str) -> Timeline:
        """The valid times that the recorded steps amount to."""
        return fold(self.store.steps(memory_id))

    def recorded(self, memory_id: str) -> datetime:
        """Now; never before the memory's last write, lest a clock set back makes two spans known at once."""
        last = self.store.last_recorded(memory_id)
        now = self.store.now()
        return now if last is None else max(now, last)

    def before(self, memory_id: str, step: Step) -> int | None:
        """The number of the version that a step is about: the named one, else the one true when it was
        told, else the last; None where nothing of the memory was ever true."""
        if step.target is not None:
            return step.target
        line = self.timeline(memory_id)
        touched = line.at(step.told) or line.last()
        return None if touched is None else touched.number

    def shown(self, memory_id: str) -> Stored:
        """The memory as ``find`` shows it: what it says now, or said last."""
        found = self.store.find(memory_id)
        assert found is not None
        return found

    def check_scope(self, identity: Identity, scope: Scope) -> None:
        """Refuses another tenant's scope."""
        if scope.key != identity.scope_key:
            raise ScopeError("F707", f"memory {identity.id} belongs to another scope than the one given")

    def check_touched(self, memory_id: str, line: Timeline, version: int) -> None:
        """Refuses a version that is unknown or void."""
        stretch = next((s for s in line.stretches if s.number == version), None)
        if stretch is None and version >= self.store.next_number(memory_id):
            raise NotFoundError("F704", f"memory {memory_id} has no version {version}")
        if stretch is None or stretch.void:
            raise InputError("F708", f"version {version} of memory {memory_id} is void; read it again and decide anew")

    def free_id(self, scope: Scope, source: Source, fact: Fact) -> str:
        """The id that follows from scope, message and text; numbered where it is taken."""
        number = 0
        while True:
            memory_id = derived_id("memory", scope.key, source.message_id, fact.text, number)
            try:
                self.store.identity(memory_id)
            except NotFoundError:
                return memory_id
            number += 1


def in_utc(moment: datetime) -> datetime:
    """A message's time in UTC; InputError where it has no zone."""
    if moment.tzinfo is None:
        raise InputError("F620", f"the time {moment.isoformat()} has no zone; give an aware datetime, e.g. in UTC")
    return moment.astimezone(UTC)


def step_of(kind: StepKind, number: int, fact: Fact, source: Source, target: int | None = None) -> Step:
    """The step of a fact. An event or a plan is active from when it was told and does not end by itself,
    whatever day it speaks of; a correction of one keeps the place of what it corrects."""
    told = in_utc(source.timestamp)
    begin, end = fact.valid_from, fact.valid_to
    if fact.kind is not Kind.STATE:
        begin = None if kind in (StepKind.CORRECTED, StepKind.REFINED) else Instant(told)
        end = None
    return Step(kind, number, told, begin, end, target, fact.kind)


def _interval(stretch: Stretch) -> tuple[object, ...]:
    return stretch.valid_from, stretch.valid_to, stretch.void
