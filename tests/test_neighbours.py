import ast
import subprocess
import sys
import threading
from pathlib import Path

import hnswlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neighbours_kit import D, brute, graph, ids, never, some

import engine
from engine import neighbours as module
from engine.cosine import in_order
from engine.errors import InputError
from engine.neighbours import Hit, Neighbours, Rows


@pytest.fixture
def no_exact(monkeypatch):
    monkeypatch.setattr(module, "exact", lambda *_: pytest.fail("searched exactly"))


@pytest.mark.parametrize("exact_below", [0, 10_000])
def test_finds_the_nearest_with_their_cosine(exact_below):
    rows = some(600)
    index = Neighbours(D, exact_below)
    queries = some(20, seed=1).matrix
    for query, hits in zip(queries, index.search("s", 1, lambda: rows, queries, 7), strict=True):
        assert ids(hits) == brute(rows, query, 7)
        assert hits[0].similarity == pytest.approx(float(query @ rows.matrix[int(hits[0].id[1:])]), abs=1e-5)


def test_small_scopes_never_touch_hnswlib(monkeypatch):
    monkeypatch.setattr(module, "_empty_index", lambda _: pytest.fail("built a graph"))
    rows = some(399)
    assert ids(Neighbours(D, 400).search("s", 1, lambda: rows, rows.matrix[:1], 1)[0]) == ["m00000"]


def test_hnswlib_553_the_module_does_not_import_it():
    code = "import sys, engine.neighbours; assert 'hnswlib' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_no_other_module_imports_hnswlib():
    folder = Path(engine.__path__[0])
    importers = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == "hnswlib" for name in names):
                importers.add(path.relative_to(folder).as_posix())
    assert importers == {"neighbours.py"}


# The traps of hnswlib, by their reports


@pytest.mark.parametrize("exact_below", [0, 10_000])
def test_hnswlib_465_k_beyond_the_rows_is_clamped(exact_below):
    rows = some(5)
    hits = Neighbours(D, exact_below).search("s", 1, lambda: rows, rows.matrix, 1000)
    assert [len(one) for one in hits] == [5] * 5
    assert ids(hits[3]) == brute(rows, rows.matrix[3], 5)


def test_hnswlib_444_k_is_clamped_before_the_graph_is_asked(no_exact):
    rows = some(5)
    index = graph(rows)
    held = index._scopes["s"].graph
    plain = held.index

    class Watched:  # it has no set_ef: neither may ef be raised
        def knn_query(self, queries, k, num_threads):
            assert k <= 5
            return plain.knn_query(queries, k=k, num_threads=num_threads)

    held.index = Watched()
    assert ids(index.search("s", 1, never, rows.matrix[:1], 1000)[0]) == brute(rows, rows.matrix[0], 5)


def test_hnswlib_244_ef_is_raised_and_then_restored(no_exact):
    index = graph(some(500))
    held = index._scopes["s"].graph
    plain, efs, calls = held.index, [], []

    class Stubborn:
        def set_ef(self, ef):
            efs.append(ef)
            plain.set_ef(ef)

        def knn_query(self, queries, k, num_threads):
            calls.append(k)
            if len(calls) == 1:
                raise RuntimeError("Cannot return the results in a contiguous 2D array. Probably ef or M is too small")
            return plain.knn_query(queries, k=k, num_threads=num_threads)

    held.index = Stubborn()
    assert ids(index.search("s", 1, never, some(500).matrix[3:4], 4)[0]) == brute(some(500), some(500).matrix[3], 4)
    assert efs == [500, module.EF] and len(calls) == 2


def test_hnswlib_608_when_the_graph_gives_up_the_search_is_exact():
    rows = some(500)
    index = graph(rows)

    class Broken:
        def set_ef(self, ef): ...
        def knn_query(self, *args, **kwargs):
            raise RuntimeError

    index._scopes["s"].graph.index = Broken()
    assert ids(index.search("s", 1, never, rows.matrix[:1], 9)[0]) == brute(rows, rows.matrix[0], 9)


