"""The score of a search: similarity, recency and access frequency, weighted.

    score = w1 · similarity + w2 · recency + w3 · frequency

Each part lies in [0, 1]. Recency is 0.5 ** (age / half-life), the age that of the last message in which the
memory was told. Frequency is log(1 + accesses) / log(1 + the most accesses among the candidates).

Similarity is the clipped cosine, in the preset ``default`` averaged with the lexical match (``lexical``):
measured on whole conversations, adding the two finds more than either alone or than fusing ranks, while much
weight on recency buries the right answer under the latest one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

import numpy as np
import numpy.typing as npt

from engine import lexicon
from engine.asking import asked, asks_about, asks_for_a_name
from engine.errors import InputError
from engine.lexical import Document, document, match
from engine.types import Kind, Stored

Vectors = npt.NDArray[np.float32]
Parts = npt.NDArray[np.float64]

DECIMALS = 6
SOURCE_WEIGHT = 0.5
ATTRIBUTE_WEIGHT = 0.5
HAPPENED = 0.85
"""An event answers a question about the present only where no state does as well."""
ASKED = 1.3
"""A memory of the attribute that is asked for answers better than its words alone tell."""
MERE_RELATION = 0.8
""" "user's brother is Mateus" says little to what is asked of Mateus."""
SECONDS_A_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Weights:
    """How the parts of a score are weighted.

    ``lexical`` is the weight of the lexical match against a cosine of weight 1 within similarity; 0 leaves
    the cosine alone. ``half_life_days`` is the age at which recency is one half.
    """

    similarity: float
    recency: float
    frequency: float
    lexical: float = 1.0
    half_life_days: float = 30.0


PRESETS: dict[str, Weights] = {
    # Recency and frequency decide between answers that are otherwise as good, and no more.
    "default": Weights(similarity=0.98, recency=0.015, frequency=0.005),
    "classic": Weights(similarity=0.6, recency=0.25, frequency=0.15, lexical=0.0),
}


def weights_of(
    preset: str = "default", override: tuple[float, float, float] | None = None, half_life_days: float = 30.0
) -> Weights:
    """The weights of a preset, with its three main ones replaced where ``override`` gives them.

    Raises
    ------
    InputError
        F501 for an unknown preset.
    """
    if preset not in PRESETS:
        raise InputError("F501", f"unknown ranking preset {preset!r}; known are {', '.join(PRESETS)}")
    weights = replace(PRESETS[preset], half_life_days=half_life_days)
    if override is None:
        return weights
    similarity, recency, frequency = override
    return replace(weights, similarity=similarity, recency=recency, frequency=frequency)


@dataclass(frozen=True, slots=True)
class ScoreDetails:
    """The parts of a score, each in [0, 1] before its weight. ``lexical`` is None where it has no opinion."""

    similarity: float
    cosine: float
    lexical: float | None
    recency: float
    frequency: float
    weights: Weights


@dataclass(frozen=True, slots=True)
class Scored:
    """A memory with its score, rounded to six decimals, and what it is made of."""

    memory: Stored
    score: float
    details: ScoreDetails


def rank(
    query: str,
    query_vector: Vectors,
    memories: Sequence[Stored],
    matrix: Vectors,
    now: datetime,
    weights: Weights = PRESETS["default"],
    access_counts: Mapping[str, int] | None = None,
    *,
    top_k: int | None = None,
    threshold: float | None = None,
    with_sources: bool = True,
    documents: Sequence[Document] | None = None,
) -> list[Scored]:
    """Memories by their score for a query, best first, ties in the order of ids.

    Parameters
    ----------
    query : str
    query_vector : ndarray of float32, shape [d]
        The query's unit vector.
    memories : sequence of n Stored
    matrix : ndarray of float32, shape [n, d]
        The memories' unit vectors, row by row.
    now : datetime
        The moment that ages count from; aware.
    weights : Weights
    access_counts : mapping of memory id to int, or None
        How often each was returned before; absent ones count 0.
    top_k : int or None
        How many at most; all by default.
    threshold : float or None
        The least score.
    with_sources : bool, default=True
        Match the query's words against the messages a memory came from too, at half weight.
    documents : sequence of n Document, or None
        What ``document_of`` gives for each memory, where the caller has it already.

    Returns
    -------
    list of Scored

    Raises
    ------
    InputError
        F502 for a blank query, F503 where vectors and memories do not fit together, F504 for a naive ``now``.
    """
    _check(query, query_vector, memories, matrix, now)
    if not memories:
        return []
    cosine: Parts = np.clip(np.round((matrix @ query_vector).astype(np.float64), DECIMALS), 0.0, 1.0)
    if documents is None and weights.lexical:
        documents = [document_of(memory, with_sources) for memory in memories]
    lexical = match(query, documents) if documents is not None and weights.lexical else None
    similarity = cosine
    if lexical is not None:
        similarity = (cosine + weights.lexical * lexical) / (1.0 + weights.lexical)
    if _asks_about_the_present(query):
        happened = np.array([memory.fact.kind is Kind.EVENT for memory in memories])
        similarity = np.where(happened, HAPPENED * similarity, similarity)
    similarity = similarity * _as_asked(query, memories)
    recency = np.array([_recency(memory, now, weights.half_life_days) for memory in memories])
    frequency = _frequency([(access_counts or {}).get(memory.id, 0) for memory in memories])
    score = weights.similarity * similarity + weights.recency * recency + weights.frequency * frequency
    score = np.round(score, DECIMALS)
    totals = score.tolist()
    order = sorted(range(len(memories)), key=lambda row: (-totals[row], memories[row].id))
    if threshold is not None:
        order = [row for row in order if totals[row] >= threshold]
    return [
        Scored(
            memories[row],
            float(score[row]),
            ScoreDetails(
                similarity=float(similarity[row]),
                cosine=float(cosine[row]),
                lexical=None if lexical is None else float(lexical[row]),
                recency=float(recency[row]),
                frequency=float(frequency[row]),
                weights=weights,
            ),
        )
        for row in order[:top_k]
    ]


def _check(query: str, query_vector: Vectors, memories: Sequence[Stored], matrix: Vectors, now: datetime) -> None:
    if not query.strip():
        raise InputError("F502", "the query is blank; ask for something, or list memories with get_all")
    if query_vector.ndim != 1 or (memories and matrix.shape != (len(memories), len(query_vector))):
        raise InputError(
            "F503",
            f"{len(memories)} memories need a matrix of shape [{len(memories)}, d] and a query vector of shape [d], "
            f"not {list(matrix.shape)} and {list(query_vector.shape)}",
        )
    if now.tzinfo is None:
        raise InputError("F504", "now must carry a time zone, e.g. datetime.now(UTC)")


def _asks_about_the_present(query: str) -> bool:
    """ "Where does Maya work?" asks for what is so, "where did she work" for what was."""
    words = set(query.lower().replace("?", " ").replace("'s", " is").split())
    return bool(words & {"do", "does", "is", "are", "am", "currently", "now"}) and not words & {
        "did", "was", "were", "had", "happened", "when", "has", "have", "been", "last", "ago",
    }  # fmt: skip


def _as_asked(query: str, memories: Sequence[Stored]) -> Parts:
    """How well each memory is of the kind that a question asks for: a factor."""
    wanted, naming = asked(query), asks_for_a_name(query)
    known = lexicon.load()
    factors = np.ones(len(memories))
    for row, memory in enumerate(memories):
        attribute = memory.fact.attribute
        if attribute in wanted and asks_about(query, memory.fact.subject):
            factors[row] = ASKED
        elif not naming and known.knows_relation(attribute) and "have " in memory.fact.predicate:
            factors[row] = MERE_RELATION
    return factors


@cache
def _asked_by(attribute: str | None) -> str:
    own = (attribute or "").removeprefix("'s ").replace("_", " ").replace(".", " ")
    return f"{own} {lexicon.load().vocabulary(attribute)}".strip()


def document_of(memory: Stored, with_sources: bool = True) -> Document:
    """What a query's words are matched against: the statement, the words by which people ask for its
    attribute ("where do I live" for "moved to Doha"), and its sources.

    The attribute's words make up for a statement that says the thing otherwise (document expansion,
    Nogueira et al. 2019, with the lexicon in place of a model).
    """
    fact = memory.fact
    texts = [(fact.text, 1.0)]
    words = _asked_by(fact.attribute)
    if words:
        texts.append((words, ATTRIBUTE_WEIGHT))
    if with_sources:
        # Distinct texts: saying a thing again must not make it match better.
        texts += [(text, SOURCE_WEIGHT) for text in dict.fromkeys(source.context or source.text for source in memory.sources)]
    return document(texts)


def _recency(memory: Stored, now: datetime, half_life_days: float) -> float:
    """By the time of the messages, not of recording: a replay must not make old things new (mem0 PR#5226)."""
    told = max((source.timestamp for source in memory.sources if source.timestamp <= now), default=memory.updated_at)
    age = max(0.0, (now - told).total_seconds() / SECONDS_A_DAY)
    return float(0.5 ** (age / half_life_days))


def _frequency(counts: Sequence[int]) -> Parts:
    most = max(counts)
    logs: Parts = np.log1p(np.array(counts, dtype=np.float64))
    return logs / np.log1p(most) if most > 0 else logs
