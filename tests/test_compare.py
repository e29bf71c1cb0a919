import dataclasses
import json
from collections import Counter
from pathlib import Path

import pytest
from cli_kit import dump
from memory_kit import open_memory, shared_encoder, tell
from models_kit import folder, guard
from training_kit import encoder, some_pairs, write_some

import training
from engine import lexicon
from engine.decide import DESTRUCTIVE, Policy, judge
from engine.errors import InputError, ModelError
from engine.features import NAMES
from engine.pairing import pair_up
from engine.types import Operation
from training.compare import BETTER, GUARD, KINDS, WORSE, WRONGFUL, as_text, compare_models, contrast, load
from training.fit import LABELS
from training.pairs import read_pairs, shipped
from training.rejudge import as_text as decisions_text
from training.rejudge import rejudge
from training.train import labelled

REPORTED = """same_name_other_person other_subject antonym value_change same_value_reworded negation negative_restated
end_without_value end_paraphrase entity_end several_values more_precise less_precise plan_vs_state past_vs_present
modality role_swap quantity date correction habit_vs_event status_change""".split()


def keys(pairs):
    return {(p.existing.casefold(), p.candidate.casefold()) for p in pairs}


# --- the guard set -------------------------------------------------------------------------------------------------


def test_the_guard_set_holds_every_label_and_every_fault_that_is_reported():
    pairs = read_pairs([GUARD])
    assert 150 <= len(pairs) <= 200
    assert min(Counter(p.label for p in pairs).values()) >= 40 and {p.label for p in pairs} == set(Operation)
    families = Counter(p.family for p in pairs)
    assert [name for name in REPORTED if families[name] < 2] == []
    known = read_pairs(shipped())
    assert {p.family for p in pairs} <= {p.family for p in known}
    assert {p.attribute for p in pairs} <= {p.attribute for p in known}
    assert all(p.group.startswith("guard_") for p in pairs)
    assert all(len(p.existing) + len(p.candidate) < 130 for p in pairs)


def test_nothing_is_trained_or_evaluated_on_the_guard_set():
    assert GUARD not in shipped()
    learnt = labelled([])  # what train and evaluate read
    assert keys(read_pairs([GUARD])).isdisjoint(keys(learnt))
    assert not {p.group for p in read_pairs([GUARD])} & {p.group for p in learnt}
    sources = Path(training.__file__).parent.rglob("*.py")
    assert {p.name for p in sources if "guard.jsonl" in p.read_text("utf-8")} == {"compare.py"}
    named = Path(training.__file__).parent.rglob("*.py")
    assert {p.name for p in named if "GUARD]" in p.read_text("utf-8")} == {"compare.py", "promote.py"}


# --- two models on the same pairs ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    base = tmp_path_factory.mktemp("models")
    return folder(base / "a"), folder(base / "b", UPDATE=1.0, NOOP=-0.5)


def compared(a, b, policy=None):
    return contrast(guard(), lexicon.load(), (a, load(a)), (b, load(b)), policy or Policy())


def test_pairs_are_judged_as_the_engine_judges_them(two):
    a, b = two
    turned = {(t.existing, t.candidate): (t.first, t.second) for t in compared(a, b).turns}
    facts = [(pair.existing, pair.candidate) for pair in guard().compared]
    done = []
    for where in two:
        model = load(where)
        verdicts = judge(pair_up(facts, encoder(), model.meaning), model, lexicon.load(), Policy())
        done.append([str(v.operation) for v in verdicts])
    assert turned == {p.key: (x, y) for p, x, y in zip(guard().pairs, *done, strict=True) if x != y}
    assert len(turned) > 10


def test_a_model_beside_itself_shows_no_difference(two):
    found = compared(two[0], two[0])
    assert found.turns == found.shifts == () and found.first == found.second
    assert "the same with every pair" in as_text(found)


