"""Experiments on abstracts: their YAML files and their tables."""

from pathlib import Path

import pytest
from made_abstracts import made_abstract
from places import ROOT

from citespan.pipelines.errors import InputError
from citespan.pipelines.precision_recall import PrecisionRecallF1
from citespan.pipelines.training.answer_examples import from_titles
from citespan.pipelines.training.answer_experiment import read_answer_experiment
from citespan.pipelines.training.answer_tables import count_steps, make_tables

SHIPPED = ROOT / "experiments" / "bionlp2015.yml"
SMALL = """
name: small
zones: {configurations: [hirohata2008], folds: 2}
answers: {feature_sets: ["2", "5"], folds: 3}
both: {zones: hirohata2008, features: "5"}
published:
  source: made up
  zones: {hirohata2008: {Methods: [0.5, 0.6, 0.7]}}
  answers: {"5": [0.1, 0.2, 0.3]}
  both: {Answer: [0.7, 0.8, 1]}
"""


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "small.yml"
    file.write_text(text)
    return file


def test_the_shipped_one_has_the_papers_figures() -> None:
    stated = read_answer_experiment(SHIPPED)
    assert stated.zones.configurations == ("alamri2015", "hirohata2008")
    assert (stated.zones.folds, stated.answers.folds) == (5, 10)
    assert stated.answers.feature_sets == ("1", "2", "3", "4", "5", "6")
    assert stated.published.zones["alamri2015"]["Introduction"] == PrecisionRecallF1(
        0.96, 0.95, 0.96
    )
    assert stated.published.answers["3"] == PrecisionRecallF1(0.70, 0.85, 0.77)
    assert stated.published.both["Overall"] == PrecisionRecallF1(0.86, 0.86, 0.86)


def test_tables_beside_the_published_ones(tmp_path: Path) -> None:
    stated = read_answer_experiment(write(tmp_path, SMALL))
    abstracts = [made_abstract(number) for number in range(9)]
    seen: list[int] = []
    found = list(make_tables(stated, abstracts, from_titles(abstracts).answered, None, seen.append))
    assert sum(seen) == count_steps(stated, False) == 8
    assert [table.number for table in found] == [1, 2, 3]
    zones, answers, both = found
    assert [row.name for row in zones.rows][1] == "Methods"
    assert [row.published for row in zones.rows[:2]] == [None, PrecisionRecallF1(0.5, 0.6, 0.7)]
    assert zones.rows[0].data == "9 abstracts, 2-fold cross-validation"
    assert [row.name for row in answers.rows] == [
        *("feature set 2", "feature set 5", "all of the Conclusions")
    ]
    assert answers.rows[1].published == PrecisionRecallF1(0.1, 0.2, 0.3)
    assert [row.name for row in both.rows] == ["Answer", "Non-answer", "Overall"]
    assert both.rows[0].published == PrecisionRecallF1(0.7, 0.8, 1)
    assert "sections hidden" in both.rows[0].data


def test_what_cannot_be_had_is_a_remark(tmp_path: Path) -> None:
    stated = read_answer_experiment(write(tmp_path, SMALL))
    abstracts = [made_abstract(number) for number in range(2)]
    zones, answers, both = make_tables(stated, abstracts, from_titles(abstracts).answered, None)
    assert zones.rows
    assert answers.rows == both.rows == ()
    assert "2 questions with answers; 3 folds need as many" in answers.caveat


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[hirohata2008], folds", "[x], folds", "configurations: unknown 'x'; choose from:"),
        ('"2", "5"', '"2", "9"', "feature_sets: unknown '9'; choose from: 1, 2"),
        ("0.6, 0.7", "0.6", "Methods: give precision, recall and F1"),
        ("0.6, 0.7", "0.6, 7", "Methods: give precision, recall and F1"),
        ("name: small", "", "name: missing"),
        ("both:", "bath:", "unknown key"),
        ("folds: 3", "folds: 1", "folds: 1 is too small"),
        ("Answer:", "Answers:", "Answers: unknown key"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    with pytest.raises(InputError, match="small.yml") as error:
        read_answer_experiment(write(tmp_path, SMALL.replace(old, new, 1)))
    assert said in str(error.value)
