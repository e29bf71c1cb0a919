"""Raw message text → text that the parser reads well, every character still knowing where it came from.

Casual writing and speech break a parser trained on edited text. What is systematic is mended here, before
the parse: contractions without apostrophes, a lower-case "i", fillers, doubled words, emoji, odd white
space. Nothing is looked up or guessed; a mended character keeps the offset of what it stands for.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from engine import world

_CONTRACTIONS = {
    "im": "I'm", "ive": "I've", "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "isnt": "isn't",
    "wasnt": "wasn't", "arent": "aren't", "werent": "weren't", "cant": "can't", "couldnt": "couldn't",
    "wouldnt": "wouldn't", "shouldnt": "shouldn't", "wont": "won't", "hasnt": "hasn't", "havent": "haven't",
    "hadnt": "hadn't", "theyre": "they're", "youre": "you're", "thats": "that's", "whats": "what's",
    "hes": "he's", "shes": "she's", "theres": "there's", "weve": "we've", "theyve": "they've",
    "youve": "you've", "gonna": "going to", "wanna": "want to", "gotta": "got to",
}  # fmt: skip
_DOUBLED = (
    "i i'm i've you he she it we they the a an my our your his her their is am are was were in on at to of for with "
    "from and but so that this there it's she's he's we've then when what do did have has uh um"
).split()

_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f1e6-\U0001f1ff\U000e0020-\U000e007f]+"
)
_QUOTES = str.maketrans({"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"', "\u2019": "'",
                         "\u2018": "'", "\u02bc": "'", "\u00a0": " ", "\u202f": " ", "\u2026": ".", "\u2014": ",",
                         "\u2013": "-"})  # fmt: skip
_ASIDE = re.compile(
    r"(?<![\w'-])(?:btw|tbh|tbf|lol|lmao|rofl|(?:ha){2,}h?|(?:he){2,}|omg|ngl|imo|imho|fyi|xd|fwiw|iirc|afaik|innit|lah|yaar|"
    r"by the way|to be honest|to be fair|believe it or not|if i(?:'m| am) honest|not gonna lie|you know)(?![\w'-])",
    re.I,
)
# A capitalised one within a sentence is a name ("Umm Kulthum").
_FILLER = re.compile(
    r"(?<![\w'-])(?:u+m+|u+h+|e+r+m*|h+m+|mhm)(?![\w'-])[,.]*\s*|(?m:^)(?:U+m+|U+h+|E+r+m*|H+m+)[,.]+\s*"
)
_RETAKE = re.compile(rf"(?<![\w'])({'|'.join(map(re.escape, _DOUBLED))})(?:,?\s+\1)+(?![\w'])", re.I)
_BARE_CONTRACTION = re.compile(rf"(?<![\w'-])({'|'.join(_CONTRACTIONS)})(?![\w'-])(?!(?-i: [A-Z][a-z]+))", re.I)
_LOWER_I = re.compile(r"(?<![\w'.-])i(?=$|[\s,'!?;:)]|\.\s)")
_RESTART = re.compile(
    r"\b(i|we|he|she|they|it|you|my \w+|our \w+)\b((?:'\w+)?[^.,;:!?\n]{0,40}?)\b(?:no,? sorry|no,? wait|sorry,? no|"
    r"no,? i mean|i mean|scratch that|or rather|no,? what am i saying)\b,?\s+(?=\1\b)",
    re.I,
)
_RETAKEN_WORD = re.compile(
    r"\b[\w'-]+,?\s+(?:no,? sorry|no,? wait|sorry,? no|no,? i mean|no,? what am i saying)\b,?\s+(?=[\w'-]+)", re.I
)
_AT_PLACE = re.compile(
    r"\b(?:in|to|from|near|around|at|outside|visit|visited|left|leave) (?P<place>[a-zà-ÿ]{4,}(?: [a-zà-ÿ]{3,})?)"
)
_EMPHATIC = re.compile(
    r"(?<=\b[Ii] )(?:do|did) (?=(?:love|like|enjoy|hate|have|live|know|speak|drink|eat|want|need|prefer|believe|hope|"
    r"miss|own|still|really|also)\b)"
)
_QUOTED = re.compile(r'"([^"\n]{2,}?)"|(?:(?<=\s)|^)\'([^\'\n]{12,}?)\'(?=[\s.,!?;:)]|$)')
_REPLY = re.compile(r"^[ \t]*>.*$", re.M)
_BULLET = re.compile(r"(?m)^[ \t]*(?:[-*•·]|\d{1,2}[.)])[ \t]+")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """``text`` for the parser; ``offsets[i]`` is where its i-th character stands in the message (one more
    entry marks the end); ``quoted`` are the spans of the message that were left out as quotations."""

    text: str
    offsets: tuple[int, ...]
    quoted: tuple[tuple[int, int], ...] = ()

    def sub(
        self, pattern: re.Pattern[str], replacement: str | None = None, by: dict[str, str] | None = None
    ) -> Cleaned:
        """Replaces every match by a fixed text, or by what ``by`` holds for it; offsets follow."""
        out: list[str] = []
        offsets: list[int] = []
        at = 0
        for match in pattern.finditer(self.text):
            new = replacement if by is None else by[match.group().lower()]
            assert new is not None
            out.append(self.text[at : match.start()])
            offsets += self.offsets[at : match.start()]
            out.append(new)
            last = max(match.end() - match.start() - 1, 0)
            offsets += [self.offsets[match.start() + min(i, last)] for i in range(len(new))]
            at = match.end()
        if not out:
            return self
        return Cleaned("".join(out) + self.text[at:], (*offsets, *self.offsets[at:]), self.quoted)


def _normalise(text: str) -> Cleaned:
    out, offsets = [], []
    for i, char in enumerate(text):
        char = char.translate(_QUOTES)
        if unicodedata.category(char) in ("Cc", "Cf") and char not in "\n\u200d":
            char = " "
        out.append(char)
        offsets.append(i)
    return Cleaned("".join(out), (*offsets, len(text)))


def _without_quotations(cleaned: Cleaned) -> Cleaned:
    """Takes out quoted sentences and quoted replies; a quoted word or title of up to three words stays."""
    spans = []
    for match in (*_REPLY.finditer(cleaned.text), *_QUOTED.finditer(cleaned.text)):
        if len(match.group().split()) > 3:
            spans.append((match.start(), match.end()))
    if not spans:
        return cleaned
    out, offsets, at, quoted = [], [], 0, []
    for start, end in sorted(spans):
        if start < at:
            continue
        out += [cleaned.text[at:start], " . "]
        offsets += [*cleaned.offsets[at:start], *(cleaned.offsets[start],) * 3]
        quoted.append((cleaned.offsets[start], cleaned.offsets[end]))
        at = end
    return Cleaned("".join(out) + cleaned.text[at:], (*offsets, *cleaned.offsets[at:]), tuple(quoted))


def clean(text: str) -> Cleaned:
    """Mends a message for the parser.

    Parameters
    ----------
    text : str
        The message as it came.

    Returns
    -------
    Cleaned
        Its text never holds control characters, emoji or quoted sentences.
    """
    cleaned = _without_quotations(_normalise(text))
    cleaned = cleaned.sub(_EMOJI, " ")
    cleaned = cleaned.sub(_BULLET, "").sub(_ASIDE, ",").sub(re.compile(r",(?:\s*,)+"), ",")
    cleaned = cleaned.sub(re.compile(r"\s+,"), ",").sub(re.compile(r"(?m)^\s*,\s*|,(?=\s*(?:[.!?]|$))"), "")
    cleaned = cleaned.sub(re.compile(r"\n+"), "\n")
    cleaned = cleaned.sub(re.compile(r"[!?.]*\?[!?.]*"), "?").sub(re.compile(r"!+|\.{2,}"), ".")
    for match in re.finditer(_FILLER, cleaned.text):
        if match.group():
            cleaned = cleaned.sub(_FILLER, "")
            break
    while (again := _collapse(cleaned)).text != cleaned.text:
        cleaned = again
    cleaned = cleaned.sub(_RESTART, "").sub(_RETAKEN_WORD, "")
    cleaned = _with_places(cleaned)
    cleaned = cleaned.sub(_BARE_CONTRACTION, by=_CONTRACTIONS)
    cleaned = cleaned.sub(_LOWER_I, "I").sub(_EMPHATIC, "")
    return cleaned.sub(re.compile(r"[ \t]{2,}"), " ")


def _with_places(cleaned: Cleaned) -> Cleaned:
    """Gives known places their capital where they stand as places ("shifted to hyderabad"): the parser was
    trained on edited text. Only the case of letters changes."""
    out, at = [], 0
    for match in _AT_PLACE.finditer(cleaned.text):
        for length in (2, 1):
            name = " ".join(match["place"].split()[:length])
            cased = world.place_case(name) if len(name.split()) == length else None
            if cased and cased != name and len(cased) == len(name):
                out += [cleaned.text[at : match.start("place")], cased]
                at = match.start("place") + len(name)
                break
    return Cleaned("".join(out) + cleaned.text[at:], cleaned.offsets, cleaned.quoted) if out else cleaned


def _collapse(cleaned: Cleaned) -> Cleaned:
    """Says a doubled word once: "i i work at the the post office"."""
    match = _RETAKE.search(cleaned.text)
    if match is None:
        return cleaned
    cut = match.start() + len(match.group(1))
    return Cleaned(
        cleaned.text[:cut] + cleaned.text[match.end() :],
        (*cleaned.offsets[:cut], *cleaned.offsets[match.end() :]),
        cleaned.quoted,
    )
