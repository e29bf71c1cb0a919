"""Each command, in this process."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from cli_kit import message, write_jsonl

from engine.cli.output import WIDTH
from engine.doctor import manifest_problems
from engine.waterfall import steps

# --- taking in -----------------------------------------------------------------------------------------------------


def test_add_shows_what_it_did_on_stdout_and_what_it_skipped_on_stderr(run):
    done = run("add", "I live in Austin. How are you?", "--user", "ana")
    assert done.out.startswith("ADD  user lives in Austin")
    assert "'How are you?': a question" in done.err


def test_add_takes_names_metadata_stdin_and_verbatim(run, monkeypatch):
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("I live in Austin."))
    done = run("add", "-", "--user", "ana", "--name", "Ana", "--metadata", '{"via": "mail"}', "--json")
    assert [r["memory"] for r in done.data["results"]] == ["Ana lives in Austin"]
    run("add", "buy milk", "--user", "ana", "--verbatim")
    found = run("list", "--user", "ana", "--json").data
    assert {m["memory"]: m["metadata"] for m in found["results"]} == {
        "Ana lives in Austin": {"via": "mail"},
        "buy milk": {},
    }


def test_extract_stores_nothing(run, tmp_path):
    done = run("extract", "I live in Austin.", "--json")
    assert done.data["facts"][0]["memory"] == "user lives in Austin"
    assert "residence" in run("extract", "I live in Austin.").out
    assert list(tmp_path.iterdir()) == []


def test_replay_reports_and_resumes(run, tmp_path):
    path = write_jsonl(tmp_path / "chat", [message("I live in Austin."), message("How are you?")])
    assert "F810" in run("replay", path).err
    done = run("replay", path, "--user", "ana", "--db", "r.db")
    assert done.code == 0
    assert "2 messages taken in, of 1 user(s) in 1 conversation(s)" in done.out
    assert "1  a question asserts nothing" in done.out
    again = run("replay", path, "--user", "ana", "--db", "r.db", "--resume", "--json").data
    assert (again["messages"], again["already"]) == (0, 2)
    assert "2  were in the database already" in run("replay", path, "--user", "ana", "--db", "r.db").out


# --- asking --------------------------------------------------------------------------------------------------------


def test_search_now_and_then(run, moved):
    now = run("search", "Where do I live?", "--user", "ana", "--json").data["results"]
    assert now[0]["memory"] == moved["memory"]
    then = run("search", "Where do I live?", "--user", "ana", "--as-of", "2026-04-01", "--explain")
    assert "user lives in Austin" in then.out
    assert "similarity" in then.out
    assert "… – 2026-07-01" in then.out or "2026-03-01 – 2026-07-01" in then.out
    nothing = run("search", "Where do I live?", "--user", "ben")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "nothing found\n")


def test_list_tells_the_total(run, moved):
    done = run("list", "--user", "ana")
    assert moved["id"] in done.out
    assert done.err == "1 of 1 memories\n"
    everything = run("list", "--user", "ana", "--history", "--json").data
    assert {m["memory"] for m in everything["results"]} == {"user lives in Austin", moved["memory"]}
    filtered = run("list", "--user", "ana", "--filters", '{"attribute": "pet"}', "--json").data
    assert filtered == {"results": [], "total": 0}


def test_show_and_history(run, moved):
    shown = run("show", moved["id"])
    assert "I moved to Denver." in shown.out
    assert run("show", moved["id"], "--json").data["version"] == 2
    assert "F822" in run("show", "nope").err
    rows = run("history", moved["id"], "--json").data
    assert [row["event"] for row in rows] == ["ADD", "UPDATE"]
    assert moved["decision_id"] in run("history", moved["id"]).out


def test_ids_are_checked_against_the_scope(run, moved):
    assert run("show", moved["id"], "--user", "ben").code == 1
    assert run("delete", moved["id"], "--user", "ben").code == 1
    assert run("explain", moved["decision_id"], "--user", "ben").code == 1


def test_profile(run, moved):
    assert f"residence: {moved['memory']}" in run("profile", "--user", "ana").out
    cut = run("profile", "--user", "ana", "--max-chars", "3")
    assert (cut.out, cut.err) == ("", "1 of 1 lines did not fit\n")


# --- deciding ------------------------------------------------------------------------------------------------------


def test_explain_draws_the_waterfall(run, moved):
    done = run("explain", moved["decision_id"], "--most", "3")
    assert "against  user lives in Austin" in done.out
    assert re.search(r"[█▒]", done.out)
    assert "smaller ones" in done.out
    assert max(map(len, done.out.splitlines())) <= WIDTH
    hidden = run("explain", moved["decision_id"], "--hide-values").out
    assert "Austin" not in hidden
    assert "Denver" not in hidden


def test_the_waterfall_adds_up(run, moved):
    told = run("explain", moved["decision_id"], "--json").data
    drawn = steps(told, 4)
    assert len(drawn) == 4 + 3
    assert drawn[-1].end == pytest.approx(told["prior"] + sum(bar["contribution"] for bar in told["bars"]))
    assert all(a.end == b.start for a, b in pairwise(drawn[:-1]))
    assert steps({"bars": []}) == []


def test_feedback_and_review(run, moved):
    done = run("feedback", moved["decision_id"], "add", "--json").data
    assert (done["pair"]["label"], done["changed"]) == ("ADD", True)
    assert run("list", "--user", "ana", "--json").data["total"] == 2
    assert run("review", "--user", "ana", "--json").data == []
    assert run("review", "--user", "ana").err == "0 to review\n"


# --- changing ------------------------------------------------------------------------------------------------------


def test_update_delete_restore_undo(run, moved):
    memory_id = moved["id"]
    assert run("update", memory_id, "user lives in Boulder", "--at", "2026-08-01").err == "updated\n"
    assert run("update", memory_id, "--metadata", '{"a": 1}', "--json").data["message"]
    assert run("show", memory_id, "--json").data["metadata"] == {"a": 1}
    assert run("restore", memory_id, "1", "--json").data["id"] == memory_id
    assert run("show", memory_id, "--json").data["memory"] == "user lives in Austin"
    assert run("undo", moved["decision_id"]).code == 0
    assert run("delete", memory_id, "--reason", "asked for").err == "deleted\n"
    assert run("show", memory_id).code == 1
    assert "F085" in run("delete", memory_id).err
    assert run("restore", memory_id, "99").code == 1


def test_delete_all_and_purge(run, moved):
    assert run("delete", "--all", "--user", "ana", "--json").data["deleted"] == 1
    assert run("purge", moved["id"], "--yes").err.startswith("erased: 1 memories")
    assert run("purge", "--user", "ana", "--yes", "--json").data["memories"] == 0
    assert run("list", "--user", "ana", "--history", "--json").data["total"] == 0


# --- learning and care ---------------------------------------------------------------------------------------------


def test_train_passes_everything_on_and_shows_the_report(run, monkeypatch, tmp_path):
    from types import SimpleNamespace

    asked = {}

    def train(paths, out, *, replace, progress):
        progress("fitting", 1, 2)
        asked.update(paths=paths, out=out, replace=replace)
        return SimpleNamespace(
            pairs=8, groups=4, labels={"ADD": 8}, scores=SimpleNamespace(macro_f1=0.9, accuracy=0.8), c=0.1,
            ece_before=0.05, ece_after=0.01, temperature=1.1, files={"decision.json": "ab" * 32},
        )  # fmt: skip

    monkeypatch.setattr("training.train.train", train)
    done = run("train", "--pairs", "a.jsonl", "b.jsonl", "--pairs", "c.jsonl", "--out", "models", "--replace")
    assert asked["paths"] == [Path("a.jsonl"), Path("b.jsonl"), Path("c.jsonl")]  # in order: the later wins
    assert (asked["out"], asked["replace"]) == (Path("models"), True)
    assert "grouped macro F1 0.900" in done.out
    assert "training: fitting (1/2)" in done.err


def test_train_tells_bad_lines(run, tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"existing": ""}\nnope\n')
    done = run("train", "--pairs", "bad.jsonl", "--out", "models")
    assert done.code == 1
    assert "line 1" in done.err
    assert "line 2" in done.err


def test_train_the_gate(run, tmp_path):
    rows = []
    for i in range(20):
        rows += [{"text": f"I live in house {i} and I am a nurse.", "label": "keep", "group": f"k{i}"}]
        rows += [{"text": f"I am drinking coffee number {i} right now.", "label": "skip", "group": f"s{i}"}]
    path = write_jsonl(tmp_path / "sentences.jsonl", rows)
    asked = ("train", "--what", "gate", "--sentences", path, "--replace", "--out")
    report = run(*asked, "a", "--json").data
    assert (report["sentences"], report["kept"]) == (40, 20)
    assert "40 sentences, 20 of them to keep" in run(*asked, "b").out
    assert (tmp_path / "a" / "gate.json").read_bytes() == (tmp_path / "b" / "gate.json").read_bytes()
    assert manifest_problems(tmp_path / "a" / "gate.json") == []
    few = write_jsonl(tmp_path / "few.jsonl", rows[:4])
    assert "F054" in run("train", "--what", "gate", "--sentences", few, "--replace", "--out", "c").err


def test_evaluate_passes_everything_on(run, monkeypatch):
    asked = {}

    def evaluate(paths, **rest):
        asked.update(paths=paths, **rest)
        return "figures"

    monkeypatch.setattr("training.evaluate.evaluate", evaluate)
    monkeypatch.setattr("training.evaluate.as_text", lambda found: f"as text: {found}")
    assert run("evaluate", "--pairs", "a.jsonl", "--ablation").out == "as text: figures\n"
    assert (asked["paths"], asked["ablation"], asked["replace"]) == ([Path("a.jsonl")], True, False)
    assert run("evaluate", "--json").data == "figures"


def test_verify(run, moved):
    import sqlite3

    assert (run("verify").code, run("verify", "--json").data) == (0, {"problems": []})
    connection = sqlite3.connect("factfold.db")
    connection.execute("UPDATE versions SET hash = 'x' WHERE number = 1")
    connection.commit()
    connection.close()
    broken = run("verify", "--json")
    assert broken.code == 1
    assert "hash" in broken.data["problems"][0]


def test_doctor(run, monkeypatch):
    from engine.doctor import Check

    checks = [Check("Python", True, "3.11"), Check("encoder", False, "", "no weights", "pip install them")]
    monkeypatch.setattr("engine.cli.care.examine", lambda db: checks)
    done = run("doctor")
    assert done.code == 1
    assert "no weights\n" in re.sub(r" +\n", "\n", done.out)
    assert "→ pip install them" in done.out
    assert run("doctor", "--json").data["ok"] is False
    monkeypatch.setattr("engine.cli.care.examine", lambda db: checks[:1])
    assert run("doctor").code == 0
