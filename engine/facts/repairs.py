"""What the parser gets wrong in a way that can be told from the tree alone, put right.

Each repair is a function from tokens to tokens and names the pattern it mends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.types import Token

Tokens = tuple[Token, ...]


def coordinated_subjects(tokens: Tokens) -> Tokens:
    """ "Paula and I have moved": two subjects of one verb, the first with a dangling "and"."""
    out = list(tokens)
    for second in tokens:
        if second.dep not in ("nsubj", "nsubjpass"):
            continue
        for first in tokens[: second.i]:
            dangling = any(t.head == first.i and t.dep == "cc" and t.i == second.i - 1 for t in tokens)
            if first.dep == second.dep and first.head == second.head and dangling:
                out[second.i] = replace(second, dep="conj", head=first.i)
    return tuple(out)


def names_after_plural(tokens: Tokens) -> Tokens:
    """ "Two greyhounds, Flash and Nutmeg": the names are the greyhounds', not more things owned."""
    out = list(tokens)
    for name in tokens:
        head = tokens[name.head]
        if name.dep != "conj" or name.pos != "PROPN" or head.tag != "NNS" or name.i == head.i:
            continue
        linked = any(t.head == head.i and t.dep == "cc" for t in tokens)
        if not linked and tokens[head.i + 1].text in (",", ":", "-", "("):
            out[name.i] = replace(name, dep="appos")
    return tuple(out)


def contrasts(tokens: Tokens) -> Tokens:
    """ "A banker, not a baker": what is set against the value gets a relation of its own, ``contrast``."""
    out = list(tokens)
    for negation in tokens:
        if negation.low != "not" or negation.i == 0 or tokens[negation.i - 1].text != ",":
            continue
        against = [t for t in tokens if t.dep in ("appos", "conj") and t.i > negation.i and t.head < negation.i
                   and t.pos not in ("VERB", "AUX")]  # fmt: skip
        if against:
            out[against[0].i] = replace(against[0], dep="contrast")
            out[negation.i] = replace(negation, dep="contrast")
    return tuple(out)


REPAIRS: tuple[Callable[[Tokens], Tokens], ...] = (coordinated_subjects, names_after_plural, contrasts)


def repaired(tokens: Tokens) -> Tokens:
    """All repairs in their order."""
    for repair in REPAIRS:
        tokens = repair(tokens)
    return tokens
