"""What is the same for all sentences: the query, and how much of it the article has."""

import re
from functools import lru_cache
from typing import Any

import numpy as np

from citespan.pipelines.ranking.analysed_article import K1, AnalysedArticle, B, Floats
from citespan.pipelines.ranking.features.family import Columns, Family
from citespan.pipelines.ranking.features.wording import find_wording
from citespan.pipelines.ranking.pair import Pair
from citespan.pipelines.ranking.section_kinds import SectionKind

_USUAL_LENGTH = 3000.0  # terms of an article
_HEAD = 10  # sentences that stand for an abstract where none is marked


_ASKS = re.compile(
    r"(?:what|which|how|why|when|where|who|whose|is|are|was|were|do|does|did|can|could|has|have"
    r"|in what|in which|by how|at what|for what|for how|to what)\b"
)
_ASKS_NUMBER = re.compile(
    r"\b(?:how (?:many|much|long|often|large|far)|what (?:percent|percentage|proportion|number"
    r"|fraction|rate|year|date)|when)\b"
)
_STATES = (
    *("numbers", "percent", "direction", "comparison", "no_difference", "significant", "finding"),
    *("own_work", "proposes", "known", "modal"),
)


def _compute(pair: Pair) -> Columns:
    known = pair.terms >= 0
    idf, other_idf = pair.background_idf, pair.idf_in_others
    times = np.append(pair.article.total_frequencies, 0.0)[pair.terms]
    norm = K1 * (1 - B + B * len(pair.article.tokens) / _USUAL_LENGTH)
    of_article = np.log1p(pair.article.total_frequencies) * other_idf
    weights = np.log1p(pair.times) * idf
    of_query = pair.weigh(weights)
    lengths = np.sqrt(of_article @ of_article) * np.sqrt(weights @ weights)
    title = _has_terms(pair.article, ("title",), 1)
    head = _has_terms(pair.article, ("title", "abstract"), _HEAD)
    asked = pair.weigh(np.ones(len(idf)))
    return [
        float(len(pair.terms)),
        float(len(pair.query.parts)),
        _share(idf[known].sum(), idf.sum()),
        float(pair.bm25_in_others.max(initial=0.0)),
        float(pair.coverage.max(initial=0.0)),
        _share((idf * times * (K1 + 1) / (times + norm)).sum(), idf.sum()),
        _share(of_article @ of_query, lengths),
        _share(pair.weigh(idf) @ title, idf.sum()),
        _share(pair.weigh(idf) @ head, idf.sum()),
        _share((asked * title) @ other_idf, title @ other_idf),
        _share((asked * head) @ other_idf, head @ other_idf),
        float((idf * ~known).max(initial=0.0)),
        *_describe(pair.query.text),
        float(pair.query.cites),
    ]


@lru_cache(maxsize=8)
def _describe(query: str) -> tuple[float, ...]:
    """Return how a query is worded: whether it asks, for what, and what it states."""
    text = query.lower().strip()
    asks = text.endswith("?") or _ASKS.match(text) is not None
    found = find_wording(text)
    return (
        float(asks),
        float(asks and _ASKS_NUMBER.search(text) is not None),
        float(": " in text and "compared with" in text),
        *(float(len(found[name])) for name in _STATES),
    )


def _share(part: Any, whole: Any) -> float:
    return float(part / whole) if whole > 0 else 0.0


@lru_cache(maxsize=32)
def _has_terms(article: AnalysedArticle, kinds: tuple[SectionKind, ...], first: int) -> Floats:
    """Return (V,) 1 for the terms of sentences of some kinds, or, if there is none, of the first
    sentences."""
    inside = np.array([place.kind in kinds for place in article.places])
    if not inside.any():
        inside = np.arange(len(article)) < first
    has = np.zeros(len(article.vocabulary))
    has[article.tokens[inside[article.rows]]] = 1.0
    return has


FAMILY = Family(
    "query",
    "length and parts of the query, whether it asks or states and what, "
    "how much of it the article, its title and abstract have",
    (
        *("query_terms", "query_parts", "article_coverage", "best_bm25", "best_coverage"),
        *("article_bm25", "article_cosine", "in_title", "in_abstract", "title_in_query"),
        *("abstract_in_query", "rarest_missing", "asks", "asks_number", "of_trial"),
        *(f"query_{name}" for name in _STATES),
        "cites",
    ),
    _compute,
)
