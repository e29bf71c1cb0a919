"""What every reader gives, and how one entry of a transcript becomes a message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.messages import read_timestamp

NO_WORDS = "no words in it"
ONLY_PHOTO = "only a photo, no words"

_ROLES = {
    "user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "bot": "assistant",
    "gpt": "assistant", "model": "assistant", "system": "system", "developer": "system", "tool": "tool",
    "function": "tool",
}  # fmt: skip
_FIELDS = {
    "role": ("role", "from", "sender"),
    "content": ("content", "text", "value"),
    "timestamp": ("timestamp", "created_at", "create_time"),
    "name": ("name", "speaker"),
    "id": ("id", "message_id", "uuid"),
}


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages of one scope in the order they were said. ``scope_id`` is None where the transcript does not tell
    whose they are; a message is a dict as ``Memory.add`` takes it."""

    scope_id: str | None
    messages: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file that was read. ``seen`` = ``emitted`` + the sum of ``dropped``, which counts by reason."""

    path: Path
    format: str
    conversations: tuple[Conversation, ...]
    seen: int
    emitted: int
    dropped: Mapping[str, int]


@dataclass(slots=True)
class Tally:
    """Collects what a reader finds in one file."""

    conversations: dict[object, tuple[str | None, list[dict[str, Any]]]] = field(default_factory=dict)
    seen: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def take(self, key: object, scope_id: str | None, raw: Any, where: str) -> None:
        """Takes one entry into the conversation ``key``; what is wrong with it is noted under ``where``."""
        self.seen += 1
        try:
            message = message_of(raw)
        except ValueError as error:
            self.wrong(where, error)
            return
        if message is None:
            self.drop(NO_WORDS)
        else:
            self.keep(key, scope_id, message)

    def keep(self, key: object, scope_id: str | None, message: dict[str, Any]) -> None:
        """A message that is emitted."""
        self.conversations.setdefault(key, (scope_id, []))[1].append(message)

    def drop(self, reason: str) -> None:
        """An entry that is left out."""
        self.dropped[reason] += 1

    def wrong(self, where: str, error: Exception | str) -> None:
        """An entry that cannot be used; all of them are told together."""
        self.problems.append(f"{where}: {str(error).split('] ', 1)[-1]}")

    def transcript(self, path: Path, name: str) -> Transcript:
        """What was found, frozen."""
        conversations = tuple(Conversation(scope, tuple(found)) for scope, found in self.conversations.values())
        emitted = sum(len(c.messages) for c in conversations)
        return Transcript(path, name, conversations, self.seen, emitted, dict(sorted(self.dropped.items())))


def message_of(raw: Any) -> dict[str, Any] | None:
    """One entry of a chat as a message.

    Parameters
    ----------
    raw : Any
        A mapping with a role and a content under one of their usual names; contents in blocks are joined.

    Returns
    -------
    dict or None
        ``role``, ``content`` and, where given, ``name``, ``timestamp`` (ISO 8601, UTC) and ``id``. None where it
        holds no words.

    Raises
    ------
    ValueError
        Everything that is wrong with the entry.
    """
    if not isinstance(raw, Mapping):
        raise ValueError(f"a message must be a JSON object, not {_kind(raw)}")
    given = {name: _first(raw, keys) for name, keys in _FIELDS.items()}
    problems: list[str] = []
    message: dict[str, Any] = {}
    role = given["role"] if given["role"] is not None else "user" if given["name"] is not None else None
    if isinstance(role, str) and role.strip().lower() in _ROLES:
        message["role"] = _ROLES[role.strip().lower()]
    else:
        problems.append(f"role {role!r} is none of {', '.join(_ROLES)}")
    try:
        message["content"] = _words(given["content"])
    except ValueError as error:
        problems.append(str(error))
    if given["name"] is not None:
        if isinstance(given["name"], str):
            if given["name"].strip():
                message["name"] = given["name"].strip()
        else:
            problems.append(f"name must be a text, not {_kind(given['name'])}")
    if given["timestamp"] is not None:
        try:
            message["timestamp"] = read_timestamp(given["timestamp"]).isoformat()
        except InputError as error:
            problems.append(str(error).split("] ", 1)[-1])
    if isinstance(given["id"], str | int) and str(given["id"]).strip():
        message["id"] = str(given["id"]).strip()
    if problems:
        raise ValueError("; ".join(problems))
    return message if message["content"].strip() else None


def user_of(raw: Any) -> str | None:
    """Whose an entry or a conversation is, where it tells."""
    value = raw.get("user_id") if isinstance(raw, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value).strip() or None


def _first(raw: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((raw[key] for key in keys if raw.get(key) is not None), None)


def _words(content: Any) -> str:
    """The text of a content: a string, nothing, or a list of blocks of which only the written ones count."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(block, str | Mapping) for block in content):
        parts = [block if isinstance(block, str) else block.get("text") for block in content]
        return "\n".join(part for part in parts if isinstance(part, str) and part.strip())
    raise ValueError(f"content must be a text or a list of blocks, not {_kind(content)}")


def _kind(value: Any) -> str:
    names = {"NoneType": "null", "dict": "an object", "list": "a list", "str": "a text", "bool": "true or false"}
    return names.get(type(value).__name__, "a number" if isinstance(value, int | float) else type(value).__name__)
