"""The tables in ``data`` as they lie in memory. Read on first use, each once."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"
KINDS = Path(__file__).parent / "kinds.toml"
EXTRA = "~"
"""Marks a word that may have the meaning, but not usually."""


def rows(name: str) -> Iterator[list[str]]:
    """Fields of the lines of a table, without the first line, which tells the source."""
    lines = (DATA / name).read_text(encoding="utf-8").split("\n")
    return (line.split("\t") for line in lines[1:] if line)


@dataclass(frozen=True, slots=True)
class Kinds:
    """Meanings and what they are kinds of.

    Attributes
    ----------
    usual
        Word → numbers of its one or two usual meanings.
    extra
        Word → numbers of its further meanings.
    parents
        Meaning → the meanings right above it.
    words
        Meaning → its words, joined by ``|``, those for which it is an extra one marked ``~``.
    """

    usual: dict[str, tuple[int, ...]]
    extra: dict[str, tuple[int, ...]]
    parents: list[tuple[int, ...]]
    words: list[str]


@cache
def kinds(name: str) -> Kinds:
    """One of nouns.tsv, verbs.tsv, adjectives.tsv, adverbs.tsv."""
    usual: dict[str, tuple[int, ...]] = {}
    extra: dict[str, tuple[int, ...]] = {}
    parents: list[tuple[int, ...]] = []
    words: list[str] = []
    for number, (above, names) in enumerate(rows(name)):
        parents.append(tuple(map(int, above.split())))
        words.append(names)
        for word in filter(None, names.split("|")):
            table, key = (extra, word[1:]) if word.startswith(EXTRA) else (usual, word)
            table[key] = (*table[key], number) if key in table else (number,)
    return Kinds(usual, extra, parents, words)


@dataclass(frozen=True, slots=True)
class Supplement:
    """``kinds.toml``: word → what it is a kind of; noun of WordNet → what its first meaning and all kinds of that
    are; the pairs (narrow, broad) that are none; every word told of."""

    above: dict[str, tuple[str, ...]]
    lifts: dict[str, tuple[str, ...]]
    never: frozenset[tuple[str, str]]
    words: frozenset[str]


def _by_word(entries: list[dict[str, list[str]]]) -> dict[str, tuple[str, ...]]:
    above: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        for word in entry["words"]:
            above[word] = (*above.get(word, ()), *entry["of"])
    return above


@cache
def supplement() -> Supplement:
    """The kinds by hand."""
    with KINDS.open("rb") as file:
        read = tomllib.load(file)
    above, lifts = _by_word(read["kind"]), _by_word(read["lift"])
    never = frozenset((word, broad) for entry in read["never"] for word in entry["words"] for broad in entry["of"])
    broader = {broad for some in (*above.values(), *lifts.values()) for broad in some}
    return Supplement(above, lifts, never, frozenset(broader | above.keys()))


@cache
def plurals() -> dict[str, str]:
    """Irregular plural → singular."""
    return {row[0]: row[1] for row in rows("plurals.tsv")}


@cache
def opposites() -> dict[str, tuple[str, str]]:
    """Word → its antonyms and its weaker ones, each joined by ``|``."""
    return {word: (strong, weak) for word, strong, weak in rows("antonyms.tsv")}


@cache
def families() -> dict[str, str]:
    """Word → the words of its family, itself included, joined by ``|``."""
    return {word: line for (line,) in rows("families.txt") for word in line.split("|")}


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """Places.

    Attributes
    ----------
    labels
        Node → its label.
    parents
        Node → the nodes right above it.
    nodes
        Name, folded → the nodes of that name.
    codes
        Abbreviation in capitals → the nodes; only a few may be written small.
    cities
        Name, folded → the nodes that contain a city of that name.
    """

    labels: list[str]
    parents: list[tuple[int, ...]]
    nodes: dict[str, tuple[int, ...]]
    codes: dict[str, tuple[int, ...]]
    cities: dict[str, tuple[int, ...]]
