"""Labelled pairs from templates: ``python -m training.generate`` writes ``data/pairs_generated.jsonl``.

An entry of the templates gives about 50 pairs, balanced over the labels. Each label is made in several ways, and
the same wordings appear under different labels (an end is DELETE of its own value, ADD beside another one's), so
that only the relation of the two texts tells the label. All pairs of an entry share a group: it never stands on
both sides of a split. Seeded by the entry's name; the same templates write the same bytes.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.types import Operation
from training.pairs import DATA, LabelledPair, write_pairs
from training.templates import TEMPLATES, Entry, read_templates

OUT = DATA / "pairs_generated.jsonl"
SEED = 20260101
QUOTA = 9  # of each label an entry; two of the labels, in turn, get one more
ATTEMPTS = 40
APART = 8  # entries that stand nearer in the file tell of kindred things
USER = "user"
USER_SHARE = 0.6
OTHERS = ("user's sister Ana", "Marek", "user's neighbour", "user's colleague Lena")
UNNAMED = ("user's neighbour", "user's sister")
COMPANY = "the company"
_NAMING = frozenset({"name", "nickname"})
_ORGANISED = re.compile(r"\{s\}'s (?:team|service|billing service|code base|next release|annual congress|conference)\b")
_NOW = re.compile(r"\b(?:now|currently)\b")
_BROKEN = re.compile(
    r"[{}]|  |^\s|\s$|\b(\w+) \1\b"  # a slot left, stray blanks, a word twice
    r"|\ba (?=[aeiou])(?!eu|one|uni|use|usu|ur)|\ban (?=[bcdfgjklmnpqrstvwyz])"
    r"|\b(?:a|an|the) (?:a|an|the|my|his|her)\b"
    r"|\bthe (?:[a-z]+ )*[a-z]*[a-hj-rtv-z]s (?:is|isn't|has|was|wasn't)\b"  # "the engineers is"
    r"|(?:\bnot\b|n't\b|\bnever\b|\bno longer\b).* (?:no|none|nothing|nobody|never)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Draw:
    """What a way of making pairs draws from: the entry, all entries, and its own seeded chance."""

    entry: Entry
    unlike: tuple[Entry, ...]
    chance: random.Random

    def subject(self, but: str = "") -> str:
        """Somebody: the user in three of five, never ``but``."""
        others = UNNAMED if self.entry.attribute in _NAMING else OTHERS
        found = [s for s in (*others, *((COMPANY,) if organised(self.entry) else ())) if s != but]
        return USER if but != USER and self.chance.random() < USER_SHARE else self.chance.choice(found)

    def values(self, n: int) -> list[str]:
        """``n`` different values."""
        return self.chance.sample(self.entry.values, n)

    def plain(self) -> str:
        """A statement that does not say "now"."""
        return self.chance.choice([t for t in self.entry.says if not _NOW.search(t)] or self.entry.says)

    def other(self, but: str) -> str:
        """Another statement of the same, "now" or not."""
        return self.chance.choice([t for t in self.entry.says if t != but])

    def one_of(self, templates: Sequence[str]) -> str:
        return self.chance.choice(templates)


Texts = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to make pairs of a label: when an entry has what it takes, and the two texts."""

    label: Operation
    family: str
    possible: Callable[[Entry], object]
    texts: Callable[[Draw], Texts]


def organised(entry: Entry) -> bool:
    """Whether an entry is about what a company has, so that "the company" may be its subject."""
    return any(_ORGANISED.search(t) for t in entry.says) and not any("company" in t for t in entry.templates)


def say(template: str, subject: str, value: str, instead: str = "") -> str:
    """A template with its slots filled."""
    return template.replace("{s}", subject).replace("{v}", value).replace("{w}", instead)


def _another_value(d: Draw) -> Texts:
    s, (v, w) = d.subject(), d.values(2)
    return say(d.plain(), s, v), say(d.plain(), s, w)


def _another_value_now(d: Draw) -> Texts:
    s, (v, w) = d.subject(), d.values(2)
    return say(d.plain(), s, v), say(d.one_of([t for t in d.entry.says if _NOW.search(t)]), s, w)


def _switch(d: Draw) -> Texts:
    s, (v, w) = d.subject(), d.values(2)
    return say(d.plain(), s, v), say(d.one_of(d.entry.switches), s, v, w)


