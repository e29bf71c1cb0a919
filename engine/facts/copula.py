"""Statements of the form "X's N is V", and the relations that names and roles tell in passing.

"My favourite colour is teal" and "Teal is my favourite colour" say one thing of the speaker; "my dog's
name is Rex", "my dog is called Rex" and "my dog Rex …" say that the speaker has a dog of that name.
"""

from __future__ import annotations

from engine.facts.clauses import SPEAKER, Clause
from engine.facts.people import Cast, Party, phrase_text
from engine.facts.render import statement, third_person
from engine.facts.stance import verb_auxiliaries
from engine.facts.tree import Tree
from engine.lexicon import Lexicon
from engine.types import Token

FAVOURITE = {"favourite", "favorite", "fave", "fav"}
_HAVING = {"have", "own", "keep", "adopt", "get", "buy", "rescue", "foster", "raise", "welcome"}
Told = tuple[str, str, str, str, str]  # subject, attribute, value, text, predicate


def possessive_copula(clause: Clause, cast: Cast, lexicon: Lexicon) -> Told | None:
    """Reads "X's N is V" in either order.

    Returns
    -------
    tuple or None
        Subject, attribute, value, text and predicate of the fact about X; None where the clause is of
        another form.
    """
    tree = clause.tree
    if clause.subject is not None and (told := _having_named(clause, cast, lexicon)):
        return told
    if clause.subject is None or clause.subject == SPEAKER or not _is_copula(clause):
        return None
    subject = tree[clause.subject]
    if len(tree.conjuncts(subject.i)) > 1:
        return None
    complement = tree.child(clause.head, "attr", "acomp", "oprd")
    if complement is None:
        complement = _prepositional_value(clause)
    if complement is None:
        return None
    if tree.child(subject.i, "poss") is None and (told := _of_known(clause, cast, lexicon, subject, complement)):
        return told
    straight = tree.child(subject.i, "poss") is not None or _is_speakers_own(tree, subject, lexicon)
    noun, value = (subject, complement) if straight else (complement, subject)
    owner = tree.child(noun.i, "poss")
    if owner is None and straight:
        return _told(clause, cast, lexicon, Party(cast.speaker), noun, value, straight)
    if owner is None or (not straight and not _asks_for_swap(tree, noun, value, cast, lexicon)):
        return None
    party = cast.resolve(tree, owner.i)
    if party is None:
        return None
    return _told(clause, cast, lexicon, party, noun, value, straight)


def _having_named(clause: Clause, cast: Cast, lexicon: Lexicon) -> Told | None:
    """ "I have a daughter named Saoirse" says what "my daughter is Saoirse" says."""
    tree = clause.tree
    if clause.verb.lemma != "have" or clause.subject == SPEAKER or tree.child(clause.top, "neg") is not None:
        return None
    owner = cast.resolve(tree, clause.subject) if clause.subject is not None else None
    objects = tree.children(clause.head, "dobj")
    if owner is None or len(objects) != 1 or len(tree.conjuncts(objects[0].i)) > 1:
        return None
    named = owned_by_having(clause, cast, owner.text, lexicon)
    if len(named) != 1 or named[0].kind != "person" or not named[0].name or not named[0].role:
        return None
    return _relation(cast, owner.text, named[0].role, named[0].name, lexicon)


def _is_speakers_own(tree: Tree, subject: Token, lexicon: Lexicon) -> bool:
    """ "The rent is 845 now": of what one has one of, "the" is one's own."""
    article = tree.child(subject.i, "det")
    name = lexicon.nouns.get(_label(tree, subject).lower())
    return article is not None and article.low == "the" and name is not None and lexicon.cardinality(name) == "one"


