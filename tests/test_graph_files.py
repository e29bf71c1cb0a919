import json

import numpy as np
import pytest
from neighbours_kit import D, brute, graph, ids, some

from engine import neighbours as module
from engine.neighbours import Neighbours, Rows


def saved(tmp_path, rows=None, **more):
    index = graph(rows or some(300), **{"encoder_id": "e:1", **more})
    assert index.save(tmp_path) == 1
    (sidecar,) = tmp_path.glob("*.json")
    return sidecar


def opened(tmp_path, monkeypatch, rows, generation=1, dimension=D, encoder_id="e:1"):
    """Whether the saved graph is used, and that the answer is right either way."""
    built = []
    real = module._built
    monkeypatch.setattr(module, "_built", lambda *args: built.append(1) or real(*args))
    index = Neighbours(dimension, 0, encoder_id=encoder_id)
    index.load(tmp_path)
    (hits,) = index.search("s", generation, lambda: rows, rows.matrix[3:4], 6)
    assert ids(hits) == brute(rows, rows.matrix[3], 6)
    return not built


def test_a_saved_graph_is_used_again(tmp_path, monkeypatch):
    sidecar = saved(tmp_path)
    told = json.loads(sidecar.read_text())
    assert {key: told[key] for key in ("dimension", "space", "encoder", "count", "generation")} == {
        "dimension": D,
        "space": "cosine",
        "encoder": "e:1",
        "count": 300,
        "generation": 1,
    }
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".hnsw", ".json"], "a temporary file was left"
    assert opened(tmp_path, monkeypatch, some(300))


@pytest.mark.parametrize("key", ["format", "dimension", "space", "encoder", "count", "generation", "rows", "file"])
def test_a_sidecar_that_differs_in_anything_means_a_rebuild(tmp_path, monkeypatch, key):
    sidecar = saved(tmp_path)
    told = json.loads(sidecar.read_text())
    told[key] = "other" if isinstance(told[key], str) else told[key] + 1
    sidecar.write_text(json.dumps(told))
    assert not opened(tmp_path, monkeypatch, some(300))


def test_other_rows_generation_encoder_or_dimension_mean_a_rebuild(tmp_path, monkeypatch):
    saved(tmp_path)
    assert not opened(tmp_path, monkeypatch, some(300), generation=2)
    assert not opened(tmp_path, monkeypatch, some(300), encoder_id="e:2")
    assert not opened(tmp_path, monkeypatch, some(300, seed=2))
    assert not opened(tmp_path, monkeypatch, some(300, d=8), dimension=8)
    assert opened(tmp_path, monkeypatch, some(300))


@pytest.mark.parametrize("suffix", [".hnsw", ".json"])
@pytest.mark.parametrize("content", [b"", b"\x00" * 5000, None])
def test_hnswlib_36_a_damaged_or_missing_file_means_a_rebuild(tmp_path, monkeypatch, suffix, content):
    path = saved(tmp_path).with_suffix(suffix)
    path.unlink() if content is None else path.write_bytes(content)
    assert not opened(tmp_path, monkeypatch, some(300))


def test_a_crash_while_saving_leaves_the_old_files(tmp_path, monkeypatch):
    saved(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    index = graph(some(300, seed=5), encoder_id="e:1")

    def torn(source, target):
        raise OSError("the power went")

    monkeypatch.setattr("os.replace", torn)
    with pytest.raises(OSError, match="power"):
        index.save(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_ef_is_set_after_loading(tmp_path):
    saved(tmp_path)
    index = Neighbours(D, 0, encoder_id="e:1")
    index.load(tmp_path)
    index.search("s", 1, lambda: some(300), some(1).matrix, 1)
    assert index._scopes["s"].graph.index.ef == module.EF


def test_a_worn_graph_is_saved_whole(tmp_path, monkeypatch):
    rows = some(300)
    index = graph(Rows(rows.ids[:290], rows.matrix[:290]), encoder_id="e:1")
    index.advance("s", 1, 2, Rows(rows.ids[290:], rows.matrix[290:]), ["m00010"])
    index.save(tmp_path)
    left = Rows(rows.ids[:10] + rows.ids[11:], np.delete(rows.matrix, 10, axis=0))
    assert opened(tmp_path, monkeypatch, left, generation=2)


def test_a_purge_leaves_nothing_on_disk(tmp_path):
    saved(tmp_path)
    index = Neighbours(D, 0, encoder_id="e:1")
    index.load(tmp_path)
    index.drop("s")
    assert not list(tmp_path.iterdir())
    small = graph(some(300), exact_below=300, encoder_id="e:1")
    small.save(tmp_path)
    small.advance("s", 1, 2, Rows((), some(0).matrix), ["m00001"])
    assert small.save(tmp_path) == 0
    assert not list(tmp_path.iterdir()), "a scope that shrank below the limit keeps no old graph"


def test_saved_graphs_are_reproducible(tmp_path):
    one, two = saved(tmp_path / "1"), saved(tmp_path / "2")
    assert one.read_bytes() == two.read_bytes()
    assert one.with_suffix(".hnsw").read_bytes() == two.with_suffix(".hnsw").read_bytes()
