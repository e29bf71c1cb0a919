"""What the slots of a fragment take: "{post}" a post, "{place}" a place, "{pets}" pets.

A slot is an expression, and for most a check of what it caught; "{=diet}" takes the words of a class of the lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from engine import world
from engine.lexicon import Lexicon, singular
from engine.world.tables import kinds

PHRASE = r"[^,;:|()]{1,60}?"
_COUNTS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_NUMBER = rf"(?:\d{{1,3}}|{_COUNTS}|fifteen|twenty|thirty|forty|fifty)"
_UNIT = r"(?:years?|yrs?|months?|weeks?|days?)"
_ABOUT = r"(?:about |around |over |almost |nearly |just over )?"
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues?|weds?|thu|thurs?|fri|sat|sun"
_CLOCK = r"(?:\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)|\d{1,2}[:.]\d\d|noon)"
_DATE = rf"(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS})|(?:{_MONTHS}) \d{{1,2}}(?:st|nd|rd|th)?)(?:,? \d{{4}})?"
_PERIOD = rf"(?:(?:early|late|mid)[- ])?(?:(?:{_MONTHS})(?: \d{{4}})?|\d{{4}}|(?:spring|summer|autumn|fall|winter)(?: \d{{4}})?)"
_SINCE = (
    rf"since (?:{_DATE}|{_PERIOD}|last \w+|birth|childhood|school|uni|university|college|the pandemic|lockdown|"
    r"i was \w+|my \w+|(?:the age of|age) \w+|the (?!law|time|start|days)\w+(?: of \d{4})?)"
)
_SPAN = rf"{_ABOUT}{_NUMBER}(?: and a half)? {_UNIT}"
_LONG = rf"(?:{_SINCE}|(?:for |of )?(?:the (?:last|past) )?{_SPAN}|(?:for )?(?:all|most of) my life)(?: now)?"
_WHEN = (
    rf"(?:{_LONG}|in {_PERIOD}|(?:on )?{_DATE}|(?:on )?(?:last |next )?(?:{_DAYS})|(?:last|next|this) (?:week|month|year|"
    rf"spring|summer|autumn|fall|winter|(?:{_MONTHS}))|(?:{_SPAN}|a (?:week|month|year)) ago|now|today|yesterday|until .{{3,20}}|"
    rf"as of (?:today|now|this \w+|next \w+|{_DAYS}|{_PERIOD}))"
)
LASTING = re.compile(rf"^{_LONG}$", re.I)
_SOLE = re.compile(rf"^(?:of )?((?:the (?:last|past) )?{_SPAN}(?: now)?)$", re.I)
_KIN = r"(?:sons?|daughters?|boys?|girls?|kids?|children|twins|triplets|teenagers?|teens?|toddlers?|bab(?:y|ies))"
_UPPER = r"(?![a-zß-ÿ])[^\W\d_]"
_NAME = rf"(?-i:{_UPPER}[\w'’-]+(?:(?: (?:de|la|le|du|von|van|del|di|da|el|al|of)){{0,2}} {_UPPER}[\w'’-]+)?)"
_CAPITAL = re.compile(rf"{_UPPER}|\d")
_OWNED = re.compile(r"^(?:an?|our local|the local|my local) ")

EXPRESSIONS: Mapping[str, str] = {
    "number": _NUMBER,
    "count": rf"(?:\d{{1,2}}|{_COUNTS}|an?|a couple of|several)",
    "ordinal": r"(?:first|second|third|fourth|fifth|sixth|1st|2nd|3rd|\dth)",
    "span": _SPAN,
    "tenure": rf"{_ABOUT}{_NUMBER}(?: and a half)? (?:years?|yrs?|months?)",
    "year": r"(?:19[2-9]\d|20[01]\d)",
    "years": r"(?:1[3-9]|[2-9]\d)",
    "day": rf"(?:(?:next |this )?(?:{_DAYS})|tomorrow|(?:the )?{_DATE})(?:,? (?:at )?{_CLOCK}| at \d{{1,2}})?(?: {_DATE})?",
    "date": rf"(?:the )?{_DATE}",
    "ahead": rf"(?:in (?:{_PERIOD})|on (?:{_DATE}|{_DAYS})|next \w+|tomorrow|this (?:{_DAYS}|weekend|week|month|spring|summer|"
    rf"autumn|winter)|for (?:christmas|easter|new year|the (?:weekend|holidays|week|month|summer|winter)|{_SPAN}|"
    r"an? (?:week|month|fortnight|year|wedding|conference)))",
    "name": _NAME,
    "firstname": rf"(?-i:{_UPPER}[\w'’-]+)",
    "fullname": rf"(?-i:{_UPPER}[\w'’-]+(?: {_UPPER}[\w'’-]+){{0,2}})",
    "long": rf"{_LONG}",
    "did": r"[a-z]{3,9}(?: up)?",
    "weekdays": rf"(?:(?:on )?(?:{_DAYS})(?:(?:,|,? and| &|/) ?(?:{_DAYS})){{0,4}}|(?:{_COUNTS}|\d) days(?: a week| per week)?)",
    "doings": r"[a-z]{3,12}ing",
    "parenting": r"(?:(?:proud|single|working|busy|new|stay-at-home|first-time|foster|solo|full-time|happy) ){0,2}"
    r"(?:step|grand)?(?:mum|mom|mam|dad|mother|father|parent|ma|pa|granny|nan|nana|grandad|granddad|mama|papa)",
    "children": rf"(?:of|to) (?:(?:an? |{_NUMBER} |my )?(?:(?:grown|little|lovely|small|teenage|young|adult|baby|energetic|"
    rf"\w+-year-old) ){{0,2}}{_KIN}|(?:{_COUNTS}|\d)|{_NAME}(?: \(\d+\))?(?:(?:, | and |, and | & ){_NAME}(?: \(\d+\))?){{0,3}})"
    r"(?: (?:under|aged|at|from) [\w -]{1,20}?)?",
    "place": r"[^;:|()]{2,40}?",
    "org": r"[^,;:|()]{2,45}?",
}
"""Slots that are more than a phrase."""

Check = Callable[[str], bool]


class Slots:
    """The expressions and checks of all slots.

    Parameters
    ----------
    lexicon : Lexicon
        Its classes are the words that slots take.
    words : mapping of str to frozenset of str
        The lists of ``fragments.toml``.
    """

    def __init__(self, lexicon: Lexicon, words: Mapping[str, frozenset[str]]) -> None:
        self.lexicon = lexicon
        self.words = words
        self.classed: set[str] = set()
        self.adverbs = "|".join(map(re.escape, sorted(words["adverbs"], key=len, reverse=True)))
        self.checks: dict[str, Check] = {
            "post": self.is_post,
            "ranked": lambda p: self.is_post(p) and self.begins(p, "ranks"),
            "teacher": lambda p: (
                self.is_post(p) and p.lower().endswith(("professor", "lecturer", "teacher", "student"))
            ),
            "athlete": lambda p: not p.endswith("s") and self.is_a(p, "athlete"),
            "doer": lambda p: self.is_one_of(p, "athlete", "occupation") or self.ends(p, "doers"),
            "place": is_place,
            "org": self.is_organisation,
            "employer": lambda p: self.is_organisation(p) and not _OWNED.match(p) and not world.is_place(p),
            "name": self.is_name,
            "fullname": lambda p: " " in p and self.is_full_name(p),
            "firstname": self.is_full_name,
            "kids": self.is_kin,
            "pets": lambda p: self.is_a(p, "pet"),
            "eater": lambda p: p.lower() in words["eaters"],
            "ailing": lambda p: p.lower() in words["ailing"],
            "intolerance": self.is_intolerance,
            "avoided": lambda p: self.is_exactly(p, "food") or self.is_exactly(p, "allergen"),
            "lacked": lambda p: p.lower() in words["lacked"],
            "did": lambda p: p.lower() in words["done"],
            "beverage": lambda p: self.is_exactly(p, "drink") or p.lower() in words["drinking"],
            "meal": lambda p: self.is_exactly(p, "food") or p.lower() in ("gluten", "dairy", "sugar", "meat", "carbs"),
            "smoking": lambda p: p.lower() in words["smoking"],
            "drinking": lambda p: p.lower() in words["drinking"],
            "demonym": lambda p: p[:1].isupper() and (bool(world.demonym_of(p)) or self.is_exactly(p, "nationality")),
            "standing": lambda p: (
                p.lower() in words["eaters"]
                or any(self.is_exactly(p, name) for name in ("relationship_status", "employment_status"))
            ),
            "house": lambda p: self.is_organisation(re.sub("^the (?=[a-z])", "a ", p)),
            "language": lambda p: p[:1].isupper() and self.is_exactly(p, "language"),
            "engagement": self.is_engagement,
            "doings": lambda p: p.lower() in words["doings"],
            "rest": lambda p: not self.points(p) and not re.match(r"(?:late|low|out|on it|fine|well)\b", p),
            "subject": lambda p: self.is_exactly(p, "subject"),
            "allergen": lambda p: self.is_exactly(p, "allergen"),
            "condition": lambda p: self.is_exactly(p, "condition"),
            "children": self.is_children,
            "where": lambda p: not self.points(p) and not self.ends(p, "periods"),
            "body": lambda p: self.is_one_of(_bare(p), "membership", "organisation") or self.ends(_bare(p), "bodies"),
            "fandom": self.is_fandom,
            "thing": lambda p: not self.points(p),
            "value": lambda p: not self.points(p),
        }

    def expression(self, slot: str) -> str:
        """The named group that a slot stands for."""
        bare = slot.lstrip("=").rstrip("?")
        kind = bare.rstrip("0123456789")
        if slot.startswith("="):
            self.classed.add(kind)
        if kind == "adv":
            group = f"(?P<{bare}>{self.adverbs})"
            return f"(?:{group} )?" if slot.endswith("?") else group
        if slot == "when?":
            return rf"(?:,? \(?(?P<when>{_WHEN})\)?)?"
        if slot == "long":
            return rf",? \(?(?P<long>{_LONG})\)?"
        if slot == "so?":
            return r"(?:,? (?:as of today|today|now|and counting|already|this week|in a row))?"
        return f"(?P<{bare}>{EXPRESSIONS.get(kind, PHRASE)})"

    def takes(self, slot: str, caught: str) -> bool:
        """Whether what an expression caught is what its slot means."""
        kind = slot.rstrip("0123456789")
        check = self.checks.get(kind)
        if check is not None:
            return check(caught)
        return (
            kind not in self.classed or self.is_exactly(caught, kind) and caught.lower() not in self.words["two_faced"]
        )

    def begins(self, phrase: str, words: str) -> bool:
        """Whether a phrase begins with a word of a list: "newly qualified nurse", "ex-teacher"."""
        return any(re.match(rf"{re.escape(w)}[ -]", phrase.lower()) for w in self.words[words])

    def ends(self, phrase: str, words: str) -> bool:
        """Whether a phrase ends with a word of a list, with nothing but plain modifiers before it."""
        head, last = _parted(phrase)
        return last in self.words[words] and self.modifies(head)

    def points(self, phrase: str) -> bool:
        """Whether a phrase has a pronoun or the like that points out of it."""
        return bool(re.search(r"\b(?:this|that|these|those|it|them|him|her|me|you|yours?|one|ones)\b", phrase, re.I))

    def is_exactly(self, phrase: str, name: str) -> bool:
        """Whether a phrase, as a whole, is in a word class."""
        text = phrase.lower()
        return any(
            form in self.lexicon.classes.get(name, ()) for form in (text, singular(text), text.replace("-", " "))
        )

    def is_one_of(self, phrase: str, *names: str) -> bool:
        return any(self.is_a(phrase, name) for name in names)

    def is_a(self, phrase: str, name: str) -> bool:
        """Whether the end of a phrase is in a word class, with nothing but modifiers before it."""
        words = phrase.lower().split()
        members = self.lexicon.classes.get(name, frozenset())
        for i in range(len(words)):
            tail = " ".join(words[i:])
            if tail in members or singular(tail) in members:
                return self.modifies(words[:i])
        endings = self.lexicon.suffixes.get(name, ())
        return bool(words and endings and words[-1].endswith(endings)) and self.modifies(words[:-1])

    def is_post(self, phrase: str) -> bool:
        """Whether a phrase is what one person works as or studies: "junior analyst", "law student"."""
        text = re.sub(r"^(?:an?) ", "", phrase)
        text = re.sub(r"^(?:ex|former)[- ]", "", text, flags=re.I)
        for rank in sorted(self.words["ranks"] | self.words["grades"], key=len, reverse=True):
            if text.lower().startswith(rank + " ") and len(text) > len(rank) + 1:
                text = text[len(rank) + 1 :]
                break
        last = text.lower().split()[-1] if text.split() else ""
        if last in self.words["never_posts"] and text.lower() not in self.lexicon.classes["occupation"]:
            return False
        if last != singular(last) and last not in ("boss",) or len(text.split()) > 5:
            return False
        return text.lower() not in self.words["no_posts"] and (self.is_one_of(text, "occupation", "student"))

    def modifies(self, words: list[str]) -> bool:
        """Whether words before a noun do no more than describe it."""
        if len(words) > 4 or words and words[0] in self.words["orders"]:
            return False
        return all(self._describes(word) for word in words)

    def _describes(self, word: str) -> bool:
        if word in self.words["judging"] or not re.fullmatch(r"[\w'’&/.-]+", word):
            return False
        role = self.lexicon.roles.get(word)
        if role is not None and role.kind == "person" and role.lasting:
            return False
        tables = (kinds("nouns.tsv"), kinds("adjectives.tsv"))
        known = any(word in t.usual or word in t.extra or singular(word) in t.usual for t in tables)
        return (
            known
            or "-" in word
            or word in ("very", "rather", "quite")
            or word in self.words["ranks"]
            or word in self.words["grades"]
        )

    def is_children(self, phrase: str) -> bool:
        """Whether "of three", "to two boys", "to Mira and Jonas" tells of children: a name must be no other word."""
        names = re.findall(rf"{_UPPER}[\w'’-]+", phrase)
        return all(self.is_full_name(name) for name in names)

    def is_fandom(self, phrase: str) -> bool:
        """Whether a phrase names what people are fans of: a team or an act by its name, a sport, a kind of music."""
        return phrase[:1].isupper() or self.is_one_of(phrase, "sport", "music_genre", "game", "art", "food", "drink")

    def is_kin(self, phrase: str) -> bool:
        """Whether a phrase names children of somebody: "kids", "teenage sons"."""
        head, last = _parted(phrase)
        role = self.lexicon.roles.get(singular(re.sub("children$", "child", last)))
        return role is not None and role.attribute in ("child", "grandchild") and self.modifies(head)

    def is_organisation(self, phrase: str) -> bool:
        """Whether a phrase names a place of work: a name with a capital, or "a law firm"."""
        text = phrase.strip()
        if text.lower() in self.words["venues"] or re.match(r"\d", text):
            return False
        if _OWNED.match(text.lower()):
            words = re.sub(r"^(?:an?|our|the|my) (?:local )?", "", text.lower()).split()
            return any(self.is_a(" ".join(words[:n]), "organisation") for n in range(len(words), 0, -1) if n == len(words)
                       or words[n] in ("in", "near", "for"))  # fmt: skip
        words = [
            w
            for w in text.removeprefix("the ").removeprefix("The ").split()
            if w not in ("&", "and", "of", "de", "the")
        ]
        return bool(words) and all(_CAPITAL.match(w) for w in words) and not _is_time(text) and not self.points(text)

    def is_name(self, phrase: str) -> bool:
        """Whether capitalised words are a person's or an animal's name and nothing that is otherwise known."""
        lists = (
            self.words["not_names"],
            self.words["judging"],
            self.words["opening"],
            self.lexicon.roles,
            self.lexicon.nouns,
        )
        words = {phrase.lower(), *phrase.lower().split()}
        listed = any(word in names for names in lists[:3] for word in words) or any(
            phrase.lower() in t for t in lists[3:]
        )
        return not listed and not _is_time(phrase) and not self.is_exactly(phrase, "mood") and "i" not in words

    def is_full_name(self, phrase: str) -> bool:
        """Whether capitalised words are surely a name: one of them is no common word, and none is a place or a post."""
        words = phrase.split()
        plain = not world.is_place(phrase) and not world.is_place(words[0]) and self.is_name(phrase)
        odd = any(not _is_common(word.lower()) for word in words)
        return plain and odd and all(self.is_name(w) and not self.is_post(w) for w in words)

    def is_intolerance(self, phrase: str) -> bool:
        head, _, last = phrase.lower().replace("-", " ").rpartition(" ")
        return last == "intolerant" and head == "lactose"

    def is_engagement(self, phrase: str) -> bool:
        """Whether a phrase names an appointment that is the speaker's own: "dentist", "20 week scan"."""
        text = re.sub(r"^(?:my |\d+[- ]week (?=scan))", "", phrase.lower())
        first, _, rest = text.partition(" ")
        known = self.words["engagements"]
        return text in known or first in self.words["engaging"] and rest in known


