"""Searching articles of the layout `spans`, which the server scores.

Ties in score are broken by reading order on the server, so that the spans cut off at `depth` do
not depend on the internal order of the index. A hit has only its score and its two sentence
numbers (as sort values); texts are read later, for the few spans that remain.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError
from elasticsearch.dsl import Search
from elasticsearch.dsl.query import Bool, Ids, Term

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.spans import span_id
from citespan.pipelines.errors import InputError
from citespan.pipelines.layouts.spans.missing_spaces import restore_offset, restore_text
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.retrieval.passage import Passage, sort_term_scores
from citespan.pipelines.retrieval.query_dsl import SERVER_EXPANDED, spans_query
from citespan.pipelines.retrieval.request import Retrieval, SearchRequest
from citespan.pipelines.store.paging import ArticleSearch, gone, multi_search

Hits = Mapping[str, Mapping[str, Any]]

# These mark matches in highlighted text; the digits make sure that no article contains them.
_OPEN, _CLOSE = "<match-5f3c9a71d0e84b62>", "</match-5f3c9a71d0e84b62>"
# The highlighter refuses longer texts, unless a limit is given.
_HIGHLIGHTED_CHARACTERS = 1_000_000


def check(request: SearchRequest) -> None:
    """Raise an InputError if the index lacks the model, synonyms or span lengths."""
    article = request.article
    if request.idf.source != "article":
        raise InputError(
            f"article '{article.article}' is in the layout spans, whose idf is always that of "
            "the article; index it with `layout=sentences` for another"
        )
    if request.model.name not in article.models:
        raise InputError(
            f"article '{article.article}' was indexed for {', '.join(article.models)}"
            f", not for {request.model.name}; index it again with `models="
            + ",".join([*article.models, request.model.name])
            + "`"
        )
    if not article.vocabulary and any(t.kind in SERVER_EXPANDED for t in request.terms):
        raise InputError(
            f"article '{article.article}' was indexed without synonyms; index it again "
            "with `vocabulary`"
        )
    if request.lengths != request.indexed_lengths:
        raise InputError(
            f"article '{article.article}' was indexed with spans of "
            f"{article.shortest} to {article.longest} sentences; index it again "
            "with others, or with `layout=sentences`, which has them all"
        )


def retrieve(
    client: Elasticsearch, requests: Sequence[SearchRequest]
) -> Iterator[tuple[int, Retrieval]]:
    """Yield what each request retrieves, in order."""
    searches = [
        ArticleSearch(request.article, console_request(client, request)) for request in requests
    ]
    responses = multi_search(client, searches, ["hits.hits.sort"])
    for number, (request, response) in enumerate(zip(requests, responses, strict=True)):
        hits = response.get("hits", {}).get("hits", [])
        spans = [
            ScoredSpan(int(first), int(last), float(score))
            for score, first, last in (hit["sort"] for hit in hits)
        ]
        yield number, SpanRetrieval(request, spans)


def texts(client: Elasticsearch, entry: ArticleEntry, spans: Sequence[ScoredSpan]) -> list[str]:
    """Return the text of each span, from its document."""
    body = Search().query(Ids(values=_ids(spans))).source(["text", "joints"])
    hits = _find(client, entry, body.extra(size=len(spans)))
    return [restore_text(_get_hit(hits, entry, span)["_source"]) for span in spans]


def console_request(client: Elasticsearch, request: SearchRequest) -> Mapping[str, Any]:
    """Return the body of the search request; it needs no request by itself."""
    query = spans_query(request.searched, request.field)
    if request.singles:
        query = Bool(must=[query], filter=[Term("length", {"value": 1})])
    search = (
        Search()
        .query(query)
        .source(False)
        .sort("_score", "first_sentence", "last_sentence")
        .extra(size=request.retrieved, stored_fields="_none_", track_total_hits=False)
    )
    body: Mapping[str, Any] = search.to_dict()
    return body


@dataclass(frozen=True)
class SpanRetrieval:
    """The spans that the server found, best first."""

    request: SearchRequest
    spans: Sequence[ScoredSpan]

    def passages(
        self, client: Elasticsearch, spans: Sequence[ScoredSpan], *, explain: bool
    ) -> list[Passage]:
        """Return the spans with what the server's highlighter and explanation say of them."""
        if not spans:
            return []
        entry, field = self.request.article, self.request.field
        query = spans_query(self.request.searched, field)
        ids = list(dict.fromkeys([*_ids(spans), *_ids(_neighbours(spans))]))
        search = (
            Search()
            .query(Bool(should=[query], filter=[Ids(values=ids)]))
            .highlight(field, number_of_fragments=0, highlight_query=query.to_dict())
            .highlight_options(
                pre_tags=[_OPEN], post_tags=[_CLOSE], max_analyzed_offset=_HIGHLIGHTED_CHARACTERS
            )
            .extra(size=len(ids), explain=explain)
        )
        hits = _find(client, entry, search)
        return [
            _make_passage(rank, span, _get_hit(hits, entry, span), field, hits, entry)
            for rank, span in enumerate(spans, start=1)
        ]


