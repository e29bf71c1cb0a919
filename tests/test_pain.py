"""What users of memory layers complain about, each made impossible: one test a public report, named after it."""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Opener
from memory_kit import Watch, events, open_memory, shared_encoder, tell, texts

from engine import Memory
from engine.errors import InputError, NotFoundError, ScopeError, StoreError
from engine.types import Operation


def everything(memory: Memory, user: str = "ana") -> str:
    return json.dumps(memory.get_all(user_id=user, include_history=True)["results"], sort_keys=True)


# Wrong updates and deletes.


def test_mem0_4536_contradiction_retires_and_adds_in_one_transaction(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.")
    before = everything(memory)

    def fail(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("the power went")

    with monkeypatch.context() as broken:
        broken.setattr(memory.store, "record_decision", fail)
        with pytest.raises(RuntimeError):
            tell(memory, "2026-02-05", "I live in Bergen.")
    assert everything(memory) == before
    tell(memory, "2026-02-05", "I live in Bergen.")
    assert texts(memory) == ["user lives in Bergen"]


def test_mem0_1674_saying_the_same_again_is_noop(memory: Memory) -> None:
    for day in range(1, 6):
        done = tell(memory, f"2026-01-0{day}", "I live in Leeds.")
        assert events(done) == (["ADD"] if day == 1 else ["NOOP"])
    (kept,) = memory.get_all(user_id="ana")["results"]
    assert kept["version"] == 1 and len(kept["sources"]) == 5


def test_mem0_4896_update_returns_the_new_value(memory: Memory) -> None:
    tell(memory, "2026-01-05", "My phone number is 0151 234567.")
    (done,) = tell(memory, "2026-02-05", "My phone number is 0151 999888.")
    assert done["event"] == "UPDATE"
    assert done["memory"] == "user's phone number is 0151 999888"
    assert done["previous_memory"] == "user's phone number is 0151 234567"
    assert texts(memory) == ["user's phone number is 0151 999888"]


@pytest.mark.parametrize("text", ["I live in Leeds.", "I have a dog named Rufus.", "My sister Ilse lives in Bremen."])
def test_mem0_2875_no_neighbour_means_add(memory: Memory, text: str) -> None:
    done = tell(memory, "2026-01-05", text)
    assert done[0]["event"] == "ADD"
    assert memory.explain(done[0]["decision_id"])["rule"] == "no neighbour"


def test_mem0_pr2709_an_antonym_is_a_new_version_and_a_denial_an_end(opener: Opener) -> None:
    memory = opener()
    tell(memory, "2026-01-05", "I love opera.")
    assert events(tell(memory, "2026-02-05", "I hate opera.")) == ["UPDATE"]
    assert texts(memory) == ["user hates opera"]
    memory = opener()
    tell(memory, "2026-01-05", "I like opera.")
    done = tell(memory, "2026-02-05", "I don't like opera.")
    assert events(done)[0] == "DELETE"
    assert texts(memory) == ["user does not like opera"]


def test_mem0_5867_another_subject_is_never_overwritten(memory: Memory) -> None:
    tell(memory, "2026-01-05", "My favourite player is Pele.")
    tell(memory, "2026-01-06", "My brother's favourite player is Messi.")
    assert texts(memory) == ["user's brother's favourite player is Messi", "user's favourite player is Pele"]
    tell(memory, "2026-01-07", "My brother lives in Leeds.")
    tell(memory, "2026-01-08", "I live in Bergen.")
    assert "user's brother lives in Leeds" in texts(memory) and "user lives in Bergen" in texts(memory)


def test_graphiti_1728_only_the_same_subject_and_attribute_are_touched(memory: Memory) -> None:
    lines = [
        "I live in Leeds.",
        "I work at Nokia.",
        "I have a dog named Rufus.",
        "My sister Ilse lives in Bremen.",
        "I speak Basque.",
        "I drive a Skoda Octavia.",
        "My phone number is 0151 234567.",
        "I was born in Quito.",
        "My birthday is on 3 May.",
        "I'm married to Noor.",
    ]
    for number, line in enumerate(lines):
        done = tell(memory, f"2026-01-{number + 1:02}", line)
        assert set(events(done)) == {"ADD"}, (line, done)


def test_graphiti_1865_what_happens_again_is_a_new_version_with_its_own_time(memory: Memory) -> None:
    tell(memory, "2024-01-05", "I live in Leeds.")
    tell(memory, "2025-01-05", "I live in Bergen.")
    tell(memory, "2026-01-05", "I live in Leeds.")
    assert [texts(memory, as_of=f"{year}-06-01") for year in (2024, 2025, 2026)] == [
        ["user lives in Leeds"],
        ["user lives in Bergen"],
        ["user lives in Leeds"],
    ]


def test_agent_memory_dotnet_33_what_comes_back_revives_the_tombstone(memory: Memory) -> None:
    (made,) = tell(memory, "2026-01-05", "I work at Nokia.")
    memory.delete(made["id"])
    (done,) = tell(memory, "2026-10-05", "I work at Nokia.")
    assert (done["id"], done["event"], done["version"]) == (made["id"], "UPDATE", 2)
    assert texts(memory, as_of="2026-11-01") == ["user works at Nokia"]


@pytest.mark.parametrize(
    ("frame", "old", "new"),
    [
        ("My server is at {}.", "10.0.0.17", "10.0.0.18"),
        ("My email is {}.", "kaya@example.org", "kaya@example.net"),
        ("My phone number is {}.", "0151 234567", "0151 234568"),
        ("I weigh {} kg.", "81", "79"),
        ("My exam is on {}.", "12 June", "13 June"),
        ("I earn {} euros a month.", "3,200", "3,400"),
        ("I wake up at {}.", "5:30", "6:30"),
        ("My locker is number {}.", "117", "171"),
        ("I have {} canoes.", "two", "three"),
    ],
)
def test_mcp_memory_service_1216_a_corrected_number_is_never_a_repetition(
    memory: Memory, frame: str, old: str, new: str
) -> None:
    assert tell(memory, "2026-01-05", frame.format(old))
    done = tell(memory, "2026-02-05", frame.format(new))
    assert done and "NOOP" not in events(done)
    assert any(new in text for text in texts(memory, as_of="2026-02-06"))


def test_mcp_memory_service_1216_whatever_has_another_value_is_no_repetition(memory: Memory) -> None:
    """A NOOP loses what was said. All that fail are told at once."""
    pairs = [
        ("user lives in Bergen", "user works at Siemens"),
        ("user sold the canoe", "user owns a flat in Bergen"),
        ("user sold both cars", "user has a girlfriend"),
        ("user is 34 years old", "user is 35 years old"),
        ("user loves opera", "user hates opera"),
        ("user speaks Welsh", "user speaks Basque"),
        ("user has a dog named Rufus", "user has a dog named Bello"),
        ("user plays the oboe", "user plays the cello"),
        ("user's server is at 10.0.0.17", "user's server is at 10.0.0.18"),
        ("user lives in Hull", "user lives in Hull Street"),
        ("user was born in 1990", "user was born in 1991"),
        ("user is allergic to latex", "user is allergic to nuts"),
        ("user takes 50 mg of sertraline", "user takes 100 mg of sertraline"),
        ("user has two cats", "user has three cats"),
        ("user meets Ada on Monday", "user meets Ada on Tuesday"),
        ("user likes tea", "user does not like tea"),
        ("user's sister Ilse lives in Hull", "user's brother Bram lives in Hull"),
        ("user has a cat", "user has a dog"),
        ("user's exam is on 12 June", "user's exam is on 13 June"),
        ("user earns 3,200 euros", "user earns 3,400 euros"),
    ]
    lost = [(old, new) for old, new in pairs if memory.decide(new, existing=[old]).operation is Operation.NOOP]
    assert not lost


def test_mcp_memory_service_1180_of_two_duplicates_one_survives(memory: Memory) -> None:
    memory.add("I live in Leeds.", user_id="ana", timestamp="2026-01-05")
    memory.add("I work at Nokia.", user_id="ana", timestamp="2026-01-05")
    work = next(m for m in memory.get_all(user_id="ana")["results"] if "Nokia" in m["memory"])
    memory.update(work["id"], "user lives in Leeds")
    assert texts(memory) == ["user lives in Leeds"] * 2
    tell(memory, "2026-10-05", "I live in Leeds.")
    assert texts(memory, as_of="2026-11-01").count("user lives in Leeds") in (1, 2)
    tell(memory, "2026-10-06", "I live in Bergen.")
    assert texts(memory, as_of="2026-11-01") == ["user lives in Bergen"]


def test_omega_memory_73_receipts_are_true(memory: Memory) -> None:
    lines = [
        "I live in Leeds.",
        "I live in Leeds, near the station.",
        "I live in Leeds now.",
        "I live in a flat in Leeds.",
        "I work at Nokia.",
        "I work at Nokia in Leeds.",
    ]
    for number, line in enumerate(lines):
        for done in tell(memory, f"2026-01-{number + 1:02}", line):
            kept = memory.get(done["id"])
            row = memory.history(done["id"])[-1]
            assert row["event"] == done["event"] and row["decision_id"] == done["decision_id"]
            if done["event"] in ("ADD", "UPDATE"):
                assert kept is not None and kept["memory"] == done["memory"] and kept["version"] == done["version"]
            if done["event"] == "NOOP":
                assert kept is not None and kept["memory"] == done["memory"]
                assert kept["sources"][-1]["text"] == line


def test_redis_agent_memory_200_unrelated_memories_are_never_merged(memory: Memory) -> None:
    said = [
        "I live in Leeds.",
        "I work at Nokia in Leeds.",
        "My dog Rufus was born in Leeds.",
        "I like the Leeds market.",
    ]
    for number, line in enumerate(said):
        tell(memory, f"2026-01-{number + 1:02}", line)
    for kept in memory.get_all(user_id="ana")["results"]:
        words = {w.strip(".").lower() for s in kept["sources"] for w in s["text"].split()}
        assert len(kept["sources"]) == 1, kept["memory"]
        assert {w for w in kept["memory"].lower().split() if w not in words} <= {
            "user",
            "user's",
            "lives",
            "works",
            "likes",
            "is",
            "named",
            "has",
            "a",
        }


def test_gaia_1101_polarity_is_part_of_the_fact(memory: Memory) -> None:
    tell(memory, "2026-01-05", "I am not allergic to latex.", "I don't eat pork.")
    kept = {m["memory"]: m["polarity"] for m in memory.get_all(user_id="ana")["results"]}
    assert kept == {"user is not allergic to latex": "negative", "user does not eat pork": "negative"}


def test_mem0_1x_a_repetition_only_attaches_unset_scope_fields(memory: Memory) -> None:
    memory.add("I live in Leeds.", user_id="ana", agent_id="bot", timestamp="2026-01-05")
    (done,) = memory.add("I live in Leeds.", user_id="ana", agent_id="nurse", run_id="r1", timestamp="2026-01-06")[
        "results"
    ]
    kept = memory.get(done["id"])
    assert done["event"] == "NOOP" and kept is not None
    assert (kept["agent_id"], kept["run_id"]) == ("bot", "r1")


# Stale facts beside new ones.


@pytest.mark.parametrize(
    ("old", "new", "live"),
    [
        ("I work at Nokia.", "I work at Siemens.", "user works at Siemens"),
        ("My name is Thaddeus.", "My name is Theo.", "user's name is Theo"),
        ("I live in Leeds.", "I live in Bergen.", "user lives in Bergen"),
        ("My favourite colour is teal.", "My favourite colour is red.", "user's favourite colour is red"),
        ("My manager is Priya.", "My manager is Olaf.", "user's manager is Olaf"),
        ("I'm 34 years old.", "I'm 35 years old.", "user is 35 years old"),
        ("My email is kaya@example.org.", "My email is kaya@example.net.", "user's email is kaya@example.net"),
    ],
)
def test_mem0_4956_single_valued_attributes_are_superseded(memory: Memory, old: str, new: str, live: str) -> None:
    tell(memory, "2026-01-05", old)
    assert events(tell(memory, "2026-02-05", new)) == ["UPDATE"]
    assert texts(memory) == [live]


def test_memos_881_a_new_fact_is_stored_once_and_answers(memory: Memory) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.")
    tell(memory, "2026-02-05", "I moved to Bergen.", "I live in Bergen now.", "I live in Bergen.")
    assert len(texts(memory)) == 1
    found = memory.search("where does the user live?", user_id="ana")["results"]
    assert "Bergen" in found[0]["memory"]


def test_symaira_memory_556_search_shows_live_memories_only(memory: Memory) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.")
    tell(memory, "2026-02-05", "I live in Bergen.")
    found = memory.search("user lives in Leeds", user_id="ana")["results"]
    assert [m["memory"] for m in found] == ["user lives in Bergen"]
    found = memory.search("user lives in Leeds", user_id="ana", include_history=True)["results"]
    assert {m["memory"] for m in found} == {"user lives in Leeds", "user lives in Bergen"}


@pytest.mark.parametrize(
    "mention",
    [
        "Did I tell you that I live in Leeds?",
        "If I lived in Leeds, I would cycle.",
        'The form says "user lives in Leeds today".',
    ],
)
def test_hexis_65_a_mention_is_no_assertion(memory: Memory, mention: str) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.")
    tell(memory, "2026-02-05", "I live in Bergen.")
    before = everything(memory)
    assert tell(memory, "2026-03-05", mention) == []
    assert everything(memory) == before


def test_caura_1462_wordings_of_one_predicate_meet(memory: Memory) -> None:
    for number, line in enumerate(["I work at Nokia.", "I work for Nokia.", "I'm employed by Nokia."]):
        tell(memory, f"2026-01-{number + 1:02}", line)
    assert len(texts(memory)) == 1


def test_agent_memory_dotnet_225_it_is_said_when_nothing_was_comparable(memory: Memory) -> None:
    decision = memory.decide("user speaks Welsh", existing=["user lives in Leeds"])
    assert decision.operation is Operation.ADD
    assert decision.verdicts[0].rule == "not comparable"
    assert "nothing to do with each other" in decision.reasons[0]


def test_meclaw_13_values_of_a_many_valued_attribute_stand_side_by_side(memory: Memory) -> None:
    tell(memory, "2026-01-05", "I speak Welsh.", "I speak Basque.", "I speak Danish.")
    assert texts(memory) == ["user speaks Basque", "user speaks Danish", "user speaks Welsh"]
    tell(memory, "2026-02-05", "I have a dog named Rufus.", "I have a cat named Miso.")
    assert {"user has a dog named Rufus", "user has a cat named Miso"} <= set(texts(memory))


def test_statewave_236_reworded_conflicts_are_found(memory: Memory) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.")
    done = tell(memory, "2026-02-05", "I relocated to Bergen.")
    assert events(done) == ["UPDATE"]
    assert not [t for t in texts(memory) if "Leeds" in t]


# Junk and attribution.


def test_mem0_4573_small_talk_is_skipped_and_every_memory_has_its_source(memory: Memory) -> None:
    talk = [
        "Hi!",
        "Thanks a lot!",
        "lol",
        "That's great.",
        "What's the weather like?",
        "I'm so tired today.",
        "ok cool",
        "Can you help me with my essay?",
        "Sounds good to me!",
        "Good night!",
        "Hmm, let me think.",
        "Great answer.",
        "Please continue.",
        "I live in Leeds.",
    ]
    told = memory.add(talk, user_id="ana", timestamp="2026-01-05")
    assert texts(memory) == ["user lives in Leeds"]
    assert len(told["skipped"]) >= len(talk) - 1 and all(s["reason"] for s in told["skipped"])
    for kept in memory.get_all(user_id="ana")["results"]:
        assert kept["sources"] and all(s["text"] for s in kept["sources"])


def test_hindsight_360_recalled_memories_are_not_stored_again(memory: Memory) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.", "I work at Nokia.")
    for _ in range(3):
        recalled = "\n".join(m["memory"] for m in memory.search("user", user_id="ana")["results"])
        for role in ("system", "tool", "assistant"):
            memory.add({"role": role, "content": recalled}, user_id="ana", timestamp="2026-02-05")
        done = memory.add(recalled, user_id="ana", timestamp="2026-02-06")["results"]
        assert set(events(done)) <= {"NOOP"}
    assert memory.get_all(user_id="ana", include_history=True)["total"] == 2


@pytest.mark.parametrize(
    "line",
    [
        "If I lived in Rome, I would ride a Vespa.",
        "Suppose I moved to Rome.",
        "I would move to Rome if I could.",
        "Imagine that I work at Ferrari.",
        "What if I had a dog?",
    ],
)
def test_claude_code_69847_a_hypothetical_is_no_fact(memory: Memory, line: str) -> None:
    told = memory.add(line, user_id="ana")
    assert told["results"] == [] and told["skipped"]


def test_claude_code_69847_a_possible_move_is_no_residence(memory: Memory) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.")
    tell(memory, "2026-02-05", "I might move to Denver.")
    assert "user lives in Leeds" in texts(memory)
    (might,) = [m for m in memory.get_all(user_id="ana")["results"] if "Denver" in m["memory"]]
    assert might["modality"] == "possible"


def test_synaplan_438_the_assistants_words_are_not_the_users(memory: Memory) -> None:
    turns = [
        {"role": "user", "content": "I live in Leeds."},
        {"role": "assistant", "content": "I love opera. You should try sushi. You work at Nokia."},
    ]
    memory.add(turns, user_id="ana")
    assert texts(memory) == ["user lives in Leeds"]
    memory.add(turns, user_id="eve", agent_id="bot")
    assert not [t for t in texts(memory, "eve") if t.startswith("user") and "Leeds" not in t]


# Silent loss and time.


def test_mem0_5998_every_sentence_has_a_receipt(memory: Memory) -> None:
    lines = [
        "I live in Leeds.",
        "Where can I eat?",
        "Thanks!",
        "If I were rich, I'd sail.",
        "My sister Ilse lives in Bremen.",
        "Write a poem.",
        "I'm tired today.",
        "Forget my shoe size.",
        "🎉",
        "She said no.",
    ]
    for _ in range(2):
        told = memory.add([{"role": "user", "content": line} for line in lines], user_id="ana", timestamp="2026-01-05")
        seen = {entry["message_id"] for entry in told["results"] + told["skipped"]}
        assert len(seen) == len(lines)


def test_mem0_pr5226_a_replay_keeps_each_messages_time(opener: Opener) -> None:
    memory = opener(clock=Watch(datetime(2030, 1, 1, tzinfo=UTC)))
    memory.add(
        [
            {"role": "user", "content": "I live in Leeds.", "timestamp": "2019-03-01T10:00:00Z"},
            {"role": "user", "content": "I live in Bergen.", "timestamp": "2021-03-01T10:00:00Z"},
        ],
        user_id="ana",
    )
    assert texts(memory, as_of="2020-01-01") == ["user lives in Leeds"]
    (kept,) = memory.get_all(user_id="ana")["results"]
    assert kept["valid_from"] == "2021-03-01T10:00:00Z"
    assert kept["created_at"].startswith("2030-01-01")


def test_mem0_4467_every_history_row_is_dated(memory: Memory) -> None:
    (made,) = tell(memory, "2026-01-05", "I live in Leeds.")
    memory.update(made["id"], "user lives in Hull")
    memory.delete(made["id"])
    memory.restore(made["id"], 1)
    memory.purge(user_id="nobody")
    assert all(row["created_at"] and row["updated_at"] for row in memory.history(made["id"]))


def test_nowledge_mem_102_valid_time_is_apart_from_recorded_time(memory: Memory) -> None:
    tell(memory, "2026-01-05", "I have lived in Leeds since March 2019.")
    (kept,) = memory.get_all(user_id="ana")["results"]
    assert kept["valid_from"] == "2019-03-01T00:00:00Z" and kept["valid_from_precision"] == "month"
    assert kept["created_at"].startswith("2026-09-01")
    assert texts(memory, as_of="2018-01-01") == []


def test_nowledge_mem_102_a_beginning_is_not_true_before_it_was_told(memory: Memory) -> None:
    tell(memory, "2026-05-02", "I moved to Leeds.", "I bought a canoe.")
    assert texts(memory, as_of="2026-01-01") == []
    assert len(texts(memory, as_of="2026-05-03")) == 2


def test_hindsight_2768_words_that_look_like_days_are_no_dates(memory: Memory) -> None:
    said = "2025-05-10T12:00:00Z"
    text = "We sat in Leeds. My cat May lives in Bremen. I wed in Bergen. I live in Sun City."
    told = memory.extract(text, timestamp=said)
    # A beginning without a date ("I wed") holds from when it was told; nothing is dated by a word in it.
    assert all(f["valid_from"] in (None, said) and f["valid_to"] is None for f in told["facts"]), told["facts"]


# Concurrency and storage.


def _write_many(path: str, user: str) -> None:
    with open_memory(path) as memory:
        for number in range(10):
            memory.add(f"note {number} of {user}", user_id=user, infer=False)


def test_mem0_7196_processes_write_to_one_file_without_a_locked_database(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    open_memory(path).close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_write_many, args=(str(path), f"u{n}")) for n in range(3)]
    shared_encoder().encode(["warm"])
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    with open_memory(path) as memory:
        assert [memory.get_all(user_id=f"u{n}")["total"] for n in range(3)] == [10, 10, 10]
        assert memory.verify() == []


def test_mem0_6515_racing_threads_leave_no_duplicates(opener: Opener, tmp_path: Path) -> None:
    memories = [opener(tmp_path / "memory.db") for _ in range(4)]
    barrier = threading.Barrier(4)

    def work(memory: Memory, number: int) -> None:
        barrier.wait()
        memory.add("I live in Leeds.", user_id="ana", timestamp=f"2026-01-0{number + 1}")

    threads = [threading.Thread(target=work, args=(m, n)) for n, m in enumerate(memories)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memories[0].get_all(user_id="ana", include_history=True)["total"] == 1
    assert memories[0].verify() == []


def test_memorix_291_verify_finds_damage(opener: Opener, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    memory = opener(path)
    tell(memory, "2026-01-05", "I live in Leeds.")
    assert memory.verify() == []
    connection = sqlite3.connect(path)
    connection.execute("UPDATE versions SET hash = 'x'")
    connection.commit()
    connection.close()
    assert memory.verify() != []


def test_neurostack_89_no_lock_is_held_across_model_calls(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    inside: list[list[str]] = []
    encode = memory.encoder._encode if hasattr(memory.encoder, "_encode") else None

    def watch(texts: list[str]) -> Any:
        if memory.store.in_transaction:
            inside.append(list(texts))
        assert encode is not None
        return encode(texts)

    tell(memory, "2026-01-05", "I live in Leeds.", "I work at Nokia.", "I have a dog named Rufus.")
    if encode is None:
        pytest.skip("the encoder has no inner step to watch")
    monkeypatch.setattr(memory.encoder, "_encode", watch)
    tell(
        memory,
        "2026-02-05",
        "I moved to Bergen with my dog Rufus.",
        "My sister Wilhelmina lives in Zwolle. Forget my dog.",
    )
    assert inside == []


def test_odysseus_1940_a_stale_snapshot_is_never_written_back(opener: Opener, tmp_path: Path) -> None:
    one, two = opener(tmp_path / "memory.db"), opener(tmp_path / "memory.db")
    (made,) = tell(one, "2026-01-05", "I live in Leeds.")
    two.search("Leeds", user_id="ana")
    tell(one, "2026-02-05", "I live in Bergen.")
    tell(two, "2026-03-05", "I live in Hull.")
    assert texts(one) == texts(two) == ["user lives in Hull"]
    assert [r["old_memory"] for r in one.history(made["id"])] == [None, "user lives in Leeds", "user lives in Bergen"]


def test_mem0_3841_the_index_follows_the_database(opener: Opener) -> None:
    memory = opener(exact_below=0)
    for number, line in enumerate(["I live in Leeds.", "I work at Nokia.", "I have a dog named Rufus."]):
        tell(memory, f"2026-01-{number + 1:02}", line)
    victim = memory.search("dog", user_id="ana")["results"][0]
    memory.purge(memory_id=victim["id"])
    memory.rebuild_index()
    assert not [m for m in memory.search("dog", user_id="ana")["results"] if m["id"] == victim["id"]]
    assert events(tell(memory, "2026-02-01", "I have a dog named Rufus.")) == ["ADD"]
    assert memory.verify() == []


# Scope.


def test_mem0_6277_metadata_never_moves_a_memory(memory: Memory) -> None:
    (made,) = tell(memory, "2026-01-05", "I live in Leeds.")
    with pytest.raises(InputError, match="scope"):
        memory.update(made["id"], metadata={"user_id": "eve"})
    kept = memory.get(made["id"])
    assert kept is not None and kept["user_id"] == "ana"
    assert texts(memory, "eve") == []


def test_aihub_core_1574_one_agent_does_not_rewrite_anothers_memory(memory: Memory) -> None:
    memory.add("I live in Leeds.", agent_id="bot", timestamp="2026-01-05")
    memory.add("I live in Bergen.", agent_id="nurse", timestamp="2026-02-05")
    assert [m["memory"] for m in memory.get_all(agent_id="bot")["results"]] == ["user lives in Leeds"]


def test_mem0_3928_delete_all_asks_for_a_scope(memory: Memory) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.")
    with pytest.raises(ScopeError, match="give a user_id"):
        memory.delete_all()
    assert texts(memory) == ["user lives in Leeds"]


def test_xagent_818_an_id_does_not_reach_another_tenant(memory: Memory) -> None:
    (made,) = tell(memory, "2026-01-05", "I live in Leeds.")
    assert memory.get(made["id"], user_id="eve") is None
    with pytest.raises(NotFoundError):
        memory.delete(made["id"], user_id="eve")
    with pytest.raises(NotFoundError):
        memory.explain(made["decision_id"], user_id="eve")


# History, paging, models.


def test_mem0_5160_history_keeps_the_old_state_and_metadata_stays(memory: Memory) -> None:
    (made,) = memory.add("I live in Leeds.", user_id="ana", timestamp="2026-01-05", metadata={"tag": "x"})["results"]
    tell(memory, "2026-02-05", "I live in Bergen.")
    tell(memory, "2026-03-05", "I live in Hull.")
    rows = memory.history(made["id"])
    assert [(r["old_memory"], r["new_memory"]) for r in rows] == [
        (None, "user lives in Leeds"),
        ("user lives in Leeds", "user lives in Bergen"),
        ("user lives in Bergen", "user lives in Hull"),
    ]
    kept = memory.get(made["id"])
    assert kept is not None and kept["metadata"] == {"tag": "x"}


def test_mem0_6438_the_total_is_always_told(memory: Memory) -> None:
    memory.add([f"note number {n}" for n in range(130)], user_id="ana", infer=False)
    page = memory.get_all(user_id="ana")
    assert (len(page["results"]), page["total"]) == (100, 130)


def test_mem0_3697_everything_can_be_exported(memory: Memory, tmp_path: Path) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.")
    memory.export(tmp_path / "all.jsonl")
    assert "user lives in Leeds" in (tmp_path / "all.jsonl").read_text()


def test_cognee_3526_what_was_purged_is_not_recalled(memory: Memory) -> None:
    (made,) = tell(memory, "2026-01-05", "I live in Leeds.")
    tell(memory, "2026-01-06", "I work at Nokia.")
    memory.search("Leeds", user_id="ana")
    memory.purge(memory_id=made["id"])
    assert "Leeds" not in json.dumps(memory.search("Leeds", user_id="ana", include_history=True))
    assert "Leeds" not in memory.profile(user_id="ana")["text"]
    assert "Leeds" not in json.dumps(memory.get_all(user_id="ana", include_history=True))


class Narrow:
    """An encoder of other vectors."""

    id = "narrow:1"
    dimension = 8

    def encode(self, texts: list[str]) -> Any:
        return np.full((len(texts), 8), 8**-0.5, dtype=np.float32)


def test_mem0_5405_another_encoder_is_refused_with_a_remedy(opener: Opener, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    memory = opener(path)
    tell(memory, "2026-01-05", "I live in Leeds.")
    memory.close()
    with pytest.raises(StoreError, match="reembed") as told:
        Memory(path, encoder=Narrow())
    assert "384" in str(told.value) and "8" in str(told.value)
    assert texts(opener(path)) == ["user lives in Leeds"]


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("I work at Gemüsehandlung Grün.", "Gemüsehandlung Grün"),
        ("I live in 's-Hertogenbosch.", "'s-Hertogenbosch"),
        ("I live in København.", "København"),
        ("My sister Zoë lives in Köln.", "Köln"),
    ],
)
def test_mem0_3707_values_come_back_verbatim(memory: Memory, line: str, value: str) -> None:
    tell(memory, "2026-01-05", line)
    assert any(value in t for t in texts(memory))


def test_mem0_3097_a_write_takes_milliseconds(memory: Memory) -> None:
    tell(memory, "2026-01-01", "I live in Leeds.", "I work at Nokia.", "I have a dog named Rufus.")
    started = time.perf_counter()
    for number in range(10):
        memory.add(f"My cousin Bram has {number + 2} canoes.", user_id="ana", timestamp=f"2026-02-{number + 1:02}")
    assert (time.perf_counter() - started) / 10 < 0.5


def test_aihub_core_1717_every_change_is_recorded_and_explained(memory: Memory) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.")
    (done,) = tell(memory, "2026-02-05", "I live in Bergen.")
    told = memory.explain(done["decision_id"])
    assert (told["candidate"], told["existing"]) == ("user lives in Bergen", "user lives in Leeds")
    assert told["bars"] and told["model"] and told["neighbours"] and told["reasons"]
    for row in memory.history(done["id"]):
        assert row["decision_id"] and memory.explain(row["decision_id"])["operation"] == row["event"]
