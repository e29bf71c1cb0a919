"""``AsyncMemory``: ``Memory`` for asyncio. Each call runs on a worker thread, so that the loop goes on meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from engine.embed import Encoder
from engine.memory import Memory
from engine.settings import Settings
from engine.types import Clock, Decision, system_clock


class AsyncMemory:
    """The methods of ``Memory`` as coroutines; arguments, results and errors are the same.

    Opening loads models and may take a second: open it before the loop runs, or with ``await
    AsyncMemory.open(…)``.

    Parameters
    ----------
    path, clock, settings, encoder
        As of ``Memory``.

    Examples
    --------
    >>> async def main() -> None:
    ...     async with AsyncMemory("memory.db") as memory:
    ...         await memory.add("I live in Denver.", user_id="ana")
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        clock: Clock = system_clock,
        settings: Settings | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        self.memory = Memory(path, clock=clock, settings=settings, encoder=encoder)

    @classmethod
    def of(cls, memory: Memory) -> Self:
        """Wraps a memory that is open; closing one closes the other."""
        made = cls.__new__(cls)
        made.memory = memory
        return made

    @classmethod
    async def open(
        cls,
        path: str | Path | None = None,
        *,
        clock: Clock = system_clock,
        settings: Settings | None = None,
        encoder: Encoder | None = None,
    ) -> Self:
        """Opens a memory without holding the loop up."""
        return await asyncio.to_thread(cls, path, clock=clock, settings=settings, encoder=encoder)

    @classmethod
    def from_config(cls, config: Mapping[str, Any], *, clock: Clock = system_clock) -> Self:
        """As ``Memory.from_config``."""
        return cls.of(Memory.from_config(config, clock=clock))

    async def add(
        self, messages: str | Mapping[str, Any] | Sequence[Any], *, user_id: str | None = None,
        agent_id: str | None = None, run_id: str | None = None, metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None, infer: bool = True
    ) -> dict[str, Any]:  # fmt: skip
        """As ``Memory.add``."""
        return await asyncio.to_thread(
            self.memory.add, messages, user_id=user_id, agent_id=agent_id, run_id=run_id,
            metadata=metadata, timestamp=timestamp, infer=infer
        )  # fmt: skip

    async def extract(
        self, messages: str | Mapping[str, Any] | Sequence[Any], *, timestamp: Any = None
    ) -> dict[str, Any]:  # fmt: skip
        """As ``Memory.extract``."""
        return await asyncio.to_thread(self.memory.extract, messages, timestamp=timestamp)

    async def search(
        self, query: str, *, user_id: str | None = None, agent_id: str | None = None,
        run_id: str | None = None, filters: Mapping[str, Any] | None = None, top_k: int = 20,
        threshold: float | None = None, as_of: Any = None, known_at: Any = None,
        include_history: bool = False, explain: bool = False
    ) -> dict[str, Any]:  # fmt: skip
        """As ``Memory.search``."""
        return await asyncio.to_thread(
            self.memory.search, query, user_id=user_id, agent_id=agent_id, run_id=run_id,
            filters=filters, top_k=top_k, threshold=threshold, as_of=as_of, known_at=known_at,
            include_history=include_history, explain=explain
        )  # fmt: skip

    async def get(
        self, memory_id: str, as_of: Any = None, *, user_id: str | None = None,
        agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, Any] | None:  # fmt: skip
        """As ``Memory.get``."""
        return await asyncio.to_thread(
            self.memory.get, memory_id, as_of, user_id=user_id, agent_id=agent_id, run_id=run_id
        )  # fmt: skip

    async def get_all(
        self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None,
        filters: Mapping[str, Any] | None = None, top_k: int = 100, offset: int = 0, as_of: Any = None,
        known_at: Any = None, include_history: bool = False
    ) -> dict[str, Any]:  # fmt: skip
        """As ``Memory.get_all``."""
        return await asyncio.to_thread(
            self.memory.get_all, user_id=user_id, agent_id=agent_id, run_id=run_id, filters=filters,
            top_k=top_k, offset=offset, as_of=as_of, known_at=known_at, include_history=include_history
        )  # fmt: skip

    async def profile(
        self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None,
        max_chars: int | None = None, as_of: Any = None
    ) -> dict[str, Any]:  # fmt: skip
        """As ``Memory.profile``."""
        return await asyncio.to_thread(
            self.memory.profile, user_id=user_id, agent_id=agent_id, run_id=run_id, max_chars=max_chars,
            as_of=as_of
        )  # fmt: skip

    async def history(
        self, memory_id: str, *, user_id: str | None = None, agent_id: str | None = None,
        run_id: str | None = None
    ) -> list[dict[str, Any]]:  # fmt: skip
        """As ``Memory.history``."""
        return await asyncio.to_thread(
            self.memory.history, memory_id, user_id=user_id, agent_id=agent_id, run_id=run_id
        )  # fmt: skip

    async def decide(self, candidate: str, existing: Sequence[str] = ()) -> Decision:
        """As ``Memory.decide``."""
        return await asyncio.to_thread(self.memory.decide, candidate, existing)

    async def explain(
        self, decision_id: str, *, hide_values: bool = False, user_id: str | None = None,
        agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, Any]:  # fmt: skip
        """As ``Memory.explain``."""
        return await asyncio.to_thread(
            self.memory.explain, decision_id, hide_values=hide_values, user_id=user_id,
            agent_id=agent_id, run_id=run_id
        )  # fmt: skip

    async def review(
        self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> list[dict[str, Any]]:  # fmt: skip
        """As ``Memory.review``."""
        return await asyncio.to_thread(self.memory.review, user_id=user_id, agent_id=agent_id, run_id=run_id)

    async def update(
        self, memory_id: str, text: str | None = None, metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None, *, user_id: str | None = None, agent_id: str | None = None,
        run_id: str | None = None
    ) -> dict[str, Any]:  # fmt: skip
        """As ``Memory.update``."""
        return await asyncio.to_thread(
            self.memory.update, memory_id, text, metadata, timestamp, user_id=user_id,
            agent_id=agent_id, run_id=run_id
        )  # fmt: skip

    async def delete(
        self, memory_id: str, reason: str | None = None, *, user_id: str | None = None,
        agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, Any]:  # fmt: skip
        """As ``Memory.delete``."""
        return await asyncio.to_thread(
            self.memory.delete, memory_id, reason, user_id=user_id, agent_id=agent_id, run_id=run_id
        )  # fmt: skip

    async def delete_all(
        self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, Any]:  # fmt: skip
        """As ``Memory.delete_all``."""
        return await asyncio.to_thread(self.memory.delete_all, user_id=user_id, agent_id=agent_id, run_id=run_id)

    async def undo(
        self, decision_id: str, *, user_id: str | None = None, agent_id: str | None = None,
        run_id: str | None = None
    ) -> dict[str, Any]:  # fmt: skip
        """As ``Memory.undo``."""
        return await asyncio.to_thread(
            self.memory.undo, decision_id, user_id=user_id, agent_id=agent_id, run_id=run_id
        )  # fmt: skip

    async def restore(
        self, memory_id: str, version: int, *, user_id: str | None = None, agent_id: str | None = None,
        run_id: str | None = None
    ) -> dict[str, Any]:  # fmt: skip
        """As ``Memory.restore``."""
        return await asyncio.to_thread(
            self.memory.restore, memory_id, version, user_id=user_id, agent_id=agent_id, run_id=run_id
        )  # fmt: skip

    async def feedback(
        self, decision_id: str, operation: str, *, user_id: str | None = None,
        agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, Any]:  # fmt: skip
        """As ``Memory.feedback``."""
        return await asyncio.to_thread(
            self.memory.feedback, decision_id, operation, user_id=user_id, agent_id=agent_id,
            run_id=run_id
        )  # fmt: skip

    async def purge(
        self, *, memory_id: str | None = None, user_id: str | None = None, agent_id: str | None = None,
        run_id: str | None = None
    ) -> dict[str, int]:  # fmt: skip
        """As ``Memory.purge``."""
        return await asyncio.to_thread(
            self.memory.purge, memory_id=memory_id, user_id=user_id, agent_id=agent_id, run_id=run_id
        )  # fmt: skip

    async def export(
        self, path: str | Path, *, user_id: str | None = None, agent_id: str | None = None,
        run_id: str | None = None
    ) -> dict[str, int]:  # fmt: skip
        """As ``Memory.export``."""
        return await asyncio.to_thread(self.memory.export, path, user_id=user_id, agent_id=agent_id, run_id=run_id)

    async def import_(
        self, path: str | Path, *, user_id: str | None = None, agent_id: str | None = None,
        run_id: str | None = None
    ) -> dict[str, int]:  # fmt: skip
        """As ``Memory.import_``."""
        return await asyncio.to_thread(self.memory.import_, path, user_id=user_id, agent_id=agent_id, run_id=run_id)

    async def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """As ``Memory.encode``."""
        return await asyncio.to_thread(self.memory.encode, texts)

    async def verify(self) -> list[str]:
        """As ``Memory.verify``."""
        return await asyncio.to_thread(self.memory.verify)

    async def rebuild_index(self) -> None:
        """As ``Memory.rebuild_index``."""
        await asyncio.to_thread(self.memory.rebuild_index)

    async def reset(self) -> None:
        """As ``Memory.reset``."""
        await asyncio.to_thread(self.memory.reset)

    async def close(self) -> None:
        """As ``Memory.close``."""
        await asyncio.to_thread(self.memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
