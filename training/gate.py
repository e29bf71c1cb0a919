"""Fits the gate: which statements are worth remembering."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedGroupKFold

from engine.embed import Encoder
from engine.facts import Candidate, Extractor
from engine.facts.signals import NAMES
from engine.lexicon import Lexicon
from engine.sentences import parse, statements
from engine.types import Message, Role, Sentence
from training.sentences import LabelledSentence, data_hash

SEED = 20260101
FOLDS = 5
LOSS_COST = 3.0  # losing a fact is three times as bad as keeping a remark (Elkan 2001: keep where p > 1 / (1 + cost))
CANDIDATES = (0.03, 0.1, 0.3, 1.0)
KNOWN_WEIGHT = 0.1
MEANING_SCALE = 3.0  # unit vectors have small components; this gives them the signals' order of magnitude
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Statements:
    """The statements that extraction makes of labelled sentences: ``rows`` [n, s + d], ``keep`` [n],
    ``weights`` [n] (a sentence counts once, however many statements it makes), ``owners`` [n]. ``known``
    [k, s + d] are statements that were written as memories: always worth keeping, used for training only."""

    sentences: tuple[LabelledSentence, ...]
    rows: Floats
    keep: npt.NDArray[np.bool_]
    weights: Floats
    owners: npt.NDArray[np.int64]
    groups: npt.NDArray[np.str_]
    known: Floats

    @property
    def unread(self) -> list[LabelledSentence]:
        """Sentences of which structure alone left nothing."""
        read = set(self.owners.tolist())
        return [s for i, s in enumerate(self.sentences) if i not in read]


def prepare(
    sentences: Sequence[LabelledSentence], lexicon: Lexicon, encoder: Encoder, memories: Sequence[str] = ()
) -> Statements:
    """Runs the real extraction over labelled sentences, ungated, and computes what the gate sees.

    Parameters
    ----------
    sentences : sequence of LabelledSentence
    lexicon : Lexicon
    encoder : Encoder
    memories : sequence of str
        Statements in the third person that are known to be worth keeping.
    """
    when = datetime(2026, 1, 15, 12, tzinfo=UTC)
    messages = [Message(Role.USER, s.text, str(i), when) for i, s in enumerate(sentences)]
    extractor = Extractor(lexicon)
    texts, signals, owners = [], [], []
    for i, candidate in _ungated(extractor, parse(messages)):
        texts.append(candidate.fact.text)
        signals.append(candidate.signals)
        owners.append(i)
    written = [c for _, c in _ungated(extractor, statements(sorted(set(memories))))]
    known = np.zeros((0, len(NAMES) + encoder.dimension))
    if written:
        vectors = encoder.encode([c.fact.text for c in written]).astype(np.float64)
        known = np.hstack([np.array([c.signals for c in written]), MEANING_SCALE * vectors])
    counts = np.bincount(owners, minlength=len(sentences))
    rows = np.hstack([np.array(signals), MEANING_SCALE * encoder.encode(texts).astype(np.float64)])
    return Statements(
        tuple(sentences),
        rows,
        np.array([sentences[i].keep for i in owners]),
        np.array([1.0 / counts[i] for i in owners]),
        np.array(owners),
        np.array([sentences[i].group for i in owners]),
        known,
    )


def _ungated(extractor: Extractor, parsed: Sequence[tuple[Sentence, ...]]) -> Iterator[tuple[int, Candidate]]:
    """Every statement that the gate would be asked about, with the position of its text."""
    for i, sentences in enumerate(parsed):
        found, _ = extractor.read(sentences)
        yield from ((i, c) for c in found.candidates if c.signals is not None)


def _scaled(rows: Floats, mean: Floats, scale: Floats) -> Floats:
    out = rows.copy()
    out[:, : len(NAMES)] = (out[:, : len(NAMES)] - mean) / scale
    return out


def _fit(data: Statements, train: npt.NDArray[np.int64], c: float) -> tuple[LogisticRegression, Floats, Floats]:
    rows = np.vstack([data.rows[train], data.known])
    keep = np.concatenate([data.keep[train], np.ones(len(data.known), dtype=bool)])
    weights = np.concatenate([data.weights[train], np.full(len(data.known), KNOWN_WEIGHT)])
    signals = rows[:, : len(NAMES)]
    mean, scale = signals.mean(axis=0), np.where(signals.std(axis=0) > 0, signals.std(axis=0), 1.0)
    model = LogisticRegression(C=c, max_iter=3000, random_state=SEED)
    model.fit(_scaled(rows, mean, scale), keep, sample_weight=weights)
    return model, mean, scale


def out_of_fold(data: Statements, c: float) -> Floats:
    """The probability of keeping each statement, by a model that has not seen its group, shape [n]."""
    out = np.zeros(len(data.keep))
    splitter = StratifiedGroupKFold(n_splits=FOLDS, shuffle=True, random_state=SEED)
    for train, test in splitter.split(data.rows, data.keep, data.groups):
        model, mean, scale = _fit(data, train, c)
        out[test] = model.predict_proba(_scaled(data.rows[test], mean, scale))[:, 1]
    return out


def by_sentence(data: Statements, probabilities: Floats) -> Floats:
    """For each sentence the highest probability of its statements; 0 where it made none, shape [m]."""
    out = np.zeros(len(data.sentences))
    np.maximum.at(out, data.owners, probabilities)
    return out


def score(data: Statements, probabilities: Floats, threshold: float = 0.5) -> float:
    """Macro F1 over sentences: a sentence is kept where any of its statements is."""
    gold = np.array([s.keep for s in data.sentences])
    return float(f1_score(gold, by_sentence(data, probabilities) >= threshold, average="macro"))


def fit(data: Statements) -> dict[str, Any]:
    """Trains on everything; returns what ``engine.durable.Gate.load`` reads."""
    scores = {c: score(data, out_of_fold(data, c)) for c in CANDIDATES}
    c = max(CANDIDATES, key=lambda x: (round(scores[x], 4), -x))
    model, mean, scale = _fit(data, np.arange(len(data.keep)), c)
    coef = model.coef_[0]
    return {
        "signals": list(NAMES),
        "mean": mean.tolist(),
        "scale": scale.tolist(),
        "coef": coef[: len(NAMES)].tolist(),
        "meaning": np.round(coef[len(NAMES) :] * MEANING_SCALE, 6).tolist(),
        "intercept": float(model.intercept_[0]),
        "threshold": round(1 / (1 + LOSS_COST), 4),
        "about": {
            "sentences": len(data.sentences),
            "statements": len(data.keep),
            "unread": len(data.unread),
            "data_sha256": data_hash(data.sentences),
            "C": c,
            "grouped_macro_f1": {str(k): round(v, 4) for k, v in scores.items()},
            "scikit_learn": sklearn.__version__,
        },
    }
