"""What differs between a clause and passages, with both places."""

import os
import subprocess
import sys

import pytest
from growth.clock import find_growth
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.model_folder import CARD
from citespan.pipelines.ranking.differences.disagreement import Original, compare
from citespan.pipelines.ranking.differences.features import describe
from citespan.pipelines.ranking.differences.model import KIND, load_model
from citespan.pipelines.ranking.differences.statement import read_statement

PASSAGE = (
    "We treated 312 children with the milk. The incidence of pneumonia was reduced by 24% in "
    "children given the fortified milk compared with children given plain milk. Nobody was harmed."
)
# Shares of thirds, fifths and sevenths, whose sum depends on their order.
_TERMS = ("milk", "dough", "bread", "yeast", "sugar", "ovens", "rye", "salt")
MUCH = "Cold increased " + ", increased ".join(_TERMS)
TURNED = "; ".join(
    f"warmth reduced {term}" + f"; it increased {term}" * times
    for times, term in enumerate(_TERMS, 1)
)


def find(clause: str, passage: str = PASSAGE) -> list[tuple[str, str, str]]:
    found = compare(clause, [passage], passage).differences
    for difference in found:
        assert (
            clause[difference.citation.start : difference.citation.end] == difference.citation.text
        )
        assert passage[difference.article.start : difference.article.end] == difference.article.text
    return [
        (difference.kind, difference.citation.text, difference.article.text) for difference in found
    ]


def write(how: str) -> str:
    return f"The incidence of pneumonia was {how} in children given the fortified milk [12]."


@pytest.mark.parametrize(
    "how",
    ["reduced by 24%", "reduced by 24.3%", "lowered by about a quarter", "down by 24 percent"],
)
def test_what_says_the_same_does_not_differ(how: str) -> None:
    assert find(write(how)) == []


@pytest.mark.parametrize(
    ("how", "difference"),
    [
        ("reduced by 60%", ("number", "60%", "24%")),
        ("increased by 24%", ("direction", "increased", "reduced")),
        ("not reduced", ("negation", "not reduced", "reduced")),
    ],
)
def test_what_differs_is_found_with_both_places(how: str, difference: tuple[str, ...]) -> None:
    assert difference in find(write(how))


def test_a_bound_is_no_direction() -> None:
    passage = "To a large extent, stimulation preserved the muscle mass of critically ill patients."
    said = "Stimulation preserved, at least to a large extent, the muscle mass of ill patients"
    assert find(said, passage) == []


def test_no_effect_on_what_a_clause_says_was_changed() -> None:
    passage = "Fish oil did not affect central pulse wave velocity, augmentation index or mass."
    said = "Fish oil reduced pulse wave velocity within four weeks"
    assert ("negation", "reduced", "not affect") in find(said, passage)
    assert find(f"{said} or mass of the heart", "Fish oil did not affect mass.") == []
    assert (
        find("Fish oil reduced pressure", "Fish oil reduced pressure but no effect on mass.") == []
    )


def test_no_effect_on_something_else_leaves_an_effect_as_it_is() -> None:
    passage = (
        "Plasma endothelin concentrations decreased after all three oils, and the concentrations "
        "of both adhesion molecules were unchanged after the three interventions."
    )
    said = "Plasma endothelin concentrations were unchanged by all three oils"
    assert ("negation", "unchanged", "decreased") in find(said, passage)
    assert find("The concentrations of both adhesion molecules were unchanged", passage) == []


def test_british_and_american_spelling_are_one() -> None:
    passage = "Prednisolone does not affect clinical recovery of celiac patients with anemia."
    said = "Prednisolone hastened clinical recovery of coeliac patients with anaemia"
    assert ("negation", "hastened", "not affect") in find(said, passage)


@pytest.mark.parametrize(
    ("said", "passage"),
    [
        ("Pigment of the eye rose more with esters than with lutein",
         "We compared the changes in pigment of the eye with lutein and 20 mg equivalent esters."),
        ("Interrupting therapy brought no benefit for viral suppression in HIV infection",
         "Interrupting therapy in HIV infection failed to confer a clinically significant benefit "
         "with regard to viral suppression."),
        ("Laser caused less pain than radiofrequency ablation of the tonsils",
         "Radiofrequency ablation of the tonsils and laser are recommended against pain."),
        ("In uncomplicated enteric fever, gatifloxacin fails far less often than cefixime",
         "Gatifloxacin is a better treatment for uncomplicated enteric fever than cefixime."),
        ("Insulin therapy at home costs less than half of what it costs in hospital",
         "The cost of insulin therapy at home was 61% less than in hospital."),
        ("Soy shakes were no better than casein shakes against fibromyalgia",
         "Shakes with soy and shakes with casein provide a decrease in fibromyalgia symptoms."),
        ("Dapagliflozin lowered weight and glucose without causing more hypoglycaemia",
         "Dapagliflozin for 102 weeks enabled sustained reductions in glucose, and weight without "
         "increased risk of hypoglycaemia in patients with type 2 diabetes."),
        ("Exercise with music did more for the cognition of elderly people than without it",
         "Exercise with music had more positive effects on cognition of elderly people."),
        ("Directed therapy after surgery shortened the stay in hospital by three days",
         "Directed therapy after surgery shortened stay (11 days in hospital versus 14 days)."),
    ],
)  # fmt: skip
def test_words_that_only_look_like_an_opposite(said: str, passage: str) -> None:
    assert find(said, passage) == []


