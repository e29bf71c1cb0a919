"""``factfold label``: the queue, the session and its file, files of candidates, and the command on a real terminal."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_kit import open_memory, shared_encoder, tell
from rich.console import Console
from test_cli import ROOT, program_run

from engine import lexicon
from engine.classifier import Classifier
from engine.cli.label import KEYS, Screen, shown
from engine.decide import Policy
from engine.errors import InputError
from engine.explain import Bar
from engine.settings import artefact
from engine.types import Operation, Scope
from training.labelling import Counts, LabelFile, Opinion, Question, Session, Told, in_order
from training.mem0_pairs import read_history
from training.pairs import read_pairs
from training.questions import feedback_pairs, from_store, judged, read_candidates

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")
ADD, UPDATE, DELETE, NOOP = Operation
EVERYBODY = Scope()


def opinion(predicted=ADD, margin=0.5, operation=None):
    first = 0.25 + 0.75 * margin
    shares = {o: first if o is predicted else (1 - first) / 3 for o in Operation}
    bars = (Bar("same_subject", "same subject", 1.0, 1.25), Bar("both_objects", "both have a value", 0.0, -0.75),
            Bar("text_cosine", "alike in meaning", 0.62, 0.5))  # fmt: skip
    return Opinion(predicted, operation or predicted, shares, bars, "they differ")


def question(n, *, existing=None, note="", waiting=False, proposal=None, **of_model):
    return Question(existing or f"user owns kayak {n}", f"user sold kayak {n}", opinion(**of_model), waiting=waiting,
                    proposal=proposal, note=note)  # fmt: skip


QUESTIONS = [question(n, predicted=list(Operation)[n % 4]) for n in range(6)]


def session_on(path, questions=QUESTIONS):
    return Session(questions, LabelFile(path))


# --- the queue -----------------------------------------------------------------------------------------------------


def test_what_waits_comes_first_then_what_disagrees_then_the_least_certain():
    sure, unsure = question(1, margin=0.9), question(2, margin=0.1)
    blocked, overruled = question(3, margin=0.8, waiting=True), question(4, predicted=UPDATE, operation=ADD, margin=0.7)
    proposed = question(5, proposal=DELETE, margin=0.6)
    agreed = question(6, proposal=ADD, margin=0.3)
    wanted = [blocked, proposed, overruled, unsure, agreed, sure]
    assert in_order([sure, agreed, overruled, proposed, unsure, blocked]) == wanted
    assert in_order(reversed(wanted)) == wanted


def test_each_pair_is_asked_once_with_the_proposal_of_a_file():
    met = [question(1, note="decision a"), question(1, note="decision b", waiting=True), question(1, proposal=NOOP)]
    (kept,) = in_order(met)
    assert (kept.waiting, kept.proposal, kept.note) == (True, NOOP, "decision b")


# --- the session and its file --------------------------------------------------------------------------------------


def test_a_label_is_a_pair_that_training_reads(tmp_path):
    asked = dataclasses.replace(question(1, note="decision x"), attribute="possession")
    session = session_on(tmp_path / "mine.jsonl", [asked])
    session.answer(DELETE)
    (pair,) = read_pairs([tmp_path / "mine.jsonl"])
    assert (pair.key, pair.label, pair.source, pair.reviewed) == (asked.key, DELETE, "label", True)
    assert (pair.attribute, pair.note) == ("possession", "decision x")
    assert session.next() is None


def test_pairs_of_one_new_statement_share_a_group(tmp_path):
    session = session_on(tmp_path / "mine.jsonl", [question(1), question(1, existing="user rows"), question(2)])
    for label in (DELETE, ADD, DELETE):
        session.answer(label)
    groups = {pair.key: pair.group for pair in read_pairs([tmp_path / "mine.jsonl"])}
    assert len(set(groups.values())) == 2
    assert groups[question(1).key] == groups["user rows", question(1).candidate]


def test_counts_tell_how_far_it_is_and_how_often_the_model_was_right(tmp_path):
    path = tmp_path / "mine.jsonl"
    session = session_on(path)  # predicted: ADD UPDATE DELETE NOOP ADD UPDATE
    for label in (ADD, DELETE):
        session.answer(label)
    session.skip()
    labels = {"ADD": 1, "UPDATE": 0, "DELETE": 1, "NOOP": 0}
    assert session.counts == Counts(labelled=2, left=3, skipped=1, given=2, agreed=1, labels=labels)
    assert session_on(path).counts == Counts(labelled=2, left=4, skipped=0, given=0, agreed=1, labels=labels)


def test_back_takes_the_last_label_out_of_the_file_and_asks_it_again(tmp_path):
    path = tmp_path / "mine.jsonl"
    session = session_on(path)
    session.answer(ADD)
    before = path.read_bytes()
    session.answer(NOOP)
    assert session.undo() == session.next() == QUESTIONS[1]
    assert path.read_bytes() == before
    session.answer(UPDATE)
    assert [p.label for p in read_pairs([path])] == [ADD, UPDATE]
    assert session.next() == QUESTIONS[2]


def test_back_in_a_new_session_takes_a_former_label_and_loses_no_question(tmp_path):
    path = tmp_path / "mine.jsonl"
    first = session_on(path, QUESTIONS[3:5])
    first.answer(ADD)
    first.answer(ADD)
    session = session_on(path)
    assert session.next() == QUESTIONS[0]
    assert (session.undo(), session.undo(), session.undo()) == (QUESTIONS[4], QUESTIONS[3], None)
    asked = []
    while (one := session.next()) is not None:
        asked.append(one)
        session.answer(NOOP)
    assert sorted(asked, key=lambda q: q.key) == QUESTIONS and asked[:2] == [QUESTIONS[3], QUESTIONS[4]]


def test_what_others_wrote_stays_as_it_is_and_is_not_taken_back(tmp_path):
    path = tmp_path / "mine.jsonl"
    theirs = b'  {"candidate": "user sold kayak 0", "existing": "user owns kayak 0", "label":"ADD", "extra": 1}\n\n'
    theirs += b'{"existing": "a", "candidate": "b", "label": "NOOP"}'  # and no end of line
    path.write_bytes(theirs)
    session = session_on(path)
    assert session.next() == QUESTIONS[1] and session.undo() is None
    session.answer(UPDATE)
    assert path.read_bytes().startswith(theirs + b"\n") and len(read_pairs([path])) == 3
    session.undo()
    assert path.read_bytes() == theirs + b"\n"


def test_a_rewritten_file_keeps_its_rights_and_its_link(tmp_path):
    real, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    real.touch(mode=0o600)
    real.chmod(0o600)
    link.symlink_to(real)
    session = session_on(link)
    session.answer(ADD)
    session.answer(ADD)
    session.undo()
    assert link.is_symlink() and real.stat().st_mode & 0o777 == 0o600
    assert len(read_pairs([real])) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.jsonl", "real.jsonl"]


@pytest.mark.parametrize("cut", [1, 5, 13, 40, -1])
def test_half_a_line_of_a_killed_process_is_dropped(tmp_path, cut):
    path = tmp_path / "mine.jsonl"
    session = session_on(path)
    session.answer(ADD)
    whole = path.read_bytes()
    session.answer(ADD)
    last = path.read_bytes()[len(whole) :].rstrip(b"\n")
    path.write_bytes(whole + last[:cut])
    again = LabelFile(path)
    assert again.dropped and path.read_bytes() == whole
    assert Session(QUESTIONS, again).next() == QUESTIONS[1]


def test_a_whole_last_line_without_its_end_is_kept(tmp_path):
    path = tmp_path / "mine.jsonl"
    session_on(path).answer(ADD)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    session = session_on(path)
    assert not session.file.dropped
    session.answer(NOOP)
    assert [p.label for p in read_pairs([path])] == [ADD, NOOP]


@pytest.mark.parametrize("content", ["shopping: bread", '{"existing": "a"}\n', '{"existing": 3, "candid'])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_text(content)
    with pytest.raises(InputError, match="F050"):
        LabelFile(path)
    assert path.read_text() == content


def test_where_it_cannot_be_written_nothing_is_taken_for_labelled(tmp_path, monkeypatch):
    path = tmp_path / "mine.jsonl"
    session = session_on(path)
    session.answer(ADD)
    before = path.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("training.labelling.os.fsync", full)
        for act in (lambda: session.answer(ADD), session.undo):
            with pytest.raises(InputError, match=r"F852.*No space left"):
                act()
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["mine.jsonl"]
    assert session.next() == QUESTIONS[1] and session.counts.labelled == 1
    session.answer(NOOP)
    assert len(read_pairs([path])) == 2


ACTS = st.lists(st.sampled_from([*Operation, "skip", "undo", "undo", "resume", "killed"]), max_size=40)


@settings(max_examples=150, deadline=None)
@given(acts=ACTS)
def test_the_file_holds_what_was_answered_and_not_taken_back(acts):
    """Beside a plain list of what was done: after every act file, next question and counts follow from it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mine.jsonl"
        session, past = session_on(path), []
        for act in acts:
            current = session.next()
            if act in ("resume", "killed"):
                if act == "killed" and path.exists():
                    with path.open("ab") as file:
                        file.write(b'{"existing": "user owns ka')
                session = session_on(path)
                past = [done for done in past if done[1] != "skip"]
            elif act == "undo":
                taken = session.undo()
                assert (taken and taken.key) == (past.pop()[0] if past else None)
                assert taken is None or session.next() == taken
            elif current is not None:
                session.skip() if act == "skip" else session.answer(act)
                past.append((current.key, act))
            labels = {key: label for key, label in past if label != "skip"}
            assert {p.key: p.label for p in (read_pairs([path]) if path.exists() else [])} == labels
            now = session.next()
            assert (now is None) == (len(past) == len(QUESTIONS)) and (now is None or now.key not in dict(past))
            counts = session.counts
            assert (counts.labelled, counts.skipped) == (len(labels), len(past) - len(labels))
            assert counts.left == len(QUESTIONS) - len(past)


