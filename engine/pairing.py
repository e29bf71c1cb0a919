"""Facts → pairs with all that comes of their embeddings, every text encoded once and in one batch."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.comparison import words_in_order
from engine.embed import Encoder
from engine.types import Alignment, Fact, Pair

if TYPE_CHECKING:
    from engine.classifier import Meaning

DIGITS = 4  # the last bits of an embedding depend on the batch and the processor
Vectors = Mapping[str, npt.NDArray[np.float32]]


def texts_of(facts: Sequence[Fact]) -> list[str]:
    """Everything of facts that a comparison wants encoded, sorted, each once."""
    parts = {text for f in facts for text in (f.text, f.predicate, f.object) if text.strip()}
    return sorted(parts | {word for f in facts for word in words_in_order(f.text)})


def pair_up(
    facts: Sequence[tuple[Fact, Fact]], encoder: Encoder, meaning: Meaning | None = None
) -> list[Pair]:
    """Pairs of (existing, candidate) with cosines, alignment and meaning.

    Parameters
    ----------
    facts : sequence of (Fact, Fact)
        ``n`` pairs.
    encoder : Encoder
        Called once.
    meaning : Meaning, optional
        The regression over differences of embeddings; without it those features are 0.

    Returns
    -------
    list of Pair
        ``n`` pairs; a cosine with an empty part is 0.
    """
    texts = texts_of([f for pair in facts for f in pair])
    vectors = dict(zip(texts, encoder.encode(texts), strict=True)) if texts else {}
    logits = meaning.logits(differences(facts, vectors)) if meaning is not None and facts else None
    out = []
    for n, (old, new) in enumerate(facts):
        out.append(
            Pair(
                old,
                new,
                _cosine(vectors, old.text, new.text),
                _cosine(vectors, old.predicate, new.predicate),
                _cosine(vectors, old.object, new.object),
                _alignment(vectors, old.text, new.text),
                tuple(round(float(v), DIGITS) for v in logits[n]) if logits is not None else (0.0,) * 4,
            )
        )
    return out


@lru_cache(maxsize=50_000)
def as_user(fact: Fact, speaker: str) -> Fact:
    """A fact with a named speaker written as ``user``; others' names stay."""
    if speaker == "user" or speaker not in fact.text:
        return fact
    name = re.compile(rf"\b{re.escape(speaker)}\b")
    return fact.but(
        text=name.sub("user", fact.text), subject=name.sub("user", fact.subject), object=name.sub("user", fact.object)
    )


def differences(facts: Sequence[tuple[Fact, Fact]], vectors: Vectors) -> npt.NDArray[np.float64]:
    """What the meaning regression sees of pairs: product, absolute difference and difference of the two
    text embeddings (the features of InferSent, Conneau et al. 2017), shape [n, 3 d]."""
    old = np.stack([vectors[o.text] for o, _ in facts]).astype(np.float64)
    new = np.stack([vectors[c.text] for _, c in facts]).astype(np.float64)
    return np.round(np.hstack([20 * old * new, 5 * np.abs(old - new), 3 * (new - old)]), DIGITS)


def _cosine(vectors: Vectors, one: str, two: str) -> float:
    if not one.strip() or not two.strip():
        return 0.0
    return round(float(np.dot(vectors[one], vectors[two])), DIGITS)


def _alignment(vectors: Vectors, old: str, new: str) -> Alignment:
    mine, yours = words_in_order(old), words_in_order(new)
    if not mine or not yours:
        return Alignment()
    table = np.stack([vectors[w] for w in mine]) @ np.stack([vectors[w] for w in yours]).T
    rows, columns = table.max(axis=1), table.max(axis=0)
    return Alignment(
        *(round(float(v), DIGITS) for v in (rows.mean(), columns.mean(), rows.min(), columns.min()))
    )
