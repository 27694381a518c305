"""The discourse facet of a sentence that is cited: aim, hypothesis, implication, method or results.

Multinomial logistic regression over the words and pairs of words of the sentence, the kind of its
section, and the fifth of the article that it is in. A model is a folder with `facets.json` and its
card.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Final

from citespan.pipelines.logistic_model import LogisticModel
from citespan.pipelines.model_folder import ModelKind
from citespan.pipelines.ranking.section_kinds import find_places, remove_headings
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.text.words import words

_PARTS = 5  # of an article


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


KIND: Final = ModelKind(
    "facet model",
    "citespan facets train",
    2,
    "facets.json",
    Path(__file__).parent / "models" / "facets",
    LogisticModel.parse,
)
load_model: Final = KIND.load
