"""One encoder for all tests, and memories that share it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from engine import Memory
from engine.embed import MiniLM
from engine.settings import Settings

NOW = datetime(2026, 9, 1, 12, tzinfo=UTC)


@cache
def shared_encoder() -> MiniLM:
    """The shipped encoder, loaded once a test run."""
    return MiniLM()


class Watch:
    """A clock that is set by hand."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **by: float) -> None:
        self.now += timedelta(**by)


def open_memory(path: str | Path = ":memory:", clock: Callable[[], datetime] | None = None, **config: object) -> Memory:
    """A memory with the shared encoder; without a clock it is always ``NOW``."""
    settings = Settings.load(config, environment={}, directory=Path("/nonexistent"))
    return Memory(path, clock=clock or Watch(), settings=settings, encoder=shared_encoder())


def texts(memory: Memory, user: str = "ana", **asked: Any) -> list[str]:
    """The texts of what is remembered of a user, sorted."""
    return sorted(m["memory"] for m in memory.get_all(user_id=user, **asked)["results"])


def tell(memory: Memory, when: str, *turns: str, user: str = "ana") -> list[dict[str, Any]]:
    """Adds turns of one day; returns what they did."""
    done: list[dict[str, Any]] = []
    for turn in turns:
        done += memory.add(turn, user_id=user, timestamp=when)["results"]
    return done


def events(done: list[dict[str, Any]]) -> list[str]:
    return [entry["event"] for entry in done]
