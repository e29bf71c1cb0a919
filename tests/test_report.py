"""The page of an evaluation, and what it is counted from."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from training_kit import prepared, some_pairs

from engine import lexicon
from engine.decide import DESTRUCTIVE, Policy
from engine.errors import InputError
from engine.types import Operation
from training.ablation import Ablated, Ablation, blocks
from training.evaluate import Evaluation, OutOfFold, evaluate_prepared
from training.fit import folds
from training.metrics import LABELS, Part, confusion, stale_kept, wrongful_overwrites
from training.page import STYLE, section, table, tag, text
from training.report import (
    FIFTHS,
    MOST_BARS,
    STALE,
    WRONGFUL,
    _ticks,
    kind_of,
    mistakes,
    report,
    tradeoffs,
    waterfall,
    write_report,
)
from training.scoring import acts_of, available, done_of, most_probable

ROOT = Path(__file__).resolve().parent.parent
NASTY = "user wrote <script>alert(1)</script> & \"quotes\" 'too' </li></table>"
EMPTY = {"meta", "col"}


@pytest.fixture(scope="module")
def evaluated() -> tuple[Evaluation, OutOfFold]:
    seen: list[OutOfFold] = []
    found = evaluate_prepared(prepared(), lexicon.load(), collect=seen.append)
    assert len(seen) == 1
    return found, seen[0]


@pytest.fixture(scope="module")
def done(evaluated):
    found, seen = evaluated
    return done_of(seen.probabilities, seen.comparisons, Policy(found.overwrite_cost))


@pytest.fixture(scope="module")
def made(evaluated) -> str:
    return report(*evaluated)


class Read(HTMLParser):
    """Checks that elements close in order, and keeps them."""

    def __init__(self, made: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(made)
        self.close()
        assert self.open == []

    def handle_starttag(self, name, attrs):
        self.elements.append((name, dict(attrs)))
        if name not in EMPTY:
            self.open.append(name)

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for found, attributes in self.elements if found == name]


# --- what is collected ---------------------------------------------------------------------------------------------


def test_collecting_changes_no_figure(evaluated) -> None:
    found, _ = evaluated
    assert evaluate_prepared(prepared(), lexicon.load()).as_dict() == found.as_dict()


def test_every_pair_was_seen_by_a_model_that_did_not_know_its_group(evaluated) -> None:
    found, seen = evaluated
    assert len(seen.models) == found.folds and len(seen.rows) == found.pairs
    for n, (train, test) in enumerate(folds(seen.data)):
        assert (seen.fold[test] == n).all()
        assert not set(seen.data.groups[train]) & set(seen.data.groups[test])
        told = available(
            seen.models[n].probabilities(seen.rows[test]), [seen.comparisons[i] for i in test], lexicon.load()
        )
        np.testing.assert_allclose(told, seen.probabilities[test])


def test_the_figures_are_those_of_what_was_collected(evaluated) -> None:
    found, seen = evaluated
    counts = confusion(seen.data.labels, most_probable(seen.probabilities))
    assert tuple(map(tuple, counts.tolist())) == found.model.confusion


# --- what is counted -----------------------------------------------------------------------------------------------


def test_a_dearer_overwrite_leaves_more_that_is_stale(evaluated) -> None:
    found, seen = evaluated
    curve = tradeoffs(seen, Policy(2.5))
    assert [t.overwrite_cost for t in curve] == sorted([2.5, *range(1, 21)])
    for cheap, dear in pairwise(curve):
        assert cheap.wrongful_overwrites >= dear.wrongful_overwrites and cheap.stale_kept <= dear.stale_kept
    (same,) = (t for t in curve if t.overwrite_cost == found.overwrite_cost)
    assert (same.wrongful_overwrites, same.stale_kept) == (found.model.wrongful_overwrites, found.model.stale_kept)


@pytest.mark.parametrize("cost", [1.0, 5.0, 20.0])
def test_the_worst_mistakes_come_first(evaluated, cost: float) -> None:
    _, seen = evaluated
    policy = Policy(cost)
    done = done_of(seen.probabilities, seen.comparisons, policy)
    found = mistakes(seen, done, policy, most=10_000)
    assert len(found) == (seen.data.labels != done).sum()
    keys = [(m.kind != WRONGFUL, -m.cost, -round(m.verdict.probabilities[m.verdict.operation], 9)) for m in found]
    assert keys == sorted(keys)
    for m in found:
        assert m.verdict.operation is not m.pair.label and m.cost == policy.costs[m.verdict.operation][m.pair.label] > 0
    acts = acts_of(seen.probabilities, seen.comparisons, policy)
    counted = {kind: sum(m.kind == kind for m in found) for kind in (WRONGFUL, STALE)}
    alone = sum(p.label not in DESTRUCTIVE for p in seen.data.pairs)
    assert counted[WRONGFUL] == round(wrongful_overwrites(seen.data.labels, acts) * alone)
    assert counted[STALE] == round(stale_kept(seen.data.labels, acts) * (len(done) - alone))
    assert mistakes(seen, done, policy, most=3) == found[:3]


@pytest.mark.parametrize(
    ("label", "did", "kind"),
    [
        ("ADD", "UPDATE", WRONGFUL), ("ADD", "DELETE", WRONGFUL), ("NOOP", "UPDATE", WRONGFUL),
        ("UPDATE", "ADD", STALE), ("DELETE", "NOOP", STALE), ("UPDATE", "DELETE", "changed in the wrong way"),
        ("NOOP", "ADD", "stored twice"), ("ADD", "NOOP", "lost as known"),
    ],
)  # fmt: skip
def test_a_mistake_has_a_name(label: str, did: str, kind: str) -> None:
    assert kind_of(Operation(label), Operation(did)) == kind


def test_the_bars_of_a_mistake_are_those_of_the_model_of_its_fold(evaluated, done) -> None:
    found, seen = evaluated
    at = {pair.key: i for i, pair in enumerate(seen.data.pairs)}
    for m in mistakes(seen, done, Policy(found.overwrite_cost)):
        i = at[m.pair.key]
        k = LABELS.index(str(m.verdict.predicted))
        assert k == seen.probabilities[i].argmax()
        logits = np.log(seen.models[seen.fold[i]].probabilities(seen.rows[[i]])[0])  # before anything is ruled out
        assert m.steps[-1].is_total and len(m.steps) <= MOST_BARS + 3
        assert m.steps[-1].end == pytest.approx(logits[k] - np.delete(logits, k).mean(), abs=0.1)


# --- the page ------------------------------------------------------------------------------------------------------


def test_it_is_sound_html_that_holds_everything(evaluated, made: str) -> None:
    found, _ = evaluated
    read = Read(made)
    assert made.startswith("<!doctype html>") and read.all("html") == [{"lang": "en"}]
    assert [h["id"] for h in read.all("h2")] == "figures labels calibration costs parts rules errors".split()
    said = " ".join(read.texts)
    for s in found.scores:
        assert f"{s.macro_f1:.3f}" in said and f"{100 * s.wrongful_overwrites:.1f} %" in said and s.name in said
    assert f"{found.ece_after:.4f}" in said and found.data_sha256[:16] in said
    assert {p.attribute for p in some_pairs()} | {p.family for p in some_pairs()} <= set(read.texts)


def test_it_needs_nothing_but_itself(made: str) -> None:
    read = Read(made)
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "image", "use"} & {
        n for n, _ in read.elements
    }
    attributes = [(k, v) for _, found in read.elements for k, v in found.items()]
    assert not [k for k, _ in attributes if k in ("src", "srcset", "data", "xlink:href") or k.startswith("on")]
    assert all(v.startswith("#") for k, v in attributes if k == "href")
    assert not re.search(r"@import|@font-face|url\(|https?:", STYLE + "".join(v or "" for k, v in attributes))
    (policy,) = (m["content"] for m in read.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")


def test_it_can_be_read_aloud(made: str) -> None:
    read = Read(made)
    ids = [found["id"] for _, found in read.elements if found.get("id")]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for a in read.all("a")} == {s["aria-labelledby"] for s in read.all("section")} == set(ids)
    assert len(read.all("table")) == len(read.all("caption")) == len(read.all("thead"))
    assert all(th.get("scope") in ("col", "row") for th in read.all("th"))
    charts = read.all("svg")
    assert len(charts) == len(read.all("desc")) == 2
    assert all(c["role"] == "img" and len(c["aria-label"]) > 60 for c in charts)


def test_light_dark_and_print_have_all_colours() -> None:
    named = {"--ink", "--faint", "--page", "--panel", "--line", "--up", "--down", "--sum", "--tint"}
    roots = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    assert len(roots) == 3
    for root in roots:
        assert named <= set(re.findall(r"(--\w+):", root))
    assert "prefers-color-scheme: dark" in STYLE and "@media print" in STYLE


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours (WCAG 2)."""

    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_colours_are_legible() -> None:
    for root in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL):
        colours = dict(re.findall(r"--(\w+): (#\w+)", root))
        full = {k: v if len(v) == 7 else "#" + "".join(c * 2 for c in v[1:]) for k, v in colours.items()}
        for ground in ("page", "panel"):
            assert contrast(full["ink"], full[ground]) >= 7 and contrast(full["faint"], full[ground]) >= 4.5
            assert all(contrast(full[hue], full[ground]) >= 3 for hue in ("up", "down", "sum"))


