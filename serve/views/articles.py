"""The articles that are indexed: a list of them, and each with the sentences that are cited."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

from elasticsearch import Elasticsearch
from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from citespan.es_mappings.articles import ArticleEntry
from citespan.library import (
    MOST_LISTED,
    articles,
    count_articles,
    describe_article,
    describe_sentences,
    show,
)
from citespan.pipelines.corpus.identifiers import find_addresses
from citespan.pipelines.corpus.notices import Notice
from citespan.pipelines.errors import ArticleGoneError, InputError
from citespan.pipelines.ranking.evidence import Evidence
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.requests import Search
from citespan.pipelines.retrieval.current import read_current
from citespan.pipelines.retrieval.request import TOP, SearchRequest
from citespan.pipelines.store.catalogue import Catalogue, read_publication
from citespan.pipelines.store.notices import find_notices
from citespan.serve.article_text import Block, Mark, find_marks, read_blocks, split_sentence
from citespan.serve.downloads import Kind, write_found
from citespan.serve.method import (
    MOST_PASSAGES,
    Article,
    Citance,
    Method,
    Optional,
    OptionalName,
    Parameters,
    list_choices,
)
from citespan.serve.report import name_authors
from citespan.serve.site import site_of
from citespan.serve.views.cited import MOST_SAID, CitedFor, find_cited_sentences


def make_source(entry: ArticleEntry) -> str:
    """Return authors, year, title, journal and identifier of an article, as far as it has them."""
    named, year = name_authors([*(entry.authors or ())]), f"({entry.year})" if entry.year else ""
    doi = f"https://doi.org/{entry.doi}" if entry.doi else ""
    beginning = " ".join(part for part in (named, year) if part)
    identifier = doi or (f"PMID {entry.pmid}" if entry.pmid else entry.article)
    parts = (beginning, entry.title or "", entry.journal or "", identifier)
    return ". ".join(part.strip().rstrip(".") for part in parts if part)


router = APIRouter()

Top = Annotated[
    Annotated[int, Field(ge=1, le=MOST_PASSAGES)] | None,
    Field(
        description="Number of passages: the evidence, then weaker ones. Without it, the evidence "
        f"alone, {TOP} passages at most."
    ),
]


class SearchQuery(Method):
    """A citing sentence, and the article to search."""

    article: Article
    citance: Citance
    top: Top = None
    scores: Annotated[
        bool, Field(description="Whether to return the score of every sentence, as `sentences`.")
    ] = False


class ArticleQuery(Method):
    """An article, with a citing sentence if there is one, and another method to compare with."""

    article: Article
    citance: Annotated[Citance | None, Optional] = None
    top: Top = None
    other_ranker: OptionalName = None
    other_reformulation: OptionalName = None
    other_model: OptionalName = None
    cited: Annotated[bool, Field(description="Whether to show who cites which sentence.")] = False

    @property
    def methods(self) -> dict[str, Method]:
        """The methods to search with, by the letters that names of their passages begin with."""
        method = Method(ranker=self.ranker, reformulation=self.reformulation, model=self.model)
        if self.other_ranker is None:
            return {"a": method}
        other = Method(
            ranker=self.other_ranker,
            reformulation=self.other_reformulation or self.reformulation,
            model=self.other_model or self.model,
        )
        return {"a": method, "b": other}


class SentencesQuery(Parameters):
    """An article, or some of its sentences."""

    article: Article
    first: Annotated[int | None, Field(description="Number of the first, from 0.", ge=0)] = None
    last: Annotated[int | None, Field(description="Number of the last, included.", ge=0)] = None


@dataclass(frozen=True, slots=True)
class Found:
    """What one method has found."""

    letter: str
    method: Method
    request: SearchRequest
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class ReadArticle:
    """An article with what was found in it."""

    entry: ArticleEntry
    blocks: Sequence[Block]
    found: Sequence[Found]
    marks: dict[int, Mark]
    cited: CitedFor | None = None
    notices: Sequence[Notice] = ()


@router.get("/article", include_in_schema=False)
async def show_article(query: Annotated[ArticleQuery, Query()], request: Request) -> Response:
    """The page with an article's text and the passages in it."""
    site = site_of(request)

    def work(client: Elasticsearch) -> dict[str, Any]:
        read = read_article(client, query, site.options)
        return {
            "query": query,
            "read": read,
            "search": _make_search,
            "split": split_sentence,
            "choices": list_choices(site.options, read.entry),
            "most": MOST_PASSAGES,
            "most_said": MOST_SAID,
            "usual": TOP,
            "source": make_source(read.entry),
            "addresses": find_addresses(read_publication(read.entry)),
        }

    return await site.show("article.html", work)


@router.get("/api/search", summary="Find the passages of an article", tags=["evidence"])
async def search_article(query: Annotated[SearchQuery, Query()], request: Request) -> Response:
    """The passages of an article that a citing sentence is about, as `citespan search --json`
    prints them. Offsets of `matches` are into the passage's text, all others into the article's."""
    site = site_of(request)
    return await site.answer(lambda client: describe_passages(client, query, site.options))


@router.get("/article/found.{kind}", include_in_schema=False)
async def download_found(
    kind: Kind, query: Annotated[SearchQuery, Query()], request: Request
) -> Response:
    """The passages of an article as a file."""
    site = site_of(request)
    return await site.offer(
        f"passages.{kind}",
        lambda client: write_found(
            kind, query.citance, describe_passages(client, query, site.options)
        ),
    )


