"""Why a decision was made, feature by feature, from what was recorded when it was made.

``record`` is written with the decision and holds all that the explanation needs, so that it still tells the
truth after the model was retrained. ``Explanation`` is pure data; ``as_text`` draws it for a terminal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from engine.apply import Applied
from engine.classifier import Classifier, Floats
from engine.decide import Policy
from engine.features import FEATURES, NAMES
from engine.types import Decision, Neighbour, Verdict

HIDDEN = "•••"
_OF_ATTRIBUTE = re.compile(r"^.+(?= holds one value at a time)")
"""The one thing in a reason that is not the same for everybody (``engine.exact.impossible``)."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One feature's part in a decision: its value and what it adds to the label's log-odds."""

    feature: str
    sentence: str
    value: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """A decision laid open: ``prior`` and the bars sum to the log-odds of ``label`` over the mean of the
    other labels.

    ``costs`` are the expected ones of each operation, of which the least is done; those in ``ruled_out``, each
    with its reason, could not be. Both are empty where a rule decided, and in records of releases that decided
    by a ``threshold``, which is None since.
    """

    decision_id: str
    operation: str
    label: str
    candidate: str
    existing: str | None
    probabilities: Mapping[str, float]
    costs: Mapping[str, float]
    ruled_out: Mapping[str, str]
    threshold: float | None
    prior: float
    bars: tuple[Bar, ...]
    rule: str | None
    reasons: tuple[str, ...]
    model: str
    neighbours: tuple[Mapping[str, Any], ...]
    operations: tuple[Mapping[str, Any], ...]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def record(
    decision: Decision,
    neighbours: Sequence[Neighbour],
    model: Classifier,
    policy: Policy,
    message_id: str,
    applied: Sequence[Applied],
) -> dict[str, Any]:
    """What is kept of a decision, as JSON."""
    return {
        "message_id": message_id,
        "candidate": decision.resolved_fact.text,
        "operation": str(decision.operation),
        "predicted": str(decision.predicted),
        "target": decision.target,
        "confidence": round(decision.confidence, 6),
        "reasons": list(decision.reasons),
        "overwrite_cost": policy.overwrite_cost,
        "model": model.digest,
        "neighbours": [_neighbour(n, v, model) for n, v in zip(neighbours, decision.verdicts, strict=True)],
        "operations": [
            {"operation": str(a.event), "memory_id": a.memory_id, "previous": a.previous, "version": a.version}
            for a in applied
        ],
    }


def weights(row: Floats, label: str, model: Classifier) -> dict[str, list[float]]:
    """The value of each feature of a row [d] and what it adds to a label's log-odds; what is 0 in both is left out."""
    return {
        name: [round(float(value), 4), round(float(part), 4)]
        for name, value, part in zip(NAMES, row, model.contributions(row, label), strict=True)
        if value or abs(part) > 0.002
    }


def bars(weighed: Mapping[str, Sequence[float]]) -> tuple[Bar, ...]:
    """The bars of what ``weights`` gives, also of records whose features are known no more; the strongest first."""
    sentences = {f.name: f.sentence for f in FEATURES}
    out = [
        Bar(name, sentences.get(name, name.replace("_", " ")), value, part) for name, (value, part) in weighed.items()
    ]
    return tuple(sorted(out, key=lambda bar: (-abs(bar.contribution), bar.feature)))


def _neighbour(neighbour: Neighbour, verdict: Verdict, model: Classifier) -> dict[str, Any]:
    label = str(verdict.predicted)
    return {
        "memory_id": neighbour.memory.id,
        "text": neighbour.memory.fact.text,
        "similarity": neighbour.similarity,
        "label": label,
        "operation": str(verdict.operation),
        "rule": verdict.rule,
        "reasons": list(verdict.reasons),
        "probabilities": {str(o): round(p, 6) for o, p in verdict.probabilities.items()},
        "costs": {str(o): round(cost, 6) for o, cost in verdict.costs.items()},
        "ruled_out": {str(o): reason for o, reason in verdict.ruled_out.items()},
        "prior": round(model.prior(label), 6),
        "features": weights(np.array(verdict.features), label, model),
    }


