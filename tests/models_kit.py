"""Small trained decisions in folders of their own, and the guard set, prepared once for all tests."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

from training_kit import encoder, prepared

from engine import lexicon
from training.compare import GUARD, prepared_pairs
from training.fit import Prepared, write
from training.manifest import write_manifest
from training.metrics import LABELS
from training.train import CARD, DECISION, fit_calibrated


@cache
def guard() -> Prepared:
    return prepared_pairs([GUARD], lexicon.load(), encoder())


@cache
def _trained() -> dict[str, Any]:
    artefact = fit_calibrated(prepared()).artefact
    # So few pairs are calibrated badly; what is tested here is what follows from the figure.
    artefact["about"]["calibration"]["ece_after"] = 0.02
    return artefact


def folder(path: Path, *, card: str = "A small one.\n", **changes: Any) -> Path:
    """A folder with a small decision as the training writes it: ``UPDATE=1.0`` and its like shift an intercept, other
    changes replace what the artefact holds."""
    artefact = copy.deepcopy(_trained())
    for name, value in changes.items():
        if name in LABELS:
            artefact["intercept"][artefact["classes"].index(name)] += value
        elif name == "ece_after":
            artefact["about"]["calibration"][name] = value
        else:
            artefact[name] = value
    write(artefact, path / DECISION)
    (path / CARD).write_text(card, encoding="utf-8")
    write_manifest(path, (DECISION, CARD))
    return path


def twin(path: Path) -> Path:
    """A folder with a decision of other bytes that judges alike: its temperature differs by a millionth."""
    return folder(path, temperature=_trained()["temperature"] * (1 + 1e-6))


def held(path: Path) -> dict[str, bytes]:
    """Every file under a folder with its bytes."""
    return {str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}
