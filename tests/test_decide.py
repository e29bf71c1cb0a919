"""Neighbours → one decision: rules, costs, several neighbours, and an order that never matters."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pair_kit import LEXICON, STATEMENTS, fact, fixed_model, pair, trained

from engine.classifier import Classifier
from engine.comparison import compare
from engine.decide import DESTRUCTIVE, RULES, Policy, decide, judge
from engine.exact import apart, impossible
from engine.types import Decision, Modality, Operation, Pair, Span

ADD, UPDATE, DELETE, NOOP = Operation.ADD, Operation.UPDATE, Operation.DELETE, Operation.NOOP
CHEAP = Policy(1.0)


def always(label: str, strength: float = 9.0) -> Classifier:
    """A model that says the same of every pair."""
    return fixed_model({}, {label: strength})


def decided(pairs: list[Pair], model: Classifier | None = None, policy: Policy = CHEAP, **changes: object) -> Decision:
    candidate = pairs[0].candidate.but(**changes)
    return decide(candidate, [replace(p, candidate=candidate) for p in pairs], model or trained(), LEXICON, policy)


def against(candidate: str, *existing: str) -> list[Pair]:
    return [pair(text, candidate, 0.9 - i / 10) for i, text in enumerate(existing)]


def test_no_neighbour_is_add_by_rule() -> None:
    decision = decide(fact("user lives in Hull"), [], trained(), LEXICON, Policy())
    assert (decision.operation, decision.target, decision.operations) == (ADD, None, ())
    assert decision.probabilities == {"ADD": 1.0, "UPDATE": 0.0, "DELETE": 0.0, "NOOP": 0.0}
    assert decision.reasons == (RULES["no neighbour"],)


@pytest.mark.parametrize("label", ["UPDATE", "DELETE", "NOOP"])
@pytest.mark.parametrize(
    ("existing", "candidate", "rule"),
    [
        ("user's brother Bram owns a canoe", "user owns a canoe", "no common subject"),
        ("user's sister Ilse lives in Hull", "user lives in Hull", "no common subject"),
        ("user lives in Hull", "user's sister Ilse lives in Quito", "no common subject"),
        ("Ana is a vet", "user is vegan", "no common subject"),
        ("user lives in Hull", "user speaks Welsh", "not comparable"),
        ("user is vegan", "user works at Nokia", "not comparable"),
        ("user lives in Hull", "user might move to Quito", "hedged"),
        ("user owns a canoe", "user would love to own a canoe", "hedged"),
    ],
)
def test_a_rule_forces_add_whatever_the_model_says(existing: str, candidate: str, rule: str, label: str) -> None:
    decision = decided(against(candidate, existing), always(label))
    assert (decision.operation, decision.operations, decision.review) == (ADD, (), False)
    assert decision.verdicts[0].rule == rule
    # what is certain has no probability; where the rule alone speaks, the model's opinion is told
    ruled_out = impossible(compare(against(candidate, existing)[0], LEXICON), LEXICON)
    assert decision.predicted == label or Operation(label) in ruled_out
    assert decision.reasons == (RULES[rule],)


def test_what_was_told_in_one_breath_is_all_true() -> None:
    span = Span("m", 0, 30, "I speak Welsh and Basque")
    one = pair("user speaks Welsh", "user speaks Basque")
    one = replace(one, existing=one.existing.but(span=span), candidate=one.candidate.but(span=span))
    decision = decide(one.candidate, [one], always("UPDATE"), LEXICON, CHEAP)
    assert (decision.operation, decision.verdicts[0].rule) == (ADD, "one breath")


def test_a_hedge_may_change_a_hedge() -> None:
    one = pair("user might move to Quito", "user might move to Quito")
    assert decided([one], always("NOOP")).operation is NOOP


@pytest.mark.parametrize(("cost", "threshold"), [(1.0, 0.5), (5.0, 5 / 6), (19.0, 0.95)])
def test_the_threshold_follows_from_the_cost(cost: float, threshold: float) -> None:
    assert Policy(cost).threshold == pytest.approx(threshold)


CHANCES = st.lists(st.floats(0.01, 1.0), min_size=4, max_size=4)
ANYTHING = ("user owns a kayak", "user owns a canoe")  # nothing is ruled out
ONE_VALUE = ("user lives in Quito", "user lives in Hull")  # neither the same nor both at once


def sure_of(chances: list[float]) -> Classifier:
    """A model that gives every pair these odds, in the order ADD, UPDATE, DELETE, NOOP."""
    return fixed_model({}, dict(zip(("ADD", "UPDATE", "DELETE", "NOOP"), map(math.log, chances), strict=True)))


@pytest.mark.parametrize(("texts", "ruled_out"), [(ANYTHING, set()), (ONE_VALUE, {ADD, DELETE, NOOP})])
def test_what_a_pair_cannot_be_is_known(texts: tuple[str, str], ruled_out: set[Operation]) -> None:
    assert set(impossible(compare(against(*texts)[0], LEXICON), LEXICON)) == ruled_out


@given(st.sampled_from([ANYTHING, ONE_VALUE]), CHANCES, st.sampled_from([1.0, 2.0, 5.0, 20.0]))
def test_what_costs_least_of_what_is_possible_is_done(
    texts: tuple[str, str], chances: list[float], cost: float
) -> None:
    pairs = against(*texts)
    decision = decided(pairs, sure_of(chances), Policy(cost))
    expected, ruled_out = decision.verdicts[0].costs, decision.verdicts[0].ruled_out
    assert decision.operation not in ruled_out
    least = min(c for o, c in expected.items() if o not in ruled_out)
    in_doubt = {o for o in apart(compare(pairs[0], LEXICON), LEXICON)[1] if expected[o] == least}
    if in_doubt:
        assert decision.operation is ADD
    else:
        assert expected[decision.operation] == pytest.approx(least)
    if not ruled_out:
        assert expected == pytest.approx(Policy(cost).expected(decision.verdicts[0].probabilities))
    likely = decision.verdicts[0].probabilities
    assert likely[decision.predicted] == pytest.approx(max(likely.values()))


@pytest.mark.parametrize("label", ["ADD", "NOOP"])
def test_what_is_impossible_is_not_done_however_probable(label: str) -> None:
    decision = decided(against(*ONE_VALUE), always(label), Policy())
    assert str(decision.predicted) != label and decision.operation in DESTRUCTIVE
    assert decision.probabilities[label] == 0.0 and Operation(label) in decision.verdicts[0].ruled_out


@pytest.mark.parametrize(
    ("existing", "candidate", "why"),
    [
        ("user owns a tortoise", "user owns a canary", "their values have nothing to do with each other"),
        ("user speaks Basque", "user speaks Welsh", "they name different people, places or things"),
        ("user teaches pottery", "user bakes rye bread", "it says something else"),
    ],
)
def test_what_is_in_doubt_is_not_taken_for_known(existing: str, candidate: str, why: str) -> None:
    decision = decided(against(candidate, existing), always("NOOP"), Policy())
    assert decision.predicted is NOOP and decision.operation is not NOOP
    assert why in decision.reasons[0] or decision.verdicts[0].rule


@given(st.sampled_from([ANYTHING, ONE_VALUE]), CHANCES, st.sampled_from([1.0, 2.0, 5.0]))
def test_a_dearer_overwrite_is_never_the_likelier_one(
    texts: tuple[str, str], chances: list[float], cost: float
) -> None:
    pairs = against(*texts)
    dear = decided(pairs, sure_of(chances), Policy(cost * 4))
    if dear.operation in DESTRUCTIVE:
        assert decided(pairs, sure_of(chances), Policy(cost)).operation in DESTRUCTIVE


@given(CHANCES)
def test_a_destructive_act_that_is_held_back_becomes_add_and_goes_to_review(chances: list[float]) -> None:
    pairs = against(*ANYTHING)
    decision = decided(pairs, sure_of(chances), Policy())
    held = decision.predicted in DESTRUCTIVE and decision.operation not in DESTRUCTIVE
    assert decision.review is decision.verdicts[0].destructive_blocked is held
    if held:
        assert (decision.operation, decision.operations) == (ADD, ())
    if decision.operation in DESTRUCTIVE:
        assert decision.predicted in DESTRUCTIVE


@pytest.mark.parametrize("label", ["UPDATE", "DELETE", "NOOP"])
def test_what_is_sure_is_done_at_the_default_cost(label: str) -> None:
    pairs = against(*ANYTHING)
    assert decided(pairs, always(label), Policy()).operations == ((Operation(label), 0),)


def test_at_any_price_a_doubtful_overwrite_is_add() -> None:
    pairs = against(*ANYTHING)
    decision = decided(pairs, always("UPDATE", 3.0), Policy(1e6))
    assert (decision.predicted, decision.operation, decision.review) == (UPDATE, ADD, True)


def test_of_two_that_say_the_same_one_survives() -> None:
    pairs = against("user speaks Welsh", "user speaks Welsh", "user speaks Welsh and Basque")
    decision = decided(pairs, always("NOOP"))
    assert decision.operations == ((NOOP, 0),)


def test_a_single_value_takes_the_place_of_every_rival() -> None:
    pairs = against("user lives in Quito", "user lives in Hull", "user moved to Quito", "user speaks Welsh")
    decision = decided(pairs, always("UPDATE"))
    assert decision.operation is UPDATE
    assert sorted(decision.operations) == [(DELETE, 1), (UPDATE, 0)]


def test_of_many_values_one_is_changed_and_the_others_stay() -> None:
    pairs = against("user speaks Basque", "user speaks Welsh", "user speaks Welsh and Basque")
    assert len(decided(pairs, always("UPDATE")).operations) == 1


def test_the_end_of_all_ends_each() -> None:
    pairs = against("user sold their canoe", "user owns a canoe", "user owns two canoes")
    assert decided(pairs, always("DELETE"), all_of=True).operations == ((DELETE, 0), (DELETE, 1))


@pytest.mark.parametrize(
    ("candidate", "ended", "spared"),
    [
        ("user's dog Rufus died", "user has a dog named Rufus", "user owns a canoe"),
        ("user sold their canoe", "user owns a canoe", "user has a dog named Rufus"),
    ],
)
def test_an_end_that_names_its_object_spares_the_others(candidate: str, ended: str, spared: str) -> None:
    assert decided(against(candidate, ended, spared), always("DELETE")).operations == ((DELETE, 0),)
    assert decided(against(candidate, spared, ended), always("DELETE")).operations == ((DELETE, 1),)


def test_a_conditional_wish_never_goes_to_review() -> None:
    pairs = against("user lives in Quito", "user lives in Hull")
    decision = decided(pairs, always("UPDATE"), modality=Modality.POSSIBLE)
    assert (decision.operation, decision.review) == (ADD, False)


def named(decision: Decision, pairs: list[Pair]) -> object:
    """A decision with texts in place of positions."""
    texts = sorted((str(operation), pairs[i].existing.text) for operation, i in decision.operations)
    target = None if decision.target is None else pairs[decision.target].existing.text
    chances = {k: round(p, 9) for k, p in decision.probabilities.items()}
    return decision.operation, target, texts, decision.predicted, chances, decision.review, decision.reasons


@given(
    st.sampled_from(STATEMENTS),
    st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=6, unique=True),
    st.lists(st.sampled_from([0.2, 0.5, 0.5, 0.8]), min_size=6, max_size=6),
    st.sampled_from(["trained", "UPDATE", "DELETE", "NOOP"]),
    st.sampled_from([CHEAP, Policy()]),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_neighbours_never_matters(
    candidate: str, existing: list[str], cosines: list[float], label: str, policy: Policy, chance: random.Random
) -> None:
    model = trained() if label == "trained" else always(label)
    pairs = [pair(text, candidate, cosine) for text, cosine in zip(existing, cosines, strict=False)]
    shuffled = chance.sample(pairs, len(pairs))
    one = decide(pairs[0].candidate, pairs, model, LEXICON, policy)
    two = decide(pairs[0].candidate, shuffled, model, LEXICON, policy)
    assert named(one, pairs) == named(two, shuffled)


@given(st.sampled_from(STATEMENTS), st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=6, unique=True))
def test_a_decision_is_consistent(candidate: str, existing: list[str]) -> None:
    pairs = [pair(text, candidate, 0.9 - i / 10) for i, text in enumerate(existing)]
    decision = decide(pairs[0].candidate, pairs, trained(), LEXICON, Policy())
    touched = [i for _, i in decision.operations]
    assert len(set(touched)) == len(touched) and all(0 <= i < len(pairs) for i in touched)
    operations = [o for o, _ in decision.operations]
    assert ADD not in operations
    assert operations.count(UPDATE) + operations.count(NOOP) <= 1
    assert (decision.operation is ADD) == (not operations)
    assert not operations or (decision.operation, decision.target) == decision.operations[0]
    assert sum(decision.probabilities.values()) == pytest.approx(1.0)
    assert 0.0 <= decision.confidence <= 1.0
    assert len(decision.verdicts) == len(pairs)


def test_judging_nothing_gives_nothing() -> None:
    assert judge([], trained(), LEXICON, Policy()) == []