def _narrowed(d: Draw) -> Texts:
    s, (broad, narrow) = d.subject(), d.chance.choice(d.entry.narrower)
    return say(d.plain(), s, broad), say(d.one_of(d.entry.says), s, narrow)


def _affirmed(d: Draw) -> Texts:
    s, (v,) = d.subject(), d.values(1)
    return say(d.one_of(d.entry.denies), s, v), say(d.one_of(d.entry.says), s, v)


def _one_more(d: Draw) -> Texts:
    s, (v, w) = d.subject(), d.values(2)
    return say(d.plain(), s, v), say(d.one_of((*d.entry.says, *d.entry.also)), s, w)


def _also(d: Draw) -> Texts:
    s, (v, w) = d.subject(), d.values(2)
    return say(d.plain(), s, v), say(d.one_of(d.entry.also), s, w)


def _end_of_another_value(d: Draw) -> Texts:
    s, (v, w) = d.subject(), d.values(2)
    return say(d.plain(), s, v), say(d.one_of((*d.entry.ends, *d.entry.denies)), s, w)


def _switch_of_others(d: Draw) -> Texts:
    s, (v, w, x) = d.subject(), d.values(3)
    return say(d.plain(), s, v), say(d.one_of(d.entry.switches), s, w, x)


def _other_subject(d: Draw) -> Texts:
    s, (v,) = d.subject(), d.values(1)
    says = d.plain()
    return say(says, s, v), say(says, d.subject(but=s), v)


def _other_subject_changes(d: Draw) -> Texts:
    s, (v, w) = d.subject(), d.values(2)
    kinds = [k for k in (d.entry.ends, d.entry.denies, d.entry.switches) if k]
    return say(d.plain(), s, v), say(d.one_of(d.chance.choice(kinds)), d.subject(but=s), v, w)


def _hedged(d: Draw) -> Texts:
    s, (v, w) = d.subject(), d.values(2)
    return say(d.plain(), s, v), say(d.one_of(d.entry.hedges), s, w)


def _other_matter(d: Draw) -> Texts:
    s, (v,), other = d.subject(), d.values(1), d.chance.choice(d.unlike)
    values = [w for w in other.values if w not in d.entry.values]
    return say(d.plain(), s, v), say(d.one_of((*other.says, *other.ends)), s, d.one_of(values or other.values))


def _ended(d: Draw) -> Texts:
    s, (v,) = d.subject(), d.values(1)
    return say(d.one_of(d.entry.says), s, v), say(d.one_of(d.entry.ends), s, v)


def _denied(d: Draw) -> Texts:
    s, (v,) = d.subject(), d.values(1)
    return say(d.one_of(d.entry.says), s, v), say(d.one_of(d.entry.denies), s, v)


def _denied_in_general(d: Draw) -> Texts:
    s, (broad, narrow) = d.subject(), d.chance.choice(d.entry.narrower)
    return say(d.one_of(d.entry.says), s, narrow), say(d.one_of(d.entry.denies), s, broad)


def _reworded(d: Draw) -> Texts:
    s, (v,) = d.subject(), d.values(1)
    says = d.plain()
    return say(says, s, v), say(d.other(says), s, v)


def _widened(d: Draw) -> Texts:
    s, (broad, narrow) = d.subject(), d.chance.choice(d.entry.narrower)
    return say(d.plain(), s, narrow), say(d.one_of(d.entry.says), s, broad)


def _other_notation(d: Draw) -> Texts:
    s, both = d.subject(), d.chance.sample(d.chance.choice(d.entry.same), 2)
    return say(d.plain(), s, both[0]), say(d.one_of(d.entry.says), s, both[1])


def _denied_again(d: Draw) -> Texts:
    s, (v,) = d.subject(), d.values(1)
    first, second = d.chance.sample(d.entry.denies, 2)
    return say(first, s, v), say(second, s, v)


def _after_the_switch(d: Draw) -> Texts:
    s, (v, w) = d.subject(), d.values(2)
    return say(d.one_of(d.entry.switches), s, v, w), say(d.plain(), s, w)


def _one(e: Entry) -> bool:
    return e.cardinality == "one"


def _many(e: Entry) -> bool:
    return e.cardinality == "many"


A, U, D, N = Operation.ADD, Operation.UPDATE, Operation.DELETE, Operation.NOOP

