"""What reaches beyond a clause: conditions, reports, wishes, orders, corrections, comments."""

from __future__ import annotations

from engine.segments.words import FINITE, Word, Words, listed, main_clause, noun_phrase, phrase_at, subordinator

LONG = 40
"""Words of a sentence beyond which it is speech without punctuation: a condition holds for its neighbourhood."""
NEAR = 16
"""How far a condition reaches there."""


def frozen_places(words: Words) -> set[int]:
    """The places where nothing is cut: in the reach of a condition, behind an order to tell or to forget."""
    everywhere = set(range(len(words)))
    head = 0
    while head < len(words) - 1 and (words[head].tag in ("UH", "CC", "RB", ",") or words[head].low in (
            "please", "can", "could", "you", "would", "will", "now")):  # fmt: skip
        head += 1
    if _in_fiction(words):
        return everywhere
    if words and listed(words[head], "orders") and words[head].tag in ("VB", "VBP", "NN", "NNP"):
        return everywhere
    out: set[int] = set()
    for n in range(len(words)):
        begins = n == 0 or words[n - 1].tag in (",", "CC", "UH", ":")
        if not (begins and phrase_at(words, n, "inverted")) and subordinator(words, n) != "conditional":
            continue
        if words[n].low in ("provided", "suppose", "imagine", "pretend") and n and listed(words[n - 1], "nominative"):
            continue
        reach = everywhere if len(words) <= LONG else set(range(n - NEAR, n + NEAR + 1))
        if n and listed(words[n - 1], "joins") and words[n].low == "if":  # "and if …": what stands before it holds
            reach = {r for r in reach if r >= n}
        out |= reach
    return out


def _in_fiction(words: Words) -> bool:
    """ "In my dream I lived on a boat and I had six dogs"."""
    behind = next((w for w in words[1:4] if w.tag not in ("DT", "PRP$", "JJ", "NN") or listed(w, "fiction")), None)
    return len(words) > 4 and words[0].low == "in" and behind is not None and listed(behind, "fiction")


def holds_on(left: Words, subject: Word, joins: set[str], marked: bool, strong: bool) -> bool:
    """Whether something of ``left`` reaches over the join: a report, a wish, a denial, a clause of time."""
    if strong:
        return False
    own = subject.low in ("i", "we", "my", "our")
    turned = bool(joins & {"but", "so"}) and own
    for n, word in enumerate(left):
        if listed(word, "wish") and word.tag[0] == "V" and not turned:
            return True
        if listed(word, "report") and word.tag in (*FINITE, "VB", "VBG") and not turned:
            if not _speaks(left, n) or any(w.low in ("n't", "not", "never") for w in left[max(0, n - 3) : n]):
                return True
    if marked or joins & {"but"}:
        return False
    first = main_clause(left)
    kinds = {subordinator(left, n) for n in range(first[1] if first else 0, len(left))}
    if "relative" in kinds:
        return not listed(subject, "nominative")
    return "subordinate" in kinds and not _reported(left)


def _reported(left: Words) -> bool:
    """ "I think that A and B": both are the speaker's."""
    return any(listed(w, "report") and left[n + 1].low == "that" for n, w in enumerate(left[:-1]))


def _speaks(left: Words, verb: int) -> bool:
    """Whether the subject of a verb of saying is the speaker."""
    j = verb - 1
    while j > 0 and (
        left[j].tag in ("RB", "MD") or left[j].low in ("do", "did", "n't", "have", "'ve", "'m", "'d", "to")
    ):
        j -= 1
    return j < 0 or left[j].low in ("i", "we") or left[j].tag in ("CC", ",", "UH")


def takes_back(left: Words) -> bool:
    return any(phrase_at(left, n, "takes_back") for n in range(len(left)))


def takes_in(left: Words, right: Words, start: int) -> bool:
    """Whether what stands before the "and" may belong to the subject behind it: "I know Ana and Bob live"."""
    found = main_clause(left)
    if found is None or listed(right[start], "nominative") or not listed(left[found[1]], "report"):
        return False
    return noun_phrase(left, found[1] + 1) == len(left)


def is_comment(right: Words, start: int) -> bool:
    length = phrase_at(right, start, "comments")
    if not length:
        return False
    after = right[start + length] if start + length < len(right) else None
    return after is None or after.tag in (",", ".", ":") or listed(after, "joins")
