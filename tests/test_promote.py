import dataclasses
import json
import os
import shutil
import signal
from pathlib import Path

import pytest
from memory_kit import open_memory, shared_encoder
from models_kit import folder, guard, held, twin
from training_kit import encoder

from engine import lexicon
from engine.classifier import Classifier
from engine.decide import Policy
from engine.errors import InputError, ModelError
from engine.features import NAMES
from engine.settings import Settings, artefact
from training import promote as module
from training.compare import contrast, load
from training.manifest import mismatches, read_manifest
from training.promote import ECE_MOST, F1_LOSS, GUARD_ECE_MOST, PREVIOUS, held_to, kept_in, promote, rollback
from training.train import CARD, DECISION


@pytest.fixture
def models(tmp_path):
    """A folder in use: a small decision and a gate that is none of a promotion's business."""
    made = folder(tmp_path / "models", card="The old one.\n")
    shutil.copy(artefact("gate.json"), made)
    return made


@pytest.fixture
def better(tmp_path):
    """One that does the same as the one in use, a little less sure of itself."""
    return folder(tmp_path / "better", card="The new one.\n", note="better")


@pytest.fixture
def worse(tmp_path):
    return folder(tmp_path / "worse", UPDATE=1.0)


def promoted(source, to, settings=None):
    return promote(source, to, settings=settings or Settings(), guard=guard(), encoder=encoder())


def in_use(models):
    return (models / DECISION).read_bytes()


# --- promoting and going back --------------------------------------------------------------------------------------


def test_one_that_holds_is_put_in_place_and_the_one_before_is_kept(models, better):
    before = held(models)
    done = promoted(better, models)
    assert done.promoted and all(c.holds for c in done.conditions) and done.guard.turns == ()
    assert in_use(models) == (better / DECISION).read_bytes()
    assert (models / CARD).read_text() == "The new one.\n" and held(models)["gate.json"] == before["gate.json"]
    assert read_manifest(models)[DECISION] == done.sha256 and mismatches(models) == []
    assert done.kept.parent == models / PREVIOUS
    assert done.kept.name == f"0001-{Classifier.load(done.kept / DECISION).digest}"
    assert (done.kept / DECISION).read_bytes() == before[DECISION] and mismatches(done.kept) == []
    assert not list(models.rglob("*.new"))


def test_going_back_takes_one_at_a_time(models, better, tmp_path):
    best = folder(tmp_path / "best", note="best")
    first, second = in_use(models), (better / DECISION).read_bytes()
    promoted(better, models)
    promoted(best, models)
    assert [path.name[:4] for path in kept_in(models)] == ["0001", "0002"]
    back = rollback(models)
    assert (in_use(models), back.left, back.sha256) == (second, 1, read_manifest(models)[DECISION])
    assert (models / CARD).read_text() == "The new one.\n"
    promoted(best, models)
    assert [path.name[:4] for path in kept_in(models)] == ["0001", "0002"]
    rollback(models), rollback(models)
    assert in_use(models) == first and (models / CARD).read_text() == "The old one.\n" and mismatches(models) == []
    with pytest.raises(InputError, match="F095"):
        rollback(models)
    assert in_use(models) == first


def test_the_same_one_again_changes_nothing(models, better):
    promoted(better, models)
    before = held(models)
    again = promoted(better, models)
    assert again.promoted and again.kept is None and again.guard is None and held(models) == before


def test_the_folder_in_use_is_that_of_the_settings(models, better):
    done = promoted(better, None, Settings(models=models))
    assert done.models == models and in_use(models) == (better / DECISION).read_bytes()


def test_a_folder_without_a_decision_of_its_own_is_compared_with_the_shipped_one(tmp_path, monkeypatch):
    shipped = artefact(DECISION)
    source = tmp_path / "source"
    source.mkdir()
    for name in (DECISION, CARD):
        shutil.copy(shipped.parent / name, source)
    content = json.loads(shipped.read_text("utf-8"))
    (source / DECISION).write_text(json.dumps(content | {"note": "the same, newly written"}), "utf-8")
    module.write_manifest(source, (DECISION, CARD))
    done = promoted(source, tmp_path / "fresh" / "models")
    assert done.promoted and Path(done.guard.first.folder) == shipped.parent
    assert artefact(DECISION, Settings(models=done.models)) == done.models / DECISION
    back = rollback(done.models)
    assert back.sha256 is None and artefact(DECISION, Settings(models=done.models)) == shipped
    assert read_manifest(done.models) == {} and not (done.models / CARD).exists()


def test_one_of_another_release_in_place_gives_way_to_the_shipped_one_in_the_comparison(tmp_path):
    old = folder(tmp_path / "old", features=[*NAMES[:-1], "forgotten"])
    where, _ = module.in_place(old, Settings())
    assert where == artefact(DECISION).parent


