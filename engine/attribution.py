"""The learnt attribute: what a statement tells where no pattern of the lexicon knows its words.

    p(attribute | x, e) = softmax((W · x + V · e + b) / T)

over named features x of predicate and value and the embedding e of the statement, with its subject written as
``user``; one of the classes is "other". It speaks only where the lexicon was silent, only above the threshold of the
attribute, and of an attribute that holds one value only where the value is of the right kind: a wrong attribute
overwrites, a missing one does not. Plain numbers in JSON, trained by ``factfold train --what attributes``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine import world
from engine.comparison import subject_parts, words_of
from engine.embed import Encoder
from engine.errors import ModelError
from engine.lexicon import PREPOSITIONS, Lexicon
from engine.types import Effect, Fact, Kind, Modality, Polarity, Tense

Floats = npt.NDArray[np.float64]
OTHER = "other"
REMEDY = "train one with: factfold train --what attributes"

FITTING: Mapping[str, str] = {
    "age": "years", "aid": "{aid}", "allergy": "{allergen} {food}", "bedtime": "time", "birthday": "date",
    "birthplace": "place", "blood_type": "{blood}", "breed": "{pet}", "budget": "number",
    "debt": "number", "device": "{device} name", "diet": "{diet}",
    "dwelling": "{home}", "employer": "organisation", "employment_status": "{employment_status}",
    "game": "{game} name", "gender": "{gender}", "handedness": "{handedness}", "height": "number",
    "instrument": "{instrument}", "language": "{language}", "living_situation": "person", "married_on": "date",
    "measure": "number", "mortgage": "number", "move_planned": "place", "name": "name",
    "nationality": "{nationality} place", "nickname": "name", "occupation": "{occupation}",
    "operating_system": "{os}", "origin": "place", "partner": "name", "pet": "{pet}", "politics": "{political}",
    "pronouns": "{pronouns}", "relationship_status": "{relationship_status}", "religion": "{religion}",
    "rent": "number", "residence": "place", "salary": "number", "sexuality": "{sexuality}", "sport": "{sport}",
    "surname": "name", "trip": "place", "vehicle": "{vehicle} name", "visited": "place", "wake_time": "time",
    "wedding": "date", "weight": "number", "work_location": "place", "work_schedule": "time", "zodiac": "{zodiac}",
}  # fmt: skip
"""What the value of an attribute has to be: word classes, or some of ``TESTS``. Of the attributes that hold one value
one that is not listed is never given by the classifier."""

_WORD = re.compile(r"[^\W_]+(?:['’.&/-][^\W_]+)*")
_LEADING = frozenset("a an the my your his her its our their user user's some this that".split())
_SEEMING = frozenset("appear feel look need seem smell sound want".split())
"""Verbs of what is not, or not yet, so: who feels seventy tells no age."""
_TOWN = "London"
_HOURS = frozenset("noon midnight dawn dusk sunrise sunset".split())
_YEARS = frozenset(
    "year years old young odd nearly almost just over early mid late teens twenties thirties forties fifties sixties seventies "
    "eighties nineties".split()
)
_OBJECT_CLASSES = (
    "allergen appointment aid app art athlete band bank_kind bodypart condition course cab colour degree device diet "
    "drink employment_status food furniture game hobby home instrument insurance kin kin_child language medication "
    "membership money mood nationality occupation organisation person pet political possession relationship_status "
    "religion role_word size sport subject team transit trip vehicle weekday when"
).split()


@dataclass(frozen=True, slots=True)
class Attribution:
    """A multinomial logistic regression with named features.

    Parameters
    ----------
    classes : tuple of str
        ``k`` attributes, "other" among them.
    names : tuple of str
        ``f`` features that count; what else a fact has is passed over.
    coef : ndarray of float64, shape [k, f]
    meaning : ndarray of float64, shape [k, d]
        Coefficients of the embedding.
    intercept : ndarray of float64, shape [k]
    temperature : float
        Logits are divided by it.
    thresholds : mapping of str to float
        From which probability an attribute is given; one that is missing never is.
    digest : str
        First 16 hex digits of the artefact's SHA-256.
    about : mapping
    """

    classes: tuple[str, ...]
    names: tuple[str, ...]
    coef: Floats
    meaning: Floats
    intercept: Floats
    temperature: float
    thresholds: Mapping[str, float]
    digest: str
    about: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path) -> Attribution:
        """Reads an artefact.

        Raises
        ------
        ModelError
            F055 where it is missing or malformed, F056 where its numbers do not fit together.
        """
        try:
            raw = path.read_bytes()
            content = json.loads(raw)
            classes = tuple(content["classes"])
            found = cls(
                classes=classes,
                names=tuple(content["features"]),
                coef=np.array([content["coef"][name] for name in classes], dtype=np.float64),
                meaning=np.array([content["meaning"][name] for name in classes], dtype=np.float64),
                intercept=np.array(content["intercept"], dtype=np.float64),
                temperature=float(content["temperature"]),
                thresholds={str(k): float(v) for k, v in content["thresholds"].items()},
                digest=hashlib.sha256(raw).hexdigest()[:16],
                about=content.get("about") or {},
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError("F055", f"{path.name} is no artefact of attributes ({error}); {REMEDY}") from error
        found._check(path)
        return found

    def _check(self, path: Path) -> None:
        k, f = len(self.classes), len(self.names)
        shapes = (self.coef.shape, self.intercept.shape)
        numbers = (self.coef, self.meaning, self.intercept, np.array([self.temperature]))
        if shapes != ((k, f), (k,)) or self.meaning.ndim != 2 or self.meaning.shape[0] != k or not self.meaning.size:
            problem = f"arrays of shapes {(*shapes, self.meaning.shape)} for {k} classes and {f} features"
        elif not all(np.isfinite(a).all() for a in numbers):
            problem = "it holds numbers that are not finite"
        elif self.temperature <= 0:
            problem = "the temperature must be above 0"
        elif OTHER not in self.classes or not set(self.thresholds) <= set(self.classes) - {OTHER}:
            problem = "its thresholds and classes do not fit together"
        elif not all(0 < t <= 1 for t in self.thresholds.values()):
            problem = "a threshold is no probability"
        else:
            return
        raise ModelError("F056", f"{path.name} is damaged: {problem}; {REMEDY}")

    def probabilities(self, features: Floats, embeddings: npt.NDArray[np.float32]) -> Floats:
        """How likely each attribute is, shape [n, k].

        Parameters
        ----------
        features : ndarray of float64, shape [n, f]
        embeddings : ndarray of float32, shape [n, d]
        """
        logits = (features @ self.coef.T + embeddings @ self.meaning.T + self.intercept) / self.temperature
        shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
        out: Floats = np.round(shifted / shifted.sum(axis=1, keepdims=True), 6)
        return out

    def typed(self, facts: Sequence[Fact], encoder: Encoder, lexicon: Lexicon) -> list[Fact]:
        """Gives an attribute to facts that have none, where it is sure of it.

        Parameters
        ----------
        facts : sequence of Fact
            ``n`` facts, a named speaker written as ``user`` (``engine.pairing.as_user``).
        encoder : Encoder
            Called once for those without an attribute.
        lexicon : Lexicon
            For word classes, and for how an attribute behaves.

        Returns
        -------
        list of Fact
            ``n`` facts; all but attribute, value and kind are as they were.
        """
        out = list(facts)
        asked = [i for i, fact in enumerate(facts) if fact.attribute is None]
        if not asked:
            return out
        rows = matrix([features_of(facts[i], lexicon) for i in asked], self.names)
        embeddings = encoder.encode([as_written(facts[i], lexicon) for i in asked])
        for i, p in zip(asked, self.probabilities(rows, embeddings), strict=True):
            best = int(p.argmax())
            name = self.classes[best]
            if p[best] >= self.thresholds.get(name, 2.0):
                out[i] = with_attribute(facts[i], name, lexicon) or facts[i]
        return out


def as_written(fact: Fact, lexicon: Lexicon) -> str:
    """The statement with a person as its subject written as ``user``, and one town for all: what is told, not of whom
    and where."""
    text = fact.text
    if fact.subject != "user" and is_person(fact, lexicon) and text.startswith(fact.subject):
        text = "user" + text[len(fact.subject) :]
    for phrase in _phrases(fact):
        if (place := _place_in(_core(phrase))) is not None:
            text = text.replace(place, _TOWN)
    return text


def is_person(fact: Fact, lexicon: Lexicon) -> bool:
    """Whether a fact is about the speaker, or about somebody that is told by a role."""
    owner, rest, names = subject_parts(fact.subject)
    if fact.subject == "user":
        return True
    kinds = {lexicon.roles[w].kind for w in rest.split() if w not in names and w in lexicon.roles}
    return owner == "user" and kinds == {"person"}


def _of_the_moment(fact: Fact, lexicon: Lexicon) -> bool:
    """ "Feels seventy today" tells a mood, not an age."""
    said = f" {' '.join(w.lower() for w in _WORD.findall(fact.span.text if fact.span else fact.text))} "
    return fact.kind is Kind.STATE and any(f" {cue} " in said for cue in lexicon.cues["moment_adverbs"])


def _is_family(fact: Fact, lexicon: Lexicon) -> bool:
    """Whether a fact is about the speaker or their family: "my landlord gets 950 from me" tells nothing of him."""
    words = [w for w in subject_parts(fact.subject)[1].split() if w in lexicon.roles]
    partner = any(lexicon.roles[w].attribute == "partner" for w in words)
    return fact.subject == "user" or is_person(fact, lexicon) and (partner or lexicon.in_class("kin", words))


def is_own(fact: Fact, lexicon: Lexicon) -> bool:
    """Whether a fact is about a person or something of the speaker's; "Spanish is easier" tells of nobody."""
    return is_person(fact, lexicon) or subject_parts(fact.subject)[0] == "user"


