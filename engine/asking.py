"""What a question asks for: an answer of that kind goes before one that only shares its words."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

TABLE = Path(__file__).parent / "lexicon" / "questions.toml"
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_NAMING = frozenset("who who's whose name names called named".split())


@cache
def questions() -> Mapping[str, tuple[tuple[frozenset[str], ...], ...]]:
    """For each attribute the forms of questions that ask for it: groups of words, one of each must be there."""
    tables = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {
        attribute: tuple(tuple(frozenset(group.split("|")) for group in form.split()) for form in table["asks"])
        for attribute, table in tables.items()
    }


@lru_cache(maxsize=4096)
def asked(query: str) -> frozenset[str]:
    """The attributes that a question asks for; empty where it is none that is known.

    Parameters
    ----------
    query : str

    Returns
    -------
    frozenset of str
    """
    words = _words(query)
    return frozenset(
        attribute for attribute, forms in questions().items() if any(all(words & group for group in form) for form in forms)
    )


@lru_cache(maxsize=65536)
def asks_about(query: str, subject: str) -> bool:
    """Whether a question may be about a subject: it names it, or names nobody and the subject is the speaker."""
    words = _words(query)
    who = set(_WORD.findall(subject.lower().replace("'s", "")))
    owned = subject.lower().startswith("user's ")
    return bool(who - {"user"} & words) if owned else bool(who & words) or bool(words & _FIRST) and "'s" not in subject


_FIRST = frozenset("i my me we our user user's mine".split())


@lru_cache(maxsize=4096)
def asks_for_a_name(query: str) -> bool:
    """Whether a question asks who somebody is: "who is my boss", "what is my sister called"."""
    return bool(_words(query) & _NAMING)


def _words(query: str) -> set[str]:
    found = _WORD.findall(query.lower().replace("’", "'"))
    return {part for word in found for part in (word, word.removesuffix("'s"))} | {"is" for w in found if w.endswith("'s")}
