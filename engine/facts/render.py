"""Clause → a short grammatical statement in the third person, in the message's own words.

Only inflection and linking words change: "I've" becomes "user has", "my" becomes "their" or "user's".
Values are never touched.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from engine.facts.clauses import Clause
from engine.facts.people import FIRST, Cast, name_in
from engine.facts.stance import AMBIGUOUS_PAST, verb_auxiliaries
from engine.facts.tree import Tree
from engine.facts.typing import is_time
from engine.lexicon import Lexicon, singular
from engine.types import Token

_SEPARATE = {"advcl", "relcl", "parataxis", "mark", "intj", "discourse", "preconj", "meta", "contrast"}
_IRREGULAR = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_OWN = {"my": "their", "our": "their", "mine": "theirs", "ours": "theirs", "myself": "themself",
        "ourselves": "themselves"}  # fmt: skip
_CONTRACTED = {"'ve": "have", "'ll": "will", "'re": "are", "'m": "am", "m": "am", "n't": "not", "wo": "will",
               "ca": "can", "sha": "shall", "gon": "going", "na": "to"}  # fmt: skip
_DEICTIC = {
    "now", "currently", "still", "also", "too", "just", "already", "again", "actually", "finally", "then", "anyway",
    "basically", "honestly", "literally", "obviously", "apparently", "though", "btw", "well", "so", "officially",
    "definitely", "certainly", "lately", "nowadays", "presently", "kindly", "please", "sadly", "luckily",
    "unfortunately", "fortunately", "thankfully", "yeah", "yes", "no", "oh", "ok", "okay", "alas", "indeed",
    "therefore", "however", "meanwhile", "otherwise", "instead", "lol", "haha", "funnily", "hopefully", "surely",
}  # fmt: skip
_DEICTIC_PHRASES = (
    "these days", "at the moment", "right now", "at long last", "as well", "after all", "at last", "by the way",
    "at present", "for now", "in fact", "of course", "to be honest", "as of now", "this time", "for real",
    "at the minute", "once again", "in the end", "for the moment", "on top of that", "believe it or not",
)  # fmt: skip


def third_person(lemma: str) -> str:
    """The third person singular of the present: live → lives, study → studies, go → goes."""
    if lemma in _IRREGULAR:
        return _IRREGULAR[lemma]
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return lemma[:-1] + "ies"
    return lemma + "s"


def finite_form(token: Token, nxt: Token | None) -> str:
    """A finite verb in the third person singular, contractions written out."""
    low = token.low
    if low == "'d":
        return "had" if token.lemma == "have" or nxt is not None and nxt.tag == "VBN" else "would"
    if low == "'s" and nxt is not None and nxt.low in ("been", "got", "had", "never"):
        return "has"
    if low == "'s":
        return "has" if token.lemma == "have" else "does" if token.lemma == "do" else "is"
    if token.tag == "MD" or low in ("wo", "ca", "'ll", "sha"):
        return _CONTRACTED.get(low, low)
    if low in ("was", "were"):
        return "was"
    if token.lemma in ("be", "'m") or low in ("am", "are", "'m", "'re", "is", "ai"):
        return "is" if low not in ("been", "being") else low
    if token.low in AMBIGUOUS_PAST and token.tag in ("VBP", "VB"):
        return token.low
    if token.tag in ("VBP", "VB"):
        return third_person("have" if low == "'ve" else token.lemma)
    return _CONTRACTED.get(low, token.text)


def statement(
    clause: Clause,
    cast: Cast,
    subject: str,
    *,
    plural: bool = False,
    only: Mapping[int, Collection[int]] | None = None,
    drop: Collection[int] = (),
    others: Collection[Clause] = (),
) -> str:
    """Writes a clause as a statement about ``subject``.

    Parameters
    ----------
    clause : Clause
        What is said.
    cast : Cast
        For possessors and pronouns within the arguments.
    subject : str
        As it stands in memories, e.g. ``user's sister Ana``.
    plural : bool
        The subject keeps the verb as it is.
    only : mapping of int to collection of int, optional
        For a coordinated argument (by the position of its first member): the positions that stand in this
        statement, so that each member gets one of its own.
    drop : collection of int
        Positions of phrases that are left out.
    others : collection of Clause
        The clauses of the sentence: those that are told on their own are left out.

    Returns
    -------
    str
        The statement, without a full stop.
    """
    tree = clause.tree
    auxiliaries = verb_auxiliaries(clause)
    own = [a for a in auxiliaries if a.head == clause.top]
    finite = (own or [tree[clause.top]])[0].i
    apart = {c.top for c in others if c.top != clause.top and c.link not in ("content", "purpose")}
    kept = _kept(clause, only or {}, {*drop, *apart})
    start = min([finite, *(a.i for a in own)])
    front = [i for i in kept if i < start and not _is_preverbal(tree, i, clause)]
    moved = _phrases_of(tree, front, clause)
    fronted = [i for i in front if _topmost(tree, i, clause).dep == "dobj"]
    kept = [i for i in kept if i not in front]
    after = next((n for n, i in enumerate(kept) if i == clause.head), len(kept) - 1) + 1
    kept = kept[:after] + fronted + kept[after:] + moved
    words: list[str] = [subject]
    if auxiliaries and not own:
        words += [_linking(a, plural) for a in auxiliaries if a.low != "to"]
    lead = _lead(clause, own, auxiliaries)
    words += lead
    for i in kept:
        token = tree[i]
        if lead and token.low == "being":
            continue
        nxt = tree[i + 1] if i + 1 < len(tree.tokens) else None
        if i == finite and i == _first(tree) and not plural and not lead and not auxiliaries:
            _append(words, finite_form(token, nxt).lower(), token)
        elif i == finite and not plural and not lead and not (auxiliaries and not own):
            _append(words, finite_form(token, nxt), token)
        elif token.dep == "case" or token.text in ("'s", "'") and token.pos == "PART":
            words[-1] += token.text
        elif token.low in FIRST or token.low in ("it", "them", "him", "her", "his", "its", "their"):
            _append(words, _pronoun(tree, token, cast, subject), token)
        elif token.low in _CONTRACTED and token.pos in ("AUX", "PART", "VERB"):
            _append(words, _CONTRACTED[token.low], token)
        elif (
            token.pos not in ("PROPN", "NOUN")
            and token.text.istitle()
            and not _is_name_like(token)
            and (i in moved or i == _first(tree))
        ):
            _append(words, token.low, token)
        else:
            _append(words, token.text, token)
    return tidy(" ".join(w for w in words if w))


def _is_preverbal(tree: Tree, i: int, clause: Clause) -> bool:
    """Adverbs and negations between subject and verb stay where they are: "never", "no longer"."""
    token = tree[i]
    subject = clause.subject if clause.subject is not None else -1
    return i > subject and token.dep in ("advmod", "neg") and tree[token.head].dep != "pobj"


def _topmost(tree: Tree, i: int, clause: Clause) -> Token:
    """The token directly under the clause's verbs that another stands under."""
    while tree[i].head not in (clause.top, clause.head, *clause.chain) and tree[i].head != i:
        i = tree[i].head
    return tree[i]


