"""The history of mem0 1.x → pairs for a person to label: what its language model did is a proposal, no label.

A row of ``history.db`` makes a pair where it holds two statements: an UPDATE its old and its new text, and so a NONE or
a DELETE that names both. A DELETE of mem0 1.x keeps the text that went and not what it went for; the statements that
were written right before and right after it are offered beside that text, without a proposal. An ADD has nothing to be
compared with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.messages import is_blank, mended
from engine.store.moves import read_mem0_history
from engine.types import Operation

PROPOSED = {
    "UPDATE": Operation.UPDATE,
    "NONE": Operation.NOOP,
    "NOOP": Operation.NOOP,
    "DELETE": Operation.DELETE,
}


@dataclass(frozen=True, slots=True)
class HistoryPair:
    """Two statements of one history; ``group`` is the memory, whose texts are variants of one another."""

    existing: str
    candidate: str
    proposal: Operation | None
    group: str
    note: str
    speaker: str = ""
    at: str = ""


def read_history(path: Path) -> tuple[list[HistoryPair], Counter[str]]:
    """The pairs of a mem0 ``history.db``.

    Parameters
    ----------
    path : Path
        It is only read.

    Returns
    -------
    list of HistoryPair
        In the order of the rows.
    Counter
        How many rows of each event made no pair.

    Raises
    ------
    InputError
        F833: the file holds no history of mem0.
    """
    rows = read_mem0_history(path)
    pairs: list[HistoryPair] = []
    left_out: Counter[str] = Counter()
    for place, row in enumerate(rows):
        found = _pairs(place, rows)
        pairs += found
        if not found:
            left_out[_event(row) or "without event"] += 1
    return pairs, left_out


def _pairs(place: int, rows: Sequence[Mapping[str, Any]]) -> list[HistoryPair]:
    row = rows[place]
    event = _event(row)
    old, new = _text(row["old_memory"]), _text(row["new_memory"])
    if event not in PROPOSED or not old:
        return []
    if new and new != old:
        return [_pair(place, row, row, PROPOSED[event])]
    if event != "DELETE":
        return []
    near = [rows[n] for n in (place - 1, place + 1) if 0 <= n < len(rows)]
    beside = [n for n in near if _event(n) in ("ADD", "UPDATE") and n["memory_id"] != row["memory_id"]]
    return [_pair(place, row, n, None) for n in beside if _text(n["new_memory"]) not in ("", old)]


def _pair(place: int, held: Mapping[str, Any], told: Mapping[str, Any], proposal: Operation | None) -> HistoryPair:
    """The text that one row held before, with the new text of the same row or of another."""
    return HistoryPair(
        existing=_text(held["old_memory"]),
        candidate=_text(told["new_memory"]),
        proposal=proposal,
        group=f"mem0:{held['memory_id']}",
        note=f"mem0 history row {place + 1}",
        speaker=_text(told["actor_id"]) or _text(told["role"]),
        at=_text(told["updated_at"] or told["created_at"]),
    )


def _event(row: Mapping[str, Any]) -> str:
    return str(row["event"] or "").upper()


def _text(value: Any) -> str:
    text = mended(str(value)) if value is not None else ""
    return "" if is_blank(text) else text.strip()
