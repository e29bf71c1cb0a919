"""Facts → pairs with their cosines, every text encoded once and in one batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.embed import Encoder
from engine.types import Fact, Pair

DIGITS = 4  # the last bits of an embedding depend on the batch and the processor


def pair_up(facts: Sequence[tuple[Fact, Fact]], encoder: Encoder) -> list[Pair]:
    """Pairs of (existing, candidate) with the cosines of texts, predicates and objects.

    Parameters
    ----------
    facts : sequence of (Fact, Fact)
        ``n`` pairs.
    encoder : Encoder
        Called once.

    Returns
    -------
    list of Pair
        ``n`` pairs; a cosine with an empty part is 0.
    """
    parts = [(_text(f), f.predicate, f.object) for pair in facts for f in pair]
    texts = sorted({text for part in parts for text in part if text.strip()})
    vectors = dict(zip(texts, encoder.encode(texts), strict=True)) if texts else {}

    def cosine(one: str, two: str) -> float:
        if not one.strip() or not two.strip():
            return 0.0
        return round(float(np.dot(vectors[one], vectors[two])), DIGITS)

    out = []
    for n, (old, new) in enumerate(facts):
        (text, predicate, value), (text2, predicate2, value2) = parts[2 * n], parts[2 * n + 1]
        out.append(Pair(old, new, cosine(text, text2), cosine(predicate, predicate2), cosine(value, value2)))
    return out


def _text(fact: Fact) -> str:
    return fact.text
