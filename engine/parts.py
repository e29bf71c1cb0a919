"""Parts of a text that can stand for one another: numbers, clock times, days, money, names, kin, kinds of things.

"My shift starts at 6pm." — "oops, 5pm": the one clock time of the text is what is put right. A part fits where it is of
the same kind; where several fit, or none, nothing is known.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine import world
from engine.lexicon import Lexicon, singular
from engine.pieces import table
from engine.when.numbers import SPELLED, cardinal
from engine.when.words import MONTHS, WEEKDAYS

SIMILAR = 0.7
"""From which share of equal letters a word may be another one mistyped."""
MARGIN = 0.05
SHORTEST = 4

_MONTH = "|".join(sorted((m for m in MONTHS if len(m) > 2), key=len, reverse=True))
_WEEKDAY = "|".join(sorted((d for d in WEEKDAYS if len(d) > 3), key=len, reverse=True))
_COUNT = "|".join(sorted((w for w in SPELLED if cardinal((w,), 0)), key=len, reverse=True))
_ORDINAL = "|".join(sorted((w for w in SPELLED if not cardinal((w,), 0)), key=len, reverse=True))
_FIGURE = r"\d+(?:,\d{3})*(?:\.\d+)?"
_RANKED = "floor|year|time|grade|class|child|place|term|week|month|birthday|marriage|attempt|semester|trimester"
_NTH = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|(?:{_ORDINAL}))"
_CAPITAL_MONTH = "|".join(m.capitalize() for m in MONTHS if len(m) > 2)  # "may" and "march" are verbs as well
_HALF = r"(?:[ap]m\b|[ap]\.m\b\.?)"
_UNIT = r"(?:euros?|dollars?|pounds?|quid|rupees?|bucks|yen|francs?|krona|kroner|eur|usd|gbp|inr)"
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("address", r"[\w.+-]+@[\w-]+\.[\w.-]*\w"),
    ("phone", r"\+?\d[\d -]{6,}\d(?![\d/])"),
    (
        "date",
        rf"\d{{4}}-\d\d-\d\d|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}}"
        rf"|(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?|(?:{_ORDINAL}))(?: of)? (?:{_MONTH})\b(?:,? \d{{4}})?"
        rf"|(?:{_MONTH}) (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,? \d{{4}})?",
    ),
    (
        "clock",
        rf"\d{{1,2}}(?::\d\d|\.\d\d(?= ?[ap]\.?m))(?: ?{_HALF})?|\d{{1,2}} ?{_HALF}|(?:noon|midday|midnight)"
        rf"|(?:half(?: past)?|quarter (?:past|to)) (?:{_COUNT}|\d{{1,2}})|(?:{_COUNT}|\d{{1,2}}) o'?clock"
        r"|(?<=\bat )\d{1,2}(?=\s*(?:[.,!]|$|on\b|in the\b|every\b|tomorrow\b|today\b|tonight\b|and\b|not\b))",
    ),
    ("money", rf"[$€£₹]\s?{_FIGURE}[km]?\b|{_FIGURE}k? ?[$€£₹]|{_FIGURE}k? {_UNIT}\b|{_FIGURE}k\b"),
    ("weekday", rf"(?:{_WEEKDAY})s?"),
    ("day", r"the day after tomorrow|tomorrow|today|tonight|yesterday"),
    ("rank", rf"{_NTH}(?= (?:{_RANKED})s?\b)"),
    ("ordinal", rf"the {_NTH}(?! (?:{_RANKED}|one)s?\b)|\d{{1,2}}(?:st|nd|rd|th)"),
    ("month", rf"(?-i:{_CAPITAL_MONTH})|(?<=\b(?:in|of) )(?:{_MONTH})|(?<=\bsince )(?:{_MONTH})"),
    ("year", r"(?:19|20)\d\d(?!\s*(?:%|[€£$]))"),
    (
        "number",
        rf"{_FIGURE}(?= ?%)|{_FIGURE}"
        rf"|(?<!\bthe )(?<!\bwhich )(?<!\bany )(?<!\bthat )(?:{_COUNT})(?:[ -](?:{_COUNT}))*",
    ),
)
_TYPED = re.compile("|".join(rf"(?P<{kind}>(?<![\w.:/-])(?:{pattern})(?!\w))" for kind, pattern in _PATTERNS), re.I)
_NAME = re.compile(
    r"(?<![\w'-])[A-ZÀ-ÖØ-Þ][\w'-]*(?:(?:\s+(?:(?:of|de|da|du|van|von|der|la|le|the|&|al|bin)\s+){1,2}|\s+|-)"
    r"[A-ZÀ-ÖØ-Þ][\w'-]*)*"
)
_TITLES = frozenset({"Dr", "Mr", "Mrs", "Ms", "Mx", "Prof"})
_WORD = re.compile(r"[^\W_][\w'-]*")
_PREPOSITION = r"(?:at|in|on|from|to|for|with|by|near|since|until|till|around|about)"
_DETERMINER = r"(?:a|an|the|my|our|his|her|their|your)"
_LED = re.compile(rf"^(?:{_PREPOSITION}\s+)?(?:{_DETERMINER}\s+)?", re.I)
_DAYS = {"weekday", "day", "date", "ordinal"}
_PLAIN = frozenset(
    "i i'm i've i'd i'll my our we he she they it it's you your his her their the a an this that there these "
    "those in on at for from to of and but so or if when while since because as no yes not just also ok okay oh "
    "well hi hello hey thanks please sorry got me us who what where how why which then now here with by during "
    "after before both all most some every each another".split()
)


@dataclass(frozen=True, slots=True)
class Fit:
    """Where a text holds the part that another one replaces, and what to write there. ``sure`` tells that more than
    the kind speaks for it: the same unit, the same thing in other letters."""

    start: int
    end: int
    new: str
    sure: bool = False


@dataclass(frozen=True, slots=True)
class _Part:
    kind: str
    start: int
    end: int
    text: str


def core_of(phrase: str) -> str:
    """A phrase without its preposition and determiner; "the ninth" needs its article."""
    if (typed := _whole(phrase)) is not None:
        return typed.text
    bare = re.sub(rf"^{_PREPOSITION}\s+", "", phrase, flags=re.I)
    return bare if _whole(bare) else _LED.sub("", phrase) or phrase


def is_typed(phrase: str) -> bool:
    """Whether a phrase is a number, a time, an amount of money or the like, and nothing else."""
    return _whole(core_of(phrase)) is not None or _counted(core_of(phrase)) is not None


def fits(new: str, text: str, lexicon: Lexicon) -> list[Fit]:
    """The parts of a text that ``new`` may replace, by the surest kind that finds any.

    Parameters
    ----------
    new : str
        The right words, maybe with a preposition or an article.
    text : str
        What was said before.
    lexicon : Lexicon
        For words of kin and word classes.

    Returns
    -------
    list of Fit
        Empty where nothing is of its kind. Several are as many readings, except for one name that occurs again.
    """
    core = core_of(new)
    if (counted := _counted(core)) is not None:
        return _by_unit(*counted, text)
    if (part := _whole(core)) is not None:
        return _by_type(part, text)
    for search in (_by_spelling, _by_class, _by_kin, _by_name):
        if found := search(core, text, lexicon):
            return found
    return []


def several(new: str) -> list[str]:
    """The values of a phrase that is nothing but several: "Tuesday at 5pm" is a day and a clock time."""
    found = list(_parts(new))
    between = re.sub(r"\b(?:at|on|in|the|and)\b|[\s,]", "", _TYPED.sub("", new), flags=re.I)
    apart = len({part.kind for part in found}) == len(found) > 1
    return [part.text for part in found] if apart and not between else [new]


def places_of(old: str, text: str) -> list[tuple[int, int]]:
    """Where some words stand in a text, with or without their article and preposition."""
    for form in dict.fromkeys((old, re.sub(rf"^{_PREPOSITION}\s+", "", old, flags=re.I), core_of(old))):
        pattern = r"\s+".join(map(re.escape, form.split()))
        if found := [m.span() for m in re.finditer(rf"(?<![\w'-]){pattern}(?![\w'-])", text, re.I)]:
            return found
    whole = _whole(core_of(old))
    same = [p for p in _parts(text) if whole is not None and p.kind == whole.kind and _value(p) == _value(whole)]
    return [(p.start, p.end) for p in same]


def alike(new: str, old: str) -> bool:
    """Whether one may stand for the other: both of a type, and then of types that go together, or neither."""
    one, other = _whole(core_of(new)), _whole(core_of(old))
    if one is None or other is None:
        return (one is None) == (other is None) or _counted(core_of(new)) is not None
    return one.kind == other.kind or {one.kind, other.kind} <= _DAYS or "number" in (one.kind, other.kind)


def replaced(text: str, fit: Fit) -> tuple[str, int, int]:
    """A text with a part replaced, and where the new part stands; articles and prepositions are said once.

    Parameters
    ----------
    text : str
    fit : Fit

    Returns
    -------
    (str, int, int)
        "a baker" with "banker" is "a banker", "at 6pm" with "at 5pm" is "at 5pm".
    """
    start, new, before = fit.start, fit.new, text[: fit.start]
    words = new.split()
    for size in range(len(words) - 1, 0, -1):  # "my uncle Bas" for "Bram" in "my uncle Bram"
        if (said := re.search(rf"\b{re.escape(' '.join(words[:size]))}\s+$", before, re.I)) is not None:
            new = " ".join(words[size:])
            return text[:start] + new + text[fit.end :], start, start + len(new)
    for pattern in (rf"\b{_DETERMINER}\s+$", rf"\b{_PREPOSITION}\s+(?:{_DETERMINER}\s+)?$"):
        starts = re.match(pattern.replace(r"\s+$", r"\s").replace("$", ""), new, re.I)
        if starts and (said := re.search(pattern, before, re.I)):
            start = min(start, said.start())
    if re.match(r"tomorrow|today|tonight|the day after", new, re.I) and (said := re.search(r"\bon\s+$", before, re.I)):
        start = said.start()
    before = text[:start]
    if article := re.search(r"\b(an?)\s+$", before, re.I):
        right = "an" if new[:1].lower() in "aeiou" else "a"
        right = right.capitalize() if article.group(1)[0].isupper() else right
        before = f"{before[: article.start()]}{right} "
    return before + new + text[fit.end :], len(before), len(before) + len(new)


def times_in(text: str) -> list[tuple[int, int]]:
    """Where the days and times of a text stand, in order."""
    return [(p.start, p.end) for p in _parts(text) if p.kind in TIMES]


TIMES = frozenset({"date", "clock", "weekday", "day", "month", "ordinal"})


def _parts(text: str) -> Iterator[_Part]:
    for match in _TYPED.finditer(text):
        assert match.lastgroup is not None
        yield _Part(match.lastgroup, match.start(), match.end(), match.group())


def _whole(text: str) -> _Part | None:
    """The part that a text is, if it is one and nothing else."""
    text = text.strip()
    found = list(_parts(text))
    if len(found) == 1 and found[0].end - found[0].start == len(text):
        return found[0]
    if re.fullmatch(_MONTH, text, re.I):
        return _Part("month", 0, len(text), text)
    return None


def _value(part: _Part) -> object:
    """What a part means, so that "3" is "three" and "7.15" is "7:15"."""
    low = part.text.lower().replace(",", "").replace(" ", "")
    if part.kind == "clock":
        return re.sub(r"^0", "", low.replace(".", ":").removesuffix(":00"))
    number = cardinal(tuple(part.text.lower().replace("-", " ").split()), 0) if part.kind == "number" else None
    return number[0] if number else low


def _counted(text: str) -> tuple[_Part, str] | None:
    """A number with what it counts: "40 employees"."""
    found = next((p for p in _parts(text) if p.kind in ("number", "rank") and p.start == 0), None)
    if found is None or found.end == len(text):
        return None
    rest = text[found.end :].strip(" -")
    words = rest.split()
    if rest == "%" or len(words) <= 3 and re.fullmatch(r"[a-zà-ÿ' -]+", rest) and words[-1] not in _PLAIN:
        return found, rest
    return None


def _by_unit(number: _Part, unit: str, text: str) -> list[Fit]:
    """Numbers that count the same."""
    wanted = singular(unit.split()[-1])
    out = []
    for part in _parts(text):
        after = re.match(rf" ?%|(?:[ -](?!(?:and|or|but|{_COUNT})\b)[a-zà-ÿ'-]+){{1,4}}", text[part.end :], re.I)
        if part.kind != number.kind or after is None:
            continue
        words = re.finditer(r"%|[^\W_][\w'-]*", after.group())
        end = next((m.end() for m in words if singular(m.group().lower()) == wanted), None)
        if end is None:
            continue
        if len(unit.split()) == 1:
            noun = _agreeing(after.group()[:end], unit)
            out.append(Fit(part.start, part.end + end, number.text + noun, sure=True))
        else:
            out.append(Fit(part.start, part.end + end, f"{number.text} {unit}", sure=True))
    return out


def _agreeing(after: str, unit: str) -> str:
    """What stood behind the number, its noun as the correction has it: "1 cat", "2 cats"."""
    return after if unit == "%" else re.sub(r"[\w'-]+$", unit, after)


def _by_type(new: _Part, text: str) -> list[Fit]:
    """Parts of the same type; a number may be any figure, a day any day."""
    found = list(_parts(text))
    same = [Fit(p.start, p.end, new.text) for p in found if p.kind == new.kind]
    if new.kind == "number":
        return [*same, *_figures(new, found)]
    if same:
        return same
    if new.kind in ("month", "year", "ordinal") and (within := list(_within_dates(new, found))):
        return within
    if new.kind in _DAYS:
        return [Fit(p.start, p.end, new.text) for p in found if p.kind in _DAYS]
    return []


def _figures(new: _Part, found: Sequence[_Part]) -> Iterator[Fit]:
    """The figure within money: "£900", "950" → "£950"."""
    for part in found:
        if part.kind == "money" and new.text[0].isdigit() and (figure := re.search(_FIGURE, part.text)):
            yield Fit(part.start + figure.start(), part.start + figure.end(), new.text)


def _within_dates(new: _Part, found: Sequence[_Part]) -> Iterator[Fit]:
    """The day, month or year of a date: "9 March" and "the 10th" are "the 10th of March"."""
    for part in (p for p in found if p.kind == "date"):
        month = re.search(rf"\b(?:{_MONTH})\b", part.text, re.I)
        if new.kind == "month" and month:
            yield Fit(part.start + month.start(), part.start + month.end(), new.text)
        elif new.kind == "year" and (year := re.search(r"\d{4}$", part.text)):
            yield Fit(part.start + year.start(), part.end, new.text)
        elif new.kind == "ordinal" and month and month.start() == 0:
            day = re.search(r"\d{1,2}(?:st|nd|rd|th)?\b", part.text)
            if day is not None:
                yield Fit(part.start + day.start(), part.start + day.end(), re.sub("^the ", "", new.text))
        elif new.kind == "ordinal" and month:
            yield Fit(part.start, part.start + month.start(), f"{new.text} of ")


def _by_spelling(core: str, text: str, lexicon: Lexicon) -> list[Fit]:
    """The word or name that differs by a few letters, wherever it stands."""
    size = len(core.split())
    tokens = list(_WORD.finditer(text))
    scored: dict[str, float] = {}
    spots: dict[str, list[tuple[int, int]]] = {}
    for i in range(len(tokens) - size + 1):
        start, end = tokens[i].start(), tokens[i + size - 1].end()
        old = re.sub(r"'s$", "", text[start:end])
        low = old.casefold()
        if low == core.casefold():
            return []
        if low not in _PLAIN and is_slip(core, old):
            scored[low] = _likeness(core, old)
            spots.setdefault(low, []).append((start, start + len(old)))
    best = max(scored, key=lambda low: scored[low], default=None)
    if best is None or any(low != best and score > scored[best] - MARGIN for low, score in scored.items()):
        return []
    return [Fit(start, end, _cased(core, text[start:end]), sure=True) for start, end in spots[best]]


def is_slip(new: str, old: str) -> bool:
    """Whether one word may be the other one mistyped."""
    least = SIMILAR if old[:1].isupper() else SIMILAR + MARGIN
    return min(len(new), len(old)) >= SHORTEST and _likeness(new, old) >= least


def _likeness(new: str, old: str) -> float:
    return difflib.SequenceMatcher(None, old.casefold(), new.casefold(), autojunk=False).ratio()


def _cased(new: str, old: str) -> str:
    """Shouted letters are for emphasis, a small first letter of a name is haste."""
    if new.isupper() and not old.isupper() and len(new) > 4:
        new = new.lower()
    return new[0].upper() + new[1:] if old[0].isupper() and new.islower() else new


def _by_kin(core: str, text: str, lexicon: Lexicon) -> list[Fit]:
    """The relation, of those that the speaker names as his own: "my sister" → "brother"."""
    if core.lower() not in lexicon.roles or lexicon.in_class("occupation", [core.lower()]):
        return []
    kind = lexicon.roles[core.lower()].kind
    out = []
    for match in re.finditer(r"\b(?:my|our) ((?:[\w-]+ )?[\w-]+)", text, re.I):
        said = match.group(1).lower()
        word = next((w for w in (said, said.split()[0]) if w in lexicon.roles), None)
        if word is not None and lexicon.roles[word].kind == kind and word != core.lower():
            out.append(Fit(match.start(1), match.start(1) + len(word), core))
    return out


def _by_class(core: str, text: str, lexicon: Lexicon) -> list[Fit]:
    """Words of the same class: a nurse for a teacher, a cat for a dog."""
    words = core.lower().split()
    if len(words) > 3:
        return []
    for name in table("corrections")["classes"]["words"]:
        if not lexicon.in_class(name, words[-1:]) and not lexicon.in_class(name, words):
            continue
        found = list(_of_class(name, text, lexicon))
        if found and core.casefold() not in (text[start:end].casefold() for start, end in found):
            return [Fit(start, end, core) for start, end in found]
    return []


def _of_class(name: str, text: str, lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    """The longest runs of up to three words that are listed in a class."""
    members = lexicon.classes.get(name, frozenset())
    tokens = list(_WORD.finditer(text))
    i = 0
    while i < len(tokens):
        for size in (3, 2, 1):
            run = tokens[i : i + size]
            phrase = " ".join(t.group().lower() for t in run)
            if len(run) == size and (phrase in members or singular(phrase) in members):
                yield run[0].start(), run[-1].end()
                i += size - 1
                break
        i += 1


def _by_name(core: str, text: str, lexicon: Lexicon) -> list[Fit]:
    """The one place for a place, the one other name for a name."""
    if not core[0].isupper() and not world.is_place(core):
        return []
    found = [m for m in names_in(text) if m[2].casefold() != core.casefold()]
    places = [n for n in found if _is_place_here(n, text)] or list(_small_places(text))
    others = [n for n in found if n not in places]
    wanted = (places or others) if world.is_place(core) else others
    return [Fit(start, end, _cased(core, text[start:end])) for start, end, _ in wanted]


def _is_place_here(name: tuple[int, int, str], text: str) -> bool:
    """Many a firm and many a person is called like some town: "at Carrefour" and "with Florence" are no places."""
    return world.is_place(name[2]) and not re.search(r"\b(?:at|for|with|by|called|named)\s+$", text[: name[0]], re.I)


def _small_places(text: str) -> Iterator[tuple[int, int, str]]:
    """Places that are written in small letters, where a place may stand."""
    for match in re.finditer(r"\b(?:in|to|from|near|at)\s+([a-zà-ÿ]{4,})", text):
        if world.is_place(match.group(1)):
            yield match.start(1), match.end(1), match.group(1)


def names_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Proper names by their capitals; of a sentence's first word only where it is no word of the language."""
    typed = {i for p in _parts(text) for i in range(p.start, p.end)}
    for match in _NAME.finditer(text):
        start, name = match.start(), re.sub(r"'s$", "", match.group())
        first = not text[:start].rstrip() or text[:start].rstrip()[-1] in ".!?:"
        while name and (name.split()[0].lower() in _PLAIN or first and _is_word(name.split()[0])):
            cut = len(name.split()[0])
            gap = len(name[cut:]) - len(name[cut:].lstrip())
            start, name, first = start + cut + gap, name[cut:].lstrip(), False
        if name and start not in typed and name[0].isupper() and name not in _TITLES:
            yield start, start + len(name), name


def _is_word(word: str) -> bool:
    return world.is_word(word) and not world.is_place(word)