def with_attribute(fact: Fact, attribute: str, lexicon: Lexicon) -> Fact | None:
    """The fact with an attribute, or None where attribute and fact do not go together.

    Parameters
    ----------
    fact : Fact
        One without an attribute.
    attribute : str
        A name of the lexicon.
    lexicon : Lexicon
    """
    known = lexicon.attributes.get(attribute)
    hedged = fact.modality in (Modality.POSSIBLE, Modality.DESIRED)
    seeming = fact.predicate.partition(" ")[0] in _SEEMING
    if known is None or hedged or seeming or not is_own(fact, lexicon) or _of_the_moment(fact, lexicon):
        return None
    ahead = known.kind is Kind.PLAN and fact.kind is Kind.STATE and fact.tense is not Tense.PAST
    if fact.kind is not known.kind and not ahead:
        return None
    if known.cardinality != "one":
        fits = attribute not in FITTING or _fits(fact.object, FITTING[attribute], lexicon)
        return fact.but(attribute=attribute, kind=known.kind) if fits else None
    ends = fact.effect is Effect.ENDS
    if fact.tense is Tense.PAST and not ends or (fact.polarity is Polarity.NEGATIVE) != ends:
        return None
    value = fitting_value(fact, attribute, lexicon) if _is_family(fact, lexicon) else None
    return None if value is None else fact.but(attribute=attribute, object=value, kind=known.kind)