# --- what keeps one from being promoted ----------------------------------------------------------------------------


def test_one_that_overwrites_more_is_left_out_and_nothing_is_touched(models, worse):
    before = held(models)
    done = promoted(worse, models)
    failed = [c.name.split(",")[0] for c in done.conditions if not c.holds]
    assert not done.promoted and {"wrongful overwrites", "macro F1"} <= set(failed)
    assert held(models) == before and done.kept is None


def figures_of(models, better):
    return contrast(guard(), lexicon.load(), (models, load(models)), (better, load(better)), Policy())


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        (lambda old: {}, []),
        (lambda old: {"wrongful_overwrites": old.wrongful_overwrites + 1}, ["wrongful overwrites"]),
        (lambda old: {"wrongful_overwrites": old.wrongful_overwrites - 1}, []),
        (lambda old: {"macro_f1": old.macro_f1 - F1_LOSS}, []),
        (lambda old: {"macro_f1": old.macro_f1 - F1_LOSS - 0.001}, ["macro F1"]),
        (lambda old: {"ece": GUARD_ECE_MOST}, []),
        (lambda old: {"ece": GUARD_ECE_MOST + 0.001}, ["calibration error on the guard set"]),
        (lambda old: {"stale_kept": old.stale_kept + 9}, []),
    ],
)
def test_each_condition_by_itself(models, better, change, fails):
    found = figures_of(models, better)
    new = dataclasses.replace(found.second, **{"ece": 0.05} | change(found.first))
    conditions = held_to(dataclasses.replace(found, second=new), load(better))
    assert [c.name.removesuffix(", at most").removesuffix(", at least") for c in conditions if not c.holds] == fails


@pytest.mark.parametrize(("about", "holds"), [(ECE_MOST, True), (ECE_MOST + 0.001, False), (None, False)])
def test_the_calibration_out_of_fold_must_be_known_and_good(models, tmp_path, about, holds):
    other = folder(tmp_path / "other", about={"calibration": {"ece_after": about}} if about else {})
    assert held_to(figures_of(models, other), load(other))[-1].holds is holds


def test_a_folder_that_was_changed_or_that_nothing_vouches_for_is_refused(models, better):
    before = held(models)
    (better / CARD).write_text("Another card.\n")
    with pytest.raises(ModelError, match=r"F090.*decision.card.md was changed.*train it again"):
        promoted(better, models)
    (better / "manifest.json").unlink()
    with pytest.raises(ModelError, match="F093"):
        promoted(better, models)
    (better / "manifest.json").write_text("[]")
    with pytest.raises(InputError, match="F053"):
        promoted(better, models)
    with pytest.raises(ModelError, match="F040"):
        promoted(better.parent / "nothing", models)
    assert held(models) == before


def test_a_folder_that_cannot_be_written_to_is_refused_with_the_remedy(better, models, monkeypatch):
    (models / "file").write_text("")
    with pytest.raises(InputError, match=r"F094.*--to DIR.*FACTFOLD_MODELS"):
        promoted(better, models / "file" / "models")

    def full(*_):
        raise OSError(28, "No space left on device")

    before = in_use(models)
    monkeypatch.setattr(module, "put", full)
    with pytest.raises(InputError, match=r"F094.*No space left"):
        promoted(better, models)
    assert in_use(models) == before


def test_one_that_was_kept_and_is_damaged_is_not_put_back(models, better):
    kept = promoted(better, models).kept
    before = in_use(models)
    (kept / DECISION).write_text("{}")
    with pytest.raises(ModelError, match="F090"):
        rollback(models)
    assert in_use(models) == before and kept_in(models) == [kept]


# --- killed in between ---------------------------------------------------------------------------------------------

STEPS = ("replace", "rename", "unlink", "rmdir", "fsync")


def killed_at(step, work):
    """Runs work in a process that is killed before its ``step``-th change on the disk; False where it came to an end."""
    child = os.fork()
    if child == 0:  # never returns to the tests
        left = [step]

        def deadly(real):
            def call(*args, **kwargs):
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*args, **kwargs)

            return call

        for name in STEPS:
            setattr(os, name, deadly(getattr(os, name)))
        try:
            work()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def every_kill(work, start, tmp_path):
    """A folder for each place where the work can be killed, as it is left then."""
    for step in range(200):
        left = tmp_path / f"killed-{step}"
        shutil.copytree(start, left)
        if not killed_at(step, lambda left=left: work(left)):
            assert step > 10
            return
        yield left
    raise AssertionError("never came to an end")


def put_in_place(models, source):
    module.keep(models)
    module.place(source, models)


