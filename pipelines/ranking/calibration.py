"""From the scores of a ranker to probabilities: what these are computed from, and how."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from citespan.pipelines.ranking.analysed_article import Floats
from citespan.pipelines.ranking.features.families import FAMILIES, feature_names

SENTENCE_INPUTS: Final = (
    *("score", "below_best", "log_share", "log_sentences", "log_rank", "lead_of_first"),
    *("first", "second", "third"),
)
_BEST_OF: Final = (
    *("coverage_others", "coverage_article", "coverage_stems", "rarest", "idf_matched"),
    *("coverage_3", "coverage_5", "first_part", "first_part_around", "worst_part_around"),
    *("mean_other_around", "bm25_others", "cosine", "heaviest_run", "pairs", "longest_run"),
)
_OF_ALL: Final = (
    *("query_terms", "article_coverage", "first_part_in_article", "article_bm25"),
    *("article_cosine", "in_title", "in_abstract", "title_in_query", "abstract_in_query"),
    "rarest_missing",
)
ARTICLE_INPUTS: Final = (
    *("best_score", "third_score"),
    *(f"best_{name}" for name in _BEST_OF),
    *_OF_ALL,
)
_PLACES = {name: place for place, name in enumerate(feature_names(FAMILIES))}


def describe_sentences(scores: Floats) -> Floats:
    """Return the inputs from which a sentence's probability is computed, of shape (N, inputs).

    Args:
        scores: (N,), of all sentences of one article.
    """
    ordered = np.sort(scores)
    best, next_best = ordered[-1], ordered[-2:][0]
    log_total = best + np.log(np.exp(scores - best).sum())
    ranks = len(scores) - np.searchsorted(ordered, scores, side="right")
    return np.column_stack(
        [
            *(scores, scores - best, scores - log_total, np.full(len(scores), np.log(len(scores)))),
            *(np.log1p(ranks), np.where(ranks == 0, best - next_best, 0.0)),
            *(ranks == rank for rank in range(3)),
        ]
    ).astype(np.float64)


def describe_article(scores: Floats, features: Floats) -> Floats:
    """Return the inputs from which an article's support is computed, of shape (1, inputs).

    Args:
        scores: (N,), of all sentences.
        features: (N, features), those of all families.
    """
    best = scores.max()
    third = np.sort(scores)[-3:][0]
    inputs = [
        *(best, third),
        *(features[:, _PLACES[name]].max() for name in _BEST_OF),
        *(features[0, _PLACES[name]] for name in _OF_ALL),
    ]
    return np.array([inputs], dtype=np.float64)


@dataclass(frozen=True)
class Logistic:
    """Probabilities from standardised inputs.

    Attributes:
        names: of its I inputs.
        means, scales, weights: (I,).
        intercept: the log odds where all inputs have their means.
    """

    names: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float

    def predict(self, inputs: Floats) -> Floats:
        """Return the (rows,) probabilities of (rows, I) inputs."""
        standard = (inputs - np.array(self.means)) / np.array(self.scales)
        # Sums in a fixed order: the same row has the same probability in any matrix.
        odds = np.full(len(inputs), self.intercept)
        for column, weight in enumerate(self.weights):
            odds += standard[:, column] * weight
        chances: Floats = 1.0 / (1.0 + np.exp(-np.clip(odds, -30.0, 30.0)))
        return chances

    def to_json(self) -> dict[str, Any]:
        """Return the inputs by name, each with its mean, scale and weight."""
        return {
            "intercept": self.intercept,
            "inputs": [
                {"name": name, "mean": mean, "scale": scale, "weight": weight}
                for name, mean, scale, weight in zip(
                    self.names, self.means, self.scales, self.weights, strict=True
                )
            ],
        }


def read_logistic(written: Any, names: Sequence[str]) -> Logistic:
    """Read what `to_json` wrote.

    Raises:
        ValueError, KeyError, TypeError: if it is something else, or has other inputs.
    """
    inputs = written["inputs"]
    if [member["name"] for member in inputs] != list(names):
        raise ValueError("other inputs")
    mean, scale, weight = (
        tuple(float(member[key]) for member in inputs) for key in ("mean", "scale", "weight")
    )
    found = Logistic(tuple(names), mean, scale, weight, float(written["intercept"]))
    if not np.isfinite([*mean, *scale, *weight, found.intercept]).all() or min(scale) <= 0:
        raise ValueError("a value that is not finite")
    return found
