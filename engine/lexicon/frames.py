"""Frames: what an event does to what was known, told by the surface of a sentence.

A pattern of an attribute needs a verb whose subject is the party. A frame is a row of words, so it can say that
somebody else acts ("Mendel let me go"), that the thing that changed is the subject ("the Octavia has a new owner"),
that there is no verb ("day 40 without a cigarette"), or that one state ends and another begins.

``word|word``      the lower-case text or the lemma of a token; ``I``, ``me`` and ``my`` are every first person
``( … )``          may be left out
``<name>``         a noun phrase; ``<name+>`` with the phrases behind it that begin with of, in, at, for …
``<name:a|b>``     of a class of ``classes.toml``, or ``place``, ``person``, ``organisation``, ``name`` (capitals),
                   ``number``, ``time``, ``any`` (also they, somebody)
``<name=a|b>``     one of these words
``<who>``          whom it is about; in front it may be left out. ``<whose>`` is a possessor
``~``              up to three words without a verb
``^`` ``$``        the beginning, and the end, of a clause
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from engine.errors import InputError
from engine.types import Effect

EFFECTS = {"ends": Effect.ENDS, "starts": Effect.STARTS, "states": Effect.STATES, "denies": Effect.STATES}
LISTS = ("says", *EFFECTS, "examples", "counter")
FLAGS = ("plan", "bare")
KEYS = (*LISTS, *FLAGS, "about", "text", "party")
FIRST_PERSONS = {"I": ("i", "we"), "me": ("me", "us"), "my": ("my", "our")}
OPTIONALS_AT_MOST = 6
SLOT = re.compile(r"<([a-z_]+)(?::([a-z_|]+)|=([^<>+]+))?(\+?)>")
_ELEMENT = re.compile(r"[()]|<[^<>]*>|[^\s()<>]+")
_COMMON = frozenset("a an the of to in on at is be have has had my me i we our us for it and with from that this not no "
                    "up out off down back get got do did his her their as by".split())  # fmt: skip


@dataclass(frozen=True, slots=True)
class Element:
    """One element: ``kind`` is word, slot, gap, begin or end."""

    kind: str
    words: frozenset[str] = frozenset()
    name: str = ""
    classes: frozenset[str] = frozenset()
    onwards: bool = False


Form = tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What a frame does to one attribute.

    ``key`` is the effect's. Attribute and value may hold slots, ``<name?>`` one that may be left out. An attribute
    ``@group`` is chosen by the class of the value, ``@group <name>`` by that of the slot. ``text`` is how it is
    written ("" where the clause, or the attribute, can write itself); what stands in ``[…]`` goes with a slot that is left out.
    """

    key: str
    attribute: str
    value: str
    text: str

    @property
    def effect(self) -> Effect:
        return EFFECTS[self.key]


@dataclass(frozen=True, slots=True)
class Frame:
    """A kind of event. ``forms`` are its ways to be said, the optional parts written out; ``plan`` is ahead, ``bare``
    endings leave no memory of their own, ``party`` is the kind that it is about ("animal") where only that can be."""

    name: str
    about: str
    forms: tuple[Form, ...]
    changes: tuple[Change, ...]
    plan: bool = False
    bare: bool = False
    party: str = ""
    examples: tuple[str, ...] = ()
    counter: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Frames:
    """All frames, ready for look-ups.

    ``by_word`` finds the forms that need a word; ``light`` may stand between any two elements, ``blockers`` keep
    a frame from holding, ``passing`` words tell the moment, ``vague`` are no values; ``groups`` choose an attribute
    by the class of a value; ``classes`` add words to those of ``classes.toml``.
    """

    frames: tuple[Frame, ...] = ()
    by_word: Mapping[str, tuple[tuple[Frame, Form], ...]] = field(default_factory=dict)
    light: frozenset[tuple[str, ...]] = frozenset()
    blockers: frozenset[str] = frozenset()
    passing: frozenset[str] = frozenset()
    vague: frozenset[str] = frozenset()
    groups: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    classes: Mapping[str, frozenset[str]] = field(default_factory=dict)


def compile_frame(name: str, table: Mapping[str, Any]) -> Frame:
    """Reads one table.

    Raises
    ------
    InputError
        F024: a form is empty, has too many optional parts or no word that is needed, or a change is malformed.
    """
    forms = tuple(dict.fromkeys(form for source in table.get("says", ()) for form in compile_form(source, name)))
    changes = tuple(_change(key, source, name) for key in table if key in EFFECTS for source in table[key])
    if not forms or not changes:
        raise InputError("F024", f"frame {name!r} needs says, and one of {', '.join(EFFECTS)}")
    main = changes[0]
    changes = (Change(main.key, main.attribute, main.value, main.text or table.get("text", "")), *changes[1:])
    _check_slots(name, forms, changes)
    return Frame(
        name=name,
        about=table.get("about", name),
        forms=forms,
        changes=changes,
        plan=bool(table.get("plan", False)),
        bare=bool(table.get("bare", False)),
        party=table.get("party", ""),
        examples=tuple(table.get("examples", ())),
        counter=tuple(table.get("counter", ())),
    )


