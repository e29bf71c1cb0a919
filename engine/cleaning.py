"""Raw message text → text that the parser reads well, every character still knowing where it came from.

Casual writing and speech break a parser trained on edited text. What is systematic is mended here, before
the parse: contractions without apostrophes, a lower-case "i", fillers, doubled words, emoji, odd white
space. Nothing is looked up or guessed; a mended character keeps the offset of what it stands for.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine import world

_TABLES = Path(__file__).parent / "lexicon" / "segments.toml"


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(_TABLES.read_text(encoding="utf-8"))


@cache
def spoken(kind: str) -> frozenset[str]:
    """A closed list of ``lexicon/segments.toml``: words of casual writing and speech."""
    return frozenset(_tables()[kind]["words"])


def _any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


_CONTRACTIONS = {
    "im": "I'm", "ive": "I've", "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "isnt": "isn't",
    "wasnt": "wasn't", "arent": "aren't", "werent": "weren't", "cant": "can't", "couldnt": "couldn't",
    "wouldnt": "wouldn't", "shouldnt": "shouldn't", "wont": "won't", "hasnt": "hasn't", "havent": "haven't",
    "hadnt": "hadn't", "theyre": "they're", "youre": "you're", "thats": "that's", "whats": "what's",
    "hes": "he's", "shes": "she's", "theres": "there's", "weve": "we've", "theyve": "they've",
    "youve": "you've", "theyd": "they'd", "youd": "you'd", "theyll": "they'll", "youll": "you'll", "itll": "it'll",
    "hows": "how's", "wheres": "where's", "heres": "here's", "gonna": "going to", "wanna": "want to", "gotta": "got to",
}  # fmt: skip

_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f1e6-\U0001f1ff\U000e0020-\U000e007f]+"
)
# An emoji behind a word ends a sentence, unless what follows goes on with it ("I love 🍕 and pasta").
_EMOJI_STOP = re.compile(
    r"(?<=\w)(?<!\bthe)(?<!\bmy)(?<!\ba)(?<!\bsome)(?<!\blove)(?<!\bof)(?<!\beat)(?<!\bto)(?<!\bfor)(?<!\band)\s*"
    + f"{_EMOJI.pattern}"
    + r"\s+(?!(?:and|or|but|with|in|on|for|to|of|at|is|are|was|were|because|so|when|if|as|from|by|than|though|lol)\b)"
    r"(?=[a-zA-Z])"
)
# "Starting 1 September my rent is …": read as a verb, it takes the sentence along.
_STARTING = re.compile(
    r"(?:^|(?<=[,.:;!?] )|(?<=\bso )|(?<=\band )|(?<=\bbut ))(?:starting|beginning|effective|commencing)(?: from| on)?"
    r"(?= (?:\d|this|next|today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan|feb|mar(?:ch)?\b|apr|may\b|june?\b|"
    r"july?\b|aug|sep|oct|nov|dec))",
    re.I | re.M,
)
_QUOTES = str.maketrans({"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"', "\u2019": "'",
                         "\u2018": "'", "\u02bc": "'", "\u00a0": " ", "\u202f": " ", "\u2026": ".", "\u2014": ",",
                         "\u2013": "-"})  # fmt: skip
_ASIDE = re.compile(
    r"(?<![\w'-])(?:btw|tbh|tbf|lol|lmao|rofl|(?:ha){2,}h?|(?:he){2,}|omg|ngl|imo|imho|fyi|xd|fwiw|iirc|afaik|innit|lah|yaar|"
    r"by the way|to be honest|to be fair|believe it or not|if i(?:'m| am) honest|not gonna lie|you know what(?=,)|"
    r"(?<!do )(?<!did )(?<!if )(?<!as )(?<!when )(?<!let )(?<!would )(?<!can )you know"
    r"(?! (?:how|where|who|why|if|whether|a|an|any|some|what|when|which|of|me|him|her|them|about)\b))(?![\w'-])|"
    r"(?<=\w) na(?=\s*(?:[,.!?]|$))",
    re.I,
)
# A capitalised one within a sentence is a name ("Umm Kulthum").
_FILLER = re.compile(
    r"(?<![\w'-])(?:u+m+|u+h+|e+r+m*|h+m+|mhm)(?![\w'-])[,.]*\s*|(?m:^)(?:U+m+|U+h+|E+r+m*|H+m+)[,.]+\s*"
)
_DOUBLED = _any_of(spoken("doubled"))
_RETAKE = re.compile(rf"(?<![\w'])({_DOUBLED})(?:,?\s+\1)+(?![\w'])", re.I)
# "she's a she's a nurse", "he likes he likes it", "I've got a I've got one"
_RETAKE_TWO = re.compile(
    rf"(?<![\w'])((?:{_DOUBLED})\s+(?:{_DOUBLED})|(?:i|we|he|she|they|you|it)(?:'\w+)?\s+\w+)(?:(?:\s+(?:a|an|the|my))?,?\s+\1)+(?![\w'])",
    re.I,
)
_RETAKE_SHORT = re.compile(r"(?<![\w'])(i|we|he|she|they|you|it|that|there),?\s+(?=\1'(?:m|s|re|ve|d|ll)\b)", re.I)
_BARE_CONTRACTION = re.compile(rf"(?<![\w'-])({'|'.join(_CONTRACTIONS)})(?![\w'-])(?!(?-i: [A-Z][a-z]+))", re.I)
# "its" that no noun can follow
_IT_IS = re.compile(
    r"(?<![\w'-])([Ii])ts(?= (?:a|an|the|not|been|my|our|your|his|her|so|really|just|gonna|going|only|all|about|quite|too|very|"
    r"in|on|at|for|from|like|called|awful|fine|ok|great|nice|good|bad|hard|raining|snowing|getting|always|still|never|now|me|that)\b)"
)
_LOWER_I = re.compile(r"(?<![\w'.-])i(?=$|[\s,'!?;:)]|\.\s)")
_RESTART = re.compile(
    r"\b(i|we|he|she|they|it|you|my \w+|our \w+)\b((?:'\w+)?[^.,;:!?\n]{0,40}?)\b(?:no,? sorry|no,? wait|sorry,? no|"
    r"no,? i mean|i mean|scratch that|or rather|no,? what am i saying)\b,?\s+(?=\1\b)",
    re.I,
)
# "on the 3rd of April, no sorry, the 4th of April"
_RETAKEN_PHRASE = re.compile(
    r"\b(the|a|an|in|on|at|to|for|from|my)\b(?: [\w']+){1,4},?\s+(?:no,? sorry|no,? wait|sorry,? no|no,? i mean|or rather),?\s+"
    r"(?=\1\b)",
    re.I,
)
_RETAKEN_WORD = re.compile(
    r"\b[\w'-]+,?\s+(?:no,? sorry|no,? wait|sorry,? no|no,? i mean|no,? what am i saying)\b,?\s+(?=[\w'-]+)", re.I
)
_AT_PLACE = re.compile(
    r"\b(?:in|to|from|near|around|at|outside|visit|visited|left|leave) (?P<place>[a-zà-ÿ]{4,}(?: [a-zà-ÿ]{3,})?)"
)
_SHORT: Mapping[str, str] = dict(_tables()["short_forms"]["words"])
_SHORT_FORM = re.compile(
    r"(?<![\w'/@.-])(?!(?<=\d )bc\b)" + "".join(f"(?<!\\b{word} )" for word in sorted(spoken("not_short_behind")))
    + rf"(?:{_any_of(_SHORT)})(?![\w/@-])(?!'(?!s\b))"
)  # fmt: skip
_YOU_ARE = re.compile(r"(?<![\w'-])[Uu]r(?= (?:a|an|the|so|not|welcome|right|very|too|gonna|my|\w+ing)\b)")
_COMMENT = re.compile(
    rf"(?:(?<=[,;(])|(?<= -)|^)\s*(?:{_any_of(spoken('asides'))})(?=\s*(?:[,;).!?]|-\s|$))", re.I | re.M
)
# "me nan" is "my nan"; "me and my nan" is not
_MY = re.compile(
    rf"(?:^|(?<=[,.;] )|(?<=\band )|(?<=\bbut ))[Mm]e(?= (?:{_any_of(spoken('own_people'))})\b(?! and\b))", re.M
)
_CLIPPED = re.compile(rf"(?:^|(?<=[.!?] ))(?:{_any_of(map(str.capitalize, spoken('clipped')))})(?= [a-z])", re.M)
_NAMED = re.compile(
    rf"\b(?:called|named|name is|name's) (?!(?:{_any_of(spoken('never_names'))})\b)(?P<name>[a-z][a-zà-ÿ]{{2,}})\b(?!'s )"
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
        self, pattern: re.Pattern[str], replacement: str | None = None, by: Mapping[str, str] | None = None
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
    cleaned = cleaned.sub(_EMOJI_STOP, ". ").sub(_EMOJI, " ")
    cleaned = cleaned.sub(_STARTING, "from")
    cleaned = cleaned.sub(_BULLET, "").sub(_YOU_ARE, "you're").sub(_SHORT_FORM, by=_SHORT)
    cleaned = cleaned.sub(_ASIDE, ",").sub(_COMMENT, ",").sub(re.compile(r",(?:\s*,)+"), ",")
    cleaned = cleaned.sub(re.compile(r"\s+,"), ",").sub(re.compile(r"(?m)^\s*,\s*|,(?=\s*(?:[.!?]|$))"), "")
    cleaned = cleaned.sub(re.compile(r"\n+"), "\n")
    cleaned = cleaned.sub(re.compile(r"[!?.]*\?[!?.]*"), "?").sub(re.compile(r"!+|\.{2,}"), ".")
    for match in re.finditer(_FILLER, cleaned.text):
        if match.group():
            cleaned = cleaned.sub(_FILLER, "")
            break
    while (again := _collapse(cleaned)).text != cleaned.text:
        cleaned = again
    cleaned = cleaned.sub(_RESTART, "").sub(_RETAKEN_PHRASE, "").sub(_RETAKEN_WORD, "")
    cleaned = cleaned.sub(_CLIPPED, by={w: w for w in spoken("clipped")})
    cleaned = _with_names(_with_places(cleaned.sub(_MY, "my")))
    cleaned = cleaned.sub(_BARE_CONTRACTION, by=_CONTRACTIONS).sub(_IT_IS, by={"its": "it's"})
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


def _with_names(cleaned: Cleaned) -> Cleaned:
    """Gives what somebody is called its capital ("a cat called miso")."""
    out = list(cleaned.text)
    for match in _NAMED.finditer(cleaned.text):
        out[match.start("name")] = out[match.start("name")].upper()
    return Cleaned("".join(out), cleaned.offsets, cleaned.quoted)


def _collapse(cleaned: Cleaned) -> Cleaned:
    """Says once what is said twice: "i i work at the the post office", "she's a she's a nurse"."""
    cleaned = cleaned.sub(_RETAKE_SHORT, "")
    match = _RETAKE_TWO.search(cleaned.text) or _RETAKE.search(cleaned.text)
    if match is None:
        return cleaned
    cut = match.start() + len(match.group(1))
    return Cleaned(
        cleaned.text[:cut] + cleaned.text[match.end() :],
        (*cleaned.offsets[:cut], *cleaned.offsets[match.end() :]),
        cleaned.quoted,
    )
