"""Orders to the memory itself: "forget my old address", "scratch that", "please delete the blood type".

"Remember that …" and "note that …" are no orders of their own kind: what follows is a statement and is
read as one.
"""

from __future__ import annotations

import re

from engine.types import Command, CommandKind, Sentence, Span

_POLITE = r"(?:please|pls|kindly|can you|could you|ok|okay|actually|hmm|so|and|now|just|oh|wait|no)[\s,]+"
_FORGET = re.compile(
    rf"^(?:{_POLITE})*(?:forget|delete|erase|remove|drop|wipe|scratch|strike|disregard|ignore)\s+"
    r"(?:what i (?:said|told you) about\s+|everything about\s+|about\s+|that i\s+|the bit about\s+)?(?P<what>.+)$",
    re.I,
)
_RETRACT = re.compile(
    rf"^(?:{_POLITE})*(?:(?:scratch|strike|forget|ignore|never mind|disregard) (?:that|it|this|what i (?:just )?said)|"
    r"(?:i(?:'m| was| am)?(?: just| only)? (?:joking|kidding)|just kidding|only joking|jk|i made (?:it|that) (?:all )?up)|"
    r"that(?:'s| is| was)(?: not| n't|n't) true(?: any ?more)?|(?:not true|no longer true)(?: any ?more)?)\W*$",
    re.I,
)
_NOT_MEMORY = re.compile(
    r"\b(?:the lid|the oven|the milk|it,|him|her|them|line|paragraph|sentence|column|file)\b", re.I
)
_MEMORY_VERB = re.compile(r"^\W*(?:please\W+|kindly\W+|can you\W+|could you\W+|hmm\W+|ok(?:ay)?\W+)*"
                          r"(?:forget|scratch|strike|disregard)\b|\b(?:i (?:gave|told) you|you (?:have|stored|saved)|"
                          r"from (?:your|my) (?:memory|profile|notes|records)|on file)\b", re.I)  # fmt: skip


def command_of(sentence: Sentence) -> Command | None:
    """The order that a sentence gives to the memory, if it gives one.

    Parameters
    ----------
    sentence : Sentence
        Its verbatim text is matched.

    Returns
    -------
    Command or None
        ``RETRACT`` without a target takes back what was said last; ``FORGET`` names what should go.
    """
    text = sentence.text.strip()
    span = Span(sentence.message.id, sentence.start, sentence.end, sentence.text)
    if _RETRACT.search(text):
        return Command(CommandKind.RETRACT, "", span)
    match = _FORGET.match(text)
    if match is None or text.endswith("?") or not _MEMORY_VERB.search(text) or _NOT_MEMORY.search(text):
        return None
    what = re.split(r"[.;!]|,? (?:i gave you|i told you|from (?:your|my) (?:memory|profile|notes|records))\b",
                    match["what"], maxsplit=1, flags=re.I)[0]  # fmt: skip
    what = what.strip(" ,.!")
    if not what or what.lower() in ("about it", "it", "that", "to", "me"):
        return None
    if re.match(r"to \w+", what, re.I):
        return None  # "don't forget to …"
    return Command(CommandKind.FORGET, what, span)
