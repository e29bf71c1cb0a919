"""Whatever comes in: a clear error or a receipt that says what to do, and nothing stored is harmed."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from conftest import Opener
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory_kit import open_memory, shared_encoder, texts

from engine import Memory
from engine.errors import FactfoldError, InputError, ModelError, StoreError
from engine.settings import Settings, artefact


@pytest.fixture
def kept(memory: Memory) -> Memory:
    """A memory that already knows something."""
    memory.add("I live in Leeds.", user_id="ana", timestamp="2026-01-05")
    return memory


def unharmed(memory: Memory) -> None:
    assert texts(memory) == ["user lives in Leeds"]
    assert memory.verify() == []


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ({"role": "boss", "content": "x"}, "user, assistant, system, tool"),
        ({"role": None, "content": "x"}, "user, assistant, system, tool"),
        ({"role": "user", "content": None}, "content must be a text"),
        ({"role": "user"}, "content must be a text"),
        ({"role": "user", "content": 3}, "content must be a text"),
        ({"role": "user", "content": ["x"]}, "content must be a text"),
        ({"role": "user", "content": "x", "timestamp": "yesterday"}, "ISO 8601"),
        ({"role": "user", "content": "x", "timestamp": "2026-13-45"}, "ISO 8601"),
        ({"role": "user", "content": "x", "timestamp": float("nan")}, "ISO 8601"),
        ({"role": "user", "content": "x", "timestamp": 1e30}, "ISO 8601"),
        ({"role": "user", "content": "x", "timestamp": True}, "ISO 8601"),
        ({"role": "user", "content": "x", "timestamp": ["2026"]}, "ISO 8601"),
        ({"role": "user", "content": "x", "name": ""}, "non-empty"),
        ({"role": "user", "content": "x", "name": 3}, "non-empty"),
        ({"role": "user", "content": "x", "id": " "}, "blank"),
        ({"role": "user", "content": "x", "rolle": 1}, "unknown fields"),
        (3, "is no message"),
        (None, "is no message"),
    ],
)
def test_a_message_that_cannot_be_used_is_told_with_its_remedy(kept: Memory, message: Any, told: str) -> None:
    with pytest.raises(InputError, match=told) as error:
        kept.add(["I work at Nokia.", message], user_id="ana")
    assert "message 1" in str(error.value)
    unharmed(kept)


def test_every_mistake_is_told_at_once(kept: Memory) -> None:
    with pytest.raises(InputError) as error:
        kept.add([{"role": "boss", "content": "x"}, "fine", {"role": "user"}], user_id="ana")
    assert "message 0" in str(error.value) and "message 2" in str(error.value)


@pytest.mark.parametrize("messages", [None, 3, object()])
def test_what_is_no_message_at_all(kept: Memory, messages: Any) -> None:
    with pytest.raises(InputError):
        kept.add(messages, user_id="ana")
    unharmed(kept)


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b", "🎉", "...", "?", "\x00", "\u202e\u202c", "\ud800"])
def test_a_message_without_words_is_skipped_with_a_reason(kept: Memory, text: str) -> None:
    told = kept.add(text, user_id="ana")
    assert told["results"] == []
    assert told["skipped"] and told["skipped"][0]["reason"]
    unharmed(kept)


def test_no_messages_do_nothing(kept: Memory) -> None:
    assert kept.add([], user_id="ana") == {"results": [], "skipped": []}


def test_a_message_of_a_hundred_thousand_characters_is_told(kept: Memory) -> None:
    told = kept.add("I like canoes. " * 6667, user_id="ana")
    assert told["results"] == []
    (left,) = told["skipped"]
    assert "split it" in left["reason"]
    assert len(left["text"]) < 2000, "the receipt repeats the whole of it"
    unharmed(kept)


@pytest.mark.parametrize("text", ["a" * 19_000, "I live in " + "Llan" * 2000 + ".", "( " * 2000, "no " * 3000])
def test_long_odd_messages_are_survived(kept: Memory, text: str) -> None:
    told = kept.add(text, user_id="ana")
    assert told["results"] or told["skipped"]
    assert kept.verify() == []


@pytest.mark.parametrize(
    "text",
    [
        "I work at Nokia\x00.",
        "I work\x07 at Nokia.",
        "I work at Nokia.\ud800",
        "I\u200b work at\u00a0Nokia.",
        "\ufeffI work at Nokia.",
    ],
)
def test_control_characters_and_lone_surrogates_do_not_hinder(kept: Memory, text: str) -> None:
    kept.add(text, user_id="ana")
    assert any("Nokia" in t for t in texts(kept))
    assert kept.verify() == []
    for memory in kept.get_all(user_id="ana")["results"]:
        json.dumps(memory, ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "Ich wohne seit drei Jahren mit meiner Schwester in Leipzig.",
        "Je travaille dans une boulangerie près de la gare depuis deux ans.",
        "Vivo en una casa pequeña con mis dos perros cerca del mar.",
        "Mieszkam w Krakowie razem z moją żoną i naszym psem.",
        "我住在上海，我有两只猫。",
        "Я живу в Москве и работаю врачом.",
        "私は東京に住んでいます。",
        "أعيش في القاهرة مع عائلتي",
    ],
)
def test_other_languages_are_skipped_with_that_reason(kept: Memory, text: str) -> None:
    told = kept.add(text, user_id="ana")
    assert told["results"] == []
    assert "English" in told["skipped"][0]["reason"]
    unharmed(kept)


@pytest.mark.parametrize("text", ["I live in São Paulo.", "My name is Željko Đurić.", "I work at Müller & Söhne."])
def test_foreign_names_in_english_are_english(memory: Memory, text: str) -> None:
    assert memory.add(text, user_id="ana")["results"]


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=40), max_size=3))
def test_any_text_gets_a_receipt_and_leaves_a_sound_store(lines: list[str]) -> None:
    with open_memory() as memory:
        told = memory.add(lines, user_id="ana")
        assert len({m["message_id"] for m in told["results"] + told["skipped"]}) == len(lines)
        assert memory.verify() == []


@pytest.mark.parametrize(
    "metadata", [{"x": object()}, {"x": float("nan")}, {"x": {1, 2}}, "text", 3, ["a"], {"x": "\ud800"}]
)
def test_metadata_that_is_no_json_is_told(kept: Memory, metadata: Any) -> None:
    with pytest.raises(InputError):
        kept.add("I work at Nokia.", user_id="ana", metadata=metadata)
    unharmed(kept)


@pytest.mark.parametrize("moment", ["soon", "", float("inf"), [], {}])
def test_odd_moments_are_told(kept: Memory, moment: Any) -> None:
    memory_id = kept.get_all(user_id="ana")["results"][0]["id"]
    for call in (
        lambda: kept.get_all(user_id="ana", as_of=moment),
        lambda: kept.get_all(user_id="ana", known_at=moment),
        lambda: kept.search("x", user_id="ana", as_of=moment),
        lambda: kept.get(memory_id, as_of=moment),
        lambda: kept.add("I work at Nokia.", user_id="ana", timestamp=moment),
        lambda: kept.update(memory_id, "user lives in Rome", timestamp=moment),
    ):
        with pytest.raises(InputError, match="ISO 8601"):
            call()
    unharmed(kept)


@pytest.mark.parametrize("memory_id", ["", "nothing", "'; DROP TABLE memories; --", "\x00", "a" * 10_000])
def test_unknown_ids_are_told(kept: Memory, memory_id: str) -> None:
    assert kept.get(memory_id) is None
    for call in (
        lambda: kept.history(memory_id),
        lambda: kept.update(memory_id, "user lives in Rome"),
        lambda: kept.delete(memory_id),
        lambda: kept.restore(memory_id, 1),
        lambda: kept.undo(memory_id),
        lambda: kept.explain(memory_id),
        lambda: kept.purge(memory_id=memory_id),
    ):
        with pytest.raises(FactfoldError):
            call()
    unharmed(kept)


@pytest.mark.parametrize("user", ["a'b\"c", "ana:eve", "user:ana", "名前", "a" * 500, "*", "%", " ana "])
def test_odd_user_ids_are_kept_apart(memory: Memory, user: str) -> None:
    memory.add("I live in Leeds.", user_id=user)
    memory.add("I work at Nokia.", user_id="ana")
    assert texts(memory, user) == ["user lives in Leeds"]
    assert texts(memory, "ana") == ["user works at Nokia"]


@pytest.mark.parametrize("user", [3, b"ana", ["ana"], True, "a\ud800"])
def test_user_ids_that_are_no_text_are_told(memory: Memory, user: Any) -> None:
    with pytest.raises(InputError, match="user_id"):
        memory.add("I live in Leeds.", user_id=user)


class TestFiles:
    @pytest.mark.parametrize(
        "content", [b"hello, I am a text file\n" * 50, b"SQLite format 3\x00" + b"\xff" * 4000, b"x"]
    )
    def test_a_file_that_is_no_database_is_left_alone(self, opener: Opener, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "memory.db"
        path.write_bytes(content)
        with pytest.raises(StoreError, match=r"memory\.db"):
            opener(path)
        assert path.read_bytes() == content

    def test_another_programs_database_is_left_alone(self, opener: Opener, tmp_path: Path) -> None:
        path = tmp_path / "photos.db"
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE photos (id INTEGER)")
        connection.commit()
        connection.close()
        before = path.read_bytes()
        with pytest.raises(StoreError, match="another program"):
            opener(path)
        assert path.read_bytes() == before

    def test_a_database_of_a_newer_release_asks_for_an_upgrade(self, opener: Opener, tmp_path: Path) -> None:
        path = tmp_path / "memory.db"
        opener(path).close()
        connection = sqlite3.connect(path)
        connection.execute("INSERT INTO migrations (name, applied_at) VALUES ('m999_future', '2030-01-01T00:00:00Z')")
        connection.commit()
        connection.close()
        with pytest.raises(StoreError, match="upgrade factfold"):
            opener(path)

    def test_a_missing_folder_is_told(self, opener: Opener, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="no folder"):
            opener(tmp_path / "nowhere" / "memory.db")
        with pytest.raises(StoreError):
            opener(tmp_path)

    def test_vectors_of_another_encoder_are_refused_with_a_remedy(self, opener: Opener, tmp_path: Path) -> None:
        path = tmp_path / "memory.db"
        opener(path).close()
        connection = sqlite3.connect(path)
        connection.execute("UPDATE meta SET value = 'other-model:1' WHERE key = 'encoder_id'")
        connection.commit()
        connection.close()
        with pytest.raises(StoreError, match=r"reembed"):
            opener(path)

    def test_a_damaged_database_is_told_by_verify_or_on_opening(self, opener: Opener, tmp_path: Path) -> None:
        path = tmp_path / "memory.db"
        memory = opener(path)
        for n in range(40):
            memory.add(f"note number {n} of a long list", user_id="ana", infer=False)
        memory.close()
        damaged = bytearray(path.read_bytes())
        for at in range(8192, len(damaged) - 4096, 8192):
            damaged[at : at + 2048] = b"\xaa" * 2048
        path.write_bytes(damaged)
        try:
            problems = opener(path).verify()
        except StoreError as error:
            problems = [str(error)]
        assert problems

    @pytest.mark.parametrize("name", ["decision.json", "gate.json"])
    @pytest.mark.parametrize("content", ["", "{}", "[]", "not json"])
    def test_a_model_file_that_does_not_fit_is_refused(self, tmp_path: Path, name: str, content: str) -> None:
        for known in ("decision.json", "gate.json"):
            shutil.copy(artefact(known), tmp_path / known)
        (tmp_path / name).write_text(content)
        chosen = Settings.load({"models": str(tmp_path)}, environment={}, directory=tmp_path)
        with pytest.raises(ModelError, match=rf"{name}.*train"):
            Memory(":memory:", settings=chosen, encoder=shared_encoder())

    def test_a_failed_opening_leaves_no_database_behind(self, tmp_path: Path) -> None:
        (tmp_path / "decision.json").write_text("{}")
        chosen = Settings.load({"models": str(tmp_path)}, environment={}, directory=tmp_path)
        with pytest.raises(ModelError):
            Memory(tmp_path / "memory.db", settings=chosen, encoder=shared_encoder())
        assert not (tmp_path / "memory.db").exists()

    def test_a_url_that_is_not_served_is_told(
        self, opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(FactfoldError):
            opener("postgresql://localhost:1/none")


def test_errors_carry_a_code_and_a_remedy(memory: Memory) -> None:
    for call in (
        lambda: memory.add("x"),
        lambda: memory.search("", user_id="ana"),
        lambda: memory.update("x", "y"),
        lambda: memory.undo("x"),
        lambda: memory.decide(""),
        lambda: memory.get_all(user_id="ana", top_k=0),
    ):
        with pytest.raises(FactfoldError) as told:
            call()
        assert re.match(r"\[F\d{3}\] .{20,}", str(told.value))
