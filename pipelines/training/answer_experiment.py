"""Read the YAML file of an experiment on abstracts, such as `experiments/bionlp2015.yml`."""

from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, PlainValidator, StrictInt, model_validator
from pydantic.dataclasses import dataclass

from citespan.pipelines.answers.detection.features import FEATURE_SETS
from citespan.pipelines.answers.zones.configuration import CONFIGURATIONS
from citespan.pipelines.corpus.section_categories import ZONES
from citespan.pipelines.precision_recall import PrecisionRecallF1
from citespan.pipelines.validation import (
    KnownKeys,
    Name,
    Text,
    check_keys,
    one_of,
    required,
    validate,
)
from citespan.pipelines.yaml_file import read_yaml

OVERALL = "Overall"
CLASSES = ("Answer", "Non-answer", OVERALL)
_ZONE_ROWS = (*ZONES, OVERALL)


def _figures(cells: object) -> PrecisionRecallF1:
    if isinstance(cells, list) and len(cells) == len(PrecisionRecallF1._fields):
        shares = [cell for cell in cells if isinstance(cell, int | float) and 0 <= cell <= 1]
        if shares == cells:
            return PrecisionRecallF1(*map(float, shares))
    raise ValueError("give precision, recall and F1, each from 0 to 1")


_Row = Annotated[PrecisionRecallF1, PlainValidator(_figures)]
_Folds = Annotated[StrictInt, Field(ge=2)]
_Names = Annotated[tuple[Annotated[str, BeforeValidator(str)], ...], Field(min_length=1)]


@dataclass(frozen=True)
class _Zones(KnownKeys):
    configurations: Annotated[_Names, one_of(CONFIGURATIONS)] = required()
    folds: _Folds = 5


@dataclass(frozen=True)
class _Answers(KnownKeys):
    feature_sets: Annotated[_Names, one_of(FEATURE_SETS)] = required()
    folds: _Folds = 10


@dataclass(frozen=True)
class _Both(KnownKeys):
    zones: Annotated[Text, one_of(CONFIGURATIONS)] = required()
    features: Annotated[Text, one_of(FEATURE_SETS)] = required()


@dataclass(frozen=True)
class _Published(KnownKeys):
    source: Text = required()
    zones: dict[str, dict[str, _Row]] = Field(default_factory=dict)
    answers: dict[str, _Row] = Field(default_factory=dict)
    both: dict[str, _Row] = Field(default_factory=dict)


@dataclass(frozen=True)
class AnswerExperiment(KnownKeys):
    """What an experiment measures, and the published figures.

    Attributes:
        zones: the zone configurations, each with a table.
        answers: the feature sets of detectors.
        both: the zone configuration and the feature set of the evaluation of both steps together.
        published: where the figures were published; those of zones by configuration and zone, of
            answers by feature set, and of both steps by class.
    """

    name: Name = required()
    description: Text = ""
    zones: _Zones = required()
    answers: _Answers = required()
    both: _Both = required()
    published: _Published = required()

    @model_validator(mode="after")
    def _rows_are_of_what_is_measured(self) -> "AnswerExperiment":
        check_keys(self.published.zones, self.zones.configurations, "published: zones")
        for name, rows in self.published.zones.items():
            check_keys(rows, _ZONE_ROWS, f"published: zones: {name}")
        check_keys(self.published.answers, self.answers.feature_sets, "published: answers")
        check_keys(self.published.both, CLASSES, "published: both")
        return self


def read_shipped_experiment() -> AnswerExperiment:
    """Read `experiments/bionlp2015.yml`, which has the figures of paper B."""
    with as_file(files("citespan.experiments") / "bionlp2015.yml") as path:
        return read_answer_experiment(path)


def read_answer_experiment(path: Path) -> AnswerExperiment:
    """Read the experiment in a YAML file.

    Raises:
        InputError: if a key is missing, unknown, of the wrong type or out of range; it names file,
            key and remedy.
    """
    return validate(AnswerExperiment, read_yaml(path), str(path))
