"""WordNet's own database files (``data.noun``, ``index.noun``, ``cntlist.rev``, ``noun.exc``) as objects.

The formats are those of wndb(5WN) and cntlist(5WN), WordNet 3.0 and 3.1 alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

POS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
SS_TYPE = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}

Key = tuple[str, str]
"""Part of speech (n, v, a, r) and byte offset: WordNet's name of a synset."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """A relation, from word number ``source`` of its synset to word number ``target`` of another; 0 is the whole."""

    symbol: str
    to: Key
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Synset:
    """Words of one meaning. ``file`` is the lexicographer's file: 3 holds the top nouns, 5 the animals."""

    key: Key
    file: int
    words: tuple[str, ...]
    pointers: tuple[Pointer, ...]


@dataclass(slots=True)
class WordNet:
    """The whole database.

    Attributes
    ----------
    synsets
        By key.
    senses
        By part of speech and lower-case lemma (spaces, no underscores): the keys, the most frequent first.
    counts
        By part of speech, lemma and sense number (from 1): how often the sense was met in the tagged texts.
    irregular
        Irregular plurals and what they are plurals of.
    """

    synsets: dict[Key, Synset] = field(default_factory=dict)
    senses: dict[tuple[str, str], tuple[Key, ...]] = field(default_factory=dict)
    counts: dict[tuple[str, str, int], int] = field(default_factory=lambda: defaultdict(int))
    irregular: dict[str, str] = field(default_factory=dict)

    def rank(self, pos: str, lemma: str, key: Key) -> int:
        """Number (from 0) of the sense of ``lemma`` that ``key`` is."""
        return self.senses[pos, lemma].index(key)

    def tagged(self, pos: str, lemma: str) -> int:
        """How often ``lemma`` was met in the tagged texts, in any sense."""
        return sum(self.counts.get((pos, lemma, n + 1), 0) for n in range(len(self.senses.get((pos, lemma), ()))))

    def usual(self, pos: str, lemma: str) -> tuple[Key, ...]:
        """The one or two senses that a bare word is likely to have.

        The second counts unless the texts know the first alone or twenty times as well: a dog is an animal,
        no plain girl, though WordNet lists both.
        """
        keys = self.senses.get((pos, lemma), ())[:2]
        first, second = (self.counts.get((pos, lemma, n), 0) for n in (1, 2))
        return keys[:1] if first and second * 20 < first else keys


def lemma_of(word: str) -> str:
    """``Canis_familiaris`` → ``canis familiaris``; the marker of an adjective's position, ``(p)``, is dropped."""
    return word.split("(")[0].replace("_", " ").lower()


def _lines(path: Path) -> Iterator[str]:
    """Without the licence, whose lines begin with two blanks."""
    return (line for line in path.read_text(encoding="latin-1").splitlines() if not line.startswith("  "))


def _synset(pos: str, line: str) -> Synset:
    fields = line.split(" | ")[0].split()
    count = int(fields[3], 16)
    words = tuple(word.split("(")[0] for word in fields[4 : 4 + 2 * count : 2])
    rest = fields[4 + 2 * count :]
    pointers = tuple(
        Pointer(symbol, (target_pos.replace("s", "a"), offset), int(ends[:2], 16), int(ends[2:], 16))
        for symbol, offset, target_pos, ends in _quads(rest[1 : 1 + 4 * int(rest[0])])
    )
    return Synset((pos, fields[0]), int(fields[1]), words, pointers)


def _quads(fields: list[str]) -> Iterable[tuple[str, str, str, str]]:
    return zip(fields[0::4], fields[1::4], fields[2::4], fields[3::4], strict=True)


def read(folder: Path) -> WordNet:
    """Read a WordNet folder.

    Parameters
    ----------
    folder
        Where ``data.noun`` and its like are; Debian's ``wordnet-base`` puts them in ``/usr/share/wordnet``.

    Returns
    -------
    WordNet

    Raises
    ------
    FileNotFoundError
        When the folder lacks one of the files.
    """
    net = WordNet()
    for pos, name in POS.items():
        for line in _lines(folder / f"data.{name}"):
            synset = _synset(pos, line)
            net.synsets[synset.key] = synset
        for line in _lines(folder / f"index.{name}"):
            fields = line.split()
            offsets = fields[-int(fields[2]) :]
            net.senses[pos, lemma_of(fields[0])] = tuple((pos, offset) for offset in offsets)
    for line in _lines(folder / "cntlist.rev"):
        sense_key, number, count = line.split()
        lemma, _, rest = sense_key.partition("%")
        net.counts[SS_TYPE[rest[0]], lemma_of(lemma), int(number)] += int(count)
    for line in _lines(folder / "noun.exc"):
        plural, singular = line.split()[:2]
        net.irregular[lemma_of(plural)] = lemma_of(singular)
    return net
