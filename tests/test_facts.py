"""Messages → statements, by topic: what a sentence leaves behind, and what leaves nothing."""

from __future__ import annotations

import pytest
from facts_kit import commands_in, facts_in, kept_in, reasons_in, statements_in

from engine import lexicon
from engine.reading import read_statements

# A row: the message (turns of one speaker divided by "||"), then the statements it leaves, divided by ";".
# "a / b" allows either wording. Nothing more and nothing less may be left.

COORDINATION = """
I speak Welsh and Basque. -> user speaks Welsh; user speaks Basque
I play the oboe and the cello. -> user plays the oboe; user plays the cello
I own a canoe and a tandem. -> user owns a canoe; user owns a tandem
I moved to Ghent and bought a houseboat. -> user moved to Ghent; user bought a houseboat
I love opera and hate golf. -> user loves opera; user hates golf
I drink tea but I don't drink coffee. -> user drinks tea; user does not drink coffee
I speak Danish, Frisian and Latin. -> user speaks Danish; user speaks Frisian; user speaks Latin
I'm a plumber and I live in Hull. -> user is a plumber; user lives in Hull
My parents live in Kiel and run a bakery. -> user's parents live in Kiel; user's parents run a bakery
"""

COPULAS = """
I'm a plumber. -> user is a plumber
I am allergic to penicillin. -> user is allergic to penicillin
I'm vegetarian. -> user is vegetarian
I'm 34 years old. -> user is 34 years old
I'm Norwegian. -> user is Norwegian
I'm from Tallinn. -> user is from Tallinn
I'm left-handed. -> user is left-handed
I'm divorced. -> user is divorced
My brother is a pilot. -> user's brother is a pilot
My mum is diabetic. -> user's mum is diabetic
My name is Thaddeus. -> user's name is Thaddeus
My blood type is O negative. -> user's blood type is O negative
I'm afraid of heights. -> user is afraid of heights
I'm not religious. -> user is not religious
I'm colour-blind. -> user is colour-blind
"""

POSSESSIVES = """
My favourite colour is teal. -> user's favourite colour is teal
My favorite band is Wilco. -> user's favorite band is Wilco
My dog's name is Rufus. -> user has a dog named Rufus / user's dog is Rufus / user's dog's name is Rufus
My partner's birthday is 3 May. -> user's partner's birthday is 3 May
My sister's husband is a judge. -> user's sister's husband is a judge
My phone number is 0151 234567. -> user's phone number is 0151 234567
My email is kaya@example.org. -> user's email is kaya@example.org
My shoe size is 43. -> user's shoe size is 43
My manager is called Priya. -> user's manager is Priya / user's manager is called Priya
Our landlord is Mr Osei. -> user's landlord is Mr Osei
"""

APPOSITIONS = """
My cousin Bram lives in Ghent. -> user's cousin Bram lives in Ghent; user's cousin is Bram
My sister Ilse works at Bosch and plays rugby. -> user's sister Ilse works at Bosch; user's sister Ilse plays rugby; user's sister is Ilse
My son Leo speaks Danish. -> user's son Leo speaks Danish; user's son is Leo
My daughter Ida is six. -> user's daughter Ida is six; user's daughter is Ida
I have a cat named Miso. -> user has a cat named Miso
I have a parrot called Captain. -> user has a parrot called Captain / user has a parrot named Captain
My brother Osman owns a bakery in Bursa. -> user's brother Osman owns a bakery in Bursa; user's brother is Osman
My wife, Noor, teaches chemistry. -> user's wife is Noor; Noor teaches chemistry / user's wife Noor teaches chemistry
"""  # noqa: E501

RELATIVE = """
Ana, who lives in Lima, is my best friend. -> Ana lives in Lima; user's best friend is Ana
My flatmate, who works at Lidl, plays chess. -> user's flatmate works at Lidl; user's flatmate plays chess
My uncle, who lives in Oslo, is a baker. -> user's uncle lives in Oslo; user's uncle is a baker
"""

