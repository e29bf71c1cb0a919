"""From WordNet to the tables of words: who is a kind of what, what means the same, the opposite, or shares a stem."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from training.world.wordnet import Key, Synset, WordNet, lemma_of

ROOTS = (
    "person animal food beverage plant disease ailment drug medicine instrument vehicle sport game activity discipline "
    "clothing furniture building room dwelling device tool weapon book publication music dance language religion "
    "institution organization color vegetable fruit meat relative symptom body_part jewelry toy shop restaurant "
    "natural_phenomenon body_of_water land geological_formation time_unit holiday emotion"
).split()
"""Nouns whose kinds are kept however rare the texts make them."""

TOPS = frozenset(
    "absolute_space abstraction act article artifact attribute benthos biont causal_agent cell cognition communication "
    "congener dwarf entity event group heterotroph life living_thing location matter measure motivation native "
    "natural_object nutrient object organism phase_space phenomenon physical_entity possession process "
    "psychological_feature relation shape social_relation space state substance thing time whole".split()
)
"""First words of the synsets at which a chain of hypernyms ends: true of nearly everything."""
TOP_FILE = 3

ABSTRACT = frozenset("instrumentality unit happening way part region content cognitive_state quality trait".split())
"""Ends below the tops, for the same reason (each the first word of a synset)."""

BROAD_SENSES = 4
"""In how many senses a word may be the wider one: "brass" is a metal first, a wind instrument second. The senses
of a word that the texts never have ("colour") stand in no order and all count."""
MAX_TOKENS = 3


class Words:
    """What is taken from WordNet.

    Parameters
    ----------
    net
        The database.
    wanted
        Lemmas kept whatever their frequency.
    """

    def __init__(self, net: WordNet, wanted: frozenset[str] = frozenset()) -> None:
        self.net = net
        self.wanted = wanted

    def _parents(self, synset: Synset) -> list[Key]:
        """Hypernyms that say something; a name of one thing (``@i``, Paris) is no kind."""
        keys = [p.to for p in synset.pointers if p.symbol == "@"]
        return [key for key in keys if not self._is_top(self.net.synsets[key])]

    def _is_top(self, synset: Synset) -> bool:
        if synset.key[0] != "n":
            return False
        first = synset.words[0].lower()
        return (synset.file == TOP_FILE and first in TOPS) or first in ABSTRACT

    def _is_instance(self, synset: Synset) -> bool:
        return any(p.symbol == "@i" for p in synset.pointers)

    @cached_property
    def _below_roots(self) -> frozenset[Key]:
        children: dict[Key, list[Key]] = defaultdict(list)
        for synset in self.net.synsets.values():
            for pointer in synset.pointers:
                if pointer.symbol == "@":
                    children[pointer.to].append(synset.key)
        queue = [key for root in ROOTS for key in self.net.senses["n", root.replace("_", " ")][:1]]
        queue += self.net.senses["n", "instrument"] + self.net.senses["n", "musical instrument"]
        seen: set[Key] = set()
        while queue:
            key = queue.pop()
            if key not in seen:
                seen.add(key)
                queue += children[key]
        return frozenset(seen)

    def _common(self, pos: str, lemma: str) -> bool:
        if lemma in self.wanted or self.net.tagged(pos, lemma):
            return True
        return pos == "n" and any(self._vernacular(lemma, key) for key in self.net.usual("n", lemma))

    def _vernacular(self, lemma: str, key: Key) -> bool:
        """Under one of the roots, and not a Latin name (those are capitalised, or lead a synset of such)."""
        synset = self.net.synsets[key]
        written = [word for word in synset.words if lemma_of(word) == lemma]
        latin = synset.file in (5, 20) and any(word[0].isupper() for word in written)
        return key in self._below_roots and not latin

    def chosen(self, pos: str) -> dict[str, tuple[Key, ...]]:
        """The narrow lemmas of a part of speech, one or two tokens, with their usual senses."""
        table = {}
        for (part, lemma), _ in sorted(self.net.senses.items()):
            if part != pos or lemma.count(" ") > 1 or lemma[0].isdigit() or not self._common(pos, lemma):
                continue
            keys = tuple(k for k in self.net.usual(pos, lemma) if not self._is_instance(self.net.synsets[k]))
            if keys:
                table[lemma] = keys
        return table

    def kinds(self, pos: str, depth: int) -> Iterator[str]:
        """Lines of a table of meanings: ``parents TAB words``; the line's number (from 0) is the meaning's.

        A word marked ``~`` has the meaning among its first four but not its usual ones: such a word may be the
        wider one in a comparison, never the narrower.

        Parameters
        ----------
        pos
            Part of speech.
        depth
            How many levels of hypernyms are kept above the chosen lemmas; 0 for none.
        """
        chosen = self.chosen(pos)
        kept: set[Key] = {key for keys in chosen.values() for key in keys}
        edge = set(kept) if depth else set()
        for _ in range(depth):
            edge = {parent for key in edge for parent in self._parents(self.net.synsets[key])} - kept
            kept |= edge
        words = {key: self._words(pos, key, chosen) for key in kept if not self._is_top(self.net.synsets[key])}
        # a meaning that ties nothing (no parent, no second word, nobody's parent) tells nothing
        parents = {
            key: [p for p in self._parents(self.net.synsets[key]) if p in words] if depth else [] for key in words
        }
        used = {p for ps in parents.values() for p in ps}
        order = sorted(k for k, ws in words.items() if k in used or parents[k] or len(ws) > 1)
        number = {key: n for n, key in enumerate(order)}
        for key in order:
            yield " ".join(str(number[p]) for p in sorted(parents[key])) + "\t" + "|".join(words[key])

    def _words(self, pos: str, key: Key, chosen: dict[str, tuple[Key, ...]]) -> list[str]:
        found = []
        for lemma in dict.fromkeys(map(lemma_of, self.net.synsets[key].words)):
            if key in chosen.get(lemma, ()):
                found.append(lemma)
            elif lemma.count(" ") < MAX_TOKENS and (
                self.net.rank(pos, lemma, key) < BROAD_SENSES or not self.net.tagged(pos, lemma)
            ):
                found.append("~" + lemma)
        return found

    def opposites(self, extra: Iterable[str] = ()) -> Iterator[str]:
        """Lines ``word TAB antonyms TAB weaker antonyms``.

        Direct antonyms are WordNet's own, of the first three senses, and those by hand (``extra``, "a b : c d").
        The weaker ones are those of a word of the same meaning, and for an adjective those of the head that it is
        similar to.
        """
        strong: dict[str, set[str]] = defaultdict(set)
        weak: dict[str, set[str]] = defaultdict(set)
        for pos in "arnv":
            for (part, lemma), keys in self.net.senses.items():
                if part != pos or " " in lemma:
                    continue
                for key in keys[:3]:
                    for word, direct in self._opposites_of(lemma, key):
                        (strong if direct else weak)[lemma].add(word)
        for line in extra:
            left, right = (side.split() for side in line.split(":"))
            for one in left:
                strong[one].update(right)
            for other in right:
                strong[other].update(left)
        by_hand = {word for line in extra for word in line.replace(":", " ").split()}
        common = by_hand | {
            lemma for pos in "arnv" for (part, lemma) in self.net.senses if part == pos and self._common(pos, lemma)
        }
        for lemma in sorted(strong.keys() | weak.keys()):
            near = strong[lemma] & common
            far = (weak[lemma] & common) - near - {lemma}
            if lemma in common and (near or far):
                yield "\t".join((lemma, "|".join(sorted(near)), "|".join(sorted(far))))

    def _opposites_of(self, lemma: str, key: Key) -> Iterator[tuple[str, bool]]:
        synset = self.net.synsets[key]
        for source, target in self._ends(synset, "!"):
            yield target, source == lemma
        if key in self.net.usual(key[0], lemma):
            for pointer in synset.pointers:
                if pointer.symbol == "&":
                    for _, target in self._ends(self.net.synsets[pointer.to], "!"):
                        yield target, False

    def _ends(self, synset: Synset, symbol: str) -> Iterator[tuple[str, str]]:
        """Pairs of single-token words that a lexical pointer ties."""
        for pointer in synset.pointers:
            if pointer.symbol == symbol and pointer.source:
                other = self.net.synsets[pointer.to]
                pair = lemma_of(synset.words[pointer.source - 1]), lemma_of(other.words[pointer.target - 1])
                if not any(" " in word for word in pair):
                    yield pair

    def families(self, extra: Iterable[Iterable[str]]) -> Iterator[str]:
        """Lines of words that share a stem, sorted.

        Words are tied that WordNet calls derivationally related (``+``) or pertaining (a backslash), in one of their
        usual senses, if they begin alike: "optic" pertains to "eye", which is no matter of stems.
        """
        leader: dict[str, str] = {}

        def find(word: str) -> str:
            while leader.setdefault(word, word) != word:
                leader[word] = leader[leader[word]]
                word = leader[word]
            return word

        for synset in self.net.synsets.values():
            for symbol in "+\\":
                for pointer in synset.pointers:
                    if pointer.symbol == symbol and pointer.source:
                        other = self.net.synsets[pointer.to]
                        one, two = synset.words[pointer.source - 1], other.words[pointer.target - 1]
                        if self._kin(one, synset.key, two, other.key):
                            leader[find(lemma_of(one))] = find(lemma_of(two))
        for group in extra:
            first, *rest = group
            for word in rest:
                leader[find(word)] = find(first)
        members: dict[str, set[str]] = defaultdict(set)
        for word in list(leader):
            members[find(word)].add(word)
        yield from sorted(
            "|".join(sorted(words)) for words in members.values() if len(words) > 1 and self._known(words)
        )

    def _known(self, words: set[str]) -> bool:
        return any(self._common(pos, word) for word in words for pos in "nvar")

    def _kin(self, one: str, key: Key, two: str, other: Key) -> bool:
        a, b = lemma_of(one), lemma_of(two)
        if " " in a or " " in b:
            return False
        if key not in self.net.usual(key[0], a) or other not in self.net.usual(other[0], b):
            return False
        begin = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
        if one[0].isupper() and two[0].isupper():
            return begin > 0
        return begin >= min(4, len(a) - 1, len(b) - 1)

    def plurals(self) -> Iterator[str]:
        """Lines ``plural TAB singular`` of irregular plurals of chosen nouns."""
        chosen = self.chosen("n")
        for plural, singular in sorted(self.net.irregular.items()):
            if singular in chosen and plural != singular and plural not in chosen:
                yield f"{plural}\t{singular}"

    def small_words(self) -> set[str]:
        """Words that are written small somewhere in WordNet."""
        found = {word for synset in self.net.synsets.values() for word in synset.words if word[:1].islower()}
        return {lemma_of(word) for word in found if "_" not in word}

    def common_words(self) -> set[str]:
        """Those of them that were met in the tagged texts."""
        return {word for word in self.small_words() if any(self.net.tagged(pos, word) for pos in "nvar")}


def family_lines(path: Path) -> list[list[str]]:
    """The hand-written families."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line.strip() and not line.startswith("#")]