def is_place(phrase: str) -> bool:
    """Whether a phrase is a known place, with a capital unless it can be nothing else."""
    parts = [part.strip() for part in phrase.removeprefix("the ").split(",")]
    return all(re.match(r"[^\W\d]", part) and world.is_place(part) and not _is_time(part) for part in parts)


def lasts(when: str) -> bool:
    """Whether a time says since when or for how long."""
    return bool(LASTING.match(when.strip()))


def spelt(when: str) -> str:
    """A bare span with "for" before it: "5 years", "of 20 years"."""
    return _SOLE.sub(r"for \1", when.strip())


def _is_common(word: str) -> bool:
    tables = ("nouns.tsv", "adjectives.tsv", "verbs.tsv", "adverbs.tsv")
    return any(word in kinds(name).usual for name in tables)


def _bare(phrase: str) -> str:
    return re.sub(r"^(?:an?|the|our|my)(?: local)? ", "", phrase)


def _parted(phrase: str) -> tuple[list[str], str]:
    words = phrase.lower().split()
    return words[:-1], words[-1] if words else ""


def _is_time(text: str) -> bool:
    return bool(re.match(rf"(?:{_DAYS}|{_MONTHS}|christmas|easter|today|tomorrow|tonight|noon|midnight)\b", text, re.I))
