"""What the parser gets wrong in a way that can be told from the tree alone, put right.

Each repair is a function from tokens to tokens and names the pattern it mends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from engine import world
from engine.cleaning import spoken
from engine.types import Token

Tokens = tuple[Token, ...]


def coordinated_subjects(tokens: Tokens) -> Tokens:
    """ "Paula and I have moved": two subjects of one verb, the first with a dangling "and"."""
    out = list(tokens)
    for second in tokens:
        if second.dep not in ("nsubj", "nsubjpass"):
            continue
        for first in tokens[: second.i]:
            dangling = any(t.head == first.i and t.dep == "cc" and t.i == second.i - 1 for t in tokens)
            if first.dep == second.dep and first.head == second.head and dangling:
                out[second.i] = replace(second, dep="conj", head=first.i)
    return tuple(out)


def names_after_plural(tokens: Tokens) -> Tokens:
    """ "Two greyhounds, Flash and Nutmeg": the names are the greyhounds', not more things owned."""
    out = list(tokens)
    for name in tokens:
        head = tokens[name.head]
        if name.dep != "conj" or name.pos != "PROPN" or head.tag != "NNS" or name.i == head.i:
            continue
        linked = any(t.head == head.i and t.dep == "cc" for t in tokens)
        if not linked and tokens[head.i + 1].text in (",", ":", "-", "("):
            out[name.i] = replace(name, dep="appos")
    return tuple(out)


def name_as_subject(tokens: Tokens) -> Tokens:
    """ "My dog Rufus is limping": the name stands beside the noun, it is no second subject."""
    out = list(tokens)
    for name in tokens[1:]:
        noun = tokens[name.i - 1]
        if name.dep == noun.dep in ("nsubj", "nsubjpass") and name.head == noun.head and name.pos == "PROPN":
            if noun.pos == "NOUN" and _below(tokens, noun.i, "poss"):
                out[name.i] = replace(name, dep="appos", head=noun.i)
    return tuple(out)


def contrasts(tokens: Tokens) -> Tokens:
    """ "A banker, not a baker": what is set against the value gets a relation of its own, ``contrast``."""
    out = list(tokens)
    for negation in tokens:
        if negation.low != "not" or negation.i == 0 or tokens[negation.i - 1].text != ",":
            continue
        against = [t for t in tokens if t.dep in ("appos", "conj") and t.i > negation.i and t.head < negation.i
                   and t.pos not in ("VERB", "AUX")]  # fmt: skip
        if against:
            out[against[0].i] = replace(against[0], dep="contrast")
            out[negation.i] = replace(negation, dep="contrast")
    return tuple(out)


def adjective_as_root(tokens: Tokens) -> Tokens:
    """ "I'm not vegetarian any more": the adjective heads the clause, with the copula as its auxiliary."""
    for adjective in tokens:
        copula = next((t for t in tokens if t.head == adjective.i and t.dep in ("auxpass", "aux", "cop")
                       and t.lemma == "be" and t.i < adjective.i), None)  # fmt: skip
        if adjective.pos != "ADJ" or copula is None or adjective.dep not in ("ROOT", "conj", "ccomp", "advcl"):
            continue
        out = list(tokens)
        above = copula.i if adjective.head == adjective.i else adjective.head
        out[copula.i] = replace(copula, dep=adjective.dep, head=above, pos="AUX")
        out[adjective.i] = replace(adjective, dep="acomp", head=copula.i)
        for t in tokens:
            if t.head == adjective.i and t.i not in (adjective.i, copula.i):
                if t.i < copula.i or t.dep in (
                    "neg",
                    "aux",
                    "punct",
                    "cc",
                    "advcl",
                    "nsubj",
                    "nsubjpass",
                    "mark",
                    "conj",
                ):
                    out[t.i] = replace(t, head=copula.i, dep="nsubj" if t.dep == "nsubjpass" else t.dep)
        return adjective_as_root(tuple(out))
    return tokens


def addresses(tokens: Tokens) -> Tokens:
    """An e-mail address, URL or "they/them" behind "is" is its complement, not punctuation."""
    return tuple(
        replace(t, dep="attr", pos="PROPN", tag="NNP")
        if t.dep == "punct" and _is_address(t.text) and tokens[t.head].lemma == "be"
        else t
        for t in tokens
    )


