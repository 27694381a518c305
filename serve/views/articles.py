"""The list of articles: all, or those that are looked for."""

from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from elasticsearch import Elasticsearch
from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from citespan.es_mappings.articles import ArticleEntry
from citespan.library import MOST_LISTED, articles, count_articles, describe_article
from citespan.pipelines.errors import InputError
from citespan.serve.method import OptionalName
from citespan.serve.method import Query as Parameters
from citespan.serve.site import site_of

SHOWN = 100
router = APIRouter()


class ArticlesQuery(Parameters):
    """Which articles to list."""

    q: Annotated[
        OptionalName,
        Field(description="Words of the title, an identifier or the beginning of one."),
    ] = None
    top: Annotated[int, Field(description="Number of articles at most.", ge=1, le=1000)] = SHOWN
    page: Annotated[
        int, Field(description="Which page of so many articles, from 1.", ge=1, le=MOST_LISTED)
    ] = 1


@router.get("/", include_in_schema=False)
async def show_articles(query: Annotated[ArticlesQuery, Query()], request: Request) -> Response:
    """The page with the list of articles, and the ways to search them."""

    def work(client: Elasticsearch) -> dict[str, Any]:
        found, count = _find(client, query)
        return {
            "query": query,
            "articles": found,
            "count": count,
            "last_page": MOST_LISTED // query.top,
            "page_address": partial(_make_address, query),
        }

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
    first = (query.page - 1) * query.top
    if first + query.top > MOST_LISTED:
        raise InputError(
            f"of a list, the first {MOST_LISTED:,} articles can be shown; search for words of a "
            "title, or an identifier"
        )
    found = articles(query.q, top=query.top, first=first, client=client)
    return found, count_articles(query.q, client=client)


def _make_address(query: ArticlesQuery, page: int) -> str:
    """Return the address of another page of the same list."""
    changed = query.model_copy(update={"page": page})
    return f"/?{urlencode(changed.model_dump(exclude_none=True, exclude_defaults=True))}"
