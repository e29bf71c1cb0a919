"""Which memories a statement ends for certain, by what the lexicon and the words say; the rest is the classifier's.

A party's end takes along what was known of it, an ending that names a thing ends what is known of the thing, and
"all my cars" ends every car.
"""

from __future__ import annotations

import re

from engine import world
from engine.comparison import Comparison, owns_subject, subject_parts, words_of
from engine.lexicon import PREPOSITIONS, Lexicon, singular
from engine.types import Effect, Fact, Kind, Modality, Polarity

ENDED = {
    "its subject is over": "it is about what the statement says is no more",
    "named as over": "the statement names it as over",
    "born": "the child that was expected is born",
    "one of all": "the statement ends every one of them",
}
"""The rules that end a memory, with the reason that each gives."""
_NUMBERS = words_of("one two three four five six seven eight nine ten eleven twelve both all every any no none").stems
_EXCEPT = re.compile(r"\b(?:except|apart from|other than|bar|save|but(?= (?:the|my|one|for)\b))\b(.*)", re.I)
_OF_ALL = re.compile(
    r"\b(?:all|every|both|none|no|any)\b(?: of)?(?: (?:my|our|their|his|her|its|the|these|those))?((?: [a-z-]+){1,4})",
    re.I,
)
_BREAKS = PREPOSITIONS | {
    "any",
    "more",
    "anymore",
    "now",
    "last",
    "this",
    "except",
    "and",
    "but",
    "so",
    "at",
    "all",
    "longer",
}
_ALL = re.compile(r"\b(?:all|every|both|none|no|any|everything|the lot)\b", re.I)


def ended_by_rule(c: Comparison, lexicon: Lexicon) -> str | None:
    """The rule by which a statement ends a memory; None where none does.

    Parameters
    ----------
    c : Comparison
        Of the memory and the statement.
    lexicon : Lexicon

    Returns
    -------
    str or None
        A key of ``ENDED``.
    """
    old, new = c.pair.existing, c.pair.candidate
    if _is_born(old, new, lexicon):
        return "born"
    if new.effect is not Effect.ENDS or new.modality is not Modality.ASSERTED:
        return None
    if old.kind is Kind.EVENT or old.effect is Effect.ENDS or old.polarity is Polarity.NEGATIVE:
        return None
    if new.polarity is Polarity.POSITIVE and _hangs_on_what_ended(old, new, lexicon):
        return "its subject is over"
    if c.same_subject and _is_one_of_all(old, new, lexicon):
        return "one of all"
    if _is_named(c, lexicon):
        return "named as over"
    return None


def _is_born(old: Fact, new: Fact, lexicon: Lexicon) -> bool:
    """Whether a birth ends an expecting: "user is pregnant" and "user's daughter Noor was born on 9 August"."""
    if old.attribute != "pregnancy" or old.polarity is Polarity.NEGATIVE or old.effect is Effect.ENDS:
        return False
    child = lexicon.roles.get(subject_parts(new.subject)[1].split(" ")[0])
    born = " born " in f" {new.text.lower()} " and new.polarity is Polarity.POSITIVE
    told, birth = old.said_at, new.valid_from.at if new.valid_from is not None else new.said_at
    late = told is None or birth is None or birth >= told
    return born and late and child is not None and child.attribute == "child"


def _hangs_on_what_ended(old: Fact, new: Fact, lexicon: Lexicon) -> bool:
    """Whether a memory is about a party or thing that a statement ends: "Biscuit died", "gave the hens away".

    What outlives its subject stays: a birthplace, or that somebody was one's mother.
    """
    known = lexicon.attributes.get(old.attribute or "")
    if known is not None and known.lasting:
        return False
    if new.attribute == "death":
        return _about_party(old, new) or _has_party(old, new, lexicon)
    return lexicon.group(new.attribute) == "possession" and _about_thing(old, new)


def outlives(c: Comparison, lexicon: Lexicon) -> bool:
    """Whether a memory is true of the dead as well: "user's mum is Glenys"."""
    old, new = c.pair.existing, c.pair.candidate
    if new.attribute != "death":
        return False
    known = lexicon.attributes.get(old.attribute or "")
    role = lexicon.roles.get(old.predicate.removeprefix("have "))
    return known is not None and known.lasting or role is not None and role.lasting and role.kind == "person"


def _about_party(old: Fact, new: Fact) -> bool:
    """Whether a memory is about the very party that a statement is about, which is not the speaker."""
    owner, _, names = subject_parts(new.subject)
    if not (owner or names):
        return False
    return old.subject == new.subject or bool(names) and names == subject_parts(old.subject)[2]


