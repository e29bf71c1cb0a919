"""Bare corrections are written out as the earlier statement with the wrong part replaced, and nothing is guessed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from memory_kit import events, open_memory, tell, texts

from engine import Memory, lexicon
from engine.corrections import Conversation, Correction, correction_in, is_cue
from engine.lexicon import Lexicon
from engine.retakes import unsaid
from engine.types import Message, Role

WHEN = datetime(2026, 3, 2, 10, tzinfo=UTC)


def told(*turns: str) -> tuple[Memory, list[str]]:
    """A memory after turns of a day each; "A: " is the assistant, "Mia: " and "Ben: " are people with names."""
    memory = open_memory()
    for day, turn in enumerate(turns, 2):
        speaker, colon, content = turn.partition(": ")
        message = {"role": "user", "content": turn}
        if colon and speaker == "A":
            message = {"role": "assistant", "content": content}
        elif colon and speaker in ("Mia", "Ben"):
            message = {"role": "user", "content": content, "name": speaker}
        memory.add([message], user_id="ana", timestamp=f"2026-03-{day:02d}T10:00:00Z")
    return memory, texts(memory)


@pytest.fixture(scope="module")
def words() -> Lexicon:
    return lexicon.load()


RIGHT = [
    # numbers, with what they count or alone
    (["My company has 30 employees.", "Correction, 40 employees."], ["user's company has 40 employees"]),
    (["I have two brothers and three sisters.", "Sorry, four sisters."], ["user has four sisters", "user has two brothers"]),
    (["I have two cats.", "make that three"], ["user has three cats"]),
    (["My house number is 26.", "typo: 62 not 26"], ["user's house number is 62"]),
    (["I weigh 72 kg.", "Should be 78 kg."], ["user weighs 78 kg"]),
    (["I run 5 km every morning.", "fat fingers, 8 km"], ["user runs 8 km every morning"]),
    (["I'm 34.", "oops 35"], ["user is 35"]),
    (["My daughter is 5 years old.", "oops, 6"], ["user's daughter is 6 years old"]),
    (["I live on the third floor.", "sorry, fourth floor"], ["user lives on the fourth floor"]),
    (["My phone number is 0155 238 771.", "correction 0155 283 771"], ["user's phone number is 0155 283 771"]),
    (["My email is ana@lima.example", "typo, anna@lima.example"], ["user's email is anna@lima.example"]),
    # money
    (["My rent is £900 a month.", "typo, £950"], ["user's rent is £950 a month"]),
    (["My rent is £900 a month.", "sorry 950"], ["user's rent is £950 a month"]),
    (["My budget is 2000 euros.", "oops, 3000 euros"], ["user's budget is 3000 euros"]),
    # clock times, days, months, years
    (["My shift starts at 6pm.", "oops 5pm"], ["user's shift starts at 5 pm"]),
    (["My exam is on Monday.", "I meant Tuesday"], ["user's exam is on Tuesday"]),
    (["My exam is on Friday.", "Thursday, not Friday, sorry"], ["user's exam is on Thursday"]),
    (["My meeting is on Monday.", "Not Monday, Tuesday."], ["user's meeting is on Tuesday"]),
    (["My meeting is on Monday.", "it should be Tuesday"], ["user's meeting is on Tuesday"]),
    (["My meeting is on Monday.", "Ugh, I wrote Monday but meant Tuesday"], ["user's meeting is on Tuesday"]),
    (["I graduated in 2018.", "2018 was wrong, it's 2015"], ["user graduated in 2015"]),
    (["I was born in March.", "May, not March"], ["user was born in May"]),
    (["My flight is on 9 March.", "sorry, the 10th"], ["user's flight is on the 10th of March"]),
    (["My flight is on March 9th.", "I meant April"], ["user's flight is on April 9th"]),
    (["My son's birthday is on 4 May.", "*5 May"], ["user's son's birthday is on 5 May"]),
    (
        ["My dentist appointment is on Monday at 4pm.", "Correction: Tuesday at 5pm"],
        ["user's dentist appointment is on Tuesday at 5 pm"],
    ),
    # names: by spelling, by what they are, by what they are not
    (["My sister Katerina lives in Oslo.", "argh autocorrect, Katarina"],
     ["user's sister Katarina lives in Oslo", "user's sister is Katarina"]),
    (["My sister Katerina lives in Oslo.", "*Katarina"],
     ["user's sister Katarina lives in Oslo", "user's sister is Katarina"]),
    (["I live in Leeks.", "Leeds even, not Leeks"], ["user lives in Leeds"]),
    (["I live in Munich.", "whoops, Berlin"], ["user lives in Berlin"]),
    (["i live in munich", "sorry berlin"], ["user lives in Berlin"]),
    (["I'm moving to Valencia in Spain.",
      "No no, should have said: Valencia in Venezuela, not the one in Spain."],
     ["user is moving to Valencia in Venezuela"]),
    (["My surgery is at St James.", "Sorry, wrong hospital: it's at Northwick Park."],
     ["user's surgery is at Northwick Park"]),
    (["My cousin Leila moved to Oslo.", "Samira, not Leila."],
     ["user's cousin Samira moved to Oslo", "user's cousin is Samira"]),
    (["I drive a Toyota.", "It's a Honda, not a Toyota."], ["user drives a Honda"]),
    (["My uncle Bram lives in Utrecht.", "it's my uncle Bas, not Bram"],
     ["user's uncle Bas lives in Utrecht", "user's uncle is Bas"]),
    # kin and kinds of things
    (["My wife works as a nurse.", "Sorry, teacher."], ["user's wife works as a teacher"]),
    (["My dad is a plumber.", "Edit: electrician"], ["user's dad is an electrician"]),
    (["I have a dog.", "*cat"], ["user has a cat"]),
    (["I speak Danish.", "Dutch, I mean!"], ["user speaks Dutch"]),
    # later on, after other turns, after another correction, after an answer
    (["I'm allergic to walnuts.", "I love painting.", "Sorry, I meant peanuts"],
     ["user is allergic to peanuts", "user loves painting"]),
    (["My exam is on Monday.", "I meant Tuesday", "no wait, Wednesday"], ["user's exam is on Wednesday"]),
    (["A: How many kids do you have?", "two", "sorry, three"], ["user has three kids"]),
    (["I have 3 kids.", "A: Three kids, lovely! How old are they?", "sorry, 4 kids"], ["user has 4 kids"]),
    (["My exam is on Monday.", "A: So your exam is on Monday?", "no, Tuesday"], ["user's exam is on Tuesday"]),
    # a name that a pronoun stands for, a part of a date, a firm that is called like a town, a title, a cue behind
    (["my gran is called Margret and she lives in Hull", "sorry its Margaret lol"],
     ["user's gran Margaret lives in Hull", "user's gran is Margaret"]),
    (["The wedding is on 14 June.", "I keep doing this. It's the 15th, not the 14th."],
     ["user's wedding is on the 15th of June"]),
    (["I work at Carrefour.", "typo - Lidl"], ["user works at Lidl"]),
    (["My dentist is Dr. Okafor.", "*Okonkwo"], ["user's dentist is Dr. Okonkwo"]),
    (["My landlord's name is Petrov.", "Petrovic!! stupid phone"], ["user's landlord is Petrovic"]),
    # two in one message: the second leaves the first as it is
    (["I'm flying to Porto on 3 May.", "Lisbon, not Porto. And it's 4 May."], ["user is flying to Lisbon on 4 May"]),
    (["I'm flying to Porto on 3 May.", "Sorry, Lisbon. Sorry, 4 May."], ["user is flying to Lisbon on 4 May"]),
    (["I'm flying to Porto on 3 May.", "Sorry, Lisbon. My sister is a nurse. Oops, 4 May."],
     ["user is flying to Lisbon on 4 May", "user's sister is a nurse"]),
    (["I'm flying to Porto on 3 May.", "Sorry, Lisbon.", "Sorry, 4 May."], ["user is flying to Lisbon on 4 May"]),
    # within one message
    (["My exam is on Monday. Sorry, Tuesday."], ["user's exam is on Tuesday"]),
    (["My exam is on Monday. Oops. Tuesday."], ["user's exam is on Tuesday"]),
    (["My exam is on Monday. Sorry, Tuesday. No, Wednesday, I mean."], ["user's exam is on Wednesday"]),
    # what else the message holds is read as always
    (["I live in Munich.", "Oops, Berlin. I'm allergic to peanuts."],
     ["user is allergic to peanuts", "user lives in Berlin"]),
    # whole sentences that a cue before them announces
    (["I work at Shell.", "I gave you the wrong company last month. I work at BP."], ["user works at BP"]),
    (["My boss Catriona wants the slides.", "Argh, autocorrect. My boss is called Katarina."],
     ["Katarina wants the slides", "user's boss is Katarina"]),
]  # fmt: skip


@pytest.mark.parametrize(("turns", "kept"), RIGHT, ids=lambda v: v[-1] if isinstance(v, list) else "")
def test_a_correction_puts_the_one_part_right_that_it_means(turns: list[str], kept: list[str]) -> None:
    assert told(*turns)[1] == kept


UNTOUCHED = [
    # something else is counted, or nothing of the kind was said
    ["My company has 30 employees.", "Correction, 40 contractors."],
    ["I have two cats.", "Sorry, one more question"],
    ["I have two cats.", "Sorry, 5 minutes"],
    ["I have two cats.", "Sorry, I have to go in five minutes"],
    ["I live in Oslo.", "I meant Tuesday"],
    # more than one part would fit
    ["I have two cats and two dogs.", "make that three"],
    ["I work at Shell with Tom.", "sorry, BP"],
    ["I like Leeds and York.", "sorry, Bradford"],
    # no correction at all
    ["I live in Oslo.", "Berlin"],
    ["I live in Oslo.", "sorry for the late reply"],
    ["I live in Oslo.", "oops"],
    ["I live in Oslo.", "Sorry"],
    ["I live in Oslo.", "Sorry, wrong chat"],
    ["I have a dog.", "Sorry, cat just walked over my keyboard"],
    ["I have a dog.", "I meant it as a joke."],
    ["I have a dog.", "actually a cat would be nice"],
    ["My rent is £900.", "ok so 950 is too much"],
    ["My exam is on Monday.", "Is it Tuesday, not Monday?"],
    ["My exam is on Monday.", "just kidding, Tuesday"],
    ["My sister is Ana.", "* Anna * Bob"],
    ["My sister is Ana.", "*sighs*"],
    # an answer or a wish, not a correction
    ["I live in Oslo.", "A: Where do you want to travel?", "Actually, Berlin"],
    ["My exam is on Monday.", "A: Is your birthday in May?", "no, June"],
    ["I like tea.", "coffee, not tea, please"],
    ["I like tea.", "coffee, not tea"],
    # somebody else's words
    ["Ben: I live in Leeds.", "Mia: Sorry, Bradford."],
    ["Ben: I live in Leeds.", "A: You live in Leeds.", "Mia: I meant Bradford"],
    # too long ago for a value that only its kind ties to it
    ["I have two cats.", "I like tea.", "I like rice.", "I like chess.", "oops, three"],
]


@pytest.mark.parametrize("turns", UNTOUCHED, ids=lambda turns: f"{turns[0]} / {turns[-1]}")
def test_what_fits_nothing_corrects_nothing(turns: list[str]) -> None:
    assert told(*turns)[1] == told(*turns[:-1])[1]


@pytest.mark.parametrize(
    "turns",
    [
        ["Should I book for Monday?", "I meant Tuesday"],
        ["Remind me to call the vet on Monday", "I meant Tuesday"],
        ["A: Your exam is on Monday, good luck!", "Sorry, Tuesday"],
        ["Not Monday, Tuesday."],
        ["I meant Tuesday"],
        ["2018 was wrong, it's 2015"],
        ["I said 2018 but meant 2016"],
    ],
)
def test_what_was_no_statement_does_not_become_one(turns: list[str]) -> None:
    assert told(*turns)[1] == []


def test_a_retraction_stays_a_retraction() -> None:
    memory, kept = told("My exam is on Monday.", "scratch that")
    assert kept == []
    assert texts(memory, as_of="2026-03-02T12:00:00Z") == []


def test_the_wrong_value_was_true_at_no_moment_and_the_correction_is_the_source() -> None:
    memory, _ = told("I live in Munich.", "whoops, Berlin")
    assert texts(memory, as_of="2026-03-02T12:00:00Z") == ["user lives in Berlin"]
    (kept,) = memory.get_all(user_id="ana")["results"]
    assert kept["sources"][-1]["text"] == "whoops, Berlin"


def test_a_named_speaker_corrects_his_own_words() -> None:
    _, kept = told("Ben: I live in Leeds.", "Mia: I live in York.", "Ben: sorry, Bradford")
    assert kept == ["Ben lives in Bradford", "Mia lives in York"]


def test_only_what_changed_is_told_again() -> None:
    memory = open_memory()
    tell(memory, "2026-03-02", "My sister Ana lives in Lima and I have two cats.")
    done = tell(memory, "2026-03-03", "make that three")
    assert [(d["event"], d["memory"]) for d in done] == [("UPDATE", "user has three cats")]


def test_one_call_and_the_same_call_again() -> None:
    memory = open_memory()
    turns = [{"role": "user", "content": text, "id": text} for text in ("My exam is on Monday.", "I meant Tuesday")]
    for _ in range(2):
        memory.add(turns, user_id="ana", timestamp="2026-03-02")
        assert texts(memory) == ["user's exam is on Tuesday"]


def test_a_correction_is_explained_and_touches_the_memory_it_means_alone() -> None:
    memory = open_memory()
    tell(memory, "2026-03-02", "My sister Katerina lives in Oslo.", "My brother Karsten lives in Oslo.")
    done = tell(memory, "2026-03-03", "Katarina, not Katerina")
    assert events(done) == ["UPDATE", "UPDATE"]
    told_why = [memory.explain(entry["decision_id"]) for entry in done]
    assert {why["rule"] for why in told_why} == {"put right"}
    assert [why["existing"] for why in told_why] == [
        "user's sister is Katerina",
        "user's sister Katerina lives in Oslo",
    ]


@pytest.mark.parametrize(
    ("text", "new", "old", "strong"),
    [
        ("Sorry, 19:15, not 7:15", "19:15", "7:15", True),
        ("I misread the ticket, it's 19:15.", "19:15", "", True),
        ("19:15, not 7:15", "19:15", "7:15", False),
        ("BANKER, I mean", "BANKER", "", True),
        ("*Katarina", "Katarina", "", True),
        ("Katarina*", "Katarina", "", True),
        ("not 2018 but 2015", "2015", "2018", False),
        ("Bristol instead of Brighton, sorry", "Bristol", "Brighton", True),
        ("Brighton should have been Bristol", "Bristol", "Brighton", True),
        ("I said six, meant seven", "seven", "six", True),
        ("no, Tuesday", "Tuesday", "", False),
        ("teh -> the", "the", "teh", True),
    ],
)
def test_the_form_of_a_correction(words: Lexicon, text: str, new: str, old: str, strong: bool) -> None:
    assert correction_in(text, words) == Correction(new, old, strong)


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, is it 19:15?",
        "Tuesday",
        "I want the red one, not the blue one",
        "Sorry, I have no idea what you are on about",
        "scratch that, Tuesday",
        "**Katarina**",
        "*sighs*",
        "sorry, could you say it again in plain words",
    ],
)
def test_no_correction_by_its_form(words: Lexicon, text: str) -> None:
    assert correction_in(text, words) is None


@pytest.mark.parametrize(
    ("text", "announces"),
    [
        ("Argh, autocorrect.", True),
        ("Oops!", True),
        ("No wait.", True),
        ("I gave you the wrong hospital last month.", True),
        ("Sorry.", False),
        ("No.", False),
        ("Oops, I forgot my keys.", False),
        ("That was wrong of him.", False),
    ],
)
def test_a_cue_alone_announces_a_correction(text: str, announces: bool) -> None:
    assert is_cue(text, announcing=True) is announces


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I have ten, I mean twelve nephews.", "I have twelve nephews."),
        ("My appointment is on the ninth, no, the tenth.", "My appointment is on the tenth."),
        ("I moved to Oslo on Friday, no sorry, Saturday.", "I moved to Oslo on Saturday."),
        ("I work at Nokia, sorry, Ericsson.", "I work at Ericsson."),
        ("My boss is called Tim, I mean Tom.", "My boss is called Tom."),
        ("My brother lives in Leeds, or rather Bradford.", "My brother lives in Bradford."),
        ("I started in 2015, no wait, 2016.", "I started in 2016."),
        ("My shift starts at 6pm, sorry, 7pm.", "My shift starts at 7pm."),
        (
            "My cousin Leila has moved to Oslo, no wait, I'm mixing them up, it's my cousin Samira who moved to Oslo.",
            "it's my cousin Samira who moved to Oslo.",
        ),
        # nothing is taken back
        ("She said no, Tom agreed.", None),
        ("I sold the car, sorry about the noise.", None),
        ("I like Monday, Tuesday and Friday.", None),
        ("I like Rome, sorry, the traffic was bad today.", None),
        ("My boss is mean, I mean it.", None),
        ("My son said no, he wants to stay.", None),
        ("Sorry, I meant Dutch.", None),
        ("I have two cats, no dogs.", None),
    ],
)
def test_what_a_sentence_takes_back_itself_is_left_out(text: str, left: str | None) -> None:
    blanked = unsaid(text)
    assert len(blanked) == len(text)
    assert " ".join(blanked.split()) == (left or text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I have ten, I mean twelve nephews.", ["user has twelve nephews"]),
        ("My appointment is on the ninth, no, the tenth.", ["user's appointment is on the tenth"]),
        (
            "My cousin Leila has moved to Oslo, no wait, I'm mixing them up, it's my cousin Samira who moved to Oslo.",
            ["user's cousin Samira moved to Oslo", "user's cousin is Samira"],
        ),
        ("It's my brother Tom who lives in Perth.", ["user's brother Tom lives in Perth", "user's brother is Tom"]),
        ("It's Samira that works at Shell.", ["Samira works at Shell"]),
    ],
)
def test_self_corrections_and_clefts_in_the_whole_loop(text: str, kept: list[str]) -> None:
    assert told(text)[1] == kept


def test_a_turn_is_known_as_it_was_put_right(words: Lexicon) -> None:
    said = ["My exam is on Monday.", "I meant Tuesday", "oops, Wednesday"]
    turns = [Message(Role.USER, text, text, WHEN) for text in said]
    conversation = Conversation(turns, words)
    assert [conversation.text(i) for i in range(3)] == [
        "My exam is on Monday.",
        "My exam is on Tuesday.",
        "My exam is on Wednesday.",
    ]
