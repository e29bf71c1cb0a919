"""Where the pairs to label come from: the decisions that a database holds, files of pairs, a history of mem0.

Recorded decisions are shown as they were made: the figures are those of the model that made them. What comes from files
is judged by the model in use.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from pathlib import Path
from typing import Any

import numpy as np

from engine.classifier import Classifier
from engine.decide import DESTRUCTIVE, Policy, judge
from engine.embed import Encoder
from engine.errors import InputError
from engine.explain import Bar, bars, weights
from engine.lexicon import Lexicon
from engine.messages import is_blank, mended
from engine.pairing import as_user, pair_up
from engine.reading import read_statements
from engine.store import DecisionRow, Store
from engine.store.purge import BLANK
from engine.types import Fact, Operation, Scope, Source, Stored
from training.labelling import REASONS, Opinion, Question, Told, group_of
from training.mem0_pairs import read_history
from training.pairs import LabelledPair
from training.rejudge import BY_CONVERSATION

BATCH = 256
_SQLITE = b"SQLite format 3\x00"
Progress = Callable[[int, int], None]


# --- recorded decisions --------------------------------------------------------------------------------------------


def from_store(store: Store, scope: Scope) -> list[Question]:
    """Every pair that a recorded decision was made on.

    Left out are decisions that were taken back, pairs that feedback was given on, what was purged, and what was decided
    by the conversation and not by the two statements.

    Parameters
    ----------
    store : Store
        It is only read.
    scope : Scope
        Whose decisions; empty for everybody's.
    """
    out: list[Question] = []
    for key in _keys(store, scope):
        judged = {pair.key for pair in _feedback(store, key, scope)}
        shelf = _Shelf(store)
        for decision_id in store.decision_ids(key):  # one at a time: a record is long, and most of it is not kept
            row = store.decision(decision_id)
            if row is not None and _is_of(row, scope) and row.record.get("neighbours"):
                out += [q for q in _questions(row, shelf) if q.key not in judged]
    return out


def _keys(store: Store, scope: Scope) -> tuple[str, ...]:
    return (scope.key,) if scope.key else store.scope_keys()


def _is_of(row: DecisionRow, scope: Scope) -> bool:
    """Whether a decision carries every id that was asked for, as far as it tells."""
    held = row.record.get("labels", (None, None, None))
    asked = (scope.user_id, scope.agent_id, scope.run_id)
    return "labels" not in row.record or all(want in (None, have) for want, have in zip(asked, held, strict=True))


class _Shelf:
    """The memories that decisions speak of, with their versions: where a text was said, and by whom."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._memories: dict[str, Stored | None] = {}
        self._facts: dict[str, dict[str, Fact]] = {}

    def memory(self, memory_id: str) -> Stored | None:
        """A memory as it is now."""
        if memory_id not in self._memories:
            self._memories[memory_id] = self._store.find(memory_id)
        return self._memories[memory_id]

    def source(self, memory_id: str, message_id: str) -> Source | None:
        """What a message told for a memory; what ended one stands in its history alone."""
        memory = self.memory(memory_id)
        if memory is None:
            return None
        held = next((s for s in memory.sources if s.message_id == message_id), None)
        if held is not None:
            return held
        events = (row.source for row in self._store.history(memory_id))
        return next((s for s in events if s is not None and s.message_id == message_id), None)

    def said(self, record: Mapping[str, Any]) -> tuple[Source | None, str]:
        """The sentence that a decision was made on, and who said it."""
        message_id = str(record.get("message_id", ""))
        for done in record.get("operations", ()):
            if (source := self.source(done["memory_id"], message_id)) is not None:
                return source, source.speaker
        return None, "user"

    def fact(self, memory_id: str, text: str) -> Fact | None:
        """The fact that a memory held under a text."""
        if memory_id not in self._facts:
            held = self._store.versions(memory_id) if self.memory(memory_id) is not None else ()
            self._facts[memory_id] = {v.fact.text: v.fact for v in held}
        return self._facts[memory_id].get(text)

    def told(self, memory_id: str, fact: Fact | None) -> tuple[Told, ...]:
        """Where a fact of a memory was told; where it is not known any more, the memory's first source."""
        source = self.source(memory_id, fact.span.message_id) if fact is not None and fact.span is not None else None
        return _told(source or _first(self.memory(memory_id)))


def _first(memory: Stored | None) -> Source | None:
    return memory.sources[0] if memory is not None and memory.sources else None


def _told(source: Source | None) -> tuple[Told, ...]:
    if source is None:
        return ()
    return (Told(source.text, source.speaker, f"{source.timestamp:%Y-%m-%d}", source.context),)


