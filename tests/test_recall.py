"""The cache of what is true: the same as the database says, whatever happens to it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from conftest import Opener
from memory_kit import NOW, tell, texts

from engine import Memory
from engine.errors import StoreError
from engine.ranking import PRESETS, rank
from engine.recall import Recall

LINES = ["I live in Leeds.", "I work at Nokia.", "My sister Ilse lives in Bremen.", "I have a dog named Rufus.",
         "I moved to Bergen in April 2026.", "Rufus died.", "I'll fly to Rome on 3 October 2026."]  # fmt: skip


def test_it_gives_what_the_store_gives_at_any_moment(memory: Memory) -> None:
    for n, line in enumerate(LINES):
        tell(memory, f"2026-0{n + 1}-05", line)
        for days in range(-400, 400, 37):
            moment = NOW + timedelta(days=days)
            held = memory._recall.active("user:ana", moment)
            assert held.memories == memory.store.active("user:ana", moment)
            keys = [(m.id, m.version.number) for m in held.memories]
            assert np.array_equal(held.matrix, memory.store.vectors(keys))


def test_ranking_is_the_same_with_and_without_counted_documents(memory: Memory) -> None:
    tell(memory, "2026-01-05", *LINES)
    held = memory._recall.active("user:ana", NOW)
    for query in ("where does Ilse live?", "dog", "the", "Rome in October"):
        asked = (query, memory.encode([query])[0], held.memories, held.matrix, NOW, PRESETS["default"])
        assert rank(*asked, documents=held.documents) == rank(*asked)


def test_every_kind_of_write_is_seen(memory: Memory) -> None:
    def seen() -> list[Any]:
        return memory.search("where?", user_id="ana")["results"]

    (made,) = tell(memory, "2026-01-05", "I live in Leeds.")
    assert [m["memory"] for m in seen()] == ["user lives in Leeds"]
    memory.update(made["id"], metadata={"tag": ["x"]})
    seen()[0]["metadata"]["tag"].append("changed by the caller")
    assert seen()[0]["metadata"] == {"tag": ["x"]}
    memory.update(made["id"], "user lives in Bergen")
    assert [m["memory"] for m in seen()] == ["user lives in Bergen"]
    memory.add("user lives in Bergen", user_id="ana", agent_id="bot", infer=False)
    assert len(seen()) == 2
    memory.undo(memory.history(made["id"])[-1]["decision_id"])
    assert "user lives in Leeds" in [m["memory"] for m in seen()]
    memory.delete_all(user_id="ana")
    assert seen() == []
    memory.purge(user_id="ana")
    assert memory._recall._held == {}


def test_another_connections_writes_are_seen(opener: Opener, tmp_path: Path) -> None:
    one, two = opener(tmp_path / "m.db"), opener(tmp_path / "m.db")
    for n in range(3):
        tell(one, "2026-01-05", f"I work at Nokia {n}.")
        assert texts(one) == texts(two)


def test_what_is_taken_back_is_not_remembered(memory: Memory) -> None:
    try:
        with memory.store.transaction():
            tell(memory, "2026-01-05", "I live in Leeds.")
            assert texts(memory) == ["user lives in Leeds"]
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    tell(memory, "2026-01-05", "I work at Nokia.")
    assert texts(memory) == ["user works at Nokia"]


def test_scopes_that_were_not_asked_for_go_first(memory: Memory) -> None:
    for user in ("ana", "eve", "kim"):
        tell(memory, "2026-01-05", "I live in Leeds.", "I work at Nokia.", user=user)
    recall = Recall(memory.store, most_rows=4)
    for user in ("ana", "eve", "ana", "kim"):
        recall.active(f"user:{user}", NOW)
    assert list(recall._held) == ["user:ana", "user:kim"]


def test_searching_writes_nothing_until_something_else_does(opener: Opener, tmp_path: Path) -> None:
    memory, other = opener(tmp_path / "m.db"), opener(tmp_path / "m.db")
    tell(memory, "2026-01-05", "I live in Leeds.", "I work at Nokia.")
    with other.store.transaction():  # a writer that takes its time
        started = datetime.now(UTC)
        found = memory.search("where?", user_id="ana")["results"]
        assert datetime.now(UTC) - started < timedelta(seconds=4)
    assert memory._access_counts("user:ana") == {m["id"]: 1 for m in found}
    assert other.store.access_counts("user:ana") == {}
    memory.close()
    assert other.store.access_counts("user:ana") == {m["id"]: 1 for m in found}


def test_counts_are_written_now_and_then_and_kept_when_they_cannot_be(memory: Memory, monkeypatch: Any) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.")
    (kept,) = memory.search("where?", user_id="ana")["results"]

    def locked(*_: object) -> None:
        raise StoreError("F608", "another process kept it locked")

    with monkeypatch.context() as broken:
        broken.setattr(memory.store, "count_accesses", locked)
        for _ in range(600):
            memory._count_accesses([kept["id"]])
    assert memory._access_counts("user:ana") == {kept["id"]: 601}
    memory._count_accesses([kept["id"]])
    assert memory.store.access_counts("user:ana") == {kept["id"]: 602}
