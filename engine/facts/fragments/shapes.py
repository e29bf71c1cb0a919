"""The shapes of fragments, from ``engine/lexicon/fragments.toml``: a piece of text → the sentences that it stands for."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine import lexicon as lexicons
from engine import world
from engine.facts.fragments.slots import Slots, lasts, spelt
from engine.lexicon import Lexicon

PATH = Path(lexicons.__file__).parent / "fragments.toml"
_SLOT = re.compile(r"\{([=a-z_]+\d?\??)\}")
_PART = re.compile(r"\{(?:(\w+):)?(\w+)\}")
_OPTIONAL = frozenset("adv at be by count from fresh how link more now org so when with whom".split())
_BARE = re.compile(r"(?:an?|the|my|our|both|between|out of|on)\b|\d", re.I)
_NAMED = frozenset(
    "place org employer name names fullname firstname zodiac demonym language religion value pair".split()
)
_NO_WORD_WITHOUT = frozenset("Monday Tuesday Wednesday Thursday Friday Saturday Sunday PhD MSc MBA".split())
_CLOSED = re.compile(r"(?:uni(?!n|m)|use|usual|uk\b|us\b|euro|one|ukulele|utility|ux)")

WEIGHTS = {"no": 2.0, "yes": 1.0, "very": 0.5}
"""How much a shape says of the speaker, by how weak it is."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape: how it is recognised, what it says, and how surely that is said of the speaker."""

    name: str
    expression: re.Pattern[str]
    slots: tuple[str, ...]
    says: tuple[str, ...]
    weight: float
    twice: bool
    follows: bool
    beside: frozenset[str]
    labels: frozenset[str]
    needs: frozenset[str]
    examples: tuple[tuple[str, str], ...]
    counter: tuple[str, ...]

    @property
    def weak(self) -> bool:
        return self.weight < WEIGHTS["no"]


@cache
def table() -> Mapping[str, Any]:
    """The file as it stands."""
    return tomllib.loads(PATH.read_text(encoding="utf-8"))


@cache
def word_lists() -> Mapping[str, frozenset[str]]:
    """The lists of words, by name."""
    return {name: frozenset(entry["words"]) for name, entry in table()["words"].items()}


class Shapes:
    """All shapes over one lexicon.

    Parameters
    ----------
    lexicon : Lexicon
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.words = word_lists()
        self.slots = Slots(lexicon, self.words)
        shapes = [self._shape(name, entry) for name, entry in table()["shape"].items()]
        self.all = tuple(sorted(shapes, key=lambda shape: -shape.weight))
        self.labels = frozenset(label for shape in self.all for label in shape.labels)

    def _shape(self, name: str, entry: Mapping[str, Any]) -> Shape:
        expression = re.compile(_SLOT.sub(lambda m: self.slots.expression(m[1]), entry["match"]), re.I)
        return Shape(
            name=name,
            expression=expression,
            slots=tuple(expression.groupindex),
            says=tuple(entry["says"]),
            weight=WEIGHTS[entry.get("weak", "no")],
            twice=bool(entry.get("twice", False)),
            follows=bool(entry.get("follows", False)),
            beside=frozenset(entry.get("beside", ())),
            labels=frozenset(entry.get("label", ())),
            needs=frozenset(filter(None, entry.get("needs", "").split("|"))),
            examples=tuple((a, b) for a, b in entry["examples"]),
            counter=tuple(entry["counter"]),
        )

    def of(self, text: str, label: str = "", fresh: bool = False) -> tuple[Shape, tuple[str, ...]] | None:
        """The first shape that a piece of text has, and the sentences that it stands for.

        Parameters
        ----------
        text : str
            A piece between commas.
        label : str
            The label before it, in small letters, where it is one of ``labels``.
        fresh : bool
            Whether the label says that it is new.
        """
        for shape in self.all:
            if (label in shape.labels) if label else not shape.labels:
                said = self.said(shape, text, label, fresh)
                if said:
                    return shape, said
        return None

    def said(self, shape: Shape, text: str, label: str = "", fresh: bool = False) -> tuple[str, ...]:
        """What a piece of text says, read as a given shape; empty where it has another."""
        match = shape.expression.fullmatch(text)
        if match is None:
            return ()
        caught = {slot: value for slot, value in match.groupdict().items() if value}
        opening = {
            slot: _small(value) for slot, value in caught.items() if match.start(slot) == 0 and slot not in _NAMED
        }
        if shape.needs and not shape.needs & set(caught):
            return ()
        if not all(self.slots.takes(slot, value) for slot, value in caught.items()):
            return ()
        caught |= opening
        if fresh:
            caught["fresh"] = "now"
        if label:
            caught["label"] = re.sub(r"^(?:my|new) ", "", label)
        return tuple(filter(None, (_written(template, caught) for template in shape.says)))


def _written(template: str, caught: Mapping[str, str]) -> str:
    """A template with its slots filled, or nothing where one that it cannot do without is empty."""
    out = _PART.sub(lambda m: _filled(m[1] or "", m[2], caught), template)
    missing = any(
        name not in caught and name not in _OPTIONAL and form not in ("called", "withthe", "kidding")
        for form, name in _PART.findall(template)
    )
    return "" if missing else " ".join(out.split())


def _filled(form: str, slot: str, caught: Mapping[str, str]) -> str:
    """What stands in a template for a slot, in the form that it asks for."""
    if slot == "be":
        return "I have been" if lasts(caught.get("when", "")) else "I am"
    value = caught.get(slot, "")
    if slot in ("when", "long"):
        value = (" " if value.startswith(" ") else "") + spelt(value)
    if form == "a" and "count" in caught:
        return value
    return _FORMS[form](value) if value or form == "kidding" else ""


def _small(text: str) -> str:
    """The first letter small, as within a sentence; names and abbreviations keep theirs."""
    first = text.split()[0] if text.strip() else ""
    if not re.fullmatch(r"[\w'’-]*[a-zà-ÿ]", first[1:]) or world.demonym_of(first) or first in _NO_WORD_WITHOUT:
        return text
    return text[0].lower() + text[1:]


def with_article(text: str) -> str:
    """A noun phrase with "a" or "an"; an adjective, and what has one already, is left as it is."""
    if _BARE.match(text) or text.lower() in word_lists()["states"]:
        return text
    sound = text.lower()
    open_ = sound.startswith(("hour", "honest", "hr ", "mp", "mba", "msc", "ngo")) or sound[:1] in "aeiou"
    return ("an " if open_ and not _CLOSED.match(sound) else "a ") + text


def _dated(day: str) -> str:
    """ "Tuesday 9:30" as one says it: "on Tuesday at 9:30"."""
    day = re.sub(r",? (?:at )?(?=\d{1,2}(?:[:.]\d\d| ?(?:am|pm))|noon)", " at ", day)
    return day if re.match(r"(?:tomorrow|next|this)\b", day, re.I) else f"on {day}"


def _appointed(named: str) -> str:
    """ "dentist" is an appointment there."""
    bare = re.sub(r"^my ", "", named, flags=re.I)
    return f"{bare} appointment" if bare.split()[-1].lower() in word_lists()["appointed"] else bare


def _unaged(names: str) -> str:
    """Names without the ages in brackets behind them."""
    return re.sub(r" \(\d+\)", "", names)


_FORMS: Mapping[str, Callable[[str], str]] = {
    "": str,
    "unaged": _unaged,
    "a": with_article,
    "called": " called {}".format,
    "kidding": lambda kind: kind or " kids",
    "on": _dated,
    "withthe": " with the {}".format,
    "appointed": _appointed,
}
