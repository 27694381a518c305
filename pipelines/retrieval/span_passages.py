"""Retrieved spans of the layout `spans`, as they are shown; the server tells what matched."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch
from elasticsearch.dsl import Search
from elasticsearch.dsl.query import Bool, Ids

from citespan.es_mappings.spans import span_id
from citespan.pipelines.indexing.documents.joints import as_in_article, span_text
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.retrieval.passage import Passage
from citespan.pipelines.retrieval.query_dsl import spans_query
from citespan.pipelines.retrieval.request import SearchRequest

# What marks the matches; the digits are there to be in no article.
_OPEN, _CLOSE = "<match-5f3c9a71d0e84b62>", "</match-5f3c9a71d0e84b62>"
# The highlighter refuses longer texts, unless it is told to stop there.
_HIGHLIGHTED_CHARACTERS = 1_000_000
_WEIGHT = re.compile(r"^weight\(.*?:(.+) in \d+\)", re.DOTALL)


def span_passages(
    client: Elasticsearch, request: SearchRequest, spans: Sequence[ScoredSpan]
) -> list[Passage]:
    """The spans, in their order, with all there is to show of them."""
    query = spans_query(request.terms, request.field)
    ids = [span_id(s.first_sentence, s.last_sentence) for s in spans]
    search = (
        Search()
        .query(Bool(must=[query], filter=[Ids(values=ids)]))
        .highlight(request.field, number_of_fragments=0, highlight_query=query.to_dict())
        .highlight_options(
            pre_tags=[_OPEN],
            post_tags=[_CLOSE],
            max_analyzed_offset=_HIGHLIGHTED_CHARACTERS,
        )
        .extra(size=len(ids), explain=True)
    )
    index = request.article.index
    hits = client.search(index=index, **search.to_dict())["hits"]["hits"]
    found = {hit["_id"]: hit for hit in hits}
    around = _sentences(client, index, spans)
    return [
        _passage(rank, span, found[identifier], request.field, around)
        for rank, (span, identifier) in enumerate(zip(spans, ids, strict=True), start=1)
    ]


def _sentences(client: Elasticsearch, index: str, spans: Sequence[ScoredSpan]) -> Mapping[int, str]:
    """The sentences next to the spans, where single sentences are indexed."""
    numbers = {n for s in spans for n in (s.first_sentence - 1, s.last_sentence + 1) if n >= 0}
    response = client.mget(index=index, ids=[span_id(n, n) for n in numbers], source=["text"])
    return {
        int(hit["_id"].partition("-")[0]): hit["_source"]["text"]
        for hit in response["docs"]
        if hit.get("found")
    }


def _passage(
    rank: int, span: ScoredSpan, hit: Mapping[str, Any], field: str, around: Mapping[int, str]
) -> Passage:
    source = hit["_source"]
    marked = hit.get("highlight", {}).get(field, [source["text"]])[0]
    scores: dict[str, float] = {}
    for term, score in _weights(hit["_explanation"]):
        scores[term] = scores.get(term, 0.0) + score
    return Passage(
        rank=rank,
        score=span.score,
        first_sentence=span.first_sentence,
        last_sentence=span.last_sentence,
        start=source["start"],
        end=source["end"],
        section=source["section"],
        text=span_text(source),
        matches=tuple(
            (as_in_article(start, source), as_in_article(end, source))
            for start, end in _matches(marked)
        ),
        before=around.get(span.first_sentence - 1, ""),
        after=around.get(span.last_sentence + 1, ""),
        term_scores=dict(sorted(scores.items(), key=lambda item: -item[1])),
    )


def _matches(marked: str) -> Iterator[tuple[int, int]]:
    position = start = 0
    for part in re.split(f"({_OPEN}|{_CLOSE})", marked):
        if part == _OPEN:
            start = position
        elif part == _CLOSE:
            yield start, position
        else:
            position += len(part)


def _weights(explanation: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    weight = _WEIGHT.match(explanation["description"])
    if weight:
        yield weight.group(1), float(explanation["value"])
        return
    for detail in explanation.get("details", []):
        yield from _weights(detail)
