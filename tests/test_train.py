import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from training_kit import encoder, prepared, some_pairs, write_some

from engine.classifier import Classifier
from engine.errors import InputError
from training.manifest import mismatches, read_manifest, write_manifest
from training.pairs import data_hash, shipped
from training.train import MIN_GROUPS, MIN_PAIRS, labelled, subset, train


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    base = tmp_path_factory.mktemp("train")
    steps = []
    report = train(
        [write_some(base)], base / "out", replace=True, progress=lambda *step: steps.append(step), encoder=encoder()
    )
    return base, report, steps


def test_the_artefact_is_read_by_the_engine(trained):
    base, report, _ = trained
    model = Classifier.load(base / "out" / "decision.json")
    assert model.temperature == report.temperature > 0
    assert model.about["data_sha256"] == report.data_sha256 == data_hash(some_pairs())
    assert model.about["encoder"] == encoder().id
    assert model.about["calibration"]["ece_after"] == report.ece_after
    assert report.pairs == len(some_pairs()) == sum(report.labels.values())


def test_the_same_pairs_write_the_same_bytes(trained):
    base, report, _ = trained
    again = train([write_some(base)], base / "again", replace=True, encoder=encoder())
    assert again.files == report.files
    for name in ("decision.json", "decision.card.md", "manifest.json"):
        assert (base / "again" / name).read_bytes() == (base / "out" / name).read_bytes()


def test_the_manifest_holds_the_hash_of_each_file(trained):
    base, report, _ = trained
    recorded = json.loads((base / "out" / "manifest.json").read_text("utf-8"))["artefacts"]
    assert recorded == dict(report.files) and set(recorded) == {"decision.json", "decision.card.md"}
    for name, digest in recorded.items():
        assert hashlib.sha256((base / "out" / name).read_bytes()).hexdigest() == digest
    assert mismatches(base / "out") == []


def test_the_card_tells_data_figures_and_versions(trained):
    base, report, _ = trained
    card = (base / "out" / "decision.card.md").read_text("utf-8")
    told = {
        report.data_sha256,
        encoder().id,
        "scikit-learn",
        "Macro F1",
        f"{report.pairs} pairs",
        "wrongful overwrites",
    }
    counted = {p.attribute for p in some_pairs()} | {p.family for p in some_pairs()}
    counted.add(f"UPDATE | {report.labels['UPDATE']}")
    assert all(part in card for part in told)
    assert all(f"\n| {part} |" in card for part in counted)
    assert all(line.count("|") in (0, 3, 5, 6) for line in card.splitlines())


def test_progress_is_told_step_by_step(trained):
    _, _, steps = trained
    assert [s[1] for s in steps] == [0, 1, 2, 3, 4] and {s[2] for s in steps} == {4}


def test_the_scores_are_of_all_pairs_and_better_than_a_guess(trained):
    _, report, _ = trained
    assert sum(sum(row) for row in report.scores.confusion) == report.pairs
    assert report.scores.macro_f1 > 0.4


def test_given_pairs_win_over_the_shipped_ones(tmp_path):
    one = labelled([])[0]
    other = next(label for label in ("ADD", "NOOP") if label != one.label)
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"existing": one.existing, "candidate": one.candidate, "label": other}) + "\n")
    mended = labelled([path])
    assert mended[0].key == one.key and mended[0].label == other
    assert len(mended) == len(labelled([])) and shipped()


def test_bad_lines_are_told_before_anything_is_written(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"existing": "a"}\nnothing\n')
    with pytest.raises(InputError, match=r"(?s)F050.*line 1.*line 2"):
        train([path], tmp_path / "out", replace=True, encoder=encoder())
    assert not list((tmp_path / "out").glob("*"))


@pytest.mark.parametrize("spoil", ["few", "missing", "one group", "none"])
def test_too_few_pairs_are_refused_with_the_counts(tmp_path, spoil):
    pairs = some_pairs()
    if spoil == "few":
        pairs = pairs[: 4 * MIN_PAIRS - 1]
    elif spoil == "missing":
        pairs = [p for p in pairs if p.label != "NOOP"]
    elif spoil == "one group":
        pairs = [replace(p, group="g") if p.label == "NOOP" else p for p in pairs]
    else:
        pairs = []
    with pytest.raises(InputError, match="F051") as caught:
        train([write_some(tmp_path, pairs)], tmp_path / "out", replace=True, encoder=encoder())
    told = str(caught.value)
    assert f"{MIN_PAIRS} pairs in {MIN_GROUPS} groups" in told and "--replace" in told
    if spoil == "missing":
        assert "NOOP: 0 pairs in 0 groups" in told and "ADD:" not in told


def test_a_place_that_cannot_be_written_to_is_refused_at_once(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="F052"):
        train([], tmp_path / "file" / "out")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "manifest.json").write_text("[]")
    with pytest.raises(InputError, match=r"F053.*remove it"):
        train([], tmp_path / "out")


def test_a_manifest_keeps_what_else_is_there_and_forgets_what_is_gone(tmp_path):
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(name)
    write_manifest(tmp_path, ["a.json", "b.json"])
    before = read_manifest(tmp_path)
    (tmp_path / "a.json").write_text("changed")
    (tmp_path / "c.json").write_text("c")
    assert mismatches(tmp_path) == ["a.json was changed after it was written"]
    assert set(write_manifest(tmp_path, ["c.json"])) == {"c.json"}
    assert read_manifest(tmp_path) == before | {"c.json": hashlib.sha256(b"c").hexdigest()}
    (tmp_path / "b.json").unlink()
    assert "b.json is missing" in mismatches(tmp_path)
    write_manifest(tmp_path, ["a.json"])
    assert set(read_manifest(tmp_path)) == {"a.json", "c.json"}


def test_a_subset_is_as_if_the_others_had_never_been():
    data, rows = prepared(), np.array([5, 2, 9])
    part = subset(data, rows)
    assert part.pairs == tuple(data.pairs[i] for i in rows)
    assert part.compared == tuple(data.compared[i] for i in rows)
    assert np.array_equal(part.rows, data.rows[rows]) and part.labels.tolist() == data.labels[rows].tolist()
