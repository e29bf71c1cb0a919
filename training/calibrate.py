"""How far probabilities can be believed, and temperature scaling, which mends them.

A network or regression that is too sure of itself is divided by a temperature before the softmax:

    p(label | x) = softmax(logits / T)

with the one ``T`` that makes held-out labels most likely (Guo et al. 2017, On Calibration of Modern Neural
Networks, https://arxiv.org/abs/1706.04599). The most probable label stays the same, only the confidence
changes. What counts is that the logits are out of fold: a model is always sure of what it was trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

from engine.types import Operation

Floats = npt.NDArray[np.float64]
Strings = npt.NDArray[np.str_]
Integers = npt.NDArray[np.int64]
CLASSES = tuple(str(o) for o in Operation)
BINS = 15
HOTTEST = 20.0
DIGITS = 4
_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class Bin:
    """One row of a reliability table: the pairs whose confidence is in ``(low, high]``, how sure the model
    was of them on average, and how many of them it got right. Means of an empty bin are 0."""

    low: float
    high: float
    pairs: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """What temperature scaling did: ``temperature`` fitted on all logits, the expected calibration error and
    the mean negative log-likelihood before (T = 1) and after."""

    temperature: float
    ece_before: float
    ece_after: float
    nll_before: float
    nll_after: float


def as_logits(probabilities: Floats) -> Floats:
    """Logits whose softmax is ``probabilities`` [n, c]: their logarithms, which differ from the model's own
    logits by a constant a row and so calibrate alike."""
    out: Floats = np.log(np.clip(probabilities, _TINY, 1.0))
    return out


def softmax(logits: Floats, temperature: float = 1.0) -> Floats:
    """Probabilities of ``logits`` [n, c] divided by ``temperature``; rows sum to one."""
    scaled = logits / temperature
    shifted = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    out: Floats = shifted / shifted.sum(axis=1, keepdims=True)
    return out


def negative_log_likelihood(logits: Floats, labels: Strings, temperature: float = 1.0) -> float:
    """Mean of ``-log p(label)`` over rows; 0 is perfect, log(4) = 1.386 is a guess among four."""
    p = softmax(logits, temperature)[np.arange(len(labels)), _columns(labels)]
    return float(-np.log(np.maximum(p, _TINY)).mean())


def temperature(logits: Floats, labels: Strings) -> float:
    """The temperature that makes the labels most likely.

    Parameters
    ----------
    logits : ndarray of float64, shape [n, 4]
        Out of fold, in the order of ``Operation``. Log-probabilities do as well (``as_logits``).
    labels : ndarray of str, shape [n]

    Returns
    -------
    float
        Between 1/20 and 20, rounded to four decimals; above 1 where the model is too sure, 1 for no rows.

    References
    ----------
    Guo, Pleiss, Sun, Weinberger 2017, On Calibration of Modern Neural Networks, section 4.2.
    """
    if not len(labels):
        return 1.0
    bound = float(np.log(HOTTEST))
    found = minimize_scalar(
        lambda log_t: negative_log_likelihood(logits, labels, float(np.exp(log_t))),
        bounds=(-bound, bound),
        method="bounded",
        options={"xatol": 1e-7},
    )
    return round(float(np.exp(found.x)), DIGITS)


def reliability(probabilities: Floats, labels: Strings, bins: int = BINS) -> tuple[Bin, ...]:
    """Confidence against accuracy, in ``bins`` bins of equal width.

    Parameters
    ----------
    probabilities : ndarray of float64, shape [n, 4]
    labels : ndarray of str, shape [n]
    bins : int, default=15

    Returns
    -------
    tuple of Bin
        ``bins`` of them, from the least confident up.
    """
    confidence = probabilities.max(axis=1)
    right = np.array(CLASSES)[probabilities.argmax(axis=1)] == labels
    place = np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)
    rows = []
    for b in range(bins):
        inside = place == b
        count = int(inside.sum())
        rows.append(
            Bin(
                low=b / bins,
                high=(b + 1) / bins,
                pairs=count,
                confidence=float(confidence[inside].mean()) if count else 0.0,
                accuracy=float(right[inside].mean()) if count else 0.0,
            )
        )
    return tuple(rows)


def expected_calibration_error(table: Sequence[Bin]) -> float:
    """The gap between confidence and accuracy, averaged over the pairs (Naeini et al. 2015)."""
    pairs = sum(b.pairs for b in table)
    return sum(b.pairs * abs(b.accuracy - b.confidence) for b in table) / pairs if pairs else 0.0


def crossfitted(logits: Floats, labels: Strings, folds: Sequence[Integers]) -> Floats:
    """Scaled probabilities of every row by a temperature fitted on the other folds' rows, shape [n, 4].

    Parameters
    ----------
    logits : ndarray of float64, shape [n, 4]
    labels : ndarray of str, shape [n]
    folds : sequence of ndarray of int
        The rows of each fold; together every row once.
    """
    out = np.zeros_like(logits)
    for rows in folds:
        others = np.setdiff1d(np.arange(len(labels)), rows)
        out[rows] = softmax(logits[rows], temperature(logits[others], labels[others]))
    return out


def calibration(logits: Floats, labels: Strings, folds: Sequence[Integers]) -> Calibration:
    """What temperature scaling does to out-of-fold logits.

    The figures after scaling are cross-fitted, so that no pair is judged by a temperature that it helped to
    find; ``temperature`` itself is fitted on all rows.

    Parameters
    ----------
    logits, labels, folds
        As in ``crossfitted``.
    """
    before, after = softmax(logits), crossfitted(logits, labels, folds)
    return Calibration(
        temperature=temperature(logits, labels),
        ece_before=expected_calibration_error(reliability(before, labels)),
        ece_after=expected_calibration_error(reliability(after, labels)),
        nll_before=negative_log_likelihood(logits, labels),
        nll_after=negative_log_likelihood(as_logits(after), labels),
    )


def _columns(labels: Strings) -> Integers:
    position = {label: i for i, label in enumerate(CLASSES)}
    return np.array([position[str(label)] for label in labels], dtype=np.int64)
