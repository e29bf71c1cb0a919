"""Statements without a verb: what they come to, and all that looks like one and is none."""

from __future__ import annotations

from functools import cache

import pytest
from facts_kit import SAID, kept_in, readings, turns_of

from engine import lexicon
from engine.facts.fragments import Fragments
from engine.facts.fragments.shapes import Shape
from engine.types import Message, Role


@cache
def fragments() -> Fragments:
    return Fragments(lexicon.load())


def written(text: str, before: str | None = None) -> str:
    """The sentences that the fragments of a message come to, one a line."""
    asked = None if before is None else Message(Role.ASSISTANT, before, "q", SAID)
    return "\n".join(f.text for f in fragments().of(turns_of((text,), None)[0], asked))


def _shapes() -> list[Shape]:
    return list(fragments().shapes.all)


def _label(shape: Shape) -> str:
    return min(shape.labels, default="")


@pytest.mark.parametrize(
    ("shape", "text", "says"),
    [(s, text, says) for s in _shapes() for text, says in s.examples],
    ids=lambda x: x.name if isinstance(x, Shape) else None,
)
def test_shapes_say_what_their_examples_tell(shape: Shape, text: str, says: str) -> None:
    assert ". ".join(fragments().shapes.said(shape, text, _label(shape))) == says


@pytest.mark.parametrize(
    ("shape", "text"),
    [(s, text) for s in _shapes() for text in s.counter],
    ids=lambda x: x.name if isinstance(x, Shape) else None,
)
def test_shapes_leave_their_counter_examples(shape: Shape, text: str) -> None:
    assert not fragments().shapes.said(shape, text, _label(shape))


@pytest.mark.parametrize("shape", _shapes(), ids=lambda s: s.name)
def test_every_shape_has_counter_examples(shape: Shape) -> None:
    assert shape.counter
    assert shape.examples or shape.labels


