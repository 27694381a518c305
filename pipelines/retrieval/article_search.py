"""Which articles a citing sentence may be about: a search of the texts in the catalogue.

An article scores BM25 (Lucene's, k1 = 1.2, b = 0.75) as one document, so articles of both layouts
compare, and document frequencies are those of the corpus. Where it is asked for, what others say of
an article when they cite it (`pipelines/retrieval/citances.py`) adds to that. Editions come from a
look-up of the entries, not from the search: that is up to date even while articles are replaced or
deleted.

Abstracts are found by the same words. They are an index of their own, whose document frequencies
and average length are theirs, so the scores of full texts are the same with and without them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from elasticsearch import NotFoundError
from elasticsearch.dsl.query import Bool, Query, Range, Terms
from elasticsearch.dsl.query import Term as TermQuery

from citespan.es_mappings.articles import TEXT, ArticleEntry
from citespan.es_mappings.citances import TEXT as CITANCES
from citespan.pipelines.corpus.notices import RETRACTING
from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.citances import NOTHING_SAID, CitedWords, search_citances
from citespan.pipelines.retrieval.query_dsl import SERVER_EXPANDED, spans_query
from citespan.pipelines.retrieval.request import AskedCitance
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.paging import search_all_shards
from citespan.pipelines.years import Years

_DOUBLED = 2
"""Articles that are searched for each that is wanted, where some may be there as abstracts too."""


@dataclass(frozen=True)
class ArticleFilter:
    """Which articles are searched.

    Attributes:
        years: of publication; articles without a year are in the open range only.
        journals: their titles, in capital or small letters; none for all.
        articles: their ids; none for all.
        full_texts: whether abstracts are left out.
    """

    years: Years = Years()  # noqa: RUF009  frozen
    journals: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()
    full_texts: bool = False

    def queries(self) -> list[Query]:
        """Return the filters of a query."""
        found: list[Query] = [] if self.years.open else [Range("year", self.years.bounds)]
        if self.journals:
            terms = [
                TermQuery("journal", {"value": name, "case_insensitive": True})
                for name in self.journals
            ]
            found.append(Bool(should=terms, minimum_should_match=1))
        if self.articles:
            found.append(Terms("article", list(self.articles)))
        return found


@dataclass(frozen=True)
class FoundArticle:
    """An article that has words of a query, or is cited with some of them, and its BM25 score.

    Attributes:
        score: of both together.
        cited: what others say of it, as far as that has added to the score.
    """

    entry: ArticleEntry
    score: float
    cited: CitedWords = NOTHING_SAID


class NoArticlesError(InputError):
    """No article is indexed."""


def search_articles(
    catalogue: Catalogue,
    terms: Sequence[Term],
    articles: ArticleFilter,
    most: int,
    asked: AskedCitance | None = None,
) -> list[FoundArticle]:
    """Return the articles of the highest scores, best first. What retracts or doubts another one
    is no evidence, and left out, as is an abstract whose full text is indexed.

    Args:
        terms: to search for; at least one, and not more than a query has room for.
        most: how many articles to return at most.
        asked: the citance that the terms are of, if what others say of articles counts as well;
            the article that it is from is not searched.

    Raises:
        InputError: if no articles are indexed, or the server would have to add synonyms.
    """
    words = make_words_query(terms, TEXT)
    notices = Bool(must_not=[Terms("notice", sorted(RETRACTING))])
    filters = [*articles.queries(), notices]
    if asked is not None and asked.citing:
        filters.append(Bool(must_not=[TermQuery("article", {"value": asked.citing})]))
    depth = most if articles.full_texts or not catalogue.has_abstracts else _DOUBLED * most
    score = partial(_score, catalogue, articles.full_texts)
    scores = score(Bool(must=[words], filter=filters), depth)
    cited: Mapping[str, CitedWords] = {}
    if asked is not None and asked.weight:
        said = make_words_query(terms, CITANCES)
        cited = search_citances(
            catalogue.client, said, terms, asked, articles.articles, catalogue.names
        )
        # Articles that others do not say it of have the scores of their texts, so those that are
        # among the best of both together are among the best of the texts.
        these = Bool(should=[words], filter=[*filters, Terms("article", list(cited))])
        scores |= score(these, len(cited)) if cited else {}
    together = {
        article: score + cited.get(article, NOTHING_SAID).score for article, score in scores.items()
    }
    best = sorted(together, key=lambda article: (-together[article], article))
    entries = catalogue.entries(best[:depth])
    doubled = catalogue.find_full_texts(entries.values())
    return [
        FoundArticle(entries[article], together[article], cited.get(article, NOTHING_SAID))
        for article in best
        if article in entries and article not in doubled
    ][:most]


def _score(catalogue: Catalogue, full_texts: bool, query: Query, most: int) -> dict[str, float]:
    """Return the articles of the highest scores for a query, each with its score."""
    try:
        response = search_all_shards(
            catalogue.client,
            **catalogue.address(query, full_texts=full_texts),
            sort=[{"_score": "desc"}, {"article": "asc"}],
            size=most,
            source=False,
            track_total_hits=False,
            filter_path="hits.hits.sort",
        )
    except NotFoundError as error:
        raise NoArticlesError("no articles are indexed; see `citespan index --help`") from error
    hits: list[dict[str, Any]] = response.get("hits", {}).get("hits", [])
    scores: dict[str, float] = {}
    for score, article in (hit["sort"] for hit in hits):
        scores.setdefault(article, float(score))
    return scores


def make_words_query(terms: Sequence[Term], field: str) -> Query:
    """Return the query for documents that have any of the terms in a field without positions.

    Of a phrase, all words must be in a document, anywhere.

    Raises:
        InputError: if the server would have to add synonyms.
    """
    if any(term.kind in SERVER_EXPANDED for term in terms):
        raise InputError(
            "the catalogue of articles has no synonyms: use umls-expand in place of umls-field, or "
            "name an article by `article`"
        )
    loose = [replace(term, kind="conjunction") if term.kind == "phrase" else term for term in terms]
    return spans_query(loose, field)