def _is_address(text: str) -> bool:
    return any(mark in text for mark in ("@", "://", "www.")) or "/" in text[1:-1]


def object_as_subject(tokens: Tokens) -> Tokens:
    """ "I have a hamster and my brother has a snake": the brother is no second thing had."""
    out = list(tokens)
    for noun in tokens:
        head = tokens[noun.head]
        verb = next((t for t in tokens[noun.i + 1 : noun.i + 3] if t.pos in ("VERB", "AUX")), None)
        if noun.dep != "conj" or noun.pos not in ("NOUN", "PROPN") or head.dep not in ("dobj", "attr", "pobj"):
            continue
        finite = verb is not None and verb.tag in ("VBZ", "VBD", "VBP") and verb.dep in ("conj", "ccomp", "relcl")
        if finite and verb is not None and not any(t.head == verb.i and t.dep.startswith("nsubj") for t in tokens):
            out[noun.i] = replace(noun, dep="nsubj", head=verb.i)
            for t in tokens:
                if t.head == head.i and t.dep == "cc" and t.i < noun.i:
                    out[t.i] = replace(t, head=verb.head)
    return tuple(out)


_THOUGHTS = {"think", "believe", "reckon", "suppose", "guess", "imagine", "expect", "feel"}
_OPINIONS = _THOUGHTS - {"expect", "feel"} | {"assume", "suspect", "claim", "insist", "pretend"}
_SPEAKERS = {"i", "we"}
_CERTAIN = {"sure", "certain", "convinced"}
_CAN = {"can", "ca", "could"}


def _below(tokens: Tokens, i: int, *deps: str) -> list[Token]:
    return [t for t in tokens if t.head == i and t.i != i and t.dep in deps]


def denied_thoughts(tokens: Tokens) -> Tokens:
    """ "I never said I'm vegan", "I'm not sure she lives there", "I used to think I was shy": what is denied to be
    thought, or was thought once, is not told as true; "I can't believe I'm forty" is."""
    out = list(tokens)
    for thought in tokens:
        verb = tokens[thought.head] if thought.low in _CERTAIN else thought
        cleft = thought.lemma == "be" and any(t.low == "it" for t in _below(tokens, thought.i, "nsubj"))
        if not cleft and thought.lemma not in (*_THOUGHTS, "say", "claim") and thought.low not in _CERTAIN:
            continue
        denied = _below(tokens, verb.i, "neg") and not any(t.low in _CAN for t in _below(tokens, verb.i, "aux"))
        formerly = thought.lemma == "think" and (tokens[thought.head].low == "used" or thought.tag == "VBD")
        for content in _below(tokens, thought.i, "ccomp") if denied or formerly else []:
            if content.i > thought.i and (denied or _is_past(tokens, content)):
                out[content.i] = replace(content, dep="supposed")
    return tuple(out)


def _is_past(tokens: Tokens, verb: Token) -> bool:
    return verb.tag == "VBD" or any(t.tag == "VBD" for t in _below(tokens, verb.i, "aux", "auxpass"))


def reported_opinions(tokens: Tokens) -> Tokens:
    """ "People think I'm Spanish": what others think is not told as true; it gets a relation of its own, ``supposed``."""
    out = list(tokens)
    for thought in tokens:
        if thought.lemma not in _OPINIONS or thought.pos != "VERB":
            continue
        subject = next(iter(_below(tokens, thought.i, "nsubj")), None)
        if subject is None or subject.low in (*_SPEAKERS, "you") or subject.low == "it":
            continue
        for content in _below(tokens, thought.i, "ccomp"):
            if any(t.i < content.i for t in _below(tokens, content.i, "nsubj", "nsubjpass")):
                for told in (content, *_coordinated(tokens, content)):
                    if told.i == content.i or told.pos in ("VERB", "AUX"):
                        out[told.i] = replace(told, dep="supposed")
    return tuple(out)