STATEMENTS = {
    # introductions
    "Quick intro: trainee archivist at Pell & Moor, mostly building catalogues nobody opens.": (
        "I am a trainee archivist at Pell & Moor.",
        "I am mostly building catalogues nobody opens.",
    ),
    "Short bio: notary by day, bass player in a ceilidh band by night, married to Ottoline, one son (Caspar).": (
        "I am a notary by day.",
        "I am a bass player in a ceilidh band by night.",
        "I am married to Ottoline.",
        "I have one son named Caspar.",
    ),
    "About me: 41, divorced, engineer at Vestergaard, based in Aarhus": (
        "I am 41.",
        "I am divorced.",
        "I am an engineer at Vestergaard.",
        "I am based in Aarhus.",
    ),
    "Marguerite Okonjo here, I play the viola.": ("My name is Marguerite Okonjo.", "I play the viola."),
    "I'm Odalys, nurse at St Olave's, mum of two :)": (
        "My name is Odalys.",
        "I am a nurse at St Olave's.",
        "I am a mum of two.",
    ),
    "I'm a baker, 41, divorced, and I sing in a choir": (
        "I am a baker.",
        "I am 41.",
        "I am divorced.",
        "I sing in a choir.",
    ),
    "Ex-police officer, now a florist": ("I used to be a police officer.", "I am a florist."),
    "Myself Priya, software tester from Pune": ("My name is Priya.", "I am a software tester from Pune."),
    "Mum of three, teacher, Leeds": ("I am a mum of three.", "I am a teacher.", "I am based in Leeds."),
    "mum of two, midwife, bristol": ("I am a mum of two.", "I am a midwife.", "I am based in bristol."),
    "34F, nurse, Manchester": ("I am 34.", "I am a nurse.", "I am based in Manchester."),
    "Software tester | Pune | cat person": ("I am a software tester.", "I am based in Pune.", "I am a cat person."),
    "Hi all! Retired bus driver from Hull here, two grandkids, keen birdwatcher.": (
        "I am a retired bus driver from Hull.",
        "I have two grandkids.",
        "I am a keen birdwatcher.",
    ),
    "Freelance illustrator, 29, Glasgow": ("I am a freelance illustrator.", "I am 29.", "I am based in Glasgow."),
    # work
    "Week two as a firefighter, changing careers was wild.": ("I am now a firefighter.",),
    "New job: senior nurse at St Olave's": ("I am now a senior nurse at St Olave's.",),
    "new job at Northwind Logistics!!": ("I have a new job at Northwind Logistics.",),
    "First week at Siemens": ("I started at Siemens.",),
    "5 years at Bosch as of today": ("I have been at Bosch for 5 years.",),
    "Still at Bosch": ("I am still at Bosch.",),
    "Doing mornings at a bakery, Pan de Oro": ("I work mornings at a bakery called Pan de Oro.",),
    "Promoted to shift manager!": ("I was promoted to shift manager.",),
    "Made redundant in March, retraining as an electrician": (
        "I was made redundant in March.",
        "I am retraining as an electrician.",
    ),
    "Out of work since May": ("I have been out of work since May.",),
    "HR manager at Halden Foods since 2021": ("I have been an HR manager at Halden Foods since 2021.",),
    "Second-year physics student at Leiden": ("I am a second-year physics student at Leiden.",),
    "12 years as a nurse": ("I have been a nurse for 12 years.",),
    "8 weeks into my new job at Halden": ("I started my new job at Halden 8 weeks ago.",),
    "Founder of Lumen Labs": ("I am the founder of Lumen Labs.",),
    "On maternity leave until June": ("I am on maternity leave until June.",),
    # family
    "Finally engaged!!": ("I am finally engaged.",),
    "Recently divorced, father of two girls": ("I am recently divorced.", "I am a father of two girls."),
    "Married with two kids, living in Bergen": ("I am married.", "I have two kids.", "I am living in Bergen."),
    "Married 12 years, no kids": ("I have been married for 12 years.", "I have no kids."),
    "Update: no longer single, moved in with Petra last month": (
        "I am no longer single.",
        "I moved in with Petra last month.",
    ),
    "20 weeks pregnant": ("I am 20 weeks pregnant.",),
    "Widow, three grown kids": ("I am a widow.", "I have three grown kids."),
    "Wife: Solveig": ("My wife is Solveig.",),
    # home
    "Currently in Doha.": ("I am currently in Doha.",),
    "Back in Lisbon for good": ("I am back in Lisbon for good.",),
    "Born and raised in Cork": ("I was born in Cork.", "I was raised in Cork."),
    "Born in 1988 in Ghent": ("I was born in 1988.", "I was born in Ghent."),
    "From Kerala originally": ("I am originally from Kerala.",),
    "Five years in Lisbon and counting": ("I have lived in Lisbon for five years.",),
    "Welsh, living in Madrid for 6 years": ("My nationality is Welsh.", "I have been living in Madrid for 6 years."),
    # body and table
    "Vegetarian since 2010, allergic to nuts.": ("I have been a vegetarian since 2010.", "I am allergic to nuts."),
    "Vegetarian (since 2015), no nuts": ("I have been a vegetarian since 2015.", "I do not eat nuts."),
    "Lactose intolerant btw": ("I am lactose intolerant.",),
    "Gluten intolerant and vegetarian": ("I have a gluten intolerance.", "I am a vegetarian."),
    "Allergies: peanuts, shellfish": ("I am allergic to peanuts.", "I am allergic to shellfish."),
    "Day 40 without a cigarette!": ("I have not smoked for 40 days.",),
    "Ex-smoker, 5 years": ("I quit smoking 5 years ago.",),
    "6 months sober today!!": ("I have been sober for 6 months.",),
    "No more coffee for me": ("I no longer drink coffee.",),
    "No more meat for me": ("I no longer eat meat.",),
    "Fully recovered": ("I have fully recovered.",),
    "Diagnosed with ADHD last year": ("I was diagnosed with ADHD last year.",),
    "Height 180 cm, weight 76 kg": ("My height is 180 cm.", "My weight is 76 kg."),
    "Left-handed, colour blind": ("I am left-handed.", "I am colour blind."),
    # who one is
    "36 and counting": ("I am 36.",),
    "Pronouns: they/them": (),
    "she/her": ("Pronouns: she/her.",),
    "Not a morning person": ("I am not a morning person.",),
    "Lifelong Arsenal fan": ("I am a lifelong Arsenal fan.",),
    "Keen gardener and amateur baker": ("I am a keen gardener.", "I am an amateur baker."),
    "Native Spanish speaker": ("I am a native Spanish speaker.",),
    # what one has and does
    "Proud owner of a Vespa now": ("I own a Vespa now.",),
    "Two cats, one dog, zero free time": ("I have two cats.", "I have one dog."),
    "Gerald, the tortoise": ("I have a tortoise named Gerald.",),
    "Dog: Biscuit. Cat: Olive.": ("I have a dog named Biscuit.", "I have a cat named Olive."),
    "Off to Goa in December, whole family": ("I am going to Goa in December with the whole family.",),
    "Dentist Tuesday 9:30": ("My dentist appointment is on Tuesday at 9:30.",),
    "Exam Monday": ("My exam is on Monday.",),
    "Flight to Oslo Friday 7am": ("My flight to Oslo is on Friday at 7am.",),
    "Captain of the chess club since May": ("I have been a captain of the chess club since May.",),
}


