"""Evaluate answer detection on a corpus with every feature set."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from citespan.pipelines.answers.detection.model import AnswerModel
from citespan.pipelines.answers.zones.configuration import Configuration
from citespan.pipelines.answers.zones.model import ZoneModel, open_model
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.answer_examples import (
    AnsweredAbstract,
    PaperCorpora,
    make_examples,
)
from citespan.pipelines.training.answers import (
    AnswerScores,
    cross_validate,
    cross_validate_both_steps,
    evaluate_transfer,
    score_all_conclusions,
    score_detector,
)
from citespan.pipelines.training.family import Advance, ignore
from citespan.pipelines.training.zones import make_zone_examples, train_crf


@dataclass(frozen=True, slots=True)
class CorpusResult:
    """Scores of answer detection on one corpus.

    Attributes:
        data: a description of the corpus.
        by_labels: scores by feature set, zones from labels (table 3).
        conclusions: the baseline, which takes every sentence of the Conclusions.
        data_of_both: a description of the data of `both`.
        both: scores by feature set, zones by a model (table 4); None if there is no data.
        caveat: why `both` is None.
    """

    data: str
    by_labels: dict[str, AnswerScores]
    conclusions: AnswerScores
    data_of_both: str = ""
    both: dict[str, AnswerScores] | None = None
    caveat: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the scores with their confusion matrices."""
        both = self.both or {}
        return {
            "data": self.data,
            "by_labels": {name: scores.to_json() for name, scores in self.by_labels.items()},
            "conclusions": self.conclusions.to_json(),
            "data_of_both": self.data_of_both,
            "both": {name: scores.to_json() for name, scores in both.items()},
            "remark": self.caveat,
        }


def evaluate_on_titles(
    answered: Sequence[AnsweredAbstract],
    configuration: Configuration,
    folds: int,
    advance: Advance = ignore,
) -> CorpusResult:
    """Evaluate on questions made of titles; both steps with the sections hidden.

    Args:
        advance: called with 1 after each fold, twice `folds` times in all.

    Raises:
        InputError: if there are fewer questions than folds.
    """
    data = list(make_examples(answered))
    described = _describe_titles(len(data))
    by_labels = cross_validate(data, folds, advance)
    result = CorpusResult(
        described, by_labels, score_all_conclusions(data), f"{described}; sections hidden"
    )
    try:
        return replace(
            result, both=cross_validate_both_steps(answered, data, configuration, folds, advance)
        )
    except InputError as error:
        return replace(result, caveat=str(error))


def evaluate_on_paper_corpora(
    corpora: PaperCorpora,
    abstracts: Sequence[Abstract],
    configuration: Configuration,
    folds: int,
    advance: Advance = ignore,
) -> CorpusResult:
    """Evaluate on paper B's corpus-2, and on its corpus-3 after training on corpus-2.

    Args:
        abstracts: structured abstracts to train the zone model on, except those of corpus-3.
        advance: called with 1 after each fold, and once after corpus-3.

    Raises:
        InputError: if there are fewer questions than folds.
    """
    data = list(make_examples(corpora.structured))
    by_labels = cross_validate(data, folds, advance)
    questions = len({example.question for example in data})
    result = CorpusResult(
        f"corpus-2 rebuilt: {format_count(len(data), 'abstract')}, "
        f"{format_count(questions, 'question')}",
        by_labels,
        score_all_conclusions(data),
        f"corpus-3 rebuilt: {format_count(len(corpora.unstructured), 'abstract')}; trained on "
        "corpus-2",
    )
    if not corpora.unstructured:
        return replace(result, caveat="no claim with an unstructured abstract, so no corpus-3")
    held_out = {case.abstract.id for case in corpora.unstructured}
    training = {a.id: a for a in abstracts if a.id not in held_out}
    try:
        crf = train_crf(list(make_zone_examples(training.values(), configuration)), configuration)
        both = evaluate_transfer(data, corpora.unstructured, open_model(crf, configuration))
    except InputError as error:
        return replace(result, caveat=str(error))
    advance(1)
    return replace(result, both=both)


def evaluate_detector(
    name: str, model: AnswerModel, answered: Sequence[AnsweredAbstract], zones: ZoneModel
) -> CorpusResult:
    """Evaluate a detector as it is on questions made of titles, none of which it should have been
    trained on; both steps with the sections hidden.

    Args:
        name: of the detector.
        zones: gives sentences without labels their zones.

    Raises:
        InputError: if the pipeline that the zone model's features need can't be loaded.
    """
    data = list(make_examples(answered, zones))
    hidden = list(make_examples(answered, zones, hidden=True))
    described = _describe_titles(len(data))
    return CorpusResult(
        described,
        {name: score_detector(data, model.tree)},
        score_all_conclusions(data),
        f"{described}; sections hidden",
        {name: score_detector(hidden, model.tree)},
    )


def _describe_titles(questions: int) -> str:
    """Return what questions made of titles are, for people."""
    return (
        f"{format_count(questions, 'question')} made of titles, answer: first sentence of the "
        "Conclusions"
    )