# --- recorded decisions --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def talked(tmp_path_factory):
    """A database with talk of three people; ids of one decision to judge."""
    path = tmp_path_factory.mktemp("talk") / "talk.db"
    with open_memory(path) as memory:
        tell(memory, "2026-01-05", "I live in Leeds and I play the cello. I work as a physiotherapist at a clinic.",
             user="ines")  # fmt: skip
        tell(memory, "2026-02-02", "I drink a lot of coffee, about five cups a day.", user="ines")
        moved = tell(memory, "2026-03-22", "We moved to York last week!", user="ines")
        tell(memory, "2026-04-02", "I hardly ever touch the cello these days.", user="ines")
        tell(memory, "2026-04-11", "I no longer live in York. I'm off coffee completely.", user="ines")
        tell(memory, "2026-01-01", "I live in Lyon. I have a dog called Filou.", user="bo")
        tell(memory, "2026-05-01", "I moved to Nantes.", user="bo")
        for day, text in (("2026-01-03", "I live in Bergen."), ("2026-05-03", "I moved to Malmö.")):
            said = {"role": "user", "name": "Tove", "content": text, "timestamp": day}
            memory.add(said, user_id="tove", agent_id="helper")
    return path, moved[-1]["decision_id"]


def asked_of(memory, scope=EVERYBODY):
    return {q.key: q for q in in_order(from_store(memory.store, scope))}


