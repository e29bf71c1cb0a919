"""What is put right in the words of a line before and after it is cut: asides, openers, subjects said twice."""

from __future__ import annotations

from dataclasses import replace

from engine.segments.scope import frozen_places
from engine.segments.words import (
    AUXILIARIES,
    BE,
    FINITE,
    Word,
    Words,
    behind_subordinate,
    clause_at,
    lead_to,
    listed,
    noun_phrase,
    phrase_at,
    subjects_at,
    subordinator,
    verb_behind,
)


def stretches(words: Words) -> list[Words]:
    """Parts of a line that end with a mark that ends sentences."""
    out: list[Words] = [[]]
    for word in words:
        out[-1].append(word)
        if word.tag == ".":
            out.append([])
    return [s for s in out if s]


def without_asides(words: Words) -> tuple[Words, list[Words]]:
    """Takes clauses in brackets and between the commas behind a subject out, as pieces of their own."""
    inner: list[Words] = []
    out = list(words)
    opened = [n for n, w in enumerate(out) if w.text == "("]
    for n in reversed(opened):
        close = next((m for m in range(n + 1, len(out)) if out[m].text == ")"), None)
        if close is None:
            continue
        content = out[n + 1 : close]
        if (
            content
            and content[-1].low != "?"
            and not frozen_places(content)
            and clause_at(content, 0) is not None
            and n
        ):
            inner.insert(0, content)
            del out[n : close + 1]
        elif content and n and content[0].tag == "RB" and not any(w.tag in FINITE for w in content):
            del out[n : close + 1]  # "34 (nearly 35)"
    for n in range(len(out) - 1, 0, -1):
        if out[n].text == "," and (found := _between_commas(out, n)) is not None:
            inner.append(out[n + 1 : found])
            del out[n : found + 1]
    return out, sorted(inner, key=lambda piece: piece[0].i)


def _between_commas(words: Words, comma: int) -> int | None:
    """ "My kid, she's four, is …": where the clause between a subject and its verb ends."""
    first = words[comma + 1] if comma + 1 < len(words) else None
    if first is None or first.low not in ("he", "she", "they", "it"):
        return None
    verb = clause_at(words, comma + 1)
    close = next((n for n in range(comma + 1, min(comma + 9, len(words))) if words[n].text == ","), None)
    if verb is None or close is None or close + 1 >= len(words) or words[verb[1]].low not in BE | {"has"}:
        return None
    start = next((n for n in range(max(0, comma - 5), comma) if noun_phrase(words, n) == comma), None)
    follows = words[close + 1 + (words[close + 1].tag == "RB" and close + 2 < len(words))]
    if start is None or follows.tag not in FINITE or start and words[start - 1].tag not in (".", "CC", ",", "UH"):
        return None
    return close


def undislocated(words: Words) -> Words:
    """ "My wife she is …", "the appointment with Dr Osei it's on …": the subject is said once."""
    for i in range(len(words)):
        if i and not (
            listed(words[i - 1], "joins") or listed(words[i - 1], "interjections") or words[i - 1].tag in (",", "UH")
        ):
            continue
        if words[i].tag not in ("DT", "PRP$", "NNP") and words[i].low != "that":
            continue
        for end in subjects_at(words, i):
            gap = 1 if end < len(words) and words[end].text == "," else 0
            again = end + gap
            heads = i == 0 or listed(words[i - 1], "joins")
            if (
                heads
                and gap
                and again + 1 < len(words)
                and words[again].tag in ("VBD", "VBZ")
                and words[again + 1].tag != "PRP"
            ):
                return undislocated([*words[:end], *words[again:]])  # "my husband, forgot": a comment stood there
            if again + 1 >= len(words) or words[again].low not in ("it", "he", "she", "they") or again - i > 8:
                continue
            verb = verb_behind(words, again, again + 1)
            if verb is None or not _says_again(words, i, again, verb):
                continue
            full = words[verb]
            if full.low == "'s":
                after = words[verb + 1].tag if verb + 1 < len(words) else ""
                full = replace(
                    full, written="has" if after == "VBN" and words[verb + 1].low in ("got", "been") else "is"
                )
            elif full.low == "'re":
                full = replace(full, written="are")
            return undislocated([*words[:end], *words[again + 1 : verb], full, *words[verb + 1 :]])
    return words


def _says_again(words: Words, start: int, again: int, verb: int) -> bool:
    """Whether the pronoun repeats the subject, and is not that of "the house she bought is …"."""
    ends = (n for n in range(verb + 1, len(words)) if words[n].text in (",", ".", ";") or listed(words[n], "joins")
            or listed(words[n], "nominative") and clause_at(words, n) is not None)  # fmt: skip
    stop = next(ends, len(words))
    later = any(w.tag in FINITE for w in words[verb + 1 : stop])
    broken = verb + 1 >= len(words) or words[verb + 1].text in (",", ".")  # "my wife she's, she can drive"
    if broken or words[start].low in ("no", "every", "some", "any"):
        return False
    own = words[start].low in ("my", "our") and words[again].low != "it"
    if own and words[again].low == "they" and words[again - 1].tag == "NN":
        return False
    return not later and (own or words[verb].low in BE)


