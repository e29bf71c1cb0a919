"""How the speaker stands to a clause: negation, modality, tense, endings.

Negation is decided here and nowhere else: ``polarity_of``.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.facts.clauses import Clause
from engine.facts.tree import Tree
from engine.lexicon import Lexicon
from engine.types import Effect, Modality, Polarity, Tense, Token

_FUTURE = {"will", "'ll", "wo", "shall"}
_POSSIBLE = {"may", "might", "could"}
AMBIGUOUS_PAST = {"quit", "cut", "hit", "shut", "split", "spread", "hurt", "beat", "bet", "put", "shed", "broadcast"}
_OBLIGED = {"must", "should", "ought", "need", "dare"}


@dataclass(frozen=True, slots=True)
class Stance:
    """``hypothetical`` marks what is neither said to be nor planned ("I would never …", "if …");
    ``ended`` an explicit end ("no longer", "not any more", "quit"), ``bare`` where nothing but the end is
    told; ``former`` what used to be; ``aspect`` what a control verb does to the state."""

    polarity: Polarity
    modality: Modality
    tense: Tense
    aspect: Effect
    ended: bool = False
    bare: bool = False
    former: bool = False
    hypothetical: bool = False
    obliged: bool = False
    progressive: bool = False
    all_of: bool = False


def stance_of(clause: Clause, lexicon: Lexicon) -> Stance:
    """Reads the verb group of a clause.

    Parameters
    ----------
    clause : Clause
        Its chain of control verbs is read from the top down.
    lexicon : Lexicon
        For endings, hedges and aspect verbs.

    Returns
    -------
    Stance
        As told by auxiliaries, adverbs, control verbs and determiners.
    """
    tree = clause.tree
    auxiliaries = verb_auxiliaries(clause)
    words = {a.low for a in auxiliaries}
    adverbs = adverbs_of(clause)
    polarity, negated_end = polarity_of(clause, lexicon)
    aspect, modality, former = Effect.STATES, Modality.ASSERTED, False
    for i in clause.chain:
        names = control_names(tree, i)
        if tree[i].lemma == "use":
            former = True
        elif names & lexicon.cues["ends_verbs"]:
            aspect = Effect.ENDS
        elif names & lexicon.cues["starts_verbs"]:
            aspect = Effect.STARTS
        elif names & lexicon.cues["desire_verbs"]:
            modality = Modality.DESIRED
        elif names & lexicon.cues["intend_verbs"] or _going_to(tree, i):
            modality = Modality.INTENDED
    hypothetical = False
    if words & _POSSIBLE and not _ability(clause) or adverbs & {"maybe", "perhaps", "possibly"}:
        modality = Modality.POSSIBLE
    elif words & {"would", "'d"} and not _had(clause, auxiliaries):
        wants = {tree[i].lemma for i in (*clause.chain, clause.head)} & {"love", "like", "prefer", "enjoy"}
        modality = Modality.DESIRED if wants else modality
        hypothetical = not wants
    elif words & _FUTURE:
        modality = Modality.INTENDED
    hypothetical = hypothetical or bool(adverbs & {"almost", "nearly"})  # "I almost moved": I did not
    ended = negated_end or aspect is Effect.ENDS and polarity is Polarity.POSITIVE
    return Stance(
        polarity=polarity,
        modality=modality,
        tense=tense_of(clause, auxiliaries),
        aspect=Effect.ENDS if negated_end else aspect,
        ended=ended,
        bare=negated_end,
        former=former,
        hypothetical=hypothetical,
        obliged=bool(words & _OBLIGED),
        progressive=tree[clause.top].tag == "VBG" and any(a.lemma == "be" for a in auxiliaries),
        all_of=_all_of(clause, lexicon),
    )


def polarity_of(clause: Clause, lexicon: Lexicon) -> tuple[Polarity, bool]:
    """Whether a clause is negated, and whether the negation says that something has ended.

    Counted are "not", "never" and the like on any verb of the group, and "no" or "none" on what the verb
    governs; two of them cancel ("it's not that I never …"). "Not only" negates nothing.

    Returns
    -------
    (Polarity, bool)
        The bool is true for "no longer", "not … any more".
    """
    tree = clause.tree
    count, longer = 0, False
    complements = [c.i for c in tree.children(clause.head, "acomp", "attr", "prep", "dobj") if c.dep != "dobj"]
    for i in (*clause.chain, clause.head, *complements):
        for child in tree.children(i, "neg", "advmod", "preconj", "cc"):
            if i in complements and not (
                child.low == "longer" or child.i < i and (child.dep == "neg" or child.low == "neither")
            ):
                continue
            if child.low in ("not", "n't", "never", "nor", "neither") and not _only(tree, child):
                count += 1
            if child.low in ("longer", "more") and any(c.low == "no" for c in tree.children(child.i)):
                count, longer = count + 1, True
            if child.low in ("anymore", "longer") or child.low == "more" and _any(tree, child):
                longer = longer or count > 0 or child.low != "more"
        for child in tree.children(i, "dobj", "attr", "nsubj", "nsubjpass"):
            determiners = {c.low for c in tree.children(child.i, "det", "neg", "amod", "preconj")}
            if determiners & {"no", "neither"} or child.low in ("none", "nothing", "nobody", "neither"):
                count += 1
            if _any_more_phrase(tree, child):
                longer = True
    if count % 2 and clause.verb.lemma in lexicon.cues["unbearable"] and tree.children(clause.head, "dobj", "xcomp"):
        return Polarity.POSITIVE, False  # "can't stand mushrooms" affirms a dislike
    text = " ".join(t.low for t in tree.tokens)
    if count % 2 and any(f" {cue}" in f" {text}" for cue in ("any more", "anymore", "any longer", "no longer")):
        longer = True
    return (Polarity.NEGATIVE if count % 2 else Polarity.POSITIVE), longer and count % 2 == 1


def _only(tree: Tree, negation: Token) -> bool:
    after = negation.i + 1
    return after < len(tree.tokens) and tree[after].low in ("only", "just")


def _any(tree: Tree, token: Token) -> bool:
    return any(c.low == "any" for c in tree.children(token.i))


def _any_more_phrase(tree: Tree, noun: Token) -> bool:
    return any(c.low in ("anymore", "longer") for c in tree.children(noun.i, "advmod"))


def control_names(tree: Tree, i: int) -> set[str]:
    """A control verb's lemma, with its particle or preposition too."""
    verb = tree[i]
    extra = {c.low for c in tree.children(i, "prt", "prep", "acomp", "advmod")}
    names = {verb.lemma} | {f"{verb.lemma} {word}" for word in extra}
    if any(a.low in ("would", "'d") for a in tree.children(i, "aux")):
        names |= {f"would {verb.lemma}"}
    return names