def test_what_another_sentence_says_as_the_clause_does_is_not_shown() -> None:
    passage = (
        "Women who exercised most had significantly less weight loss than predicted. There was no "
        "difference in the actual and predicted weight loss of women who exercised less."
    )
    assert find("Women who exercised most lost less weight than predicted", passage) == []


def test_what_a_clause_contrasts_with_its_own_findings_is_not_compared() -> None:
    ours = "the incidence of pneumonia was not reduced in children given the fortified milk"
    assert find(f"Here {ours} [12].")
    assert not find(f"In direct contrast to earlier findings, {ours} [12].")
    assert not find(f"Unlike what two trials reported, {ours} [12].")
    assert find(f"In contrast to other milk, {ours} [12].")
    assert not find(f"Similar to the rate reported earlier, {ours} [12].")


def test_what_a_sentence_asks_is_no_finding() -> None:
    asks = "Five studies evaluated the effects of hand signing of letters on response rates."
    said = "Hand signing of letters has no effect on response rates"
    assert find(said, asks) == []
    assert find(said, asks.replace("Five studies evaluated", "Five studies found"))


def test_short_forms_are_what_the_article_says_that_they_stand_for() -> None:
    passage = "At the office, yoga did not affect HRV."
    said = "Yoga raised heart rate variability"
    assert find(said, passage) == []
    article = f"We measured heart rate variability (HRV). {passage}"
    [found] = compare(said, [passage], article).differences
    assert (found.citation.text, found.article.text) == ("raised", "not affect")
    short = compare("Yoga improved HRV", ["It left heart rate variability (HRV) unchanged."])
    assert [each.article.text for each in short.differences] == ["unchanged"]


def test_a_negator_is_shown_with_the_word_that_it_reaches() -> None:
    passage = "Risedronate attenuated joint space narrowing in patients with osteoarthritis."
    said = "Risedronate did not slow or attenuate joint space narrowing in osteoarthritis"
    shown = find(said, passage)
    assert shown
    assert all("not" in clause for _, clause, _ in shown)


def test_a_comparison_turned_round() -> None:
    passage = "Buprenorphine was superior to dihydrocodeine for detoxification from opiates."
    said = "Dihydrocodeine was superior to buprenorphine for detoxification from opiates"
    assert [kind for kind, *_ in find(said, passage)] == ["comparison"]
    assert find(passage, passage) == []


def test_what_a_comparison_has_in_brackets_is_no_part_of_its_sides() -> None:
    passage = (
        "Scores of fatigue rose in the simvastatin group (P < .001 vs. baseline; SD, 3.1) and were "
        "greater than those of the group on red rice."
    )
    found = find("Patients on red rice felt more fatigue than those on simvastatin [4].", passage)
    assert ("comparison", "fatigue than", "greater than") in found


def test_what_a_sentence_leaves_out_by_but_not() -> None:
    passage = (
        "We conclude that cold milk blocks the growth of yeast when given over 8 days, but not "
        "after administration of a single dose."
    )
    shown = ("negation", "single", "after administration of a single dose")
    assert find("A single dose of cold milk blocks the growth of yeast [4].", passage) == [shown]
    assert find("Cold milk blocks the growth of yeast within 8 days [4].", passage) == []
    assert find("Cold milk did not block the growth of yeast by a single dose.", passage) == []


def test_another_population() -> None:
    passage = "The drug lowered the blood pressure of obese mice within a week of treatment."
    said = "The drug lowered the blood pressure of obese patients within a week of treatment"
    assert find(said, passage) == [("population", "patients", "mice")]


def test_a_word_that_its_prefix_makes_the_opposite() -> None:
    passage = "The protein was insoluble in cold water at every concentration."
    said = "The protein was soluble in cold water at every concentration"
    assert find(said, passage) == [("direction", "soluble", "insoluble")]


@pytest.mark.parametrize(("said", "differs"), [("closed", True), ("not closed", False)])
def test_an_antonym_that_is_on_no_scale(said: str, differs: bool) -> None:
    passage = "The channels of the outer membrane opened in response to calcium in the cytosol."
    clause = f"the channels of the outer membrane {said} in response to calcium in the cytosol [3]"
    assert (("direction", "closed", "opened") in find(clause, passage)) == differs


