"""Read the YAML file of an experiment on abstracts, such as `experiments/bionlp2015.yml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BeforeValidator, Field, PlainValidator, StrictInt, model_validator
from pydantic.dataclasses import dataclass as pydantic_dataclass

from citespan.pipelines.answers.detection.features import FEATURE_SETS
from citespan.pipelines.answers.zones.configuration import CONFIGURATIONS
from citespan.pipelines.corpus.section_categories import ZONES
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


class Figures(NamedTuple):
    """Precision, recall and F1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class AnswerExperiment:
    """What an experiment measures, and the published figures.

    Attributes:
        zones: the zone configurations, each with a table.
        both_zones, both_features: the zone configuration and the feature set of the evaluation
            of both steps together.
        source: where the figures were published.
        published_zones: by configuration and zone.
        published_features: by feature set, of the answers.
        published_both: by class.
    """

    name: str
    description: str
    zones: tuple[str, ...]
    zone_folds: int
    feature_sets: tuple[str, ...]
    answer_folds: int
    both_zones: str
    both_features: str
    source: str
    published_zones: Mapping[str, Mapping[str, Figures]]
    published_features: Mapping[str, Figures]
    published_both: Mapping[str, Figures]


def _figures(cells: object) -> Figures:
    if isinstance(cells, list) and len(cells) == len(Figures._fields):
        shares = [cell for cell in cells if isinstance(cell, int | float) and 0 <= cell <= 1]
        if shares == cells:
            return Figures(*map(float, shares))
    raise ValueError("give precision, recall and F1, each from 0 to 1")


_Row = Annotated[Figures, PlainValidator(_figures)]
_Folds = Annotated[StrictInt, Field(ge=2)]
_Names = Annotated[tuple[Annotated[str, BeforeValidator(str)], ...], Field(min_length=1)]


@pydantic_dataclass(frozen=True)
class _Zones(KnownKeys):
    configurations: Annotated[_Names, one_of(CONFIGURATIONS)] = required()
    folds: _Folds = 5


@pydantic_dataclass(frozen=True)
class _Answers(KnownKeys):
    feature_sets: Annotated[_Names, one_of(FEATURE_SETS)] = required()
    folds: _Folds = 10


@pydantic_dataclass(frozen=True)
class _Both(KnownKeys):
    zones: Annotated[Text, one_of(CONFIGURATIONS)] = required()
    features: Annotated[Text, one_of(FEATURE_SETS)] = required()


@pydantic_dataclass(frozen=True)
class _Published(KnownKeys):
    source: Text = required()
    zones: dict[str, dict[str, _Row]] = Field(default_factory=dict)
    answers: dict[str, _Row] = Field(default_factory=dict)
    both: dict[str, _Row] = Field(default_factory=dict)


@pydantic_dataclass(frozen=True)
class _File(KnownKeys):
    name: Name = required()
    description: Text = ""
    zones: _Zones = required()
    answers: _Answers = required()
    both: _Both = required()
    published: _Published = required()

    @model_validator(mode="after")
    def _rows_are_of_what_is_measured(self) -> "_File":
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
    stated = validate(_File, read_yaml(path), str(path))
    return AnswerExperiment(
        name=stated.name,
        description=stated.description,
        zones=stated.zones.configurations,
        zone_folds=stated.zones.folds,
        feature_sets=stated.answers.feature_sets,
        answer_folds=stated.answers.folds,
        both_zones=stated.both.zones,
        both_features=stated.both.features,
        source=stated.published.source,
        published_zones=stated.published.zones,
        published_features=stated.published.answers,
        published_both=stated.published.both,
    )