PREPOSITIONS = """
I work for Ikea. -> user works for Ikea
I moved from Turin to Trieste. -> user moved from Turin / user moved from Turin to Trieste; user lives in Trieste / user moved to Trieste
I graduated from Uppsala University. -> user graduated from Uppsala University
I work as a translator. -> user works as a translator
I live with my grandmother. -> user lives with their grandmother
I commute by tram. -> user commutes by tram
I volunteer at an animal shelter. -> user volunteers at an animal shelter
I sing in a choir. -> user sings in a choir
I live on Elm Street. -> user lives on Elm Street
I study at Leiden University. -> user studies at Leiden University
I suffer from migraines. -> user suffers from migraines
I'm married to Tobias. -> user is married to Tobias
I believe in astrology. -> user believes in astrology
I'm good at chess. -> user is good at chess
I grew up in Porto. -> user grew up in Porto
"""  # noqa: E501

PASSIVES = """
I was born in Quito. -> user was born in Quito
I was diagnosed with asthma. -> user was diagnosed with asthma
I was raised in Ohio. -> user was raised in Ohio
My sister was born in 1991. -> user's sister was born in 1991
I was hired by Philips. -> user was hired by Philips
I got divorced in 2019. -> user got divorced in 2019
"""

COMPLEMENTS = """
I think I'm lactose intolerant. -> user is lactose intolerant
I know that my neighbour is a nurse. -> user's neighbour is a nurse
I told you that I hate coriander. -> user hates coriander
I believe my cousin lives in Riga. -> user's cousin lives in Riga
I should mention that I'm allergic to wasps. -> user is allergic to wasps
I like to paint. -> user likes to paint
I enjoy baking bread. -> user enjoys baking bread
I love hiking in the Alps. -> user loves hiking in the Alps
I started learning Korean. -> user started learning Korean
My doctor says I have high blood pressure. -> user has high blood pressure
"""

USED_TO = """
I used to play the accordion. -> user used to play the accordion
I used to live in Perth. -> user used to live in Perth
My dad used to smoke. -> user's dad used to smoke
I used to be a teacher. -> user used to be a teacher
We used to have a goat. -> user used to have a goat
"""

MOVED = """
Just moved to Doha. -> user moved to Doha
Been a vegan since 2020. -> user has been a vegan since 2020
Living in Leeds now. -> user is living in Leeds / user lives in Leeds
"""

PRONOUNS = """
My sister Ilse is a vet.||She lives in Bremen. -> user's sister Ilse is a vet; user's sister is Ilse; user's sister Ilse lives in Bremen
My brother Piet moved to Genk.||He works at Ford there. -> user's brother Piet moved to Genk; user's brother is Piet; user's brother Piet works at Ford / user's brother Piet works at Ford there
My parents live in Kiel.||They have a boat. -> user's parents live in Kiel; user's parents have a boat
We have two daughters. -> user has two daughters
My uncle Bert is retired.||He collects stamps. -> user's uncle Bert is retired; user's uncle is Bert; user's uncle Bert collects stamps
My brother got a puppy.||It is called Ziggy. -> user's brother got a puppy; user's brother's puppy is called Ziggy / user's brother's puppy is Ziggy
"""  # noqa: E501

SUBORDINATE = """
What can I cook, since I'm vegan? -> user is vegan
Can you suggest a hike? I live in Banff. -> user lives in Banff
I hate cooking because my son is allergic to eggs. -> user hates cooking; user's son is allergic to eggs
Thanks! I'm a beekeeper by the way. -> user is a beekeeper
Hi there, I live in Mons. -> user lives in Mons
"""

REMEMBER = """
Remember that I take my coffee black. -> user takes their coffee black
Please remember that I'm allergic to latex. -> user is allergic to latex
Note that my sister lives in Linz. -> user's sister lives in Linz
Don't forget that I'm vegan. -> user is vegan
"""

DAILY = """
I go jogging every morning. -> user goes jogging every morning
I take metformin. -> user takes metformin
I drive a Skoda Octavia. -> user drives a Skoda Octavia
I sold my motorbike. -> user sold their motorbike
I've got two kids. -> user has got two kids / user has two kids
I earn 3,200 euros a month. -> user earns 3,200 euros a month
I weigh 81 kg. -> user weighs 81 kg
I wake up at 5:30. -> user wakes up at 5:30
My flight is on 12 June. -> user's flight is on 12 June
I adopted a greyhound last week. -> user adopted a greyhound last week / user adopted a greyhound
I prefer window seats. -> user prefers window seats
i live in leeds -> user lives in Leeds
im a nurse lol -> user is a nurse
"""

