"""Puts a trained decision in the place of the one in use, if the guard set holds, and takes that back.

What is replaced is kept in ``previous/`` beside it, as ``0001-ec6f630fcd625051``: a number and the beginning of its
SHA-256. Every file is written whole or not at all and the manifest last, so that a process that is killed in between
leaves a folder that loads; the next promotion or rollback finishes what was begun.
"""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine import lexicon as shipped_lexicon
from engine.classifier import Classifier
from engine.decide import Policy
from engine.embed import Encoder, MiniLM
from engine.errors import InputError, ModelError
from engine.settings import Settings, artefact
from training.compare import GUARD, Contrast, contrast, load, prepared_pairs
from training.fit import Prepared
from training.manifest import MANIFEST, mismatches, put, read_manifest, settle, sha256, write_manifest
from training.tables import aligned, share
from training.train import CARD, DECISION

PREVIOUS = "previous"
SHIPPED = "shipped"
"""Stands for a hash where the folder had no decision of its own: the shipped one was in use."""
MORE_WRONGFUL = 0
"""Overwriting what should have stayed is the worst fault, so not one more of it is taken for any other gain."""
F1_LOSS = 0.01
"""Two of the guard's pairs: what a training on other data shifts anyway."""
ECE_MOST = 0.05
"""Out of fold, over all the pairs it was trained on: several times what the training reaches. Beyond that the odds
that costs are weighed with are wrong; the pairs are few, or contradict each other."""
GUARD_ECE_MOST = 0.10
"""On the guard set. It is small: probabilities that are exactly right are measured there with an error of 0.058 on
average, and of 0.094 once in a hundred times."""
_ENTRY = re.compile(r"^(\d{4,})-([0-9a-f]{16}|shipped)$")
_UNFINISHED = ".new"


@dataclass(frozen=True, slots=True)
class Condition:
    """What must hold: ``found`` against ``limit``."""

    name: str
    found: float | None
    limit: float
    holds: bool


@dataclass(frozen=True, slots=True)
class Promotion:
    """What came of a promotion.

    Parameters
    ----------
    promoted : bool
        Whether the decision is in place now.
    models : Path
        The folder in use.
    sha256 : str
        Of the decision that was to be promoted.
    kept : Path or None
        Where the replaced one is; None where nothing was replaced.
    conditions : tuple of Condition
    guard : Contrast or None
        The one in place (A) against the new one (B); None where the very same is in place already.
    """

    promoted: bool
    models: Path
    sha256: str
    kept: Path | None
    conditions: tuple[Condition, ...]
    guard: Contrast | None


@dataclass(frozen=True, slots=True)
class Rollback:
    """What was put back: the ``sha256`` of the decision, None where the shipped one is in use again; ``left`` tells how
    many there are behind it."""

    models: Path
    entry: str
    sha256: str | None
    left: int


def promote(
    directory: Path,
    to: Path | None = None,
    *,
    settings: Settings | None = None,
    guard: Prepared | None = None,
    encoder: Encoder | None = None,
) -> Promotion:
    """Puts the decision of a folder in place, if it is no worse than the one in use.

    Parameters
    ----------
    directory : Path
        What the training wrote.
    to : Path, optional
        The folder of models; that in use by default.
    settings : Settings, optional
        For the folder in use and the cost of overwriting.
    guard : Prepared, optional
        The guard set, where it is prepared already.
    encoder : Encoder, optional
        In place of the shipped one.

    Returns
    -------
    Promotion
        Where a condition fails nothing was touched.

    Raises
    ------
    ModelError
        As ``training.compare.load``; F093 where no manifest vouches for the folder.
    InputError
        F053 for an unreadable manifest; F094 where the folder of models cannot be written to.
    """
    settings = settings or Settings.load()
    models = to or models_in_use(settings)
    wanted = checked(directory)
    digest = sha256(directory / DECISION)
    with _writing(models):
        models.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=models):
            pass
    if (models / DECISION).is_file() and sha256(models / DECISION) == digest:
        with _writing(models):  # which also finishes a promotion that was killed before its manifest
            place(directory, models)
        return Promotion(True, models, digest, None, (), None)
    words = shipped_lexicon.load()
    data = guard or prepared_pairs([GUARD], words, encoder or MiniLM())
    sides = in_place(models, settings), (directory, wanted)
    found = contrast(data, words, *sides, Policy(settings.overwrite_cost))
    conditions = held_to(found, wanted)
    if not all(c.holds for c in conditions):
        return Promotion(False, models, digest, None, conditions, found)
    with _writing(models):
        kept = keep(models)
        place(directory, models)
    return Promotion(True, models, digest, kept, conditions, found)


def models_in_use(settings: Settings) -> Path:
    """The folder that the settings name, else the one that ships."""
    return settings.models or artefact(DECISION).parent


def checked(directory: Path) -> Classifier:
    """The decision of a folder whose manifest vouches for every file."""
    wrong = mismatches(directory)
    if wrong:
        raise ModelError("F090", f"{directory}: {'; '.join(wrong)}; train it again with: factfold train --out DIR")
    model = load(directory)
    if DECISION not in read_manifest(directory):
        raise ModelError("F093", f"{directory} has no {MANIFEST} that names {DECISION}, so nothing tells whether it is "
                                 "as it was trained; train it with: factfold train --out DIR")  # fmt: skip
    return model