def test_texts_are_escaped_wherever_they_stand(evaluated) -> None:
    found, seen = evaluated
    named = {"existing": NASTY, "candidate": NASTY, "note": NASTY, "family": NASTY, "attribute": NASTY}
    pairs = tuple(replace(p, **named) for p in seen.data.pairs)
    part = Part(NASTY, 12, 5)
    scores = tuple(replace(s, families=(part,), attributes=(part,)) for s in found.scores)
    seen = replace(seen, data=replace(seen.data, pairs=pairs))
    made = report(replace(found, scores=scores, rules=(part,)), seen)
    read = Read(made)
    assert "<script" not in made and not read.all("script")
    assert read.texts.count(NASTY) > 10 and html.escape(NASTY) in made


def test_the_same_evaluation_makes_the_same_page(evaluated, made: str) -> None:
    found, seen = evaluated
    assert report(found, seen) == made


def test_of_many_errors_the_worst_are_shown(evaluated, done, monkeypatch) -> None:
    found, seen = evaluated
    wrong = int((seen.data.labels != done).sum())
    shown = mistakes(seen, done, Policy(found.overwrite_cost), most=7)
    monkeypatch.setattr("training.report.mistakes", lambda *_: shown)
    made = report(found, seen)
    assert made.count('class="fall"') == 7
    assert f"With {wrong} of {found.pairs} pairs" in made and "the worst 7 of them" in made


