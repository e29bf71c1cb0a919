"""What labelled pairs of an own domain bring: the same pairs judged before and after half of them were trained on.

    python -m training.domain FILE

Half of the groups, drawn by a seed, are added to the shipped pairs; the other half is judged by the model without them and
by the model with them, then the halves change places. Beside it stands what the shipped pairs lose by it, over grouped
folds. Own pairs count more than shipped ones (``OWN_WEIGHT``): a hundred of them would drown among thousands.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from engine import lexicon as shipped_lexicon
from engine.cli.output import emit_json
from engine.embed import MiniLM
from training import fit as fitting
from training.calibrate import Integers
from training.fit import MEANING, SEED, SUGGESTED, Prepared, estimator, prepare, weighted
from training.metrics import Strings, macro_f1
from training.pairs import read_pairs, shipped
from training.train import heavier, subset

STRENGTH = 0.03


@dataclass(frozen=True, slots=True)
class Gain:
    """Macro F1 on ``pairs`` of the domain before and after training on the other half, and on the shipped pairs over
    grouped folds without and with a half of the domain among what was trained on."""

    pairs: int
    groups: int
    before: float
    after: float
    general_before: float
    general_after: float

    def as_text(self) -> str:
        """A line for the domain, a line for the rest."""
        return (
            f"{self.pairs} pairs in {self.groups} groups, half of them trained on, the other half judged, both ways\n"
            f"own domain      macro F1 {self.before:.3f} → {self.after:.3f} ({self.after - self.before:+.3f})\n"
            f"shipped pairs   macro F1 {self.general_before:.3f} → {self.general_after:.3f} "
            f"({self.general_after - self.general_before:+.3f})"
        )


def gain(general: Prepared, own: Prepared, c: float = STRENGTH) -> Gain:
    """Measures what a domain's pairs bring.

    Parameters
    ----------
    general, own : Prepared
        The shipped pairs and the domain's.
    c : float, default=0.03
        The inverse regularisation of every model.

    Returns
    -------
    Gain
    """
    one, other = halves(own)
    before = _judge(general, own, c)
    after = np.empty_like(own.labels)
    for learnt, judged in ((one, other), (other, one)):
        after[judged] = _judge(joined(general, subset(own, learnt)), subset(own, judged), c)
    without, with_own = np.empty_like(general.labels), np.empty_like(general.labels)
    for train, test in fitting.folds(general):
        seen, unseen = subset(general, train), subset(general, test)
        without[test] = _judge(seen, unseen, c)
        with_own[test] = _judge(joined(seen, subset(own, one)), unseen, c)
    return Gain(
        pairs=len(own.labels),
        groups=len(set(own.groups)),
        before=macro_f1(own.labels, before),
        after=macro_f1(own.labels, after),
        general_before=macro_f1(general.labels, without),
        general_after=macro_f1(general.labels, with_own),
    )


def halves(data: Prepared) -> tuple[Integers, Integers]:
    """The rows of two halves that split no group, drawn by the seed."""
    groups = sorted(set(data.groups))
    drawn = set(np.random.default_rng(SEED).permutation(groups)[::2])
    inside = np.array([group in drawn for group in data.groups])
    return np.flatnonzero(inside), np.flatnonzero(~inside)


def joined(general: Prepared, own: Prepared) -> Prepared:
    """Both together, each own pair as heavy as ``OWN_WEIGHT`` others."""
    own = heavier(own, {pair.key for pair in own.pairs})
    together: dict[str, Any] = {}
    for field in fields(Prepared):
        first, second = getattr(general, field.name), getattr(own, field.name)
        arrays = isinstance(first, np.ndarray)
        together[field.name] = np.concatenate([first, second]) if arrays else (*first, *second)
    return Prepared(**together)


def _judge(learnt: Prepared, judged: Prepared, c: float) -> Strings:
    everything = np.arange(len(learnt.labels))
    seen = fitting.with_meaning(learnt, everything)
    model = weighted(estimator(c), seen, learnt.labels, learnt.weights, learnt.long)
    rows = judged.rows.copy()
    logits = fitting.meaning_logits(fitting.meaning_of(learnt, everything), judged.differences)
    rows[:, MEANING] *= logits[:, SUGGESTED]
    said: Strings = model.predict(rows)
    return said


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the gain of a file of labelled pairs."""
    parser = argparse.ArgumentParser(prog="python -m training.domain", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="JSONL of labelled pairs with groups")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    words, encoder = shipped_lexicon.load(), MiniLM()
    own = prepare(read_pairs([given.file]), words, encoder)
    found = gain(prepare(read_pairs(shipped()), words, encoder), own)
    if given.json:
        emit_json(asdict(found))
    else:
        print(found.as_text())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
