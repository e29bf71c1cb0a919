"""Plain statements → facts: how a text such as ``user lives in Austin`` is read when it stands alone.

The same extraction as for messages, but everything is taken as asserted and nothing is split: one text,
one fact. Used for labelled pairs, dry runs, explicit updates and imports.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.facts.extract import Extractor
from engine.lexicon import Lexicon
from engine.sentences import statements
from engine.types import Fact


def read_statements(texts: Sequence[str], lexicon: Lexicon) -> list[Fact]:
    """Reads each text as one fact.

    Parameters
    ----------
    texts : sequence of str
        ``n`` statements in the third person, about "user" or anybody.
    lexicon : Lexicon
        For attributes and cues.

    Returns
    -------
    list of Fact
        ``n`` facts, whose ``text`` is the statement as given. What the parser makes nothing of becomes a
        fact with the first words as its subject.
    """
    unique = sorted(set(texts))
    extractor = Extractor(lexicon)
    facts = {
        text: extractor.statement(text, sentences)
        for text, sentences in zip(unique, statements(unique), strict=True)
    }
    return [facts[text] for text in texts]
