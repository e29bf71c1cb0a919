"""Negation, modality, tense and endings, in one table."""

from __future__ import annotations

import pytest
from facts_kit import facts_in

# message -> polarity, modality, tense, effect; "-" where a row does not care. The first statement counts.
TABLE = """
I live in Hull. -> positive asserted present states
I do live in Hull. -> positive asserted present states
I don't live in Hull. -> negative asserted present -
I do not own a car. -> negative asserted present -
I never eat fish. -> negative asserted present -
I have no pets. -> negative asserted present -
I can't swim. -> negative - - -
I'm not vegan. -> negative asserted present -
I am not allergic to nuts. -> negative asserted present -
I've never been to Chile. -> negative asserted perfect -
I haven't got a car. -> negative asserted - -
I don't have any siblings. -> negative asserted present -
My sister doesn't drive. -> negative asserted present -
I hardly ever drink wine. -> - asserted present -
I not only sing but also play the lute. -> positive asserted present -
I can't eat gluten. -> negative - - -
I won't eat meat. -> negative - - -
I didn't study law. -> negative asserted past -
I no longer work at Volvo. -> - asserted present ends
I don't work at Volvo any more. -> - asserted present ends
I don't smoke anymore. -> - asserted present ends
I used to play the lute. -> positive asserted past ends
I stopped eating meat. -> - asserted past ends
I quit smoking. -> - asserted past ends
I gave up cycling. -> - asserted past ends
I left Siemens. -> positive asserted past ends
I sold my motorbike. -> positive asserted past ends
I broke up with Nina. -> positive asserted past ends
I got rid of my TV. -> positive asserted past ends
I moved out of Leeds. -> positive asserted past ends
I cancelled my gym membership. -> positive asserted past ends
I dropped out of university. -> positive asserted past ends
I retired from teaching. -> positive asserted past ends
I started learning Korean. -> positive asserted past starts
I took up archery. -> positive asserted past starts
I bought a canoe. -> positive asserted past starts
I adopted a greyhound. -> positive asserted past starts
I joined a choir. -> positive asserted past starts
I moved to Bergen. -> positive asserted past starts
I became a nurse. -> positive asserted past starts
I might move to Bergen. -> positive possible - -
I may buy a canoe. -> positive possible - -
Maybe I'll learn Korean. -> positive possible - -
I could move to Bergen next year. -> positive possible - -
Perhaps I will study law. -> positive possible - -
I'd love to visit Peru. -> positive desired - -
I would like to learn Finnish. -> positive desired - -
I want to learn Finnish. -> positive desired present -
I'm going to move to Bergen. -> positive intended future -
I'm planning to buy a canoe. -> positive intended - -
I will start a new job in May. -> positive intended future -
I'll study law. -> positive intended future -
I intend to retire in 2030. -> positive intended - -
I have lived in Hull since 2010. -> positive asserted perfect states
I've been vegan for ten years. -> positive asserted perfect states
I worked at Volvo in 2015. -> positive asserted past -
I was born in Quito. -> positive asserted past states
I studied law. -> positive asserted past -
"""
ROWS = [line.split(" -> ") for line in TABLE.strip("\n").splitlines()]


@pytest.mark.parametrize(("message", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_a_clause_is_read_with_its_stance(message: str, expected: str) -> None:
    facts = facts_in(message)
    assert facts, "nothing was read"
    fact = facts[0]
    found = (str(fact.polarity), str(fact.modality), str(fact.tense), str(fact.effect))
    assert all(want in ("-", have) for want, have in zip(expected.split(), found, strict=True)), (fact.text, found)


@pytest.mark.parametrize("message", ["I no longer work at Volvo.", "I don't smoke anymore."])
def test_a_mere_end_leaves_nothing_of_its_own(message: str) -> None:
    assert [fact.bare for fact in facts_in(message)] == [True]


@pytest.mark.parametrize("message", ["I sold my motorbike.", "I quit my job at Volvo.", "I don't eat fish."])
def test_an_end_or_denial_that_is_worth_knowing_is_not_bare(message: str) -> None:
    assert [fact.bare for fact in facts_in(message)] == [False]


@pytest.mark.parametrize("message", ["I sold both cars.", "I gave away all my guitars.", "I have no pets."])
def test_the_end_of_every_member_is_marked(message: str) -> None:
    assert facts_in(message)[0].all_of


@pytest.mark.parametrize("message", ["I sold my car.", "I sold a guitar."])
def test_the_end_of_one_member_is_not_the_end_of_all(message: str) -> None:
    assert not facts_in(message)[0].all_of


@pytest.mark.parametrize(
    ("message", "corrects"),
    [
        ("Actually, I live in Hull.", True),
        ("Sorry, I meant that I live in Hull.", True),
        ("I live in Hull.", False),
        ("I moved to Hull.", False),
    ],
)
def test_a_correction_says_so(message: str, corrects: bool) -> None:
    assert facts_in(message)[0].correction is corrects


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("I live in Hull.", "state"),
        ("I like opera.", "state"),
        ("I sold my motorbike in June.", "event"),
        ("I ran a marathon last year.", "event"),
        ("I broke my arm in 2012.", "event"),
        ("I'm flying to Oslo on Friday.", "plan"),
        ("I'm going to buy a canoe.", "plan"),
        ("I will start a new job in May.", "plan"),
        ("I'm having dinner with Ada tomorrow.", "plan"),
        ("I have a cat.", "state"),
    ],
)
def test_states_events_and_plans_are_told_apart(message: str, kind: str) -> None:
    assert str(facts_in(message)[0].kind) == kind
