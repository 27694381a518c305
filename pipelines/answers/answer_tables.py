"""The tables of an experiment on abstracts, our figures beside the published ones.

Each row says what data ours stands on, since the published data is not at hand for most.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from citespan.pipelines.answers import zone_evaluation
from citespan.pipelines.answers.answer_corpora import (
    Measured,
    measured_on_paper_corpora,
    measured_on_titles,
)
from citespan.pipelines.answers.answer_experiment import (
    CLASSES,
    OVERALL,
    AnswerExperiment,
    Figures,
)
from citespan.pipelines.answers.answer_scores import AnswerScores
from citespan.pipelines.answers.answered_abstracts import AnsweredAbstract, PaperCorpora
from citespan.pipelines.answers.zone_configuration import Configuration, configuration
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.errors import InputError

Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; `published` is None where the paper has no such row."""

    name: str
    ours: Figures
    published: Figures | None
    data: str


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """A table; without rows, `remark` says why it could not be made."""

    number: int
    title: str
    rows: tuple[Row, ...]
    remark: str = ""

    def to_json(self) -> dict[str, Any]:
        """Figures by name; `published` is null where the paper has no such row."""
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
            "remark": self.remark,
        }


def steps(experiment: AnswerExperiment, with_paper_corpora: bool) -> int:
    """How often `tables` calls `advance`."""
    answers = experiment.answer_folds * (3 if with_paper_corpora else 2)
    return experiment.zone_folds * len(experiment.zones) + answers + with_paper_corpora


def tables(
    experiment: AnswerExperiment,
    abstracts: Sequence[Abstract],
    answered: Sequence[AnsweredAbstract],
    corpora: PaperCorpora | None,
    advance: Advance = lambda _: None,
) -> Iterator[AnswerTable]:
    """One table after the other; a corpus or configuration that can't be had leaves its rows
    out, with a remark.

    Args:
        abstracts: structured ones, for zoning.
        answered: questions made of their titles.
        corpora: the paper's own, if they could be rebuilt.
    """
    for number, name in enumerate(experiment.zones, 1):
        yield _zone_table(experiment, number, configuration(name), abstracts, advance)
    found, remarks = _measured(experiment, abstracts, answered, corpora, advance)
    number = len(experiment.zones) + 1
    yield AnswerTable(
        number,
        "Answers by feature set, zones from labels",
        tuple(row for one in found for row in _feature_rows(experiment, one)),
        "; ".join(remarks),
    )
    with_both = [(one, one.both) for one in found if one.both]
    yield AnswerTable(
        number + 1,
        f"Answers with zones by {experiment.both_zones}, feature set {experiment.both_features}",
        tuple(
            row
            for one, both in with_both
            for row in _class_rows(experiment, both[experiment.both_features], one.data_of_both)
        ),
        "; ".join(remarks),
    )


def _zone_table(
    experiment: AnswerExperiment,
    number: int,
    chosen: Configuration,
    abstracts: Sequence[Abstract],
    advance: Advance,
) -> AnswerTable:
    title = f"Zones of sentences, {chosen.name}"
    try:
        data = zone_evaluation.analysed(abstracts, chosen)
        scores = zone_evaluation.cross_validation(
            data, chosen, experiment.zone_folds, advance
        ).scores
    except InputError as error:
        return AnswerTable(number, title, (), str(error))
    told = f"{scores.abstracts:,} abstracts, {experiment.zone_folds}-fold cross-validation"
    published = experiment.published_zones.get(chosen.name, {})
    rows = [*scores.zones.items(), (OVERALL, scores.overall)]
    return AnswerTable(
        number,
        title,
        tuple(Row(name, _figures(one), published.get(name), told) for name, one in rows),
    )


def _measured(
    experiment: AnswerExperiment,
    abstracts: Sequence[Abstract],
    answered: Sequence[AnsweredAbstract],
    corpora: PaperCorpora | None,
    advance: Advance,
) -> tuple[list[Measured], list[str]]:
    chosen, folds = configuration(experiment.both_zones), experiment.answer_folds
    found, remarks = [], []
    try:
        found.append(measured_on_titles(answered, chosen, folds, advance))
    except InputError as error:
        remarks.append(f"questions made of titles: {error}")
    if corpora is not None:
        try:
            found.append(measured_on_paper_corpora(corpora, abstracts, chosen, folds, advance))
        except InputError as error:
            remarks.append(f"the paper's corpora: {error}")
    return found, remarks + [f"both steps: {one.remark}" for one in found if one.remark]


def _feature_rows(experiment: AnswerExperiment, one: Measured) -> Iterator[Row]:
    for name in experiment.feature_sets:
        published = experiment.published_features.get(name)
        yield Row(f"feature set {name}", _figures(one.by_labels[name].answer), published, one.data)
    yield Row("all of the Conclusions", _figures(one.conclusions.answer), None, one.data)


def _class_rows(experiment: AnswerExperiment, scores: AnswerScores, data: str) -> Iterator[Row]:
    of_classes: Mapping[str, _Scored] = dict(
        zip(CLASSES, (scores.answer, scores.other, scores.overall), strict=True)
    )
    for name, score in of_classes.items():
        yield Row(name, _figures(score), experiment.published_both.get(name), data)


class _Scored(Protocol):
    @property
    def precision(self) -> float: ...
    @property
    def recall(self) -> float: ...
    @property
    def f1(self) -> float: ...


def _figures(score: _Scored) -> Figures:
    return Figures(score.precision, score.recall, score.f1)
