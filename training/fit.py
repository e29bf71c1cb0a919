"""Fits the decision: standardised features, multinomial logistic regression, grouped folds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from engine.classifier import FORMAT
from engine.embed import Encoder
from engine.features import NAMES, vectors
from engine.lexicon import Lexicon
from engine.pairing import pair_up
from engine.reading import read_statements
from engine.types import Operation, Pair
from training.pairs import LabelledPair, data_hash

SEED = 20260101
FOLDS = 5
CANDIDATES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
LABELS = tuple(str(o) for o in Operation)
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Labelled pairs ready to fit: ``rows`` [n, d], ``labels`` [n], ``groups`` [n]."""

    pairs: tuple[LabelledPair, ...]
    compared: tuple[Pair, ...]
    rows: Floats
    labels: npt.NDArray[np.str_]
    groups: npt.NDArray[np.str_]


def prepare(labelled: Sequence[LabelledPair], lexicon: Lexicon, encoder: Encoder) -> Prepared:
    """Reads the texts and computes their features, in one batch.

    Parameters
    ----------
    labelled : sequence of LabelledPair
        ``n`` pairs, sorted (``read_pairs`` sorts).
    lexicon : Lexicon
    encoder : Encoder

    Returns
    -------
    Prepared
    """
    facts = read_statements([p.existing for p in labelled] + [p.candidate for p in labelled], lexicon)
    old, new = facts[: len(labelled)], facts[len(labelled) :]
    compared = pair_up(list(zip(old, new, strict=True)), encoder)
    return Prepared(
        tuple(labelled),
        tuple(compared),
        vectors(compared, lexicon),
        np.array([str(p.label) for p in labelled]),
        np.array([p.group for p in labelled]),
    )


def estimator(c: float) -> Pipeline:
    """The model: scaled features into a multinomial logistic regression of strength ``1 / c``."""
    return make_pipeline(
        StandardScaler(), LogisticRegression(C=c, max_iter=4000, random_state=SEED, class_weight="balanced")
    )


def folds(data: Prepared) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Seeded folds that never split a group."""
    splitter = StratifiedGroupKFold(n_splits=FOLDS, shuffle=True, random_state=SEED)
    return list(splitter.split(data.rows, data.labels, data.groups))


def out_of_fold(data: Prepared, c: float) -> Floats:
    """Probabilities of every pair by a model that has not seen its group, shape [n, 4] in LABELS' order."""
    out = np.zeros((len(data.labels), len(LABELS)))
    for train, test in folds(data):
        model = estimator(c).fit(data.rows[train], data.labels[train])
        order = [list(model.classes_).index(label) for label in LABELS]
        out[test] = model.predict_proba(data.rows[test])[:, order]
    return out


def choose_c(data: Prepared) -> tuple[float, dict[float, float]]:
    """The regularisation with the best grouped macro F1; the stronger one of equals."""
    scores = {}
    for c in CANDIDATES:
        said = np.array(LABELS)[out_of_fold(data, c).argmax(axis=1)]
        scores[c] = float(f1_score(data.labels, said, labels=LABELS, average="macro"))
    best = max(CANDIDATES, key=lambda c: (round(scores[c], 4), -c))
    return best, scores


def fit(data: Prepared) -> dict[str, Any]:
    """Trains on everything and returns the artefact.

    Returns
    -------
    dict
        JSON-ready: what ``engine.classifier.Classifier.load`` reads.
    """
    c, scores = choose_c(data)
    model = estimator(c).fit(data.rows, data.labels)
    scaler: StandardScaler = model[0]
    regression: LogisticRegression = model[1]
    order = [list(regression.classes_).index(label) for label in LABELS]
    return {
        "format": FORMAT,
        "classes": list(LABELS),
        "features": list(NAMES),
        "mean": scaler.mean_.tolist(),
        "scale": scaler.scale_.tolist(),
        "coef": regression.coef_[order].tolist(),
        "intercept": regression.intercept_[order].tolist(),
        "temperature": 1.0,
        "about": {
            "pairs": len(data.labels),
            "groups": len(set(data.groups)),
            "labels": {label: int((data.labels == label).sum()) for label in LABELS},
            "data_sha256": data_hash(data.pairs),
            "C": c,
            "grouped_macro_f1": {str(k): round(v, 4) for k, v in scores.items()},
            "seed": SEED,
            "scikit_learn": sklearn.__version__,
        },
    }


def write(artefact: dict[str, Any], path: Path) -> None:
    """Writes an artefact, the same bytes for the same numbers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(artefact, indent=1, sort_keys=True) + "\n", encoding="utf-8")
