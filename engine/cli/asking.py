"""``search``, ``list``, ``show``, ``history``, ``profile``: words out."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click
from rich.text import Text

from engine.cli.options import (
    as_of_option,
    db_option,
    filters_option,
    json_option,
    known_at_option,
    opened,
    scope_options,
)
from engine.cli.output import console, day, emit_json, event, say, span, table
from engine.errors import NotFoundError

history_option = click.option("--history", "include_history", is_flag=True, help="Closed versions and tombstones too.")


@click.command()
@click.argument("query")
@scope_options(required=True)
@filters_option
@click.option("--top-k", type=click.IntRange(1), default=10, show_default=True, help="How many answers.")
@click.option("--threshold", type=float, help="The least score.")
@as_of_option
@known_at_option
@history_option
@click.option("--explain", is_flag=True, help="What each score is made of.")
@db_option
@json_option
def search(
    query: str, user_id: str | None, agent_id: str | None, run_id: str | None, filters: dict[str, Any] | None,
    top_k: int, threshold: float | None, as_of: datetime | None, known_at: datetime | None, include_history: bool,
    explain: bool, db: str | None, as_json: bool,
) -> None:  # fmt: skip
    """The memories that answer QUERY, best first."""
    with opened(db) as memory:
        found = memory.search(
            query, user_id=user_id, agent_id=agent_id, run_id=run_id, filters=filters, top_k=top_k,
            threshold=threshold, as_of=as_of, known_at=known_at, include_history=include_history, explain=explain,
        )  # fmt: skip
    if as_json:
        emit_json(found)
        return
    if not found["results"]:
        say("nothing found")
        return
    rows = table("score", ("memory", {"ratio": 1}), "valid", ("id", {"no_wrap": True}))
    for one in found["results"]:
        rows.add_row(f"{one['score']:.3f}", one["memory"], span(one), one["id"])
        if explain:
            rows.add_row("", Text(_made_of(one["score_details"]), style="bright_black"), "", "")
    console().print(rows)


def _made_of(details: dict[str, Any]) -> str:
    weights = details["weights"]
    parts = [f"{name} {details[name]:.2f} × {weights[name]:g}" for name in ("similarity", "recency", "frequency")]
    return f"{', '.join(parts)} (cosine {details['cosine']:.2f}, words {details['lexical']:.2f})"


@click.command("list")
@scope_options(required=True)
@filters_option
@click.option("--top-k", type=click.IntRange(1), default=100, show_default=True, help="How many at most.")
@click.option("--offset", type=click.IntRange(0), default=0, help="How many to pass over.")
@as_of_option
@known_at_option
@history_option
@db_option
@json_option
def list_(
    user_id: str | None, agent_id: str | None, run_id: str | None, filters: dict[str, Any] | None, top_k: int,
    offset: int, as_of: datetime | None, known_at: datetime | None, include_history: bool, db: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """All memories of a scope, oldest first."""
    with opened(db) as memory:
        found = memory.get_all(
            user_id=user_id, agent_id=agent_id, run_id=run_id, filters=filters, top_k=top_k, offset=offset,
            as_of=as_of, known_at=known_at, include_history=include_history,
        )  # fmt: skip
    if as_json:
        emit_json(found)
        return
    rows = table(("memory", {"ratio": 1}), "attribute", "kind", "valid", ("id", {"no_wrap": True}))
    for one in found["results"]:
        rows.add_row(one["memory"], one["attribute"] or "–", one["kind"], span(one), one["id"])
    if found["results"]:
        console().print(rows)
    say(f"{len(found['results'])} of {found['total']} memories")


@click.command()
@click.argument("memory_id", metavar="ID")
@scope_options(required=False)
@as_of_option
@db_option
@json_option
def show(
    memory_id: str, user_id: str | None, agent_id: str | None, run_id: str | None, as_of: datetime | None,
    db: str | None, as_json: bool,
) -> None:  # fmt: skip
    """One memory with its sources."""
    with opened(db) as memory:
        found = memory.get(memory_id, as_of, user_id=user_id, agent_id=agent_id, run_id=run_id)
    if found is None:
        raise NotFoundError(
            "F822", f"no memory {memory_id} is active then; it may be over (see: factfold history {memory_id})"
        )
    if as_json:
        emit_json(found)
        return
    out = console()
    out.print(found["memory"], style="bold")
    names = ("id", "kind", "subject", "predicate", "object", "attribute", "polarity", "modality", "version",
             "user_id", "agent_id", "run_id", "created_at", "updated_at", "metadata")  # fmt: skip
    rows = table(("", {"no_wrap": True}), ("", {"ratio": 1}))
    rows.show_header = False
    for name in names:
        if found[name] not in (None, "", {}):
            rows.add_row(Text(name, style="bright_black"), str(found[name]))
    rows.add_row(Text("valid", style="bright_black"), span(found) or "not dated")
    for source in found["sources"]:
        rows.add_row(
            Text("source", style="bright_black"),
            f"{day(source['timestamp'])} {source['speaker']}: “{source['text']}” ({source['message_id']})",
        )
    out.print(rows)


@click.command()
@click.argument("memory_id", metavar="ID")
@scope_options(required=False)
@db_option
@json_option
def history(
    memory_id: str, user_id: str | None, agent_id: str | None, run_id: str | None, db: str | None, as_json: bool
) -> None:
    """Everything that happened to a memory, in order of recording."""
    with opened(db) as memory:
        rows = memory.history(memory_id, user_id=user_id, agent_id=agent_id, run_id=run_id)
    if as_json:
        emit_json(rows)
        return
    out = table("event", "version", ("memory", {"ratio": 1}), "said", ("decision", {"no_wrap": True}))
    for row in rows:
        text = row["new_memory"] or row["old_memory"] or ""
        note = f"\n{row['reason']}" if row["reason"] else ""
        said = day(row["source"]["timestamp"]) if row["source"] else day(row["updated_at"])
        shown = Text.assemble(text, (note, "bright_black"))
        out.add_row(event(row["event"]), str(row["version"]), shown, said, row["decision_id"] or "–")
    console().print(out)


@click.command()
@scope_options(required=True)
@click.option("--max-chars", type=click.IntRange(1), help="Leave out whole lines beyond that length.")
@as_of_option
@db_option
@json_option
def profile(
    user_id: str | None, agent_id: str | None, run_id: str | None, max_chars: int | None, as_of: datetime | None,
    db: str | None, as_json: bool,
) -> None:  # fmt: skip
    """What is known, grouped by attribute, ready for a prompt."""
    with opened(db) as memory:
        told = memory.profile(user_id=user_id, agent_id=agent_id, run_id=run_id, max_chars=max_chars, as_of=as_of)
    if as_json:
        emit_json(told)
        return
    if told["text"]:
        click.echo(told["text"])
    if told["left_out"]:
        say(f"{told['left_out']} of {len(told['groups'])} lines did not fit")
