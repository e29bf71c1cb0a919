"""Who is meant: the speaker, relatives and friends by role and name, animals, things, pronouns.

A party is written the way it stands in memories: ``user``, ``user's sister Ana``, ``Ana``. Where the role
may change (girlfriend, flatmate, boss) and a name is known, the name alone is used, so that a later wife
does not leave "girlfriend" in other memories. A pronoun goes to the latest agreeing party of the
conversation; where none agrees it stays unresolved and is told, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine import world
from engine.facts.tree import Tree
from engine.lexicon import Lexicon, RelationWord, singular
from engine.types import Token

FIRST = {"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves", "user"}
SECOND = {"you", "your", "yours", "yourself", "yourselves"}
_GENDER = {"he": "male", "him": "male", "his": "male", "himself": "male",
           "she": "female", "her": "female", "hers": "female", "herself": "female",
           "it": "thing", "its": "thing", "itself": "thing",
           "they": "plural", "them": "plural", "their": "plural", "theirs": "plural", "themselves": "plural"}  # fmt: skip
PRONOUNS = frozenset(_GENDER) | FIRST | SECOND
DEMONSTRATIVE = {"this", "that", "these", "those", "one", "what", "which", "who", "there", "everything", "something",
                 "nothing", "anything", "all", "everyone", "someone", "somebody", "everybody", "nobody", "both",
                 "none", "whoever", "whatever", "people"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Party:
    """Somebody or something that facts are about.

    ``owner`` and ``role`` say how it belongs ("user", "sister"); ``gender`` is female, male, any or thing;
    ``introduced`` is the role's word as it stood in the text, so that a relation can be told.
    """

    text: str
    owner: str | None = None
    role: str | None = None
    name: str | None = None
    gender: str = "any"
    kind: str = "person"
    plural: bool = False

    @property
    def is_new_relation(self) -> bool:
        return bool(self.owner and self.role and self.name)


RECENT = 3
""" "It" reaches no further back than so many parties: much that is called it was never named."""


class Cast:
    """The parties of one conversation, latest last.

    One cast reads one sentence: a pronoun stands for the same party throughout it.

    Parameters
    ----------
    lexicon : Lexicon
        For the words of relations.
    speaker : str
        How first persons are written.
    known : iterable of Party
        Parties of earlier calls, oldest first.
    """

    def __init__(self, lexicon: Lexicon, speaker: str, known: Iterable[Party] = ()) -> None:
        self.lexicon = lexicon
        self.speaker = speaker
        self.parties: list[Party] = list(known)
        self._meant: dict[tuple[int, str], Party | None] = {}  # what pronouns of the sentence at hand stand for

    def mention(self, party: Party) -> None:
        """Makes a party the latest one spoken of."""
        self.parties = [p for p in self.parties if p.text != party.text] + [party]

    def by_name(self, name: str) -> Party | None:
        low = name.lower()
        return next((p for p in reversed(self.parties) if p.name and p.name.lower() == low), None)

    def by_role(self, owner: str, role: str) -> Party | None:
        return next((p for p in reversed(self.parties) if p.owner == owner and p.role == role), None)

    def resolve(self, tree: Tree, i: int) -> Party | None:
        """The party that a noun phrase or pronoun stands for.

        Parameters
        ----------
        tree : Tree
            The sentence.
        i : int
            Position of the phrase's head.

        Returns
        -------
        Party or None
            None where a pronoun's antecedent is not known.
        """
        token = tree[i]
        low = token.low
        if low in ("mine", "ours"):
            return None  # "ours died": something of the speaker's, not the speaker
        if low in FIRST:
            return Party(self.speaker)
        if low in SECOND:
            return Party("assistant", kind="assistant")
        if low in _GENDER:
            key = (token.start, low)
            if key not in self._meant:
                self._meant[key] = self._owner_of(tree, token) or self._antecedent(_GENDER[low])
            return self._meant[key]
        if low in DEMONSTRATIVE:
            return None
        return self._phrase(tree, token)

    def _owner_of(self, tree: Tree, pronoun: Token) -> Party | None:
        """ "Her vet": somebody who is known to have one."""
        if pronoun.dep != "poss":
            return None
        word = self.role_word(tree, tree[pronoun.head])
        owners = {p.owner for p in self.parties if word is not None and p.role == word.word}
        fitting = [p for p in self.parties if p.text in owners and p.text != self.speaker]
        wanted = _GENDER[pronoun.low]
        return next((p for p in reversed(fitting) if p.gender in (wanted, "any") or wanted == "thing"), None)

    def _antecedent(self, gender: str) -> Party | None:
        latest = [p for p in self.parties if p.kind != "place"][-RECENT:]
        for party in reversed(latest if gender == "thing" else self.parties):
            if party.text == self.speaker:
                continue
            if gender == "plural" and party.plural:
                return party
            if gender == "thing" and party.kind in ("thing", "animal") and not party.plural:
                return party
            if gender in ("male", "female") and not party.plural and party.kind != "thing":
                if party.gender in (gender, "any"):
                    return party
        return None

    def _phrase(self, tree: Tree, head: Token) -> Party | None:
        poss = tree.child(head.i, "poss")
        owner = self._owner(tree, poss) if poss is not None else None
        name = name_in(tree, head)
        word = self.role_word(tree, head)
        if name is not None and name.lower() in self.lexicon.roles:
            name = None  # "Mum" is a role, however it is written
        if word is None and owner is not None and (compound := _role_before(tree, head, self.lexicon)):
            word, name = compound, head.text
        if name is not None and word is None and (known := self.by_name(name)) is not None:
            told_apart = _where_from(tree, head)
            return known if told_apart is None else Party(f"{name} {told_apart}", None, None, f"{name} {told_apart}")
        if word is not None and owner is None and self._is_kin_name(tree, head, word):
            owner = self.speaker
        if word is not None and owner is not None:
            known = self._known_relation(owner, word, tree, head) if name is None else None
            return known or self._related(owner, word, name, tree, head)
        if word is not None and name is None and owner is None:
            latest = next((p for p in reversed(self.parties) if p.role == word.word and p.owner), None)
            if latest is not None and head.tag in ("NN", "NNP"):
                return latest  # "I have a sister who …", "the dog"
        if word is not None and name is not None:
            known = self.by_name(name)
            return known or Party(f"{name}", None, word.word, name, word.gender, word.kind)
        text = name or phrase_text(self, tree, head.i)
        if not text:
            return None
        if owner is None and (known := self._described(tree, head, text)) is not None:
            return known
        if owner is not None and name is None:
            return Party(text, owner, None, None, "thing", "thing", plural=head.tag in ("NNS", "NNPS"))
        kind = "person" if head.ent == "PERSON" or (name and head.ent in ("", "PERSON", "ORG", "GPE")) else "thing"
        return Party(text, owner, None, name, "any", kind, plural=head.tag in ("NNS", "NNPS"))

    def _known_relation(self, owner: str, word: RelationWord, tree: Tree, head: Token) -> Party | None:
        """Who "my brother" is: the one who is known, unless there are several or the words tell another one."""
        if word.cardinality == "one":
            return self.by_role(owner, word.word)
        known = [p for p in self.parties if p.owner == owner and p.role == word.word and p.name and not p.plural]
        told_apart = tree.child(head.i, "amod", "nummod", "compound") is not None or head.tag in ("NNS", "NNPS")
        return known[0] if len(known) == 1 and not told_apart else None

    def _described(self, tree: Tree, head: Token, text: str) -> Party | None:
        """What "the book club" or "the Octavia" stands for: a thing of somebody's that was spoken of."""
        article = tree.child(head.i, "det")
        if article is None or article.low not in ("the", "that", "this", "those", "these"):
            return None
        words = {singular(w) for w in text.lower().split()}
        for party in reversed(self.parties):
            if party.kind != "thing" or not party.owner:
                continue
            label = [singular(w) for w in party.text.removeprefix(f"{party.owner}'s ").lower().split()]
            if label and singular(head.low) in label and (words <= set(label) or set(label) <= words):
                return party
        return None

    def _is_kin_name(self, tree: Tree, head: Token, word: RelationWord) -> bool:
        """ "Mum", "dad", "wife" without article or possessor are the speaker's own."""
        alone = tree.child(head.i, "det", "poss", "nummod", "amod") is None and head.tag in ("NN", "NNP")
        return alone and word.kind == "person" and word.cardinality == "one" and head.dep not in ("compound", "attr")

    def _owner(self, tree: Tree, poss: Token) -> str | None:
        party = self.resolve(tree, poss.i)
        return party.text if party else None

    def role_word(self, tree: Tree, head: Token) -> RelationWord | None:
        """The relation that a noun names: sister, line manager, dog."""
        compound = " ".join(c.low for c in tree.children(head.i, "compound", "amod"))
        for word in (f"{compound} {head.low}".strip(), head.low, singular(head.low)):
            if word in self.lexicon.roles:
                return self.lexicon.roles[word]
        return None

    def _related(self, owner: str, word: RelationWord, name: str | None, tree: Tree, head: Token) -> Party:
        plural = head.tag in ("NNS", "NNPS")
        role = word.word if not plural else head.low
        if name is None:
            text = f"{owner}'s {role_phrase(tree, head)}"
        elif word.lasting or word.kind != "person":
            text = f"{owner}'s {word.word} {name}"
        else:
            text = name
        return Party(text, owner, role, name, word.gender, word.kind, plural)