def test_hnswlib_295_a_query_of_another_dimension_is_refused():
    index = graph(some(50))
    for wrong in (some(1, d=8).matrix, some(1).matrix[0], np.empty((1, 0), np.float32)):
        with pytest.raises(InputError, match=r"F301.*\[n, 16\]"):
            index.search("s", 1, never, wrong, 1)


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0])
def test_nan_and_zero_vectors_are_refused_as_query_and_as_row(value):
    bad = some(4)
    bad.matrix[2] = value
    with pytest.raises(InputError, match=r"F301.*query.*rows 2"):
        Neighbours(D).search("s", 1, lambda: some(4), bad.matrix, 1)
    for exact_below in (0, 100):
        with pytest.raises(InputError, match=r"F301.*stored.*rows 2"):
            Neighbours(D, exact_below).search("s", 1, lambda: bad, some(1).matrix, 1)


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int32])
def test_other_types_are_refused(dtype):
    with pytest.raises(InputError, match="F301"):
        Neighbours(D).search("s", 1, lambda: some(4), some(1).matrix.astype(dtype), 1)
    with pytest.raises(InputError, match="F301"):
        Neighbours(D).search("s", 1, lambda: some(4), some(1).matrix.tolist(), 1)


def test_ids_must_be_distinct_and_match_the_rows():
    with pytest.raises(InputError, match=r"F302.*twice"):
        Neighbours(D).search("s", 1, lambda: Rows(("a", "a"), some(2).matrix), some(1).matrix, 1)
    with pytest.raises(InputError, match=r"F302.*1 ids for 2"):
        Neighbours(D).search("s", 1, lambda: Rows(("a",), some(2).matrix), some(1).matrix, 1)
    with pytest.raises(InputError, match="F303"):
        Neighbours(D).search("s", 1, lambda: some(2), some(1).matrix, 0)


def test_an_empty_scope_and_no_queries():
    for exact_below in (0, 100):
        index = Neighbours(D, exact_below)
        assert index.search("s", 1, lambda: Rows((), np.empty((0, D), np.float32)), some(2).matrix, 3) == [[], []]
        assert index.search("t", 1, lambda: some(3), np.empty((0, D), np.float32), 3) == []


def test_a_deleted_label_that_is_added_again_gets_no_old_label(no_exact):
    rows = some(600)
    index = graph(rows)
    assert index.advance("s", 1, 2, Rows((), rows.matrix[:0]), ["m00007"])
    assert "m00007" not in ids(index.search("s", 2, never, rows.matrix[7:8], 5)[0])
    other = some(1, seed=9)
    assert index.advance("s", 2, 3, Rows(("m00007",), other.matrix))
    assert ids(index.search("s", 3, never, other.matrix, 1)[0]) == ["m00007"]
    assert "m00007" not in ids(index.search("s", 3, never, rows.matrix[7:8], 1)[0]), "the old vector lives"
    assert index.advance("s", 3, 4, Rows(("m00007",), rows.matrix[7:8]))
    assert index.search("s", 4, never, rows.matrix[7:8], 1) == [[Hit("m00007", 1.0)]]
    assert "m00007" not in index._scopes["s"].graph.live


def test_deleted_rows_are_marked_in_the_graph_and_passed_over_even_if_it_returns_them():
    rows = some(300)
    index = graph(rows)
    index.advance("s", 1, 2, Rows((), rows.matrix[:0]), ["m00003", "m00299"])
    held = index._scopes["s"].graph
    assert {3, 299}.isdisjoint(held.index.knn_query(rows.matrix[3], k=298)[0][0])

    class Forgetful:
        def knn_query(self, queries, k, num_threads):
            return np.array([[3, 298, 299, *range(4, k)]] * len(queries), np.uint64), None

    held.index = Forgetful()
    found = ids(index.search("s", 2, never, rows.matrix[298:299], 5)[0])
    assert found[0] == "m00298" and len(set(found)) == 5 and {"m00003", "m00299"}.isdisjoint(found)


def test_a_changed_vector_leaves_the_graph(no_exact):
    rows = some(600)
    index = graph(rows)
    index.advance("s", 1, 2, Rows(("m00003",), -rows.matrix[3:4]))
    assert index.search("s", 2, never, -rows.matrix[3:4], 1) == [[Hit("m00003", 1.0)]]


