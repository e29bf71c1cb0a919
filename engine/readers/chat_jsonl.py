"""Chats as JSON Lines: a message a line, or a conversation a line (``{"messages": [...]}``).

A message may carry a ``user_id``: lines of several people may stand in one file.
"""

from __future__ import annotations

import json
from typing import Any

from engine.readers.message_list import take_conversation
from engine.readers.transcript import Tally, user_of

NAME = "chat JSONL"
LOOKED_AT = 20


def recognises(text: str) -> bool:
    """Whether half of the first lines or more are JSON objects (one that is broken does not hide the format)."""
    lines = [line for line in text.split("\n") if line.strip()][:LOOKED_AT]
    return sum(_is_object(line) for line in lines) * 2 >= len(lines)


def read(text: str, tally: Tally) -> None:
    """Takes every line; problems are told by the number of the line."""
    for number, line in enumerate(text.split("\n"), 1):  # splitlines would cut at U+2028 within a text
        if not line.strip():
            continue
        where = f"line {number}"
        try:
            raw: Any = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            tally.seen += 1
            tally.wrong(where, f"not JSON ({error.msg if isinstance(error, json.JSONDecodeError) else error})")
            continue
        if isinstance(raw, dict) and isinstance(raw.get("messages"), list):
            take_conversation(raw, (number,), where, tally)
        else:
            user = user_of(raw)
            tally.take(user, user, raw, where)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (json.JSONDecodeError, RecursionError):
        return False
