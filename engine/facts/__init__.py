"""Sentences → facts.

``tree``      a parsed sentence with its children at hand
``clauses``   who does what: every clause with its subject, coordinated ones included
``stance``    negation, modality, tense, endings: how the speaker stands to a clause
``people``    who is meant: speakers, relatives, names, pronouns
``typing``    clause → attribute, by the lexicon
``render``    clause → short third-person statement
``frames``    events told by a row of words: who, and what they come to
``surface``   a sentence as a row of words, for frames
``matching``  where the forms of frames stand in it
``refusals``  why a form is not taken at its word
``told``      a clause with all that was read off it
``validity``  when it is true: state, event or plan, from and until
``compose``   the facts it comes to
``gate``      what asserts nothing, and why
``signals``   what the learnt gate looks at
``commands``  orders to the memory itself
``repairs``   what the parser gets wrong in a way that can be told
``extract``   the steps in order
"""

from engine.facts.extract import Candidate, Extracted, Extractor

__all__ = ["Candidate", "Extracted", "Extractor"]
