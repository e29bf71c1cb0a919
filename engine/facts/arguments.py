"""What a clause's verb governs: objects, complements and prepositional phrases, each by its head."""

from __future__ import annotations

from dataclasses import dataclass

from engine.facts.clauses import Clause
from engine.facts.tree import Tree
from engine.types import Token


@dataclass(frozen=True, slots=True)
class Argument:
    """``role`` is object, dative ("gave *her* the key"), complement or prep; ``prep`` the preposition; ``head`` the phrase's
    head; ``through`` the tokens between verb and phrase (preposition, "out" of "out of")."""

    role: str
    head: int
    prep: str = ""
    through: tuple[int, ...] = ()


def arguments(clause: Clause) -> list[Argument]:
    """All arguments of a clause in the order of the text, those of its complement and object included."""
    tree = clause.tree
    found: list[Argument] = []
    for i in (clause.head, *clause.chain):
        for child in tree.children(i):
            if child.dep == "dative" and child.pos != "ADP":
                found.append(Argument("dative", child.i))
            elif child.dep == "dobj" and child.pos != "ADP":
                found.append(Argument("object", child.i))
                found += _prepositional(tree, child.i)
            elif child.dep in ("attr", "acomp", "oprd"):
                found.append(Argument("complement", child.i))
                found += _prepositional(tree, child.i)
            elif child.dep == "xcomp" and child.i not in (*clause.chain, clause.head):
                found.append(Argument("object", child.i))
            elif child.dep in ("prep", "agent", "dative"):
                found += _phrases(tree, child, ())
            elif child.dep == "advmod":
                found += _prepositional(tree, child.i)
    if is_passive(clause):
        found += []
    return sorted(found, key=lambda a: a.head)


def _prepositional(tree: Tree, i: int) -> list[Argument]:
    return [a for child in tree.children(i, "prep") for a in _phrases(tree, child, ())]


def _phrases(tree: Tree, preposition: Token, through: tuple[int, ...]) -> list[Argument]:
    """ "in Leeds", "out of Leeds", "in a flat in Leeds" (the inner phrase too)."""
    out: list[Argument] = []
    path = (*through, preposition.i)
    for child in tree.children(preposition.i):
        if child.dep in ("pobj", "pcomp", "amod", "acomp"):
            out.append(Argument("prep", child.i, preposition.low, path))
            out += _prepositional(tree, child.i)
        elif child.dep == "prep":
            out += _phrases(tree, child, path)
    return out


def is_passive(clause: Clause) -> bool:
    """Whether the meaning verb is a passive ("was born") or a get-passive ("got married")."""
    return clause.tree.child(clause.head, "auxpass") is not None
