from pathlib import Path

import pytest

from engine.errors import InputError, ModelError
from engine.settings import Settings, artefact


def load(config=None, environment=None, directory=Path("/nonexistent")):
    return Settings.load(config, environment=environment or {}, directory=directory)


def test_defaults_without_any_source():
    assert load() == Settings()
    assert Settings().half_life_days == 30.0
    assert Settings().overwrite_cost == 5.0


def test_precedence_mapping_then_environment_then_file(tmp_path):
    (tmp_path / "factfold.toml").write_text("neighbours_k = 3\nexact_below = 10\nhalf_life_days = 7\n")
    environment = {"FACTFOLD_NEIGHBOURS_K": "4", "FACTFOLD_EXACT_BELOW": "20", "PATH": "/bin"}
    settings = load({"neighbours_k": 5}, environment, tmp_path)
    assert (settings.neighbours_k, settings.exact_below, settings.half_life_days) == (5, 20, 7.0)


def test_reads_the_process_environment_and_the_current_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FACTFOLD_DB", "other.db")
    (tmp_path / "factfold.toml").write_text('ranking = "classic"\n')
    settings = Settings.load()
    assert (settings.db, settings.ranking) == ("other.db", "classic")


def test_all_errors_are_told_at_once_with_their_close_match(tmp_path):
    (tmp_path / "factfold.toml").write_text('half_live_days = 3\nranking = "clasic"\n')
    with pytest.raises(InputError) as caught:
        load({"neighbours_k": 0, "zzzz": 1}, {"FACTFOLD_EXACT_BELO": "5", "FACTFOLD_DB": "x"}, tmp_path)
    message = str(caught.value)
    assert caught.value.code == "F102"
    assert "5 problem(s)" in message
    assert "did you mean 'half_life_days'" in message
    assert "did you mean 'classic'" in message
    assert "FACTFOLD_EXACT_BELO (environment)" in message and "did you mean 'exact_below'" in message
    assert "neighbours_k (config): expected a number of 1 or more, got 0" in message
    assert "zzzz (config): unknown setting; known are" in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("db", ""),
        ("db", 3),
        ("ranking", "best"),
        ("half_life_days", 0),
        ("half_life_days", "nan"),
        ("half_life_days", True),
        ("overwrite_cost", 0.5),
        ("neighbours_k", 1.5),
        ("exact_below", -1),
        ("max_message_chars", "many"),
        ("weights", (1, 2)),
        ("weights", "0.6,0.25,x"),
        ("weights", (0, 0, 0)),
        ("weights", 3),
        ("models", "/no/such/directory"),
        ("lexicons", ["/no/such/file.toml"]),
        ("lexicons", 3),
        ("threads", 0),
    ],
)
def test_unusable_values_are_refused_by_name_however_they_come(name, value):
    with pytest.raises(InputError, match=rf"\[F102\][^\n]*\n  - {name}"):
        load({name: value})
    with pytest.raises(InputError, match=rf"\[F102\][^\n]*\n  - {name}"):
        Settings(**{name: value})


def test_values_from_text(tmp_path):
    one, two = tmp_path / "a.toml", tmp_path / "b.toml"
    one.touch()
    two.touch()
    import os

    settings = load(
        environment={
            "FACTFOLD_WEIGHTS": "0.6, 0.25, 0.15",
            "FACTFOLD_LEXICONS": f"{one}{os.pathsep}{two}",
            "FACTFOLD_MODELS": str(tmp_path),
            "FACTFOLD_NEIGHBOURS_K": "7",
            "FACTFOLD_RANKING": "",
        }
    )
    assert settings.weights == (0.6, 0.25, 0.15)
    assert settings.lexicons == (one, two)
    assert settings.models == tmp_path
    assert settings.neighbours_k == 7
    assert settings.ranking == "default", "an empty variable counts as unset"


def test_relative_paths_of_the_file_are_relative_to_it(tmp_path):
    (tmp_path / "words.toml").touch()
    (tmp_path / "factfold.toml").write_text('lexicons = ["words.toml"]\nmodels = "."\n')
    settings = load(directory=tmp_path)
    assert settings.lexicons == (tmp_path / "words.toml",)
    assert settings.models == tmp_path


@pytest.mark.parametrize("content", [b"db = ", b"\xff\xfe"])
def test_a_broken_file_is_named(tmp_path, content):
    (tmp_path / "factfold.toml").write_bytes(content)
    with pytest.raises(InputError, match=r"factfold\.toml: cannot be read as TOML"):
        load(directory=tmp_path)


def test_a_config_that_is_no_mapping_is_refused():
    with pytest.raises(InputError, match="F101"):
        load(["db"])


def test_settings_can_be_read_again_from_their_own_values():
    import dataclasses

    settings = Settings(weights=(1, 0, 0), db="x.db")
    assert load(dataclasses.asdict(settings)) == settings


def test_artefact_prefers_the_setting_and_falls_back(tmp_path, monkeypatch):
    own, package = tmp_path / "own", tmp_path / "site" / "engine"
    for place in (own, package / "models", tmp_path / "site" / "models"):
        place.mkdir(parents=True)
    monkeypatch.setattr("engine.settings.__file__", str(package / "settings.py"))
    checkout = tmp_path / "site" / "models" / "decision.json"
    checkout.touch()
    assert artefact("decision.json") == checkout
    installed = package / "models" / "decision.json"
    installed.touch()
    assert artefact("decision.json") == installed
    assert artefact("decision.json", Settings(models=own)) == installed
    (own / "decision.json").touch()
    assert artefact("decision.json", Settings(models=own)) == own / "decision.json"


def test_a_missing_artefact_is_told_with_the_remedy(tmp_path):
    with pytest.raises(ModelError, match=r"\[F111\].*nothing\.json.*factfold train") as caught:
        artefact("nothing.json", Settings(models=tmp_path))
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../b", "", ".."])
def test_an_artefact_never_leaves_its_directory(name):
    with pytest.raises(ModelError, match="F110"):
        artefact(name)
