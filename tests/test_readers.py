import json

import pytest
from cli_kit import message, write_jsonl

from engine.errors import InputError
from engine.readers import FORMATS, files_of, read_transcripts
from engine.readers.locomo import session_date
from engine.readers.transcript import message_of


def read(path):
    (transcript,) = read_transcripts([path])
    assert transcript.seen == transcript.emitted + sum(transcript.dropped.values())
    return transcript


def write(path, value):
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


LOCOMO = {
    "sample_id": "conv-1",
    "qa": [{"question": "?", "answer": "!"}],
    "event_summary": {"events_session_1": {}},
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_10_date_time": "12:05 am on 1 January, 2024",
        "session_10": [{"speaker": "Ben", "dia_id": "D10:1", "text": "Happy new year!"}],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [
            {"speaker": "Ana", "dia_id": "D2:1", "text": "I moved to Lisbon."},
            {"speaker": "Ben", "dia_id": "D2:2", "text": "Look!", "img_url": ["x"], "blip_caption": "a photo of a cat"},
            {"speaker": "Ben", "dia_id": "D2:3", "text": "", "img_url": ["x"], "blip_caption": "a photo of a dog"},
        ],
        "session_3_date_time": "9:00 am on 9 May, 2023",
    },
}


class TestChatJsonl:
    def test_messages_keep_speaker_time_and_id(self, tmp_path):
        path = write_jsonl(tmp_path / "a.bin", [message("Hi.", name="Ana", id="m1", user_id="u"), message("Ho.", id=2)])
        got = read(path)
        assert got.format == "chat JSONL"
        first, second = got.conversations
        assert (first.scope_id, second.scope_id) == ("u", None)
        assert first.messages == (
            {"role": "user", "content": "Hi.", "name": "Ana", "timestamp": "2026-03-01T10:00:00+00:00", "id": "m1"},
        )
        assert second.messages[0]["id"] == "2"

    def test_one_conversation_a_user_and_one_a_line_with_messages(self, tmp_path):
        rows = [message("a", user_id="u"), message("b", user_id="v"), message("c", user_id="u")]
        assert [len(c.messages) for c in read(write_jsonl(tmp_path / "a", rows)).conversations] == [2, 1]
        rows = [{"messages": [message("a")]}, {"user_id": 7, "messages": [message("b"), message("c")]}]
        got = read(write_jsonl(tmp_path / "b", rows))
        assert [(c.scope_id, len(c.messages)) for c in got.conversations] == [(None, 1), ("7", 2)]

    def test_what_holds_no_words_is_dropped_and_counted(self, tmp_path):
        blocks = [{"type": "text", "text": "two"}, {"type": "image_url", "image_url": {}}, "parts"]
        rows = [message("  "), message(None), message([{"type": "image"}]), message(blocks)]
        got = read(write_jsonl(tmp_path / "a", rows))
        assert (got.seen, got.emitted, dict(got.dropped)) == (4, 1, {"no words in it": 3})
        assert got.conversations[0].messages[0]["content"] == "two\nparts"

    def test_all_bad_lines_of_all_files_are_told_at_once(self, tmp_path):
        good = json.dumps(message("fine"))
        one = write(tmp_path / "one", f"{good}\n{{broken\n\n{good}\n[1]\n")
        rows = [message("x", role="wizard"), message(7), {**message("x"), "timestamp": "soon"}, message("x")]
        two = write_jsonl(tmp_path / "two", rows)
        with pytest.raises(InputError) as caught:
            read_transcripts([one, two])
        told = str(caught.value)
        assert "5 place(s)" in told
        parts = ["one line 2: not JSON", "one line 5: a message must be a JSON object, not a list"]
        parts += ["two line 1: role 'wizard'", "two line 2: content must be", "two line 3: timestamp 'soon'"]
        assert [part for part in parts if part not in told] == []

    def test_a_line_separator_within_a_text_does_not_cut_the_line(self, tmp_path):
        row = json.dumps(message("one\u2028two"), ensure_ascii=False)
        assert read(write(tmp_path / "a", f"{row}\n{row}\n")).conversations[0].messages[0]["content"] == "one\u2028two"

    def test_windows_line_ends_and_a_byte_order_mark(self, tmp_path):
        row = json.dumps(message("fine"))
        assert read(write(tmp_path / "a", f"\ufeff{row}\r\n{row}\r\n")).emitted == 2


