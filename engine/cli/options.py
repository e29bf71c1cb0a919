"""What commands have in common: the database, the scope, moments, JSON arguments."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from engine.errors import InputError, StoreError
from engine.memory import Memory
from engine.messages import read_timestamp
from engine.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])


class Moment(click.ParamType[datetime]):
    """A moment as ISO 8601 text or seconds since 1970."""

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        try:
            return read_timestamp(float(value) if _is_number(value) else value, "the value")
        except InputError as error:
            self.fail(str(error).split("] ", 1)[-1], param, ctx)


class JsonObject(click.ParamType[dict[str, Any]]):
    """A JSON object on the command line."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        try:
            read = value if isinstance(value, dict) else json.loads(value)
        except (json.JSONDecodeError, RecursionError) as error:
            self.fail(f"{value!r} is not JSON ({error})", param, ctx)
        if not isinstance(read, dict):
            self.fail(f"{value!r} is no JSON object", param, ctx)
        return read


MOMENT = Moment()
JSON_OBJECT = JsonObject()

db_option = click.option(
    "--db", metavar="PATH", help="The database. Default: FACTFOLD_DB, factfold.toml, else ./factfold.db."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")
as_of_option = click.option("--as-of", type=MOMENT, help="Another moment of the world than now.")
known_at_option = click.option("--known-at", type=MOMENT, help="Only what the database knew at that moment.")
filters_option = click.option(
    "--filters", type=JSON_OBJECT, help="""A filter, such as '{"kind": "state", "attribute": {"in": ["residence"]}}'."""
)


def scope_options(*, required: bool) -> Callable[[F], F]:
    """``--user``, ``--agent`` and ``--run``, passed on as ``user_id``, ``agent_id`` and ``run_id``.

    Parameters
    ----------
    required : bool
        Whether one of them must be given; otherwise those given are checked against the memory.
    """

    def decorate(command: F) -> F:
        @functools.wraps(command)
        def checked(*args: Any, **kwargs: Any) -> Any:
            names = ("user_id", "agent_id", "run_id")
            for name in names:
                if kwargs[name] is not None and not kwargs[name].strip():
                    raise click.UsageError(f"--{name.removesuffix('_id')} must not be blank")
            if required and all(kwargs[name] is None for name in names):
                raise click.UsageError("say whose memory it is: give --user, --agent or --run")
            return command(*args, **kwargs)

        told = "Whose memory: the {}." if required else "Refuse where the memory is not of this {}."
        wrapped: Any = checked
        for name in ("run", "agent", "user"):
            wrapped = click.option(f"--{name}", f"{name}_id", metavar="ID", help=told.format(name))(wrapped)
        result: F = wrapped
        return result

    return decorate


@contextmanager
def opened(db: str | None, *, create: bool = False) -> Iterator[Memory]:
    """The memory that a command works on.

    Parameters
    ----------
    db : str or None
        What ``--db`` said.
    create : bool
        Make the database where it is not there. Without it a mistyped path is an error, not an empty answer.

    Raises
    ------
    StoreError
        F821: there is no such database.
    """
    settings = settings_of(db, create=create)
    with Memory(settings.db, settings=settings) as memory:
        yield memory


def settings_of(db: str | None, *, create: bool = False) -> Settings:
    """The settings of a command, its database being there.

    Parameters and errors are those of ``opened``.
    """
    settings = Settings.load({} if db is None else {"db": db})
    path = settings.db
    if not create and path != ":memory:" and "://" not in path and not Path(path).exists():
        raise StoreError("F821", f"there is no database at {path}; add something first, or give another with --db")
    return settings


def _is_number(value: Any) -> bool:
    """Whether a value is seconds since 1970; four digits are a year."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return not (isinstance(value, str) and len(value.strip()) in (4, 8) and value.strip().isdigit())