def undictated(words: Words) -> Words:
    """ "Translate this: I live in Berlin": what stands behind the colon is a text, and not the speaker's word."""
    colon = next((n for n, w in enumerate(words) if w.text == ":" and n), None)
    if colon is None or not any(listed(w, "dictation") and w.tag in ("VB", "VBP", "NN", "NNP") for w in words[:colon]):
        return words
    head = next(
        (w for w in words if w.low not in ("please", "can", "could", "you", "now", "ok", "okay", ",")), words[0]
    )
    return words[: colon + 1] if listed(head, "dictation") else words


def undenied(words: Words) -> Words:
    """ "I don't think I'm depressed" says "I think I'm not depressed"."""
    if [w.low for w in words[:3]] == ["not", "only", "do"] and len(words) > 5:
        return words[3:]  # "not only do I play it but I also teach it"
    for n in range(len(words) - 4):
        if [w.low for w in words[n : n + 3]] not in (["i", "do", "n't"], ["we", "do", "n't"], ["i", "do", "not"]):
            continue
        if words[n + 3].low not in ("think", "believe", "reckon", "suppose"):
            continue
        start = n + 5 if words[n + 4].low == "that" and words[n + 4].tag == "IN" else n + 4
        found = clause_at(words, start) if start < len(words) else None
        denied = _denied(words[found[1]]) if found is not None else None
        if found is not None and denied is not None:
            verb = replace(words[found[1]], written=denied)
            return [*words[: n + 1], *words[n + 3 : found[1]], verb, *words[found[1] + 1 :]]
    return words


def _denied(verb: Word) -> str | None:
    """A finite verb in the negative; None where its base form cannot be told."""
    if verb.low in BE or verb.tag == "MD" or verb.low in ("'ve", "'ll"):
        return f"{verb.text} not"
    if verb.tag == "VBP":
        return f"do not {verb.text}"
    if verb.tag == "VBZ" and verb.low.endswith("s") and not verb.low.endswith(("ss", "'s")):
        base = {"has": "have", "does": "do", "goes": "go"}.get(verb.low)
        return f"does not {base or (verb.low[:-3] + 'y' if verb.low.endswith('ies') else verb.low[:-1])}"
    return None


def without_speech(words: Words) -> Words:
    """Leaves out words of speech within a sentence, and the "have done" of "we live here, have done since May"."""
    out: Words = []
    skip = 0
    for n, word in enumerate(words):
        if skip:
            skip -= 1
            continue
        if n > 2 and word.low in ("so", "neither", "nor") and (skip := _likewise(words, n)):
            while out[-1].text == "," or out[-1].low == "and":
                out.pop()
            skip -= 1
            continue
        follows = [w.low for w in words[n : n + 3]]
        if (
            out
            and follows[:1] in (["have"], ["has"])
            and follows[1:2] == ["done"]
            and follows[2:] in (["since"], ["for"])
        ):
            while out[-1].text == "," or out[-1].low == "and":
                out.pop()
            skip = 1
            continue
        digits = any(w.tag == "CD" for w in (*words[n - 1 : n], *words[n + 1 : n + 2])) and word.low == "oh"
        if n and word.tag == "UH" and listed(word, "interjections") and not digits:
            if n + 1 < len(words) and words[n + 1].text != "?":
                continue
        out.append(word)
    return out


def _likewise(words: Words, n: int) -> int:
    """How many words "so does my wife", "neither am I" have: they repeat a verb that is not there to be read."""
    if n + 2 >= len(words) or words[n + 1].tag not in FINITE or words[n + 1].low not in AUXILIARIES:
        return 0
    for end in subjects_at(words, n + 2):
        if end == len(words) or words[end].tag in (",", ".", "CC"):
            return end - n
    return 0


def is_echo(piece: Words) -> bool:
    """ "(I eat meat,) my wife doesn't though": the verb is not there to be read."""
    words = [w for w in piece if w.tag not in (".", ",", "RB", "IN", "UH", "CC")]
    if len(words) < 2 or len(words) > 6 or words[-1].tag not in FINITE or words[-1].low in ("got",):
        return False
    return words[-1].low in AUXILIARIES and any(end == len(words) - 1 for end in subjects_at(words, 0))


