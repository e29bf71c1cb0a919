"""``train``, ``evaluate``: the retraining loop. What they need of scikit-learn is imported only here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

from engine.cli.options import json_option
from engine.cli.output import console, emit_json, progress_bar, say
from engine.settings import Settings

Steps = Callable[[str, int, int], None]


class ManyFiles(click.Command):
    """A command where ``--pairs a b`` means ``--pairs a --pairs b``, in that order: the later file wins."""

    SPREAD = ("--pairs", "--sentences")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        spread: list[str] = []
        current = None
        fresh = False
        for argument in args:
            if argument.startswith("-"):
                current = argument if argument in self.SPREAD else None
                fresh = current is not None
            elif current is not None and not fresh:
                spread.append(current)
            if not argument.startswith("-"):
                fresh = False
            spread.append(argument)
        return super().parse_args(ctx, spread)


pairs_option = click.option(
    "--pairs", multiple=True, type=click.Path(path_type=Path), metavar="FILE...",
    help="JSONL of labelled pairs, beside the shipped ones; of a pair that stands twice the last counts.",
)  # fmt: skip
replace_option = click.option("--replace", is_flag=True, help="Leave the shipped data out.")


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


@click.command(cls=ManyFiles)
@click.option("--what", type=click.Choice(["decision", "gate"]), default="decision", show_default=True,
              help="The decision about pairs, or the gate that tells facts from remarks.")  # fmt: skip
@pairs_option
@click.option("--sentences", multiple=True, type=click.Path(path_type=Path), metavar="FILE...",
              help="JSONL of labelled sentences for the gate, beside the shipped ones.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Where artefacts go.")
@replace_option
@json_option
def train(
    what: str, pairs: tuple[Path, ...], sentences: tuple[Path, ...], out: Path, replace: bool, as_json: bool
) -> None:
    """Train on labelled data.

    Writes artefacts with a manifest. Use them with FACTFOLD_MODELS=DIR, or `models` in factfold.toml.
    """
    if what == "decision" and sentences:
        raise click.UsageError("--sentences are for --what gate; the decision learns from --pairs")
    if what == "gate" and pairs:
        raise click.UsageError("--pairs are for --what decision; the gate learns from --sentences")
    if what == "decision":
        _train_decision(list(pairs), out, replace, as_json)
    else:
        _train_gate(list(sentences), out, replace, as_json)


def _train_decision(files: list[Path], out: Path, replace: bool, as_json: bool) -> None:
    from training.train import train as run

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
    _show_files(out, report.files)


def _train_gate(files: list[Path], out: Path, replace: bool, as_json: bool) -> None:
    from training.train_gate import train_gate as run

    with _steps("training") as progress:
        report = run(files, out, replace=replace, progress=progress)
    if as_json:
        emit_json(report)
        return
    shown = console()
    shown.print(f"{report.sentences} sentences, {report.kept} of them to keep")
    shown.print(f"grouped macro F1 {report.macro_f1:.3f}, C {report.c:g}")
    _show_files(out, report.files)


def _show_files(out: Path, files: Mapping[str, str]) -> None:
    for name, digest in files.items():
        console().print(f"{out / name}  sha256 {digest[:16]}", soft_wrap=True)


@click.command(cls=ManyFiles)
@pairs_option
@replace_option
@click.option("--ablation", is_flag=True, help="What each block of features adds; takes several times as long.")
@json_option
def evaluate(pairs: tuple[Path, ...], replace: bool, ablation: bool, as_json: bool) -> None:
    """Measure the decision on labelled pairs.

    Cross-validates the model, the hand-written rules and a cosine threshold; groups are never split.
    """
    from training.evaluate import as_text
    from training.evaluate import evaluate as run

    cost = Settings.load().overwrite_cost
    with _steps("evaluating") as progress:
        found = run(list(pairs), replace=replace, overwrite_cost=cost, ablation=ablation, progress=progress)
    if as_json:
        emit_json(found)
    else:
        click.echo(as_text(found))