def _has_party(old: Fact, new: Fact, lexicon: Lexicon) -> bool:
    """Whether a memory says that somebody has the named party: "user has a cat named Biscuit"."""
    _, rest, names = subject_parts(new.subject)
    if not names or not names <= words_of(old.object).names or old.subject.lower() == new.subject.lower():
        return False
    told = [lexicon.roles[w] for w in (*rest.split(), old.predicate.removeprefix("have ")) if w in lexicon.roles]
    kept = old.attribute == "pet" or lexicon.knows_relation(old.attribute)
    return kept and not any(role.lasting and role.kind == "person" for role in told)


def _about_thing(old: Fact, new: Fact) -> bool:
    """Whether a memory is about the possession that a statement parts with: "user's Brompton is red"."""
    if not owns_subject(new.subject, old.subject):
        return False
    thing, parted = words_of(old.subject.split("'s ", 1)[-1]), words_of(new.object)
    return bool(thing.names) and thing.names <= parted.names or bool(thing.stems) and thing.stems == parted.stems


def _is_named(c: Comparison, lexicon: Lexicon) -> bool:
    """Whether a statement ends by name what a memory says: "gave the hens away" and "keeps six hens"."""
    old, new = c.pair.existing, c.pair.candidate
    owned = c.same_group and lexicon.group(new.attribute) == "possession"
    body = new.attribute in BODIES or lexicon.group(new.attribute) == "plan" and old.kind is Kind.PLAN
    if not c.same_subject or not (c.same_attribute or owned or body):
        return False
    ended, held = words_of(new.object), words_of(old.object if c.same_attribute or owned else old.text)
    if not (c.same_attribute or owned) and len(ended.stems) < 2 and not ended.names:
        return False  # "the club" may be any
    ended_things, held_things = ended.stems - _NUMBERS, held.stems - _NUMBERS
    return bool(ended_things) and ended_things <= held_things and (not ended.numbers or ended.numbers == held.numbers)


BODIES = frozenset("employer membership band education volunteering course".split())
"""What somebody belongs to: leaving it ends every other state that is told of it ("plays bass in a wedding band")."""


def _is_one_of_all(old: Fact, new: Fact, lexicon: Lexicon) -> bool:
    """Whether a memory is of the kind of which every one ends: "all my cars", "no pets any more"."""
    if not (new.all_of or _ALL.match(new.object)) or old.attribute is None or _is_excepted(old, new):
        return False
    kind = _kind_of_all(new)
    if not kind:
        return False
    if old.attribute == new.attribute and kind in _names_of(old.attribute):
        return True
    holds = old.predicate.split()[:1] and old.predicate.split()[0] in HOLDING or " has " in f" {old.text} "
    if holds and words_of(kind).stems <= words_of(old.text).stems:
        return True  # "has an account with Barclays", whatever attribute that is; not "washes cars"
    if lexicon.group(old.attribute) != lexicon.group(new.attribute):
        return False
    if words_of(kind).stems <= words_of(old.object).stems:
        return True
    value = " ".join(w for w in old.object.split() if not w[0].isdigit())
    if world.is_a(value, kind):
        return True
    named = value.split()[-1:] and value.split()[-1][:1].isupper()
    return bool(named) and old.attribute == new.attribute  # a name tells no kind of its own: "an MX-5"


HOLDING = frozenset({"have", "get", "own", "keep", "'s"})


def _is_excepted(old: Fact, new: Fact) -> bool:
    """ "All my accounts except the one with Monzo"."""
    spoken = new.span.text if new.span is not None else new.text
    kept = _EXCEPT.search(spoken)
    return kept is not None and bool(words_of(kept.group(1)).stems & words_of(old.object).stems - _NUMBERS)


def _kind_of_all(new: Fact) -> str:
    """The noun of which all end, in the singular: "card" in "sold all their old cards except two"."""
    said = _OF_ALL.search(_EXCEPT.sub("", new.text))
    words = said.group(1).lower().split() if said else []
    end = next((i for i, w in enumerate(words) if w in _BREAKS), len(words))
    return singular(words[end - 1]) if end else ""


def _names_of(attribute: str) -> set[str]:
    """The nouns that stand for everything an attribute holds: pet, hobby, medication."""
    return {attribute, attribute.replace("_", " ").split()[0], *_GENERAL.get(attribute, ())}


_GENERAL = {
    "medication": ("medicine", "med", "tablet", "pill", "drug", "meds"),
    "pet": ("animal",),
    "instrument_owned": ("instrument",),
    "membership": ("club", "committee", "office"),
    "subscription": ("sub", "service"),
    "sport": ("sports", "training"),
    "role": ("post", "office", "position"),
}