def _of_known(clause: Clause, cast: Cast, lexicon: Lexicon, subject: Token, complement: Token) -> Told | None:
    """ "I'm Ottoline" tells a name; "it's on Monday", said of somebody's appointment, its date."""
    tree = clause.tree
    party = cast.resolve(tree, subject.i)
    if party is None:
        return None
    if party.text == cast.speaker and complement.pos == "PROPN" and complement.ent in ("PERSON", ""):
        if tree.child(complement.i, "det", "amod", "prep") is None and complement.dep in ("attr", "acomp"):
            name = _value(tree, complement)
            return party.text, "name", name, f"{party.text}'s name is {name}", "'s name be"
    if complement.low == "home" and subject.pos == "PROPN" and tree.child(complement.i, "poss") is None:
        text = f"{cast.speaker}'s home is {_value(tree, subject)}"  # "Kisumu is home now"
        return cast.speaker, "residence", _value(tree, subject), text, "'s home be"
    if subject.pos == "PRON" and party.kind == "thing" and party.owner and party.role is None:
        label = party.text.removeprefix(f"{party.owner}'s ")
        text = statement(clause, cast, party.text, plural=party.plural)
        attribute = lexicon.nouns.get(label.lower(), f"'s {label.lower()}")
        return party.owner, attribute, _value(tree, complement), text, f"'s {label} be"
    return None


def _told(
    clause: Clause, cast: Cast, lexicon: Lexicon, owner: Party, noun: Token, value: Token, straight: bool
) -> Told | None:
    tree = clause.tree
    words = _value(tree, value)
    role = cast.role_word(tree, noun)
    if noun.lemma == "name" and owner.role is not None and owner.owner is not None and straight:
        return _relation(cast, owner.owner, owner.role, words, lexicon)
    if role is not None and not _is_favourite(tree, noun):
        written = value.text[:1].isupper() and value.i > 0 and value.dep in ("attr", "acomp", "oprd", "nsubj")
        named = (value.pos == "PROPN" or written) and tree[value.head].pos != "ADP"
        naming = named or tree[clause.head].lemma in ("call", "name")
        if not naming or role.word == "name":
            return None
        return _relation(cast, owner.text, role.word, words, lexicon)
    label = _label(tree, noun)
    attribute = _attribute(tree, noun, label, lexicon)
    if straight:
        text = statement(clause, cast, f"{owner.text}'s {label}", plural=noun.tag == "NNS")
    else:
        text = f"{owner.text}'s {label} {_copula(clause)} {words}"
    return owner.text, attribute, words, text, f"'s {label} be"


def _relation(cast: Cast, owner: str, role: str, name: str, lexicon: Lexicon) -> Told:
    word = lexicon.roles[role]
    text = relation_text(owner, role, name, word.kind)
    shown = f"{owner}'s {role} {name}" if word.lasting or word.kind != "person" else name
    cast.mention(Party(shown, owner, role, name, word.gender, word.kind))
    return owner, word.attribute, name, text, f"have {role}"


def relation_text(owner: str, role: str, name: str, kind: str) -> str:
    """ "user's boss is Helen", "user has a dog named Rex"."""
    if kind == "person":
        return f"{owner}'s {role} is {name}"
    article = "an" if role[0] in "aeiou" else "a"
    return f"{owner} {third_person('have')} {article} {role} named {name}"


def _is_copula(clause: Clause) -> bool:
    verb = clause.verb
    if verb.lemma in ("be", "'s", "become", "remain"):
        return True
    return verb.lemma in ("call", "name") and clause.tree.child(clause.head, "auxpass") is not None


def _prepositional_value(clause: Clause) -> Token | None:
    """ "My birthday is on 4 May", "user's home is in Malmö"."""
    tree = clause.tree
    for prep in tree.children(clause.head, "prep"):
        value = tree.child(prep.i, "pobj")
        if value is not None:
            return value
    return tree.child(clause.head, "npadvmod")


def _asks_for_swap(tree: Tree, noun: Token, value: Token, cast: Cast, lexicon: Lexicon) -> bool:
    """ "Teal is my favourite colour", "Helen is my boss"; not "she is my rock"."""
    if _is_favourite(tree, noun) or _plain(_label(tree, noun)) in lexicon.nouns:
        return True
    return cast.role_word(tree, noun) is not None and value.pos == "PROPN"


def _is_favourite(tree: Tree, noun: Token) -> bool:
    return any(c.low in FAVOURITE for c in tree.children(noun.i, "amod", "compound")) or noun.low in FAVOURITE


