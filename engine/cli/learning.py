"""``train``, ``evaluate``: the retraining loop. What they need of scikit-learn is imported only here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from engine.cli.options import json_option
from engine.cli.output import console, emit_json, progress_bar, say
from engine.settings import Settings

Steps = Callable[[str, int, int], None]

pairs_option = click.option(
    "--pairs", "pairs", multiple=True, type=click.Path(path_type=Path), metavar="FILE...",
    help="JSONL of labelled pairs, beside the shipped ones; may be given more than once. A later pair wins.",
)  # fmt: skip
more_argument = click.argument("more", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
replace_option = click.option("--replace", is_flag=True, help="Leave the shipped pairs out.")


@contextmanager
def _steps(what: str) -> Iterator[Steps]:
    """Named steps on stderr: a bar on a terminal, a line each in a pipe."""
    quiet = not console(err=True).is_terminal
    with progress_bar(what) as bar:

        def step(name: str, done: int, total: int) -> None:
            bar(done, total)
            if quiet:
                say(f"{what}: {name} ({done}/{total})")

        yield step


def _files(pairs: tuple[Path, ...], more: tuple[Path, ...]) -> list[Path]:
    """``--pairs a b`` and ``--pairs a --pairs b`` mean the same."""
    if more and not pairs:
        raise click.UsageError("files of labelled pairs come after --pairs")
    return [*pairs, *more]


@click.command()
@pairs_option
@more_argument
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Where artefacts go.")
@replace_option
@json_option
def train(pairs: tuple[Path, ...], more: tuple[Path, ...], out: Path, replace: bool, as_json: bool) -> None:
    """Train the decision on labelled pairs.

    Use them with FACTFOLD_MODELS=DIR, or `models` in factfold.toml.
    """
    from training.train import train as run

    files = _files(pairs, more)
    with _steps("training") as progress:
        report = run(files, out, replace=replace, progress=progress)
    if as_json:
        emit_json(report)
        return
    shown = console()
    labels = ", ".join(f"{n} {label}" for label, n in report.labels.items())
    shown.print(f"{report.pairs} pairs in {report.groups} groups ({labels})")
    shown.print(f"grouped macro F1 {report.scores.macro_f1:.3f}, accuracy {report.scores.accuracy:.3f}, C {report.c:g}")
    shown.print(
        f"calibration error {report.ece_before:.3f} → {report.ece_after:.3f} (temperature {report.temperature:.3f})"
    )
    for name, digest in report.files.items():
        shown.print(f"{out / name}  sha256 {digest[:16]}", soft_wrap=True)


@click.command()
@pairs_option
@more_argument
@replace_option
@click.option("--ablation", is_flag=True, help="What each block of features adds; takes several times as long.")
@json_option
def evaluate(
    pairs: tuple[Path, ...], more: tuple[Path, ...], replace: bool, ablation: bool, as_json: bool
) -> None:
    """Measure the decision on labelled pairs.

    Cross-validates the model, the hand-written rules and a cosine threshold; groups are never split.
    """
    from training.evaluate import as_text
    from training.evaluate import evaluate as run

    files = _files(pairs, more)
    cost = Settings.load().overwrite_cost
    with _steps("evaluating") as progress:
        found = run(files, replace=replace, overwrite_cost=cost, ablation=ablation, progress=progress)
    if as_json:
        emit_json(found)
    else:
        click.echo(as_text(found))
