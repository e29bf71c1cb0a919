"""Where a sentence is cut into its independent clauses."""

from __future__ import annotations

from dataclasses import replace

from engine.segments.mend import opened, opener_of
from engine.segments.scope import frozen_places, holds_on, is_comment, takes_back, takes_in
from engine.segments.words import (
    BE,
    FINITE,
    NOUNS,
    Words,
    behind_subordinate,
    clause_at,
    is_exclamation,
    is_hyphen,
    lead_to,
    listed,
    main_clause,
    subordinator,
)


def cut(words: Words) -> list[Words]:
    """A sentence, cut into its independent clauses."""
    if words and words[-1].text.endswith("?"):
        asked = _cut_question(words)
        return asked if len(asked) > 1 else [[replace(w, held=n > 0) for n, w in enumerate(words)]]
    pieces: list[Words] = []
    start = 0
    frozen = frozen_places(words)
    words = [replace(w, held=True) if n and n in frozen else w for n, w in enumerate(words)]
    for p in range(2, len(words) - 1):
        if p in frozen or p <= start + 1:
            continue
        join = _join(words, start, p)
        if join is None:
            continue
        left, right = words[start:join], words[p:]
        if left and opener_of(right):
            right = right[opener_of(right) :]
        if _whole(left) and _stands_alone(left, words[join:p], right):
            pieces.append(left)
            start = p
    pieces.append(words[start:])
    return [pieces[0], *(opened(p) for p in pieces[1:])] if len(pieces) > 1 else pieces


def _join(words: Words, start: int, p: int) -> int | None:
    """Where the words that join a clause at ``p`` to the one before begin; None where none could begin."""
    if listed(words[p], "joins") and words[p].low not in ("plus", "then") or words[p].tag in (",", ":", ".", "UH"):
        return None
    j = p
    while j > start and words[j - 1].tag == "UH":
        j -= 1
    while j > start and listed(words[j - 1], "joins") and words[j - 1].low not in ("plus", "then"):
        j -= 1
    while j > start and words[j - 1].text in (",", ";", ":", "-") and not is_hyphen(words, j - 1):
        j -= 1
    if j == p and words[p].low not in ("plus",) and not _runs_on(words, start, p):
        return None
    return j


def _runs_on(words: Words, start: int, p: int) -> bool:
    """Whether a new clause begins at ``p`` although nothing joins it: "I live in Denver I'm a nurse"."""
    before, word = words[p - 1], words[p]
    found = clause_at(words, p)
    if found is None or before.tag.startswith("V") or before.tag in ("IN", "DT", "CC", "WP", "WRB", "WDT", "MD", "TO"):
        return False
    if word.low == "one" and words[found[1]].low in BE and before.tag == "NNS":
        return True
    if not (listed(word, "nominative") or word.tag == "PRP$" and word.low in ("my", "our")):
        return False
    if listed(before, "takes_clause") or any(
        subordinator(words, n) in ("subordinate", "relative") for n in range(start, p)
    ):
        return False
    verb = found[1]
    sure = before.tag in ("NNP", "NNPS", "CD") or listed(before, "closing") or before.tag == "PRP"
    if word.tag == "PRP$":
        full = words[verb].low in BE or verb + 1 < len(words) and words[verb + 1].low in ("it", "them")
        return (sure or before.tag in NOUNS) and full
    return sure or before.tag in NOUNS and _is_full(words, verb)


def _is_full(words: Words, verb: int) -> bool:
    """Whether a clause has all that its verb asks for, and cannot be one about the noun before it ("the flat I
    bought")."""
    after = words[verb + 1] if verb + 1 < len(words) else None
    if after is None:
        return False
    if words[verb].low in BE:
        return after.tag in ("DT", "PRP$", "CD", "JJ", "NN", "NNP") or after.low in ("from", "in", "at", "not", "n't")
    if words[verb].low == "'ve" and after.low == "got" and verb + 2 < len(words):
        after = words[verb + 2]
    if listed(words[verb], "transitive"):
        return after.tag in ("DT", "PRP$", "CD", "NNP", "JJ")
    beyond = words[verb + 2] if verb + 2 < len(words) else None
    return listed(words[verb], "intransitive") and after.tag in ("IN", "TO") and beyond is not None and (
        beyond.tag in ("DT", "PRP$", "CD", *NOUNS)
    )  # fmt: skip


def _whole(left: Words) -> bool:
    found = main_clause(left) if left else None
    return found is not None


