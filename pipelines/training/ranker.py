"""The family of rankers: trees over the features of sentences, with calibrated probabilities."""

import gzip
import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from citespan.pipelines.ranking.features.families import FAMILIES
from citespan.pipelines.ranking.model import KIND, TERMS, TREES, Calibration
from citespan.pipelines.training.family import Advance, Files, ignore
from citespan.pipelines.training.ranker_examples import TrainingData, TrainingSet
from citespan.pipelines.training.ranker_figures import (
    RANKED,
    SELECTED,
    TABLE,
    Figures,
    make_table,
    measure_out_of_fold,
)
from citespan.pipelines.training.ranker_fitting import (
    SEEDS,
    Scored,
    TrainedTrees,
    calibrate,
    score_out_of_fold,
    train_trees,
)


@dataclass(frozen=True, eq=False)
class RankerFamily:
    """A `Family`: rankers trained on citances with marked sentences.

    Attributes:
        name: of the ranker.
        advance: called with 1 after each of `count_trainings` and one more.
    """

    name: str
    read: TrainingData
    advance: Advance = ignore
    kind = KIND

    @cached_property
    def data(self) -> TrainingSet:
        """The examples of all collections."""
        return self.read.make_examples()

    @cached_property
    def scored(self) -> list[Scored]:
        """The examples as trees of the other folds score them."""
        return score_out_of_fold(self.data, advance=self.advance)

    @cached_property
    def figures(self) -> dict[str, Figures]:
        """See `Family`; the figures of each collection."""
        return measure_out_of_fold(self.read, self.data, self.scored, advance=self.advance)

    def fit(self) -> tuple[TrainedTrees, Calibration]:
        """See `Family`; probabilities are fitted to the scores out of fold."""
        trees = train_trees(self.data, range(len(self.data.examples)), advance=self.advance)
        return trees, calibrate(self.scored)

    def dump(self, model: tuple[TrainedTrees, Calibration]) -> Files:
        trees, calibration = model
        terms = gzip.compress(orjson.dumps(self.data.counts.to_json()), mtime=0)
        files = {TREES: trees.text.encode(), TERMS: terms}
        head = {
            "name": self.name,
            "scale": trees.ensemble.scale,
            "threshold": calibration.threshold,
            "sentence": calibration.sentence.to_json(),
            "article": calibration.article.to_json(),
            "sha256": {file: hashlib.sha256(data).hexdigest() for file, data in files.items()},
        }
        return head, files

    def describe(self, model: tuple[TrainedTrees, Calibration]) -> dict[str, Any]:
        return {
            "name": self.name,
            "articles": len(self.read.articles),
            "families": list(FAMILIES.values()),
            "threshold": model[1].threshold,
            "citances": len(self.read.citances),
            "topics": len({citance.topic for citance in self.read.citances}),
            "unanswered": len(self.read.unanswered),
            "seeds": SEEDS,
            "headings": TABLE,
            "table": make_table(self.figures),
            "measures": (*SELECTED, *RANKED),
            "with_intervals": (SELECTED[0], RANKED[0]),
        }
