"""Labelled sentences and pairs → the artefact of attributes and the manifest. The same data writes the same bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import lexicon as shipped_lexicon
from engine.attribution import OTHER
from engine.embed import Encoder, MiniLM
from engine.errors import InputError
from engine.lexicon import Lexicon
from training import pairs as labelled_pairs
from training.attributes import FOLDS, Examples, fit, prepare
from training.manifest import make_directory, write_manifest
from training.sentences import read_sentences, shipped

ATTRIBUTES = "attributes.json"
MIN_GROUPS = FOLDS
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class AttributesReport:
    """What was trained and written.

    ``judged`` statements tell something that the lexicon does not know; ``given`` of them got an attribute out of
    fold, ``precision`` is the share of these that is right. ``macro_f1`` is of the most probable class.
    """

    out: Path
    files: Mapping[str, str]
    sentences: int
    statements: int
    judged: int
    classes: int
    given: int
    precision: float | None
    data_sha256: str
    c: float
    macro_f1: float


def train_attributes(
    paths: Sequence[Path],
    out: Path,
    *,
    replace: bool = False,
    progress: Progress | None = None,
    lexicon: Lexicon | None = None,
    encoder: Encoder | None = None,
) -> AttributesReport:
    """Trains the classifier of attributes and writes it.

    Parameters
    ----------
    paths : sequence of Path
        JSONL files of labelled sentences, beside the shipped ones; a later one wins.
    out : Path
        The directory for ``attributes.json`` and ``manifest.json``; made if need be.
    replace : bool, default=False
        Leave the shipped sentences and pairs out.
    progress : callable, optional
        Called with a step's name, how many steps are done, and how many there are.
    lexicon, encoder : optional
        In place of the shipped ones.

    Returns
    -------
    AttributesReport

    Raises
    ------
    InputError
        F057 for too few statements, or a file that cannot be read or written; the reader's for bad lines.
    """
    told = progress or (lambda step, done, steps: None)
    told("reading", 0, 4)
    words = lexicon or shipped_lexicon.load()
    make_directory(out, "F057")
    told("statements", 1, 4)
    data = examples(paths, replace=replace, lexicon=words, encoder=encoder or MiniLM())
    told("fitting", 2, 4)
    artefact = fit(data, words)
    told("writing", 3, 4)
    try:
        (out / ATTRIBUTES).write_text(as_json(artefact), encoding="utf-8", newline="\n")
        files = write_manifest(out, (ATTRIBUTES,))
    except OSError as error:
        raise InputError("F057", f"{out} cannot be written to ({error.strerror}); give another directory") from error
    told("done", 4, 4)
    about = artefact["about"]
    return AttributesReport(
        out=out,
        files=files,
        sentences=about["sentences"],
        statements=about["statements"],
        judged=about["judged"],
        classes=len(artefact["thresholds"]),
        given=about["given"],
        precision=about["precision"],
        data_sha256=about["data_sha256"],
        c=about["C"],
        macro_f1=about["grouped_macro_f1"][str(about["C"])],
    )


def examples(paths: Sequence[Path], *, replace: bool, lexicon: Lexicon, encoder: Encoder) -> Examples:
    """The statements to learn from: of the shipped sentences and pairs, and of the files given.

    Raises
    ------
    InputError
        F057 where they are too few, or a file cannot be read.
    """
    try:
        sentences = read_sentences([*([] if replace else shipped()), *paths])
        pairs = labelled_pairs.read_pairs([] if replace else labelled_pairs.shipped())
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("F057", f"labelled data cannot be read: {error}") from error
    data = None
    if sum(s.keep for s in sentences) >= MIN_GROUPS and sum(not s.keep for s in sentences) >= MIN_GROUPS:
        data = prepare(sentences, pairs, lexicon, encoder)
    groups = set(data.groups[data.judged]) if data else set()
    if data is None or len(groups) < MIN_GROUPS or set(data.labels) <= {OTHER}:
        raise InputError(
            "F057",
            f"too few sentences whose attribute the lexicon does not know: they stand in {len(groups)} groups, "
            f"{MIN_GROUPS} are needed, and some to skip; add some"
            + (", or train on top of the shipped ones without --replace" if replace else ""),
        )
    return data


def as_json(artefact: Mapping[str, Any]) -> str:
    """The artefact with a line for each class: the same text for the same numbers."""
    lines = []
    for key, value in sorted(artefact.items()):
        if key in ("coef", "meaning"):
            rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(value.items()))
            lines.append(f" {json.dumps(key)}: {{\n{rows}\n }}")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value, sort_keys=True)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
