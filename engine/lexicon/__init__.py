"""What is known about predicates, as data.

Every ``*.toml`` beside this file (and every file a user adds by setting) is read into one ``Lexicon``:

``attributes/*.toml``   a table an attribute: the ways to state, start and end it, its cardinality
``classes.toml``        word classes that patterns refer to as ``{class}``
``roles.toml``          words for people, animals and things that stand to somebody in a relation
``cues.toml``           endings, corrections, hedges, aspect verbs and other closed lists
``frames/*.toml``       what events do to what was known, told by the surface: see ``engine.lexicon.frames``

A pattern is a verb's lemma followed by the words that must be there and the slot that holds the value:

``live in *``           the object of "in"                ``be allergic to *``    a literal, then a slot
``be {occupation}``     a complement of that word class   ``have *+allergy``      the modifier of "allergy"
``retire => retired``   no slot: the value is given       ``work|serve as *``     either verb
``be {kin} of *``       a class that must be there as well, before the slot
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.lexicon.check import PATTERN_KEYS, check
from engine.lexicon.frames import Frames, gather
from engine.lexicon.patterns import PREPOSITIONS, Pattern, Slot, compile_pattern
from engine.types import Effect, Kind

__all__ = ["HERE", "PREPOSITIONS", "Attribute", "Lexicon", "Pattern", "RelationWord", "Slot", "compile_pattern", "load",
           "singular"]  # fmt: skip
HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Attribute:
    """What can be known of a subject, and how its values behave.

    ``cardinality`` is ``one`` (a new value takes the place of the old) or ``many``. ``group`` names a
    family of attributes whose values can be ended by one another's verbs (sell → vehicle, pet, device).
    ``excludes`` maps a value (``*`` for any) to the attributes, or ``attribute=value|value``, that it rules
    out. ``render`` writes a value as a statement of its own ("works at *"). ``lasting`` attributes survive the end
    of their subject (a birthplace is no less true of the dead).
    """

    name: str
    about: str
    cardinality: str
    kind: Kind
    group: str
    nouns: frozenset[str]
    excludes: Mapping[str, tuple[str, ...]]
    lasting: bool
    render: str
    examples: tuple[str, ...]
    counter: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RelationWord:
    """A word for somebody or something that belongs to a subject: sister, boss, dog."""

    word: str
    kind: str
    gender: str
    cardinality: str
    lasting: bool
    attribute: str


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The whole of it, ready for look-ups."""

    attributes: Mapping[str, Attribute]
    patterns: Mapping[str, tuple[Pattern, ...]]
    classes: Mapping[str, frozenset[str]]
    suffixes: Mapping[str, tuple[str, ...]]
    roles: Mapping[str, RelationWord]
    cues: Mapping[str, frozenset[str]]
    nouns: Mapping[str, str]
    antonyms: Mapping[str, frozenset[str]] = field(default_factory=dict)
    role_cardinality: Mapping[str, str] = field(default_factory=dict)
    frames: Frames = field(default_factory=Frames)

    def in_class(self, name: str, words: Sequence[str]) -> bool:
        """Whether a phrase is of a word class.

        Parameters
        ----------
        name : str
            The class.
        words : sequence of str
            The phrase's words in lower case, its head last; every tail of it is looked up, and its head
            as a plural too.
        """
        members = self.classes.get(name, frozenset())
        endings = self.suffixes.get(name, ())
        tails = [" ".join(words[i:]) for i in range(len(words))]
        return any(t in members or singular(t) in members for t in tails) or bool(
            words and endings and singular(words[-1]).endswith(endings)
        )

    def cardinality(self, attribute: str | None) -> str | None:
        """``one``, ``many``, or None where the attribute is unknown."""
        if attribute is None:
            return None
        if attribute.startswith("favourite "):
            return "one"
        if attribute.startswith("'s "):
            return "one"  # "X's landlord is …": a definite description names one
        known = self.attributes.get(attribute)
        if known is not None:
            return known.cardinality
        return self.role_cardinality.get(attribute)

    def group(self, attribute: str | None) -> str | None:
        """The family an attribute belongs to; the attribute itself where it has none."""
        known = self.attributes.get(attribute or "")
        return known.group if known else attribute

    def excludes(self, attribute: str | None, value: str, other: str | None, other_value: str) -> bool:
        """Whether ``attribute = value`` rules out ``other = other_value``."""
        known = self.attributes.get(attribute or "")
        if known is None or other is None:
            return False
        words = set(value.lower().split())
        for key, ruled_out in known.excludes.items():
            if key != "*" and not (words & set(key.split("|"))):
                continue
            for entry in ruled_out:
                name, _, values = entry.partition("=")
                if name == other and (not values or set(values.split("|")) & set(other_value.lower().split())):
                    return True
        return False

    def related(self, attribute: str) -> tuple[str, ...]:
        """The attributes that a statement about one might touch: itself, its family, what it rules out and
        what rules it out."""
        names = {attribute}
        group = self.group(attribute)
        known = self.attributes.get(attribute)
        for other in self.attributes.values():
            if (
                other.group == group
                or _rules_out(other, attribute)
                or known is not None
                and _rules_out(known, other.name)
            ):
                names.add(other.name)
        return tuple(sorted(names))

    def knows(self, attribute: str) -> bool:
        """Whether an attribute is one of the lexicon's, a favourite, or a relation."""
        return attribute in self.attributes or attribute.startswith("favourite ") or attribute in self.role_cardinality

    def knows_relation(self, attribute: str | None) -> bool:
        """Whether an attribute is that somebody stands in a relation: partner, boss, friend."""
        return attribute in self.role_cardinality

    def vocabulary(self, attribute: str | None) -> str:
        """Words by which people ask for an attribute: its nouns, what it is about, the verbs that state it."""
        known = self.attributes.get(attribute or "")
        if known is None:
            return ""
        verbs = {v for found in self.patterns.values() for p in found if p.attribute == known.name
                 and p.effect is Effect.STATES and not p.kinds for v in p.verbs} - {"be", "have", "get", "do", "go"}  # fmt: skip
        return " ".join(sorted({known.name.replace("_", " "), known.about, *known.nouns, *verbs}))

    def antonymous(self, one: str, two: str) -> bool:
        """Whether two words or predicates are listed as opposites."""
        return two in self.antonyms.get(one, frozenset())


