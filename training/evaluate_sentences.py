"""How well sentences are told apart: which are worth remembering (the gate), and what they tell (the attributes).

Grouped cross-validation: no statement is judged by a model, or by a threshold, that has seen its group. The strength is
chosen on the same folds, from a handful.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine import lexicon as shipped_lexicon
from engine.attribution import OTHER
from engine.durable import factor
from engine.embed import Encoder, MiniLM
from engine.facts import Extractor
from engine.facts.signals import NAMES
from engine.lexicon import Lexicon
from engine.sentences import parse
from engine.types import Message, Role
from training import attributes, gate
from training.metrics import LabelScore, Part, parts
from training.sentences import LabelledSentence, data_hash
from training.tables import aligned, percent, share
from training.train import Progress
from training.train_attributes import examples
from training.train_gate import labelled

ENOUGH = 10  # of which a share says something
WORST = 5
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class GateEvaluation:
    """The gate on sentences that it has not seen.

    Parameters
    ----------
    sentences, groups, folds, seed : int
    data_sha256 : str
    c, threshold : float
    macro_f1 : float
        As the gate is used: what is certain passes, a state that the lexicon knows needs less.
    even_f1 : float
        At a threshold of one half, of what the gate is asked about alone; ``train`` tells the same.
    labels : tuple of LabelScore
        Of ``keep`` and ``skip``.
    reasons, registers, attributes : tuple of Part
        How many were told right: sentences to skip by their reason, all by register, sentences to keep by what they
        tell; the worst first.
    """

    sentences: int
    groups: int
    folds: int
    seed: int
    data_sha256: str
    c: float
    threshold: float
    macro_f1: float
    even_f1: float
    labels: tuple[LabelScore, ...]
    reasons: tuple[Part, ...]
    registers: tuple[Part, ...]
    attributes: tuple[Part, ...]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ClassScore:
    """How one attribute is told: precision, recall and F1 of the most probable class over ``statements`` that tell it,
    and how many statements were ``given`` it above the threshold, ``right`` of them rightly. ``ships`` tells whether
    the artefact would give it at all."""

    name: str
    values: str
    statements: int
    precision: float
    recall: float
    f1: float
    given: int
    right: int
    ships: bool


@dataclass(frozen=True, slots=True)
class AttributesEvaluation:
    """The classifier of attributes on statements that the lexicon does not know.

    Parameters
    ----------
    sentences, statements, judged, groups, folds, seed : int
        ``judged`` of the statements tell something without an attribute by the lexicon and pass an unseen gate.
    data_sha256 : str
    c, temperature : float
    macro_f1 : float
        Of the most probable class.
    told : int
        Judged statements that do tell an attribute.
    given, right : dict of str to int
        By how many values an attribute holds: statements that got one above its threshold, and rightly.
    precision : float or None
        The share of those given that is right.
    coverage : float
        The share of those that tell an attribute and got the right one.
    floors : dict of str to float
        Below which nothing is said.
    classes : tuple of ClassScore
        By name.
    """

    sentences: int
    statements: int
    judged: int
    groups: int
    folds: int
    seed: int
    data_sha256: str
    c: float
    temperature: float
    macro_f1: float
    told: int
    given: dict[str, int]
    right: dict[str, int]
    precision: float | None
    coverage: float
    floors: dict[str, float]
    classes: tuple[ClassScore, ...]

    @property
    def worst(self) -> tuple[ClassScore, ...]:
        """The classes with the lowest F1 among those with enough statements."""
        enough = [c for c in self.classes if c.statements >= ENOUGH]
        return tuple(sorted(enough, key=lambda c: (round(c.f1, 9), -c.statements, c.name))[:WORST])

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def evaluate_gate(
    paths: Sequence[Path] = (),
    *,
    replace: bool = False,
    progress: Progress | None = None,
    lexicon: Lexicon | None = None,
    encoder: Encoder | None = None,
) -> GateEvaluation:
    """Cross-validates the gate on labelled sentences.

    Parameters
    ----------
    paths : sequence of Path, default=()
        Files of labelled sentences beside the shipped ones.
    replace : bool, default=False
        Leave the shipped sentences out.
    progress : callable, optional
        Called with a step's name, how many steps are done, and how many there are.
    lexicon, encoder : optional
        In place of the shipped ones.

    Raises
    ------
    InputError
        F054 for too few sentences to keep or to skip; the reader's for bad lines.
    """
    told = progress or (lambda step, done, steps: None)
    words = lexicon or shipped_lexicon.load()
    sentences = labelled(list(paths), replace)
    told("signals", 0, 2)
    data = gate.prepare(sentences, words, encoder or MiniLM())
    told("folds", 1, 2)
    found = {c: gate.out_of_fold(data, c) for c in gate.CANDIDATES}
    scores = {c: gate.score(data, p) for c, p in found.items()}
    c = max(gate.CANDIDATES, key=lambda x: (round(scores[x], 4), -x))
    threshold = 1 / (1 + gate.LOSS_COST)
    kept = _kept(data, found[c], threshold) | _certain(sentences, words)
    told("done", 2, 2)
    gold = np.array([s.keep for s in sentences])
    labels = (_label_score("keep", gold, kept), _label_score("skip", ~gold, ~kept))
    right = kept == gold
    return GateEvaluation(
        sentences=len(sentences),
        groups=len({s.group for s in sentences}),
        folds=gate.FOLDS,
        seed=gate.SEED,
        data_sha256=data_hash(sentences),
        c=c,
        threshold=round(threshold, 4),
        macro_f1=sum(label.f1 for label in labels) / len(labels),
        even_f1=scores[c],
        labels=labels,
        reasons=parts([s.reason for s in sentences if not s.keep], right[~gold]),
        registers=parts([s.register for s in sentences], right),
        attributes=parts([s.attribute for s in sentences if s.keep], right[gold]),
    )


def _kept(data: gate.Statements, probabilities: gate.Floats, threshold: float) -> Flags:
    """Which sentences are kept for one of the statements that the gate is asked about."""
    passes = probabilities >= threshold * np.array([factor(row) for row in data.rows[:, : len(NAMES)]])
    return gate.by_sentence(data, passes.astype(np.float64)) > 0


def _certain(sentences: Sequence[LabelledSentence], lexicon: Lexicon) -> Flags:
    """Which sentences hold a statement that passes without the gate being asked."""
    when = datetime(2026, 1, 15, 12, tzinfo=UTC)
    messages = [Message(Role.USER, s.text, str(i), when) for i, s in enumerate(sentences)]
    extractor = Extractor(lexicon)
    read = (extractor.read(parsed)[0] for parsed in parse(messages))
    return np.array([any(c.signals is None for c in found.candidates) for found in read])


def _label_score(label: str, gold: Flags, said: Flags) -> LabelScore:
    hit, true, told = int((gold & said).sum()), int(gold.sum()), int(said.sum())
    return LabelScore(label, hit / told if told else 0.0, hit / true if true else 0.0,
                      2 * hit / (true + told) if true + told else 0.0, true)  # fmt: skip


def evaluate_attributes(
    paths: Sequence[Path] = (),
    *,
    replace: bool = False,
    progress: Progress | None = None,
    lexicon: Lexicon | None = None,
    encoder: Encoder | None = None,
) -> AttributesEvaluation:
    """Cross-validates the classifier of attributes.

    Parameters
    ----------
    paths, replace, progress, lexicon, encoder
        As in ``evaluate_gate``; without ``replace`` the shipped pairs are learnt from too.

    Raises
    ------
    InputError
        F057 for too little to learn from; the readers' for bad lines.
    """
    told = progress or (lambda step, done, steps: None)
    words = lexicon or shipped_lexicon.load()
    told("statements", 0, 2)
    data = examples(list(paths), replace=replace, lexicon=words, encoder=encoder or MiniLM())
    told("folds", 1, 2)
    best, scores = attributes.choose(data, words)
    told("done", 2, 2)
    gold = data.labels[data.judged]
    tells = int(np.count_nonzero(gold != OTHER))
    by_values = {
        values: best.told & np.array([words.cardinality(str(n)) == values for n in best.said.name])
        for values in attributes.PRECISION
    }
    return AttributesEvaluation(
        sentences=len(data.sentences),
        statements=len(data.labels),
        judged=int(data.judged.sum()),
        groups=len(set(data.groups[data.judged])),
        folds=attributes.FOLDS,
        seed=attributes.SEED,
        data_sha256=data_hash(data.sentences),
        c=best.c,
        temperature=best.temperature,
        macro_f1=scores[best.c],
        told=tells,
        given={values: int(of.sum()) for values, of in by_values.items()},
        right={values: int(best.said.right[of].sum()) for values, of in by_values.items()},
        precision=best.right / int(best.told.sum()) if best.told.any() else None,
        coverage=best.right / tells if tells else 0.0,
        floors=best.floors,
        classes=_class_scores(data, best, words),
    )


def _class_scores(data: attributes.Examples, best: attributes.Choice, lexicon: Lexicon) -> tuple[ClassScore, ...]:
    gold, said = data.labels[data.judged], best.said
    shipped = attributes.thresholds_of(said, lexicon, best.floors)
    rows = []
    for name in sorted(set(map(str, gold))):
        score, given = _label_score(name, gold == name, said.name == name), best.told & (said.name == name)
        rows.append(
            ClassScore(
                name=name,
                values=lexicon.cardinality(name) or "",
                statements=score.pairs,
                precision=score.precision,
                recall=score.recall,
                f1=score.f1,
                given=int(given.sum()),
                right=int(said.right[given].sum()),
                ships=name in shipped,
            )
        )
    return tuple(rows)


def gate_text(e: GateEvaluation) -> str:
    """The gate's figures for a terminal: plain tables, 100 columns."""
    head = (
        f"{e.sentences} sentences in {e.groups} groups, {e.folds} grouped folds (seed {e.seed})\n"
        f"data {e.data_sha256[:16]}, C {e.c:g}, kept from {e.threshold:.2f}\n"
        f"macro F1 {share(e.macro_f1)}; {share(e.even_f1)} at one half, of what the gate is asked about alone"
    )
    labels = aligned(
        ("label", "precision", "recall", "F1", "sentences"),
        [(s.label, share(s.precision), share(s.recall), share(s.f1), str(s.pairs)) for s in e.labels],
    )
    tables = (
        ("to skip, by reason", e.reasons),
        ("by register", e.registers),
        ("to keep, by what they tell", e.attributes),
    )
    return "\n\n".join([head, labels, *(_parts_text(header, found) for header, found in tables)])