def compile_form(source: str, name: str) -> list[Form]:
    """The forms of one line of ``says``: with and without each optional part, the longest first."""
    parts: list[list[Form]] = []
    inside: list[Element] | None = None
    for piece in _ELEMENT.findall(source):
        if piece == "(" and inside is None:
            inside = []
        elif piece == ")" and inside:
            parts.append([tuple(inside), ()])
            inside = None
        elif piece in "()":
            raise InputError("F024", f"{source!r} of frame {name!r}: brackets do not match, or are empty")
        elif inside is not None:
            inside.append(_element(piece, source, name))
        else:
            parts.append([(_element(piece, source, name),)])
    if inside is not None or not parts or sum(len(p) > 1 for p in parts) > OPTIONALS_AT_MOST:
        raise InputError("F024", f"{source!r} of frame {name!r} is empty, unclosed or has too many optional parts")
    forms = [tuple(e for part in chosen for e in part) for chosen in product(*parts)]
    if any(anchor(form) is None for form in forms):
        raise InputError("F024", f"{source!r} of frame {name!r} must hold a word that is always there")
    return forms


def anchor(form: Form) -> frozenset[str] | None:
    """The rarest word that a form needs; a form is only tried where one of its alternatives stands."""
    words = [e.words for e in form if e.kind == "word"]
    return min(words, key=lambda w: (bool(w & _COMMON), len(w), -max(map(len, w))), default=None)


def _element(piece: str, source: str, name: str) -> Element:
    kind = {"~": "gap", "^": "begin", "$": "end"}.get(piece)
    if kind is not None:
        return Element(kind)
    if piece.startswith("<"):
        slot = SLOT.fullmatch(piece)
        if slot is None:
            raise InputError("F024", f"{source!r} of frame {name!r}: {piece} is no slot such as <name:class>")
        classes, words = (frozenset((slot[i] or "").split("|")) - {""} for i in (2, 3))
        return Element("slot", words, slot[1], classes, bool(slot[4]))
    if piece.startswith("|") or piece.endswith("|"):
        raise InputError("F024", f"{source!r} of frame {name!r}: {piece} stands beside a slot; write two forms")
    return Element("word", frozenset(w for word in piece.split("|") for w in FIRST_PERSONS.get(word, (word,))))


def _change(key: str, source: str, name: str) -> Change:
    slots, _, text = (part.strip() for part in source.partition("=>"))
    attribute, equals, value = (part.strip() for part in slots.partition("="))
    if not attribute or not equals or not value:
        raise InputError("F024", f"{source!r} of frame {name!r} must be written: attribute = value => text")
    return Change(key, attribute, "" if value == "*" else value, text)


def _check_slots(name: str, forms: tuple[Form, ...], changes: tuple[Change, ...]) -> None:
    """A text or value may only name what some form holds."""
    known = {e.name for form in forms for e in form if e.kind == "slot"}
    for slot in slots_in(" ".join(f"{c.attribute} {c.value} {c.text}" for c in changes)):
        if slot not in known:
            raise InputError("F024", f"frame {name!r} writes <{slot}>, which none of its forms holds")


def slots_in(text: str) -> list[str]:
    """The names of the slots in a text or value: ``<thing>`` as it stands, ``<=thing>`` without article."""
    return re.findall(r"<=?([a-z_]+)\??>", text)


def gather(tables: Mapping[str, Mapping[str, Any]], words: Mapping[str, Any]) -> Frames:
    """Compiles tables of frames, with the word lists of ``frames/words.toml``."""
    frames = tuple(compile_frame(name, table) for name, table in tables.items())
    by_word: dict[str, list[tuple[Frame, Form]]] = {}
    for frame, form in _forms(frames):
        for word in sorted(anchor(form) or ()):
            by_word.setdefault(word, []).append((frame, form))
    return Frames(
        frames=frames,
        by_word={word: tuple(found) for word, found in by_word.items()},
        light=frozenset(tuple(entry.split()) for entry in words["light"]["words"]),
        blockers=frozenset(words["blockers"]["words"]),
        passing=frozenset(words["passing"]["words"]),
        vague=frozenset(words["vague"]["words"]),
        groups=words["groups"],
        classes={name: frozenset(found) for name, found in words["classes"].items()},
    )


def _forms(frames: tuple[Frame, ...]) -> Iterator[tuple[Frame, Form]]:
    for frame in frames:
        for form in frame.forms:
            yield frame, form
