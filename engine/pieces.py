"""Pieces of a message that are no sentences but stand for one, and how they are read.

A bare answer ("two cats") and a bare correction ("oops, 5pm") are written out as the statement that they come to, by
``engine.answers`` and ``engine.corrections``; here that statement is read in the place of the piece. What else the
message holds is read as always.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from engine.facts import Candidate, Extracted, Extractor
from engine.facts.people import Party
from engine.lexicon import HERE
from engine.types import Message, Sentence, Skip, Span

SAME_LENGTH = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " ", "–": "-", "—": "-"})
_SENTENCE_END = re.compile(
    r"\n+|(?<=[.!?…])(?<!\b[Dd]r\.)(?<!\b[Mm]rs\.)(?<!\b[Mm]r\.)(?<!\b[Mm]s\.)(?<!\b[Ss]t\.)(?<!\bProf\.)(?<!\b[ap]\.m\.)"
    r"(?<!\be\.g\.)(?<!\bi\.e\.)\s+"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """The piece ``[start, end)`` of a message and the statement it comes to.

    ``own`` tells that its own words count first, and the statement only where they say nothing. ``was`` is what an
    earlier sentence said and the statement puts right: only facts count that differ from it and hold ``mark``, the
    right part. A piece without a statement asserts nothing: it announces that the next sentence puts something right,
    or, ``lost``, corrects what nobody knows of.
    """

    start: int
    end: int
    text: str
    own: bool = False
    was: str = ""
    mark: str = ""
    lost: bool = False

    def in_words(self, content: str) -> str:
        """The text of a message with the statement in the place of the piece."""
        return f"{content[: self.start]}{self.text}{content[self.end :]}"


@cache
def table(name: str) -> dict[str, Any]:
    """A file of lists beside the lexicon."""
    return tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))


def one_of(phrases: Iterable[str]) -> str:
    """A pattern for any of the phrases, the longest first; ``*`` stands for one to five words."""
    return "|".join(map(_pattern, sorted(phrases, key=lambda p: (-len(p.replace("*", "")), p))))


def _pattern(phrase: str) -> str:
    words = [r"[\w'-]+(?:[ ][\w'-]+){0,4}?" if word == "*" else re.escape(word) for word in phrase.split()]
    return r"[\s,]+".join(words) + (r"(?=\s*(?:[,.:;!-]|$))" if phrase.endswith("*") else r"(?![\w'])")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a raw text stand, by its punctuation and lines."""
    spans, at = [], 0
    for stop in (*_SENTENCE_END.finditer(text), None):
        end = stop.start() if stop else len(text)
        if text[at:end].strip():
            spans.append((at + len(text[at:end]) - len(text[at:end].lstrip()), end))
        at = stop.end() if stop else end
    return spans


@dataclass(frozen=True, slots=True)
class Written:
    """A piece with the parse of its statement, and of what it puts right."""

    piece: Piece
    statement: Sequence[Sentence]
    was: Sequence[Sentence]


@dataclass(frozen=True, slots=True)
class Told:
    """What a message left behind, whom the conversation knows then, and for each fact that puts another one right the
    text of the wrong one."""

    found: Extracted
    parties: list[Party]
    wrong: Mapping[str, str]


def read_pieces(
    extractor: Extractor,
    message: Message,
    sentences: Sequence[Sentence],
    written: Sequence[Written],
    known: Iterable[Party],
) -> Told:
    """What a message leaves behind, its pieces read as what they come to.

    Parameters
    ----------
    extractor : Extractor
    message : Message
    sentences : sequence of Sentence
        Of the message as it stands.
    written : sequence of Written
        Its pieces in order.
    known : iterable of Party
        Whom the conversation already knows.

    Returns
    -------
    Told
        An answer whose statement says nothing is read as it stands.
    """
    reading = _Reading(extractor, message, list(known))
    left = list(sentences)
    for one in written:
        reading.plain([s for s in left if middle(s) < one.piece.start])
        reading.piece(one, [s for s in left if one.piece.start <= middle(s) < one.piece.end])
        left = [s for s in left if middle(s) >= one.piece.end]
    reading.plain(left)
    return Told(reading.found, reading.parties, reading.wrong)


def middle(sentence: Sentence) -> float:
    """Where a sentence stands, whatever its punctuation was taken for."""
    return (sentence.start + sentence.end) / 2


