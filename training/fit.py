"""Fits the decision: standardised features, multinomial logistic regression, grouped folds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from engine.classifier import FORMAT
from engine.embed import Encoder
from engine.features import NAMES, vectors
from engine.lexicon import Lexicon
from engine.pairing import differences, pair_up
from engine.reading import read_statements
from engine.types import Operation, Pair
from training.pairs import LabelledPair, data_hash

SEED = 20260101
FOLDS = 5
CANDIDATES = (0.003, 0.01, 0.03, 0.1, 0.3)
LABELS = tuple(str(o) for o in Operation)
GENERATED_WEIGHT = 0.5  # what was generated repeats its templates; it counts less than what was written
OWN_WEIGHT = 6.0  # what somebody labels for their own talk is little beside what ships, and says more of it
TOLERANCE = 0.002  # smaller coefficients generalise to texts unlike the labelled ones
MEANING_C = 0.01
MEANING = [i for i, name in enumerate(NAMES) if name.startswith("meaning_")]
LONG = NAMES.index("long")
SUGGESTED = [LABELS.index(NAMES[i].split("_")[1].upper()) for i in MEANING]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Labelled pairs ready to fit: ``rows`` [n, d] without the meaning features, ``differences`` [n, 3 e] for
    these, ``labels`` [n], ``groups`` [n], ``weights`` [n]."""

    pairs: tuple[LabelledPair, ...]
    compared: tuple[Pair, ...]
    rows: Floats
    differences: Floats
    labels: npt.NDArray[np.str_]
    groups: npt.NDArray[np.str_]
    weights: Floats

    @property
    def long(self) -> npt.NDArray[np.bool_]:
        """Which pairs are of two long statements."""
        out: npt.NDArray[np.bool_] = self.rows[:, LONG] > 0
        return out


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
    both = list(zip(old, new, strict=True))
    # With a meaning of 1 throughout, the meaning columns hold what the logits are multiplied by.
    compared = [replace(pair, meaning=(1.0,) * len(LABELS)) for pair in pair_up(both, encoder)]
    texts = sorted({f.text for f in facts})
    encoded = dict(zip(texts, encoder.encode(texts), strict=True))
    return Prepared(
        tuple(labelled),
        tuple(compared),
        vectors(compared, lexicon),
        differences(both, encoded),
        np.array([str(p.label) for p in labelled]),
        np.array([p.group for p in labelled]),
        np.array([GENERATED_WEIGHT if p.generated else 1.0 for p in labelled]),
    )


def estimator(c: float) -> Pipeline:
    """The model: scaled features into a multinomial logistic regression of strength ``1 / c``."""
    return make_pipeline(StandardScaler(), LogisticRegression(C=c, max_iter=4000, random_state=SEED))


def weighted(
    model: Pipeline, rows: Floats, labels: npt.NDArray[np.str_], weights: Floats, long: npt.NDArray[np.bool_]
) -> Pipeline:
    """Fits scaler and regression with a weight for each pair, and the labels balanced within the short and within the
    ``long`` statements: how often what is short was labelled ADD must not depend on how many long ones were."""
    fitted: Pipeline = model.fit(
        rows,
        labels,
        standardscaler__sample_weight=weights,
        logisticregression__sample_weight=weights * _balance(labels, long, weights),
    )
    return fitted


def _balance(labels: npt.NDArray[np.str_], long: npt.NDArray[np.bool_], weights: Floats) -> Floats:
    """A factor for each row, so that every label has the same total weight within each register."""
    out = np.ones(len(labels))
    for inside in (long, ~long):
        for label in LABELS:
            chosen = inside & (labels == label)
            if chosen.any():
                out[chosen] = weights[inside].sum() / (len(LABELS) * weights[chosen].sum())
    return out


