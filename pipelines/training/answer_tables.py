"""Make the tables of an experiment on abstracts, our figures beside the published ones.

Each row describes the data of our figures, since most of the published data is not available.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from citespan.pipelines.answers.zones.configuration import Configuration, get_configuration
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.precision_recall import PrecisionRecallF1
from citespan.pipelines.training import zones
from citespan.pipelines.training.answer_corpora import (
    CorpusResult,
    evaluate_on_paper_corpora,
    evaluate_on_titles,
)
from citespan.pipelines.training.answer_examples import AnsweredAbstract, PaperCorpora
from citespan.pipelines.training.answer_experiment import CLASSES, OVERALL, AnswerExperiment
from citespan.pipelines.training.answers import AnswerScores
from citespan.pipelines.training.family import Advance, ignore


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; `published` is None if the paper has no such row."""

    name: str
    ours: PrecisionRecallF1
    published: PrecisionRecallF1 | None
    data: str


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """A table; `caveat` says why rows are missing."""

    number: int
    title: str
    rows: tuple[Row, ...]
    caveat: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the figures by name; `published` is null if the paper has no such row."""
        return {
            "number": self.number,
            "title": self.title,
            "rows": [
                {
                    "name": row.name,
                    "ours": row.ours._asdict(),
                    "published": row.published._asdict() if row.published else None,
                    "data": row.data,
                }
                for row in self.rows
            ],
            "remark": self.caveat,
        }


def count_steps(experiment: AnswerExperiment, with_paper_corpora: bool) -> int:
    """Return how often `make_tables` calls `advance`."""
    answers = experiment.answers.folds * (3 if with_paper_corpora else 2)
    return (
        experiment.zones.folds * len(experiment.zones.configurations) + answers + with_paper_corpora
    )


def make_tables(
    experiment: AnswerExperiment,
    abstracts: Sequence[Abstract],
    answered: Sequence[AnsweredAbstract],
    corpora: PaperCorpora | None,
    advance: Advance = ignore,
) -> Iterator[AnswerTable]:
    """Make one table after the other; rows that can't be computed are left out, with a caveat.

    Args:
        abstracts: structured abstracts, for zoning.
        answered: questions made of their titles.
        corpora: the paper's own corpora, or None.
        advance: called with 1 after each fold, `count_steps` times in all.
    """
    for number, name in enumerate(experiment.zones.configurations, 1):
        yield _make_zone_table(experiment, number, get_configuration(name), abstracts, advance)
    found, caveats = _evaluate(experiment, abstracts, answered, corpora, advance)
    number = len(experiment.zones.configurations) + 1
    yield AnswerTable(
        number,
        "Answers by feature set, zones from labels",
        tuple(row for result in found for row in _make_feature_rows(experiment, result)),
        "; ".join(caveats),
    )
    with_both = [(result, result.both) for result in found if result.both]
    yield AnswerTable(
        number + 1,
        f"Answers with zones by {experiment.both.zones}, feature set {experiment.both.features}",
        tuple(
            row
            for result, both in with_both
            for row in _make_class_rows(
                experiment, both[experiment.both.features], result.data_of_both
            )
        ),
        "; ".join(caveats),
    )


def _make_zone_table(
    experiment: AnswerExperiment,
    number: int,
    chosen: Configuration,
    abstracts: Sequence[Abstract],
    advance: Advance,
) -> AnswerTable:
    title = f"Zones of sentences, {chosen.name}"
    try:
        analysed = zones.analyse_split_and_joined(abstracts, chosen)
        scores = zones.cross_validate(analysed, chosen, experiment.zones.folds, advance).scores
    except InputError as error:
        return AnswerTable(number, title, (), str(error))
    abstract_count = format_count(scores.abstracts, "abstract")
    data = f"{abstract_count}, {experiment.zones.folds}-fold cross-validation"
    published = experiment.published.zones.get(chosen.name, {})
    rows = [*scores.zones.items(), (OVERALL, scores.overall)]
    return AnswerTable(
        number,
        title,
        tuple(Row(name, _get_figures(score), published.get(name), data) for name, score in rows),
    )


def _evaluate(
    experiment: AnswerExperiment,
    abstracts: Sequence[Abstract],
    answered: Sequence[AnsweredAbstract],
    corpora: PaperCorpora | None,
    advance: Advance,
) -> tuple[list[CorpusResult], list[str]]:
    chosen, folds = get_configuration(experiment.both.zones), experiment.answers.folds
    found, caveats = [], []
    try:
        found.append(evaluate_on_titles(answered, chosen, folds, advance))
    except InputError as error:
        caveats.append(f"questions made of titles: {error}")
    if corpora is not None:
        try:
            found.append(evaluate_on_paper_corpora(corpora, abstracts, chosen, folds, advance))
        except InputError as error:
            caveats.append(f"the paper's corpora: {error}")
    return found, caveats + [f"both steps: {result.caveat}" for result in found if result.caveat]


def _make_feature_rows(experiment: AnswerExperiment, result: CorpusResult) -> Iterator[Row]:
    for name in experiment.answers.feature_sets:
        published = experiment.published.answers.get(name)
        yield Row(
            f"feature set {name}",
            _get_figures(result.by_labels[name].answer),
            published,
            result.data,
        )
    yield Row("all of the Conclusions", _get_figures(result.conclusions.answer), None, result.data)


def _make_class_rows(
    experiment: AnswerExperiment, scores: AnswerScores, data: str
) -> Iterator[Row]:
    of_classes = (scores.answer, scores.other, scores.overall)
    for name, score in zip(CLASSES, of_classes, strict=True):
        yield Row(name, _get_figures(score), experiment.published.both.get(name), data)


def _get_figures(score: zones.ClassScore) -> PrecisionRecallF1:
    return PrecisionRecallF1(score.precision, score.recall, score.f1)
