"""Labelled pairs → the decision's artefact, its card and the manifest.

The same pairs, lexicon and encoder write the same bytes: nothing is dated, everything is sorted and seeded.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from engine import lexicon as shipped_lexicon
from engine.comparison import compare
from engine.decide import Policy
from engine.embed import Encoder, MiniLM
from engine.errors import InputError
from engine.lexicon import Lexicon
from training.calibrate import Floats, Integers, as_logits, calibration, crossfitted
from training.card import card
from training.fit import FOLDS, LABELS, OWN_WEIGHT, Prepared, fit, folds, out_of_fold, prepare, write
from training.manifest import make_directory, write_manifest
from training.pairs import LabelledPair, data_hash, read_pairs, shipped
from training.scoring import Scores, acts_of, available, most_probable, score

DECISION = "decision.json"
CARD = "decision.card.md"
MIN_PAIRS = 4 * FOLDS
MIN_GROUPS = 2 * FOLDS
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class TrainReport:
    """What was trained and written.

    ``files`` maps each file's name to its SHA-256. ``scores`` are grouped and out of fold, but the strength
    ``c`` was chosen on the same folds; ``training.evaluate`` nests that choice.
    """

    out: Path
    files: Mapping[str, str]
    pairs: int
    groups: int
    labels: Mapping[str, int]
    data_sha256: str
    c: float
    temperature: float
    ece_before: float
    ece_after: float
    scores: Scores


@dataclass(frozen=True, slots=True)
class Fitted:
    """An artefact with the calibrated out-of-fold probabilities [n, 4] that it was chosen by."""

    artefact: dict[str, Any]
    probabilities: Floats


def train(
    paths: Sequence[Path],
    out: Path,
    *,
    replace: bool = False,
    progress: Progress | None = None,
    lexicon: Lexicon | None = None,
    encoder: Encoder | None = None,
) -> TrainReport:
    """Trains the decision and writes it.

    Parameters
    ----------
    paths : sequence of Path
        JSONL files of labelled pairs. A pair that stands twice is taken from the last file, and the shipped
        ones come first: corrections win. Each pair of these files counts as ``OWN_WEIGHT`` shipped ones.
    out : Path
        The directory for ``decision.json``, ``decision.card.md`` and ``manifest.json``; made if need be.
    replace : bool, default=False
        Leave the shipped pairs out.
    progress : callable, optional
        Called with a step's name, how many steps are done, and how many there are.
    lexicon, encoder : optional
        In place of the shipped ones.

    Returns
    -------
    TrainReport

    Raises
    ------
    InputError
        F050 with every bad line; F051 for too few pairs or groups of a label; F052 where ``out`` cannot be
        written to; F053 for an unreadable manifest in it.
    """
    told = progress or _silent
    told("reading", 0, 4)
    make_directory(out, "F052")
    pairs = labelled(paths, replace=replace)
    told("features", 1, 4)
    encoder, words = encoder or MiniLM(), lexicon or shipped_lexicon.load()
    data = prepare(pairs, words, encoder)
    if not replace:
        data = heavier(data, {pair.key for pair in read_pairs(paths)})
    told("fitting", 2, 4)
    fitted = fit_calibrated(data)
    artefact = fitted.artefact
    artefact["about"]["encoder"] = encoder.id
    told("writing", 3, 4)
    comparisons = [compare(pair, words) for pair in data.compared]
    probabilities = available(fitted.probabilities, comparisons, words)
    scores = score(
        "model",
        data.pairs,
        data.labels,
        most_probable(probabilities),
        acts_of(probabilities, comparisons, Policy()),
        tested_rows(data),
    )
    write(artefact, out / DECISION)
    (out / CARD).write_text(card(artefact, data, scores, Policy()), encoding="utf-8", newline="\n")
    files = write_manifest(out, (DECISION, CARD))
    told("done", 4, 4)
    about = artefact["about"]
    return TrainReport(
        out=out,
        files=files,
        pairs=len(pairs),
        groups=about["groups"],
        labels=about["labels"],
        data_sha256=data_hash(pairs),
        c=about["C"],
        temperature=artefact["temperature"],
        ece_before=about["calibration"]["ece_before"],
        ece_after=about["calibration"]["ece_after"],
        scores=scores,
    )


def labelled(paths: Sequence[Path], *, replace: bool = False) -> list[LabelledPair]:
    """The pairs to learn from, checked for being enough.

    Parameters
    ----------
    paths : sequence of Path
    replace : bool, default=False
        Leave the shipped pairs out.

    Raises
    ------
    InputError
        F050 with every bad line; F051 for too few pairs or groups of a label.
    """
    pairs = read_pairs([*([] if replace else shipped()), *paths])
    counts, groups = dict.fromkeys(LABELS, 0), defaultdict(set)
    for pair in pairs:
        counts[str(pair.label)] += 1
        groups[str(pair.label)].add(pair.group)
    wrong = [
        f"{label}: {counts[label]} pairs in {len(groups[label])} groups"
        for label in LABELS
        if counts[label] < MIN_PAIRS or len(groups[label]) < MIN_GROUPS
    ]
    if wrong:
        raise InputError(
            "F051",
            f"too few labelled pairs to train on; each label wants {MIN_PAIRS} pairs in {MIN_GROUPS} groups or more, "
            f"so that every fold has some: {'; '.join(wrong)}. Add pairs"
            + (", or train on top of the shipped ones without --replace" if replace else ""),
        )
    return pairs


def fit_calibrated(data: Prepared) -> Fitted:
    """Fits on everything and sets the temperature from out-of-fold logits.

    Parameters
    ----------
    data : Prepared

    Returns
    -------
    Fitted
        The artefact's ``about`` has the expected calibration error before and after.
    """
    artefact = fit(data)
    c = float(artefact["about"]["C"])
    logits, rows = as_logits(out_of_fold(data, [c])[c]), tested_rows(data)
    told = calibration(logits, data.labels, rows)
    artefact["temperature"] = told.temperature
    artefact["about"]["calibration"] = {f.name: round(getattr(told, f.name), 4) for f in fields(told)}
    return Fitted(artefact, crossfitted(logits, data.labels, rows))


def heavier(data: Prepared, own: Container[tuple[str, str]]) -> Prepared:
    """The pairs with each that is somebody's own as heavy as ``OWN_WEIGHT`` shipped ones."""
    factors = np.array([OWN_WEIGHT if pair.key in own else 1.0 for pair in data.pairs])
    return dataclasses.replace(data, weights=data.weights * factors)


def tested_rows(data: Prepared) -> list[Integers]:
    """The rows that each fold is tested on."""
    return [test for _, test in folds(data)]


def subset(data: Prepared, rows: Integers) -> Prepared:
    """Some of the pairs, in the order of ``rows``."""
    changed: dict[str, Any] = {}
    for field in fields(data):
        value = getattr(data, field.name)
        changed[field.name] = value[rows] if isinstance(value, np.ndarray) else tuple(value[i] for i in rows)
    return dataclasses.replace(data, **changed)


def _silent(step: str, done: int, steps: int) -> None:
    """The progress of nobody who asks."""
