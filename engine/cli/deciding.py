"""``explain``, ``review``, ``feedback``: looking at decisions and judging them."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from engine.cli.options import db_option, json_option, opened, scope_options
from engine.cli.output import console, emit_json, event, say, table
from engine.cli.waterfall import draw
from engine.picture import waterfall
from engine.types import Operation
from engine.waterfall import MOST


@click.command()
@click.argument("decision_id", metavar="DECISION")
@click.option("--most", type=click.IntRange(1), default=MOST, show_default=True, help="How many features to draw.")
@click.option("--hide-values", is_flag=True, help="Blank the texts, to show how it went but not whose it is.")
@click.option("--picture", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Also draw it into a file: .png, .svg or .pdf. Needs matplotlib, the extra 'plots'.")  # fmt: skip
@scope_options(required=False)
@db_option
@json_option
def explain(
    decision_id: str, most: int, hide_values: bool, picture: Path | None, user_id: str | None, agent_id: str | None,
    run_id: str | None, db: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Why a decision was made, feature by feature."""
    with opened(db) as memory:
        told = memory.explain(decision_id, hide_values=hide_values, user_id=user_id, agent_id=agent_id, run_id=run_id)
    if as_json:
        emit_json(told)
    else:
        draw(told, console(), most)
    if picture is not None:
        waterfall(told, picture, most)
        say(f"drawn: {picture}")


@click.command()
@scope_options(required=True)
@db_option
@json_option
def review(user_id: str | None, agent_id: str | None, run_id: str | None, db: str | None, as_json: bool) -> None:
    """Decisions that wait for a person, the least certain first."""
    with opened(db) as memory:
        waiting = memory.review(user_id=user_id, agent_id=agent_id, run_id=run_id)
    if as_json:
        emit_json(waiting)
        return
    out = console()
    for told in waiting:
        shares = ", ".join(f"{label} {p:.2f}" for label, p in sorted(told["probabilities"].items()))
        out.print(Text.assemble("new   ", (told["candidate"], "bold")))
        out.print(f"held  {told['existing'] or '–'}")
        out.print(Text.assemble("did   ", event(told["operation"]), f"   ({shares})"))
        out.print(f"      factfold feedback {told['decision_id']} OPERATION\n", style="bright_black", soft_wrap=True)
    say(f"{len(waiting)} to review")


@click.command()
@click.argument("decision_id", metavar="DECISION")
@click.argument("operation", type=click.Choice([str(o) for o in Operation], case_sensitive=False))
@scope_options(required=False)
@db_option
@json_option
def feedback(
    decision_id: str, operation: str, user_id: str | None, agent_id: str | None, run_id: str | None, db: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Say what a decision should have been.

    The store is mended accordingly and the pair is filed for retraining.
    """
    with opened(db) as memory:
        result = memory.feedback(decision_id, operation.upper(), user_id=user_id, agent_id=agent_id, run_id=run_id)
    if as_json:
        emit_json(result)
        return
    pair = result["pair"]
    out = table("label", ("held", {"ratio": 1}), ("new", {"ratio": 1}))
    out.add_row(event(pair["label"]), pair["existing"], pair["candidate"])
    console().print(out)
    say("the store was mended" if result["changed"] else "confirmed")