def test_a_scope_grows_by_building_anew_and_swapping():
    rows = some(2000)
    index = graph(Rows(rows.ids[:600], rows.matrix[:600]))
    first = index._scopes["s"].graph
    index.advance("s", 1, 2, Rows(rows.ids[600:700], rows.matrix[600:700]))
    assert index._scopes["s"].graph is first and len(index._scopes["s"].pending) == 100
    index.advance("s", 2, 3, Rows(rows.ids[700:], rows.matrix[700:]))
    assert index._scopes["s"].graph is not first and len(index._scopes["s"].pending) == 0
    for row in (5, 650, 1999):
        assert ids(index.search("s", 3, never, rows.matrix[row : row + 1], 5)[0]) == brute(rows, rows.matrix[row], 5)


def test_a_scope_that_hovers_about_the_limit_keeps_its_graph():
    rows = some(500)
    index = graph(rows, exact_below=500)
    first = index._scopes["s"].graph
    index.advance("s", 1, 2, Rows((), rows.matrix[:0]), ["m00000"])
    assert ids(index.search("s", 2, never, rows.matrix[:1], 3)[0]) == brute(
        Rows(rows.ids[1:], rows.matrix[1:]), rows.matrix[0], 3
    )
    index.advance("s", 2, 3, Rows(("m00000",), rows.matrix[:1]))
    assert index._scopes["s"].graph is first
    assert ids(index.search("s", 3, never, rows.matrix[:1], 3)[0]) == brute(rows, rows.matrix[0], 3)


def test_hnswlib_562_queries_go_on_while_rows_change():
    rows = some(3000)
    index = graph(Rows(rows.ids[:1000], rows.matrix[:1000]))
    errors, done = [], threading.Event()
    current = [1, 1000]

    def ask(seed):
        queries = some(4, seed=seed).matrix
        while not done.is_set():
            try:
                generation, count = current
                for hits in index.search(
                    "s", generation, lambda n=count: Rows(rows.ids[:n], rows.matrix[:n]), queries, 5
                ):
                    assert len(hits) == 5
            except Exception as error:
                errors.append(error)
                return

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for step, count in enumerate(range(1050, 3001, 50), start=2):
        index.advance("s", step - 1, step, Rows(rows.ids[count - 50 : count], rows.matrix[count - 50 : count]))
        current[:] = [step, count]
    done.set()
    for thread in threads:
        thread.join()
    assert not errors
    assert ids(index.search("s", current[0], lambda: rows, rows.matrix[2999:], 3)[0])[0] == "m02999"


def test_neurostack_89_the_database_is_read_under_no_lock():
    rows = some(5)
    index = Neighbours(D)

    def load():
        other = threading.Thread(target=lambda: index.search("s", 2, lambda: rows, rows.matrix, 1))
        other.start()
        other.join(timeout=10)
        assert not other.is_alive(), "a second reader waits for the first one's database"
        return rows

    assert ids(index.search("s", 1, load, rows.matrix[:1], 1)[0]) == ["m00000"]


# Results depend on the rows alone


def test_ties_fall_to_the_id_even_where_there_are_more_than_candidates():
    vector = some(1).matrix
    names = tuple(f"t{i:03}" for i in range(300))
    rows = Rows(names[::-1], np.repeat(vector, 300, axis=0))
    for index in (graph(rows), Neighbours(D)):
        assert ids(index.search("s", 1, lambda: rows, vector, 4)[0]) == ["t000", "t001", "t002", "t003"]


def test_the_order_of_insertion_does_not_matter():
    rows, queries = some(900), some(30, seed=4).matrix
    order = np.random.default_rng(5).permutation(900)
    mixed = Rows([rows.ids[i] for i in order], rows.matrix[order])
    answers = [graph(one).search("s", 1, never, queries, 10) for one in (rows, mixed)]
    answers.append(Neighbours(D).search("s", 1, lambda: mixed, queries, 10))
    assert answers[0] == answers[1] == answers[2]


