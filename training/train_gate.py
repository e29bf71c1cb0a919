"""Labelled sentences → the gate's artefact and the manifest. The same data writes the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine import lexicon as shipped_lexicon
from engine.embed import Encoder, MiniLM
from engine.errors import InputError
from engine.lexicon import Lexicon
from training.fit import write
from training.gate import FOLDS, fit, prepare
from training.manifest import make_directory, write_manifest
from training.sentences import LabelledSentence, read_sentences, shipped

GATE = "gate.json"
MIN_SENTENCES = 4 * FOLDS
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class GateReport:
    """What was trained and written; ``macro_f1`` is grouped and out of fold, at the chosen strength ``c``."""

    out: Path
    files: Mapping[str, str]
    sentences: int
    kept: int
    data_sha256: str
    c: float
    macro_f1: float


def train_gate(
    paths: Sequence[Path],
    out: Path,
    *,
    replace: bool = False,
    progress: Progress | None = None,
    lexicon: Lexicon | None = None,
    encoder: Encoder | None = None,
) -> GateReport:
    """Trains the gate and writes it.

    Parameters
    ----------
    paths : sequence of Path
        JSONL files of labelled sentences, beside the shipped ones; a later one wins.
    out : Path
        The directory for ``gate.json`` and ``manifest.json``; made if need be.
    replace : bool, default=False
        Leave the shipped sentences out.
    progress : callable, optional
        Called with a step's name, how many steps are done, and how many there are.
    lexicon, encoder : optional
        In place of the shipped ones.

    Returns
    -------
    GateReport

    Raises
    ------
    InputError
        F054 for too few sentences (or statements in them) to keep or to skip, or a file that cannot be read or
        written; the reader's for bad lines.
    """
    told = progress or (lambda step, done, steps: None)
    told("reading", 0, 4)
    sentences = labelled(paths, replace)
    make_directory(out, "F054")
    told("signals", 1, 4)
    data = prepare(sentences, lexicon or shipped_lexicon.load(), encoder or MiniLM())
    _check(int(data.keep.sum()), int((~data.keep).sum()), "statements made of the labelled sentences", replace)
    told("fitting", 2, 4)
    artefact = fit(data)
    told("writing", 3, 4)
    try:
        write(artefact, out / GATE)
        files = write_manifest(out, (GATE,))
    except OSError as error:
        raise InputError("F054", f"{out} cannot be written to ({error.strerror}); give another directory") from error
    told("done", 4, 4)
    about = artefact["about"]
    return GateReport(
        out=out,
        files=files,
        sentences=len(sentences),
        kept=sum(s.keep for s in sentences),
        data_sha256=about["data_sha256"],
        c=about["C"],
        macro_f1=about["grouped_macro_f1"][str(about["C"])],
    )


def labelled(paths: Sequence[Path], replace: bool) -> list[LabelledSentence]:
    """The shipped sentences and those of the files given; F054 where they are too few or cannot be read."""
    try:
        sentences = read_sentences([*([] if replace else shipped()), *paths])
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("F054", f"labelled sentences cannot be read: {error}") from error
    kept = sum(s.keep for s in sentences)
    _check(kept, len(sentences) - kept, "labelled sentences", replace)
    return sentences


def _check(kept: int, skipped: int, what: str, replace: bool) -> None:
    if min(kept, skipped) < MIN_SENTENCES:
        raise InputError(
            "F054",
            f"too few {what}: {kept} to keep and {skipped} to skip, of {MIN_SENTENCES} each at least; add some"
            + (", or train on top of the shipped ones without --replace" if replace else ""),
        )
