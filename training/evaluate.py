"""How well pairs are told apart: the model beside the rules and the cosine, on groups none of them has seen.

Nested: within each outer fold the whole training is done anew on the other folds, the choice of strength and the
temperature included, and the artefact that comes of it judges the fold through the engine's own classifier.
Nothing is reported on pairs that helped to choose it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median_low
from typing import Any, Protocol, Self

import numpy as np

from engine import lexicon as shipped_lexicon
from engine.classifier import Classifier
from engine.comparison import Comparison, compare
from engine.decide import Policy
from engine.embed import Encoder, MiniLM
from engine.lexicon import Lexicon
from engine.pairing import DIGITS
from training.ablation import Ablation, ablate
from training.calibrate import Bin, Floats, Integers, expected_calibration_error, reliability, softmax
from training.cosine import CosineBaseline
from training.fit import FOLDS, MEANING, SEED, SUGGESTED, Prepared, folds, prepare, write
from training.metrics import Part, Strings, destructive
from training.pairs import data_hash
from training.rules import RuleBaseline, fired
from training.scoring import Scores, acts_of, available, most_probable, score
from training.tables import aligned, percent, share
from training.train import Progress, fit_calibrated, labelled, subset


class Baseline(Protocol):
    """A scikit-learn estimator over comparisons."""

    def fit(self, comparisons: Sequence[Comparison], labels: Strings) -> Self: ...

    def predict(self, comparisons: Sequence[Comparison]) -> Strings: ...


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Grouped, nested cross-validation of the model and its baselines.

    Parameters
    ----------
    pairs, groups, folds, seed : int
    data_sha256 : str
    overwrite_cost : float
        How many times worse a wrongful overwrite is than a stale fact kept.
    scores : tuple of Scores
        Of ``model``, ``rules`` and ``cosine``, in this order.
    strengths, temperatures : tuple of float
        What the training chose in each outer fold.
    ece_before, ece_after : float
        Expected calibration error (15 bins) without and with temperature scaling.
    reliability : tuple of Bin
        Confidence against accuracy, with temperature scaling.
    rules : tuple of Part
        How often each hand-written rule spoke and was right.
    ablation : Ablation or None
        What each block of features adds.
    """

    pairs: int
    groups: int
    folds: int
    seed: int
    data_sha256: str
    overwrite_cost: float
    scores: tuple[Scores, ...]
    strengths: tuple[float, ...]
    temperatures: tuple[float, ...]
    ece_before: float
    ece_after: float
    reliability: tuple[Bin, ...]
    rules: tuple[Part, ...]
    ablation: Ablation | None = None

    @property
    def model(self) -> Scores:
        """The figures of the trained model."""
        return self.scores[0]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class OutOfFold:
    """What the figures were counted from: every pair as the model of its fold saw it, which knew nothing of its group.

    Parameters
    ----------
    data : Prepared
        ``n`` pairs.
    comparisons : tuple of Comparison
    rows : ndarray of float64, shape [n, d]
        Complete features, in the order of ``engine.features.NAMES``.
    probabilities : ndarray of float64, shape [n, 4]
        In the order of ``training.metrics.LABELS``, with temperature scaling.
    models : tuple of Classifier
        One a fold.
    fold : ndarray of int, shape [n]
        Whose fold a pair was left out in: a position in ``models``.
    """

    data: Prepared
    comparisons: tuple[Comparison, ...]
    rows: Floats
    probabilities: Floats
    models: tuple[Classifier, ...]
    fold: Integers


Collector = Callable[[OutOfFold], None]


