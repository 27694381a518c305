"""Experiments that ship are found by name, wherever one is."""

from pathlib import Path

import pytest

from citespan.pipelines.errors import UnknownNameError
from citespan.pipelines.evaluation.experiment import resolve_configuration
from citespan.pipelines.evaluation.plots.drawn import find_curves
from citespan.pipelines.evaluation.shipped import find_experiment, list_experiments
from citespan.pipelines.evaluation.specification import read_experiment
from citespan.pipelines.reformulation.options import Options


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder that is no checkout."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["models", "models.yml", "experiments/models.yml"])
def test_a_shipped_experiment_is_found_by_its_name(name: str) -> None:
    assert read_experiment(find_experiment(name)).name == "models"


def test_a_file_that_is_there_comes_first(elsewhere: Path) -> None:
    (elsewhere / "models.yml").write_text("mine")
    (elsewhere / "naacl2015").mkdir()
    assert find_experiment("models.yml").read_text() == "mine"
    assert find_experiment("models").read_text() != "mine"
    assert read_experiment(find_experiment("naacl2015")).name == "naacl2015"


def test_what_is_no_name_of_ours_is_a_path() -> None:
    for name in ("nowhere.yml", "folder/models.yml", "other/experiments/models.yml", "./nowhere"):
        assert find_experiment(name) == Path(name)
    with pytest.raises(UnknownNameError, match="unknown experiment 'nowhere'; choose from: abl"):
        find_experiment("nowhere")


def test_all_are_listed_with_the_command_that_runs_them() -> None:
    listed = {experiment.name: experiment for experiment in list_experiments()}
    assert sorted(listed) == [
        *("ablation", "bionlp2015", "depth", "evidence-inference", "idf-threshold", "merging"),
        *("models", "naacl2015", "phrase-length", "rankers", "top-k", "vocabulary-sources"),
        "window-length",
    ]
    assert all(experiment.description for experiment in listed.values())
    assert listed["models"].command == "citespan evaluate run models"
    assert listed["bionlp2015"].command == "citespan answers evaluate run bionlp2015"


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("window-length", "spans.longest"),
        ("depth", "depth"),
        ("top-k", "top"),
        ("idf-threshold", "options.least_idf"),
        ("phrase-length", "options.phrase_terms"),
    ],
)
def test_ablations_change_one_setting_alone(name: str, setting: str) -> None:
    experiment = read_experiment(find_experiment(name))
    systems = resolve_configuration(experiment, Options(), None)["systems"]
    [(found, curve)] = find_curves(systems)
    assert found == setting
    assert set(systems) - set(curve.values()) <= {"fewest"}


@pytest.mark.parametrize("name", ["merging", "vocabulary-sources"])
def test_ablations_without_a_number_differ_in_their_settings(name: str) -> None:
    experiment = read_experiment(find_experiment(name))
    systems = resolve_configuration(experiment, Options(), None)["systems"]
    assert len({repr(settings) for settings in systems.values()}) == len(systems) == 8
    assert not list(find_curves(systems))
