"""A clause that was read → the facts it tells: values, slots and the written statement."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from engine.facts.arguments import arguments
from engine.facts.copula import Told as Owned
from engine.facts.copula import possessive_copula
from engine.facts.people import Cast
from engine.facts.render import named, phrase, statement, tidy
from engine.facts.told import Told, corrects, is_replanned, relation_cues
from engine.facts.tree import Tree
from engine.facts.typing import is_time
from engine.facts.validity import Validity, validity_of
from engine.lexicon import Lexicon
from engine.types import Effect, Fact, Instant, Kind, Polarity, Qualifier, Span, Token

MAX_WORDS = 25
_VAGUE = ("all", "so", "stuff", "everything", "etc")


def compose(told: Told, cast: Cast, lexicon: Lexicon, found: Owned | None = None) -> list[Fact]:
    """The facts of a clause: one for each coordinated value and each further reading.

    Parameters
    ----------
    told : Told
    cast : Cast
        For possessors and pronouns.
    lexicon : Lexicon
    found : Owned, optional
        What ``possessive_copula`` made of the clause.

    Returns
    -------
    list of Fact
        Each with a statement of at least two words.
    """
    if found is not None:
        return [_owned(told, lexicon, found)]
    members = _members(told)
    values = {m.i for m in members} | {a.i for m in members for a in told.tree.ancestors(m.i)}
    elsewhere = [r.argument.through[0] for r in told.further if r.argument and r.argument.through]
    drop = [i for i in elsewhere if i not in values]
    facts = []
    for member in members:
        only = {members[0].i: _alone(told.tree, member.i)} if len(members) > 1 else {}
        text = _borrowed(told, cast, lexicon, member.i) or _written(told, cast, lexicon, only, drop)
        value = _meant(told, cast, member) or _value(told, member.i, drop)
        facts.append(fact_of(told, lexicon, value=value, text=text))
    if not members:
        facts.append(fact_of(told, lexicon, value=told.reading.fixed, text=_written(told, cast, lexicon, {}, drop)))
    return [f for f in facts + _further(told, cast, lexicon) if is_whole(f.text)]


def _meant(told: Told, cast: Cast, token: Token) -> str:
    """What a pronoun in the place of the value stands for: "I ride it to work"."""
    if token.low not in ("it", "them"):
        return ""
    party = cast.resolve(told.tree, token.i)
    return party.text.removeprefix(f"{party.owner}'s ") if party is not None else ""


_OPEN = frozenset(
    "a an the my our their his her your its of at with for from to as into than like per between without within and or but "
    "because that which who is are was were be am so if".split()
)


def is_whole(text: str) -> bool:
    """Whether a statement has an end: "user works at the" was cut off by the parser and tells nothing."""
    words = text.lower().split()
    return len(words) > 1 and words[-1] not in _OPEN


def compose_whole(told: Told, cast: Cast, lexicon: Lexicon, text: str) -> Fact:
    """One fact for the clause as it stands, nothing split: for statements that are read alone."""
    found = possessive_copula(told.clause, cast, lexicon)
    fact = _owned(told, lexicon, found) if found else fact_of(told, lexicon, value=_whole_value(told), text=text)
    words = text.lower().replace(",", " ").replace(".", " ").split()
    return fact.but(text=text, span=None, said_at=None, cues=relation_cues(words, lexicon))


def fact_of(told: Told, lexicon: Lexicon, *, value: str, text: str) -> Fact:
    """The slots of a clause, with the value and statement given."""
    stance, reading, when = told.stance, told.reading, validity_of(told, lexicon)
    sentence = told.sentence
    cues = relation_cues(told.words(), lexicon)
    if when.kind is Kind.PLAN and is_replanned(told, lexicon):
        cues = (*cues, "replanned")
    start = when.start
    if start is None and when.end is None and when.kind is Kind.STATE and {"now", "instead"} & {*cues}:
        start = Instant(sentence.message.timestamp)  # "now" says that it was not always so
    return Fact(
        subject=told.party.text,
        predicate=reading.predicate,
        object=value,
        text=text,
        attribute=reading.attribute,
        polarity=stance.polarity,
        modality=stance.modality,
        tense=stance.tense,
        kind=when.kind,
        effect=told.effect,
        qualifiers=_qualifiers(told, when),
        valid_from=start,
        valid_to=when.end,
        span=Span(sentence.message.id, sentence.start, sentence.end, sentence.text),
        said_at=sentence.message.timestamp,
        correction=corrects(told, lexicon),
        bare=stance.bare,
        all_of=stance.all_of,
        cues=cues,
    )


def _owned(told: Told, lexicon: Lexicon, found: Owned) -> Fact:
    """ "X's N is V" is a fact about X."""
    subject, attribute, value, text, predicate = found
    base = fact_of(told, lexicon, value=value, text=text)
    known = lexicon.attributes.get(attribute)
    times = [q.text for q in base.qualifiers if q.role == "time"]
    dated = any(t in value or value in t for t in times)  # the date is what is told, not when it is true
    return base.but(
        subject=subject,
        attribute=attribute,
        predicate=predicate,
        kind=known.kind if known and base.kind is Kind.STATE else base.kind,
        valid_from=None if dated else base.valid_from,
    )


def _members(told: Told) -> list[Token]:
    """The coordinated values of a clause: several languages, two jobs, three hobbies."""
    tree, reading = told.tree, told.reading
    if reading.value is None:
        return []
    members = tree.conjuncts(reading.value)
    if len(members) == 1 or is_time(tree, reading.value) or reading.modifiers:
        return members[:1]
    if any(t.low in ("or", "nor") for m in members for t in tree.children(m.i, "cc")):
        return members[:1]
    if any(m.pos in ("VERB", "AUX") and m.tag != "VBG" for m in members[1:]):
        return members[:1]
    subjects = {c.subject for c in told.beside}
    return [m for m in members if m.low not in _VAGUE and m.i not in subjects]


def _alone(tree: Tree, i: int) -> set[int]:
    """The positions of one coordinated member without the others."""
    return set(tree.subtree(i, _others(tree, i)))


def _others(tree: Tree, i: int) -> set[int]:
    return {c.i for c in tree.children(i, "conj", "cc", "preconj")}


def _written(told: Told, cast: Cast, lexicon: Lexicon, only: Mapping[int, Collection[int]], drop: Sequence[int]) -> str:
    """The clause as a statement; one that would run on drops prepositional phrases from its end."""
    left_out = list(drop)

    def write() -> str:
        text = statement(
            told.clause, cast, told.subject, plural=told.plural, only=only, drop=left_out, others=told.beside
        )
        return named(told.tree, lexicon, text)

    text = write()
    for arg in reversed(arguments(told.clause)):
        if len(text.split()) <= MAX_WORDS:
            break
        if arg.role == "prep" and arg.head != told.reading.value and not is_time(told.tree, arg.head):
            left_out.append(arg.through[0])
            text = write()
    return " ".join(text.split()[:MAX_WORDS])


def _borrowed(told: Told, cast: Cast, lexicon: Lexicon, value: int) -> str | None:
    """A reading that rests on words which tell another attribute is written as the lexicon says."""
    known = lexicon.attributes.get(told.reading.attribute or "")
    if not told.reading.borrowed or known is None or not known.render:
        return None
    return f"{told.subject} {known.render.replace('*', phrase(told.tree, value, cast, told.subject))}"


def _further(told: Told, cast: Cast, lexicon: Lexicon) -> list[Fact]:
    """What a clause tells beside its main value, each as a statement of its own."""
    out = []
    for reading in told.further:
        assert reading.value is not None and reading.attribute is not None
        denied = told.stance.polarity is Polarity.NEGATIVE or told.stance.former
        if denied or reading.effect is Effect.ENDS:
            continue
        value = phrase(told.tree, reading.value, cast, told.subject)
        text = f"{told.subject} {lexicon.attributes[reading.attribute].render.replace('*', value)}"
        own = told.by(reading)
        out.append(fact_of(own, lexicon, value=_value(own, reading.value), text=text))
    return out


def _whole_value(told: Told) -> str:
    """All of the value with what qualifies it."""
    reading = told.reading
    if reading.value is None:
        return reading.fixed
    if reading.modifiers:
        return _value(told, reading.value)
    skip = {t.i for t in told.tree.tokens
            if t.dep in ("relcl", "advcl", "det", "contrast") or _is_stray(t) or _is_end_adverb(t)}  # fmt: skip
    return _text(told.tree, [j for j in told.tree.subtree(reading.value, skip) if j not in skip])


def _value(told: Told, i: int, drop: Sequence[int] = ()) -> str:
    """One member of the value, without clauses and articles."""
    tree = told.tree
    if told.reading.modifiers:
        return _text(tree, told.reading.modifiers)
    skip = _others(tree, i) | set(drop)
    skip |= {t.i for t in tree.tokens if t.dep in ("relcl", "advcl", "contrast") or _is_end_adverb(t)}
    skip |= {c.i for c in tree.children(i, "punct", "det")}
    return _text(tree, [j for j in tree.subtree(i, skip) if j not in skip])


def _is_end_adverb(token: Token) -> bool:
    """ "no longer", "any more" say that it is over, not what it was."""
    return token.dep in ("advmod", "neg") and token.low in ("longer", "more", "anymore", "not", "never")


def _is_stray(token: Token) -> bool:
    return token.dep == "punct" and token.text not in ("-", "/")


def _text(tree: Tree, positions: Sequence[int]) -> str:
    return tidy(" ".join(tree[j].text for j in positions)).replace(" 's", "'s")


def _qualifiers(told: Told, when: Validity) -> tuple[Qualifier, ...]:
    """What stands beside the value: times, places and the rest, verbatim."""
    tree = told.tree
    timed = {i for p in when.phrases for i in p.positions}
    out = [Qualifier("time", " ".join(tree[i].text for i in p.positions)) for p in when.phrases]
    for arg in arguments(told.clause):
        if arg.role != "prep" or arg.head == told.reading.value or arg.head in timed:
            continue
        span = sorted({*arg.through, *_alone(tree, arg.head)})
        place = tree[arg.head].ent in ("GPE", "LOC", "FAC", "ORG")
        role = "time" if is_time(tree, arg.head) else "place" if place else "other"
        out.append(Qualifier(role, " ".join(tree[i].text for i in span)))
    return tuple(out)
