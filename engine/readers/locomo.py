"""LoCoMo JSON (Maharana et al. 2024): long conversations of two people in dated sessions.

Both speakers are users with a name. The caption that a model wrote for a photo is not the speaker's words and
is left out; so are the summaries, observations and questions beside the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from engine.readers.transcript import ONLY_PHOTO, Tally

NAME = "LoCoMo JSON"
_SESSION = re.compile(r"session_(\d+)")
_DATE = re.compile(r"(\d{1,2}):(\d{2})\s*([ap])\.?m\.?\s+on\s+(\d{1,2})\s+([A-Za-z]+),?\s+(\d{4})", re.I)


def recognises(value: Any) -> bool:
    """Whether a JSON value holds conversations in numbered sessions."""
    return any(_conversation(sample) is not None for sample in _samples(value))


def read(value: Any, tally: Tally) -> None:
    """Takes every turn; a conversation's scope is its ``sample_id``."""
    for number, sample in enumerate(_samples(value), 1):
        talk = _conversation(sample)
        if talk is None:
            tally.wrong(f"sample {number}", "no conversation with sessions in it")
            continue
        name = sample.get("sample_id")
        scope_id = str(name) if isinstance(name, str | int) and str(name).strip() else None
        for session in sorted(int(m[1]) for key in talk if (m := _SESSION.fullmatch(key))):
            where = f"sample {scope_id or number}, session {session}"
            _session(talk, session, (number, scope_id), where, tally)


def _session(talk: Mapping[str, Any], session: int, whose: tuple[int, str | None], where: str, tally: Tally) -> None:
    turns = talk[f"session_{session}"]
    if not isinstance(turns, list):
        tally.wrong(where, "a session must be a list of turns")
        return
    date = talk.get(f"session_{session}_date_time")
    at = session_date(date) if isinstance(date, str) else None
    if turns and at is None:
        tally.wrong(where, f"its date {date!r} is none such as '1:56 pm on 8 May, 2023'")
        return
    for number, turn in enumerate(turns, 1):
        if isinstance(turn, Mapping) and "img_url" in turn and not str(turn.get("text") or "").strip():
            tally.seen += 1
            tally.drop(ONLY_PHOTO)
            continue
        raw: Any = turn
        if isinstance(turn, Mapping) and at is not None:
            raw = {"role": "user", "name": turn.get("speaker"), "content": turn.get("text"), "id": turn.get("dia_id"),
                   "timestamp": at.isoformat()}  # fmt: skip
        tally.take(whose, whose[1], raw, f"{where}, turn {number}")


def session_date(text: str) -> datetime | None:
    """The moment of a session such as ``1:56 pm on 8 May, 2023``, taken as UTC; None where it is none."""
    found = _DATE.search(text)
    if found is None:
        return None
    hour, minute, half, day, month, year = found.groups()
    try:
        named = datetime.strptime(f"{day} {month[:3].title()} {year}", "%d %b %Y")
        return named.replace(hour=int(hour) % 12 + (12 if half.lower() == "p" else 0), minute=int(minute), tzinfo=UTC)
    except ValueError:
        return None


def _samples(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, Mapping)]


def _conversation(sample: Mapping[str, Any]) -> Mapping[str, Any] | None:
    talk = sample.get("conversation", sample)
    if not isinstance(talk, Mapping):
        return None
    return talk if any(_SESSION.fullmatch(key) and isinstance(talk[key], list) for key in talk) else None
