"""What the tests share: one encoder for all of them, and a clock that stands still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

from engine import Memory
from engine.embed import MiniLM
from engine.settings import Settings

settings.register_profile("factfold", deadline=None, derandomize=True)
settings.load_profile("factfold")

NOW = datetime(2026, 9, 1, 12, tzinfo=UTC)
Opener = Callable[..., Memory]


@pytest.fixture(scope="session")
def encoder() -> MiniLM:
    """The shipped encoder, loaded once."""
    return MiniLM()


@pytest.fixture
def opener(encoder: MiniLM) -> Iterator[Opener]:
    """Opens memories that share the encoder, and closes them; ``now`` is what their clock says."""
    opened: list[Memory] = []

    def make(path: str | Path = ":memory:", now: datetime | Callable[[], datetime] = NOW, **config: object) -> Memory:
        clock = now if callable(now) else lambda: now
        memory = Memory(path, clock=clock, settings=Settings.load(config, environment={}), encoder=encoder)
        opened.append(memory)
        return memory

    yield make
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(opener: Opener) -> Memory:
    """An empty memory in memory."""
    return opener()
