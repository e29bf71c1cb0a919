"""Opening, transactions, reading, purging and checking of the database."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_kit import ANA, DIMENSION, START, Ticking, day, lives, open_store, said, since, vector

from engine.consolidate import Change, Consolidator
from engine.errors import InputError, NotFoundError, ScopeError, StoreError
from engine.store import PurgeReport, Store, codec
from engine.store.migrations import MIGRATIONS
from engine.types import (
    Effect,
    Fact,
    Instant,
    Kind,
    Message,
    Modality,
    Polarity,
    Precision,
    Qualifier,
    Role,
    Scope,
    Span,
    Tense,
)

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store() as opened:
        yield opened


def put(store: Store, place: str, told: str = "2026-02-01", scope: Scope = ANA, decision: str = "d") -> str:
    with store.transaction():
        return Consolidator(store).add(
            lives(place), vector(place), scope, said(told, f"I live in {place}"), {}, decision
        )


class TestCodec:
    @given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
    def test_text_sorts_as_time_does(self, one: datetime, two: datetime) -> None:
        assert codec.read_time(codec.write_time(one)) == one
        assert (codec.write_time(one) < codec.write_time(two)) == (one < two)
        assert len(codec.write_time(one)) == 27

    def test_the_form(self) -> None:
        moment = datetime(2026, 1, 9, 10, 12, tzinfo=timezone(timedelta(hours=2)))
        assert codec.write_time(moment) == "2026-01-09T08:12:00.000000Z"

    def test_no_zone_is_refused(self) -> None:
        with pytest.raises(InputError, match="zone"):
            codec.write_time(datetime(2026, 1, 1))

    def test_a_full_fact_comes_back(self) -> None:
        fact = Fact(
            subject="user's sister Ana",
            predicate="work at",
            object="Siemens ☃",
            text="user's sister Ana works at Siemens ☃",
            attribute="employer",
            polarity=Polarity.NEGATIVE,
            modality=Modality.POSSIBLE,
            tense=Tense.PAST,
            kind=Kind.EVENT,
            effect=Effect.ENDS,
            qualifiers=(Qualifier("time", "in May"), Qualifier("place", "Munich")),
            valid_from=Instant(day("2026-05-01"), Precision.MONTH),
            valid_to=Instant(day("2027-01-01"), Precision.YEAR),
            span=Span("m1", 3, 9, "Siemens"),
            said_at=day("2026-06-01"),
            correction=True,
            bare=True,
            all_of=True,
        )
        assert codec.read_fact(codec.write_fact(fact)) == fact
        assert codec.read_fact(codec.write_fact(lives("x"))) == lives("x")


class TestOpening:
    def test_a_missing_folder(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match=r"F601.*create it"):
            Store(tmp_path / "no" / "memory.db")

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="F605"):
            Store(tmp_path)

    @pytest.mark.parametrize("content", [b"hello", b"SQLite format 3\x00" + b"\xff" * 4096])
    def test_no_database_is_left_as_it_was(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "notes.txt"
        path.write_bytes(content)
        with pytest.raises(StoreError, match="F602"):
            Store(path)
        assert path.read_bytes() == content and os.listdir(tmp_path) == ["notes.txt"]

    def test_another_programs_database_is_left_as_it_was(self, tmp_path: Path) -> None:
        path = tmp_path / "history.db"
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE history (id TEXT)")
        other.close()
        content = path.read_bytes()
        with pytest.raises(StoreError, match="F603"):
            Store(path)
        assert path.read_bytes() == content and os.listdir(tmp_path) == ["history.db"]

    def test_a_newer_releases_database_is_left_as_it_was(self, tmp_path: Path) -> None:
        path = tmp_path / "memory.db"
        open_store(path).close()
        with sqlite3.connect(path) as newer:
            newer.execute("INSERT INTO migrations VALUES ('m999_future', '2030-01-01')")
        newer.close()
        content = path.read_bytes()
        with pytest.raises(StoreError, match=r"F604.*m999_future.*upgrade factfold"):
            Store(path)
        assert path.read_bytes() == content

    def test_an_empty_file_is_a_new_database(self, tmp_path: Path) -> None:
        path = tmp_path / "memory.db"
        path.touch()
        with open_store(path) as store:
            assert store.verify() == []

    def test_what_was_written_is_there_again(self, tmp_path: Path) -> None:
        path = tmp_path / "odd name?#%.db"
        with open_store(path) as store:
            memory_id = put(store, "Austin")
            before = store.get(memory_id, day("2026-03-01"))
        with open_store(path) as store:
            assert store.get(memory_id, day("2026-03-01")) == before
            assert store.connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
            assert store.connection.execute("PRAGMA foreign_keys").fetchone()[0] == 1

    def test_a_failing_migration_leaves_nothing(self, tmp_path: Path) -> None:
        def broken() -> datetime:
            raise RuntimeError("no time")

        path = tmp_path / "memory.db"
        with pytest.raises(RuntimeError):
            Store(path, broken)
        with sqlite3.connect(path) as raw:
            assert raw.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0
        raw.close()
        open_store(path).close()

    def test_migrations_are_numbered_in_order(self) -> None:
        names = [name for name, _ in MIGRATIONS]
        assert [name[:5] for name in names] == [f"m{n:03d}_" for n in range(1, len(names) + 1)]

    def test_a_closed_store_says_so(self, tmp_path: Path) -> None:
        store = open_store(tmp_path / "memory.db")
        store.close()
        store.close()
        with pytest.raises(StoreError, match="F607"):
            store.scope_keys()

    def test_another_encoder_is_refused_with_the_remedy(self, store: Store) -> None:
        store.check_encoder("test-encoder", DIMENSION)
        for encoder, dimension in (("other", DIMENSION), ("test-encoder", 8)):
            with pytest.raises(StoreError, match="factfold reembed"):
                store.check_encoder(encoder, dimension)

    def test_reembedding(self, store: Store) -> None:
        memory_id = put(store, "Austin")
        generation = store.generation(ANA.key)
        with pytest.raises(StoreError, match="F614"):
            store.replace_embeddings("wide", 8, [])
        store.replace_embeddings("wide", 8, [(m, n, np.ones(8, np.float32)) for m, n, _ in store.texts()])
        store.check_encoder("wide", 8)
        assert store.vectors([(memory_id, 1)]).shape == (1, 8) and store.generation(ANA.key) > generation
        assert store.verify() == []


class TestTransactions:
    def test_an_inner_failure_that_is_caught_leaves_only_the_outer(self, store: Store) -> None:
        with store.transaction():
            store.put_entity(ANA.key, "Rex", "dog")
            with pytest.raises(ValueError), store.transaction():
                store.put_entity(ANA.key, "Tom", "cat")
                raise ValueError
        assert [e.name for e in store.entities(ANA.key)] == ["Rex"]

    def test_an_outer_failure_leaves_nothing(self, store: Store) -> None:
        with pytest.raises(ValueError), store.transaction():
            put(store, "Austin")
            raise ValueError
        assert store.scope_keys() == () and not store.in_transaction
        put(store, "Austin")

    def test_one_moment_a_transaction(self, store: Store) -> None:
        with store.transaction():
            assert store.now() == store.now()
        assert store.now() != store.now()

    def test_a_raising_clock_leaves_nothing(self, store: Store) -> None:
        put(store, "Austin")
        before = store.all(ANA.key, True)

        def stopped() -> datetime:
            raise RuntimeError("no time")

        store.clock = stopped
        with pytest.raises(RuntimeError):
            put(store, "Boston")
        store.clock = Ticking()
        assert store.all(ANA.key, True) == before and store.verify() == []

    @pytest.mark.parametrize("in_memory", [True, False])
    def test_threads_write_side_by_side(self, tmp_path: Path, in_memory: bool) -> None:
        errors: list[BaseException] = []
        with open_store(":memory:" if in_memory else tmp_path / "memory.db", lambda: START) as store:

            def work(name: str) -> None:
                try:
                    for n in range(10):
                        put(store, f"{name} {n}", scope=Scope(user_id=name))
                        store.active(f"user:{name}", day("2026-03-01"))
                except BaseException as error:
                    errors.append(error)

            threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert errors == []
            assert [len(store.all(key)) for key in store.scope_keys()] == [10] * 4
            assert store.verify() == []

    def test_a_lock_that_stays_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "memory.db"
        with open_store(path) as store:
            store.connection.execute("PRAGMA busy_timeout = 10")
            other = sqlite3.connect(path, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match=r"F608.*locked"), store.transaction():
                pass
            other.close()


WRITER = """
import sys
sys.path[:0] = [{root!r}, {tests!r}]
from store_kit import *
from engine.consolidate import Consolidator
store = open_store({path!r})
writer = Consolidator(store)
for n in range({count}):
    with store.transaction():
        place = sys.argv[1] + str(n)
        writer.add(lives(place), vector(place), ANA, said("2026-02-01"), {{}}, place)
        {then}
