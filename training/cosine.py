"""The cosine baseline: two thresholds on how alike the two texts are, and nothing else.

Far apart is ADD, alike is UPDATE, nearly the same is NOOP. DELETE cannot be told by a cosine. It is what a
memory does that only compares embeddings, and so what the pair features have to beat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin

from engine.comparison import Comparison
from engine.types import Operation
from training.metrics import macro_f1

STEPS = 40


class CosineBaseline(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Two thresholds on the cosine of the two texts.

    Parameters
    ----------
    steps : int, default=40
        How many quantiles of the training cosines are tried as thresholds.

    Attributes
    ----------
    classes_ : ndarray of str
    alike_, same_ : float
        Below ``alike_`` a pair is ADD, from ``same_`` on NOOP, between them UPDATE.
    """

    def __init__(self, steps: int = STEPS) -> None:
        self.steps = steps

    def fit(self, comparisons: Sequence[Comparison], labels: npt.NDArray[np.str_]) -> Self:
        """Takes the two thresholds with the best macro F1 on the training pairs.

        Parameters
        ----------
        comparisons : sequence of Comparison
            ``n`` pairs.
        labels : ndarray of str, shape [n]

        Returns
        -------
        self
        """
        cosines = _cosines(comparisons)
        grid = np.unique(np.round(np.quantile(cosines, np.linspace(0.0, 1.0, self.steps + 1)), 4))
        tried = [(macro_f1(labels, _banded(cosines, a, b)), a, b) for i, a in enumerate(grid) for b in grid[i:]]
        _, alike, same = max(tried, key=lambda t: (round(t[0], 9), t[1], t[2]))
        self.alike_, self.same_ = float(alike), float(same)
        self.classes_ = np.array(sorted(map(str, Operation)))
        return self

    def predict(self, comparisons: Sequence[Comparison]) -> npt.NDArray[np.str_]:
        """The label of each pair, shape [n]."""
        return _banded(_cosines(comparisons), self.alike_, self.same_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


def _cosines(comparisons: Sequence[Comparison]) -> npt.NDArray[np.float64]:
    return np.array([c.pair.text_cosine for c in comparisons], dtype=np.float64)


def _banded(cosines: npt.NDArray[np.float64], alike: float, same: float) -> npt.NDArray[np.str_]:
    changed = np.where(cosines >= alike, str(Operation.UPDATE), str(Operation.ADD))
    return np.where(cosines >= same, str(Operation.NOOP), changed)
