"""Messages → parsed sentences: verbatim spans, speaker and time kept, nothing of spaCy outlives the call."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.sentences import parse, pipeline, statements
from engine.types import Message, Role

NOW = datetime(2026, 3, 2, tzinfo=UTC)
TEXTS = [
    "I live in Hull. My sister Ilse plays chess!",
    "im gonna move 🎉 to   Hull lol, and i i like it",
    "- I own a dog\n- I own a cat\n\n3) My wife's pregnant",
    "“Hello”, she said.\tI'm—well—a vet…",
    "My site is https://example.org/a?b=1 and my mail is a.b@c.org",
    "\u200bI live\u00a0in Łódź\x07.",
]


def message(text: str, name: str | None = None, number: int = 0) -> Message:
    return Message(Role.USER, text, f"m{number}", NOW, name)


def check(text: str) -> None:
    for sentence in parse([message(text)])[0]:
        assert sentence.text == text[sentence.start : sentence.end]
        assert 0 <= sentence.start <= sentence.end <= len(text)
        assert sentence.tokens
        assert [t.i for t in sentence.tokens] == list(range(len(sentence.tokens)))
        for token in sentence.tokens:
            assert 0 <= token.head < len(sentence.tokens)
            assert sentence.start <= token.start <= token.end <= sentence.end
        starts = [t.start for t in sentence.tokens]
        assert starts == sorted(starts)


@pytest.mark.parametrize("text", TEXTS)
def test_spans_are_verbatim(text: str) -> None:
    check(text)
    assert parse([message(text)])[0]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(TEXTS), max_size=2).map("".join)))
@example("")
@example("\n \n")
@example("\ud800 I live in Hull")
@example("🎉🎉")
@example("'s 's 's not")
@example("\u2028\u2029\x85")
def test_no_text_is_too_odd(text: str) -> None:
    check(text.encode("utf-8", "replace").decode())


def test_each_token_tree_has_one_root() -> None:
    for sentence in parse([message(t) for t in TEXTS])[0]:
        for token in sentence.tokens:
            seen = set()
            at = token
            while at.head != at.i:
                assert at.i not in seen
                seen.add(at.i)
                at = sentence.tokens[at.head]


def test_speaker_time_and_message_are_kept() -> None:
    one, two = parse([message("I live in Hull.", "Pim", 1), message("I don't.", None, 2)])
    assert (one[0].message.speaker, two[0].message.speaker) == ("Pim", "user")
    assert (one[0].message.id, two[0].message.id) == ("m1", "m2")
    assert one[0].message.timestamp == NOW


def test_a_batch_reads_as_its_messages_alone() -> None:
    together = parse([message(t, None, i) for i, t in enumerate(TEXTS)])
    alone = [parse([message(t, None, i)])[0] for i, t in enumerate(TEXTS)]
    assert together == alone


def test_messages_without_text_give_no_sentence() -> None:
    assert parse([]) == []
    assert parse([message(""), message(" \n ")]) == [(), ()]


def test_lines_end_sentences() -> None:
    assert [s.text for s in parse([message("I own a dog\nI own a cat")])[0]] == ["I own a dog", "I own a cat"]


def test_the_vocabulary_does_not_grow() -> None:
    strings = pipeline().vocab.strings
    parse([message("I met Qwertzuiopü yesterday.")])
    parse([message("I met Asdfghjklö yesterday.")])
    assert "Asdfghjklö" not in strings
    assert "Qwertzuiopü" not in strings


def test_a_statement_keeps_the_word_user() -> None:
    (sentence,) = statements(["user lives in Hull"])[0]
    assert [t.text for t in sentence.tokens] == ["user", "lives", "in", "Hull"]
    assert sentence.text == "user lives in Hull"
    (sentence,) = statements(["user's sister Ilse lives in Hull"])[0]
    assert sentence.tokens[0].text == "user"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("My pronouns are she/her.", "she/her"),
        ("They/them works for me", "They/them"),
        ("I drive a '72 Beetle", "'72"),
        ("My father-in-law paints.", "father-in-law"),
        ("my brothers-in-law paint", "brothers-in-law"),
        ("My ex-husband left.", "ex-husband"),
    ],
)
def test_what_is_one_word_stays_one(text: str, word: str) -> None:
    assert word in [t.text for s in parse([message(text)])[0] for t in s.tokens]


def test_the_mark_that_closes_a_line_points_into_it() -> None:
    (sentence,) = parse([message("I live in Hull")])[0]
    assert sentence.text == "I live in Hull"
    assert [t.text for t in sentence.tokens][-1] == "."
    assert sentence.tokens[-1].end == sentence.end


def test_no_sentence_begins_within_what_is_supposed() -> None:
    for text in ("imagine I live in Rome and I have a vespa", "Did I tell you I moved to York and I got a cat?"):
        assert len(parse([message(text)])[0]) == 1
    (_, asked, told) = parse([message("I live in Leeds. Where can I eat? Scratch that.")])[0]
    assert (asked.text, told.text) == ("Where can I eat?", "Scratch that.")
