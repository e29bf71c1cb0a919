import json
from dataclasses import replace

import numpy as np
import pytest
from training_kit import comparisons, encoder, prepared, some_pairs, write_some

from engine import lexicon
from engine.classifier import Classifier
from engine.decide import Policy, judge
from engine.features import FEATURES, vectors
from engine.settings import artefact
from training.ablation import blocks
from training.evaluate import as_text, evaluate, evaluate_prepared
from training.scoring import acts_of, done_of, score


@pytest.fixture(scope="module")
def evaluation():
    return evaluate_prepared(prepared(), lexicon.load(), ablation=True)


def test_model_rules_and_cosine_are_scored_on_the_same_pairs(evaluation):
    assert [s.name for s in evaluation.scores] == ["model", "rules", "cosine"]
    for s in evaluation.scores:
        assert sum(map(sum, s.confusion)) == len(some_pairs()) == evaluation.pairs
        assert len(s.fold_macro_f1) == evaluation.folds == 5
        assert s.macro_f1 == pytest.approx(sum(label.f1 for label in s.labels) / 4)
        assert sum(p.pairs for p in s.families) == sum(p.pairs for p in s.attributes) == evaluation.pairs
        assert {p.name for p in s.difficulty} == {"hard", "not hard"}


def test_the_model_beats_the_cosine(evaluation):
    model, _, cosine = evaluation.scores
    assert model.macro_f1 > cosine.macro_f1
    assert model.wrongful_overwrites < cosine.wrongful_overwrites


def test_the_worst_is_named_among_those_with_enough_pairs(evaluation):
    worst = evaluation.model.worst_family
    enough = [p for p in evaluation.model.families if p.pairs >= 10]
    assert worst is not None and worst.accuracy == min(p.accuracy for p in enough)


def test_the_reliability_table_counts_every_pair_in_fifteen_bins(evaluation):
    assert len(evaluation.reliability) == 15
    assert sum(b.pairs for b in evaluation.reliability) == evaluation.pairs
    assert 0 <= evaluation.ece_after < 0.3 and 0 <= evaluation.ece_before < 0.3
    assert len(evaluation.temperatures) == len(evaluation.strengths) == 5


def test_a_dearer_overwrite_is_done_less_often():
    p = np.random.default_rng(1).dirichlet([0.5] * 4, len(comparisons()))
    acts = [acts_of(p, comparisons(), Policy(cost)) for cost in (1.0, 5.0, 50.0)]
    assert acts[0].sum() > acts[1].sum() > acts[2].sum()
    assert not (acts[2] & ~acts[1]).any() and not (acts[1] & ~acts[0]).any()


def test_what_is_measured_is_what_the_engine_does():
    words, model = lexicon.load(), Classifier.load(artefact("decision.json"))
    pairs = [replace(p, meaning=(0.5, -0.5, 1.0, -1.0)) for p in prepared().compared]
    for policy in (Policy(1.0), Policy()):
        done = done_of(model.probabilities(vectors(pairs, words)), comparisons(), policy)
        verdicts = judge(pairs, model, words, policy)
        assert done.tolist() == [str(v.operation) for v in verdicts]
        assert {v.rule for v in verdicts} != {None}


def test_right_answers_score_one():
    data = prepared()
    acts = np.isin(data.labels, ["UPDATE", "DELETE"])
    s = score("model", data.pairs, data.labels, data.labels, acts, [np.arange(10)])
    assert s.macro_f1 == s.accuracy == 1.0 and s.wrongful_overwrites == s.stale_kept == 0.0


def test_the_ablation_takes_each_block_out_and_alone(evaluation):
    found = evaluation.ablation
    assert {a.block for a in found.blocks} == {f.block for f in FEATURES} == set(blocks())
    assert sum(a.features for a in found.blocks) == len(FEATURES)
    for a in found.blocks:
        assert a.adds == pytest.approx(found.full - a.without) and 0 < a.alone < 1
    assert [a.adds for a in found.blocks] == sorted((a.adds for a in found.blocks), reverse=True)


def test_the_text_fits_a_terminal_and_names_all_that_is_asked_for(evaluation):
    text = as_text(evaluation)
    assert max(map(len, text.splitlines())) <= 100
    for part in ("wrongful overwrites", "stale kept", "calibration error", "worst of the model", "not hard", "rules",
                 "cosine", "said DELETE", "Macro F1 by block", *{p.attribute for p in some_pairs()}):  # fmt: skip
        assert part in text


def test_it_is_json_ready(evaluation):
    content = json.loads(json.dumps(evaluation.as_dict()))
    assert content["scores"][0]["name"] == "model" and len(content["ablation"]["blocks"]) == len(blocks())


def test_files_are_read_and_progress_told(tmp_path):
    steps = []
    found = evaluate(
        [write_some(tmp_path)], replace=True, overwrite_cost=1.0, progress=lambda *s: steps.append(s), encoder=encoder()
    )
    assert found.pairs == len(some_pairs()) and found.overwrite_cost == 1.0 and found.ablation is None
    assert steps[0][0] == "features" and steps[-1][1:] == (5, 5)
    assert "by block" not in as_text(found)
