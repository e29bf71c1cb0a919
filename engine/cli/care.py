"""``verify``, ``doctor``: is the database sound, is the installation?"""

from __future__ import annotations

import click
from rich.text import Text

from engine.cli.options import db_option, json_option, opened
from engine.cli.output import console, emit_json, say, table
from engine.doctor import examine


@click.command()
@db_option
@json_option
def verify(db: str | None, as_json: bool) -> None:
    """Check a database.

    Prints what is wrong with it, and exits with 1 where something is.
    """
    with opened(db) as memory:
        problems = memory.verify()
    if as_json:
        emit_json({"problems": problems})
    elif problems:
        click.echo("\n".join(problems))
    else:
        say("sound")
    if problems:
        raise click.exceptions.Exit(1)


@click.command()
@db_option
@json_option
def doctor(db: str | None, as_json: bool) -> None:
    """Check this installation.

    Python, SQLite, models, libraries, permissions, and the whole loop with no network; exits with 1 where something is
    wrong, and says what to do.
    """
    checks = examine(db)
    if as_json:
        emit_json({"ok": all(check.ok for check in checks), "checks": checks})
    else:
        rows = table("", "check", ("found", {"ratio": 1}))
        for check in checks:
            mark = Text("ok", style="green") if check.ok else Text("PROBLEM", style="bold red")
            rows.add_row(mark, check.name, check.found if check.ok else f"{check.problem}\n→ {check.remedy}")
        console().print(rows)
    if not all(check.ok for check in checks):
        raise click.exceptions.Exit(1)
