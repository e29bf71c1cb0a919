"""The manifest: the SHA-256 of every artefact of a models directory, as

``{"artefacts": {"decision.json": "53aa…"}, "format": 1}``
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from engine.errors import InputError

MANIFEST = "manifest.json"
FORMAT = 1


def sha256(path: Path) -> str:
    """The SHA-256 of a file in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_manifest(directory: Path) -> dict[str, str]:
    """The recorded hashes by file name; empty where there is no manifest.

    Raises
    ------
    InputError
        F053 where there is one that cannot be read.
    """
    path = directory / MANIFEST
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        artefacts = content["artefacts"]
        if content["format"] != FORMAT or not all(isinstance(v, str) for v in artefacts.values()):
            raise ValueError("of another format")
        return {str(name): value for name, value in artefacts.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError("F053", f"{path} is no manifest of factfold ({error}); remove it and train again") from error


def make_directory(directory: Path, code: str) -> None:
    """Makes a directory for artefacts, and refuses one that cannot be written to before the work, not after it.

    Raises
    ------
    InputError
        ``code`` where it cannot be made or written to; F053 where its manifest cannot be read.
    """
    if directory.is_dir():
        read_manifest(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        reason = f"{directory} cannot be written to ({error.strerror}); give another directory with --out"
        raise InputError(code, reason) from error


def write_manifest(directory: Path, names: Iterable[str]) -> Mapping[str, str]:
    """Records the hashes of the named files; what the manifest says of other files that are still there is kept.

    Parameters
    ----------
    directory : Path
    names : iterable of str
        Files in it that were just written.

    Returns
    -------
    mapping of str to str
        The hashes of the named files.
    """
    fresh = {name: sha256(directory / name) for name in sorted(names)}
    kept = {name: digest for name, digest in read_manifest(directory).items() if (directory / name).is_file()}
    content = {"format": FORMAT, "artefacts": kept | fresh}
    text = json.dumps(content, indent=1, sort_keys=True) + "\n"
    put(directory / MANIFEST, text.encode())
    return fresh


def put(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all: whoever reads meanwhile, or after this process was killed, finds the former
    bytes or the new ones."""
    fresh = path.with_name(f".{path.name}.new")
    with fresh.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
    settle(path.parent)


def settle(directory: Path) -> None:
    """Brings the names of a directory to the disk, where the system has that (Windows has not)."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def mismatches(directory: Path) -> list[str]:
    """Recorded files that are missing or have other bytes than when they were written, sorted."""
    wrong = []
    for name, digest in sorted(read_manifest(directory).items()):
        path = directory / name
        if not path.is_file():
            wrong.append(f"{name} is missing")
        elif sha256(path) != digest:
            wrong.append(f"{name} was changed after it was written")
    return wrong
