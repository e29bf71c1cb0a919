"""Corrections that are no sentences: "oops, 5pm" after "My shift starts at 6pm" says "My shift starts at 5pm".

A correction has a cue ("sorry", "I meant", "typo") or names what was wrong ("Thursday, not Friday"), and the right words
alone. It is written out as the earlier statement with the wrong part replaced. Nothing is guessed: where not exactly one
part of what was said fits, it stays what it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from engine import answers, parts
from engine.lexicon import Lexicon
from engine.parts import Fit
from engine.pieces import SAME_LENGTH, Piece, one_of, sentence_spans, table
from engine.retakes import unsaid
from engine.types import Decision, Message, Neighbour, Operation, Role

LONGEST = 6
SHORTEST = 3
"""From how many words on a text is a statement that can be put right."""
MOST_CHARS = 160
"""Beyond this nothing is a bare correction."""
KNOWN = 12
"""How many turns are known of a conversation, whether they came in one call or in many."""
NEAR = 3
"""How many turns of the same speaker a correction reaches back that only the kind of its value ties to one."""
_BETWEEN = r"[\s,.:;!-]*"
_STARRED = re.compile(r"^\*(?![*\s])([^*\n]{2,40}?)[.!]?$|^([^*\n]{1,40}?)(?<![\s*])\*$")
_CONTRASTS = tuple(
    (re.compile(form, re.I), "not " not in form and "than" not in form)
    for form in (
        r"^(?P<new>[^,;]+?)\s*[,;-]?\s*(?:and |but )?not (?P<old>.+)$",
        r"^not (?P<old>[^,;.]+?)(?:\s*[,;.-]\s*|\s+)but (?P<new>.+)$",
        r"^not (?P<old>[^,;.]+?)\s*[,;.-]\s*(?P<new>[^,;]+)$",
        r"^(?P<new>.+?),? (?:instead of|rather than) (?P<old>.+)$",
        r"^(?P<old>.+?) (?:was|is|were) (?:wrong|incorrect|a typo|a mistake|my mistake)\s*[,;.:-]\s*(?P<new>.+)$",
        r"^(?P<old>.+?) (?:should|was meant|was supposed) (?:to )?(?:have been|be|say|read|have said) (?P<new>.+)$",
        r"^i (?:said|wrote|typed|put) (?P<old>.+?),?\s+(?:but |and )?(?:i )?(?:meant|mean)(?: to say)? (?P<new>.+)$",
        r"^(?P<old>.+?)\s*(?:->|=>|→)\s*(?P<new>.+)$",
    )
)
_THE_ONE = re.compile(r"^the ones? (?P<where>(?:in|from|at|near|by|on|with)) (?P<rest>.+)$", re.I)


@dataclass(frozen=True, slots=True)
class Correction:
    """The right words, what was wrong where that is told, and whether a cue says beyond doubt that it corrects."""

    new: str
    old: str = ""
    strong: bool = True


@cache
def _cue(*names: str, at: str) -> re.Pattern[str]:
    """A cue of the lists at the beginning or the end of a text, with the signs that part it from the rest."""
    phrases = one_of(phrase for name in names for phrase in table("corrections")[name]["words"])
    if at == "start":
        return re.compile(rf"^{_BETWEEN}(?:{phrases}){_BETWEEN}", re.I)
    return re.compile(rf"{_BETWEEN}(?<![\w'])(?:{phrases})[\s.!]*$", re.I)


@cache
def _clause_words() -> frozenset[str]:
    return frozenset(table("corrections")["clause"]["words"])


def correction_in(text: str, lexicon: Lexicon) -> Correction | None:
    """The correction that a sentence is, read by its form alone.

    Parameters
    ----------
    text : str
        One sentence, or two of which the first is a mere cue.
    lexicon : Lexicon
        What takes back or jests corrects nothing.

    Returns
    -------
    Correction or None
        None for questions and whole clauses.
    """
    text = re.sub(r"[^\w\"').!?*%$€£]+$", "", text.translate(SAME_LENGTH).strip())
    if len(text) > MOST_CHARS or "?" in text or re.search(r"\bplease\b", text, re.I) or _takes_back(text, lexicon):
        return None
    if (starred := _STARRED.match(text)) is not None:
        return _checked(Correction(starred.group(1) or starred.group(2)))
    rest, led, strong = _without_leads(text)
    rest, closed = _without_trails(rest)
    strong = strong or closed
    for form, sure in _CONTRASTS:
        if (found := form.match(rest)) is not None:
            new, old = _without_trails(_linked(found["new"]))[0], _without_trails(found["old"])[0]
            return _checked(Correction(_trimmed(new), _trimmed(old), strong or sure))
    return _checked(Correction(_linked(rest), "", strong)) if strong or led else None


def _takes_back(text: str, lexicon: Lexicon) -> bool:
    words = " ".join(("", *re.findall(r"[\w/']+", text.lower()), ""))
    return any(f" {cue} " in words for cue in lexicon.cues["retract"] | lexicon.cues["joke"])


def _without_leads(text: str) -> tuple[str, bool, bool]:
    """A text without its opening cues, whether it had any, and whether one of them is sure."""
    led = strong = False
    while text:
        if (found := _cue("leads", at="start").match(text)) is not None:
            strong = True
        elif (found := _cue("weak_leads", at="start").match(text)) is None:
            break
        led, text = True, text[found.end() :]
    return text, led, strong


def _without_trails(text: str) -> tuple[str, bool]:
    strong = False
    while text:
        if (found := _cue("trails", at="end").search(text)) is not None:
            strong = True
        elif (found := _cue("weak_trails", at="end").search(text)) is None:
            break
        text = text[: found.start()]
    return text, strong


def _linked(text: str) -> str:
    """The right words without "it's" or "it should be" before them."""
    return _trimmed(_cue("links", at="start").sub("", text.strip(), count=1))


def _trimmed(text: str) -> str:
    return re.sub(r"^[\s\"'(]+|[\s\"').,;:!]+$", "", text)


def _checked(correction: Correction) -> Correction | None:
    """The correction, if its words are no clause and few enough."""
    for words in (correction.new, correction.old):
        if len(words.split()) > LONGEST or not _THE_ONE.match(words) and _clause_words() & set(words.lower().split()):
            return None
    return correction if any(c.isalnum() for c in correction.new) else None


def is_cue(text: str, *, announcing: bool = False) -> bool:
    """Whether a sentence is nothing but cues; ``announcing`` asks for one after which a statement corrects."""
    text = text.translate(SAME_LENGTH).strip()
    if "?" in text or len(text) > MOST_CHARS:
        return False
    sure = False
    while text.strip(" ,.:;!-"):
        if (found := _cue("announces", at="start").match(text)) is not None:
            sure = True
        elif (found := _cue("leads", "weak_leads", at="start").match(text)) is None:
            return False
        text = text[found.end() :]
    return sure or not announcing


@dataclass(frozen=True, slots=True)
class Corrected:
    """Sentences with a part put right, what they were, the wrong part, and what a fact must hold to tell the right one;
    ``sure`` tells that more than its kind speaks for that part."""

    text: str
    was: str
    wrong: str
    mark: str
    sure: bool


def corrected(correction: Correction, text: str, lexicon: Lexicon) -> Corrected | None:
    """What was said, with the wrong part replaced.

    Parameters
    ----------
    correction : Correction
    text : str
        An earlier turn, or a sentence of it.
    lexicon : Lexicon

    Returns
    -------
    Corrected or None
        The sentences that change. None where not exactly one part fits; a name may occur again.
    """
    found: list[Fit] = []
    for new in [correction.new] if correction.old else parts.several(correction.new):
        fitting = _told_apart(correction, text, lexicon) if correction.old else parts.fits(new, text, lexicon)
        if not fitting or len(fitting) > 1 and not _one_name(fitting, text):
            return None
        found += fitting
    now, was = [], []
    for start, end in sentence_spans(text):
        inside = [replace(f, start=f.start - start, end=f.end - start) for f in found if start <= f.start < end]
        if inside and len(re.findall(r"\w+", text[start:end])) >= SHORTEST:
            now.append(_with(text[start:end], inside))
            was.append(text[start:end])
    if not now:
        return None
    first = found[0]
    return Corrected(" ".join(now), " ".join(was), text[first.start : first.end], _mark(first.new), first.sure)


def _one_name(found: Sequence[Fit], text: str) -> bool:
    said = {text[fit.start : fit.end] for fit in found}
    return len({s.casefold() for s in said}) == 1 and all(s[:1].isupper() for s in said)


def _with(sentence: str, found: Sequence[Fit]) -> str:
    for fit in sorted(found, key=lambda f: -f.start):
        sentence = parts.replaced(sentence, fit)[0]
    return sentence if sentence.rstrip()[-1] in ".!?" else sentence.rstrip() + "."


def _mark(new: str) -> str:
    """What a fact must hold to tell the right part: its last word, a number's figures."""
    words = parts.core_of(new).split()
    return words[0] if parts.is_typed(new) and words[0][0].isdigit() else words[-1]


