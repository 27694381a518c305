"""Questions asked of PubMedQA's abstracts: is the right abstract first, and with which sentence?

`python -m studies.answer_ranks` needs no server. Each of 500 abstracts has a question as its
title, which is hidden, and is the right one for it; the candidates are the first ten by BM25. Three
conditions: sections with their labels; sections hidden; Conclusions removed. Ways:

- *candidates*: BM25 alone, with the last sentence of each abstract;
- *evidence*: the shipped ranker, which was trained on other articles;
- *alamri2015*: the detector of Alamri and Stevenson (2015), trained on the other half of these
  abstracts, with the zones of the labels.

For *the sentence*, a hit is any sentence of the right abstract's Conclusions, which is what "all of
the Conclusions" would always have.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.answers import PUBMEDQA, remove_title, train_detectors
from citespan.pipelines.answers.abstract_files import gather
from citespan.pipelines.answers.answer import Answer, order_answers
from citespan.pipelines.answers.answering import AnswerSettings
from citespan.pipelines.answers.candidates import Candidate
from citespan.pipelines.answers.finding import find_answers, make_answer
from citespan.pipelines.answers.zones.model import load_model
from citespan.pipelines.answers.zones.sentences import split_and_label
from citespan.pipelines.answers.zones.zoning import ZonedSentence
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.ranking.analysed_article import analyse
from citespan.pipelines.ranking.pair import analyse_query
from citespan.pipelines.ranking.ranker import rankers
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.training.ranker_examples import ArticleIndex

Condition = Literal["labels", "sections hidden", "Conclusions removed"]
CONDITIONS: Final[tuple[Condition, ...]] = ("labels", "sections hidden", "Conclusions removed")
_CANDIDATES = 10
_HIDDEN: Final = "Results"
"""The zone of all sentences where sections are hidden, so that all may be the answer."""

Way = Callable[[str, str, Sequence[Candidate]], list[Answer]]


def main() -> None:
    """Ask all questions, and print a table."""
    if not PUBMEDQA.exists():
        sys.exit("PubMedQA is not beside the checkout (../shared/data/pubmedqa)")
    titled = gather([PUBMEDQA]).abstracts
    questions = {abstract.id: abstract.title for abstract in titled}
    abstracts = [remove_title(abstract) for abstract in titled]
    detectors = train_detectors(titled)
    ranker = rankers["evidence"]
    settings = AnswerSettings(ranker, load_model())
    ways: Mapping[str, Way] = {
        "candidates": lambda _, __, candidates: _take_last(candidates),
        "evidence": lambda _, question, candidates: order_answers(
            settings.rank_abstracts(question, candidates, ranker), _CANDIDATES
        ),
        "alamri2015": lambda pmid, question, candidates: find_answers(
            question, candidates, detector=detectors[int(pmid) % 2], top=_CANDIDATES
        ),
    }
    table = Table(
        *("condition", "way", "MRR of the abstract", "first"),
        *("sentence in the Conclusions: MRR", "first"),
    )
    for condition in CONDITIONS:
        zoned = [_zone(abstract, condition) for abstract in abstracts]
        found = _ask(questions, abstracts, zoned, ways, condition)
        for name, ranks in found.items():
            if condition == "Conclusions removed":
                ranks = ranks[:, :1]
            figures = [f for column in ranks.T for f in _describe(column)]
            table.add_row(condition, name, *(f"{figure:.3f}" for figure in figures))
    Console(width=None if sys.stdout.isatty() else 120).print(table)


def _zone(abstract: Abstract, condition: Condition) -> list[ZonedSentence]:
    sentences = [
        sentence
        for sentence in split_and_label(abstract)
        if condition != "Conclusions removed" or sentence.label != "Conclusions"
    ]
    return [
        ZonedSentence(
            sentence.start,
            sentence.end,
            sentence.text,
            _HIDDEN if condition == "sections hidden" or sentence.label is None else sentence.label,
            1.0,
            "label",
        )
        for sentence in sentences
    ]


def _ask(
    questions: Mapping[str, str],
    abstracts: Sequence[Abstract],
    zoned: Sequence[list[ZonedSentence]],
    ways: Mapping[str, Way],
    condition: Condition,
) -> dict[str, NDArray[np.int64]]:
    """Return by way the ranks, from 1, of the right abstract, and of a sentence of its Conclusions;
    0 for none."""
    index = ArticleIndex([analyse(_sentences(abstract)) for abstract in zoned])
    right = {
        abstract.id: {s.start for s in split_and_label(abstract) if s.label == "Conclusions"}
        for abstract in abstracts
    }
    if condition == "sections hidden":
        ways = {name: way for name, way in ways.items() if name != "alamri2015"}
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in ways}
    for pmid, question in track(questions.items(), condition):
        scores = index.score(analyse_query(question))
        best = np.argsort(-scores, kind="stable")[:_CANDIDATES]
        candidates = [
            Candidate(abstracts[n], float(scores[n]), tuple(zoned[n])) for n in best if zoned[n]
        ]
        for name, way in ways.items():
            answers = way(pmid, question, candidates)
            of_right = [answer for answer in answers if answer.id == pmid]
            there = [answer.rank for answer in of_right]
            inside = [answer.rank for answer in of_right if answer.start in right[pmid]]
            found[name].append((min(there, default=0), min(inside, default=0)))
    return {name: np.array(ranks) for name, ranks in found.items()}


def _sentences(zoned: Sequence[ZonedSentence]) -> ArticleSentences:
    return ArticleSentences(
        tuple(f"{sentence.text} " for sentence in zoned), tuple("" for _ in zoned)
    )


def _take_last(candidates: Sequence[Candidate]) -> list[Answer]:
    return [
        replace(
            make_answer(each.abstract, each.zoned, len(each.zoned) - 1, 1.0, each.score), rank=rank
        )
        for rank, each in enumerate(candidates, start=1)
    ]


def _describe(ranks: NDArray[np.int64]) -> tuple[float, float]:
    reciprocal = np.where(ranks > 0, 1 / np.maximum(ranks, 1), 0.0)
    return float(reciprocal.mean()), float((ranks == 1).mean())


if __name__ == "__main__":
    main()
