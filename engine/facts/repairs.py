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


def adjective_as_root(tokens: Tokens) -> Tokens:
    """ "I'm not vegetarian any more": the adjective heads the clause, with the copula as its auxiliary."""
    for adjective in tokens:
        copula = next((t for t in tokens if t.head == adjective.i and t.dep in ("auxpass", "aux", "cop")
                       and t.lemma == "be" and t.i < adjective.i), None)  # fmt: skip
        if adjective.pos != "ADJ" or copula is None or adjective.dep not in ("ROOT", "conj", "ccomp", "advcl"):
            continue
        out = list(tokens)
        above = copula.i if adjective.head == adjective.i else adjective.head
        out[copula.i] = replace(copula, dep=adjective.dep, head=above, pos="AUX")
        out[adjective.i] = replace(adjective, dep="acomp", head=copula.i)
        for t in tokens:
            if t.head == adjective.i and t.i not in (adjective.i, copula.i):
                if t.i < copula.i or t.dep in (
                    "neg",
                    "aux",
                    "punct",
                    "cc",
                    "advcl",
                    "nsubj",
                    "nsubjpass",
                    "mark",
                    "conj",
                ):
                    out[t.i] = replace(t, head=copula.i, dep="nsubj" if t.dep == "nsubjpass" else t.dep)
        return adjective_as_root(tuple(out))
    return tokens


def addresses(tokens: Tokens) -> Tokens:
    """An e-mail address or URL behind "is" is its complement, not punctuation."""
    return tuple(
        replace(t, dep="attr", pos="PROPN", tag="NNP")
        if t.dep == "punct" and ("@" in t.text or "://" in t.text or "www." in t.text) and tokens[t.head].lemma == "be"
        else t
        for t in tokens
    )


def object_as_subject(tokens: Tokens) -> Tokens:
    """ "I have a hamster and my brother has a snake": the brother is no second thing had."""
    out = list(tokens)
    for noun in tokens:
        head = tokens[noun.head]
        verb = next((t for t in tokens[noun.i + 1 : noun.i + 3] if t.pos in ("VERB", "AUX")), None)
        if noun.dep != "conj" or noun.pos not in ("NOUN", "PROPN") or head.dep not in ("dobj", "attr", "pobj"):
            continue
        finite = verb is not None and verb.tag in ("VBZ", "VBD", "VBP") and verb.dep in ("conj", "ccomp", "relcl")
        if finite and verb is not None and not any(t.head == verb.i and t.dep.startswith("nsubj") for t in tokens):
            out[noun.i] = replace(noun, dep="nsubj", head=verb.i)
            for t in tokens:
                if t.head == head.i and t.dep == "cc" and t.i < noun.i:
                    out[t.i] = replace(t, head=verb.head)
    return tuple(out)


REPAIRS: tuple[Callable[[Tokens], Tokens], ...] = (
    coordinated_subjects,
    object_as_subject,
    names_after_plural,
    adjective_as_root,
    addresses,
    contrasts,
)


def repaired(tokens: Tokens) -> Tokens:
    """All repairs in their order."""
    for repair in REPAIRS:
        tokens = repair(tokens)
    return tokens
