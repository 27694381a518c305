"""Folds, calibration and doubt."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.doubt_figures import (
    area_under_roc,
    calibration_error,
    describe_support,
    reliability,
)
from citespan.pipelines.ranking.analysed_article import analyse
from citespan.pipelines.ranking.calibration import read_logistic
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.training.family import assign_folds
from citespan.pipelines.training.ranker_examples import (
    AROUND,
    Example,
    Mismatches,
    TrainingSet,
    Unanswered,
    read_unanswered,
)
from citespan.pipelines.training.ranker_figures import choose_number, order
from citespan.pipelines.training.ranker_fitting import fit_logistic, train_trees


def example(group: str, article: int = 0, query: str = "aspirin") -> Example:
    return Example(query, group, article, frozenset({0}))


@given(groups=st.lists(st.sampled_from("abcdefgh"), min_size=8).map(sorted))
def test_folds_keep_groups_together_and_differ_by_one_group(groups: list[str]) -> None:
    examples = [example(group) for group in [*groups, *"abcdefgh"]]
    folds = assign_folds([example.group for example in examples], 3)
    of_group = {example.group: fold for example, fold in zip(examples, folds, strict=True)}
    assert [of_group[example.group] for example in examples] == folds
    sizes = np.bincount(list(of_group.values()), minlength=3)
    assert sizes.max() - sizes.min() <= 1


def test_too_few_groups_are_one_clear_line() -> None:
    with pytest.raises(InputError, match="^1 topics or articles can't be 5 folds; give more data$"):
        assign_folds(["a", "a"])


def test_logistic_regression_finds_the_probabilities_that_made_the_data() -> None:
    generator = np.random.default_rng(0)
    inputs = generator.normal(size=(20_000, 2)) * [1.0, 5.0] + [0.0, 3.0]
    true = 1 / (1 + np.exp(-(inputs[:, 0] - 0.2 * inputs[:, 1])))
    labels = (generator.random(20_000) < true).astype(float)
    fitted = fit_logistic(("a", "b"), inputs, labels)
    assert np.abs(fitted.predict(inputs) - true).max() < 0.05
    assert calibration_error(reliability(fitted.predict(inputs), labels)) < 0.02
    assert read_logistic(fitted.to_json(), ("a", "b")) == fitted
    assert fit_logistic(("a", "b"), inputs, labels) == fitted


def test_a_constant_input_and_labels_that_are_all_the_same() -> None:
    inputs = np.column_stack([np.ones(50), np.arange(50.0)])
    assert np.isfinite(fit_logistic(("a", "b"), inputs, np.zeros(50)).predict(inputs)).all()
    assert np.isfinite(fit_logistic(("a", "b"), inputs, np.ones(50)).predict(inputs)).all()


@pytest.mark.parametrize(
    ("right", "wrong", "area"),
    [([3, 4], [1, 2], 1.0), ([1, 2], [3, 4], 0.0), ([1, 3], [2], 0.5), ([1], [1], 0.5)],
)
def test_area_under_roc(right: list[float], wrong: list[float], area: float) -> None:
    assert area_under_roc(np.array(right, float), np.array(wrong, float)) == area


def test_calibration_error_is_how_far_the_said_is_from_the_true() -> None:
    said = np.array([0.25] * 4 + [0.75] * 4)
    assert calibration_error(reliability(said, np.array([1.0, 0, 0, 0, 1, 1, 1, 0]))) == 0
    assert calibration_error(reliability(said, np.array([1.0, 1, 0, 0, 1, 1, 1, 0]))) == 0.125
    assert calibration_error(reliability(np.ones(2), np.ones(2))) == 0


def test_right_and_wrong_articles_weigh_the_same() -> None:
    figures = describe_support(
        np.array([0.9, 0.9]),
        {"random": np.array([0.1, 0.1]), "hardest": np.array([0.1, 0.9])},
        np.array([0.5, 0.95]),
    )
    assert figures["auroc"] == {"random": 1.0, "hardest": 0.75}
    assert [point["share"] for point in figures["reliability"]] == [0.375, 0.625]
    assert figures["right_below_threshold"] == 0.5
    assert figures["wrong_below_threshold"] == {"random": 1.0, "hardest": 1.0}


def make_set(texts: list[str], collections: list[str], *examples: Example) -> TrainingSet:
    articles = [analyse(ArticleSentences((text,), ("",))) for text in texts]
    return TrainingSet(articles, examples, collections)


def test_mismatches_are_other_articles_and_the_hardest_is_the_most_similar() -> None:
    texts = ["Aspirin for strokes.", "Aspirin for fever.", "Parsing of Dutch.", "Maize and rice."]
    mismatches = Mismatches(make_set(texts, [""] * 4))
    chosen = [
        mismatches.choose(example("a", 0, "aspirin against strokes"), seed) for seed in range(50)
    ]
    assert {names["hardest"] for names in chosen} == {1}
    assert {names["random"] for names in chosen} == {1, 2, 3}
    alone = Mismatches(make_set(["Aspirin."], [""]))
    assert alone.choose(example("a"), 0) == {}


def test_mismatches_are_of_the_collection_of_the_article() -> None:
    texts = ["Aspirin for strokes.", "Aspirin against strokes.", "Maize.", "Rice."]
    mismatches = Mismatches(make_set(texts, ["a", "b", "a", "b"]))
    chosen = mismatches.choose(example("a", 0, "aspirin against strokes"), 0)
    assert chosen == {"random": 2, "hardest": 2}


def test_an_abstract_is_put_whole_among_sentences_of_others_and_its_evidence_moves_along() -> None:
    texts = [f"Drug{number} helps. It is safe. It is cheap." for number in range(40)]
    articles = [
        analyse(ArticleSentences(tuple(text.split(" ", 2)), ("", "", ""))) for text in texts
    ]
    asked = Example("drug3 helps", "a", 3, frozenset({1}))
    data = TrainingSet(articles, [asked], [""] * 40)
    article, first = data.surrounded[3]
    assert len(article) == AROUND + 3
    assert [text.strip() for text in article.texts[first : first + 3]] == [
        text.strip() for text in articles[3].texts
    ]
    features, labels = data.surrounded_features[0]
    assert len(features) == len(labels) == AROUND + 3
    assert np.flatnonzero(labels).tolist() == [first + 1]


def test_queries_without_evidence_are_read_and_what_is_wrong_with_others_is_said(
    tmp_path: Path,
) -> None:
    file = tmp_path / "none.jsonl"
    file.write_text(
        '{"article": "A", "text": "Aspirin cures colds."}\n\n{"article": "A"}\n'
        '{"article": "B", "text": "Aspirin."}\n[1]\n{\n{"article": "A", "text": " "}\n'
    )
    read = list(read_unanswered(file, {"A"}))
    assert read[0] == Unanswered("Aspirin cures colds.", "A")
    assert [(rejected.source.rpartition(":")[2], rejected.reason) for rejected in read[1:]] == [
        ("3", 'not a JSON object with "article" and "text"'),
        ("4", "article 'B' is in no collection that is given"),
        ("5", 'not a JSON object with "article" and "text"'),
        ("6", 'not a JSON object with "article" and "text"'),
        ("7", 'not a JSON object with "article" and "text"'),
    ]
    contradicted, *_ = read_unanswered(file, {"A"}, {("A", "Aspirin cures colds.")})
    assert contradicted == Rejected(f"{file}:1", "a citance of article 'A' has evidence for this")
    with pytest.raises(InputError, match="can't be read"):
        list(read_unanswered(tmp_path / "missing.jsonl", {"A"}))


def test_a_set_of_one_class_is_one_clear_line() -> None:
    every = make_set(["Aspirin works."], [""], example("a"))
    with pytest.raises(InputError, match="^every sentence is evidence; a ranker learns from"):
        train_trees(every, [0])
    nothing = make_set(["Aspirin works."], [""], Example("aspirin", "a", 0, frozenset()))
    with pytest.raises(InputError, match="^no query with evidence to train on$"):
        train_trees(nothing, [0])


def test_the_number_of_sentences_with_the_highest_f1() -> None:
    scores = [np.array([5.0, 4.0, 3.0, 2.0, 1.0])] * 2
    assert choose_number(scores, [frozenset({0}), frozenset({0})]) == 1
    assert choose_number(scores, [frozenset({0, 1}), frozenset({0, 1})]) == 2


def test_sentences_without_a_term_are_left_out_of_untrained_rankings_only() -> None:
    scores = np.array([0.0, -1.0, 2.0, -np.inf])
    assert order(scores) == [2]
    assert order(scores, -np.inf) == [2, 0, 1]
