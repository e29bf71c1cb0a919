"""Explanations as pictures, and explanations that tell nobody's words."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest
from conftest import Opener
from memory_kit import tell
from rich.console import Console

from engine import Memory
from engine.cli.waterfall import draw
from engine.decide import RULES
from engine.errors import InputError, MissingExtraError
from engine.explain import HIDDEN, Explanation, as_text, explanation
from engine.features import FEATURES
from engine.picture import SUFFIXES, waterfall
from engine.waterfall import MOST, steps

ROOT = Path(__file__).resolve().parent.parent
MAGIC = {".png": b"\x89PNG\r\n", ".svg": b"<?xml", ".pdf": b"%PDF"}


def told(**changed: object) -> dict[str, object]:
    """A small explanation."""
    bars = [
        {"feature": "same_attribute", "sentence": "both tell the same attribute", "value": 1.0, "contribution": 1.5},
        {"feature": "both_negative", "sentence": "both deny", "value": 0.0, "contribution": -0.75},
        {"feature": "text_cosine", "sentence": "the statements mean alike", "value": 0.62, "contribution": 0.25},
    ]
    whole = {
        "decision_id": "d1", "operation": "UPDATE", "label": "UPDATE", "candidate": "user rides a Brompton",
        "existing": "user rides a tandem", "probabilities": {"ADD": 0.2, "UPDATE": 0.8}, "costs": {}, "ruled_out": {},
        "threshold": None, "prior": 0.5, "bars": bars, "rule": None, "reasons": ["UPDATE is most probable"],
        "model": "abc", "neighbours": [], "operations": [],
    }  # fmt: skip
    return whole | changed


def said_in(svg: Path) -> list[str]:
    """The texts of an SVG: they are drawn as outlines, and stand beside them as comments."""
    return [line.strip() for line in re.findall(r"<!-- (.*?) -->", svg.read_text(encoding="utf-8"), re.DOTALL)]


# --- what is drawn -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_suffix_says_what_it_will_be_and_the_bytes_are_the_same(tmp_path: Path, suffix: str) -> None:
    paths = [tmp_path / f"{n}{suffix}" for n in (1, 2)]
    waterfall(told(), paths[0])
    with matplotlib.rc_context(
        {"font.size": 30.0, "axes.facecolor": "red", "svg.hashsalt": None}
    ):  # a user's own style
        waterfall(told(), str(paths[1]))
        assert matplotlib.rcParams["font.size"] == 30.0
    first, second = (path.read_bytes() for path in paths)
    assert first == second and first.startswith(MAGIC[suffix]) and len(first) > 1000


def test_a_capital_suffix_will_do(tmp_path: Path) -> None:
    waterfall(told(), tmp_path / "a.PNG")
    assert (tmp_path / "a.PNG").read_bytes().startswith(MAGIC[".png"])


def test_the_prior_comes_first_the_sum_last_and_all_figures_are_there(tmp_path: Path) -> None:
    waterfall(told(), tmp_path / "a.svg")
    said = said_in(tmp_path / "a.svg")
    figures = [s.replace("−", "-") for s in said if re.fullmatch(r"[+−-]\d\.\d\d", s)]
    assert figures == [f"{s.change:+.2f}" for s in steps(told())] == ["+0.50", "+1.50", "-0.75", "+0.25", "+1.50"]
    names = [s for s in said if s in {step.label for step in steps(told())}]
    assert names[0] == "before any feature" and names[-1] == "log-odds of UPDATE"
    assert "not: both deny" in names and "the statements mean alike (0.62)" in names
    for text in ("UPDATE", "new: user rides a Brompton", "held: user rides a tandem", "ADD 0.20    UPDATE 0.80",
                 "because: UPDATE is most probable", "log-odds"):  # fmt: skip
        assert text in said


def test_the_smaller_ones_share_a_bar(tmp_path: Path) -> None:
    waterfall(told(), tmp_path / "a.svg", most=1)
    assert "2 smaller ones" in said_in(tmp_path / "a.svg")


def test_what_was_not_compared_is_told_without_bars(tmp_path: Path) -> None:
    nothing = told(existing=None, bars=[], probabilities={}, rule="no neighbour", operation="ADD", prior=0.0)
    waterfall(nothing, tmp_path / "a.svg")
    assert {"ADD", "rule: no neighbour"} <= set(said_in(tmp_path / "a.svg"))
    assert "log-odds" not in said_in(tmp_path / "a.svg")


@pytest.mark.parametrize(
    "text",
    [
        "user pays $20 a week for the gym and $30 for $\\frac{pool}$",
        "user wrote <b>bold</b> & --> \"quotes\"",
        "user's café is called 健身房 🎉",
        "user said\n\ttwo lines\x08 and half of a pair \ud83d",
        "user told " + "a story that goes on and on, " * 60,
        "https://example.org/" + "x" * 400,
        "",
    ],
)  # fmt: skip
def test_any_text_makes_a_sound_file(tmp_path: Path, text: str, recwarn: pytest.WarningsRecorder) -> None:
    for suffix in SUFFIXES:
        waterfall(told(candidate=text, existing=text), tmp_path / f"a{suffix}")
    assert len(recwarn) == 0
    ElementTree.parse(tmp_path / "a.svg")
    # Long texts are cut after some lines: the picture stays a picture.
    height = float(re.search(r'height="([\d.]+)pt"', (tmp_path / "a.svg").read_text(encoding="utf-8"))[1])
    assert height < 72 * 10


def test_an_explanation_is_drawn_like_its_dict(tmp_path: Path, memory: Memory) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.")
    (done,) = tell(memory, "2026-02-01", "I moved to Bergen.")
    found = explanation(done["decision_id"], memory.store.decision(done["decision_id"]).record)
    assert isinstance(found, Explanation)
    waterfall(found, tmp_path / "a.svg")
    waterfall(memory.explain(done["decision_id"]), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "held: user lives in Leeds" in said_in(tmp_path / "a.svg")


def test_pyplot_and_its_state_are_left_alone_and_nothing_is_imported_before_it_draws(tmp_path: Path) -> None:
    script = (
        "import json, sys\nfrom engine.picture import waterfall\nassert 'matplotlib' not in sys.modules\n"
        "waterfall(json.loads(sys.argv[1]), sys.argv[2])\nassert 'matplotlib.pyplot' not in sys.modules\n"
    )
    path = tmp_path / "other.svg"
    done = subprocess.run([sys.executable, "-c", script, json.dumps(told()), str(path)], cwd=ROOT, capture_output=True,
                          text=True, timeout=120, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    waterfall(told(), tmp_path / "this.svg")
    assert path.read_bytes() == (tmp_path / "this.svg").read_bytes()


# --- what goes wrong -----------------------------------------------------------------------------------------------


def test_without_matplotlib_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'factfold[plots]'")):
        waterfall(told(), tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a.jpg", "a", "png", "nowhere/a.svg"])
def test_a_file_that_cannot_be_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="F840"):
        waterfall(told(), tmp_path / name)


# --- on the command line -------------------------------------------------------------------------------------------


def test_explain_draws_a_picture_beside_what_it_prints(run, moved, tmp_path) -> None:
    done = run("explain", moved["decision_id"], "--picture", "out.svg")
    assert (done.code, done.err) == (0, "drawn: out.svg\n")
    assert done.out == run("explain", moved["decision_id"]).out
    assert "held: user lives in Austin" in said_in(tmp_path / "out.svg")
    few = run("explain", moved["decision_id"], "--picture", "few.svg", "--most", "2", "--json")
    assert few.data["operation"] == "UPDATE"
    assert len(said_in(tmp_path / "few.svg")) < len(said_in(tmp_path / "out.svg"))


def test_explain_hides_values_in_the_picture_too(run, moved, tmp_path) -> None:
    assert run("explain", moved["decision_id"], "--hide-values", "--picture", "out.svg").code == 0
    assert f"new: {HIDDEN}" in said_in(tmp_path / "out.svg")
    content = (tmp_path / "out.svg").read_text(encoding="utf-8")
    assert "Austin" not in content and "Denver" not in content


def test_explain_tells_what_it_cannot_draw(run, moved) -> None:
    done = run("explain", moved["decision_id"], "--picture", "out.gif")
    assert done.code == 1 and "F840" in done.err


# --- hidden values -------------------------------------------------------------------------------------------------

TALKS = (
    ("I live in Leeds.", "I moved to Bergen.", "Actually it's Tromsø, not Bergen."),
    ("My residence is a houseboat in Ghent.", "My residence is now a cottage in Bruges."),
    ("I work as an actuary for Brightwell.", "I quit Brightwell and joined Harrow Mutual."),
    ("My employer is Kestrel Optics.", "My employer is Larch and Daughters."),
    ("My birthday is on 23 April.", "My birthday is on 29 April."),
    ("My email is ines@quince.example.", "My new email is ines@sorrel.example."),
    ("My job is welding.", "My job is carpentry now."),
    ("I have a beagle called Truffle.", "Truffle died last week."),
    ("I own three kayaks.", "I sold two kayaks.", "I sold all my kayaks."),
    ("I'm allergic to walnuts.", "I'm not allergic to walnuts."),
    ("I love knitting.", "I love knitting.", "I might take up falconry."),
    ("My sister Odile lives in Porto.", "Odile moved to Faro."),
    ("I weigh 81 kilos.", "I weigh 77 kilos."),
    ("I'm married to Casimir.", "Casimir and I got divorced."),
)
OWN = [*(f.sentence for f in FEATURES), *RULES, *RULES.values(), "user is in on my for has it all because rule"]
"""The words in which explanations speak to everybody; no attribute is among them."""


def words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"(?:\w|(?<=\d)\.(?=\d))+", text.casefold()))


def telling(memory: Memory, decision_id: str) -> frozenset[str]:
    """The words of all texts of a decision, but for those that explanations are made of."""
    shown = memory.explain(decision_id)
    texts = [shown["candidate"], shown["existing"] or "", *(n["text"] for n in shown["neighbours"]),
             *(o["previous"] or "" for o in shown["operations"])]  # fmt: skip
    return words(" ".join(texts)) - words(" ".join(OWN))


def outputs(memory: Memory, decision_id: str, path: Path) -> str:
    """All ways in which an explanation is put out, with its values hidden."""
    hidden = memory.explain(decision_id, hide_values=True)
    drawn = Console(file=io.StringIO(), width=200)
    draw(hidden, drawn, 500)
    waterfall(hidden, path, MOST)
    found = explanation(decision_id, memory.store.decision(decision_id).record, hide_values=True)
    pictured = " ".join(said_in(path)) + re.search(r"<dc:title>(.*?)</dc:title>", path.read_text("utf-8"))[1]
    return "\n".join((json.dumps(hidden, ensure_ascii=False), as_text(found, 500), drawn.file.getvalue(), pictured))


@pytest.mark.parametrize("turns", TALKS, ids=lambda turns: turns[0])
def test_no_word_of_the_texts_is_put_out(opener: Opener, tmp_path: Path, turns: tuple[str, ...]) -> None:
    memory = opener()
    done = [r for n, turn in enumerate(turns, 1) for r in tell(memory, f"2026-0{n}-05", turn)]
    assert done
    for decision_id in {r["decision_id"] for r in done}:
        told_of = telling(memory, decision_id)
        assert told_of
        assert told_of & words(outputs(memory, decision_id, tmp_path / "a.svg")) == frozenset()


def test_what_was_done_by_hand_or_asked_for_is_hidden_too(memory: Memory, tmp_path: Path) -> None:
    (first,) = tell(memory, "2026-01-05", "I live in Leeds.")
    memory.update(first["id"], "user lives in Whitby")
    memory.delete(first["id"], reason="typed by Agnes")
    asked = tell(memory, "2026-02-05", "I keep bees in Ripon.", "Forget my bees.")
    made = {row["decision_id"] for row in memory.history(first["id"])} | {r["decision_id"] for r in asked}
    assert len(made) == 5
    for decision_id in made:
        said = words(outputs(memory, decision_id, tmp_path / "a.svg"))
        assert said & {"leeds", "whitby", "agnes", "typed", "bees", "ripon"} == frozenset()


def test_a_reason_does_not_name_the_attribute(memory: Memory) -> None:
    tell(memory, "2026-01-05", "I live in Leeds.")
    (done,) = tell(memory, "2026-02-05", "I moved to Bergen.")
    reasons = {
        hide: memory.explain(done["decision_id"], hide_values=hide)["ruled_out"]["ADD"] for hide in (True, False)
    }
    assert reasons == {
        True: "the attribute holds one value at a time", False: "the attribute holds one value at a time"
    }  # fmt: skip


def test_sentences_of_bars_and_rules_are_the_same_for_everybody(memory: Memory) -> None:
    sentences = {f.name: f.sentence for f in FEATURES}
    for turns in TALKS[:6]:
        for n, turn in enumerate(turns, 1):
            for result in tell(memory, f"2026-0{n}-05", turn):
                shown = memory.explain(result["decision_id"])
                assert all(bar["sentence"] == sentences[bar["feature"]] for bar in shown["bars"])
                assert shown["rule"] in {None, *RULES, "put right"}
