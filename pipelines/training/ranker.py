"""The family of rankers: trees over the features of sentences, with calibrated probabilities."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import orjson

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.ranking.features.families import FAMILIES
from citespan.pipelines.ranking.model import KIND, TERMS, Calibration
from citespan.pipelines.training.family import FOLDS, Advance, Files, ignore
from citespan.pipelines.training.ranker_examples import TrainingSet, make_examples
from citespan.pipelines.training.ranker_figures import (
    RANKED,
    SELECTED,
    Figures,
    measure_out_of_fold,
)
from citespan.pipelines.training.ranker_fitting import (
    OBJECTIVES,
    Scored,
    TrainedTrees,
    calibrate,
    score_out_of_fold,
    train_trees,
)

TRAININGS: Final = (FOLDS + 1) * len(OBJECTIVES)


@dataclass(frozen=True, eq=False)
class RankerFamily:
    """A `Family`: rankers trained on citances with marked sentences.

    Attributes:
        name: of the ranker.
        articles: by id, split into sentences.
        advance: called with 1 after each of `TRAININGS` trainings.
    """

    name: str
    articles: Mapping[str, Article]
    citances: Sequence[Citance]
    advance: Advance = ignore
    kind = KIND
    card = "ranker.md"

    @cached_property
    def data(self) -> TrainingSet:
        """An example of each citance."""
        return make_examples(self.articles, self.citances)

    @cached_property
    def scored(self) -> list[Scored]:
        """The examples as trees of the other folds score them."""
        return score_out_of_fold(self.data, advance=self.advance)

    def measure(self) -> Figures:
        """See `Family`."""
        return measure_out_of_fold(self.articles, self.citances, self.data, self.scored)

    def fit(self) -> tuple[TrainedTrees, Calibration]:
        """See `Family`; probabilities are fitted to the scores out of fold."""
        trees = train_trees(self.data, range(len(self.data.examples)), advance=self.advance)
        return trees, calibrate(self.scored)

    def dump(self, model: tuple[TrainedTrees, Calibration]) -> Files:
        """See `Family`."""
        trees, calibration = model
        files = {f"{objective}.txt": text.encode() for objective, text in trees.texts.items()}
        files[TERMS] = gzip.compress(orjson.dumps(self.data.counts.to_json()), mtime=0)
        head = {
            "name": self.name,
            "scales": dict(trees.ensemble.scales),
            "threshold": calibration.threshold,
            "sentence": calibration.sentence.to_json(),
            "article": calibration.article.to_json(),
            "sha256": {file: hashlib.sha256(data).hexdigest() for file, data in files.items()},
        }
        return head, files

    def describe(self, model: tuple[TrainedTrees, Calibration], figures: Figures) -> dict[str, Any]:
        """See `Family`."""
        return {
            "name": self.name,
            "articles": len(self.articles),
            "families": list(FAMILIES.values()),
            "threshold": model[1].threshold,
            "folds": FOLDS,
            "figures": figures,
            "measures": (*SELECTED, *RANKED),
            "with_intervals": (SELECTED[0], RANKED[0]),
        }
