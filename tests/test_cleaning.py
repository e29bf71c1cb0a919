"""Raw text → what the parser reads, every character still knowing where it came from."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.cleaning import Cleaned, clean

CHATTY = st.lists(
    st.sampled_from(
        "i|im|I'm|the|the|at|um|uhh,|lol|haha|btw|dont|gonna|like|do|love|\n|\n\n|- |1. |"
        "> quoted reply of five words\n|"
        '"a quoted sentence of five words"|!!!|?!|...|🎉|👩‍👩‍👧|\u200d|\u200b|\x00|\t|,|, ,|“|”|’s|—|…|\u00a0|'
        "e\u0301|ß|你好|"
        "\u202e|\ufeff| |.|;|'|\"|Ana|Hull".split("|")
    ),
    max_size=25,
).map(" ".join)
ANY = st.text(max_size=80)


@settings(max_examples=250, deadline=None)
@given(st.one_of(ANY, CHATTY, st.lists(CHATTY, max_size=3).map("".join)))
@example("")
@example("lol")
@example("um")
@example("İ")
@example("ﬁ ǆ")
def test_every_character_maps_into_the_message_in_order(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned.offsets) == len(cleaned.text) + 1
    assert all(0 <= offset <= len(text) for offset in cleaned.offsets)
    assert all(0 <= offset < len(text) for offset in cleaned.offsets[:-1])
    assert list(cleaned.offsets) == sorted(cleaned.offsets)
    assert cleaned.offsets[-1] == len(text)


@settings(max_examples=200, deadline=None)
@given(st.one_of(ANY, CHATTY))
def test_cleaned_text_has_no_control_characters(text: str) -> None:
    for char in clean(text).text:
        assert char == "\n" or unicodedata.category(char) not in ("Cc", "Cf")


@settings(max_examples=200, deadline=None)
@given(st.one_of(ANY, CHATTY))
def test_cleaning_is_a_function(text: str) -> None:
    assert clean(text) == clean(text)


@given(st.lists(st.sampled_from("Ana Bram canoe Hull sold bought her his boat on in".split()), max_size=12))
def test_plain_words_keep_their_letters(words: list[str]) -> None:
    text = " ".join(words)
    cleaned = clean(text)
    for char, offset in zip(cleaned.text, cleaned.offsets, strict=False):
        assert text[offset] == char


@pytest.mark.parametrize(
    ("raw", "mended"),
    [
        ("im a nurse", "I'm a nurse"),
        ("i dont eat pork", "I don't eat pork"),
        ("ive got a dog", "I've got a dog"),
        ("Ive got a dog", "I've got a dog"),
        ("im gonna move", "I'm going to move"),
        ("i wanna learn Thai", "I want to learn Thai"),
        ("she doesnt smoke", "she doesn't smoke"),
        ("i i work at the the post office", "I work at the post office"),
        ("I'm I'm a vet", "I'm a vet"),
        ("so um i live in uh Hull", "so I live in Hull"),
        ("I live in Hull lol", "I live in Hull"),
        ("btw I live in Hull", "I live in Hull"),
        ("I live, by the way, in Hull", "I live, in Hull"),
        ("tbh, I hate golf", "I hate golf"),
        ("I live in Hull 🎉🎉", "I live in Hull "),
        ("I live in Hull!!!", "I live in Hull."),
        ("Really?!?!", "Really?"),
        ("I live in Hull...", "I live in Hull."),
        ("It’s Ana’s", "It's Ana's"),
        ("I\u00a0live\tin   Hull", "I live in Hull"),
        ("- I own a dog\n- I own a cat", "I own a dog\nI own a cat"),
        ("1. I own a dog\n2) I own a cat", "I own a dog\nI own a cat"),
        ("I do love opera", "I love opera"),
        ("I did enjoy Hull", "I enjoy Hull"),
        ("I live\x00in\x07Hull", "I live in Hull"),
        ("i went w/ my bf", "I went with my boyfriend"),
        ("I eat w/o salt", "I eat without salt"),
        ("rn im in Hull bc of u", "right now I'm in Hull because of you"),
        ("ur gonna laugh", "you're going to laugh"),
        ("is ur dog ok", "is your dog ok"),
        ("I rowed for 5 yrs", "I rowed for 5 years"),
        ("I leave tmrw thru Hull", "I leave tomorrow through Hull"),
        ("since since may in in Hull", "since may in Hull"),
        ("she's a she's a nurse", "she's a nurse"),
        ("she hates she hates the sea", "she hates the sea"),
        ("i've got a i've got one boat", "I've got one boat"),
        ("we we've got a boat", "we've got a boat"),
        ("on the 3rd of april er no sorry the 4th of april", "on the 4th of april"),
        ("I live in Hull, can you believe it, at last", "I live in Hull, at last"),
        ("I'm on the list, fingers crossed", "I'm on the list"),
        ("a cat called miso", "a cat called Miso"),
        ("she called off the wedding", "she called off the wedding"),
        ("its a boy", "it's a boy"),
        ("its tail is long", "its tail is long"),
        ("me nan's in Hull", "my nan's in Hull"),
        ("I left my job na, so I'm free", "I left my job, so I'm free"),
        ("do you know a vet", "do you know a vet"),
        ("Got divorced in 2020", "got divorced in 2020"),
    ],
)
def test_what_is_systematic_is_mended(raw: str, mended: str) -> None:
    assert clean(raw).text == mended


@pytest.mark.parametrize(
    "text",
    [
        "I live in Hull.", "My e-mail is i.x@example.org", "The i-th row",
        "I own an iPhone.", "The server is 10.0.0.17",
        "She's an rn in Hull.", "It fell in 50 bc.", "BC is in Canada.", "Me and my nan sing.",
        "The U-bend", "w/e", "Go to Hull, then.", "He got on.", "A Bahn-card", "My site is b.org/u",
        "I weigh 81.5 kg.", "My code is A-17/b.", "Ha Long is in Vietnam.", "I wont-ed",
    ],
)  # fmt: skip
def test_what_is_right_is_left_alone(text: str) -> None:
    assert clean(text).text == text


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ('She said "I live in a castle by the sea" to me.', "castle"),
        ("> I live in Rome and sing\nI don't.", "Rome"),
        ("“My wife is a famous painter” is a line.", "painter"),
        ("He wrote 'I have never seen the sea' there.", "never"),
    ],
)
def test_quotations_are_taken_out_and_remembered(text: str, gone: str) -> None:
    cleaned = clean(text)
    assert gone not in cleaned.text
    assert any(gone in text[start:end] for start, end in cleaned.quoted)


@pytest.mark.parametrize("text", ['I love "Bleak House".', "I'm reading “War and Peace”.", "My dog's and cat's bowls"])
def test_titles_and_apostrophes_are_no_quotations(text: str) -> None:
    assert clean(text).quoted == ()


def test_a_mended_word_points_at_what_it_stands_for() -> None:
    text = "ok so im gonna move to Hull"
    cleaned = clean(text)
    at = cleaned.text.index("going to")
    assert text[cleaned.offsets[at] : cleaned.offsets[at + len("going to")]].strip() == "gonna"
    at = cleaned.text.index("Hull")
    assert text[cleaned.offsets[at] :] == "Hull"


def test_sub_without_a_match_returns_the_same_object() -> None:
    import re

    cleaned = Cleaned("abc", (0, 1, 2, 3))
    assert cleaned.sub(re.compile("x"), "y") is cleaned