def _phrases_of(tree: Tree, front: list[int], clause: Clause) -> list[int]:
    """Of what stood before the subject, the phrases of time and place; they go to the end."""
    keep = []
    for i in front:
        at = _topmost(tree, i, clause).i
        value = tree.child(at, "pobj")
        where = value is not None and (
            value.ent in ("DATE", "TIME", "GPE", "LOC", "FAC")
            or is_time(tree, value.i)
            or (value.low in ("home", "work", "school", "university", "college", "night"))
        )
        if tree[at].dep == "prep" and where or tree[at].dep == "npadvmod" and _times(tree[at]):
            keep.append(i)
    return keep


def phrase(tree: Tree, head: int, cast: Cast, subject: str) -> str:
    """A noun phrase as it stands in a statement about ``subject``."""
    words: list[str] = []
    without = {t.i for t in tree.tokens if t.dep in ("relcl", "advcl", "punct") and t.text not in ("-", "/")}
    for i in tree.subtree(head, without):
        token = tree[i]
        if i in without:
            continue
        if token.dep == "case" and words:
            words[-1] += token.text
        elif token.low in FIRST:
            words.append(_pronoun(tree, token, cast, subject))
        else:
            words.append(token.text)
    return tidy(" ".join(words))


def _lead(clause: Clause, own: list[Token], auxiliaries: list[Token]) -> list[str]:
    """What a clipped clause leaves out: "been a vegetarian since …", "living in Doha now"."""
    verb = clause.tree[clause.top]
    if own or auxiliaries:
        return []
    if verb.tag == "VBN" and verb.lemma == "be":
        return ["has"]
    if verb.tag == "VBG":
        return ["is"]
    return []


def _linking(aux: Token, plural: bool) -> str:
    return _CONTRACTED.get(aux.low, aux.text) if plural else finite_form(aux, None)