print("done")
"""


def writer(path: Path, count: int, then: str = "pass") -> list[str]:
    code = WRITER.format(root=str(ROOT), tests=str(ROOT / "tests"), path=str(path), count=count, then=then)
    return [sys.executable, "-c", code]


class TestProcesses:
    def test_two_that_create_and_write_at_once_do_not_lock_each_other_out(self, tmp_path: Path) -> None:
        """mem0#7196: database is locked."""
        path = tmp_path / "memory.db"
        running = [
            subprocess.Popen([*writer(path, 40), name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for name in "ab"
        ]
        for process in running:
            out, err = process.communicate(timeout=60)
            assert (process.returncode, out) == (0, "done\n"), err
        with open_store(path) as store:
            assert len(store.all(ANA.key)) == 80 and store.verify() == []

    def test_one_killed_in_the_middle_leaves_what_was_before(self, tmp_path: Path) -> None:
        path = tmp_path / "memory.db"
        with open_store(path) as store:
            put(store, "Austin")
            before = store.all(ANA.key, True)
        then = "print('half', flush=True); import time; time.sleep(60)"
        with subprocess.Popen([*writer(path, 1, then), "x"], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None and process.stdout.readline() == "half\n"
            process.send_signal(signal.SIGKILL)
        with open_store(path) as store:
            assert store.all(ANA.key, True) == before and store.verify() == []
            put(store, "Boston")


class TestReading:
    def test_scopes_are_apart(self, store: Store) -> None:
        mine = put(store, "Austin")
        put(store, "Boston", scope=Scope(user_id="bob"))
        put(store, "Chicago", scope=Scope(agent_id="ana"))
        assert [m.id for m in store.active(ANA.key, day("2026-03-01"))] == [mine]
        assert store.scope_keys() == ("agent:ana", "user:ana", "user:bob")

    def test_sorted_by_creation_then_id(self, store: Store) -> None:
        ids = [put(store, place) for place in "cba"]
        assert [m.id for m in store.active(ANA.key, day("2026-03-01"))] == ids
        with store.transaction():
            same = sorted(put(store, place, "2026-02-02") for place in "fed")
        assert [m.id for m in store.all(ANA.key)] == [*ids, *same]

    def test_get_all_with_history_gives_every_version(self, store: Store) -> None:
        memory_id = put(store, "Austin")
        writer = Consolidator(store)
        with store.transaction():
            writer.update(memory_id, lives("Boston"), vector("b"), said("2026-03-01"), "e", Change.CORRECTED)
            writer.end(memory_id, None, "moved away", said("2026-04-01"), "f")
        assert store.all(ANA.key) == []
        assert [(m.version.number, m.version.void) for m in store.all(ANA.key, True)] == [(1, True), (2, False)]

    def test_closed_like_finds_what_is_over(self, store: Store) -> None:
        writer = Consolidator(store)
        memory_id, other = put(store, "Austin"), put(store, "Chicago")
        with store.transaction():
            writer.update(memory_id, lives("Boston"), vector("b"), said("2026-03-01"), "e")
            writer.void(other, "a joke", said("2026-03-01"), "f")
        found = store.closed_like(ANA.key, "User", "residence")
        assert [(m.id, m.version.number, m.tombstone) for m in found] == [(memory_id, 1, None), (other, 1, "a joke")]
        assert store.closed_like(ANA.key, "user", "employer") == []
        assert store.closed_like(ANA.key, "user", None) == []
        assert store.closed_like("user:bob", "user", "residence") == []

    def test_embeddings_are_those_that_may_be_asked_for(self, store: Store) -> None:
        writer = Consolidator(store)
        ids, numbers, matrix = store.embeddings(ANA.key)
        assert (ids, numbers, matrix.shape, matrix.dtype) == ((), (), (0, DIMENSION), np.float32)
        kept, over, planned = put(store, "Austin"), put(store, "Boston"), put(store, "Chicago")
        with store.transaction():
            writer.update(kept, lives("Denver"), vector("Denver"), said("2025-03-01"), "e")
            writer.end(over, None, "over", said("2025-03-01"), "f")
            writer.update(planned, lives("Erie", "2030-01-01"), vector("Erie"), said("2025-03-01"), "g")
        ids, numbers, matrix = store.embeddings(ANA.key)
        assert list(zip(ids, numbers, strict=True)) == [(kept, 2), (planned, 1), (planned, 2)]
        assert np.array_equal(matrix, np.stack([vector("Denver"), vector("Chicago"), vector("Erie")]))
        ids, numbers, _ = store.embeddings(ANA.key, day("2024-01-01"))
        assert list(zip(ids, numbers, strict=True)) == [(kept, 1), (kept, 2), (planned, 1), (planned, 2)]
        for moment in ("2025-02-01", "2026-06-01", "2031-01-01"):
            ids, numbers, _ = store.embeddings(ANA.key, day(moment))
            rows = set(zip(ids, numbers, strict=True))
            shown = {(m.id, m.version.number) for m in store.active(ANA.key, day(moment)) if m.tombstone is None}
            assert shown <= rows

    def test_the_generation_grows_with_every_write(self, store: Store) -> None:
        seen = [store.generation(ANA.key)]
        memory_id = put(store, "Austin")
        writer, source = Consolidator(store), said("2026-03-01")
        for write in (
            lambda: writer.noop(memory_id, source, ANA, "a"),
            lambda: writer.update(memory_id, lives("B"), vector("B"), source, "b"),
            lambda: writer.annotate(memory_id, {"a": 1}),
            lambda: writer.end(memory_id, None, "x", source, "c"),
            lambda: writer.undo("c"),
            lambda: store.purge(memory_id),
        ):
            seen.append(store.generation(ANA.key))
            with store.transaction():
                write()
        seen.append(store.generation(ANA.key))
        assert seen == sorted(set(seen)) and store.generation("user:bob") == 0

    def test_unknown_ids(self, store: Store) -> None:
        assert store.get("x", START) is None and store.find("x") is None
        assert store.versions("x") == () and store.history("x") == () and store.decision("x") is None
        with pytest.raises(NotFoundError):
            store.identity("x")
        with pytest.raises(NotFoundError):
            store.vectors([("x", 1)])


class TestRecords:
    def test_decisions(self, store: Store) -> None:
        store.record_decision("a", ANA.key, {"p": 0.5, "nested": [1, {"x": None}]}, review=True)
        store.record_decision("b", ANA.key, {}, review=True)
        store.record_decision("c", ANA.key, {})
        with pytest.raises(InputError, match="F611"):
            store.record_decision("a", ANA.key, {})
        found = store.decision("a")
        assert found is not None and found.record == {"p": 0.5, "nested": [1, {"x": None}]}
        assert [d.id for d in store.decisions_to_review(ANA.key)] == ["a", "b"]
        store.set_feedback("a", "ADD")
        assert [d.id for d in store.decisions_to_review(ANA.key)] == ["b"]
        with pytest.raises(NotFoundError):
            store.set_feedback("z", "ADD")

    def test_the_last_turns_are_kept(self, store: Store) -> None:
        turns = [Message(Role.USER, f"turn {n}", f"m{n}", START, "Dina") for n in range(30)]
        store.append_turns(ANA.key, turns[:20])
        store.append_turns(ANA.key, turns[20:])
        store.append_turns("user:bob", turns[:1])
        assert store.turns(ANA.key) == tuple(turns[18:])

    def test_names(self, store: Store) -> None:
        store.put_entity(ANA.key, "Eva", "girlfriend")
        store.put_entity(ANA.key, "Rex", "dog", kind="animal")
        store.put_entity(ANA.key, "Eva", "wife")
        assert [(e.name, e.role, e.owner, e.kind) for e in store.entities(ANA.key)] == [
            ("Eva", "wife", "user", "person"),
            ("Rex", "dog", "user", "animal"),
        ]

    def test_accesses(self, store: Store) -> None:
        one, two = put(store, "Austin"), put(store, "Boston")
        generation = store.generation(ANA.key)
        store.count_accesses([one, "gone"], day("2026-03-01"))
        store.count_accesses([one], day("2026-02-01"))
        found = store.accesses(ANA.key)
        assert found[one].count == 2 and found[one].last_at == day("2026-03-01") and two not in found
        assert store.generation(ANA.key) == generation  # an index does not grow stale by being read


class TestPurge:
    def test_a_memory_goes_without_a_trace(self, tmp_path: Path) -> None:
        path = tmp_path / "memory.db"
        with open_store(path) as store:
            writer = Consolidator(store)
            secret = put(store, "Xanaduville", decision="own")
            kept = put(store, "Boston", "2026-02-02", decision="kept")
            with store.transaction():
                writer.update(secret, lives("Shangrila"), vector("s"), said("2026-03-01", "to Shangrila"), "own2")
                writer.noop(secret, said("2026-03-02", "Xanaduville it is"), ANA, "own3")
                store.record_decision("own", ANA.key, {"fact": "user lives in Xanaduville"})
                store.record_decision(
                    "kept",
                    ANA.key,
                    {"text": "Boston", "neighbours": [{"id": secret, "text": "user lives in Xanaduville"}]},
                )
                store.set_feedback("kept", '{"existing": "user lives in Xanaduville", "candidate": "Boston"}')
                store.append_turns(
                    ANA.key,
                    [
                        Message(Role.USER, f"{w} it is", i, START)
                        for w, i in (("Xanaduville", "m-2026-02-01"), ("tea", "t"))
                    ],
                )
            store.count_accesses([secret])
            assert store.purge(secret) == PurgeReport(
                memories=1, versions=2, sources=3, history=3, decisions=1, turns=1, redacted=1
            )
            assert store.find(secret) is None and store.decision("own") is None
            found = store.decision("kept")
            assert found is not None
            assert found.record == {"text": "Boston", "neighbours": [{"id": "[purged]", "text": "[purged]"}]}
            assert found.feedback is not None and "Xanaduville" not in found.feedback
            assert [m.id for m in store.all(ANA.key)] == [kept] and store.verify() == []
            content = b"".join(file.read_bytes() for file in sorted(tmp_path.iterdir()))
            assert b"Xanaduville" not in content and b"Shangrila" not in content and b"Boston" in content

    def test_a_scope_goes_whole(self, store: Store) -> None:
        put(store, "Austin")
        other = put(store, "Boston", scope=Scope(user_id="bob"))
        store.put_entity(ANA.key, "Rex", "dog")
        store.record_decision("d", ANA.key, {})
        store.append_turns(ANA.key, [Message(Role.USER, "x", "m", START)])
        generation = store.generation(ANA.key)
        report = store.purge(scope=ANA)
        assert report == PurgeReport(1, 1, 1, 1, decisions=1, turns=1, entities=1)
        assert store.scope_keys() == ("user:bob",) and [m.id for m in store.all("user:bob")] == [other]
        put(store, "Austin")
        assert store.generation(ANA.key) > generation  # a cache of the purged scope can never seem fresh

    def test_labels_narrow_it(self, store: Store) -> None:
        kept = put(store, "Austin", scope=Scope("ana", "a"))
        put(store, "Boston", scope=Scope("ana", "b"))
        assert store.purge(scope=Scope("ana", "b")).memories == 1
        assert [m.id for m in store.all(ANA.key)] == [kept]

    def test_nobody_is_erased_by_mistake(self, store: Store) -> None:
        """mem0#3928: delete_all wiped everybody."""
        put(store, "Austin")
        with pytest.raises(ScopeError):
            store.purge(scope=Scope())
        with pytest.raises(InputError):
            store.purge()
        with pytest.raises(NotFoundError):
            store.purge("nothing")
        assert len(store.all(ANA.key)) == 1


DAMAGES = {
    "has no version": "DELETE FROM versions",
    "current spans, not one": "UPDATE spans SET superseded_at = '2026'",
    "has no history row": "DELETE FROM history",
    "another scope": "UPDATE versions SET scope_key = 'user:bob'",
    "has no end": "UPDATE memories SET tombstone = 'over'",
    "only void versions": "UPDATE spans SET void = 1",
    "ends before it begins": (
        "UPDATE spans SET valid_from = '2026-01-01T00:00:00.000000Z', valid_to = '2025-01-01T00:00:00.000000Z'"
    ),
    "does not fit its scope": "UPDATE memories SET user_id = 'bob'",
    "the hash of version 1": "UPDATE versions SET hash = 'x'",
    "has 1 dimensions, not 4": "UPDATE versions SET embedding = x'00000000'",
    "differs from its columns": "UPDATE versions SET subject = 'bob'",
    "not those of the steps": "UPDATE spans SET valid_from = '2026-01-01T00:00:00.000000Z', from_precision = 'day'",
    "refers to a row": "DELETE FROM memories",
}


@pytest.mark.parametrize("problem", DAMAGES)
def test_verify_tells_every_kind_of_damage(store: Store, problem: str) -> None:
    put(store, "Austin")
    assert store.verify() == []
    store.connection.execute("PRAGMA foreign_keys = OFF")
    store.connection.execute(DAMAGES[problem])
    assert any(problem in found for found in store.verify())


def test_verify_of_a_damaged_file_does_not_raise(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with open_store(path) as store:
        for n in range(50):
            put(store, f"place {n}")
    content = bytearray(path.read_bytes())
    content[-8 * 4096 :] = b"\xa5" * (8 * 4096)  # rows; the schema stands at the front
    path.write_bytes(content)
    with Store(path) as store:
        assert store.verify() != []


def test_a_version_row_is_never_rewritten(store: Store) -> None:
    memory_id = put(store, "Austin")
    query = "SELECT * FROM versions WHERE number = 1"
    before = tuple(store.connection.execute(query).fetchone())
    writer = Consolidator(store)
    with store.transaction():
        writer.update(
            memory_id, replace(lives("B"), valid_from=since("2020-01-01")), vector("B"), said("2026-03-01"), "e"
        )
        writer.void(memory_id, "x", said("2026-03-02"), "f")
        writer.undo("f")
        writer.restore(memory_id, 1)
    assert tuple(store.connection.execute(query).fetchone()) == before
    rows = store.connection.execute("SELECT * FROM spans ORDER BY id").fetchall()
    assert all(row["superseded_at"] is None or row["superseded_at"] >= row["recorded_at"] for row in rows)
