"""Where the forms of frames stand in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.facts.people import Cast
from engine.facts.refusals import Bound, Match, refused
from engine.facts.surface import Surface, words_of
from engine.lexicon.frames import Element, Form, Frame

_SUBJECTS = frozenset({"i", "we", "he", "she", "they"})
_OBJECTS = frozenset({"me", "us", "him", "her", "them"})
_POSSESSORS = frozenset({"my", "our", "his", "her", "their"})
_SOMEBODY = frozenset({"they", "he", "she", "it", "somebody", "someone"})
_CLOCK = re.compile(
    r"\d{1,2}(?:[:.]\d\d)?(?:am|pm)?|noon|midnight|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
)
_LOOSE = frozenset({"name", "any", "person", "strict_person", "place", "organisation"})
_GAP = 3


class Matcher:
    """Finds the frames of one sentence.

    Parameters
    ----------
    surface : Surface
    cast : Cast
        Whom the conversation knows.
    """

    def __init__(self, surface: Surface, cast: Cast) -> None:
        self.surface = surface
        self.cast = cast
        self.tokens = surface.tokens
        self.lexicon = surface.lexicon

    def matches(self) -> list[Match]:
        """The longest forms that do not overlap, in the order of the text."""
        found = [match for frame, form in self._possible() for match in self._longest(frame, form)]
        found.sort(key=lambda m: (m.start - m.stop, -m.weight, m.start, m.frame.name))
        kept: list[Match] = []
        for match in found:
            overlaps = any(match.start < k.stop and k.start < match.stop for k in kept)
            if not overlaps and not refused(self.surface, match, self.cast):
                kept.append(match)
        return sorted(kept, key=lambda m: m.start)

    def _possible(self) -> Iterator[tuple[Frame, Form]]:
        """The forms all of whose words stand somewhere in the sentence."""
        said: frozenset[str] = frozenset().union(*self.surface.forms)
        index = self.lexicon.frames.by_word
        tried: set[int] = set()
        for word in sorted(said & index.keys()):
            for frame, form in index[word]:
                if id(form) not in tried and not any(e.kind == "word" and said.isdisjoint(e.words) for e in form):
                    tried.add(id(form))
                    yield frame, form

    def _longest(self, frame: Frame, form: Form) -> list[Match]:
        """The longest match that begins at each token."""
        found = []
        for start in range(len(self.tokens)):
            best: Match | None = None
            for stop, bound, passed in self._from(form, 0, start):
                if stop > start and (best is None or stop > best.stop):
                    weight = sum(map(_weight, form))
                    best = Match(frame, start, stop, bound, passed, weight)
            if best is not None:
                found.append(best)
        return found

    def _from(self, form: Form, k: int, at: int) -> Iterator[tuple[int, Bound, tuple[int, ...]]]:
        """All ways in which the elements from the k-th on can stand at a token."""
        if k == len(form):
            yield at, {}, ()
            return
        for begin in self.surface.after_light(at) if k else (at,):
            for stop, bound, passed in self._element(form[k], begin, first=k == 0):
                for end, further, more in self._from(form, k + 1, stop):
                    yield end, {**further, **bound}, (*range(at, begin), *passed, *more)

    def _element(self, element: Element, at: int, *, first: bool) -> Iterator[tuple[int, Bound, tuple[int, ...]]]:
        if element.kind == "begin":
            if self.surface.begins(at):
                yield at, {}, ()
        elif element.kind == "end":
            if self.surface.ends(at):
                yield at, {}, ()
        elif element.kind == "gap":
            yield from self._gap(at)
        elif element.kind == "word":
            if at < len(self.tokens) and self.surface.forms[at] & element.words:
                yield at + 1, {}, ()
        elif element.name == "who":
            yield from self._who(at, first=first)
        elif element.name == "whose":
            yield from self._whose(at)
        else:
            for stop in self._slot(element, at):
                yield stop, {element.name: (at, stop)}, ()

    def _gap(self, at: int) -> Iterator[tuple[int, Bound, tuple[int, ...]]]:
        for length in range(_GAP + 1):
            between = self.tokens[at : at + length]
            if len(between) < length or any(t.pos in ("VERB", "PUNCT", "CCONJ") for t in between):
                return
            yield at + length, {}, tuple(range(at, at + length))

    def _who(self, at: int, *, first: bool) -> Iterator[tuple[int, Bound, tuple[int, ...]]]:
        """A subject with the auxiliary of the perfect; one that is left out; or an object."""
        if at >= len(self.tokens):
            return
        low = self.tokens[at].low
        if not first:
            if low in _OBJECTS:
                yield at + 1, {"who": (at, at + 1)}, ()
            yield from ((stop, {"who": (at, stop)}, ()) for stop in self.surface.phrases(at))
            return
        stops = [at + 1] if low in _SUBJECTS else list(self.surface.phrases(at))
        for stop in stops:
            for behind in self._after_perfect(stop):
                yield behind, {"who": (at, stop)}, tuple(range(stop, behind))
        if self.surface.begins(at):
            for behind in self._after_perfect(at):
                yield behind, {}, tuple(range(at, behind))

    def _after_perfect(self, at: int) -> Iterator[int]:
        """Positions behind a subject: there, or behind "have" and light words."""
        for begin in self.surface.after_light(at):
            yield begin
            if begin < len(self.tokens) and "have" in self.surface.forms[begin] and self.tokens[begin].low != "having":
                yield from self.surface.after_light(begin + 1)

    def _whose(self, at: int) -> Iterator[tuple[int, Bound, tuple[int, ...]]]:
        if at >= len(self.tokens):
            return
        if self.tokens[at].low in _POSSESSORS:
            yield at + 1, {"whose": (at, at + 1)}, ()
        for stop in self.surface.phrases(at):
            if stop < len(self.tokens) and self.tokens[stop].low in ("'s", "'") and self.tokens[stop].pos == "PART":
                yield stop + 1, {"whose": (at, stop)}, ()

    def _slot(self, element: Element, at: int) -> Iterator[int]:
        if at >= len(self.tokens):
            return
        if element.words:
            if self.surface.forms[at] & element.words:
                yield at + 1
            return
        if "time" in element.classes:
            yield from self._time(at)
        if "number" in element.classes and (self.tokens[at].pos == "NUM" or self.tokens[at].low.isdigit()):
            yield at + 1
        if "any" in element.classes and self.tokens[at].low in _SOMEBODY:
            yield at + 1
        classes = element.classes - {"time", "number", "any"}
        if not classes and element.classes - {"any"}:
            return
        yield from self._of_class(classes, at)
        for stop in self.surface.phrases(at, lax=bool(classes)):
            if classes and not any(self.surface.is_a(name, at, stop) for name in sorted(classes)):
                continue
            if element.onwards:
                yield from self.surface.onwards(stop)
            yield stop

    def _time(self, at: int) -> Iterator[int]:
        """A time of the sentence, or a bare hour."""
        found = [p.positions[-1] + 1 for p in self.surface.times if at in p.positions]
        yield from found
        if not found and _CLOCK.fullmatch(self.tokens[at].low):
            yield at + 1

    def _of_class(self, classes: frozenset[str], at: int) -> Iterator[int]:
        """Words that are listed, whatever the tagger takes them for ("gluten" as a verb)."""
        for length in (3, 2, 1):
            words = self.tokens[at : at + length]
            whole = any(self.surface.is_listed(name, words_of(words)) for name in sorted(classes))
            if len(words) == length and whole and any(t.pos in ("VERB", "ADV", "X", "INTJ", "ADP") for t in
                                                      self.tokens[at : at + length]):  # fmt: skip
                yield at + length


def _weight(element: Element) -> int:
    """How much an element asks for: a word, a word class, any name."""
    if element.kind == "word":
        return 3
    if element.words or element.classes - _LOOSE:
        return 2
    return 1 if element.classes else 0
