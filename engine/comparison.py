"""What two facts have in common and where they differ: the primitives that features are made of."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

import snowballstemmer  # type: ignore[import-untyped]

from engine import world
from engine.lexicon import Lexicon
from engine.types import Effect, Fact, Pair, Polarity, Tense
from engine.when.clocks import clock, part_of_day
from engine.when.words import split

_WORD = re.compile(r"[a-z0-9À-ÿ]+(?:[.'’@:-][a-z0-9À-ÿ]+)*", re.I)
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_DOMAIN = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}", re.I)
_PRONOUNS = re.compile(r"\b(she|he|they|it|ze|xe)\s?/\s?([a-z]+)(?:\s?/\s?[a-z]+)?", re.I)
_STEMMER = snowballstemmer.stemmer("english")
_STOP = frozenset(
    "a an the of in on at to for with from by as and or is are was were be been being has have had do does did it its "
    "their his her user s that this these those who which will would can could may might there than then so "
    "they them he she him also very quite just still now currently some any".split()
)
_UNITS = frozenset("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
                   "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand "
                   "first second third fourth fifth sixth once twice thrice dozen".split())  # fmt: skip
_VALUES = {w: str(i) for i, w in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty".split())} | {"once": "1", "twice": "2", "thrice": "3", "thirty": "30", "forty": "40",
    "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90", "hundred": "100", "dozen": "12",
    "first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6"}  # fmt: skip
_ORDINALS = frozenset("first second third fourth fifth sixth".split())
_RANKED = frozenset("year grade form floor generation semester term class league division degree team".split())
_LATE = frozenset(("afternoon", "evening", "night"))
_MONTHS = frozenset("january february march april may june july august september october november december jan feb mar apr "
                    "jun jul aug sep sept oct nov dec".split())  # fmt: skip
_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_NEGATION = frozenset("not never no none nobody nothing neither nor without cannot hardly n't".split())


@dataclass(frozen=True, slots=True)
class Words:
    """The bag of a text: stems of its content words, its numbers, the names in it, weekdays and months."""

    stems: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    times: frozenset[str]
    negations: int
    length: int


def _value_of(word: str) -> str:
    """A number word in figures: twelve, thirty-three, the first of first-year; empty for other words."""
    tens, hyphen, unit = word.partition("-")
    if tens in _ORDINALS and unit in _RANKED:
        return _VALUES[tens]
    if hyphen and tens in _VALUES and unit in _VALUES and tens.endswith("ty"):
        return str(int(_VALUES[tens]) + int(_VALUES[unit]))
    return _VALUES.get(word, "")


def with_clocks(text: str) -> str:
    """A text with its times of day in figures, of 24 hours where the half of the day is told: "half past three in the
    afternoon" as "15:30"."""
    line = split(text)
    out, done, i = [], 0, 0
    while i < len(line.words):
        found = clock(line.words, i)
        if found is None:
            i += 1
            continue
        told, stop = found
        part = part_of_day(line.words, stop)
        says_so = part is not None or line.words[i : i + 2] == ("half", "past") or line.words[i] in ("a", "quarter")
        if told.spoken and not says_so:
            i += 1  # "half four" may be four halves of something, "ten to twelve" a range
            continue
        hour = told.hour + 12 if part and part[0] in _LATE and told.hour < 12 and not told.sure else told.hour
        stop = part[1] if part else stop
        out += [text[done : line.starts[i]], f"{hour % 24}:{told.minute:02d}"]
        done, i = line.ends[stop - 1], stop
    return "".join([*out, text[done:]])


@lru_cache(maxsize=100_000)
def words_of(text: str) -> Words:
    """Splits a text once; cached, since a memory is compared with many facts."""
    text = _PRONOUNS.sub(r"\1-\2", with_clocks(text))
    tokens = _WORD.findall(text.replace("n't", " n't").replace("'s", " ").replace("cannot", "can not"))
    low = [t.lower() for t in tokens]
    names = {t.lower() for t in tokens if t[:1].isupper() and t.lower() not in _MONTHS | _DAYS | _STOP}
    names |= {t.lower() for t in tokens if "@" in t or _DOMAIN.fullmatch(t)}  # an address is compared whole
    numbers = {n.replace(",", "") for n in _NUMBER.findall(text)} | {v for w in low if (v := _value_of(w))}
    times = {w.rstrip("s") if w.rstrip("s") in _DAYS else w[:3] for w in low if w.rstrip("s") in _DAYS or w in _MONTHS}
    content = [w for w in low if w not in _STOP and w not in _NEGATION and w not in ("n't",)]
    return Words(
        stems=frozenset(_STEMMER.stemWords(content)),
        numbers=frozenset(numbers),
        names=frozenset(names),
        times=frozenset(times),
        negations=sum(w in _NEGATION for w in low),
        length=len(low),
    )