def _kept(clause: Clause, only: Mapping[int, Collection[int]], drop: Collection[int]) -> list[int]:
    """The positions of a clause that stand in its statement, in order."""
    tree = clause.tree
    without = set(drop)
    for i in (clause.top, *clause.chain, clause.head):
        for child in tree.children(i):
            if child.dep in ("nsubj", "nsubjpass", "expl", "csubj") or child.dep in _SEPARATE:
                without.add(child.i)
            elif child.dep in ("cc", "conj") and (child.dep == "cc" or child.pos in ("VERB", "AUX")):
                without.add(child.i)
            elif child.dep in ("ccomp", "dep") and child.i < clause.top:
                without.add(child.i)
            elif child.dep in ("npadvmod", "vocative", "dep", "intj") and child.i < clause.top and not _times(child):
                without.add(child.i)
            elif child.dep in ("advmod", "npadvmod", "prep") and _is_deictic(tree, child.i):
                without.add(child.i)
            elif child.pos == "INTJ" or child.pos == "PUNCT" and child.text not in ("%", "-", "/"):
                without.add(child.i)
            elif child.dep == "conj" and child.pos not in ("VERB", "AUX") and child.i > clause.top:
                without.add(child.i)
    kept = []
    for i in tree.subtree(clause.top, without):
        if i in without or _inside_separate(tree, i, clause):
            continue
        if any(i not in keep and i in _group(tree, first) for first, keep in only.items()):
            continue
        kept.append(i)
    return kept


def _group(tree: Tree, first: int) -> set[int]:
    return set(tree.subtree(first))


def _times(token: Token) -> bool:
    return token.ent in ("DATE", "TIME")


def _is_deictic(tree: Tree, i: int) -> bool:
    text = " ".join(tree[j].low for j in tree.subtree(i))
    return text in _DEICTIC or text in _DEICTIC_PHRASES


def _inside_separate(tree: Tree, i: int, clause: Clause) -> bool:
    """Relative clauses and asides hang deeper than the verb; they leave facts of their own."""
    at = i
    while at != clause.top:
        if tree[at].dep in ("relcl", "parataxis", "contrast") or tree[at].dep == "appos" and not _names(tree, at):
            return True
        if tree[at].dep == "advcl" and at not in (*clause.chain, clause.head):
            return True
        if tree[at].head == at:
            return False
        at = tree[at].head
    return False


def _names(tree: Tree, apposed: int) -> bool:
    return tree[apposed].pos == "PROPN" or tree[apposed].text[:1].isupper()


def _pronoun(tree: Tree, token: Token, cast: Cast, subject: str) -> str:
    low = token.low
    if low in FIRST:
        if low == "user":
            return "user"
        if subject == cast.speaker:
            return _OWN.get(low, "them" if low in ("me", "us") else cast.speaker)
        possessive = low in ("my", "our", "mine", "ours")
        return f"{cast.speaker}'s" if possessive else cast.speaker
    party = cast.resolve(tree, token.i)
    possessive = token.tag == "PRP$"
    if party is None or party.text == subject or party.text in subject:
        return token.text
    return f"{party.text}'s" if possessive else party.text


def _first(tree: Tree) -> int:
    return next((t.i for t in tree.tokens if t.pos != "PUNCT"), 0)


def _is_name_like(token: Token) -> bool:
    return bool(token.ent) and token.ent not in ("DATE", "TIME", "CARDINAL", "ORDINAL")


def _append(words: list[str], text: str, token: Token) -> None:
    """Hyphens, slashes and currency signs stick to what follows or precedes, as they stood."""
    if token.text in (",", ";", ":", ")", "%", "?", "!") or token.text == "." and words:
        words[-1] += token.text
    else:
        words.append(text)


def named(tree: Tree, lexicon: Lexicon, text: str) -> str:
    """ "a cat, Biscuit" → "a cat named Biscuit": an apposed name is linked."""
    for token in tree.tokens:
        if token.dep == "appos" and name_in(tree, tree[token.head]) and tree[token.head].pos == "NOUN":
            head = tree[token.head]
            if singular(head.low) in lexicon.roles and tree.child(head.i, "poss") is None:
                text = text.replace(f"{head.text}, {token.text}", f"{head.text} named {token.text}")
                text = text.replace(f"{head.text} {token.text}", f"{head.text} named {token.text}")
    return text


def tidy(text: str) -> str:
    """Joins what the tokenizer split (hyphens, prices, times) and strips stray punctuation."""
    for mark in ("-", "/"):
        text = text.replace(f" {mark} ", mark)
    for sign in ("€", "$", "£", "#", "("):
        text = text.replace(f"{sign} ", sign)
    text = text.replace(" %", "%").replace("can not", "cannot").replace(" )", ")")
    text = " ".join(text.split())
    return text.strip(" ,;:.-!").replace(" ,", ",").replace(",,", ",")
