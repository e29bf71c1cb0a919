"""A line of chat or speech → pieces that the small parser reads well, one independent clause each.

The parser was trained on edited text and loses its way in run-on sentences. A line is cut where a clause with a
subject and a finite verb of its own begins and the clause before it is whole. What hangs on something else is
never cut off: conditions and what they hold for, what others say, wishes, orders, questions, subjects that are
handed down. Openers ("funny thing, …") and words of speech are left out, asides in brackets become pieces of
their own. A piece is made of the line's own words and every character keeps its place in the message.

All works on words and the tags of a first, cheap pass; the word lists are ``lexicon/segments.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.cleaning import Cleaned
from engine.segments.cut import cut
from engine.segments.mend import (
    is_echo,
    opened,
    stretches,
    undenied,
    undictated,
    undislocated,
    with_comma,
    with_that,
    without_asides,
    without_speech,
)
from engine.segments.words import Word, Words

__all__ = ["Piece", "Word", "pieces_of", "segment"]
_PERHAPS = re.compile(r"[,;:(]|\s-\s|\b(?:and|but|so|plus|then|news|yeah|right)\b|(?i:\b(?:i|we|he|she|they|my|our)\b)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A text for the parser; within the spans ``held`` no sentence may begin: what is supposed there reaches on."""

    text: Cleaned
    held: tuple[tuple[int, int], ...] = ()


Tagger = Callable[[Sequence[Cleaned]], list[list[Word]]]


def segment(lines: Sequence[Cleaned], tagger: Tagger) -> list[list[Piece]]:
    """Cuts lines into the pieces that are to be parsed.

    Parameters
    ----------
    lines : sequence of Cleaned
        ``n`` lines.
    tagger : callable
        Gives the tagged words of lines.

    Returns
    -------
    list of list of Piece
        ``n`` lists, each of one piece at least; a line that needs no cut comes back itself.
    """
    asked = [i for i, line in enumerate(lines) if len(line.text.split()) > 3 and _PERHAPS.search(line.text)]
    out = [[Piece(line)] for line in lines]
    for i, words in zip(asked, tagger([lines[i] for i in asked]), strict=True):
        pieces = pieces_of(words)
        if pieces != [words]:
            out[i] = [_written(lines[i], piece) for piece in pieces if piece] or out[i]
    return out


def pieces_of(words: Words) -> list[Words]:
    """The pieces of a line, as lists of its words."""
    main, aside = without_asides(words)
    pieces: list[Words] = [[]]
    for stretch in stretches(undictated(main)):
        first, *rest = [with_that(with_comma(p)) for p in cut(opened(without_speech(undislocated(undenied(stretch)))))]
        if pieces[-1] and first and first[0].text[:1].islower():
            pieces.append(first)  # the parser would not begin a sentence with a small letter
        else:
            pieces[-1] = pieces[-1] + first
        pieces += rest
    pieces = [p for n, p in enumerate(pieces) if p and not (n and is_echo(p))]
    for inner in aside:
        at = max((n for n, p in enumerate(pieces) if p[0].i <= inner[0].i), default=len(pieces) - 1)
        pieces.insert(at + 1, inner)
    return pieces or [words]


def _written(line: Cleaned, piece: Words) -> Piece:
    """A piece as text; between words that were neighbours stands what stood there."""
    text: list[str] = []
    offsets: list[int] = []
    held: list[tuple[int, int]] = []
    for n, word in enumerate(piece):
        if n:
            before = piece[n - 1]
            gap = line.text[before.end : word.start] if word.i == before.i + 1 else " "
            text.append(gap)
            offsets += [line.offsets[before.end]] * len(gap)
        new = line.text[word.start : word.end] if word.written is None else word.written  # a full stop may be added
        text.append(new)
        offsets += [line.offsets[min(word.start + k, word.end - 1)] for k in range(len(new))]
        if word.held and n:
            held.append((len(offsets) - len(new), len(offsets)))
    whole = "".join(text)
    if whole == line.text:
        return Piece(line, tuple(held))
    return Piece(Cleaned(whole, (*offsets, line.offsets[min(piece[-1].end, len(line.text))]), line.quoted), tuple(held))
