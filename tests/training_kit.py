"""A small, whole part of the labelled pairs, prepared once for all tests of the training."""

from functools import cache

from engine import lexicon
from engine.comparison import compare
from engine.embed import MiniLM
from training.fit import prepare
from training.pairs import DATA, read_pairs, write_pairs

GROUPS = 36


@cache
def some_pairs():
    """The pairs of 36 groups that hold all four labels, some of them marked hard, some not."""
    pairs = read_pairs([DATA / "pairs_people.jsonl", DATA / "pairs_life.jsonl"])
    labels = {}
    for pair in pairs:
        labels.setdefault(pair.group, set()).add(pair.label)
    whole = sorted(group for group, found in labels.items() if len(found) == 4)
    return [pair for pair in pairs if pair.group in whole[:GROUPS]]


@cache
def encoder():
    return MiniLM()


@cache
def prepared():
    return prepare(some_pairs(), lexicon.load(), encoder())


@cache
def comparisons():
    return [compare(pair, lexicon.load()) for pair in prepared().compared]


def write_some(directory, pairs=None):
    path = directory / "some.jsonl"
    write_pairs(path, some_pairs() if pairs is None else pairs)
    return path
