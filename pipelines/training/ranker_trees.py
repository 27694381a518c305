"""Train a ranker on queries whose evidence is known.

Two listwise objectives, LambdaMART (Burges 2010) and cross-entropy of a softmax (Bruch 2021),
each by LightGBM, their scores averaged. Probabilities are fitted to scores out of fold: of queries
whose articles were not among those that the trees were trained on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.analysed_article import AnalysedArticle, Floats
from citespan.pipelines.ranking.features.families import (
    FAMILIES,
    compute_features,
    feature_names,
)
from citespan.pipelines.ranking.model import Ensemble
from citespan.pipelines.ranking.pair import Pair, TermCounts, analyse_query, count_terms
from citespan.pipelines.ranking.trees import read_trees

OBJECTIVES: Final = ("lambdarank", "rank_xendcg")
_SETTINGS: Final[Mapping[str, Any]] = {
    "num_iterations": 120,
    "learning_rate": 0.07,
    "lambdarank_truncation_level": 10,
    "num_leaves": 15,
    "max_bin": 63,
    "min_data_in_leaf": 50,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "use_missing": False,
    "deterministic": True,
    "force_col_wise": True,
    "num_threads": 1,
    "seed": 1,
    "verbosity": -1,
}


@dataclass(frozen=True, eq=False)
class Example:
    """A query with the sentences that are its evidence.

    Attributes:
        group: what folds keep together: the article that it is about.
        article: the number of its article among those of the collection.
        evidence: the numbers of the sentences.
    """

    query: str
    group: str
    article: int
    evidence: frozenset[int]


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Examples with the articles that they are about.

    Terms are counted in all articles. Features of a query and an article leave that article out
    of the counts, so that they are as if it had never been seen.
    """

    articles: Sequence[AnalysedArticle]
    examples: Sequence[Example]

    @cached_property
    def counts(self) -> TermCounts:
        """In how many of the articles each term is."""
        return count_terms(self.articles)

    @cached_property
    def features(self) -> list[Floats]:
        """The features of each example and its article."""
        return [self.compute_features(one.query, one.article) for one in self.examples]

    def compute_features(self, query: str, article: int) -> Floats:
        """Return the (N, features) features of a query and an article."""
        pair = Pair(analyse_query(query), self.articles[article], self.counts, counted=True)
        return compute_features(pair, FAMILIES)

    def mark_evidence(self, example: Example) -> Floats:
        """Return (N,) labels of the sentences of an example's article: 1 for evidence."""
        labels = np.zeros(len(self.articles[example.article]))
        labels[sorted(example.evidence)] = 1.0
        return labels


@dataclass(frozen=True, eq=False)
class TrainedTrees:
    """Trees in LightGBM's format by objective, and ready to use."""

    texts: Mapping[str, str]
    ensemble: Ensemble


def train_trees(
    data: TrainingSet,
    places: Iterable[int],
    without: Sequence[str] = (),
    advance: Callable[[int], None] = lambda _: None,
) -> TrainedTrees:
    """Train both objectives; the same data give the same bytes.

    Args:
        places: of the examples to train on; those without evidence are left out.
        without: families of features that are left out.
        advance: called with 1 after each objective.

    Raises:
        InputError: if no example has evidence.
    """
    import lightgbm

    used = [place for place in places if data.examples[place].evidence]
    if not used:
        raise InputError("no query with evidence to train on")
    names = feature_names(family for family in FAMILIES if family not in without)
    every = feature_names(FAMILIES)
    columns = [every.index(name) for name in names]
    matrix = np.concatenate([data.features[place][:, columns] for place in used])
    labels = [data.mark_evidence(data.examples[place]) for place in used]
    bins = lightgbm.Dataset(
        matrix,
        np.concatenate(labels),
        group=[len(own) for own in labels],
        feature_name=list(names),
        params=dict(_SETTINGS),
        free_raw_data=False,
    )
    texts: dict[str, str] = {}
    members, scales = {}, {}
    for objective in OBJECTIVES:
        booster = lightgbm.train({**_SETTINGS, "objective": objective}, bins)
        texts[objective] = _strip(booster.model_to_string())
        members[objective] = read_trees(texts[objective], objective)
        spread = members[objective].predict(matrix).std()
        scales[objective] = float(f"{spread:.6g}") or 1.0
        advance(1)
    return TrainedTrees(texts, Ensemble(members, scales))


def _strip(text: str) -> str:
    """Return the trees without what LightGBM adds for people."""
    return text.partition("end of trees")[0] + "end of trees\n"
