"""``train``, ``evaluate``: the retraining loop. What they need of scikit-learn is imported only here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from engine.cli.options import json_option
from engine.cli.output import console, emit_json, progress_bar, say
from engine.settings import Settings

Steps = Callable[[str, int, int], None]


class ManyFiles(click.Command):
    """A command where ``--pairs a b`` means ``--pairs a --pairs b``, in that order: the later file wins."""

    SPREAD: tuple[str, ...] = ("--pairs", "--sentences")

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


sentences_option = click.option(
    "--sentences", multiple=True, type=click.Path(path_type=Path), metavar="FILE...",
    help="JSONL of labelled sentences for gate and attributes, beside the shipped ones.",
)  # fmt: skip
what_option = click.option(
    "--what", type=click.Choice(["decision", "gate", "attributes"]), default="decision", show_default=True,
    help="The decision about pairs, the gate that tells facts from remarks, or the attributes of statements that the "
         "lexicon does not know.",
)  # fmt: skip


def _check_files(what: str, pairs: tuple[Path, ...], sentences: tuple[Path, ...]) -> None:
    """The decision learns from pairs, the others from sentences."""
    if what == "decision" and sentences:
        raise click.UsageError("--sentences are for --what gate and attributes; the decision learns from --pairs")
    if what != "decision" and pairs:
        raise click.UsageError(f"--pairs are for --what decision; {what} is learnt from --sentences")


@click.command(cls=ManyFiles)
@what_option
@pairs_option
@sentences_option
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Where artefacts go.")
@replace_option
@json_option
def train(
    what: str, pairs: tuple[Path, ...], sentences: tuple[Path, ...], out: Path, replace: bool, as_json: bool
) -> None:
    """Train on labelled data.

    Writes artefacts with a manifest. Use them with FACTFOLD_MODELS=DIR, or `models` in factfold.toml.
    """
    _check_files(what, pairs, sentences)
    if what == "decision":
        _train_decision(list(pairs), out, replace, as_json)
    elif what == "gate":
        _train_gate(list(sentences), out, replace, as_json)
    else:
        _train_attributes(list(sentences), out, replace, as_json)


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


def _train_attributes(files: list[Path], out: Path, replace: bool, as_json: bool) -> None:
    from training.train_attributes import train_attributes as run

    with _steps("training") as progress:
        report = run(files, out, replace=replace, progress=progress)
    if as_json:
        emit_json(report)
        return
    shown = console()
    precision = "-" if report.precision is None else f"{report.precision:.3f}"
    shown.print(f"{report.statements} statements, {report.judged} of them to judge by")
    shown.print(f"grouped macro F1 {report.macro_f1:.3f}, C {report.c:g}")
    shown.print(f"{report.classes} attributes given, out of fold to {report.given} statements, precision {precision}")
    _show_files(out, report.files)


def _show_files(out: Path, files: Mapping[str, str]) -> None:
    for name, digest in files.items():
        console().print(f"{out / name}  sha256 {digest[:16]}", soft_wrap=True)


@click.command(cls=ManyFiles)
@what_option
@pairs_option
@sentences_option
@replace_option
@click.option("--ablation", is_flag=True, help="What each block of the decision's features adds; takes several times as "
                                               "long.")  # fmt: skip
@click.option("--report", type=click.Path(path_type=Path, dir_okay=False, writable=True), metavar="FILE",
              help="Also write a page of HTML about the decision: figures, charts, and its worst errors laid "
                   "open.")  # fmt: skip
@json_option
def evaluate(
    what: str, pairs: tuple[Path, ...], sentences: tuple[Path, ...], replace: bool, ablation: bool,
    report: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Measure on labelled data, by cross-validation that never splits a group.

    The decision beside hand-written rules and a cosine threshold; the gate by reason and register; the attributes by
    class, with precision and coverage at the thresholds.
    """
    _check_files(what, pairs, sentences)
    if ablation and what != "decision":
        raise click.UsageError("--ablation is for --what decision")
    if report is not None and what != "decision":
        raise click.UsageError("--report is for --what decision")
    if report is not None and not report.absolute().parent.is_dir():
        raise click.UsageError(f"--report: there is no directory {report.parent}")  # told before minutes are spent
    if report is not None and report.resolve() in {path.resolve() for path in pairs}:
        raise click.UsageError(f"--report {report} is one of the --pairs and would be overwritten; name another file")
    if what == "decision":
        found, text = _evaluate_decision(list(pairs), replace, ablation, report)
    else:
        found, text = _evaluate_sentences(what, list(sentences), replace)
    if as_json:
        emit_json(found)
    else:
        click.echo(text(found))


def _evaluate_decision(
    files: list[Path], replace: bool, ablation: bool, report: Path | None
) -> tuple[Any, Callable[[Any], str]]:
    from training.evaluate import OutOfFold, as_text
    from training.evaluate import evaluate as run
    from training.report import write_report

    cost = Settings.load().overwrite_cost
    seen: list[OutOfFold] = []
    with _steps("evaluating") as progress:
        found = run(
            files, replace=replace, overwrite_cost=cost, ablation=ablation, progress=progress, collect=seen.append
        )
    if report is not None:
        write_report(found, seen[0], report)
        say(f"written: {report}")
    return found, as_text


def _evaluate_sentences(what: str, files: list[Path], replace: bool) -> tuple[Any, Callable[[Any], str]]:
    from training import evaluate_sentences as measuring

    with _steps("evaluating") as progress:
        if what == "gate":
            return measuring.evaluate_gate(files, replace=replace, progress=progress), measuring.gate_text
        return measuring.evaluate_attributes(files, replace=replace, progress=progress), measuring.attributes_text
