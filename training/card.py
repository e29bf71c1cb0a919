"""The model card: what a decision was trained on, how, and how well it does (after Mitchell et al. 2019)."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy
import scipy
import sklearn

from engine import __version__
from engine.decide import Policy
from engine.types import Operation
from training.fit import FOLDS, Prepared
from training.scoring import Scores
from training.second_reading import second_reading
from training.tables import markdown, percent, share

_LABELS = tuple(str(o) for o in Operation)


def card(artefact: Mapping[str, Any], data: Prepared, scores: Scores, policy: Policy) -> str:
    """The card of an artefact, in Markdown.

    Parameters
    ----------
    artefact : mapping
        What is written to ``decision.json``.
    data : Prepared
        What it was trained on.
    scores : Scores
        Its grouped, out-of-fold figures.
    policy : Policy
        The cost at which overwrites are counted.

    Returns
    -------
    str
        The same text for the same model: it holds no date.
    """
    sections = (
        _about(artefact, policy),
        "## Data\n\n" + _data(artefact, data),
        "## Figures\n\n" + _figures(artefact, scores, policy),
        "## Versions\n\n" + _versions(artefact),
    )
    return "\n\n".join(sections) + "\n"


def _about(artefact: Mapping[str, Any], policy: Policy) -> str:
    about = artefact["about"]
    return (
        "# The decision\n\n"
        "Tells of a new statement and a stored one whether the new one is to be added beside it (ADD), takes its "
        "place (UPDATE), ends it (DELETE) or says nothing new (NOOP).\n\n"
        "## How it was made\n\n"
        f"A multinomial logistic regression (C = {about['C']:g}, classes weighted to balance) over "
        f"{len(artefact['features'])} standardised, named features of the pair. Its meaning features come from a "
        "second regression over the difference of the two embeddings, out of fold while training. C was chosen by "
        f"macro F1 over {FOLDS} seeded folds that never split a group (seed {about['seed']}), the stronger one of near "
        f"equals. Probabilities are scaled by the temperature {artefact['temperature']:g}, fitted to out-of-fold "
        "logits (Guo et al. 2017). The same pairs write the same bytes.\n\n"
        "    factfold train --out DIR\n\n"
        "## Use\n\n"
        "English statements in the third person. What is done is the operation of least expected cost, after what a "
        f"pair cannot be is ruled out (overwriting what should have stayed costs {policy.overwrite_cost:g}, a stale "
        "statement kept 1). Where a destructive label was the most probable one and is not done, both statements are "
        "kept and the decision is put up for review. The pairs were written for this project about invented people; "
        "how statements are spread over labels and subjects in real conversations is another matter."
    )


def _data(artefact: Mapping[str, Any], data: Prepared) -> str:
    pairs = data.pairs
    generated = sum(p.generated for p in pairs)
    counts = Counter(str(p.label) for p in pairs)
    labels = markdown(("label", "pairs"), [(label, str(counts[label])) for label in _LABELS])
    return "\n\n".join(
        (
            f"{len(pairs)} pairs in {artefact['about']['groups']} groups; {generated} of them generated from "
            f"templates, {sum(p.hard for p in pairs)} marked hard. SHA-256 of texts, labels and groups: "
            f"`{artefact['about']['data_sha256']}`.",
            _reading(),
            labels,
            _counts("family", (p.family for p in pairs)),
            _counts("attribute", (p.attribute for p in pairs)),
        )
    )


def _reading() -> str:
    read = second_reading()
    return (
        f"Of the pairs that ship, {read.pairs}, drawn by the hash of their texts, were labelled a second time by a reader "
        f"who saw no label: {percent(read.agreed / read.pairs)} alike (Cohen's kappa {read.kappa:.3f}). Of the "
        f"{read.pairs - read.agreed} others {read.first} kept the first label, {read.second} took the second and "
        f"{read.left_out} were left out, since both could be defended. Both readers went by the same page of rules, so "
        "this tells of slips rather than of what other people would say."
    )


def _counts(name: str, values: Iterable[str]) -> str:
    counted = sorted(Counter(v or "(none)" for v in values).items(), key=lambda item: (-item[1], item[0]))
    return markdown((name, "pairs"), [(value, str(n)) for value, n in counted])


def _figures(artefact: Mapping[str, Any], scores: Scores, policy: Policy) -> str:
    about = artefact["about"]
    told = about["calibration"]
    tried = sorted(about["grouped_macro_f1"].items(), key=lambda item: float(item[0]))
    strengths = markdown(("C", "macro F1"), [(c, share(f1)) for c, f1 in tried])
    labels = markdown(
        ("label", "precision", "recall", "F1", "pairs"),
        [(s.label, share(s.precision), share(s.recall), share(s.f1), str(s.pairs)) for s in scores.labels],
    )
    confusion = markdown(
        ("is \\ said", *(s.label for s in scores.labels)),
        [(s.label, *map(str, row)) for s, row in zip(scores.labels, scores.confusion, strict=True)],
    )
    worst = [
        (kind, part.name, percent(part.accuracy), str(part.pairs))
        for kind, part in (("family", scores.worst_family), ("attribute", scores.worst_attribute))
        if part is not None
    ]
    return "\n\n".join(
        (
            "All out of fold, with no group on both sides. C was chosen on the same folds; `factfold evaluate` nests "
            "that choice.",
            f"Macro F1 {share(scores.macro_f1)} (folds {', '.join(map(share, scores.fold_macro_f1))}), "
            f"accuracy {share(scores.accuracy)}.",
            strengths,
            labels,
            confusion,
            f"Of what the engine does, at an overwrite cost of {policy.overwrite_cost:g}: wrongful overwrites "
            f"{percent(scores.wrongful_overwrites)} of ADD and NOOP pairs, stale kept {percent(scores.stale_kept)} of "
            "UPDATE and DELETE pairs.",
            f"Expected calibration error (15 bins) {told['ece_before']:.4f} before temperature scaling, "
            f"{told['ece_after']:.4f} after (cross-fitted).",
            markdown(("worst", "name", "accuracy", "pairs"), worst or [("-", "-", "-", "-")]),
        )
    )


def _versions(artefact: Mapping[str, Any]) -> str:
    return markdown(
        ("part", "version"),
        (
            ("factfold", __version__),
            ("Python", ".".join(platform.python_version_tuple()[:2])),
            ("numpy", numpy.__version__),
            ("scipy", scipy.__version__),
            ("scikit-learn", sklearn.__version__),
            ("encoder", str(artefact["about"].get("encoder", "not recorded"))),
        ),
    )