@lru_cache(maxsize=50_000)
def counted(value: str) -> tuple[int, frozenset[str]] | None:
    """How many of what a value tells: ("three", "cats") as (3, {"cat"}); None where it does not begin with a number.

    A name behind the noun ("one cat named Miso") is no part of what is counted.
    """
    words = value.lower().split()
    number = _value_of(words[0]) or (words[0] if words[0].isdigit() else "") if len(words) > 1 else ""
    if not number or words[0] in _ORDINALS or not words[1].isalpha():
        return None
    things = [w for w in value.split()[1:] if not w[:1].isupper() and w.lower() not in ("named", "called")]
    stems = frozenset(_STEMMER.stemWords([w.lower() for w in things if w.lower() not in _STOP]))
    return (int(number), stems) if stems else None


@lru_cache(maxsize=100_000)
def words_in_order(text: str) -> tuple[str, ...]:
    """The content words of a text in lower case, in order."""
    return tuple(w.lower() for w in _WORD.findall(text.replace("'s", " ")) if w.lower() not in _STOP)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything the features look at. Shares are in [0, 1], flags are bools; ``against``, ``forced`` and ``over`` are
    what ``engine.exact`` settles."""

    pair: Pair
    same_subject: bool
    subject_overlap: float
    subject_owned: bool
    subject_mentioned: bool
    same_attribute: bool
    same_group: bool
    known_attributes: bool
    same_predicate: bool
    antonyms: bool
    excluded: bool
    cardinality: str | None
    object_equal: bool
    object_shared: float
    candidate_object_in_existing: bool
    existing_object_in_candidate: bool
    both_objects: bool
    broader: bool
    finer: bool
    kin_existing: float
    kin_candidate: float
    kin_beside_subject: float
    numbers_differ: bool
    numbers_equal: bool
    times_differ: bool
    times_equal: bool
    names_differ: bool
    names_equal: bool
    objects_apart: bool
    numbers_clash: bool
    names_clash: bool
    candidate_covers: float
    existing_covers: float
    jaccard: float
    wording: float
    long: bool
    new_words: int
    lost_words: int
    candidate_negative: bool
    existing_negative: bool
    candidate_ends: bool
    existing_ends: bool
    correction: bool
    cues: frozenset[str]
    against: frozenset[str] = frozenset()
    forced: str = ""
    over: bool = False

    @property
    def topic(self) -> bool:
        """Whether both are about the same party, or one is about what belongs to it or names it."""
        return self.same_subject or self.subject_owned or self.subject_mentioned

    @property
    def same_slot(self) -> bool:
        """Same subject and the same attribute, by the lexicon or by the predicate's own words."""
        return self.same_subject and (self.same_attribute or self.same_predicate)


