"""Messages → their fragments, each written out as full sentences before the parse.

A sentence is taken where its first piece has a shape of the lexicon and one of them is surely about the speaker; what
follows as a clause of its own ("…, and I love it") is kept as it stands. After a sentence about somebody else, behind a
label that is not known, and in answer to what is asked of others, nothing is taken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from engine.cleaning import clean
from engine.facts.fragments.shapes import Shape, Shapes
from engine.lexicon import Lexicon
from engine.types import Message, Role

LONGEST = 1200
MOST_LINES = 14
MOST_JOINED = 3
SURE = 2.0
"""How much weight makes a sentence surely one about the speaker."""
_END = re.compile(
    r"(?<!\bSt)(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bNo)(?<!\bp\.s)(?<![ .][A-Za-z])[.!?;]+(?=\s|$)|\n+"
)
_PIECES = re.compile(r"\s*(?:,(?!\d)|;|\s[|•·/]\s|\s-{1,2}\s|\b(?:so|but|because|cos)\s(?=\w))\s*")
_LABEL = re.compile(r"^(?P<label>[A-Za-z][\w;.' /-]{0,40}?)\s*:\s+(?P<rest>\S.*)$")
_FRESH = re.compile(r"^(?:new|current|present|latest)\b")
_CLAUSE = re.compile(r"^(?:and |but |so |also |plus )?(?:i|i'm|i've|i'd|i'll|we|we've|we're|my|our)\b", re.I)
_SPOKEN = re.compile(r"^(?:i'm|i am|my name is|my name's) (?=\w)", re.I)
_SMILE = re.compile(r"\s*(?:[:;]-?[)(DP]+|<3|x+)$")
_TELL = re.compile(r"\b(?:tell me|describe)\b", re.I)
_ASKS = re.compile(r"\b(?:you|your|yourself)\b", re.I)


@dataclass(frozen=True, slots=True)
class Written:
    """Where a fragment stands in its message, and the sentences that it comes to."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Piece:
    """What a run of ``count`` pieces has been read as: shapes, each with the sentences that it comes to."""

    parts: tuple[tuple[Shape, tuple[str, ...]], ...]
    count: int = 1


@dataclass(frozen=True, slots=True)
class _Account:
    """What a sentence says, whether surely of the speaker, and how many of its pieces were read and were not."""

    said: tuple[str, ...]
    sure: bool
    read: int
    unread: int


