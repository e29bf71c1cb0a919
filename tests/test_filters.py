import hashlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import FilterError
from engine.filters import OPERATORS, compile, scope_of
from engine.types import Fact, Kind, Polarity, Scope, Stored, Version

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def memory(metadata=None, scope=None, **slots):
    fact = Fact(
        **{"subject": "user", "predicate": "live in", "object": "Denver", "text": "user lives in Denver", **slots}
    )
    version = Version("m", 1, fact, hashlib.md5(fact.text.encode()).hexdigest(), None, None, NOW)
    return Stored("m", scope or Scope("ana", "bot"), version, NOW, NOW, metadata or {})


M = memory(
    {"rating": 4, "tag": "Travel", "tags": ["Food", "work", 3], "ok": True, "nothing": None, "day": "2026-01-09"},
    attribute="residence",
)


@pytest.mark.parametrize(
    ("filters", "passes"),
    [
        ({}, True),
        ({"tag": "Travel"}, True),
        ({"tag": "travel"}, False),
        ({"tag": {"eq": "Travel"}}, True),
        ({"tag": {"ne": "Travel"}}, False),
        ({"tag": {"ne": "Food"}}, True),
        ({"absent": {"ne": "Food"}}, True),
        ({"rating": {"gt": 3}}, True),
        ({"rating": {"gt": 4}}, False),
        ({"rating": {"gte": 4, "lte": 4.0}}, True),
        ({"rating": {"gte": 1, "lt": 4}}, False),
        ({"day": {"gte": "2026-01-01", "lt": "2026-02-01"}}, True),
        ({"tag": {"in": ["Food", "Travel"]}}, True),
        ({"tag": {"in": []}}, False),
        ({"tag": {"nin": ["Food"]}}, True),
        ({"absent": {"nin": ["Food"]}}, True),
        ({"tag": {"contains": "rav"}}, True),
        ({"tag": {"contains": "RAV"}}, False),
        ({"tag": {"icontains": "RAV"}}, True),
        ({"tags": {"contains": "Food"}}, True),
        ({"tags": {"contains": "food"}}, False),
        ({"tags": {"contains": "Foo"}}, False),
        ({"tags": {"contains": 3}}, True),
        ({"tags": {"icontains": "food"}}, True),
        ({"tags": ["Food", "work", 3]}, True),
        ({"rating": {"contains": "4"}}, False),
        ({"tag": "*"}, True),
        ({"absent": "*"}, False),
        ({"nothing": "*"}, False),
        ({"nothing": None}, True),
        ({"absent": None}, True),
        ({"tag": {"eq": "*"}}, False),
        ({"kind": "state", "attribute": "residence", "subject": "user", "polarity": "positive"}, True),
        ({"kind": {"in": ["event", "plan"]}}, False),
        ({"kind": Kind.STATE, "polarity": Polarity.POSITIVE}, True),
        ({"user_id": "ana", "agent_id": "*"}, True),
        ({"run_id": "*"}, False),
        ({"AND": [{"tag": "Travel"}, {"rating": 4}]}, True),
        ({"AND": {"tag": "Travel", "rating": 5}}, False),
        ({"OR": [{"tag": "Food"}, {"rating": 4}]}, True),
        ({"OR": [{"tag": "Food"}, {"rating": 5}]}, False),
        ({"NOT": {"tag": "Food"}}, True),
        ({"NOT": [{"tag": "Food"}, {"rating": 4}]}, False),
        ({"NOT": {"tag": "Travel", "rating": 5}}, True),
        ({"NOT": [{"OR": [{"tag": "Food"}, {"AND": [{"rating": {"lt": 3}}]}]}], "ok": True}, True),
    ],
)
def test_filters(filters, passes):
    assert compile(filters)(M) is passes


@pytest.mark.parametrize(
    "filters",
    [
        {"rating": {"gt": "3"}},
        {"tag": {"lt": 3}},
        {"tags": {"gt": 1}},
        {"ok": {"gte": 0}},
        {"ok": 1},
        {"rating": "4"},
        {"nothing": {"lt": 1}},
        {"rating": {"in": ["4", True]}},
        {"attribute": {"gt": 3}},
    ],
)
def test_unlike_types_are_false_and_no_exception(filters):
    assert compile(filters)(M) is False


