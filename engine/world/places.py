"""Which place is in which: cities, states, countries, parts of the world. From GeoNames and tables by hand."""

from __future__ import annotations

from functools import cache, lru_cache

from engine.world.spelling import capitalise, fold
from engine.world.tables import Gazetteer, rows

WRITTEN_SMALL = frozenset({"UK", "USA", "UAE", "NYC", "EU", "DC", "NSW", "CDMX"})
"""Abbreviations that are plain in small letters too; "us", "la" or "act" are not."""
LONGEST_CODE = 4
AMBIGUOUS_DEMONYMS = frozenset({"pole", "polish", "swede", "kiwi", "lao", "finn", "dane", "scot", "brit"})
"""Demonyms that in small letters are something else, or a slip."""


@cache
def gazetteer() -> Gazetteer:
    """The tables of places."""
    lines = list(rows("regions.tsv"))
    number = {label: n for n, (label, _, _) in enumerate(lines)}
    nodes: dict[str, tuple[int, ...]] = {}
    codes: dict[str, tuple[int, ...]] = {}
    for n, (label, names, _) in enumerate(lines):
        for name in names.split("|") if names else [label]:
            bare = _bare(name)
            if name.isupper() and len(bare) <= LONGEST_CODE:
                codes[bare] = (*codes.get(bare, ()), n)
            else:
                key = fold(name)
                nodes[key] = tuple(dict.fromkeys((*nodes.get(key, ()), n)))
    cities: dict[str, tuple[int, ...]] = {}
    for label, names in rows("cities.tsv"):
        here = (number[label],)
        for name in names.split("|"):
            cities[name] = cities[name] + here if name in cities else here
    parents = [tuple(number[parent] for parent in above.split("|") if parent) for _, _, above in lines]
    return Gazetteer([label for label, _, _ in lines], parents, nodes, codes, cities)


@cache
def _small_clashes() -> frozenset[str]:
    return frozenset(word for (word,) in rows("common.txt"))


@cache
def _casing() -> dict[str, str]:
    return {name.lower(): name for (name,) in rows("casing.txt")}


@cache
def _demonyms() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for word, label in rows("demonyms.tsv"):
        found[word.lower()] = (*found.get(word.lower(), ()), label)
    return found


def _nodes(name: str) -> tuple[int, ...]:
    """The nodes of an unqualified name; an abbreviation in capitals means its own alone."""
    places = gazetteer()
    code = places.codes.get(_bare(name), ())
    return code if code and name.isupper() else (*code, *places.nodes.get(fold(name), ()))


def _bare(name: str) -> str:
    return name.strip().replace(".", "").upper()


@lru_cache(maxsize=65536)
def _above(node: int) -> frozenset[int]:
    """Every node above one."""
    parents = gazetteer().parents
    seen: set[int] = set()
    queue = list(parents[node])
    while queue:
        here = queue.pop()
        if here not in seen:
            seen.add(here)
            queue += parents[here]
    return frozenset(seen)


@lru_cache(maxsize=65536)
def _readings(name: str) -> tuple[tuple[frozenset[int], frozenset[int]], ...]:
    """The places that a name may mean: for each its own nodes (none for a city that is only a name) and all above it.

    Of "Paris, Texas" only the readings count that lie in what follows the comma.
    """
    first, comma, rest = name.partition(",")
    if comma and not _nodes(name):
        return _qualified(first, rest.strip())
    nodes = _nodes(name)
    places = gazetteer()
    found = [(frozenset({node}), _above(node)) for node in nodes]
    known = frozenset().union(*(above for _, above in found)) if found else frozenset()
    bare = [container for container in places.cities.get(fold(name), ()) if container not in known]
    return (*found, *((frozenset[int](), _above(container) | {container}) for container in bare))


def _qualified(first: str, rest: str) -> tuple[tuple[frozenset[int], frozenset[int]], ...]:
    places = gazetteer()
    wider = _readings(rest) if len(rest) > 2 or not rest.isupper() else ()
    around = frozenset().union(*(own for own, _ in wider)) | frozenset(places.nodes.get(fold(f"US-{rest}"), ()))
    if not around:
        return ()
    inside = tuple(reading for reading in _readings(first.strip()) if reading[1] & around)
    if inside or not first.strip():
        return inside
    return tuple((frozenset(), _above(node) | {node}) for node in sorted(around))


def contains(broad: str, narrow: str) -> bool:
    """Whether a place lies in another, at any depth.

    Parameters
    ----------
    broad, narrow
        Names in any case, with or without accents, maybe qualified: ``Paris, Texas``; ``Austin, TX``.

    Returns
    -------
    bool
        True when some place called ``narrow`` lies in some place called ``broad``. A name that several large
        places share has them all (Birmingham is in England and in Alabama); where one has fifty times the people
        of another the small one is reached by qualifying it. No place contains itself, whatever name it bears.
    """
    if fold(broad) == fold(narrow):
        return False
    around = frozenset().union(*(own for own, _ in _readings(broad)))
    return any(above & around and not own & around for own, above in _readings(narrow))


def same_place(one: str, other: str) -> bool:
    """Whether two names may mean one place: ``UK`` and ``Great Britain``, ``Bombay`` and ``Mumbai``."""
    left, right = _readings(one), _readings(other)
    if left and fold(one) == fold(other):
        return True
    shared = frozenset().union(*(own for own, _ in left)) & frozenset().union(*(own for own, _ in right))
    return bool(shared)


def is_place(name: str) -> bool:
    """Whether the name is that of a place. In small letters a common word is none: ``nice``, ``reading``, ``us``."""
    name = name.strip()
    if not _readings(name):
        return False
    if not name.islower():
        return True
    bare = _bare(name)
    return bare in WRITTEN_SMALL or not (bare in gazetteer().codes or fold(name) in _small_clashes())


def place_case(name: str) -> str | None:
    """A place's name with its capitals.

    Parameters
    ----------
    name
        As written. One with capitals somewhere is taken as it is; nothing but the case of letters ever changes.

    Returns
    -------
    str or None
        None when it is no place, or when in small letters it might be a common word.
    """
    if not is_place(name):
        return None
    if not name.islower():
        return name
    if _bare(name) in WRITTEN_SMALL:
        return name.upper()
    first, comma, rest = name.partition(",")
    if comma and name not in _casing():
        blanks = rest[: len(rest) - len(rest.lstrip())]
        tail = rest.strip()
        return f"{place_case(first) or capitalise(first)},{blanks}{place_case(tail) or capitalise(tail)}"
    return _casing().get(name, capitalise(name))


def demonym_of(word: str) -> frozenset[str]:
    """The places whose people or things the word names: ``Danish`` and ``Dane`` → Denmark. Often one, or none."""
    key = word.strip().lower()
    if word.islower() and key in AMBIGUOUS_DEMONYMS:
        return frozenset()
    return frozenset(_demonyms().get(key, ()))


@lru_cache(maxsize=1024)
def demonyms(place: str) -> frozenset[str]:
    """The demonyms of a place, in small letters: ``UK`` → british, brit, briton."""
    labels = {gazetteer().labels[node] for own, _ in _readings(place) for node in own}
    return frozenset(word for word, places in _demonyms().items() if labels & set(places))
