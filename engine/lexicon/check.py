"""A user's lexicon file, looked over before it is read: everything that is wrong with it, told at once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.lexicon.frames import KEYS as FRAME_KEYS
from engine.lexicon.frames import LISTS as FRAME_LISTS
from engine.lexicon.frames import compile_frame
from engine.lexicon.patterns import compile_pattern
from engine.types import Effect, Kind

PATTERN_KEYS = ("states", "starts", "ends")
_LISTS = (*PATTERN_KEYS, "nouns", "examples", "counter")
_TEXTS = ("about", "group", "render")
_CHOICES = {"kind": tuple(str(kind) for kind in Kind), "cardinality": ("one", "many")}
_KEYS = (*_LISTS, *_TEXTS, *_CHOICES, "lasting", "excludes")
_FIXED = ("kind", "cardinality", "group", "render", "lasting", "excludes")
_CLASS = re.compile(r"\{([^{}]*)\}")


def check(files: Mapping[Path, Mapping[str, Any]], shipped: Collection[str], shipped_classes: Collection[str]) -> None:
    """Refuses a user's files where anything is wrong with any of them.

    Parameters
    ----------
    files : mapping of Path to what the file holds
    shipped : collection of str
        Attributes that are known without them.
    shipped_classes : collection of str
        Word classes that are known without them.

    Raises
    ------
    InputError
        F023, naming file, table and key of everything that is wrong.
    """
    added = [tables.get("classes", {}) for tables in files.values()]
    classes = {*shipped_classes, *(name for found in added if isinstance(found, Mapping) for name in found)}
    problems = []
    for path, tables in files.items():
        problems += [f"{path.name}: {problem}" for problem in class_problems(tables.get("classes", {}))]
        problems += [f"{path.name}: {problem}" for problem in frame_problems(tables.get("frames", {}))]
        for name, table in tables.items():
            if name not in ("classes", "frames"):
                problems += [f"{path.name}: {problem}" for problem in table_problems(name, table, shipped, classes)]
    if problems:
        raise InputError("F023", "the lexicon cannot be extended; mend these:\n  " + "\n  ".join(problems))


def class_problems(classes: Any) -> Iterator[str]:
    """What is wrong with ``[classes.NAME]`` tables."""
    if not isinstance(classes, Mapping):
        yield f"[classes] must hold tables such as [classes.occupation], not {classes!r}"
        return
    for name, table in classes.items():
        where = f"[classes.{name}]"
        if not isinstance(table, Mapping):
            yield f"{where} must be a table with words, not {table!r}"
            continue
        for key, value in table.items():
            if key != "words":
                yield f"{where} has the unknown key {key!r}; it takes words"
            elif not _is_texts(value):
                yield f'{where} words must be a list of texts such as ["carpenter"], not {value!r}'


def frame_problems(frames: Any) -> Iterator[str]:
    """What is wrong with ``[frames.NAME]`` tables."""
    if not isinstance(frames, Mapping):
        yield f"[frames] must hold tables such as [frames.let_go], not {frames!r}"
        return
    for name, table in frames.items():
        where = f"[frames.{name}]"
        if not isinstance(table, Mapping):
            yield f"{where} must be a table with says and text, not {table!r}"
            continue
        for key, value in table.items():
            if key not in FRAME_KEYS:
                yield f"{where} has the unknown key {key!r}; known are {', '.join(sorted(FRAME_KEYS))}"
            elif key in FRAME_LISTS and not _is_texts(value):
                yield f"{where} {key} must be a list of texts, not {value!r}"
        try:
            compile_frame(name, table)
        except (InputError, TypeError, AttributeError) as error:
            yield f"{where} {error}"


def table_problems(name: str, table: Any, shipped: Collection[str], classes: Collection[str]) -> Iterator[str]:
    """What is wrong with the table of an attribute.

    Parameters
    ----------
    name : str
        The attribute.
    table : object
        What the file holds under that name.
    shipped : collection of str
        Attributes that are known without the file: a table may add to them, not change how they behave.
    classes : collection of str
        The word classes that patterns may refer to.
    """
    where = f"[{name}]"
    if not isinstance(table, Mapping):
        yield f"{where} must be a table with states, starts or ends, not {table!r}"
        return
    for key, value in table.items():
        if key not in _KEYS:
            yield f"{where} has the unknown key {key!r}; {_meant(key)}"
        elif name in shipped and key in _FIXED:
            yield f"{where} {key} is set by the shipped lexicon; add states, starts, ends or nouns, or use a new name"
        elif key in _CHOICES and value not in _CHOICES[key]:
            yield f"{where} {key} {value!r} is none of {', '.join(_CHOICES[key])}"
        elif key in _TEXTS and not isinstance(value, str):
            yield f"{where} {key} must be a text, not {value!r}"
        elif key == "lasting" and not isinstance(value, bool):
            yield f"{where} lasting must be true or false, not {value!r}"
        elif key == "excludes" and not (isinstance(value, Mapping) and all(map(_is_texts, value.values()))):
            yield f"{where} excludes must map values to lists of attributes, not {value!r}"
        elif key in _LISTS and not _is_texts(value):
            yield f'{where} {key} must be a list of texts such as ["own *"], not {value!r}'
        elif key in PATTERN_KEYS:
            yield from (f"{where} {key} {problem}" for pattern in value for problem in _wrong(pattern, name, classes))


def _wrong(pattern: str, attribute: str, classes: Collection[str]) -> Iterator[str]:
    unknown = sorted({c for found in _CLASS.findall(pattern) for c in found.split("|")} - set(classes))
    if unknown:
        yield f"{pattern!r} names the unknown class {', '.join(unknown)}; add [classes.{unknown[0]}]"
    try:
        compile_pattern(pattern, attribute, Effect.STATES)
    except InputError as error:
        yield str(error)


def _meant(key: str) -> str:
    near = difflib.get_close_matches(key, _KEYS, 1)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(sorted(_KEYS))}"


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) and text.strip() for text in value)
