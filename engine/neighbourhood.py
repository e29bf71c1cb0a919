"""Which memories a fact might touch: the nearest by meaning, and those of the same slot or name.

Meaning alone is not enough: "sold the Octavia" must find the car among a thousand nearer texts. Slots and
names come from the database, the rest from the index, which is a cache of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.comparison import subject_parts
from engine.cosine import Hit, Rows, Vectors
from engine.embed import Encoder
from engine.lexicon import Lexicon
from engine.neighbours import Neighbours
from engine.settings import Settings
from engine.store import Store
from engine.types import Effect, Fact, Neighbour, Polarity, Scope, Stored

NAMES_AT_MOST = 3


class Neighbourhood:
    """Finds a fact's neighbours in one store.

    Parameters
    ----------
    store, lexicon, encoder, settings
        ``settings.neighbours_k`` nearest are taken, exactly below ``settings.exact_below`` memories.
    """

    def __init__(self, store: Store, lexicon: Lexicon, encoder: Encoder, settings: Settings) -> None:
        self.store = store
        self.lexicon = lexicon
        self.encoder = encoder
        self.k = settings.neighbours_k
        self.index = Neighbours(encoder.dimension, settings.exact_below, encoder_id=encoder.id)

    def of(self, fact: Fact, scope: Scope) -> list[Neighbour]:
        """The live memories that a fact might touch, nearest first.

        Parameters
        ----------
        fact : Fact
        scope : Scope
            Only memories of the same tenant.

        Returns
        -------
        list of Neighbour
        """
        vector = self.encoder.encode([fact.text])
        hits = self._nearest(vector, scope, self.k)
        ids = {hit.id for hit in hits} | set(self._by_slot(fact, scope)) | set(self._by_name(fact, scope))
        memories = [m for m in self.store.find_many(ids).values() if m.tombstone is None and not m.version.void]
        similarity = self._similarity(memories, vector[0])
        found = [Neighbour(m, s) for m, s in zip(memories, similarity, strict=True)]
        return sorted(found, key=lambda n: (-n.similarity, n.memory.id))

    def nearest(self, text: str, scope: Scope) -> Hit | None:
        """The one live memory nearest to a text."""
        return next(iter(self._nearest(self.encoder.encode([text]), scope, 1)), None)

    def _nearest(self, vectors: Vectors, scope: Scope, k: int) -> list[Hit]:
        generation = self.store.generation(scope.key)
        return self.index.search(scope.key, generation, lambda: self._rows(scope.key), vectors, k)[0]

    def _by_slot(self, fact: Fact, scope: Scope) -> list[str]:
        if fact.attribute is None:
            return []
        return self.store.slot_ids(scope.key, fact.subject, self.lexicon.related(fact.attribute))

    def _by_name(self, fact: Fact, scope: Scope) -> list[str]:
        """An ending, a negation or a change of something that has a name looks for the name."""
        ends = fact.effect is not Effect.STATES or fact.polarity is Polarity.NEGATIVE
        words = fact.object.split() if ends else []
        names = [w.strip(",.;") for w in words if w[:1].isupper()]
        names += [n for n in sorted(subject_parts(fact.subject)[2]) if ends]
        return [i for name in names[:NAMES_AT_MOST] for i in self.store.naming_ids(scope.key, name)]

    def _similarity(self, memories: Sequence[Stored], vector: Vectors) -> list[float]:
        if not memories:
            return []
        matrix = self.store.vectors([(m.id, m.version.number) for m in memories])
        return [round(float(v), 6) for v in matrix @ vector]

    def _rows(self, scope_key: str) -> Rows:
        ids, _, matrix = self.store.embeddings(scope_key)
        last = {memory_id: row for row, memory_id in enumerate(ids)}  # the latest version of each
        keep = [last[i] for i in sorted(last)]
        return Rows([ids[row] for row in keep], matrix[keep])

    def advance(self, scope: Scope, since: int, touched: Sequence[str]) -> None:
        """Takes a write over into the index without reading the scope again."""
        memories = self.store.find_many(set(touched))
        live = [m for m in memories.values() if m.tombstone is None and not m.version.void]
        gone = sorted(set(touched) - {m.id for m in live})
        matrix = self.store.vectors([(m.id, m.version.number) for m in live])
        if not live:
            matrix = np.zeros((0, self.encoder.dimension), dtype=np.float32)
        rows = Rows([m.id for m in live], matrix)
        self.index.advance(scope.key, since, self.store.generation(scope.key), rows, gone)

    def forget(self, scope: Scope) -> None:
        """Drops what the index holds of a scope: after a failed write, or a purge."""
        self.index.drop(scope.key)
