"""What the tests share: one encoder for all of them, and memories that are closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cli_kit import moved, run  # noqa: F401  (fixtures)
from hypothesis import settings
from memory_kit import open_memory, shared_encoder

from engine import Memory
from engine.embed import MiniLM

settings.register_profile("factfold", deadline=None, derandomize=True)
settings.load_profile("factfold")

Opener = Callable[..., Memory]


@pytest.fixture(scope="session")
def encoder() -> MiniLM:
    """The shipped encoder, loaded once."""
    return shared_encoder()


@pytest.fixture
def opener() -> Iterator[Opener]:
    """Opens memories that share the encoder, and closes them after the test."""
    opened: list[Memory] = []

    def make(*args: Any, **kwargs: Any) -> Memory:
        opened.append(open_memory(*args, **kwargs))
        return opened[-1]

    yield make
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(opener: Opener) -> Memory:
    """An empty memory in memory, whose clock stands still."""
    return opener()
