"""Frozen records → the plain dicts of the public surface."""

from __future__ import annotations

from copy import deepcopy
from datetime import datetime
from typing import Any

from engine.apply import Applied
from engine.ranking import Scored
from engine.store import HistoryRow
from engine.types import Fact, Instant, Skip, Source, Stored


def moment(value: datetime | None) -> str | None:
    """ISO 8601 in UTC, to the second where nothing finer is known."""
    if value is None:
        return None
    return value.isoformat(timespec="seconds" if not value.microsecond else "microseconds").replace("+00:00", "Z")


def instant(value: Instant | None) -> str | None:
    """A moment of valid time."""
    return moment(value.at) if value else None


def source(kept: Source) -> dict[str, Any]:
    return {"message_id": kept.message_id, "text": kept.text, "timestamp": moment(kept.timestamp),
            "speaker": kept.speaker}  # fmt: skip


def memory(kept: Stored) -> dict[str, Any]:
    """A memory as ``get``, ``get_all`` and ``search`` return it."""
    fact, version = kept.fact, kept.version
    first = kept.sources[0] if kept.sources else None
    return {
        "id": kept.id,
        "memory": fact.text,
        "kind": str(fact.kind),
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "attribute": fact.attribute,
        "polarity": str(fact.polarity),
        "modality": str(fact.modality),
        "hash": version.hash,
        "version": version.number,
        "metadata": deepcopy(dict(kept.metadata)),  # what is remembered must not change with what is given out
        "created_at": moment(kept.created_at),
        "updated_at": moment(kept.updated_at),
        "valid_from": instant(version.valid_from),
        "valid_to": instant(version.valid_to),
        "valid_from_precision": str(version.valid_from.precision) if version.valid_from else None,
        "valid_to_precision": str(version.valid_to.precision) if version.valid_to else None,
        "user_id": kept.scope.user_id,
        "agent_id": kept.scope.agent_id,
        "run_id": kept.scope.run_id,
        "actor_id": first.speaker if first and first.speaker not in ("user", "assistant") else None,
        "role": str(first.role) if first else None,
        "sources": [source(s) for s in kept.sources],
    }


def scored(found: Scored, *, explain: bool) -> dict[str, Any]:
    """A search result; ``explain`` adds what the score is made of."""
    out = memory(found.memory) | {"score": found.score}
    if explain:
        d = found.details
        out["score_details"] = {
            "similarity": d.similarity, "cosine": d.cosine, "lexical": d.lexical, "recency": d.recency,
            "frequency": d.frequency,
            "weights": {"similarity": d.weights.similarity, "recency": d.weights.recency,
                        "frequency": d.weights.frequency, "lexical": d.weights.lexical},
        }  # fmt: skip
    return out


def applied(done: Applied) -> dict[str, Any]:
    return {
        "id": done.memory_id, "memory": done.text, "event": str(done.event), "previous_memory": done.previous,
        "version": done.version, "confidence": round(done.confidence, 4), "decision_id": done.decision_id,
        "message_id": done.message_id,
    }  # fmt: skip


def skip(left: Skip) -> dict[str, Any]:
    return {"message_id": left.message_id, "text": left.text, "reason": left.reason}


def fact(told: Fact) -> dict[str, Any]:
    """A fact as ``extract`` returns it."""
    return {
        "memory": told.text, "subject": told.subject, "predicate": told.predicate, "object": told.object,
        "attribute": told.attribute, "kind": str(told.kind), "polarity": str(told.polarity),
        "modality": str(told.modality), "tense": str(told.tense), "effect": str(told.effect),
        "qualifiers": [{"role": q.role, "text": q.text} for q in told.qualifiers],
        "valid_from": instant(told.valid_from), "valid_to": instant(told.valid_to),
        "message_id": told.span.message_id if told.span else None,
        "span": {"start": told.span.start, "end": told.span.end, "text": told.span.text} if told.span else None,
    }  # fmt: skip


def history(row: HistoryRow) -> dict[str, Any]:
    return {
        "id": row.id, "memory_id": row.memory_id, "old_memory": row.old_memory, "new_memory": row.new_memory,
        "event": str(row.event), "created_at": moment(row.created_at), "updated_at": moment(row.updated_at),
        "is_deleted": row.is_deleted, "actor_id": row.actor_id, "role": row.role, "version": row.version,
        "reason": row.reason, "decision_id": row.decision_id,
        "source": source(row.source) if row.source else None,
    }  # fmt: skip


def profile(kept: list[Stored], max_chars: int | None) -> dict[str, Any]:
    """What is known, grouped by attribute, as text ready for a prompt.

    The whole of it, or as many whole lines as fit; ``left_out`` counts the rest, so that nothing is cut in
    silence.
    """
    groups: dict[str, list[str]] = {}
    for one in sorted(kept, key=lambda m: (m.fact.attribute or "~", m.fact.subject, m.fact.text)):
        label = (one.fact.attribute or "other").removeprefix("'s ").replace("_", " ")
        groups.setdefault(label, []).append(one.fact.text)
    lines = [f"{label}: {'; '.join(texts)}" for label, texts in groups.items()]
    shown: list[str] = []
    for line in lines:
        if max_chars is not None and len("\n".join([*shown, line])) > max_chars:
            break
        shown.append(line)
    return {"text": "\n".join(shown), "groups": groups, "total": len(kept), "left_out": len(lines) - len(shown)}
