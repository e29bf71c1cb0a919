"""Learnt attributes: where the lexicon is silent they are given, where they are not clear they are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from facts_kit import extracted, readings
from memory_kit import open_memory, shared_encoder, tell, texts

from engine import lexicon
from engine.attribution import (
    FITTING,
    OTHER,
    TESTS,
    Attribution,
    as_written,
    features_of,
    fitting_value,
    matrix,
    with_attribute,
)
from engine.errors import InputError, ModelError
from engine.settings import artefact
from engine.types import Effect, Fact, Kind, Modality, Operation, Polarity, Qualifier, Tense
from training.attributes import (
    Said,
    choose_floors,
    cross_fitted,
    prepare,
    thresholds_of,
)
from training.evaluate_sentences import attributes_text, evaluate_attributes, evaluate_gate, gate_text
from training.pairs import LabelledPair
from training.sentences import LabelledSentence, read_sentences, shipped
from training.train_attributes import as_json, train_attributes

LEXICON = lexicon.load()


def model() -> Attribution:
    return Attribution.load(artefact("attributes.json"))


def fact(predicate: str, value: str, *beside: str, subject: str = "user", **slots: Any) -> Fact:
    text = f"{subject} {predicate} {value} {' '.join(beside)}".strip()
    return Fact(subject, predicate, value, text, qualifiers=tuple(Qualifier("other", b) for b in beside), **slots)


class TestFitting:
    def test_every_kind_of_value_is_known(self) -> None:
        for attribute, wanted in FITTING.items():
            assert attribute in LEXICON.attributes
            for kind in wanted.split():
                assert kind.strip("{}") in LEXICON.classes if kind.startswith("{") else kind in TESTS, kind

    @pytest.mark.parametrize(
        ("attribute", "said", "value"),
        [
            ("residence", fact("hang", "my hat", "in Tulsa"), "Tulsa"),
            ("residence", fact("call home", "Pune"), "Pune"),
            ("residence", fact("hang", "my hat", "on a nail"), None),
            ("residence", fact("be at", "gate", "in Oslo"), None),
            ("employer", fact("clock in at", "Tesco"), "Tesco"),
            ("employer", fact("clock in at", "Denver"), None),
            ("employer", fact("clock in at", "nine"), None),
            ("occupation", fact("make", "ends", "as a plumber"), "plumber"),
            ("occupation", fact("make", "ends", "as a rule"), None),
            ("age", fact("push", "sixty"), "sixty"),
            ("age", fact("push", "sixty parcels"), None),
            ("age", fact("push", "900"), None),
            ("wake_time", fact("crawl out of", "bed", "at six"), "six"),
            ("wake_time", fact("crawl out of", "bed", "with a groan"), None),
            ("name", fact("answer to", "Bettina"), "Bettina"),
            ("name", fact("answer to", "the bell"), None),
            ("living_situation", fact("share", "a roof", "with my aunt"), "aunt"),
        ],
    )
    def test_the_value_is_of_the_right_kind(self, attribute: str, said: Fact, value: str | None) -> None:
        assert fitting_value(said, attribute, LEXICON) == value


class TestWhoMayHaveIt:
    @pytest.mark.parametrize(
        ("slots", "given"),
        [
            ({}, True),
            ({"subject": "user's sister"}, True),
            ({"subject": "user's wife Ana"}, True),
            ({"subject": "user's landlord"}, False),
            ({"subject": "user's company"}, False),
            ({"subject": "Airbus"}, False),
            ({"kind": Kind.EVENT}, False),
            ({"kind": Kind.PLAN}, False),
            ({"tense": Tense.PAST}, False),
            ({"modality": Modality.POSSIBLE}, False),
            ({"modality": Modality.DESIRED}, False),
            ({"polarity": Polarity.NEGATIVE}, False),
            ({"polarity": Polarity.NEGATIVE, "effect": Effect.ENDS}, True),
        ],
    )
    def test_of_an_attribute_that_holds_one_value(self, slots: dict[str, Any], given: bool) -> None:
        said = fact("hang", "my hat", "in Tulsa", **slots)
        typed = with_attribute(said, "residence", LEXICON)
        assert (typed is not None) is given
        if typed is not None:
            assert typed == said.but(attribute="residence", object="Tulsa")

    def test_what_only_seems_or_is_of_the_moment_has_none(self) -> None:
        assert with_attribute(fact("feel", "seventy"), "age", LEXICON) is None
        assert with_attribute(fact("push", "seventy", "right now"), "age", LEXICON) is None
        assert with_attribute(fact("push", "seventy"), "age", LEXICON) is not None

    def test_of_many_values_the_object_itself_has_to_fit(self) -> None:
        assert with_attribute(fact("tow", "caravan"), "vehicle", LEXICON) is not None
        assert with_attribute(fact("do", "the coast", "in a caravan"), "vehicle", LEXICON) is None
        assert with_attribute(fact("be easier than", "French", subject="Spanish"), "language", LEXICON) is None

    def test_a_plan_that_reads_as_a_state_becomes_one(self) -> None:
        typed = with_attribute(fact("have booked", "a week", "in Crete"), "appointment", LEXICON)
        assert typed is not None and typed.kind is Kind.PLAN

    def test_an_attribute_that_the_lexicon_lacks_is_not_given(self) -> None:
        assert with_attribute(fact("like", "tea"), "no such thing", LEXICON) is None


class TestFeatures:
    def test_a_persons_statement_is_compared_as_the_users(self) -> None:
        said = fact("hang", "her hat", "in Tulsa", subject="user's sister Ana")
        assert as_written(said, LEXICON) == "user hang her hat in London", "nor does the town say what is told"
        assert as_written(said.but(subject="user's company"), LEXICON).startswith("user's sister Ana")

    def test_they_name_words_values_and_whom(self) -> None:
        shown = features_of(fact("clock in at", "Tesco", "in Leeds"), LEXICON)
        assert {"says clock", "begins clock", "value organisation", "beside named place", "in named place",
                "about user"} <= set(shown)  # fmt: skip
        assert shown == tuple(sorted(set(shown)))

    def test_a_fact_without_anything_has_some(self) -> None:
        bare = Fact("user", "", "", "user", qualifiers=(Qualifier("other", ""),))
        assert "value missing" in features_of(bare, LEXICON)

    def test_unknown_features_are_passed_over(self) -> None:
        assert matrix([["a", "c"], []], ["a", "b"]).tolist() == [[1.0, 0.0], [0.0, 0.0]]


class TestTheArtefactThatShips:
    KNOWN = (
        ("I hang my hat in Bergen these days.", "residence", "Bergen"),
        ("I clock in at Walmart now.", "employer", "Walmart"),
        ("I pay the bills as a courier.", "occupation", "courier"),
        ("I crawl out of bed at six.", "wake_time", "six"),
        ("My dad is pushing eighty.", "age", "eighty"),
        ("I pop a statin every night.", "medication", "statin"),
    )
    OTHERS = (
        "I am parked outside Walmart.",
        "I hung my hat on the wrong peg in Bergen.",
        "I lost a bet over Ghent.",
        "I argued with a waiter in Rome.",
        "I filmed the courier with my phone.",
        "I counted forty geese on the canal.",
        "My landlord gets 950 a month from me.",
        "My parcel is with DHL.",
        "I have a map of Oslo over my bed.",
        "I feel seventy after that climb.",
    )
    ONE = frozenset(n for n in LEXICON.attributes if LEXICON.cardinality(n) == "one")

    def test_it_knows_words_that_the_lexicon_does_not(self) -> None:
        """All that fails is told at once: which words the lexicon knows by now may change, what they tell may not."""
        said = {text: [(f.attribute, f.object) for r in readings(text) for f in r.facts] for text, _, _ in self.KNOWN}
        assert not {text: said[text] for text, *wanted in self.KNOWN if tuple(wanted) not in said[text]}

    @pytest.mark.parametrize("text", OTHERS)
    def test_it_overwrites_nothing_by_guessing(self, text: str) -> None:
        wild = [f for r in readings(text) for f in r.facts if f.attribute in self.ONE]
        assert not wild

    def test_what_the_lexicon_knows_is_left_alone(self) -> None:
        before = extracted("I live in Denver and I play the cello.")[0]
        assert model().typed(before, shared_encoder(), LEXICON) == before

    def test_only_some_attributes_are_given_and_other_never(self) -> None:
        found = model()
        assert OTHER in found.classes and OTHER not in found.thresholds
        assert set(found.classes) - {OTHER} <= set(LEXICON.attributes)
        assert all(0.3 <= t <= 1 for t in found.thresholds.values())
        for name in found.thresholds:
            assert name in FITTING or LEXICON.cardinality(name) == "many"

    def test_it_was_good_enough_on_what_it_had_not_seen(self) -> None:
        assert model().about["precision"] >= 0.9

    def test_a_new_value_takes_the_place_of_the_old(self) -> None:
        memory = open_memory()
        tell(memory, "2026-01-10", "I live in Austin.")
        tell(memory, "2026-03-01", "I hang my hat in Tulsa these days.")
        assert texts(memory) == ["user hangs their hat in Tulsa"]

    def test_a_named_speakers_fact_keeps_its_name(self) -> None:
        memory = open_memory()
        said = {"role": "user", "name": "Ana", "content": "I clock in at Walmart now."}
        (told,) = memory.extract([said])["facts"]
        assert (told["subject"], told["attribute"], told["object"]) == ("Ana", "employer", "Walmart")


class TestDamage:
    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("temperature", 0.0), ("temperature", float("nan")), ("intercept", [0.0]), ("intercept", "x"),
            ("thresholds", {"residence": 2.0}), ("thresholds", {OTHER: 0.5}), ("thresholds", {"nothing": 0.5}),
            ("thresholds", []), ("classes", ["residence"]), ("features", []), ("coef", {}), ("meaning", None),
        ],
    )  # fmt: skip
    def test_a_damaged_part_is_refused(self, tmp_path: Path, key: str, value: Any) -> None:
        content = json.loads(artefact("attributes.json").read_text("utf-8")) | {key: value}
        (tmp_path / "attributes.json").write_text(json.dumps(content))
        with pytest.raises(ModelError, match="train --what attributes"):
            Attribution.load(tmp_path / "attributes.json")

    @pytest.mark.parametrize("content", ["", "{}", "[]", "nothing"])
    def test_what_is_no_artefact_is_refused(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "attributes.json").write_text(content)
        with pytest.raises(ModelError, match="F055"):
            Attribution.load(tmp_path / "attributes.json")


def said(*rows: tuple[str, float, bool]) -> Said:
    names, sure, right = zip(*rows, strict=True)
    return Said(np.array(names), np.array(sure), np.array(right), np.ones(len(rows), dtype=bool))


class TestThresholds:
    ROWS = said(
        *[("residence", 0.9 - i / 100, True) for i in range(6)],
        ("residence", 0.5, False),
        ("residence", 0.45, True),
        *[("pet", 0.9, True)] * 2,
        *[("hobby", 0.9, False)] * 5,
    )

    def test_they_stand_above_what_was_wrong(self) -> None:
        found = thresholds_of(self.ROWS, LEXICON, {"one": 0.4, "many": 0.4})
        assert set(found) == {"residence"}, "two right answers are no proof, wrong ones none at all"
        assert 0.5 < found["residence"] <= 0.85

    def test_nothing_is_said_below_the_floor_or_without_one(self) -> None:
        assert thresholds_of(self.ROWS, LEXICON, {"one": 0.89}) == {}
        assert thresholds_of(self.ROWS, LEXICON, {}) == {}

    def test_each_fold_is_judged_by_the_others(self) -> None:
        part = np.array([0, 0, 0, 1, 1, 1, 1, 1, *[0] * 7])
        told = cross_fitted(self.ROWS, part, LEXICON, {"one": 0.4})
        assert told.tolist() == [True] * 3 + [False] * 12, "0.88 and more was right in the one, 0.85 in the other"

    def test_a_floor_is_as_low_as_precision_allows(self) -> None:
        part = np.arange(15) % 3
        assert set(choose_floors(self.ROWS, part, LEXICON)) == {"one"}


ROOTS = ("Tulsa", "Lyon", "Ghent", "Oslo", "Porto", "Cork", "Turin", "Bergen", "Split", "Graz", "Leeds", "Faro")


def some_sentences() -> list[LabelledSentence]:
    """Two wordings that the lexicon does not know, twelve times each, and as many remarks."""
    rows = []
    for i, town in enumerate(ROOTS):
        rows.append(LabelledSentence(f"I hang my hat in {town}.", True, "", "residence", "plain", f"r{i}"))
        rows.append(LabelledSentence(f"I am knee-deep in the clocks of {town}.", True, "", "hobby", "plain", f"h{i}"))
        rows.append(LabelledSentence(f"I missed the bus in {town} today.", False, "moment", "", "chat", f"s{i}"))
        rows.append(LabelledSentence(f"The film from {town} lasts two hours.", False, "generic", "", "plain", f"g{i}"))
    return rows


def write(path: Path, rows: list[LabelledSentence]) -> Path:
    lines = [
        {"text": s.text, "label": "keep" if s.keep else "skip", "reason": s.reason, "attribute": s.attribute,
         "register": s.register, "group": s.group}
        for s in rows
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


class TestTraining:
    def test_the_same_data_write_the_same_bytes(self, tmp_path: Path) -> None:
        path = write(tmp_path / "some.jsonl", some_sentences())
        one, two = (
            train_attributes([path], tmp_path / name, replace=True, lexicon=LEXICON, encoder=shared_encoder())
            for name in ("a", "b")
        )
        assert one.files == two.files and set(one.files) == {"attributes.json"}
        assert (tmp_path / "a" / "attributes.json").read_bytes() == (tmp_path / "b" / "attributes.json").read_bytes()
        found = Attribution.load(tmp_path / "a" / "attributes.json")
        assert {"hobby", OTHER} <= set(found.classes)
        assert found.about["sentences"] == len(some_sentences())

    def test_too_little_is_refused(self, tmp_path: Path) -> None:
        path = write(tmp_path / "few.jsonl", some_sentences()[:8])
        with pytest.raises(InputError, match=r"F057.*--replace"):
            train_attributes([path], tmp_path / "a", replace=True, lexicon=LEXICON, encoder=shared_encoder())
        with pytest.raises(InputError, match="F057"):
            train_attributes([tmp_path / "none.jsonl"], tmp_path / "a", replace=True, encoder=shared_encoder())

    def test_pairs_teach_what_they_are_about(self) -> None:
        one, two = Operation.UPDATE, Operation.NOOP
        pair = LabelledPair("user earns a crust at Nestlé", "user clocks in at Bosch", one, "g1", attribute="employer")
        firm = LabelledPair(
            "user's firm makes tiles", "user's firm makes roof tiles", two, "g2", attribute="main_product"
        )
        data = prepare(some_sentences(), [pair, firm], LEXICON, shared_encoder())
        labels = {f.text: str(label) for f, label in zip(data.facts, data.labels, strict=True)}
        assert labels.get("user's firm makes roof tiles") == OTHER
        assert "user clocks in at Bosch" not in labels, "too few to judge by make no class"

    def test_a_line_for_each_class(self) -> None:
        text = as_json({"coef": {"b": [1.0], "a": [0.5]}, "temperature": 1.0, "about": {}})
        assert json.loads(text) == {"coef": {"a": [0.5], "b": [1.0]}, "temperature": 1.0, "about": {}}
        assert text.count("\n") == 8


class TestEvaluation:
    def test_of_the_attributes(self, tmp_path: Path) -> None:
        path = write(tmp_path / "some.jsonl", some_sentences())
        found = evaluate_attributes([path], replace=True, lexicon=LEXICON, encoder=shared_encoder())
        assert found.judged == sum(c.statements for c in found.classes)
        assert json.loads(json.dumps(found.as_dict()))["sentences"] == 48
        text = attributes_text(found)
        assert max(map(len, text.splitlines())) <= 100
        assert all(part in text for part in ("macro F1", "coverage", "precision", "worst", "hobby"))

    def test_of_the_gate(self, tmp_path: Path) -> None:
        path = write(tmp_path / "some.jsonl", some_sentences())
        found = evaluate_gate([path], replace=True, lexicon=LEXICON, encoder=shared_encoder())
        assert [s.label for s in found.labels] == ["keep", "skip"]
        assert sum(s.pairs for s in found.labels) == sum(p.pairs for p in found.registers) == 48
        assert found.macro_f1 == pytest.approx(sum(s.f1 for s in found.labels) / 2)
        assert {p.name for p in found.reasons} == {"moment", "generic"}
        text = gate_text(found)
        assert max(map(len, text.splitlines())) <= 100
        assert all(part in text for part in ("macro F1", "by register", "to skip, by reason", "worst: "))
        assert json.loads(json.dumps(found.as_dict()))["folds"] == 5


def test_the_sentences_that_ship_name_attributes_and_reasons() -> None:
    (path,) = [p for p in shipped() if p.name == "sentences_c.jsonl"]
    rows = read_sentences([path])
    assert all((s.attribute in LEXICON.attributes or s.attribute == OTHER) if s.keep else s.reason for s in rows)
    assert len({s.group for s in rows}) > len(rows) / 3
