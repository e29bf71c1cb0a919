import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_kit import dump, message, write_jsonl
from memory_kit import NOW

from engine.errors import InputError, ScopeError
from engine.replay import replay

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "engine" / "samples" / "demo.jsonl"


@pytest.fixture
def opened(opener, tmp_path):
    """Opens databases by name; the clock stands still."""
    return lambda name="memory.db": opener(tmp_path / name)


@pytest.fixture
def some(tmp_path):
    """The beginning of the sample."""
    path = tmp_path / "some.jsonl"
    path.write_text("".join(SAMPLE.read_text(encoding="utf-8").splitlines(keepends=True)[:30]), encoding="utf-8")
    return path


def texts(memory, user):
    return [m["memory"] for m in memory.get_all(user_id=user, top_k=1000)["results"]]


def test_replaying_twice_gives_the_same_bytes(opened, some, tmp_path):
    reports = [replay([some], opened(name)) for name in ("a.db", "b.db")]
    assert reports[0].messages == 30
    assert reports[0].memories == reports[1].memories
    assert dump(tmp_path / "a.db") == dump(tmp_path / "b.db")


def test_chunks_of_any_size_leave_the_same_memories(opened, some, monkeypatch):
    replay([some], whole := opened("a.db"))
    monkeypatch.setattr("engine.replay.CHUNK", 7)
    replay([some], parts := opened("b.db"))
    assert set(texts(whole, "household")) == set(texts(parts, "household"))


def test_nothing_is_taken_in_twice(opened, some, tmp_path):
    memory = opened()
    replay([some], memory)
    before = dump(tmp_path / "memory.db")
    again = replay([some], memory)
    assert (again.messages, again.already) == (0, 30)
    assert dump(tmp_path / "memory.db") == before


def test_the_counts_add_up(opened, tmp_path):
    rows = [message("I live in Austin.", id="1"), message("", id="2"), message("How are you?", id="3"),
            message("I live in Austin.", id="1"), {"role": "system", "content": "Be kind.", "id": "4"}]  # fmt: skip
    report = replay([write_jsonl(tmp_path / "a", rows)], memory := opened(), default_user="ana")
    assert (report.files, report.conversations, report.users, report.seen) == (1, 1, 1, 5)
    assert (report.messages, report.repeated, report.dropped) == (3, 1, {"no words in it": 1})
    assert report.memories["ADD"] == 1
    assert sum(report.skipped.values()) == len(report.skipped) == 2
    assert set(report.examples.values()) == {"How are you?", "Be kind."}
    assert texts(memory, "ana") == ["user lives in Austin"]


def test_a_replay_dates_everything_with_its_own_time(opened, tmp_path):
    """mem0 PR#5226: a replay dated everything today."""
    rows = [message("I live in Austin.", "2024-05-06"), message("I work at Siemens.", "2025-01-02")]
    path = write_jsonl(tmp_path / "a", rows)
    replay([path], memory := opened(), default_user="ana")
    found = memory.get_all(user_id="ana")["results"]
    assert sorted(m["sources"][0]["timestamp"][:10] for m in found) == ["2024-05-06", "2025-01-02"]


def test_messages_of_one_user_are_put_in_order_over_all_files(opened, tmp_path):
    late = write_jsonl(tmp_path / "1", [message("I live in Denver.", "2026-06-01", user_id="ana")])
    early = write_jsonl(tmp_path / "2", [message("I live in Austin.", "2026-01-01", user_id="ana")])
    replay([late, early], memory := opened())
    told = [turn.content for turn in memory.store.turns("user:ana")]
    assert told == ["I live in Austin.", "I live in Denver."]


def test_messages_without_a_time_stay_behind_the_one_before(opened, tmp_path):
    rows = [{"role": "user", "content": "first"}, message("second"), {"role": "user", "content": "third"}]
    report = replay([write_jsonl(tmp_path / "a", rows)], memory := opened(), default_user="ana")
    turns = memory.store.turns("user:ana")
    assert [t.content for t in turns] == ["first", "second", "third"]
    assert {t.timestamp.isoformat() for t in turns} == {"2026-03-01T10:00:00+00:00"}
    assert report.undated == 0


def test_a_conversation_without_any_time_is_told_and_its_ids_do_not_depend_on_the_clock(opened, tmp_path):
    rows = [{"role": "user", "content": "I live in Austin."}, {"role": "user", "content": "I live in Austin."}]
    path = write_jsonl(tmp_path / "a", rows)
    memory = opened()
    assert replay([path], memory, default_user="ana").undated == 2
    memory.clock = lambda: NOW.replace(year=2027)
    again = replay([path], memory, default_user="ana")
    assert (again.messages, again.already) == (0, 2)


