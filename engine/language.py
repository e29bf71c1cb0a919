"""Which messages are not in English: they are skipped and told, since only English is read so far."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lingua import LanguageDetector

_LETTERS = re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset(
    "the a an i i'm my me we you he she it is are was were and or but in on at to of for with not no have has had do "
    "does did this that there what who when where why how be been live work from our your his her they them so just "
    "like love got get can will would im ive dont".split()
)
SHORT = 5
SURE = 0.9


@cache
def _detector() -> LanguageDetector:
    from lingua import Language, LanguageDetectorBuilder

    names = ("ENGLISH", "GERMAN", "FRENCH", "SPANISH", "ITALIAN", "PORTUGUESE", "DUTCH", "POLISH", "TURKISH", "SWEDISH",
             "INDONESIAN", "ROMANIAN", "CZECH", "FINNISH", "VIETNAMESE", "TAGALOG", "SWAHILI")  # fmt: skip
    return LanguageDetectorBuilder.from_languages(*(getattr(Language, n) for n in names)).build()


def foreign(text: str) -> bool:
    """Whether a text is clearly in another language than English.

    English function words decide at once; other scripts too; the statistical detector is asked only about
    what is left, and believed only where it is sure, since names and places of all languages stand in
    English chats.

    Parameters
    ----------
    text : str
        A whole message.

    Returns
    -------
    bool
        False where it is English, or too short to tell.
    """
    words = [w.lower() for w in re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text)]
    if not words:
        return False
    latin = sum(all("LATIN" in _script(c) for c in w) for w in words)
    if latin < len(words) / 2:
        return True
    english = sum(w in _ENGLISH for w in words)
    if english >= max(1, len(words) // 8) or len(words) < SHORT:
        return False
    best = _detector().compute_language_confidence_values(text)[0]
    return best.language.name != "ENGLISH" and best.value >= SURE


@cache
def _script(char: str) -> str:
    import unicodedata

    return unicodedata.name(char, "LATIN").split(" LETTER")[0]
