"""The trained classifier: multinomial logistic regression over the pair features, read from JSON.

    p(label | x) = softmax(W · (x - mean) / scale + b)

The artefact is plain numbers: classes, scaler, coefficients, intercept and feature names, with the hash of
the data it was trained on. It is evaluated with numpy (13 µs a row) and gives the probabilities of the
scikit-learn estimator it was written from. ``training.fit`` writes it; nothing here trains.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.errors import ModelError
from engine.features import NAMES
from engine.types import Operation

Floats = npt.NDArray[np.float64]
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Classifier:
    """A logistic regression with named features.

    Parameters
    ----------
    classes : tuple of str
        ``c`` labels, in the order of the rows of ``coef``.
    names : tuple of str
        ``d`` feature names.
    mean, scale : ndarray of float64, shape [d]
        The standardisation of the training data.
    coef : ndarray of float64, shape [c, d]
    intercept : ndarray of float64, shape [c]
    temperature : float
        Logits are divided by it; 1 leaves them as trained (Guo et al. 2017, temperature scaling).
    digest : str
        First 16 hex digits of the SHA-256 of the artefact.
    about : mapping
        Data hash, counts and versions, as the training wrote them.
    """

    classes: tuple[str, ...]
    names: tuple[str, ...]
    mean: Floats
    scale: Floats
    coef: Floats
    intercept: Floats
    temperature: float
    digest: str
    about: Mapping[str, Any]
    meaning: Meaning | None = None

    @classmethod
    def load(cls, path: Path, names: Sequence[str] = NAMES) -> Classifier:
        """Reads an artefact.

        Parameters
        ----------
        path : Path
            The JSON file.
        names : sequence of str
            The features the code computes; the artefact's must be the same, in the same order.

        Raises
        ------
        ModelError
            The file is missing, malformed, damaged, or of other features; both lists are shown.
        """
        try:
            raw = path.read_bytes()
            content = json.loads(raw)
            model = cls(
                classes=tuple(content["classes"]),
                names=tuple(content["features"]),
                mean=np.array(content["mean"], dtype=np.float64),
                scale=np.array(content["scale"], dtype=np.float64),
                coef=np.array(content["coef"], dtype=np.float64),
                intercept=np.array(content["intercept"], dtype=np.float64),
                temperature=float(content.get("temperature", 1.0)),
                digest=hashlib.sha256(raw).hexdigest()[:16],
                about=content.get("about") or {},
                meaning=_meaning(content.get("meaning")),
            )
        except FileNotFoundError as error:
            raise ModelError("F040", f"no model at {path.name}; train one with: factfold train --out DIR") from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(
                "F041", f"{path.name} is no model file of factfold ({error}); train one with: factfold train --out DIR"
            ) from error
        model._check(path, tuple(names))
        return model

    def _check(self, path: Path, names: tuple[str, ...]) -> None:
        if self.names != names:
            raise ModelError("F042", f"{path.name} was trained on other features than this release computes: "
                                     f"{how_names_differ(self.names, names)}; retrain it with: factfold train --out DIR"
                             )  # fmt: skip
        if sorted(self.classes) != sorted(Operation):
            raise ModelError(
                "F047", f"{path.name} knows the classes {list(self.classes)}, not {', '.join(Operation)}; train it anew"
            )
        rows, columns = len(self.classes), len(self.names)
        shapes = (self.coef.shape, self.intercept.shape, self.mean.shape, self.scale.shape)
        if shapes != ((rows, columns), (rows,), (columns,), (columns,)):
            raise ModelError("F043", f"{path.name} is damaged: arrays of shapes {shapes} for {rows} classes "
                                     f"and {columns} features; train it anew")  # fmt: skip
        arrays = [self.mean, self.scale, self.coef, self.intercept, np.array(self.temperature)]
        if self.meaning is not None:
            coef, intercept = self.meaning.coef, self.meaning.intercept
            wide = coef.shape[1] if coef.ndim == 2 else 1
            if wide % 3 or (len(coef), *intercept.shape) != (len(Operation),) * 2:
                raise ModelError("F043", f"{path.name} is damaged: a meaning of shapes {coef.shape} and "
                                         f"{intercept.shape}, not (4, 3 d) and (4,); train it anew")  # fmt: skip
            arrays += [coef, intercept]
        if not all(np.isfinite(a).all() for a in arrays):
            raise ModelError("F044", f"{path.name} is damaged: it holds numbers that are not finite; train it anew")
        if self.temperature <= 0 or not (self.scale > 0).all():
            raise ModelError(
                "F048", f"{path.name} is damaged: its temperature and every scale must be above 0; train it anew"
            )

    def logits(self, rows: Floats) -> Floats:
        """Shape [n, c]; the sums that the softmax takes."""
        scaled = (np.atleast_2d(rows) - self.mean) / self.scale
        out: Floats = (scaled @ self.coef.T + self.intercept) / self.temperature
        return out

    def probabilities(self, rows: Floats) -> Floats:
        """The probability of each class.

        Parameters
        ----------
        rows : ndarray of float64, shape [n, d]

        Returns
        -------
        ndarray of float64, shape [n, c]
            Rows sum to one.
        """
        logits = self.logits(rows)
        shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
        out: Floats = shifted / shifted.sum(axis=1, keepdims=True)
        return out

    def contributions(self, row: Floats, label: str) -> Floats:
        """What each feature adds to a label's log-odds against the mean of the others, shape [d].

        With the centred coefficients of that label, ``x_scaled * (w_label - mean(w_others))``: together
        with the same difference of intercepts they sum to the label's logit minus the others' mean.
        """
        k = self.classes.index(label)
        others = np.delete(self.coef, k, axis=0).mean(axis=0)
        out: Floats = (row - self.mean) / self.scale * (self.coef[k] - others) / self.temperature
        return out

    def prior(self, label: str) -> float:
        """The part of a label's log-odds that no feature brings."""
        k = self.classes.index(label)
        return float(self.intercept[k] - np.delete(self.intercept, k).mean()) / self.temperature


@dataclass(frozen=True, slots=True)
class Meaning:
    """A regression over the difference of two embeddings: ``coef`` [4, 3 d], ``intercept`` [4].

    Its logits are features of the decision, trained out of fold so that the decision learns how far to
    believe them.
    """

    coef: Floats
    intercept: Floats

    def logits(self, rows: Floats) -> Floats:
        """Shape [n, 4], in the order of ``Operation``."""
        out: Floats = rows @ self.coef.T + self.intercept
        return out


def how_names_differ(held: Sequence[str], wanted: Sequence[str]) -> str:
    """What an artefact's names lack and have beyond the code's, or that the same names stand in another order."""
    missing, unknown = sorted(set(wanted) - set(held)), sorted(set(held) - set(wanted))
    if missing or unknown:
        return f"it lacks {missing}, it has {unknown} beyond them"
    if len(held) != len(wanted):
        return f"it names {sorted({n for n in held if held.count(n) > 1})} more than once"
    at = next(i for i, (one, two) in enumerate(zip(held, wanted, strict=True)) if one != two)
    return f"the same names stand in another order (from place {at} on: {held[at]!r}, not {wanted[at]!r})"


def _meaning(content: Mapping[str, Any] | None) -> Meaning | None:
    if content is None:
        return None
    return Meaning(np.array(content["coef"], dtype=np.float64), np.array(content["intercept"], dtype=np.float64))


def as_operations(model: Classifier, row: Floats) -> dict[Operation, float]:
    """One row of probabilities under the names of the operations."""
    return {Operation(label): float(p) for label, p in zip(model.classes, row, strict=True)}
