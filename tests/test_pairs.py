import json

import pytest

from engine.errors import InputError
from engine.types import Operation
from training.pairs import LabelledPair, data_hash, read_pairs, shipped, write_pairs

AUSTIN = {"existing": "user lives in Austin", "candidate": "user lives in Denver", "label": "UPDATE"}


def written(path, *rows):
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), "utf-8")
    return path


def test_a_pair_is_read_with_all_that_is_known_of_it(tmp_path):
    row = AUSTIN | {"group": "res", "family": "value_change", "attribute": "residence", "hard": True, "note": "n"}
    (pair,) = read_pairs([written(tmp_path / "a.jsonl", row)])
    assert pair == LabelledPair(
        "user lives in Austin", "user lives in Denver", Operation.UPDATE,
        group="res", family="value_change", attribute="residence", hard=True, note="n",
    )  # fmt: skip


def test_a_pair_without_a_group_is_a_group_of_its_own(tmp_path):
    first, second = read_pairs([written(tmp_path / "a.jsonl", AUSTIN, AUSTIN | {"candidate": "user has a cat"})])
    assert {first.group, second.group} == {"a:1", "a:2"}


def test_the_last_of_two_labels_wins_whatever_file_it_stands_in(tmp_path):
    one = written(tmp_path / "one.jsonl", AUSTIN, "", AUSTIN | {"label": "ADD"})
    two = written(tmp_path / "two.jsonl", AUSTIN | {"label": "NOOP"})
    assert [p.label for p in read_pairs([one])] == [Operation.ADD]
    assert [p.label for p in read_pairs([one, two])] == [Operation.NOOP]
    assert [p.label for p in read_pairs([two, one])] == [Operation.ADD]


def test_pairs_are_sorted_by_their_texts_and_so_is_their_hash(tmp_path):
    rows = [AUSTIN | {"candidate": f"user has {n} cats", "group": "g"} for n in (3, 1, 2)]
    forth = read_pairs([written(tmp_path / "a.jsonl", *rows)])
    back = read_pairs([written(tmp_path / "b.jsonl", *rows[::-1])])
    assert forth == back == sorted(forth, key=lambda p: p.key)
    assert data_hash(forth) == data_hash(back)


def test_the_hash_changes_with_text_label_and_group():
    pair = LabelledPair("a", "b", Operation.ADD, group="g")
    others = [
        LabelledPair("a", "c", Operation.ADD, group="g"),
        LabelledPair("a", "b", Operation.NOOP, group="g"),
        LabelledPair("a", "b", Operation.ADD, group="h"),
        LabelledPair("a\x1fb", "", Operation.ADD, group="g"),
    ]
    assert len({data_hash([p]) for p in [pair, *others]}) == 5


def test_bad_lines_of_all_files_are_told_at_once_with_their_numbers(tmp_path):
    one = written(tmp_path / "one.jsonl", AUSTIN, "{not json", "[1]", AUSTIN | {"label": "update"})
    two = written(tmp_path / "two.jsonl", AUSTIN | {"existing": " ", "candidate": 3}, AUSTIN | {"hard": "yes"})
    with pytest.raises(InputError) as caught:
        read_pairs([one, two, tmp_path / "none.jsonl"])
    told = str(caught.value)
    assert caught.value.code == "F050"
    for part in ("one.jsonl line 2: not JSON", "one.jsonl line 3: not a JSON object",
                 "one.jsonl line 4: label 'update'",
                 "two.jsonl line 1: 'existing' must be a non-empty text; 'candidate'", "two.jsonl line 2: 'hard'",
                 "none.jsonl: cannot be read"):  # fmt: skip
        assert part in told
    assert "one.jsonl line 1:" not in told


def test_what_is_written_is_read_again_and_says_nothing_empty(tmp_path):
    pairs = [
        LabelledPair("aä", "b", Operation.DELETE, group="g", hard=True),
        LabelledPair("b", "c", Operation.ADD, "g"),
    ]
    path = tmp_path / "out.jsonl"
    write_pairs(path, pairs)
    assert read_pairs([path]) == pairs
    first = path.read_text("utf-8").splitlines()[0]
    assert json.loads(first) == {"existing": "aä", "candidate": "b", "label": "DELETE", "group": "g", "hard": True}
    assert "ä" in first


def test_the_shipped_pairs_are_sound_and_balanced():
    pairs = read_pairs(shipped())
    # In the fact sheets most of what is near is beside the matter, as in a memory; the rest is balanced.
    balanced = read_pairs([path for path in shipped() if not path.stem.startswith("pairs_sheets")])
    counts = {o: sum(p.label is o for p in balanced) for o in Operation}
    assert len(pairs) > 6000 and 2 * sum(not p.generated for p in pairs) > len(pairs)
    assert min(counts.values()) > 0.8 * max(counts.values())
    assert all(p.existing.casefold() != p.candidate.casefold() for p in pairs)
    assert all(p.group and p.family and p.attribute for p in pairs)
