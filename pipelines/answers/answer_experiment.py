"""An experiment on abstracts as its YAML file states it; `experiments/bionlp2015.yml` is one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from citespan.pipelines.answers.feature_sets import FEATURE_SETS
from citespan.pipelines.answers.zone_configuration import CONFIGURATIONS
from citespan.pipelines.corpus.section_categories import ZONES
from citespan.pipelines.evaluation.yaml_keys import Keys

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
    """What is measured, and the published figures of the same.

    Attributes:
        zones: zone configurations, each a table.
        both_zones, both_features: the zone configuration and the feature set of both steps
            together.
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


def read_answer_experiment(path: Path) -> AnswerExperiment:
    """The experiment in a YAML file.

    Raises:
        InputError: naming the file, the key and the remedy, if anything is missing, unknown,
            of the wrong kind or out of range.
    """
    top = Keys.of_file(path)
    top.only("name", "description", "zones", "answers", "both", "published")
    zones = top.below("zones", "configurations", "folds")
    answers = top.below("answers", "feature_sets", "folds")
    both = top.below("both", "zones", "features")
    published = top.below("published", "source", "zones", "answers", "both")
    chosen = _known(zones, "configurations", CONFIGURATIONS)
    sets = _known(answers, "feature_sets", FEATURE_SETS)
    of_zones = published.below("zones", *chosen)
    return AnswerExperiment(
        name=top.name("name"),
        description=top.text("description", ""),
        zones=chosen,
        zone_folds=zones.number("folds", 5, least=2),
        feature_sets=sets,
        answer_folds=answers.number("folds", 10, least=2),
        both_zones=both.choice("zones", *CONFIGURATIONS),
        both_features=both.choice("features", *FEATURE_SETS),
        source=published.text("source"),
        published_zones={
            name: _figures(of_zones.below(name, *_ZONE_ROWS)) for name in of_zones.names()
        },
        published_features=_figures(published.below("answers", *sets)),
        published_both=_figures(published.below("both", *CLASSES)),
    )


def _known(keys: Keys, key: str, known: Mapping[str, object]) -> tuple[str, ...]:
    names = tuple(str(name) for name in keys.list(key))
    for name in names:
        if name not in known:
            raise keys.error(key, f"unknown '{name}'; choose from: {', '.join(known)}")
    return names


def _figures(keys: Keys) -> dict[str, Figures]:
    return {name: _three(keys, name, keys.list(name)) for name in keys.names()}


def _three(keys: Keys, name: str, cells: Sequence[object]) -> Figures:
    shares = [cell for cell in cells if isinstance(cell, int | float) and 0 <= cell <= 1]
    if len(shares) != len(cells) or len(cells) != len(Figures._fields):
        raise keys.error(name, "give precision, recall and F1, each from 0 to 1")
    return Figures(*map(float, shares))
