"""``Memory``: everything a user of the library calls."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from engine import explain as explaining
from engine import lexical, lexicon, transfer, views
from engine.attribution import Attribution
from engine.classifier import Classifier
from engine.durable import Gate
from engine.edits import Edits, check_metadata
from engine.embed import Encoder, MiniLM
from engine.errors import InputError, ScopeError, StoreError
from engine.facts.gate import REASONS
from engine.filters import compile as compile_filters
from engine.filters import scope_of
from engine.messages import mended, read_messages, read_scope, read_timestamp
from engine.pipeline import Pipeline
from engine.ranking import rank, weights_of
from engine.reading import read_statements
from engine.recall import Recall, Recalled
from engine.settings import Settings, artefact
from engine.store import Store
from engine.types import Clock, Decision, Neighbour, Scope, Skip, Stored, Version, system_clock

Progress = Callable[[int, int], None]
ACCESSES_HELD = 500
"""How many accesses are counted in this process before they are written."""


class Memory:
    """A memory of facts that takes back what is no longer true.

    Parameters
    ----------
    path : str or Path, optional
        An SQLite file, made where it does not exist, or ``:memory:``. Default: the settings' ``db``.
    clock : callable, optional
        Gives the recorded time, and "now" where no ``as_of`` is given.
    settings : Settings, optional
        Default: environment, ``factfold.toml``, then the shipped values.
    encoder : Encoder, optional
        In place of the shipped one.

    Raises
    ------
    StoreError
        The database cannot be opened, is no database of factfold, or is from a newer release.
    ModelError
        A trained artefact is missing or does not match.

    Examples
    --------
    >>> memory = Memory(":memory:")
    >>> _ = memory.add("I live in Austin.", user_id="ana", timestamp="2026-03-01")
    >>> _ = memory.add("Just moved to Denver!", user_id="ana", timestamp="2026-07-01")
    >>> [m["memory"] for m in memory.search("where do I live?", user_id="ana")["results"]]
    ['user moved to Denver']
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        clock: Clock = system_clock,
        settings: Settings | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        self.settings = settings or Settings.load()
        self.clock = clock
        target = str(path) if path is not None else self.settings.db
        self.lexicon = lexicon.load(tuple(self.settings.lexicons))
        self.encoder = encoder or MiniLM(threads=self.settings.threads, cache=self.settings.embedding_cache)
        self.model = Classifier.load(artefact("decision.json", self.settings))
        self.gate = Gate.load(artefact("gate.json", self.settings))
        self.attribution = Attribution.load(artefact("attributes.json", self.settings))
        self.store = Store(target, clock)
        try:
            self.store.check_encoder(self.encoder.id, self.encoder.dimension)
        except BaseException:
            self.store.close()
            raise
        self.pipeline = Pipeline(
            self.store, self.lexicon, self.encoder, self.model, self.gate, self.attribution, self.settings
        )
        self._edits = Edits(self.store, self.lexicon, self.encoder, self.pipeline)
        self._recall = Recall(self.store)
        # Accesses are written between other things: a search never waits for another writer (nor for the disk).
        self._accesses: Counter[str] = Counter()
        self._accesses_lock = threading.Lock()

    @classmethod
    def from_config(cls, config: Mapping[str, Any], *, clock: Clock = system_clock) -> Self:
        """A memory from a mapping of settings; what it leaves out comes from the environment and defaults.

        Raises
        ------
        InputError
            Every key or value that cannot be used, at once.
        """
        settings = Settings.load(config)
        return cls(settings.db, clock=clock, settings=settings)

    # --- taking in -----------------------------------------------------------------------------------------

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Any],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None,
        infer: bool = True,
    ) -> dict[str, Any]:
        """Reads messages and keeps what they tell.

        Parameters
        ----------
        messages : str, mapping or sequence of these
            A text, a message (role, content, optionally name, timestamp, id) or a list.
        user_id, agent_id, run_id : str, optional
            At least one.
        metadata : mapping, optional
            JSON that new memories carry.
        timestamp : str, number or datetime, optional
            For messages without one.
        infer : bool
            False stores each message verbatim.

        Returns
        -------
        dict
            ``results``: one entry for each memory touched; ``skipped``: one for each piece left, with its
            reason.

        Raises
        ------
        InputError
            A message that cannot be used; nothing is stored then.
        ScopeError
            No id was given.
        """
        scope = self._scope(user_id, agent_id, run_id)
        read = read_messages(messages, now=self.clock(), scope_key=scope.key, default_timestamp=timestamp)
        if metadata is not None:
            check_metadata(metadata)
        outcome = self.pipeline.add(read, scope, metadata) if infer else self._edits.verbatim(read, scope, metadata)
        return {
            "results": [views.applied(a) for a in outcome.results],
            "skipped": [views.skip(s) for s in outcome.skipped],
        }

    def extract(self, messages: str | Mapping[str, Any] | Sequence[Any], *, timestamp: Any = None) -> dict[str, Any]:
        """The facts in messages, nothing stored.

        Returns
        -------
        dict
            ``facts`` and ``skipped``.
        """
        read = read_messages(messages, now=self.clock(), default_timestamp=timestamp)
        found = self.pipeline.read(read, Scope())
        skipped = [Skip(s.message_id, s.text, REASONS.get(s.reason, s.reason)) for r in found for s in r.skipped]
        return {
            "facts": [views.fact(f) for r in found for f in r.facts],
            "commands": [{"kind": str(c.kind), "target": c.target} for r in found for c in r.commands],
            "skipped": [views.skip(s) for s in skipped],
        }

    # --- asking --------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        threshold: float | None = None,
        as_of: Any = None,
        known_at: Any = None,
        include_history: bool = False,
        explain: bool = False,
    ) -> dict[str, Any]:
        """The memories that answer a question, best first.

        Parameters
        ----------
        query : str
        filters : mapping, optional
            As in mem0; ids may stand in it.
        top_k : int
        threshold : float, optional
            The least score.
        as_of : optional
            Another moment of the world; default now.
        known_at : optional
            What the store knew at a moment.
        include_history : bool
            Closed versions and tombstones too.
        explain : bool
            Adds ``score_details``.

        Returns
        -------
        dict
            ``results``: memories with ``score``.
        """
        _check_query(query)
        _check_count("top_k", top_k, 1)
        query = mended(query)
        scope, found = self._select(user_id, agent_id, run_id, filters, as_of, known_at, include_history)
        if not found.memories:
            return {"results": []}
        now = self.clock() if as_of is None else read_timestamp(as_of, "as_of")
        weights = weights_of(self.settings.ranking, self.settings.weights, self.settings.half_life_days)
        best = rank(
            query,
            self.encoder.encode([query])[0],
            found.memories,
            found.matrix,
            now,
            weights,
            self._access_counts(scope.key),
            top_k=top_k,
            threshold=threshold,
            documents=found.documents if weights.lexical else None,
        )
        self._count_accesses([s.memory.id for s in best])
        return {"results": [views.scored(s, explain=explain) for s in best]}

    def get(
        self,
        memory_id: str,
        as_of: Any = None,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, Any] | None:
        """One memory as it is (or was at ``as_of``); None where there is none or it is over."""
        scope = read_scope(user_id, agent_id, run_id)
        moment = self.clock() if as_of is None else read_timestamp(as_of, "as_of")
        found = self.store.get(mended(str(memory_id)), moment)
        if found is None or not self._edits.owns(found.scope, scope):
            return None
        return views.memory(found)

    def get_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 100,
        offset: int = 0,
        as_of: Any = None,
        known_at: Any = None,
        include_history: bool = False,
    ) -> dict[str, Any]:
        """The memories of a scope, oldest first; ``total`` tells how many there are beyond the page."""
        _check_count("top_k", top_k, 1)
        _check_count("offset", offset, 0)
        _, found = self._select(user_id, agent_id, run_id, filters, as_of, known_at, include_history)
        page = found.memories[offset : offset + top_k]
        return {"results": [views.memory(m) for m in page], "total": len(found.memories)}

    def profile(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        max_chars: int | None = None,
        as_of: Any = None,
    ) -> dict[str, Any]:
        """What is known now, grouped by attribute.

        Returns
        -------
        dict
            ``text`` ready for a prompt (at most ``max_chars``), ``groups``, ``total`` and ``left_out``, the
            number of groups that did not fit.
        """
        if max_chars is not None:
            _check_count("max_chars", max_chars, 1)
        _, found = self._select(user_id, agent_id, run_id, None, as_of, None, False)
        return views.profile(found.memories, max_chars)

    def history(
        self,
        memory_id: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> list[dict[str, Any]]:
        """Everything that happened to a memory, in order of recording."""
        self._edits.identity(memory_id, read_scope(user_id, agent_id, run_id))
        return [views.history(row) for row in self.store.history(memory_id)]

    # --- deciding ------------------------------------------------------------------------------------------

    def decide(self, candidate: str, existing: Sequence[str] = ()) -> Decision:
        """What the engine would do with a statement beside others; nothing is stored.

        Parameters
        ----------
        candidate : str
            The new statement, e.g. ``user lives in Denver``.
        existing : sequence of str
            The stored ones; positions in ``operations`` point into it.

        Returns
        -------
        Decision

        Raises
        ------
        InputError
            A text is blank.
        """
        texts = [candidate, *([existing] if isinstance(existing, str) else existing)]
        for text in texts:
            if not isinstance(text, str) or not mended(text).strip():
                raise InputError("F071", f"{text!r} is no statement; give a non-empty text")
        texts = list(map(mended, texts))
        fact, *others = read_statements(texts, self.lexicon)
        now = self.clock()
        vectors = self.encoder.encode([f.text for f in (fact, *others)])
        neighbours = [
            Neighbour(
                Stored(str(i), Scope(), Version(str(i), 1, other, "", None, None, now), now, now),
                round(float(vectors[0] @ vectors[i + 1]), 6),
            )
            for i, other in enumerate(others)
        ]
        return self.pipeline.decide(fact, neighbours)

    def explain(self, decision_id: str, *, hide_values: bool = False, user_id: str | None = None,
                agent_id: str | None = None, run_id: str | None = None) -> dict[str, Any]:  # fmt: skip
        """A recorded decision: features, each one's contribution, probabilities, model, neighbours, rule.

        Raises
        ------
        NotFoundError
            There is no such decision.
        """
        row = self._edits.decision(decision_id, read_scope(user_id, agent_id, run_id))
        return explaining.explanation(row.id, row.record, hide_values=hide_values).as_dict()

    def review(
        self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> list[dict[str, Any]]:
        """Decisions where a destructive act was held back, the least certain first."""
        scope = self._scope(user_id, agent_id, run_id)
        rows = self.store.decisions_to_review(scope.key)
        told = [explaining.explanation(r.id, r.record) for r in rows]
        told.sort(key=lambda e: (max(e.probabilities.values(), default=0.0), e.decision_id))
        return [e.as_dict() for e in told]

    # --- changing by hand ----------------------------------------------------------------------------------

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, Any]:
        """Changes a memory's text (a new version) or its metadata; the scope never changes."""
        moment = self.clock() if timestamp is None else read_timestamp(timestamp)
        self._edits.update(memory_id, text, metadata, moment, read_scope(user_id, agent_id, run_id))
        return {"message": "Memory updated successfully!"}

    def delete(
        self,
        memory_id: str,
        reason: str | None = None,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, Any]:
        """Ends a memory: it becomes a tombstone with its reason."""
        self._edits.delete(memory_id, reason, self.clock(), read_scope(user_id, agent_id, run_id))
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, Any]:
        """Ends every memory of a scope that is not over, what is yet to begin as well; all of them or none.

        Raises
        ------
        ScopeError
            No id was given: nobody's memories are ever all deleted.
        """
        count = self._edits.delete_all(self._scope(user_id, agent_id, run_id), self.clock())
        return {"message": f"{count} memories deleted", "deleted": count}

    def undo(
        self,
        decision_id: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, Any]:
        """Takes a decision back, by new versions."""
        return {"memories": self._edits.undo(decision_id, read_scope(user_id, agent_id, run_id))}

    def restore(
        self,
        memory_id: str,
        version: int,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, Any]:
        """Makes an old version current, as a new version."""
        number = self._edits.restore(memory_id, version, read_scope(user_id, agent_id, run_id))
        return {"id": memory_id, "version": number}

    def feedback(
        self,
        decision_id: str,
        operation: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, Any]:
        """Says what a decision should have been: the store is mended and the pair filed for retraining."""
        return self._edits.feedback(decision_id, operation, read_scope(user_id, agent_id, run_id))

    def purge(
        self,
        *,
        memory_id: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, int]:
        """True erasure of a memory, or of a whole scope, with counts."""
        scope = read_scope(user_id, agent_id, run_id)
        if memory_id is not None:
            self._edits.identity(memory_id, scope)
            report = self.store.purge(memory_id=memory_id)
        else:
            report = self.store.purge(scope=self._scope(user_id, agent_id, run_id))
        self._forget()
        return asdict(report)

    # --- moving --------------------------------------------------------------------------------------------

    def export(
        self,
        path: str | Path,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, int]:
        """Writes every memory, or those of a scope, with versions, sources and history to a JSONL file.

        Raises
        ------
        InputError
            The file cannot be written.
        """
        return {"memories": transfer.write(self.store, Path(path), read_scope(user_id, agent_id, run_id))}

    def import_(self, path: str | Path, *, user_id: str | None = None, agent_id: str | None = None,
                run_id: str | None = None) -> dict[str, int]:  # fmt: skip
        """Takes in what ``export`` wrote, a mem0 ``get_all`` JSON, or a mem0 ``history.db``; all of it or nothing.

        Parameters
        ----------
        path : str or Path
        user_id, agent_id, run_id : str, optional
            Whose the memories are that do not tell, as in a ``history.db``.

        Returns
        -------
        dict
            ``memories`` and ``versions``.

        Raises
        ------
        InputError
            The file cannot be read, or an id is taken; nothing is imported then.
        """
        scope = read_scope(user_id, agent_id, run_id)
        return transfer.read(self.store, Path(path), scope, self.encoder, self.lexicon)

    # --- the machinery -------------------------------------------------------------------------------------

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors of texts, float32 ``[n, d]``."""
        return self.encoder.encode(list(texts))

    def verify(self) -> list[str]:
        """Problems of the database, empty when it is sound."""
        return self.store.verify()

    def rebuild_index(self) -> None:
        """Throws the index away; it is a cache and is built again from the database when next asked."""
        self.pipeline.neighbourhood.index.drop()
        self._recall.forget()

    def reset(self) -> None:
        """Erases everything of everybody. Asked for by name only, never by a missing scope."""
        for key in self.store.scope_keys():
            name, _, value = key.partition(":")
            self.store.purge(scope=Scope(**{f"{name}_id": value}))
        self._forget()

    def close(self) -> None:
        """Closes the database."""
        with suppress(StoreError):  # closed before, or locked: a count is not worth a failure
            self._write_accesses()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- within --------------------------------------------------------------------------------------------

    def _scope(self, user_id: str | None, agent_id: str | None, run_id: str | None) -> Scope:
        scope = read_scope(user_id, agent_id, run_id)
        if not scope.key:
            raise ScopeError("F073", "say whose memory it is: give a user_id, an agent_id or a run_id")
        return scope

    def _forget(self) -> None:
        """Drops what this process remembers of the database, after an erasure."""
        self.pipeline.neighbourhood.index.drop()
        self._recall.forget()
        lexical.forget()

    def _access_counts(self, scope_key: str) -> dict[str, int]:
        counts = Counter(self.store.access_counts(scope_key))
        with self._accesses_lock:
            counts.update(self._accesses)
        return counts

    def _count_accesses(self, memory_ids: Sequence[str]) -> None:
        with self._accesses_lock:
            self._accesses.update(memory_ids)
            full = self._accesses.total() >= ACCESSES_HELD
        if full:
            with suppress(StoreError):
                self._write_accesses()

    def _write_accesses(self) -> None:
        with self._accesses_lock:
            counted, self._accesses = self._accesses, Counter()
        if not counted:
            return
        try:
            self.store.count_accesses(counted.elements())
        except BaseException:
            with self._accesses_lock:
                self._accesses.update(counted)
            raise

    def _select(
        self,
        user_id: str | None,
        agent_id: str | None,
        run_id: str | None,
        filters: Mapping[str, Any] | None,
        as_of: Any,
        known_at: Any,
        include_history: bool,
    ) -> tuple[Scope, Recalled]:
        """The memories of a scope at a moment that pass the filters."""
        inside = scope_of(filters or {})
        merged = Scope(user_id or inside.user_id, agent_id or inside.agent_id, run_id or inside.run_id)
        scope = self._scope(merged.user_id, merged.agent_id, merged.run_id)
        passes = compile_filters(filters or {})
        moment = self.clock() if as_of is None else read_timestamp(as_of, "as_of")
        if include_history:
            found = self._recall.all(self.store.all(scope.key, include_history=True))
        elif known_at is not None:
            found = self._recall.all(self.store.active(scope.key, moment, read_timestamp(known_at, "known_at")))
        else:
            found = self._recall.active(scope.key, moment)
        if not filters and scope == Scope(**{scope.key.partition(":")[0] + "_id": scope.key.partition(":")[2]}):
            return scope, found
        return scope, found.where([self._edits.owns(m.scope, scope) and passes(m) for m in found.memories])


def _check_query(query: Any) -> None:
    if not isinstance(query, str) or not query.strip():
        raise InputError("F074", f"{query!r} is no query; ask for something, or list memories with get_all")


def _check_count(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError("F075", f"{name} must be a whole number of at least {least}, not {value!r}")
