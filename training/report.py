"""An evaluation as a page to look through: one HTML file with figures, charts, and errors laid open.

The page needs nothing but itself and holds no date: the same evaluation writes the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil, floor
from pathlib import Path

import numpy as np

from engine import lexicon
from engine.decide import DESTRUCTIVE, Policy, verdict
from engine.errors import InputError
from engine.explain import bars, weights
from engine.types import Operation, Verdict
from engine.waterfall import Step, span, steps
from training import page
from training.calibrate import BINS
from training.evaluate import Evaluation, OutOfFold
from training.metrics import LABELS, Part, Strings, confusion, stale_kept, wrongful_overwrites
from training.page import Dot, Html, joined, section, table, tag, text
from training.pairs import LabelledPair
from training.scoring import Scores, acts_of, done_of
from training.tables import percent, share

COSTS = tuple(float(n) for n in range(1, 21))
NAMED = (1.0, 2.0, 10.0, 20.0)  # costs that stand beside their points
STEPS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)  # between the lines of a chart
FIFTHS = [n / 5 for n in range(6)]
MOST_ERRORS = 200
MOST_BARS = 8
STRONG = ("right", "done")
WRONGFUL, STALE = "wrongful overwrite", "stale kept"


@dataclass(frozen=True, slots=True)
class Tradeoff:
    """What an overwrite cost brings: the shares of wrongful overwrites and of stale facts kept."""

    overwrite_cost: float
    wrongful_overwrites: float
    stale_kept: float


@dataclass(frozen=True, slots=True)
class Mistake:
    """A pair on which the engine would not do what is right.

    Parameters
    ----------
    pair : LabelledPair
        ``pair.label`` is what is right.
    kind : str
        ``WRONGFUL`` and its like.
    cost : float
        What it costs under the policy.
    verdict : Verdict
        What was done and what was the most probable.
    steps : tuple of Step
        The waterfall of the most probable label.
    """

    pair: LabelledPair
    kind: str
    cost: float
    verdict: Verdict
    steps: tuple[Step, ...]


def write_report(evaluation: Evaluation, seen: OutOfFold, path: Path) -> None:
    """Writes the page of an evaluation.

    Raises
    ------
    InputError
        F058: the file cannot be written.
    """
    made = report(evaluation, seen)
    try:
        # Half of a surrogate pair is no character, but JSON can hold one.
        path.write_bytes(made.encode("utf-8", "xmlcharrefreplace"))
    except OSError as error:
        raise InputError("F058", f"cannot write {path}: {error.strerror or error}; choose another place") from error


def report(evaluation: Evaluation, seen: OutOfFold) -> str:
    """The page of an evaluation.

    Parameters
    ----------
    evaluation : Evaluation
    seen : OutOfFold
        What it was counted from (``collect`` of ``training.evaluate.evaluate``).

    Returns
    -------
    str
        HTML.
    """
    policy = Policy(evaluation.overwrite_cost)
    done = done_of(seen.probabilities, seen.comparisons, policy)
    parts = [
        ("figures", "Figures", _figures(evaluation)),
        ("labels", "Labels", _labels(evaluation, seen.data.labels, done)),
        ("calibration", "How far its confidence can be believed", _calibration(evaluation)),
        ("costs", "Overwriting against keeping what is stale", _costs(evaluation, tradeoffs(seen, policy))),
        ("parts", "By kind, family and attribute", _by_part(evaluation)),
        ("rules", "The hand-written rules", _rules(evaluation)),
        *([("blocks", "What each block of features adds", _blocks(evaluation))] if evaluation.ablation else []),
        ("errors", "Errors", _errors(mistakes(seen, done, policy), seen.data.labels, done)),
    ]
    title = "How well pairs of statements are told apart"
    links = (tag("li", tag("a", text(name), href=f"#{key}")) for key, name, _ in parts)
    head = tag("header", tag("h1", text(title)), _about(evaluation), tag("nav", tag("ul", *links), aria_label="parts"))
    return page.page(title, head, tag("main", *(section(key, name, inside) for key, name, inside in parts)))


# --- what is counted -----------------------------------------------------------------------------------------------


def tradeoffs(seen: OutOfFold, policy: Policy, costs: Sequence[float] = COSTS) -> tuple[Tradeoff, ...]:
    """Wrongful overwrites and stale facts kept at each overwrite cost, and at the policy's, in order of cost."""
    out = []
    for cost in sorted({*costs, policy.overwrite_cost}):
        acts, labels = acts_of(seen.probabilities, seen.comparisons, Policy(cost)), seen.data.labels
        out.append(Tradeoff(cost, wrongful_overwrites(labels, acts), stale_kept(labels, acts)))
    return tuple(out)


