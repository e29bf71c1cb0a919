"""Transcripts, reprocessed in batch: every message with its own time, in order, and never twice.

Messages of one user are taken in together, in chunks, so that parsing and encoding are batched. A chunk is
written in one transaction together with the record that its messages are in: a run that is killed leaves whole
chunks behind, and one that is resumed goes on at the next, with the same result as a run that was never stopped.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from engine.errors import InputError, ScopeError
from engine.memory import Memory
from engine.messages import derived_message_id, read_messages, read_scope, read_timestamp
from engine.pipeline import Outcome
from engine.readers import Transcript, read_transcripts
from engine.types import Message, Operation, Scope

Progress = Callable[[int, int], None]

CHUNK = 64
UNDATED = datetime(1, 1, 1, tzinfo=UTC)
"""Stands for the missing time in the id of a message, so that the id does not depend on when it is replayed."""


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """What a replay did.

    Parameters
    ----------
    files, conversations, users : int
        What the transcripts held.
    seen : int
        Entries of the transcripts; ``dropped`` counts those that hold no message, by reason.
    messages : int
        Messages taken in by this run. ``already`` were in the database, ``repeated`` stood twice in the
        transcripts, ``undated`` had no time, nor had a message near them: they count as told now.
    memories : mapping of str to int
        How many memories were touched, by event.
    skipped : mapping of str to int
        How many pieces of messages were left, by reason; ``examples`` has the first of each.
    seconds : float
        How long it took, reading included.
    """

    files: int
    conversations: int
    users: int
    seen: int
    dropped: Mapping[str, int]
    messages: int
    already: int
    repeated: int
    undated: int
    memories: Mapping[str, int]
    skipped: Mapping[str, int]
    examples: Mapping[str, str]
    seconds: float


@dataclass(frozen=True, slots=True)
class _Turn:
    """A message in a user's queue, with what tells it from others of the same id."""

    message: Message
    digest: str


@dataclass(slots=True)
class _Counts:
    already: int = 0
    repeated: int = 0
    undated: int = 0
    messages: int = 0
    memories: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def take(self, messages: int, outcome: Outcome) -> None:
        self.messages += messages
        self.memories.update(str(a.event) for a in outcome.results)
        for skip in outcome.skipped:
            self.skipped[skip.reason] += 1
            self.examples.setdefault(skip.reason, skip.text)


def replay(
    paths: Iterable[str | Path],
    memory: Memory,
    *,
    default_user: str | None = None,
    progress: Progress | None = None,
    resume: bool = False,
) -> ReplayReport:
    """Takes the messages of transcripts in, each with its own time.

    The messages of a user are put in order of time over all files (those without a time stay behind the one
    before them). A message that the database has from an earlier replay is passed over.

    Parameters
    ----------
    paths : iterable of str or Path
        Files or folders, in any of the formats of ``engine.readers``.
    memory : Memory
        What takes them in.
    default_user : str, optional
        Whose the messages are that do not tell.
    progress : callable, optional
        Called with the number of messages done and the number to do.
    resume : bool
        Go on where an earlier run stopped. Without it, a database that holds a part of the messages is refused.

    Returns
    -------
    ReplayReport

    Raises
    ------
    InputError
        A file cannot be read (all problems at once), or F811: an earlier run stopped midway.
    ScopeError
        F810: messages without a user, and no ``default_user``.
    """
    started = time.perf_counter()
    transcripts = read_transcripts(paths)
    counts = _Counts()
    queues = _queues(transcripts, default_user, memory.clock, counts)
    work = {key: _fresh(key, queue, memory, counts) for key, queue in queues.items()}
    total = sum(map(len, work.values()))
    if counts.already and total and not resume:
        raise InputError(
            "F811",
            f"{counts.already} of {counts.already + total} messages are in the database from an earlier replay; "
            "go on with --resume (resume=True), or give another database",
        )
    done = 0
    if progress is not None:
        progress(0, total)
    for key, turns in work.items():
        for start in range(0, len(turns), CHUNK):
            chunk = turns[start : start + CHUNK]
            counts.take(len(chunk), _take_in(chunk, Scope(user_id=key), memory))
            done += len(chunk)
            if progress is not None:
                progress(done, total)
    return _report(transcripts, len(queues), counts, time.perf_counter() - started)


