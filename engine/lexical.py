"""How well the words of a question match a text: BM25 over stems, saturated to [0, 1).

For each content term of the question the usual BM25 summand

    idf(t) · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / mean length)),
    idf(t) = ln(1 + (N - n(t) + 0.5) / (n(t) + 0.5))

(Robertson and Zaragoza, 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", section 3; the idf
kept positive as in Lucene) is added up and divided by the number of content terms. The quotient x is mapped
to x / (x + 1.5). A question without content terms abstains.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import snowballstemmer  # type: ignore[import-untyped]

Scores = npt.NDArray[np.float64]

K1, B = 1.5, 0.75
SATURATION = 1.5

# A number with its separators stays whole (an address, a time, an amount); "c++" and "c#" keep their signs.
_WORD = re.compile(r"\d+(?:[.,:]\d+)+|[^\W_]+(?:'[^\W_]+)*[+#]*")

_STOPWORDS = """
a about above after again against all also am an and any are as at be because been before being below between both
but by can could did do does doing done down during each either else ever every few for from further get gets
getting go goes going got had has have having he her here hers herself him himself his how i if in into is it its
itself just let like lot many me might mine more most much must my myself neither no nor not now of off on once only
or other our ours ourselves out over please quite rather really same shall she should so some such tell than that
the their theirs them themselves then there these they thing things this those through to too under until up upon
very was we were what whatever when where whether which while who whom whose why will with within without would you
your yours yourself yourselves ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't he'd he'll i'd
i'll i'm i've isn't it'd it'll mightn't mustn't needn't shan't she'd she'll shouldn't that'd that'll they'd they'll
they're they've wasn't we'd we'll we're we've weren't won't wouldn't y'all you'd you'll you're you've
"""
STOPWORDS = frozenset(_STOPWORDS.split())
"""Words that carry no content in a question. "like" is among them as a preposition; what somebody likes is found
by its object. "may", "us" and "own" are not: folded, they are also a month, a country and a relation."""

_stemmer = snowballstemmer.stemmer("porter")
_stemming = threading.Lock()


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The Porter stem of a lower-case word."""
    with _stemming:  # a stemmer keeps the word it works on
        return str(_stemmer.stemWord(word))


def terms(text: str) -> tuple[str, ...]:
    """The stems of a text's content words, in order, with repetitions."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    words = (word.removesuffix("'s") for word in _WORD.findall(folded))
    return tuple(stem(word) for word in words if word not in STOPWORDS)


@lru_cache(maxsize=100_000)
def _counted(text: str) -> tuple[Mapping[str, int], int]:
    found = terms(text)
    return dict(Counter(found)), len(found)


@dataclass(frozen=True, slots=True)
class Document:
    """A text or several, counted once for many questions: each stem's weighted count, and the weighted length."""

    counts: Mapping[str, float]
    length: float


def document(texts: Sequence[tuple[str, float]]) -> Document:
    """Counts a document.

    Parameters
    ----------
    texts : sequence of (text, weight)
        A text's terms, and its length, count ``weight`` times.
    """
    counts: dict[str, float] = {}
    total = 0.0
    for text, weight in texts:
        found, length = _counted(text)
        total += weight * length
        for term, count in found.items():
            counts[term] = counts.get(term, 0.0) + weight * count
    return Document(counts, total)


def match(query: str, documents: Sequence[Document | Sequence[tuple[str, float]]]) -> Scores | None:
    """How well each document matches the words of a query.

    Parameters
    ----------
    query : str
    documents : sequence of Document, or of sequences of (text, weight)
        Each document counted, or as its texts.

    Returns
    -------
    ndarray of float64, shape [len(documents)], or None
        In [0, 1); None where the query has no content terms, which is no match of 0 but no opinion.
    """
    wanted = sorted(set(terms(query)))
    if not wanted:
        return None
    counted = [d if isinstance(d, Document) else document(d) for d in documents]
    counts = np.array([[d.counts.get(term, 0.0) for term in wanted] for d in counted])
    if not counts.any():
        return np.zeros(len(counted))
    lengths = np.array([d.length for d in counted])
    holding = (counts > 0).sum(axis=0)
    idf = np.log1p((len(counted) - holding + 0.5) / (holding + 0.5))
    norm = K1 * (1 - B + B * lengths / lengths.mean())
    summed = (idf * counts * (K1 + 1) / (counts + norm[:, None])).sum(axis=1)
    x = summed / len(wanted)
    result: Scores = x / (x + SATURATION)
    return result


def forget() -> None:
    """Drops the remembered texts, which may be of a purged memory."""
    _counted.cache_clear()