def test_what_turns_is_listed_with_the_worst_first(two):
    found = compared(*two)
    wrongful = [t.kind for t in found.turns].count(WRONGFUL)
    assert wrongful and [t.kind for t in found.turns] == sorted((t.kind for t in found.turns), key=KINDS.index)
    assert {t.kind for t in found.turns[:wrongful]} == {WRONGFUL}
    for t in found.turns:
        acts = [Operation(done) in DESTRUCTIVE for done in (t.first, t.second)]
        assert (t.kind == WRONGFUL) == (acts == [False, True] and Operation(t.right) not in DESTRUCTIVE)
        assert (t.costs < 0) == (t.kind == BETTER) and t.first != t.second
    healed = sum(Operation(t.right) not in DESTRUCTIVE and Operation(t.first) in DESTRUCTIVE
                 and Operation(t.second) not in DESTRUCTIVE for t in found.turns)  # fmt: skip
    assert found.second.wrongful_overwrites - found.first.wrongful_overwrites == wrongful - healed
    assert found.second.stale_kept < found.first.stale_kept


@pytest.mark.parametrize(("part", "of"), [("label", "right"), ("family", "family"), ("attribute", "attribute")])
def test_shifts_count_what_turns(two, part, of):
    found = compared(*two)
    shifts = {s.name: s for s in found.shifts if s.part == part}
    better = Counter(getattr(t, of) for t in found.turns if t.kind == BETTER)
    worse = Counter(getattr(t, of) for t in found.turns if t.kind in (WRONGFUL, WORSE))
    assert {name: (s.better, s.worse) for name, s in shifts.items()} == {
        name: (better[name], worse[name]) for name in better | worse
    }
    assert all(s.pairs >= s.better + s.worse > 0 for s in shifts.values())


def test_a_dearer_overwrite_turns_fewer_pairs_wrongful(two):
    cheap, dear = (compared(*two, Policy(cost)) for cost in (2.0, 20.0))
    assert dear.second.wrongful_overwrites < cheap.second.wrongful_overwrites
    assert (cheap.overwrite_cost, dear.overwrite_cost) == (2.0, 20.0)


def test_other_pairs_take_the_place_of_the_guard_set(two, tmp_path):
    found = compare_models(*two, [write_some(tmp_path, some_pairs()[:12])], encoder=encoder())
    assert found.pairs == 12 and {t.existing for t in found.turns} <= {p.existing for p in some_pairs()}


# --- what cannot be compared ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [0, 1])
def test_a_model_of_another_release_is_refused_with_the_remedy(two, tmp_path, side):
    given = list(two)
    given[side] = folder(tmp_path / "old", features=[*NAMES[:-1], "forgotten"])
    with pytest.raises(ModelError, match=r"(?s)F042.*old: .*forgotten.*factfold train --out") as caught:
        compare_models(*given, encoder=encoder())
    assert NAMES[-1] in str(caught.value)


def test_a_folder_without_a_model_and_a_changed_one_are_refused(two, tmp_path):
    with pytest.raises(ModelError, match=r"F040.*nothing: no model"):
        compare_models(two[0], tmp_path / "nothing", encoder=encoder())
    changed = folder(tmp_path / "changed")
    text = (changed / "decision.json").read_text("utf-8")
    (changed / "decision.json").write_text(text.replace('"temperature": ', '"temperature": 1'), "utf-8")
    with pytest.raises(ModelError, match=r"F090.*changed: decision.json was changed.*train it again"):
        compare_models(changed, two[0], encoder=encoder())


def test_a_model_of_another_encoder_is_refused(two, tmp_path):
    small = {"coef": [[0.0] * 12] * len(LABELS), "intercept": [0.0] * len(LABELS)}
    with pytest.raises(ModelError, match=r"F091.*of 4 dimensions, this one has 384.*train it again"):
        compared(two[0], folder(tmp_path / "tiny", meaning=small))


def test_bad_and_empty_files_of_pairs_are_refused(two, tmp_path):
    (tmp_path / "none.jsonl").write_text("\n")
    with pytest.raises(InputError, match="F092"):
        compare_models(*two, [tmp_path / "none.jsonl"], encoder=encoder())
    (tmp_path / "bad.jsonl").write_text('{"existing": "a"}\n')
    with pytest.raises(InputError, match="F050"):
        compare_models(*two, [tmp_path / "bad.jsonl"], encoder=encoder())


# --- recorded decisions --------------------------------------------------------------------------------------------

TOLD = (
    "I live in Bergen and I work at Kestrel Bakery.",
    "I have a cat named Pixel. My sister Ida lives in Oslo.",
    "I love coffee, and I'm allergic to walnuts.",
    "I moved to Trondheim.",
    "I quit my job at the bakery.",
    "Ida moved to Hamar in the spring.",
    "I still live in Trondheim.",
    "My favourite colour is green.",
    "I can't stand coffee now.",
    "My favourite colour is orange now.",
    "My car is insured with Sentinel.",
    "Forget that I'm allergic to walnuts.",
)


