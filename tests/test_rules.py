import numpy as np
import pytest
from sklearn.base import clone
from training_kit import comparisons, encoder, prepared

from engine import lexicon
from engine.comparison import compare
from engine.pairing import pair_up
from engine.reading import read_statements
from engine.types import Operation
from training.cosine import CosineBaseline
from training.metrics import (
    LABELS,
    confusion,
    destructive,
    label_scores,
    macro_f1,
    parts,
    stale_kept,
    wrongful_overwrites,
)
from training.rules import RULES, RuleBaseline, fired, rule_of

TABLE = [
    ("user lives in Austin", "user lives in Denver", "UPDATE", "another value of what holds one"),
    ("user lives in Austin", "Marek lives in Austin", "ADD", "the same of another subject"),
    ("user lives in Austin", "user no longer lives in Austin", "DELETE", "ended or denied"),
    ("user is not vegetarian", "user is vegetarian", "UPDATE", "affirmed where it was denied"),
    ("user has a dog", "user might get a cat", "ADD", "only possible or wished for"),
    ("user has a black dog called Rex", "user has a dog", "NOOP", "the same words or fewer"),
    ("user has two cats", "user has three cats", "UPDATE", "counted or dated differently"),
    ("user works at Siemens", "user plays the violin on Sundays", "ADD", "nothing in common"),
]


@pytest.fixture(scope="module")
def judged():
    facts = read_statements([t for row in TABLE for t in row[:2]], lexicon.load())
    pairs = pair_up(list(zip(facts[::2], facts[1::2], strict=True)), encoder())
    return [compare(pair, lexicon.load()) for pair in pairs]


@pytest.mark.parametrize("n", range(len(TABLE)), ids=[row[3] for row in TABLE])
def test_the_first_rule_that_holds_gives_the_label(judged, n):
    rule = rule_of(judged[n])
    assert (rule.name, str(rule.label)) == (TABLE[n][3], TABLE[n][2])


def test_the_rules_are_a_scikit_learn_estimator_that_learns_nothing():
    data, found = prepared(), comparisons()
    one = clone(RuleBaseline()).fit(found, data.labels)
    two = RuleBaseline().fit(found[:1])
    assert np.array_equal(one.predict(found), two.predict(found))
    assert one.classes_.tolist() == sorted(LABELS)
    assert one.score(found, data.labels) == pytest.approx((one.predict(found) == data.labels).mean())


def test_the_rules_beat_a_guess_and_each_of_their_names_is_told_once():
    data = prepared()
    spoke = fired(comparisons(), data.labels)
    assert [p.name for p in spoke] == [r.name for r in RULES] and len({r.name for r in RULES}) == len(RULES)
    assert sum(p.pairs for p in spoke) == len(data.labels)
    assert macro_f1(data.labels, RuleBaseline().predict(comparisons())) > 0.4


def test_the_cosine_learns_two_thresholds_and_never_ends_anything():
    data, found = prepared(), comparisons()
    cosine = clone(CosineBaseline(steps=20)).fit(found, data.labels)
    said = cosine.predict(found)
    assert -1 <= cosine.alike_ <= cosine.same_ <= 1
    assert "DELETE" not in said
    for c, label in zip(found, said, strict=True):
        expected = "ADD" if c.pair.text_cosine < cosine.alike_ else "UPDATE"
        assert label == ("NOOP" if c.pair.text_cosine >= cosine.same_ else expected)


def test_the_cosine_takes_the_best_thresholds_of_its_grid():
    data, found = prepared(), comparisons()
    best = macro_f1(data.labels, CosineBaseline().fit(found, data.labels).predict(found))
    for same in (0.5, 0.7, 0.9):
        other = CosineBaseline().fit(found, data.labels)
        other.same_ = max(same, other.alike_)
        assert macro_f1(data.labels, other.predict(found)) <= best + 0.02


def test_figures_are_counted_as_scikit_learn_counts_them():
    from sklearn.metrics import confusion_matrix, f1_score, precision_recall_fscore_support

    chance = np.random.default_rng(3)
    labels, said = chance.choice(LABELS, 300), chance.choice(LABELS[:3], 300)
    counts = confusion(labels, said)
    assert np.array_equal(counts, confusion_matrix(labels, said, labels=LABELS))
    expected = precision_recall_fscore_support(labels, said, labels=LABELS, zero_division=0)
    got = np.array([(s.precision, s.recall, s.f1, s.pairs) for s in label_scores(counts)]).T
    np.testing.assert_allclose(got, expected, atol=1e-12)
    assert macro_f1(labels, said) == pytest.approx(f1_score(labels, said, labels=LABELS, average="macro"))


def test_an_overwrite_is_wrongful_where_nothing_was_to_be_touched():
    labels = np.array(["ADD", "NOOP", "ADD", "UPDATE", "DELETE"])
    acts = np.array([True, False, False, False, True])
    assert wrongful_overwrites(labels, acts) == pytest.approx(1 / 3)
    assert stale_kept(labels, acts) == pytest.approx(1 / 2)
    assert wrongful_overwrites(labels[3:], acts[3:]) == stale_kept(labels[:3], acts[:3]) == 0.0
    assert destructive(labels).tolist() == [False, False, False, True, True]


def test_parts_stand_from_the_worst_to_the_best():
    found = parts(["b", "a", "b", "", "a"], np.array([True, True, False, False, True]))
    assert [(p.name, p.pairs, p.right) for p in found] == [("(none)", 1, 0), ("b", 2, 1), ("a", 2, 2)]


def test_every_rule_has_one_of_the_four_labels():
    assert {r.label for r in RULES} == set(Operation)
