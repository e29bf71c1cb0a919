"""The command line as a whole: documentation, exit codes, streams, the program itself."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli_kit import Ran

from engine.cli import COMMANDS, program
from engine.cli.reference import help_of, reference

ROOT = Path(__file__).resolve().parent.parent
CONTRACT = """add extract search list show history explain update delete undo restore purge profile review feedback
replay train evaluate label compare promote verify doctor demo""".split()


def program_run(*arguments, **environment):
    """The program in a process of its own, without a terminal."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("FACTFOLD_")}
    env |= {"PYTHONPATH": str(ROOT), **environment}
    command = [sys.executable, "-m", "engine.cli", *map(str, arguments)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    return Ran(done.returncode, done.stdout, done.stderr)


# --- documentation -------------------------------------------------------------------------------------------------


def test_every_command_of_the_contract_is_there():
    assert [command.name for command in COMMANDS] == CONTRACT


def test_the_documentation_is_the_programs_own_help():
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == reference(), "run: make docs"


@pytest.mark.parametrize("name", [None, *CONTRACT])
def test_the_documented_help_is_what_is_printed(run, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "120")
    done = run(*([name] if name else []), "--help")
    assert (done.code, done.out.rstrip()) == (0, help_of(name))


@pytest.mark.parametrize("name", CONTRACT)
def test_every_command_speaks_json_and_describes_its_options(name):
    command = program.commands[name]
    options = {option.name: option for option in command.params if option.param_type_name == "option"}
    assert "as_json" in options
    assert [n for n, option in options.items() if not option.help] == []
    assert command.help


def test_rich_lives_in_the_command_line_alone():
    importing = re.compile(r"^\s*(?:from|import) rich\b", re.MULTILINE)
    others = [p for folder in ("engine", "training") for p in (ROOT / folder).rglob("*.py") if "cli" not in p.parts]
    assert [str(p) for p in others if importing.search(p.read_text(encoding="utf-8"))] == []


# --- exit codes and streams ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nonsense"], "No such command"),
        (["add"], "Missing argument"),
        (["add", "I live in Austin."], "--user, --agent or --run"),
        (["add", "x", "--user", " "], "must not be blank"),
        (["search", "x", "--user", "ana", "--as-of", "soon"], "is no moment"),
        (["search", "x", "--user", "ana", "--top-k", "0"], "--top-k"),
        (["list", "--user", "ana", "--filters", "[1]"], "no JSON object"),
        (["list", "--user", "ana", "--filters", "{"], "not JSON"),
        (["update", "id"], "nothing to update"),
        (["delete"], "either the ID"),
        (["delete", "id", "--all", "--user", "ana"], "either the ID"),
        (["delete", "--all"], "whose memories"),
        (["purge"], "give the ID"),
        (["purge", "--user", "ana"], "--yes"),
        (["feedback", "id", "MERGE"], "MERGE"),
        (["train"], "--out"),
        (["train", "pairs.jsonl", "--out", "x"], "unexpected extra argument"),
        (["train", "--sentences", "a", "--out", "x"], "for --what gate"),
        (["train", "--what", "gate", "--pairs", "a", "--out", "x"], "for --what decision"),
        (["replay"], "PATHS"),
    ],
)
def test_wrong_usage_is_2_and_touches_nothing(run, tmp_path, arguments, told):
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["list", "--user", "ana"],
        ["show", "id"],
        ["verify"],
        ["undo", "id"],
        ["purge", "--user", "ana", "--yes"],
        ["replay", "nowhere.jsonl"],
        ["add", "x", "--user", "ana", "--db", "no/folder/x.db"],
    ],
)
def test_what_fails_is_1_with_one_clear_line(run, arguments):
    done = run(*arguments)
    assert (done.code, done.out) == (1, "")
    assert re.fullmatch(r"factfold: \[F\d{3}\] .+\n", done.err)


def test_a_mistyped_database_is_not_made(run, tmp_path):
    assert "F821" in run("list", "--user", "ana", "--db", "typo.db").err
    assert list(tmp_path.iterdir()) == []


def test_the_program_itself(tmp_path):
    assert program_run("--version").out.startswith("factfold, version 0.1.0")
    failed = program_run("list", "--user", "ana", FACTFOLD_DB=str(tmp_path / "x.db"))
    assert (failed.code, failed.out, failed.err.count("\n")) == (1, "", 1)
    assert "Traceback" not in failed.err
    assert program_run("list").code == 2


def test_bad_settings_are_one_message(run, monkeypatch):
    monkeypatch.setenv("FACTFOLD_NEIGHBOURS_K", "none")
    done = run("add", "x", "--user", "ana")
    assert done.code == 1
    assert "FACTFOLD_NEIGHBOURS_K" in done.err
    assert "Traceback" not in done.err


def test_a_reader_that_has_had_enough_is_no_crash(tmp_path):
    script = f"{sys.executable} -m engine.cli --help | true"
    done = subprocess.run(["bash", "-c", script], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True,
                          text=True, timeout=60)  # fmt: skip
    assert "Traceback" not in done.stderr