def _stands_alone(left: Words, join: Words, right: Words) -> bool:
    """Whether ``right`` asserts by itself what it asserts behind ``left``."""
    joins = {w.low for w in join if listed(w, "joins")}
    marked = any(w.text in (",", ";", ":", "-") for w in join)
    strong = any(w.text in (";", ":", "-") for w in join)
    start = _begins(left, right, joins, marked)
    if is_exclamation(left) and (joins or not marked or right[0].low not in ("i", "we", "my", "our")):
        return False
    if start is None or is_comment(right, start):
        return False
    if takes_back(left) and not strong or holds_on(left, right[start], joins, marked, strong):
        return False
    found = clause_at(right, start)
    if found is None:
        return True
    if "so" in joins and not marked and right[found[1]].low in ("can", "could", "would", "do", "does"):
        return False
    return not (joins and not marked and takes_in(left, right, start))


def _begins(left: Words, right: Words, joins: set[str], marked: bool) -> int | None:
    """Where the subject of ``right`` stands; its verb, where both sides leave the subject out."""
    found = main_clause(left)
    assert found is not None
    if found[0] == -1 and marked and not joins and left[found[1]].tag != "VB" or _clipped(left, found) and marked:
        if right[0].tag == "VBD" or listed(right[0], "invariable") and right[0].tag[0] == "V":
            return 0
    kind = subordinator(right, 0)
    if kind in ("causal", "subordinate") and (joins or marked) and right[0].low != "that":
        behind = behind_subordinate(right, 0)
        stop = next((n for n, w in enumerate(right) if n > 2 and listed(w, "joins")), len(right))
        return behind[0] if behind is not None and behind[0] < stop and joins else None
    if kind:
        return None
    if not marked and not joins and right[0].low != "plus":
        return 0 if clause_at(right, 0) is not None else None
    return lead_to(right, 0)


def _clipped(left: Words, found: tuple[int, int]) -> bool:
    return found[0] == -1 and listed(left[found[1]], "invariable")


def _cut_question(words: Words) -> list[Words]:
    """ "I'm vegan, what can I cook?" asks behind a statement, "do you know a vet, my dog is limping?" before one."""
    if any(subordinator(words, n) == "conditional" for n in range(len(words))):
        return [words]
    if _asks(words, 0):
        return _told_behind(words)
    for p in range(2, len(words) - 3):
        join = _join(words, 0, p) if words[p - 1].tag in (",", ":") or listed(words[p - 1], "joins") else p
        if join is None or not _asks(words, p) or not _whole(words[:join]):
            continue
        if join == p and not (words[p].tag.startswith("W") and words[p + 1].tag in FINITE):
            continue
        left = words[:join]
        if join == p and any(listed(w, "report") for w in left):
            continue
        return [*cut(left), words[p:]]
    return [words]


def _asks(words: Words, i: int) -> bool:
    """Whether a question begins at ``i``: with its auxiliary before the subject, no mere tag ("don't I?")."""
    while i < len(words) and (words[i].tag in ("UH", ",") or listed(words[i], "joins")):
        i += 1
    if i >= len(words) - 3:
        return False
    j = i + 1 if words[i].tag.startswith("W") else i
    if j - i and words[j].tag in ("NN", "NNS", "JJ", "RB") and words[j + 1].tag in FINITE:
        j += 1
    inverted = words[j].tag in FINITE and words[j].low not in ("got",)
    if not inverted or words[j + 1].tag in ("RB",) and words[j + 1].low == "n't" and len(words) - j <= 5:
        return False
    after = words[j + 1]
    return after.tag in ("PRP", "DT", "PRP$", "EX", "NNP", "NN", "NNS") and len(words) - i > 4 or after.low == "you"


def _asks_whether(question: Words) -> bool:
    """ "Did you hear", "do you remember": what follows may be asked; "do you know a vet" asks for one."""
    for n, word in enumerate(question[:-1]):
        sought = word.low == "know" and question[n + 1].tag in ("DT", "WRB", "NN", "NNS", "JJ")
        if (listed(word, "report") or word.low == "remember") and not sought:
            return True
    return False


def _told_behind(words: Words) -> list[Words]:
    """The statement behind a question, where it is the speaker's own; it loses the mark of the question."""
    for p in range(4, len(words) - 3):
        if words[p - 1].text != "," or words[p].low not in ("i", "we", "my", "our", "he", "she", "they"):
            continue
        left, right = words[: p - 1], words[p:-1]
        if listed(left[-1], "report") or clause_at(right, 0) is None or is_comment(right, 0):
            continue
        if left[0].low in ("did", "do") and _asks_whether(left):
            continue
        return [left, *cut(right)]
    return [words]
