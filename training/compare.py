"""Two trained decisions on the same pairs: their figures side by side, and every pair on which they act differently.

The features are computed once. Unless other pairs are given, both judge the guard set: short, clear pairs that no
training and no evaluation ever reads, of the faults that hurt most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine import lexicon as shipped_lexicon
from engine.classifier import Classifier
from engine.comparison import Comparison, compare
from engine.decide import Policy
from engine.embed import Encoder, MiniLM
from engine.errors import InputError, ModelError
from engine.lexicon import Lexicon
from engine.types import Operation
from training.calibrate import expected_calibration_error, reliability
from training.evaluate import complete
from training.fit import Prepared, prepare
from training.manifest import mismatches
from training.metrics import Flags, Strings, destructive
from training.pairs import DATA, LabelledPair, data_hash, read_pairs
from training.scoring import done_of, most_probable, score
from training.tables import aligned, percent, share
from training.train import DECISION

GUARD = DATA / "guard.jsonl"
WRONGFUL, WORSE, BETTER, NEITHER = "newly wrongful", "worse", "better", "neither"
KINDS = (WRONGFUL, WORSE, BETTER, NEITHER)


@dataclass(frozen=True, slots=True)
class Figures:
    """How a decision did on the pairs.

    Parameters
    ----------
    folder, model : str
        Where it lies, and its digest.
    macro_f1, accuracy, ece : float
        Of the most probable label, as ``training.evaluate`` has them.
    wrongful_overwrites, stale_kept : int
        Pairs: overwritten or ended where nothing should be, and left where something should have been.
    wrongful_share, stale_share : float
        Of the pairs where that can happen.
    """

    folder: str
    model: str
    macro_f1: float
    accuracy: float
    ece: float
    wrongful_overwrites: int
    stale_kept: int
    wrongful_share: float
    stale_share: float


@dataclass(frozen=True, slots=True)
class Shift:
    """How many pairs of a label, family or attribute the second decision handles better and worse than the first."""

    part: str
    name: str
    pairs: int
    better: int
    worse: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A pair on which the two act differently; ``costs`` is what the second's act costs more than the first's."""

    kind: str
    costs: float
    existing: str
    candidate: str
    right: str
    first: str
    second: str
    family: str
    attribute: str


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two decisions on the same pairs; ``turns`` worst first, ``shifts`` without what stays as it is."""

    pairs: int
    data_sha256: str
    overwrite_cost: float
    first: Figures
    second: Figures
    shifts: tuple[Shift, ...]
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a decision says of pairs and what the engine does with them because of it."""

    figures: Figures
    done: Strings


def load(directory: Path) -> Classifier:
    """The decision of a folder that the training wrote.

    Raises
    ------
    ModelError
        F090 where its files are not those that were written; those of ``Classifier.load``, with the folder: F042
        where another release trained it.
    """
    wrong = [told for told in mismatches(directory) if told.startswith(DECISION)]
    if wrong:
        raise ModelError("F090", f"{directory}: {wrong[0]}; train it again with: factfold train --out DIR")
    try:
        return Classifier.load(directory / DECISION)
    except ModelError as error:
        raise ModelError(error.code, f"{directory}: {str(error).split('] ', 1)[-1]}") from error


def compare_models(
    first: Path,
    second: Path,
    paths: Sequence[Path] = (),
    *,
    policy: Policy | None = None,
    lexicon: Lexicon | None = None,
    encoder: Encoder | None = None,
) -> Contrast:
    """Lets two trained decisions judge the same pairs.

    Parameters
    ----------
    first, second : Path
        Folders with artefacts.
    paths : sequence of Path, default=()
        Files of labelled pairs in place of the guard set.
    policy, lexicon, encoder : optional
        In place of the default ones.

    Returns
    -------
    Contrast

    Raises
    ------
    ModelError
        As ``load``; F091 where an artefact was trained with another encoder.
    InputError
        F050 with every bad line; F092 where the files hold no pair.
    """
    models = load(first), load(second)
    words = lexicon or shipped_lexicon.load()
    data = prepared_pairs(paths or [GUARD], words, encoder or MiniLM())
    return contrast(data, words, (first, models[0]), (second, models[1]), policy or Policy())


def prepared_pairs(paths: Sequence[Path], lexicon: Lexicon, encoder: Encoder) -> Prepared:
    """Labelled pairs with their features, computed once for all who judge them.

    Raises
    ------
    InputError
        F050 with every bad line; F092 where there is no pair.
    """
    pairs = read_pairs(paths)
    if not pairs:
        raise InputError("F092", f"no labelled pair in {', '.join(map(str, paths))}; give files that hold some")
    return prepare(pairs, lexicon, encoder)


def contrast(
    data: Prepared, lexicon: Lexicon, first: tuple[Path, Classifier], second: tuple[Path, Classifier], policy: Policy
) -> Contrast:
    """As ``compare_models``, of pairs and decisions that are read already; each decision with its folder."""
    comparisons = [compare(pair, lexicon) for pair in data.compared]
    a, b = (_judged(data, comparisons, folder, model, policy) for folder, model in (first, second))
    turns = [_turn(p, str(x), str(y), policy) for p, x, y in zip(data.pairs, a.done, b.done, strict=True) if x != y]
    return Contrast(
        pairs=len(data.pairs),
        data_sha256=data_hash(data.pairs),
        overwrite_cost=policy.overwrite_cost,
        first=a.figures,
        second=b.figures,
        shifts=tuple(_shifts(data.pairs, turns)),
        turns=tuple(sorted(turns, key=lambda t: (KINDS.index(t.kind), -t.costs, t.existing, t.candidate))),
    )


