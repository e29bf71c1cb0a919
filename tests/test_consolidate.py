"""What each operation leaves in the store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_kit import ANA, START, Ticking, day, lives, open_store, said, since, text_at, vector

from engine.consolidate import Change, Consolidator
from engine.errors import InputError, NotFoundError, ScopeError, StoreError
from engine.store import Store
from engine.types import Fact, Kind, Operation, Scope


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store() as opened:
        yield opened
        assert opened.verify() == []


@dataclass(frozen=True)
class Do:
    """One operation of a scenario."""

    op: str
    told: str
    place: str = ""
    valid_from: str | None = None
    valid_to: str | None = None
    kind: Kind = Kind.STATE

    @property
    def fact(self) -> Fact:
        return lives(self.place, self.valid_from, self.valid_to, self.kind)


def play(store: Store, scenario: list[Do]) -> str:
    """Does the operations on one memory, each as the decision d0, d1, ..."""
    writer, memory_id = Consolidator(store), ""
    for number, do in enumerate(scenario):
        source, decision = said(do.told, f"words {number}"), f"d{number}"
        with store.transaction():
            if do.op == "add":
                memory_id = writer.add(do.fact, vector(do.place), ANA, source, {}, decision)
            elif do.op == "end":
                writer.end(memory_id, since(do.valid_to), "ended", source, decision)
            elif do.op == "void":
                writer.void(memory_id, "retracted", source, decision)
            elif do.op == "noop":
                writer.noop(memory_id, source, ANA, decision, do.fact)
            elif do.op in ("earlier", "revive"):
                getattr(writer, do.op)(memory_id, do.fact, vector(do.place), source, decision)
            else:
                writer.update(memory_id, do.fact, vector(do.place), source, decision, Change(do.op))
    return memory_id


A, B, C, D = "Austin", "Boston", "Chicago", "Denver"
SCENARIOS: dict[str, tuple[list[Do], dict[str, str | None]]] = {
    "an unbounded state": ([Do("add", "2026-02-01", A)], {"1990-01-01": A, "2026-02-01": A, "2050-01-01": A}),
    "a dated state": (
        [Do("add", "2026-02-01", A, "2020-01-01", "2025-01-01")],
        {"2019-12-31": None, "2020-01-01": A, "2024-12-31": A, "2025-01-01": None},
    ),
    "an event from when it was told, whatever its day": (
        [Do("add", "2026-02-01", A, "2019-01-01", "2019-01-02", Kind.EVENT)],
        {"2026-01-31": None, "2026-02-01": A, "2050-01-01": A},
    ),
    "a plan from when it was told, past its day": (
        [Do("add", "2026-02-01", A, "2026-03-01", "2026-03-02", Kind.PLAN)],
        {"2026-01-31": None, "2026-02-01": A, "2026-06-01": A},
    ),
    "changed when told": (
        [Do("add", "2026-02-01", A), Do("changed", "2026-03-01", B)],
        {"2026-02-28": A, "2026-03-01": B},
    ),
    "changed at the date given": (
        [Do("add", "2026-02-01", A), Do("changed", "2026-03-01", B, "2026-02-15")],
        {"2026-02-14": A, "2026-02-15": B},
    ),
    "changed in the future: the old one lasts until then": (
        [Do("add", "2026-02-01", A), Do("changed", "2026-03-01", B, "2026-09-01")],
        {"2026-08-31": A, "2026-09-01": B},
    ),
    "changed before a change already known": (
        [Do("add", "2026-02-01", A), Do("changed", "2026-03-01", B, "2026-09-01"), Do("changed", "2026-04-01", C)],
        {"2026-03-31": A, "2026-04-01": C, "2026-08-31": C, "2026-09-01": B},
    ),
    "changed from before the old one's beginning": (
        [Do("add", "2026-02-01", A, "2020-01-01"), Do("changed", "2026-03-01", B, "2015-01-01")],
        {"2014-12-31": None, "2015-01-01": B, "2021-01-01": B, "2026-06-01": B},
    ),
    "changed after an end already known": (
        [Do("add", "2026-02-01", A, "2020-01-01", "2026-02-10"), Do("changed", "2026-03-01", B)],
        {"2026-02-09": A, "2026-02-20": None, "2026-03-01": B},
    ),
    "a plan moved to another day": (
        [
            Do("add", "2026-02-01", A, "2026-05-01", None, Kind.PLAN),
            Do("changed", "2026-03-01", B, "2026-06-01", None, Kind.PLAN),
        ],
        {"2026-02-02": A, "2026-03-01": B, "2026-07-01": B},
    ),
    "corrected from the beginning": (
        [Do("add", "2026-02-01", A, "2020-01-01"), Do("corrected", "2026-03-01", B)],
        {"2019-12-31": None, "2020-01-01": B, "2026-02-15": B},
    ),
    "corrected keeps an end": (
        [Do("add", "2026-02-01", A, "2020-01-01", "2022-01-01"), Do("corrected", "2026-02-02", B)],
        {"2020-01-01": B, "2022-01-01": None},
    ),
    "a corrected event keeps its place": (
        [
            Do("add", "2026-02-01", A, None, None, Kind.EVENT),
            Do("corrected", "2026-03-01", B, "2026-01-01", None, Kind.EVENT),
        ],
        {"2026-01-31": None, "2026-02-01": B},
    ),
    "a corrected date of a move leaves no gap": (
        [
            Do("add", "2024-02-01", A),
            Do("changed", "2026-02-01", B, "2024-03-01"),
            Do("corrected", "2026-02-02", B, "2025-03-01"),
        ],
        {"2024-06-01": A, "2025-02-28": A, "2025-03-01": B},
    ),
    "refined": (
        [Do("add", "2026-02-01", A), Do("refined", "2026-03-01", B)],
        {"2000-01-01": B, "2026-02-15": B, "2026-06-01": B},
    ),
    "earlier, both unbounded": (
        [Do("add", "2026-03-01", B), Do("earlier", "2026-01-01", A)],
        {"2000-01-01": A, "2026-02-28": A, "2026-03-01": B},
    ),
    "earlier, the later one dated": (
        [Do("add", "2026-03-01", B, "2025-01-01"), Do("earlier", "2024-01-01", A, "2023-01-01")],
        {"2022-01-01": None, "2023-01-01": A, "2024-12-31": A, "2025-01-01": B},
    ),
    "earlier, twice, between": (
        [Do("add", "2026-05-01", C), Do("earlier", "2026-01-01", A), Do("earlier", "2026-03-01", B)],
        {"2026-02-28": A, "2026-03-01": B, "2026-04-30": B, "2026-05-01": C},
    ),
    "earlier, twice, backwards": (
        [Do("add", "2026-05-01", C), Do("earlier", "2026-03-01", B), Do("earlier", "2026-01-01", A)],
        {"2026-02-28": A, "2026-03-01": B, "2026-04-30": B, "2026-05-01": C},
    ),
    "earlier never overwrites what was told later": (
        [Do("add", "2026-03-01", B), Do("earlier", "2026-01-01", A, "2026-04-01")],
        {"2026-03-02": B, "2026-06-01": B},
    ),
    "earlier than a confirmation: the value came back": (
        [Do("add", "2026-01-01", A), Do("noop", "2026-05-01", A), Do("earlier", "2026-03-01", B)],
        {"2026-02-01": A, "2026-03-01": B, "2026-04-30": B, "2026-05-01": A},
    ),
    "earlier than what is over": (
        [Do("add", "2026-02-01", B), Do("end", "2026-04-01"), Do("earlier", "2026-01-01", A)],
        {"2026-01-15": A, "2026-02-01": B, "2026-04-01": None},
    ),
    "earlier than a retraction": (
        [Do("add", "2026-02-01", B), Do("void", "2026-04-01"), Do("earlier", "2026-01-01", B)],
        {"2026-01-15": None, "2026-03-01": None},
    ),
    "ended when told": (
        [Do("add", "2026-02-01", A), Do("end", "2026-04-01")],
        {"2026-03-31": A, "2026-04-01": None},
    ),
    "ended at a date": (
        [Do("add", "2026-02-01", A), Do("end", "2026-04-01", valid_to="2026-03-01")],
        {"2026-02-28": A, "2026-03-01": None},
    ),
    "ended in the future": (
        [Do("add", "2026-02-01", A), Do("end", "2026-04-01", valid_to="2026-09-01")],
        {"2026-08-31": A, "2026-09-01": None},
    ),
    "ended before it began": (
        [Do("add", "2026-02-01", A, "2026-01-01"), Do("end", "2026-04-01", valid_to="2025-01-01")],
        {"2025-06-01": None, "2026-01-01": None, "2026-05-01": None},
    ),
    "ended with a change to come": (
        [Do("add", "2026-02-01", A), Do("changed", "2026-03-01", B, "2026-09-01"), Do("end", "2026-04-01")],
        {"2026-03-31": A, "2026-04-01": None, "2026-10-01": None},
    ),
    "retracted": ([Do("add", "2026-02-01", A), Do("void", "2026-04-01")], {"2026-03-01": None, "2026-05-01": None}),
    "noop brings a beginning": (
        [Do("add", "2026-02-01", A), Do("noop", "2026-03-01", A, "2019-01-01")],
        {"2018-12-31": None, "2019-01-01": A},
    ),
    "noop brings no beginning later than what was told": (
        [Do("add", "2026-02-01", A), Do("noop", "2026-03-01", A, "2026-02-20")],
        {"2026-02-10": A},
    ),
    "noop keeps a beginning": (
        [Do("add", "2026-02-01", A, "2020-01-01"), Do("noop", "2026-03-01", A, "2019-01-01")],
        {"2019-06-01": None, "2020-01-01": A},
    ),
    "revived, with its own interval (graphiti#1865)": (
        [Do("add", "2026-02-01", A), Do("end", "2026-03-01"), Do("revive", "2026-05-01", A)],
        {"2026-02-28": A, "2026-04-01": None, "2026-05-01": A, "2050-01-01": A},
    ),
    "revived after a retraction": (
        [Do("add", "2026-02-01", A), Do("void", "2026-03-01"), Do("revive", "2026-05-01", B)],
        {"2026-02-15": None, "2026-05-01": B},
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_is_true_when(store: Store, name: str) -> None:
    scenario, expected = SCENARIOS[name]
    memory_id = play(store, scenario)
    assert {when: text_at(store, memory_id, when) for when in expected} == expected
    actives = {when: [m.fact.object for m in store.active(ANA.key, day(when))] for when in expected}
    assert actives == {when: [] if place is None else [place] for when, place in expected.items()}


@pytest.mark.parametrize("name", SCENARIOS)
def test_undo_gives_back_what_was_before(store: Store, name: str) -> None:
    scenario, moments = SCENARIOS[name]
    memory_id = play(store, scenario[:-1]) if len(scenario) > 1 else ""
    before = {when: text_at(store, memory_id, when) for when in moments}
    tombstone = store.identity(memory_id).tombstone if memory_id else "undone"
    with open_store() as other:
        again = play(other, scenario)
        with other.transaction():
            assert Consolidator(other).undo(f"d{len(scenario) - 1}") == (again,)
        assert {when: text_at(other, again, when) for when in moments} == before
        assert other.identity(again).tombstone == tombstone
        assert other.verify() == []


def test_versions_keep_their_numbers_hashes_and_vectors(store: Store) -> None:
    memory_id = play(
        store, [Do("add", "2026-02-01", A), Do("changed", "2026-03-01", B), Do("refined", "2026-04-01", C)]
    )
    versions = store.versions(memory_id)
    assert [(v.number, v.fact.object, v.void) for v in versions] == [(1, A, False), (2, B, True), (3, C, False)]
    assert versions[0].valid_to is not None and versions[0].valid_to.at == day("2026-03-01")
    assert np.array_equal(store.vectors([(memory_id, 2), (memory_id, 1)]), np.stack([vector(B), vector(A)]))


def test_history_tells_each_event_with_its_time(store: Store) -> None:
    memory_id = play(
        store,
        [
            Do("add", "2026-02-01", A),
            Do("noop", "2026-02-02", A),
            Do("changed", "2026-03-01", B),
            Do("end", "2026-04-01"),
            Do("revive", "2026-05-01", C),
        ],
    )
    rows = store.history(memory_id)
    texts = [f"user lives in {place}" for place in (A, B, C)]
    assert [(r.event, r.old_memory, r.new_memory, r.is_deleted, r.version) for r in rows] == [
        (Operation.ADD, None, texts[0], False, 1),
        (Operation.NOOP, texts[0], texts[0], False, 1),
        (Operation.UPDATE, texts[0], texts[1], False, 2),
        (Operation.DELETE, texts[1], None, True, 2),
        (Operation.UPDATE, None, texts[2], False, 3),
    ]
    assert [r.decision_id for r in rows] == ["d0", "d1", "d2", "d3", "d4"]
    assert len({r.updated_at for r in rows}) == 5  # mem0#4467: DELETE rows are dated too
    assert rows[3].reason == "ended" and rows[3].source is not None and rows[3].source.message_id == "m-2026-04-01"


def test_the_old_text_is_the_one_that_was_true_when_told(store: Store) -> None:
    memory_id = play(
        store,
        [Do("add", "2020-01-01", A), Do("changed", "2020-02-01", B, "2020-09-01"), Do("changed", "2020-03-01", C)],
    )
    assert store.history(memory_id)[-1].old_memory == f"user lives in {A}"


def test_ids_follow_from_the_input() -> None:
    def ids() -> list[str]:
        with open_store() as store, store.transaction():
            writer = Consolidator(store)
            return [writer.add(lives(A), vector(A), ANA, said("2026-02-01"), {}, f"d{n}") for n in range(3)]

    first = ids()
    assert first == ids() and len(set(first)) == 3


def test_what_was_known_at_a_moment_of_the_store(store: Store) -> None:
    memory_id = play(store, [Do("add", "2026-02-01", A), Do("corrected", "2026-03-01", B), Do("end", "2026-04-01")])
    added, corrected, ended = (row.updated_at for row in store.history(memory_id))
    when = day("2026-02-15")

    def known(at: object) -> tuple[str, int, str | None] | None:
        found = store.get(memory_id, when, at)  # type: ignore[arg-type]
        return None if found is None else (found.fact.object, len(found.sources), found.tombstone)

    assert known(added - timedelta(seconds=1)) is None
    assert known(added) == (A, 1, None)
    assert known(corrected) == (B, 2, None)
    assert known(ended) == known(None) == (B, 2, "ended")


def test_a_clock_set_back_leaves_one_truth_at_a_time() -> None:
    clock = Ticking()
    with open_store(clock=clock) as store:
        memory_id = play(store, [Do("add", "2026-02-01", A)])
        clock.moment = START - timedelta(days=30)
        with store.transaction():
            Consolidator(store).update(memory_id, lives(B), vector(B), said("2026-03-01"), "x", Change.CORRECTED)
        moments = [row.updated_at for row in store.history(memory_id)]
        assert moments == sorted(moments)
        assert store.verify() == []


class TestNoop:
    def test_sources_grow_once(self, store: Store) -> None:
        writer = Consolidator(store)
        memory_id = play(store, [Do("add", "2026-02-01", A)])
        with store.transaction():
            assert writer.noop(memory_id, said("2026-03-01"), ANA, "x")
            assert not writer.noop(memory_id, said("2026-03-01"), ANA, "y")
        found = store.find(memory_id)
        assert found is not None and [s.message_id for s in found.sources] == ["m-2026-02-01", "m-2026-03-01"]
        assert found.version.number == 1 and found.updated_at == found.created_at
        with store.transaction():
            writer.undo("x")
        found = store.find(memory_id)
        assert found is not None and [s.message_id for s in found.sources] == ["m-2026-02-01"]

    def test_only_unset_labels_are_attached(self, store: Store) -> None:
        """mem0 1.x: a NONE event rewrote a neighbour's agent_id and run_id."""
        writer = Consolidator(store)
        with store.transaction():
            scope = Scope(user_id="ana", agent_id="one")
            memory_id = writer.add(lives(A), vector(A), scope, said("2026-02-01"), {}, "d")
            writer.noop(memory_id, said("2026-03-01"), Scope("ana", "two", "run"), "e")
            assert writer.attach_labels(memory_id, Scope("ana", "three", "other")) == ()
        assert store.identity(memory_id).scope == Scope("ana", "one", "run")
        with store.transaction():
            writer.undo("e")
        assert store.identity(memory_id).scope == Scope("ana", "one", None)

    @pytest.mark.parametrize("scope", [Scope("bob"), Scope(agent_id="ana"), Scope(), Scope("bob", "ana")])
    def test_another_tenants_scope_is_refused(self, store: Store, scope: Scope) -> None:
        memory_id = play(store, [Do("add", "2026-02-01", A)])
        with pytest.raises(ScopeError), store.transaction():
            Consolidator(store).noop(memory_id, said("2026-03-01"), scope, "x")
        assert len(store.history(memory_id)) == 1

    def test_the_key_of_an_agents_memory_never_changes(self, store: Store) -> None:
        writer = Consolidator(store)
        with store.transaction():
            memory_id = writer.add(lives(A), vector(A), Scope(agent_id="bot"), said("2026-02-01"), {}, "d")
            with pytest.raises(ScopeError):
                writer.noop(memory_id, said("2026-03-01"), Scope("ana", "bot"), "e")