def _take_in(chunk: Sequence[_Turn], scope: Scope, memory: Memory) -> Outcome:
    """Writes a chunk and the record of it, all or nothing."""
    marks = [(turn.message.id, turn.digest) for turn in chunk]
    record = partial(memory.store.mark_ingested, scope.key, marks)
    return memory.pipeline.add([turn.message for turn in chunk], scope, together=record)


def _queues(
    transcripts: Sequence[Transcript], default_user: str | None, clock: Callable[[], datetime], counts: _Counts
) -> dict[str, list[tuple[datetime, dict[str, Any], bool]]]:
    """Each user's messages in order of time, with whether the time is known."""
    if default_user is not None and not default_user.strip():
        raise ScopeError("F812", "the user must be a non-empty text")
    homeless = sorted(
        {str(t.path) for t in transcripts for c in t.conversations if c.scope_id is None and default_user is None}
    )
    if homeless:
        raise ScopeError(
            "F810",
            f"messages in {', '.join(homeless)} do not tell whose they are; give --user (default_user=…), or a "
            "user_id in each message",
        )
    queues: dict[str, list[tuple[datetime, dict[str, Any], bool]]] = {}
    for transcript in transcripts:
        for conversation in transcript.conversations:
            user = conversation.scope_id or default_user
            assert user is not None
            read_scope(user)
            queues.setdefault(user, []).extend(_dated(conversation.messages, clock, counts))
    for queue in queues.values():
        queue.sort(key=lambda item: item[0])  # stable: what was said in the same minute keeps its order
    return queues


def _dated(
    messages: Sequence[dict[str, Any]], clock: Callable[[], datetime], counts: _Counts
) -> list[tuple[datetime, dict[str, Any], bool]]:
    """A conversation with a time for every message: its own, that of the one before, or of the first that has one."""
    own = [read_timestamp(m["timestamp"]) if "timestamp" in m else None for m in messages]
    known = next((moment for moment in own if moment is not None), None)
    if known is None:
        counts.undated += len(messages)
    last = known or clock()
    out = []
    for message, moment in zip(messages, own, strict=True):
        last = moment or last
        out.append((last, message, moment is not None))
    return out


def _fresh(
    user: str, queue: Sequence[tuple[datetime, dict[str, Any], bool]], memory: Memory, counts: _Counts
) -> list[_Turn]:
    """The messages that are not in yet, each with an id of its own.

    The same id with the same words is the same message. With other words it is another one, of an export that
    counts anew in every file: its id is told apart by its digest, so that it is not lost.
    """
    key = Scope(user_id=user).key
    held = memory.store.ingested(key)
    here: dict[str, str] = {}
    times: Counter[tuple[datetime, str]] = Counter()
    out = []
    for at, raw, is_dated in queue:
        digest = _digest(raw)
        message = _message(raw, at, key, memory)
        if "id" not in raw:
            stamp = at if is_dated else UNDATED
            place = times[stamp, message.content]
            times[stamp, message.content] += 1
            message = replace(message, id=derived_message_id(key, stamp, message.content, place))
        elif digest != here.get(message.id, held.get(message.id, digest)):
            message = replace(message, id=f"{message.id}~{digest[:8]}")
        if message.id in here:
            counts.repeated += 1
            continue
        here[message.id] = digest
        if message.id in held:
            counts.already += 1
        else:
            out.append(_Turn(message, digest))
    return out


def _message(raw: Mapping[str, Any], at: datetime, scope_key: str, memory: Memory) -> Message:
    return read_messages({**raw, "timestamp": at}, now=at, scope_key=scope_key)[0]


def _digest(raw: Mapping[str, Any]) -> str:
    parts = [str(raw.get(name, "")) for name in ("role", "name", "timestamp", "content")]
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def _report(transcripts: Sequence[Transcript], users: int, counts: _Counts, seconds: float) -> ReplayReport:
    dropped: Counter[str] = Counter()
    for transcript in transcripts:
        dropped.update(transcript.dropped)
    return ReplayReport(
        files=len(transcripts),
        conversations=sum(len(t.conversations) for t in transcripts),
        users=users,
        seen=sum(t.seen for t in transcripts),
        dropped=dict(sorted(dropped.items())),
        messages=counts.messages,
        already=counts.already,
        repeated=counts.repeated,
        undated=counts.undated,
        memories={str(event): counts.memories[str(event)] for event in Operation},
        skipped=dict(sorted(counts.skipped.items(), key=lambda item: (-item[1], item[0]))),
        examples={reason: counts.examples[reason] for reason in sorted(counts.examples)},
        seconds=round(seconds, 3),
    )
