"""How commands speak: data on stdout, everything else on stderr."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

WIDTH = 100
COLOURS = {"ADD": "green", "UPDATE": "yellow", "DELETE": "red", "NOOP": "bright_black"}


def console(*, err: bool = False) -> Console:
    """A console that is ``WIDTH`` wide in a pipe, where no terminal tells its width."""
    stream = sys.stderr if err else sys.stdout
    plain = Console(file=stream, highlight=False, soft_wrap=False)
    return plain if plain.is_terminal else Console(file=stream, highlight=False, width=WIDTH)


def say(message: str) -> None:
    """A message for the person at the terminal, on stderr."""
    click.echo(message, err=True)


def emit_json(data: Any) -> None:
    """Data for another program, on stdout."""
    if dataclasses.is_dataclass(data) and not isinstance(data, type):
        data = dataclasses.asdict(data)
    text = json.dumps(data, ensure_ascii=False, indent=2, default=_plain)
    click.echo(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Sequence | set | frozenset):
        return list(value)
    tolist = getattr(value, "tolist", None)
    return tolist() if tolist is not None else str(value)


def event(name: str) -> Text:
    """An operation in its colour."""
    return Text(name, style=COLOURS.get(name, ""))


def day(moment: str | None) -> str:
    """The day of an ISO moment; a dash where there is none."""
    return (moment or "–")[:10]


def span(memory: Mapping[str, Any]) -> str:
    """The valid time of a memory, as exact as it is known; empty where it is not."""
    start, end = (_exact(memory, name) for name in ("valid_from", "valid_to"))
    return f"{start or '…'} – {end}" if end else f"since {start}" if start else ""


def _exact(memory: Mapping[str, Any], name: str) -> str:
    length = {"year": 4, "month": 7}.get(memory.get(f"{name}_precision") or "", 10)
    return (memory.get(name) or "")[:length]


def table(*columns: str | tuple[str, dict[str, Any]]) -> Table:
    """An empty table without frames, which reads well in a pipe too."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        name, options = (column, {}) if isinstance(column, str) else column
        made.add_column(name, **options)
    return made


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr, as a callback of done and total; silent where stderr is no terminal."""
    err = console(err=True)
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=40), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
