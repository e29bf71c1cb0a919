"""``Memory``: every method of the public surface, on a real store with an injected clock."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Opener
from memory_kit import NOW, Watch, events, open_memory, tell, texts
from rich.console import Console

from engine import Memory
from engine.cli.waterfall import draw
from engine.errors import FilterError, InputError, NotFoundError, ScopeError
from engine.explain import as_text, explanation
from engine.types import Operation

RECEIPT = {"id", "memory", "event", "previous_memory", "version", "confidence", "decision_id", "message_id"}
FIELDS = {
    "id", "memory", "kind", "subject", "predicate", "object", "attribute", "polarity", "modality", "hash", "version",
    "metadata", "created_at", "updated_at", "valid_from", "valid_to", "user_id", "agent_id", "run_id",
    "actor_id", "role", "sources",
}  # fmt: skip
ROWS = {
    "id", "memory_id", "old_memory", "new_memory", "event", "created_at", "updated_at", "is_deleted",
    "actor_id", "role", "version", "reason", "decision_id", "source",
}  # fmt: skip


def one(memory: Memory, text: str = "I live in Leeds.", when: str = "2026-01-05", user: str = "ana") -> dict[str, Any]:
    """Adds a message that makes one memory; returns its receipt."""
    (done,) = tell(memory, when, text, user=user)
    assert done["event"] == "ADD"
    return done


def changed(memory: Memory) -> tuple[str, str]:
    """A memory with two versions, by hand; its id and the decision of the second."""
    made = one(memory)
    memory.update(made["id"], "user lives in Bergen", timestamp="2026-02-01")
    return made["id"], memory.history(made["id"])[-1]["decision_id"]


def dump(memory: Memory, user: str = "ana") -> str:
    kept = memory.get_all(user_id=user, include_history=True)["results"]
    return json.dumps([kept, [memory.history(m["id"]) for m in kept]], sort_keys=True)


class TestAdd:
    def test_a_receipt_for_each_memory_and_each_skip(self, memory: Memory) -> None:
        told = memory.add("I live in Leeds. Where can I eat?", user_id="ana", timestamp="2026-01-05")
        assert set(told) == {"results", "skipped"}
        assert [set(r) for r in told["results"]] == [RECEIPT]
        assert (told["results"][0]["event"], told["results"][0]["version"]) == ("ADD", 1)
        (left,) = told["skipped"]
        assert set(left) == {"message_id", "text", "reason"}
        assert left["text"] == "Where can I eat?" and left["reason"]

    def test_a_text_a_message_and_a_list_are_taken(self, memory: Memory) -> None:
        memory.add("I live in Leeds.", user_id="ana")
        memory.add({"role": "user", "content": "I work at Nokia."}, user_id="ana")
        memory.add([{"role": "user", "content": "I have a dog named Rufus."}], user_id="ana")
        assert texts(memory) == ["user has a dog named Rufus", "user lives in Leeds", "user works at Nokia"]

    def test_three_facts_of_one_sentence_are_three_memories(self, memory: Memory) -> None:
        done = tell(memory, "2026-01-05", "I live in Denver, work remotely and have a dog.")
        assert [d["memory"] for d in done] == ["user lives in Denver", "user works remotely", "user has a dog"]
        assert events(done) == ["ADD"] * 3

    @pytest.mark.parametrize("role", ["system", "tool"])
    def test_system_and_tool_messages_are_never_ingested(self, memory: Memory, role: str) -> None:
        told = memory.add([{"role": role, "content": "I live in Leeds."}], user_id="ana", agent_id="bot")
        assert told["results"] == []
        assert "never ingested" in told["skipped"][0]["reason"]

    def test_what_the_assistant_says_is_no_fact_about_the_user(self, memory: Memory) -> None:
        told = memory.add([{"role": "assistant", "content": "You live in Leeds. I live in Hull."}], user_id="ana")
        assert told["results"] == [] and told["skipped"]

    def test_in_a_scope_with_agent_id_the_assistant_may_speak_of_itself(self, memory: Memory) -> None:
        turns = [{"role": "assistant", "content": "My name is Alma. You live in Leeds."}]
        memory.add(turns, user_id="ana", agent_id="bot")
        assert all("Leeds" not in t and not t.startswith("user") for t in texts(memory))

    def test_a_named_speaker_is_the_subject(self, memory: Memory) -> None:
        memory.add({"role": "user", "name": "Pim", "content": "I live in Mons."}, user_id="team")
        (kept,) = memory.get_all(user_id="team")["results"]
        assert (kept["memory"], kept["subject"], kept["actor_id"]) == ("Pim lives in Mons", "Pim", "Pim")
        assert kept["sources"][0]["speaker"] == "Pim"

    def test_a_messages_own_time_counts_then_the_calls_then_the_clock(self, memory: Memory) -> None:
        memory.add({"role": "user", "content": "I live in Leeds.", "timestamp": "2024-05-01"}, user_id="ana",
                   timestamp="2025-05-01")  # fmt: skip
        memory.add("I work at Nokia.", user_id="ana", timestamp=1746057600)
        memory.add("I have a dog named Rufus.", user_id="ana")
        stamps = {m["memory"]: m["sources"][0]["timestamp"] for m in memory.get_all(user_id="ana")["results"]}
        assert stamps["user lives in Leeds"] == "2024-05-01T00:00:00Z"
        assert stamps["user works at Nokia"] == "2025-05-01T00:00:00Z"
        assert stamps["user has a dog named Rufus"] == "2026-09-01T12:00:00Z"

    def test_metadata_is_carried(self, memory: Memory) -> None:
        memory.add("I live in Leeds.", user_id="ana", metadata={"tag": "home", "n": 3})
        assert memory.get_all(user_id="ana")["results"][0]["metadata"] == {"tag": "home", "n": 3}

    def test_without_inference_each_message_is_stored_verbatim(self, memory: Memory) -> None:
        turns = [{"role": "user", "content": "Where can I eat?"}, {"role": "assistant", "content": "At Nando's."}]
        told = memory.add(turns, user_id="ana", infer=False)
        assert [r["memory"] for r in told["results"]] == ["Where can I eat?", "At Nando's."]
        assert texts(memory) == ["At Nando's.", "Where can I eat?"]
        again = memory.add(turns, user_id="ana", infer=False)
        assert memory.get_all(user_id="ana")["total"] == 2
        assert [r["event"] for r in again["results"]] == ["NOOP", "NOOP"] or again["skipped"]

    def test_the_same_message_twice_changes_nothing_and_says_so(self, memory: Memory) -> None:
        first = memory.add("I live in Leeds.", user_id="ana", timestamp="2026-01-05")
        before = dump(memory)
        second = memory.add("I live in Leeds.", user_id="ana", timestamp="2026-01-05")
        assert len(first["results"]) == 1
        assert dump(memory) == before
        assert second["results"] or second["skipped"], "text in, and no word of what became of it"

    def test_a_conversation_goes_on_over_calls(self, memory: Memory) -> None:
        tell(memory, "2026-01-05", "My sister Ilse lives in Bremen.", "She works at Bosch.")
        assert "user's sister Ilse works at Bosch" in texts(memory)

    def test_a_bare_answer_is_understood_from_the_turn_before(self, memory: Memory) -> None:
        memory.add([{"role": "assistant", "content": "Do you have any pets?"}], user_id="ana")
        tell(memory, "2026-01-05", "Yes, two cats.")
        assert any("two cats" in t for t in texts(memory))

    def test_nothing_is_stored_when_one_message_is_wrong(self, memory: Memory) -> None:
        with pytest.raises(InputError, match="message 1"):
            memory.add(["I live in Leeds.", {"role": "boss", "content": "x"}], user_id="ana")
        assert texts(memory) == []


class TestScope:
    @pytest.mark.parametrize("ids", [{}, {"user_id": ""}, {"user_id": "  "}, {"agent_id": ""}])
    def test_every_write_and_read_asks_whose_it_is(self, memory: Memory, ids: dict[str, str]) -> None:
        for call in (
            lambda: memory.add("I live in Leeds.", **ids),
            lambda: memory.search("Leeds", **ids),
            lambda: memory.get_all(**ids),
            lambda: memory.profile(**ids),
            lambda: memory.review(**ids),
            lambda: memory.delete_all(**ids),
            lambda: memory.purge(**ids),
        ):
            with pytest.raises(ScopeError):
                call()

    def test_another_tenants_memory_is_not_found_by_id(self, memory: Memory) -> None:
        memory_id, decision_id = changed(memory)
        before = dump(memory)
        assert memory.get(memory_id, user_id="eve") is None
        for call in (
            lambda: memory.history(memory_id, user_id="eve"),
            lambda: memory.update(memory_id, "user lives in Rome", user_id="eve"),
            lambda: memory.delete(memory_id, user_id="eve"),
            lambda: memory.restore(memory_id, 1, user_id="eve"),
            lambda: memory.purge(memory_id=memory_id, user_id="eve"),
            lambda: memory.explain(decision_id, user_id="eve"),
            lambda: memory.undo(decision_id, user_id="eve"),
            lambda: memory.feedback(decision_id, "ADD", user_id="eve"),
            lambda: memory.explain(decision_id, agent_id="eve"),
            lambda: memory.undo(decision_id, run_id="eve"),
        ):
            with pytest.raises(NotFoundError):
                call()
        assert dump(memory) == before

    def test_a_missing_memory_and_another_tenants_are_told_alike(self, memory: Memory) -> None:
        memory_id = one(memory)["id"]
        with pytest.raises(NotFoundError) as foreign:
            memory.history(memory_id, user_id="eve")
        with pytest.raises(NotFoundError) as missing:
            memory.history("no-such-id", user_id="eve")
        assert str(foreign.value).replace(memory_id, "X") == str(missing.value).replace("no-such-id", "X")

    def test_tenants_do_not_see_or_touch_each_other(self, memory: Memory) -> None:
        tell(memory, "2026-01-05", "I live in Leeds.", user="ana")
        tell(memory, "2026-02-05", "I live in Bergen.", user="eve")
        assert texts(memory, "ana") == ["user lives in Leeds"]
        assert texts(memory, "eve") == ["user lives in Bergen"]
        assert memory.search("where do they live", user_id="zoe")["results"] == []

    def test_labels_narrow_what_is_read(self, memory: Memory) -> None:
        memory.add("I live in Leeds.", user_id="ana", agent_id="bot")
        memory.add("I work at Nokia.", user_id="ana", agent_id="nurse")
        assert memory.get_all(user_id="ana")["total"] == 2
        assert [m["memory"] for m in memory.get_all(user_id="ana", agent_id="bot")["results"]] == [
            "user lives in Leeds"
        ]

    def test_a_repetition_attaches_only_labels_that_were_unset(self, memory: Memory) -> None:
        made = one(memory)
        memory.add("I live in Leeds.", user_id="ana", agent_id="bot", timestamp="2026-01-06")
        kept = memory.get(made["id"])
        assert kept is not None and (kept["user_id"], kept["agent_id"], kept["version"]) == ("ana", "bot", 1)
        memory.add("I live in Leeds.", user_id="ana", agent_id="nurse", timestamp="2026-01-07")
        kept = memory.get(made["id"])
        assert kept is not None and kept["agent_id"] == "bot"

    @pytest.mark.parametrize("key", ["user_id", "agent_id", "run_id"])
    def test_metadata_never_moves_a_memory(self, memory: Memory, key: str) -> None:
        made = one(memory)
        with pytest.raises(InputError, match="never changes"):
            memory.update(made["id"], metadata={key: "eve"})
        with contextlib.suppress(InputError):
            memory.add("I work at Nokia.", user_id="ana", metadata={key: "eve"})
        assert memory.get_all(**{key: "eve"})["total"] == 0

    def test_an_id_may_stand_in_the_filters(self, memory: Memory) -> None:
        one(memory)
        assert memory.get_all(filters={"user_id": "ana"})["total"] == 1
        assert memory.search("Leeds", filters={"AND": [{"user_id": "ana"}]})["results"]
        assert memory.get_all(user_id="eve", filters={"user_id": "ana"})["total"] == 0


class TestReading:
    @pytest.fixture
    def full(self, memory: Memory) -> Memory:
        lines = [f"note number {n}" for n in range(25)]
        for n, line in enumerate(lines):
            memory.add(line, user_id="ana", infer=False, timestamp=f"2026-01-{n + 1:02}", metadata={"n": n})
        return memory

    def test_a_memory_has_every_field(self, memory: Memory) -> None:
        kept = memory.get(one(memory)["id"])
        assert kept is not None and set(kept) >= FIELDS
        assert kept["hash"] == hashlib.md5(kept["memory"].encode()).hexdigest()
        assert (kept["kind"], kept["subject"], kept["attribute"]) == ("state", "user", "residence")
        assert (kept["polarity"], kept["modality"], kept["object"]) == ("positive", "asserted", "Leeds")
        assert kept["created_at"] == "2026-09-01T12:00:00Z"
        (source,) = kept["sources"]
        assert source["text"] == "I live in Leeds." and source["timestamp"] == "2026-01-05T00:00:00Z"

    def test_paging_tells_the_total_and_cuts_nothing_in_silence(self, full: Memory) -> None:
        assert full.get_all(user_id="ana")["total"] == 25
        assert len(full.get_all(user_id="ana")["results"]) == 25
        pages = [full.get_all(user_id="ana", top_k=10, offset=o) for o in (0, 10, 20, 30)]
        assert [len(p["results"]) for p in pages] == [10, 10, 5, 0]
        assert {p["total"] for p in pages} == {25}
        seen = [m["id"] for p in pages for m in p["results"]]
        assert seen == [m["id"] for m in full.get_all(user_id="ana")["results"]]

    @pytest.mark.parametrize("bad", [{"top_k": 0}, {"top_k": -1}, {"top_k": "5"}, {"offset": -1}, {"top_k": True}])
    def test_odd_pages_are_refused(self, full: Memory, bad: dict[str, Any]) -> None:
        with pytest.raises(InputError, match="whole number"):
            full.get_all(user_id="ana", **bad)

    @pytest.mark.parametrize(
        ("filters", "found"),
        [
            ({"n": 3}, [3]),
            ({"n": {"gte": 23}}, [23, 24]),
            ({"n": {"gt": 1, "lt": 4}}, [2, 3]),
            ({"n": {"in": [1, 99]}}, [1]),
            ({"OR": [{"n": 0}, {"n": 24}]}, [0, 24]),
            ({"NOT": [{"n": {"gte": 2}}]}, [0, 1]),
            ({"AND": [{"kind": "event"}, {"n": {"lte": 1}}]}, [0, 1]),
            ({"kind": "state"}, []),
            ({"missing": "*"}, []),
        ],
    )
    def test_filters(self, full: Memory, filters: dict[str, Any], found: list[int]) -> None:
        assert [m["metadata"]["n"] for m in full.get_all(user_id="ana", filters=filters)["results"]] == found
        hits = full.search("note", user_id="ana", filters=filters, top_k=25)["results"]
        assert sorted(m["metadata"]["n"] for m in hits) == found

    def test_an_unknown_operator_is_told(self, full: Memory) -> None:
        with pytest.raises(FilterError, match="gte"):
            full.get_all(user_id="ana", filters={"n": {"greater": 3}})

    def test_search_is_best_first_and_scored(self, memory: Memory) -> None:
        tell(memory, "2026-01-05", "I live in Leeds.", "I work at Nokia.", "I have a dog named Rufus.")
        found = memory.search("what is the dog called?", user_id="ana")["results"]
        assert found[0]["memory"] == "user has a dog named Rufus"
        scores = [m["score"] for m in found]
        assert scores == sorted(scores, reverse=True)
        assert len(memory.search("dog", user_id="ana", top_k=1)["results"]) == 1
        assert memory.search("dog", user_id="ana", threshold=1.01)["results"] == []
        assert "score_details" not in found[0]
        assert "similarity" in memory.search("dog", user_id="ana", explain=True)["results"][0]["score_details"]

    def test_searching_does_not_change_what_is_found(self, memory: Memory) -> None:
        tell(memory, "2026-01-05", "I live in Leeds.", "I work at Nokia.")
        runs = [[m["memory"] for m in memory.search("job", user_id="ana")["results"]] for _ in range(5)]
        assert all(run == runs[0] for run in runs)

    @pytest.mark.parametrize("query", ["", "   ", None, 3])
    def test_an_empty_query_is_told(self, memory: Memory, query: Any) -> None:
        with pytest.raises(InputError, match="get_all"):
            memory.search(query, user_id="ana")

    def test_another_moment_of_the_world(self, memory: Memory) -> None:
        memory_id, _ = changed(memory)
        assert texts(memory) == ["user lives in Bergen"]
        assert texts(memory, as_of="2026-01-20") == ["user lives in Leeds"]
        then = memory.get(memory_id, as_of="2026-01-20")
        assert then is not None and (then["memory"], then["version"]) == ("user lives in Leeds", 1)
        found = memory.search("where do they live", user_id="ana", as_of="2026-01-20")["results"]
        assert [m["memory"] for m in found] == ["user lives in Leeds"]

    def test_what_the_store_knew_then(self, opener: Opener) -> None:
        watch = Watch(datetime(2026, 3, 1, tzinfo=UTC))
        memory = opener(clock=watch)
        one(memory, when="2026-01-05")
        watch.forward(days=30)
        one(memory, "I work at Nokia.", when="2026-01-06")
        assert len(texts(memory)) == 2
        assert texts(memory, known_at="2026-03-10") == ["user lives in Leeds"]
        assert texts(memory, known_at="2026-02-01") == []
        found = memory.search("work", user_id="ana", known_at="2026-03-10")["results"]
        assert [m["memory"] for m in found] == ["user lives in Leeds"]

    def test_history_is_shown_when_asked(self, memory: Memory) -> None:
        memory_id, _ = changed(memory)
        memory.delete(memory_id)
        assert texts(memory) == []
        assert memory.get(memory_id) is None
        assert texts(memory, include_history=True) == ["user lives in Bergen", "user lives in Leeds"]
        found = memory.search("lives", user_id="ana", include_history=True)["results"]
        assert {m["memory"] for m in found} == {"user lives in Bergen", "user lives in Leeds"}

    def test_the_profile_is_what_is_known_now(self, memory: Memory) -> None:
        tell(memory, "2026-01-05", "I live in Leeds.", "I work at Nokia.", "I have a dog named Rufus.")
        told = memory.profile(user_id="ana")
        assert told["total"] == 3 and told["left_out"] == 0
        assert "residence: user lives in Leeds" in told["text"].splitlines()
        short = memory.profile(user_id="ana", max_chars=40)
        assert len(short["text"]) <= 40 and short["left_out"] > 0
        assert memory.profile(user_id="eve")["text"] == ""
        with pytest.raises(InputError):
            memory.profile(user_id="ana", max_chars=0)

    def test_extract_stores_nothing(self, memory: Memory) -> None:
        told = memory.extract("I live in Leeds. Where can I eat? Scratch that.")
        assert [f["memory"] for f in told["facts"]] == ["user lives in Leeds"]
        assert told["facts"][0]["span"]["text"] == "I live in Leeds."
        assert told["commands"] == [{"kind": "retract", "target": ""}]
        assert len(told["skipped"]) == 1
        assert memory.store.scope_keys() == ()


class TestByHand:
    def test_a_new_text_is_a_new_version(self, memory: Memory) -> None:
        made = one(memory)
        assert "message" in memory.update(made["id"], "user lives in Bergen")
        kept = memory.get(made["id"])
        assert kept is not None and (kept["memory"], kept["version"], kept["object"]) == (
            "user lives in Bergen", 2, "Bergen")  # fmt: skip
        assert kept["hash"] == hashlib.md5(b"user lives in Bergen").hexdigest()
        near, far = (
            memory.search(q, user_id="ana")["results"][0]["score"] for q in ("lives in Bergen", "lives in Leeds")
        )
        assert near > far, "the new text was not embedded"

    def test_metadata_alone_makes_no_version(self, memory: Memory) -> None:
        made = one(memory)
        memory.update(made["id"], metadata={"tag": "home"})
        kept = memory.get(made["id"])
        assert kept is not None and (kept["version"], kept["metadata"]) == (1, {"tag": "home"})
        assert kept["memory"] == "user lives in Leeds"

    @pytest.mark.parametrize("text", ["", "  ", 3])
    def test_a_blank_text_is_refused(self, memory: Memory, text: Any) -> None:
        made = one(memory)
        with pytest.raises(InputError):
            memory.update(made["id"], text)
        with pytest.raises(InputError, match="nothing to update"):
            memory.update(made["id"])

    def test_deleting_leaves_a_dated_tombstone(self, memory: Memory) -> None:
        made = one(memory)
        memory.delete(made["id"], reason="moved away")
        assert memory.get(made["id"]) is None
        row = memory.history(made["id"])[-1]
        assert (row["event"], row["is_deleted"], row["reason"], row["new_memory"]) == (
            "DELETE",
            True,
            "moved away",
            None,
        )
        assert row["updated_at"] == "2026-09-01T12:00:00Z"
        assert texts(memory, as_of="2026-02-01") == ["user lives in Leeds"]
        with pytest.raises(InputError, match="over already"):
            memory.delete(made["id"])

    def test_delete_all_is_of_one_scope(self, memory: Memory) -> None:
        tell(memory, "2026-01-05", "I live in Leeds.", "I work at Nokia.", user="ana")
        one(memory, user="eve")
        assert memory.delete_all(user_id="ana")["deleted"] == 2
        assert texts(memory, "ana") == [] and texts(memory, "eve") == ["user lives in Leeds"]

    def test_delete_all_takes_what_is_not_yet_true_as_well(self, memory: Memory) -> None:
        tell(memory, "2027-05-05", "I have lived in Leeds since March 2027.")
        assert texts(memory) == [] and texts(memory, as_of="2027-06-01")
        memory.delete_all(user_id="ana")
        assert texts(memory, as_of="2027-06-01") == []

    def test_history_has_a_row_for_each_event_in_order(self, memory: Memory) -> None:
        memory_id, _ = changed(memory)
        memory.delete(memory_id, "gone")
        rows = memory.history(memory_id)
        assert all(set(row) == ROWS for row in rows)
        assert [row["event"] for row in rows] == ["ADD", "UPDATE", "DELETE"]
        assert [row["old_memory"] for row in rows] == [None, "user lives in Leeds", "user lives in Bergen"]
        assert [row["new_memory"] for row in rows] == ["user lives in Leeds", "user lives in Bergen", None]
        assert [row["is_deleted"] for row in rows] == [False, False, True]
        assert all(row["updated_at"] and row["created_at"] and row["decision_id"] for row in rows)
        assert rows[0]["source"]["text"] == "I live in Leeds."
        with pytest.raises(NotFoundError):
            memory.history("nothing")

    def test_an_edit_is_undone_by_a_new_row(self, memory: Memory) -> None:
        memory_id, decision_id = changed(memory)
        assert memory.undo(decision_id)["memories"] == [memory_id]
        assert texts(memory) == ["user lives in Leeds"]
        assert len(memory.history(memory_id)) == 3
        with pytest.raises(InputError, match="taken back"):
            memory.undo(decision_id)

    def test_a_deletion_is_undone(self, memory: Memory) -> None:
        made = one(memory)
        memory.delete(made["id"])
        memory.undo(memory.history(made["id"])[-1]["decision_id"])
        assert texts(memory) == ["user lives in Leeds"]

    def test_undoing_an_add_leaves_a_tombstone(self, memory: Memory) -> None:
        made = one(memory)
        memory.undo(made["decision_id"])
        assert texts(memory) == []
        assert memory.history(made["id"])[-1]["is_deleted"]

    def test_an_old_version_is_restored_as_a_new_one(self, memory: Memory) -> None:
        memory_id, _ = changed(memory)
        assert memory.restore(memory_id, 1) == {"id": memory_id, "version": 3}
        kept = memory.get(memory_id)
        assert kept is not None and (kept["memory"], kept["version"]) == ("user lives in Leeds", 3)
        assert [r["version"] for r in memory.history(memory_id)] == [1, 2, 3]
        with pytest.raises(NotFoundError):
            memory.restore(memory_id, 9)

    def test_what_is_over_is_restored(self, memory: Memory) -> None:
        made = one(memory)
        memory.delete(made["id"])
        memory.restore(made["id"], 1)
        assert texts(memory) == ["user lives in Leeds"]

    def test_purging_a_memory_leaves_nothing_of_it(self, opener: Opener, tmp_path: Path) -> None:
        path = tmp_path / "memory.db"
        memory = opener(path)
        made = one(memory, "I live in Quibbleton.")
        one(memory, "I work at Nokia.", "2026-01-06")
        report = memory.purge(memory_id=made["id"])
        assert report["memories"] == 1 and report["versions"] == 1 and report["sources"] == 1
        assert memory.get(made["id"]) is None
        assert all("Quibbleton" not in m["memory"] for m in memory.search("Quibbleton", user_id="ana")["results"])
        with pytest.raises(NotFoundError):
            memory.history(made["id"])
        with pytest.raises(NotFoundError):
            memory.explain(made["decision_id"])
        assert texts(memory) == ["user works at Nokia"]
        memory.close()
        assert all(b"Quibbleton" not in file.read_bytes() for file in tmp_path.iterdir())

    def test_purging_a_scope_spares_the_others(self, memory: Memory) -> None:
        one(memory, user="ana")
        one(memory, user="eve")
        assert memory.purge(user_id="ana")["memories"] == 1
        assert texts(memory, "ana", include_history=True) == []
        assert texts(memory, "eve") == ["user lives in Leeds"]
        assert memory.verify() == []

    def test_reset_erases_everything(self, memory: Memory) -> None:
        one(memory, user="ana")
        memory.add("I work at Nokia.", agent_id="bot")
        memory.reset()
        assert memory.store.scope_keys() == ()
        assert memory.verify() == []


class TestDeciding:
    def test_a_dry_run_stores_nothing_and_tells_all(self, memory: Memory) -> None:
        decision = memory.decide("user lives in Bergen", existing=["user speaks Welsh", "user lives in Leeds"])
        assert decision.operation in tuple(Operation) and decision.predicted in tuple(Operation)
        assert set(decision.probabilities) == {"ADD", "UPDATE", "DELETE", "NOOP"}
        assert sum(decision.probabilities.values()) == pytest.approx(1.0)
        assert 0 <= decision.confidence <= 1 and decision.reasons
        assert (decision.resolved_fact.attribute, decision.resolved_fact.object) == ("residence", "Bergen")
        assert all(index in (0, 1) for _, index in decision.operations)
        assert memory.store.scope_keys() == ()

    def test_nothing_beside_it_is_add(self, memory: Memory) -> None:
        assert memory.decide("user lives in Bergen").operation is Operation.ADD

    @pytest.mark.parametrize(("candidate", "existing"), [("", ["a b"]), ("user is 3", [" "]), ("user is 3", [None])])
    def test_a_blank_statement_is_refused(self, memory: Memory, candidate: str, existing: list[Any]) -> None:
        with pytest.raises(InputError, match="F071"):
            memory.decide(candidate, existing)

    def test_every_decision_is_recorded_and_explained(self, memory: Memory) -> None:
        one(memory)
        for done in tell(memory, "2026-02-01", "I live in Leeds.", "I live in Bergen.", "I work at Nokia."):
            told = memory.explain(done["decision_id"])
            assert told["candidate"] and told["reasons"]
            assert told["operation"] in tuple(Operation)
            assert told["model"] == memory.model.digest
            if told["probabilities"]:
                assert sum(told["probabilities"].values()) == pytest.approx(1.0, abs=1e-4)
                assert told["existing"] and told["neighbours"] and told["threshold"] is None
                assert all(bool(n["costs"]) == (n["rule"] is None) for n in told["neighbours"])
                assert bool(told["costs"]) == (told["rule"] is None)
                assert not told["costs"] or set(told["costs"]) == set(Operation)
        with pytest.raises(NotFoundError):
            memory.explain("nothing")

    def test_what_each_operation_was_expected_to_cost_is_recorded(self, memory: Memory) -> None:
        tell(memory, "2026-01-05", "I live in Leeds.", "I own a canoe.")
        for text in ("I live in Bergen.", "I sold my canoe."):
            done = tell(memory, "2026-02-01", text)
            told = memory.explain(done[0]["decision_id"])
            possible = {o: c for o, c in told["costs"].items() if o not in told["ruled_out"]}
            assert min(possible, key=lambda o: possible[o]) == told["operation"]
            assert set(told["ruled_out"]) == ({"ADD", "DELETE", "NOOP"} if "Bergen" in text else set())

    def test_a_record_of_the_time_of_the_threshold_is_still_explained(self, memory: Memory) -> None:
        one(memory)
        (done,) = tell(memory, "2026-02-01", "I live in Bergen.")
        kept = memory.store.decision(done["decision_id"]).record
        kept = {k: v for k, v in kept.items() if k != "overwrite_cost"} | {"threshold": 0.833333}
        old = [{k: v for k, v in n.items() if k not in ("costs", "ruled_out")} for n in kept["neighbours"]]
        told = explanation(done["decision_id"], kept | {"neighbours": old})
        assert (told.costs, told.ruled_out, told.threshold) == ({}, {}, 0.833333)
        assert "a change of what is stored needed 0.83" in as_text(told)
        drawn = Console(file=io.StringIO(), width=100)
        draw(told.as_dict(), drawn)
        assert "a change of what is stored needed 0.83" in drawn.file.getvalue()

    def test_the_bars_make_the_log_odds(self, memory: Memory) -> None:
        one(memory)
        (done,) = tell(memory, "2026-02-01", "I live in Leeds.")
        told = memory.explain(done["decision_id"])
        p = np.array([told["probabilities"][c] for c in memory.model.classes])
        k = memory.model.classes.index(told["label"])
        logits = np.log(np.maximum(p, 1e-12))
        if p.min() > 1e-4:
            odds = logits[k] - np.delete(logits, k).mean()
            assert told["prior"] + sum(b["contribution"] for b in told["bars"]) == pytest.approx(odds, abs=0.5)

    def test_values_can_be_hidden(self, memory: Memory) -> None:
        done = one(memory)
        tell(memory, "2026-02-01", "I live in Leeds.")
        assert "Leeds" not in json.dumps(memory.explain(done["decision_id"], hide_values=True))

    def test_a_hand_made_change_is_explained_too(self, memory: Memory) -> None:
        _, decision_id = changed(memory)
        told = memory.explain(decision_id)
        assert (told["operation"], told["candidate"]) == ("UPDATE", "user lives in Bergen")

    def test_feedback_mends_the_store_and_files_the_pair(self, memory: Memory) -> None:
        one(memory)
        (same,) = tell(memory, "2026-02-01", "I live in Leeds.")
        assert same["event"] == "NOOP"
        told = memory.feedback(same["decision_id"], "ADD")
        assert told["pair"]["existing"] == told["pair"]["candidate"] == "user lives in Leeds"
        assert told["pair"]["label"] == "ADD" and told["changed"]
        assert texts(memory) == ["user lives in Leeds", "user lives in Leeds"]
        assert memory.verify() == []

    @pytest.mark.parametrize("operation", ["UPDATE", "DELETE", "NOOP"])
    def test_feedback_of_every_kind_leaves_a_sound_store(self, memory: Memory, operation: str) -> None:
        first = one(memory)
        done = tell(memory, "2026-02-01", "I moved to Bergen.")[-1]
        memory.feedback(done["decision_id"], operation)
        assert memory.verify() == []
        live = texts(memory)
        if operation == "UPDATE":
            assert len(live) == 1 and "Bergen" in live[0]
            assert memory.history(first["id"])[-1]["event"] == "UPDATE"
        if operation == "DELETE":
            assert "user lives in Leeds" not in live
        if operation == "NOOP":
            assert live == ["user lives in Leeds"]

    def test_feedback_keeps_labels_and_metadata(self, memory: Memory) -> None:
        first = one(memory)
        again = {"user_id": "ana", "agent_id": "bot", "run_id": "r1", "metadata": {"tag": "x"}}
        (same,) = memory.add("I live in Leeds.", timestamp="2026-02-01", **again)["results"]
        memory.feedback(same["decision_id"], "ADD")
        (added,) = (m for m in memory.get_all(user_id="ana")["results"] if m["id"] != first["id"])
        assert (added["agent_id"], added["run_id"], added["metadata"]) == ("bot", "r1", {"tag": "x"})

    def test_feedback_is_checked(self, memory: Memory) -> None:
        done = one(memory)
        with pytest.raises(InputError, match="none of"):
            memory.feedback(done["decision_id"], "MERGE")
        with pytest.raises(InputError, match="no memory"):
            memory.feedback(done["decision_id"], "UPDATE")

    def test_review_lists_what_was_held_back_until_it_is_judged(self, opener: Opener) -> None:
        memory = opener(overwrite_cost=1e9)
        one(memory, "I drink coffee.")
        tell(memory, "2026-02-01", "I do not drink coffee.")
        waiting = memory.review(user_id="ana")
        assert len(waiting) == 1 and waiting[0]["operation"] == "ADD" and waiting[0]["label"] == "DELETE"
        assert texts(memory) == ["user does not drink coffee", "user drinks coffee"]
        memory.feedback(waiting[0]["decision_id"], "DELETE")
        assert memory.review(user_id="ana") == []
        assert "user drinks coffee" not in texts(memory)


TALK = [
    ("2026-01-05", "I live in Leeds and work at Nokia."), ("2026-01-06", "My sister Ilse lives in Bremen."),
    ("2026-01-07", "She works at Bosch. Thanks!"), ("2026-02-01", "I moved to Bergen."),
    ("2026-02-02", "I have a dog named Rufus."), ("2026-02-02", "I have a dog named Rufus."),
    ("2026-03-01", "Rufus died."), ("2026-03-02", "I quit my job at Nokia. Forget my sister."),
    ("2026-03-03", "I bought a canoe. Scratch that."),
]  # fmt: skip


class TestTheWhole:
    def test_the_same_input_and_clock_give_the_same_store(self, opener: Opener) -> None:
        dumps = []
        for _ in range(2):
            memory = opener(clock=Watch())
            done = [memory.add(text, user_id="ana", timestamp=when) for when, text in TALK]
            dumps.append(json.dumps(done) + dump(memory))
        assert dumps[0] == dumps[1]

    def test_one_call_or_many_make_the_same_store(self, opener: Opener) -> None:
        one_by_one, at_once = opener(clock=Watch()), opener(clock=Watch())
        turns = [
            {"role": "user", "content": text, "timestamp": when, "id": f"m{n}"} for n, (when, text) in enumerate(TALK)
        ]
        for turn in turns:
            one_by_one.add(turn, user_id="ana")
        at_once.add(turns, user_id="ana")
        assert texts(one_by_one, include_history=True) == texts(at_once, include_history=True)

    def test_a_file_is_opened_again_with_all_that_is_in_it(self, opener: Opener, tmp_path: Path) -> None:
        first = opener(tmp_path / "memory.db")
        for when, text in TALK:
            first.add(text, user_id="ana", timestamp=when)
        before = dump(first)
        first.close()
        second = opener(tmp_path / "memory.db")
        assert dump(second) == before and second.verify() == []
        tell(second, "2026-04-01", "My sister Ilse plays chess.", "She drives a Fiat Panda.")
        assert any("Panda" in t for t in texts(second))

    def test_two_memories_on_one_file_see_each_other(self, opener: Opener, tmp_path: Path) -> None:
        one_, two = opener(tmp_path / "memory.db"), opener(tmp_path / "memory.db")
        made = one(one_)
        assert texts(two) == ["user lives in Leeds"]
        assert events(tell(two, "2026-01-06", "I live in Leeds.")) == ["NOOP"]
        two.update(made["id"], "user lives in Bergen")
        assert texts(one_) == ["user lives in Bergen"]
        assert events(tell(one_, "2026-10-01", "I live in Bergen.")) == ["NOOP"]
        assert one_.get_all(user_id="ana")["total"] == 1

    def test_threads_write_side_by_side(self, opener: Opener, tmp_path: Path) -> None:
        memory = opener(tmp_path / "memory.db")
        failures: list[BaseException] = []

        def work(user: str) -> None:
            try:
                tell(memory, "2026-01-05", "I live in Leeds.", "I work at Nokia.", "I live in Leeds.", user=user)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(f"user{n % 3}",)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        assert [texts(memory, f"user{n}") for n in range(3)] == [["user lives in Leeds", "user works at Nokia"]] * 3
        assert memory.verify() == []

    def test_the_index_is_a_cache(self, memory: Memory) -> None:
        tell(memory, "2026-01-05", "I live in Leeds.", "I work at Nokia.")
        before = memory.search("job", user_id="ana")["results"]
        memory.rebuild_index()
        assert [m["id"] for m in memory.search("job", user_id="ana")["results"]] == [m["id"] for m in before]
        assert events(tell(memory, "2026-01-06", "I work at Nokia.")) == ["NOOP"]

    def test_encode_gives_unit_vectors(self, memory: Memory) -> None:
        vectors = memory.encode(["user lives in Leeds", "user works at Nokia"])
        assert vectors.dtype == np.float32 and vectors.shape == (2, 384)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)

    def test_a_context_closes_it(self, tmp_path: Path) -> None:
        with open_memory(tmp_path / "memory.db") as memory:
            one(memory)
        with pytest.raises(Exception, match="closed"):
            texts(memory)

    def test_from_config(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        with Memory.from_config({"db": str(tmp_path / "own.db"), "overwrite_cost": 9}, clock=lambda: NOW) as memory:
            assert memory.settings.overwrite_cost == 9.0
        assert (tmp_path / "own.db").exists()
        with pytest.raises(InputError, match="overwrite_cost"):
            Memory.from_config({"overwrite_costs": 9})

    def test_the_surface_is_whole(self, memory: Memory) -> None:
        methods = (
            "add extract search get get_all profile update delete delete_all undo restore purge history decide explain "
        )
        methods += "review feedback encode export import_ verify rebuild_index reset close"
        assert not [name for name in methods.split() if not callable(getattr(memory, name, None))]
        import engine

        assert hasattr(engine, "AsyncMemory")


def test_a_second_answer_is_refused_where_the_first_mended_the_store(memory: Memory) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.")
    (moved,) = tell(memory, "2026-02-05", "I live in Bergen.")
    assert memory.feedback(moved["decision_id"], "ADD")["changed"]
    held = sorted(texts(memory))
    assert not memory.feedback(moved["decision_id"], "ADD")["changed"]  # the same once more
    with pytest.raises(InputError, match=r"F089.*update, delete or restore"):
        memory.feedback(moved["decision_id"], "NOOP")
    assert sorted(texts(memory)) == held
    assert json.loads(memory.store.decision(moved["decision_id"]).feedback)["label"] == "ADD"


def test_what_was_undone_is_labelled_and_the_store_left_alone(memory: Memory) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.")
    (moved,) = tell(memory, "2026-02-05", "I live in Bergen.")
    memory.undo(moved["decision_id"])
    held = sorted(texts(memory))
    assert not memory.feedback(moved["decision_id"], "ADD")["changed"]
    assert sorted(texts(memory)) == held