def _parts_text(header: str, found: Sequence[Part]) -> str:
    table = aligned((header, "sentences", "right"), [(p.name, str(p.pairs), percent(p.accuracy)) for p in found])
    worst = next((p for p in found if p.pairs >= ENOUGH), None)
    return table + (f"\n  worst: {worst.name} ({percent(worst.accuracy)} of {worst.pairs})" if worst else "")


def attributes_text(e: AttributesEvaluation) -> str:
    """The figures of the attributes for a terminal: plain tables, 100 columns."""
    head = (
        f"{e.sentences} sentences, {e.statements} statements; judged on {e.judged} that the lexicon does not know,\n"
        f"in {e.groups} groups, {e.folds} grouped folds (seed {e.seed}), {e.told} of them telling an attribute\n"
        f"data {e.data_sha256[:16]}, C {e.c:g}, temperature {e.temperature:g}"
    )
    precision = "-" if e.precision is None else percent(e.precision)
    summary = (
        f"macro F1 of the most probable class {share(e.macro_f1)}\n"
        f"above the thresholds: precision {precision}, coverage {percent(e.coverage)}"
    )
    values = aligned(
        ("attributes that hold", "given", "right", "precision", "said from"),
        [
            (f"{name} value" + "s" * (name == "many"), str(n), str(e.right[name]),
             percent(e.right[name] / n) if n else "-", f"{e.floors[name]:.2f}" if name in e.floors else "never")
            for name, n in e.given.items()
        ],
    )  # fmt: skip
    classes = aligned(
        ("attribute", "values", "statements", "precision", "recall", "F1", "given", "right", "ships"),
        [
            (c.name, c.values, str(c.statements), share(c.precision), share(c.recall), share(c.f1), str(c.given),
             str(c.right), "yes" if c.ships else "no")
            for c in e.classes
        ],
    )  # fmt: skip
    worst = "worst: " + ", ".join(f"{c.name} ({share(c.f1)} of {c.statements})" for c in e.worst)
    return "\n\n".join([head, f"{summary}\n{values}", f"{classes}\n  {worst}"])
