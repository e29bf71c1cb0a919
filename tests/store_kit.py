"""Small makers for the tests of the store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from engine.store import Store
from engine.types import Fact, Instant, Kind, Precision, Scope, Source

ANA = Scope(user_id="ana")
START = datetime(2026, 1, 1, tzinfo=UTC)
DIMENSION = 4


class Ticking:
    """A clock that moves a second a call."""

    def __init__(self, start: datetime = START) -> None:
        self.moment = start

    def __call__(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def since(text: str | None) -> Instant | None:
    return None if text is None else Instant(day(text), Precision.DAY)


def vector(text: str) -> NDArray[np.float32]:
    numbers = np.random.default_rng(sum(text.encode())).normal(size=DIMENSION).astype(np.float32)
    return numbers / np.linalg.norm(numbers)


def lives(place: str, valid_from: str | None = None, valid_to: str | None = None, kind: Kind = Kind.STATE) -> Fact:
    return Fact(
        subject="user",
        predicate="live in",
        object=place,
        text=f"user lives in {place}",
        attribute="residence",
        kind=kind,
        valid_from=since(valid_from),
        valid_to=since(valid_to),
    )


def said(when: str, text: str = "I said so", message_id: str | None = None, speaker: str = "user") -> Source:
    return Source(message_id or f"m-{when}", text, day(when), speaker)


def open_store(path: object = ":memory:", clock: object = None) -> Store:
    store = Store(str(path), clock or Ticking())  # type: ignore[arg-type]
    store.check_encoder("test-encoder", DIMENSION)
    return store


def text_at(store: Store, memory_id: str, when: str) -> str | None:
    found = store.get(memory_id, day(when))
    return None if found is None else found.fact.object
