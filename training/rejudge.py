"""The decisions that a database holds, judged again by two trained models: what would have gone otherwise?

Each decision is rebuilt from its record: the candidate and its neighbours, as the facts that are stored of them, else
read anew from the recorded texts. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.classifier import Classifier
from engine.decide import Policy, decide
from engine.embed import Encoder
from engine.lexicon import Lexicon
from engine.pairing import as_user, pair_up, texts_of
from engine.reading import read_statements
from engine.store import DecisionRow, Store
from engine.store.purge import BLANK
from engine.types import Decision, Fact, Operation
from training.tables import percent

BY_CONVERSATION = "put right"
"""The rule of decisions that what was said before made, and no model."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A recorded decision that the two models would make differently; ``*_target`` is the text that is touched."""

    decision_id: str
    candidate: str
    recorded: str
    first: str
    second: str
    first_target: str | None
    second_target: str | None


@dataclass(frozen=True, slots=True)
class Rejudged:
    """All decisions of a database judged again.

    Parameters
    ----------
    judged : int
        Decisions that a model made and that still stand.
    left_out : int
        Those made by hand, by a command or by an explicit correction, and those whose texts were purged.
    as_recorded : int
        How many of the judged the first model decides as it is recorded.
    changed : tuple of Changed
        Destructive acts of the second model first.
    """

    judged: int
    left_out: int
    as_recorded: int
    changed: tuple[Changed, ...]


@dataclass(frozen=True, slots=True)
class _Case:
    """A decision as it was met: what is new, and what was near."""

    row: DecisionRow
    candidate: Fact
    neighbours: tuple[Fact, ...]
    speaker: str

    @property
    def both(self) -> list[tuple[Fact, Fact]]:
        new = as_user(self.candidate, self.speaker)
        return [(as_user(old, self.speaker), new) for old in self.neighbours]


def rejudge(
    store: Store, first: Classifier, second: Classifier, *, lexicon: Lexicon, encoder: Encoder, policy: Policy
) -> Rejudged:
    """Judges the recorded decisions of a database by two models.

    Parameters
    ----------
    store : Store
    first, second : Classifier
    lexicon, encoder, policy
        As the memory has them.

    Returns
    -------
    Rejudged
    """
    judged = left_out = as_recorded = 0
    changed: list[Changed] = []
    for key in store.scope_keys():
        rows = store.decisions(key)
        by_model = [row for row in rows if _is_of_a_model(row.record)]
        left_out += len(rows) - len(by_model)
        cases = _cases(store, by_model, lexicon)
        # One batch; both models then find every text in the encoder's cache.
        if texts := sorted({t for c in cases for pair in c.both for t in texts_of(pair)}):
            encoder.encode(texts)
        for case in cases:
            a, b = (_decided(case, model, lexicon, encoder, policy) for model in (first, second))
            judged += 1
            as_recorded += str(a.operation) == case.row.record["operation"]
            if a.operations != b.operations:
                changed.append(_changed(case, a, b))
    changed.sort(key=lambda c: (c.second not in (Operation.UPDATE, Operation.DELETE), c.second, c.first, c.decision_id))
    return Rejudged(judged, left_out, as_recorded, tuple(changed))


def _is_of_a_model(record: Mapping[str, Any]) -> bool:
    """Whether a model made the decision, and all that it was made on is still there to be read."""
    near = record.get("neighbours")
    if near is None or not record.get("candidate"):
        return False
    texts = (record["candidate"], *(n["text"] for n in near))
    target = record.get("target")
    rule = near[target]["rule"] if target is not None and target < len(near) else None
    return rule != BY_CONVERSATION and all(text and BLANK not in text for text in texts)


def _cases(store: Store, rows: Sequence[DecisionRow], lexicon: Lexicon) -> list[_Case]:
    known: dict[str, dict[str, Fact]] = {}

    def stored(memory_id: str, text: str) -> Fact | None:
        if memory_id not in known:
            known[memory_id] = {v.fact.text: v.fact for v in store.versions(memory_id)}
        return known[memory_id].get(text)

    wanted = [list(_texts(row.record)) for row in rows]
    missing = sorted({text for of in wanted for ids, text in of if all(stored(i, text) is None for i in ids)})
    read = dict(zip(missing, read_statements(missing, lexicon), strict=True))
    out = []
    for row, of in zip(rows, wanted, strict=True):
        new, *near = (next((f for i in ids if (f := stored(i, text))), None) or read[text] for ids, text in of)
        out.append(_Case(row, new, tuple(near), _speaker(store, row.record)))
    return out


def _texts(record: Mapping[str, Any]) -> Iterator[tuple[list[str], str]]:
    """The candidate, then the neighbours: each text with the memories that may hold it."""
    yield [done["memory_id"] for done in record.get("operations", ())], record["candidate"]
    for near in record["neighbours"]:
        yield [near["memory_id"]], near["text"]


def _speaker(store: Store, record: Mapping[str, Any]) -> str:
    """Who said it, where that is still known: a named speaker is compared as ``user``."""
    for done in record.get("operations", ()):
        memory = store.find(done["memory_id"])
        for source in memory.sources if memory else ():
            if source.message_id == record.get("message_id"):
                return source.speaker
    return "user"


def _decided(case: _Case, model: Classifier, lexicon: Lexicon, encoder: Encoder, policy: Policy) -> Decision:
    return decide(case.candidate, pair_up(case.both, encoder, model.meaning), model, lexicon, policy)


def _changed(case: _Case, first: Decision, second: Decision) -> Changed:
    def target(of: Decision) -> str | None:
        return None if of.target is None else case.neighbours[of.target].text

    return Changed(
        decision_id=case.row.id,
        candidate=case.candidate.text,
        recorded=str(case.row.record["operation"]),
        first=str(first.operation),
        second=str(second.operation),
        first_target=target(first),
        second_target=target(second),
    )


def as_text(found: Rejudged) -> str:
    """For a terminal: how many decisions would change, and which."""
    share = f" ({percent(len(found.changed) / found.judged)})" if found.judged else ""
    lines = [
        f"{len(found.changed)} of {found.judged} recorded decisions would change{share}; "
        f"A decides {found.as_recorded} as recorded; {found.left_out} were not made by a model or are purged"
    ]
    for c in found.changed:
        touched = c.second_target if c.second_target is not None else c.first_target
        lines.append(f"  {c.decision_id}: {c.candidate} | {c.first} → {c.second}")
        lines += [f"      held  {touched}"] if touched is not None else []
    return "\n".join(lines)
