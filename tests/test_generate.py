from collections import Counter, defaultdict

import pytest

from engine.errors import InputError
from engine.types import Operation
from training.generate import OUT, generate, main, organised, sound
from training.pairs import read_pairs, write_pairs
from training.templates import Entry, read_templates

HOME = """
[[entry]]
name = "residence"
attribute = "residence"
cardinality = "one"
says = ["{s} lives in {v}", "{s}'s home is in {v}", "{s} lives in {v} now"]
switches = ["{s} moved from {v} to {w}"]
ends = ["{s} no longer lives in {v}", "{s} has left {v} for good"]
denies = ["{s} does not live in {v}", "{s} isn't based in {v}"]
hedges = ["{s} might move to {v}"]
values = ["Lisbon", "Pune", "Leith", "Osaka"]
narrower = [["Portugal", "Lisbon"]]
same = [["Mumbai", "Bombay"]]
"""


@pytest.fixture(scope="module")
def entries():
    return read_templates()


@pytest.fixture(scope="module")
def pairs(entries):
    return generate(entries)


def wrong(tmp_path, text):
    path = tmp_path / "templates.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match="F054") as caught:
        read_templates(path)
    return str(caught.value)


def test_the_shipped_pairs_are_what_the_templates_give(pairs, tmp_path):
    write_pairs(tmp_path / "again.jsonl", pairs)
    assert (tmp_path / "again.jsonl").read_bytes() == OUT.read_bytes()


def test_the_same_templates_write_the_same_bytes_by_the_module(tmp_path):
    (tmp_path / "t.toml").write_text(HOME, "utf-8")
    for name in ("one", "two"):
        assert main(["--templates", str(tmp_path / "t.toml"), "--out", str(tmp_path / name)]) == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert len(read_pairs([tmp_path / "one"])) > 15


def test_each_entry_is_a_group_of_about_38_pairs_balanced_over_the_labels(entries, pairs):
    counts = defaultdict(Counter)
    for pair in pairs:
        counts[pair.group][pair.label] += 1
    assert set(counts) == {f"gen:{e.name}" for e in entries}
    for group, found in counts.items():
        assert 34 <= found.total() <= 38, group
        assert set(found) == set(Operation) and max(found.values()) - min(found.values()) <= 3, group
    totals = Counter(p.label for p in pairs)
    assert max(totals.values()) < 1.1 * min(totals.values())


def test_pairs_are_marked_sorted_and_stand_once(pairs):
    assert all(p.generated and p.family and p.attribute and not p.hard for p in pairs)
    assert [p.key for p in pairs] == sorted({p.key for p in pairs})


def test_no_text_is_visibly_broken(pairs):
    assert all(sound(p.existing, p.candidate) for p in pairs)


@pytest.mark.parametrize(
    "text",
    [
        "user lives in {v}", "user  lives", "user has a apple", "user has an dog", "user has the a dog",
        "user is in in Rome", "user does not have no children", "the engineers is in charge",
        "user isn't fond of nothing",
    ],
)  # fmt: skip
def test_what_is_visibly_broken_is_left_out(text):
    assert not sound("user lives in Leith", text) and not sound(text, "user lives in Leith")


@pytest.mark.parametrize(
    "text",
    ["user went to a university", "user has an hour", "user has a one-eyed cat", "user is not in Oslo",
     "the bus is late", "user likes the European Union"],
)  # fmt: skip
def test_what_is_sound_is_kept(text):
    assert sound("user lives in Leith", text)


def test_equal_texts_are_no_pair():
    assert not sound("user lives in Leith", "User lives in leith")


def test_the_user_is_the_subject_in_three_of_five(pairs):
    share = sum(p.existing.startswith("user ") or p.existing.startswith("user's") for p in pairs) / len(pairs)
    others = sum("Marek" in p.existing for p in pairs) / len(pairs)
    assert 0.6 < share < 0.95 and 0.04 < others < 0.2


def test_only_what_a_company_has_is_told_of_the_company(entries, pairs):
    fitting = {f"gen:{e.name}" for e in entries if organised(e)}
    told = {p.group for p in pairs if p.existing.startswith("the company ") or "the company's " in p.existing}
    assert told and told <= fitting
    assert not organised(next(e for e in entries if e.name == "residence"))


def test_an_end_of_its_own_value_deletes_and_of_another_subject_adds(tmp_path):
    path = tmp_path / "t.toml"
    path.write_text(HOME, "utf-8")
    found = [p for seed in range(30) for p in generate(read_templates(path), seed=seed)]
    ends = [p for p in found if "no longer lives" in p.candidate or "has left" in p.candidate]
    assert {p.label for p in ends} == {Operation.DELETE, Operation.ADD}
    assert {p.family for p in ends if p.label is Operation.ADD} == {"other_subject"}
    switched = {p.label for p in found if " moved from " in p.candidate}
    assert switched == {Operation.UPDATE, Operation.ADD}
    assert {p.label for p in found if p.existing.endswith("in Portugal") and p.family == "more_precise"} == {"UPDATE"}
    assert all(p.label is Operation.ADD for p in found if "might move" in p.candidate)


def test_a_value_beside_another_adds_where_there_may_be_many(entries, pairs):
    cardinality = {f"gen:{e.name}": e.cardinality for e in entries}
    assert {cardinality[p.group] for p in pairs if p.family == "several_values"} == {"many"}


def test_one_entry_does_not_change_what_another_gives(entries):
    alone = {p.key for p in generate(entries[:1])}
    among = {p.key for p in generate(entries[:3]) if p.group == f"gen:{entries[0].name}"}
    assert alone == among


def test_everything_that_is_wrong_is_told_at_once(tmp_path):
    told = wrong(
        tmp_path,
        HOME.replace('"one"', '"two"').replace('"{s} might move to {v}"', '"{s} might {move}"') + HOME
        + '[[entry]]\nname = "x"\nsays = ["{s} is {v}"]\nnarrower = [["a"]]\nodd = 1\n',
    )  # fmt: skip
    for part in ("entry 1 (residence): cardinality 'two'", "'{s} might {move}'", "entry 3 (x): unknown key 'odd'",
                 "'attribute' must be a text", "'narrower' must be a list of pairs", "'says' wants 2"):  # fmt: skip
        assert part in told


def test_a_name_stands_once_and_a_file_holds_entries(tmp_path):
    assert "'residence' stands twice" in wrong(tmp_path, HOME + HOME)
    assert "no [[entry]]" in wrong(tmp_path, "")
    assert "cannot be read" in wrong(tmp_path, "[[entry]")


def test_entries_are_frozen_tuples(entries):
    assert isinstance(entries[0], Entry) and isinstance(entries[0].narrower[0], tuple)
    assert len(entries) > 50 and "{s}" in entries[0].templates[0]