def test_recorded_decisions_are_asked_with_their_sentences(talked):
    with open_memory(talked[0]) as memory:
        found = asked_of(memory)
        moved = found["user lives in Leeds", "user moved to York last week"]
        over = found["user moved to York last week", "user no longer lives in York"]
    assert moved.existing_told[0].sentence.startswith("I live in Leeds")
    assert "I play the cello" in moved.existing_told[0].around
    assert [(t.sentence, t.speaker, t.at) for t in moved.candidate_told] == [
        ("We moved to York last week!", "user", "2026-03-22")
    ]
    assert "I no longer live in York" in over.candidate_told[0].sentence
    assert moved.opinion.predicted is UPDATE and moved.opinion.bars[0].sentence
    assert sum(moved.opinion.probabilities.values()) == pytest.approx(1, abs=1e-4)
    assert moved.attribute == "residence" and moved.note == f"decision {talked[1]}"


def test_a_named_speaker_is_asked_about_as_user_as_he_is_compared(talked):
    with open_memory(talked[0]) as memory:
        found = asked_of(memory, Scope(user_id="tove"))
    (moved,) = found.values()
    assert moved.key == ("user lives in Bergen", "user moved to Malmö")
    assert moved.candidate_told[0].speaker == "Tove"


@pytest.mark.parametrize(
    ("scope", "places"),
    [
        (Scope(user_id="bo"), {"Lyon"}),
        (Scope(user_id="tove", agent_id="helper"), {"Bergen"}),
        (Scope(user_id="tove", agent_id="other"), set()),
        (Scope(user_id="nobody"), set()),
        (EVERYBODY, {"Leeds", "Lyon", "Bergen"}),
    ],
)
def test_only_the_decisions_of_a_scope_are_asked(talked, scope, places):
    with open_memory(talked[0]) as memory:
        held = {q.existing for q in from_store(memory.store, scope)}
    assert {text.split()[-1] for text in held if text.startswith("user lives in ")} == places


