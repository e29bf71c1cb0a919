"""Clauses told by the words and tags of a line: subjects, finite verbs, what a clause hangs on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from engine.cleaning import spoken

FINITE = frozenset(("VBZ", "VBP", "VBD", "MD"))
NOUNS = ("NN", "NNS", "NNP", "NNPS")
_INSIDE = (*NOUNS, "DT", "PRP$", "JJ", "JJR", "JJS", "CD", "POS", "PDT", "HYPH", "VBG", "VBN", "ADD", "$", "FW")
BE = frozenset("is 's are 're was were am 'm".split())
AUXILIARIES = BE | frozenset("do does did have has had can could will would ca wo should 've 'll 'd might must".split())


@dataclass(frozen=True, slots=True)
class Word:
    """A token of a line: its place among the words, its text with tag, where it stands, what the parser shall read."""

    i: int
    text: str
    tag: str
    start: int
    end: int
    written: str | None = None
    held: bool = False

    @property
    def low(self) -> str:
        return self.text.lower()


Words = list[Word]


def listed(word: Word, kind: str) -> bool:
    return word.low in spoken(kind)


def phrase_at(words: Words, i: int, kind: str) -> int:
    """How many words of a listed phrase stand at ``i``; 0 for none. The longest counts."""
    best = 0
    for phrase in _phrases(kind).get(words[i].low, ()) if i < len(words) else ():
        if len(phrase) > best and [w.low for w in words[i : i + len(phrase)]] == phrase:
            best = len(phrase)
    return best


@cache
def _phrases(kind: str) -> dict[str, list[list[str]]]:
    """The phrases of a list as the tokens they come to, by their first."""
    table: dict[str, list[list[str]]] = {}
    for phrase in sorted(spoken(kind)):
        split = re.sub(r"(n't|'\w+)\b", r" \1", phrase).split()
        table.setdefault(split[0], []).append(split)
    return table


def noun_phrase(words: Words, i: int) -> int | None:
    """Where the noun phrase that begins at ``i`` ends: at most eight words without a preposition."""
    j = i
    while j < len(words) and j - i < 8 and not _is_verb(words[j]) and (
        words[j].tag in _INSIDE or j > i and words[j - 1].text == "-" or words[j].text == "-" and is_hyphen(words, j)
    ):  # fmt: skip
        j += 1
    is_next = j < len(words) and words[j].low in BE and words[j - 1].tag == "JJ"  # "the flat is": a noun after all
    while j > i and words[j - 1].tag not in (*NOUNS, "CD", "ADD", "FW") and j - i != 1 and not is_next:
        j -= 1
    if j == i or j - i == 1 and words[i].tag in ("PRP$", "POS", "HYPH", "PDT", "VBG", "VBN", "$"):
        return None
    if j - i == 1 and words[i].tag[:2] == "JJ" and not (j < len(words) and words[j].low in BE):
        return None
    if j - i == 1 and words[i].tag == "DT" and words[i].low in ("a", "an", "the", "every", "no", "some", "any"):
        return None
    return j


def is_hyphen(words: Words, i: int) -> bool:
    """Whether a dash stands within a word: "mother-in-law"."""
    return 0 < i < len(words) - 1 and words[i - 1].end == words[i].start and words[i].end == words[i + 1].start


def _is_verb(word: Word) -> bool:
    return word.low in BE and word.tag != "POS"


def subjects_at(words: Words, i: int) -> Iterator[int]:
    """Where a subject that begins at ``i`` may end, the shortest reading first."""
    if i >= len(words):
        return
    word = words[i]
    if listed(word, "subjects") and not (word.low == "that" and word.tag in ("IN", "WDT")):
        if word.tag in ("PRP", "EX", "DT", "NN", "CD", "WDT", "RB"):
            yield i + 1
            yield from _joined(words, i + 1)
    if word.low == "me" and i + 1 < len(words) and words[i + 1].low == "and":
        yield from _joined(words, i + 1)
    end = noun_phrase(words, i)
    if end is None:
        return
    yield end
    yield from _joined(words, end)
    if (behind := _described(words, end)) is not None:
        yield behind
    if end < len(words) and words[end].tag == "TO":  # "the best way to reach me (is …)"
        yield from (n for n in range(end + 2, min(end + 7, len(words))) if words[n].tag in FINITE)
    if end < len(words) and words[end].low in ("of", "in", "at", "for", "from", "with", "on", "to", "about"):
        inner = noun_phrase(words, end + 1)
        if inner is not None:
            yield inner


def _described(words: Words, i: int) -> int | None:
    """Where the clause about a noun ends that stands before ``i``: "the rent I pay for the garage (is …)"."""
    if i + 2 >= len(words) or not (listed(words[i], "nominative") or words[i].low in ("who", "that", "which")):
        return None
    if not any(w.tag in FINITE for w in words[i + 1 : i + 3]):
        return None
    for j in range(i + 2, min(i + 9, len(words))):
        if words[j].tag in (",", ".", "CC", "PRP", "WRB", "WP"):
            return None
        if words[j].tag in FINITE:
            return j
    return None


def _joined(words: Words, i: int) -> Iterator[int]:
    if i + 1 < len(words) and words[i].low in ("and", "&"):
        if words[i + 1].low in ("i", "he", "she"):
            yield i + 2
        end = noun_phrase(words, i + 1)
        if end is not None:
            yield end


def verb_behind(words: Words, i: int, end: int) -> int | None:
    """The finite verb behind the subject that stands from ``i`` to ``end``."""
    j = end
    while j < len(words) and j - end < 3 and (words[j].tag in ("RB", "RBR") or words[j].low in ("both", "all", "each")):
        j += 1
    if j >= len(words):
        return None
    word, first = words[j], words[i]
    if word.tag in FINITE and not (word.low == "'s" and word.tag == "POS"):
        return j
    if end == i + 1 and listed(first, "nominative"):
        return (
            j if word.tag in ("VB", "VBN", "NN") or word.low in ("ai", "like", "'s", "'ve", "'d", "'m", "'re") else None
        )
    return j if listed(word, "invariable") and word.tag.startswith("V") else None


def clause_at(words: Words, i: int) -> tuple[int, int] | None:
    """Where the subject that begins at ``i`` ends and its finite verb stands; None where no clause begins."""
    for end in subjects_at(words, i):
        verb = verb_behind(words, i, end)
        if verb is not None and _agrees(words, i, end, verb):
            return end, verb
    return None


def _agrees(words: Words, i: int, end: int, verb: int) -> bool:
    """Not so "my dad live" in "I think my mum and my dad live in Spain": the subject began before it."""
    if words[end - 1].tag not in ("NN", "NNP") or end == i + 1 and listed(words[i], "subjects"):
        return True
    plural = any(w.low in ("and", "&") or w.tag in ("NNS", "NNPS", "CD") for w in words[i:end])
    return plural or not (words[verb].tag == "VBP" or words[verb].low in ("were", "are", "have", "do", "'re"))


def lead_to(words: Words, i: int) -> int | None:
    """Where the subject stands of a clause that begins at ``i``, adverbs and a phrase of time or place before it.

    "now I weigh", "in 2016 I started", "fridays I look after", "when it rains I take".
    """
    if clause_at(words, i) is not None:
        return i
    j = i
    while j < len(words) and j - i < 3 and (words[j].tag in ("RB", "UH", ",") or listed(words[j], "joins")):
        j += 1
    if j > i and clause_at(words, j) is not None:
        return j
    if j < len(words) and words[j].tag == "IN" and words[j].low != "of":
        j += 1
    ends = [noun_phrase(words, j)]
    if ends[0] is not None:
        if ends[0] < len(words) and words[ends[0]].tag == "IN":
            ends.append(noun_phrase(words, ends[0] + 1))
    for end in ends:
        if end is None:
            continue
        bare = words[j - 1].tag != "IN" or j == i
        while end < len(words) and words[end].tag in (",", "RB"):
            end += 1
        if bare and not _is_time(words[j:end]):
            continue
        if end < len(words) and (words[end].tag in ("PRP", "PRP$", "EX")) and clause_at(words, end) is not None:
            return end
    return None


def _is_time(words: Words) -> bool:
    """ "fridays", "two years ago", "every morning"; not "the day" that something happened."""
    last = next((w for w in reversed(words) if w.text != ","), None)
    return last is not None and listed(last, "times") and words[0].low != "the"


def subordinator(words: Words, i: int) -> str:
    """What kind of subordinate clause begins at ``i``: conditional, subordinate, causal, relative, or none."""
    word = words[i]
    if word.low == "that" and word.tag != "IN":
        return "relative" if word.tag == "WDT" else ""
    for kind in ("conditional", "causal", "subordinate"):
        if (length := phrase_at(words, i, kind)) > 0:
            if kind == "conditional" or word.tag in ("WRB", "WDT") or word.low == "that" and word.tag == "IN":
                return kind
            behind = i + length + (i + length < len(words) and words[i + length].tag == "RB")
            if clause_at(words, i + length) or clause_at(words, behind):
                return kind
    return "relative" if listed(word, "relative") or word.tag in ("WDT", "WP", "WP$") else ""


def main_clause(words: Words) -> tuple[int, int] | None:
    """Subject and verb of the first clause of a piece that hangs on no other; the subject is -1 where it is left
    out ("sold the car"). None where the piece is no whole clause."""
    i = 0
    while i < len(words) and (words[i].tag in ("CC", "UH", ",") or words[i].low in ("so", "then", "also", "plus")):
        i += 1
    if i == len(words):
        return None
    kind = subordinator(words, i)
    if kind in ("subordinate", "causal") and words[i].low != "that":
        return behind_subordinate(words, i)
    if kind:
        return _asked(words, i) if words[i].tag.startswith("W") else None
    start = lead_to(words, i)
    if start is not None:
        found = clause_at(words, start)
        assert found is not None
        return start, found[1]
    j = i
    while j < len(words) and words[j].tag == "RB":
        j += 1
    if j < len(words) and (words[j].tag in ("VBD", "VBN") or listed(words[j], "invariable") and words[j].tag[0] == "V"):
        return -1, j
    if j < len(words) and words[j].tag == "VB":
        return -1, j
    if is_exclamation(words):
        return i, len(words) - 1
    if words[i].low in ("no", "not") and i + 1 < len(words) and len(words) - i < 7 and words[i + 1].tag in NOUNS:
        return i, i + 1  # "no kids yet"
    return _asked(words, i)


def is_exclamation(words: Words) -> bool:
    """ "Long day", "nice weather today": a fragment that no clause behind it needs; a time is no such thing."""
    first, last = words[0], words[-1]
    if len(words) > 5 or first.tag not in ("JJ", "NN", "NNS", "UH", "CD") and first.low not in ("a", "what"):
        return False
    if listed(first, "times") or listed(first, "orders_of_time") or last.low in ("life", "ago", "way"):
        return False
    if any(w.tag[0] == "V" or w.tag in ("MD", "IN", "CC", "PRP", ",") for w in words[1:]):
        return False
    return last.tag in ("NN", "NNS") and (first.tag == "JJ" or not any(listed(w, "times") for w in words))


def behind_subordinate(words: Words, i: int) -> tuple[int, int] | None:
    length = max(phrase_at(words, i, kind) for kind in ("subordinate", "causal")) or 1
    first = next((c for n in (0, 1) if i + length + n < len(words) and (c := clause_at(words, i + length + n))), None)
    if first is None:
        return None
    for j in range(first[1] + 1, len(words)):
        before = words[j - 1]
        plain = (
            listed(words[j], "nominative")
            and not listed(before, "joins")
            and before.tag not in ("IN", "WRB", "WP", "VBP")
        )
        if plain or before.low == "," or words[j].tag in ("PRP$", "DT") and before.tag in (*NOUNS, "RB"):
            found = clause_at(words, j)
            if found is not None:
                return j, found[1]
    return None


def _asked(words: Words, i: int) -> tuple[int, int] | None:
    """Subject and auxiliary of a question: "what should I do", "can you book"."""
    j = i + 1 if words[i].tag.startswith("W") else i
    if j + 1 < len(words) and (words[j].tag in FINITE) and any(True for _ in subjects_at(words, j + 1)):
        return j + 1, j
    return None
