"""Chats as one JSON value: a list of messages, an object with ``messages``, or a list of either."""

from __future__ import annotations

from typing import Any

from engine.readers.transcript import Tally, user_of

NAME = "JSON messages"


def recognises(value: Any) -> bool:
    """Whether a JSON value is a message list in one of its shapes."""
    if isinstance(value, dict):
        return isinstance(value.get("messages"), list) or _is_message(value)
    if not isinstance(value, list) or not value:
        return False
    return any(_is_message(item) or isinstance(item, list) or _has_messages(item) for item in value)


def read(value: Any, tally: Tally) -> None:
    """Takes every message; problems are told by position, counted from 1."""
    if _has_messages(value):
        take_conversation(value, (), "", tally)
    elif isinstance(value, dict):
        tally.take(user_of(value), user_of(value), value, "message 1")
    else:
        for number, item in enumerate(value, 1):
            if _has_messages(item):
                take_conversation(item, (number,), f"conversation {number}", tally)
            elif isinstance(item, list):
                take_conversation({"messages": item}, (number,), f"conversation {number}", tally)
            else:
                tally.take(user_of(item), user_of(item), item, f"message {number}")


def take_conversation(raw: dict[str, Any], key: tuple[int, ...], where: str, tally: Tally) -> None:
    """Takes an object with ``messages``; a message's own ``user_id`` goes before the conversation's."""
    for number, item in enumerate(raw["messages"], 1):
        user = user_of(item) or user_of(raw)
        tally.take((*key, user), user, item, f"{where}, message {number}".removeprefix(", "))


def _has_messages(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("messages"), list)


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return not value.keys().isdisjoint(("role", "from")) and not value.keys().isdisjoint(("content", "text", "value"))
