"""The demo: all of its parts, in a pipe, within 100 columns."""

import pytest
from memory_kit import shared_encoder

from engine.cli.demo import gather
from engine.cli.demo_screen import show_demo
from engine.cli.output import WIDTH, console


@pytest.fixture(scope="module")
def demo():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.memory.MiniLM", lambda **_: shared_encoder())
        return gather()


def test_the_demo_shows_every_part(demo, capsys):
    show_demo(demo, console())
    out = capsys.readouterr().out
    for part in ("What is remembered on", "What changed or ended", "What was skipped", "One decision", "two moments"):
        assert part in out
    assert max(map(len, out.splitlines())) <= WIDTH
    assert "\x1b" not in out


def test_the_demo_is_about_something(demo):
    assert demo.report.messages == 127
    assert demo.remembered
    assert demo.superseded
    assert demo.explained is not None
    assert [answer.as_of for answer in demo.answers] == ["2026-03-15", "2026-09-01"]
    assert demo.answers[0].answer != demo.answers[1].answer
    assert all(change.speaker in ("Maya", "Tomek") for change in demo.superseded)