class TestUndo:
    def test_twice_is_an_error(self, store: Store) -> None:
        writer = Consolidator(store)
        play(store, [Do("add", "2026-02-01", A)])
        with store.transaction():
            store.record_decision("d0", ANA.key, {"fact": "x"}, review=True)
            writer.undo("d0")
            with pytest.raises(InputError, match="F706"):
                writer.undo("d0")
            with pytest.raises(NotFoundError):
                writer.undo("never")
        row = store.decision("d0")
        assert row is not None and row.undone_at is not None
        assert store.decisions_to_review(ANA.key) == []

    def test_of_an_add_leaves_a_tombstone_not_a_hole(self, store: Store) -> None:
        memory_id = play(store, [Do("add", "2026-02-01", A)])
        with store.transaction():
            Consolidator(store).undo("d0")
        found = store.find(memory_id)
        assert found is not None and found.tombstone == "undone" and found.version.void and found.sources == ()
        assert store.history(memory_id)[-1].event is Operation.DELETE
        assert [m.id for m in store.closed_like(ANA.key, "user", "residence")] == [memory_id]

    def test_of_a_middle_decision_keeps_what_came_after(self, store: Store) -> None:
        memory_id = play(
            store, [Do("add", "2026-02-01", A), Do("changed", "2026-03-01", B), Do("changed", "2026-04-01", C)]
        )
        writer = Consolidator(store)
        with store.transaction():
            writer.undo("d1")
        assert [text_at(store, memory_id, f"2026-0{m}-15") for m in (2, 3, 4)] == [A, A, C]
        with store.transaction():
            writer.undo("d2")
        assert [text_at(store, memory_id, f"2026-0{m}-15") for m in (2, 3, 4)] == [A, A, A]

    def test_of_a_decision_over_several_memories(self, store: Store) -> None:
        writer = Consolidator(store)
        with store.transaction():
            first, second = (writer.add(lives(p), vector(p), ANA, said("2026-02-01"), {}, f"add {p}") for p in (A, B))
            for memory_id in (first, second):
                writer.end(memory_id, None, "sold both", said("2026-03-01"), "both")
        assert store.active(ANA.key, day("2026-04-01")) == []
        with store.transaction():
            assert writer.undo("both") == tuple(sorted((first, second)))
        assert {m.id for m in store.active(ANA.key, day("2026-04-01"))} == {first, second}


