"""How much of the query a sentence has."""

import numpy as np

from citespan.pipelines.ranking.analysed_article import STEM_LENGTH, Floats
from citespan.pipelines.ranking.features.family import Columns, Family
from citespan.pipelines.ranking.pair import Pair, divide_by_maximum


def _compute(pair: Pair) -> Columns:
    background, article = pair.background_idf, pair.article_idf
    present = pair.present
    matched = present @ np.ones(len(background))
    by_background = present @ background
    rarest = (present * background).max(axis=1, initial=0.0)
    lengths = np.maximum(pair.article.lengths, 1)
    stems = _cover_stems(pair)
    return [
        matched,
        matched / max(len(background), 1),
        by_background / max(background.sum(), 1e-9),
        present @ article / max(article.sum(), 1e-9),
        divide_by_maximum(pair.coverage),
        rarest,
        matched / lengths,
        by_background,
        stems,
        divide_by_maximum(stems),
        *_cover_unified(pair),
    ]


def _cover_unified(pair: Pair) -> tuple[Floats, Floats]:
    """Return the share of the query's terms, weighted by both idfs, that a sentence has if short
    forms stand for their long forms and the other way round; and that as a share of the best."""
    article = pair.article
    asked = {term: at for at, (term, _) in enumerate(pair.query.terms)}
    present = pair.present
    for short, long in article.short_forms:
        of_long = [asked[term] for term in long if term in asked]
        if of_long and (number := article.vocabulary.get(short)) is not None:
            if present is pair.present:
                present = present.copy()
            rows = article.rows[article.tokens == number]
            present[np.ix_(rows, of_long)] = 1.0
        elif short in asked:
            numbers = [article.vocabulary.get(term, -1) for term in long]
            has = np.ones(len(article), dtype=bool)
            for token in numbers:
                has &= np.bincount(article.rows[article.tokens == token], minlength=len(has)) > 0
            if has.any():
                if present is pair.present:
                    present = present.copy()
                present[has, asked[short]] = 1.0
    if present is pair.present:
        covered = pair.coverage
    else:
        weights = pair.background_idf * pair.article_idf
        covered = present @ weights / max(weights.sum(), 1e-9)
    return covered, divide_by_maximum(covered)


def _cover_stems(pair: Pair) -> Floats:
    """Return the share of the query's terms of which a sentence has one with the same beginning,
    weighted by idf: "improvement" counts for "improved"."""
    known, of_terms = pair.article.stems
    weights: dict[int, float] = {}
    for (term, _), idf in zip(pair.query.terms, pair.background_idf, strict=True):
        number = known.get(term[:STEM_LENGTH], -1)
        weights[number] = weights.get(number, 0.0) + float(idf)
    total = sum(weights.values())
    weights.pop(-1, None)
    if not weights:
        return np.zeros(len(pair.article))
    columns = np.full(len(known), -1)
    columns[list(weights)] = np.arange(len(weights))
    found = columns[of_terms[pair.article.tokens]]
    inside = found >= 0
    cells = pair.article.rows[inside] * len(weights) + found[inside]
    present = np.bincount(cells, minlength=len(pair.article) * len(weights)) > 0
    covered: Floats = present.reshape(len(pair.article), -1) @ np.array(list(weights.values()))
    return covered / total


FAMILY = Family(
    "coverage",
    "terms of the query that a sentence has, weighted by idf; the same of beginnings of terms, "
    "and with short forms for their long forms",
    (
        *("matched", "matched_share", "coverage_others", "coverage_article", "coverage_share"),
        *("rarest", "density", "idf_matched", "coverage_stems", "coverage_stems_share"),
        *("coverage_unified", "coverage_unified_share"),
    ),
    _compute,
)
