"""Reading sentences without a store, for tables of extraction."""

from __future__ import annotations

from datetime import UTC, datetime

from engine import lexicon
from engine.facts import Extractor
from engine.facts.gate import REASONS
from engine.sentences import parse
from engine.types import Extraction, Fact, Message, Role

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def extraction(*turns: str, name: str | None = None) -> Extraction:
    """Everything that turns of one speaker leave."""
    messages = [Message(Role.USER, turn, f"m{i}", NOW, name) for i, turn in enumerate(turns)]
    return Extractor(lexicon.load()).read(parse(messages))


def facts_in(*turns: str, name: str | None = None) -> list[Fact]:
    return list(extraction(*turns, name=name).facts)


def statements_in(*turns: str, name: str | None = None) -> list[str]:
    return [fact.text for fact in facts_in(*turns, name=name)]


def reasons_in(*turns: str) -> list[str]:
    """The reasons of all skips, written out."""
    return [REASONS.get(skip.reason, skip.reason) for skip in extraction(*turns).skipped]


def commands_in(*turns: str) -> list[tuple[str, str]]:
    return [(str(command.kind), command.target) for command in extraction(*turns).commands]
