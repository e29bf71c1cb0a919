"""A bare answer is understood from the question before it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from memory_kit import texts

from engine import Memory
from engine.answers import answered
from engine.types import Message, Role

WHEN = datetime(2026, 1, 5, tzinfo=UTC)


def say(role: Role, content: str) -> Message:
    return Message(role, content, content, WHEN)


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("Do you have any pets?", "Yes, two cats.", "I have two cats."),
        ("Do you have any pets?", "Two cats", "I have two cats."),
        ("Nice! Where do you live?", "Bergen", "I live in Bergen."),
        ("Where do you live these days?", "in Bergen, Norway", "I live in Bergen, Norway."),
        ("Where do you work?", "Nokia", "I work at Nokia."),
        ("What's your name?", "Dina", "My name is Dina."),
        ("What is your favourite colour?", "teal!", "My favourite colour is teal."),
        ("How old are you?", "34", "I am 34 years old."),
        ("What do you do for a living?", "A nurse", "I work as a nurse."),
        ("Where are you from?", "Ghana", "I am from Ghana."),
        ("Which languages do you speak?", "Welsh and Dutch", "I speak Welsh and Dutch."),
        ("Do you have any pets?", "Yes", None),
        ("Do you have any pets?", "No.", None),
        ("Do you have any pets?", "no, two kids", None),
        ("Do you have any pets?", "What do you mean?", None),
        ("Do you have any pets?", "I used to have a hamster", None),
        ("How old are you?", "old enough", None),
        ("Cats are nice.", "two cats", None),
        ("Do you have any pets? I love them.", "two cats", None),
        ("Shall I go on?", "sure", None),
        ("Do you like it?", "it is the best thing that I ever saw", None),
    ],
)
def test_what_a_bare_answer_says(question: str, answer: str, statement: str | None) -> None:
    assert answered(say(Role.ASSISTANT, question), say(Role.USER, answer)) == statement


def test_only_the_assistant_asks_and_only_the_user_answers() -> None:
    asked, told = say(Role.USER, "Do you have any pets?"), say(Role.USER, "two cats")
    assert answered(asked, told) is None and answered(None, told) is None
    assert answered(say(Role.ASSISTANT, "Do you have any pets?"), say(Role.ASSISTANT, "two cats")) is None


@pytest.mark.parametrize("calls", [1, 2])
def test_it_is_stored_with_the_answer_as_its_source(memory: Memory, calls: int) -> None:
    turns = [{"role": "assistant", "content": "Where do you live?"}, {"role": "user", "content": "Bergen"}]
    for part in [turns] if calls == 1 else [[turn] for turn in turns]:
        memory.add(part, user_id="ana", timestamp="2026-01-05")
    (kept,) = memory.get_all(user_id="ana")["results"]
    assert kept["memory"] == "user lives in Bergen"
    assert [s["text"] for s in kept["sources"]] == ["Bergen"]


def test_an_answer_to_something_else_is_no_fact(memory: Memory) -> None:
    memory.add([{"role": "assistant", "content": "Do you have any pets?"}, "Thanks!", "two cats"], user_id="ana")
    assert texts(memory) == []
