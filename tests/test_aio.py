"""``AsyncMemory`` has the methods of ``Memory``, with the same signatures, as coroutines."""

from __future__ import annotations

import asyncio
import inspect
import time

import pytest
from memory_kit import open_memory

from engine import AsyncMemory, Memory
from engine.errors import ScopeError

METHODS = sorted(name for name, member in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_"))


def test_it_has_the_methods_of_memory() -> None:
    own = {n for n, m in inspect.getmembers(AsyncMemory, inspect.isfunction) if not n.startswith("_")}
    assert own == set(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_the_signatures_are_those_of_memory(name: str) -> None:
    ours, theirs = getattr(AsyncMemory, name), getattr(Memory, name)
    assert inspect.iscoroutinefunction(ours)
    assert inspect.signature(ours) == inspect.signature(theirs)


@pytest.mark.parametrize("name", ["__init__", "from_config"])
def test_it_is_made_like_memory(name: str) -> None:
    ours, theirs = (inspect.signature(getattr(kind, name)) for kind in (AsyncMemory, Memory))
    assert ours.parameters == theirs.parameters


def test_calls_give_what_memory_gives() -> None:
    async def talk() -> list[str]:
        async with AsyncMemory.of(open_memory()) as memory:
            await memory.add("I live in Leeds.", user_id="ana", timestamp="2026-01-05")
            with pytest.raises(ScopeError):
                await memory.add("I live in Hull.")
            found, kept = await asyncio.gather(
                memory.search("where?", user_id="ana"), memory.get_all(user_id="ana", top_k=5)
            )
            assert kept["total"] == 1 and await memory.verify() == []
            return [m["memory"] for m in found["results"]]

    assert asyncio.run(talk()) == ["user lives in Leeds"]


def test_the_loop_goes_on_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    async def talk() -> int:
        memory = AsyncMemory.of(open_memory())
        monkeypatch.setattr(memory.memory, "verify", lambda: time.sleep(0.3) or [])
        ticks = 0
        task = asyncio.create_task(memory.verify())
        while not task.done():
            await asyncio.sleep(0.01)
            ticks += 1
        await memory.close()
        return ticks

    assert asyncio.run(talk()) > 5


def test_it_is_opened_without_holding_the_loop_up(tmp_path) -> None:  # type: ignore[no-untyped-def]
    async def work() -> int:
        async with await AsyncMemory.open(tmp_path / "memory.db") as memory:
            await memory.add("note", user_id="ana", infer=False)
            total: int = (await memory.get_all(user_id="ana"))["total"]
            return total

    assert asyncio.run(work()) == 1
