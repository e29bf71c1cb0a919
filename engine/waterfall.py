"""The waterfall of a decision as numbers: a first bar for the prior, one a feature, a last one for the sum.

``engine.cli.waterfall`` puts it on a console, ``engine.picture`` into a file, ``training.report`` on a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST = 10


@dataclass(frozen=True, slots=True)
class Step:
    """One bar: it runs from ``start`` to ``end`` on the axis of log-odds."""

    label: str
    start: float
    end: float
    is_total: bool = False

    @property
    def change(self) -> float:
        return self.end - self.start


def steps(told: Mapping[str, Any], most: int = MOST) -> list[Step]:
    """The bars of an explanation.

    Parameters
    ----------
    told : mapping
        What ``Memory.explain`` returns.
    most : int
        How many features have a bar of their own; the others share one.

    Returns
    -------
    list of Step
        Prior, features by the size of their part, the rest, the sum. Empty where no pair was compared.
    """
    if not told["bars"]:
        return []
    out = [Step("before any feature", 0.0, told["prior"])]
    for bar in told["bars"][:most]:
        label = bar["sentence"] if bar["value"] in (0.0, 1.0) else f"{bar['sentence']} ({bar['value']:.2f})"
        label = f"not: {bar['sentence']}" if bar["value"] == 0.0 else label
        out.append(Step(label, out[-1].end, out[-1].end + bar["contribution"]))
    rest = told["bars"][most:]
    if rest:
        out.append(Step(f"{len(rest)} smaller ones", out[-1].end, out[-1].end + sum(b["contribution"] for b in rest)))
    out.append(Step(f"log-odds of {told['label']}", 0.0, out[-1].end, is_total=True))
    return out


def span(drawn: Sequence[Step]) -> tuple[float, float]:
    """The least and the greatest end of any bar: what an axis has to hold."""
    return min(min(s.start, s.end) for s in drawn), max(max(s.start, s.end) for s in drawn)