def test_what_waits_for_review_is_asked_first(tmp_path):
    record = {"message_id": "m", "candidate": "user gave the canoe away", "target": None, "operations": [], "neighbours": [
        {"memory_id": "x", "text": text, "label": label, "operation": "ADD", "rule": None, "features": {}, "reasons": [],
         "probabilities": {"ADD": 0.3, "UPDATE": 0.05, "DELETE": p, "NOOP": 0.65 - p}}
        for text, label, p in (("user paddles", "NOOP", 0.05), ("user owns a canoe", "DELETE", 0.6))
    ]}  # fmt: skip
    with open_memory(tmp_path / "m.db") as memory:
        tell(memory, "2026-03-01", "I own a piano.", "I sold the piano.")
        memory.store.record_decision("d", "user:ana", record, review=True)
        order = in_order(from_store(memory.store, EVERYBODY))
    assert order[0].key == ("user owns a canoe", "user gave the canoe away")
    assert [q.waiting for q in order].count(True) == 1


def test_what_was_taken_back_or_purged_is_not_asked(tmp_path):
    with open_memory(tmp_path / "m.db") as memory:
        tell(memory, "2026-03-01", "I live in Ghent.", "I have a cat called Miso.")
        (moved,) = tell(memory, "2026-04-01", "I moved to Bruges.")
        texts = {text for key in asked_of(memory) for text in key}
        assert "user moved to Bruges" in texts and any("Miso" in t for t in texts)
        (cat,) = [m["id"] for m in memory.get_all(user_id="ana")["results"] if "Miso" in m["memory"]]
        memory.purge(memory_id=cat)
        texts = {text for key in asked_of(memory) for text in key}
        assert "user moved to Bruges" in texts and not any("Miso" in t or "purged" in t for t in texts)
        memory.undo(moved["decision_id"])
        assert not any("Bruges" in text for key in asked_of(memory) for text in key)


# --- feedback ------------------------------------------------------------------------------------------------------


def test_feedback_becomes_pairs_for_training_and_is_not_asked_again(tmp_path, run):
    with open_memory("factfold.db") as memory:
        said = {"role": "user", "name": "Tove", "content": "I live in Bergen.", "timestamp": "2026-01-03"}
        memory.add(said, user_id="tove")
        (moved,) = memory.add({**said, "content": "I moved to Malmö.", "timestamp": "2026-05-03"}, user_id="tove")[
            "results"
        ]
        tell(memory, "2026-03-01", "I own a piano.")
        (sold,) = tell(memory, "2026-03-02", "I sold the piano.")[:1]
        memory.feedback(moved["decision_id"], "ADD")  # not what was done: the store is mended
        memory.feedback(sold["decision_id"], "DELETE")
        found = feedback_pairs(memory.store, EVERYBODY)
        assert ("user lives in Bergen", "user moved to Malmö", ADD) in [(*p.key, p.label) for p in found]
        assert {p.label for p in found} == {ADD, DELETE} and all(p.reviewed and p.group for p in found)
        assert not {p.key for p in found} & set(asked_of(memory))
        assert len(feedback_pairs(memory.store, Scope(user_id="tove"))) == 1
    done = run("label", "--feedback", "--out", "mine.jsonl", "--json")
    assert done.data == {"out": "mine.jsonl", "pairs": 2, "added": 2, "differing": 0}
    assert sorted(p.key for p in read_pairs([Path("mine.jsonl")])) == sorted(p.key for p in found)
    assert run("label", "--feedback", "--out", "mine.jsonl", "--json").data["added"] == 0


