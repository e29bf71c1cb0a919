"""A golden conversation: a year of one person's life, and what is known at three moments of it."""

from __future__ import annotations

import pytest
from memory_kit import open_memory, texts

from engine import Memory

TURNS = [
    ("2025-01-06", "Hi! My name is Marit and I live in Leeds."),
    ("2025-01-06", "I work at Nokia."),
    ("2025-01-10", "My sister Ilse lives in Bremen."),
    ("2025-01-10", "She works at Bosch."),
    ("2025-01-15", "What's a good recipe for a rainy evening?"),
    ("2025-01-20", "I have a dog named Rufus."),
    ("2025-02-01", "I'm allergic to penicillin."),
    ("2025-02-02", "I speak Norwegian and Basque."),
    ("2025-02-10", "I drive a Skoda Octavia."),
    ("2025-03-01", "If I lived by the sea, I would swim every day."),
    ("2025-03-02", "My phone number is 0151 234567."),
    # first moment: 2025-03-15
    ("2025-04-01", "I quit my job at Nokia."),
    ("2025-04-20", "I work at Siemens now."),
    ("2025-05-02", "I moved to Bergen."),
    ("2025-05-03", "Thanks, that helped a lot!"),
    ("2025-05-10", "My phone number is 0047 555 123."),
    ("2025-06-01", "I sold the Skoda Octavia."),
    ("2025-06-15", "My sister Ilse moved to Oslo."),
    ("2025-06-20", "I have a dog named Rufus."),
    # second moment: 2025-07-01
    ("2025-08-01", "Sadly, my dog Rufus died."),
    ("2025-08-10", "I might move to Denver."),
    ("2025-09-01", "I also speak Danish."),
    ("2025-09-05", "Actually, my phone number is 0047 555 124."),
    ("2025-10-01", "I have a cat named Miso."),
    ("2025-11-01", "I moved back to Leeds."),
    ("2025-11-02", "Forget my phone number."),
    # third moment: 2025-12-01
]

# Each moment: what must be known (a part of a live text), and what must not.
MOMENTS = {
    "2025-03-15": (
        [
            "Marit",
            "user lives in Leeds",
            "user works at Nokia",
            "Ilse lives in Bremen",
            "Ilse works at Bosch",
            "dog named Rufus",
            "allergic to penicillin",
            "speaks Norwegian",
            "speaks Basque",
            "Skoda Octavia",
            "0151 234567",
        ],
        ["sea", "Bergen", "recipe", "Oslo"],
    ),
    "2025-07-01": (
        [
            "Marit",
            "Bergen",
            "user works at Siemens",
            "Oslo",
            "Ilse works at Bosch",
            "dog named Rufus",
            "allergic to penicillin",
            "speaks Norwegian",
            "speaks Basque",
            "0047 555 124",  # corrected in September: the other number was true at no moment
        ],
        ["user lives in Leeds", "user works at Nokia", "drives a Skoda", "Bremen", "0151", "helped"],
    ),
    "2025-12-01": (
        [
            "Marit",
            "Leeds",
            "user works at Siemens",
            "Oslo",
            "Ilse works at Bosch",
            "allergic to penicillin",
            "speaks Norwegian",
            "speaks Basque",
            "speaks Danish",
            "cat named Miso",
            "Denver",
        ],
        [
            "user works at Nokia",
            "user has a dog",
            "drives a Skoda",
            "lives in Bremen",
            "moved to Bergen",
            "0151",
            "0047",
        ],
    ),
}


@pytest.fixture(scope="module")
def told() -> Memory:
    memory = open_memory()
    for when, text in TURNS:
        memory.add(text, user_id="marit", timestamp=when)
    return memory


@pytest.mark.parametrize("moment", sorted(MOMENTS))
def test_what_is_known_at_a_moment(told: Memory, moment: str) -> None:
    live = texts(told, "marit", as_of=moment)
    known, unknown = MOMENTS[moment]
    missing = [part for part in known if not any(part in text for text in live)]
    stale = [text for text in live if any(part in text for part in unknown)]
    assert (missing, stale) == ([], []), live


def test_nothing_is_known_before_it_was_told(told: Memory) -> None:
    assert texts(told, "marit", known_at="2025-01-01") == []


def test_the_store_is_sound_and_its_memories_sourced(told: Memory) -> None:
    assert told.verify() == []
    said = {text for _, text in TURNS}
    for memory in told.get_all(user_id="marit", include_history=True)["results"]:
        assert memory["sources"] and all(any(s["text"] in text for text in said) for s in memory["sources"])


def test_the_present_is_searched(told: Memory) -> None:
    best = told.search("in which town does the user live now?", user_id="marit")["results"][0]["memory"]
    assert "Leeds" in best
    best = told.search("which company does the user work for?", user_id="marit")["results"][0]["memory"]
    assert "Siemens" in best
