"""Counting right and wrong: confusion, precision, recall, F1, and what an act costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.decide import DESTRUCTIVE
from engine.types import Operation

LABELS = tuple(str(o) for o in Operation)
_DESTRUCTIVE = tuple(str(o) for o in DESTRUCTIVE)
Strings = npt.NDArray[np.str_]
Flags = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LabelScore:
    """How one label was told: shares in [0, 1], ``pairs`` that have it."""

    label: str
    precision: float
    recall: float
    f1: float
    pairs: int


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the pairs and how many of them were told right."""

    name: str
    pairs: int
    right: int

    @property
    def accuracy(self) -> float:
        return self.right / self.pairs if self.pairs else 0.0


def confusion(labels: Strings, said: Strings) -> Counts:
    """Counts [4, 4]: rows what is so, columns what was said, in the order of ``LABELS``."""
    names = np.array(LABELS)
    true, told = labels[:, None] == names, said[:, None] == names
    out: Counts = true.astype(np.int64).T @ told.astype(np.int64)
    return out


def label_scores(counts: Counts) -> tuple[LabelScore, ...]:
    """Precision, recall and F1 of each label; 0 where nothing was to be told or nothing was said."""
    rows = []
    for i, label in enumerate(LABELS):
        hit, said, true = int(counts[i, i]), int(counts[:, i].sum()), int(counts[i].sum())
        precision, recall = hit / said if said else 0.0, hit / true if true else 0.0
        rows.append(LabelScore(label, precision, recall, 2 * hit / (said + true) if said + true else 0.0, true))
    return tuple(rows)


def macro_f1(labels: Strings, said: Strings) -> float:
    """The mean F1 of the four labels."""
    return sum(s.f1 for s in label_scores(confusion(labels, said))) / len(LABELS)


def accuracy(labels: Strings, said: Strings) -> float:
    """The share that was told right; 0 of nothing."""
    return float((labels == said).mean()) if len(labels) else 0.0


def destructive(labels: Strings) -> Flags:
    """Which labels overwrite or end a memory."""
    return np.isin(labels, _DESTRUCTIVE)


def wrongful_overwrites(labels: Strings, acts: Flags) -> float:
    """The share of the pairs to be left alone (ADD, NOOP) that were acted upon destructively."""
    alone = ~destructive(labels)
    return float(acts[alone].mean()) if alone.any() else 0.0


def stale_kept(labels: Strings, acts: Flags) -> float:
    """The share of the pairs to be overwritten or ended (UPDATE, DELETE) that were not."""
    due = destructive(labels)
    return float(1.0 - acts[due].mean()) if due.any() else 0.0


def parts(names: Sequence[str], right: Flags) -> tuple[Part, ...]:
    """Right and wrong by name, sorted from the worst; the empty name is called ``(none)``."""
    named = np.array([name or "(none)" for name in names], dtype=np.str_)
    found = [Part(str(n), int((named == n).sum()), int(right[named == n].sum())) for n in np.unique(named)]
    return tuple(sorted(found, key=lambda p: (round(p.accuracy, 9), -p.pairs, p.name)))
