"""Fits the classifier of attributes: what a statement tells where the lexicon does not know its words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import sklearn
from scipy.optimize import minimize_scalar
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold

from engine.attribution import OTHER, as_written, features_of, matrix, with_attribute
from engine.embed import Encoder
from engine.facts import Extractor
from engine.lexicon import Lexicon
from engine.reading import read_statements
from engine.sentences import parse
from engine.types import Fact, Message, Operation, Role
from training import gate
from training.calibrate import softmax
from training.pairs import LabelledPair
from training.sentences import LabelledSentence, data_hash

SEED = 20260101
FOLDS = 5
REPEATS = 3  # divisions into folds whose logits are averaged: one alone is a matter of luck
CANDIDATES = (0.1, 0.3, 1.0)
PRECISION = {"one": 0.95, "many": 0.9}
"""What is asked of the attributes that the classifier gives, by how many values they hold."""
OWN_PRECISION = {"one": 0.85, "many": 0.8}  # of each attribute by itself, where a handful of answers says little
PRIOR = 0.5
FLOORS = tuple(round(0.3 + 0.05 * i, 2) for i in range(14))
MIN_GIVEN = 5
MIN_JUDGED = 5  # statements that the lexicon does not know; with fewer nothing can be said of an attribute
MIN_RIGHT = 3  # of those that a threshold lets through
MIN_SHOWN = 8  # statements that show a feature
MEANING_SCALE = 4.0  # unit vectors have small components; this gives them the features' order of magnitude
KNOWN_WEIGHT = 0.5  # what the lexicon knows is not what will be asked
GENERATED_WEIGHT = 0.25
CAP = 40  # statements of an attribute from pairs, of each kind
GATE_C = 0.3
RENAMED = {"friend": "friendship", "work_project": "working_on", "experience": OTHER, "wish": OTHER}
VAGUE = frozenset("contact diet favourite health_event life_event money".split())
"""Labels of sentences that cover several attributes of the lexicon; nothing is learnt from them."""
BUSINESS = frozenset(
    "chief_executive database deployment_region employees event_venue founding_year headquarters keynote_speaker "
    "main_product price service_owner version".split()
)
"""What pairs tell of companies and software: no attribute of the lexicon."""
WIDER = {
    "belief": ("politics", "religion"), "education": ("child",), "fear": ("dislike",), "game": ("hobby",),
    "language": ("skill",), "reads": ("habit", "hobby"), "smoking": ("habit",),
    "sport": ("habit", "hobby", "routine", "skill"), "volunteering": ("habit", "membership", "routine"),
}  # fmt: skip
"""Labels that somebody may as well have chosen for what is an attribute of this name: saying it is no mistake."""
SAME = (Operation.NOOP, Operation.UPDATE)
Floats = npt.NDArray[np.float64]
Strings = npt.NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class Examples:
    """Statements with the attribute they tell: ``shown`` are their features, ``embeddings`` [n, d], ``labels`` [n],
    ``groups`` [n], ``weights`` [n].

    ``judged`` [n] marks those on which alone the classifier is measured and its thresholds are set: written by hand,
    without an attribute by the lexicon, and let through by a gate that has not seen them.
    """

    sentences: tuple[LabelledSentence, ...]
    facts: tuple[Fact, ...]
    shown: tuple[tuple[str, ...], ...]
    embeddings: Floats
    labels: Strings
    groups: Strings
    weights: Floats
    judged: npt.NDArray[np.bool_]
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """A fitted regression: ``coef`` [k, f + d] over the features ``names`` and the embedding."""

    names: tuple[str, ...]
    coef: Floats
    intercept: Floats


@dataclass(frozen=True, slots=True)
class _Row:
    fact: Fact
    label: str
    group: str
    weight: float
    judged: bool


def prepare(
    sentences: Sequence[LabelledSentence], pairs: Sequence[LabelledPair], lexicon: Lexicon, encoder: Encoder
) -> Examples:
    """Runs the real extraction over what is labelled and collects what can be learnt from.

    Parameters
    ----------
    sentences : sequence of LabelledSentence
        Those to skip are examples of "other".
    pairs : sequence of LabelledPair
        Both statements of a pair that changes or repeats something tell the pair's attribute.
    lexicon : Lexicon
        Its own examples are learnt from too.
    encoder : Encoder
    """
    rows = [
        *_from_sentences(sentences, lexicon, encoder),
        *_from_pairs(pairs, lexicon),
        *_from_examples(lexicon),
    ]
    judged = Counter(row.label for row in rows if row.judged)
    classes = (*sorted(n for n in judged if n in lexicon.attributes and judged[n] >= MIN_JUDGED), OTHER)
    rows = [row for row in rows if row.label in classes]
    facts = tuple(row.fact for row in rows)
    return Examples(
        tuple(sentences),
        facts,
        tuple(features_of(fact, lexicon) for fact in facts),
        encoder.encode([as_written(fact, lexicon) for fact in facts]).astype(np.float64),
        np.array([row.label for row in rows]),
        np.array([row.group for row in rows]),
        np.array([row.weight for row in rows]),
        np.array([row.judged for row in rows]),
        classes,
    )


def _from_sentences(sentences: Sequence[LabelledSentence], lexicon: Lexicon, encoder: Encoder) -> list[_Row]:
    """Facts with the label of their sentence. Of a sentence that tells several things the label fits one only, and
    nobody knows which; where the lexicon reads another attribute than the label, one of both is wrong."""
    passed = iter(_passed(sentences, lexicon, encoder))
    when = datetime(2026, 1, 15, 12, tzinfo=UTC)
    messages = [Message(Role.USER, s.text, str(i), when) for i, s in enumerate(sentences)]
    extractor = Extractor(lexicon)
    rows: list[_Row] = []
    for sentence, parsed in zip(sentences, parse(messages), strict=True):
        found = extractor.read(parsed)[0].candidates
        facts = [(c.fact, c.signals is None or next(passed)) for c in found]
        label = RENAMED.get(sentence.attribute, sentence.attribute) if sentence.keep else OTHER
        if label in VAGUE or not label or sentence.keep and len(facts) != 1:
            continue
        for fact, kept in facts:
            if fact.attribute is None:
                rows.append(_Row(fact, label, sentence.group, 1.0, kept))
            elif fact.attribute == label:
                rows.append(_Row(fact, label, sentence.group, KNOWN_WEIGHT, False))
    return rows


def _passed(sentences: Sequence[LabelledSentence], lexicon: Lexicon, encoder: Encoder) -> list[bool]:
    """Whether each statement that the gate is asked about gets as far as the classifier, by a gate that has not seen
    its group; in the order of extraction."""
    seen = gate.prepare(sentences, lexicon, encoder)
    return [bool(p >= 1 / (1 + gate.LOSS_COST)) for p in gate.out_of_fold(seen, GATE_C)]


def _from_pairs(pairs: Sequence[LabelledPair], lexicon: Lexicon) -> list[_Row]:
    """Statements of pairs where the one repeats or changes the other: both tell what the pair is about. For those the
    lexicon knows, its word counts."""
    told: dict[str, set[str]] = {}
    source: dict[str, LabelledPair] = {}
    for pair in pairs:
        label = OTHER if pair.attribute in BUSINESS else pair.attribute
        for text in (pair.existing, pair.candidate) if pair.label in SAME else ():
            told.setdefault(text, set()).add(label)
            source.setdefault(text, pair)
    texts = sorted(told, key=lambda text: text[::-1])  # by their ends, so that a cap leaves a mixture
    rows: list[_Row] = []
    counted: Counter[tuple[str, bool, bool]] = Counter()
    for text, fact in zip(texts, read_statements(texts, lexicon), strict=True):
        known, pair = fact.attribute in lexicon.attributes, source[text]
        if len(told[text]) > 1 or fact.attribute and not known:
            continue
        label = fact.attribute or next(iter(told[text]))
        key = (label, known, pair.generated)
        counted[key] += 1
        if counted[key] <= CAP:
            judged = not known and not pair.generated and label != OTHER
            weight = GENERATED_WEIGHT if pair.generated else KNOWN_WEIGHT if known else 1.0
            rows.append(_Row(fact, label, pair.group, weight, judged))
    return rows


def _from_examples(lexicon: Lexicon) -> list[_Row]:
    """The lexicon's own examples."""
    texts = [text for attribute in lexicon.attributes.values() for text in attribute.examples]
    return [
        _Row(fact, fact.attribute, f"lexicon:{fact.attribute}", KNOWN_WEIGHT, False)
        for fact in read_statements(texts, lexicon)
        if fact.attribute is not None and fact.attribute in lexicon.attributes
    ]


