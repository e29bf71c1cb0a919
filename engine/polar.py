"""Plain yes-no questions about the speaker, and what yes, no and "not any more" say of them.

"Do you still smoke?" is "I still smoke" once it is affirmed, "I no longer smoke" once it is denied. Offers ("shall I"),
suppositions, choices and questions about the talk itself are none: see ``engine/lexicon/answers.toml``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from engine.lexicon import load
from engine.pieces import one_of, table

_LED = "older|younger|elder|eldest|oldest|youngest|big|little|twin|best|late|new|current|first|second|middle|other|ex"
_ASIDES = re.compile(
    r",?\s*(?:then|by the way|btw|these days|at the moment|by any chance|too|as well|now|right now)$", re.I
)
_NAMED = r"(?: (?-i:[A-ZÀ-Þ][\w'-]+))?"
_TAGS = (
    "right|correct|yes|no|yeah|isn't it|don't you|do you|aren't you|are you|haven't you|have you|is that right|is it"
)
_SAID_OF = re.compile(rf"^(?P<said>you\b.*?)(?:,\s*(?P<tag>{_TAGS}))?$", re.I)
_LEADS = (
    ("you're", "am"),
    ("you are", "am"),
    ("you were", "was"),
    ("you've got", "do"),
    ("you have", "do"),
    ("you've", "have"),
)
_OPEN_TAGS = ("right", "correct", "is that right", "?", "yes", "yeah", "no")
_DENIALS = {"aren't": "am", "haven't": "have", "can't": "can"}
_PUT_ASIDE = r"(?:said|mentioned|told|asked|will|can|could|might|may|should|would)\b"
_FORMS = {"are": "am", "were": "was"}


@cache
def listed(name: str) -> str:
    """A pattern for the phrases of one of the lists."""
    return one_of(table("answers")[name]["words"])


@cache
def says(name: str) -> re.Pattern[str]:
    """What says yes, no and the like, once or doubled: "yes I do"."""
    return re.compile(rf"(?:{listed(name)})(?: (?:{listed(name)}))*", re.I)


@dataclass(frozen=True, slots=True)
class Polar:
    """A question as the statement it asks about: "do", "I", "still smoke".

    ``negative`` is set where it was put with a "not", ``tagged`` holds what waits for a word at its end ("right").
    """

    auxiliary: str
    subject: str
    rest: str
    negative: bool = False
    tagged: str = ""

    @property
    def bare(self) -> str:
        """What is asked, without "still" and "any"."""
        return re.sub(r"^still\s+|\bany\s+", "", self.rest)

    def affirmed(self, added: str = "") -> str:
        rest = re.sub(r"\bany\s+", "", self.rest)
        return self._with_verb("", rest, added) if self.auxiliary in ("do", "does") else self._plain("", rest, added)

    def denied(self) -> str:
        if self.rest.lower().startswith("still "):
            return self.over()
        return self._plain("not", self.rest)

    def never(self) -> str:
        if self.auxiliary in ("do", "does"):
            return self._with_verb("never", self.bare)
        return self._plain("never", self.bare)

    def over(self) -> str:
        """It is so no longer; where somebody is, is where he works or lives."""
        if self.auxiliary in ("do", "does"):
            return self._with_verb("no longer", self.bare)
        where = re.match(r"(at|with|in) (?=[A-ZÀ-Þ])", self.bare)
        if where is not None and self.auxiliary in ("am", "is"):
            verb = "live" if where[1] == "in" else "work"
            return _sentence(self.subject, "no longer", self._agreeing(verb), self.bare)
        return self._plain("no longer", self.bare)

    def given_up(self, when: str) -> str:
        """ "I quit last year", of what was asked about."""
        verb, _, rest = self.bare.partition(" ")
        return _sentence(self.subject, "stopped", gerund(verb), rest, when)

    def _plain(self, word: str, rest: str, added: str = "") -> str:
        return _sentence(self.subject, self.auxiliary, word, rest, added)

    def _with_verb(self, word: str, rest: str, added: str = "") -> str:
        """Without "do", the verb in the form of its subject."""
        still = re.match(r"still\s+", rest)
        verb, _, more = (rest[still.end() :] if still else rest).partition(" ")
        return _sentence(self.subject, word, "still" if still else "", self._agreeing(verb), more, added)

    def _agreeing(self, verb: str) -> str:
        return verb if self.subject == "I" else third(verb)


def _sentence(*words: str) -> str:
    return re.sub(r"\byour\b", "my", " ".join(" ".join(words).split())) + "."


def third(verb: str) -> str:
    """The form of a verb after "he": works, studies, has."""
    if verb == "have":
        return "has"
    if verb.endswith(("s", "x", "ch", "sh", "o")):
        return verb + "es"
    return f"{verb[:-1]}ies" if re.search("[^aeiou]y$", verb) else verb + "s"


def gerund(verb: str) -> str:
    """Smoking, running, playing."""
    if verb.endswith("e") and not verb.endswith(("ee", "ye")):
        return verb[:-1] + "ing"
    return f"{verb}{verb[-1]}ing" if re.fullmatch(r"[^aeiou]+[aeiou][^aeiouwxy]", verb) else verb + "ing"


def polar_in(asked: str) -> Polar | None:
    """A question as a plain one about the speaker, or None where it is no such thing.

    Parameters
    ----------
    asked : str
        One question without its mark: "do you smoke", "still at Siemens", "you don't eat meat, right".
    """
    stated = _stated(asked)
    if stated is not None:
        return stated
    plain = _ASIDES.sub("", asked)
    if _talks_of_the_talk(plain):
        return None
    if (clipped := _clipped(plain)) is not None:
        return clipped
    for form in _forms():
        if (found := form.match(plain)) is not None:
            return _of(found)
    return None


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    do, are, have = (rf"(?!(?:ever |still )?(?:{listed(f'idle_{name}')}))" for name in ("do", "are", "have"))
    you = "(?P<neg>n't)? (?P<subject>you)"
    own = rf"your (?:(?:{_LED}) )*(?:{_compounds()}|[a-z'-]+){_NAMED}"
    asides = "(?:(?:also|actually|currently|generally|usually|by any chance) )?"
    forms = (
        rf"(?P<aux>do|did){you} (?P<not>not )?(?P<rest>{asides}{do}.+)",
        rf"(?P<aux>are|were){you} (?P<not>not )?{asides}(?P<rest>(?!(?:two|both|all|guys|people)\b){are}.+)",
        rf"(?P<aux>have){you} (?P<not>not )?(?P<rest>{have}.+)",
        rf"(?P<aux>can)(?P<neg>'t)? (?P<subject>you) (?P<not>not )?(?P<rest>(?:{listed('abilities')}))",
        rf"(?P<aux>is|was|does|has)(?P<neg>n't)? (?P<subject>{own}) (?P<not>not )?(?P<rest>[\w' -]+)",
    )
    return tuple(re.compile(f"^{form}$", re.I) for form in forms)


@cache
def _compounds() -> str:
    """Nouns of several words that somebody's can be: "phone number", "line manager"."""
    lexicon = load()
    return one_of(noun for noun in (*lexicon.nouns, *lexicon.roles) if " " in noun)


