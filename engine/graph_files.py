"""Saved graphs on disk: a cache beside the database, whole or not there at all.

A graph is two files, named by a hash of its scope: ``….hnsw`` as the index library writes it, and a sidecar
``….json`` that tells what it was built from. A graph whose sidecar differs in anything from what is wanted,
or whose file is damaged, counts as absent.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


class GraphFiles:
    """The saved graphs in one folder.

    Parameters
    ----------
    folder : Path
        Made at the first write.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, scope_key: str, header: Mapping[str, Any]) -> Path | None:
        """The graph saved for a scope, if its sidecar agrees with ``header`` and its bytes with the sidecar."""
        graph, sidecar = self._paths(scope_key)
        try:
            told = json.loads(sidecar.read_text(encoding="utf-8"))
            return graph if told == {**header, "file": _sha256(graph)} else None
        except (OSError, ValueError):
            return None

    def write(self, scope_key: str, header: Mapping[str, Any], save: Callable[[str], object]) -> None:
        """Save a graph by calling ``save`` with a path.

        Each file is written to a temporary one, synced and renamed (hnswlib#485, #36), the sidecar last: a crash
        in between leaves one that does not match.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        graph, sidecar = self._paths(scope_key)
        _replace(graph, save)
        text = json.dumps({**header, "file": _sha256(graph)}, indent=1, sort_keys=True) + "\n"
        _replace(sidecar, lambda name: Path(name).write_text(text, encoding="utf-8"))

    def remove(self, scope_key: str) -> None:
        """Delete what was saved of a scope."""
        for path in self._paths(scope_key):
            path.unlink(missing_ok=True)

    def clear(self) -> None:
        """Delete every saved graph, and temporary files that a crash has left."""
        for pattern in ("*.json", "*.hnsw", "*.tmp"):
            for path in sorted(self.folder.glob(pattern)):
                path.unlink(missing_ok=True)

    def _paths(self, scope_key: str) -> tuple[Path, Path]:
        # A hash: a key may hold anything, and a listing should not tell who the users are.
        stem = hashlib.sha256(scope_key.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self.folder / f"{stem}.hnsw", self.folder / f"{stem}.json"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _replace(path: Path, write: Callable[[str], object]) -> None:
    """Write a file so that it is there whole or not at all."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        write(str(temporary))
        _sync(temporary)
        os.replace(temporary, path)
        _sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot open a directory
    descriptor = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