def _questions(row: DecisionRow, shelf: _Shelf) -> Iterator[Question]:
    record = row.record
    source, speaker = shelf.said(record)
    text = str(record.get("candidate") or "")
    touched = [done["memory_id"] for done in record.get("operations", ())]
    fact = next((f for i in touched if (f := shelf.fact(i, text)) is not None), None)
    candidate = _as_user(text, speaker)
    waiting = _waiting(row)
    for place, near in enumerate(record["neighbours"]):
        held = shelf.fact(near["memory_id"], near["text"])
        existing = _as_user(near["text"], speaker)
        if near["rule"] == BY_CONVERSATION or not _tells(existing, candidate):
            continue
        attribute = next((f.attribute for f in (fact, held) if f is not None and f.attribute), "")
        yield Question(
            existing,
            candidate,
            _recorded(near),
            shelf.told(near["memory_id"], held),
            _told(source),
            waiting=place in waiting,
            group=group_of(candidate),
            attribute=attribute,
            note=f"decision {row.id}",
        )


def _waiting(row: DecisionRow) -> set[int]:
    """Which neighbours a decision waits for review for: those that were nearly overwritten, else the one that led."""
    if not row.review:
        return set()
    seen = row.record["neighbours"]
    blocked = {
        n for n, near in enumerate(seen) if near["label"] in DESTRUCTIVE and near["operation"] not in DESTRUCTIVE
    }
    return blocked or {row.record.get("target") or 0}


def _recorded(near: Mapping[str, Any]) -> Opinion:
    return Opinion(
        Operation(near["label"]),
        Operation(near.get("operation", near["label"])),
        {Operation(label): float(p) for label, p in near["probabilities"].items()},
        _reasons(near["features"]),
        "; ".join(near["reasons"]),
    )


def _reasons(weighed: Mapping[str, Sequence[float]]) -> tuple[Bar, ...]:
    """The strongest features of what ``engine.explain.weights`` gives, as bars."""
    return bars(dict(nsmallest(REASONS, weighed.items(), key=lambda item: (-abs(item[1][1]), item[0]))))


def _as_user(text: str, speaker: str) -> str:
    """A statement in the words in which it was compared: a named speaker is ``user``."""
    return as_user(Fact("", "", "", text), speaker).text


def _tells(existing: str, candidate: str) -> bool:
    """Whether anything can be learnt of a pair: both texts are there, and they are not the same words."""
    return bool(existing and candidate) and BLANK not in existing + candidate and not _same(existing, candidate)


def _same(existing: str, candidate: str) -> bool:
    return existing.casefold() == candidate.casefold()


# --- feedback ------------------------------------------------------------------------------------------------------


def feedback_pairs(store: Store, scope: Scope) -> list[LabelledPair]:
    """The pairs that ``Memory.feedback`` filed, ready for training; of a pair that was judged twice the last.

    Parameters
    ----------
    store : Store
        It is only read.
    scope : Scope
        Whose; empty for everybody's.
    """
    found = {pair.key: pair for key in _keys(store, scope) for pair in _feedback(store, key, scope)}
    return [found[key] for key in sorted(found)]


def _feedback(store: Store, key: str, scope: Scope) -> list[LabelledPair]:
    rows = [row for row in store.decisions_judged(key) if _is_of(row, scope)]
    shelf = _Shelf(store)
    return [pair for row in rows if (pair := _filed(row, shelf)) is not None]


def _filed(row: DecisionRow, shelf: _Shelf) -> LabelledPair | None:
    try:
        filed = json.loads(row.feedback or "")
    except ValueError:
        return None
    if not isinstance(filed, dict):
        return None
    record = row.record
    # The record forgets what was purged: what it does not hold any more must not leave the database either.
    if filed["candidate"] != record.get("candidate"):
        return None
    if filed["existing"] not in [near["text"] for near in record.get("neighbours") or ()]:
        return None
    _, speaker = shelf.said(record)
    existing, candidate = (_as_user(filed[name], speaker) for name in ("existing", "candidate"))
    if not _tells(existing, candidate):
        return None
    return LabelledPair(
        existing, candidate, Operation(filed["label"]), group=group_of(candidate), reviewed=True, source="feedback",
        note=f"decision {row.id}",
    )  # fmt: skip


# --- files ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair that nobody has judged yet."""

    existing: str
    candidate: str
    proposal: Operation | None = None
    group: str = ""
    family: str = ""
    attribute: str = ""
    note: str = ""
    told: tuple[Told, ...] = ()


