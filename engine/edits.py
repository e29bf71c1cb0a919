"""What people do to memories by hand: edits, deletions, undoing, feedback, verbatim storage.

Each is recorded like a decision of the engine, so that it has a history, a reason and can be undone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from engine.apply import Applied
from engine.embed import Encoder
from engine.errors import InputError, NotFoundError
from engine.facts.gate import REASONS
from engine.forget import unchanged
from engine.lexicon import Lexicon
from engine.messages import is_blank, mended
from engine.pipeline import Outcome, Pipeline
from engine.reading import read_statements
from engine.store import DecisionRow, Identity, Store
from engine.store.codec import write_json
from engine.store.writes import derived_id
from engine.types import Fact, Kind, Message, Operation, Scope, Skip, Source, Stored

BY_HAND = "by hand"


def check_metadata(metadata: Any) -> None:
    """Refuses, before anything is written, metadata that cannot be stored.

    Raises
    ------
    InputError
        F070: it is no mapping; F621: it holds what JSON cannot.
    """
    if not isinstance(metadata, Mapping):
        raise InputError("F070", f"metadata must be a mapping, not {type(metadata).__name__}")
    write_json(dict(metadata))


class Edits:
    """Explicit changes to one store.

    Parameters
    ----------
    store, lexicon, encoder, pipeline
        The same as the memory's.
    """

    def __init__(self, store: Store, lexicon: Lexicon, encoder: Encoder, pipeline: Pipeline) -> None:
        self.store = store
        self.lexicon = lexicon
        self.encoder = encoder
        self.pipeline = pipeline
        self.consolidator = pipeline.applier.consolidator

    def owns(self, held: Scope, asked: Scope) -> bool:
        """Whether a memory's scope has every id that was asked for."""
        pairs = ((held.user_id, asked.user_id), (held.agent_id, asked.agent_id), (held.run_id, asked.run_id))
        return all(want is None or want == have for have, want in pairs)

    def identity(self, memory_id: str, scope: Scope) -> Identity:
        """A memory's identity, checked against the scope that was given.

        Raises
        ------
        NotFoundError
            There is no such memory, or it belongs to another scope: the two are not told apart, so that an
            id says nothing about other tenants (xagent#818).
        """
        try:
            identity = self.store.identity(mended(str(memory_id)))
        except NotFoundError:
            raise NotFoundError("F080", f"there is no memory {memory_id!r} in this scope") from None
        if not self.owns(identity.scope, scope):
            raise NotFoundError("F080", f"there is no memory {memory_id!r} in this scope")
        return identity

    def decision(self, decision_id: str, scope: Scope) -> DecisionRow:
        """A recorded decision, checked against the scope that was given."""
        row = self.store.decision(decision_id)
        if row is None or scope.key and row.scope_key != scope.key:
            raise NotFoundError("F081", f"there is no decision {decision_id!r} in this scope")
        return row

    def verbatim(self, messages: Sequence[Message], scope: Scope, metadata: Mapping[str, Any] | None) -> Outcome:
        """Stores each message as it is, as an event of its speaker; nothing is read out of it."""
        outcome = Outcome()
        kept = [m for m in messages if not is_blank(m.content)]
        vectors = list(self.encoder.encode([m.content for m in kept])) if kept else []
        outcome.skipped += [Skip(m.id, m.content, REASONS["empty"]) for m in messages if is_blank(m.content)]
        for message, vector in zip(kept, vectors, strict=True):
            fact = Fact(message.speaker, "say", message.content, message.content, kind=Kind.EVENT)
            decision_id = derived_id("verbatim", scope.key, message.id, message.content)
            with self.store.transaction():
                held = self.store.decision(decision_id)
                if held is not None:  # the same message again
                    touched = [done["memory_id"] for done in held.record.get("operations", ())]
                    outcome.results += unchanged(self.store, decision_id, touched, message)
                    continue
                source = Source(message.id, message.content, message.timestamp, message.speaker, message.role)
                memory_id = self.consolidator.add(fact, vector, scope, source, metadata or {}, decision_id)
                self._record(decision_id, scope.key, Operation.ADD, memory_id, message.content, None)
                self.store.append_turns(scope.key, [message])
            outcome.results.append(
                Applied(memory_id, message.content, Operation.ADD, None, 1, 1.0, decision_id, message.id)
            )
        return outcome

    def update(
        self, memory_id: str, text: str | None, metadata: Mapping[str, Any] | None, moment: datetime, scope: Scope
    ) -> None:
        """A new text (re-embedded, a new version) or new metadata.

        Raises
        ------
        InputError
            Neither was given, or the text is blank, or the metadata names a scope.
        """
        identity = self.identity(memory_id, scope)
        if text is None and metadata is None:
            raise InputError("F082", "nothing to update: give a text, metadata, or both")
        if metadata is not None and (named := sorted({"user_id", "agent_id", "run_id"} & set(metadata))):
            raise InputError("F083", f"metadata must not hold {named}: the scope of a memory never changes")
        fact = vector = None
        if text is not None:
            if not isinstance(text, str) or is_blank(mended(text)):
                raise InputError("F084", "the text must not be blank; use delete to end a memory")
            text = mended(text)
            fact = read_statements([text], self.lexicon)[0]
            vector = self.encoder.encode([text])[0]
        if metadata is not None:
            check_metadata(metadata)
        with self.store.transaction():
            if fact is not None and vector is not None:
                number = self.store.next_number(memory_id)
                decision_id = derived_id("update", memory_id, number, fact.text)
                source = Source(decision_id, fact.text, moment, BY_HAND)
                old = self._text(memory_id)
                self.consolidator.update(memory_id, fact, vector, source, decision_id)
                self._record(decision_id, identity.scope_key, Operation.UPDATE, memory_id, fact.text, old)
            if metadata is not None:
                self.consolidator.annotate(memory_id, metadata)

    def delete(self, memory_id: str, reason: str | None, moment: datetime, scope: Scope) -> None:
        """Ends a memory from ``moment`` on.

        Raises
        ------
        InputError
            It is over already.
        """
        identity = self.identity(memory_id, scope)
        if identity.tombstone is not None:
            raise InputError("F085", f"memory {memory_id} is over already ({identity.tombstone})")
        why = mended(reason or "") or "deleted on request"
        with self.store.transaction():
            count = len(self.store.history(memory_id))
            decision_id = derived_id("delete", memory_id, count)
            source = Source(decision_id, why, moment, BY_HAND)
            old = self._text(memory_id)
            self.consolidator.end(memory_id, None, why, source, decision_id)
            self._record(decision_id, identity.scope_key, Operation.DELETE, memory_id, why, old)

    def delete_all(self, scope: Scope, moment: datetime) -> int:
        """Ends every memory of a scope that is not over, what is yet to begin as well, all or none; how many."""
        with self.store.transaction():
            memories = [m for m in self.store.all(scope.key) if self.owns(m.scope, scope)]
            for memory in memories:
                self.delete(memory.id, "all deleted on request", moment, Scope())
        return len(memories)

    def undo(self, decision_id: str, scope: Scope) -> list[str]:
        """Takes a decision back; returns the ids of the memories it had touched."""
        row = self.decision(decision_id, scope)
        with self.store.transaction():
            touched = self.consolidator.undo(row.id)
        return list(touched)

    def restore(self, memory_id: str, version: int, scope: Scope) -> int:
        """Makes an old version current; returns the number of the new one."""
        identity = self.identity(memory_id, scope)
        with self.store.transaction():
            count = self.store.next_number(memory_id)
            decision_id = derived_id("restore", memory_id, count)
            old = self._text(memory_id)
            number = self.consolidator.restore(memory_id, version, None, decision_id)
            text = self._text(memory_id) or ""
            self._record(decision_id, identity.scope_key, Operation.UPDATE, memory_id, text, old)
        return number

    def feedback(self, decision_id: str, operation: str, scope: Scope) -> dict[str, Any]:
        """Files what a decision should have been, and mends the store.

        The decision is taken back and the right operation done against the memory it was judged by.

        Raises
        ------
        InputError
            The operation is none of the four, there was no memory to judge against, or another answer mended the
            store before.
        """
        if operation not in Operation.__members__:
            raise InputError("F086", f"operation {operation!r} is none of {', '.join(Operation)}")
        row = self.decision(decision_id, scope)
        record = row.record
        seen = record.get("neighbours") or []
        target = record.get("target")
        pair = seen[target] if target is not None else (seen[0] if seen else None)
        if pair is None:
            raise InputError(
                "F087", f"decision {decision_id} had no memory to be judged against; edit or delete instead"
            )
        label = {"existing": pair["text"], "candidate": record["candidate"], "label": operation, "reviewed": True,
                 "source": decision_id}  # fmt: skip
        before = json.loads(row.feedback)["label"] if row.feedback is not None else None
        if row.undone_at is not None and before not in (None, operation):
            raise InputError(
                "F089",
                f"decision {decision_id} was answered with {before} before, and the store was mended by that; mend what "
                "is stored now with update, delete or restore (history tells the ids)",
            )
        wrong = operation != record.get("operation") and row.undone_at is None
        with self.store.transaction():
            if wrong:
                self._redo(row, record, pair["memory_id"], Operation(operation))
            self.store.set_feedback(decision_id, json.dumps(label, ensure_ascii=False))
        return {"pair": label, "changed": wrong}

    def _redo(self, row: DecisionRow, record: Mapping[str, Any], memory_id: str, operation: Operation) -> None:
        """The decision undone, and done again as it should have been."""
        added = [o["memory_id"] for o in record.get("operations", ()) if o["memory_id"] != memory_id]
        kept = self.store.find(added[0]) if added else None
        updated = next(
            (v for v in reversed(self.store.versions(memory_id)) if v.fact.text == record["candidate"]), None
        )
        fact = kept.fact if kept else updated.fact if updated else None
        origin = self._source_of(kept or self.store.find(memory_id), record)
        held = self.store.identity(memory_id).scope
        scope, metadata = self._labels_of(row, record, kept, held)
        self.consolidator.undo(row.id)
        fact = fact or read_statements([record["candidate"]], self.lexicon)[0]
        vector = self.encoder.encode([fact.text])[0]
        new_id = derived_id("feedback", row.id, operation)
        if operation is Operation.ADD:
            memory_id = self.consolidator.add(fact, vector, scope, origin, metadata, new_id)
        elif operation is Operation.UPDATE:
            self.consolidator.update(memory_id, fact, vector, origin, new_id)
        elif operation is Operation.DELETE:
            self.consolidator.end(memory_id, fact.valid_from, fact.text, origin, new_id)
        else:
            self.consolidator.noop(memory_id, origin, scope, new_id)
        self._record(new_id, row.scope_key, operation, memory_id, record["candidate"], None)

    def _labels_of(
        self, row: DecisionRow, record: Mapping[str, Any], kept: Stored | None, held: Scope
    ) -> tuple[Scope, Mapping[str, Any]]:
        """Whose the statement of a decision was, and its metadata: as recorded, else those of the memory it made,
        else the tenant of the memory it was judged by."""
        if "labels" in record:
            return Scope(*record["labels"]), record.get("metadata", {})
        if kept is not None:
            return kept.scope, kept.metadata
        name = row.scope_key.partition(":")[0] + "_id"
        return Scope(**{name: getattr(held, name)}), {}

    def _source_of(self, memory: Stored | None, record: Mapping[str, Any]) -> Source:
        message_id = str(record.get("message_id", ""))
        for source in memory.sources if memory else ():
            if source.message_id == message_id:
                return source
        return Source(message_id, str(record["candidate"]), self.store.now(), BY_HAND)

    def _text(self, memory_id: str) -> str | None:
        found = self.store.find(memory_id)
        return found.fact.text if found else None

    def _record(
        self, decision_id: str, scope_key: str, operation: Operation, memory_id: str, text: str, previous: str | None
    ) -> None:
        done = {"operation": str(operation), "memory_id": memory_id, "previous": previous, "version": None}
        record = {"operation": str(operation), "candidate": text, "reasons": [BY_HAND], "operations": [done]}
        self.store.record_decision(decision_id, scope_key, record)
