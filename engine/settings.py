"""What can be set, where it is read from, and where trained artefacts lie.

Order of precedence: an explicit mapping, then environment variables ``FACTFOLD_*``, then
``./factfold.toml``, then the defaults. Everything that is wrong is told at once.
"""

from __future__ import annotations

import difflib
import math
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path, PurePosixPath
from typing import Any

from engine.errors import InputError, ModelError

PREFIX = "FACTFOLD_"
FILE = "factfold.toml"
RANKINGS = ("default", "classic")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set, with its default.

    Parameters
    ----------
    db : str, default="factfold.db"
        A path, ``:memory:`` or a ``postgresql://`` URL.
    lexicons : tuple of Path, default=()
        The user's own lexicon files, read after the one that ships. In the environment: paths joined by
        the platform's path separator.
    models : Path or None, default=None
        A directory of trained artefacts that goes before the ones that ship.
    encoder : str, default="all-MiniLM-L6-v2"
        The name of the encoder.
    threads : int, default=1
        Threads of the encoder in this process. One is reproducible, and right for a worker of many
        (sentence-transformers#683).
    embedding_cache : int, default=50000
        How many vectors the encoder remembers (1.5 kB each at 384 dimensions).
    ranking : {"default", "classic"}, default="default"
        The preset of the search score's weights.
    weights : tuple of three floats or None, default=None
        Weights of similarity, recency and access frequency in place of the preset's.
    half_life_days : float, default=30.0
        After how many days recency has halved.
    overwrite_cost : float, default=5.0
        How many times worse it is to overwrite wrongly than to keep both.
    neighbours_k : int, default=12
        How many nearest memories a fact is compared with.
    exact_below : int, default=4000
        Scopes with fewer memories than this are searched exactly, larger ones through a graph.
    conversation_turns : int, default=12
        How many turns of a conversation are kept to understand the next one.
    max_message_chars : int, default=20000
        Longer messages are refused.

    Raises
    ------
    InputError
        F102, naming every value that cannot be used.
    """

    db: str = "factfold.db"
    lexicons: tuple[Path, ...] = ()
    models: Path | None = None
    encoder: str = "all-MiniLM-L6-v2"
    threads: int = 1
    embedding_cache: int = 50_000
    ranking: str = "default"
    weights: tuple[float, float, float] | None = None
    half_life_days: float = 30.0
    overwrite_cost: float = 5.0
    neighbours_k: int = 12
    exact_below: int = 4_000
    conversation_turns: int = 12
    max_message_chars: int = 20_000

    def __post_init__(self) -> None:
        problems = []
        for name, read in READERS.items():
            try:
                object.__setattr__(self, name, read(getattr(self, name)))
            except ValueError as error:
                problems.append(f"{name}: {error}")
        _raise(problems)

    @classmethod
    def load(
        cls,
        config: Mapping[str, Any] | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        directory: Path | None = None,
    ) -> Settings:
        """Gather the settings from everywhere they may stand.

        Parameters
        ----------
        config : mapping or None
            Explicit values by field name; they win over everything else.
        environment : mapping or None
            In place of ``os.environ``.
        directory : Path or None
            Where ``factfold.toml`` is looked for; the current directory by default. Relative paths in
            that file are relative to it.

        Returns
        -------
        Settings

        Raises
        ------
        InputError
            F101 for a config that is no mapping; F102 with every unknown key (and the closest known
            one) and every unusable value.
        """
        if config is not None and not isinstance(config, Mapping):
            raise InputError("F101", f"settings must be a mapping of names to values, not {type(config).__name__}")
        problems: list[str] = []
        directory = Path.cwd() if directory is None else directory
        chosen: dict[str, Any] = {}
        for label, values in (
            (FILE, _from_file(directory, problems)),
            ("environment", _from_environment(os.environ if environment is None else environment)),
            ("config", dict(config or {})),
        ):
            for key in sorted(values, key=str):
                shown = f"{PREFIX}{str(key).upper()}" if label == "environment" else str(key)
                read = READERS.get(key)
                if read is None:
                    problems.append(f"{shown} ({label}): unknown setting{_closest(key, READERS)}")
                    continue
                try:
                    chosen[key] = read(values[key])
                except ValueError as error:
                    problems.append(f"{shown} ({label}): {error}")
        _raise(problems)
        return cls(**chosen)


def artefact(name: str, settings: Settings | None = None) -> Path:
    """Where a trained artefact lies.

    Looked for in ``settings.models``, then inside the installed package, then in the checkout beside it.

    Parameters
    ----------
    name : str
        A relative file name such as ``decision.json``.
    settings : Settings or None

    Returns
    -------
    Path
        An existing file.

    Raises
    ------
    ModelError
        F110 for a name that leaves the directory, F111 where no directory holds it.
    """
    parts = PurePosixPath(name.replace("\\", "/"))
    if not parts.parts or parts.is_absolute() or ".." in parts.parts or Path(name).is_absolute():
        raise ModelError("F110", f"an artefact is named relative to the models directory, not {name!r}")
    package = Path(__file__).resolve().parent
    places = [package / "models", package.parent / "models"]
    if settings is not None and settings.models is not None:
        places.insert(0, settings.models)
    for place in places:
        if (place / parts).is_file():
            return place / parts
    raise ModelError(
        "F111",
        f"the trained artefact {name!r} is in none of: {', '.join(map(str, places))}; reinstall factfold, train one "
        f"with `factfold train --pairs FILE --out DIR`, or point {PREFIX}MODELS at the directory that holds it",
    )


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    # An empty variable counts as unset: that is how one is blanked in compose files and CI.
    return {key[len(PREFIX) :].lower(): value for key, value in environment.items() if key.startswith(PREFIX) and value}


def _from_file(directory: Path, problems: list[str]) -> dict[str, Any]:
    path = directory / FILE
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        problems.append(f"{path}: cannot be read as TOML: {error}")
        return {}
    for key in ("models", "lexicons"):
        if key in values:
            values[key] = _beside(directory, values[key])
    return values


def _beside(directory: Path, value: Any) -> Any:
    """Anchor relative paths of a file at that file's directory; anything else is left to the reader."""
    if isinstance(value, list):
        return [_beside(directory, item) for item in value]
    return str(directory / Path(value).expanduser()) if isinstance(value, str) and value else value


def _closest(key: Any, known: Iterable[str]) -> str:
    names = sorted(known)
    near = difflib.get_close_matches(str(key).lower(), names, n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else f"; known are {', '.join(names)}"


def _raise(problems: list[str]) -> None:
    if problems:
        listed = "\n".join(f"  - {problem}" for problem in problems)
        raise InputError("F102", f"{len(problems)} problem(s) in the settings; mend or remove them:\n{listed}")


def _split(value: str) -> list[str]:
    return [part for part in value.split(os.pathsep) if part]


def _text(value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected a non-empty string, got {value!r}")
    return value


def _one_of(*allowed: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise ValueError(f"expected one of {', '.join(allowed)}, got {value!r}{_closest(value, allowed)}")
        return value

    return read


def _number(value: Any, low: float, *, above: bool = False) -> float:
    """A finite number of at least ``low`` (more, with ``above``); a bool is none, a numeric string is one."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) or number < low or (above and number == low):
        bound = f"above {low:g}" if above else f"of {low:g} or more"
        raise ValueError(f"expected a number {bound}, got {value!r}")
    return number


def _whole(low: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        number = _number(value, low)
        if number != int(number):
            raise ValueError(f"expected a whole number, got {value!r}")
        return int(number)

    return read


def _weights(value: Any) -> tuple[float, float, float] | None:
    if value is None:
        return None
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or len(parts) != 3:
        raise ValueError(f"expected three numbers (similarity, recency, access frequency), got {value!r}")
    similarity, recency, frequency = (_number(part, 0.0) for part in parts)
    if similarity + recency + frequency == 0:
        raise ValueError("expected at least one weight above 0")
    return similarity, recency, frequency


def _directory(value: Any) -> Path | None:
    if value is None:
        return None
    path = Path(_text(value)).expanduser()
    if not path.is_dir():
        raise ValueError(f"no such directory: {path}")
    return path


def _files(value: Any) -> tuple[Path, ...]:
    parts = _split(value) if isinstance(value, str) else [value] if isinstance(value, os.PathLike) else value
    if not isinstance(parts, list | tuple):
        raise ValueError(f"expected a path or a list of paths, got {value!r}")
    paths = tuple(Path(_text(part)).expanduser() for part in parts)
    missing = [str(path) for path in paths if not path.is_file()]
    if missing:
        raise ValueError(f"no such file: {', '.join(missing)}")
    return paths


READERS: dict[str, Callable[[Any], Any]] = {
    "db": _text,
    "lexicons": _files,
    "models": _directory,
    "encoder": _text,
    "threads": _whole(1),
    "embedding_cache": _whole(0),
    "ranking": _one_of(*RANKINGS),
    "weights": _weights,
    "half_life_days": lambda value: _number(value, 0.0, above=True),
    "overwrite_cost": lambda value: _number(value, 1.0),
    "neighbours_k": _whole(1),
    "exact_below": _whole(0),
    "conversation_turns": _whole(0),
    "max_message_chars": _whole(1),
}
"""How each setting is read, whether it comes as a value or as the text of a variable; one entry a field."""

assert set(READERS) == {field.name for field in fields(Settings)}
