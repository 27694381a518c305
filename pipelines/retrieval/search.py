"""Searching the spans of articles, for one citance at a time or many, in any layout."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.batches import batched
from citespan.pipelines.errors import CitespanError, OutsideError
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.reformulation.reformulation import Context
from citespan.pipelines.retrieval.current import search_current
from citespan.pipelines.retrieval.merge import ScoredSpan, merge, merge_best, sort_by_score
from citespan.pipelines.retrieval.model import RetrievalModel
from citespan.pipelines.retrieval.passage import Passage
from citespan.pipelines.retrieval.request import TOP, Retrieval, SearchRequest, searcher_of
from citespan.pipelines.store.layout import divide_by_layout, layout_of

_BATCH = 400

Found = TypeVar("Found")
Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


def search(client: Elasticsearch, request: SearchRequest) -> list[ScoredSpan]:
    """Return the best spans for one citance, best first.

    Raises:
        InputError: if no term is left to search for.
        CitespanError: if the article's index is gone.
    """
    request.require_terms()
    return next(search_many(client, [request]))


def search_many(
    client: Elasticsearch, requests: Sequence[SearchRequest]
) -> Iterator[list[ScoredSpan]]:
    """Yield the best spans for each citance, in the order of the requests.

    A request without terms has no result, which the caller is to report.

    Raises:
        CitespanError: if an article's index is gone.
    """
    return _search(client, requests, _take_spans)


def search_editions(
    client: Elasticsearch, requests: Sequence[SearchRequest]
) -> list[list[ScoredSpan]]:
    """Return what `search_many` yields, in the editions that the requests name and no other.

    Raises:
        ArticleGoneError: if one is gone.
        CitespanError: if the server refuses a search.
    """
    return _search_batch(client, requests, _take_spans)


def _take_spans(_retrieval: Retrieval, spans: list[ScoredSpan]) -> list[ScoredSpan]:
    return spans


def find_passages(
    client: Elasticsearch, requests: Sequence[SearchRequest], *, explain: bool = False
) -> Iterator[list[Passage]]:
    """Yield the passages for each citance, in the order of the requests, as `search_many` does:
    the best spans with text, matches and neighbours.

    Args:
        explain: whether passages have the scores of terms.

    Raises:
        CitespanError: if an article's index is gone.
    """
    return _search(
        client,
        requests,
        lambda retrieval, spans: retrieval.passages(client, spans, explain=explain),
    )


def search_apart(
    search: Callable[[Sequence[Asked]], list[Answer]],
    asked: Sequence[Asked],
    refuse: Callable[[Asked, CitespanError], Answer],
) -> list[Answer]:
    """Return the answers to questions that are searched for together; where that fails, each is
    searched for by itself, since one of them is the reason and costs no other.

    Args:
        search: answers some of them.
        refuse: returns the answer to a question that can't be searched for.

    Raises:
        OutsideError: if no question is to blame.
    """
    try:
        return search(asked)
    except OutsideError:
        raise
    except CitespanError as error:
        if len(asked) == 1:
            return [refuse(asked[0], error)]
    return [answer for question in asked for answer in search_apart(search, [question], refuse)]


def console_request(client: Elasticsearch, request: SearchRequest) -> Mapping[str, Any]:
    """Return the body of the search request, for Kibana's console.

    Raises:
        InputError: if no term is left to search for.
    """
    request.require_terms()
    return searcher_of(request.article).console_request(client, request)


def article_context(
    client: Elasticsearch, entry: ArticleEntry, options: Options, model: RetrievalModel
) -> Context:
    """Return the context in which citances of an article are reformulated: its text, and what a
    search with the model finds in it."""

    def first_spans(terms: Sequence[Term], spans: int) -> list[str]:
        if not terms:
            return []
        found = search(client, SearchRequest(entry, tuple(terms), model, top=spans))
        return searcher_of(entry).texts(client, entry, found)

    @cache
    def read_text() -> str:
        return layout_of(entry).reader.read_text(client, entry)

    return Context(options, read_text, first_spans)


def _search(
    client: Elasticsearch,
    requests: Sequence[SearchRequest],
    finish: Callable[[Retrieval, list[ScoredSpan]], list[Found]],
) -> Iterator[list[Found]]:
    """Search batch by batch, in the articles as the catalogue describes them now."""
    for batch in batched(requests, _BATCH):
        yield from search_current(
            client, batch, lambda current: _search_batch(client, current, finish)
        )


def _search_batch(
    client: Elasticsearch,
    batch: Sequence[SearchRequest],
    finish: Callable[[Retrieval, list[ScoredSpan]], list[Found]],
) -> list[list[Found]]:
    """Return what each request finds. What was retrieved is finished at once, so that only one
    article's scores are in memory."""
    found: list[list[Found]] = [[] for _ in batch]
    searched = (place for place, request in enumerate(batch) if request.searched)
    of_layout = divide_by_layout(searched, lambda place: layout_of(batch[place].article).name)
    for places in of_layout.values():
        requests = [batch[place] for place in places]
        for number, retrieval in searcher_of(requests[0].article).retrieve(client, requests):
            best = _select_best(retrieval.spans, batch[places[number]])
            found[places[number]] = finish(retrieval, best)
    return found


def _select_best(spans: Sequence[ScoredSpan], request: SearchRequest) -> list[ScoredSpan]:
    if not request.merged:
        return sort_by_score(spans)
    merged = merge_best(spans, max(request.top, TOP)) if request.depth is None else merge(spans)
    return merged[: request.top]