def _rules_out(one: Attribute, other: str) -> bool:
    return any(entry.partition("=")[0] == other for entries in one.excludes.values() for entry in entries)


def singular(word: str) -> str:
    """The likely singular of an English plural in lower case; other words come back as they are."""
    head, _, last = word.rpartition(" ")
    lead = head + " " if head else ""
    if last.endswith("ies") and len(last) > 4:
        return lead + last[:-3] + "y"
    if last.endswith(("ches", "shes", "xes", "sses", "zes")):
        return lead + last[:-2]
    if last.endswith("s") and not last.endswith(("ss", "us", "is")) and len(last) > 3:
        return lead + last[:-1]
    return word


def _attribute(name: str, table: Mapping[str, Any]) -> Attribute:
    excludes = {str(k): tuple(v) for k, v in table.get("excludes", {}).items()}
    return Attribute(
        name=name,
        about=table.get("about", name),
        cardinality=table.get("cardinality", "many"),
        kind=Kind(table.get("kind", "state")),
        group=table.get("group", name),
        nouns=frozenset(table.get("nouns", ())),
        excludes=excludes,
        lasting=bool(table.get("lasting", False)),
        render=table.get("render", ""),
        examples=tuple(table.get("examples", ())),
        counter=tuple(table.get("counter", ())),
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError("F022", f"lexicon file {path.name} cannot be read: {error}; mend or remove it") from error


def _roles(table: Mapping[str, Any]) -> dict[str, RelationWord]:
    roles = {}
    for attribute, entry in table.items():
        for gender in ("female", "male", "any"):
            for word in entry.get(gender, ()):
                roles[word] = RelationWord(
                    word=word,
                    kind=entry.get("kind", "person"),
                    gender=gender,
                    cardinality=entry.get("cardinality", "many"),
                    lasting=bool(entry.get("lasting", False)),
                    attribute=attribute,
                )
    return roles


def _frames(own: Mapping[str, Any]) -> Frames:
    """The shipped frames, and a user's own."""
    tables: dict[str, Any] = {}
    for path in sorted((HERE / "frames").glob("*.toml")):
        if path.name != "words.toml":
            tables |= _read(path)
    return gather({**tables, **own}, _read(HERE / "frames" / "words.toml"))


def _antonyms(pairs: Iterable[Sequence[str]]) -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for left, right in pairs:
        for one in left.split("|"):
            for two in right.split("|"):
                table.setdefault(one, set()).add(two)
                table.setdefault(two, set()).add(one)
    return {word: frozenset(others) for word, others in table.items()}


@cache
def load(extra: tuple[Path, ...] = ()) -> Lexicon:
    """Reads the shipped lexicon and the user's own files on top of it.

    Parameters
    ----------
    extra : tuple of Path
        Files in the format of ``attributes/*.toml``; a table of a known name adds to that attribute.
        They may also hold ``[classes.NAME]`` with ``words``, and ``[frames.NAME]``.

    Returns
    -------
    Lexicon
        Cached by its arguments.

    Raises
    ------
    InputError
        A file is missing or no TOML (F022), or everything that is wrong in the user's files, at once (F023).
    """
    if extra:
        shipped = [_read(path) for path in sorted((HERE / "attributes").glob("*.toml"))]
        check({p: _read(p) for p in extra}, {n for tables in shipped for n in tables}, _read(HERE / "classes.toml"))
    attributes: dict[str, Attribute] = {}
    patterns: dict[str, list[Pattern]] = {}
    nouns: dict[str, str] = {}
    classes, suffixes = {}, {}
    class_tables = dict(_read(HERE / "classes.toml"))
    own_frames: dict[str, Any] = {}
    for path in (*sorted((HERE / "attributes").glob("*.toml")), *extra):
        tables = _read(path)
        own_frames |= tables.pop("frames", {})
        for name, table in tables.pop("classes", {}).items():
            known = class_tables.setdefault(name, {"words": []})
            known["words"] = [*known["words"], *table.get("words", ())]
        for name, table in tables.items():
            attributes[name] = attributes.get(name) or _attribute(name, table)
            for effect, key in zip((Effect.STATES, Effect.STARTS, Effect.ENDS), PATTERN_KEYS, strict=True):
                for source in table.get(key, ()):
                    pattern = compile_pattern(source, name, effect)
                    for verb in sorted(pattern.verbs):
                        patterns.setdefault(verb, []).append(pattern)
            nouns.update(dict.fromkeys(table.get("nouns", ()), name))
    for name, table in class_tables.items():
        classes[name] = frozenset(table.get("words", ()))
        suffixes[name] = tuple(table.get("suffixes", ()))
    cues = _read(HERE / "cues.toml")
    antonyms = _antonyms(cues.pop("antonyms", {}).get("pairs", ()))
    roles = _roles(_read(HERE / "roles.toml"))
    return Lexicon(
        role_cardinality={role.attribute: role.cardinality for role in roles.values()},
        attributes=attributes,
        patterns={
            verb: tuple(sorted(found, key=lambda p: (-p.specificity, p.attribute, p.source)))
            for verb, found in patterns.items()
        },
        classes=classes,
        suffixes=suffixes,
        roles=roles,
        cues={name: frozenset(table["words"]) for name, table in cues.items()},
        nouns=nouns,
        antonyms=antonyms,
        frames=_frames(own_frames),
    )
