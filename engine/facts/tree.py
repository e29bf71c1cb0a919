"""A parsed sentence with its children at hand."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from engine.facts.repairs import repaired
from engine.types import Sentence, Token


class Tree:
    """The dependency tree of one sentence.

    Parameters
    ----------
    sentence : Sentence
        Its tokens carry positions of their heads within the sentence.
    """

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self.tokens = repaired(sentence.tokens)

    def __getitem__(self, i: int) -> Token:
        return self.tokens[i]

    @cached_property
    def _children(self) -> tuple[tuple[Token, ...], ...]:
        found: list[list[Token]] = [[] for _ in self.tokens]
        for token in self.tokens:
            if token.head != token.i:
                found[token.head].append(token)
        return tuple(tuple(c) for c in found)

    def children(self, i: int, *deps: str) -> tuple[Token, ...]:
        """The children of a token in the order of the text, all or those of the given relations."""
        return tuple(c for c in self._children[i] if not deps or c.dep in deps)

    def child(self, i: int, *deps: str) -> Token | None:
        """The first child of one of the relations, if there is one."""
        return next(iter(self.children(i, *deps)), None)

    def subtree(self, i: int, without: Collection[int] = ()) -> list[int]:
        """The positions of a token and all below it, in order, leaving out the subtrees in ``without``."""
        found, todo = [], [i]
        while todo:
            at = todo.pop()
            if at in without and at != i:
                continue
            found.append(at)
            todo += [c.i for c in self._children[at]]
        return sorted(found)

    def ancestors(self, i: int) -> Iterator[Token]:
        """The heads above a token, nearest first."""
        while self.tokens[i].head != i:
            i = self.tokens[i].head
            yield self.tokens[i]

    def conjuncts(self, i: int) -> list[Token]:
        """A token and all that is coordinated with it, in order."""
        found, todo = [self.tokens[i]], [i]
        while todo:
            for token in self.children(todo.pop(), "conj"):
                found.append(token)
                todo.append(token.i)
        return sorted(found, key=lambda t: t.i)

    def words(self, positions: Collection[int]) -> tuple[str, ...]:
        """The lower-case texts at the positions, punctuation left out."""
        return tuple(self.tokens[i].low for i in sorted(positions) if self.tokens[i].pos != "PUNCT")
