"""The nearest memories of a scope.

The index is a cache of the database: a scope's rows come from the caller together with a generation, and
are read again only where the generation has moved. Scopes of fewer than ``exact_below`` rows are searched
exactly; larger ones through an hnswlib graph whose candidates are scored exactly. Rows that changed since the
graph was built are searched exactly beside it, until there are so many that it is built anew and swapped.

This is the only module that imports hnswlib, and only once a scope is large enough to need it: the library is
compiled for the processor it was built on and dies with SIGILL on another (hnswlib#553, #468).
"""

from __future__ import annotations

import contextlib
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engine.cosine import Hit, Positions, Rows, Vectors, best, cosines, digest, exact, in_order, merged, unit
from engine.errors import InputError
from engine.graph_files import GraphFiles
from engine.locks import ReadersWriter

__all__ = ["Hit", "Neighbours", "Rows"]

SPACE = "cosine"
SEED = 20_240_229
LINKS, BUILD_EF, EF = 16, 200, 200
SLACK = 16
"""How many more candidates than asked are taken from the graph, so that ties at the edge are seen."""
WORN_ROWS, WORN_SHARE = 256, 8
"""A graph is built anew when more rows than this, and more than one in eight, have changed."""


@dataclass(slots=True)
class _Graph:
    """A built graph; label i is row i of ``rows``. ``live`` maps ids to the labels that are not deleted. Labels
    are never given again: hnswlib silently revives a deleted label that is added a second time."""

    index: Any
    rows: Rows
    live: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Scope:
    """A scope at one generation. ``row_of_label`` is -1 for a dead label, ``pending`` the rows that the graph
    does not hold; both only serve where the scope is large enough for its graph."""

    generation: int
    rows: Rows
    graph: _Graph | None = None
    row_of_label: Positions = field(default_factory=lambda: np.empty(0, np.intp))
    pending: Positions = field(default_factory=lambda: np.empty(0, np.intp))

    @property
    def size(self) -> int:
        return len(self.rows.ids)