class TestMessageList:
    @pytest.mark.parametrize(
        ("value", "sizes"),
        [
            ([message("a"), message("b")], [2]),
            ({"messages": [message("a")], "user_id": "u"}, [1]),
            ([{"messages": [message("a")]}, {"messages": [message("b"), message("c")]}], [1, 2]),
            ([[message("a")], [message("b")]], [1, 1]),
            (message("a"), [1]),
            ([], []),
        ],
    )
    def test_shapes(self, tmp_path, value, sizes):
        got = read(write(tmp_path / "any.csv", value))
        assert got.format == "JSON messages"
        assert [len(c.messages) for c in got.conversations] == sizes

    def test_positions_are_told(self, tmp_path):
        path = write(tmp_path / "a", [{"messages": [message("a"), message("b", role="x")]}, {"messages": [3]}])
        with pytest.raises(InputError, match=r"conversation 1, message 2: role 'x'[\s\S]*conversation 2, message 1: a"):
            read_transcripts([path])

    def test_human_and_gpt_are_user_and_assistant(self):
        assert message_of({"from": "human", "value": "a"}) == {"role": "user", "content": "a"}
        assert message_of({"from": "gpt", "value": "a"}) == {"role": "assistant", "content": "a"}
        assert message_of({"name": "Ana", "text": "a"}) == {"role": "user", "content": "a", "name": "Ana"}


class TestLocomo:
    def test_speakers_are_named_users_of_dated_sessions_in_order(self, tmp_path):
        got = read(write(tmp_path / "a.json", [LOCOMO]))
        assert got.format == "LoCoMo JSON"
        (talk,) = got.conversations
        assert talk.scope_id == "conv-1"
        assert [m["id"] for m in talk.messages] == ["D2:1", "D2:2", "D10:1"]
        assert talk.messages[0] == {
            "role": "user", "name": "Ana", "content": "I moved to Lisbon.", "id": "D2:1",
            "timestamp": "2023-05-08T13:56:00+00:00",
        }  # fmt: skip
        assert talk.messages[2]["timestamp"] == "2024-01-01T00:05:00+00:00"

    def test_a_caption_is_not_the_speakers_words(self, tmp_path):
        got = read(write(tmp_path / "a.json", LOCOMO))
        assert "photo" not in json.dumps(got.conversations[0].messages)
        assert got.dropped == {"only a photo, no words": 1}

    def test_a_bare_conversation_has_no_scope(self, tmp_path):
        assert read(write(tmp_path / "a.json", LOCOMO["conversation"])).conversations[0].scope_id is None

    def test_dates_and_turns_that_cannot_be_read_are_told(self, tmp_path):
        talk = {"session_1": [{"speaker": "A", "text": "x"}], "session_1_date_time": "yesterday",
                "session_2": [7], "session_2_date_time": "1:56 pm on 8 May, 2023"}  # fmt: skip
        with pytest.raises(InputError) as caught:
            read_transcripts([write(tmp_path / "a", {"sample_id": "s", "conversation": talk})])
        assert "sample s, session 1: its date 'yesterday'" in str(caught.value)
        assert "sample s, session 2, turn 1: a message must be" in str(caught.value)

    @pytest.mark.parametrize(
        ("text", "iso"),
        [
            ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00+00:00"),
            ("12:00 pm on 29 February, 2024", "2024-02-29T12:00:00+00:00"),
            ("12:30 AM on 3 Sept 2023", "2023-09-03T00:30:00+00:00"),
            ("8:00 am on 31 June, 2023", None),
            ("May 2023", None),
        ],
    )
    def test_session_dates(self, text, iso):
        found = session_date(text)
        assert (found.isoformat() if found else None) == iso


class TestFiles:
    def test_folders_are_read_in_order_of_names_without_hidden_files(self, tmp_path):
        for name in ("b.txt", "a.txt", ".hidden"):
            write(tmp_path / name, [message(name)])
        assert [p.name for p in files_of([tmp_path, tmp_path / "b.txt"])] == ["a.txt", "b.txt"]

    def test_missing_paths_are_told_at_once(self, tmp_path):
        (tmp_path / "empty").mkdir()
        with pytest.raises(InputError, match=r"nope.*empty \(an empty folder\)"):
            files_of([tmp_path / "nope", tmp_path / "empty"])

    @pytest.mark.parametrize("text", ["", "Ana  0:03\nHello", '{"a": 1}', "[1, 2]", '{"a": \n oops', "WEBVTT\n\n"])
    def test_other_formats_are_refused(self, tmp_path, text):
        with pytest.raises(InputError, match="F801"):
            read_transcripts([write(tmp_path / "a.jsonl", text)])

    def test_the_formats_are_named_to_who_brings_another(self, tmp_path):
        with pytest.raises(InputError) as caught:
            read_transcripts([write(tmp_path / "a", "hello")])
        assert all(name in str(caught.value) for name in FORMATS)

    def test_bytes_that_are_no_text(self, tmp_path):
        (tmp_path / "a").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(InputError, match="no UTF-8"):
            read_transcripts([tmp_path / "a"])