def evaluate(
    paths: Sequence[Path] = (),
    *,
    replace: bool = False,
    overwrite_cost: float = Policy().overwrite_cost,
    ablation: bool = False,
    progress: Progress | None = None,
    lexicon: Lexicon | None = None,
    encoder: Encoder | None = None,
    collect: Collector | None = None,
) -> Evaluation:
    """Cross-validates the training on labelled pairs.

    Parameters
    ----------
    paths : sequence of Path, default=()
        Files of labelled pairs beside the shipped ones.
    replace : bool, default=False
        Leave the shipped pairs out.
    overwrite_cost : float, default=5.0
        How many times worse a wrongful overwrite is than a stale fact kept.
    ablation : bool, default=False
        Also measure what each block of features adds.
    progress : callable, optional
        Called with a step's name, how many steps are done, and how many there are.
    lexicon, encoder : optional
        In place of the shipped ones.
    collect : callable, optional
        Called once with what the figures were counted from, for looking at single pairs.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        F050 with every bad line; F051 for too few pairs or groups of a label.
    """
    pairs = labelled(paths, replace=replace)
    words = lexicon or shipped_lexicon.load()
    if progress:
        progress("features", 0, FOLDS)
    data = prepare(pairs, words, encoder or MiniLM())
    policy = Policy(overwrite_cost)
    return evaluate_prepared(data, words, policy=policy, ablation=ablation, progress=progress, collect=collect)


def evaluate_prepared(
    data: Prepared,
    lexicon: Lexicon,
    *,
    policy: Policy | None = None,
    ablation: bool = False,
    progress: Progress | None = None,
    collect: Collector | None = None,
) -> Evaluation:
    """As ``evaluate``, of pairs whose features are there already.

    Parameters
    ----------
    data : Prepared
    lexicon : Lexicon
        The one that ``data`` was prepared with.
    policy, ablation, progress, collect
        As in ``evaluate``.
    """
    policy = policy or Policy()
    splits = folds(data)
    tested = [test for _, test in splits]
    raw, scaled = np.zeros((len(data.labels), 4)), np.zeros((len(data.labels), 4))
    rows, fold = data.rows.copy(), np.zeros(len(data.labels), dtype=np.int64)
    models, strengths, temperatures = [], [], []
    for n, (train, test) in enumerate(splits):
        if progress:
            progress(f"fold {n + 1}", n, len(splits))
        artefact = fit_calibrated(subset(data, train)).artefact
        model = _as_the_engine_reads(artefact)
        rows[test], fold[test] = complete(model, subset(data, test)), n
        raw[test], scaled[test] = softmax(model.logits(rows[test]) * model.temperature), model.probabilities(rows[test])
        models.append(model)
        strengths.append(float(artefact["about"]["C"]))
        temperatures.append(float(artefact["temperature"]))
    if progress:
        progress("baselines", len(splits), len(splits))
    comparisons = [compare(pair, lexicon) for pair in data.compared]
    raw, scaled = available(raw, comparisons, lexicon), available(scaled, comparisons, lexicon)
    said = {
        "rules": _cross_validated(RuleBaseline(), comparisons, data),
        "cosine": _cross_validated(CosineBaseline(), comparisons, data),
    }
    table = reliability(scaled, data.labels)
    if collect:
        collect(OutOfFold(data, tuple(comparisons), rows, scaled, tuple(models), fold))
    return Evaluation(
        pairs=len(data.labels),
        groups=len(set(data.groups)),
        folds=len(splits),
        seed=SEED,
        data_sha256=data_hash(data.pairs),
        overwrite_cost=policy.overwrite_cost,
        scores=(
            score(
                "model", data.pairs, data.labels, most_probable(scaled), acts_of(scaled, comparisons, policy), tested
            ),
            *(score(k, data.pairs, data.labels, v, destructive(v), tested) for k, v in said.items()),
        ),
        strengths=tuple(strengths),
        temperatures=tuple(temperatures),
        ece_before=expected_calibration_error(reliability(raw, data.labels)),
        ece_after=expected_calibration_error(table),
        reliability=table,
        rules=fired(comparisons, data.labels),
        ablation=ablate(data, median_low(strengths), progress) if ablation else None,
    )


