"""Clause → attribute, value and effect, by the lexicon's patterns. Add a predicate in the lexicon, not here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from engine import world
from engine.facts.arguments import Argument, arguments
from engine.facts.clauses import Clause
from engine.facts.tree import Tree
from engine.lexicon import Lexicon, Pattern, singular
from engine.types import Effect, Token


@dataclass(frozen=True, slots=True)
class Reading:
    """What a clause's verb and arguments come to.

    ``value`` is the position of the phrase that holds the value (None where it is fixed or missing),
    ``fixed`` the value given by the pattern, ``borrowed`` that the pattern rests on words that tell another
    attribute ("a nurse at …"), ``predicate`` the verb with particle and preposition.
    """

    predicate: str
    value: int | None
    argument: Argument | None = None
    attribute: str | None = None
    effect: Effect = Effect.STATES
    fixed: str = ""
    borrowed: bool = False
    modifiers: tuple[int, ...] = ()


def read(clause: Clause, lexicon: Lexicon) -> Reading:
    """Types a clause: the best of ``readings``."""
    return readings(clause, lexicon)[0]


def readings(clause: Clause, lexicon: Lexicon) -> list[Reading]:
    """All that a clause tells, one reading an attribute.

    "I'm a nurse at the Royal Infirmary" tells an occupation and an employer, "traded the Panda in for a
    Berlingo" an end and a beginning.

    Parameters
    ----------
    clause : Clause
        Any clause with a verb.
    lexicon : Lexicon
        Its patterns, most specific first.

    Returns
    -------
    list of Reading
        The best pattern's first; then those of other attributes (or effects) whose value stands elsewhere
        and which the lexicon can write as statements of their own. Without any pattern the most direct
        argument is the value.
    """
    args = arguments(clause)
    bag = _bag(clause, args)
    found: list[Reading] = []
    for verb in verb_names(clause):
        for pattern in lexicon.patterns.get(verb, ()):
            reading = _match(pattern, verb, clause, args, bag, lexicon)
            if reading is not None and (not found or _adds(reading, found, lexicon)):
                found.append(reading)
    found.sort(key=lambda r: r.borrowed)  # what stands on its own leads
    return found or [_plain(clause, args)]


def _adds(reading: Reading, found: list[Reading], lexicon: Lexicon) -> bool:
    """Whether a further reading tells something of its own."""
    if reading.value is None or reading.modifiers or not lexicon.attributes[reading.attribute or ""].render:
        return False
    if reading.argument is None:
        return False
    taken = {(r.attribute, r.effect) for r in found}
    return (
        reading.value not in {r.value for r in found}
        and (reading.attribute, reading.effect) not in taken
        and all(r.attribute != reading.attribute or r.effect is not reading.effect for r in found)
    )


def verb_names(clause: Clause) -> list[str]:
    """The lemmas under which a clause is looked up; a passive is "be" (or "get") with its participle."""
    tree, verb = clause.tree, clause.verb
    passive = tree.child(clause.head, "auxpass")
    if passive is not None:
        return ["get" if passive.lemma == "get" else "be", verb.lemma]
    if verb.lemma in ("be", "'s", "'m", "s", "m", "ai"):
        return ["be"]
    if verb.low in ("got", "'ve") and any(a.lemma == "have" for a in tree.children(clause.head, "aux")):
        return ["have", "get"]
    return [verb.lemma]


def _bag(clause: Clause, args: Collection[Argument]) -> dict[str, int]:
    """The words that a pattern's literals may match, each with its position."""
    tree = clause.tree
    positions = {clause.head} if tree.child(clause.head, "auxpass") is not None else set()
    for i in (clause.head, *clause.chain):
        for child in tree.children(i, "prt", "advmod", "npadvmod", "prep", "aux", "acomp"):
            positions.add(child.i)
            positions |= {c.i for c in tree.children(child.i, "advmod", "amod", "prep")}
    for arg in args:
        positions.add(arg.head)
        positions |= set(arg.through)
        positions |= {c.i for c in tree.children(arg.head, "compound", "amod", "nummod", "nmod", "det")}
    bag: dict[str, int] = {}
    for i in sorted(positions):
        for word in (tree[i].low, tree[i].lemma, singular(tree[i].low)):
            bag.setdefault(word, i)
    return bag