def test_similarities_do_not_depend_on_what_stands_beside_a_row():
    rows, query = some(777, d=384), some(1, seed=3, d=384).matrix
    whole = {hit.id: hit.similarity for hit in Neighbours(384).search("s", 1, lambda: rows, query, 777)[0]}
    for name, vector in zip(rows.ids, rows.matrix, strict=True):
        alone = Neighbours(384).search("s", 1, lambda n=name, v=vector: Rows((n,), v[None]), query, 1)
        assert alone == [[Hit(name, whole[name])]]


def test_recall_of_the_graph_is_high_enough_to_decide_on():
    rows, queries = some(3000, d=48), some(100, seed=8, d=48).matrix
    index = graph(rows)
    found = sum(
        len(set(ids(hits)) & set(brute(rows, query, 12)))
        for query, hits in zip(queries, index.search("s", 1, never, queries, 12), strict=True)
    )
    assert found / 1200 > 0.98


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_sequence_of_writes_gives_what_a_fresh_exact_search_gives(data):
    """A model-based check: graphs from six rows on, worn after four changes, against the definition."""
    pool = some(40, seed=11, d=4)
    index = Neighbours(4, data.draw(st.sampled_from([0, 6, 100]), label="exact_below"))
    before = module.WORN_ROWS, module.SLACK
    module.WORN_ROWS, module.SLACK = 4, 1
    live: dict[str, int] = {}
    generation = 0
    try:
        for _ in range(data.draw(st.integers(1, 12))):
            put = data.draw(st.dictionaries(st.sampled_from("abcdefghijklmnop"), st.integers(0, 39), max_size=6))
            out = data.draw(st.lists(st.sampled_from("abcdefghijklmnop"), max_size=3, unique=True))
            out = [name for name in out if name not in put]
            told = data.draw(st.booleans())
            live = {name: row for name, row in {**live, **put}.items() if name not in out}
            generation += 1
            if told:
                index.advance("s", generation - 1, generation, Rows(list(put), pool.matrix[list(put.values())]), out)
            rows = Rows(list(live), pool.matrix[list(live.values())])
            query = pool.matrix[data.draw(st.integers(0, 39))]
            k = data.draw(st.integers(1, 20))
            (hits,) = index.search("s", generation, lambda rows=rows: rows, query[None], k)
            assert ids(hits) == (brute(rows, query, k) if live else [])
    finally:
        module.WORN_ROWS, module.SLACK = before


# The cache


def test_rows_are_read_only_when_the_generation_moved():
    rows, reads = some(10), []
    index = Neighbours(D)

    def load():
        reads.append(1)
        return rows

    for generation in (1, 1, 2, 2, 1):
        index.search("s", generation, load, rows.matrix, 1)
    assert len(reads) == 3
    assert not index.advance("s", 7, 8, rows), "a write after one that was missed must not be taken over"
    assert not index.advance("unknown", 1, 2, rows)


def test_scopes_are_apart_and_the_least_used_goes_first():
    index = Neighbours(D, max_rows=25)
    for key, seed in (("a", 1), ("b", 2), ("a", 1), ("c", 3)):
        rows = some(10, seed)
        assert ids(index.search(key, 1, lambda r=rows: r, rows.matrix[4:5], 1)[0]) == ["m00004"]
    assert list(index._scopes) == ["a", "c"]
    index.drop("a")
    assert list(index._scopes) == ["c"]
    index.drop()
    assert not index._scopes


def test_stored_rows_are_normalised():
    rows = Rows(("a", "b"), np.array([[3.0, 0.0], [1.0, 1.0]], np.float32))
    assert np.allclose(np.linalg.norm(in_order(rows, 2).matrix, axis=1), 1.0)
    assert Neighbours(2).search("s", 1, lambda: rows, np.array([[0.5, 0.0]], np.float32), 1) == [[Hit("a", 1.0)]]


def test_the_trap_that_revives_deleted_labels_still_exists():
    """If this fails, hnswlib has changed and the handling above may be simplified."""
    index = hnswlib.Index(space="cosine", dim=2)
    index.init_index(max_elements=4)
    index.add_items(np.eye(2, dtype=np.float32), [0, 1])
    index.mark_deleted(0)
    index.add_items(np.eye(2, dtype=np.float32)[:1], [0])
    assert index.knn_query(np.eye(2, dtype=np.float32)[:1], k=1)[0][0][0] == 0