def _judged(
    data: Prepared, comparisons: Sequence[Comparison], folder: Path, model: Classifier, policy: Policy
) -> Judged:
    wide = data.differences.shape[1]
    if model.meaning is not None and model.meaning.coef.shape[1] != wide:
        raise ModelError(
            "F091",
            f"{folder}: {DECISION} was trained with an encoder of {model.meaning.coef.shape[1] // 3} dimensions, this "
            f"one has {wide // 3}; train it again with: factfold train --out DIR",
        )
    probabilities = model.probabilities(complete(model, data))
    done = done_of(probabilities, comparisons, policy)
    acts, due = destructive(done), destructive(data.labels)
    everything = [np.arange(len(data.labels))]
    scores = score("model", data.pairs, data.labels, most_probable(probabilities), acts, everything)
    figures = Figures(
        folder=str(folder),
        model=model.digest,
        macro_f1=scores.macro_f1,
        accuracy=scores.accuracy,
        ece=expected_calibration_error(reliability(probabilities, data.labels)),
        wrongful_overwrites=_count(acts & ~due),
        stale_kept=_count(due & ~acts),
        wrongful_share=scores.wrongful_overwrites,
        stale_share=scores.stale_kept,
    )
    return Judged(figures, done)


def _count(flags: Flags) -> int:
    return int(flags.sum())


def _turn(pair: LabelledPair, first: str, second: str, policy: Policy) -> Turn:
    """What it means that a pair is acted upon otherwise, by what the two acts cost."""
    before, after = (policy.costs[Operation(done)][pair.label] for done in (first, second))
    was_wrongful, is_wrongful = (_is_wrongful(done, pair.label) for done in (first, second))
    kind = WORSE if after > before else BETTER if after < before else NEITHER
    return Turn(
        kind=WRONGFUL if is_wrongful and not was_wrongful else kind,
        costs=round(after - before, 6),
        existing=pair.existing,
        candidate=pair.candidate,
        right=str(pair.label),
        first=first,
        second=second,
        family=pair.family,
        attribute=pair.attribute,
    )


def _is_wrongful(done: str, right: Operation) -> bool:
    acts, due = destructive(np.array([done, str(right)]))
    return bool(acts and not due)


def _shifts(pairs: Iterable[LabelledPair], turns: Sequence[Turn]) -> list[Shift]:
    """Better and worse by label, family and attribute, the worst first; what stays as it is is left out."""
    pairs = list(pairs)
    views: tuple[tuple[str, Callable[[LabelledPair], str], Callable[[Turn], str]], ...] = (
        ("label", lambda p: str(p.label), lambda t: t.right),
        ("family", lambda p: p.family, lambda t: t.family),
        ("attribute", lambda p: p.attribute, lambda t: t.attribute),
    )
    found = []
    for part, of_pair, of_turn in views:
        all_of = Counter(map(of_pair, pairs))
        better = Counter(of_turn(t) for t in turns if t.kind == BETTER)
        worse = Counter(of_turn(t) for t in turns if t.kind in (WRONGFUL, WORSE))
        names = sorted(better | worse, key=lambda n: (better[n] - worse[n], -worse[n], n))
        found += [Shift(part, name or "(none)", all_of[name], better[name], worse[name]) for name in names]
    return found


def as_text(found: Contrast) -> str:
    """A contrast for a terminal: figures, what shifts, the pairs that turn."""
    head = f"{found.pairs} pairs (data {found.data_sha256[:16]}), an overwrite costs {found.overwrite_cost:g}"
    sides = [f"A  {found.first.folder} ({found.first.model})", f"B  {found.second.folder} ({found.second.model})"]
    sections = ["\n".join((head, *sides)), figures_text(found)]
    if not found.turns:
        return "\n\n".join((*sections, "They do the same with every pair."))
    for part in ("label", "family", "attribute"):
        rows = [(s.name, str(s.pairs), str(s.better or ""), str(s.worse or "")) for s in found.shifts if s.part == part]
        if rows:
            sections.append(aligned((part, "pairs", "better", "worse"), rows))
    return "\n\n".join((*sections, turns_text(found.turns)))


def figures_text(found: Contrast) -> str:
    """The figures of both and the difference."""
    a, b = found.first, found.second
    shares = (("macro F1", a.macro_f1, b.macro_f1), ("accuracy", a.accuracy, b.accuracy),
              ("calibration error", a.ece, b.ece))  # fmt: skip
    acts = (("wrongful overwrites", a.wrongful_overwrites, a.wrongful_share, b.wrongful_overwrites, b.wrongful_share),
            ("stale kept", a.stale_kept, a.stale_share, b.stale_kept, b.stale_share))  # fmt: skip
    rows = [(name, share(x), share(y), f"{y - x:+.3f}") for name, x, y in shares]
    rows += [
        (name, f"{n} ({percent(of_a)})", f"{m} ({percent(of_b)})", f"{m - n:+d}") for name, n, of_a, m, of_b in acts
    ]
    return aligned(("", "A", "B", "B − A"), rows)


def turns_text(turns: Sequence[Turn]) -> str:
    """The pairs on which the two act differently, a kind after the other."""
    lines = [f"{len(turns)} pairs are acted upon otherwise"]
    for kind in KINDS:
        some = [t for t in turns if t.kind == kind]
        if some:
            lines.append(f"  {kind}: {len(some)}")
        for t in some:
            lines.append(f"    {t.first} → {t.second}, right is {t.right}  ({t.family or '-'})")
            lines += [f"      held  {t.existing}", f"      new   {t.candidate}"]
    return "\n".join(lines)