@pytest.mark.parametrize(
    ("filters", "code", "told"),
    [
        ([], "F401", "list"),
        (None, "F401", "None"),
        ({3: "x"}, "F401", "keys are strings"),
        ({"rating": {"gtt": 3}}, "F402", "did you mean 'gt'"),
        ({"rating": {"$gte": 3}}, "F402", "did you mean 'gte'"),
        ({"rating": {"regex": "x"}}, "F402", "eq, ne, gt, gte, lt, lte, in, nin, contains, icontains"),
        ({"rating": {}}, "F402", "no operator"),
        ({"or": [{"a": 1}]}, "F402", "did you mean 'OR'"),
        ({"$and": [{"a": 1}]}, "F402", "did you mean 'AND'"),
        ({"rating": {"gt": None}}, "F403", "gt for 'rating' takes a number or a string"),
        ({"rating": {"lte": True}}, "F403", "bool True"),
        ({"rating": {"gt": [1]}}, "F403", "list"),
        ({"tag": {"in": "Travel"}}, "F403", "a list of values"),
        ({"tag": {"nin": 3}}, "F403", "a list of values"),
        ({"tag": {"contains": None}}, "F403", "a string"),
        ({"tag": {"icontains": 3}}, "F403", "a string"),
        ({"tag": object()}, "F403", "a JSON value"),
        ({"AND": []}, "F404", "non-empty list"),
        ({"OR": "x"}, "F404", "str 'x'"),
        ({"NOT": [3]}, "F401", "int 3"),
    ],
)
def test_nonsense_is_refused_with_its_name(filters, code, told):
    with pytest.raises(FilterError) as caught:
        compile(filters)
    assert caught.value.code == code
    assert told in str(caught.value)


def test_depth_is_bounded():
    filters = {"a": 1}
    for _ in range(2000):
        filters = {"NOT": filters}
    with pytest.raises(FilterError, match="F405"):
        compile(filters)


def test_scope_of_takes_only_what_must_hold():
    assert scope_of({"user_id": "ana", "tag": "x"}) == Scope("ana")
    assert scope_of({"AND": [{"user_id": {"eq": "ana"}}, {"AND": {"run_id": "r"}}]}) == Scope("ana", None, "r")
    assert scope_of({"OR": [{"user_id": "ana"}]}) == Scope()
    assert scope_of({"NOT": {"user_id": "ana"}}) == Scope()
    assert scope_of({"user_id": "*", "agent_id": {"ne": "x"}, "run_id": {"in": ["r"]}}) == Scope()
    with pytest.raises(FilterError, match=r"F406.*'ana' and 'bob'"):
        scope_of({"user_id": "ana", "AND": [{"user_id": "bob"}]})


VALUES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.sampled_from(["", "a", "A", "ab", "*"])
OPERANDS = VALUES | st.lists(VALUES, max_size=3)
CONDITIONS = st.recursive(
    st.dictionaries(
        st.sampled_from(["x", "y", "kind", "user_id"]),
        OPERANDS | st.dictionaries(st.sampled_from(sorted(OPERATORS)), OPERANDS, max_size=2),
        max_size=2,
    ),
    lambda inner: st.dictionaries(
        st.sampled_from(["AND", "OR", "NOT"]), inner | st.lists(inner, max_size=3), max_size=2
    ),
    max_leaves=6,
)


@given(CONDITIONS, st.dictionaries(st.sampled_from(["x", "y"]), OPERANDS))
def test_any_filter_is_either_refused_or_answers_for_any_memory(filters, metadata):
    try:
        passes = compile(filters)
    except FilterError:
        return
    stored = memory(metadata)
    assert isinstance(passes(stored), bool)
    assert compile({"NOT": filters})(stored) is not passes(stored)
    assert compile({"AND": [filters, {}]})(stored) is passes(stored)


@given(VALUES, VALUES)
def test_ne_and_nin_are_the_negations(value, operand):
    stored = memory({"x": value})
    assert compile({"x": {"eq": operand}})(stored) is not compile({"x": {"ne": operand}})(stored)
    assert compile({"x": {"in": [operand]}})(stored) is not compile({"x": {"nin": [operand]}})(stored)
