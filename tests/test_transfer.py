"""Moving memories: an export restores everything, a bad file leaves nothing, mem0's files are read."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from conftest import Opener
from memory_kit import Watch, events, tell, texts

from engine import Memory
from engine.errors import InputError, ScopeError

TALK = [
    ("2026-01-05", "I live in Leeds and work at Nokia."),
    ("2026-01-06", "My sister Ilse lives in Bremen."),
    ("2026-01-06", "My sister Ilse lives in Bremen."),
    ("2026-02-02", "I have a dog named Rufus."),
    ("2026-03-01", "Rufus died."),
    ("2026-03-02", "I quit my job at Nokia. Forget my sister."),
]


@pytest.fixture
def full(opener: Opener) -> Memory:
    watch = Watch()
    memory = opener(clock=watch)
    for when, text in TALK:
        memory.add(text, user_id="ana", agent_id="bot", timestamp=when, metadata={"tag": ["x", 1]})
        watch.forward(days=1)
    memory.add("I work at Nokia.", user_id="eve")
    first = memory.get_all(user_id="ana")["results"][0]
    memory.update(first["id"], "user lives in Bergen")
    memory.update(first["id"], metadata={"tag": None})
    memory.restore(first["id"], 1)
    memory.undo(memory.history(first["id"])[-1]["decision_id"])
    memory.add("a note\u2028 with a line break\nin it", user_id="ana", infer=False)
    return memory


def dump(memory: Memory) -> str:
    kept = [
        m for user in ("ana", "eve") for m in memory.get_all(user_id=user, include_history=True, top_k=999)["results"]
    ]
    return json.dumps([kept, [memory.history(i) for i in sorted({m["id"] for m in kept})]], sort_keys=True)


class TestExport:
    def test_everything_comes_back(self, full: Memory, opener: Opener, tmp_path: Path) -> None:
        told = full.export(tmp_path / "all.jsonl")
        other = opener(clock=full.clock)
        done = other.import_(tmp_path / "all.jsonl")
        assert done["memories"] == told["memories"] == len((tmp_path / "all.jsonl").read_text().split("\n")) - 1
        assert dump(other) == dump(full)
        assert other.verify() == []
        for moment in ("2026-01-05T12:00:00Z", "2026-02-15", "2026-09-02", None):
            for known in ("2026-09-02", "2026-09-03T13:00:00Z", None):
                asked = {"as_of": moment, "known_at": known}
                assert texts(other, **asked) == texts(full, **asked)
        query = {"query": "where do I live?", "user_id": "ana"}
        assert other.search(**query)["results"] == full.search(**query)["results"]

    def test_a_second_export_is_the_same_file(self, full: Memory, opener: Opener, tmp_path: Path) -> None:
        full.export(tmp_path / "one.jsonl")
        other = opener()
        other.import_(tmp_path / "one.jsonl")
        other.export(tmp_path / "two.jsonl")
        assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
        assert [p.name for p in sorted(tmp_path.iterdir())] == ["one.jsonl", "two.jsonl"]

    def test_what_came_in_lives_on(self, full: Memory, opener: Opener, tmp_path: Path) -> None:
        (made,) = full.add("I live in Hull.", user_id="kim", timestamp="2026-01-05")["results"]
        full.export(tmp_path / "all.jsonl")
        other = opener()
        other.add("I work at Siemens.", user_id="ana")
        other.import_(tmp_path / "all.jsonl")
        assert events(tell(other, "2026-01-05", "I live in Hull.", user="kim")) == ["NOOP"]
        other.explain(made["decision_id"])
        other.undo(made["decision_id"])
        assert texts(other, "kim") == []
        assert "user works at Siemens" in texts(other)
        assert other.verify() == []

    def test_of_one_scope_only(self, full: Memory, opener: Opener, tmp_path: Path) -> None:
        full.export(tmp_path / "eve.jsonl", user_id="eve")
        assert "Leeds" not in (tmp_path / "eve.jsonl").read_text()
        other = opener()
        assert other.import_(tmp_path / "eve.jsonl") == {"memories": 1, "versions": 1}
        assert texts(other, "eve") == ["user works at Nokia"] and texts(other) == []
        assert full.export(tmp_path / "bot.jsonl", user_id="ana", agent_id="nobody") == {"memories": 0}

    def test_taken_ids_are_told_and_nothing_comes_in(self, full: Memory, opener: Opener, tmp_path: Path) -> None:
        full.export(tmp_path / "all.jsonl")
        other = opener()
        other.add("I work at Nokia.", user_id="eve")
        other.purge(user_id="eve")
        full.export(tmp_path / "eve.jsonl", user_id="eve")
        other.import_(tmp_path / "eve.jsonl")
        before = dump(other)
        with pytest.raises(InputError, match=r"\[F831\] 1 of .*nothing was imported"):
            other.import_(tmp_path / "all.jsonl")
        assert dump(other) == before and texts(other) == []

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            (lambda row: row.pop("id"), "'id' is missing"),
            (lambda row: row.update(user_id=3), "user_id"),
            (lambda row: row.update(user_id=None, agent_id=None), "user_id"),
            (lambda row: row.update(versions=[]), "without versions"),
            (lambda row: row["versions"][0]["fact"].update(text=""), "without text"),
            (lambda row: row["versions"][0].update(recorded_at="soon"), "soon"),
            (lambda row: row.update(factfold=99), "format"),
            (lambda row: row.update(metadata=3), "metadata"),
            (lambda row: row["sources"][0].update(text={"a": 1}), "text"),
            (lambda row: row["versions"][0]["fact"].update(kind="sometimes"), "sometimes"),
            (lambda row: row.update(history=[]), "history row"),
            (lambda row: row.update(spans=[]), "current spans"),
            (lambda row: row["changes"][0].update(valid_from="2020-01-01T00:00:00Z"), "valid times"),
        ],
    )
    def test_a_line_that_is_wrong_is_told_and_nothing_comes_in(
        self, opener: Opener, tmp_path: Path, change: Any, told: str
    ) -> None:
        source, other = opener(), opener()
        tell(source, "2026-01-05", "I live in Leeds.", "I work at Nokia.")
        source.export(tmp_path / "all.jsonl")
        rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().split("\n") if line]
        change(rows[1])
        (tmp_path / "bad.jsonl").write_text("\n".join(map(json.dumps, rows)))
        with pytest.raises(InputError, match=told):
            other.import_(tmp_path / "bad.jsonl")
        assert other.store.scope_keys() == () and other.verify() == []

    def test_every_bad_line_is_told_at_once(self, memory: Memory, tmp_path: Path) -> None:
        (tmp_path / "bad.jsonl").write_text('{"factfold": 1}\n{"factfold": 1, "id": 3\n\n[]\n')
        with pytest.raises(InputError) as told:
            memory.import_(tmp_path / "bad.jsonl")
        assert all(f"line {n}:" in str(told.value) for n in (1, 2, 4))

    @pytest.mark.parametrize("content", [b"hello", b"\xff\xfe\x00", b"{}", b"3", b'{"results": 3}', b"null"])
    def test_another_file_is_told(self, memory: Memory, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "odd.json").write_bytes(content)
        with pytest.raises(InputError, match=r"F830.*odd\.json"):
            memory.import_(tmp_path / "odd.json")

    def test_files_that_are_not_there_are_told(self, memory: Memory, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="F830"):
            memory.import_(tmp_path / "missing.jsonl")
        with pytest.raises(InputError, match="F834"):
            memory.export(tmp_path / "nowhere" / "all.jsonl")
        with pytest.raises(InputError, match="F830"):
            memory.import_(tmp_path)

    def test_an_empty_export_is_taken(self, memory: Memory, opener: Opener, tmp_path: Path) -> None:
        assert memory.export(tmp_path / "none.jsonl") == {"memories": 0}
        assert opener().import_(tmp_path / "none.jsonl") == {"memories": 0, "versions": 0}


LISTED = {
    "results": [
        {"id": "m1", "memory": "User lives in Leeds", "hash": "x", "metadata": {"tag": "home"},
         "created_at": "2024-07-20T01:30:36.275141-07:00", "updated_at": None, "user_id": "ana"},
        {"id": "m2", "memory": "Loves hiking", "metadata": None, "created_at": "2024-08-01T00:00:00Z",
         "updated_at": "2024-08-02T00:00:00Z", "user_id": "ana", "agent_id": "bot", "actor_id": "Pim", "role": "user"},
    ],
    "relations": [],
}  # fmt: skip


class TestListing:
    @pytest.mark.parametrize("content", [LISTED, LISTED["results"]])
    def test_memories_become_plain_statements(self, memory: Memory, tmp_path: Path, content: Any) -> None:
        (tmp_path / "all.json").write_text(json.dumps(content))
        assert memory.import_(tmp_path / "all.json") == {"memories": 2, "versions": 2}
        kept = {m["id"]: m for m in memory.get_all(user_id="ana")["results"]}
        assert kept["m1"]["memory"] == "User lives in Leeds" and kept["m1"]["metadata"] == {"tag": "home"}
        assert kept["m1"]["created_at"] == "2024-07-20T08:30:36.275141Z"
        assert (kept["m2"]["agent_id"], kept["m2"]["actor_id"]) == ("bot", "Pim")
        assert [r["event"] for r in memory.history("m2")] == ["ADD"]
        assert memory.search("hiking", user_id="ana")["results"][0]["id"] == "m2"
        assert memory.verify() == []

    def test_who_does_not_tell_needs_a_scope(self, memory: Memory, tmp_path: Path) -> None:
        (tmp_path / "all.json").write_text(json.dumps([{"id": "m1", "memory": "Lives in Leeds"}]))
        with pytest.raises(ScopeError, match="whose"):
            memory.import_(tmp_path / "all.json")
        memory.import_(tmp_path / "all.json", user_id="ana")
        assert texts(memory) == ["Lives in Leeds"]

    def test_everything_wrong_is_told_at_once(self, memory: Memory, tmp_path: Path) -> None:
        rows = [{"id": "a", "memory": ""}, {"memory": "x"}, 3, {"id": "b", "memory": "x", "created_at": "soon"},
                {"id": "c", "memory": "y"}, {"id": "c", "memory": "z"}]  # fmt: skip
        (tmp_path / "all.json").write_text(json.dumps({"results": rows}))
        with pytest.raises(InputError) as told:
            memory.import_(tmp_path / "all.json", user_id="ana")
        assert all(f"result {n}:" in str(told.value) for n in (0, 1, 2, 3, 5))
        assert memory.store.scope_keys() == ()

    def test_taken_ids_are_told(self, memory: Memory, tmp_path: Path) -> None:
        (tmp_path / "all.json").write_text(json.dumps(LISTED))
        memory.import_(tmp_path / "all.json")
        with pytest.raises(InputError, match="m1, m2"):
            memory.import_(tmp_path / "all.json")


def history_db(path: Path, rows: list[tuple[Any, ...]]) -> Path:
    """A ``history.db`` as mem0 1.x writes it."""
    connection = sqlite3.connect(path)
    connection.execute(
        """CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,
        created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"""
    )
    filled = [(f"h{n}", *row, None, "user") for n, row in enumerate(rows)]
    connection.executemany(f"INSERT INTO history VALUES ({', '.join('?' * 10)})", filled)
    connection.commit()
    connection.close()
    return path


ROWS = [
    ("m1", None, "Lives in Leeds", "ADD", "2024-01-05T00:00:00-08:00", None, 0),
    ("m2", None, "Has a dog", "ADD", "2024-01-06T00:00:00-08:00", None, 0),
    ("m1", "Lives in Leeds", "Lives in Bergen", "UPDATE", "2024-01-05T00:00:00-08:00", "2024-03-01T00:00:00-08:00", 0),
    ("m2", "Has a dog", None, "DELETE", None, None, 1),
    ("m3", "Is 34", "Is 35", "UPDATE", "2023-01-01T00:00:00Z", "2024-04-01T00:00:00Z", 0),
    ("m1", "Lives in Bergen", "Lives in Bergen", "UPDATE", None, "2024-05-01T00:00:00Z", 0),
    ("m1", None, None, "NONE", None, None, 0),
]


class TestHistory:
    def test_each_memory_gets_its_versions(self, memory: Memory, tmp_path: Path) -> None:
        path = history_db(tmp_path / "history.db", ROWS)
        before = path.read_bytes()
        memory.import_(path, user_id="ana")
        assert path.read_bytes() == before
        assert texts(memory) == ["Is 35", "Lives in Bergen"]
        assert texts(memory, as_of="2024-02-01") == ["Has a dog", "Is 34", "Lives in Leeds"]
        assert texts(memory, as_of="2024-02-01", known_at="2024-01-05T12:00:00Z") == ["Is 34", "Lives in Leeds"]
        assert [(r["event"], r["old_memory"], r["new_memory"]) for r in memory.history("m1")] == [
            ("ADD", None, "Lives in Leeds"),
            ("UPDATE", "Lives in Leeds", "Lives in Bergen"),
        ]
        gone = memory.history("m2")[-1]
        assert (gone["event"], gone["is_deleted"], gone["updated_at"]) == ("DELETE", True, "2024-03-01T08:00:00Z")
        assert [r["version"] for r in memory.history("m3")] == [1, 2]
        assert memory.verify() == []
        memory.add("I live in Hull.", user_id="ana")
        assert memory.verify() == []

    def test_what_was_deleted_may_come_back(self, memory: Memory, tmp_path: Path) -> None:
        again = ("m2", None, "Has a cat", "ADD", "2024-06-01T00:00:00Z", None, 0)
        memory.import_(history_db(tmp_path / "history.db", [*ROWS, again]), user_id="ana")
        assert "Has a cat" in texts(memory) and memory.verify() == []

    def test_it_needs_a_scope(self, memory: Memory, tmp_path: Path) -> None:
        with pytest.raises(ScopeError, match="whose"):
            memory.import_(history_db(tmp_path / "history.db", ROWS))
        assert memory.store.scope_keys() == ()

    def test_odd_rows_are_told_at_once(self, memory: Memory, tmp_path: Path) -> None:
        rows = [("m1", None, "", "ADD", None, None, 0), ("m1", None, "x", "MERGE", None, None, 0),
                ("", None, "x", "ADD", None, None, 0), ("m1", None, "x", "ADD", "soon", None, 0)]  # fmt: skip
        with pytest.raises(InputError) as told:
            memory.import_(history_db(tmp_path / "history.db", rows), user_id="ana")
        assert all(f"row {n}:" in str(told.value) for n in (1, 2, 3, 4))

    def test_other_databases_are_told(self, opener: Opener, memory: Memory, tmp_path: Path) -> None:
        opener(tmp_path / "own.db").close()
        with pytest.raises(InputError, match="factfold"):
            memory.import_(tmp_path / "own.db", user_id="ana")
        connection = sqlite3.connect(tmp_path / "photos.db")
        connection.execute("CREATE TABLE photos (id INTEGER)")
        connection.commit()
        connection.close()
        with pytest.raises(InputError, match="mem0"):
            memory.import_(tmp_path / "photos.db", user_id="ana")
