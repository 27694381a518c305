"""Retrieved spans of the layout `sentences`, as they are shown."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch

from citespan.pipelines.indexing.documents.server_analysis import analysed
from citespan.pipelines.indexing.sentence_texts import sentences
from citespan.pipelines.retrieval.clauses import Clause, clauses
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.retrieval.passage import Passage
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.retrieval.sentence_search import term_scores
from citespan.pipelines.text.analyzer import Token


def sentence_passages(
    client: Elasticsearch, request: SearchRequest, spans: Sequence[ScoredSpan]
) -> list[Passage]:
    """The spans, in their order, with all there is to show of them."""
    entry = request.article
    numbers = {
        number
        for span in spans
        for number in range(span.first_sentence - 1, span.last_sentence + 2)
        if 0 <= number < entry.sentences
    }
    [documents] = sentences(client, [(entry, sorted(numbers))])
    texts = [_text(documents, span.first_sentence, span.last_sentence) for span in spans]
    [query] = clauses(client, entry.index, [request.terms])
    tokens = analysed(client, entry.index, texts)
    scores = term_scores(client, request, spans)
    return [
        Passage(
            rank=rank,
            score=span.score,
            first_sentence=span.first_sentence,
            last_sentence=span.last_sentence,
            start=documents[span.first_sentence]["start"],
            end=documents[span.last_sentence]["end"],
            section=documents[span.first_sentence]["section"],
            text=text,
            matches=tuple(_matches(query, found)),
            before=_text(documents, span.first_sentence - 1, span.first_sentence - 1),
            after=_text(documents, span.last_sentence + 1, span.last_sentence + 1),
            term_scores=of_terms,
        )
        for rank, (span, text, found, of_terms) in enumerate(
            zip(spans, texts, tokens, scores, strict=True), start=1
        )
    ]


def _text(documents: Mapping[int, Mapping[str, Any]], first: int, last: int) -> str:
    there = [str(documents[n]["text"]) for n in range(first, last + 1) if n in documents]
    return "".join(there).rstrip()


def _matches(query: Sequence[Clause], tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where a clause is fulfilled, in order, each place once."""
    terms = {token.term for token in tokens}
    at = {token.position: token for token in tokens}
    places: set[tuple[int, int]] = set()
    for clause in query:
        if clause.phrase is None:
            if terms.issuperset(clause.terms):
                places.update((t.start, t.end) for t in tokens if t.term in clause.terms)
            continue
        for token in tokens:
            if standing := clause.phrase.standing(token.position, at):
                places.add((token.start, standing[-1].end))
    yield from sorted(places)
