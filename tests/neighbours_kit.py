"""Rows, the definition of a right answer, and a scope that is already searched through a graph."""

import numpy as np
import pytest

from engine.neighbours import Neighbours, Rows

D = 16


def some(n, seed=0, d=D):
    matrix = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    return Rows(tuple(f"m{i:05}" for i in range(n)), matrix / np.linalg.norm(matrix, axis=1, keepdims=True))


def brute(rows, query, k):
    """The definition, in float64 and plain Python sorting."""
    matrix = rows.matrix.astype(np.float64)
    scores = matrix @ query / np.linalg.norm(matrix, axis=1) / np.linalg.norm(query)
    return [
        name
        for _, name in sorted((-round(float(score), 6), name) for score, name in zip(scores, rows.ids, strict=True))
    ][:k]


def ids(hits):
    return [hit.id for hit in hits]


def graph(rows, exact_below=0, **more):
    index = Neighbours(rows.matrix.shape[1], exact_below, **more)
    index.search("s", 1, lambda: rows, rows.matrix[:1], 1)
    assert index._scopes["s"].graph is not None
    return index


def never():
    pytest.fail("read the database again")