def test_restore_copies_an_old_version(store: Store) -> None:
    memory_id = play(store, [Do("add", "2025-02-01", A), Do("changed", "2025-03-01", B), Do("end", "2025-04-01")])
    writer = Consolidator(store)
    with store.transaction():
        assert writer.restore(memory_id, 1) == 3
    assert [text_at(store, memory_id, w) for w in ("2025-02-15", "2025-03-15", "2025-06-01", "2026-06-01")] == [
        A,
        B,
        None,
        A,
    ]
    assert np.array_equal(store.vectors([(memory_id, 3)]), store.vectors([(memory_id, 1)]))
    decision = store.history(memory_id)[-1].decision_id
    with store.transaction():
        assert decision is not None
        writer.undo(decision)
        with pytest.raises(NotFoundError):
            writer.restore(memory_id, 9)
    assert text_at(store, memory_id, "2026-06-01") is None


def test_metadata_changes_alone(store: Store) -> None:
    memory_id = play(store, [Do("add", "2026-02-01", A)])
    with store.transaction():
        Consolidator(store).annotate(memory_id, {"topic": "home", "tags": ["a", "ü"]})
    found = store.find(memory_id)
    assert found is not None and found.metadata == {"topic": "home", "tags": ["a", "ü"]} and found.version.number == 1
    assert store.history(memory_id)[-1].reason == "metadata"