def _as_the_engine_reads(artefact: dict[str, Any]) -> Classifier:
    """The classifier of an artefact, by way of a file."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "decision.json"
        write(artefact, path)
        return Classifier.load(path)


def complete(model: Classifier, data: Prepared) -> Floats:
    """The features of pairs [n, d], the meaning features by that model."""
    rows = data.rows.copy()
    if model.meaning is not None:
        rows[:, MEANING] *= np.round(model.meaning.logits(data.differences), DIGITS)[:, SUGGESTED]
    return rows


def _cross_validated(baseline: Baseline, comparisons: Sequence[Comparison], data: Prepared) -> Strings:
    said = np.empty_like(data.labels)
    for train, test in folds(data):
        fitted = baseline.fit([comparisons[i] for i in train], data.labels[train])
        said[test] = fitted.predict([comparisons[i] for i in test])
    return said


def as_text(evaluation: Evaluation) -> str:
    """An evaluation for a terminal: plain tables, 100 columns."""
    e, model = evaluation, evaluation.model
    head = (
        f"{e.pairs} pairs in {e.groups} groups, {e.folds} grouped folds, nested (seed {e.seed})\n"
        f"data {e.data_sha256[:16]}, C {_listed(e.strengths)}, temperature {_listed(e.temperatures)}"
    )
    summary = aligned(
        ("", "macro F1", "worst fold", "accuracy", "wrongful overwrites", "stale kept"),
        [
            (s.name, share(s.macro_f1), share(min(s.fold_macro_f1)), share(s.accuracy),
             percent(s.wrongful_overwrites), percent(s.stale_kept))
            for s in e.scores
        ],
    )  # fmt: skip
    labels = aligned(
        ("model", "precision", "recall", "F1", "pairs", *(f"said {s.label}" for s in model.labels)),
        [
            (s.label, share(s.precision), share(s.recall), share(s.f1), str(s.pairs), *map(str, row))
            for s, row in zip(model.labels, model.confusion, strict=True)
        ],
    )
    bins = aligned(
        ("confidence", "pairs", "mean", "right", "gap"),
        [
            (f"{b.low:.2f} to {b.high:.2f}", str(b.pairs), share(b.confidence), share(b.accuracy),
             f"{b.accuracy - b.confidence:+.3f}")
            for b in e.reliability if b.pairs
        ],
    )  # fmt: skip
    calibration = f"Expected calibration error {e.ece_before:.4f}, with temperature scaling {e.ece_after:.4f}"
    kinds = _accuracies("kind of pair", [s.difficulty + s.origin for s in e.scores], e.scores)
    rules = aligned(("rule, the first that holds", "pairs", "right"), [_row(p) for p in e.rules])
    sections = [
        head,
        f"Doing what costs least, an overwrite {e.overwrite_cost:g} times as much as a stale fact\n{summary}",
        labels,
        f"{calibration}\n{bins}",
        kinds,
        _accuracies("family", [s.families for s in e.scores], e.scores, worst=model.worst_family),
        _accuracies("attribute", [s.attributes for s in e.scores], e.scores, worst=model.worst_attribute),
        rules,
    ]
    return "\n\n".join(sections + ([ablation_text(e.ablation)] if e.ablation else []))


def ablation_text(ablation: Ablation) -> str:
    """What each block of features adds, for a terminal."""
    rows = [(a.block, str(a.features), share(a.without), f"{a.adds:+.3f}", share(a.alone)) for a in ablation.blocks]
    table = aligned(("block", "features", "without", "adds", "alone"), rows)
    return f"Macro F1 by block of features (all {share(ablation.full)}, C {ablation.c:g})\n{table}"


def _accuracies(
    header: str, by_score: Sequence[Sequence[Part]], scores: Sequence[Scores], worst: Part | None = None
) -> str:
    found = [{p.name: p for p in of} for of in by_score]
    rows = [(p.name, str(p.pairs), *(percent(of[p.name].accuracy) for of in found)) for p in by_score[0]]
    table = aligned((header, "pairs", *(s.name for s in scores)), rows)
    note = f"\n  worst of the model: {worst.name} ({percent(worst.accuracy)} of {worst.pairs})" if worst else ""
    return table + note


def _row(part: Part) -> tuple[str, str, str]:
    return part.name, str(part.pairs), percent(part.accuracy) if part.pairs else "-"


def _listed(values: Sequence[float]) -> str:
    return " ".join(f"{v:g}" for v in values)