def fitting_value(fact: Fact, attribute: str, lexicon: Lexicon) -> str | None:
    """The value that a fact gives to an attribute: its object, or else what stands beside it ("hangs their hat in
    Tulsa"); None where nothing is of the right kind."""
    wanted = FITTING.get(attribute)
    if wanted is None:
        return None
    value, *beside = _phrases(fact)
    if fact.predicate.startswith("be "):
        beside = []  # "is at the gate in Oslo"
    return next((phrase for phrase in (value, *beside) if _fits(phrase, wanted, lexicon)), None)


def _phrases(fact: Fact) -> Iterator[str]:
    """The object, then what stands beside it, each without the preposition before it."""
    yield fact.object
    for qualifier in fact.qualifiers:
        words = qualifier.text.split()
        while words and (words[0].lower() in PREPOSITIONS or words[0].lower() in _LEADING):
            words = words[1:]
        yield " ".join(words)


def _fits(phrase: str, wanted: str, lexicon: Lexicon) -> bool:
    words = _core(phrase)
    if not words:
        return False
    low = [w.lower() for w in words]
    return any(
        lexicon.in_class(kind.strip("{}"), low) if kind.startswith("{") else TESTS[kind](words, lexicon)
        for kind in wanted.split()
    )


def _core(phrase: str) -> list[str]:
    """The words of a phrase up to the first preposition, without articles and possessives."""
    words: list[str] = []
    for word in _WORD.findall(phrase):
        if word.lower() in PREPOSITIONS and words:
            break
        if word.lower() not in _LEADING:
            words.append(word)
    return words


def _named(words: Sequence[str]) -> bool:
    return words[0][:1].isupper() and words[-1][:1].isupper()


