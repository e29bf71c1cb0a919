"""The second reading: which pairs it takes, and that what was settled is what ships."""

from __future__ import annotations

import json

from training.pairs import read_pairs, shipped
from training.second_reading import READING, chosen, second_reading


def _rows():
    return [json.loads(line) for line in READING.read_text(encoding="utf-8").splitlines()]


def test_it_is_the_tenth_that_the_hash_draws():
    read = {(r["existing"], r["candidate"]) for r in _rows()}
    assert all(chosen(*texts) for texts in read)
    drawn = {p.key for p in read_pairs(shipped()) if chosen(*p.key)}
    assert len(drawn & read) >= 0.8 * len(drawn)
    assert len(read) >= 0.08 * len(read_pairs(shipped()))


def test_what_ships_is_what_was_settled():
    labels = {p.key: str(p.label) for p in read_pairs(shipped())}
    for row in _rows():
        assert labels.get((row["existing"], row["candidate"])) == row["settled"], row


def test_disagreements_are_counted_as_they_were_settled(tmp_path):
    rows = [
        {"existing": "a", "candidate": "b", "first": "ADD", "second": "ADD", "settled": "ADD"},
        {"existing": "c", "candidate": "d", "first": "UPDATE", "second": "ADD", "settled": "ADD"},
        {"existing": "e", "candidate": "f", "first": "NOOP", "second": "UPDATE", "settled": "NOOP"},
        {"existing": "g", "candidate": "h", "first": "UPDATE", "second": "ADD", "settled": None},
    ]
    path = tmp_path / "reading.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    found = second_reading(path)
    assert (found.pairs, found.agreed, found.first, found.second, found.left_out) == (4, 1, 1, 1, 1)
