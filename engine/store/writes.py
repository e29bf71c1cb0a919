"""The single writes that a consolidation is made of. Each needs an open transaction and checks nothing
but its values: what they mean together is the consolidator's to know."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError, StoreError
from engine.store import codec
from engine.store.reads import Reads
from engine.timeline import Step, Stretch
from engine.types import Fact, Operation, Scope, Source

NAMESPACE = uuid.UUID("6f1f0f4c-1f0e-5d0a-9a55-0c6c5f6a7d21")
LABELS = ("user_id", "agent_id", "run_id")


def derived_id(*parts: str | int) -> str:
    """An id that follows from its parts alone, so that the same input gives the same store."""
    return str(uuid.uuid5(NAMESPACE, json.dumps(parts, ensure_ascii=False)))


class Writes(Reads):
    """Rows in, nothing decided."""

    def insert_memory(
        self, memory_id: str, scope: Scope, metadata: Mapping[str, Any], source: Source, recorded_at: datetime
    ) -> None:
        """A memory without any version as yet."""
        moment = codec.write_time(recorded_at)
        self._insert(
            scope.key,
            "memories",
            id=memory_id,
            scope_key=scope.key,
            user_id=scope.user_id,
            agent_id=scope.agent_id,
            run_id=scope.run_id,
            metadata=codec.write_json(dict(metadata)),
            created_at=moment,
            updated_at=moment,
            actor_id=actor(source),
            role=str(source.role),
        )

    def insert_version(
        self, memory_id: str, number: int, fact: Fact, embedding: NDArray[np.float32], recorded_at: datetime
    ) -> None:
        """An immutable version.

        Args:
            embedding: float32 [d] of the fact's text.

        Raises:
            StoreError: the vector's length is not that of the store's encoder.
        """
        blob = codec.write_vector(embedding)
        if self.dimension is not None and len(blob) != 4 * self.dimension:
            raise StoreError(
                "F606",
                f"an embedding of {len(blob) // 4} dimensions does not fit a store of {self.dimension}; "
                "run `factfold reembed`, or choose the former encoder",
            )
        scope_key = self.identity(memory_id).scope_key
        self._insert(
            scope_key,
            "versions",
            memory_id=memory_id,
            number=number,
            scope_key=scope_key,
            text=fact.text,
            subject=fact.subject,
            predicate=fact.predicate,
            object=fact.object,
            attribute=fact.attribute,
            polarity=str(fact.polarity),
            modality=str(fact.modality),
            kind=str(fact.kind),
            fact=codec.write_fact(fact),
            hash=codec.text_hash(fact.text),
            embedding=blob,
            recorded_at=codec.write_time(recorded_at),
        )

    def next_number(self, memory_id: str) -> int:
        """The number of the version that would come next."""
        query = "SELECT COALESCE(MAX(number), 0) + 1 FROM versions WHERE memory_id = ?"
        with self.reading() as connection:
            return int(connection.execute(query, (memory_id,)).fetchone()[0])

    def put_stretch(self, memory_id: str, stretch: Stretch, recorded_at: datetime) -> None:
        """The valid time of a version from now on; what was held of it until now is superseded."""
        moment = codec.write_time(recorded_at)
        scope_key = self.identity(memory_id).scope_key
        self._write(
            scope_key,
            "UPDATE spans SET superseded_at = ? WHERE memory_id = ? AND number = ? AND superseded_at IS NULL",
            (moment, memory_id, stretch.number),
        )
        begin, end = codec.write_instant(stretch.valid_from), codec.write_instant(stretch.valid_to)
        self._insert(
            scope_key,
            "spans",
            memory_id=memory_id,
            number=stretch.number,
            valid_from=begin[0],
            from_precision=begin[1],
            valid_to=end[0],
            to_precision=end[1],
            void=int(stretch.void),
            reason=stretch.reason,
            recorded_at=moment,
        )

    def insert_source(
        self, memory_id: str, number: int, source: Source, decision_id: str, recorded_at: datetime
    ) -> bool:
        """Adds to a memory's provenance.

        Returns:
            False where the same words of the same message stand there already.
        """
        held = self.connection.execute(
            "SELECT 1 FROM sources WHERE memory_id = ? AND message_id = ? AND text = ? AND removed_at IS NULL",
            (memory_id, source.message_id, source.text),
        ).fetchone()
        if held:
            return False
        self._insert(
            self.identity(memory_id).scope_key,
            "sources",
            memory_id=memory_id,
            number=number,
            message_id=source.message_id,
            text=source.text,
            timestamp=codec.write_time(source.timestamp),
            speaker=source.speaker,
            role=str(source.role),
            context=source.context,
            recorded_at=codec.write_time(recorded_at),
            decision_id=decision_id,
        )
        return True

    def remove_sources(self, memory_id: str, decision_id: str, recorded_at: datetime) -> None:
        """Marks what a decision added to a memory's provenance as taken back."""
        self._write(
            self.identity(memory_id).scope_key,
            "UPDATE sources SET removed_at = ? WHERE memory_id = ? AND decision_id = ? AND removed_at IS NULL",
            (codec.write_time(recorded_at), memory_id, decision_id),
        )

    def insert_history(
        self,
        memory_id: str,
        event: Operation,
        old: str | None,
        new: str | None,
        version: int,
        recorded_at: datetime,
        reason: str | None = None,
        decision_id: str | None = None,
        source: Source | None = None,
    ) -> None:
        """An event in a memory's life. Any but NOOP sets the memory's ``updated_at``."""
        row = self.connection.execute(
            """SELECT created_at, tombstone IS NOT NULL AS over,
            (SELECT COUNT(*) FROM history WHERE memory_id = m.id) + 1 AS ordinal FROM memories m WHERE id = ?""",
            (memory_id,),
        ).fetchone()
        moment = codec.write_time(recorded_at)
        self._insert(
            self.identity(memory_id).scope_key,
            "history",
            memory_id=memory_id,
            ordinal=row["ordinal"],
            id=derived_id("history", memory_id, row["ordinal"]),
            old_memory=old,
            new_memory=new,
            event=str(event),
            created_at=row["created_at"],
            updated_at=moment,
            is_deleted=row["over"],
            actor_id=None if source is None else actor(source),
            role=None if source is None else str(source.role),
            version=version,
            reason=reason,
            decision_id=decision_id,
            source=codec.write_source(source),
        )
        if event is not Operation.NOOP:
            self.connection.execute("UPDATE memories SET updated_at = ? WHERE id = ?", (moment, memory_id))

    def last_recorded(self, memory_id: str) -> datetime | None:
        """When a memory was last written to, by the store's clock."""
        query = "SELECT MAX(updated_at) FROM history WHERE memory_id = ?"
        with self.reading() as connection:
            text = connection.execute(query, (memory_id,)).fetchone()[0]
        return None if text is None else codec.read_time(text)

    def insert_change(
        self,
        decision_id: str,
        memory_id: str,
        operation: Operation,
        step: Step,
        before: int | None,
        after: int | None,
        labels: Sequence[str] = (),
    ) -> None:
        """The step that a decision takes on a memory."""
        begin, end = codec.write_instant(step.valid_from), codec.write_instant(step.valid_to)
        self._insert(
            self.identity(memory_id).scope_key,
            "changes",
            decision_id=decision_id,
            memory_id=memory_id,
            operation=str(operation),
            version_before=before,
            version_after=after,
            step=str(step.kind),
            number=step.number,
            told_at=codec.write_time(step.told),
            valid_from=begin[0],
            from_precision=begin[1],
            valid_to=end[0],
            to_precision=end[1],
            target=step.target,
            fact_kind=str(step.fact_kind),
            reason=step.reason,
            labels=codec.write_json(list(labels)),
        )

    def mark_undone(self, decision_id: str, recorded_at: datetime) -> None:
        """Takes a decision's steps out of account."""
        moment = codec.write_time(recorded_at)
        self._require()
        self.connection.execute("UPDATE changes SET undone_at = ? WHERE decision_id = ?", (moment, decision_id))
        self.connection.execute("UPDATE decisions SET undone_at = ? WHERE id = ?", (moment, decision_id))

    def set_tombstone(self, memory_id: str, reason: str | None) -> None:
        """Says why a memory is over, or that it is not."""
        self._write(
            self.identity(memory_id).scope_key, "UPDATE memories SET tombstone = ? WHERE id = ?", (reason, memory_id)
        )

    def set_metadata(self, memory_id: str, metadata: Mapping[str, Any]) -> None:
        """Replaces a memory's metadata."""
        self._write(
            self.identity(memory_id).scope_key,
            "UPDATE memories SET metadata = ? WHERE id = ?",
            (codec.write_json(dict(metadata)), memory_id),
        )

    def set_label(self, memory_id: str, label: str, value: str | None) -> None:
        """Sets or clears one of the scope's labels."""
        if label not in LABELS:
            raise InputError("F613", f"{label} is no scope label; use one of {', '.join(LABELS)}")
        scope_key = self.identity(memory_id).scope_key
        self._write(scope_key, f"UPDATE memories SET {label} = ? WHERE id = ?", (value, memory_id))

    def texts(self) -> tuple[tuple[str, int, str], ...]:
        """Every version's (memory id, number, text), sorted: what is to be embedded anew."""
        with self.reading() as connection:
            return tuple(map(tuple, connection.execute("SELECT memory_id, number, text FROM versions ORDER BY 1, 2")))

    def replace_embeddings(
        self, encoder_id: str, dimension: int, vectors: Iterable[tuple[str, int, NDArray[np.float32]]]
    ) -> None:
        """Moves the store to another encoder, in one transaction. Compute the vectors before.

        Args:
            encoder_id: the new encoder.
            dimension: the length of its vectors.
            vectors: (memory id, number, float32 [dimension]) of every version.

        Raises:
            StoreError: a vector has another length, or a version was left out (a write came between).
        """
        with self.transaction():
            missing = {(memory_id, number) for memory_id, number, _ in self.texts()}
            for memory_id, number, vector in vectors:
                blob = codec.write_vector(vector)
                if len(blob) != 4 * dimension:
                    raise StoreError("F606", f"a vector of {len(blob) // 4} dimensions, not of {dimension}")
                self.connection.execute(
                    "UPDATE versions SET embedding = ? WHERE memory_id = ? AND number = ?", (blob, memory_id, number)
                )
                missing.discard((memory_id, number))
            if missing:
                raise StoreError("F614", f"{len(missing)} versions were left out; read the texts again and retry")
            self._set_meta("encoder_id", encoder_id)
            self._set_meta("dimension", str(dimension))
            for scope_key in self.scope_keys():
                self._touch(scope_key)

    def _require(self) -> None:
        if not self.in_transaction:
            raise StoreError("F615", "a write outside a transaction; use `with store.transaction():`")

    def _insert(self, scope_key: str, table: str, /, **columns: Any) -> None:
        names, marks = ", ".join(columns), ", ".join("?" for _ in columns)
        self._write(scope_key, f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(columns.values()))

    def _write(self, scope_key: str, statement: str, values: Sequence[Any]) -> None:
        self._require()
        self.connection.execute(statement, values)
        self._touch(scope_key)


def actor(source: Source) -> str | None:
    """The speaker's name, where the message had one (mem0's ``actor_id``)."""
    return None if source.speaker == str(source.role) else source.speaker
