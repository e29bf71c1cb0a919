"""What each block of features brings: the model without it, and the model of it alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from engine.features import FEATURES
from training import fit as fitting
from training.calibrate import Floats, Integers
from training.fit import MEANING, Prepared, estimator, weighted
from training.metrics import macro_f1


@dataclass(frozen=True, slots=True)
class Ablated:
    """A block of features: how many they are, the grouped macro F1 without them and of them alone, and
    ``adds``, what is lost without them (below 0 where the model does better without)."""

    block: str
    features: int
    without: float
    alone: float
    adds: float


@dataclass(frozen=True, slots=True)
class Ablation:
    """``full`` is the grouped macro F1 of all features at the strength ``c``; the blocks stand in the order of
    what they add."""

    c: float
    full: float
    blocks: tuple[Ablated, ...]


@dataclass(frozen=True, slots=True)
class FoldRows:
    """A fold ready to fit: the row numbers, and the features of its training pairs (meaning features out of fold
    again) and of its test pairs."""

    train: Integers
    test: Integers
    seen: Floats
    unseen: Floats


def fold_rows(data: Prepared) -> list[FoldRows]:
    """The folds with complete features, as ``training.fit.out_of_fold`` fits them."""
    out = []
    for train, test in fitting.folds(data):
        unseen = data.rows[test].copy()
        logits = fitting.meaning_logits(fitting.meaning_of(data, train), data.differences[test])
        unseen[:, MEANING] *= logits[:, fitting.SUGGESTED]
        out.append(FoldRows(train, test, fitting.with_meaning(data, train), unseen))
    return out


def blocks() -> dict[str, list[int]]:
    """The columns of each block of features, in the order of ``FEATURES``."""
    named = sorted(enumerate(FEATURES), key=lambda item: item[1].block)
    grouped = {block: [i for i, _ in items] for block, items in groupby(named, key=lambda item: item[1].block)}
    return dict(sorted(grouped.items(), key=lambda item: item[1][0]))


def ablate(data: Prepared, c: float, progress: Callable[[str, int, int], None] | None = None) -> Ablation:
    """Leaves each block out, and takes each block alone, over grouped folds.

    Parameters
    ----------
    data : Prepared
    c : float
        The inverse regularisation of every model; it is not chosen anew for each.
    progress : callable, optional
        Called with a step's name, how many steps are done, and how many there are.

    Returns
    -------
    Ablation
    """
    rows, found = fold_rows(data), blocks()
    everything = list(range(len(FEATURES)))
    full = _macro_f1(data, rows, everything, c)
    out = []
    for n, (block, columns) in enumerate(found.items()):
        if progress:
            progress(f"ablation: {block}", n, len(found))
        rest = sorted(set(everything) - set(columns))
        without, alone = _macro_f1(data, rows, rest, c), _macro_f1(data, rows, columns, c)
        out.append(Ablated(block, len(columns), without, alone, full - without))
    return Ablation(c, full, tuple(sorted(out, key=lambda a: (-round(a.adds, 9), a.block))))


def _macro_f1(data: Prepared, rows: list[FoldRows], columns: list[int], c: float) -> float:
    said = np.empty_like(data.labels)
    for fold in rows:
        of = fold.train
        model = weighted(estimator(c), fold.seen[:, columns], data.labels[of], data.weights[of], data.long[of])
        said[fold.test] = model.predict(fold.unseen[:, columns])
    return macro_f1(data.labels, said)