def test_where_nothing_is_wrong_that_is_said(evaluated) -> None:
    found, seen = evaluated
    policy = Policy(found.overwrite_cost)
    right = done_of(seen.probabilities, seen.comparisons, policy)
    made = report(found, replace(seen, data=replace(seen.data, labels=right)))
    assert "There are none" in made and 'class="fall"' not in made


def test_the_ablation_is_shown_where_it_was_done(evaluated) -> None:
    found, seen = evaluated
    blocks_ = tuple(Ablated(block, len(columns), 0.75, 0.5, 0.0123) for block, columns in blocks().items())
    read = Read(report(replace(found, ablation=Ablation(0.01, 0.7623, blocks_)), seen))
    assert "blocks" in [h["id"] for h in read.all("h2")]
    assert {"+0.012", *blocks()} <= set(read.texts)


def test_half_of_a_character_is_no_reason_to_fail(evaluated, tmp_path: Path) -> None:
    found, seen = evaluated
    pairs = tuple(replace(p, candidate="user said \ud83d") for p in seen.data.pairs)
    write_report(found, replace(seen, data=replace(seen.data, pairs=pairs)), tmp_path / "out.html")
    assert "user said &#55357;" in (tmp_path / "out.html").read_text(encoding="utf-8")
    with pytest.raises(InputError, match="F058"):
        write_report(found, seen, tmp_path / "nowhere" / "out.html")