def describe_passages(
    client: Elasticsearch, query: SearchQuery, options: Options
) -> dict[str, Any]:
    """Return the passages of an article as the API does."""
    settings = replace(query.make_settings(options, query.top), scores=query.scores)
    catalogue = Catalogue(client)
    asked, found = _search(catalogue, settings, query.citance, catalogue.find(query.article))
    return settings.to_json(asked, found)


@router.get("/api/article", summary="Read an article", tags=["articles"])
async def read_sentences(query: Annotated[SentencesQuery, Query()], request: Request) -> Response:
    """An article, and its sentences in order with their offsets and sections; `count` says how many
    it has."""
    return await site_of(request).answer(lambda client: read_shown(client, query))


def read_shown(client: Elasticsearch, query: SentencesQuery) -> dict[str, Any]:
    """Return the sentences of an article as the API does."""
    sentences = show(query.article, query.first, query.last, client=client)
    return describe_sentences(Catalogue(client).find(query.article), sentences)


def read_article(client: Elasticsearch, query: ArticleQuery, options: Options) -> ReadArticle:
    """Return an article with the passages that each method finds.

    Raises:
        CitespanError: for an article or a method that does not exist, or nothing to search for.
    """
    settings = {
        letter: method.make_settings(options, query.top) for letter, method in query.methods.items()
    }

    def read() -> ReadArticle:
        catalogue = Catalogue(client)
        entry = catalogue.find(query.article)
        blocks = read_blocks(client, entry)
        found = [
            Found(letter, query.methods[letter], *_search(catalogue, method, query.citance, entry))
            for letter, method in settings.items()
            if query.citance is not None
        ]
        marks = find_marks(blocks, {shown.letter: shown.evidence for shown in found})
        if marks is None:
            raise ArticleGoneError(f"article '{query.article}' is being replaced; ask for it again")
        cited = find_cited_sentences(client, str(entry.article)) if query.cited else None
        [notices] = find_notices(catalogue, [read_publication(entry)])
        return ReadArticle(entry, blocks, found, marks, cited, notices)

    return read_current(read)


def _make_search(query: ArticleQuery, method: Method) -> SearchQuery:
    """Return the search of one of the methods of a page."""
    return SearchQuery(
        article=query.article, citance=query.citance or "", top=query.top, **method.model_dump()
    )


def _search(
    catalogue: Catalogue, settings: Search, citance: str, entry: ArticleEntry
) -> tuple[SearchRequest, Evidence]:
    request = settings.make_request(catalogue.client, citance, entry)
    request.require_terms()
    [found] = settings.find(catalogue, [citance], [request])
    return request, found


SHOWN = 100
ORDER_LABELS: Final[Mapping[str, str]] = {
    "": "by identifier, or how well they fit",
    "title": "by title, abstracts last",
    "year": "newest year first",
    "journal": "by journal",
    "loaded": "last loaded first",
}
"""What the page calls the orders of a list."""


Words = Annotated[
    OptionalName, Field(description="Words of the title, an identifier or the beginning of one.")
]


class ArticlesQuery(Parameters):
    """Which articles to list."""

    q: Words = None
    top: Annotated[int, Field(description="Number of articles at most.", ge=1, le=1000)] = SHOWN
    order: Annotated[
        Literal["article", "title", "year", "journal", "loaded"] | None,
        Field(
            description="What to sort by; by default what is found is sorted by how well it fits."
        ),
        Optional,
    ] = None
    page: Annotated[
        int, Field(description="Which page of so many articles, from 1.", ge=1, le=MOST_LISTED)
    ] = 1


@router.get("/", include_in_schema=False)
async def show_articles(query: Annotated[ArticlesQuery, Query()], request: Request) -> Response:
    """The page with the list of articles, and the ways to search them."""
    first, order = _find_first(query), query.order or ""

    def work(client: Elasticsearch) -> dict[str, Any]:
        return {
            "query": query,
            "articles": articles(query.q, top=query.top, first=first, order=order, client=client),
            "count": count_articles(query.q, client=client),
            "orders": ORDER_LABELS,
            "last_page": MOST_LISTED // query.top,
        }

    return await site_of(request).show("articles.html", work)


@router.get("/api/articles", summary="List or find articles", tags=["articles"])
async def list_articles(query: Annotated[ArticlesQuery, Query()], request: Request) -> Response:
    """The articles that are indexed, by id, or those that are looked for, best first; `count` says
    how many there are in all, `abstracts` how many of these are abstracts."""
    first, order = _find_first(query), query.order or ""
    return await site_of(request).answer(
        lambda client: describe_articles(client, query.q, query.top, first, order)
    )


def describe_articles(
    client: Elasticsearch, words: str | None, top: int, first: int, order: str = ""
) -> dict[str, Any]:
    """Return a list of articles as the API does.

    Args:
        first: how many to leave out before these.
    """
    found = articles(words, top=top, first=first, order=order, client=client)
    count = count_articles(words, client=client)
    full = count_articles(words, full_texts=True, client=client)
    listed = [describe_article(entry) for entry in found]
    return {"count": count, "abstracts": count - full, "articles": listed}


def _find_first(query: ArticlesQuery) -> int:
    """Return how many articles come before a page."""
    first = (query.page - 1) * query.top
    if first + query.top > MOST_LISTED:
        raise InputError(
            f"of a list, the first {MOST_LISTED:,} articles can be shown; search for words of a "
            "title, or an identifier"
        )
    return first