def mistakes(seen: OutOfFold, done: Strings, policy: Policy, most: int = MOST_ERRORS) -> tuple[Mistake, ...]:
    """The worst pairs on which the engine would do something else than what is right.

    Parameters
    ----------
    seen : OutOfFold
    done : ndarray of str, shape [n]
        What the engine does (``training.scoring.done_of``).
    policy : Policy
    most : int, default=200

    Returns
    -------
    tuple of Mistake
        Wrongful overwrites first, then what costs most, then what the model was surest of.
    """

    def badness(i: int) -> tuple[bool, float, float, tuple[str, str]]:
        label, what = Operation(seen.data.labels[i]), Operation(done[i])
        sure = float(seen.probabilities[i, LABELS.index(what)])
        return kind_of(label, what) != WRONGFUL, -policy.costs[what][label], -round(sure, 9), seen.data.pairs[i].key

    wrong = sorted((int(i) for i in np.flatnonzero(seen.data.labels != done)), key=badness)
    return tuple(_mistake(seen, i, policy) for i in wrong[:most])


def kind_of(label: Operation, done: Operation) -> str:
    """What sort of error it is to do one thing where another is right."""
    if done in DESTRUCTIVE:
        return "changed in the wrong way" if label in DESTRUCTIVE else WRONGFUL
    if label in DESTRUCTIVE:
        return STALE
    return "stored twice" if done is Operation.ADD else "lost as known"


def _mistake(seen: OutOfFold, i: int, policy: Policy) -> Mistake:
    model, row = seen.models[seen.fold[i]], seen.rows[i]
    named = {Operation(label): float(p) for label, p in zip(LABELS, seen.probabilities[i], strict=True)}
    found = verdict(seen.comparisons[i], tuple(map(float, row)), named, policy, lexicon.load())
    said, label = str(found.predicted), seen.data.pairs[i].label
    told = {"bars": [asdict(b) for b in bars(weights(row, said, model))], "prior": model.prior(said), "label": said}
    return Mistake(
        pair=seen.data.pairs[i],
        kind=kind_of(label, found.operation),
        cost=policy.costs[found.operation][label],
        verdict=found,
        steps=tuple(steps(told, MOST_BARS)),
    )


# --- how it is shown -----------------------------------------------------------------------------------------------


def _paragraph(said: str, cls: str = "") -> Html:
    return tag("p", text(said), cls=cls)


def _about(e: Evaluation) -> Html:
    strengths, temperatures = (" ".join(f"{v:g}" for v in values) for values in (e.strengths, e.temperatures))
    return joined(
        (
            _paragraph(
                f"{e.pairs} labelled pairs in {e.groups} groups. In each of {e.folds} folds the whole training was done "
                "anew on the other folds, so every pair was judged by a model that knew nothing of its group."
            ),
            tag("p", text(f"Data {e.data_sha256[:16]}, seed {e.seed}, C {strengths}, temperature {temperatures}. "
                          f"Printed by "), tag("code", text("factfold evaluate --report FILE")), text("."), cls="faint"),
        )
    )  # fmt: skip