def _where_from(tree: Tree, head: Token) -> str | None:
    """ "Daniel from accounts" is not the Daniel who is known."""
    link = tree.child(head.i, "prep")
    if link is None or link.low != "from" or link.i != head.i + 1 or tree.child(link.i, "pobj") is None:
        return None
    return " ".join(tree[j].text for j in tree.subtree(link.i))


def _role_before(tree: Tree, head: Token, lexicon: Lexicon) -> RelationWord | None:
    """ "my daughter pippa": the relation stands before a name as if it were a part of it."""
    before = tree.child(head.i, "compound", "nmod")
    if before is None or before.i != head.i - 1 or head.low in lexicon.roles or head.pos not in ("PROPN", "NOUN"):
        return None
    named = head.pos == "PROPN" or head.ent == "PERSON"
    word = lexicon.roles.get(before.low)
    return word if named and word is not None and word.kind != "thing" else None


def name_in(tree: Tree, head: Token) -> str | None:
    """The proper name within a noun phrase: its head, or an apposition to it ("my sister Ana")."""
    if head.pos == "PROPN":
        parts = [c for c in tree.children(head.i, "compound") if c.pos == "PROPN" and c.i < head.i]
        return " ".join(t.text for t in (*parts, head))
    for apposed in tree.children(head.i, "appos"):
        if apposed.pos == "PROPN" or (apposed.text[:1].isupper() and apposed.pos == "NOUN"):
            parts = [c for c in tree.children(apposed.i, "compound") if c.i < apposed.i]
            if not tree.child(apposed.i, "poss", "det"):
                return " ".join(t.text for t in (*parts, apposed))
    for named in tree.children(head.i, "acl"):
        if named.lemma in ("call", "name", "nickname"):
            value = tree.child(named.i, "oprd", "attr", "dobj")
            if value is not None and value.text[:1].isupper() and not tree.conjuncts(value.i)[1:]:
                return " ".join(tree[j].text for j in tree.subtree(value.i))
    return None


