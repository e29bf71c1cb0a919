"""How moments, facts and sources are written in columns."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.types import (
    Effect,
    Fact,
    Instant,
    Kind,
    Message,
    Modality,
    Polarity,
    Precision,
    Qualifier,
    Role,
    Source,
    Span,
    Tense,
)


def write_time(moment: datetime) -> str:
    """A moment as ISO 8601 text of fixed width in UTC, so that text sorts as time does.

    Raises:
        InputError: the moment has no time zone.
    """
    if moment.tzinfo is None:
        raise InputError("F620", f"the time {moment.isoformat()} has no zone; give an aware datetime, e.g. in UTC")
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


@lru_cache(maxsize=65536)
def read_time(text: str) -> datetime:
    """The moment that ``write_time`` wrote."""
    return datetime.fromisoformat(text)


def write_instant(instant: Instant | None) -> tuple[str | None, str | None]:
    """An instant as its two columns, time and precision."""
    return (None, None) if instant is None else (write_time(instant.at), str(instant.precision))


def read_instant(at: str | None, precision: str | None) -> Instant | None:
    """The instant of two columns."""
    return None if at is None else Instant(read_time(at), Precision(precision or Precision.MINUTE))


def write_json(value: Any) -> str:
    """Canonical JSON: sorted keys, no escapes, so that equal values are equal bytes.

    Raises:
        InputError: a value that JSON or UTF-8 cannot hold.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)
        text.encode("utf-8")  # a lone surrogate is refused here, not by the database
        return text
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError("F621", f"cannot be stored as JSON: {error}; use text, numbers, lists and maps") from error


def text_hash(text: str) -> str:
    """MD5 of a memory's text: a fingerprint that mem0 users know, not a protection."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def write_vector(vector: NDArray[np.float32]) -> bytes:
    """An embedding as little-endian float32.

    Args:
        vector: shape [d], finite.

    Raises:
        InputError: another shape, or NaN or infinity.
    """
    array = np.asarray(vector, dtype="<f4")
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
        raise InputError("F622", f"an embedding is a finite vector of shape [d], not of shape {list(array.shape)}")
    return array.tobytes()


def _instant_json(instant: Instant | None) -> list[str | None] | None:
    return None if instant is None else list(write_instant(instant))


def write_fact(fact: Fact) -> str:
    """A whole fact as JSON."""
    span = fact.span
    return write_json(
        {
            "subject": fact.subject,
            "predicate": fact.predicate,
            "object": fact.object,
            "text": fact.text,
            "attribute": fact.attribute,
            "polarity": fact.polarity,
            "modality": fact.modality,
            "tense": fact.tense,
            "kind": fact.kind,
            "effect": fact.effect,
            "qualifiers": [[q.role, q.text] for q in fact.qualifiers],
            "valid_from": _instant_json(fact.valid_from),
            "valid_to": _instant_json(fact.valid_to),
            "span": None if span is None else [span.message_id, span.start, span.end, span.text],
            "said_at": None if fact.said_at is None else write_time(fact.said_at),
            "correction": fact.correction,
            "bare": fact.bare,
            "all_of": fact.all_of,
            "cues": list(fact.cues),
        }
    )


@lru_cache(maxsize=16384)
def read_fact(text: str) -> Fact:
    """The fact that ``write_fact`` wrote. Facts are frozen, so one parsed from equal text is shared."""
    row = json.loads(text)
    span = row["span"]
    said_at = row["said_at"]
    return Fact(
        subject=row["subject"],
        predicate=row["predicate"],
        object=row["object"],
        text=row["text"],
        attribute=row["attribute"],
        polarity=Polarity(row["polarity"]),
        modality=Modality(row["modality"]),
        tense=Tense(row["tense"]),
        kind=Kind(row["kind"]),
        effect=Effect(row["effect"]),
        qualifiers=tuple(Qualifier(*q) for q in row["qualifiers"]),
        valid_from=read_instant(*(row["valid_from"] or (None, None))),
        valid_to=read_instant(*(row["valid_to"] or (None, None))),
        span=None if span is None else Span(*span),
        said_at=None if said_at is None else read_time(said_at),
        correction=row["correction"],
        bare=row["bare"],
        all_of=row["all_of"],
        cues=tuple(row.get("cues", ())),
    )


def write_source(source: Source | None) -> str | None:
    """A source as JSON."""
    if source is None:
        return None
    return write_json(
        {
            "message_id": source.message_id,
            "text": source.text,
            "timestamp": write_time(source.timestamp),
            "speaker": source.speaker,
            "role": source.role,
        }
    )


def read_source(text: str | None) -> Source | None:
    """The source that ``write_source`` wrote."""
    return None if text is None else source_from(json.loads(text))


def source_from(row: Mapping[str, Any] | sqlite3.Row) -> Source:
    """A source of named columns."""
    context = row["context"] if "context" in row.keys() else ""  # noqa: SIM118 - a database row iterates over values
    return Source(row["message_id"], row["text"], read_time(row["timestamp"]), row["speaker"], Role(row["role"]), context)


def write_message(message: Message) -> str:
    """One turn as JSON."""
    return write_json(
        {
            "role": message.role,
            "content": message.content,
            "id": message.id,
            "timestamp": write_time(message.timestamp),
            "name": message.name,
        }
    )


def read_message(text: str) -> Message:
    """The turn that ``write_message`` wrote."""
    row = json.loads(text)
    return Message(Role(row["role"]), row["content"], row["id"], read_time(row["timestamp"]), row["name"])