def _figures(e: Evaluation) -> Html:
    model = e.model
    shown = (
        (share(model.macro_f1), "macro F1"),
        (percent(model.wrongful_overwrites), "wrongful overwrites, of ADD and NOOP pairs"),
        (percent(model.stale_kept), "stale kept, of UPDATE and DELETE pairs"),
        (share(e.ece_after), "expected calibration error"),
    )
    cards = tag("ul", *(tag("li", tag("strong", text(v)), text(name)) for v, name in shown), cls="cards")
    rows = [
        (
            text(s.name), text(share(s.macro_f1)), text(share(min(s.fold_macro_f1))), text(share(s.accuracy)),
            text(percent(s.wrongful_overwrites)), text(percent(s.stale_kept)),
        )
        for s in e.scores
    ]  # fmt: skip
    header = ("", "macro F1", "worst fold", "accuracy", "wrongful overwrites", "stale kept")
    caption = "The model beside hand-written rules and two thresholds on the cosine of the texts, on the same folds"
    note = (
        "F1 and accuracy are of the most probable label. Overwrites and stale facts are of what is done: the operation "
        f"that costs least where an overwrite costs {e.overwrite_cost:g} times as much as a stale fact."
    )
    return joined((cards, table(caption, header, rows, lead=True), _paragraph(note, "faint")))


def _labels(e: Evaluation, labels: Strings, done: Strings) -> Html:
    acts = tuple(tuple(int(n) for n in row) for row in confusion(labels, done))
    rows = [
        tuple(map(text, (s.label, share(s.precision), share(s.recall), share(s.f1), str(s.pairs))))
        for s in e.model.labels
    ]
    both = (
        _matrix("Most probable label: rows what is right, columns what was said", "is \\ said", e.model.confusion),
        _matrix("What is done: rows what is right, columns what the engine does", "is \\ done", acts),
    )
    each = table("The most probable label", ("label", "precision", "recall", "F1", "pairs"), rows)
    return joined((tag("div", *both, cls="beside"), each))


def _matrix(caption: str, corner: str, counts: Sequence[Sequence[int]]) -> Html:
    rows = []
    for i, row in enumerate(counts):
        whole = sum(row) or 1
        cells = (page.shaded(str(n), n / whole, "up" if i == j else "down") for j, n in enumerate(row))
        rows.append((text(LABELS[i]), *cells))
    return table(caption, (corner, *LABELS), rows)


def _calibration(e: Evaluation) -> Html:
    told = [b for b in e.reliability if b.pairs]
    most = max((b.pairs for b in told), default=1)
    dots = [Dot(b.confidence, b.accuracy, 3 + 8 * (b.pairs / most) ** 0.5) for b in told]
    summary = (
        f"Expected calibration error {e.ece_before:.4f} as trained, {e.ece_after:.4f} with temperature scaling, over "
        f"{BINS} bins of confidence."
    )
    drawn = page.chart(
        "Confidence against accuracy", f"A model that knows how sure it may be lies on the diagonal. {summary}",
        ("confidence of the most probable label", "share that was right"), (FIFTHS, FIFTHS), dots,
        [(d.x, d.y) for d in dots], ideal=True,
    )  # fmt: skip
    rows = [
        tuple(map(text, (f"{b.low:.2f} to {b.high:.2f}", str(b.pairs), share(b.confidence), share(b.accuracy),
                         f"{b.accuracy - b.confidence:+.3f}")))
        for b in told
    ]  # fmt: skip
    each = table("Bins of confidence that hold pairs", ("confidence", "pairs", "mean", "right", "gap"), rows)
    return joined((_paragraph(f"{summary} The larger a point, the more pairs."), tag("div", drawn, each, cls="beside")))


