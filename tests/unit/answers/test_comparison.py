"""What a question compares."""

import pytest

from citespan.pipelines.answers.directions.comparison import (
    NO_COMPARATOR,
    Comparison,
    derive_comparison,
    read_comparison,
)
from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.short_forms import find_short_forms


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Does aspirin prevent stroke?", ("stroke", "aspirin", NO_COMPARATOR)),
        (
            "Does ketamine, compared with midazolam, reduce crying in young children?",
            ("crying", "ketamine", "midazolam"),
        ),
        (
            "Do statins lower mortality compared with placebo in adults with diabetes?",
            ("mortality", "statins", "placebo"),
        ),
        (
            "Is pregabalin better than placebo for pain after surgery?",
            ("pain after surgery", "pregabalin", "placebo"),
        ),
        (
            "What is the effect of yoga versus exercise on fatigue in women?",
            ("fatigue", "yoga", "exercise"),
        ),
    ],
)
def test_a_question_of_a_known_form_names_its_parts(
    question: str, parts: tuple[str, str, str]
) -> None:
    found = derive_comparison(question)
    assert found is not None
    assert (found.outcome, found.intervention, found.comparator) == parts
    assert found.derived


@pytest.mark.parametrize(
    "question",
    ["malaria", "Does it?", "Do the the?", "Réduit-il la douleur ?", "x" * 10_000, "", "12 14 ?"],
)
def test_other_questions_name_nothing(question: str) -> None:
    assert derive_comparison(question) is None
    assert read_comparison(question) is None


def test_parts_that_are_given_stand_before_those_of_the_question() -> None:
    found = read_comparison("Does ketamine reduce crying?", comparator="midazolam")
    assert found is not None
    assert found.to_json() == {
        "outcome": "crying",
        "intervention": "ketamine",
        "comparator": "midazolam",
        "derived": True,
    }
    own = read_comparison("crying", "crying", "ketamine", "midazolam")
    assert own is not None
    assert not own.derived


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (("", "a drug", "placebo"), "outcome '': no word in it"),
        (("pain", "the", "placebo"), "intervention 'the': no word in it"),
        (("pain", None, None), "without intervention and comparator"),
        (("pain " * 1_000, "a drug", "placebo"), "outcome: 5,000 characters; at most 2,000"),
    ],
)
def test_a_comparison_without_a_part_is_one_clear_line(
    parts: tuple[str | None, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_comparison("pain", *parts)


def test_short_forms_of_a_text_name_what_is_compared() -> None:
    short_forms = find_short_forms(
        ["Hand signing (HS) of letters (which we compared) changed response rates (RR) little."]
    )
    found = Comparison("response rates", "HS", "printed letters").add_short_forms(short_forms)
    assert found == Comparison("response rates rr", "HS hand signing", "printed letters")
    assert found.add_short_forms({}) == found
