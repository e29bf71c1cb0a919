"""One scheme of figures for everything that labels pairs: the model, the rules, the cosine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine import lexicon
from engine.comparison import Comparison
from engine.decide import Policy, possible, verdict
from engine.exact import impossible
from engine.lexicon import Lexicon
from engine.types import Operation
from training.calibrate import Floats, Integers
from training.metrics import (
    LABELS,
    Flags,
    LabelScore,
    Part,
    Strings,
    accuracy,
    confusion,
    destructive,
    label_scores,
    macro_f1,
    parts,
    stale_kept,
    wrongful_overwrites,
)
from training.pairs import LabelledPair

WORST_OF = 10  # a family or attribute of fewer pairs is not named as the worst


@dataclass(frozen=True, slots=True)
class Scores:
    """How one way of labelling did, on pairs whose group it had not seen.

    Parameters
    ----------
    name : str
        ``model``, ``rules`` or ``cosine``.
    macro_f1, accuracy : float
        Over all pairs at once.
    fold_macro_f1 : tuple of float
        Of each fold by itself: how far the figure may be believed.
    labels : tuple of LabelScore
        Precision, recall and F1 of each label.
    confusion : tuple of tuple of int
        Rows what is so, columns what was said, in the order of ``labels``.
    wrongful_overwrites : float
        The share of ADD and NOOP pairs acted upon destructively, under the policy's costs.
    stale_kept : float
        The share of UPDATE and DELETE pairs not acted upon, under the policy's costs.
    families, attributes : tuple of Part
        From the worst to the best.
    difficulty : tuple of Part
        The pairs marked hard, and the others.
    origin : tuple of Part
        The pairs written by hand, and those generated from templates.
    """

    name: str
    macro_f1: float
    accuracy: float
    fold_macro_f1: tuple[float, ...]
    labels: tuple[LabelScore, ...]
    confusion: tuple[tuple[int, ...], ...]
    wrongful_overwrites: float
    stale_kept: float
    families: tuple[Part, ...]
    attributes: tuple[Part, ...]
    difficulty: tuple[Part, ...]
    origin: tuple[Part, ...]

    @property
    def worst_family(self) -> Part | None:
        """The least accurate family of ten pairs or more."""
        return _worst(self.families)

    @property
    def worst_attribute(self) -> Part | None:
        """The least accurate attribute of ten pairs or more."""
        return _worst(self.attributes)


def score(
    name: str, pairs: Sequence[LabelledPair], labels: Strings, said: Strings, acts: Flags, folds: Sequence[Integers]
) -> Scores:
    """Counts everything of one way of labelling.

    Parameters
    ----------
    name : str
    pairs : sequence of LabelledPair
        ``n`` pairs.
    labels, said : ndarray of str, shape [n]
        What is so, what was said.
    acts : ndarray of bool, shape [n]
        Which pairs were acted upon destructively (``acts_of`` for probabilities).
    folds : sequence of ndarray of int
        The rows of each fold.
    """
    counts, right = confusion(labels, said), labels == said
    return Scores(
        name=name,
        macro_f1=macro_f1(labels, said),
        accuracy=accuracy(labels, said),
        fold_macro_f1=tuple(macro_f1(labels[rows], said[rows]) for rows in folds),
        labels=label_scores(counts),
        confusion=tuple(tuple(int(n) for n in row) for row in counts),
        wrongful_overwrites=wrongful_overwrites(labels, acts),
        stale_kept=stale_kept(labels, acts),
        families=parts([p.family for p in pairs], right),
        attributes=parts([p.attribute for p in pairs], right),
        difficulty=parts(["hard" if p.hard else "not hard" for p in pairs], right),
        origin=parts(["generated" if p.generated else "written" for p in pairs], right),
    )


def most_probable(probabilities: Floats) -> Strings:
    """The label of the greatest probability in each row [n, 4]."""
    out: Strings = np.array(LABELS)[probabilities.argmax(axis=1)]
    return out


def available(probabilities: Floats, comparisons: Sequence[Comparison], words: Lexicon) -> Floats:
    """The probabilities [n, 4] as the engine takes them: none for what exact comparison rules out."""
    out = np.zeros_like(probabilities)
    for i, (row, comparison) in enumerate(zip(probabilities, comparisons, strict=True)):
        named = {Operation(label): float(p) for label, p in zip(LABELS, row, strict=True)}
        out[i] = [possible(named, impossible(comparison, words))[Operation(label)] for label in LABELS]
    return out


def done_of(probabilities: Floats, comparisons: Sequence[Comparison], policy: Policy) -> Strings:
    """What the engine does with each pair by itself: its rules, what is impossible, the least expected cost.

    Parameters
    ----------
    probabilities : ndarray of float64, shape [n, 4]
        In the order of ``LABELS``.
    comparisons : sequence of Comparison
        ``n`` of them.
    policy : Policy

    Returns
    -------
    ndarray of str, shape [n]
    """
    done = np.empty(len(comparisons), dtype=f"<U{max(map(len, LABELS))}")
    for i, (row, comparison) in enumerate(zip(probabilities, comparisons, strict=True)):
        named = {Operation(label): float(p) for label, p in zip(LABELS, row, strict=True)}
        done[i] = str(verdict(comparison, (), named, policy, lexicon.load()).operation)
    return done


def acts_of(probabilities: Floats, comparisons: Sequence[Comparison], policy: Policy) -> Flags:
    """Where the engine would overwrite or end (``done_of``)."""
    return destructive(done_of(probabilities, comparisons, policy))


def _worst(found: Sequence[Part]) -> Part | None:
    return next((p for p in found if p.pairs >= WORST_OF), None)
