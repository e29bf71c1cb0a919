"""Dates and durations in sentences, and the valid time they give a fact.

``words``       text → words, and the tables of the lexicon's ``times.toml``
``numbers``     cardinals, ordinals and years, in figures and in words
``periods``     periods of the calendar, and which of them is meant
``durations``   how long
``clocks``      times of day
``dates``       dates by the calendar
``relative``    dates by their distance: ago, last, next, the end of
``recurring``   every Monday, twice a week
``grammar``     the longest time that begins at a word
``bounds``      since, until, for, by
``resolving``   one phrase → its period
``evidence``    whether a word means a time in its sentence
``phrases``     a sentence → its times
``intervals``   the times of a clause → its valid time
"""

from engine.when.intervals import interval
from engine.when.phrases import TimePhrase, time_phrases
from engine.when.resolving import resolve

__all__ = ["TimePhrase", "interval", "resolve", "time_phrases"]