def _told_apart(correction: Correction, text: str, lexicon: Lexicon) -> list[Fit]:
    """Where what is said to be wrong stands: "Valencia in Venezuela, not the one in Spain"."""
    new, old = correction.new, correction.old
    one = _THE_ONE.match(old)
    if one is not None:
        head = re.split(rf"\s+{one['where']}\s+", new, maxsplit=1, flags=re.I)[0]
        whole = parts.places_of(f"{head} {one['where']} {one['rest']}", text)
        return [Fit(*span, new, sure=True) for span in whole or parts.places_of(head, text)]
    if not parts.alike(new, old) or new.casefold() == old.casefold():
        return []
    places = parts.places_of(old, text)
    if not places and (figures := re.findall(r"\d+", old)):  # "the 14th" of "14 June"
        found = parts.fits(new, text, lexicon)
        return [replace(fit, sure=True) for fit in found if re.findall(r"\d+", text[fit.start : fit.end]) == figures]
    return [Fit(*span, _fitting(new, old, text[slice(*span)]), sure=True) for span in places]


def _fitting(new: str, old: str, said: str) -> str:
    """The right words without what stands before the wrong ones in the correction alone: "a banker, not a baker"."""
    bare = parts.core_of(new)
    return bare if said.casefold() == parts.core_of(old).casefold() and said.casefold() != old.casefold() else new


