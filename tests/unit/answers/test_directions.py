"""What passages say a trial found, and the features that tell it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from citespan.pipelines.answers.answer import Answer, list_directions
from citespan.pipelines.answers.directions.comparison import Comparison
from citespan.pipelines.answers.directions.features import describe_passage, find_results
from citespan.pipelines.answers.directions.masking import Masks, mask, read_number, split_clauses
from citespan.pipelines.answers.directions.model import (
    KIND,
    UNCLEAR,
    Direction,
    count_directions,
    load_model,
)
from citespan.pipelines.errors import InputError
from citespan.pipelines.model_folder import CARD

CRYING = Comparison("frequency of crying", "ketamine 0.5 mg/kg", "midazolam 0.2 mg/kg")
MASKS = Masks.of(CRYING)
DECREASED = "Crying decreased significantly with ketamine compared with midazolam (P = 0.002)."
NO_DIFFERENCE = "Crying did not differ between the ketamine and midazolam groups (p = 0.61)."
INCREASED = "Crying was higher in the ketamine group than in the midazolam group (p < 0.001)."


def mask_texts(clause: str, masks: Masks = MASKS) -> list[str]:
    return [token.text for token in mask(clause, masks)]


def test_arms_outcome_and_results_are_masked() -> None:
    assert mask_texts("Crying was lower with ketamine than midazolam (p < 0.001)") == [
        *("OUT", "was", "lower", "with", "INT", "than", "CMP", "(", "P SIGNIFICANT", ")")
    ]


def test_names_that_all_trials_have_stand_for_arms_unless_another_arm_has_them() -> None:
    assert mask_texts("intervention control") == ["INT", "CMP"]
    placebo = Masks.of(Comparison("pain", "placebo", "a new drug"))
    assert "placebo" in placebo.intervention
    assert "placebo" not in placebo.comparator


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("p = 0.03", "P SIGNIFICANT"),
        ("P<0·0001", "P SIGNIFICANT"),
        ("p-value = 0.382", "P NOT SIGNIFICANT"),
        ("p > 0.05", "P NOT SIGNIFICANT"),
        ("p = NS", "P NOT SIGNIFICANT"),
        ("p = .07", "P MARGINAL"),
        ("95% CI −2.8 to 4.7", "DIFFERENCE INTERVAL AROUND"),
        ("OR 1.37, 95% CI: 0.68-2.76", "RATIO INTERVAL AROUND"),
        ("hazard ratio 0.61; 95% CI 0.45, 0.82", "RATIO INTERVAL BELOW"),
        ("HR 0.61", "RATIO BELOW"),
        ("mean difference = -3.1", "DIFFERENCE BELOW"),
    ],
)
def test_results_are_read(written: str, name: str) -> None:
    assert name in mask_texts(f"It fell ({written}).")


@pytest.mark.parametrize(
    ("written", "value"),
    [("12.3", 12.3), ("12·3%", 12.3), ("12,3", 12.3), ("1,200", 1200.0), ("−4.5", -4.5)],
)
def test_numbers_are_read_as_trials_write_them(written: str, value: float) -> None:
    assert read_number(written) == value


def test_results_are_neither_deviations_nor_sizes_nor_dates() -> None:
    clause = "At week 12, crying was 12.3 ± 4.5 with ketamine (n = 30) and 15.4 ± 5.0 at 6 months"
    assert find_results(mask(clause, MASKS), clause) == [12.3, 15.4]
    shares = "45% (13/29) against 20% (6/30) of 59"
    assert find_results(mask(shares, MASKS), shares) == [45.0, 20.0]


def test_clauses_end_where_another_result_may_begin() -> None:
    assert split_clauses("It fell. Pain rose, whereas fever did not; death was rare.") == [
        *("It fell. ", "Pain rose, ", "whereas fever did not; ", "death was rare.")
    ]


def test_features_follow_the_arms_when_these_are_swapped() -> None:
    own = describe_passage(CRYING, INCREASED)
    swapped = describe_passage(CRYING.swap(), INCREASED)
    assert "clause: UP between none and INT" in own
    assert "clause: UP between none and CMP" in swapped
    assert {feature for feature in own if "INT" not in feature and "CMP" not in feature} == {
        feature for feature in swapped if "INT" not in feature and "CMP" not in feature
    }


@pytest.mark.parametrize(
    ("passage", "said"),
    [(DECREASED, "decreased"), (NO_DIFFERENCE, "no difference"), (INCREASED, "increased")],
)
def test_the_shipped_model_reads_plain_passages(passage: str, said: str) -> None:
    found = load_model().judge(CRYING, [passage], [1.0])
    assert found.said == said
    assert sum(found.probabilities) == pytest.approx(1)


@pytest.mark.parametrize(
    "passage", ["", " ", "Lampen", "12 12 12", "痛みは減った。", "p = 1.2.3", "a" * 50_000]
)
def test_a_passage_without_a_direction_is_judged_too(passage: str) -> None:
    found = load_model().judge(CRYING, [passage], [0.0])
    assert np.isfinite(found.probabilities).all()


@pytest.mark.parametrize(
    ("passage", "said"),
    [(DECREASED, "increased"), (NO_DIFFERENCE, "no difference"), (INCREASED, "decreased")],
)
def test_the_direction_turns_round_when_the_arms_are_exchanged(passage: str, said: str) -> None:
    assert load_model().judge(CRYING.swap(), [passage], [1.0]).said == said


def test_the_likelier_passage_counts_more() -> None:
    model = load_model()
    passages = [DECREASED, NO_DIFFERENCE]
    assert model.judge(CRYING, passages, [0.9, 0.1]).said == "decreased"
    assert model.judge(CRYING, passages, [0.1, 0.9]).said == "no difference"


def test_directions_are_counted_once_a_trial() -> None:
    sure, unsure = Direction((0.9, 0.05, 0.05)), Direction((0.4, 0.3, 0.3))
    assert unsure.said == UNCLEAR
    assert count_directions([]) == "0 trials"
    assert count_directions([sure]) == "1 trial: 1 decreased"
    assert count_directions([unsure, sure, sure]) == "3 trials: 2 decreased, 1 unclear"
    answer = Answer(
        *(1, "PMC1", "7", None, True, "t", 2000, "Results", "heading", 1.0, "t", 0, 1, "", ""),
        probability=0.9, score=1.0, support=0.9, direction=sure,
    )  # fmt: skip
    abstract = replace(answer, id="7", full_text=False, direction=unsure)
    weak = replace(answer, pmid="8", support=0.4)
    assert list_directions([answer, answer, abstract, weak]) == [sure]


def test_the_shipped_model_says_its_data_licence_baselines_and_command() -> None:
    model = load_model()
    assert f"{model.right:.0%}" in model.explanation
    card = (KIND.shipped / CARD).read_text(encoding="utf-8")
    for words in (
        *("MIT", "1,889 annotations", "words alone", "most frequent"),
        "citespan answers train directions",
    ):
        assert words in card


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"version": 1', '"version": 9', "version 9"),
        ('"increased"', '"sideways"', "a damaged direction model"),
        ('"exponent"', '"exponents"', "a damaged direction model"),
        ("{", "", "not JSON"),
    ],
)
def test_a_damaged_model_is_one_clear_line(
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    written = (KIND.shipped / "directions.json").read_text()
    (tmp_path / "directions.json").write_text(written.replace(before, after, 1))
    with pytest.raises(InputError, match=message):
        load_model(tmp_path)
    assert json.loads(written)["classes"] == ["decreased", "increased", "no difference"]
