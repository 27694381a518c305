"""The discourse facet of a sentence that is cited: aim, hypothesis, implication, method or results.

Multinomial logistic regression over the words and pairs of words of the sentence, the kind of its
section, and the fifth of the article that it is in. A model is a folder with `facets.json` and its
card.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from citespan.pipelines.errors import InputError
from citespan.pipelines.model_folder import ModelKind
from citespan.pipelines.ranking.analysed_article import Floats
from citespan.pipelines.ranking.section_kinds import find_places, remove_headings
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.text.words import words

KIND: Final = ModelKind("facet model", "citespan facets train", version=1)
FILE: Final = "facets.json"
SHIPPED: Final = Path(__file__).parent / "models" / "facets"
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


def write_model(folder: Path, model: FacetModel, card: str) -> None:
    """Write a model's folder.

    Raises:
        InputError: if it can't be written.
    """
    head = {
        "facets": model.facets,
        "intercepts": model.intercepts,
        "weights": {one: " ".join(map(str, own)) for one, own in sorted(model.weights.items())},
    }
    KIND.write(folder, FILE, head, card)


@lru_cache(maxsize=8)
def load_model(folder: Path = SHIPPED) -> FacetModel:
    """Load the model in a folder; by default the one that comes with citespan.

    Raises:
        InputError: if it can't be read, was written by another version, or is damaged.
    """
    head = KIND.read_head(folder, FILE)
    try:
        facets = tuple(map(str, head["facets"]))
        intercepts = tuple(map(float, head["intercepts"]))
        weights = {one: tuple(map(float, own.split())) for one, own in head["weights"].items()}
        sizes = {len(facets), len(intercepts), *map(len, weights.values())}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(_damaged(folder)) from error
    if sizes != {len(facets)} or not np.isfinite([*intercepts, *sum(weights.values(), ())]).all():
        raise InputError(_damaged(folder))
    return FacetModel(facets, intercepts, weights)


def _damaged(folder: Path) -> str:
    return f"{folder}: a damaged {KIND.name}; train it again with `{KIND.command}`"
