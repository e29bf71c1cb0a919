"""What is known of the world, as data: places within places, kinds of things, opposites, word families.

Pure functions over tables that are read on first use; no network, nothing to install. ``python -m
training.world.build`` writes the tables out of WordNet 3.0 and GeoNames (see ``data/NOTICE``); what they lack is
in tables by hand: ``kinds.toml`` here, the rest beside the build step.

``places``   contains, same_place, is_place, place_case, demonym_of, demonyms
``words``    is_a, is_word, verb_is_a, singular, antonyms, family, synonyms
"""

from __future__ import annotations

from engine.world.places import contains, demonym_of, demonyms, is_place, place_case, same_place
from engine.world.words import antonyms, family, is_a, is_word, singular, synonyms, verb_is_a

__all__ = [
    "antonyms",
    "contains",
    "demonym_of",
    "demonyms",
    "family",
    "is_a",
    "is_place",
    "is_word",
    "place_case",
    "same_place",
    "singular",
    "synonyms",
    "verb_is_a",
]