def _place_in(words: Sequence[str]) -> str | None:
    """The place whose name ends a phrase."""
    tails = [" ".join(words[i:]) for i in range(len(words)) if _named(words[i:])]
    return next((tail for tail in tails if world.is_place(tail)), None)


def _is_place(words: Sequence[str], _: Lexicon) -> bool:
    return _place_in(words) is not None


def _is_organisation(words: Sequence[str], lexicon: Lexicon) -> bool:
    if _is_place(words, lexicon):
        return False
    return lexicon.in_class("organisation", [w.lower() for w in words]) or _named(words)


def _is_name(words: Sequence[str], lexicon: Lexicon) -> bool:
    capitals = all(w[:1].isupper() and w.isalpha() for w in words)
    return len(words) <= 2 and capitals and not _is_place(words, lexicon)


def _is_somebody(words: Sequence[str], lexicon: Lexicon) -> bool:
    low = [w.lower() for w in words]
    role = lexicon.roles.get(low[-1])
    return role is not None and role.kind == "person" or any(lexicon.in_class(c, low) for c in ("kin", "person"))


def _tells_number(words: Sequence[str], _: Lexicon) -> bool:
    return bool(words_of(" ".join(words)).numbers)


def _tells_years(words: Sequence[str], lexicon: Lexicon) -> bool:
    """A number of years and nothing else: "fifty-one", "nearly 60", "her late thirties"."""
    rest = [w for w in words if not words_of(w).numbers and w.lower() not in _YEARS]
    numbers = [n for n in words_of(" ".join(words)).numbers if n.isdigit() and int(n) > 110]
    return not rest and not numbers


def _tells_date(words: Sequence[str], _: Lexicon) -> bool:
    told = words_of(" ".join(words))
    return bool(told.numbers or told.times)


def _tells_time(words: Sequence[str], lexicon: Lexicon) -> bool:
    low = [w.lower() for w in words]
    return _tells_number(words, lexicon) or bool(_HOURS & set(low)) or lexicon.in_class("when", low)


TESTS: Mapping[str, Callable[[Sequence[str], Lexicon], bool]] = {
    "place": _is_place,
    "organisation": _is_organisation,
    "name": _is_name,
    "person": _is_somebody,
    "number": _tells_number,
    "years": _tells_years,
    "date": _tells_date,
    "time": _tells_time,
}
"""Kinds of values beside the word classes: a place by its name, a company, what somebody is called, and so on."""


def features_of(fact: Fact, lexicon: Lexicon) -> tuple[str, ...]:
    """The names of what a fact shows: words of its predicate, classes of its value, how it is told."""
    words = fact.predicate.lower().split()
    found = [f"says {w}" for w in words] + [f"begins {w}" for w in words[:1]]
    if len(words) > 1:
        found.append(f"says {' '.join(words)}")
    before = [words[-1] if len(words) > 1 else "directly", *(q.text.lower().partition(" ")[0] for q in fact.qualifiers)]
    places = ("value", *["beside"] * len(fact.qualifiers))
    for place, word, phrase in zip(places, before, _phrases(fact), strict=True):
        found += [f"{where} {kind}" for kind in _kinds(phrase, lexicon) for where in (place, word)]
    found += [f"kind {fact.kind}", f"effect {fact.effect}", f"tense {fact.tense}", f"polarity {fact.polarity}"]
    whom = "user" if fact.subject == "user" else "somebody" if is_person(fact, lexicon) else "it"
    found.append(f"about {whom}")
    return tuple(sorted(set(found)))


def _kinds(phrase: str, lexicon: Lexicon) -> Iterator[str]:
    """What a phrase is: word classes, and whether it holds a place, a name or a figure."""
    words = _core(phrase)
    if not words:
        yield "missing"
        return
    low = [w.lower() for w in words]
    yield from (name for name in _OBJECT_CLASSES if lexicon.in_class(name, low))
    if _is_place(words, lexicon):
        yield "named place"
    elif any(w[:1].isupper() for w in words):
        yield "named"
    if _tells_number(words, lexicon):
        yield "figure"


def matrix(features: Sequence[Sequence[str]], names: Sequence[str]) -> Floats:
    """One row a fact, 1 where it shows a feature, shape [n, f]."""
    column = {name: i for i, name in enumerate(names)}
    rows = np.zeros((len(features), len(names)))
    for row, shown in zip(rows, features, strict=True):
        row[[column[name] for name in shown if name in column]] = 1.0
    return rows
