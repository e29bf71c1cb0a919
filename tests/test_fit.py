import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_sample_weight
from training_kit import prepared

from engine import lexicon
from engine.classifier import Classifier
from engine.features import NAMES, vectors
from engine.types import Operation
from training import fit as fitting
from training.ablation import fold_rows
from training.calibrate import as_logits, softmax
from training.fit import LABELS, MEANING, SUGGESTED, estimator, fit, folds, out_of_fold, write


@pytest.fixture(scope="module")
def artefact():
    return fit(prepared())


@pytest.fixture(scope="module")
def model(artefact, tmp_path_factory):
    path = tmp_path_factory.mktemp("fit") / "decision.json"
    write(artefact, path)
    return Classifier.load(path)


def test_the_features_stand_in_the_order_of_the_code():
    data = prepared()
    assert data.rows.shape == (len(data.pairs), len(NAMES))
    assert [NAMES[i] for i in MEANING[:4]] == [f"meaning_{o.lower()}" for o in Operation]
    assert list(range(MEANING[0], len(NAMES))) == MEANING
    assert (data.rows[:, MEANING[:4]] == 1).all() and set(np.unique(data.rows[:, MEANING])) == {0.0, 1.0}
    assert data.labels.tolist() == [str(p.label) for p in data.pairs]


def test_the_meaning_is_multiplied_in_as_the_engine_does_it(model):
    data, words = prepared(), lexicon.load()
    logits = model.meaning.logits(data.differences)
    rows = data.rows.copy()
    rows[:, MEANING] *= logits[:, SUGGESTED]
    pairs = [replace(p, meaning=tuple(m)) for p, m in zip(data.compared, logits, strict=True)]
    np.testing.assert_allclose(rows, vectors(pairs, words), rtol=0, atol=1e-12)


def test_folds_never_split_a_group_and_test_every_pair_once():
    data = prepared()
    found = folds(data)
    for train, test in found:
        assert not set(data.groups[train]) & set(data.groups[test])
        assert set(data.labels[train]) == set(LABELS)
    tested = np.concatenate([test for _, test in found])
    assert sorted(tested) == list(range(len(data.labels)))
    for (one, two), (three, four) in zip(found, folds(data), strict=True):
        assert np.array_equal(one, three) and np.array_equal(two, four)


def _by_scikit_learn(rows, labels, long, c):
    """The model as scikit-learn fits it where the labels are balanced within each register."""
    weights = np.ones(len(labels))
    for register in (long, ~long):
        present = len(set(labels[register])) / len(LABELS)  # a label that a register lacks takes its share along
        weights[register] = compute_sample_weight("balanced", labels[register]) * present
    return estimator(c).fit(rows, labels, logisticregression__sample_weight=weights)


def test_labels_weigh_the_same_among_the_short_and_among_the_long():
    data = prepared()
    factors = fitting._balance(data.labels, data.long, data.weights)
    for register in (data.long, ~data.long):
        sums = [(factors * data.weights)[register & (data.labels == x)].sum() for x in set(data.labels[register])]
        np.testing.assert_allclose(sums, sums[0])


def test_the_json_gives_the_probabilities_of_scikit_learn(artefact, model):
    data = prepared()
    rows = fitting.with_meaning(data, np.arange(len(data.labels)))
    trained = _by_scikit_learn(rows, data.labels, data.long, artefact["about"]["C"])
    order = [list(trained.classes_).index(label) for label in LABELS]
    expected = trained.predict_proba(rows)[:, order]
    np.testing.assert_allclose(softmax(model.logits(rows) * model.temperature), expected, rtol=0, atol=1e-9)
    scaled = softmax(as_logits(expected), model.temperature)
    np.testing.assert_allclose(model.probabilities(rows), scaled, rtol=0, atol=1e-9)


def test_the_contributions_of_a_pair_sum_to_its_log_odds(model):
    row = prepared().rows[0]
    for k, label in enumerate(LABELS):
        logits = model.logits(row)[0]
        expected = logits[k] - np.delete(logits, k).mean()
        assert model.contributions(row, label).sum() + model.prior(label) == pytest.approx(expected, abs=1e-9)


def test_out_of_fold_probabilities_come_from_models_that_have_not_seen_the_group():
    data, c = prepared(), 0.03
    found = out_of_fold(data, [c])[c]
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-9)
    for fold in fold_rows(data):
        trained = _by_scikit_learn(fold.seen, data.labels[fold.train], data.long[fold.train], c)
        order = [list(trained.classes_).index(label) for label in LABELS]
        np.testing.assert_allclose(found[fold.test], trained.predict_proba(fold.unseen)[:, order], atol=1e-9)


def test_the_same_pairs_write_the_same_bytes(artefact, tmp_path):
    write(artefact, tmp_path / "one.json")
    write(fit(prepared()), tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_the_artefact_tells_what_it_was_trained_on(artefact):
    data, about = prepared(), artefact["about"]
    assert artefact["features"] == list(NAMES) and artefact["classes"] == list(LABELS)
    assert about["pairs"] == len(data.labels) and about["groups"] == len(set(data.groups))
    assert sum(about["labels"].values()) == len(data.labels) and len(about["data_sha256"]) == 64
    assert json.loads(json.dumps(artefact)) == artefact
