"""Frames: their own examples hold, and sentences that only look like them are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from facts_kit import facts_in, statements_in
from memory_kit import open_memory, tell, texts

from engine import lexicon
from engine.errors import InputError
from engine.lexicon.frames import Frame, compile_form, compile_frame
from engine.sentences import parse
from engine.types import Effect, Fact, Polarity

LEXICON = lexicon.load()
FRAMES = LEXICON.frames.frames
BY_NAME = {frame.name: frame for frame in FRAMES}


def told(fact: Fact) -> tuple[str, str, str]:
    """Effect, attribute and value as the examples write them."""
    denies = fact.polarity is Polarity.NEGATIVE and fact.effect is Effect.STATES
    effect = "denies" if denies else str(fact.effect)
    return effect, (fact.attribute or "-").replace(" ", "_"), fact.object.lower() or "*"


def asked(example: str) -> tuple[tuple[str, ...], set[tuple[str, str, str]]]:
    """The turns of an example, and what they must tell."""
    message, _, wanted = example.partition(" -> ")
    parts = [part.split(" ", 2) for part in wanted.split("; ")]
    return tuple(message.split("||")), {(effect, name, value.lower()) for effect, name, value in parts}


def main_facts(frame: Frame, *turns: str) -> list[str]:
    predicate = frame.name.replace("_", " ")
    return [fact.text for fact in facts_in(*turns) if fact.predicate == predicate]


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_the_examples_of_a_frame_tell_what_they_say(name: str) -> None:
    missed = {}
    for example in BY_NAME[name].examples:
        turns, wanted = asked(example)
        if rest := wanted - {told(fact) for fact in facts_in(*turns)}:
            missed[example] = rest
    assert not missed


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_the_counter_examples_of_a_frame_do_not(name: str) -> None:
    frame = BY_NAME[name]
    assert not [text for text in frame.counter for _ in main_facts(frame, *text.split("||"))]


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_a_frame_is_well_formed(name: str) -> None:
    frame = BY_NAME[name]
    assert len(frame.examples) >= 2 and frame.counter and frame.about != name
    for change in frame.changes:
        known = change.attribute.startswith("@") or "<" in change.attribute or LEXICON.knows(change.attribute)
        assert known or change.attribute in LEXICON.role_cardinality, change.attribute


def test_the_frames_reach_over_many_attributes() -> None:
    named = {change.attribute for frame in FRAMES for change in frame.changes if not change.attribute.startswith("@")}
    grouped = {name for group in LEXICON.frames.groups.values() for name in group.values()}
    assert len(FRAMES) >= 150
    assert len(named | grouped) >= 80


def test_groups_and_slots_name_known_classes() -> None:
    own = {"place", "person", "strict_person", "organisation", "name", "number", "time", "any", "amount", "weight"}
    known = set(LEXICON.classes) | set(LEXICON.frames.classes) | own
    used = {c for frame in FRAMES for form in frame.forms for e in form for c in e.classes}
    used |= {name for group in LEXICON.frames.groups.values() for name in group} - {"else"}
    assert used <= known, used - known


# A row: the message, then its statements, ";" between them.
WRITTEN = """
Mendel let me go on Tuesday. -> user was let go by Mendel on Tuesday; user is unemployed
The Octavia has a new owner. -> user parted with the Octavia
Kisumu is home now. -> user's home is Kisumu
my Brazilian citizenship came through -> user has Brazilian citizenship
I stood down as treasurer. -> user stood down as treasurer
We swapped the Fiesta for a Kangoo and moved to Ghent. -> user no longer has the Fiesta; user swapped the Fiesta for a Kangoo; user moved to Ghent
They bumped me up to £41,000 in April. -> user earns £41,000 in April
Some lad nicked the Brompton outside the library last night. -> user's Brompton was stolen last night
My parents closed on a bungalow in Ghent. -> user's parents have bought a bungalow in Ghent; user's parents are a homeowner
Day 40 without a cigarette! -> user no longer smokes, day 40
"""  # noqa: E501


@pytest.mark.parametrize("row", WRITTEN.strip().splitlines())
def test_how_a_frame_is_written(row: str) -> None:
    message, _, expected = row.partition(" -> ")
    assert sorted(statements_in(message)) == sorted(expected.split("; "))


# Sentences that hold words of a frame, and tell nothing of the kind.
LEFT_ALONE = """
Did Mendel let you go?
If Mendel let me go, I'd open a bakery.
Mendel might let me go next year.
I dreamt that Mendel let me go.
Mendel almost let me go.
I'm worried Mendel made me redundant on paper.
Please write a goodbye to Manchester for my band.
I would never swap the Fiesta for a Kangoo.
We nearly closed on the bungalow.
I hope my citizenship came through.
Has the Octavia found a new owner?
The Octavia has not found a new owner.
My neighbour's Octavia has a new owner.
Imagine somebody nicked the Brompton.
We want the ring to come off.
When the cast came off the actor's arm, everybody laughed.
My sister's trip is cancelled.
Their wedding is off.
Should I stand down as treasurer?
I never got the sack from Lidl.
I gave up coffee for a week.
No more cake for me, I'm stuffed.
No more wine for me tonight, thanks.
I'm off sugar until Easter.
Unless the flat falls through we move in May.
She wishes the engagement was off.
The engagement is off to a good start.
The house is ours for the weekend.
My boss let me go home early.
Paula left me a voicemail.
I can eat eggs now that dinner is ready.
My sister and I are done with Christmas shopping.
I put the guitar away after practice.
We lost touch with reality.
My phone died on the train.
It's raining for me too now.
They moved me to a different desk on Monday.
The band called it a night.
"""


@pytest.mark.parametrize("message", LEFT_ALONE.strip().splitlines())
def test_what_is_asked_supposed_denied_or_anothers_is_left_alone(message: str) -> None:
    names = {name.replace("_", " ") for name in BY_NAME}
    assert not [fact.text for fact in facts_in(message) if fact.predicate in names]


@pytest.mark.parametrize(
    ("message", "subject"),
    [
        ("Lidl laid me off.", "user"),
        ("my brother Piet had his last shift at Lidl", "user's brother Piet"),
        ("My friend Ana works at Lidl.||Lidl laid her off.", "Ana"),
        ("My dad smokes.||He's off the fags now.", "user's dad"),
    ],
)
def test_whom_a_frame_is_about(message: str, subject: str) -> None:
    ended = [fact for fact in facts_in(*message.split("||")) if fact.effect is Effect.ENDS]
    assert [fact.subject for fact in ended] == [subject]


def test_a_pronoun_of_nobody_known_is_not_the_speaker() -> None:
    assert not [fact for fact in facts_in("They laid her off.") if fact.subject == "user" and fact.attribute]


def test_when_it_happened_is_read_from_beside_the_words() -> None:
    (fact, *_) = facts_in("On 12 January Kestrel Foods let me go.")
    assert fact.valid_from is not None and fact.valid_from.at.isoformat()[:10] == "2026-01-12"
    (fact,) = facts_in("My last day at Bosch is Friday.")
    assert fact.valid_from is not None and fact.valid_from.at.isoformat()[:10] == "2026-03-06"


# What was known, what is told later, what must be gone and what must be there.
LOOPS = """
I work at Kestrel Foods. -> Kestrel Foods let me go on Tuesday. -> works at -> was let go by Kestrel Foods
I live in Manchester. -> bye bye Manchester, hello Pankow! -> lives in Manchester -> Pankow
I live in Nairobi. -> Kisumu is home now. -> Nairobi -> Kisumu
I drive an Octavia. -> The Octavia has a new owner. -> drives -> parted with the Octavia
I ride a Brompton to work. -> some lad nicked the Brompton -> rides -> Brompton was stolen
I take sertraline and metformin. -> I'm off all my medication. -> takes -> off all their medication
I'm vegan. -> My vegan days are over. -> is vegan -> vegan diet
I have eczema. -> My eczema has cleared up. -> has eczema -> got over eczema
I'm allergic to eggs. -> Eggs are back on the menu! -> allergic -> eggs again
I bank with Barclays. -> I ditched Barclays for Monzo. -> Barclays -> banks with Monzo
I'm learning Polish. -> I swapped Polish for Greek. -> is learning Polish -> Greek
I volunteer at the food bank. -> I did my last shift at the food bank. -> user volunteers -> no longer volunteers
I have a dog named Rufus. -> Rufus crossed the rainbow bridge on Friday. -> has a dog -> died
My salary is £36,000. -> They bumped me up to £41,000. -> 36,000 -> 41,000
I get up at 7:30. -> My alarm goes off at 5:45 now. -> 7:30 -> 5:45
My partner is Ruben. -> Ruben and I went our separate ways in May. -> partner is -> single
I'm afraid of spiders. -> Spiders don't scare me any more. -> user is afraid -> no longer afraid
My favourite city is Rome. -> Lisbon has overtaken Rome as my favourite city. -> Rome -> Lisbon
"""


@pytest.mark.parametrize("row", LOOPS.strip().splitlines())
def test_an_indirect_change_reaches_the_memory(row: str) -> None:
    before, after, gone, there = row.split(" -> ")
    memory = open_memory()
    tell(memory, "2026-03-01T09:00:00Z", before)
    tell(memory, "2026-06-02T09:00:00Z", after)
    left = texts(memory)
    assert not [text for text in left if gone in text]
    assert any(there in text for text in left), left


def test_what_was_denied_is_taken_back() -> None:
    memory = open_memory()
    tell(memory, "2026-03-01T09:00:00Z", "I'm lactose intolerant.")
    tell(memory, "2026-06-02T09:00:00Z", "Turns out it's not lactose.")
    assert not [text for text in texts(memory) if "is lactose" in text]


@pytest.mark.parametrize(
    ("source", "count"),
    [("got the sack", 1), ("(finally) got the sack (from <x>)", 4), ("<who> left <x:place+> ~ $", 1)],
)
def test_optional_parts_are_written_out(source: str, count: int) -> None:
    assert len(compile_form(source, "x")) == count


@pytest.mark.parametrize(
    "table",
    [
        {},
        {"says": ["<x> y"], "ends": ["employer"], "text": "t"},
        {"says": ["<x>"], "ends": ["employer = <x>"], "text": "t"},
        {"says": ["(a b"], "ends": ["employer = *"], "text": "t"},
        {"says": ["a (b (c))"], "ends": ["employer = *"], "text": "t"},
        {"says": ["they|<x> go"], "ends": ["employer = *"], "text": "t"},
        {"says": ["<X!> go"], "ends": ["employer = *"], "text": "t"},
        {"says": ["<x> go"], "ends": ["employer = <y>"], "text": "t"},
        {"says": ["<x> go"], "text": "t"},
    ],
)
def test_a_malformed_frame_is_told(table: dict[str, object]) -> None:
    with pytest.raises(InputError, match=r"\[F024\].*'mine'"):
        compile_frame("mine", table)


OWN = """
[frames.sealed_scroll]
about = "a scroll is sealed"
says = ["the scroll at <employer:organisation> be sealed"]
ends = ["employer = <employer>"]
text = "{subject}'s scroll at <employer> is sealed"
examples = ["The scroll at Kestrel is sealed. -> ends employer Kestrel"]
counter = ["The scroll is long."]
"""


def test_a_users_file_adds_a_frame(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    extended = lexicon.load((path,))
    assert len(extended.frames.frames) == len(FRAMES) + 1
    assert "scroll" in extended.frames.by_word


@pytest.mark.parametrize("line", ['says = ["<x>"]', "says = 3", 'sayz = ["a <x>"]'])
def test_a_users_malformed_frame_is_told(tmp_path: Path, line: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f'[frames.mine]\n{line}\nends = ["employer = *"]\ntext = "t"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"own\.toml.*mine"):
        lexicon.load((path,))


def test_a_sentence_of_punctuation_has_no_frames() -> None:
    assert not facts_in("...") and parse([]) == []
