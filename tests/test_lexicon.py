"""The lexicon: its own examples hold, a user's file extends it, a malformed one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import lexicon
from engine.errors import InputError
from engine.lexicon import Lexicon, compile_pattern, singular
from engine.reading import read_statements
from engine.settings import Settings
from engine.types import Effect, Fact

LEXICON = lexicon.load()


@pytest.fixture(scope="module")
def read() -> dict[str, Fact]:
    """Every example and counter-example of the lexicon as a fact, read in one batch."""
    texts = sorted({t for a in LEXICON.attributes.values() for t in (*a.examples, *a.counter)})
    return dict(zip(texts, read_statements(texts, LEXICON), strict=True))


@pytest.mark.parametrize("name", sorted(LEXICON.attributes))
def test_examples_get_their_attribute(name: str, read: dict[str, Fact]) -> None:
    wrong = {t: read[t].attribute for t in LEXICON.attributes[name].examples if read[t].attribute != name}
    assert not wrong


@pytest.mark.parametrize("name", sorted(LEXICON.attributes))
def test_counter_examples_do_not(name: str, read: dict[str, Fact]) -> None:
    assert not [t for t in LEXICON.attributes[name].counter if read[t].attribute == name]


@pytest.mark.parametrize("name", sorted(LEXICON.attributes))
def test_an_attribute_is_well_formed(name: str) -> None:
    attribute = LEXICON.attributes[name]
    assert attribute.cardinality in ("one", "many")
    assert attribute.examples, "an attribute shows how it is told"
    assert attribute.about
    assert not attribute.render or attribute.render.count("*") == 1
    for entry in (e for entries in attribute.excludes.values() for e in entries):
        assert entry.partition("=")[0] in LEXICON.attributes or entry.partition("=")[0] in LEXICON.role_cardinality


def test_patterns_name_known_classes() -> None:
    known = set(LEXICON.classes)
    for patterns in LEXICON.patterns.values():
        for pattern in patterns:
            used = set(pattern.slot.classes).union(*pattern.kinds)
            assert used <= known, (pattern.source, used - known)


def test_antonyms_are_mutual() -> None:
    for word, others in LEXICON.antonyms.items():
        assert word not in others
        assert all(word in LEXICON.antonyms[other] for other in others)


@pytest.mark.parametrize(
    ("word", "single"),
    [("dogs", "dog"), ("puppies", "puppy"), ("boxes", "box"), ("glass", "glass"), ("bus", "bus"), ("tennis", "tennis"),
     ("churches", "church"), ("pet dogs", "pet dog"), ("dog", "dog"), ("gas", "gas")],
)  # fmt: skip
def test_singulars(word: str, single: str) -> None:
    assert singular(word) == single


@pytest.mark.parametrize(
    ("source", "place", "word"),
    [
        ("live in *", "prep", "in"), ("be allergic to *", "prep", "to"), ("drink *", "object", ""),
        ("be {occupation}", "object", ""), ("have *+allergy", "modifier", "allergy"),
        ("retire => retired", "fixed", ""),
        ("be {kin} of *", "prep", "of"), ("reside in|at *", "prep", "in|at"),
    ],
)  # fmt: skip
def test_the_notation_of_patterns(source: str, place: str, word: str) -> None:
    slot = compile_pattern(source, "x", Effect.STATES).slot
    assert (slot.place, slot.word) == (place, word)


@pytest.mark.parametrize(
    ("source", "code"), [("", "F020"), ("* in Rome", "F020"), ("{place} in *", "F020"), ("give * to *", "F021")]
)
def test_a_malformed_pattern_is_told_with_its_attribute(source: str, code: str) -> None:
    with pytest.raises(InputError, match=rf"\[{code}\].*'my_attribute'"):
        compile_pattern(source, "my_attribute", Effect.STATES)


OWN = """
[keyboard_layout]
about = "the layout of a keyboard"
cardinality = "one"
states = ["type on *+layout", "use *+layout"]
ends = ["abandon *+layout"]
examples = ["user uses the Dvorak layout"]

[residence]
states = ["be holed up in *"]

[classes.occupation]
words = ["thatcher-in-chief"]
"""


@pytest.fixture
def extended(tmp_path: Path) -> Lexicon:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    return lexicon.load((path,))


def test_a_users_file_adds_an_attribute(extended: Lexicon) -> None:
    (fact,) = read_statements(["user uses the Dvorak layout"], extended)
    assert (fact.attribute, fact.object) == ("keyboard_layout", "Dvorak")
    assert extended.cardinality("keyboard_layout") == "one"
    assert LEXICON.cardinality("keyboard_layout") is None


def test_a_users_file_adds_to_a_known_attribute_and_keeps_it(extended: Lexicon) -> None:
    one, two = read_statements(["user is holed up in Ghent", "user lives in Ghent"], extended)
    assert one.attribute == two.attribute == "residence"
    assert extended.attributes["residence"] == LEXICON.attributes["residence"]


def test_a_users_file_adds_to_a_class(extended: Lexicon) -> None:
    assert extended.in_class("occupation", ["thatcher-in-chief"])
    assert extended.classes["occupation"] > LEXICON.classes["occupation"]


def test_a_users_file_is_set_by_a_setting(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    assert Settings(lexicons=(path,)).lexicons == (path,)
    with pytest.raises(InputError, match="no such file"):
        Settings(lexicons=(tmp_path / "missing.toml",))


@pytest.mark.parametrize(
    "text",
    [
        "[residence\nstates = 1",
        '[a]\nstates = ["* x"]',
        '[a]\nstates = ["give * to *"]',
        '[a]\nkind = "sometimes"\nstates = ["own *"]',
        '[a]\ncardinality = "few"\nstates = ["own *"]',
        "a = 1",
        "[a]\nstates = 3",
        '[a]\nstates = "own *"',
        '[a]\nstates = ["own {no_such_class}"]',
        '[a]\nstaets = ["own *"]',
    ],
)
def test_a_malformed_file_is_told_clearly(tmp_path: Path, text: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as told:
        lexicon.load((path,))
    assert any(part in str(told.value) for part in ("own.toml", "'a'"))


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x00"])
def test_a_file_that_is_no_text_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "own.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"\[F022\].*own\.toml"):
        lexicon.load((path,))


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\[F022\].*gone\.toml"):
        lexicon.load((tmp_path / "gone.toml",))