def explanation(decision_id: str, kept: Mapping[str, Any], *, hide_values: bool = False) -> Explanation:
    """Lays a recorded decision open.

    Parameters
    ----------
    decision_id : str
    kept : mapping
        What ``record`` wrote.
    hide_values : bool
        Blank the texts, for showing how a decision went without showing whose. Reasons then don't name the
        attribute either; sentences of features, rules and ids never hold a text.

    Returns
    -------
    Explanation
        Of the pair that led the decision: the memory it touched, else the nearest one.
    """
    seen = kept.get("neighbours", [])
    target = kept.get("target")
    shown = seen[target] if target is not None and target < len(seen) else (seen[0] if seen else None)

    def text(value: str | None) -> str | None:
        return HIDDEN if hide_values and value else value

    def reason(value: str) -> str:
        return _OF_ATTRIBUTE.sub("the attribute", value) if hide_values else value

    def reasons(of: Mapping[str, str]) -> dict[str, str]:
        return {label: reason(why) for label, why in of.items()}

    return Explanation(
        decision_id=decision_id,
        operation=str(kept.get("operation", "DELETE")),
        label=shown["label"] if shown else str(kept.get("operation", "DELETE")),
        candidate=text(kept.get("candidate", kept.get("command", ""))) or "",
        existing=text(shown["text"]) if shown else None,
        probabilities=shown["probabilities"] if shown else {},
        costs=shown.get("costs", {}) if shown else {},
        ruled_out=reasons(shown.get("ruled_out", {})) if shown else {},
        threshold=kept.get("threshold"),
        prior=float(shown["prior"]) if shown else 0.0,
        bars=bars(shown["features"]) if shown else (),
        rule=shown["rule"] if shown else "no neighbour",
        reasons=tuple(map(reason, shown["reasons"] if shown else kept.get("reasons", ()))),
        model=str(kept.get("model", "")),
        neighbours=tuple(
            {
                "memory_id": n["memory_id"],
                "text": text(n["text"]),
                "similarity": n["similarity"],
                "label": n["label"],
                "probability": n["probabilities"].get(n["label"]),
                "rule": n["rule"],
                "costs": n.get("costs", {}),
                "ruled_out": reasons(n.get("ruled_out", {})),
            }
            for n in seen
        ),  # fmt: skip
        operations=tuple({**o, "previous": text(o["previous"])} for o in kept.get("operations", ())),
    )


def weighing(costs: Mapping[str, float], ruled_out: Mapping[str, str], threshold: float | None) -> list[str]:
    """What the operations were expected to cost and which were ruled out, a line each; the threshold of an old
    record."""
    if not costs:
        return [] if threshold is None else [f"a change of what is stored needed {threshold:.2f}"]
    shares = "   ".join(f"{label} {cost:.2f}" for label, cost in sorted(costs.items()) if label not in ruled_out)
    return [
        f"expected cost: {shares}",
        *(f"{label} is ruled out: {reason}" for label, reason in sorted(ruled_out.items())),
    ]


def as_text(told: Explanation, most: int = 8) -> str:
    """An explanation for a terminal: the pair, probabilities and costs, the strongest bars, the rule."""
    lines = [f"{told.operation}  {told.candidate}"]
    if told.existing is not None:
        lines.append(f"     against  {told.existing}")
    if told.probabilities:
        lines.append("     " + "  ".join(f"{label} {p:.2f}" for label, p in told.probabilities.items()))
        lines += [f"     {line}" for line in weighing(told.costs, told.ruled_out, told.threshold)]
        lines.append(f"     log-odds of {told.label} over the other labels:")
        lines.append(f"       {'(prior)':<28}{told.prior:+7.2f}")
        for bar in told.bars[:most]:
            lines.append(f"       {bar.feature:<28}{bar.contribution:+7.2f}   {bar.sentence} ({bar.value:g})")
        rest = sum(bar.contribution for bar in told.bars[most:])
        if told.bars[most:]:
            lines.append(f"       {f'({len(told.bars) - most} more)':<28}{rest:+7.2f}")
    if told.rule:
        lines.append(f"     rule: {told.rule}")
    lines += [f"     {reason}" for reason in told.reasons]
    lines += [f"     model {told.model}"] if told.model else []
    return "\n".join(lines)