def role_phrase(tree: Tree, head: Token) -> str:
    """A relation word with the adjectives before it: "older sister"."""
    before = [c for c in tree.children(head.i, "amod", "compound", "nummod") if c.i < head.i]
    return " ".join(t.low for t in (*before, head))


def introduce(tree: Tree, cast: Cast, before: int) -> None:
    """Lets a cast know whom a sentence names, by name or as somebody's relation, up to a position.

    Questions and fragments introduce as well: "Remember my brother? He's moved."
    """
    for token in tree.tokens[:before]:
        beside = token.dep == "pobj" and tree[token.head].low in ("with", "to", "by", "about", "than", "and", "of")
        person = token.ent == "PERSON" or beside and token.ent in ("", "GPE") and not world.is_place(token.text)
        if token.pos == "PROPN" and person and (beside or token.dep not in ("compound", "appos", "pobj")):
            name = name_in(tree, token)
            if name and cast.by_name(name) is None and tree.child(token.i, "poss") is None:
                cast.mention(Party(name, name=name))
        elif token.pos in ("NOUN", "PROPN") and tree.child(token.i, "poss") is not None:
            party = cast.resolve(tree, token.i)
            if party is not None and party.owner and all(p.text != party.text for p in cast.parties[-3:]):
                cast.mention(party)


def phrase_text(cast: Cast, tree: Tree, i: int) -> str:
    """A noun phrase in the words of the sentence, possessors written out, clauses and appositions left out."""
    out = []
    without = {c.i for c in tree.children(i, "relcl", "appos", "acl", "conj", "cc", "punct", "det", "preconj")}
    for j in tree.subtree(i, without):
        token = tree[j]
        if token.dep == "poss" and token.low in PRONOUNS and tree.child(j, "case") is None:
            party = cast.resolve(tree, j)
            out.append(f"{party.text}'s" if party else token.text)
        elif token.dep == "case" and out:
            out[-1] += token.text
        elif j not in without:
            out.append(token.text)
    return " ".join(out)