class Neighbours:
    """One index a scope (a filter inside hnswlib is a slow callback). Safe to use from several threads.

    Parameters
    ----------
    dimension : int
        Length of every vector.
    exact_below : int, default=4000
        Scopes with fewer rows are searched exactly: faster there, and free of any approximation.
    encoder_id : str, default=""
        Written beside saved graphs; graphs of another encoder are not loaded.
    max_rows : int, default=200000
        Rows held over all scopes; beyond it the least recently used scopes are dropped until asked for again.
    """

    def __init__(
        self, dimension: int, exact_below: int = 4_000, *, encoder_id: str = "", max_rows: int = 200_000
    ) -> None:
        self.dimension = dimension
        self.exact_below = exact_below
        self.encoder_id = encoder_id
        self.max_rows = max_rows
        self._scopes: OrderedDict[str, _Scope] = OrderedDict()
        self._lock = threading.Lock()
        # Changing a graph during a query corrupts the heap (hnswlib#29, #562, #590).
        self._graphs = ReadersWriter()
        # Two threads must not build one scope's graph at once; striped, so that the locks are bounded.
        self._stripes = [threading.Lock() for _ in range(64)]
        self._files: GraphFiles | None = None

    def search(
        self, scope_key: str, generation: int, load: Callable[[], Rows], vectors: Vectors, k: int
    ) -> list[list[Hit]]:
        """The ``k`` rows of a scope with the highest cosine, for each query.

        Parameters
        ----------
        scope_key : str
        generation : int
            The scope's generation in the database.
        load : callable
            Gives the scope's rows at that generation; called only where the cache holds another one, and
            under no lock.
        vectors : ndarray of float32, shape [q, dimension]
            Queries; finite, none zero.
        k : int
            How many; clamped to the number of rows, since hnswlib raises beyond it (hnswlib#244, #444, #465, #608).

        Returns
        -------
        list of q lists of Hit
            Best first, ties in the order of ids.

        Raises
        ------
        InputError
            F301 for vectors of another type or shape, or with NaN or zero rows; F302 for ids that repeat or do
            not match the matrix; F303 for ``k`` below 1.
        """
        queries = unit(vectors, self.dimension, "query")
        if k < 1:
            raise InputError("F303", f"k must be at least 1, not {k}")
        scope = self._held(scope_key, generation)
        if scope is None:
            # Read before locking: the caller may hold its database's lock, and another thread may want it.
            rows = in_order(load(), self.dimension)
            with self._stripe(scope_key):
                scope = self._held(scope_key, generation) or self._swap(scope_key, generation, rows)
        k = min(k, scope.size)
        if k == 0:
            return [[] for _ in queries]
        if scope.graph is None or scope.size < self.exact_below or k + SLACK > EF:
            return exact(scope.rows, queries, k)
        return self._through_graph(scope, scope.graph, queries, k)

    def advance(self, scope_key: str, since: int, generation: int, upserted: Rows, removed: Sequence[str] = ()) -> bool:
        """Take a write over into the cache without reading the scope again.

        Parameters
        ----------
        scope_key : str
        since, generation : int
            The scope's generation before and after the write.
        upserted : Rows
            New rows, and rows whose vector changed.
        removed : sequence of str
            Ids that are no longer live; unknown ones are passed over.

        Returns
        -------
        bool
            False where the cache does not hold ``since``: the next search then reads the database.

        Raises
        ------
        InputError
            F301 or F302, as ``search``.
        """
        fresh = in_order(upserted, self.dimension)
        with self._stripe(scope_key):
            held = self._held(scope_key, since)
            if held is None:
                return False
            self._swap(scope_key, generation, merged(held.rows, fresh, removed))
        return True

    def drop(self, scope_key: str | None = None) -> None:
        """Forget a scope, or all; also what was saved of it, for a purge must leave no vector behind."""
        with self._lock:
            for key in [scope_key] if scope_key is not None else list(self._scopes):
                self._scopes.pop(key, None)
        if self._files is not None and scope_key is not None:
            self._files.remove(scope_key)
        elif self._files is not None:
            self._files.clear()

    def save(self, folder: Path) -> int:
        """Write every scope's graph into a folder; scopes that are searched exactly need none.

        A worn graph is built anew first, so that a saved one depends on the rows alone.

        Returns
        -------
        int
            How many graphs were written.
        """
        files = self._files = GraphFiles(folder)
        with self._lock:
            keys = sorted(self._scopes)
        written = 0
        for key in keys:
            with self._stripe(key):
                scope = self._scopes.get(key)
                if scope is None:
                    continue
                if scope.graph is None or scope.size < self.exact_below:
                    files.remove(key)  # rows that were purged must not live on in an old file
                    continue
                graph = scope.graph
                if len(scope.pending) or len(graph.live) < len(graph.rows.ids):
                    graph = _built(scope.rows, self.dimension)
                    self._put(key, _whole(scope.generation, scope.rows, graph))
                with self._graphs.reading():
                    files.write(key, self._header(scope.generation, scope.rows), graph.index.save_index)
                written += 1
        return written

    def load(self, folder: Path) -> None:
        """Use the graphs saved in a folder, each when its scope is next read and where it matches exactly.

        A graph whose sidecar differs from the database in anything (dimension, space, encoder, count,
        generation, the rows themselves), or whose file is damaged, is passed over and built anew.
        """
        self._files = GraphFiles(folder)

    def _stripe(self, scope_key: str) -> threading.Lock:
        return self._stripes[zlib.crc32(scope_key.encode("utf-8", "surrogatepass")) % len(self._stripes)]

    def _held(self, scope_key: str, generation: int) -> _Scope | None:
        with self._lock:
            scope = self._scopes.get(scope_key)
            if scope is None or scope.generation != generation:
                return None
            self._scopes.move_to_end(scope_key)
            return scope

    def _put(self, scope_key: str, scope: _Scope) -> _Scope:
        with self._lock:
            self._scopes[scope_key] = scope
            self._scopes.move_to_end(scope_key)
            total = sum(held.size for held in self._scopes.values())
            while total > self.max_rows and len(self._scopes) > 1:
                total -= self._scopes.popitem(last=False)[1].size
        return scope

    def _swap(self, scope_key: str, generation: int, rows: Rows) -> _Scope:
        """The scope at a new generation, with the graph it had as far as that still serves."""
        held = self._scopes.get(scope_key)
        graph = held.graph if held is not None else None
        if len(rows.ids) < max(1, self.exact_below):
            # The graph is kept, unused: a scope that hovers about the limit must not build one each time.
            return self._put(scope_key, _Scope(generation, rows, graph))
        if graph is None:
            graph = self._saved(scope_key, generation, rows)
        if graph is None:
            return self._put(scope_key, _whole(generation, rows, _built(rows, self.dimension)))
        label = np.fromiter((graph.live.get(name, -1) for name in rows.ids), np.intp, len(rows.ids))
        same = (label >= 0) & (graph.rows.matrix[label] == rows.matrix).all(axis=1)
        pending = np.flatnonzero(~same)
        if len(pending) + len(graph.rows.ids) - int(same.sum()) > max(WORN_ROWS, len(graph.rows.ids) // WORN_SHARE):
            return self._put(scope_key, _whole(generation, rows, _built(rows, self.dimension)))
        row_of_label = np.full(len(graph.rows.ids), -1, np.intp)
        row_of_label[label[same]] = np.flatnonzero(same)
        with self._graphs.writing():
            for name in [name for name, place in graph.live.items() if row_of_label[place] < 0]:
                graph.index.mark_deleted(graph.live.pop(name))
        return self._put(scope_key, _Scope(generation, rows, graph, row_of_label, pending))

    def _through_graph(self, scope: _Scope, graph: _Graph, queries: Vectors, k: int) -> list[list[Hit]]:
        labels = self._candidates(graph, queries, k + SLACK)
        if labels is None:
            return exact(scope.rows, queries, k)
        answers = []
        for query, found in zip(queries, labels, strict=True):
            # A label that died since this scope was read is missing, one that this scope never had is dropped.
            near = scope.row_of_label[found]
            near = near[near >= 0]
            edge = cosines(scope.rows.matrix[near], query).min(initial=1.0)
            among = np.union1d(near, scope.pending)
            hits = best(scope.rows, among, query, k)
            # Where the k-th ties with the last candidate, others that tie may lie outside: only exact search tells.
            cut = len(among) < scope.size and (len(hits) < k or hits[-1].similarity <= edge)
            answers.append(exact(scope.rows, query[None, :], k)[0] if cut else hits)
        return answers

    def _candidates(self, graph: _Graph, queries: Vectors, want: int) -> Positions | None:
        """Labels ``[q, want]`` from the graph; None where it cannot give so many even with a raised ef."""
        with self._graphs.reading():
            if not graph.live:
                return None
            with contextlib.suppress(RuntimeError):
                return _labels(graph, queries, want)
        # "ef or M is too small" (hnswlib#465): once more with a wider beam, alone, since ef belongs to the index.
        with self._graphs.writing():
            graph.index.set_ef(max(EF, len(graph.rows.ids)))
            try:
                return _labels(graph, queries, want) if graph.live else None
            except RuntimeError:
                return None
            finally:
                graph.index.set_ef(EF)

    def _header(self, generation: int, rows: Rows) -> dict[str, Any]:
        """What a saved graph must agree with."""
        return {
            "format": 1,
            "dimension": self.dimension,
            "space": SPACE,
            "encoder": self.encoder_id,
            "count": len(rows.ids),
            "generation": generation,
            "rows": digest(rows),
        }

    def _saved(self, scope_key: str, generation: int, rows: Rows) -> _Graph | None:
        path = self._files.find(scope_key, self._header(generation, rows)) if self._files is not None else None
        if path is None:
            return None
        index = _empty_index(self.dimension)
        try:
            index.load_index(str(path), max_elements=len(rows.ids))
        except RuntimeError:
            return None  # it is a cache: whatever is wrong with it, it is built anew
        index.set_ef(EF)  # ef is not saved
        return _graph(index, rows)


def _built(rows: Rows, dimension: int) -> _Graph:
    """A new graph; one thread and a fixed seed, else it is not reproducible."""
    index = _empty_index(dimension)
    index.init_index(max_elements=len(rows.ids), ef_construction=BUILD_EF, M=LINKS, random_seed=SEED)
    index.add_items(rows.matrix, np.arange(len(rows.ids)), num_threads=1)
    index.set_ef(EF)
    return _graph(index, rows)


def _whole(generation: int, rows: Rows, graph: _Graph) -> _Scope:
    """A scope whose graph holds just its rows."""
    return _Scope(generation, rows, graph, np.arange(len(rows.ids), dtype=np.intp))


def _empty_index(dimension: int) -> Any:
    import hnswlib  # type: ignore[import-untyped]

    return hnswlib.Index(space=SPACE, dim=dimension)


def _graph(index: Any, rows: Rows) -> _Graph:
    return _Graph(index, rows, {name: place for place, name in enumerate(rows.ids)})


def _labels(graph: _Graph, queries: Vectors, want: int) -> Positions:
    labels, _ = graph.index.knn_query(queries, k=min(want, len(graph.live)), num_threads=1)
    return np.asarray(labels).astype(np.intp)
