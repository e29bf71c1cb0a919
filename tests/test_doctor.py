import hashlib
import json
from pathlib import Path

import pytest

from engine import doctor
from engine.doctor import Check, check_artefacts, check_hnswlib, check_loop, check_permissions, examine
from engine.embed import MiniLM
from engine.settings import Settings, artefact

NAMES = ["settings", "Python", "SQLite", "spaCy model", "encoder", "hnswlib", "artefacts", "permissions",
         "the loop, offline"]  # fmt: skip


def assert_problem(check, *words):
    assert not check.ok
    assert check.remedy
    for word in words:
        assert word in check.problem


@pytest.fixture
def models(tmp_path):
    """A models directory with a manifest that fits."""
    names = ("decision.json", "gate.json")
    for name in names:
        (tmp_path / name).write_bytes(artefact(name).read_bytes())
    digests = {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in names}
    (tmp_path / "manifest.json").write_text(json.dumps({"format": 1, "artefacts": digests}))
    return tmp_path


def test_this_installation_is_sound(tmp_path, models, monkeypatch):
    monkeypatch.setenv("FACTFOLD_MODELS", str(models))
    checks = examine(str(tmp_path / "x.db"))
    assert [check.name for check in checks] == NAMES
    assert [check for check in checks if not check.ok] == []
    assert all(check.found and not check.problem and not check.remedy for check in checks)
    assert not (tmp_path / "x.db").exists()


@pytest.fixture
def quick(monkeypatch):
    """Without the checks that start processes."""
    for name in ("check_hnswlib", "check_loop"):
        monkeypatch.setattr(doctor, name, lambda: Check("quick", True, "x"))


def test_a_check_that_breaks_does_not_hide_the_others(quick, monkeypatch):
    def broken():
        raise ZeroDivisionError("nobody thought of it")

    monkeypatch.setattr(doctor, "check_sqlite", broken)
    checks = examine()
    assert len(checks) == len(NAMES)
    assert_problem(checks[2], "nobody thought of it")


def test_bad_settings_are_a_problem_among_others(quick, monkeypatch):
    monkeypatch.setenv("FACTFOLD_NEIGHBOURS_K", "none")
    checks = examine()
    assert_problem(checks[0], "FACTFOLD_NEIGHBOURS_K")
    assert checks[1].ok


def test_hnswlib_of_another_processor(tmp_path):
    """hnswlib#553: dies with SIGILL, which must not kill the doctor."""
    check = check_hnswlib("import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    assert_problem(check, "another processor")
    assert "HNSWLIB_NO_NATIVE=1" in check.remedy
    assert_problem(check_hnswlib("import no_such_library"), "no_such_library")


def test_anything_that_asks_for_the_network_is_found():
    asking = doctor.LOOP.split("from engine import")[0] + "import socket; socket.getaddrinfo('localhost', 80)"
    assert_problem(check_loop(asking), "network")
    assert_problem(check_loop("print('user lives in Austin')"), "not Denver")
    assert_problem(check_loop("raise ValueError('no')"), "ValueError: no")


def test_a_process_that_hangs_is_a_problem(monkeypatch):
    monkeypatch.setattr(doctor, "SECONDS", 0.5)
    assert_problem(check_hnswlib("import time; time.sleep(60)"), "within 0.5 s")


def test_weights_of_another_model(tmp_path):
    assert_problem(doctor.check_encoder(MiniLM(tmp_path)), "model.safetensors")
    (tmp_path / "model.safetensors").write_bytes(b"x")
    (tmp_path / "config.json").write_text('{"hidden_size": 384}')
    assert_problem(doctor.check_encoder(MiniLM(tmp_path)), "sha256")


def test_artefacts(models):
    settings = Settings(models=models)
    assert check_artefacts(settings).ok
    (models / "gate.json").write_text((models / "gate.json").read_text() + "\n")
    assert_problem(check_artefacts(settings), "gate.json was changed")
    (models / "manifest.json").write_text('{"format": 1, "artefacts": {"gate.json": "x"}}')
    assert_problem(check_artefacts(settings), "does not name decision.json")
    (models / "manifest.json").write_text("[]")
    assert_problem(check_artefacts(settings), "cannot be read")
    (models / "manifest.json").unlink()
    assert_problem(check_artefacts(settings), "manifest.json is missing")
    (models / "decision.json").write_text("{}")
    assert_problem(check_artefacts(settings), "F041")


def test_permissions(tmp_path):
    assert check_permissions(":memory:").ok
    assert check_permissions(str(tmp_path / "x.db")).ok
    assert_problem(check_permissions(str(tmp_path / "no" / "x.db")), "no folder")


def test_old_versions(monkeypatch):
    monkeypatch.setattr(doctor, "PYTHON", (99, 0))
    monkeypatch.setattr(doctor, "SQLITE", (99, 0, 0))
    assert_problem(doctor.check_python(), "too old")
    assert_problem(doctor.check_sqlite(), "too old")


def test_the_shipped_weights_are_those_that_are_expected():
    with (Path(MiniLM().directory) / "model.safetensors").open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == doctor.WEIGHTS