def test_feedback_about_what_was_purged_stays_in(tmp_path):
    with open_memory(tmp_path / "m.db") as memory:
        tell(memory, "2026-03-01", "I live in Ghent.")
        (moved,) = tell(memory, "2026-04-01", "I moved to Bruges.")
        tell(memory, "2026-04-02", "I have a cat called Miso.")
        memory.feedback(moved["decision_id"], "ADD")
        assert len(feedback_pairs(memory.store, EVERYBODY)) == 1
        (held,) = [m["id"] for m in memory.get_all(user_id="ana")["results"] if "Ghent" in m["memory"]]
        memory.purge(memory_id=held)
        assert feedback_pairs(memory.store, EVERYBODY) == []


# --- files of candidates -------------------------------------------------------------------------------------------


def jsonl(path, *rows):
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows), encoding="utf-8")
    return path


def history_db(path, rows):
    """A ``history.db`` as mem0 1.x writes it."""
    connection = sqlite3.connect(path)
    connection.execute(
        """CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,
        created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"""
    )
    for n, (memory_id, old, new, event, created, updated) in enumerate(rows):
        values = (str(n), memory_id, old, new, event, created, updated, int(event == "DELETE"), None, "user")
        connection.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
    connection.commit()
    connection.close()
    return path


HISTORY = [
    ("m1", None, "Lives in Ghent", "ADD", "2025-02-01T10:00:00-07:00", None),
    ("m2", None, "Is vegetarian", "ADD", "2025-02-01T10:00:01-07:00", None),
    ("m1", "Lives in Ghent", "Lives in Bruges", "UPDATE", "2025-02-01T10:00:00-07:00", "2025-06-01T10:00:00-07:00"),
    ("m1", "Lives in Bruges", "Lives in Bruges", "UPDATE", "2025-02-01T10:00:00-07:00", "2025-06-02T10:00:00-07:00"),
    ("m3", None, "Eats fish again", "ADD", "2025-07-01T10:00:00-07:00", None),
    ("m2", "Is vegetarian", None, "DELETE", None, None),
    ("m1", "Lives in Bruges", "Has a home in Bruges", "NONE", None, "2025-08-01T10:00:00-07:00"),
    ("m4", "Owns a bike", "Sold the bike", "DELETE", None, None),
]


def test_a_history_of_mem0_makes_pairs_where_it_holds_two_statements(tmp_path):
    pairs, left_out = read_history(history_db(tmp_path / "history.db", HISTORY))
    assert [(p.existing, p.candidate, p.proposal, p.group) for p in pairs] == [
        ("Lives in Ghent", "Lives in Bruges", UPDATE, "mem0:m1"),
        ("Is vegetarian", "Eats fish again", None, "mem0:m2"),
        ("Lives in Bruges", "Has a home in Bruges", NOOP, "mem0:m1"),
        ("Owns a bike", "Sold the bike", DELETE, "mem0:m4"),
    ]
    assert pairs[0].at.startswith("2025-06-01") and pairs[1].at.startswith("2025-07-01")
    assert left_out == {"ADD": 3, "UPDATE": 1}


def test_a_deletion_of_mem0_with_nothing_beside_it_makes_no_pair(tmp_path):
    rows = [HISTORY[1], ("m2", "Is vegetarian", None, "DELETE", None, None), ("m5", "Rows", None, "DELETE", None, None)]
    pairs, left_out = read_history(history_db(tmp_path / "history.db", rows))
    assert pairs == [] and left_out == {"ADD": 1, "DELETE": 2}