def suppositions(tokens: Tokens) -> Tokens:
    """ "If we get the loan, we move and I quit", "I hope I get it and we move": what is coordinated with something
    supposed is supposed as well. "Either … or" and "in my dream" suppose the clause itself."""
    out = list(tokens)
    for verb in tokens:
        if verb.pos not in ("VERB", "AUX"):
            continue
        if _is_choice(tokens, verb) or _is_fiction(tokens, verb) or verb.dep == "advcl" and _is_soon(tokens, verb):
            out[verb.i] = replace(verb, dep="supposed")
        elif not (_has_condition(tokens, verb) or _is_wished(tokens, verb) or _is_ordered(tokens, verb)):
            continue
        for told in _coordinated(tokens, verb):
            own = _below(tokens, told.i, "nsubj", "nsubjpass")
            if (
                told.pos in ("VERB", "AUX")
                and (own or not _is_ordered(tokens, verb))
                and not _apart(tokens, verb, told)
            ):
                out[told.i] = replace(told, dep="supposed")
    return tuple(out)


def _has_condition(tokens: Tokens, verb: Token) -> bool:
    clauses = _below(tokens, verb.i, "advcl")
    return any(mark.low in ("if", "unless") for clause in clauses for mark in _below(tokens, clause.i, "mark"))


def _apart(tokens: Tokens, verb: Token, told: Token) -> bool:
    """ "I take the bus if it rains, and my wife drives": a comma behind a condition that stands last closes it."""
    last = any(clause.i > verb.i for clause in _below(tokens, verb.i, "advcl"))
    closed = any(t.text == "," for t in tokens[max(0, told.i - 5) : told.i])
    return _has_condition(tokens, verb) and last and closed


def _is_wished(tokens: Tokens, verb: Token) -> bool:
    """Whether a verb is what somebody hopes, wishes or imagines, or such a verb itself."""
    if verb.low in ("hope", "wish", "dreamt", "dreamed") and _below(tokens, verb.i, "ccomp"):
        return True
    above = tokens[verb.head]
    if verb.dep != "ccomp" or verb.i < above.i:
        return False
    ordered = not _below(tokens, above.i, "nsubj") or tokens[above.head].low in ("let", "lets")
    return above.low in spoken("wish") or above.low in spoken("orders") and ordered


def _is_ordered(tokens: Tokens, verb: Token) -> bool:
    bare = verb.dep == "ROOT" and verb.tag == "VB" and not _below(tokens, verb.i, "nsubj", "aux")
    return bare and verb.low in spoken("orders")


def _is_choice(tokens: Tokens, verb: Token) -> bool:
    either = any(t.low == "either" and (t.head == verb.i or verb.i - 3 < t.i < verb.i) for t in tokens)
    return either and any(t.low == "or" for t in _below(tokens, verb.i, "cc"))


def _is_fiction(tokens: Tokens, verb: Token) -> bool:
    fronted = [t for t in _below(tokens, verb.i, "prep") if t.low == "in" and t.i < verb.i]
    return verb.dep == "ROOT" and any(
        o.lemma in spoken("fiction") for t in fronted for o in _below(tokens, t.i, "pobj")
    )


def _is_soon(tokens: Tokens, verb: Token) -> bool:
    """ "As soon as I have the money": it is not had yet."""
    return tokens[verb.head].low in ("soon", "long")


def _coordinated(tokens: Tokens, first: Token) -> list[Token]:
    """What is coordinated with a token, "but" apart: it turns against what was supposed."""
    found, todo = [], [first]
    while todo:
        at = todo.pop()
        turned = any(t.low == "but" for t in _below(tokens, at.i, "cc"))
        for token in _below(tokens, at.i, "conj") if not turned else []:
            found.append(token)
            todo.append(token)
    return found


def object_behind_verb(tokens: Tokens) -> Tokens:
    """ "I've got two cats, Miso and Tofu, and a hamster": the hamster is one more thing got, not one more verb."""
    out = list(tokens)
    for noun in tokens:
        verb = tokens[noun.head]
        if noun.dep != "conj" or noun.pos not in ("NOUN", "PROPN") or verb.pos not in ("VERB", "AUX"):
            continue
        first = next((t for t in _below(tokens, verb.i, "dobj", "attr") if t.i < noun.i), None)
        between = tokens[first.i : noun.i] if first is not None else ()
        if first is None or any(t.pos in ("VERB", "AUX") and t.tag in ("VBZ", "VBP", "VBD") for t in between):
            continue
        if not _below(tokens, noun.i, "nsubj", "nsubjpass", "cop"):
            out[noun.i] = replace(noun, head=first.i)
    return tuple(out)


