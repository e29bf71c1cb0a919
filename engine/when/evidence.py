"""Whether a word that can name a time does name one in its sentence.

"May" is a modal, "march" a verb, "sat" a past tense, "second" an ordinal, 2019 a price, June a friend and
"the Monday meeting" no Monday: without a sign from the parse or a preposition none of them is a time
(hindsight#2768).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.types import Sentence, Token
from engine.when.bounds import Lead
from engine.when.dates import Found
from engine.when.numbers import ordinal
from engine.when.words import HOLIDAYS, MONTHS, WEEKDAYS, Words, word

_VERBS = ("VB", "VBD", "VBP", "VBZ", "VBG", "VBN", "MD")
_NAMES = ("PERSON", "ORG", "GPE", "LOC", "FAC", "PRODUCT", "WORK_OF_ART", "NORP", "LAW")
_GIVEN_NAMES = ("april", "may", "june", "august")
_ADVERBIAL = ("npadvmod", "ROOT", "appos", "attr", "dep", "advmod")
_CARRIED = frozenset("come go get pull fall look see break put sail breeze".split())  # "came through today"
_POINTING = frozenset("on this next last every since until till by from coming before after".split())
_TELLING = frozenset(
    "in since until till by during from through before after over for around between to of throughout up".split()
)
_OWNERS = ("my", "your", "his", "her", "its", "our", "their", "'s", "a", "an")
_FINITE = ("VBD", "VBP", "VBZ", "MD")


class Evidence:
    """The signs that a sentence gives of its times.

    Parameters
    ----------
    sentence : Sentence
        The parsed sentence.
    words : tuple of str
        Its words.
    tokens : tuple of Token
        For each word the first token that it stands in.
    """

    def __init__(self, sentence: Sentence, words: Words, tokens: tuple[Token, ...]) -> None:
        self.all = sentence.tokens
        self.words = words
        self.tokens = tokens

    def admits(self, found: Found, i: int, before: Lead, reaches: bool) -> bool:
        """Whether what was found at ``i`` is meant as a time.

        Parameters
        ----------
        found : Found
            The reading.
        i : int
            The position of its first word.
        before : Lead
            Its preposition.
        reaches : bool
            It is closed by "now", "already" and the like.
        """
        last = self.tokens[found.stop - 1]
        first = i + (self.words[i] == "the")
        if self._counts_on(last) or self._is_name(first, found, before):
            return False
        check = getattr(self, f"_{found.kind}", None)
        if check is None:
            return self._plain(first, found, before)
        return bool(check(first, found, before, reaches))

    def unless_particle(self, before: Lead, i: int) -> Lead:
        """The preposition, unless it belongs to a verb: "the papers came through today"."""
        mine = self.tokens[before.start : before.start + len(before.words)]
        if before.words and before.words[0] in ("through", "thru"):
            verb = self._verb(mine[0])
            return Lead(i) if verb is not None and verb.lemma in _CARRIED else before
        return Lead(i) if any(t.tag == "RP" or t.dep == "prt" for t in mine) else before

    def habitual(self, at: int) -> bool:
        """Whether a word stands in a clause of the simple present ("wakes up at 5:30")."""
        verb = self._verb(self.tokens[at])
        if verb is None:
            return False
        auxiliaries = [t for t in self.all if t.head == verb.i and t.dep in ("aux", "auxpass") and t.i != verb.i]
        if verb.lemma in ("be", "'s", "'re", "'m"):
            return False  # "the meeting is at six" is one meeting
        return (
            verb.tag in ("VBP", "VBZ")
            and not auxiliaries
            or any(h.lemma == "do" and h.tag != "VBD" for h in auxiliaries)
        )

    def _verb(self, token: Token) -> Token | None:
        return next((t for t in self._upward(token) if t.pos in ("VERB", "AUX")), None)

    def _upward(self, token: Token) -> Iterator[Token]:
        for _ in self.all:  # a chain of heads is never longer than its sentence
            yield token
            if token.head == token.i:
                return
            token = self.all[token.head]

    def _dated(self, i: int, stop: int) -> bool:
        return any(t.ent in ("DATE", "TIME") for t in self.tokens[i:stop])

    def _counts_on(self, last: Token) -> bool:
        """A number at the end that counts what follows: "2019 euros", "march 10 miles"."""
        return last.tag == "CD" and last.dep in ("nummod", "compound") and last.head > last.i and (
            self.all[last.head].pos in ("NOUN", "PROPN") and not _timely(self.all[last.head])
        )  # fmt: skip

    def _is_name(self, i: int, found: Found, before: Lead) -> bool:
        """A name of somebody or something: "June said", "The Sunday Times"."""
        if found.kind == "recurring" or before.words and before.words[-1] in ("in", "since", "until", "till", "on"):
            return False
        return all(t.ent in _NAMES for t in self.tokens[i : found.stop])

    def _modifies(self, i: int, stop: int) -> bool:
        """A time that only tells which thing is meant: "the Monday meeting", "Christmas dinner"."""
        token = self.tokens[stop - 1]
        head = self.all[token.head]
        close = head.i == token.i + 1 or token.dep in ("compound", "nmod") and head.i <= token.i + 3
        inside = token.dep in ("compound", "amod", "nmod", "nummod", "poss") and head.i > token.i
        return inside and close and head.pos in ("NOUN", "PROPN") and not _timely(head)

    def _plain(self, i: int, found: Found, before: Lead) -> bool:
        """A full date; a month that is a verb or a modal is none even with a number behind it."""
        name = self.words[i]
        if name == "coming" and self.tokens[i].pos == "VERB" and self.tokens[i].dep != "amod":
            return False  # "he's coming Thursday"
        if HOLIDAYS.keys() & {self.words[i : found.stop]} and self._modifies(i, found.stop):
            return False
        if name in ("may", "march") and not before.entry and not self._dated(i, found.stop):
            return self.tokens[i].tag not in _VERBS
        return word(self.words, found.stop) != "'s" or found.stop - i > 1

    def _month(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        token, name = self.tokens[i], self.words[i]
        told = bool(before.words) and before.words[-1] in _TELLING
        if name in ("early", "mid", "late"):
            return True
        if name in ("may", "march") and token.tag in _VERBS:
            after = self.all[token.i + 1] if token.i + 1 < len(self.all) else None
            governs = after is not None and (after.tag in ("VB", "RB") or after.low in ("be", "have", "not"))
            return told and before.words[-1] != "to" and not governs
        if self._modifies(i, found.stop):
            return False
        told = told or word(self.words, i - 1) == "come"  # "fifty come August"
        if told or not self._dated(i, found.stop) or token.dep not in _ADVERBIAL:
            return told
        # the small model takes "June said" and "I met April" for times
        return name not in _GIVEN_NAMES or not any(t.tag in _FINITE for t in self.all)

    def _weekday(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        name = self.words[i]
        if word(self.words, i - 1) in _OWNERS:
            return False  # "on a Friday" is any Friday
        if name in ("sat", "sun", "wed"):
            return word(self.words, i - 1) in _POINTING and self.tokens[i].tag not in ("VBD", "VBP", "VB")
        if name == "mon" or name == "fri":
            return word(self.words, i - 1) in _POINTING or self._dated(i, found.stop)
        return not self._modifies(i, found.stop) and self.tokens[i].dep != "poss"

    def _year(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        """A number is a year behind a preposition of time, or where the parse calls it a date."""
        if word(self.words, i - 1) in _OWNERS or word(self.words, i - 1) in ("$", "£", "€", "#"):
            return False
        if self._modifies(i, found.stop):
            return False
        if before.words and before.words[-1] in ("in", "since", "until", "till", "by", "during", "from", "before",
                                                 "after", "to", "of", "through"):  # fmt: skip
            return not any(t.ent in ("MONEY", "QUANTITY", "PERCENT") for t in self.tokens[i : found.stop])
        figures = self.words[i][:1].isdecimal() or self.words[i][:1] == "'" or self.words[i] == "nineteen"
        return self._dated(i, found.stop) and figures

    def _decade(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        """ "In the nineties"; "in his nineties" and "in her mid forties" are ages."""
        lead = {word(self.words, k) for k in (i - 1, i - 2)}
        return not lead & set(_OWNERS) and ("the" in lead or self.words[i][:3] in ("19", "20") or bool(before.words))

    def _ordinal(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        """ "On the 14th", "by the twenty third"; the fourth floor and the second child are no days."""
        number = ordinal(self.words, i)
        figure = self.words[i][0].isdecimal()
        after = self.all[self.tokens[found.stop - 1].i + 1 :]
        if after and (after[0].pos in ("NOUN", "PROPN", "ADJ", "NUM") or after[0].low in ("of", "one", "in", "-")):
            return False
        if self._modifies(i, found.stop) or number is None or not figure and number[0] < 4:
            return False
        led = bool(before.words) and before.words[-1] in ("on", "by", "until", "till", "from", "since", "for", "before",
                                                          "after", "through", "up to")  # fmt: skip
        the = word(self.words, i - 1) == "the"
        return led and (the or before.words[-1] == "on") or the and (self._dated(i, found.stop) or number[0] > 20)

    def _clock(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        if self.words[found.stop - 1] == "am" and self.tokens[found.stop - 1].lemma == "be":
            return bool(before.words) or self.words[i][0].isdecimal() and self._dated(i, found.stop)
        return not any(t.ent == "MONEY" for t in self.tokens[i : found.stop])

    def _spoken(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        """ "At half four": "half four" alone may be half of four."""
        if before.words and before.words[-1] in ("from", "of", "to"):
            return False
        led = before.words and before.words[-1] in ("at", "by", "until", "till", "since", "before", "after")
        near = word(self.words, i - 1) in ("around", "about", "is", "'s", "was", "it's")
        return bool(led) or near or self._dated(i, found.stop)

    def _season(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        if self.tokens[i].tag in _VERBS or self._modifies(i, found.stop):
            return False
        told = bool(before.words) and before.words[-1] in (_TELLING - {"of", "to"})
        if self.words[i] == "fall":
            return told and before.words[-1] not in ("for", "from", "after", "over")
        return told or self.tokens[i].dep == "npadvmod"

    def _weekend(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        return word(self.words, i - 1) == "the" and bool(before.words) and not self._modifies(i, found.stop)

    def _holiday(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        if self._modifies(i, found.stop) or word(self.words, i - 1) in ("happy", "merry"):
            return False
        return bool(before.words) or self.tokens[i].dep == "npadvmod"

    def _now(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        """ "From now on", "until now"; "now" alone is every present tense's."""
        return before.entry in ("since", "until")

    def _plural(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        """ "In the evenings", "I work nights"; "nights out" are none."""
        return bool(before.words) or self.tokens[i].dep == "npadvmod"

    def _recurring(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        name = self.words[i]
        if name in ("sats", "suns") or name.endswith("ly") and self.tokens[i].dep in ("amod", "compound", "nmod"):
            return False
        return not (found.stop - i == 1 and self._modifies(i, found.stop))

    def _ahead(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        return bool(before.words) or word(self.words, i - 1) == "the"

    def _reaching(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        return bool(before.words) or self.tokens[found.stop - 1].dep == "npadvmod"

    def _duration(self, i: int, found: Found, before: Lead, reaches: bool) -> bool:
        """A length of time reaches back where the sentence says so: "for six years", "nine years now", and
        "twenty two years" in the perfect or in a fragment. "In two weeks" lies ahead unless the past tells
        how long something took."""
        if self._modifies(i, found.stop) or word(self.words, i - 1) in (*_OWNERS[:8], "each", "$", "£", "€"):
            return False
        last = self.tokens[found.stop - 1]
        verb = self._verb(last)
        if found.stop - i == 1:
            return before.words == ("for",)  # "for years"; "these days" and "in the years" are no lengths
        if self.words[i] in ("a", "an") and not before.words:
            return reaches and self.words[found.stop] == "now"  # "one coffee a day"
        if before.words == ("in",):
            return verb is None or verb.tag not in ("VBD", "VBN") and not self._done(verb)
        if before.words in (("for",), ("within",), ("since",)):
            return True
        if before.words or word(self.words, found.stop) in ("before", "after", "until", "till", "to", "since"):
            return False
        if reaches:
            return True
        if last.dep not in ("npadvmod", "attr", "ROOT", "dep"):
            return False
        if verb is None or not any(t.tag in _FINITE for t in self.all):
            return True
        return self._done(verb)

    def _done(self, verb: Token) -> bool:
        """The perfect: "have lived", "'s been", "'ve been trying"."""
        auxiliaries = [t for t in self.all if t.head == verb.i and t.dep == "aux"]
        been = any(t.low == "been" for t in auxiliaries)
        return (verb.tag == "VBN" or been) and any(
            h.lemma in ("have", "'ve", "'s") or h.low in ("'s", "'ve") for h in auxiliaries
        )


def _timely(token: Token) -> bool:
    return token.ent in ("DATE", "TIME") or token.low in MONTHS or token.low in WEEKDAYS