def test_candidates_come_with_or_without_a_label_and_from_several_files(tmp_path):
    one = jsonl(tmp_path / "one.jsonl",
                {"existing": "user lives in Ghent", "candidate": "user lives in Bruges", "label": "NOOP", "group": "g"},
                {"existing": "user owns a bike", "candidate": "user is called Noor", "label": None}, "",
                {"existing": "user rows", "candidate": "User rows"})  # fmt: skip
    found, remarks = read_candidates([one, history_db(tmp_path / "history.db", HISTORY)])
    assert [c.proposal for c in found] == [NOOP, None, UPDATE, None, NOOP, DELETE]
    assert (found[0].group, found[1].note, found[2].note) == ("g", "one.jsonl line 2", "mem0 history row 3")
    assert remarks == ["history.db: 4 rows hold no two statements (3 ADD, 1 UPDATE)."]


def test_bad_candidates_are_told_all_at_once(tmp_path):
    bad = jsonl(tmp_path / "bad.jsonl", "{", "[1]", {"existing": " ", "candidate": 3},
                {"existing": "a", "candidate": "b", "label": "MERGE", "group": 7})  # fmt: skip
    with pytest.raises(InputError, match="F851") as caught:
        read_candidates([bad, tmp_path / "none.jsonl"])
    for part in ("bad.jsonl line 1: not JSON", "line 2: not a JSON object", "line 3: 'existing'", "'candidate' must",
                 "line 4: 'group' must be a text; label 'MERGE'", "none.jsonl: cannot be read"):  # fmt: skip
        assert part in str(caught.value)


def test_candidates_are_judged_by_the_model_in_use_and_what_it_denies_comes_first(tmp_path):
    file = jsonl(tmp_path / "c.jsonl",
                 {"existing": "user lives in Ghent", "candidate": "user lives in Bruges", "label": "UPDATE"},
                 {"existing": "user lives in Hull", "candidate": "user lives in Quito", "label": "NOOP"},
                 {"existing": "user lives in Ghent", "candidate": "user plays the oboe"})  # fmt: skip
    model = Classifier.load(artefact("decision.json"))
    seen = []
    found = judged(read_candidates([file])[0], model, lexicon.load(), shared_encoder(), Policy(),
                   lambda done, total: seen.append((done, total)))  # fmt: skip
    assert [q.opinion.predicted for q in found] == [UPDATE, UPDATE, ADD]
    assert seen == [(3, 3)] and found[0].attribute == "residence"
    assert all(len(q.opinion.bars) == 3 and 0 <= q.opinion.margin <= 1 for q in found)
    assert in_order(found)[0].candidate == "user lives in Quito"


# --- the screen ----------------------------------------------------------------------------------------------------


def pressed(path, *keys, width=90, questions=QUESTIONS):
    """What a screen shows while keys are pressed; an exception among them is raised."""
    given = iter([*keys, "q"])

    def read():
        key = next(given)
        if isinstance(key, type):
            raise key
        return key

    out = Console(file=io.StringIO(), width=width, highlight=False, color_system=None)
    session = session_on(path, questions)
    Screen(session, out, read).run()
    return session, out.file.getvalue()


@pytest.mark.parametrize(
    ("keys", "labels"),
    [
        ("audn", [ADD, UPDATE, DELETE, NOOP]),
        ("AUDN", [ADD, UPDATE, DELETE, NOOP]),
        ("a ud", [ADD, UPDATE, DELETE]),
        ("asssssssa", [ADD]),
        ("aubn", [ADD, NOOP]),
        ("au\x7f\x08n", [NOOP]),
        ("bbba", [ADD]),
        ("a?uxn", [ADD, NOOP]),
        ("auqdd", [ADD, UPDATE]),
        ("aaaaaabu", [ADD] * 5 + [UPDATE]),
        (["a", "\x1b[A", "u"], [ADD, UPDATE]),
        (["a", "und", "u"], [ADD, UPDATE]),
        (["a", KeyboardInterrupt, "u"], [ADD]),
        (["a", "?", KeyboardInterrupt, "u"], [ADD]),
        (["a", EOFError, "u"], [ADD]),
        (["a", OSError, "u"], [ADD]),
        (["a", "", "u"], [ADD]),
    ],
)
def test_keys(tmp_path, keys, labels):
    pressed(tmp_path / "mine.jsonl", *keys)
    rows = [json.loads(line) for line in (tmp_path / "mine.jsonl").read_text().splitlines()]
    assert [row["label"] for row in rows] == labels


