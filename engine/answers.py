"""Bare answers: "two cats", after "Do you have any pets?", says "I have two cats"; "nope", after "Still at Siemens?",
says "I no longer work at Siemens".

An answer takes its content from the question it answers, and from nothing else that was said. A yes or a no asserts what
a plain question about the speaker asks; never an offer, a supposition, or talk about the talk itself. The forms of
questions and answers are lists in ``engine/lexicon/answers.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from engine.lexicon import load
from engine.parts import fits, replaced
from engine.pieces import SAME_LENGTH, Piece, sentence_spans, table
from engine.polar import Polar, listed, on_denial, polar_in, says, third
from engine.types import Message, Role

LONGEST = 6
MOST_CHARS = 200
"""Beyond this nothing is a bare answer, or a question that has one."""
_PREPOSITION = re.compile(r"^(?:in|at|on|for|near|with|from|by|as|since|to|until|till|around|about|outside)\b", re.I)
_COUNTED = re.compile(
    r"^(?:A|An|The|One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|My|Some|In|At|For|From|As|Since|On)\b"
)
_NUMBER = re.compile(
    r"^(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a|an|no)(?: and a half)?$", re.I
)
_CLAUSE = re.compile(
    r"^(?:i|i'm|i've|we|we're|we've|my|our|he|she|it's)\b(?!.*\b(?:if|think|guess|maybe|mean|meant|unless|suppose)\b)",
    re.I,
)
_ADDED = re.compile(
    r"^(?:since|for|in|until|till|every|once|twice|from|at|on|with|near|by|to)\b(?!.*\b(?:but|if|when|though|i)\b)",
    re.I,
)
_LAST_NOUN = re.compile(r"\b(?:any|some|a|an|the)\s+(?=[\w-]+\s*$)", re.I)
_LED = re.compile(r"^(?:a|an|the|in|at|on)\s+", re.I)
_ASKS_MORE = re.compile(r"(?<!how )(?<!what )\b(?:do|are|have|is|any)\b[^?.!]*\?.*\?", re.I | re.S)
_CHOICE = re.compile(r"\bor\b", re.I)


@dataclass(frozen=True, slots=True)
class Asked:
    """The last question of a turn, without its mark; ``alone`` tells that no other was asked with it; ``said`` is what
    the one who answers said last."""

    text: str
    alone: bool
    said: str = ""


def pieces(question: Message | None, answer: Message, said: str = "") -> tuple[Piece, ...]:
    """The piece of a message that answers the turn before, with the statement it comes to.

    Parameters
    ----------
    question : Message or None
        The turn before.
    answer : Message
    said : str
        What the same speaker said last, for questions that ask after a part of it ("which city?").

    Returns
    -------
    tuple of Piece
        Empty where the turn before asks nothing, or the answer is a sentence of its own or names nothing.
    """
    asked = _asked(question, answer, said)
    content = answer.content.translate(SAME_LENGTH)
    spans = sentence_spans(content)
    if asked is None or not spans or "?" in content[slice(*spans[0])]:
        return ()
    for start, end in dict.fromkeys(((spans[0][0], spans[-1][1]), spans[0])):
        words = content[start:end]
        if len(words) > MOST_CHARS:
            continue
        if (text := _yes_or_no(asked, words)) is not None:
            return (Piece(start, end, text),)
        if (text := _value(asked, words)) is not None:
            return (Piece(start, end, text, own=True),)
    return _led_by_yes_or_no(asked, content, spans[0])


def answered(question: Message | None, answer: Message) -> str | None:
    """The statement that a bare answer comes to.

    Parameters
    ----------
    question : Message or None
        The turn before.
    answer : Message

    Returns
    -------
    str or None
        None where the turn before asks nothing, or the answer is a sentence of its own or names nothing.
    """
    found = pieces(question, answer)
    return found[0].text if found else None


def _asked(question: Message | None, answer: Message, said: str) -> Asked | None:
    """The question that another speaker put with the last words of the turn before."""
    if question is None or answer.role is not Role.USER or question.speaker == answer.speaker:
        return None
    content = question.content.translate(SAME_LENGTH).strip()
    if question.role not in (Role.ASSISTANT, Role.USER) or not re.search(r"\?\W*$", content):
        return None
    last = re.sub(r"\?\W*$", "", content[slice(*sentence_spans(content)[-1])]).strip()
    last = re.sub(rf"^(?:(?:{listed('leads')})[\s,:!.-]+)+", "", last, flags=re.I)
    meant = _without_name(last, answer)
    return None if meant is None or len(meant) > MOST_CHARS else Asked(meant, _ASKS_MORE.search(content) is None, said)


def _without_name(asked: str, answer: Message) -> str | None:
    """ "Ben, do you …" is asked of Ben alone; for him the name is left out."""
    called = re.match(r"^([A-Z][\w'-]+),\s+(?=\w)|.*,\s+([A-Z][\w'-]+)$", asked)
    if called is None or _CHOICE.search(asked):
        return asked
    name = called.group(1) or called.group(2)
    if answer.name is not None and name.lower() not in answer.name.lower().split():
        return None
    return asked.removeprefix(f"{name},").removesuffix(f", {name}").strip()


# ------------------------------------------------------------------ yes and no


def _yes_or_no(asked: Asked, words: str) -> str | None:
    """What yes, no, "not any more" and the like say of a plain question."""
    polar = polar_in(asked.text) if asked.alone else None
    if polar is None:
        return None
    words = words.strip(" .!,")
    bare = re.sub(rf"^(?:(?:{listed('sighs')})[\s,]+)+", "", words, flags=re.I)
    bare = _closing().sub("", bare).strip(" .!,")
    plain = re.sub(r"[\s,.!]+", " ", bare)
    if re.fullmatch(listed("unclear"), plain, re.I):
        return None
    quit_ = re.fullmatch(rf"(?:(?:{listed('no')}) )?(?:{listed('quit')})(?P<when>(?: \S+){{0,5}})", plain, re.I)
    if quit_ is not None and polar.auxiliary == "do":
        return polar.given_up(quit_["when"].strip())
    if polar.negative:
        return on_denial(polar, plain)
    for name, statement in (
        ("over", polar.over),
        ("never", polar.never),
        ("no", polar.denied),
        ("yes", polar.affirmed),
    ):
        if says(name).fullmatch(plain):
            return statement()
    return _qualified(polar, words, bare)


def _qualified(polar: Polar, words: str, bare: str) -> str | None:
    """ "Yes, since May", "occasionally": a yes with a time or a degree."""
    first = re.split(r"\s*[,.!;:-]+\s+", words, maxsplit=1)[0]
    yes = says("yes").fullmatch(first) is not None
    rest = words[len(first) :].strip(" ,.!;:-") if yes else bare
    if re.fullmatch(rf"(?:only )?(?:{listed('degrees')})", rest, re.I):
        return polar.affirmed(rest[0].lower() + rest[1:])
    if yes and _ADDED.match(rest) and len(rest.split()) <= LONGEST:
        return polar.affirmed(rest[0].lower() + rest[1:])
    return None


def _led_by_yes_or_no(asked: Asked, content: str, span: tuple[int, int]) -> tuple[Piece, ...]:
    """ "No, I'm at Bosch now": the word is an answer, the clause behind it is read as always."""
    text = content[slice(*span)]
    lead = re.match(rf"\s*(?:{listed('yes')}|{listed('no')}|{listed('over')})\s*[,;:-]+\s+", text[:MOST_CHARS], re.I)
    if lead is None or not _CLAUSE.match(text[lead.end() :]):
        return ()
    polar = polar_in(asked.text)
    found = _yes_or_no(asked, lead.group()) if polar is not None and not polar.negative else None
    return (Piece(span[0], span[0] + lead.end(), found),) if found else ()


# ------------------------------------------------------------------ values


def _value(asked: Asked, words: str) -> str | None:
    """What an answer that names something comes to."""
    polar = polar_in(asked.text)
    if polar is not None and (instead := _instead(polar, words)) is not None:
        return instead
    value = _bare(words)
    if value is None:
        return None
    filled = _filled(polar, value) if polar is not None else None
    return _choice(asked.text, value) or filled or _from_table(asked.text, value) or _part_of(asked, value)


def _bare(words: str) -> str | None:
    """A bare answer without what opens and closes it; None for what names nothing."""
    words = words.strip(" .!,")
    while (rest := _closing().sub("", _opening().sub("", words)).strip(" .!,")) != words:
        words = rest
    refused = re.match(rf"(?:{listed('refused')})", words, re.I)
    if not words or "?" in words or re.search(r"\bones?$", words[3:], re.I) or len(words.split()) > LONGEST or refused:
        return None
    return words[0].lower() + words[1:] if _COUNTED.match(words) else words


@cache
def _opening() -> re.Pattern[str]:
    return re.compile(rf"^(?:(?:{listed('opens')})[\s,.!:-]+)+", re.I)


@cache
def _closing() -> re.Pattern[str]:
    return re.compile(rf"(?:[\s,.!-]+(?:{listed('closes')}))+$", re.I)


def _instead(polar: Polar, words: str) -> str | None:
    """ "Do you live in Rome?" — "no, Milan": the one part of its kind that is something else."""
    lead = re.match(rf"\s*(?:{listed('no')})[\s,;:.-]+", words, re.I)
    value = _bare(words[lead.end() :]) if lead is not None else None
    if value is None or polar.negative:
        return None
    text = polar.affirmed()
    found = fits(value, text, load())
    return replaced(text, found[0])[0] if len(found) == 1 else None


def _filled(polar: Polar, value: str) -> str | None:
    """ "Do you have kids?" — "yes, two"; "Do you drive?" — "a Yaris": the answer fills in what was asked."""
    if polar.negative or polar.tagged or polar.auxiliary != "do":
        return None
    verb, _, rest = polar.bare.partition(" ")
    if _NUMBER.match(value) and verb in ("have", "own", "keep", "speak", "play") and rest:
        one = re.match(r"an? ", rest) and value.lower() not in ("1", "one", "a", "an")
        return f"I {verb} {value} {_LAST_NOUN.sub('', rest)}{'s' if one else ''}."
    if verb in ("drive", "smoke", "cook", "play", "sing", "study", "teach") and re.match(r"(?:an?|the) ", value):
        return f"I {verb} {value}."
    return None


def _choice(asked: str, value: str) -> str | None:
    """ "Do you drink tea or coffee?": the one that is named takes the place of the two."""
    if not _CHOICE.search(asked):
        return None
    bare = _LED.sub("", value).lower()
    for entry in table("answers")["chooses"]:
        found = re.match(rf"{entry['question']}$", asked, re.I)
        sides = [side.strip() for side in re.split(r",|\bor\b", found["sides"], flags=re.I)] if found else []
        chosen = next((side for side in sides if _LED.sub("", side).lower().startswith(bare)), None)
        if found is not None and chosen is not None:
            side = chosen[0].lower() + chosen[1:] if value[0].islower() else chosen
            return str(entry["statement"].format(**{**found.groupdict(), "chosen": side}))
    return None


def _from_table(asked: str, value: str) -> str | None:
    """Answers to questions that ask for a value."""
    for question, statement in _asks():
        if (found := question.search(asked)) is not None:
            slots = _slots(statement, found, value)
            return None if slots is None else " ".join(statement.format(**slots).split()) + "."
    any_of = re.fullmatch(
        r"(?:(?:do you )?(?:have )?any|what are your|what|which) ([a-z -]+?)(?: do you have)?", asked, re.I
    )
    written = table("answers")["asked_for"].get(any_of[1].lower()) if any_of else None
    if written is not None and not _NUMBER.match(value):
        return f"{written.format(answer=value)}."
    alone = re.fullmatch(rf"(?:are you )?(?:{listed('alone')})", asked, re.I)
    return f"I am {value}." if alone and re.fullmatch(listed("standing"), value, re.I) else None


@cache
def _asks() -> tuple[tuple[re.Pattern[str], str], ...]:
    verbs = listed("asks_what")
    return tuple(
        (re.compile(entry["question"].replace("VERB", f"(?P<verb>{verbs})") + "$", re.I), entry["statement"])
        for entry in table("answers")["asks"]
    )


def _slots(statement: str, found: re.Match[str], value: str) -> Mapping[str, str] | None:
    """What a statement is filled with; None where the answer is of the wrong kind."""
    if "{count}" in statement and not _NUMBER.match(value):
        return None
    groups = {name: (text or "").strip() for name, text in found.groupdict().items()}
    linked = {name: name for name in ("in", "at", "from", "as", "for")}
    if _PREPOSITION.match(value):
        linked = dict.fromkeys(linked, "")
    what, verb = groups.get("what", ""), groups.get("verb", "")
    plural = re.search(r"[^s]s$", what) and "are your" in found.group().lower()
    article = "" if re.match(r"(?:an?|the|in|at|for)\b", value, re.I) else "an" if value[0].lower() in "aeiou" else "a"
    return {
        "more": "",
        **groups,
        **linked,
        "verb": "have" if verb == "got" else verb,
        "third": third(verb),
        "answer": value,
        "count": value,
        "age": f"{value} years old" if _NUMBER.match(value) else value,
        "article": article,
        "is": "are" if plural else "is",
    }


def _part_of(asked: Asked, value: str) -> str | None:
    """ "Which city?" after "I live in a big city" asks after a part of what was said."""
    found = re.fullmatch(r"(?:oh |in |at )?(?:which|what) ([a-z]+)(?: is (?:it|that)| exactly)?", asked.text, re.I)
    if found is None or not asked.said:
        return None
    noun = found[1].lower()
    phrase = re.compile(rf"\b(?:an?|one|this|some) (?:[\w-]+ ){{0,2}}{re.escape(noun)}\b", re.I)
    sentences = [s for s in (asked.said[slice(*span)] for span in sentence_spans(asked.said)) if "?" not in s]
    bare = re.sub(r"^(?:in|at|near)\s+", "", value, flags=re.I)
    told = [s for s in sentences if len(phrase.findall(s)) == 1]
    if len(told) == 1:
        return phrase.sub(lambda _: bare, told[0]).rstrip(" .!") + "."
    if told or noun not in table("answers")["places"]["words"] or not (value[0].isupper() or bare != value):
        return None
    # "I moved to France" — "Which city?" — "Lyon": the finer place stands before the wider one
    wider = [(s, fit) for s in sentences for fit in fits(bare, s, load())]
    if len(wider) != 1:
        return None
    sentence, fit = wider[0]
    return f"{sentence[: fit.start]}{bare}, {sentence[fit.start :]}".rstrip(" .!") + "."
