"""Bare answers: "two cats", after "Do you have any pets?", says "I have two cats".

Only what the answer itself names is taken over, never what stands in the question alone: a mere "yes" leaves nothing.
"""

from __future__ import annotations

import re

from engine.types import Message, Role, Span

LONGEST = 6
_LED_IN = re.compile(
    r"^(?:(?:yes|yeah|yep|yup|sure|oh|well|um|it's|it is|that's|that would be|just)\b[\s,.!:]*)+", re.I
)
_REFUSED = re.compile(
    r"^(?:no|nope|nah|none|nothing|never|not|why|what|who|how|when|where|maybe|perhaps|ok|okay|thanks?|hi|hello|i|i'm|"
    r"i've|i'd|we|he|she|they|you|it|good|great|fine|cool|lol)\b",
    re.I,
)
_PREPOSITION = re.compile(r"^(?:in|at|on|for|near|with|from|by|as)\b", re.I)
_COUNTED = re.compile(r"^(?:A|An|The|One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|My|Some|In|At|For|From|As)\b")
_VERBS = "have|own|speak|play|drive|eat|drink|use|like|love|watch|read|study|teach|collect|prefer|support|ride"
_ASKED = (
    (re.compile(rf"\b(?:do|which [\w ]+ do|what [\w ]*do) you ({_VERBS})\b[^?]*\?\W*$", re.I), "I {0} {answer}"),
    (re.compile(r"\bwhere do you (live)\b[^?]*\?\W*$", re.I), "I {0} {in} {answer}"),
    (re.compile(r"\bwhere do you (work|study)\b[^?]*\?\W*$", re.I), "I {0} {at} {answer}"),
    (re.compile(r"\bwhere are you from[^?]*\?\W*$", re.I), "I am {from} {answer}"),
    (re.compile(r"\bhow old are you[^?]*\?\W*$", re.I), "I am {answer} years old"),
    (re.compile(r"\bwhat do you do(?: for (?:a living|work))?\s*\?\W*$", re.I), "I work {as} {answer}"),
    (re.compile(r"\b(?:what|who|when|where)(?:'s| is| are) your ([\w' -]{2,40})\?\W*$", re.I), "My {0} {is} {answer}"),
)


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
    if question is None or question.role is not Role.ASSISTANT or answer.role is not Role.USER:
        return None
    words = _LED_IN.sub("", answer.content.replace("’", "'").strip()).strip(" .!,")
    if not words or "?" in words or len(words.split()) > LONGEST or _REFUSED.match(words):
        return None
    if _COUNTED.match(words):
        words = words[0].lower() + words[1:]
    for pattern, statement in _ASKED:
        asked = pattern.search(question.content.replace("’", "'").strip())
        if asked is None:
            continue
        if "years" in statement and not words.isdigit():
            return None
        linked = {"in": "in", "at": "at", "from": "from", "as": "as"}
        if _PREPOSITION.match(words):
            linked = dict.fromkeys(linked, "")
        plural = asked.groups() and asked.group(1).endswith("s") and not asked.group(1).endswith("ss")
        linked["is"] = "are" if plural and "are your" in asked.group().lower() else "is"
        return " ".join(statement.format(*asked.groups(), answer=words, **linked).split()) + "."
    return None


def whole(message: Message) -> Span:
    """Where all of a message stands."""
    return Span(message.id, 0, len(message.content), message.content)