WAYS: tuple[Way, ...] = (
    Way(U, "value_change", _one, _another_value),
    Way(U, "value_change", lambda e: _one(e) and any(map(_NOW.search, e.says)), _another_value_now),
    Way(U, "value_change", lambda e: e.switches, _switch),
    Way(U, "more_precise", lambda e: e.narrower, _narrowed),
    Way(U, "negation", lambda e: True, _affirmed),
    Way(A, "several_values", _many, _one_more),
    Way(A, "several_values", lambda e: _many(e) and e.also, _also),
    Way(A, "several_values", _many, _end_of_another_value),
    Way(A, "several_values", lambda e: _many(e) and e.switches, _switch_of_others),
    Way(A, "other_subject", lambda e: True, _other_subject),
    Way(A, "other_subject", lambda e: True, _other_subject_changes),
    Way(A, "modality", lambda e: e.hedges, _hedged),
    Way(A, "other_attribute", lambda e: True, _other_matter),
    Way(D, "end_without_value", lambda e: True, _ended),
    Way(D, "negation", lambda e: True, _denied),
    Way(D, "negation", lambda e: e.narrower, _denied_in_general),
    Way(N, "same_value_reworded", lambda e: True, _reworded),
    Way(N, "less_precise", lambda e: e.narrower, _widened),
    Way(N, "same_value_reworded", lambda e: e.same, _other_notation),
    Way(N, "negative_restated", lambda e: len(e.denies) > 1, _denied_again),
    Way(N, "same_value_reworded", lambda e: e.switches, _after_the_switch),
)
"""Every way to make a pair, drawn in turn until a label has its quota."""


def generate(entries: Sequence[Entry], seed: int = SEED) -> list[LabelledPair]:
    """Makes labelled pairs of templates.

    Parameters
    ----------
    entries : sequence of Entry
    seed : int, default=20260101

    Returns
    -------
    list of LabelledPair
        Sorted by their texts. Texts that came out under two labels, equal, or ungrammatical are left out.
    """
    made: dict[tuple[str, str], LabelledPair] = {}
    disputed: set[tuple[str, str]] = set()
    for place, entry in enumerate(entries):
        chance = random.Random(f"{seed}:{entry.name}")
        for pair in _of_entry(Draw(entry, _unlike(entries, place), chance), more=place % 2):
            known = made.setdefault(pair.key, pair)
            if known.label is not pair.label:
                disputed.add(pair.key)
    return [made[key] for key in sorted(made) if key not in disputed]


def _unlike(entries: Sequence[Entry], place: int) -> tuple[Entry, ...]:
    """The entries that have nothing to do with one."""
    entry = entries[place]
    return tuple(
        e
        for i, e in enumerate(entries)
        if abs(i - place) >= APART
        and e.attribute not in {entry.attribute, *_NAMING}
        and organised(e) == organised(entry)
    )


def _of_entry(draw: Draw, more: int) -> Iterator[LabelledPair]:
    for n, label in enumerate((U, A, D, N)):
        ways = [
            w for w in WAYS if w.label is label and w.possible(draw.entry) and (draw.unlike or w.texts != _other_matter)
        ]
        quota, seen = QUOTA + (n % 2 == more), set[Texts]()
        for attempt in range(ATTEMPTS):
            if len(seen) == quota:
                break
            way = ways[attempt % len(ways)]
            texts = way.texts(draw)
            if texts not in seen and sound(*texts):
                seen.add(texts)
                yield LabelledPair(
                    *texts,
                    label=label,
                    group=f"gen:{draw.entry.name}",
                    family=way.family,
                    attribute=draw.entry.attribute,
                    generated=True,
                )


def sound(existing: str, candidate: str) -> bool:
    """Whether two texts differ and neither is visibly broken: an open slot, a word twice, a wrong article, a
    double negation."""
    return (
        existing.casefold() != candidate.casefold() and not _BROKEN.search(existing) and not _BROKEN.search(candidate)
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the pairs; 0."""
    parser = argparse.ArgumentParser(
        prog="python -m training.generate", description="Make labelled pairs of templates."
    )
    parser.add_argument("--templates", type=Path, default=TEMPLATES, metavar="FILE", help="the templates (TOML)")
    parser.add_argument("--out", type=Path, default=OUT, metavar="FILE", help="where the pairs go (JSONL)")
    options = parser.parse_args(arguments)
    pairs = generate(read_templates(options.templates))
    write_pairs(options.out, pairs)
    sys.stderr.write(f"{len(pairs)} pairs written to {options.out}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
