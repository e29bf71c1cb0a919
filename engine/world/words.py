"""Which word is a kind of which, means the same, the opposite, or shares a stem. From WordNet and a table by hand."""

from __future__ import annotations

from functools import cache, lru_cache

from engine.world.tables import EXTRA, Kinds, families, kinds, opposites, plurals, supplement

Mark = int | str
"""A meaning's number, or a word of ``kinds.toml``."""

TABLES = ("nouns.tsv", "verbs.tsv", "adjectives.tsv", "adverbs.tsv")
BREAKS = frozenset("of for with from in on at who that which".split())
"""Words that end the head of a phrase: a friend of the family is a friend."""
ENDINGS = (
    *(("ies", "y"), ("ves", "f"), ("ves", "fe"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x")),
    *(("oes", "o"), ("men", "man"), ("s", "")),
)
MEASURES = frozenset(
    "cup glass bottle pot mug can bowl plate slice piece bit lot pair couple kind type sort breed brand".split()
)
"""Nouns before "of" that are not what is meant: a cup of coffee is coffee."""
ARTICLES = ("a ", "an ", "the ")


def _known(word: str) -> bool:
    nouns = kinds("nouns.tsv")
    return word in nouns.usual or word in nouns.extra or word in supplement().words


@lru_cache(maxsize=65536)
def singular(noun: str) -> str:
    """The singular of a noun or phrase, in small letters; a word that is known as it stands is left so."""
    phrase = " ".join(noun.lower().replace("’", "'").replace("_", " ").split())
    for article in ARTICLES:
        phrase = phrase.removeprefix(article)
    if _known(phrase):
        return phrase
    before, blank, last = phrase.rpartition(" ")
    for form in (plurals().get(last), *(last[: -len(a)] + b for a, b in ENDINGS if last.endswith(a) and len(last) > 3)):
        if form and (_known(before + blank + form) or _known(form)):
            return before + blank + form
    return phrase


@lru_cache(maxsize=65536)
def _head(phrase: str) -> str:
    """The longest end of the phrase that is known, from a break on: ``vintage trumpet`` → ``trumpet``."""
    if _known(phrase):
        return phrase
    tokens = phrase.split()
    if len(tokens) > 2 and tokens[1] == "of" and singular(tokens[0]) in MEASURES:
        return _head(singular(" ".join(tokens[2:])))
    for n, token in enumerate(tokens):
        if n and token in BREAKS:
            tokens = tokens[:n]
            break
    for start in range(len(tokens)):
        tail = singular(" ".join(tokens[start:]))
        if _known(tail):
            return tail
    return phrase


def _climb(table: Kinds, start: tuple[int, ...]) -> set[int]:
    seen: set[int] = set()
    queue = list(start)
    while queue:
        here = queue.pop()
        if here not in seen:
            seen.add(here)
            queue += table.parents[here]
    return seen


@lru_cache(maxsize=65536)
def _above(noun: str) -> frozenset[Mark]:
    """Everything that a noun is, its own meanings and itself included."""
    nouns, by_hand, lifts = kinds("nouns.tsv"), supplement().above, _lifts()
    found: set[Mark] = {noun}
    queue = list(by_hand.get(noun, ()))

    def climb(start: tuple[int, ...]) -> None:
        for meaning in _climb(nouns, start) - found:
            found.add(meaning)
            queue.extend(lifts.get(meaning, ()))

    climb(nouns.usual.get(noun, ()))
    while queue:
        word = queue.pop()
        if word not in found:
            found.add(word)
            # of a word by hand the first meaning is meant
            climb(_first(nouns, word)[:1])
            queue += by_hand.get(word, ())
    return frozenset(found)


@cache
def _lifts() -> dict[int, tuple[str, ...]]:
    """Meaning → what it, and all below it, are by hand."""
    nouns = kinds("nouns.tsv")
    return {_first(nouns, word)[0]: broad for word, broad in supplement().lifts.items()}


def _first(nouns: Kinds, word: str) -> tuple[int, ...]:
    return nouns.usual.get(word, nouns.extra.get(word, ()))


def is_word(word: str) -> bool:
    """Whether a single word stands in the tables of words: names mostly do not."""
    low = word.lower()
    return any(low in kinds(name).usual for name in TABLES)


def is_a(narrow: str, broad: str) -> bool:
    """Whether one noun is a kind of another, or the same thing by another name.

    Parameters
    ----------
    narrow, broad
        Nouns or noun phrases in any case and number. Of a ``narrow`` phrase that is not known as a whole its head
        counts: a vintage trumpet is a brass instrument.

    Returns
    -------
    bool
        Symmetric for synonyms; ask both ways for a strict kind. ``narrow`` is taken in its one or two usual senses,
        ``broad`` in up to four. A vegan is no vegetarian here, though WordNet has it so: the words name two diets,
        and one who goes from one to the other has changed.
    """
    one, other = singular(narrow), singular(broad)
    if one == other:
        return True
    head = _head(one)
    if (head, other) in supplement().never:
        return False
    above = _above(head)
    if other in above:
        return True
    nouns = kinds("nouns.tsv")
    return any(m in above for m in nouns.usual.get(other, ())) or any(m in above for m in nouns.extra.get(other, ()))


def verb_is_a(narrow: str, broad: str) -> bool:
    """Whether one verb (a lemma) is a way to do another, one or two levels up: to sprint is to run."""
    verbs = kinds("verbs.tsv")
    one, other = narrow.lower(), broad.lower()
    if one == other:
        return True
    level = set(verbs.usual.get(one, ()))
    targets = {*verbs.usual.get(other, ()), *verbs.extra.get(other, ())}
    for _ in range(3):
        if level & targets:
            return True
        level = {parent for meaning in level for parent in verbs.parents[meaning]}
    return False


@lru_cache(maxsize=65536)
def antonyms(word: str, weak: bool = False) -> frozenset[str]:
    """The opposites of a word.

    Parameters
    ----------
    word
        A lemma, in any case.
    weak
        Whether those count as well that are the opposite of a synonym or, for an adjective, of the head that it is
        similar to.
    """
    strong, far = opposites().get(word.lower(), ("", ""))
    return frozenset(name for name in (*strong.split("|"), *(far.split("|") if weak else ())) if name)


@lru_cache(maxsize=65536)
def family(word: str) -> frozenset[str]:
    """The words that share a stem with one, itself included: teach, teacher, teaching; Denmark, Danish.

    Families are disjoint: two words are of one family exactly when their sets are equal.
    """
    word = word.lower()
    return frozenset(families().get(word, word).split("|"))


@lru_cache(maxsize=65536)
def synonyms(word: str) -> frozenset[str]:
    """Words of the same meaning, in the one or two usual senses of both; the word itself is not among them."""
    word = word.lower()
    found: set[str] = set()
    for name in TABLES:
        table = kinds(name)
        for meaning in table.usual.get(word, ()):
            found.update(other for other in table.words[meaning].split("|") if not other.startswith(EXTRA))
    return frozenset(found - {word})