def _inputs(data: Examples, rows: npt.NDArray[np.int64], names: Sequence[str]) -> Floats:
    return np.hstack([matrix([data.shown[i] for i in rows], names), MEANING_SCALE * data.embeddings[rows]])


def train_model(data: Examples, rows: npt.NDArray[np.int64], c: float) -> Model:
    """Fits on the given examples; classes that are seldom are lifted, halfway to balance."""
    counted = Counter(name for i in rows for name in data.shown[i])
    names = tuple(sorted(name for name, n in counted.items() if n >= MIN_SHOWN))
    labels = data.labels[rows]
    totals: Counter[str] = Counter()
    for label, weight in zip(labels, data.weights[rows], strict=True):
        totals[str(label)] += weight
    mean = sum(totals.values()) / len(totals)
    weights = data.weights[rows] * np.array([np.sqrt(mean / totals[str(label)]) for label in labels])
    model = LogisticRegression(C=c, max_iter=2000, random_state=SEED)
    model.fit(_inputs(data, rows, names), labels, sample_weight=weights)
    coef = np.zeros((len(data.classes), model.coef_.shape[1]))
    intercept = np.full(len(data.classes), -50.0)  # a class that the fold has not seen
    at = [data.classes.index(name) for name in model.classes_]
    coef[at], intercept[at] = model.coef_, model.intercept_
    return Model(names, coef, intercept)


