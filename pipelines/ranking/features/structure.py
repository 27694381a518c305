"""Where a sentence stands: kind of section, place in it and in the article, heading."""

from functools import lru_cache

import numpy as np

from citespan.pipelines.ranking.analysed_article import AnalysedArticle, Floats, Numbers
from citespan.pipelines.ranking.features.family import Columns, Family
from citespan.pipelines.ranking.features.wording import have, number_characters
from citespan.pipelines.ranking.pair import Pair
from citespan.pipelines.ranking.section_kinds import KINDS
from citespan.pipelines.text.lucene import find_terms

_ENDS = tuple(".?!;,\"'”’)]")
_NUMBERS = {kind: float(number) for number, kind in enumerate(KINDS)}


def _compute(pair: Pair) -> Columns:
    return [*_describe(pair.article), _cover_headings(pair)]


@lru_cache(maxsize=16)
def _describe(article: AnalysedArticle) -> tuple[Floats | float, ...]:
    """Return what does not depend on the query."""
    size = len(article)
    places = np.arange(size)
    kinds = np.array([_NUMBERS[place.kind] for place in article.places])
    parts = np.array([_NUMBERS[place.part] for place in article.places])
    numbers = article.section_numbers
    lengths = np.bincount(numbers)
    first = np.flatnonzero(np.diff(numbers, prepend=-1))
    inside = places - first[numbers]
    return (
        kinds, parts, places / max(size - 1, 1), places.astype(np.float64),
        inside.astype(np.float64), inside / lengths[numbers], lengths[numbers].astype(np.float64),
        float(size), _shares_behind(kinds), *_describe_lines(article),
    )  # fmt: skip


def _describe_lines(article: AnalysedArticle) -> tuple[Floats, ...]:
    """Return whether each sentence begins a line and is all of it, whether it has an end, and the
    shares of digits and capitals among its characters, which tables and lists of names have."""
    size = len(article)
    ends_line = np.array([text.endswith("\n") for text in article.texts], dtype=np.float64)
    begins_line = np.ones(size)
    begins_line[1:] = ends_line[:-1]
    written = [text.strip() for text in article.texts]
    ended = np.array([text.endswith(_ENDS) for text in written], dtype=np.float64)
    lengths = np.array([len(text) for text in written])
    rows = np.repeat(np.arange(size), lengths)
    characters = number_characters("".join(written))
    digits, capitals = (
        np.bincount(rows[have(characters, kind)], minlength=size) / np.maximum(lengths, 1)
        for kind in (str.isdecimal, str.isupper)
    )
    return begins_line, begins_line * ends_line, ended, digits, capitals


def _shares_behind(kinds: Floats) -> Floats:
    """Return how far each sentence is through all those of its kind."""
    shares = np.zeros(len(kinds))
    for kind in np.unique(kinds):
        same = np.flatnonzero(kinds == kind)
        shares[same] = np.arange(len(same)) / len(same)
    return shares


def _cover_headings(pair: Pair) -> Floats:
    terms = [term for term, _ in pair.query.terms]
    idf = dict(zip(terms, pair.background_idf, strict=True))
    total = max(pair.background_idf.sum(), 1e-9)
    headings, numbers = _analyse_headings(pair.article)
    covered = np.array(
        [sum(idf.get(term, 0.0) for term in heading) / total for heading in headings]
    )
    return covered[numbers]


@lru_cache(maxsize=16)
def _analyse_headings(article: AnalysedArticle) -> tuple[list[tuple[str, ...]], Numbers]:
    """Return the different terms of each heading, and (N,), the number of each sentence's."""
    numbers = {heading: at for at, heading in enumerate(dict.fromkeys(article.sections))}
    headings = [tuple(dict.fromkeys(find_terms(heading))) for heading in numbers]
    return headings, np.array([numbers[heading] for heading in article.sections])


FAMILY = Family(
    "structure",
    "kind of section, place in it and in the article, words of the query in the heading, "
    "lines, digits and capitals",
    (
        *("kind", "kind_of_part", "place", "number", "number_in_section", "place_in_section"),
        *("section_length", "article_length", "place_in_kind", "begins_line", "whole_line"),
        *("ended", "digits", "capitals", "heading"),
    ),
    _compute,
)
