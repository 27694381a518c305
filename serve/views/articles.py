"""The list of articles: all, or those that are looked for."""

from typing import Annotated, Any

from elasticsearch import Elasticsearch
from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from citespan.browsing import articles, count_articles
from citespan.es_mappings.articles import ArticleEntry
from citespan.serve.method import Name, Optional
from citespan.serve.method import Query as Parameters
from citespan.serve.site import site_of

SHOWN = 100
router = APIRouter()


class ArticlesQuery(Parameters):
    """Which articles to list."""

    q: Annotated[
        Name | None,
        Optional,
        Field(description="Words of the title, an identifier or the beginning of one."),
    ] = None
    top: Annotated[int, Field(description="Number of articles at most.", ge=1, le=1000)] = SHOWN


@router.get("/", include_in_schema=False)
async def show_articles(query: Annotated[ArticlesQuery, Query()], request: Request) -> Response:
    """The page with the list of articles, and the ways to search them."""

    def work(client: Elasticsearch) -> dict[str, Any]:
        found, count = _find(client, query)
        return {"query": query, "articles": found, "count": count}

    return await site_of(request).show("articles.html", work)


@router.get("/api/articles", summary="List or find articles", tags=["articles"])
async def list_articles(query: Annotated[ArticlesQuery, Query()], request: Request) -> Response:
    """The articles that are indexed, by id, or those that are looked for, best first; `count` says
    how many there are in all."""

    def work(client: Elasticsearch) -> dict[str, Any]:
        found, count = _find(client, query)
        return {"count": count, "articles": [describe_article(one) for one in found]}

    return await site_of(request).answer(work)


def _find(client: Elasticsearch, query: ArticlesQuery) -> tuple[list[ArticleEntry], int]:
    found = articles(query.q, top=query.top, client=client)
    return found, count_articles(query.q, client=client)


def describe_article(entry: ArticleEntry) -> dict[str, Any]:
    """Return what the API says of an article."""
    return {
        "article": entry.article,
        "title": entry.title or "",
        "authors": [*(entry.authors or ())],
        "year": entry.year,
        "journal": entry.journal or "",
        "pmid": entry.pmid or "",
        "pmcid": entry.pmcid or "",
        "doi": entry.doi or "",
        "sentences": entry.sentences,
        "characters": entry.characters,
        "layout": entry.layout,
    }
