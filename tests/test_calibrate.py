import numpy as np
import pytest

from training.calibrate import (
    CLASSES,
    Bin,
    as_logits,
    calibration,
    crossfitted,
    expected_calibration_error,
    negative_log_likelihood,
    reliability,
    softmax,
    temperature,
)


@pytest.fixture(scope="module")
def drawn():
    """Logits and labels that were drawn from their very probabilities."""
    chance = np.random.default_rng(7)
    logits = chance.normal(scale=2.0, size=(4000, 4))
    labels = np.array([chance.choice(CLASSES, p=row) for row in softmax(logits)])
    return logits, labels


def test_honest_logits_are_left_as_they_are(drawn):
    assert temperature(*drawn) == pytest.approx(1.0, abs=0.06)


@pytest.mark.parametrize("factor", [0.4, 2.5, 6.0])
def test_the_factor_that_spoiled_the_logits_is_found(drawn, factor):
    logits, labels = drawn
    assert temperature(logits * factor, labels) == pytest.approx(factor * temperature(logits, labels), rel=1e-3)


def test_no_other_temperature_makes_the_labels_likelier(drawn):
    logits, labels = drawn
    best = temperature(logits * 3, labels)
    least = negative_log_likelihood(logits * 3, labels, best)
    for other in (best * 0.98, best * 1.02, 1.0, 10.0):
        assert negative_log_likelihood(logits * 3, labels, other) >= least


def test_log_probabilities_do_as_well_as_logits(drawn):
    logits, labels = drawn
    assert temperature(as_logits(softmax(logits)), labels) == pytest.approx(temperature(logits, labels), abs=1e-3)


def test_extremes_stay_finite():
    sure = np.array([[900.0, 0, 0, 0], [0, 900.0, 0, 0]])
    right, wrong = np.array(CLASSES[:2]), np.array(CLASSES[1::-1])
    assert temperature(sure, right) > 0 and temperature(sure, wrong) <= 20.0
    assert np.isfinite(as_logits(softmax(sure))).all()
    assert temperature(np.zeros((0, 4)), np.array([], dtype=str)) == 1.0


def test_bins_hold_every_pair_once_and_their_upper_end():
    p = np.array([[1.0, 0, 0, 0], [0.4, 0.3, 0.2, 0.1], [0.25, 0.25, 0.25, 0.25]])
    table = reliability(p, np.array(["ADD", "UPDATE", "ADD"]), bins=5)
    assert [b.pairs for b in table] == [0, 2, 0, 0, 1]
    assert table[1] == Bin(0.2, 0.4, 2, pytest.approx(0.325), 0.5)
    assert table[-1].accuracy == table[-1].confidence == 1.0


def test_the_calibration_error_is_the_mean_gap():
    table = (Bin(0.0, 0.5, 3, 0.4, 0.7), Bin(0.5, 1.0, 1, 0.9, 0.4), Bin(0.9, 1.0, 0, 0.0, 0.0))
    assert expected_calibration_error(table) == pytest.approx((3 * 0.3 + 0.5) / 4)
    assert expected_calibration_error(()) == 0.0


def test_scaling_mends_what_was_too_sure_without_changing_a_label(drawn):
    logits, labels = drawn
    rows = np.array_split(np.arange(len(labels)), 5)
    told = calibration(logits * 3, labels, rows)
    assert told.ece_after < 0.04 < told.ece_before and told.nll_after < told.nll_before
    after = crossfitted(logits * 3, labels, rows)
    assert np.array_equal(after.argmax(axis=1), logits.argmax(axis=1))


def test_no_fold_is_scaled_by_its_own_labels(drawn):
    logits, labels = (part[:60] for part in drawn)
    rows = [np.arange(30), np.arange(30, 60)]
    others = np.where(np.arange(60) < 30, "ADD", labels)
    assert np.array_equal(crossfitted(logits, labels, rows)[:30], crossfitted(logits, others, rows)[:30])