TABLES = {
    "coordination": COORDINATION, "copulas": COPULAS, "possessives": POSSESSIVES, "appositions": APPOSITIONS,
    "relative": RELATIVE, "prepositions": PREPOSITIONS, "passives": PASSIVES, "complements": COMPLEMENTS,
    "used to": USED_TO, "clipped": MOVED, "pronouns": PRONOUNS, "subordinate": SUBORDINATE, "remember": REMEMBER,
    "daily": DAILY,
}  # fmt: skip

# A row: the message -> a part of the reason in the receipt, or any.
SKIPPED = """
Do I live in Oslo? -> question
Where should I eat in Lyon? -> question
Can you book me a table? -> question
Is my sister allergic to nuts? -> question
What time does the museum open? -> question
Should I get a dog? -> question
Please write me a poem. -> request
Tell me about Norway. -> request
Summarise this article for me. -> request
Translate this into French, please. -> request
Give me three ideas for dinner. -> request
If I lived in Paris, I would eat croissants. -> hypothetical
I would buy a boat if I won the lottery. -> hypothetical
If my boss moves to Rome, I'll get her office. -> hypothetical
Imagine I were a pirate. -> any
I'm so tired today. -> moment
I'm having lunch right now. -> moment
I'm bored. -> moment
I'm stuck in traffic right now. -> any
I feel a bit sad today. -> moment
It's raining here. -> any
That's funny. -> any
Thanks so much! -> greeting
Hello there -> greeting
ok -> greeting
Good morning! -> greeting
You are very helpful. -> assistant
You told me that yesterday. -> assistant
She lives in Bremen. -> not told here
He works at Ford. -> not told here
"""

QUOTED = [
    'She said "I live in a castle near the sea".',
    '"I own three ships and a castle", said the captain.',
    "> I live in Rome and work at Ferrari",
    'In the book she writes "My sister works at the bank of Oslo".',
]

COMMANDS = """
Forget my old address. -> forget: my old address
Please forget that I own a boat. -> forget: own a boat
Forget what I said about my salary. -> forget: my salary
Can you forget my phone number -> forget: my phone number
Scratch that. -> retract:
Never mind that. -> retract:
I was just kidding. -> retract:
"""

NO_COMMANDS = [
    "Remove the lid and stir.",
    "I forget names easily.",
    "Don't forget to buy milk.",
    "Delete the last line.",
]


# What nobody would call talk of the moment. A life may hang on some of them.
DURABLE = """
I'm vegetarian.
I'm vegan.
I'm allergic to latex.
Please remember that I'm allergic to latex.
I have a severe peanut allergy.
I take metformin.
I take 50 mg of sertraline every morning.
I'm diabetic.
My son is allergic to eggs.
My blood type is O negative.
I have asthma.
I wear a pacemaker.
I can't eat gluten.
I don't eat pork.
I'm coeliac.
My name is Thaddeus.
I live in Hull.
I moved to Quito last month.
I work at Nokia.
I'm a plumber.
I quit my job at Nokia.
I speak Welsh.
My phone number is 0151 234567.
My email is kaya@example.org.
My birthday is on 3 May.
I'm married.
My wife's name is Noor.
I have two daughters.
I have a dog named Rufus.
My dog Rufus died.
I got divorced in 2019.
My favourite colour is teal.
I love opera.
I hate coriander.
I like to paint.
I enjoy baking bread.
I play the oboe.
I studied law in Leiden.
I was born in Quito.
I'm 34 years old.
I drive a Skoda Octavia.
I sold my motorbike.
I no longer smoke.
I'm not vegetarian any more.
I stopped drinking alcohol.
I used to live in Perth.
I'm going to move to Bergen in May.
I'd love to visit Peru.
I might move to Denver.
My sister Ilse works at Bosch.
My exam is on 12 June.
I prefer window seats.
I'm afraid of heights.
I go jogging every morning.
I'm colour-blind.
"""


def rows(table: str) -> list[tuple[str, str]]:
    split = [line.split(" -> ") for line in table.strip("\n").splitlines()]
    return [(left, right) for left, right in split]


TOLD = [pytest.param(*row, id=f"{topic}: {row[0]}") for topic, table in TABLES.items() for row in rows(table)]