def verb_auxiliaries(clause: Clause) -> list[Token]:
    """Auxiliaries of the top verb; a coordinated verb without its own shares those of the first."""
    tree = clause.tree
    own = list(tree.children(clause.top, "aux", "auxpass"))
    if own or clause.link != "conj" or clause.parent is None:
        return own
    if tree.child(clause.top, "nsubj", "nsubjpass") is not None:
        return own
    first = tree[tree[clause.top].head]
    shared = [a for a in tree.children(first.i, "aux") if a.i < first.i]
    verb = tree[clause.top]
    if any(a.tag == "MD" or a.low in ("to",) for a in shared):
        return shared if verb.tag in ("VB", "VBP") else []
    return shared if verb.tag == first.tag and verb.tag in ("VBN", "VBG") else []


def adverbs_of(clause: Clause) -> set[str]:
    """The adverbs on any verb of the clause, in lower case."""
    tree = clause.tree
    return {c.low for i in (*clause.chain, clause.head) for c in tree.children(i, "advmod", "neg")}


def tense_of(clause: Clause, auxiliaries: list[Token]) -> Tense:
    """Present, perfect, past or future, from the finite verb of the group."""
    verb = clause.tree[clause.top]
    words = {a.low for a in auxiliaries}
    if words & _FUTURE or _going_to(clause.tree, clause.top):
        return Tense.FUTURE
    if any(a.lemma == "have" and a.tag in ("VBP", "VBZ", "VB") for a in auxiliaries):
        return Tense.PERFECT
    finite = auxiliaries[0] if auxiliaries else verb
    if finite.tag == "VBD" or any(a.tag == "VBD" for a in auxiliaries):
        return Tense.PAST
    if not auxiliaries and verb.low in AMBIGUOUS_PAST and verb.tag in ("VBP", "VB"):
        return Tense.PAST
    if not auxiliaries and verb.tag == "VBN":
        return Tense.PERFECT if verb.lemma == "be" else Tense.PAST
    return Tense.PRESENT


def _going_to(tree: Tree, i: int) -> bool:
    below = tree.child(i, "xcomp")
    return tree[i].low == "going" and below is not None and any(c.low == "to" for c in tree.children(below.i, "aux"))


def _had(clause: Clause, auxiliaries: list[Token]) -> bool:
    return any(a.low == "'d" and a.lemma == "have" for a in auxiliaries)


def _ability(clause: Clause) -> bool:
    """ "Could" of the past ("I could swim at four") is told by a time of the past; rare, so left as possible."""
    return False


def _all_of(clause: Clause, lexicon: Lexicon) -> bool:
    """Whether the object names every member: "all my cars", "both of them", "no pets"."""
    tree = clause.tree
    for child in (*tree.children(clause.head, "dobj", "attr"), *tree.children(clause.top, "nsubj", "nsubjpass")):
        inside = [tree[j].low for j in tree.subtree(child.i) if j <= child.i]
        if set(inside) & {"all", "both", "every", "none", "any", "no"} or child.low in ("everything", "both", "all"):
            return True
    return False
