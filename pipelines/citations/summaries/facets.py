"""The discourse facet of a sentence that is cited: aim, hypothesis, implication, method or results.

Multinomial logistic regression over the words and pairs of words of the sentence, the kind of its
section, and the fifth of the article that it is in. A model is a folder with `facets.json` and its
card.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from citespan.pipelines.model_folder import ModelKind
from citespan.pipelines.ranking.analysed_article import Floats
from citespan.pipelines.ranking.section_kinds import find_places, remove_headings
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.text.words import words

_PARTS = 5  # of an article


@dataclass(frozen=True)
class FacetModel:
    """A model of F facets.

    Attributes:
        facets: their names.
        intercepts: (F,).
        weights: (F,) of each feature; features that it does not have count nothing.
    """

    facets: tuple[str, ...]
    intercepts: tuple[float, ...]
    weights: Mapping[str, tuple[float, ...]]

    def predict(self, features: Sequence[Iterable[str]]) -> Floats:
        """Return the (rows, F) probabilities of rows of features, each counted once."""
        odds = np.tile(np.array(self.intercepts), (len(features), 1))
        for row, own in zip(odds, features, strict=True):
            for feature in sorted(set(own)):
                if feature in self.weights:
                    row += self.weights[feature]
        chances: Floats = np.exp(odds - odds.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        return chances


def describe_sentences(article: ArticleSentences) -> list[frozenset[str]]:
    """Return the features of each sentence of an article."""
    found = []
    places = find_places(article)
    for number, (text, place) in enumerate(zip(article.texts, places, strict=True)):
        own = words(remove_headings(text).lower())
        pairs = (" ".join(pair) for pair in pairwise(own))
        where = f"part {number * _PARTS // len(article) + 1} of {_PARTS}"
        found.append(frozenset((*own, *pairs, f"in: {place.kind}", f"at: {where}")))
    return found


def _parse(_folder: Path, head: dict[str, Any]) -> FacetModel:
    facets = tuple(map(str, head["facets"]))
    intercepts = tuple(map(float, head["intercepts"]))
    weights = {one: tuple(map(float, own.split())) for one, own in head["weights"].items()}
    sizes = {len(facets), len(intercepts), *map(len, weights.values())}
    if sizes != {len(facets)} or not np.isfinite([*intercepts, *sum(weights.values(), ())]).all():
        raise ValueError("weights of other facets, or not finite")
    return FacetModel(facets, intercepts, weights)


KIND: Final = ModelKind(
    "facet model",
    "citespan facets train",
    1,
    "facets.json",
    Path(__file__).parent / "models" / "facets",
    _parse,
)
load_model: Final = KIND.load
