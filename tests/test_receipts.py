"""Every message has its receipt: repeated ones, empty ones, commands, and what is taken back at once."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from memory_kit import events, tell, texts

from engine import Memory
from engine.durable import Gate
from engine.errors import InputError, ModelError, ScopeError
from engine.lexicon import load
from engine.messages import mended, read_messages
from engine.settings import artefact
from training.pairs import read_pairs
from training.sentences import read_sentences


class TestRepeated:
    @pytest.mark.parametrize("infer", [True, False])
    def test_a_repeated_message_is_a_noop_for_each_memory_it_had_touched(self, memory: Memory, infer: bool) -> None:
        asked: dict[str, Any] = {"user_id": "ana", "timestamp": "2026-01-05", "infer": infer}
        first = memory.add("I live in Leeds and work at Nokia.", **asked)
        again = memory.add("I live in Leeds and work at Nokia.", **asked)
        assert events(again["results"]) == ["NOOP"] * len(first["results"])
        for key in ("id", "memory", "decision_id", "message_id", "version"):
            assert [r[key] for r in again["results"]] == [r[key] for r in first["results"]]

    def test_a_memory_that_was_purged_is_not_named(self, memory: Memory) -> None:
        (made,) = tell(memory, "2026-01-05", "I live in Leeds.")
        memory.purge(memory_id=made["id"])
        assert events(tell(memory, "2026-01-05", "I live in Leeds.")) == ["ADD"]

    def test_a_repeated_command_forgets_nothing_more(self, memory: Memory) -> None:
        tell(memory, "2026-01-05", "I have a dog named Rufus.")
        order = {"role": "user", "content": "Forget my dog.", "id": "m1"}
        assert events(memory.add(order, user_id="ana")["results"]) == ["DELETE"]
        tell(memory, "2026-02-05", "I have a dog named Bello.")
        assert events(memory.add(order, user_id="ana")["results"]) == ["NOOP"]
        assert len(texts(memory)) == 1 and memory.verify() == []

    def test_a_repeated_scratch_that_takes_nothing_more_back(self, memory: Memory) -> None:
        tell(memory, "2026-01-05", "I work at Nokia.", "I have a dog named Rufus.")
        order = {"role": "user", "content": "Scratch that.", "id": "m1"}
        assert events(memory.add(order, user_id="ana")["results"]) == ["DELETE"]
        assert events(memory.add(order, user_id="ana")["results"]) == ["NOOP"]
        assert texts(memory) == ["user works at Nokia"]
        assert events(tell(memory, "2026-01-06", "Scratch that.")) == ["DELETE"]
        assert texts(memory) == []


class TestSkipped:
    @pytest.mark.parametrize(
        ("text", "reason"),
        [("🎉", "empty"), ("\u200b", "empty"), ("\x00\x07", "empty"), ("\ud800", "empty"), ("lol", "greeting")],
    )
    def test_a_message_of_which_nothing_is_left_is_told(self, memory: Memory, text: str, reason: str) -> None:
        told = memory.add([text, "I work at Nokia."], user_id="ana")
        (left,) = told["skipped"]
        assert reason in left["reason"] and len(told["results"]) == 1

    def test_the_receipt_of_a_long_message_is_short(self, memory: Memory) -> None:
        (left,) = memory.add("I like canoes. " * 6667, user_id="ana")["skipped"]
        assert len(left["text"]) == 201 and left["text"].endswith("…")

    def test_what_is_taken_back_in_the_next_breath_was_never_said(self, memory: Memory) -> None:
        tell(memory, "2026-01-05", "I work at Nokia.")
        told = memory.add("I have a canoe. Scratch that.", user_id="ana", timestamp="2026-01-06")
        assert told["results"] == [] and "same message" in told["skipped"][-1]["reason"]
        assert texts(memory) == ["user works at Nokia"]


class TestForgetting:
    def test_what_is_yet_to_begin_is_forgotten_as_well(self, memory: Memory) -> None:
        tell(memory, "2027-05-05", "I have lived in Leeds since March 2027.")
        assert texts(memory) == [] and texts(memory, as_of="2027-06-01")
        memory.add("Forget that I live in Leeds.", user_id="ana")
        assert texts(memory, as_of="2027-06-01") == []

    def test_deleting_all_is_of_the_labels_that_were_named(self, memory: Memory) -> None:
        memory.add("I live in Leeds.", user_id="ana", agent_id="bot")
        memory.add("I work at Nokia.", user_id="ana")
        assert memory.delete_all(user_id="ana", agent_id="bot")["deleted"] == 1
        assert texts(memory) == ["user works at Nokia"]


class TestText:
    @pytest.mark.parametrize(
        ("text", "plain"), [("a\ud800b", "ab"), ("\ud83d\ude00", "😀"), ("\udc00\ud800", ""), ("Zoë 😀", "Zoë 😀")]
    )
    def test_lone_surrogates_go(self, text: str, plain: str) -> None:
        assert mended(text) == plain

    def test_ids_and_names_are_mended_too(self, memory: Memory) -> None:
        now = memory.clock()
        (one,) = read_messages({"content": "x\ud800", "name": "Zoë\ud800", "id": "m\udc001"}, now=now)
        assert (one.content, one.name, one.id) == ("x", "Zoë", "m1")
        assert read_messages(one, now=now) == [one]
        with pytest.raises(InputError, match="name"):
            read_messages({"content": "x", "name": "\ud800"}, now=now)
        with pytest.raises(InputError, match="blank"):
            read_messages({"content": "x", "id": "\ud800"}, now=now)

    @pytest.mark.parametrize("value", ["a\ud800", "a\x00", "a\nb", "\x7f"])
    @pytest.mark.parametrize("name", ["user_id", "agent_id", "run_id"])
    def test_ids_that_cannot_be_told_apart_are_refused(self, memory: Memory, name: str, value: str) -> None:
        for call in (
            lambda: memory.add("I live in Leeds.", **{name: value}),
            lambda: memory.get("x", **{name: value}),
            lambda: memory.search("x", **{name: value}),
            lambda: memory.history("x", **{name: value}),
        ):
            with pytest.raises(ScopeError, match=name):
                call()

    def test_surrogates_anywhere_else_do_no_harm(self, memory: Memory) -> None:
        (made,) = tell(memory, "2026-01-05", "I live in Leeds.")
        memory.update(made["id"], "user lives in Hull\ud800")
        assert texts(memory) == ["user lives in Hull"]
        assert memory.search("Hull\ud800", user_id="ana")["results"]
        assert memory.get("x\ud800") is None
        with pytest.raises(InputError, match="JSON"):
            memory.update(made["id"], "user lives in Rome", metadata={"x": "\ud800"})
        assert texts(memory) == ["user lives in Hull"]
        memory.delete(made["id"], reason="moved\ud800")
        assert memory.history(made["id"])[-1]["reason"] == "moved" and memory.verify() == []

    def test_lines_of_labelled_data_end_at_line_feeds_only(self, tmp_path: Any) -> None:
        odd = "user likes\u2028tea\x85 now"
        pair = {"existing": odd, "candidate": "user is tall", "label": "ADD"}
        (tmp_path / "pairs.jsonl").write_text(json.dumps(pair, ensure_ascii=False) + "\n", encoding="utf-8")
        assert [p.existing for p in read_pairs([tmp_path / "pairs.jsonl"])] == [odd]
        row = json.dumps({"text": odd, "label": "keep"}, ensure_ascii=False)
        (tmp_path / "sentences.jsonl").write_text(row, encoding="utf-8")
        assert [s.text for s in read_sentences([tmp_path / "sentences.jsonl"])] == [odd]


class TestGateFile:
    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("scale", 0.0), ("scale", -1.0), ("mean", float("nan")), ("coef", float("inf")), ("meaning", float("nan")),
            ("intercept", float("nan")), ("threshold", 2), ("threshold", float("nan")), ("mean", None),
            ("meaning", [[1.0]]), ("meaning", []), ("intercept", "x"),
        ],
    )  # fmt: skip
    def test_a_damaged_part_is_refused(self, tmp_path: Any, key: str, value: Any) -> None:
        content = json.loads(artefact("gate.json").read_text())
        if isinstance(content[key], list) and not isinstance(value, list):
            content[key] = content[key][1:] if value is None else [value, *content[key][1:]]
        else:
            content[key] = value
        (tmp_path / "gate.json").write_text(json.dumps(content))
        with pytest.raises(ModelError, match="train --what gate"):
            Gate.load(tmp_path / "gate.json")

    def test_another_order_is_told_as_such(self, tmp_path: Any) -> None:
        content = json.loads(artefact("gate.json").read_text())
        content["signals"][:2] = content["signals"][1::-1]
        (tmp_path / "gate.json").write_text(json.dumps(content))
        with pytest.raises(ModelError, match=r"F046.*another order"):
            Gate.load(tmp_path / "gate.json")
        assert np.isfinite(Gate.load(artefact("gate.json")).mean).all()


def test_everything_wrong_in_the_users_lexicons_is_told_at_once(tmp_path: Any) -> None:
    (tmp_path / "one.toml").write_text(
        'b = 1\n[a]\nkind = "sometimes"\nstaets = ["own *"]\nends = 3\nstarts = ["own {nothing}", "give * to *"]\n'
        '[residence]\ncardinality = "many"\n[classes.toy]\nwords = "yo-yo"\nsize = 3\n'
    )
    (tmp_path / "two.toml").write_text('[c]\ncardinality = "few"\nlasting = "yes"\nstates = ["play with {toy}"]\n')
    with pytest.raises(InputError) as told:
        load((tmp_path / "one.toml", tmp_path / "two.toml"))
    text = str(told.value)
    for part in ("one.toml: [b]", "one.toml: [a] kind 'sometimes'", "did you mean 'states'", "[a] ends must be a list",
                 "unknown class nothing", "more than one slot", "[residence] cardinality", "[classes.toy] words",
                 "unknown key 'size'", "two.toml: [c] cardinality 'few'", "[c] lasting"):  # fmt: skip
        assert part in text, part
    assert "unknown class toy" not in text
