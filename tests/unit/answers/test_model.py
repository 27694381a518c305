"""Detectors of answers: written, read again, and refused when they are not sound."""

import json
from pathlib import Path

import pytest

from citespan.pipelines.answers.detection import model as answer_model
from citespan.pipelines.answers.detection.model import AnswerModel, Node, Split, load_model
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.answers import AnswerFamily

TREE = Node(
    5,
    9,
    Split("sq-sim", 17.5, Node(1, 8), Node(4, 1, Split("Z-score", 0.3, Node(0, 1), Node(4, 0)))),
)


def write(folder: Path, card: str) -> None:
    head, files = AnswerFamily((), "2").dump(AnswerModel("2", TREE))
    answer_model.KIND.write(folder, head, card, files)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write(tmp_path / "model", "# A card\n")
    read = load_model(tmp_path / "model")
    assert read == AnswerModel("2", TREE)
    assert read.highest == read.estimate_probability({"sq-sim": 40.0, "Z-score": 1.0}) == 5 / 6
    assert read.estimate_probability({"sq-sim": 17.5}) == 2 / 11
    assert (tmp_path / "model" / "README.md").read_text() == "# A card\n"


def test_the_shipped_one_prefers_conclusions() -> None:
    model = load_model()
    conclusion = model.estimate_probability({"sq-sim": 25.0, "role-label": 1.0})
    assert (
        model.highest
        == conclusion
        > 10 * model.estimate_probability({"sq-sim": 25.0, "role-label": 0.0})
    )
    assert conclusion > model.estimate_probability({"sq-sim": 2.0, "role-label": 1.0})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": 7}, "of version 7, this citespan reads version 1; train it again"),
        ({"tree": {"answers": 1}}, "a damaged detector of answers"),
        ({"tree": {"answers": -1, "others": 2}}, "a damaged detector of answers"),
        ({"tree": {"answers": 1, "others": 2, "feature": "luck"}}, "unknown feature 'luck'"),
        ({"tree": []}, "a damaged detector of answers"),
    ],
)
def test_what_is_not_sound_comes_to_one_line(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    write(tmp_path, "")
    file = tmp_path / answer_model.KIND.head
    file.write_text(json.dumps(json.loads(file.read_bytes()) | change))
    with pytest.raises(InputError, match=said) as error:
        load_model(tmp_path)
    assert str(tmp_path) in str(error.value)
    assert "\n" not in str(error.value)


def test_neither_json_nor_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no detector of answers"):
        load_model(tmp_path / "nowhere")
    (tmp_path / answer_model.KIND.head).write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        load_model(tmp_path)
    (tmp_path / answer_model.KIND.head).write_text("[]")
    with pytest.raises(InputError, match="version None"):
        load_model(tmp_path)
