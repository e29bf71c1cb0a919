"""What a sentence takes back itself, left out before the parse: "on the ninth, no, the tenth".

Two things are taken back: a value before a cue where one of the same kind follows it, and a whole clause where another
one starts afresh about the same.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice

from engine import parts
from engine.pieces import SAME_LENGTH, one_of, table

MOST = 200
REACH = 240
"""How many cues of a message are looked at, and how many characters on either side of one."""
_ALSO_WORDS = frozenset({"no", "nope", "wait", "hang on", "sorry"})
"""Cues that are plain words too, unless signs stand on both sides."""
_EMPTY = {"the", "and", "for", "with", "was", "has", "have"}
_RESTARTS = re.compile(r"^(?:it's|it is|it was|i|i'm|we|we're|she|he|they|my [\w'-]+|our [\w'-]+)\b", re.I)


def unsaid(text: str) -> str:
    """A text with blanks in the place of what its own sentence takes back; its length stays.

    "on the ninth, no, the tenth" → "on                 the tenth".
    """
    plain = text.translate(SAME_LENGTH)
    for match in reversed(list(islice(_retake().finditer(plain), MOST))):
        before, after = plain[max(0, match.start() - REACH) : match.start()], plain[match.end() : match.end() + REACH]
        size = _wrong_value(before, after.lstrip(), match) or _wrong_clause(before, after.lstrip(), match)
        if size:
            cut = slice(match.start() - size, match.end())
            plain = plain[: cut.start] + " " * (cut.stop - cut.start) + plain[cut.stop :]
            text = text[: cut.start] + " " * (cut.stop - cut.start) + text[cut.stop :]
    return text


@cache
def _retake() -> re.Pattern[str]:
    words = table("corrections")
    cue, excuse = one_of(words["retakes"]["words"]), one_of(words["excuses"]["words"])
    return re.compile(
        rf"(?:\s?[,;-]+\s?|\s?\.\.+\s?|(?<=\w)\s(?=(?:no wait|no sorry|sorry no|i mean|i meant|or rather|wait no)\b))"
        rf"(?P<cue>{cue})(?:[\s,.;-]+(?:{excuse}))*(?:\s?[,;-]+\s?|\s?\.\.+\s?|\s)(?=\S)",
        re.I,
    )


def _wrong_value(before: str, after: str, match: re.Match[str]) -> int:
    """The length of the value right before the cue, where the one behind it is of the same kind."""
    if match["cue"].lower() in _ALSO_WORDS and not re.search(r"[,;.-]\s*$", match.group()):
        return 0
    olds = [old for length in range(5, 0, -1) if (old := _tail(before, length))]
    for new in (_head(after, size) for size in range(5, 0, -1)):
        for old in olds if new else ():
            opens = before[: len(before) - len(old)].rstrip()[-1:] in ("", ".", "!", "?")
            if _exchanged(old, new, first=opens):
                return len(old)
    return 0


def _head(text: str, size: int) -> str:
    found = re.match(rf"[^\s,.;!?]+(?:[ ][^\s,;!?]+){{{size - 1}}}", text)
    return found.group().rstrip(".") if found else ""


def _tail(text: str, size: int) -> str:
    found = re.search(rf"[^\s,.;!?]+(?:[ ][^\s,;!?]+){{{size - 1}}}$", text)
    return found.group() if found else ""


def _exchanged(old: str, new: str, *, first: bool) -> bool:
    """Whether two phrases are values of one kind, led by the same words if by any."""
    one, other = parts.core_of(old), parts.core_of(new)
    led, leads = old[: len(old) - len(one)].lower(), new[: len(new) - len(other)].lower()
    if leads != led or one.casefold() == other.casefold():
        return False
    if parts.is_typed(old):
        return parts.is_typed(new) and parts.alike(new, old)
    names = not first and all(re.fullmatch(r"(?:[A-ZÀ-Þ][\w'-]+\s*)+", words) for words in (one, other))
    return names and not parts.is_typed(new)


def _wrong_clause(before: str, after: str, match: re.Match[str]) -> int:
    """The length of the clause before the cue, where the one behind it starts afresh about the same."""
    if match["cue"].lower() in {*_ALSO_WORDS, "i mean", "i meant", "oops"}:
        return 0
    after = re.split(r"[.!?\n]", after, maxsplit=1)[0]
    before = re.split(r"[.!?\n]\s*", before)[-1]
    if not _RESTARTS.match(after) or len(after.split()) < 3:
        return 0
    same = _content(before) & _content(after) or before.split(" ")[0].lower() == after.split(" ")[0].lower()
    return len(before) if same else 0


def _content(text: str) -> set[str]:
    return set(re.findall(r"[a-zà-ÿ0-9]{3,}", text.lower())) - _EMPTY
