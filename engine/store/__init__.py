"""Where memories lie: the only place that speaks SQL.

``Store`` is a chain of small parts: Database (connections, transactions), Records (decisions, turns, names),
Reads, Writes, Purge, Verify, Lookups, Journal, Moves.
"""

from __future__ import annotations

from engine.store.moves import Moves
from engine.store.rows import (
    Access,
    ChangeRow,
    DecisionRow,
    EntityRow,
    HistoryRow,
    Identity,
    PurgeReport,
    SpanRow,
)

__all__ = [
    "Access",
    "ChangeRow",
    "DecisionRow",
    "EntityRow",
    "HistoryRow",
    "Identity",
    "PurgeReport",
    "SpanRow",
    "Store",
]


class Store(Moves):
    """A database of memories. See ``Database`` for how it is opened."""