def compare(pair: Pair, lexicon: Lexicon) -> Comparison:
    """Aligns the slots of two facts.

    Parameters
    ----------
    pair : Pair
        The existing and the candidate fact with their cosines.
    lexicon : Lexicon
        For attributes, cardinalities, exclusions and antonyms.

    Returns
    -------
    Comparison
        Symmetric but for what is named after one side.
    """
    old, new = pair.existing, pair.candidate
    mine, yours = words_of(old.text), words_of(new.text)
    value, other = _value(old, lexicon), _value(new, lexicon)
    both = bool(value.stems | value.numbers) and bool(other.stems | other.numbers)
    common = mine.stems & yours.stems
    same_attribute = old.attribute is not None and old.attribute == new.attribute
    own_old, own_new = mine.names - words_of(old.subject).names, yours.names - words_of(new.subject).names
    return Comparison(
        pair=pair,
        same_subject=same_subject(old.subject, new.subject),
        subject_overlap=_share(words_of(old.subject).stems, words_of(new.subject).stems, empty=1.0),
        subject_owned=owns_subject(old.subject, new.subject) or owns_subject(new.subject, old.subject),
        subject_mentioned=mentions(old, new) or mentions(new, old),
        same_attribute=same_attribute,
        same_group=old.attribute is not None
        and not same_attribute
        and lexicon.group(old.attribute) == lexicon.group(new.attribute),
        known_attributes=old.attribute is not None and new.attribute is not None,
        same_predicate=_stemmed(old.predicate) == _stemmed(new.predicate),
        antonyms=antonymous(old, new, lexicon),
        excluded=_affirms(new)
        and _affirms(old)
        and lexicon.excludes(new.attribute, new.object or new.text, old.attribute, old.object or old.text),
        cardinality=lexicon.cardinality(new.attribute if same_attribute else None),
        object_equal=both and value.stems == other.stems and value.numbers == other.numbers,
        object_shared=_share(value.stems, other.stems, empty=0.0),
        candidate_object_in_existing=both and other.stems < value.stems,
        existing_object_in_candidate=both and value.stems < other.stems,
        both_objects=both,
        broader=_encloses(new, old),
        finer=_encloses(old, new),
        kin_existing=kin_share(old.text, new.text),
        kin_candidate=kin_share(new.text, old.text),
        kin_beside_subject=kin_share(_beside_subject(old), _beside_subject(new)),
        numbers_differ=bool(mine.numbers and yours.numbers) and not amounts_equal(mine.numbers, yours.numbers),
        numbers_equal=bool(mine.numbers) and amounts_equal(mine.numbers, yours.numbers),
        times_differ=bool(mine.times and yours.times) and not mine.times & yours.times,
        times_equal=bool(mine.times) and mine.times == yours.times,
        names_differ=bool(own_old and own_new) and not own_old & own_new,
        names_equal=bool(own_old) and own_old == own_new,
        objects_apart=both
        and not value.stems & other.stems
        and not kin_share(old.object, new.object)
        and not _encloses(new, old)
        and not _encloses(old, new)
        and bool(value.names) == bool(other.names),
        numbers_clash=bool(mine.numbers)
        and not {_digits(n) for n in yours.numbers} <= {_digits(n) for n in mine.numbers},
        names_clash=bool(own_old and own_new) and not own_old & own_new and not _related_names(own_old, own_new),
        candidate_covers=len(common) / max(len(mine.stems), 1),
        existing_covers=len(common) / max(len(yours.stems), 1),
        jaccard=_share(mine.stems, yours.stems, empty=0.0),
        wording=_wording(old.text, new.text),
        long=min(mine.length, yours.length) >= LONG,
        new_words=len(yours.stems - mine.stems),
        lost_words=len(mine.stems - yours.stems),
        candidate_negative=_negative(new),
        existing_negative=_negative(old),
        candidate_ends=new.effect is Effect.ENDS or ending_words(new.text, lexicon),
        existing_ends=old.effect is Effect.ENDS or ending_words(old.text, lexicon),
        correction=new.correction,
        cues=frozenset(new.cues),
    )


def _value(fact: Fact, lexicon: Lexicon) -> Words:
    """The words of a fact's value but for the attribute's own name: the "Bibi" of "goes by the nickname Bibi"."""
    words = words_of(fact.object)
    known = lexicon.attributes.get(fact.attribute or "")
    rest = words.stems - frozenset(_STEMMER.stemWords(known.nouns)) if known is not None else words.stems
    return replace(words, stems=rest) if rest and rest != words.stems else words


LONG = 9
"""From how many words on both statements are long: then sharing most of them is no chance of a common pattern."""


@lru_cache(maxsize=100_000)
def _wording(one: str, other: str) -> float:
    """How far two texts have the same content words in the same order: 2m / (a + b), m the matching words
    (Ratcliff and Metzener 1988)."""
    return SequenceMatcher(None, words_in_order(one), words_in_order(other), autojunk=False).ratio()


