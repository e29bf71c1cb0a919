"""Which messages are English: chats full of foreign names on one side, other languages on the other."""

from __future__ import annotations

import pytest

from engine.language import foreign

ENGLISH = [
    "I live in São Paulo.",
    "My name is Željko Đurić.",
    "I work at Müller & Söhne.",
    "My sister Agnieszka and her husband Paweł live in Łódź near Plac Wolności.",
    "We flew from Kraków to Göteborg with Björn, Åsa and little Øyvind.",
    "My abuela makes the best arroz con pollo in Guadalajara.",
    "Dinner at Trattoria Da Enzo al 29, then gelato on Piazza di Santa Maria in Trastevere.",
    "I support Borussia Mönchengladbach, not Bayern München.",
    "Nguyễn Thị Minh Khai is my dentist.",
    "I studied at Universidad Nacional Autónoma de México.",
    "My boss Jean-François Lefèvre hates croissants.",
    "Our cats are called Żubr, Żaba and Mleko.",
    "moved to Reykjavík w/ Guðrún last yr",
    "ich is the only German word I know",
    "Reading Die Verwandlung by Kafka.",
    "My daughter goes to the Gymnasium am Kaiserdom in Speyer.",
    "just got back from visiting nonna in Napoli, then cousin Giuseppe in Palermo",
    "No sugar in me tea please",
    "was am die",
    "lol so done",
    "I do yoga on Mondays",
    "im allergic to nuts",
    "ok",
    "Allergic to peanuts, shellfish and penicillin.",
    "Vegetarian, two dogs, married to Łukasz.",
    "Trying out pho, banh mi and bun cha all week",
    "i drive a škoda octavia",
    "Booked flights Hamburg Antalya, hotel Öger Türkiye Palace Lara",
    "Sold both bikes, bought a Peugeot Vivacité scooter",
    "ja, I mean yes, I still work for Zürcher Kantonalbank",
    "Started learning Bahasa Indonesia with Pak Budi Santoso",
    "Kaiserslautern born, Saarbrücken raised",
    "Prefer window seats, aisle if full",
]
OTHERS = [
    "Ich wohne seit drei Jahren mit meiner Schwester in Leipzig.",
    "Ich bin im März nach Hamburg gezogen und arbeite jetzt bei Siemens.",
    "Meine Frau mag keinen Fisch, am liebsten isst sie Pasta.",
    "So was in der Art habe ich auch schon gesagt.",
    "Mieszkam w Krakowie razem z moją żoną i naszym psem.",
    "Pracuję jako nauczycielka w szkole podstawowej i mam dwa koty.",
    "Je travaille dans une boulangerie près de la gare depuis deux ans.",
    "Vivo en una casa pequeña con mis dos perros cerca del mar.",
    "No me gusta el café, prefiero el té por la mañana.",
    "Abito a Torino con mia moglie e lavoro in banca.",
    "Moro no Porto e trabalho como enfermeira num hospital.",
    "Ik woon in Utrecht en werk als verpleegkundige in het ziekenhuis.",
    "Jag bor i Malmö och jobbar som lärare på en skola.",
    "Ankara'da yaşıyorum ve bir hastanede çalışıyorum.",
    "Saya tinggal di Bandung bersama istri dan dua anak saya.",
    "Locuiesc în Cluj împreună cu soția mea și lucrez la o bancă.",
    "Bydlím v Brně s manželkou a pracuji jako řidič autobusu.",
    "Asun Tampereella ja työskentelen sairaanhoitajana sairaalassa.",
    "Tôi sống ở Hà Nội và làm việc tại một ngân hàng.",
    "Nakatira ako sa Maynila kasama ang aking asawa at mga anak.",
    "我住在上海，我有两只猫。",
    "Я живу в Москве и работаю врачом.",
    "私は東京に住んでいます。",
    "أعيش في القاهرة مع عائلتي",
    "मैं दिल्ली में रहता हूँ।",
]


@pytest.mark.parametrize("text", ENGLISH)
def test_english_passes_whatever_names_stand_in_it(text: str) -> None:
    assert not foreign(text)


@pytest.mark.parametrize("text", OTHERS)
def test_another_language_is_told(text: str) -> None:
    assert foreign(text)


@pytest.mark.parametrize("text", ["", "   ", "🎉", "12:30", "...", "ja", "Leipzig", "Łódź"])
def test_what_is_too_short_to_tell_passes(text: str) -> None:
    assert not foreign(text)
