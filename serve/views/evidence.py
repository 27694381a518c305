"""Which of all articles have evidence for a citing sentence."""

from typing import Annotated, Any

from elasticsearch import Elasticsearch
from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from citespan.pipelines.ranking.article_ranking import (
    TOP,
    ArticleEvidence,
    CorpusRequest,
    find_articles,
)
from citespan.pipelines.ranking.section_kinds import KINDS
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.requests import SearchAll
from citespan.pipelines.retrieval.request import WEIGHT
from citespan.serve.downloads import Kind, list_addresses, write_found
from citespan.serve.method import (
    Citance,
    Method,
    Optional,
    OptionalName,
    Years,
    list_choices,
    one_of,
    require_ranker,
)
from citespan.serve.site import site_of

MOST_ARTICLES = 20
MOST_WEIGHT = 100
router = APIRouter()

TopArticles = Annotated[
    int, Field(description="Number of articles at most.", ge=1, le=MOST_ARTICLES)
]


class CorpusFilter(Method):
    """A search of all articles, and what narrows it."""

    top: TopArticles = TOP
    per_article: Annotated[
        int, Field(description="Number of passages of each at most.", ge=1, le=5)
    ] = 1
    year: Years = None
    journal: Annotated[OptionalName, Field(description="Title of the journal.")] = None
    section: Annotated[
        OptionalName,
        Field(
            description="Kind of the sections that passages may be in.",
            json_schema_extra=one_of(lambda: KINDS, or_empty=True),
        ),
    ] = None
    citing: Annotated[
        OptionalName,
        Field(
            description="The indexed article that the citing sentence is from: it is not searched, "
            "and what it says of others does not count."
        ),
    ] = None
    citance_weight: Annotated[
        float,
        Field(
            description="Weight of what others say when they cite an article, beside its text.",
            ge=0,
            le=MOST_WEIGHT,
        ),
    ] = WEIGHT


class CorpusQuery(CorpusFilter):
    """A citing sentence that all articles are searched for."""

    citance: Citance


class CorpusPageQuery(CorpusFilter):
    """A citing sentence, if there is one already."""

    citance: Annotated[Citance | None, Optional] = None


@router.get("/evidence", include_in_schema=False)
async def show_evidence(query: Annotated[CorpusPageQuery, Query()], request: Request) -> Response:
    """The page with the articles that have evidence for a citing sentence."""
    site = site_of(request)

    def work(client: Elasticsearch) -> dict[str, Any]:
        found: list[ArticleEvidence] | None = None
        if query.citance is not None:
            _, _, found = _find(client, query, site.options)
        return {
            "query": query,
            "found": found,
            "choices": list_choices(site.options),
            "sections": KINDS,
            "addresses": lambda article: list_addresses(
                article.evidence.article, article.pmid, article.doi
            ),
            "most": MOST_ARTICLES,
        }

    return await site.show("evidence.html", work)


@router.get("/api/search-all", summary="Find the articles with evidence for it", tags=["evidence"])
async def search_all(query: Annotated[CorpusQuery, Query()], request: Request) -> Response:
    """The passages of all articles, best article first, as `citespan search --json` prints them
    without `--article`."""
    site = site_of(request)
    return await site.answer(lambda client: describe_evidence(client, query, site.options))


@router.get("/evidence/found.{kind}", include_in_schema=False)
async def download_found(
    kind: Kind, query: Annotated[CorpusQuery, Query()], request: Request
) -> Response:
    """The passages of all articles as a file."""
    site = site_of(request)
    return await site.offer(
        f"evidence.{kind}",
        lambda client: write_found(
            kind, query.citance, describe_evidence(client, query, site.options)
        ),
    )


def describe_evidence(
    client: Elasticsearch, query: CorpusQuery, options: Options
) -> dict[str, Any]:
    """Return the passages of all articles as the API does."""
    search, asked, found = _find(client, query, options)
    return search.describe_found(asked, found)


def _find(
    client: Elasticsearch, query: CorpusQuery | CorpusPageQuery, options: Options
) -> tuple[SearchAll, CorpusRequest, list[ArticleEvidence]]:
    require_ranker(query.ranker)
    search = SearchAll(
        ranker=query.ranker,
        reformulation=query.reformulation,
        model=query.model,
        top=query.top,
        per_article=query.per_article,
        year=query.year,
        journals=[query.journal] if query.journal is not None else (),
        sections=[query.section] if query.section is not None else (),
        citing=query.citing,
        citance_weight=query.citance_weight,
        options=options,
    )
    request = search.make_corpus_request(query.citance or "")
    return search, request, find_articles(client, request)