class Conversation:
    """Turns in their order, and what the bare answers and corrections among them come to.

    Parameters
    ----------
    turns : sequence of Message
    lexicon : Lexicon
    otherwise : callable
        Further pieces of a turn, from it and the one before.
    """

    def __init__(
        self,
        turns: Sequence[Message],
        lexicon: Lexicon,
        otherwise: Callable[[Message, Message | None], Iterable[Piece]] = lambda turn, before: (),
    ) -> None:
        self.turns = turns
        self.lexicon = lexicon
        self.otherwise = otherwise
        self._pieces: dict[int, tuple[Piece, ...]] = {}

    def pieces(self, i: int) -> tuple[Piece, ...]:
        """The pieces of a turn that stand for a statement, in order."""
        if i not in self._pieces:
            self._pieces[i] = () if self.turns[i].role is not Role.USER else self._found(i)
        return self._pieces[i]

    def text(self, i: int) -> str:
        """A turn as it is read: what it takes back is left out, its pieces are written out."""
        text = unsaid(self.turns[i].content)
        for piece in reversed(self.pieces(i)):
            text = piece.in_words(text) if piece.text else text
        return re.sub(" {2,}", " ", text).strip()

    def _found(self, i: int) -> tuple[Piece, ...]:
        before = self.turns[i - 1] if i else None
        found = self._corrections(i) or list(answers.pieces(before, self.turns[i], self._said_before(i)))
        for piece in self.otherwise(self.turns[i], before):
            if all(piece.end <= p.start or p.end <= piece.start for p in found):
                found.append(piece)
        return tuple(sorted(found, key=lambda p: p.start))

    def _said_before(self, i: int) -> str:
        """The latest turn of the same speaker."""
        return next((self.text(j) for j in self._earlier(i)), "")

    def _earlier(self, i: int) -> Iterable[int]:
        """Which of the last turns are of the same speaker, the latest first."""
        speaker, first = self.turns[i].speaker, max(i - KNOWN, 0)
        return (
            j
            for j in range(i - 1, first - 1, -1)
            if self.turns[j].speaker == speaker and self.turns[j].role is Role.USER
        )

    def _corrections(self, i: int) -> list[Piece]:
        content = unsaid(self.turns[i].content)
        spans = sentence_spans(content)
        found: list[Piece] = []
        k = 0
        while k < len(spans):
            piece, used = self._correction(i, content, spans, k, found)
            if piece is not None:
                while found and found[-1].start >= piece.start:
                    found.pop()  # it was itself put right
                found.append(piece)
            k += used
        return found

    def _correction(
        self, i: int, content: str, spans: Sequence[tuple[int, int]], k: int, found: Sequence[Piece]
    ) -> tuple[Piece | None, int]:
        """The piece that begins with the k-th sentence, and how many sentences it takes."""
        start, end = spans[k]
        cue = is_cue(content[start:end])
        if cue and k + 1 < len(spans):
            joined = correction_in(content[start : spans[k + 1][1]], self.lexicon)
            if joined is not None and (
                piece := self._resolved(i, content, spans[:k], (start, spans[k + 1][1]), joined, found)
            ):
                return piece, 2
            if is_cue(content[start:end], announcing=True):
                return self._renamed(i, (start, end), content[slice(*spans[k + 1])]) or Piece(start, end, ""), 1
        last = k + 2 == len(spans) and is_cue(content[slice(*spans[k + 1])], announcing=True)
        if not cue and last:  # "Petrovic! Stupid phone": the cue comes after
            end = spans[k + 1][1]
            bare = correction_in(f"sorry, {content[slice(*spans[k])].strip(' .!')}", self.lexicon)
            if bare is not None and (piece := self._resolved(i, content, spans[:k], (start, end), bare, found)):
                return piece, 2
            end = spans[k][1]
        read = None if cue else correction_in(content[start:end], self.lexicon)
        if read is None:
            return None, 1
        piece = self._resolved(i, content, spans[:k], (start, end), read, found)
        return piece or (Piece(start, end, "", lost=True) if _is_sure(read, content[start:end]) else None), 1

    def _resolved(
        self,
        i: int,
        content: str,
        before: Sequence[tuple[int, int]],
        own: tuple[int, int],
        read: Correction,
        found: Sequence[Piece],
    ) -> Piece | None:
        """The correction written out after what it corrects: in the same message, else in an earlier turn."""
        for n, (start, end) in enumerate(reversed(before)):
            last = next((p for p in found if p.text and p.start <= start and end <= p.end), None)
            said, start = (last.text, last.start) if last else (content[start:end], start)
            right = corrected(read, said, self.lexicon)
            known = last is not None and last.was != ""
            if right is not None and (read.strong or known or right.sure and _is_plain(read)):
                if n:
                    return Piece(*own, right.text, was=right.was, mark=right.mark)
                return Piece(start, own[1], right.text, was=last.was if last else "")
        for n, j in enumerate(self._earlier(i)):
            said = self.text(j)
            for piece in found:  # what this message has put right already stays so
                said = said.replace(piece.was, piece.text) if piece.was else said
            right = corrected(read, said, self.lexicon)
            if right is not None and (n < NEAR or right.sure and read.strong) and self._is_meant(i, read, right):
                return Piece(*own, right.text, was=right.was, mark=right.mark)
        return None

    def _renamed(self, i: int, own: tuple[int, int], after: str) -> Piece | None:
        """ "Autocorrect! My boss is called Katarina": the name that was spelled otherwise goes for what was said of it."""
        for _, _, name in parts.names_in(after):
            for j in self._earlier(i):
                right = corrected(Correction(name), self.text(j), self.lexicon)
                if right is not None and right.sure and right.wrong[:1].isupper():
                    return Piece(*own, right.text, was=right.was, mark=right.mark)
        return None

    def _is_meant(self, i: int, read: Correction, right: Corrected) -> bool:
        """Without a sure cue a value answers what was asked, unless that repeated the wrong part."""
        before = self.turns[i - 1]
        if read.strong:
            return True
        if not _is_plain(read):
            return False
        if before.speaker == self.turns[i].speaker or not before.content.rstrip().endswith("?"):
            return True
        return re.search(rf"(?<!\w){re.escape(right.wrong)}(?!\w)", before.content, re.I) is not None


