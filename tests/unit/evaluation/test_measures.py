"""Measures on cases worked out by hand."""

import pytest
from made_outcomes import article, make_outcome, tens

from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.scores import sum_by_topic


def value(name: str, run: list[Outcome]) -> float:
    topics = [outcome.citance.topic for outcome in run]
    return float(measures[name].value(sum_by_topic(measures[name].counts(run), topics)))


def test_weighted_measures_of_two_annotators() -> None:
    # S is 19 characters; G_1 has 9 and shares 9, G_2 has 19 and shares 9.
    run = [make_outcome(tens(4), [[(0, 9)], [(10, 29)]], [(0, 1)])]
    assert value("recall", run) == pytest.approx(18 / 28)
    assert value("precision", run) == pytest.approx(18 / (2 * 19))
    assert value("f1", run) == pytest.approx(2 * 18 / (28 + 38))


def test_characters_retrieved_twice_count_once() -> None:
    once = [make_outcome(tens(4), [[(0, 9)]], [(0, 2)])]
    twice = [make_outcome(tens(4), [[(0, 9)]], [(0, 1), (1, 2)])]
    assert value("precision", once) == value("precision", twice) == pytest.approx(9 / 29)


def test_an_annotator_who_marked_nothing_still_counts() -> None:
    run = [make_outcome(tens(2), [[(0, 9)], []], [(0, 0)])]
    assert value("recall", run) == 1
    assert value("precision", run) == pytest.approx(1 / 2)


def test_f1_is_the_mean_of_the_f1_of_citances() -> None:
    # Recall and precision are 1 and 9/19, then 9/19 and 1; F1 is 18/28 for both.
    wide = make_outcome(tens(2), [[(0, 9)]], [(0, 1)])
    narrow = make_outcome(tens(2), [[(0, 19)]], [(0, 0)])
    missed = make_outcome(tens(2), [[(0, 9)]], [(1, 1)])
    assert value("f1", [wide, narrow, missed]) == pytest.approx((18 / 28 + 18 / 28) / 3)
    assert value("recall", [wide, narrow, missed]) == pytest.approx((1 + 9 / 19) / 3)


def test_rouge_l() -> None:
    # "the cat on mat" is common: 4 of the 5 words retrieved, of the 6 marked.
    text = article("The cat on a mat!", "The cat sat on the mat.")
    run = [make_outcome(text, [[(18, 41)]], [(0, 0)])]
    assert value("rouge_l_precision", run) == pytest.approx(4 / 5)
    assert value("rouge_l_recall", run) == pytest.approx(4 / 6)
    assert value("rouge_l", run) == pytest.approx(2 * 4 / (5 + 6))


def test_rouge_l_goes_by_the_best_annotator() -> None:
    text = article("one two three four", "one two", "five")
    run = [make_outcome(text, [[(22, 26)], [(19, 26)], []], [(0, 0)])]
    assert value("rouge_l_recall", run) == 1
    assert value("rouge_l_precision", run) == pytest.approx(2 / 4)


def sentence_run() -> list[Outcome]:
    """Topic A finds 1 of 2 retrieved and 1 marked, then 0 of 1 and 2; topic B 2 of 2 and 3."""
    return [
        make_outcome(tens(6), [[(0, 9)]], [(0, 1)], topic="A", citing="X"),
        make_outcome(tens(6), [[(0, 19)]], [(5, 5)], topic="A", citing="Y"),
        make_outcome(tens(6), [[(10, 39)]], [(2, 3)], topic="B", citing="X"),
    ]


def test_sentences_pooled() -> None:
    run = sentence_run()
    assert value("sentence_precision_micro", run) == pytest.approx(3 / 5)
    assert value("sentence_recall_micro", run) == pytest.approx(3 / 6)
    assert value("sentence_f1_micro", run) == pytest.approx(2 * 3 / (5 + 6))


def test_sentences_by_topic() -> None:
    run = sentence_run()
    precision, recall = (1 / 3 + 1) / 2, (1 / 3 + 2 / 3) / 2
    assert value("sentence_precision_macro", run) == pytest.approx(precision)
    assert value("sentence_recall_macro", run) == pytest.approx(recall)
    f1 = 2 * precision * recall / (precision + recall)
    assert value("sentence_f1_macro", run) == pytest.approx(f1)


def test_the_official_figure_loses_all_but_the_last_record_of_a_citing_article() -> None:
    # X cites topic A twice, and the first record is overwritten; X in topic B is another key.
    run = sentence_run()
    lost = make_outcome(tens(6), [[(0, 59)]], [(0, 5)], topic="A", citing="X")
    for name in measures.names():
        if name.startswith("official_"):
            assert value(name, [lost, *run]) == value(name, run)
            assert value(name, run) == value(name.removeprefix("official_"), run)
    assert value("sentence_recall_micro", [lost, *run]) == pytest.approx(9 / 12)


@pytest.mark.parametrize(
    ("marked", "sentences"),
    [
        ((0, 9), {0}),
        ((0, 10), {0}),  # the space after it
        ((9, 10), set()),
        ((8, 11), {0, 1}),  # its last character, and the first of the next
        ((4, 6), {0}),
        ((10, 10), set()),
        ((19, 40), {2, 3}),
        ((0, 400), {0, 1, 2, 3}),
    ],
)
def test_a_sentence_is_marked_if_a_character_of_it_is(marked, sentences) -> None:
    assert make_outcome(tens(4), [[marked]], []).gold_sentences == sentences


def test_a_space_inside_a_sentence_marks_nothing() -> None:
    assert make_outcome(article("one two"), [[(3, 4)]], []).gold_sentences == set()


def test_annotators_are_counted_by_sentence() -> None:
    found = make_outcome(tens(4), [[(10, 12), (15, 19)], [(10, 29)]], [])
    assert found.annotators_by_sentence == {1: 2, 2: 1}


def test_an_outcome_needs_the_article_of_its_citance() -> None:
    found = make_outcome(tens(2), [[]], [])
    with pytest.raises(ValueError, match="cites article"):
        Outcome(found.citance, article("x", name="other"), ())


def test_an_outcome_needs_spans_of_its_article() -> None:
    with pytest.raises(ValueError, match="is not in article"):
        make_outcome(tens(2), [[]], [(1, 2)])
