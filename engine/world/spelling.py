"""How names of places are compared and capitalised."""

from __future__ import annotations

import re
import unicodedata

LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "ß": "ss", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"}
    | {"’": "'", "‘": "'", "ʻ": "'", "ʼ": "'", "`": "'", "-": " ", "–": " ", ".": None}
)
SMALL = frozenset(
    "of the and upon on in by am an der den dem im bei ob auf de del della delle di da do dos das du des la le les el "
    "los las lo y e et en sur sous aux a op aan ter ten van na nad pod".split()
)
"""Words that stay small within a name, though not at its beginning."""


def fold(name: str) -> str:
    """A name as it is compared: small letters, no accents, hyphens as blanks, no full stops, no leading "the".

    Parameters
    ----------
    name
        As written: ``St. Gallen``, ``Île-de-France``.

    Returns
    -------
    str
        ``st gallen``, ``ile de france``.
    """
    text = name.lower().translate(LETTERS)
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
        text = text.translate(LETTERS)
    text = " ".join(text.split())
    return text.removeprefix("the ")


def capitalise(name: str) -> str:
    """A name in small letters with the capitals that the common rule gives: ``rio de janeiro`` → ``Rio de Janeiro``."""
    parts = re.split(r"([ \-])", name)
    words = [word if n and word in SMALL else word[:1].upper() + word[1:] for n, word in enumerate(parts)]
    return "".join(words)
