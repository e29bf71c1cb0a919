"""``update``, ``delete``, ``undo``, ``restore``, ``purge``: changes by hand."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Any

import click

from engine.cli.options import JSON_OBJECT, MOMENT, db_option, json_option, opened, scope_options
from engine.cli.output import emit_json, say


def _done(result: Any, told: str, as_json: bool) -> None:
    if as_json:
        emit_json(result)
    else:
        say(told)


@click.command()
@click.argument("memory_id", metavar="ID")
@click.argument("text", required=False)
@click.option("--metadata", type=JSON_OBJECT, help="A JSON object in place of the old one.")
@click.option("--at", type=MOMENT, help="Since when the text is true. Default: now.")
@scope_options(required=False)
@db_option
@json_option
def update(
    memory_id: str, text: str | None, metadata: dict[str, Any] | None, at: datetime | None, user_id: str | None,
    agent_id: str | None, run_id: str | None, db: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Give a memory a new TEXT (a new version) or new metadata."""
    if text is None and metadata is None:
        raise click.UsageError("nothing to update: give TEXT, --metadata, or both")
    with opened(db) as memory:
        result = memory.update(memory_id, text, metadata, at, user_id=user_id, agent_id=agent_id, run_id=run_id)
    _done(result, "updated", as_json)


@click.command()
@click.argument("memory_id", metavar="[ID]", required=False)
@click.option("--all", "everything", is_flag=True, help="Every live memory of the scope, in place of one.")
@click.option("--reason", help="Why; kept with the tombstone.")
@scope_options(required=False)
@db_option
@json_option
def delete(
    memory_id: str | None, everything: bool, reason: str | None, user_id: str | None, agent_id: str | None,
    run_id: str | None, db: str | None, as_json: bool,
) -> None:  # fmt: skip
    """End a memory; its history stays.

    It becomes a tombstone. See purge for true erasure.
    """
    if (memory_id is None) != everything:
        raise click.UsageError("give either the ID of a memory, or --all with a scope")
    if everything and user_id is agent_id is run_id is None:
        raise click.UsageError("say whose memories: give --user, --agent or --run")
    if everything and reason is not None:
        raise click.UsageError("--reason is for one memory")
    with opened(db) as memory:
        if memory_id is None:
            result = memory.delete_all(user_id=user_id, agent_id=agent_id, run_id=run_id)
        else:
            result = memory.delete(memory_id, reason, user_id=user_id, agent_id=agent_id, run_id=run_id)
    _done(result, result["message"] if everything else "deleted", as_json)


@click.command()
@click.argument("decision_id", metavar="DECISION")
@scope_options(required=False)
@db_option
@json_option
def undo(
    decision_id: str, user_id: str | None, agent_id: str | None, run_id: str | None, db: str | None, as_json: bool
) -> None:
    """Take a decision back, by new versions."""
    with opened(db) as memory:
        result = memory.undo(decision_id, user_id=user_id, agent_id=agent_id, run_id=run_id)
    _done(result, f"undone; it had touched {', '.join(result['memories']) or 'nothing'}", as_json)


@click.command()
@click.argument("memory_id", metavar="ID")
@click.argument("version", type=click.IntRange(1))
@scope_options(required=False)
@db_option
@json_option
def restore(
    memory_id: str, version: int, user_id: str | None, agent_id: str | None, run_id: str | None, db: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Make an old VERSION of a memory current, as a new version."""
    with opened(db) as memory:
        result = memory.restore(memory_id, version, user_id=user_id, agent_id=agent_id, run_id=run_id)
    _done(result, f"version {version} is current again, as version {result['version']}", as_json)


@click.command()
@click.argument("memory_id", metavar="[ID]", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
@scope_options(required=False)
@db_option
@json_option
def purge(
    memory_id: str | None, yes: bool, user_id: str | None, agent_id: str | None, run_id: str | None, db: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Erase a memory, or all of a scope, for good.

    Versions, sources, decisions and index entries go; the report counts them. See delete for an end with a history.
    """
    if memory_id is None and user_id is agent_id is run_id is None:
        raise click.UsageError("give the ID of a memory, or a scope with --user, --agent or --run")
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("this cannot be undone; confirm it with --yes")
        click.confirm("This cannot be undone. Erase?", abort=True, err=True)
    with opened(db) as memory:
        result = memory.purge(memory_id=memory_id, user_id=user_id, agent_id=agent_id, run_id=run_id)
    _done(result, "erased: " + ", ".join(f"{n} {name}" for name, n in result.items() if n), as_json)
