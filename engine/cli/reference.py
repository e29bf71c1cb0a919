"""Writes docs/cli.md: each command with the help that the program itself gives.

    python -m engine.cli.reference docs/cli.md
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from engine.cli import program

WIDTH = 98
HEAD = """# The command line

Written by `make docs` from the program's own help; don't edit it here.

- Data goes to stdout, progress and messages to stderr; `--json` makes the data JSON.
- Exit codes: 0 fine, 1 something failed (one line on stderr says what, with a code such as `[F821]`), 2 wrong usage.
- The database is `--db`, else `FACTFOLD_DB`, else `db` in `./factfold.toml`, else `./factfold.db`. Commands that only
  read or change refuse a database that is not there; `add` and `replay` make it.
- Every read and write names whose memory it is: `--user`, `--agent`, `--run`. Commands that take an id check it against
  those that are given.
- Moments (`--at`, `--as-of`, `--known-at`) are ISO 8601, such as `2026-03-09` or `2026-03-09T08:15:00Z`, or seconds
  since 1970.
"""


def help_of(name: str | None = None) -> str:
    """The help of a command, or of the program, as it is printed on a terminal of 100 columns or more."""
    settings = {**program.context_settings, "terminal_width": WIDTH}
    top = click.Context(program, info_name="factfold", **settings)
    if name is None:
        return program.get_help(top)
    command = program.commands[name]
    return command.get_help(click.Context(command, info_name=name, parent=top, terminal_width=WIDTH))


def reference() -> str:
    """The text of docs/cli.md."""
    parts = [HEAD, f"```text\n{help_of()}\n```\n"]
    parts += [f"## {name}\n\n```text\n{help_of(name)}\n```\n" for name in program.commands]
    return "\n".join(parts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8")