def in_place(models: Path, settings: Settings) -> tuple[Path, Classifier]:
    """The decision in use and where it lies: the folder's own, else (or where another release trained that) the one
    that ships."""
    try:
        path = artefact(DECISION, dataclasses.replace(settings, models=models))
        return path.parent, Classifier.load(path)
    except ModelError:
        path = artefact(DECISION)
        return path.parent, Classifier.load(path)


def held_to(found: Contrast, wanted: Classifier) -> tuple[Condition, ...]:
    """The conditions of a promotion, each with what was found."""
    old, new = found.first, found.second
    most, least = old.wrongful_overwrites + MORE_WRONGFUL, old.macro_f1 - F1_LOSS
    own = (wanted.about.get("calibration") or {}).get("ece_after")
    error = None if own is None else float(own)
    return (
        Condition("wrongful overwrites, at most", new.wrongful_overwrites, most, new.wrongful_overwrites <= most),
        Condition("macro F1, at least", new.macro_f1, least, new.macro_f1 >= least - 1e-9),
        Condition("calibration error on the guard set, at most", new.ece, GUARD_ECE_MOST, new.ece <= GUARD_ECE_MOST),
        Condition("calibration error out of fold, at most", error, ECE_MOST, error is not None and error <= ECE_MOST),
    )


def keep(models: Path) -> Path:
    """Keeps what is in place in ``previous/``, under the next number.

    What lies on top already is not kept again: a promotion was killed after this step.
    """
    stack = kept_in(models)
    held = (models / DECISION).is_file()
    name = sha256(models / DECISION)[:16] if held else SHIPPED
    if stack and stack[-1].name.endswith(f"-{name}"):
        return stack[-1]
    previous = models / PREVIOUS
    previous.mkdir(exist_ok=True)
    fresh = _emptied(previous / _UNFINISHED)
    fresh.mkdir()
    place(models, fresh)
    number = int(stack[-1].name.split("-")[0]) + 1 if stack else 1
    entry = previous / f"{number:04d}-{name}"
    os.rename(fresh, entry)
    settle(previous)
    return entry


def kept_in(models: Path) -> list[Path]:
    """What was replaced, the last of it last."""
    found = [path for path in (models / PREVIOUS).glob("*-*") if path.is_dir() and _ENTRY.match(path.name)]
    return sorted(found, key=lambda path: (int(path.name.split("-")[0]), path.name))


def place(source: Path, target: Path) -> None:
    """Brings a decision and its card from one folder into another: the decision first, the manifest last."""
    there = [name for name in (DECISION, CARD) if (source / name).is_file()]
    for name in (DECISION, CARD):
        if name in there:
            put(target / name, (source / name).read_bytes())
        else:
            (target / name).unlink(missing_ok=True)  # a card without its decision describes another one
    write_manifest(target, there)


def rollback(to: Path | None = None, *, settings: Settings | None = None) -> Rollback:
    """Puts the last decision that was replaced back in its place; what is in place now is not kept.

    Parameters
    ----------
    to : Path, optional
        The folder of models; that in use by default.
    settings : Settings, optional

    Returns
    -------
    Rollback

    Raises
    ------
    InputError
        F094 where the folder cannot be written to; F095 where nothing was replaced.
    ModelError
        As ``training.compare.load``, of what was kept; nothing is touched then.
    """
    models = to or models_in_use(settings or Settings.load())
    stack = kept_in(models)
    if not stack:
        raise InputError("F095", f"nothing was replaced in {models}, so nothing can be put back; see --to and "
                                 "FACTFOLD_MODELS for the folder that is meant")  # fmt: skip
    entry = stack[-1]
    has_own = not entry.name.endswith(f"-{SHIPPED}")
    digest = sha256(entry / DECISION) if has_own and checked(entry) else None
    with _writing(models):
        place(entry, models)
        gone = _emptied(models / PREVIOUS / _UNFINISHED)
        os.rename(entry, gone)  # half of an entry must never lie on the stack
        shutil.rmtree(gone)
    return Rollback(models, entry.name, digest, len(stack) - 1)


def _emptied(path: Path) -> Path:
    """A place that is free: what a killed process left there is gone."""
    shutil.rmtree(path, ignore_errors=True)
    return path


@contextmanager
def _writing(models: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            "F094",
            f"{models} cannot be written to ({error.strerror or error}); promote into a folder of your own with --to "
            "DIR, and set FACTFOLD_MODELS=DIR so that it is used",
        ) from error


def conditions_text(conditions: tuple[Condition, ...]) -> str:
    """The conditions as a table for a terminal."""
    rows = [
        (c.name, "unknown" if c.found is None else _figure(c.found), _figure(c.limit), "holds" if c.holds else "FAILS")
        for c in conditions
    ]
    return aligned(("condition", "found", "limit", ""), rows)


def _figure(value: float) -> str:
    return str(value) if isinstance(value, int) else share(value)