def logits_of(model: Model, data: Examples, rows: npt.NDArray[np.int64]) -> Floats:
    """Logits of the given examples, shape [n, k]."""
    out: Floats = _inputs(data, rows, model.names) @ model.coef.T + model.intercept
    return out


def folds(data: Examples, repeat: int = 0) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Seeded folds that never split a group."""
    tested = np.isin(data.groups, np.unique(data.groups[data.judged]))
    free, bound = np.flatnonzero(~tested), np.flatnonzero(tested)  # no group of "free" is ever asked about
    splitter = GroupKFold(n_splits=FOLDS, shuffle=True, random_state=SEED + repeat)
    parts = splitter.split(bound, groups=data.groups[bound])
    return [(np.sort(np.concatenate([bound[train], free])), bound[test]) for train, test in parts]


def out_of_fold(data: Examples, c: float) -> Floats:
    """Logits of each example by models that have not seen its group, averaged, shape [n, k]."""
    out = np.zeros((len(data.labels), len(data.classes)))
    for repeat in range(REPEATS):
        for train, test in folds(data, repeat):
            out[test] += logits_of(train_model(data, train, c), data, test) / REPEATS
    return out


def macro_f1(data: Examples, logits: Floats) -> float:
    """Macro F1 of the most probable attribute, over statements that the lexicon does not know."""
    said = np.array(data.classes)[logits.argmax(axis=1)]
    gold, told = data.labels[data.judged], said[data.judged]
    return float(f1_score(gold, told, labels=sorted(set(gold)), average="macro", zero_division=0.0))


def temperature_of(data: Examples, logits: Floats) -> float:
    """The temperature that makes the labels of what the lexicon does not know most likely."""
    gold = np.array([data.classes.index(name) for name in data.labels[data.judged]])
    asked = logits[data.judged]

    def loss(log_t: float) -> float:
        p = softmax(asked, float(np.exp(log_t)))[np.arange(len(gold)), gold]
        return float(-np.log(np.maximum(p, 1e-12)).mean())

    return round(float(np.exp(minimize_scalar(loss, bounds=(-2.0, 2.0), method="bounded").x)), 4)


@dataclass(frozen=True, slots=True)
class Said:
    """What the classifier says first of each statement it is asked about: ``name`` [n], its ``probability`` [n],
    whether it is ``right`` [n], and whether fact and attribute go together at all, ``allowed`` [n]."""

    name: Strings
    probability: Floats
    right: npt.NDArray[np.bool_]
    allowed: npt.NDArray[np.bool_]

    def part(self, rows: npt.NDArray[np.int64]) -> Said:
        """Some of the statements."""
        return Said(self.name[rows], self.probability[rows], self.right[rows], self.allowed[rows])


def said_of(data: Examples, probabilities: Floats, lexicon: Lexicon) -> Said:
    """What is said first of each statement that the lexicon does not know, in their order."""
    rows = np.flatnonzero(data.judged)
    best = probabilities[rows].argmax(axis=1)
    name = np.array(data.classes)[best]
    allowed = [with_attribute(data.facts[i], str(n), lexicon) is not None for i, n in zip(rows, name, strict=True)]
    gold = data.labels[rows]
    right = [n == g or g in WIDER.get(str(n), ()) for n, g in zip(name, gold, strict=True)]
    sure = np.round(probabilities[rows, best], 6)
    return Said(name, sure, np.array(right, dtype=bool), np.array(allowed, dtype=bool))


def thresholds_of(said: Said, lexicon: Lexicon, floors: Mapping[str, float]) -> dict[str, float]:
    """The least probability for each attribute above which what is said of it is right.

    Parameters
    ----------
    said : Said
        Out of fold.
    lexicon : Lexicon
    floors : mapping of str to float
        Below which nothing is said, by how many values an attribute holds.

    Returns
    -------
    dict of str to float
        Attributes that cannot be made good, or with too few right answers to tell, are left out.
    """
    out: dict[str, float] = {}
    for cardinality, floor in floors.items():
        for name in sorted({str(n) for n in said.name if lexicon.cardinality(str(n)) == cardinality}):
            its = (said.name == name) & said.allowed & (said.probability >= floor)
            own = _least(said.probability[its], said.right[its], OWN_PRECISION[cardinality])
            if own is not None and int(said.right[its & (said.probability >= own)].sum()) >= MIN_RIGHT:
                out[name] = round(max(own, floor), 4)
    return out


def given(said: Said, thresholds: Mapping[str, float]) -> npt.NDArray[np.bool_]:
    """Which statements get their attribute, [n]."""
    enough = [p >= thresholds.get(str(n), 2.0) for n, p in zip(said.name, said.probability, strict=True)]
    return np.array(enough, dtype=bool) & said.allowed


def cross_fitted(
    said: Said, part: npt.NDArray[np.int64], lexicon: Lexicon, floors: Mapping[str, float]
) -> npt.NDArray[np.bool_]:
    """As ``given``, each fold by thresholds that were set on the other folds; ``part`` [n] is the fold of each."""
    out = np.zeros(len(part), dtype=bool)
    for fold in np.unique(part):
        here = np.flatnonzero(part == fold)
        thresholds = thresholds_of(said.part(np.flatnonzero(part != fold)), lexicon, floors)
        out[here] = given(said.part(here), thresholds)
    return out


def choose_floors(said: Said, part: npt.NDArray[np.int64], lexicon: Lexicon) -> dict[str, float]:
    """For each cardinality the least floor with which what is said is as precise as ``PRECISION`` asks, on folds that
    the thresholds have not seen; left out where there is none."""
    out: dict[str, float] = {}
    for cardinality, wanted in PRECISION.items():
        for floor in FLOORS:
            told = cross_fitted(said, part, lexicon, {cardinality: floor})
            if told.sum() >= MIN_GIVEN and said.right[told].mean() >= wanted:
                out[cardinality] = floor
                break
    return out


def fold_of(data: Examples) -> npt.NDArray[np.int64]:
    """The fold in which each judged statement was left out."""
    out = np.zeros(len(data.labels), dtype=np.int64)
    for number, (_, test) in enumerate(folds(data)):
        out[test] = number
    return out[data.judged]


def _least(probability: Floats, right: npt.NDArray[np.bool_], wanted: float) -> float | None:
    """The least probability from which on enough is right, as if half an answer more had been wrong."""
    order = np.argsort(-probability, kind="stable")
    hits = np.cumsum(right[order])
    good = np.flatnonzero(hits / (np.arange(1, len(order) + 1) + PRIOR) >= wanted)
    return float(probability[order][good[-1]]) if len(good) else None


@dataclass(frozen=True, slots=True)
class Choice:
    """A strength with what comes of it out of fold: ``told`` [n] marks the judged statements that got an attribute,
    each by thresholds that were set on the other folds."""

    c: float
    macro_f1: float
    logits: Floats
    temperature: float
    said: Said
    floors: dict[str, float]
    told: npt.NDArray[np.bool_]

    @property
    def right(self) -> int:
        """How many of them got the right one."""
        return int(self.said.right[self.told].sum())


def choose(data: Examples, lexicon: Lexicon) -> tuple[Choice, dict[float, float]]:
    """The strength with which most statements get the right attribute, at the precision that is asked for, and the
    macro F1 of all strengths."""
    part, found = fold_of(data), []
    for c in CANDIDATES:
        logits = out_of_fold(data, c)
        temperature = temperature_of(data, logits)
        said = said_of(data, softmax(logits, temperature), lexicon)
        floors = choose_floors(said, part, lexicon)
        told = cross_fitted(said, part, lexicon, floors)
        found.append(Choice(c, macro_f1(data, logits), logits, temperature, said, floors, told))
    best = max(found, key=lambda choice: (choice.right, round(choice.macro_f1, 4), -choice.c))
    return best, {choice.c: choice.macro_f1 for choice in found}


def fit(data: Examples, lexicon: Lexicon) -> dict[str, Any]:
    """Trains on everything; returns what ``engine.attribution.Attribution.load`` reads."""
    best, scores = choose(data, lexicon)
    model = train_model(data, np.arange(len(data.labels)), best.c)
    wide = len(model.names)
    right = best.said.right[best.told]
    return {
        "classes": list(data.classes),
        "features": list(model.names),
        "coef": {n: np.round(row[:wide], 2).tolist() for n, row in zip(data.classes, model.coef, strict=True)},
        "meaning": {
            n: np.round(MEANING_SCALE * row[wide:], 2).tolist() for n, row in zip(data.classes, model.coef, strict=True)
        },
        "intercept": np.round(model.intercept, 4).tolist(),
        "temperature": best.temperature,
        "thresholds": thresholds_of(best.said, lexicon, best.floors),
        "about": {
            "sentences": len(data.sentences),
            "statements": len(data.labels),
            "judged": int(data.judged.sum()),
            "given": len(right),
            "precision": round(float(right.mean()), 4) if len(right) else None,
            "data_sha256": data_hash(data.sentences),
            "C": best.c,
            "floors": best.floors,
            "grouped_macro_f1": {str(k): round(v, 4) for k, v in scores.items()},
            "scikit_learn": sklearn.__version__,
        },
    }