# --- pieces --------------------------------------------------------------------------------------------------------


def test_pieces_escape_their_texts_and_attributes() -> None:
    assert tag("p", text("a < b"), cls="x", title='"y"', id="") == '<p class="x" title="&quot;y&quot;">a &lt; b</p>'
    assert '<h2 id="k">&lt;i&gt;</h2>' in section("k", "<i>")
    made = table("<c>", ("<a>", "b"), [(text("<r>"), text("1"))], lead=True)
    assert "&lt;c&gt;" in made and "&lt;a&gt;" in made and '<tr class="lead"><th scope="row">&lt;r&gt;</th>' in made


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.0, 1.0], FIFTHS),
        ([0.333, 0.806], [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]),
        ([0.056, 0.292], [0.05, 0.1, 0.15, 0.2, 0.25, 0.3]),
        ([0.021, 0.0395], [0.02, 0.025, 0.03, 0.035, 0.04]),
        ([0.0, 0.0], [0.0, 0.005]),
        ([1.0, 1.0], [1.0, 1.005]),
    ],
)
def test_axes_have_round_figures(values: list[float], ticks: list[float]) -> None:
    assert _ticks(values) == pytest.approx(ticks)
    assert _ticks(values)[0] <= min(values) and max(values) <= _ticks(values)[-1]


def test_bars_stay_within_their_place(evaluated, done) -> None:
    found, seen = evaluated
    for m in mistakes(seen, done, Policy(found.overwrite_cost)):
        made = waterfall(m.steps)
        places = [tuple(map(float, p)) for p in re.findall(r"left:([\d.-]+)%;width:([\d.-]+)%", made)]
        assert len(places) == len(m.steps)
        assert all(left >= 0 and width >= 0 and left + width <= 100.2 for left, width in places)


# --- on the command line, and in the documents ---------------------------------------------------------------------


def test_evaluate_writes_the_page(run, monkeypatch, tmp_path, evaluated, made) -> None:
    def evaluate(paths, *, collect, **rest):
        collect(evaluated[1])
        return evaluated[0]

    monkeypatch.setattr("training.evaluate.evaluate", evaluate)
    done = run("evaluate", "--report", "out.html")
    assert (done.code, done.err) == (0, "written: out.html\n")
    assert (tmp_path / "out.html").read_text(encoding="utf-8") == made
    assert "macro F1" in done.out
    assert run("evaluate", "--report", "out.html", "--json").data["pairs"] == evaluated[0].pairs


@pytest.mark.parametrize(
    "asked", [("--what", "gate", "--report", "out.html"), ("--report", "nowhere/out.html"), ("--report", ".")]
)
def test_what_cannot_be_written_is_told_before_anything_is_measured(run, monkeypatch, asked) -> None:
    monkeypatch.setattr("training.evaluate.evaluate", lambda *_, **__: pytest.fail("it was measured"))
    done = run("evaluate", *asked)
    assert done.code == 2 and "--report" in done.err


def test_the_documents_tell_of_every_block() -> None:
    page = (ROOT / "docs" / "decision.md").read_text(encoding="utf-8")
    (printed,) = re.findall(r"^Macro F1 by block of features .*?\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    header, *rows = (line.split() for line in printed.splitlines())
    assert header == ["block", "features", "without", "adds", "alone"] and all(len(row) == 5 for row in rows)
    assert {block: int(n) for block, n, *_ in rows} == {block: len(found) for block, found in blocks().items()}