class TestRefusals:
    def test_outside_a_transaction(self, store: Store) -> None:
        with pytest.raises(StoreError, match="transaction"):
            Consolidator(store).add(lives(A), vector(A), ANA, said("2026-02-01"), {}, "d")
        with pytest.raises(StoreError, match="transaction"):
            Consolidator(store).undo("d")

    def test_no_scope(self, store: Store) -> None:
        with pytest.raises(ScopeError), store.transaction():
            Consolidator(store).add(lives(A), vector(A), Scope(), said("2026-02-01"), {}, "d")

    def test_unknown_memory(self, store: Store) -> None:
        with pytest.raises(NotFoundError), store.transaction():
            Consolidator(store).end("nothing", None, "x", said("2026-02-01"), "d")

    def test_an_update_of_what_is_over(self, store: Store) -> None:
        memory_id = play(store, [Do("add", "2026-02-01", A), Do("end", "2026-03-01")])
        with pytest.raises(InputError, match="F702"), store.transaction():
            Consolidator(store).update(memory_id, lives(B), vector(B), said("2026-04-01"), "d")

    def test_an_update_of_a_version_that_another_writer_voided(self, store: Store) -> None:
        """odysseus#1940: compare and set."""
        memory_id = play(store, [Do("add", "2026-02-01", A), Do("corrected", "2026-03-01", B)])
        with store.transaction():
            for version, error in ((1, InputError), (7, NotFoundError)):
                with pytest.raises(error):
                    Consolidator(store).update(memory_id, lives(C), vector(C), said("2026-04-01"), "d", version=version)

    def test_an_earlier_statement_that_is_not_earlier(self, store: Store) -> None:
        memory_id = play(store, [Do("add", "2026-02-01", A)])
        with pytest.raises(InputError, match="F703"), store.transaction():
            Consolidator(store).earlier(memory_id, lives(B), vector(B), said("2026-02-01"), "d")

    @pytest.mark.parametrize(
        ("embedding", "metadata", "error"),
        [
            (np.ones(3, np.float32), {}, StoreError),
            (np.full(4, np.nan, np.float32), {}, InputError),
            (np.ones((1, 4), np.float32), {}, InputError),
            (np.ones(4, np.float32), {"bad": object()}, InputError),
        ],
    )
    def test_what_cannot_be_stored(self, store: Store, embedding: object, metadata: object, error: type) -> None:
        with pytest.raises(error), store.transaction():
            Consolidator(store).add(lives(A), embedding, ANA, said("2026-02-01"), metadata, "d")  # type: ignore[arg-type]
        assert store.all(ANA.key, include_history=True) == []


