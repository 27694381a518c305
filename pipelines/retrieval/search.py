"""Searching the spans of articles, one citance at a time or many.

Ties in score are broken by reading order on the server, so that what is cut off at `depth` does
not depend on how the index happens to be laid out. A hit carries nothing but its score and its
two sentence numbers (as sort values): texts are fetched later, for the few spans that remain.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError
from elasticsearch.dsl import Search

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.similarity import Similarity
from citespan.pipelines.errors import CitespanError, InputError
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.merge import ScoredSpan, merge, merge_best, ranked
from citespan.pipelines.retrieval.model import RetrievalModel
from citespan.pipelines.retrieval.query_dsl import SERVER_EXPANDED, spans_query

TOP = 3  # what annotators marked at most (paper A, section 2.4)
DEEPEST = 50  # retrieved spans among which `top` that are not nested are looked for
_DEEPEST_ALLOWED = 10_000  # Elasticsearch's index.max_result_window
_PER_REQUEST = 100


@dataclass(frozen=True)
class SearchRequest:
    """One citance's terms, to be searched in one article.

    Attributes:
        depth: how many spans are merged; None for as few as leave three of them, or `top` if that
            is more, so that the best of one is the best of three.
        merged: whether spans inside others are merged into these.
    """

    article: ArticleEntry
    terms: tuple[Term, ...]
    model: RetrievalModel
    top: int = TOP
    depth: int | None = None
    merged: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.top <= self.retrieved <= _DEEPEST_ALLOWED:
            raise InputError(
                f"top {self.top} of {self.retrieved} retrieved spans is not possible; "
                f"use 1 <= top <= depth <= {_DEEPEST_ALLOWED}"
            )
        if self.model.name not in self.article.models:
            raise InputError(
                f"article '{self.article.article}' was indexed for {', '.join(self.article.models)}"
                f", not for {self.model.name}; index it again with --models "
                + ",".join([*self.article.models, self.model.name])
            )
        if not self.article.vocabulary and any(t.kind in SERVER_EXPANDED for t in self.terms):
            raise InputError(
                f"article '{self.article.article}' was indexed without synonyms; index it again: "
                "citespan index ... --vocabulary"
            )

    @property
    def retrieved(self) -> int:
        """How many spans the server is asked for."""
        if not self.merged:
            return self.top
        return max(self.top, DEEPEST) if self.depth is None else self.depth

    @property
    def field(self) -> str:
        """The field that is scored by the model."""
        return Similarity(self.model.name, {}).field

    def body(self) -> Mapping[str, Any]:
        """The body of the search request.

        Raises:
            InputError: if there is no term to search for.
        """
        if not self.terms:
            raise InputError(
                "nothing of the citance is left to search for; give one with words other than "
                "citation markers, stop words and numbers"
            )
        search = (
            Search()
            .query(spans_query(self.terms, self.field))
            .source(False)
            .sort("_score", "first_sentence", "last_sentence")
            .extra(size=self.retrieved, stored_fields="_none_", track_total_hits=False)
        )
        body: Mapping[str, Any] = search.to_dict()
        return body


def search(client: Elasticsearch, request: SearchRequest) -> list[ScoredSpan]:
    """The best spans for one citance, best first.

    Raises:
        InputError: if there is no term to search for.
        CitespanError: if the article's index is gone.
    """
    try:
        response = client.search(index=request.article.index, **request.body())
    except NotFoundError as error:
        raise _index_gone(request.article) from error
    return _best(response["hits"]["hits"], request)


def search_many(
    client: Elasticsearch, requests: Sequence[SearchRequest]
) -> Iterator[list[ScoredSpan]]:
    """The best spans for each citance, in the order of the requests, batch by batch.

    A request without terms has no result; the caller is to report it.

    Raises:
        CitespanError: if an article's index is gone.
    """
    for at in range(0, len(requests), _PER_REQUEST):
        batch = requests[at : at + _PER_REQUEST]
        searches: list[Mapping[str, Any]] = []
        for request in batch:
            if request.terms:
                searches += [{"index": request.article.index}, request.body()]
        responses = iter(_msearch(client, searches))
        for request in batch:
            if not request.terms:
                yield []
                continue
            response = next(responses)
            if response.get("status") == 404:
                raise _index_gone(request.article)
            if "error" in response:
                reason = response["error"].get("reason", response["error"])
                raise CitespanError(f"Elasticsearch refused a search: {reason}")
            yield _best(response["hits"]["hits"], request)


def _msearch(client: Elasticsearch, searches: list[Mapping[str, Any]]) -> list[Any]:
    if not searches:
        return []
    response = client.msearch(
        searches=searches,
        filter_path="responses.status,responses.error,responses.hits.hits.sort",
    )
    responses: list[Any] = response["responses"]
    return [{"hits": {"hits": []}} | response for response in responses]


def _best(hits: Sequence[Mapping[str, Any]], request: SearchRequest) -> list[ScoredSpan]:
    spans = [
        ScoredSpan(int(first), int(last), float(score))
        for score, first, last in (hit["sort"] for hit in hits)
    ]
    if not request.merged:
        return ranked(spans)
    merged = merge_best(spans, max(request.top, TOP)) if request.depth is None else merge(spans)
    return merged[: request.top]


def _index_gone(article: ArticleEntry) -> CitespanError:
    return CitespanError(
        f"the index of article '{article.article}' is gone ({article.index}); index it again"
    )