def test_a_drug_whose_name_begins_like_a_word_of_a_scale_has_its_side_of_a_comparison() -> None:
    passage = "Nausea was also higher in the placebo group than the pregabalin group (P = 0.003)."
    said = "Nausea was higher with pregabalin than with placebo"
    assert ("comparison", "pregabalin than", "group than") in find(said, passage)


def test_without_something_is_no_negation_of_an_effect() -> None:
    passage = "Without antiretrovirals, interleukin did not adversely affect plasma HIV RNA levels."
    said = "without antiretrovirals, interleukin increased plasma HIV RNA levels"
    assert "increased" in [text for kind, text, _ in find(said, passage) if kind == "negation"]


def test_a_quotation_that_is_not_verbatim() -> None:
    passage = "We concluded that the vaccine gives no lasting protection against leprosy."
    said = "They wrote “the vaccine gives little lasting protection” [3]."
    assert find(said, passage)[0][0] == "quotation"
    assert find("They wrote “the vaccine gives no … protection” [3].", passage) == []
    elsewhere = compare(said, [passage], f"{passage} The vaccine gives little lasting protection.")
    assert "quotation" not in {difference.kind for difference in elsewhere.differences}
    assert compare(said, [passage]).differences == ()  # without the article, nobody knows


def test_citation_markers_are_no_numbers_and_keep_offsets() -> None:
    said = "In children [1,2], fortified milk (Ito, 2001) reduced pneumonia incidence by 60% [24]."
    [(kind, ours, theirs)] = find(said, "Fortified milk reduced pneumonia incidence by 24%.")
    assert (kind, ours, theirs) == ("number", "60%", "24%")


@pytest.mark.parametrize(
    ("clause", "passage"),
    [
        ("", PASSAGE),
        ("12 13 14", PASSAGE),
        ("7 " * 500, "8 " * 500),
        ("5 foobars of blorp were given to 3 quux", PASSAGE),
        ("Die Inzidenz der Pneumonie stieg um 60 Prozent an", PASSAGE),
        ("肺炎の発生率は60％増加した", PASSAGE),
        (write("reduced"), "Milk."),
        (write("reduced"), ""),
        ("“the incidence of pneumonia was never closed", PASSAGE),
        ('"' * 1_000, '"' * 1_000),
    ],
)
def test_input_of_no_use_differs_in_nothing(clause: str, passage: str) -> None:
    assert compare(clause, [passage], passage).differences == ()
    assert compare(clause, [], "").differences == ()


def test_time_does_not_grow_faster_than_the_clause() -> None:
    def write_doses(size: int) -> str:
        return " ".join(
            f"the dose was {dose} mg and no more than {dose}.5 g" for dose in range(size)
        )

    assert not find_growth(
        lambda doses: compare(doses, [doses[7:]] * 3, doses), write_doses, 5_000, 60
    )


@given(st.text(max_size=200), st.text(max_size=200))
def test_places_are_within_both_texts(clause: str, passage: str) -> None:
    for difference in compare(clause, [passage], passage).differences:
        assert (
            clause[difference.citation.start : difference.citation.end] == difference.citation.text
        )
        assert passage[difference.article.start : difference.article.end] == difference.article.text


def test_only_words_of_the_clause_alone_are_weighed() -> None:
    passage = read_statement("Only mice with a low dose were cured.")
    names = ("only_clause_unconditional", "only_clause_on_a_scale")
    for clause, expected in (
        ("Only mice with a low dose were cured.", (0, 0)),
        ("All mice with every dose were always cured, only slowly.", (3, 1)),
        ("Rats with a high dose were cured in Norway.", (0, 1 / 3)),
    ):
        found = describe(read_statement(clause), [passage], [])
        assert tuple(found[name] for name in names) == pytest.approx(expected)


def test_features_are_the_same_in_every_process() -> None:
    program = (
        "from citespan.pipelines.ranking.differences.features import describe\n"
        "from citespan.pipelines.ranking.differences.statement import read_statement as read\n"
        f"print(describe(read({MUCH!r}), [read({TURNED!r})], []))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in range(1, 5)
    }  # fmt: skip
    assert len(said) == 1


def test_original_places() -> None:
    original = Original("mice [1] ate  10 g (2).", "mice ate 10 g.")
    place = original.find(9, 13)
    assert (place.start, place.end, place.text) == (14, 18, "10 g")
    assert Original("mice， 10 g, dry", "mice, 10 g, dry").find(6, 10).text == "10 g"


def test_the_shipped_model_says_its_data_licence_baseline_and_command() -> None:
    assert 0.5 < load_model().threshold <= 1
    card = (KIND.shipped / CARD).read_text(encoding="utf-8")
    for words in ("CC BY 4.0", "MIT", "left out", "citespan disagreement train jsonl:"):
        assert words in card