def _of(found: re.Match[str]) -> Polar:
    auxiliary, rest = found["aux"].lower(), found["rest"]
    rest = re.sub(r"\b(?:ever|yet|already)\s+|\s+(?:yet|already|at all)$", "", rest)
    rest = re.sub(r"\byourself\b", "myself", rest)
    subject = "I" if found["subject"].lower() == "you" else "My" + found["subject"][len("your") :]
    if auxiliary == "have" and rest.startswith("got "):
        auxiliary, rest = "do", "have" + rest.removeprefix("got")
    return Polar(_FORMS.get(auxiliary, auxiliary), subject, rest, bool(found["neg"] or found["not"]))


def _clipped(asked: str) -> Polar | None:
    """ "Still at Siemens?", "Married?", "Any kids?"."""
    still = re.match(
        r"^(?:you )?(?P<rest>still (?:at|in|with|working|living|an? |[a-z]+ing\b|married|single|veg[a-z]+)\b.*)$",
        asked,
        re.I,
    )
    if still is not None:
        return Polar("am", "I", still["rest"][0].lower() + still["rest"][1:])
    if re.fullmatch(listed("alone"), asked, re.I):
        return Polar("am", "I", asked.lower())
    any_of = re.fullmatch(r"any ([a-z -]+)", asked, re.I)
    if any_of is not None and any_of[1].lower() in table("answers")["asked_for"]:
        return Polar("do", "I", f"have any {any_of[1].lower()}")
    return None


def _talks_of_the_talk(asked: str) -> bool:
    """Offers, suppositions, choices, and what is asked about the talk itself."""
    words = set(re.findall(r"[\w']+", asked.lower()))
    return bool(words & {"or", *table("answers")["deictic"]["words"]}) or "," in asked or ":" in asked


def _stated(asked: str) -> Polar | None:
    """ "You don't eat meat, right?", "So you're a nurse?": a statement about the speaker that waits for a word."""
    found = _SAID_OF.match(asked)
    if found is None or _talks_of_the_talk(found["said"]) or re.match(r"you still\b", asked, re.I):
        return None
    said, tag = found["said"], (found["tag"] or "?").lower()
    for lead, auxiliary in _LEADS:
        if (rest := re.match(rf"{lead}\s+(not\s+)?(?!{listed('idle_are')})(.+)$", said, re.I)) is not None:
            return Polar(auxiliary, "I", f"have {rest[2]}" if auxiliary == "do" else rest[2], bool(rest[1]), tag)
    denial = re.match(rf"you (don't|do not|aren't|haven't|can't) (?!{listed('idle_do')})(.+)$", said, re.I)
    if denial is not None:
        return Polar(_DENIALS.get(denial[1].lower(), "do"), "I", denial[2], True, tag)
    plain = re.match(rf"you (?!{listed('idle_do')}|{_PUT_ASIDE}|(?:\w+n't|do|are|have)\b)([a-z]+\b.*)$", said, re.I)
    return Polar("do", "I", plain[1], False, tag) if plain is not None else None


def on_denial(polar: Polar, words: str) -> str | None:
    """ "You don't eat meat, right?" is agreed to by both "right" and "no"; "do you?" by "no" alone.

    Parameters
    ----------
    polar : Polar
        A question that was put with a "not".
    words : str
        The answer without its signs.
    """
    no, yes = says("no").fullmatch(words), says("yes").fullmatch(words)
    if polar.tagged in _OPEN_TAGS:
        agrees = yes is not None and polar.tagged != "no" and not words.lower().startswith("i ")
        return polar.denied() if no or agrees else None
    if no:
        return polar.denied()
    return polar.affirmed() if yes and not polar.tagged else None
