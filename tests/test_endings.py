"""What a statement ends for certain: told in whole conversations, with what must stay."""

# ruff: noqa: E501 - a row a line
from __future__ import annotations

import pytest
from memory_kit import open_memory, tell, texts

# first day's turns || second day's turns -> what is remembered of the first day that stays; what is over
TOLD = """
I have a cat named Miso. My cat Miso eats tuna. I have a dog named Olga. || Miso died on Sunday. -> dog named Olga / cat named Miso; eats tuna
My husband Alun plays the cello. I play the tuba. || Alun passed away in February. -> plays the tuba / plays the cello; husband is Alun
My mum Glenys lives in Cork. || My mum Glenys died last week. -> mum is Glenys / lives in Cork
We keep six hens. We have a rabbit. || We gave the hens away. -> rabbit / six hens
I have a racing bike. I have a mountain bike. || I sold the bike. -> racing bike; mountain bike /
I have a racing bike. I have a mountain bike. || I sold the mountain bike. -> racing bike / has a mountain bike
I own three cars. I own a Land Rover. I have a road bike. || I sold all my cars. -> road bike / three cars; owns a Land Rover
I have two cats. I have a tortoise. I have three children. || I have no pets any more. -> three children / two cats; tortoise
I take metformin. I take ramipril. I am allergic to nuts. || I don't take any medication any more. -> allergic to nuts / metformin; ramipril
I subscribe to Netflix. I have a gym membership. || I cancelled all my subscriptions. -> gym membership / to Netflix
I own a Telecaster. I own a Gibson. I have a piano. || I sold all my guitars. -> piano / Telecaster; Gibson
I have an account with Barclays. I have an account with Monzo. || I closed all my accounts except the one with Monzo. -> Monzo / has an account with Barclays
I own three cars. I teach a course about cars. I wash cars at weekends. || I sold all my cars. -> about cars; wash / three cars
We have three cats. || We have one cat. -> one cat / three cats
I have three guitars. || I also have two pianos. -> three guitars; two pianos /
I am working at Nirvaan in Surat. || I joined Pearl as a manager. -> Pearl / Nirvaan
I eat chicken. I eat rice. || I am vegetarian now. -> rice; vegetarian / chicken
I am vegetarian. || I eat fish again. -> fish / vegetarian
I use an old Pixel 4. I have a tablet. || I bought a Fairphone yesterday. -> tablet; Fairphone / uses an old Pixel
I live in Glasgow. || I'm staying in Ghent until 31 August. -> Glasgow; Ghent /
"""
ROWS = TOLD.strip().splitlines()


@pytest.mark.parametrize("row", ROWS)
def test_what_is_over_is_over_and_the_rest_stays(row: str) -> None:
    said, _, wanted = row.partition(" -> ")
    before, _, after = said.partition(" || ")
    stays, _, over = wanted.partition("/")
    memory = open_memory()
    tell(memory, "2026-03-02T09:00:00Z", before)
    tell(memory, "2026-04-06T09:00:00Z", after)
    known = texts(memory, as_of="2026-04-06T10:00:00Z")
    assert all(any(part.strip() in text for text in known) for part in stays.split(";") if part.strip()), known
    assert not [text for text in known for part in over.split(";") if part.strip() and part.strip() in text], known
