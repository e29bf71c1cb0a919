"""Exact cosine search over the rows of a scope, and the checks on vectors that every search shares.

Two steps, so that it is both fast and reproducible: one float32 matrix product picks the candidates, then
their cosines are summed row by row in float64 and rounded. The product's last bits depend on how many rows
stand beside a row; the second sum's do not.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.errors import InputError

Vectors = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]
Positions = npt.NDArray[np.intp]

DECIMALS = 6
MARGIN = 1e-5
"""Beyond what float32 and rounding can shift a cosine; candidates are taken this far below the k-th."""
CHUNK = 256
"""Queries multiplied at once, which bounds the memory of a large batch."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What the database holds of a scope: distinct ids and float32 vectors ``[n, dimension]``, none zero."""

    ids: Sequence[str]
    matrix: Vectors


@dataclass(frozen=True, slots=True)
class Hit:
    """A row and its cosine with the query, in [-1, 1], rounded to six decimals."""

    id: str
    similarity: float


def unit(vectors: Vectors, dimension: int, what: str) -> Vectors:
    """Check vectors and normalise them.

    Parameters
    ----------
    vectors : ndarray of float32, shape [n, dimension]
    dimension : int
    what : str
        How to call them in a message: ``query``, ``stored``.

    Raises
    ------
    InputError
        F301 for another type or shape, and for rows that are zero, NaN or infinite. hnswlib takes them all
        and answers nonsense (hnswlib#295).
    """
    if not isinstance(vectors, np.ndarray) or vectors.dtype != np.float32:
        kind = getattr(vectors, "dtype", type(vectors).__name__)
        raise InputError("F301", f"{what} vectors must be a float32 array, not {kind}; convert them with astype")
    if vectors.ndim != 2 or vectors.shape[1] != dimension:
        raise InputError(
            "F301",
            f"{what} vectors must have the shape [n, {dimension}], not {list(vectors.shape)}; vectors of another "
            "encoder need `factfold reembed`",
        )
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    bad = np.flatnonzero(~(np.isfinite(norms) & (norms > 0)))
    if len(bad):
        shown = ", ".join(map(str, bad[:10]))
        raise InputError("F301", f"{len(bad)} {what} vector(s) are zero, NaN or infinite (rows {shown}); re-embed them")
    return np.ascontiguousarray(vectors / norms, dtype=np.float32)


def in_order(rows: Rows, dimension: int) -> Rows:
    """The rows checked, normalised and sorted by id, so that nothing depends on the order they came in.

    Raises
    ------
    InputError
        F301 as ``unit``; F302 where ids repeat or do not match the matrix.
    """
    if len(rows.ids) == 0:
        return Rows((), np.empty((0, dimension), np.float32))
    matrix = unit(rows.matrix, dimension, "stored")
    if len(rows.ids) != len(matrix):
        raise InputError("F302", f"{len(rows.ids)} ids for {len(matrix)} vectors; there must be one for each")
    order = sorted(range(len(matrix)), key=rows.ids.__getitem__)
    ids = tuple(rows.ids[place] for place in order)
    twice = next((one for one, other in itertools.pairwise(ids) if one == other), None)
    if twice is not None:
        raise InputError("F302", f"the id {twice!r} occurs twice; give each row once")
    return Rows(ids, matrix[order])


def merged(held: Rows, upserted: Rows, removed: Sequence[str]) -> Rows:
    """``held`` with rows put in or replaced and others taken out; all in the order of ids."""
    gone = {*removed, *upserted.ids}
    keep = np.array([place for place, name in enumerate(held.ids) if name not in gone], np.intp)
    ids = [*(held.ids[place] for place in keep), *upserted.ids]
    order = sorted(range(len(ids)), key=ids.__getitem__)
    matrix = np.concatenate([held.matrix[keep], upserted.matrix])[order]
    return Rows(tuple(ids[place] for place in order), matrix)


def cosines(matrix: Vectors, query: Vectors) -> Scores:
    """Cosines ``[n]`` of unit rows with one unit query, rounded; each independent of the other rows."""
    products = matrix.astype(np.float64) * query.astype(np.float64)
    result: Scores = np.round(products.sum(axis=1), DECIMALS)
    return result


def best(rows: Rows, among: Positions, query: Vectors, k: int) -> list[Hit]:
    """The ``k`` best of the rows at ``among`` (ascending, so ties fall to the lower id)."""
    scores = cosines(rows.matrix[among], query)
    chosen = np.argsort(-scores, kind="stable")[:k]
    return [Hit(rows.ids[among[place]], float(scores[place])) for place in chosen]


def exact(rows: Rows, queries: Vectors, k: int) -> list[list[Hit]]:
    """The ``k`` best rows for each query by comparing with all of them.

    Parameters
    ----------
    rows : Rows
        As ``in_order`` gives them.
    queries : ndarray of float32, shape [q, dimension]
        Unit vectors.
    k : int
        At least 1 and at most the number of rows.
    """
    answers = []
    for start in range(0, len(queries), CHUNK):
        block = queries[start : start + CHUNK]
        for query, rough in zip(block, block @ rows.matrix.T, strict=True):
            kth = np.partition(rough, len(rough) - k)[len(rough) - k]
            answers.append(best(rows, np.flatnonzero(rough >= kth - MARGIN), query, k))
    return answers


def digest(rows: Rows) -> str:
    """A sha256 over ids and vectors, which tells whether a saved index was built from these very rows."""
    hashed = hashlib.sha256("\0".join(rows.ids).encode("utf-8", "surrogatepass"))
    hashed.update(np.ascontiguousarray(rows.matrix, dtype="<f4").tobytes())
    return hashed.hexdigest()
