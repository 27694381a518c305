"""What holds for every measure, those of other distributions included."""

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from made_outcomes import make_outcome, runs

import citespan.pipelines.evaluation.measures as package
from citespan.pipelines.corpus.collection import Annotation
from citespan.pipelines.evaluation.measure import Measure, measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.scores import sum_by_topic
from citespan.pipelines.retrieval.merge import ScoredSpan

EVERY = list(measures)
FILES = sorted(
    path
    for folder in package.__path__
    for path in Path(folder).glob("*.py")
    if path.name != "__init__.py"
)


def value(measure: Measure, run: list[Outcome]) -> float:
    topics = [outcome.citance.topic for outcome in run]
    return float(measure.value(sum_by_topic(measure.counts(run), topics)))


def marked_as_retrieved(outcome: Outcome) -> Outcome:
    spans = Annotation("only", outcome.retrieved)
    return replace(outcome, citance=replace(outcome.citance, annotations=(spans,)))


def retrieved_text(outcome: Outcome) -> str:
    return "".join(outcome.article.text[start:end] for start, end in outcome.retrieved)


def whole(outcome: Outcome, marked: frozenset[int], retrieved: frozenset[int]) -> Outcome:
    """The same citance with these sentences marked by one annotator, and those retrieved."""
    spans = [(number, number) for number in sorted(retrieved)]
    sentences = [outcome.sentences[number] for number in sorted(marked)]
    return make_outcome(
        outcome.article,
        [[(sentence.start, sentence.end) for sentence in sentences]],
        spans,
        topic=outcome.citance.topic,
        citing=outcome.citance.citing_article,
    )


def test_each_file_is_a_family_of_measures() -> None:
    assert [path.stem for path in FILES] == ["characters", "ranking", "rouge", "sentence_overlap"]
    parts = ("f1_macro", "f1_micro", *("precision_macro", "precision_micro"))
    parts += ("recall_macro", "recall_micro")
    assert set(measures.names()) >= {
        "f1",
        *(f"official_sentence_{part}" for part in parts),
        *("precision", "recall", "rouge_l", "rouge_l_precision", "rouge_l_recall"),
        *(f"sentence_{part}" for part in parts),
    }
    assert max(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES) < 120


@pytest.mark.parametrize("measure", EVERY, ids=measures.names())
def test_it_describes_itself_in_one_line(measure: Measure) -> None:
    for text in (measure.description, measure.source):
        assert text.strip() == text != ""
        assert "\n" not in text
    assert measure.average in ("citances", "micro", "macro")


@settings(max_examples=50)
@given(run=runs())
def test_values_lie_between_0_and_1(run: list[Outcome]) -> None:
    for measure in EVERY:
        assert 0 <= value(measure, run) <= 1 + 1e-12, measure.name


@settings(max_examples=50)
@given(run=runs())
def test_counts_have_a_row_per_citance(run: list[Outcome]) -> None:
    for measure in EVERY:
        counts = measure.counts(run)
        assert counts.shape[0] == len(run), measure.name
        assert counts.ndim == 2, measure.name
        assert np.all(np.isfinite(counts) & (counts >= 0)), measure.name


@settings(max_examples=50)
@given(run=runs())
def test_many_sums_are_valued_as_each_alone(run: list[Outcome]) -> None:
    for measure in EVERY:
        sums = sum_by_topic(measure.counts(run), [outcome.citance.topic for outcome in run])
        many = np.stack([sums, 3 * sums, np.zeros_like(sums)])
        expected = [float(measure.value(outcome)) for outcome in many]
        assert measure.value(many) == pytest.approx(expected), measure.name
        assert expected[2] == 0, measure.name


@settings(max_examples=50)
@given(run=runs())
def test_a_topic_without_citances_changes_nothing(run: list[Outcome]) -> None:
    for measure in EVERY:
        sums = sum_by_topic(measure.counts(run), [outcome.citance.topic for outcome in run])
        padded = np.vstack([sums, np.zeros((2, sums.shape[1]))])
        assert measure.value(padded) == pytest.approx(float(measure.value(sums))), measure.name


# A busy machine is slow to draw what this test leaves out, which says nothing of the measures.
@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(run=runs())
def test_retrieving_just_what_is_marked_is_worth_1(run: list[Outcome]) -> None:
    # ROUGE's tokenizer knows a-z and 0-9 only, so Greek alone is no text to it.
    run = [outcome for outcome in run if re.search("[a-z]", retrieved_text(outcome))]
    assume(run)
    for measure in EVERY:
        perfect = value(measure, [marked_as_retrieved(outcome) for outcome in run])
        assert perfect == pytest.approx(1), measure.name


@settings(max_examples=50)
@given(run=runs())
def test_retrieving_nothing_is_worth_0(run: list[Outcome]) -> None:
    for measure in EVERY:
        assert value(measure, [replace(outcome, spans=()) for outcome in run]) == 0, measure.name


@settings(max_examples=50)
@given(run=runs())
def test_marking_nothing_is_worth_0(run: list[Outcome]) -> None:
    nothing = (Annotation("only", ()),)
    run = [
        replace(outcome, citance=replace(outcome.citance, annotations=nothing)) for outcome in run
    ]
    for measure in EVERY:
        assert value(measure, run) == 0, measure.name


@settings(max_examples=50)
@given(run=runs(), shuffled=st.randoms(use_true_random=False))
def test_only_measures_of_a_ranking_go_by_the_order_of_spans(
    run: list[Outcome], shuffled: Random
) -> None:
    other = [
        replace(outcome, spans=tuple(shuffled.sample(outcome.spans, len(outcome.spans))))
        for outcome in run
    ]
    for measure in EVERY:
        if measure.name in ("success_1", "mrr_10", "ndcg_10"):
            continue
        assert value(measure, other) == value(measure, run), measure.name


@settings(max_examples=50)
@given(run=runs())
def test_recall_never_falls_when_more_is_retrieved(run: list[Outcome]) -> None:
    more = []
    for outcome in run:
        last = len(outcome.sentences) - 1
        more.append(replace(outcome, spans=(*outcome.spans, ScoredSpan(last // 2, last, 0.5))))
    for measure in EVERY:
        if "recall" in measure.name and "rouge" not in measure.name:
            assert value(measure, more) >= value(measure, run) - 1e-12, measure.name


@settings(max_examples=50)
@given(run=runs(annotators=1))
def test_precision_is_recall_with_the_roles_exchanged(run: list[Outcome]) -> None:
    # Sentences marked in full, so that they can be retrieved in turn.
    forth = [whole(outcome, outcome.gold_sentences, outcome.retrieved_sentences) for outcome in run]
    back = [whole(outcome, outcome.retrieved_sentences, outcome.gold_sentences) for outcome in run]
    for measure in EVERY:
        other = measures[measure.name.replace("precision", "recall")]
        if "precision" in measure.name:
            assert value(measure, forth) == pytest.approx(value(other, back)), measure.name
        elif "f1" in measure.name or measure.name == "rouge_l":
            assert value(measure, forth) == pytest.approx(value(measure, back)), measure.name


@settings(max_examples=50)
@given(run=runs())
def test_a_mean_over_citances_is_one(run: list[Outcome]) -> None:
    for measure in EVERY:
        if measure.average == "citances":
            alone = [value(measure, [outcome]) for outcome in run]
            assert value(measure, run) == pytest.approx(sum(alone) / len(alone)), measure.name
