"""Pairs and a small model for the tests of the decision, without an encoder."""

from __future__ import annotations

from functools import cache

import numpy as np

from engine import lexicon
from engine.classifier import Classifier
from engine.features import NAMES
from engine.reading import read_statements
from engine.settings import artefact
from engine.types import Alignment, Fact, Pair

LEXICON = lexicon.load()
STATEMENTS = [
    "user lives in Hull", "user lives in Quito", "user does not live in Hull", "user moved to Quito",
    "user no longer lives in Hull", "user speaks Welsh", "user speaks Basque", "user speaks Welsh and Basque",
    "user owns a canoe", "user sold their canoe", "user owns two canoes", "user likes tea", "user hates tea",
    "user does not like tea", "user's sister Ilse lives in Hull", "user's brother Bram owns a canoe", "user is vegan",
    "user might move to Quito", "user would love to own a canoe", "user works at Nokia", "user quit their job at Nokia",
    "user's exam is on Friday", "user's exam is on Monday", "user has a dog named Rufus", "user's dog Rufus died",
    "user is 34 years old", "user", "Ana is a vet",
]  # fmt: skip
FACTS = dict(zip(STATEMENTS, read_statements(STATEMENTS, LEXICON), strict=True))


@cache
def trained() -> Classifier:
    """The model that ships."""
    return Classifier.load(artefact("decision.json"))


def fact(text: str) -> Fact:
    return FACTS[text] if text in FACTS else read_statements([text], LEXICON)[0]


def pair(existing: str, candidate: str, text: float = 0.7, predicate: float = 0.5, value: float = 0.4) -> Pair:
    """A pair with given cosines."""
    return Pair(
        fact(existing), fact(candidate), text, predicate, value, Alignment(0.8, 0.7, 0.4, 0.3), (0.1, 0.0, 0.0, 0.0)
    )


def fixed_model(weights: dict[str, dict[str, float]], intercept: dict[str, float] | None = None) -> Classifier:
    """A classifier whose weights are written by hand: label → feature → weight."""
    classes = ("ADD", "UPDATE", "DELETE", "NOOP")
    coef = np.zeros((4, len(NAMES)))
    for label, row in weights.items():
        for name, value in row.items():
            coef[classes.index(label), NAMES.index(name)] = value
    prior = np.array([(intercept or {}).get(label, 0.0) for label in classes])
    width = len(NAMES)
    return Classifier(classes, NAMES, np.zeros(width), np.ones(width), coef, prior, 1.0, "0" * 16, {})