def test_what_is_shown_of_a_pair(tmp_path):
    one = Question("user owns a canoe", "user sold the canoe", opinion(UPDATE, 0.6, DELETE),
                   (Told("I own a canoe.", "user", "2026-03-01"),),
                   (Told("I sold it.", "Tove", "2026-04-01", "The canoe? I sold it. Pity."),),
                   waiting=True, proposal=NOOP, note="decision d")  # fmt: skip
    _, told = pressed(tmp_path / "mine.jsonl", questions=[one])
    for part in ("0 labelled, 1 left", "held    user owns a canoe", "“I own a canoe.”  user, 2026-03-01",
                 "new     user sold the canoe", "“The canoe? I sold it. Pity.”  Tove, 2026-04-01",
                 "UPDATE\u00a00.70   ADD\u00a00.10", "done    DELETE: they differ", "for UPDATE +1.2: same subject",
                 "against UPDATE -0.8: not: both have a value", "for UPDATE +0.5: alike in meaning (0.62)",
                 "NOOP is proposed", "waits for review", "decision d", KEYS):  # fmt: skip
        assert part in told, part


@pytest.mark.parametrize("width", [20, 34, 60, 200])
def test_every_word_is_there_in_a_narrow_terminal(tmp_path, width):
    long = "user has kept bees behind the old customs house on the quay since the spring of the great flood"
    one = Question(long, "user sold the hives", opinion(), (Told(f"Well, {long}.", "user", "2026-03-01"),))
    _, told = pressed(tmp_path / "mine.jsonl", width=width, questions=[one])
    assert max(map(len, told.splitlines())) <= width
    assert all(word in told for word in (*long.split(), "hives", "2026-03-01", "help"))


def test_texts_do_nothing_to_the_terminal():
    assert shown("a\x1b[2Jb\r\nc\u202ed\x07") == "a [2Jb  c d "
    assert shown("Zoë 👩‍👩‍👧 – naïve") == "Zoë 👩‍👩‍👧 – naïve"
    assert len(shown("x" * 5000)) <= 320


# --- the command ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ([], 2, "--out"),
        (["--out", "mine.jsonl"], 1, "[F850]"),
        (["--out", "none/mine.jsonl"], 2, "no directory"),
        (["--out", "m.jsonl", "--feedback", "--candidates", "a.jsonl"], 2, "takes no --candidates"),
        (["--out", "m.jsonl", "--feedback"], 1, "[F821]"),
        (["--out", "m.jsonl", "--user", " "], 1, "[F072]"),
    ],
)
def test_wrong_usage(run, arguments, code, told):
    done = run("label", *arguments)
    assert (done.code, done.out) == (code, "") and told in done.err


def test_in_a_pipe_it_says_what_to_do_instead():
    done = program_run("label", "--out", "mine.jsonl")
    assert done.code == 1 and "needs a terminal" in done.err and "factfold feedback" in done.err


