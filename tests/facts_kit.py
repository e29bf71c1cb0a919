"""Reading sentences with nothing stored, for tables of extraction: before the gate and behind it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache, lru_cache

from memory_kit import open_memory

from engine import Memory, lexicon
from engine.facts import Extractor
from engine.facts.gate import REASONS
from engine.facts.people import Party
from engine.pipeline import Read
from engine.sentences import parse
from engine.types import Command, Fact, Message, Role, Scope, Skip

SAID = datetime(2026, 3, 2, 9, tzinfo=UTC)


def turns_of(turns: tuple[str, ...], name: str | None) -> list[Message]:
    return [Message(Role.USER, turn, f"m{i}", SAID, name) for i, turn in enumerate(turns)]


@lru_cache(maxsize=5000)
def extracted(*turns: str, name: str | None = None) -> tuple[list[Fact], list[Command], list[Skip]]:
    """What the grammar makes of turns of one speaker; the gate has not judged yet."""
    extractor = Extractor(lexicon.load())
    parties: list[Party] = []
    facts: list[Fact] = []
    commands: list[Command] = []
    skipped: list[Skip] = []
    for sentences in parse(turns_of(turns, name)):
        found, parties = extractor.read(sentences, parties)
        facts += [c.fact for c in found.candidates]
        commands += found.commands
        skipped += found.skipped
    return facts, commands, skipped


def facts_in(*turns: str, name: str | None = None) -> list[Fact]:
    return extracted(*turns, name=name)[0]


def statements_in(*turns: str, name: str | None = None) -> list[str]:
    return [fact.text for fact in facts_in(*turns, name=name)]


def commands_in(*turns: str) -> list[tuple[str, str]]:
    return [(str(c.kind), c.target) for c in extracted(*turns)[1]]


@cache
def _memory() -> Memory:
    return open_memory()


@lru_cache(maxsize=5000)
def readings(*turns: str) -> tuple[Read, ...]:
    """What is left behind the gate."""
    return tuple(_memory().pipeline.read(turns_of(turns, None), Scope()))


def kept_in(*turns: str) -> list[str]:
    """The statements that would be stored."""
    return [fact.text for read in readings(*turns) for fact in read.facts]


def reasons_in(*turns: str) -> list[str]:
    """The reasons of all skips, written out."""
    return [REASONS.get(skip.reason, skip.reason) for read in readings(*turns) for skip in read.skipped]