def _label(tree: Tree, noun: Token) -> str:
    keep = [c for c in tree.children(noun.i, "amod", "compound", "nmod", "nummod") if c.i < noun.i]
    label = " ".join(t.text for t in (*keep, noun))
    behind = tree.child(noun.i, "prep")
    if behind is not None and behind.low in ("of", "for", "with", "to", "back"):
        label += " " + " ".join(tree[j].text for j in tree.subtree(behind.i))
    return label


def _attribute(tree: Tree, noun: Token, label: str, lexicon: Lexicon) -> str:
    if _is_favourite(tree, noun):
        rest = [w for w in label.lower().split() if w not in FAVOURITE]
        return "favourite " + (" ".join(rest) or "thing")
    for name in (label.lower(), _plain(label), noun.low):
        if name in lexicon.nouns:
            return lexicon.nouns[name]
    return f"'s {_plain(label)}"


def _plain(label: str) -> str:
    """A label without the adjectives that only say when: "current weight", "new boss"."""
    words = [w for w in label.lower().split() if w not in ("new", "current", "present", "actual", "latest", "own")]
    return " ".join(words) or label.lower()


def _copula(clause: Clause) -> str:
    words = [a.text for a in verb_auxiliaries(clause)] + [clause.verb.text]
    return " ".join({"'s": "is", "'m": "is", "am": "is", "are": "is"}.get(w.lower(), w) for w in words)


def _value(tree: Tree, value: Token) -> str:
    skip = {c.i for c in tree.children(value.i, "relcl", "punct", "advcl", "det") if c.text not in ("-", "/")}
    return " ".join(tree[j].text for j in tree.subtree(value.i, skip) if j not in skip)


def relations_in(tree: Tree, cast: Cast, lexicon: Lexicon) -> list[tuple[int, Party, str, str]]:
    """The relations that noun phrases tell in passing: role, owner and name together.

    Returns
    -------
    list of (int, Party, str, str)
        Position of the phrase, the party, the statement and its attribute.
    """
    out = []
    for token in tree.tokens:
        if token.pos not in ("NOUN", "PROPN") or tree.child(token.i, "poss") is None:
            continue
        party = cast.resolve(tree, token.i)
        if party is None or not party.is_new_relation or party.owner == "assistant":
            continue
        assert party.owner and party.role and party.name
        word = lexicon.roles.get(party.role)
        if word is None or party.plural:
            continue
        text = relation_text(party.owner, party.role, party.name, word.kind)
        out.append((token.i, party, text, word.attribute))
    return out


def owned_by_having(clause: Clause, cast: Cast, owner: str, lexicon: Lexicon) -> list[Party]:
    """Whom "I have a cat, Biscuit" and "two sons, Henning and Arne" introduce; without a name too, so that
    a name told later joins ("we adopted a cat, her name is Captain")."""
    tree = clause.tree
    found = []
    for obj in tree.children(clause.head, "dobj"):
        for member in tree.conjuncts(obj.i):
            word = cast.role_word(tree, member)
            if word is None:
                continue
            names = _names(tree, member)
            if not names and member.tag == "NN" and clause.verb.lemma in _HAVING:
                found.append(Party(f"{owner}'s {word.word}", owner, word.word, None, word.gender, word.kind))
            for name in names:
                text = f"{owner}'s {word.word} {name}" if word.lasting or word.kind != "person" else name
                found.append(Party(text, owner, word.word, name, word.gender, word.kind))
    return found


def _names(tree: Tree, noun: Token) -> list[str]:
    """The names apposed to a noun, or behind "called" and "named"."""
    heads = [c for c in tree.children(noun.i, "appos") if c.pos == "PROPN"]
    for named in tree.children(noun.i, "acl"):
        if named.lemma in ("call", "name"):
            heads += list(tree.children(named.i, "oprd", "attr", "dobj"))
    names = []
    for head in heads:
        for token in tree.conjuncts(head.i):
            if token.text[:1].isupper():
                parts = [c for c in tree.children(token.i, "compound") if c.i < token.i]
                names.append(" ".join(t.text for t in (*parts, token)))
    return names


__all__ = ["owned_by_having", "phrase_text", "possessive_copula", "relation_text", "relations_in"]
