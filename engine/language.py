"""Which messages are not in English: they are skipped and told, since only English is read so far."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lingua import LanguageDetector

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ENGLISH = frozenset(
    """
    the you your yours she hers his they them their our it's i'm i've i'd i'll my mine myself this these those there
    here that's there's don't doesn't didn't isn't aren't wasn't can't couldn't won't wouldn't haven't hasn't what who
    when where why how which whose is are were being have had having does doing did done and but because with without
    from about into onto since until while during between after before not never always often usually just only also
    too very really again than then it its if would could should must might may shall cannot got get getting gets
    going goes went gone go like likes liked love loves loved hate hates enjoy wants need needs think know live lives
    lived work works worked working play plays eat drink drive buy bought sell sold moved move moving named called
    married born years year old months month weeks day days today tomorrow yesterday now new last next every each some
    any many much more other another few good great best better little favorite favourite job home house school friend
    friends wife husband mom mum dad mother father brother sister daughter kids kid dog cat birthday people thing
    things something someone please thanks thank sorry yes yeah hello hey im ive dont doesnt didnt cant wont isnt
    gonna wanna allergic vegetarian vegan use used using study studied studying learning speak speaks make made take
    took taking saw come came started start stopped quit left visiting visit visited trip flying flew flight both two
    three four five seven eight nine first second off out up down away back around
    """.split()
)
"""Words of English chats that are words of no other language in the list below. What others share ("in", "do", "me",
"was", "am", "die", "so", "no", "on", "to") tells nothing and is not here."""
SHORT = 5
SURE, LIKELY = 0.9, 0.5
"""How sure the detector must be of another language where English words stand in the text, and where none does."""
PLAIN = 1 / 3
"""The share of unmistakably English words above which nobody need be asked."""


@cache
def _detector() -> LanguageDetector:
    from lingua import Language, LanguageDetectorBuilder

    names = ("ENGLISH", "GERMAN", "FRENCH", "SPANISH", "ITALIAN", "PORTUGUESE", "DUTCH", "POLISH", "TURKISH", "SWEDISH",
             "INDONESIAN", "ROMANIAN", "CZECH", "FINNISH", "VIETNAMESE", "TAGALOG", "SWAHILI")  # fmt: skip
    return LanguageDetectorBuilder.from_languages(*(getattr(Language, n) for n in names)).build()


def foreign(text: str) -> bool:
    """Whether a text is clearly in another language than English.

    Other scripts decide at once, and so do enough words that are English and nothing else. Otherwise the
    statistical detector is asked, and believed only where it is sure: first about the text without its names,
    since names and places of all languages stand in English chats.

    Parameters
    ----------
    text : str
        A whole message.

    Returns
    -------
    bool
        False where it is English, or too short to tell.
    """
    found = [w.replace("’", "'") for w in _WORD.findall(text)]
    if not found:
        return False
    latin = sum(all("LATIN" in _script(c) for c in w if c != "'") for w in found)
    if latin < len(found) / 2:
        return True
    plain = [w for w in found if not w[0].isupper() or w.lower() in _ENGLISH]
    words = plain if len(plain) >= len(found) / 3 else found
    english = sum(w.lower() in _ENGLISH for w in found)
    if len(found) < SHORT or english >= len(words) * PLAIN:
        return False
    return _is_foreign(" ".join(words), SURE if english or len(plain) < SHORT else LIKELY)


def _is_foreign(text: str, sure: float) -> bool:
    """Whether the detector is as sure as that of another language."""
    best = _detector().compute_language_confidence_values(text)[0]
    return best.language.name != "ENGLISH" and best.value >= sure


@cache
def _script(char: str) -> str:
    import unicodedata

    return unicodedata.name(char, "LATIN").split(" LETTER")[0]
