"""What the store gives back beside memories: frozen rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.timeline import Step, Stretch
from engine.types import Operation, Scope, Source


@dataclass(frozen=True, slots=True)
class Identity:
    """What of a memory does not depend on a moment."""

    id: str
    scope_key: str
    scope: Scope
    created_at: datetime
    updated_at: datetime
    tombstone: str | None


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One event in the life of a memory. ``created_at`` is the memory's, ``updated_at`` the event's
    recorded time; ``is_deleted`` tells whether the memory was over after it."""

    id: str
    memory_id: str
    old_memory: str | None
    new_memory: str | None
    event: Operation
    created_at: datetime
    updated_at: datetime
    is_deleted: bool
    actor_id: str | None
    role: str | None
    version: int
    reason: str | None
    decision_id: str | None
    source: Source | None


@dataclass(frozen=True, slots=True)
class SpanRow:
    """The valid time of a version as the store holds it now."""

    id: int
    stretch: Stretch


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A step that a decision took on a memory. ``labels`` are the scope labels that it attached."""

    id: int
    memory_id: str
    decision_id: str
    operation: Operation
    version_before: int | None
    version_after: int | None
    step: Step
    labels: tuple[str, ...] = ()
    undone: bool = False


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A recorded decision; ``record`` is JSON that the decider wrote."""

    id: str
    scope_key: str
    created_at: datetime
    record: Mapping[str, Any]
    review: bool = False
    undone_at: datetime | None = None
    feedback: str | None = None


@dataclass(frozen=True, slots=True)
class EntityRow:
    """Someone or something known by name: ``owner`` (``user``) has a ``role`` (``sister``) called ``name``."""

    name: str
    role: str
    owner: str
    kind: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Access:
    """How often and when last a memory was found."""

    count: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """How many rows were erased. ``redacted`` counts decisions that also speak of memories that stay:
    they are kept, with what they told of the erased ones blanked."""

    memories: int = 0
    versions: int = 0
    sources: int = 0
    history: int = 0
    decisions: int = 0
    turns: int = 0
    entities: int = 0
    redacted: int = 0
