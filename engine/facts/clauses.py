"""Who does what: every clause of a sentence with its subject.

Coordination hands the subject down ("I live in Denver, work remotely and have a dog"), relative clauses
take it from what they describe ("Ana, who lives in Lima"), aspect and control verbs are looked through
("started learning Korean", "used to play"), and a casual past tense without a subject is the speaker's
("moved to Doha last month").
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.facts.tree import Tree
from engine.lexicon import Lexicon
from engine.types import Token

_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "expl")
_CLAUSAL = {"ROOT", "conj", "ccomp", "advcl", "relcl", "parataxis", "dep", "pcomp", "acl", "xcomp", "csubj"}
_RELATIVE = {"who", "which", "that", "whom"}
_CAUSAL = {"because", "since", "as", "so", "although", "though", "while", "whereas", "cause", "coz", "but", "and", ""}
PAST_FORMS = {
    "got",
    "went",
    "had",
    "bought",
    "sold",
    "left",
    "lost",
    "found",
    "met",
    "saw",
    "made",
    "took",
    "gave",
    "won",
}
SPEAKER = -1  # the subject of a clause without one that can only be the speaker's


@dataclass(frozen=True, slots=True)
class Clause:
    """One predication.

    ``head`` is the verb that carries the meaning, ``top`` the one that subject and auxiliaries hang on
    (``top == head`` without a control verb), ``chain`` the control verbs from the top down. ``subject`` is
    the position of the subject's head, ``SPEAKER`` where it is left out, None where there is none.
    ``link`` tells how it hangs on the rest: main, conj, relcl, causal, conditional, temporal, content,
    participle; ``parent`` is the top of the clause it hangs on.
    """

    tree: Tree
    head: int
    top: int
    chain: tuple[int, ...]
    subject: int | None
    link: str
    parent: int | None

    @property
    def verb(self) -> Token:
        return self.tree[self.head]


def clauses(tree: Tree, lexicon: Lexicon) -> list[Clause]:
    """The clauses of a sentence in the order of the text.

    Parameters
    ----------
    tree : Tree
        The parsed sentence.
    lexicon : Lexicon
        For the verbs that are looked through.

    Returns
    -------
    list of Clause
        One for each finite or participial predication; a verb swallowed by a control verb has none.
    """
    tops = [t for t in tree.tokens if _is_predicate(tree, t)]
    chains = {t.i: _chain(tree, t, lexicon) for t in tops}
    swallowed = {i for chain in chains.values() for i in chain[1:]}
    found: dict[int, Clause] = {}
    for top in sorted((t for t in tops if t.i not in swallowed), key=lambda t: (_depth(tree, t.i), t.i)):
        chain = chains[top.i]
        parent = _parent(tree, top.i, found)
        link = _link(tree, top, parent, lexicon)
        subject = _subject(tree, top, link, parent)
        found[top.i] = Clause(tree, chain[-1], top.i, chain[:-1], subject, link, parent.top if parent else None)
    return [found[i] for i in sorted(found)]


def _is_predicate(tree: Tree, token: Token) -> bool:
    if token.dep not in _CLAUSAL:
        return False
    if token.pos not in ("VERB", "AUX"):
        return False
    if token.dep in ("acl", "pcomp"):
        return False  # "a book called X", "instead of driving": part of the phrase it stands in
    if token.dep == "xcomp":
        return False  # reached through its control verb, or an object of liking
    if token.dep == "conj":
        first = tree[token.head]
        if tree.child(token.i, "nsubj", "nsubjpass") is not None:
            return True
        return first.pos in ("VERB", "AUX") and first.dep not in ("acl", "pcomp", "amod")
    return True


def _chain(tree: Tree, top: Token, lexicon: Lexicon) -> tuple[int, ...]:
    """From a control verb down to the verb that carries the meaning."""
    chain = [top.i]
    while True:
        at = tree[chain[-1]]
        below = tree.child(at.i, "xcomp")
        if below is None or below.pos not in ("VERB", "AUX") or not is_control(tree, at, lexicon):
            return tuple(chain)
        chain.append(below.i)


def is_control(tree: Tree, verb: Token, lexicon: Lexicon) -> bool:
    """Whether a verb only says how the next verb goes on: start, stop, keep, want, plan, used to."""
    particle = tree.child(verb.i, "prt")
    names = {verb.lemma, f"{verb.lemma} {particle.low}" if particle else verb.lemma}
    if verb.lemma == "use" and verb.tag == "VBD":
        return True
    if verb.lemma in ("go", "have", "get", "need", "seem", "tend", "manage", "come", "happen"):
        return True
    if verb.lemma in ("like", "love", "prefer") and any(a.low in ("would", "'d") for a in tree.children(verb.i, "aux")):
        return True
    kinds = ("starts_verbs", "ends_verbs", "continues_verbs", "desire_verbs", "intend_verbs")
    return any(names & lexicon.cues[kind] for kind in kinds)


def _depth(tree: Tree, i: int) -> int:
    return sum(1 for _ in tree.ancestors(i))


def _parent(tree: Tree, i: int, found: dict[int, Clause]) -> Clause | None:
    inner = {c.head: c for c in found.values()} | {j: c for c in found.values() for j in c.chain} | found
    return next((inner[a.i] for a in tree.ancestors(i) if a.i in inner), None)


def _link(tree: Tree, top: Token, parent: Clause | None, lexicon: Lexicon) -> str:
    mark = tree.child(top.i, "mark")
    word = mark.low if mark else ""
    when = next((c.low for c in tree.children(top.i, "advmod") if c.low in ("when", "whenever", "where", "how")), "")
    if word in lexicon.cues["conditional"] - {"would"}:
        return "conditional"
    if parent is None:
        return "main"
    if top.dep == "relcl":
        return "relcl"
    if top.dep == "conj":
        return "conj"
    if top.dep in ("ccomp", "csubj") and not _runs_on(tree, top):
        return "content"
    if top.dep == "advcl":
        if when or word in ("when", "while", "after", "before", "until", "till", "once", "whenever"):
            return "temporal"
        if top.tag in ("VBG", "VBN") and not mark:
            return "participle"
        if top.tag == "VB" and tree.child(top.i, "aux") is not None:
            return "purpose"
        finite = next((a for a in tree.children(top.i, "aux")), top)
        perfect = parent is not None and any(a.lemma == "have" for a in tree.children(parent.top, "aux"))
        if word == "since" and (perfect or finite.tag == "VBD"):
            return "temporal"
        return "causal" if word in _CAUSAL else "temporal"
    return "main"


def _runs_on(tree: Tree, top: Token) -> bool:
    """A comma splice ("I'm 29, I live in …") comes out of the parser as a clause that is an object."""
    if tree.child(top.i, *_SUBJECTS) is None or tree.child(top.i, "mark") is not None:
        return False
    low, high = sorted((top.i, top.head))
    start = min(tree.subtree(top.i)) if top.i > top.head else low
    between = (
        [tree[j] for j in range(low, high)] if top.i < top.head else [tree[j] for j in range(high - 1, start - 2, -1)]
    )
    marks = {",", ";", "-", "."} | ({"so"} if top.i > top.head else set())
    return any(t.low in marks for t in between)


def _subject(tree: Tree, top: Token, link: str, parent: Clause | None) -> int | None:
    own = tree.child(top.i, *_SUBJECTS)
    if own is not None and own.dep != "csubj":
        if link == "relcl" and own.low in _RELATIVE:
            return top.head
        return own.i
    if own is None and link == "relcl":
        return top.head if any(c.low in _RELATIVE for c in tree.children(top.i, "nsubj", "nsubjpass")) else None
    fronted = parent is not None and top.i < parent.top and top.tag in ("VBD", "VBN")
    if fronted and link in ("main", "participle") and top.i == _first_word(tree):
        return SPEAKER  # "Traded the Panda in, the hives fit in the back": not the hives did
    if parent is not None and link in ("conj", "participle", "main", "purpose"):
        if link == "conj" and _is_order(tree, top):
            return None
        if link != "main" or top.dep == "dep":
            return parent.subject
    if link in ("main", "conj") and _spoken_without_subject(tree, top):
        return SPEAKER
    return None


def _is_order(tree: Tree, top: Token) -> bool:
    """ "My name is Konstantina but call me Dina": a base form after a finite verb is an imperative."""
    first = tree[top.head]
    shared = any(a.tag == "MD" or a.low in ("to", "do", "did", "does") for a in tree.children(first.i, "aux"))
    own = tree.children(top.i, "aux")
    return (
        top.tag == "VB"
        and first.tag in ("VBZ", "VBD", "VBN", "VBG")
        and not shared
        and not own
        or (top.tag in ("VB", "VBP") and first.lemma == "be" and not own and not shared)
    )


def _first_word(tree: Tree) -> int:
    """The first position that is no interjection, conjunction, adverb or punctuation."""
    return next((t.i for t in tree.tokens if t.pos not in ("PUNCT", "INTJ", "CCONJ", "ADV", "AUX")), 0)


def _spoken_without_subject(tree: Tree, top: Token) -> bool:
    """Past tenses and participles have no imperative: "moved to Doha last month", "been a vegetarian"."""
    if top.tag in ("VBD", "VBN", "VBG"):
        return True
    if top.low in PAST_FORMS or top.low != top.lemma and top.low.endswith("ed"):
        return True
    return top.tag in ("VBP",) and all(t.pos in ("PUNCT", "ADV", "INTJ", "CCONJ") for t in tree.tokens[: top.i])