def _ids(spans: Sequence[ScoredSpan]) -> list[str]:
    return [span_id(span.first_sentence, span.last_sentence) for span in spans]


def _neighbours(spans: Sequence[ScoredSpan]) -> list[ScoredSpan]:
    """The sentences before and after each span; an index has them if its spans are that short."""
    numbers = {n for s in spans for n in (s.first_sentence - 1, s.last_sentence + 1) if n >= 0}
    return [ScoredSpan(number, number, 0.0) for number in sorted(numbers)]


def _find(client: Elasticsearch, entry: ArticleEntry, search: Search) -> Hits:
    try:
        hits = client.search(index=entry.index, **search.to_dict())["hits"]["hits"]
    except NotFoundError as error:
        raise gone(entry, "the index") from error
    return {hit["_id"]: hit for hit in hits}


def _get_hit(hits: Hits, entry: ArticleEntry, span: ScoredSpan) -> Mapping[str, Any]:
    hit = hits.get(span_id(span.first_sentence, span.last_sentence))
    if hit is None:
        raise gone(entry, f"the span of sentences {span.first_sentence}-{span.last_sentence}")
    return hit


def _make_passage(
    rank: int, span: ScoredSpan, hit: Mapping[str, Any], field: str, hits: Hits, entry: ArticleEntry
) -> Passage:
    source = hit["_source"]
    marked = hit.get("highlight", {}).get(field, [source["text"]])[0]
    scores: dict[str, float] = {}
    for term, score in _read_term_scores(hit.get("_explanation", {})):
        scores[term] = scores.get(term, 0.0) + score

    def sentence(number: int) -> str:
        found = hits.get(span_id(number, number))
        if found is None or found["_source"]["section"] != source["section"]:
            return ""
        return str(found["_source"]["text"])

    return Passage(
        rank=rank,
        score=span.score,
        first_sentence=span.first_sentence,
        last_sentence=span.last_sentence,
        start=source["start"],
        end=source["end"],
        section=source["section"],
        text=restore_text(source),
        matches=tuple(
            (restore_offset(start, source), restore_offset(end, source))
            for start, end in _find_matches(marked)
        ),
        before=sentence(span.first_sentence - 1),
        after=sentence(span.last_sentence + 1),
        term_scores=sort_term_scores(scores),
        page=entry.find_page(source["start"]),
    )


def _find_matches(marked: str) -> Iterator[tuple[int, int]]:
    position = start = 0
    for part in re.split(f"({_OPEN}|{_CLOSE})", marked):
        if part == _OPEN:
            start = position
        elif part == _CLOSE:
            yield start, position
        else:
            position += len(part)


def _read_term_scores(explanation: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield each term or phrase of Lucene's explanation with its score."""
    weight = re.match(r"weight\([^:]*:(.+) in \d+\)", explanation.get("description", ""), re.DOTALL)
    if weight:
        yield weight[1], float(explanation["value"])
        return
    for detail in explanation.get("details", []):
        yield from _read_term_scores(detail)
