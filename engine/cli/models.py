"""``compare``, ``promote``: is a newly trained decision better, and into use with it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine import lexicon
from engine.cli.learning import ManyFiles
from engine.cli.options import json_option, settings_of
from engine.cli.output import emit_json, say
from engine.decide import Policy
from engine.embed import MiniLM
from engine.settings import Settings
from engine.store import Store

if TYPE_CHECKING:
    from engine.classifier import Classifier
    from training.promote import Promotion
    from training.rejudge import Rejudged

FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command(cls=ManyFiles)
@click.argument("a", type=FOLDER)
@click.argument("b", type=FOLDER)
@click.option("--pairs", multiple=True, type=click.Path(path_type=Path), metavar="FILE...",
              help="After A and B: JSONL of labelled pairs in place of the guard set.")  # fmt: skip
@click.option("--db", metavar="PATH", help="Also tell which decisions of this database would change; it is only read.")
@json_option
def compare(a: Path, b: Path, pairs: tuple[Path, ...], db: str | None, as_json: bool) -> None:
    """Two trained decisions, folders A and B, on the same pairs.

    Figures of both, what gets better and worse, and every pair on which they act differently, the worst first. The
    pairs are the guard set: short, clear ones that no training reads.
    """
    from training import rejudge
    from training.compare import as_text, compare_models, load

    settings = _settings(db)
    encoder = _encoder(settings)
    found = compare_models(a, b, pairs, policy=Policy(settings.overwrite_cost), encoder=encoder)
    again = None if db is None else _rejudged(settings, encoder, load(a), load(b))
    if as_json:
        emit_json(dataclasses.asdict(found) | ({} if again is None else {"decisions": dataclasses.asdict(again)}))
        return
    click.echo(as_text(found))
    if again is not None:
        click.echo(f"\n{rejudge.as_text(again)}")


@click.command()
@click.argument("directory", type=FOLDER, required=False, metavar="[DIR]")
@click.option("--to", type=FOLDER, metavar="MODELS", help="The folder of models. Default: the one in use "
                                                         "(FACTFOLD_MODELS, factfold.toml, else as shipped).")  # fmt: skip
@click.option("--rollback", is_flag=True, help="Put the last one that was replaced back, in place of DIR.")
@click.option("--db", metavar="PATH", help="Also tell which decisions of this database would change; it is only read.")
@json_option
def promote(directory: Path | None, to: Path | None, rollback: bool, db: str | None, as_json: bool) -> None:
    """Put the trained decision of DIR in the place of the one in use.

    Only where the guard set holds: no more wrongful overwrites than before, no worse macro F1, probabilities that can
    be believed. Otherwise nothing is touched and the exit code is 1. What is replaced is kept.
    """
    if rollback == (directory is not None):
        raise click.UsageError("give either DIR or --rollback")
    if rollback and db is not None:
        raise click.UsageError("--db is for promoting DIR")
    if directory is None:
        _roll_back(to, as_json)
    else:
        _promote(directory, to, db, as_json)


def _promote(directory: Path, to: Path | None, db: str | None, as_json: bool) -> None:
    from training.promote import checked, in_place, models_in_use
    from training.promote import promote as run

    settings = _settings(db)
    encoder, again = _encoder(settings), None
    if db is not None:  # before anything is replaced: afterwards there is nothing to compare with
        wanted = checked(directory)
        again = _rejudged(settings, encoder, in_place(to or models_in_use(settings), settings)[1], wanted)
    done = run(directory, to, settings=settings, encoder=encoder)
    if as_json:
        emit_json(_plain(done) | ({} if again is None else {"decisions": dataclasses.asdict(again)}))
    else:
        _show(done, again, directory, settings)
    if not done.promoted:
        raise click.exceptions.Exit(1)


def _show(done: Promotion, again: Rejudged | None, directory: Path, settings: Settings) -> None:
    from training import rejudge
    from training.compare import figures_text, turns_text
    from training.promote import conditions_text, models_in_use

    if done.guard is not None:
        first = done.guard.first
        click.echo(f"{done.guard.pairs} pairs of the guard set: A {first.folder} ({first.model}), B {directory}")
        click.echo(f"{figures_text(done.guard)}\n\n{conditions_text(done.conditions)}")
    if again is not None:
        click.echo(f"\n{rejudge.as_text(again)}")
    if not done.promoted:
        if done.guard is not None and done.guard.turns:
            click.echo(f"\n{turns_text(done.guard.turns)}")
        say(f"not promoted; {done.models} is as it was")
        return
    say(f"{directory} is in place in {done.models} (sha256 {done.sha256[:16]})" if done.guard is not None
        else f"{done.models} has this decision already (sha256 {done.sha256[:16]})")  # fmt: skip
    if done.kept is not None:
        where = "" if done.models.resolve() == models_in_use(settings).resolve() else f" --to {done.models}"
        say(f"the one before is kept in {done.kept}; factfold promote --rollback{where} puts it back")
    if done.models.resolve() != models_in_use(settings).resolve():
        say(f"it is used where FACTFOLD_MODELS={done.models} is set")
    say("programs that are running use it after a restart")


def _roll_back(to: Path | None, as_json: bool) -> None:
    from training.promote import rollback as run

    done = run(to, settings=Settings.load())
    if as_json:
        emit_json(_plain(done))
        return
    what = "the shipped one is in use again" if done.sha256 is None else f"sha256 {done.sha256[:16]}"
    say(f"{done.entry} is back in {done.models} ({what}); {done.left} more to go back to")
    say("programs that are running use it after a restart")


def _settings(db: str | None) -> Settings:
    return Settings.load() if db is None else settings_of(db)


def _encoder(settings: Settings) -> MiniLM:
    return MiniLM(threads=settings.threads, cache=settings.embedding_cache)


def _rejudged(settings: Settings, encoder: MiniLM, first: Classifier, second: Classifier) -> Rejudged:
    from training.rejudge import rejudge

    words, policy = lexicon.load(tuple(settings.lexicons)), Policy(settings.overwrite_cost)
    with Store(settings.db) as store:
        return rejudge(store, first, second, lexicon=words, encoder=encoder, policy=policy)


def _plain(done: Any) -> dict[str, Any]:
    """A report with its paths as text."""
    return {k: str(v) if isinstance(v, Path) else v for k, v in dataclasses.asdict(done).items()}