def _costs(e: Evaluation, found: Sequence[Tradeoff]) -> Html:
    dots = [_dot(t, e.overwrite_cost) for t in found]
    others = [Dot(s.wrongful_overwrites, s.stale_kept, 5.0, "other", s.name) for s in e.scores[1:]]
    least, most = found[-1], found[0]
    told = (
        f"At an overwrite cost of {most.overwrite_cost:g}, {percent(most.wrongful_overwrites)} of what should stay is "
        f"overwritten and {percent(most.stale_kept)} of what is over is kept; at {least.overwrite_cost:g} it is "
        f"{percent(least.wrongful_overwrites)} and {percent(least.stale_kept)}."
    )
    xs, ys = ([getattr(d, name) for d in (*dots, *others)] for name in ("x", "y"))
    drawn = page.chart(
        "Wrongful overwrites against stale facts kept, by overwrite cost", told, ("wrongful overwrites", "stale kept"),
        (_ticks(xs), _ticks(ys)), [*dots, *others], [(t.wrongful_overwrites, t.stale_kept) for t in found],
    )  # fmt: skip
    rows = [
        tuple(map(text, (f"{t.overwrite_cost:g}{' (set)' if t.overwrite_cost == e.overwrite_cost else ''}",
                         percent(t.wrongful_overwrites), percent(t.stale_kept))))
        for t in found
    ]  # fmt: skip
    each = table("The same as figures", ("overwrite cost", "wrongful overwrites", "stale kept"), rows)
    return joined((_paragraph(f"{told} Nearer to the lower left is better."), tag("div", drawn, each, cls="beside")))


def _dot(found: Tradeoff, chosen: float) -> Dot:
    """The point of a cost, the cost beside it where the points don't stand too close for it."""
    cost, is_set = found.overwrite_cost, found.overwrite_cost == chosen
    name = f"{cost:g}" if is_set or cost in NAMED else ""
    size, kind = (6.0, "chosen") if is_set else (4.0, "dot")
    return Dot(found.wrongful_overwrites, found.stale_kept, size, kind, name)


def _ticks(values: Sequence[float]) -> list[float]:
    """Round figures around shares, for the lines of a chart: seven at most."""
    for step in STEPS:
        low, high = (int(f(round(v / step, 6))) for f, v in ((floor, min(values)), (ceil, max(values))))
        if high - low <= 6:
            return [round(n * step, 6) for n in range(low, max(high, low + 1) + 1)]
    return FIFTHS


def _by_part(e: Evaluation) -> Html:
    worst = [
        f"{kind} {part.name} ({percent(part.accuracy)} of {part.pairs})"
        for kind, part in (("family", e.model.worst_family), ("attribute", e.model.worst_attribute))
        if part is not None
    ]
    note = [_paragraph(f"Of ten pairs or more, the model does worst with {' and '.join(worst)}.")] if worst else []
    tables = (
        _accuracies("kind of pair", [s.difficulty + s.origin for s in e.scores], e.scores),
        _accuracies("family", [s.families for s in e.scores], e.scores),
        _accuracies("attribute", [s.attributes for s in e.scores], e.scores),
    )
    return joined((_paragraph("Shares of pairs whose most probable label is right."), *note,
                   tag("div", *tables, cls="beside")))  # fmt: skip


def _accuracies(name: str, by_score: Sequence[Sequence[Part]], scores: Sequence[Scores]) -> Html:
    others = [{p.name: p for p in of} for of in by_score[1:]]
    rows = [
        (text(p.name), text(str(p.pairs)), page.meter(percent(p.accuracy), p.accuracy),
         *(text(percent(of[p.name].accuracy)) for of in others))
        for p in by_score[0]
    ]  # fmt: skip
    return table(f"By {name}, the worst of the model first", (name, "pairs", *(s.name for s in scores)), rows)


def _rules(e: Evaluation) -> Html:
    rows = [
        (text(p.name), text(str(p.pairs)), page.meter(percent(p.accuracy), p.accuracy) if p.pairs else text("–"))
        for p in e.rules
    ]
    return table("The first rule that holds labels a pair", ("rule", "pairs", "right"), rows)


