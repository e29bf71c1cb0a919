"""A bare answer is understood from the question before it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from memory_kit import open_memory, texts

from engine import Memory
from engine.answers import answered, pieces
from engine.polar import gerund, polar_in, third
from engine.types import Message, Role

WHEN = datetime(2026, 1, 5, tzinfo=UTC)


def say(role: Role, content: str, name: str | None = None) -> Message:
    return Message(role, content, content, WHEN, name)


def statement_of(question: str, answer: str) -> str | None:
    return answered(say(Role.ASSISTANT, question), say(Role.USER, answer))


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("Do you have any pets?", "Yes, two cats.", "I have two cats."),
        ("Do you have any pets?", "Two cats", "I have two cats."),
        ("Nice! Where do you live?", "Bergen", "I live in Bergen."),
        ("Where do you live these days?", "in Bergen, Norway", "I live in Bergen, Norway."),
        ("Where do you work?", "Nokia", "I work at Nokia."),
        ("What's your name?", "Dina", "My name is Dina."),
        ("What is your favourite colour?", "teal!", "My favourite colour is teal."),
        ("How old are you?", "34", "I am 34 years old."),
        ("What do you do for a living?", "A nurse", "I work as a nurse."),
        ("Where are you from?", "Ghana", "I am from Ghana."),
        ("Which languages do you speak?", "Welsh and Dutch", "I speak Welsh and Dutch."),
        ("What city do you live in?", "Lyon", "I live in Lyon."),
        ("Where were you born?", "Cork", "I was born in Cork."),
        ("When were you born?", "1990", "I was born in 1990."),
        ("Where does your sister live?", "Rome", "My sister lives in Rome."),
        ("What does your husband do?", "teacher", "My husband works as a teacher."),
        ("How old is your daughter?", "six", "My daughter is six years old."),
        ("How tall are you?", "180 cm", "I am 180 cm tall."),
        ("Who do you live with?", "my mum", "I live with my mum."),
        ("What's your dog called?", "Rex", "My dog is called Rex."),
        ("What are your kids called?", "Tom and Ana", "My kids are called Tom and Ana."),
        ("Who's your dentist?", "Dr Rahman", "My dentist is Dr Rahman."),
        ("How many kids?", "three", "I have three kids."),
        ("How many kids do you have?", "three!", "I have three kids."),
        ("How many languages do you speak?", "4", "I speak 4 languages."),
        ("How many cups of coffee do you drink a day?", "two", "I drink two cups of coffee a day."),
        ("Any allergies?", "just peanuts", "I am allergic to peanuts."),
        ("Any kids?", "two", "I have two kids."),
        ("Any hobbies?", "climbing", "I enjoy climbing."),
        ("Are you allergic to anything?", "yes, peanuts", "I am allergic to peanuts."),
        ("Do you take any medication?", "metformin", "I take metformin."),
        ("Do you drive?", "yes, a Yaris", "I drive a Yaris."),
        ("Do you have kids?", "yes, two", "I have two kids."),
        ("Do you have any kids?", "Yes. Two.", "I have two kids."),
        ("Do you play an instrument?", "yes, the cello", "I play the cello."),
        ("Tea or coffee?", "tea please", "I prefer tea."),
        ("Do you drink tea or coffee?", "coffee, thanks", "I drink coffee."),
        ("Are you a cat person or a dog person?", "dog person", "I am a dog person."),
        ("Are you vegetarian or vegan?", "vegan", "I am vegan."),
        ("Do you live in a house or a flat?", "a flat", "I live in a flat."),
        ("Married?", "divorced actually", "I am divorced."),
        ("Are you vegetarian?", "vegan actually", "I am vegan."),
        ("Do you live in Rome?", "no, in Milan", "I live in Milan."),
        ("Are you a nurse?", "no, a teacher", "I am a teacher."),
        ("Do you have a dog?", "no, a cat", "I have a cat."),
        # nothing is named, or it is another sentence
        ("Do you have any pets?", "no, two kids", None),
        ("Do you have any pets?", "What do you mean?", None),
        ("Do you have any pets?", "I used to have a hamster", None),
        ("Do you have siblings?", "no, just me", None),
        ("Do you have a garden?", "yes, a small one", None),
        ("How old are you?", "old enough", None),
        ("How many kids do you have?", "enough", None),
        ("Where do you live?", "why?", None),
        ("Where do you live?", "maybe later", None),
        ("What is your name?", "yes", None),
        ("Cats are nice.", "two cats", None),
        ("Do you have any pets? I love them.", "two cats", None),
        ("Do you like it?", "it is the best thing that I ever saw", None),
        ("Are you vegetarian or vegan?", "yes", None),
    ],
)
def test_what_a_bare_answer_says(question: str, answer: str, statement: str | None) -> None:
    assert statement_of(question, answer) == statement


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("Do you have any pets?", "Yes", "I have pets."),
        ("Do you have any pets?", "No.", "I do not have any pets."),
        ("Are you vegetarian?", "yes", "I am vegetarian."),
        ("Are you vegetarian?", "yep!", "I am vegetarian."),
        ("Are you vegetarian?", "no", "I am not vegetarian."),
        ("Are you vegetarian?", "yes, since May", "I am vegetarian since May."),
        ("Do you live in Rome?", "Yes I do", "I live in Rome."),
        ("Do you live in Rome?", "No I don't", "I do not live in Rome."),
        ("Do you work from home?", "yes, on Fridays", "I work from home on Fridays."),
        ("Have you got a car?", "yes", "I have a car."),
        ("Have you ever been to Japan?", "yes", "I have been to Japan."),
        ("Have you ever been to Japan?", "never", "I have never been to Japan."),
        ("Did you grow up in Cork?", "no", "I did not grow up in Cork."),
        ("Can you swim?", "yes", "I can swim."),
        ("Married?", "yes, to Tom", "I am married to Tom."),
        ("Any kids?", "no", "I do not have any kids."),
        ("Is your wife a nurse?", "yes", "My wife is a nurse."),
        ("Is your phone number 0155 238?", "yes", "My phone number is 0155 238."),
        ("Does your wife work at Shell?", "yes", "My wife works at Shell."),
        ("Does your older sister Ana live in Rome?", "yes", "My older sister Ana lives in Rome."),
        ("Do you smoke?", "occasionally", "I smoke occasionally."),
        ("Do you smoke?", "never", "I never smoke."),
        # what is over
        ("Do you smoke?", "not any more", "I no longer smoke."),
        ("Do you smoke?", "I quit last year", "I stopped smoking last year."),
        ("Do you smoke?", "no, quit in 2020", "I stopped smoking in 2020."),
        ("Still at Siemens?", "nope", "I no longer work at Siemens."),
        ("Are you still at Siemens?", "yes", "I am still at Siemens."),
        ("Are you still in Rome?", "not any more", "I no longer live in Rome."),
        ("Do you still live with your parents?", "no", "I no longer live with my parents."),
        ("Does your wife still work at Shell?", "not any more", "My wife no longer works at Shell."),
        # tags and negative questions
        ("You don't eat meat, right?", "right", "I do not eat meat."),
        ("You don't eat meat, right?", "no", "I do not eat meat."),
        ("You don't eat meat, do you?", "no", "I do not eat meat."),
        ("You don't eat meat, do you?", "yes", None),
        ("Don't you eat meat?", "no", "I do not eat meat."),
        ("Aren't you vegetarian?", "yes", "I am vegetarian."),
        ("You're a nurse, right?", "yes", "I am a nurse."),
        ("So you live in Rome?", "correct", "I live in Rome."),
        ("You live in Rome, right?", "no", "I do not live in Rome."),
        ("You were born in Cork, right?", "yes", "I was born in Cork."),
    ],
)
def test_a_yes_or_a_no_asserts_what_a_plain_question_asks(question: str, answer: str, statement: str | None) -> None:
    assert statement_of(question, answer) == statement


NO_PLAIN_QUESTIONS = [
    "Shall I go on?",
    "Should I book it?",
    "Can I help?",
    "Can you help me?",
    "Would you like a recipe?",
    "Do you want me to go on?",
    "Do you need anything else?",
    "Do you mean Paris in Texas?",
    "Do you think you'll move?",
    "Do you agree?",
    "Do you like this plan?",
    "Do you like it?",
    "Do you have any other questions?",
    "Does that help?",
    "Are you sure?",
    "Are you ready?",
    "Are you looking for a flat?",
    "Have you tried restarting?",
    "Have you considered a hybrid?",
    "Have you finished?",
    "If you moved, would you sell?",
    "Could you live without coffee?",
    "Would you say you're happy?",
    "Is it raining?",
    "Is there anything else?",
    "Is that your sister?",
    "What is your name?",
    "Where do you live?",
    "Which city?",
    "Have you lived there long?",
    "Are you vegetarian or vegan?",
    "Are you vegetarian? Do you eat fish?",
    "Do you smoke? Most people do not.",
    "You said you moved to Oslo?",
    "You live in Rome.",
]


@pytest.mark.parametrize("question", NO_PLAIN_QUESTIONS)
@pytest.mark.parametrize("answer", ["yes", "no", "sure", "not any more"])
def test_no_word_asserts_an_offer_a_supposition_or_talk_of_the_talk(question: str, answer: str) -> None:
    assert statement_of(question, answer) is None


@pytest.mark.parametrize(
    "answer",
    [
        "yes and no",
        "yeah right",
        "maybe",
        "I think so",
        "yes, why?",
        "ok",
        "sure",
        "haha",
        "thanks",
        "hmm",
        "yes, if I can",
    ],
)
def test_what_is_neither_yes_nor_no_asserts_nothing(answer: str) -> None:
    assert statement_of("Do you work at Siemens?", answer) is None


def test_only_somebody_else_asks_and_only_a_user_answers() -> None:
    asked, told = say(Role.USER, "Do you have any pets?"), say(Role.USER, "two cats")
    assert answered(asked, told) is None and answered(None, told) is None
    assert answered(say(Role.ASSISTANT, "Do you have any pets?"), say(Role.ASSISTANT, "two cats")) is None
    assert answered(say(Role.SYSTEM, "Do you have any pets?"), told) is None
    mia = say(Role.USER, "Do you have any pets?", "Mia")
    assert answered(mia, say(Role.USER, "two cats", "Mia")) is None
    assert answered(mia, say(Role.USER, "two cats", "Ben")) == "I have two cats."


def test_a_question_to_somebody_by_name_is_his() -> None:
    asked = say(Role.USER, "Ben, do you smoke?", "Mia")
    assert answered(asked, say(Role.USER, "yes", "Ben")) == "I smoke."
    assert answered(asked, say(Role.USER, "yes", "Ana")) is None


@pytest.mark.parametrize(
    ("said", "question", "answer", "statement"),
    [
        ("I live in France.", "Which city?", "Lyon", "I live in Lyon, France."),
        ("I live in a big city.", "Which city?", "Lyon", "I live in Lyon."),
        ("I play an instrument.", "Which instrument?", "the cello", "I play the cello."),
        ("I work for a startup in Bonn.", "Which startup?", "Lingo", "I work for Lingo in Bonn."),
        ("I like cake.", "Which city?", "Lyon", None),
        ("Should I move to France?", "Which city?", "Lyon", None),
        ("I moved from Spain to France.", "Which city?", "Lyon", None),
    ],
)
def test_a_question_for_a_part_of_what_was_said(said: str, question: str, answer: str, statement: str | None) -> None:
    found = pieces(say(Role.ASSISTANT, question), say(Role.USER, answer), said)
    assert (found[0].text if found else None) == statement


LOOPS = [
    (["A: Do you have pets?", "two cats"], ["user has two cats"]),
    (["A: Are you vegetarian?", "yes"], ["user is vegetarian"]),
    (["A: Still at Siemens?", "nope"], ["user no longer works at Siemens"]),
    (["I work at Siemens.", "A: Still at Siemens?", "nope"], []),
    (["I smoke.", "A: Do you smoke?", "not any more"], []),
    (["A: Do you live in Rome?", "No, I live in Milan now."], ["user lives in Milan"]),
    (["A: Do you have kids?", "Yes. I also have a dog named Rex."], ["user has a dog named Rex", "user has kids"]),
    (["I live in France.", "A: Which city?", "Lyon"], ["user lives in Lyon, France"]),
    (["Mia: Do you have pets?", "Ben: two cats"], ["Ben has two cats"]),
    (["A: You work at Siemens, I believe.", "yes"], []),
    (["A: Shall I note that you live in Rome?", "yes"], []),
    (["A: Do you have any pets?", "Thanks!", "two dogs and a parrot named Kiki?"], []),
    (["A: Where do you live?", "we have two cats"], ["user has two cats"]),
]


@pytest.mark.parametrize(("turns", "kept"), LOOPS, ids=lambda v: v[-1] if isinstance(v, list) and v else "none")
def test_answers_in_the_whole_loop(turns: list[str], kept: list[str]) -> None:
    memory = open_memory()
    for day, turn in enumerate(turns, 5):
        speaker, _, content = turn.partition(": ")
        message = {"role": "user", "content": turn}
        if speaker == "A":
            message = {"role": "assistant", "content": content}
        elif speaker in ("Mia", "Ben"):
            message = {"role": "user", "content": content, "name": speaker}
        memory.add([message], user_id="ana", timestamp=f"2026-01-{day:02d}")
    assert texts(memory) == kept


@pytest.mark.parametrize("calls", [1, 2])
def test_it_is_stored_with_the_answer_as_its_source(memory: Memory, calls: int) -> None:
    turns = [{"role": "assistant", "content": "Where do you live?"}, {"role": "user", "content": "Bergen"}]
    for part in [turns] if calls == 1 else [[turn] for turn in turns]:
        memory.add(part, user_id="ana", timestamp="2026-01-05")
    (kept,) = memory.get_all(user_id="ana")["results"]
    assert kept["memory"] == "user lives in Bergen"
    assert [s["text"] for s in kept["sources"]] == ["Bergen"]


def test_an_answer_to_something_else_is_no_fact(memory: Memory) -> None:
    memory.add([{"role": "assistant", "content": "Do you have any pets?"}, "Thanks!", "two cats"], user_id="ana")
    assert texts(memory) == []


@pytest.mark.parametrize(
    ("verb", "after_he", "doing"),
    [("smoke", "smokes", "smoking"), ("run", "runs", "running"), ("play", "plays", "playing"), ("study", "studies", "studying"),
     ("have", "has", "having"), ("teach", "teaches", "teaching"), ("swim", "swims", "swimming"), ("go", "goes", "going")],
)  # fmt: skip
def test_forms_of_verbs(verb: str, after_he: str, doing: str) -> None:
    assert (third(verb), gerund(verb)) == (after_he, doing)


def test_a_question_is_kept_as_what_it_asks() -> None:
    polar = polar_in("do you still smoke")
    assert polar is not None
    assert (polar.affirmed(), polar.denied(), polar.given_up("in May")) == (
        "I still smoke.",
        "I no longer smoke.",
        "I stopped smoking in May.",
    )