def read_candidates(paths: Sequence[Path]) -> tuple[list[Candidate], list[str]]:
    """Pairs to label from JSONL with or without labels, or from a mem0 ``history.db``; told apart by their content.

    Returns
    -------
    list of Candidate
        A label that stands there is a proposal. Pairs of the same words are left out.
    list of str
        What of each history made no pair, for people.

    Raises
    ------
    InputError
        F851: a file cannot be read, or lines are no pairs; all are told at once. F833: a database is no history of
        mem0.
    """
    found: list[Candidate] = []
    remarks: list[str] = []
    problems: list[str] = []
    for path in paths:
        try:
            raw = path.read_bytes()
            if raw.startswith(_SQLITE):
                pairs, remark = _from_history(path)
                found += pairs
                remarks += remark
            else:
                found += _from_lines(path.name, raw.decode("utf-8-sig"), problems)
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{path.name}: cannot be read ({error})")
    if problems:
        raise InputError("F851", "these lines are no pairs to label; mend or remove them:\n  " + "\n  ".join(problems))
    return [c for c in found if _tells(c.existing, c.candidate)], remarks


def _from_history(path: Path) -> tuple[list[Candidate], list[str]]:
    pairs, left_out = read_history(path)
    rows = ", ".join(f"{n} {event}" for event, n in sorted(left_out.items()))
    remark = [f"{path.name}: {left_out.total()} rows hold no two statements ({rows})."] if left_out else []
    return [
        Candidate(p.existing, p.candidate, p.proposal, p.group, note=p.note, told=(Told("", p.speaker, p.at[:10]),))
        for p in pairs
    ], remark


def _from_lines(name: str, text: str, problems: list[str]) -> list[Candidate]:
    out = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                out.append(_candidate(line, f"{name} line {number}"))
            except ValueError as error:
                problems.append(f"{name} line {number}: {error}")
    return out


def _candidate(line: str, where: str) -> Candidate:
    try:
        row: Any = json.loads(line)
    except ValueError as error:
        raise ValueError(f"not JSON ({error})") from None
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    wrong = []
    for name in ("existing", "candidate"):
        if not isinstance(row.get(name), str) or is_blank(mended(row[name])):
            wrong.append(f"{name!r} must be a non-empty text")
    for name in ("group", "family", "attribute", "note"):
        if not isinstance(row.get(name) or "", str):
            wrong.append(f"{name!r} must be a text")
    label = row.get("label")
    if label is not None and label not in Operation.__members__:
        wrong.append(f"label {label!r} is none of {', '.join(Operation)}; leave it out where there is none")
    if wrong:
        raise ValueError("; ".join(wrong))
    existing, candidate, group, family, attribute, note = (
        mended(row.get(name) or "").strip()
        for name in ("existing", "candidate", "group", "family", "attribute", "note")
    )
    proposal = None if label is None else Operation(label)
    return Candidate(existing, candidate, proposal, group, family, attribute, note or where)


def judged(
    candidates: Sequence[Candidate],
    model: Classifier,
    lexicon: Lexicon,
    encoder: Encoder,
    policy: Policy,
    progress: Progress = lambda done, total: None,
) -> list[Question]:
    """Candidates with what a model makes of them.

    Parameters
    ----------
    candidates : sequence of Candidate
        ``n`` pairs.
    model, lexicon, encoder, policy
        As the memory has them.
    progress : callable
        Told of pairs done and all.

    Returns
    -------
    list of Question
        ``n`` questions.
    """
    out: list[Question] = []
    for start in range(0, len(candidates), BATCH):
        batch = candidates[start : start + BATCH]
        facts = read_statements([text for c in batch for text in (c.existing, c.candidate)], lexicon)
        pairs = pair_up(list(zip(facts[::2], facts[1::2], strict=True)), encoder, model.meaning)
        for candidate, pair, verdict in zip(batch, pairs, judge(pairs, model, lexicon, policy), strict=True):
            weighed = weights(np.array(verdict.features), str(verdict.predicted), model)
            opinion = Opinion(
                verdict.predicted,
                verdict.operation,
                verdict.probabilities,
                _reasons(weighed),
                "; ".join(verdict.reasons),
            )
            attribute = candidate.attribute or pair.candidate.attribute or pair.existing.attribute or ""
            out.append(_asked(candidate, opinion, attribute))
        progress(len(out), len(candidates))
    return out


def _asked(candidate: Candidate, opinion: Opinion, attribute: str) -> Question:
    return Question(
        candidate.existing,
        candidate.candidate,
        opinion,
        (),
        candidate.told,
        proposal=candidate.proposal,
        group=candidate.group or group_of(candidate.candidate),
        family=candidate.family,
        attribute=attribute,
        note=candidate.note,
    )
