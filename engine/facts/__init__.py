"""Sentences → facts.

``tree``      a parsed sentence with its children at hand
``clauses``   who does what: every clause with its subject, coordinated ones included
``stance``    negation, modality, tense, endings: how the speaker stands to a clause
``people``    who is meant: speakers, relatives, names, pronouns
``typing``    clause → attribute, by the lexicon
``render``    clause → short third-person statement
``gate``      what is not worth keeping, and why
``commands``  orders to the memory itself
``extract``   the steps in order
"""

from engine.facts.extract import Extractor

__all__ = ["Extractor"]