def _match(
    pattern: Pattern, verb: str, clause: Clause, args: list[Argument], bag: dict[str, int], lexicon: Lexicon
) -> Reading | None:
    used, said = [], []
    for literal in pattern.literals:
        word = next((w for w in sorted(literal) if w in bag), None)
        if word is None:
            return None
        used.append(bag[word])
        said.append(word)
    tree, slot = clause.tree, pattern.slot
    for kind in pattern.kinds:
        at = next((a.head for a in args if _in_classes(lexicon, kind, tree, a.head)), None)
        if at is None:
            return None
        used.append(at)
    predicate = " ".join([verb, *said])
    if slot.place == "fixed":
        if not pattern.literals and any(a.role == "object" for a in args):
            return None  # "run" alone is no "runs a blog"
        return Reading(predicate, None, None, pattern.attribute, pattern.effect, slot.value)
    if slot.place == "modifier":
        noun = bag.get(slot.word)
        before = [] if noun is None else [
            c for c in tree.children(noun, "compound", "amod", "nmod", "poss", "nummod", "quantmod") if c.i < noun
        ]  # fmt: skip
        if noun is None or not before or not _in_classes(lexicon, slot.classes, tree, before[-1].i):
            return None
        arg = next((a for a in args if a.head == noun), None)
        modifiers = tuple(c.i for c in before)
        return Reading(f"{predicate} {slot.word}", noun, arg, pattern.attribute, pattern.effect, modifiers=modifiers)
    for arg in args:
        if arg.head in used or (slot.place == "prep") != (arg.role == "prep"):
            continue
        if slot.place == "prep" and arg.prep not in slot.word.split("|"):
            continue
        if not slot.classes and is_time(tree, arg.head) and pattern.attribute not in TIMED:
            continue
        if not any(_in_classes(lexicon, slot.classes, tree, t.i) for t in tree.conjuncts(arg.head)):
            continue
        if slot.place == "prep":
            predicate = f"{predicate} {arg.prep}"
        beside = (
            slot.place == "prep" and verb == "be" and any(a.role == "complement" and a.head not in used for a in args)
        )
        borrowed = bool(pattern.kinds) or beside or verb == "be" and slot.word == "as"
        return Reading(predicate, arg.head, arg, pattern.attribute, pattern.effect, borrowed=borrowed)
    return None


def _in_classes(lexicon: Lexicon, classes: frozenset[str], tree: Tree, i: int) -> bool:
    if not classes:
        return True
    token = tree[i]
    known_place = (token.pos == "PROPN" or token.text[:1].isupper()) and world.is_place(
        " ".join(tree[j].text for j in noun_core(tree, i))
    )
    if "place" in classes and (known_place or token.ent in ("GPE", "LOC", "FAC")):
        return True
    if known_place and "organisation" in classes and tree.child(i, "compound") is None:
        classes = classes - {"organisation"}  # the small model takes many towns for companies
        if not classes:
            return False
    if "person" in classes and token.ent == "PERSON":
        return True
    words = [tree[j].low for j in noun_core(tree, i)]
    if "organisation" in classes and token.ent == "ORG" and not any(lexicon.in_class(c, words) for c in PRODUCTS):
        return True
    return any(lexicon.in_class(name, words) for name in sorted(classes))


PRODUCTS = ("phone", "device", "os", "vehicle")
"""What the small model takes for companies: their products."""


def noun_core(tree: Tree, i: int) -> list[int]:
    """The head of a phrase with the modifiers before it, without determiners and possessors."""
    keep = ("compound", "amod", "nummod", "nmod", "punct", "npadvmod", "advmod")
    return sorted([c.i for c in tree.children(i, *keep) if c.i < i and c.pos != "PUNCT"] + [i])


def _plain(clause: Clause, args: list[Argument]) -> Reading:
    """No pattern: the verb with its particle, and the most direct argument as the value."""
    tree = clause.tree
    particle = tree.child(clause.head, "prt")
    words = [verb_names(clause)[0], *([particle.low] if particle else [])]
    direct = [a for a in args if a.role == "object"] or [a for a in args if a.role == "complement"]
    if direct and direct[0].role == "complement" and tree[direct[0].head].pos == "ADJ":
        onward = [a for a in args if a.role == "prep" and tree[a.through[0]].head == direct[0].head]
        if onward:
            return Reading(f"be {tree[direct[0].head].low} {onward[0].prep}", onward[0].head, onward[0])
    if tree.child(clause.head, "auxpass") is not None:
        words.append(clause.verb.low)
    chosen = next(iter(direct or [a for a in args if a.role == "prep" and not is_time(tree, a.head)] or args), None)
    if chosen is None:
        return Reading(" ".join(words), None)
    if chosen.role == "prep":
        words.append(chosen.prep)
    return Reading(" ".join(words), chosen.head, chosen)


# Attributes whose value is a time; elsewhere a time beside the verb is no value ("teaches at weekends").
TIMED = frozenset("wake_time bedtime sleep work_schedule birthday anniversary wedding appointment deadline age age_of "
                  "working_hours schedule shift meeting exam flight trip due_date exercise_time".split())  # fmt: skip

_UNITS = frozenset(
    "second minute hour day week weekend month year decade morning afternoon evening night noon midnight monday tuesday "
    "wednesday thursday friday saturday sunday january february march april may june july august september "
    "october november december spring summer autumn winter christmas easter today tomorrow yesterday tonight".split()
)


def is_time(tree: Tree, i: int) -> bool:
    """Whether a phrase tells a time: by its entity, or by its head being a unit or name of time."""
    token: Token = tree[i]
    if singular(token.low) in _UNITS:
        return True
    # The small model takes some names for dates ("works at Lidl").
    named = token.pos == "PROPN" and not any(c.isdigit() for j in noun_core(tree, i) for c in tree[j].text)
    return token.ent in ("DATE", "TIME") and not named
