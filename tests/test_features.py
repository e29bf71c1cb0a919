"""The one ordered list of features."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pair_kit import LEXICON, STATEMENTS, pair

from engine.comparison import compare
from engine.features import CELLS, FEATURES, NAMES, SLOTS, STANCES, VALUES, slot_of, stance_of, value_of, vectors

TEXT = st.sampled_from(STATEMENTS)
COSINE = st.floats(-1, 1)


def values(existing: str, candidate: str) -> dict[str, float]:
    return dict(zip(NAMES, vectors([pair(existing, candidate)], LEXICON)[0], strict=True))


def test_names_are_unique_identifiers_with_a_sentence_each() -> None:
    assert len(set(NAMES)) == len(NAMES) == len(FEATURES)
    assert all(re.fullmatch(r"[a-z][a-z_]*", name) for name in NAMES)
    assert all(f.sentence and f.block for f in FEATURES)


def test_the_order_is_that_of_the_list_and_stays() -> None:
    assert tuple(f.name for f in FEATURES) == NAMES
    assert NAMES[0] == "same_subject"
    blocks = [f.block for f in FEATURES]
    last = blocks.index("meaning")  # training multiplies these at their places
    assert set(blocks[last:]) == {"meaning"} and all(name.startswith("meaning_") for name in NAMES[last:])
    assert NAMES[last : last + 4] == ("meaning_add", "meaning_update", "meaning_delete", "meaning_noop")


@given(TEXT, TEXT, COSINE, COSINE, COSINE)
def test_every_value_is_finite_and_of_moderate_size(
    existing: str, candidate: str, text: float, predicate: float, value: float
) -> None:
    row = vectors([pair(existing, candidate, text, predicate, value)], LEXICON)[0]
    assert row.shape == (len(NAMES),)
    assert np.isfinite(row).all()
    assert (np.abs(row) <= 1.0 + 1e-9).all()


@pytest.mark.parametrize("candidate", STATEMENTS)
def test_a_pair_of_one_topic_lies_in_exactly_one_cell(candidate: str) -> None:
    for existing in STATEMENTS:
        comparison = compare(pair(existing, candidate), LEXICON)
        assert slot_of(comparison) in SLOTS and value_of(comparison) in VALUES and stance_of(comparison) in STANCES
        lit = [cell.name for cell in CELLS if cell.value(comparison)]
        assert len(lit) == int(comparison.topic), (existing, lit)


def test_the_vector_does_not_depend_on_the_company() -> None:
    pairs = [pair(a, b) for a, b in product(STATEMENTS[:6], STATEMENTS[:6])]
    together = vectors(pairs, LEXICON)
    assert all((vectors([p], LEXICON)[0] == row).all() for p, row in zip(pairs, together, strict=True))
    assert vectors([], LEXICON).shape == (0, len(NAMES))


@pytest.mark.parametrize(
    ("existing", "candidate", "lit", "dark"),
    [
        ("user lives in Hull", "user lives in Quito", "same_subject same_attribute single_valued slot_one_other_value",
         "object_equal turns_negative excluded"),
        ("user speaks Welsh", "user speaks Basque",
         "same_attribute many_valued slot_many_other_value", "single_valued"),
        ("user lives in Hull", "user lives in Hull", "object_equal subset_same_stance slot_same_value", "new_words"),
        ("user likes tea", "user does not like tea", "turns_negative slot_denied", "turns_positive both_negative"),
        ("user does not like tea", "user likes tea", "turns_positive", "turns_negative"),
        ("user likes tea", "user hates tea", "antonyms", "turns_negative"),
        ("user owns a canoe", "user sold their canoe", "candidate_ends slot_ended", "existing_ends"),
        ("user owns a canoe", "user's brother Bram owns a canoe", "same_predicate", "same_subject"),
        ("user's exam is on Friday", "user's exam is on Monday",
         "times_differ predicate_numbers_differ", "times_equal"),
        ("user lives in Hull", "user might move to Quito", "hedged", "existing_hedged"),
        ("user might move to Quito", "user moved to Quito", "existing_hedged", "hedged"),
        ("user speaks Welsh", "user speaks Welsh and Basque", "superset_same_stance object_wider", "lost_words"),
    ],
)  # fmt: skip
def test_what_lights_up(existing: str, candidate: str, lit: str, dark: str) -> None:
    found = values(existing, candidate)
    assert not [name for name in lit.split() if not found[name]]
    assert not [name for name in dark.split() if found[name]]
