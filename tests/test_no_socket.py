"""Nothing leaves the machine: everything works where no socket can be made (mem0#3729, agent-framework#2676)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = """
import socket, sys

def refuse(*args, **kwargs):
    raise AssertionError(f"a socket was asked for: {args}")

real = socket.socket
class Refused(real):
    def __new__(cls, *args, **kwargs):
        refuse(*args)

socket.socket = Refused
socket.create_connection = socket.getaddrinfo = socket.gethostbyname = socket.socketpair = refuse

def hear(event, args):
    if event.startswith("socket.") and event != "socket.__new__":
        refuse(event, args)

sys.addaudithook(hear)

from engine import Memory

with Memory(sys.argv[1]) as memory:
    made = memory.add("I live in Leeds.", user_id="ana", timestamp="2026-01-05")["results"][0]
    memory.add("Ich wohne seit drei Jahren mit meiner Schwester in Leipzig.", user_id="ana")
    memory.add("I moved to Bergen last week.", user_id="ana", timestamp="2026-02-05")
    assert memory.search("where do they live?", user_id="ana")["results"]
    memory.decide("user lives in Rome", existing=["user lives in Leeds"])
    memory.explain(made["decision_id"])
    memory.profile(user_id="ana")
    memory.update(made["id"], "user lives in Hull")
    assert memory.verify() == []
print("silent")
"""


def test_add_and_search_make_no_socket(tmp_path: Path) -> None:
    environment = {
        "PATH": os.environ["PATH"], "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path),
        "http_proxy": "http://127.0.0.1:1", "https_proxy": "http://127.0.0.1:1",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "memory.db")], cwd=tmp_path, env=environment, capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "silent"
    assert done.stderr == ""
    assert sorted(p.suffix for p in tmp_path.iterdir() if p.name.startswith("memory")) in (
        [".db"], [".db", ".db-shm", ".db-wal"])  # fmt: skip


def test_no_module_of_the_engine_imports_a_network_client() -> None:
    for path in sorted((ROOT / "engine").rglob("*.py")):
        if path.parts[-2] in ("server", "adapters") or path.stem in ("server", "mcp"):
            continue
        source = path.read_text(encoding="utf-8")
        for name in ("requests", "httpx", "urllib.request", "http.client", "aiohttp", "posthog"):
            assert f"import {name}" not in source and f"from {name}" not in source, path
