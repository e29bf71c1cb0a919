"""The classifier: read from JSON, checked, evaluated, taken apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pair_kit import LEXICON, STATEMENTS, pair, trained

from engine.classifier import Classifier, as_operations
from engine.errors import ModelError
from engine.features import NAMES, vectors
from engine.settings import artefact
from engine.types import Operation

ROWS = vectors([pair(a, b) for a in STATEMENTS[:8] for b in STATEMENTS[:8]], LEXICON)


@pytest.fixture
def content() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(artefact("decision.json").read_text())
    return loaded


def load(tmp_path: Path, content: Any) -> Classifier:
    path = tmp_path / "decision.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return Classifier.load(path)


def test_the_shipped_model_is_of_the_features_and_operations_of_the_code() -> None:
    assert trained().names == NAMES
    assert sorted(trained().classes) == sorted(Operation)
    assert len(trained().digest) == 16 and trained().about


def test_probabilities_sum_to_one() -> None:
    p = trained().probabilities(ROWS)
    assert p.shape == (len(ROWS), 4)
    assert np.allclose(p.sum(axis=1), 1.0)
    assert (p >= 0).all()
    assert abs(sum(as_operations(trained(), p[0]).values()) - 1.0) < 1e-9


@given(st.lists(st.floats(-1e6, 1e6), min_size=len(NAMES), max_size=len(NAMES)))
def test_probabilities_are_finite_for_any_row(row: list[float]) -> None:
    p = trained().probabilities(np.array([row]))
    assert np.isfinite(p).all() and abs(p.sum() - 1.0) < 1e-9


@pytest.mark.parametrize("label", list(Operation))
def test_prior_and_contributions_make_the_log_odds_against_the_mean_of_the_others(label: str) -> None:
    k = trained().classes.index(label)
    for row in ROWS:
        logits = trained().logits(row)[0]
        odds = logits[k] - np.delete(logits, k).mean()
        assert np.isclose(trained().prior(label) + trained().contributions(row, label).sum(), odds)


def test_a_row_is_judged_alone_as_among_others() -> None:
    together = trained().probabilities(ROWS)
    assert np.allclose(together, np.vstack([trained().probabilities(row) for row in ROWS]))


@pytest.mark.parametrize("change", ["missing", "unknown", "order"])
def test_a_model_of_other_features_is_refused_with_both_lists(
    tmp_path: Path, content: dict[str, Any], change: str
) -> None:
    names = content["features"]
    lost = names[3]
    if change == "missing":
        names.remove(lost)
    elif change == "unknown":
        names.append("phase_of_the_moon")
    else:
        names[0], names[1] = names[1], names[0]
    with pytest.raises(ModelError) as told:
        load(tmp_path, content)
    text = str(told.value)
    assert "F042" in text and "retrain" in text and "decision.json" in text
    assert change != "missing" or lost in text
    assert change != "unknown" or "phase_of_the_moon" in text
    assert change != "order" or "order" in text


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "3", '"a"', "{}", '{"classes": 3}', "\x00", '{"classes": [], "features": []}']
)
def test_damaged_json_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ModelError, match=r"decision\.json.*train"):
        load(tmp_path, text)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("coef", [[1.0, 2.0]]),
        ("mean", [0.0]),
        ("scale", "abc"),
        ("intercept", [0.0, 1.0]),
        ("coef", None),
        ("temperature", "hot"),
        ("temperature", 0),
        ("classes", ["ADD", "UPDATE", "DELETE", "KEEP"]),
        ("meaning", {"coef": [[1.0]]}),
        ("meaning", {"coef": [[1.0]], "intercept": [0.0]}),
    ],
)
def test_a_damaged_part_is_refused(tmp_path: Path, content: dict[str, Any], key: str, value: Any) -> None:
    content[key] = value
    with pytest.raises(ModelError, match="train"):
        load(tmp_path, content)


@pytest.mark.parametrize("key", ["mean", "scale", "intercept"])
def test_numbers_that_are_not_finite_are_refused(tmp_path: Path, content: dict[str, Any], key: str) -> None:
    content[key][0] = float("nan")
    with pytest.raises(ModelError, match="finite"):
        load(tmp_path, content)


def test_a_scale_of_zero_is_refused(tmp_path: Path, content: dict[str, Any]) -> None:
    content["scale"][0] = 0.0
    with pytest.raises(ModelError, match="train"):
        load(tmp_path, content)


def test_a_missing_model_names_the_command_that_makes_one(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="factfold train --out"):
        Classifier.load(tmp_path / "decision.json")


def test_the_digest_tells_models_apart(tmp_path: Path, content: dict[str, Any]) -> None:
    one = load(tmp_path, content)
    content["intercept"][0] += 1e-9
    assert load(tmp_path, content).digest != one.digest
