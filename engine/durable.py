"""The learnt gate: is a statement worth remembering?

    p(keep | x, e) = σ(w · (x - mean) / scale + v · e + b)

over the named signals x of the clause (``engine.facts.signals``) and the embedding e of the statement. Plain
numbers in JSON, trained by ``factfold train --what gate``; nothing here trains.
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

from engine.classifier import how_names_differ
from engine.embed import Encoder
from engine.errors import ModelError
from engine.facts import Candidate
from engine.facts.signals import NAMES

Floats = npt.NDArray[np.float64]


KNOWN = 0.4
"""A state that the lexicon knows, with a value, needs less: losing it is worse than keeping a remark."""


OTHERS = 1.7
"""A remark about something that is nobody's and of no known attribute needs more: "the tinnitus won"."""


def _is_of_others(signals: Floats) -> bool:
    seen = dict(zip(NAMES, signals, strict=True))
    return bool(seen["about_other"] and not (seen["known_state"] or seen["known_event"] or seen["known_plan"]))


def factor(signals: Floats) -> float:
    """How much of the threshold a statement needs."""
    return KNOWN if is_known_state(signals) else OTHERS if _is_of_others(signals) else 1.0


def is_known_state(signals: Floats) -> bool:
    """Whether signals are those of a present state of the speaker's with a value, by a pattern of the lexicon."""
    seen = dict(zip(NAMES, signals, strict=True))
    known = seen["known_state"] and seen["about_speaker"] and seen["present"]
    return bool(known and not (seen["pronoun_value"] or seen["no_value"] or seen["passing_by_rule"]))


@dataclass(frozen=True, slots=True)
class Gate:
    """A logistic regression with named signals.

    Parameters
    ----------
    mean, scale, coef : ndarray of float64, shape [s]
        Standardisation and coefficients of the signals.
    meaning : ndarray of float64, shape [d]
        Coefficients of the embedding.
    intercept : float
    threshold : float
        From which probability a statement is kept.
    digest : str
        First 16 hex digits of the artefact's SHA-256.
    about : mapping
    """

    mean: Floats
    scale: Floats
    coef: Floats
    meaning: Floats
    intercept: float
    threshold: float
    digest: str
    about: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path) -> Gate:
        """Reads an artefact.

        Raises
        ------
        ModelError
            It is missing, malformed, or of other signals than the code reads.
        """
        try:
            raw = path.read_bytes()
            content = json.loads(raw)
            names = tuple(content["signals"])
            gate = cls(
                mean=np.array(content["mean"], dtype=np.float64),
                scale=np.array(content["scale"], dtype=np.float64),
                coef=np.array(content["coef"], dtype=np.float64),
                meaning=np.array(content["meaning"], dtype=np.float64),
                intercept=float(content["intercept"]),
                threshold=float(content["threshold"]),
                digest=hashlib.sha256(raw).hexdigest()[:16],
                about=content.get("about") or {},
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(
                "F045", f"{path.name} is no gate of factfold ({error}); train one with: factfold train --what gate"
            ) from error
        if names != NAMES:
            raise ModelError(
                "F046",
                f"{path.name} was trained on other signals than this release reads: "
                f"{how_names_differ(names, NAMES)}; retrain it with: factfold train --what gate",
            )
        gate._check(path)
        return gate

    def _check(self, path: Path) -> None:
        shapes = (self.mean.shape, self.scale.shape, self.coef.shape)
        numbers = (self.mean, self.scale, self.coef, self.meaning, np.array([self.intercept, self.threshold]))
        if shapes != ((len(NAMES),),) * 3 or self.meaning.ndim != 1 or not self.meaning.size:
            problem = f"arrays of shapes {(*shapes, self.meaning.shape)} for {len(NAMES)} signals"
        elif not all(np.isfinite(a).all() for a in numbers):
            problem = "it holds numbers that are not finite"
        elif not (self.scale > 0).all():
            problem = "every scale must be above 0"
        elif not 0 <= self.threshold <= 1:
            problem = f"the threshold {self.threshold:g} is no probability"
        else:
            return
        raise ModelError("F049", f"{path.name} is damaged: {problem}; train it with: factfold train --what gate")

    def probabilities(self, signals: Floats, embeddings: npt.NDArray[np.float32]) -> Floats:
        """How likely statements are worth keeping, shape [n].

        Parameters
        ----------
        signals : ndarray of float64, shape [n, s]
        embeddings : ndarray of float32, shape [n, d]
        """
        logits = (signals - self.mean) / self.scale @ self.coef + embeddings @ self.meaning + self.intercept
        out: Floats = 1.0 / (1.0 + np.exp(-np.clip(logits, -50, 50)))
        return np.round(out, 6)

    def judge(self, candidates: Sequence[Candidate], encoder: Encoder) -> list[bool]:
        """Which candidates pass; those without signals always do.

        Parameters
        ----------
        candidates : sequence of Candidate
            ``n`` statements; they are encoded in one batch.
        encoder : Encoder

        Returns
        -------
        list of bool
            In their order.
        """
        asked = [i for i, c in enumerate(candidates) if c.signals is not None]
        passes = [True] * len(candidates)
        if asked:
            signals = np.array([candidates[i].signals for i in asked], dtype=np.float64)
            embeddings = encoder.encode([candidates[i].fact.text for i in asked])
            for i, x, p in zip(asked, signals, self.probabilities(signals, embeddings), strict=True):
                passes[i] = bool(p >= self.threshold * factor(x))
        return passes
