"""Measures against other ways to compute the same: the rouge-score library, sets of
characters, and the steps of CL-SciSumm's 2018 scorer."""

from collections import Counter
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_outcomes import outcomes, runs
from rouge_score.rouge_scorer import RougeScorer

from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.measures.characters import weighted_overlap
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.rouge import (
    RougeText,
    common_subsequence_length,
    rouge_l,
    score_rouge,
)
from citespan.pipelines.evaluation.scores import sum_by_topic
from citespan.pipelines.intervals import count_characters, count_shared, union

WORDS = st.lists(st.sampled_from("abcde"), max_size=90)
TEXTS = st.text(alphabet="ab cd.Eβ7-", max_size=60)
PLACES = st.integers(0, 30)
INTERVALS = st.lists(st.tuples(PLACES, PLACES), max_size=6)
LIBRARY = RougeScorer(["rouge1", "rouge2", "rougeL"])


def characters(intervals) -> set[int]:
    return {place for start, end in intervals for place in range(start, end)}


@given(left=WORDS, right=WORDS)
def test_common_subsequence_is_as_long_as_the_table_has_it(left, right) -> None:
    row = [0] * (len(right) + 1)
    for character in left:
        above = row[:]
        for place, other in enumerate(right, start=1):
            row[place] = (
                above[place - 1] + 1 if character == other else max(above[place], row[place - 1])
            )
    assert common_subsequence_length(left, right) == row[-1]


@given(retrieved=TEXTS, references=st.lists(TEXTS, min_size=1, max_size=4))
def test_rouge_l_is_the_library_s(retrieved, references) -> None:
    expected = LIBRARY.score_multi(references, retrieved)["rougeL"]
    assert rouge_l(retrieved, references) == pytest.approx(tuple(expected))


@settings(deadline=None)
@given(summary=TEXTS, reference=TEXTS)
def test_rouge_of_summaries_is_the_library_s(summary, reference) -> None:
    found = score_rouge(RougeText.of(summary), RougeText.of(reference))
    for name, other in (("rouge_1", "rouge1"), ("rouge_2", "rouge2"), ("rouge_l", "rougeL")):
        expected = LIBRARY.score(reference, summary)[other]
        assert found[name] == pytest.approx(tuple(expected))


@settings(deadline=None)
@given(summary=WORDS, reference=WORDS)
def test_rouge_su4_counts_pairs_with_four_words_between_them(summary, reference) -> None:
    def count(words) -> Counter:
        places = combinations(range(len(words)), 2)
        pairs = [(words[first], words[other]) for first, other in places if other - first <= 5]
        return Counter([*words, *pairs])

    found = score_rouge(RougeText.of(" ".join(summary)), RougeText.of(" ".join(reference)))
    a, b = count(summary), count(reference)
    common = sum(min(number, b[gram]) for gram, number in a.items())
    assert found["rouge_su4"].precision == pytest.approx(common / max(1, a.total()))
    assert found["rouge_su4"].recall == pytest.approx(common / max(1, b.total()))


def test_rouge_l_without_references_is_zero() -> None:
    assert rouge_l("some text", []) == (0, 0, 0)


@given(left=INTERVALS, right=INTERVALS)
def test_intervals_are_sets_of_characters(left, right) -> None:
    a, b = union(left), union(right)
    assert characters(a) == characters(left)
    assert all(span[1] < after[0] for span, after in pairwise(a))
    assert count_characters(a) == len(characters(left))
    assert count_shared(a, b) == len(characters(left) & characters(right))


@given(outcome=outcomes())
def test_weighted_overlap_is_equation_1(outcome: Outcome) -> None:
    retrieved = {place for span in outcome.spans for place in range(*outcome.interval(span))}
    marked = [characters(annotation.spans) for annotation in outcome.citance.annotations]
    found = sum(len(retrieved & theirs) for theirs in marked)
    recall = found / (sum(map(len, marked)) or 1)
    precision = found / (len(marked) * len(retrieved) or 1)
    f1 = 2 * precision * recall / ((precision + recall) or 1)
    assert weighted_overlap(outcome) == pytest.approx((precision, recall, f1))


@given(run=runs())
def test_official_figures_follow_the_scorer(run: list[Outcome]) -> None:
    gold: dict[str, dict[str, set[int]]] = {}
    submitted: dict[str, dict[str, set[int]]] = {}
    for outcome in run:
        topic, citing = outcome.citance.topic, outcome.citance.citing_article
        gold.setdefault(topic, {})[citing] = set(outcome.gold_sentences)
        submitted.setdefault(topic, {})[citing] = set(outcome.retrieved_sentences)
    totals, precisions, recalls = [0, 0, 0], [], []
    for topic, records in gold.items():
        hits = misses = wrong = 0
        for citing, sentences in records.items():
            for sentence in sentences:
                hits += sentence in submitted[topic][citing]
                misses += sentence not in submitted[topic][citing]
            wrong += sum(number not in sentences for number in submitted[topic][citing])
        precisions.append(hits / ((hits + wrong) or 1))
        recalls.append(hits / ((hits + misses) or 1))
        totals = [a + b for a, b in zip(totals, (hits, misses, wrong), strict=True)]
    hits, misses, wrong = totals
    figures = {
        "micro": (hits / ((hits + wrong) or 1), hits / ((hits + misses) or 1)),
        "macro": (sum(precisions) / len(precisions), sum(recalls) / len(recalls)),
    }
    topics = [outcome.citance.topic for outcome in run]
    for average, (precision, recall) in figures.items():
        f1 = 2 * precision * recall / ((precision + recall) or 1)
        for part, expected in (("precision", precision), ("recall", recall), ("f1", f1)):
            measure = measures[f"official_sentence_{part}_{average}"]
            assert measure.value(sum_by_topic(measure.counts(run), topics)) == pytest.approx(
                expected
            )
