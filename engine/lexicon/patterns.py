"""The notation of the lexicon's patterns, as told in ``engine.lexicon``."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InputError
from engine.types import Effect

PREPOSITIONS = frozenset(
    "in at on for with to from of as by about into onto over under near around off after against through "
    "between during within without towards toward like than per via outside inside beside past across before until "
    "till since behind among along round despite".split()
)


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a pattern's value stands: as ``object``, behind a preposition (``prep``), as the modifier of a
    literal (``modifier``), or nowhere (``fixed``, the value is ``value``)."""

    place: str
    word: str = ""
    classes: frozenset[str] = frozenset()
    value: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way to say something about an attribute."""

    source: str
    attribute: str
    effect: Effect
    verbs: frozenset[str]
    literals: tuple[frozenset[str], ...]
    slot: Slot
    kinds: tuple[frozenset[str], ...] = ()

    @property
    def specificity(self) -> int:
        """More literals, a class or a preposition make a pattern the better match."""
        return (
            3 * (len(self.literals) + (self.slot.place == "modifier"))
            + 2 * len(self.kinds)
            + 2 * bool(self.slot.classes)
            + (self.slot.place == "prep")
        )


def compile_pattern(source: str, attribute: str, effect: Effect) -> Pattern:
    """Reads one pattern of the notation in the docstring of ``engine.lexicon``.

    Raises
    ------
    InputError
        The pattern has no verb, or more than one slot.
    """
    body, _, value = (part.strip() for part in source.partition("=>"))
    words = body.split()
    if not words or words[0].startswith(("*", "{")):
        raise InputError("F020", f"pattern {source!r} of {attribute!r} must begin with a verb's lemma")
    verbs, rest = frozenset(words[0].split("|")), words[1:]
    slots = [i for i, w in enumerate(rest) if w.startswith(("*", "{"))]
    stars = [i for i in slots if rest[i].startswith("*")]
    if len(stars) > 1:
        raise InputError("F021", f"pattern {source!r} of {attribute!r} has more than one slot; split it in two")
    chosen = stars[:1] or slots[-1:]
    kinds = tuple(frozenset(rest[i].strip("{}").split("|")) for i in slots if i not in chosen)
    rest = [w for i, w in enumerate(rest) if i not in slots or i in chosen]
    slots = [i for i, w in enumerate(rest) if w.startswith(("*", "{"))]
    if not slots:
        literals, slot = rest, Slot("fixed", value=value)
    else:
        at = slots[0]
        slot_word, _, modified = rest[at].partition("+")
        classes = frozenset(slot_word.strip("{}").split("|")) if slot_word.startswith("{") else frozenset()
        before = rest[at - 1] if at else ""
        literals = [w for i, w in enumerate(rest) if i != at]
        if modified:
            slot = Slot("modifier", modified, classes, value)
        elif before and set(before.split("|")) <= PREPOSITIONS:
            slot = Slot("prep", before, classes, value)
            literals.remove(before)
        else:
            slot = Slot("object", "", classes, value)
    return Pattern(source, attribute, effect, verbs, tuple(frozenset(w.split("|")) for w in literals), slot, kinds)