def _is_plain(read: Correction) -> bool:
    """Whether "this, not that" corrects by itself: times, numbers, names, slips of the pen; "tea, not coffee" is a wish."""
    new = parts.core_of(read.new)
    named = new.split()[-1][0].isupper()
    return not read.old or parts.is_typed(new) or named or parts.is_slip(new, parts.core_of(read.old))


def _is_sure(read: Correction, text: str) -> bool:
    """Whether a correction that fits nothing is one all the same, and no statement without its verb."""
    value = parts.is_typed(read.new) or read.new[0].isupper() and len(read.new.split()) < 3
    return read.strong and (value or re.search(r"\bmeant?\b", text, re.I) is not None)


def putting_right(decision: Decision, neighbours: Sequence[Neighbour], wrong: str | None) -> Decision:
    """The decision on a fact that puts right the very words of a memory: that memory changes, and no other.

    Parameters
    ----------
    decision : Decision
        As the classifier has it.
    neighbours : sequence of Neighbour
        The memories it was made on.
    wrong : str or None
        What was said before; None leaves the decision as it is, and so does a memory that has changed since.
    """
    said = (wrong or "").casefold()
    at = next((i for i, n in enumerate(neighbours) if wrong and n.memory.fact.text.casefold() == said), None)
    if at is None:
        return decision
    verdict = replace(
        decision.verdicts[at],
        operation=Operation.UPDATE,
        rule="put right",
        reasons=("it puts these very words right",),
        destructive_blocked=False,
    )
    fact = decision.resolved_fact
    return replace(
        decision,
        operation=Operation.UPDATE,
        target=at,
        operations=((Operation.UPDATE, at),),
        verdicts=(*decision.verdicts[:at], verdict, *decision.verdicts[at + 1 :]),
        resolved_fact=fact.but(cues=(*fact.cues, "put right")),
        reasons=verdict.reasons,
        review=False,
    )