def test_ids_that_stand_for_other_words_are_told_apart(opened, tmp_path):
    """Exports count anew in every file: nothing may be lost to that."""
    one = write_jsonl(tmp_path / "1", [message("I live in Austin.", id="1", user_id="ana")])
    two = write_jsonl(tmp_path / "2", [message("I work at Siemens.", id="1", user_id="ana")])
    memory = opened()
    assert replay([one, two], memory).messages == 2
    assert len(texts(memory, "ana")) == 2
    assert replay([one, two], memory).already == 2
    assert replay([two], memory).already == 1


def test_users_are_kept_apart(opened, tmp_path):
    rows = [message("I live in Austin.", id="1", user_id="ana"), message("I live in Denver.", id="1", user_id="ben")]
    report = replay([write_jsonl(tmp_path / "a", rows)], memory := opened())
    assert report.users == 2
    assert (texts(memory, "ana"), texts(memory, "ben")) == (["user lives in Austin"], ["user lives in Denver"])


def test_messages_of_nobody_are_refused_before_anything_is_written(opened, tmp_path):
    path = write_jsonl(tmp_path / "a", [message("I live in Austin.", user_id="ana"), message("I work at Siemens.")])
    with pytest.raises(ScopeError, match="F810"):
        replay([path], memory := opened())
    assert memory.store.scope_keys() == ()


def test_progress_is_told(opened, some, monkeypatch):
    monkeypatch.setattr("engine.replay.CHUNK", 16)
    seen = []
    replay([some], opened(), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 30), (16, 30), (30, 30)]


def test_a_part_that_is_there_already_wants_resume(opened, some, tmp_path):
    few = tmp_path / "few.jsonl"
    few.write_text("".join(some.read_text(encoding="utf-8").splitlines(keepends=True)[:10]), encoding="utf-8")
    memory = opened()
    replay([few], memory)
    with pytest.raises(InputError, match=r"F811.*10 of 30.*--resume"):
        replay([some], memory)
    report = replay([some], memory, resume=True)
    assert (report.already, report.messages) == (10, 20)


def test_a_purge_takes_the_record_along(opened, some):
    memory = opened()
    replay([some], memory)
    memory.purge(user_id="household")
    assert memory.store.ingested("user:household") == {}
    assert replay([some], memory).messages == 30


def test_a_chunk_is_all_in_or_not_at_all(opened, some, monkeypatch, tmp_path):
    memory = opened()

    def fail(*_):
        raise RuntimeError("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(memory.store, "mark_ingested", fail)
        with pytest.raises(RuntimeError):
            replay([some], memory)
    assert memory.store.scope_keys() == ()
    replay([some], memory)
    replay([some], opened("other.db"))
    assert texts(memory, "household") == texts(opened("other.db"), "household")


SCRIPT = """
import os, signal, sys
import engine.replay
from memory_kit import open_memory
engine.replay.CHUNK = 8
database, path, stop, resume = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "resume"
memory = open_memory(database)
mark, calls = memory.store.mark_ingested, 0
def marking(*arguments):
    global calls
    calls += 1
    mark(*arguments)
    if calls == stop:  # within the transaction: everything written, nothing committed
        os.kill(os.getpid(), signal.SIGKILL)
memory.store.mark_ingested = marking
print(engine.replay.replay([path], memory, resume=resume).messages)
memory.close()
"""


def run(database, path, stop=0, resume=False):
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    command = [sys.executable, "-c", SCRIPT, str(database), str(path), str(stop), "resume" if resume else "anew"]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, timeout=120)


def test_killed_and_resumed_is_as_if_never_stopped(opened, some, tmp_path, monkeypatch):
    killed = run(tmp_path / "a.db", some, stop=3)
    assert killed.returncode == -signal.SIGKILL
    resumed = run(tmp_path / "a.db", some, resume=True)
    assert (resumed.returncode, resumed.stdout) == (0, "14\n"), resumed.stderr
    monkeypatch.setattr("engine.replay.CHUNK", 8)
    assert replay([some], opened("b.db")).messages == 30
    assert dump(tmp_path / "a.db") == dump(tmp_path / "b.db")


def test_the_sample_is_sound():
    rows = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    assert len({row["id"] for row in rows}) == len(rows) == 127
