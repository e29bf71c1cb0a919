"""What mem0 keeps → memories: its ``get_all`` as plain statements, its ``history.db`` as memories with versions.

Its times become the times of the messages and of recording, so that ``known_at`` and ``as_of`` answer for the time
before the move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.errors import InputError, ScopeError
from engine.ledger import Event, Ledger, in_utc, step_of
from engine.lexicon import Lexicon
from engine.messages import is_blank, mended, read_scope, read_timestamp
from engine.reading import read_statements
from engine.store import Store, codec
from engine.store.writes import derived_id
from engine.timeline import Step, StepKind
from engine.types import Fact, Operation, Role, Scope, Source

SHOWN = 20
ENDED = "deleted in mem0"


@dataclass(frozen=True, slots=True)
class Line:
    """One event in the life of a memory of mem0: a new text, or None where it was deleted."""

    text: str | None
    at: datetime | None
    actor: str | None = None
    role: str | None = None


@dataclass(slots=True)
class Told:
    """A memory of mem0."""

    id: str
    scope: Scope
    metadata: Mapping[str, Any] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return [line.text for line in self.lines if line.text is not None]


def from_listing(name: str, content: Any, scope: Scope) -> list[Told]:
    """The memories of a ``get_all`` JSON: ``{"results": [...]}``, or the list alone.

    Raises
    ------
    InputError
        F830: everything that is wrong with any of them.
    ScopeError
        F835: one does not tell whose it is, and ``scope`` is empty.
    """
    rows = content.get("results", content.get("memories")) if isinstance(content, Mapping) else content
    if not isinstance(rows, list):
        raise InputError("F830", f"{name} has no list of results; give a factfold export or the JSON of mem0's get_all")
    found: dict[str, Told] = {}
    problems: list[str] = []
    for place, row in enumerate(rows):
        try:
            told = _listed(row, scope)
            if told.id in found:
                raise InputError("F830", f"the id {told.id!r} stands there twice")
            found[told.id] = told
        except ScopeError:
            raise
        except InputError as error:
            problems.append(f"result {place}: {str(error).split('] ', 1)[-1]}")
    _refuse(name, problems)
    return list(found.values())


def _listed(row: Any, scope: Scope) -> Told:
    if not isinstance(row, Mapping):
        raise InputError("F830", f"a memory is an object with id and memory, not {row!r}")
    text = row.get("memory", row.get("text"))
    memory_id = row.get("id")
    if not isinstance(text, str) or is_blank(mended(text)):
        raise InputError("F830", f"memory must be a non-empty text, not {text!r}")
    if not isinstance(memory_id, str) or is_blank(mended(memory_id)):
        raise InputError("F830", f"id must be a non-empty text, not {memory_id!r}")
    own = read_scope(row.get("user_id"), row.get("agent_id"), row.get("run_id"))
    metadata = row.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise InputError("F830", f"metadata must be an object, not {metadata!r}")
    codec.write_json(dict(metadata))
    told = Told(mended(memory_id), _whose(own, scope), metadata)
    at = _moment(row.get("updated_at") or row.get("created_at"))
    told.lines.append(Line(mended(text), at, _text(row.get("actor_id")), _text(row.get("role"))))
    return told


def from_history(rows: Sequence[Mapping[str, Any]], scope: Scope) -> list[Told]:
    """The memories of a ``history.db``; it does not tell whose they are, so a scope must be given.

    A row without a time (mem0 1.x dates no deletion) is taken as of the latest time before it.

    Raises
    ------
    InputError
        F830: everything that is wrong with any row.
    ScopeError
        F835: ``scope`` is empty.
    """
    found: dict[str, Told] = {}
    problems: list[str] = []
    latest: datetime | None = None
    for place, row in enumerate(rows, 1):
        try:
            at = _moment(row["updated_at"] or row["created_at"])
            latest = max((t for t in (at, latest) if t is not None), default=None)
            memory_id, event = row["memory_id"], str(row["event"] or "").upper()
            if not isinstance(memory_id, str) or is_blank(mended(memory_id)):
                raise InputError("F830", f"memory_id must be a non-empty text, not {memory_id!r}")
            if event in ("NONE", "NOOP"):
                continue
            if event not in ("ADD", "UPDATE", "DELETE"):
                raise InputError("F830", f"event {row['event']!r} is none of ADD, UPDATE, DELETE, NONE")
            told = found.setdefault(mended(memory_id), Told(mended(memory_id), _whose(Scope(), scope)))
            said_by = (_text(row["actor_id"]), _text(row["role"]))
            old, new = (mended(str(row[name] or "")) for name in ("old_memory", "new_memory"))
            if not told.lines and event != "ADD" and not is_blank(old):
                told.lines.append(Line(old, _moment(row["created_at"]) or at or latest, *said_by))
            if event == "DELETE" or row["is_deleted"]:
                told.lines.append(Line(None, at or latest, *said_by))
            elif is_blank(new):
                raise InputError("F830", f"new_memory must be a non-empty text, not {row['new_memory']!r}")
            else:
                told.lines.append(Line(new, at or latest, *said_by))
        except ScopeError:
            raise
        except InputError as error:
            problems.append(f"row {place}: {str(error).split('] ', 1)[-1]}")
    _refuse("the history", problems)
    return [told for told in found.values() if told.texts]


def facts_of(told: Sequence[Told], lexicon: Lexicon) -> dict[str, Fact]:
    """Every text read as a fact, in one batch."""
    texts = sorted({text for memory in told for text in memory.texts})
    return dict(zip(texts, read_statements(texts, lexicon), strict=True)) if texts else {}


def write(
    store: Store, told: Sequence[Told], facts: Mapping[str, Fact], vectors: Mapping[str, npt.NDArray[np.float32]]
) -> None:
    """Writes memories, within the caller's transaction."""
    ledger = Ledger(store)
    for memory in told:
        last = None
        number = 0
        shown: str | None = None
        for place, line in enumerate(memory.lines):
            at = line.at or last or store.now()
            at = last = at if last is None else max(at, last)
            decision_id = derived_id("mem0", memory.scope.key, memory.id, place)
            role = line.role if line.role in tuple(Role) else str(Role.USER)
            source = Source(f"mem0:{memory.id}", line.text or ENDED, in_utc(at), line.actor or str(role), Role(role))
            if line.text is None:
                if shown is not None:
                    _end(ledger, memory.id, number, shown, Event(Operation.DELETE, ENDED, decision_id, source, at))
                shown = None
                continue
            if line.text == shown:
                continue  # nothing changed but its metadata
            number += 1
            fact = facts[line.text]
            if number == 1:
                store.insert_memory(memory.id, memory.scope, memory.metadata, source, at)
                kind, operation = StepKind.ADD, Operation.ADD
            else:
                kind = StepKind.REVIVE if shown is None else StepKind.CHANGED
                operation = Operation.UPDATE
            step = step_of(kind, number, fact, source)
            event = Event(operation, None if number == 1 else str(kind), decision_id, source, at)
            ledger.write_version(memory.id, step, fact, vectors[line.text], event, number - 1 or None, shown)
            shown = line.text


def _end(ledger: Ledger, memory_id: str, number: int, shown: str, event: Event) -> None:
    assert event.source is not None
    step = Step(StepKind.END, 0, event.source.timestamp, reason=event.reason)
    ledger.store.insert_change(event.decision_id, memory_id, event.operation, step, number, None)
    ledger.settle(memory_id, event.recorded_at)
    ledger.note(memory_id, event, shown, None, number)


def _whose(own: Scope, given: Scope) -> Scope:
    scope = own if own.key else given
    if not scope.key:
        raise ScopeError("F835", "these memories do not tell whose they are; give a user_id, an agent_id or a run_id")
    return scope


def _moment(value: Any) -> datetime | None:
    return None if value is None or value == "" else read_timestamp(value)


def _text(value: Any) -> str | None:
    return mended(value) if isinstance(value, str) and not is_blank(mended(value)) else None


def _refuse(name: str, problems: Sequence[str]) -> None:
    if problems:
        more = [f"… and {len(problems) - SHOWN} more"] if len(problems) > SHOWN else []
        shown = "\n  ".join([*problems[:SHOWN], *more])
        raise InputError("F830", f"{name} cannot be imported; mend these:\n  {shown}")