def amounts_equal(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of numbers are the same amounts, in whatever notation: 52000 and 52k, 1.85 and 185."""
    return {_digits(n) for n in one} == {_digits(n) for n in other}


def _digits(number: str) -> str:
    return number.replace(".", "").replace(":", "").rstrip("0") or "0"


def _related_names(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether any two names are the same place, or one lies in the other, or one is a kind of the other."""
    return any(
        world.same_place(a, b) or world.contains(a, b) or world.contains(b, a) or world.is_a(a, b) or world.is_a(b, a)
        for a in one
        for b in other
    )


def _encloses(wide: Fact, narrow: Fact) -> bool:
    """Whether one value is a kind or a place that takes the other in: dog and beagle, Portugal and Braga."""
    return bool(wide.object and narrow.object) and _encloses_words(wide.object, narrow.object)


@lru_cache(maxsize=100_000)
def _encloses_words(wide: str, narrow: str) -> bool:
    """Looks at the words, and pairs of neighbouring words, in which two statements differ."""
    mine, yours = _phrases(wide), _phrases(narrow)
    only_wide = [p for p in mine if p not in yours]
    only_narrow = [p for p in yours if p not in mine]
    return any(
        world.contains(a, b) or (world.is_a(b, a) and not world.is_a(a, b))
        for a in only_wide[:PHRASES]
        for b in only_narrow[:PHRASES]
    )


PHRASES = 10


@lru_cache(maxsize=50_000)
def _phrases(text: str) -> tuple[str, ...]:
    words = [w for w in _WORD.findall(text.replace("'s", " ")) if w.lower() not in _STOP]
    pairs = [f"{a} {b}" for a, b in pairwise(words)]
    return tuple(dict.fromkeys([*words, *pairs]))


@lru_cache(maxsize=100_000)
def _kin(word: str) -> frozenset[str]:
    """A word with its family (teach, teacher), whatever its ending (teaches), and its synonyms."""
    return world.family(word) | world.family(_STEMMER.stemWord(word)) | world.synonyms(word) | {word}


def _beside_subject(fact: Fact) -> str:
    """What a statement says beyond naming its subject."""
    return fact.text.removeprefix(fact.subject) if fact.text.startswith(fact.subject) else fact.text


def kin_share(one: str, other: str) -> float:
    """The share of a text's content words that the other has too, in the same word or a related one."""
    mine, yours = words_in_order(one), words_in_order(other)
    if not mine:
        return 0.0
    stems = {_STEMMER.stemWord(w) for w in yours}
    related = frozenset().union(*(_kin(w) for w in yours)) if yours else frozenset()
    return sum(_STEMMER.stemWord(w) in stems or bool(_kin(w) & related) for w in mine) / len(mine)


def _share(left: frozenset[str], right: frozenset[str], *, empty: float) -> float:
    return len(left & right) / len(left | right) if left | right else empty


@lru_cache(maxsize=20_000)
def _stemmed(predicate: str) -> str:
    return " ".join(_STEMMER.stemWords(predicate.lower().split()))


def _negative(fact: Fact) -> bool:
    return fact.polarity is Polarity.NEGATIVE


def _affirms(fact: Fact) -> bool:
    """Whether a fact says that something is so: only then can it rule anything out, or be ruled out."""
    return fact.polarity is Polarity.POSITIVE and fact.effect is not Effect.ENDS


@lru_cache(maxsize=20_000)
def subject_parts(subject: str) -> tuple[str, str, frozenset[str]]:
    """A subject's owner, what stands behind the owner, and the names in it: ("user", "sister ana", {"ana"})."""
    owner, has_owner, rest = subject.rpartition("'s ")
    rest = rest if has_owner else subject
    return owner.lower(), rest.lower(), frozenset(w.lower() for w in rest.split() if w[:1].isupper())


def same_subject(one: str, two: str) -> bool:
    """Whether two subjects are the same party: equal, or one names what the other calls by its role.

    "user's sister" and "user's sister Ana" may be the same, "user's sister Ana" and "user's sister Paz" are
    not; "Ana" and "user's sister Ana" are.
    """
    if one.lower() == two.lower():
        return True
    owner, rest, names = subject_parts(one)
    owner2, rest2, names2 = subject_parts(two)
    if names and names2:
        if not names <= names2 and not names2 <= names:
            return False
        return owner == owner2 or not owner or not owner2
    if owner != owner2 or not owner:
        return False
    first, second = set(rest.split()) - names, set(rest2.split()) - names2
    return bool(first) and bool(second) and (first <= second or second <= first)


def owns_subject(owner: str, owned: str) -> bool:
    """Whether one subject is something of the other's: "user" and "user's pottery class"."""
    return owned.lower().startswith(f"{owner.lower()}'s ")


def mentions(one: Fact, other: Fact) -> bool:
    """Whether a fact names the other's subject in its text ("Finn has moved out of user's house")."""
    _, rest, names = subject_parts(other.subject)
    words = set(one.text.lower().replace("'s", "").replace(",", " ").replace(".", " ").split())
    if names:
        return bool(names & words)
    return rest not in ("user", "") and set(rest.split()) <= words


def antonymous(old: Fact, new: Fact, lexicon: Lexicon) -> bool:
    """Whether the predicates, or the words in which the texts differ, are listed as opposites."""
    if lexicon.antonymous(old.predicate, new.predicate):
        return True
    left, right = old.text.lower().split(), new.text.lower().split()
    only_old = set(left) - set(right) | {old.predicate.split(" ")[0]}
    only_new = set(right) - set(left) | {new.predicate.split(" ")[0]}
    return any(lexicon.antonymous(a, b) or b in world.antonyms(a) for a in sorted(only_old) for b in sorted(only_new))


@lru_cache(maxsize=50_000)
def _ending_words(text: str, cues: frozenset[str]) -> bool:
    padded = f" {text.lower()} "
    return any(f" {cue} " in padded for cue in cues)


def ending_words(text: str, lexicon: Lexicon) -> bool:
    """Whether a text says in words that something is over."""
    return _ending_words(text, lexicon.cues["end_adverbs"] | lexicon.cues.get("end_words", frozenset()))


def is_past(fact: Fact) -> bool:
    """Whether a fact tells of the past only."""
    return fact.tense is Tense.PAST