class Terminal:
    """The program on a pseudo-terminal of its own; stdout goes to a file."""

    def __init__(self, folder, *arguments, columns=80):
        self.fd, end = pty.openpty()
        termios.tcsetwinsize(end, (30, columns))
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FACTFOLD_") and k != "COLUMNS"}
        environment |= {"PYTHONPATH": str(ROOT), "TERM": "xterm"}
        self.out = folder / "stdout.txt"
        with self.out.open("w") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "engine.cli", "label", *map(str, arguments)],
                stdin=end, stdout=out, stderr=end, env=environment, start_new_session=True, cwd=folder,
            )  # fmt: skip
        os.close(end)
        self.told = ""

    def until(self, text, seconds=60):
        """Reads until a text is shown; what was shown up to there."""
        deadline = time.monotonic() + seconds
        while text not in self.told:
            if not select.select([self.fd], [], [], max(0, deadline - time.monotonic()))[0]:
                raise AssertionError(f"{text!r} was not shown, but:\n{self.told}")
            try:
                self.told += os.read(self.fd, 65536).decode("utf-8", "replace")
            except OSError:  # the program is gone
                assert text in self.told, self.told
        before, found, self.told = self.told.partition(text)
        return before + found

    def press(self, key, then=""):
        """Presses a key as soon as the program waits for one: what comes earlier is thrown away."""
        deadline = time.monotonic() + 60
        while termios.tcgetattr(self.fd)[3] & termios.ICANON:
            assert time.monotonic() < deadline, self.told
            time.sleep(0.005)
        os.write(self.fd, key.encode())
        return self.until(then) if then else ""

    def end(self):
        """Waits for the program; its exit code."""
        code = self.process.wait(60)
        os.close(self.fd)
        return code


def test_five_labels_an_undo_a_quit_and_on_from_there(talked, tmp_path):
    mine = tmp_path / "mine.jsonl"
    arguments = ("--db", talked[0], "--out", mine, "--json")
    first = Terminal(tmp_path, *arguments)
    first.until("? help")
    for n, key in enumerate("audna", 1):
        first.press(key, f"{n} labelled")
        first.until("? help")
        assert len(read_pairs([mine])) == n  # on the disk before the next is asked
    before = [json.loads(line)["label"] for line in mine.read_text().splitlines()]
    first.press("\x7f", "4 labelled")
    first.until("Taken back.")
    first.press("q")
    assert first.end() == 0
    counts = json.loads(first.out.read_text())
    assert before == ["ADD", "UPDATE", "DELETE", "NOOP", "ADD"]
    assert (counts["labelled"], counts["given"], counts["out"]) == (4, 4, str(mine))
    assert counts["labels"] == {"ADD": 1, "UPDATE": 1, "DELETE": 1, "NOOP": 1}
    held = mine.read_bytes()

    again = Terminal(tmp_path, *arguments, columns=36)
    assert max(map(len, again.until("4 labelled").splitlines())) <= 36
    again.until("help")
    again.press("u", "5 labelled")
    again.until("help")
    again.press("\x03")
    assert again.end() == 0
    counts = json.loads(again.out.read_text())
    assert (counts["labelled"], counts["given"]) == (5, 1)
    assert mine.read_bytes().startswith(held) and len({p.key for p in read_pairs([mine])}) == 5


def test_a_killed_program_has_lost_nothing(talked, tmp_path):
    mine = tmp_path / "mine.jsonl"
    terminal = Terminal(tmp_path, "--db", talked[0], "--out", mine)
    terminal.until("? help")
    for n, key in enumerate("dd", 1):
        terminal.press(key, f"{n} labelled")
        terminal.until("? help")
    terminal.process.send_signal(signal.SIGKILL)
    terminal.end()
    assert [p.label for p in read_pairs([mine])] == [DELETE, DELETE]


def test_candidates_on_a_terminal_without_a_database(tmp_path):
    jsonl(tmp_path / "c.jsonl",
          {"existing": "user lives in Ghent", "candidate": "user lives in Bruges", "label": "ADD"})  # fmt: skip
    history_db(tmp_path / "history.db", HISTORY)
    terminal = Terminal(tmp_path, "--candidates", "c.jsonl", "history.db", "--out", "mine.jsonl")
    told = terminal.until("? help")
    assert "5 left" in told and "is proposed" in told
    assert "4 rows hold no two statements" in told.split("5 left")[1]  # where the screen is not cleared any more
    terminal.press("n", "1 labelled, 4 left")
    terminal.press("q")
    assert terminal.end() == 0
    assert len(read_pairs([tmp_path / "mine.jsonl"])) == 1
    assert not (tmp_path / "factfold.db").exists()
