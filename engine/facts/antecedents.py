"""What later words may stand for: "there" for a place that was named, "the Octavia" for a thing that somebody has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.facts.people import PRONOUNS, Cast, Party
from engine.lexicon import Lexicon, singular
from engine.types import Effect, Fact, Instant, Polarity, Sentence, Token

if TYPE_CHECKING:
    from engine.facts.extract import Candidate

PLACED = {"residence": "in", "employer": "at", "education": "at", "work_location": "in", "trip": "in", "visited": "in",
          "membership": "at", "birthplace": "in", "origin": "in"}  # fmt: skip
"""The attributes whose values "there" may stand for, with the preposition that leads to them."""
_GOING = {"go", "move", "travel", "relocate", "fly", "return", "transfer", "commute", "drive"}
_BEING = {"work", "live", "stay", "study", "teach", "reside", "volunteer", "stop", "start", "intern", "train", "settle",
          "research", "be"}  # fmt: skip


_OWNING = {"possession", "tool", "activity", "instrument_owned"}


def remember(cast: Cast, fact: Fact, lexicon: Lexicon) -> None:
    """Lets a cast know the place that a fact names, or the thing that the speaker has."""
    if fact.attribute in PLACED and fact.object[:1].isupper():
        cast.mention(Party(fact.object, cast.speaker, fact.attribute, fact.object, "place", "place"))
    elif lexicon.group(fact.attribute) in _OWNING and fact.subject == cast.speaker and _is_had(fact):
        label = [w for w in fact.object.split() if not w[0].isdigit() and w.lower() not in _COUNTS]
        related = {singular(w.lower()) for w in label} & lexicon.roles.keys()
        if label and len(label) <= 3 and label[-1].lower() not in PRONOUNS and not related:
            text = f"{cast.speaker}'s {' '.join(label)}"
            plural = singular(label[-1].lower()) != label[-1].lower()
            cast.mention(Party(text, cast.speaker, None, None, "thing", "thing", plural))


SINCE_THEN = ("since then", "since that day", "since that time", "from then on", "from that day on", "ever since then")


def dated(found: Sequence[Candidate]) -> list[Candidate]:
    """ "I stopped metformin on 17 March, and since that day I'm on …": the day was told just before."""
    out: list[Candidate] = []
    last: Instant | None = None
    for candidate in found:
        fact = candidate.fact
        text = f" {fact.text.lower()} "
        if last is not None and fact.valid_from is None and any(f" {cue} " in text for cue in SINCE_THEN):
            candidate = replace(candidate, fact=fact.but(valid_from=last))
        last = fact.valid_from or last
        out.append(candidate)
    return out


_COUNTS = {"a", "an", "the", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "some", "few",
           "many", "several", "new", "old", "own", "my", "our", "their"}  # fmt: skip


def _is_had(fact: Fact) -> bool:
    animal = fact.attribute == "pet"  # known by its role and name
    return fact.effect is not Effect.ENDS and fact.polarity is Polarity.POSITIVE and not animal


def with_place(sentence: Sentence, cast: Cast) -> Sentence:
    """The sentence with "there" written out: "I resigned from there", "she still works there".

    Parameters
    ----------
    sentence : Sentence
    cast : Cast
        Whose latest place is meant; without one the sentence stays as it is.
    """
    found = next((t for t in sentence.tokens if t.low == "there" and _is_place(sentence, t)), None)
    if found is None:
        return sentence
    verb = sentence.tokens[found.head]
    verb = sentence.tokens[verb.head] if verb.pos == "ADP" else verb
    place = _meant(verb.lemma, cast)
    if place is None:
        return sentence
    named = replace(found, text=place.text, lemma=place.text.lower(), pos="PROPN", tag="NNP", ent=_kind(place))
    if found.dep in ("pobj", "pcomp"):
        return replace(sentence, tokens=_put(sentence.tokens, [replace(named, dep="pobj")], found.i))
    word = "to" if verb.lemma in _GOING else PLACED[place.role or ""]
    link = replace(found, text=word, lemma=word, pos="ADP", tag="IN", dep="prep", ent="")
    named = replace(named, i=found.i + 1, head=found.i, dep="pobj")
    return replace(sentence, tokens=_put(sentence.tokens, [link, named], found.i))


def _meant(verb: str, cast: Cast) -> Party | None:
    """The latest place of the kind that a verb speaks of, else the latest of all."""
    places = [p for p in reversed(cast.parties) if p.kind == "place" and p.role in PLACED]
    wanted = next((roles for verbs, roles in _SUITING if verb in verbs), ())
    suiting = [p for role in wanted for p in places if p.role == role]
    return next(iter(suiting or places), None)


_SUITING = (
    (
        {"work", "resign", "quit", "leave", "join", "intern", "retire", "fire", "hire", "start"},
        ("employer", "work_location"),
    ),
    ({"live", "move", "stay", "reside", "settle", "relocate"}, ("residence", "origin", "birthplace")),
    ({"study", "graduate", "enrol", "train", "research"}, ("education",)),
)


def _is_place(sentence: Sentence, token: Token) -> bool:
    if token.dep in ("pobj", "pcomp") or sentence.tokens[token.head].pos == "ADP":
        return sentence.tokens[token.head].low not in ("out", "over", "hi", "up", "in")
    verb = sentence.tokens[token.head]
    if any(t.head == verb.i and t.dep == "prep" for t in sentence.tokens):
        return False  # "he works at Ford there"
    return token.dep in ("advmod", "attr") and token.i > verb.i and verb.lemma in _GOING | _BEING


def _kind(place: Party) -> str:
    return "ORG" if place.role in ("employer", "education", "membership") else "GPE"


def _put(tokens: tuple[Token, ...], new: list[Token], at: int) -> tuple[Token, ...]:
    """The tokens with one of them replaced by others; positions and heads follow."""
    more = len(new) - 1

    def moved(i: int) -> int:
        return i + more if i > at else i

    rest = [replace(t, i=moved(t.i), head=moved(t.head)) for t in tokens if t.i != at]
    out = [replace(t, head=t.head if t.i > at else moved(t.head)) for t in new]
    return tuple(sorted([*rest, *out], key=lambda t: t.i))
