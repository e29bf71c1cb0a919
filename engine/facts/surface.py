"""A sentence as a row of words: noun phrases, classes, and where clauses begin and end.

The small parser is unreliable on chat, so nothing here rests on the tree: noun phrases are runs of tokens, clauses
begin and end at punctuation and conjunctions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from engine import world
from engine.facts.people import DEMONSTRATIVE, FIRST, SECOND
from engine.facts.tree import Tree
from engine.lexicon import Lexicon
from engine.types import Token
from engine.when import TimePhrase, time_phrases

_CONTRACTED = {"'s": ("be", "have"), "'m": ("be",), "'re": ("be",), "'ve": ("have",), "'d": ("have",), "n't": ("not",),
               "m": ("be",), "ai": ("be",), "im": ("be",)}  # fmt: skip
_INNER = frozenset({"DET", "ADJ", "NOUN", "PROPN", "NUM", "SYM"})
_REFUSED = frozenset({"no", "any", "every", "each", "neither", "what", "which", "whatever", "that", "this", "these"})
_ONWARDS = frozenset({"of", "in", "at", "for", "with", "from", "on", "near", "behind", "called", "named"})
_AMOUNT = re.compile(
    r"[€$£₹]\s?\d|\b\d[\d.,]*\s?k\b|\d[\d.,]*\s(?:euros?|pounds?|dollars?|rupees|quid|bucks|grand|kr|francs|lakhs?|eur|usd|gbp)\b"
)
_WEIGHTS = frozenset("kg kilo kilos lb lbs pound pounds stone".split())
_DAYS = frozenset({"today", "yesterday", "tomorrow", "tonight", "now"})
_BREAKS = (",", ";", ":", ".", "-", "(", ")", "!", "?", '"')


class Surface:
    """The row of tokens of one sentence.

    Parameters
    ----------
    tree : Tree
    lexicon : Lexicon
        Its frames and word classes.
    """

    def __init__(self, tree: Tree, lexicon: Lexicon) -> None:
        self.tree = tree
        self.tokens = tree.tokens
        self.lexicon = lexicon
        self.forms = tuple(frozenset((t.low, t.lemma, *_CONTRACTED.get(t.low, ()))) for t in self.tokens)

    @cached_property
    def times(self) -> tuple[TimePhrase, ...]:
        return time_phrases(self.tree.sentence, prefer="past")

    @cached_property
    def timed(self) -> frozenset[int]:
        return frozenset(i for phrase in self.times for i in phrase.positions)

    @cached_property
    def _light_ends(self) -> tuple[int | None, ...]:
        """For every token, where a light word that begins at it ends."""
        low = [t.low for t in self.tokens]
        light = self.lexicon.frames.light
        spans = [
            [n for n in (3, 2, 1) if tuple(low[i : i + n]) in light and i + n <= len(low)] for i in range(len(low))
        ]
        return tuple(i + lengths[0] if lengths else None for i, lengths in enumerate(spans))

    def light(self, at: int) -> int | None:
        """Where a light word that begins at a token ends."""
        return self._light_ends[at] if at < len(self.tokens) else None

    def after_light(self, at: int) -> Iterator[int]:
        """A position, and those behind the light words that stand there."""
        yield at
        if (behind := self.light(at)) is not None:
            yield from self.after_light(behind)

    def is_light(self, i: int) -> bool:
        """Whether a token is a light word, or a part of one."""
        starts = range(max(i - 2, 0), i + 1)
        return any((behind := self.light(s)) is not None and behind > i for s in starts)

    def begins(self, at: int) -> bool:
        """Whether a clause can begin at a token: only light words stand between it and a break."""
        i = at - 1
        while i >= 0:
            token = self.tokens[i]
            if token.text in _BREAKS or token.pos in ("PUNCT", "CCONJ") or token.low in ("so", "because", "since"):
                return True
            if token.pos != "INTJ" and not self.is_light(i):
                return False
            i -= 1
        return True

    def ends(self, at: int) -> bool:
        """Whether a clause can end before a token: only light words and times follow."""
        while at < len(self.tokens):
            token = self.tokens[at]
            if token.text in _BREAKS or token.pos in ("PUNCT", "CCONJ", "SCONJ", "INTJ"):
                return True
            if at in self.timed:
                at += 1
            elif (behind := self.light(at)) is not None:
                at = behind
            else:
                return False
        return True

    def clause_start(self, at: int) -> int:
        """Where the clause of a token begins."""
        while at > 0:
            before = self.tokens[at - 1]
            if before.text in _BREAKS or before.pos == "CCONJ" and before.low != "or":
                return at
            at -= 1
        return 0

    def phrases(self, at: int, *, lax: bool = False) -> Iterator[int]:
        """The ends of the noun phrases that begin at a token, the longest first.

        ``lax`` allows an adjective at the end ("vegan"): only a word class tells that it is a value.
        """
        if at >= len(self.tokens) or self.tokens[at].low in _REFUSED or not self._is_inner(at, at):
            return
        if self.tokens[at].pos == "PUNCT" or self.tokens[at].text in ("-", "/", "&"):
            return
        stop = at
        while stop < len(self.tokens) and self._is_inner(stop, at):
            stop += 1
        heads = ("NOUN", "PROPN", "NUM") + (("ADJ",) if lax else ())
        for end in range(stop, at, -1):
            last = self.tokens[end - 1]
            vague = last.low in self.lexicon.frames.vague or last.low in DEMONSTRATIVE
            mistaken = last.pos in ("ADV", "VERB", "X") and end == stop and last.tag != "VBN"
            before_noun = last.pos == "ADJ" and end < stop and self.tokens[end].pos in ("NOUN", "PROPN")
            if (last.pos in heads or last.tag == "VBG" or before_noun or mistaken) and not vague:
                yield end

    def onwards(self, stop: int) -> Iterator[int]:
        """Behind a noun phrase, the ends of the phrases that belong to it: "of the choir", "in Leeds"."""
        if stop + 1 < len(self.tokens) and self.tokens[stop].low in _ONWARDS and stop + 1 not in self.timed:
            for further in self.phrases(stop + 1):
                yield from self.onwards(further)
                yield further

    def _is_inner(self, i: int, start: int) -> bool:
        token = self.tokens[i]
        if i in self.timed or token.low in _DAYS or token.low in FIRST | SECOND and token.tag != "PRP$":
            return False
        if token.tag == "PRP$" or token.pos == "DET":
            return all(t.pos == "DET" for t in self.tokens[start:i])
        if token.pos in _INNER or token.tag == "POS":
            return True
        if token.text in ("-", "/", "&") or token.tag == "HYPH":
            following = self.tokens[i + 1 : i + 2]
            return i > start and bool(following) and following[0].start == token.end
        if i > start and self._follows_article(i) and token.pos in ("ADV", "VERB", "X") and token.text.isalpha():
            return True  # "the tattoo", whatever the tagger takes it for
        return token.tag == "VBG" or token.tag == "VBN" and token.dep in ("amod", "compound")

    def _follows_article(self, i: int) -> bool:
        return self.tokens[i - 1].pos == "DET" or self.tokens[i - 1].tag == "PRP$"

    def is_a(self, name: str, start: int, stop: int) -> bool:
        """Whether a noun phrase is of a class."""
        core = [t for t in self.tokens[start:stop] if t.pos != "DET" and t.tag not in ("PRP$", "POS")]
        if not core:
            return False
        last, words = core[-1], words_of(core)
        capital = all(t.text[:1].isupper() for t in core if t.pos not in ("PUNCT", "SYM") and t.text != "-")
        place = world.is_place(" ".join(t.text for t in core)) and last.text[:1].isupper()
        if name == "name":
            return capital
        if name == "amount":
            return bool(_AMOUNT.search(" ".join(words)))
        if name == "weight":
            return any(c.isdigit() for t in core for c in t.text) and last.low in _WEIGHTS
        if name == "strict_person":
            role = self.lexicon.roles.get(words[-1])
            return role is not None and role.kind == "person" or last.ent == "PERSON"
        if name == "place":
            return place or last.ent in ("GPE", "LOC", "FAC") and capital
        if name == "person":
            role = self.lexicon.roles.get(words[-1])
            named = capital and not (place and last.ent in ("GPE", "LOC", "FAC"))  # many towns are given names
            return role is not None and role.kind == "person" or last.ent == "PERSON" or named
        if name == "organisation":
            known = self.lexicon.in_class(name, words) or last.ent == "ORG"
            named = capital and last.pos in ("PROPN", "NOUN")  # with an article it is no town: "the Hilton"
            return known or named and (not place or self.tokens[start].low == "the")
        return self.in_class(name, words)

    def in_class(self, name: str, words: Sequence[str]) -> bool:
        """Whether a phrase is of a word class, of the lexicon's or the frames' own words."""
        tails = {" ".join(words[i:]) for i in range(len(words))}
        return bool(tails & self.lexicon.frames.classes.get(name, frozenset())) or self.lexicon.in_class(name, words)

    def is_common(self, word: str) -> bool:
        """Whether a word stands in any class of the lexicon."""
        return any(word in words for words in (*self.lexicon.classes.values(), *self.lexicon.frames.classes.values()))

    def is_listed(self, name: str, words: Sequence[str]) -> bool:
        """Whether just these words stand in a class."""
        text = " ".join(words)
        return text in self.lexicon.classes.get(name, ()) or text in self.lexicon.frames.classes.get(name, ())


def words_of(tokens: Sequence[Token]) -> list[str]:
    """The lower-case words of tokens, what stands with a hyphen as one."""
    return " ".join(t.low for t in tokens).replace(" - ", "-").split()