class Crash(Exception):
    """What a test throws into the middle of a write."""


@pytest.mark.parametrize(
    "method", ["insert_version", "insert_source", "insert_change", "put_stretch", "insert_history"]
)
@pytest.mark.parametrize("op", ["changed", "earlier", "revive"])
def test_a_crash_midway_leaves_everything_as_it_was(
    store: Store, monkeypatch: pytest.MonkeyPatch, method: str, op: str
) -> None:
    memory_id = play(store, [Do("add", "2026-02-01", A)])
    before = (store.all(ANA.key, True), store.history(memory_id), store.generation(ANA.key))
    real = getattr(store, method)

    def crash(*args: object, **more: object) -> None:
        real(*args, **more)
        raise Crash

    monkeypatch.setattr(store, method, crash)
    with pytest.raises(Crash), store.transaction():
        source = said("2026-01-01" if op == "earlier" else "2026-03-01")
        if op == "changed":
            Consolidator(store).update(memory_id, lives(B), vector(B), source, "x")
        else:
            getattr(Consolidator(store), op)(memory_id, lives(B), vector(B), source, "x")
    monkeypatch.undo()
    assert (store.all(ANA.key, True), store.history(memory_id), store.generation(ANA.key)) == before


OPS = st.sampled_from(
    ["changed", "corrected", "refined", "earlier", "end", "void", "noop", "revive", "undo", "restore"]
)
DAYS = st.integers(1, 28).map(lambda n: f"2026-02-{n:02d}")
STEPS = st.lists(
    st.tuples(OPS, DAYS, st.one_of(st.none(), DAYS), st.one_of(st.none(), DAYS), st.sampled_from(list(Kind))),
    min_size=1,
    max_size=12,
)


