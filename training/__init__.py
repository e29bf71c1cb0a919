"""Labelled data and what learns from it. The engine only loads what is written here."""
