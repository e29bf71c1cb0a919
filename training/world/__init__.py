"""The build step behind ``engine/world/data``: tables out of WordNet and GeoNames, small enough to ship.

``wordnet``   reads the database files of WordNet 3.x         ``places``   cities, countries and hand-written regions
``words``     is-a, synonyms, antonyms and word families      ``build``    the command that writes the tables
"""