def folds(data: Prepared) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Seeded folds that never split a group."""
    splitter = StratifiedGroupKFold(n_splits=FOLDS, shuffle=True, random_state=SEED)
    return list(splitter.split(data.rows, data.labels, data.groups))


def meaning_of(data: Prepared, rows: npt.NDArray[np.int64]) -> LogisticRegression:
    """The meaning regression on the given pairs."""
    model = LogisticRegression(C=MEANING_C, max_iter=1000, random_state=SEED)
    return model.fit(data.differences[rows], data.labels[rows], sample_weight=data.weights[rows])


def meaning_logits(model: LogisticRegression, rows: Floats) -> Floats:
    order = [list(model.classes_).index(label) for label in LABELS]
    out: Floats = rows @ model.coef_[order].T + model.intercept_[order]
    return out


def with_meaning(data: Prepared, rows: npt.NDArray[np.int64]) -> Floats:
    """The features of some pairs, their meaning features by models that have not seen the pair's group."""
    out = data.rows[rows].copy()
    inner = GroupKFold(n_splits=min(FOLDS, len(set(data.groups[rows]))), shuffle=True, random_state=SEED)
    for train, test in inner.split(rows, groups=data.groups[rows]):
        logits = meaning_logits(meaning_of(data, rows[train]), data.differences[rows[test]])
        out[np.ix_(test, MEANING)] *= logits[:, SUGGESTED]
    return out


def out_of_fold(data: Prepared, cs: Sequence[float]) -> dict[float, Floats]:
    """Probabilities of every pair by a model that has not seen its group, for each strength.

    Nested: within each fold the meaning features of the training pairs are out of fold again.

    Returns
    -------
    dict of float to ndarray, shape [n, 4]
        In the order of ``LABELS``.
    """
    out = {c: np.zeros((len(data.labels), len(LABELS))) for c in cs}
    for train, test in folds(data):
        seen = with_meaning(data, train)
        unseen = data.rows[test].copy()
        unseen[:, MEANING] *= meaning_logits(meaning_of(data, train), data.differences[test])[:, SUGGESTED]
        for c in cs:
            model = weighted(estimator(c), seen, data.labels[train], data.weights[train], data.long[train])
            order = [list(model.classes_).index(label) for label in LABELS]
            out[c][test] = model.predict_proba(unseen)[:, order]
    return out


def macro_f1(data: Prepared, probabilities: Floats) -> float:
    """Macro-averaged F1 of the most probable labels."""
    said = np.array(LABELS)[probabilities.argmax(axis=1)]
    return float(f1_score(data.labels, said, labels=LABELS, average="macro"))


def choose_c(data: Prepared) -> tuple[float, dict[float, float]]:
    """The strongest regularisation whose grouped macro F1 is as good as the best, give or take."""
    scores = {c: macro_f1(data, p) for c, p in out_of_fold(data, CANDIDATES).items()}
    good = max(scores.values()) - TOLERANCE
    return min(c for c in CANDIDATES if scores[c] >= good), scores


def fit(data: Prepared) -> dict[str, Any]:
    """Trains on everything and returns the artefact.

    Returns
    -------
    dict
        JSON-ready: what ``engine.classifier.Classifier.load`` reads.
    """
    c, scores = choose_c(data)
    everything = np.arange(len(data.labels))
    model = weighted(estimator(c), with_meaning(data, everything), data.labels, data.weights, data.long)
    meaning = meaning_of(data, everything)
    scaler: StandardScaler = model[0]
    regression: LogisticRegression = model[1]
    order = [list(regression.classes_).index(label) for label in LABELS]
    inner = [list(meaning.classes_).index(label) for label in LABELS]
    return {
        "format": FORMAT,
        "classes": list(LABELS),
        "features": list(NAMES),
        "mean": scaler.mean_.tolist(),
        "scale": scaler.scale_.tolist(),
        "coef": regression.coef_[order].tolist(),
        "intercept": regression.intercept_[order].tolist(),
        "meaning": {
            "coef": np.round(meaning.coef_[inner], 5).tolist(),
            "intercept": np.round(meaning.intercept_[inner], 5).tolist(),
        },
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