def test_a_promotion_that_is_killed_anywhere_leaves_a_folder_that_loads(models, better, tmp_path):
    old, new = in_use(models), (better / DECISION).read_bytes()
    seen = set()
    for left in every_kill(lambda at: put_in_place(at, better), models, tmp_path):
        Classifier.load(left / DECISION)
        read_manifest(left)
        assert in_use(left) in (old, new)
        if in_use(left) == new:  # it was kept before it was replaced
            assert (kept_in(left)[-1] / DECISION).read_bytes() == old
        seen.add(in_use(left))
        promoted(better, left)
        assert in_use(left) == new and mismatches(left) == [] and (left / CARD).read_text() == "The new one.\n"
        assert [path.name[:4] for path in kept_in(left)] == ["0001"]
        rollback(left)
        assert in_use(left) == old and mismatches(left) == []
    assert seen == {old, new}


def test_a_rollback_that_is_killed_anywhere_is_finished_by_the_next(models, better, tmp_path):
    old, new = in_use(models), (better / DECISION).read_bytes()
    put_in_place(models, better)
    for left in every_kill(rollback, models, tmp_path):
        Classifier.load(left / DECISION)
        assert in_use(left) in (old, new)
        if kept_in(left):
            rollback(left)
        assert in_use(left) == old and mismatches(left) == [] and kept_in(left) == []


# --- decisions that were made before -------------------------------------------------------------------------------


def test_old_decisions_stay_explained_byte_for_byte(models, tmp_path):
    db, other = tmp_path / "kept.db", twin(tmp_path / "other")
    with open_memory(db, models=models) as memory:
        memory.add("I live in Bergen.", user_id="ana", timestamp="2025-02-01")
        (moved,) = memory.add("I moved to Hamar.", user_id="ana", timestamp="2025-04-01")["results"]
        before = json.dumps(memory.explain(moved["decision_id"]), sort_keys=True)
        was = memory.model.digest
    assert promoted(other, models).promoted
    with open_memory(db, models=models) as memory:
        assert memory.model.digest == load(other).digest != was
        assert json.dumps(memory.explain(moved["decision_id"]), sort_keys=True) == before
        (again,) = memory.add("I moved to Tromsø.", user_id="ana", timestamp="2025-06-01")["results"]
        assert memory.explain(again["decision_id"])["model"] == memory.model.digest
        assert json.dumps(memory.explain(moved["decision_id"]), sort_keys=True) == before
    assert json.loads(before)["model"] == was


# --- the command ---------------------------------------------------------------------------------------------------


@pytest.fixture
def command(run, monkeypatch):
    monkeypatch.setattr("engine.cli.models.MiniLM", lambda **_: shared_encoder())
    monkeypatch.setattr("training.compare.prepare", lambda *_: guard())
    return run


def test_the_command_promotes_and_goes_back(command, models, better, monkeypatch):
    old = in_use(models)
    done = command("promote", better, "--to", models)
    assert done.code == 0 and in_use(models) != old
    assert "FAILS" not in done.out and "macro F1, at least" in done.out
    assert "is in place in" in done.err and "--rollback" in done.err and f"FACTFOLD_MODELS={models}" in done.err
    done = command("promote", better, "--to", models)
    assert done.code == 0 and "has this decision already" in done.err
    monkeypatch.setenv("FACTFOLD_MODELS", str(models))
    done = command("promote", "--rollback")
    assert done.code == 0 and "0 more to go back to" in done.err and in_use(models) == old
    done = command("promote", "--rollback")
    assert done.code == 1 and "F095" in done.err
    done = command("promote", better)
    assert done.code == 0 and in_use(models) != old and "is set" not in done.err
    assert command("promote", "--rollback", "--json").data["models"] == str(models)


def test_the_command_tells_what_failed(command, models, worse):
    before = held(models)
    done = command("promote", worse, "--to", models)
    assert done.code == 1 and held(models) == before
    assert "FAILS" in done.out and "newly wrongful" in done.out and "not promoted" in done.err
    done = command("promote", worse, "--to", models, "--json")
    assert done.code == 1 and done.data["promoted"] is False and done.data["kept"] is None
    assert {c["name"]: c["holds"] for c in done.data["conditions"]}["wrongful overwrites, at most"] is False


def test_the_command_tells_which_decisions_would_change(command, models, better, worse, tmp_path):
    db = tmp_path / "kept.db"
    with open_memory(db, models=models) as memory:
        memory.add(["I live in Bergen.", "I moved to Hamar."], user_id="ana")
    done = command("promote", worse, "--to", models, "--db", db)
    assert "of 2 recorded decisions would change" in done.out
    data = command("promote", better, "--to", models, "--db", db, "--json").data
    assert data["decisions"]["judged"] == 2 and data["decisions"]["changed"] == []


@pytest.mark.parametrize("arguments", [[], ["x", "--rollback"], ["--rollback", "--db", "x.db"]])
def test_the_command_wants_a_folder_or_a_rollback(command, arguments):
    assert command("promote", *arguments).code == 2
