"""What questions ask for, by the examples of the table."""

from __future__ import annotations

import tomllib

import pytest

from engine import lexicon
from engine.asking import TABLE, asked, asks_for_a_name, questions

TABLES = tomllib.loads(TABLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("attribute", sorted(TABLES))
def test_questions_ask_for_their_attribute(attribute: str) -> None:
    assert [q for q in TABLES[attribute]["examples"] if attribute not in asked(q)] == []
    assert [q for q in TABLES[attribute]["counter"] if attribute in asked(q)] == []


def test_every_attribute_is_known_and_has_examples() -> None:
    assert [a for a in questions() if not lexicon.load().knows(a)] == []
    assert all(table["examples"] and table["counter"] for table in TABLES.values())


def test_a_name_is_asked_for_by_who_and_called() -> None:
    assert asks_for_a_name("Who is my boss?") and asks_for_a_name("what's my sister called")
    assert not asks_for_a_name("Where does my brother live?")
