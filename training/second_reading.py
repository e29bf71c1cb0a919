"""The second reading of a tenth of the shipped pairs: how far two readers agree, and how disagreements were settled.

A pair belongs to the tenth by the hash of its texts (``chosen``), so that what is added later is drawn alike. The second
reader saw the two texts and the meaning of the labels, nothing else.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from sklearn.metrics import cohen_kappa_score

from training.pairs import DATA

SHARE = 10
READING = DATA / "second_reading.jsonl"


@dataclass(frozen=True, slots=True)
class SecondReading:
    """``pairs`` were read twice, ``agreed`` of them alike (``kappa``: Cohen 1960); of the others some were settled for the
    ``first`` reader, some for the ``second``, and some ``left_out`` of the data, since both labels can be defended."""

    pairs: int
    agreed: int
    kappa: float
    first: int
    second: int
    left_out: int


def chosen(existing: str, candidate: str) -> bool:
    """Whether a pair belongs to the tenth that is read twice."""
    return int(hashlib.sha256(f"{existing}\x1f{candidate}".encode()).hexdigest(), 16) % SHARE == 0


def second_reading(path: Path = READING) -> SecondReading:
    """Counts the second reading.

    Parameters
    ----------
    path : Path
        JSONL: ``existing``, ``candidate``, the labels ``first`` and ``second``, and ``settled``, null where the pair was
        left out.

    Returns
    -------
    SecondReading
    """
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    apart = [r for r in rows if r["first"] != r["second"]]
    return SecondReading(
        pairs=len(rows),
        agreed=len(rows) - len(apart),
        kappa=float(cohen_kappa_score([r["first"] for r in rows], [r["second"] for r in rows])),
        first=sum(r["settled"] == r["first"] for r in apart),
        second=sum(r["settled"] == r["second"] for r in apart),
        left_out=sum(r["settled"] is None for r in apart),
    )