def view(store: Store) -> list[tuple[str, ...]]:
    """The active texts at every day (and the edges) of the month that the random steps play in."""
    moments = [day("2026-02-01") + timedelta(hours=12 * n) for n in range(-2, 60)]
    return [tuple(m.fact.text for m in store.active(ANA.key, moment)) for moment in moments]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.sampled_from(list(Kind)))
def test_random_lives_stay_sound_and_each_step_can_be_taken_back(
    steps: list[tuple[str, str, str | None, str | None, Kind]], first: Kind
) -> None:
    with open_store() as store:
        writer = Consolidator(store)
        with store.transaction():
            memory_id = writer.add(lives("0", kind=first), vector("0"), ANA, said("2026-02-14"), {}, "d0")
        decisions = ["d0"]
        for number, (op, told, begin, end, kind) in enumerate(steps, start=1):
            before, tombstone, decision = view(store), store.identity(memory_id).tombstone, f"d{number}"
            fact, source = lives(str(number), begin, end, kind), said(told, f"words {number}")
            try:
                with store.transaction():
                    if op == "undo":
                        writer.undo(decisions[number % len(decisions)])
                    elif op == "restore":
                        writer.restore(memory_id, 1, source, decision)
                    elif op in ("end", "void"):
                        args = (since(end), "over") if op == "end" else ("void",)
                        getattr(writer, op)(memory_id, *args, source, decision)
                    elif op == "noop":
                        writer.noop(memory_id, source, ANA, decision, fact)
                    elif op in ("earlier", "revive"):
                        getattr(writer, op)(memory_id, fact, vector(str(number)), source, decision)
                    else:
                        writer.update(memory_id, fact, vector(str(number)), source, decision, Change(op))
            except InputError:
                assert view(store) == before  # refused: nothing happened
                continue
            assert store.verify() == []
            assert all(len(texts) <= 1 for texts in view(store))
            if op == "undo":
                continue
            decisions.append(decision)
            if number % 2:  # take every other step back at once, and let it stay undone
                with store.transaction():
                    writer.undo(decision)
                decisions.pop()
                assert view(store) == before
                if before != [()] * len(before):
                    assert store.identity(memory_id).tombstone == tombstone
                assert store.verify() == []