def spoken_digits(tokens: Tokens) -> Tokens:
    """ "Oh seven seven": the nought of a number that is read out is part of it, not a cry."""
    out = list(tokens)
    for nought, digit in pairwise(tokens):
        if nought.low == "oh" and nought.dep in ("intj", "discourse") and digit.tag == "CD" and digit.head != nought.i:
            out[nought.i] = replace(nought, dep="compound", head=digit.i, pos="NUM")
    return tuple(out)


def clipped_past(tokens: Tokens) -> Tokens:
    """ "Quit smoking in May": nobody orders the memory to; the speaker did."""
    first = next((t for t in tokens if t.pos not in ("PUNCT", "INTJ", "ADV", "CCONJ")), None)
    if first is None or first.low != "quit" or first.dep != "ROOT" or first.tag not in ("VB", "VBP"):
        return tokens
    return tuple(replace(t, tag="VBD") if t.i == first.i else t for t in tokens)


def names_by_case(tokens: Tokens) -> Tokens:
    """ "Ravi is a nurse": a capital word that no dictionary has, without an article, is a name."""
    return tuple(
        replace(t, pos="PROPN", tag="NNP")
        if t.pos == "NOUN"
        and t.tag == "NN"
        and t.text[:1].isupper()
        and t.text[1:].islower()
        and t.dep in ("nsubj", "nsubjpass", "pobj", "conj", "appos", "dobj")
        and not any(c.head == t.i and c.dep in ("det", "amod", "compound") for c in tokens)
        and not world.is_word(t.text)
        else t
        for t in tokens
    )


def possessor_of_name(tokens: Tokens) -> Tokens:
    """ "My brother Ravi works": the possessor of the role is the possessor of the name."""
    out = list(tokens)
    for t in tokens:
        role = tokens[t.head]
        if t.dep == "poss" and role.dep == "compound" and tokens[role.head].pos == "PROPN" and role.i < role.head:
            out[t.i] = replace(t, head=role.head)
    return tuple(out)


def liking_as_verb(tokens: Tokens) -> Tokens:
    """ "I like running": the parser takes "like" for an auxiliary of running."""
    for t in tokens:
        verb = tokens[t.head]
        if t.dep != "aux" or t.lemma not in ("like", "love", "hate", "enjoy") or verb.tag != "VBG" or t.i > verb.i:
            continue
        out = list(tokens)
        out[t.i] = replace(t, dep=verb.dep, head=t.i if verb.head == verb.i else verb.head, pos="VERB")
        out[verb.i] = replace(verb, dep="xcomp", head=t.i)
        for c in tokens:
            if c.head == verb.i and (c.dep in ("nsubj", "aux", "neg", "punct", "mark", "cc") and c.i != t.i) and c.i != verb.i:
                out[c.i] = replace(c, head=t.i)
        return liking_as_verb(tuple(out))
    return tokens


def listed_things(tokens: Tokens) -> Tokens:
    """ "I own a Brompton, a cargo bike and a tandem": a list, not a bicycle that is called a cargo bike."""
    out = list(tokens)
    for t in tokens:
        head = tokens[t.head]
        indefinite = any(c.head == t.i and c.dep == "det" and c.low in ("a", "an") for c in tokens)
        goes_on = any(c.head == t.i and c.dep == "conj" for c in tokens) and any(
            c.head == t.i and c.dep == "cc" for c in tokens
        )
        if t.dep == "appos" and indefinite and goes_on and head.dep in ("dobj", "attr", "pobj"):
            out[t.i] = replace(t, dep="conj")
    return tuple(out)


REPAIRS: tuple[Callable[[Tokens], Tokens], ...] = (
    names_by_case,
    liking_as_verb,
    possessor_of_name,
    listed_things,
    coordinated_subjects,
    object_as_subject,
    object_behind_verb,
    names_after_plural,
    name_as_subject,
    adjective_as_root,
    addresses,
    contrasts,
    denied_thoughts,
    reported_opinions,
    suppositions,
    clipped_past,
    spoken_digits,
)


def repaired(tokens: Tokens) -> Tokens:
    """All repairs in their order."""
    for repair in REPAIRS:
        tokens = repair(tokens)
    return tokens
