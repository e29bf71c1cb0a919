"""What is true at a moment, without reading the database again for each question.

A scope's versions are held together with the generation at which they were read; the database is asked for its
generation each time, so that what another process wrote is seen. It is a cache and nothing more.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

from engine.lexical import Document
from engine.ranking import document_of
from engine.store import Store
from engine.types import Stored

MOST_ROWS = 50_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_NEVER = np.iinfo(np.int64)

Positions = npt.NDArray[np.intp]
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Recalled:
    """Memories, and on demand what ranking needs of them; ``rows`` are their places in what is held."""

    memories: list[Stored]
    rows: Sequence[int]
    held: Held

    def where(self, kept: Sequence[bool]) -> Recalled:
        """Those of the memories that a filter keeps."""
        both = [(m, row) for m, row, keep in zip(self.memories, self.rows, kept, strict=True) if keep]
        return Recalled([m for m, _ in both], [row for _, row in both], self.held)

    @property
    def matrix(self) -> Vectors:
        """Their unit vectors, float32 ``[n, d]``."""
        return self.held.matrix[np.array(self.rows, dtype=np.intp)]

    @property
    def documents(self) -> list[Document]:
        """Their words, counted once."""
        known = self.held.documents
        for row, memory in zip(self.rows, self.memories, strict=True):
            if known[row] is None:
                known[row] = document_of(memory)
        return [d for row in self.rows if (d := known[row]) is not None]


@dataclass(frozen=True, slots=True)
class Held:
    """All versions of a scope at one generation; ``begins`` and ``ends`` in microseconds, ``group`` tells the
    memories apart."""

    generation: int
    versions: list[Stored]
    matrix: Vectors
    begins: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    group: npt.NDArray[np.int64]
    documents: list[Document | None] = field(default_factory=list)

    def at(self, moment: datetime) -> Recalled:
        """Each memory that is true at a moment, once, in the order of ``Store.active``."""
        at = _microseconds(moment)
        rows: Positions = np.flatnonzero((self.begins <= at) & (self.ends > at))
        group = self.group[rows]
        # Of versions that are true at once the last of the line answers.
        rows = rows[np.append(group[1:] != group[:-1], True)] if len(rows) else rows
        places = rows.tolist()
        return Recalled([self.versions[row] for row in places], places, self)


class Recall:
    """The memories of one store that are true at a moment. Safe to use from several threads.

    Parameters
    ----------
    store : Store
    most_rows : int
        Versions held over all scopes; beyond it the scopes that were not asked for lately are dropped.
    """

    def __init__(self, store: Store, most_rows: int = MOST_ROWS) -> None:
        self.store = store
        self.most_rows = most_rows
        self._held: OrderedDict[str, Held] = OrderedDict()
        self._lock = threading.Lock()

    def active(self, scope_key: str, moment: datetime) -> Recalled:
        """As ``Store.active``, for what the store knows now."""
        with self.store.reading():
            generation = self.store.generation(scope_key)
            with self._lock:
                held = self._held.get(scope_key)
                if held is not None and held.generation == generation:
                    self._held.move_to_end(scope_key)
                    return held.at(moment)
            held = _read(self.store, scope_key, generation)
        if not self.store.in_transaction:  # what is written but not committed may yet be taken back
            self._keep(scope_key, held)
        return held.at(moment)

    def all(self, memories: list[Stored]) -> Recalled:
        """Memories that were read otherwise, with their vectors read from the store."""
        matrix = self.store.vectors([(m.id, m.version.number) for m in memories])
        none = np.zeros(0, dtype=np.int64)
        held = Held(-1, memories, matrix, none, none, none, [None] * len(memories))
        return Recalled(memories, range(len(memories)), held)

    def forget(self) -> None:
        """Drops everything: a purge must leave no word behind."""
        with self._lock:
            self._held.clear()

    def _keep(self, scope_key: str, held: Held) -> None:
        with self._lock:
            self._held[scope_key] = held
            self._held.move_to_end(scope_key)
            total = sum(len(h.versions) for h in self._held.values())
            while total > self.most_rows and len(self._held) > 1:
                total -= len(self._held.popitem(last=False)[1].versions)


def _read(store: Store, scope_key: str, generation: int) -> Held:
    versions, matrix = store.lines(scope_key)
    spans = [(m.version.valid_from, m.version.valid_to) for m in versions]
    places: dict[str, int] = {}
    return Held(
        generation,
        versions,
        matrix,
        np.array([_NEVER.min if begin is None else _microseconds(begin.at) for begin, _ in spans], dtype=np.int64),
        np.array([_NEVER.max if end is None else _microseconds(end.at) for _, end in spans], dtype=np.int64),
        np.array([places.setdefault(m.id, len(places)) for m in versions], dtype=np.int64),
        [None] * len(versions),
    )


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND
