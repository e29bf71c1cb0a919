"""What a caller hands in → messages: every field checked, every mistake told with its remedy."""

from __future__ import annotations

import math
import unicodedata
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from dateutil import parser as dates

from engine.errors import InputError, ScopeError
from engine.types import Message, Role, Scope

NAMESPACE = uuid.UUID("8a9f2f0e-5d4e-5c0b-9a3e-6f6163746f6c")
_KNOWN = {"role", "content", "name", "timestamp", "id", "user_id", "agent_id", "run_id", "metadata"}


def read_timestamp(value: Any, where: str = "timestamp") -> datetime:
    """A moment from ISO 8601 text, epoch seconds or a datetime, in UTC.

    Raises
    ------
    InputError
        F060: the value is no moment; naive texts and datetimes are taken as UTC.
    """
    problem: Any = value
    try:
        if isinstance(value, datetime):
            moment = value
        elif isinstance(value, bool) or value is None:
            raise ValueError(value)
        elif isinstance(value, int | float):
            if not math.isfinite(value):
                raise ValueError(value)
            moment = datetime.fromtimestamp(value, tz=UTC)
        else:
            moment = dates.isoparse(str(value).strip())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError, TypeError):
        raise InputError(
            "F060",
            f"{where} {problem!r} is no moment; give ISO 8601 such as 2026-03-09T08:15:00Z, or seconds since 1970",
        ) from None


def mended(text: str) -> str:
    """A text without lone surrogates, which stand for nothing and cannot be stored as UTF-8; the two halves of a
    character are put together."""
    if not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


def is_blank(text: str) -> bool:
    """Whether nothing of a text can be seen: white space, control and format characters only."""
    return all(char.isspace() or unicodedata.category(char)[0] in "CZ" for char in text)


def read_scope(user_id: Any = None, agent_id: Any = None, run_id: Any = None) -> Scope:
    """Whose memory it is; empty where no id is given.

    Raises
    ------
    ScopeError
        F072: an id is no text, is blank, or holds control characters or lone surrogates.
    """
    for name, value in (("user_id", user_id), ("agent_id", agent_id), ("run_id", run_id)):
        if value is None:
            continue
        if not isinstance(value, str) or not value.strip():
            raise ScopeError("F072", f"{name} must be a non-empty text, not {value!r}")
        if any(unicodedata.category(char) in ("Cc", "Cs") for char in value):
            raise ScopeError("F072", f"{name} must not hold control characters or lone surrogates, as {value!r} does")
    return Scope(user_id, agent_id, run_id)


def read_messages(messages: Any, *, now: datetime, scope_key: str = "", default_timestamp: Any = None) -> list[Message]:
    """Checks and completes messages.

    Parameters
    ----------
    messages : str, mapping, Message, or sequence of these
        A text is a user's message.
    now : datetime
        Stands in where neither the message nor ``default_timestamp`` gives a time.
    scope_key : str
        Part of derived ids, so that two tenants' equal messages differ.
    default_timestamp : str, number or datetime, optional
        For messages without a time of their own.

    Returns
    -------
    list of Message
        In the order given.

    Raises
    ------
    InputError
        Everything that is wrong with any message, told at once.
    """
    items = [messages] if isinstance(messages, str | Mapping | Message) else messages
    if not isinstance(items, Sequence):
        raise InputError(
            "F061", f"messages must be a text, a message or a list of these, not {type(messages).__name__}"
        )
    fallback = now if default_timestamp is None else read_timestamp(default_timestamp)
    out: list[Message] = []
    problems: list[str] = []
    for position, item in enumerate(items):
        try:
            out.append(_message(item, position, fallback, scope_key))
        except InputError as error:
            problems.append(f"message {position}: {str(error).split('] ', 1)[-1]}")
    if problems:
        raise InputError("F062", "; ".join(problems))
    return out


def _message(item: Any, position: int, fallback: datetime, scope_key: str) -> Message:
    if isinstance(item, Message):
        return replace(item, content=mended(item.content), id=mended(item.id), name=item.name and mended(item.name))
    if isinstance(item, str):
        item = {"role": "user", "content": item}
    if not isinstance(item, Mapping):
        raise InputError("F063", f"a {type(item).__name__} is no message; give a text or a dict with role and content")
    unknown = sorted(set(map(str, item)) - _KNOWN)
    if unknown:
        raise InputError("F064", f"unknown fields {unknown}; known are {', '.join(sorted(_KNOWN))}")
    role = item.get("role", "user")
    if role not in tuple(Role):
        raise InputError("F065", f"role {role!r} is none of {', '.join(Role)}")
    content = item.get("content")
    if not isinstance(content, str):
        raise InputError("F066", f"content must be a text, not {type(content).__name__}; leave the message out instead")
    name = item.get("name")
    if isinstance(name, str):
        name = mended(name)
    if name is not None and (not isinstance(name, str) or is_blank(name)):
        raise InputError("F067", f"name must be a non-empty text, not {name!r}; leave it out for an unnamed speaker")
    stamp = item.get("timestamp")
    timestamp = fallback if stamp is None else read_timestamp(stamp)
    content = mended(content)
    given = item.get("id")
    given = None if given is None else mended(str(given))
    if given is not None and not given.strip():
        raise InputError("F068", "id must not be blank; leave it out and one is derived")
    identifier = given if given is not None else derived_message_id(scope_key, timestamp, content, position)
    return Message(Role(role), content, identifier, timestamp, name.strip() if name else None)


def derived_message_id(scope_key: str, timestamp: datetime, content: str, position: int) -> str:
    """An id that follows from scope, time, words and position in the call."""
    return str(uuid.uuid5(NAMESPACE, "\x1f".join((scope_key, timestamp.isoformat(), content, str(position)))))