@pytest.mark.parametrize("text", STATEMENTS)
def test_fragments_are_written_out(text: str) -> None:
    assert tuple(written(text).splitlines()) == STATEMENTS[text]


@pytest.mark.parametrize("text", STATEMENTS)
def test_fragments_leave_facts_that_stand_in_them(text: str) -> None:
    (read,) = readings(text)
    assert read.facts
    assert {f.subject for f in read.facts} == {"user"}
    assert all(f.span is not None and f.span.text in text for f in read.facts)


FACTS = {
    "Mum of three, teacher, Leeds": ("user is a mum of three", "user is a teacher", "user is based in Leeds"),
    "Quick intro: trainee archivist at Pell & Moor": ("user is a trainee archivist", "user works at Pell & Moor"),
    "Vegetarian since 2010, allergic to nuts.": ("user has been a vegetarian since 2010", "user is allergic to nuts"),
    "Marguerite Okonjo here, I play the viola.": ("user's name is Marguerite Okonjo", "user plays the viola"),
    "Two cats, one dog, zero free time": ("user has two cats", "user has one dog"),
    "Pronouns: they/them": ("user's pronouns are they/them",),
    "Still at Bosch": ("user is at Bosch",),
    "36 and counting": ("user is 36",),
}


@pytest.mark.parametrize("text", FACTS)
def test_fragments_come_to_facts(text: str) -> None:
    kept = kept_in(text)
    assert [s for s in FACTS[text] if s not in kept] == [], kept


NOTHING = (
    # answers, quips, moods, moments
    "great idea", "same here", "nice one", "so tired", "happy!", "just home", "off to bed", "at work now", "Still at it",
    "Still at work", "Back in ten", "Just back from the mechanic", "Back in Lisbon for lunch", "Currently in a meeting",
    "Currently in bed", "Finally Friday!", "Finally done", "Fully charged", "Doing great", "Doing laundry at home",
    "Off to work", "Off to Goa", "Off to a good start", "No more excuses", "No more wine for me tonight",
    "No more cake for me, I'm stuffed", "No more coffee left", "Nothing here", "Sunny here, 25 degrees", "Paris here",
    "Good morning Leeds!", "Hello from Lisbon", "Nice to meet you", "Proud of you", "Blind date tomorrow",
    # what is asked for
    "Recipe for lentil soup please", "Ideas for a birthday?", "Best laptop under 500?", "Good plumber in Leeds",
    "Plumber in Bristol", "Cheap dentist near Hackney", "Vegan restaurants in Oslo", "Two coffees and a muffin",
    "Two adults, two kids, Rome in May", "Tickets: two adults, one kid", "Single bed or double?", "Single malt, please",
    "Engineer at Vestergaard?", "Call doctor", "Ask nurse", "Italian, vegetarian, Leeds", "vegan", "34", "Leeds",
    # headlines and other people
    "New CEO at Apple", "Nurses at St Olave's on strike", "Senior engineer at Nokia resigns", "Prime minister of Japan",
    "Teacher of the year awards", "Former president of France", "Senior nurse at St Olave's needed",
    "Hiring: junior analyst at Pell & Moor", "Headline: retired bus driver wins lottery", "The new manager at work",
    "My sister: mum of three, teacher", "My brother is visiting. Software engineer at Nokia, two kids.",
    "He said he moved. Engineer at Vestergaard, married with two kids.", "Great teacher", "Harry, the owl",
    "Breaking: nurse at St Olave's arrested", "Patient: 45, type 2 diabetic, smoker",
    # texts to work on
    "Shopping list: eggs, milk", "Ingredients: two eggs, milk", "To do: dentist, bank, gym", "Dinner: vegan curry",
    "Agenda: exam Monday, review Tuesday", "Write a bio: paralegal by day, bass player by night",
    "Write me a story.\nMum of three, teacher, Leeds", "Character: mum of three, teacher, Leeds",
    "Example profile: 34F, nurse, Manchester", "Job description: senior nurse at St Olave's",
    "Translate: allergic to peanuts", '"Mum of three, teacher, Leeds"', "Dream job: marine biologist at NASA",
    "Favorite characters: Gerald, the tortoise", "Wanted: bass player in a wedding band",
    "Looking for: vegetarian, 30-40, Leeds",
    # words with two faces
    "Mother of God!", "Mother of all hangovers", "Father of the bride", "Son of a gun", "Day 3 without power",
    "Day two of the conference", "Five days in Lisbon", "Still at IKEA", "First day at the gym", "Allergic to Mondays",
    "Allergic reaction to nuts", "Married to the job", "Engaged in conversation", "Polish remover", "Pregnant pause",
    "Champions League match Tuesday", "Super Tuesday", "Movie night Friday", "36 emails and counting",
    "3 and counting", "2 hours at Bosch", "Two weeks at Disneyland", "Height matters", "Leo season!",
    "Doctor at 3", "Doctor Who at 8", "Left-handed scissors", "Deaf ears", "Divorced from reality", "Freelance work",
    "I'm a nurse.", "I'm Odalys, I live in Hull", "I'm a nurse, not a doctor", "Already taken", "Still attached",
    "Now redundant", "Off to Leeds for lunch", "Storm Babet here", "Uber here", "Allergies: none", "Kids: none",
    "Teacher, doctor, lawyer, engineer", "Cats, dogs, birds", "Leeds, York, Hull", "Retired number 23",
    "Expecting a parcel", "Vegetarian lasagne for six", "Ex on the beach", "Maybe vegetarian since May",
)  # fmt: skip