class Fragments:
    """Finds statements without a verb.

    Parameters
    ----------
    lexicon : Lexicon
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.shapes = Shapes(lexicon)
        words = self.shapes.words
        self._openings = re.compile(rf"^(?:(?:{_either(words['opening'])})(?:[ ,.!:-]+|$))+", re.I)
        self._never = re.compile(rf"(?<![\w'-])(?:{_either(words['never'])})(?![\w'-])", re.I)
        self._elsewhere = re.compile(rf"(?<![\w'-])(?:{_either(words['elsewhere'])})(?![\w'-])", re.I)
        kin = [w for w, r in lexicon.roles.items() if r.kind == "person" and not r.attribute.endswith("child")]
        self._others = re.compile(rf"(?<![\w'-])(?:{_either({*words['others'], *kin})})(?![\w-])", re.I)
        self._asked_elsewhere = re.compile(rf"\b(?:{_either(words['asked_elsewhere'])})\b", re.I)

    def of(self, message: Message, before: Message | None = None) -> tuple[Written, ...]:
        """The fragments of a message.

        Parameters
        ----------
        message : Message
        before : Message, optional
            The turn before; an answer to what it asks of others is no news of the speaker.
        """
        content = message.content
        if message.role is not Role.USER or len(content) > LONGEST or content.count("\n") > MOST_LINES:
            return ()
        if self._elsewhere.search(content):
            return ()
        if before is not None and before.speaker != message.speaker and self._asks_of_others(before):
            return ()
        cleaned = clean(content)
        found: list[tuple[int, int, _Account]] = []
        barred = False
        for start, end in _sentences(cleaned.text):
            text = cleaned.text[start:end].strip()
            one = None if barred else self._sentence(text)
            if one is not None:
                found.append((cleaned.offsets[start], cleaned.offsets[end - 1] + 1, one))
            elif text:
                barred = barred or self._leads_away(text)
        if not any(account.sure for _, _, account in found):
            return ()
        return tuple(Written(start, end, "\n".join(f"{s}." for s in account.said)) for start, end, account in found)

    def _asks_of_others(self, before: Message) -> bool:
        """Whether the turn before asks after something else than the speaker."""
        last = before.content.strip().splitlines()[-1] if before.content.strip() else ""
        asked = re.split(r"(?<=[.!?])\s+", last)[-1]
        if not asked.endswith("?") and not _TELL.search(asked):
            return False
        return not _ASKS.search(asked) or bool(self._others.search(asked) or self._asked_elsewhere.search(asked))

    def _leads_away(self, text: str) -> bool:
        """Whether a sentence brings up somebody else, or leads in what is not the speaker's own account."""
        bare = self._openings.sub("", text)
        if bare.endswith(":"):
            return not self._introduces(bare[:-1].strip().lower())
        label, _ = _labelled(bare)
        known = not label or label in self.shapes.labels or self._introduces(label)
        return not known or bool(self._others.search(bare))

    def _introduces(self, label: str) -> bool:
        """Whether a label is one behind which people introduce themselves: "quick bio for the flyer"."""
        words = label.split(" for ")[0].split()
        while words and words[0] in self.shapes.words["introducing"]:
            words = words[1:]
        return " ".join(words) in self.shapes.words["introductions"] or label in self.shapes.words["introductions"]

    def _sentence(self, text: str) -> _Account | None:
        """What a sentence says; None where it is no fragment."""
        bare = _SMILE.sub("", self._openings.sub("", text).strip(" .!,")).replace(" @ ", " at ")
        if not bare or bare.endswith("?") or '"' in bare or "#" in bare or self._never.search(bare):
            return None
        introduced = False
        label, value = _labelled(bare)
        if label and self._introduces(label):
            bare, label, introduced = value, "", True
        elif label and label not in self.shapes.labels:
            return None
        spoken = _SPOKEN.match(bare)
        if spoken:
            return self._spoken(bare[spoken.end() :])
        return self._read(bare, _pieces(bare), introduced)

    def _spoken(self, text: str) -> _Account | None:
        """ "I'm Ana, nurse at St Olave's, mum of two": a list that begins as a sentence, if every piece is known."""
        pieces = _pieces(text)
        if pieces and self.shapes.slots.takes("firstname", pieces[0]):
            text, pieces[0] = text.replace(pieces[0], f"{pieces[0]} here", 1), f"{pieces[0]} here"
        account = self._read(text, pieces, introduced=True)
        return account if account is not None and not account.unread and account.read > 1 else None

    def _read(self, text: str, pieces: list[str], introduced: bool) -> _Account | None:
        """The pieces one after the other; the first one has to be known, unless they are introduced."""
        parts: list[tuple[Shape, tuple[str, ...]]] = []
        labelled, unread, at, label, rest = False, 0, 0, "", ""
        while at < len(pieces):
            if parts and _CLAUSE.match(pieces[at]):
                rest = _as_sentence(text, pieces, at)
                break
            own_label, _ = _labelled(pieces[at])
            if own_label:
                if own_label not in self.shapes.labels:
                    return None
                label, labelled = own_label, True
            read = self._piece(pieces, at, label, bool(parts) or introduced)
            if read is not None:
                parts += read.parts
                at += read.count
            elif parts or introduced:
                unread += 1
                at += 1
            else:
                return None
        names = {shape.name for shape, _ in parts}
        parts = [(shape, said) for shape, said in parts if not shape.beside or shape.beside & names]
        if not parts or unread > len(parts) + 1:
            return None
        weight, firm = _weight(shape for shape, _ in parts), any(not shape.weak for shape, _ in parts)
        sure = introduced or labelled or weight >= SURE and (unread < 2 or firm)
        statements = dict.fromkeys(s for _, said in parts for s in said)
        return _Account((*statements, rest) if rest else tuple(statements), sure, len(parts), unread)

    def _piece(self, pieces: list[str], at: int, label: str, follows: bool) -> _Piece | None:
        """The longest run of pieces that has a shape."""
        for count in range(min(MOST_JOINED, len(pieces) - at), 0, -1):
            text = ", ".join(pieces[at : at + count])
            _, value = _labelled(text)
            found = self._shaped(value or text, label, follows)
            if found is not None:
                return replace(found, count=count)
        return None

    def _shaped(self, text: str, label: str, follows: bool) -> _Piece | None:
        """A piece as one shape, or as several that "and" joins."""
        text = re.sub(r"^(?:and|but|also|plus|now) (?!in\b)", "", text) if follows else text
        read = self.shapes.of(text, label, bool(_FRESH.match(label)))
        if read is not None and (follows or not read[0].follows):
            return _Piece((read,))
        if text.endswith(" here"):
            bare = self._shaped(text.removesuffix(" here"), label, follows)
            return bare and replace(bare, parts=tuple((replace(s, weight=SURE), said) for s, said in bare.parts))
        if "," in text:
            return None
        for match in re.finditer(r" (?:and|&|\+) (?:also )?", text):
            left = self._shaped(text[: match.start()], label, follows)
            right = left and self._shaped(text[match.end() :], label, True)
            if left and right:
                return _Piece(left.parts + right.parts)
        return None


def _weight(shapes: Iterable[Shape]) -> float:
    """How surely pieces are about the speaker: each kind counts once, unless two of it say more than one."""
    kinds = Counter(shapes)
    return sum(shape.weight * (count if shape.twice else 1) for shape, count in kinds.items())


def _labelled(text: str) -> tuple[str, str]:
    """The label of a text in small letters and what stands behind it; empty where it has none."""
    match = _LABEL.match(text)
    return (match["label"].lower(), match["rest"]) if match else ("", "")


def _pieces(text: str) -> list[str]:
    return [piece for piece in _PIECES.split(text) if piece]


def _as_sentence(text: str, pieces: list[str], at: int) -> str:
    """The text from a piece on, as a sentence of its own."""
    place = 0
    for piece in pieces[:at]:
        place = text.index(piece, place) + len(piece)
    rest = re.sub(r"^(?:and|but|so|also|plus) ", "", text[text.index(pieces[at], place) :].strip())
    return rest[0].upper() + rest[1:]


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the sentences of a cleaned text, with their closing marks."""
    at = 0
    for match in _END.finditer(text):
        if text[at : match.end()].strip():
            lead = len(text[at : match.end()]) - len(text[at : match.end()].lstrip())
            yield at + lead, match.start() + len(match.group().strip())
        at = match.end()
    if text[at:].strip():
        yield at + len(text[at:]) - len(text[at:].lstrip()), len(text.rstrip())


def _either(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=lambda w: (-len(w), w))))
