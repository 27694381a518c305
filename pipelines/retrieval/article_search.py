"""Which articles a citing sentence may be about: a search of the texts in the catalogue.

An article scores BM25 (Lucene's, k1 = 1.2, b = 0.75) as one document, so articles of both layouts
compare, and document frequencies are those of the corpus. Editions come from a look-up of the
entries, not from the search: that is up to date even while articles are replaced or deleted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError
from elasticsearch.dsl.query import Bool, Query, Range, Terms
from elasticsearch.dsl.query import Term as TermQuery

from citespan.es_mappings.articles import TEXT, ArticleEntry
from citespan.es_mappings.index_name import CITESPAN, IndexNames
from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.query_dsl import SERVER_EXPANDED, spans_query
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.years import Years


@dataclass(frozen=True)
class ArticleFilter:
    """Which articles are searched.

    Attributes:
        years: of publication; articles without a year are in the open range only.
        journals: their titles, in capital or small letters; none for all.
        articles: their ids; none for all.
    """

    years: Years = Years()  # noqa: RUF009  frozen
    journals: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()

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
    """An article that has words of a query, and its BM25 score."""

    entry: ArticleEntry
    score: float


class NoArticlesError(InputError):
    """No article is indexed."""


def search_articles(
    client: Elasticsearch,
    terms: Sequence[Term],
    articles: ArticleFilter,
    most: int,
    names: IndexNames = CITESPAN,
) -> list[FoundArticle]:
    """Return the articles of the highest scores, best first.

    Args:
        terms: to search for; at least one, and not more than a query has room for.
        most: how many articles to return at most.

    Raises:
        InputError: if no articles are indexed, or the server would have to add synonyms.
    """
    catalogue = Catalogue(client, names)
    try:
        response = client.search(
            index=catalogue.index,
            query=make_query(terms, articles).to_dict(),
            sort=[{"_score": "desc"}, {"article": "asc"}],
            size=most,
            source=False,
            track_total_hits=False,
            filter_path="hits.hits.sort",
        )
    except NotFoundError as error:
        raise NoArticlesError("no articles are indexed; see `citespan index --help`") from error
    hits: list[dict[str, Any]] = response.get("hits", {}).get("hits", [])
    scores = {article: float(score) for score, article in (hit["sort"] for hit in hits)}
    entries = catalogue.entries(list(scores))
    return [
        FoundArticle(entries[article], score)
        for article, score in scores.items()
        if article in entries
    ]


def make_query(terms: Sequence[Term], articles: ArticleFilter) -> Query:
    """Return the query for articles that have any of the terms.

    The catalogue has no positions, so of a phrase all words must be in an article, anywhere.
    """
    if any(term.kind in SERVER_EXPANDED for term in terms):
        raise InputError(
            "the catalogue of articles has no synonyms: use umls-expand in place of umls-field, or "
            "name an article by `article`"
        )
    loose = [replace(term, kind="conjunction") if term.kind == "phrase" else term for term in terms]
    return Bool(must=[spans_query(loose, TEXT)], filter=articles.queries())
