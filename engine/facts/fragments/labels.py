"""Statements without a verb that still tell: "New email address: ana@lima.example", "blood type: O negative".

Only labels that the lexicon knows count; any other fragment is skipped and told.
"""

from __future__ import annotations

import re

from engine.facts.people import Cast
from engine.lexicon import Lexicon, singular
from engine.types import Fact, Sentence, Span

_LABELLED = re.compile(
    r"^(?:(?:my|our|the|btw|ok|so|and)[ ,]+)*(?P<label>[a-z][a-z' -]{2,28}?)\s*(?::|=| - )\s*(?P<value>\S.{0,80}?)[.!]?$",
    re.I,
)
_EMPTY = re.compile(r"(?:none|n/?a|nil|nothing|no|tbc|tbd|unknown|-+|\?+)\W*$", re.I)
_WHEN = re.compile(r"^(?:new|current|present|latest|updated)\s+", re.I)


def fragment_of(sentence: Sentence, cast: Cast, lexicon: Lexicon) -> Fact | None:
    """The fact of a labelled value, or None.

    Parameters
    ----------
    sentence : Sentence
    cast : Cast
        Whose it is: the speaker's.
    lexicon : Lexicon
        Its nouns are the labels that count.
    """
    match = _LABELLED.match(sentence.text.strip())
    if match is None or match["value"].rstrip().endswith("?") or _EMPTY.match(match["value"]):
        return None
    label = _WHEN.sub("", match["label"].lower()).strip()
    attribute = lexicon.nouns.get(label)
    if attribute is None or attribute not in lexicon.attributes:
        return None
    value = match["value"].strip()
    fresh = ("now",) if _WHEN.match(match["label"]) else ()
    return Fact(
        subject=cast.speaker,
        predicate=f"'s {label} be",
        object=value,
        text=f"{cast.speaker}'s {label} {'are' if label.endswith('s') and singular(label) != label else 'is'} {value}",
        attribute=attribute,
        kind=lexicon.attributes[attribute].kind,
        span=Span(sentence.message.id, sentence.start, sentence.end, sentence.text),
        said_at=sentence.message.timestamp,
        cues=fresh,
    )
