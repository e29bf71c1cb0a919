"""``add``, ``extract``, ``replay``: words in."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from engine.cli.options import JSON_OBJECT, MOMENT, db_option, json_option, opened, scope_options
from engine.cli.output import console, emit_json, event, progress_bar, say, table
from engine.memory import Memory
from engine.replay import ReplayReport
from engine.replay import replay as run_replay
from engine.settings import Settings

ROLES = click.Choice(["user", "assistant", "system", "tool"])


def _message(text: str, role: str, name: str | None, at: datetime | None) -> dict[str, Any]:
    if text == "-":
        text = sys.stdin.read()
    message: dict[str, Any] = {"role": role, "content": text}
    if name is not None:
        message["name"] = name
    if at is not None:
        message["timestamp"] = at
    return message


def _show_skipped(skipped: list[dict[str, Any]]) -> None:
    for skip in skipped:
        say(f"skipped: {' '.join(skip['text'].split())!r}: {skip['reason']}")


@click.command()
@click.argument("text")
@scope_options(required=True)
@click.option("--role", type=ROLES, default="user", show_default=True, help="Who said it.")
@click.option("--name", help="The speaker's name; the memories are about it instead of 'user'.")
@click.option("--at", type=MOMENT, help="When it was said. Default: now.")
@click.option("--metadata", type=JSON_OBJECT, help="A JSON object that new memories carry.")
@click.option("--verbatim", is_flag=True, help="Store the text as it is, without reading it.")
@db_option
@json_option
def add(
    text: str, user_id: str | None, agent_id: str | None, run_id: str | None, role: str, name: str | None,
    at: datetime | None, metadata: dict[str, Any] | None, verbatim: bool, db: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Read TEXT (- for stdin) and keep what it tells."""
    message = _message(text, role, name, at)
    with opened(db, create=True) as memory:
        done = memory.add(
            message, user_id=user_id, agent_id=agent_id, run_id=run_id, metadata=metadata, infer=not verbatim
        )
    if as_json:
        emit_json(done)
        return
    out = console()
    for one in done["results"]:
        out.print(Text.assemble(event(one["event"]), f"  {one['memory']}"))
        if one["event"] == "UPDATE":
            out.print(f"        was: {one['previous_memory']}", style="bright_black")
        out.print(f"        memory {one['id']}  decision {one['decision_id']}", style="bright_black", soft_wrap=True)
    _show_skipped(done["skipped"])


@click.command()
@click.argument("text")
@click.option("--role", type=ROLES, default="user", show_default=True, help="Who said it.")
@click.option("--name", help="The speaker's name; the facts are about it instead of 'user'.")
@click.option("--at", type=MOMENT, help="When it was said. Default: now.")
@json_option
def extract(text: str, role: str, name: str | None, at: datetime | None, as_json: bool) -> None:
    """Show the facts in TEXT (- for stdin); nothing is stored."""
    with Memory(":memory:", settings=Settings.load({"db": ":memory:"})) as memory:
        found = memory.extract(_message(text, role, name, at))
    if as_json:
        emit_json(found)
        return
    rows = table(("fact", {"ratio": 1}), "subject", "attribute", "kind", "modality", "polarity")
    for fact in found["facts"]:
        names = ("memory", "subject", "attribute", "kind", "modality", "polarity")
        rows.add_row(*(str(fact[name] or "–") for name in names))
    if found["facts"]:
        console().print(rows)
    for command in found["commands"]:
        console().print(f"a command to the memory: {command['kind']} {command['target']}")
    _show_skipped(found["skipped"])


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@db_option
@click.option("--user", metavar="ID", help="Whose the messages are that do not tell.")
@click.option("--resume", is_flag=True, help="Go on where an earlier replay stopped.")
@json_option
def replay(paths: tuple[Path, ...], db: str | None, user: str | None, resume: bool, as_json: bool) -> None:
    """Reprocess transcripts in batch.

    PATHS are files or folders; each message keeps its own time.

    The format is told by the content: chat JSONL, JSON messages, LoCoMo. A message that is in the database already is
    not taken in twice; a replay that was stopped goes on with --resume.
    """
    with opened(db, create=True) as memory:
        try:
            with progress_bar("replaying") as progress:
                report = run_replay(paths, memory, default_user=user, progress=progress, resume=resume)
        except KeyboardInterrupt:
            say("stopped; go on with --resume")
            raise
    if as_json:
        emit_json(report)
    else:
        show_report(report)


def show_report(report: ReplayReport) -> None:
    """A replay's counts for a terminal."""
    out = console()
    out.print(
        f"{report.messages} messages taken in, of {report.users} user(s) in {report.conversations} conversation(s), "
        f"{report.seconds:.1f} s"
    )
    for count, what in (
        (report.already, "were in the database already"),
        (report.repeated, "stood twice in the transcripts"),
        (report.undated, "had no time, nor had a message near them: they count as told now"),
        *((n, f"entries dropped: {reason}") for reason, n in report.dropped.items()),
    ):
        if count:
            out.print(f"{count:>6}  {what}")
    if not report.messages:
        return
    out.print("\nmemories touched", style="bold")
    for name, count in report.memories.items():
        out.print(Text.assemble(f"{count:>6}  ", event(name)))
    out.print("\npieces skipped", style="bold")
    for reason, count in report.skipped.items():
        out.print(f"{count:>6}  {reason}")