def _blocks(e: Evaluation) -> Html:
    found = e.ablation
    if found is None:
        return joined(())
    rows = [
        tuple(map(text, (a.block, str(a.features), share(a.without), f"{a.adds:+.3f}", share(a.alone))))
        for a in found.blocks
    ]
    caption = f"Macro F1 by block of features: all {share(found.full)}, C {found.c:g}"
    return table(caption, ("block", "features", "without", "adds", "alone"), rows)


def _errors(shown: Sequence[Mistake], labels: Strings, done: Strings) -> Html:
    wrong = [(kind_of(Operation(a), Operation(b)), str(a), str(b)) for a, b in zip(labels, done, strict=True) if a != b]
    if not wrong:
        return _paragraph("There are none: the engine does what is right with every pair.")
    counted = sorted(Counter(wrong).items(), key=lambda item: (item[0][0] != WRONGFUL, -item[1], item[0]))
    rows = [(text(kind), text(label), text(what), text(str(n))) for (kind, label, what), n in counted]
    first = f"the worst {len(shown)} of them" if len(shown) < len(wrong) else "all of them"
    told = (
        f"With {len(wrong)} of {len(labels)} pairs the engine would do something else than what is right. Here are "
        f"{first}: wrongful overwrites first, then what costs most, then what the model was surest of. The bars lead "
        "from the prior to the log-odds of the most probable label over the others; rules and costs come after it."
    )
    cards = tag("ol", *(_card(n, m) for n, m in enumerate(shown, 1)), cls="errors")
    return joined((table("All errors", ("kind", "right", "done", "pairs"), rows), _paragraph(told), cards))


def _card(number: int, m: Mistake) -> Html:
    found = m.verdict
    sure = found.probabilities[found.predicted]
    said = (
        ("held", m.pair.existing),
        ("new", m.pair.candidate),
        ("right", str(m.pair.label)),
        ("done", f"{found.operation}, which costs {m.cost:g}"),
        ("most probable", f"{found.predicted} ({sure:.2f})"),
        ("because", "; ".join(([f"rule “{found.rule}”"] if found.rule else []) + list(found.reasons))),
        ("note", m.pair.note),
    )
    marks = ["hard"] * m.pair.hard + ["generated"] * m.pair.generated
    about = " · ".join(v for v in (m.pair.attribute, m.pair.family, *marks) if v)
    slots = joined(
        tag("dt", text(name)) + tag("dd", tag("strong", text(value)) if name in STRONG else text(value))
        for name, value in said if value
    )  # fmt: skip
    head = tag("h3", text(f"{number}. {m.kind}"))
    kind = "worst" if m.kind == WRONGFUL else ""
    return tag("li", head, tag("dl", slots), _paragraph(about, "faint"), waterfall(m.steps), cls=kind)


def waterfall(drawn: Sequence[Step]) -> Html:
    """The bars of a decision as a table, each with its sentence and its figure."""
    low, high = span(drawn)
    whole = (high - low) or 1.0
    rows = []
    for step in drawn:
        left = 100 * (min(step.start, step.end) - low) / whole
        hue = "sum" if step.is_total else "up" if step.change >= 0 else "down"
        place = f"left:{left:.1f}%;width:{100 * abs(step.change) / whole:.1f}%;--hue:var(--{hue})"
        bar = tag("span", tag("i", style=place), cls="bar", style=f"--zero:{-100 * low / whole:.1f}%")
        cells = (tag("td", text(f"{step.change:+.2f}")), tag("td", bar, aria_hidden="true"))
        rows.append(tag("tr", tag("th", text(step.label), scope="row"), *cells))
    caption = tag("caption", text("What each feature adds to the log-odds"), cls="hidden")
    names = joined(tag("th", text(name), scope="col") for name in ("feature", "adds", "bar"))
    columns = Html('<colgroup><col class="what"><col class="n"><col></colgroup>')
    return tag("table", caption, columns, tag("thead", tag("tr", names), cls="hidden"), tag("tbody", *rows), cls="fall")