class _Reading:
    """One message being read, run by run of its sentences."""

    def __init__(self, extractor: Extractor, message: Message, parties: list[Party]) -> None:
        self.extractor = extractor
        self.message = message
        self.parties = parties
        self.found = Extracted()
        self.wrong: dict[str, str] = {}
        self.announced = False

    def plain(self, sentences: Sequence[Sentence]) -> None:
        """Sentences as they stand; the first statement after an announcement corrects."""
        found, self.parties = self.extractor.read(sentences, self.parties)
        self._keep(found)

    def piece(self, written: Written, sentences: Sequence[Sentence]) -> None:
        piece = written.piece
        if not piece.text:
            self.announced = not piece.lost
            self._skip(sentences, "unresolved" if piece.lost else "circumstance")
        elif piece.own:
            self._answer(written, sentences)
        elif piece.was:
            self._correction(written, sentences)
        else:
            self._statement(written, sentences)

    def _answer(self, written: Written, sentences: Sequence[Sentence]) -> None:
        own, parties = self.extractor.read(sentences, self.parties)
        if own.candidates or own.commands:
            self.parties = parties
            self._keep(own)
        else:
            self._statement(written, sentences)

    def _statement(self, written: Written, sentences: Sequence[Sentence]) -> None:
        found, parties = self.extractor.read(written.statement, self.parties)
        if not found.candidates:
            self.plain(sentences)
            return
        self.parties = parties
        self._keep(Extracted(tuple(_as_said(c, written.piece, self.message) for c in found.candidates)))

    def _correction(self, written: Written, sentences: Sequence[Sentence]) -> None:
        """What differs from the facts that were told before; what was a question or an order stays one."""
        piece = written.piece
        found, parties = self.extractor.read(written.statement, _rightly_named(self.parties, piece))
        was = [c.fact.text for c in self.extractor.read(written.was, self.parties)[0].candidates]
        new = [c for c in found.candidates if c.fact.text not in was]
        gone = [text for text in was if text not in {c.fact.text for c in found.candidates}]
        right = [c for c in new if _holds(c, piece.mark)]
        if not right:
            self._skip(sentences, next((s.reason for s in found.skipped), "unresolved"))
            return
        self.parties = parties
        if len(gone) == len(new):
            pairs = zip(new, gone, strict=True)
            self.wrong |= {c.fact.text: text for c, text in pairs if c in right}
        told = (_as_said(c, piece, self.message) for c in right)
        self._keep(Extracted(tuple(replace(c, fact=c.fact.but(correction=True)) for c in told)))

    def _skip(self, sentences: Sequence[Sentence], reason: str) -> None:
        self._keep(Extracted(skipped=tuple(Skip(s.message.id, s.text, reason) for s in sentences)))

    def _keep(self, found: Extracted) -> None:
        if self.announced and found.candidates:
            first = found.candidates[0].fact.span
            found = replace(found, candidates=tuple(_correcting(c, first) for c in found.candidates))
            self.announced = False
        was = self.found
        self.found = Extracted(
            (*was.candidates, *found.candidates), (*was.commands, *found.commands), (*was.skipped, *found.skipped)
        )


def _rightly_named(parties: Iterable[Party], piece: Piece) -> list[Party]:
    """The parties without those whose very name is put right: "my gran" is then called otherwise."""
    right, wrong = (set(re.findall(r"\w+", text)) for text in (piece.text, piece.was))
    return [p for p in parties if not p.name or not set(re.findall(r"\w+", p.name)) & (wrong - right)]


def _correcting(candidate: Candidate, span: Span | None) -> Candidate:
    """The candidate as a correction, if it is told in that sentence."""
    fact = candidate.fact
    return replace(candidate, fact=fact.but(correction=True)) if fact.span == span else candidate


def _as_said(candidate: Candidate, piece: Piece, message: Message) -> Candidate:
    """What was read out of a statement written out, as standing in the piece itself."""
    span = Span(message.id, piece.start, piece.end, message.content[piece.start : piece.end])
    return replace(candidate, fact=candidate.fact.but(span=span))


def _holds(candidate: Candidate, mark: str) -> bool:
    """Whether a fact tells what was put right, however it is spaced."""
    return _squeezed(mark) in _squeezed(candidate.fact.text)


def _squeezed(text: str) -> str:
    return re.sub(r"[^\w]+", "", text.casefold())