def opened(words: Words) -> Words:
    """Leaves out what only leads in: "funny thing, …", "right so …", "so bad news …"."""
    for _ in range(4):
        length = opener_of(words)
        if not length:
            break
        words = words[length:]
    return words


def opener_of(words: Words) -> int:
    if len(words) < 4:
        return 0
    i = 0
    while i < 3 and (listed(words[i], "joins") or listed(words[i], "interjections") or i and words[i].text == ","):
        i += 1
    for start in dict.fromkeys((0, i)):
        for kind in ("openers", "bare_openers"):
            length = start + phrase_at(words, start, kind)
            if (
                length == start
                or length >= len(words)
                or words[length].low in ("now", "here", "there", "away", "after")
            ):
                continue
            mark = words[length].text in (",", ":", "-", ";")
            if (mark or kind == "bare_openers") and _states(words, length + mark):
                return length + mark
    if labelled := _label_of(words):
        return labelled
    j = i
    while j < len(words) and j - i < 3 and words[j].tag in ("DT", "JJ", "JJS", "JJR", "RB", "CD", "NN") and not listed(
        words[j], "opener_nouns"
    ):  # fmt: skip
        j += 1
    if j >= len(words) - 2 or not listed(words[j], "opener_nouns"):
        return 0
    j += 1
    if words[j].tag in ("RB", "NN", "IN") and words[j].low in (
        "upfront",
        "first",
        "though",
        "everyone",
        "time",
        "here",
    ):
        j += 1
    mark = words[j].text in (",", ":", "-", ";")
    bare = j - i > 1 and words[i].tag != "DT"  # "bad news my dog died", not "the thing I like"
    return j + mark if (mark or bare) and _states(words, j + mark) else 0


LONGEST_LABEL = 9
_SPOKEN = frozenset("said says say words quote message text asked wrote told reply".split())


def _label_of(words: Words) -> int:
    """ "The essentials: I was born …", "Letter from the landlord this morning: from May …": a heading without a verb.

    A single word may be a speaker's name, and what is said or written by somebody is theirs.
    """
    colon = next((n for n, w in enumerate(words[:LONGEST_LABEL]) if w.text == ":"), 0)
    label = words[:colon]
    named = all(w.tag in ("NNP", "NNPS", "POS", "NN") for w in label)
    spoken = any(w.tag in FINITE or w.low in _SPOKEN or w.text.startswith('"') for w in label)
    if colon < 2 or named or spoken or not _states(words, colon + 1):
        return 0
    return colon + 1


def _states(words: Words, i: int) -> bool:
    """Whether a statement of its own begins at ``i``, a clipped or subordinate one too."""
    if i >= len(words):
        return False
    if lead_to(words, i) is not None or words[i].tag in ("VBD", "VBN"):
        return True
    if words[i].tag == "IN" and any(lead_to(words, n) is not None for n in range(i + 2, min(i + 5, len(words)))):
        return True  # "since 1 February I go bouldering"
    return subordinator(words, i) in ("causal", "subordinate")


def with_comma(piece: Words) -> Words:
    """ "When I was a kid I lived in Ghana": the comma behind a clause that stands first tells the parser where it ends."""
    i = 1 if piece and piece[0].tag in ("CC", "UH") or piece and piece[0].low == "so" else 0
    if (
        len(piece) < i + 4
        or piece[i].tag not in ("WRB", "IN", "DT")
        or subordinator(piece, i) not in ("subordinate", "causal")
    ):
        return piece
    found = behind_subordinate(piece, i)
    if found is None or piece[found[0] - 1].text == "," or piece[found[0] - 1].written is not None:
        return piece
    before = piece[found[0] - 1]
    return [*piece[: found[0] - 1], replace(before, written=before.text + ","), *piece[found[0] :]]


def with_that(piece: Words) -> Words:
    """ "The school my kids go to is closing": a "that" tells the parser which clause is about the school."""
    i = next((n for n, w in enumerate(piece[:4]) if w.tag == "DT"), None)
    end = noun_phrase(piece, i) if i is not None else None
    if i is None or end is None or end + 3 >= len(piece) or piece[end - 1].written is not None:
        return piece
    if any(w.tag[0] == "V" for w in piece[:i]) or subordinator(piece, i):
        return piece
    inner = clause_at(piece, end) if listed(piece[end], "nominative") or piece[end].tag == "PRP$" else None
    if inner is None or inner[0] - end > 3:
        return piece
    outer = next((n for n in range(inner[1] + 1, min(inner[1] + 7, len(piece))) if piece[n].tag in FINITE), None)
    between = piece[inner[1] + 1 : outer]
    if outer is None or any(w.tag in (",", "CC", "PRP", "WRB") or w.tag[0] == "W" for w in between):
        return piece
    return [*piece[: end - 1], replace(piece[end - 1], written=piece[end - 1].text + " that"), *piece[end:]]