@pytest.mark.parametrize(("message", "expected"), TOLD)
def test_a_message_leaves_its_statements_and_no_others(message: str, expected: str) -> None:
    found = statements_in(*message.split("||"))
    wanted = [set(part.strip().split(" / ")) for part in expected.split(";")]
    assert len(found) == len(wanted) and all(options & set(found) for options in wanted), f"{found}"


@pytest.mark.parametrize(("message", "reason"), rows(SKIPPED))
def test_a_message_that_asserts_nothing_is_skipped_with_its_reason(message: str, reason: str) -> None:
    assert kept_in(message) == []
    reasons = reasons_in(message)
    assert reasons and all(reasons)
    assert reason == "any" or any(reason in told for told in reasons), reasons


def test_what_is_clearly_durable_passes_the_gate() -> None:
    """All that fails is told at once: the gate is trained, and this is what training has to reach."""
    lost = [message for message in DURABLE.strip().splitlines() if not kept_in(message)]
    assert not lost


@pytest.mark.parametrize("message", QUOTED)
def test_a_quotation_is_not_the_speakers_statement(message: str) -> None:
    assert kept_in(message) == []
    assert reasons_in(message)


@pytest.mark.parametrize(("message", "expected"), rows(COMMANDS))
def test_an_order_to_the_memory_is_read(message: str, expected: str) -> None:
    assert statements_in(message) == []
    assert [f"{kind}: {target}".strip() for kind, target in commands_in(message)] == [expected]


@pytest.mark.parametrize("message", NO_COMMANDS)
def test_other_orders_are_no_orders_to_the_memory(message: str) -> None:
    assert commands_in(message) == []


@pytest.mark.parametrize(
    ("message", "word"),
    [("Call me Bea.", "Bea"), ("You can call me Bea.", "Bea"), ("Always answer in prose.", "prose")],
)
def test_a_wish_how_to_be_served_is_kept(message: str, word: str) -> None:
    assert any(word in told for told in statements_in(message))


# Whatever the value is, a frame tells the same attribute of the same subject.
SLOTS = {
    "user lives in *": [
        "Bergen",
        "Oslo",
        "Quito",
        "Hull",
        "Tromsø",
        "Łódź",
        "Port Moresby",
        "a small village near Ghent",
    ],
    "user moved to *": ["Bergen", "Oslo", "Quito", "Hull", "Tromsø", "Łódź", "Port Moresby", "Mali"],
    "user works at *": ["Nokia", "Siemens", "Lidl", "a bakery", "the Red Cross", "Hull Council"],
    "user's email is *": ["kaya@example.org", "kaya@example.net", "k.b+x@mail.example", "bo@bo.example"],
    "user's manager is *": ["Priya", "Olaf", "Ms Osei", "Dietrich", "Nkechi"],
    "user's name is *": ["Thaddeus", "Theo", "Marit", "Oyelaran", "Bo"],
    "user's phone number is *": ["0151 234567", "+44 20 7946 0018", "555-0199"],
    "user's favourite colour is *": ["teal", "red", "navy blue", "yellow"],
    "user's sister is *": ["Ilse", "Noor", "Wilhelmina", "Bo"],
    "user is * years old": ["34", "35", "seven", "101"],
    "user is allergic to *": ["latex", "nuts", "penicillin", "bee stings"],
    "user speaks *": ["Welsh", "Basque", "Danish", "Frisian"],
    "user is a *": ["plumber", "nurse", "beekeeper", "judge", "software engineer"],
}


@pytest.mark.parametrize("frame", SLOTS)
def test_values_of_one_slot_are_read_alike(frame: str) -> None:
    facts = read_statements([frame.replace("*", value) for value in SLOTS[frame]], lexicon.load())
    read = {fact.object: (fact.subject, fact.attribute) for fact in facts}
    assert None not in {attribute for _, attribute in read.values()}, read
    assert len(set(read.values())) == 1, read


def test_a_named_speaker_is_spoken_of_by_name() -> None:
    assert statements_in("I live in Mons and I have a sister called Bo.", name="Pim")[0] == "Pim lives in Mons"
    assert all("user" not in told for told in statements_in("My brother lives in Mons.", name="Pim"))


def test_every_statement_points_at_its_verbatim_sentence() -> None:
    text = "Hi! I live in Mons. My sister  Ilse plays\tchess."
    for fact in facts_in(text):
        assert fact.span is not None and text[fact.span.start : fact.span.end] == fact.span.text
