"""Statements without a verb: "Mum of three, teacher, Leeds", "blood type: O negative".

``labels``   a labelled value that the lexicon knows → a fact
``slots``    what the slots of a shape take: posts, places, names, times
``shapes``   a piece of text → the full sentences that it stands for
``writing``  messages → their fragments written out, to be read like any sentence
"""

from engine.facts.fragments.labels import fragment_of
from engine.facts.fragments.writing import Fragments, Written

__all__ = ["Fragments", "Written", "fragment_of"]