@pytest.fixture
def filled(tmp_path, two):
    """A database that the first model filled."""
    path = tmp_path / "kept.db"
    with open_memory(path, models=two[0]) as memory:
        for month, text in enumerate(TOLD, 1):
            tell(memory, f"2025-{month:02d}-03", text)
        memory.add([{"role": "user", "name": "Nora", "content": "I play the cello."},
                    {"role": "user", "name": "Nora", "content": "I no longer play the cello."}], user_id="nora")  # fmt: skip
    return path


def judged_again(path, first, second):
    memory = open_memory(path, models=first)
    with memory:
        return rejudge(
            memory.store, load(first), load(second),
            lexicon=memory.lexicon, encoder=shared_encoder(), policy=memory.pipeline.policy,
        )  # fmt: skip


def test_the_model_that_made_decisions_makes_them_again(filled, two):
    found = judged_again(filled, two[0], two[0])
    assert found.judged >= len(TOLD) and found.changed == ()
    assert found.as_recorded == found.judged
    assert found.left_out == 1  # the order to forget


def test_decisions_that_would_change_are_told_and_nothing_is_touched(filled, tmp_path, two):
    eager = folder(tmp_path / "eager", UPDATE=9.0)  # where no rule speaks, it overwrites
    before = dump(filled)
    found = judged_again(filled, two[0], eager)
    assert dump(filled) == before
    assert found.judged == found.as_recorded and found.changed
    with open_memory(filled, models=two[0]) as memory:
        for c in found.changed:
            told = memory.explain(c.decision_id)
            assert (told["operation"], told["candidate"]) == (c.recorded, c.candidate)
            assert c.first == c.recorded != c.second == "UPDATE" and c.second_target is not None
    text = decisions_text(found)
    assert f"{len(found.changed)} of {found.judged} recorded decisions would change" in text
    assert all(f"{c.decision_id}: {c.candidate} | {c.first} → {c.second}" in text for c in found.changed)


def test_what_people_did_and_what_was_undone_or_purged_is_left_out(filled, two):
    before = judged_again(filled, two[0], two[0])
    with open_memory(filled, models=two[0]) as memory:
        undone = memory.add("I speak Danish.", user_id="ana")["results"][0]
        memory.undo(undone["decision_id"])
        by_hand = memory.add("I own a tent.", user_id="ana")["results"][0]["id"]
        memory.update(by_hand, "user owns a big tent")
        cat = next(m for m in memory.get_all(user_id="ana")["results"] if "Pixel" in m["memory"])
        memory.purge(memory_id=cat["id"])
    after = judged_again(filled, two[0], two[0])
    assert after.judged <= before.judged + 1 and after.left_out > before.left_out and after.changed == ()


def test_an_empty_database_has_nothing_to_change(tmp_path, two):
    open_memory(tmp_path / "empty.db").close()
    found = judged_again(tmp_path / "empty.db", *two)
    assert dataclasses.asdict(found) == {"judged": 0, "left_out": 0, "as_recorded": 0, "changed": ()}
    assert "0 of 0 recorded decisions" in decisions_text(found)


# --- the command ---------------------------------------------------------------------------------------------------


@pytest.fixture
def command(run, monkeypatch):
    monkeypatch.setattr("engine.cli.models.MiniLM", lambda **_: shared_encoder())
    monkeypatch.setattr("training.compare.prepare", lambda *_: guard())
    return run


def test_the_command_tells_figures_shifts_turns_and_decisions(command, two, filled):
    done = command("compare", *two, "--db", filled)
    assert done.code == 0
    told = compared(*two)
    assert as_text(told) in done.out and "recorded decisions would change" in done.out
    data = command("compare", *two, "--json").data
    assert data == json.loads(json.dumps(dataclasses.asdict(told))) and "decisions" not in data
    assert command("compare", *two, "--json", "--db", filled).data["decisions"]["judged"] >= len(TOLD)


def test_the_command_refuses_what_is_not_there(command, two, tmp_path):
    done = command("compare", *two, "--db", tmp_path / "no.db")
    assert done.code == 1 and "F821" in done.err and not (tmp_path / "no.db").exists()
    assert command("compare", two[0]).code == 2
