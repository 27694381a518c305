"""What answer detection is measured on, each corpus with the scores of every feature set."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from citespan.pipelines.answers.answer_evaluation import (
    both_steps,
    conclusions_taken,
    cross_validation,
    transferred,
)
from citespan.pipelines.answers.answer_examples import examples
from citespan.pipelines.answers.answer_scores import AnswerScores
from citespan.pipelines.answers.answered_abstracts import AnsweredAbstract, PaperCorpora
from citespan.pipelines.answers.zone_configuration import Configuration
from citespan.pipelines.answers.zone_model import opened
from citespan.pipelines.answers.zone_training import examples as zone_examples
from citespan.pipelines.answers.zone_training import train
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.errors import InputError

Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Measured:
    """Answer detection on one corpus; a part that there is no data for is None.

    Attributes:
        data: what the corpus is, in words.
        by_labels: scores by feature set, zones from labels (table 3).
        conclusions: the yardstick beside them, every sentence of the Conclusions.
        data_of_both: what `both` is measured on, in words.
        both: scores by feature set with zones by a model (table 4).
        remark: why there is no `both`, if there is none.
    """

    data: str
    by_labels: dict[str, AnswerScores]
    conclusions: AnswerScores
    data_of_both: str = ""
    both: dict[str, AnswerScores] | None = None
    remark: str = ""

    def to_json(self) -> dict[str, Any]:
        """Scores with their confusion matrices."""
        both = self.both or {}
        return {
            "data": self.data,
            "by_labels": {name: _to_json(one) for name, one in self.by_labels.items()},
            "conclusions": _to_json(self.conclusions),
            "data_of_both": self.data_of_both,
            "both": {name: _to_json(one) for name, one in both.items()},
            "remark": self.remark,
        }


def measured_on_titles(
    answered: Sequence[AnsweredAbstract],
    configuration: Configuration,
    folds: int,
    advance: Advance = lambda _: None,
) -> Measured:
    """On questions made of titles; both steps with their sections hidden.

    Args:
        advance: called with 1 after each fold, twice `folds` times in all.

    Raises:
        InputError: if there are fewer questions than folds.
    """
    data = list(examples(answered))
    told = f"{len(data):,} questions made of titles, answer: first sentence of the Conclusions"
    by_labels = cross_validation(data, folds, advance)
    one = Measured(told, by_labels, conclusions_taken(data), f"{told}; sections hidden")
    try:
        return replace(one, both=both_steps(answered, data, configuration, folds, advance))
    except InputError as error:
        return replace(one, remark=str(error))


def measured_on_paper_corpora(
    corpora: PaperCorpora,
    abstracts: Sequence[Abstract],
    configuration: Configuration,
    folds: int,
    advance: Advance = lambda _: None,
) -> Measured:
    """On paper B's corpus-2, and on its corpus-3 after training on corpus-2.

    Args:
        abstracts: structured ones to train the zone model on; those of corpus-3 are left out.
        advance: called with 1 after each fold, and once after corpus-3.

    Raises:
        InputError: if there are fewer questions than folds.
    """
    data = list(examples(corpora.structured))
    by_labels = cross_validation(data, folds, advance)
    questions = len({one.question for one in data})
    one = Measured(
        f"corpus-2 rebuilt: {len(data):,} abstracts, {questions:,} questions",
        by_labels,
        conclusions_taken(data),
        f"corpus-3 rebuilt: {len(corpora.unstructured):,} abstracts; trained on corpus-2",
    )
    if not corpora.unstructured:
        return replace(one, remark="no claim with an unstructured abstract, so no corpus-3")
    held_out = {case.abstract.id for case in corpora.unstructured}
    to_learn = {a.id: a for a in abstracts if a.id not in held_out}
    try:
        crf = train(list(zone_examples(to_learn.values(), configuration)), configuration)
        both = transferred(data, corpora.unstructured, opened(crf, configuration))
    except InputError as error:
        return replace(one, remark=str(error))
    advance(1)
    return replace(one, both=both)


def _to_json(scores: AnswerScores) -> dict[str, Any]:
    return asdict(scores) | {
        "answer": asdict(scores.answer),
        "other": asdict(scores.other),
        "overall": asdict(scores.overall),
    }