@pytest.mark.parametrize("text", NOTHING)
def test_what_only_looks_like_one_is_left(text: str) -> None:
    assert written(text) == ""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What does your sister do?", "Nurse at St Olave's"),
        ("Who is your favourite character?", "Gerald, the tortoise"),
        ("Tell me about her.", "Mum of three, teacher, Leeds"),
        ("Which of these titles works for the book?", "Banker turned baker"),
    ],
)
def test_answers_about_others_are_left(question: str, answer: str) -> None:
    assert written(answer) != ""
    assert written(answer, question) == ""


def test_a_question_to_the_speaker_is_no_bar() -> None:
    assert written("Mum of three, teacher, Leeds", "Tell me a bit about yourself!") != ""
    assert written("Mum of three, teacher, Leeds", "Noted. I have told her.") != ""


def test_times_are_kept() -> None:
    (read,) = readings("Vegetarian since 2010, nurse for 12 years.")
    years = {f.attribute: f.valid_from.at.year for f in read.facts if f.valid_from is not None}
    assert years == {"diet": 2010, "occupation": 2014}


def test_facts_point_at_the_fragment() -> None:
    text = "What a week! Mum of three, teacher, Leeds. I play the cello."
    (read,) = readings(text)
    spans = {f.text: f.span.text for f in read.facts if f.span is not None}
    assert spans["user is a teacher"] == spans["user is based in Leeds"] == "Mum of three, teacher, Leeds."
    assert spans["user plays the cello"] == "I play the cello."


def test_weak_pieces_pass_in_company_only() -> None:
    assert written("Teacher in Leeds") == ""
    assert "I am a teacher in Leeds." in written("Teacher in Leeds. Two kids.")
    assert written("Two cats") == ""
    assert written("Two cats, one dog") == "I have two cats.\nI have one dog."


def test_a_place_is_a_home_beside_a_person_only() -> None:
    assert "I am based in Leeds." in written("Teacher, 34, Leeds")
    assert written("Exam Monday, Leeds") == "My exam is on Monday."
    assert written("Finally engaged, Paris") == "I am finally engaged."


def test_a_clause_behind_fragments_is_kept_as_it_stands() -> None:
    assert written("Vegan for 3 years, and my knees love it.") == "I have been a vegan for 3 years.\nMy knees love it."


def test_long_texts_are_no_notes_of_oneself() -> None:
    assert written("Mum of three\n" + "Some line of a pasted text\n" * 20) == ""


def test_the_assistant_writes_no_fragments() -> None:
    assert fragments().of(Message(Role.ASSISTANT, "Mum of three, teacher, Leeds", "a", SAID)) == ()
