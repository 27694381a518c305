"""Searching articles of the layout `sentences`: spans are made of sentences and scored here.

The server counts how often the query's terms occur in each sentence; all else follows from that.
Requests for one article are answered together, and each term is counted once for all of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from elasticsearch import Elasticsearch
from numpy.typing import NDArray

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.batches import batched
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.layouts.sentences.crossing_phrases import (
    SentenceFrequencies,
    find_all_crossing,
)
from citespan.pipelines.layouts.sentences.read import check_present
from citespan.pipelines.layouts.sentences.term_frequencies import (
    Counts,
    FrequencyRequest,
    count_frequencies,
)
from citespan.pipelines.retrieval.idf import Idf
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.retrieval.passage import Passage, sort_term_scores
from citespan.pipelines.retrieval.query_dsl import (
    SERVER_EXPANDED,
    Clause,
    analyse_queries,
    find_matches,
)
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.retrieval.window_scores import Windows, WindowScores
from citespan.pipelines.store.analysis import analysed
from citespan.pipelines.store.layout import layout_of

_MOST_VALUES = 8_000_000
"""Spans times terms that are scored together."""
_TOGETHER = 50
"""Articles in one request to the server."""


def check(request: SearchRequest) -> None:
    """Raise an InputError if the server would have to add synonyms."""
    if any(term.kind in SERVER_EXPANDED for term in request.terms):
        raise InputError(
            f"article '{request.article.article}' is in the layout sentences, whose index has "
            "no synonyms: use umls-expand in place of umls-field, or index the article with "
            "`layout=spans` and `vocabulary`"
        )


SentenceCounts = tuple[NDArray[np.int64], Counts, Counts]
"""Of the S sentences of an article, (S,) the lengths in terms, (S, T) how often each term occurs,
and (S, P) each phrase."""
CountSentences = Callable[[Elasticsearch, Sequence[FrequencyRequest]], Iterable[SentenceCounts]]


def retrieve(
    client: Elasticsearch, requests: Sequence[SearchRequest]
) -> Iterator[tuple[int, "SentenceRetrieval"]]:
    """Yield the number of each request and what it retrieves, article by article.

    Raises:
        ArticleGoneError: if an article's sentences are gone.
        CitespanError: if the server refuses a search.
    """
    return retrieve_counted(client, requests, _count_stored)


def retrieve_counted(
    client: Elasticsearch, requests: Sequence[SearchRequest], count: CountSentences
) -> Iterator[tuple[int, "SentenceRetrieval"]]:
    """Yield what `retrieve` does for articles whose terms are counted by `count`.

    Raises:
        ArticleGoneError: if an article's sentences are gone.
        CitespanError: if the server refuses a search.
    """
    groups = _group_by_article(client, requests)
    for some in batched(groups, _TOGETHER):
        for group, scores in zip(some, _score(client, some, count), strict=True):
            for number, clauses in group.queries.items():
                yield number, SentenceRetrieval(requests[number], clauses, scores)


def texts(client: Elasticsearch, entry: ArticleEntry, spans: Sequence[ScoredSpan]) -> list[str]:
    """Return the text of each span, from its sentences."""
    numbers = [range(span.first_sentence, span.last_sentence + 1) for span in spans]
    wanted = [n for some in numbers for n in some]
    [documents] = layout_of(entry).reader.read_sentences(client, [(entry, wanted)])
    return ["".join(str(documents[n]["text"]) for n in some).rstrip() for some in numbers]


def console_request(client: Elasticsearch, request: SearchRequest) -> Mapping[str, Any]:
    """Return the body of the first search request for a citance."""
    return next(next(_group_by_article(client, [request])).frequencies.bodies())


@dataclass(frozen=True)
class SentenceRetrieval:
    """The spans found for a request, with the scores that they were chosen by."""

    request: SearchRequest
    clauses: tuple[Clause, ...]
    scores: WindowScores

    @cached_property
    def spans(self) -> list[ScoredSpan]:
        """The retrieved spans, best first."""
        request = self.request
        return self.scores.best(
            self.clauses, request.model, request.retrieved, singles=request.singles
        )

    def passages(
        self, client: Elasticsearch, spans: Sequence[ScoredSpan], *, explain: bool
    ) -> list[Passage]:
        """Return the spans with the texts of their sentences, in which the matches are found."""
        if not spans:
            return []
        entry = self.request.article
        numbers = {
            number
            for span in spans
            for number in range(span.first_sentence - 1, span.last_sentence + 2)
            if 0 <= number < entry.sentences
        }
        [documents] = layout_of(entry).reader.read_sentences(client, [(entry, sorted(numbers))])
        texts = [_join(documents, span.first_sentence, span.last_sentence) for span in spans]
        tokens = analysed(client, entry.index, texts)
        scores = (
            self.scores.explain(self.clauses, self.request.model, spans)
            if explain
            else [{} for _ in spans]
        )
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
                matches=tuple(find_matches(self.clauses, found)),
                before=_take_beside(documents, span.first_sentence, -1),
                after=_take_beside(documents, span.last_sentence, 1),
                term_scores=sort_term_scores(of_terms),
                page=entry.find_page(documents[span.first_sentence]["start"]),
            )
            for rank, (span, text, found, of_terms) in enumerate(
                zip(spans, texts, tokens, scores, strict=True), start=1
            )
        ]


@dataclass(frozen=True)
class _ArticleQueries:
    """Queries, by the number of their request, that are answered together in one article."""

    entry: ArticleEntry
    spans: SpanLengths
    idf: Idf
    queries: dict[int, tuple[Clause, ...]]

    @cached_property
    def frequencies(self) -> FrequencyRequest:
        """The request for every term and phrase, each once."""
        used = [clause for query in self.queries.values() for clause in query]
        return FrequencyRequest(
            self.entry,
            list(dict.fromkeys(term for clause in used for term in clause.terms)),
            list(dict.fromkeys(clause.phrase for clause in used if clause.phrase is not None)),
        )


def _group_by_article(
    client: Elasticsearch, requests: Sequence[SearchRequest]
) -> Iterator[_ArticleQueries]:
    """Yield the requests for each article, as many together as memory allows."""
    if not requests:
        return
    index = requests[0].article.index
    queries = analyse_queries(client, index, [request.searched for request in requests])
    of_article: dict[tuple[str, SpanLengths, Idf], list[int]] = {}
    for number, request in enumerate(requests):
        key = (request.article.edition, request.lengths, request.idf)
        of_article.setdefault(key, []).append(number)
    for (_, spans, idf), numbers in of_article.items():
        entry = requests[numbers[0]].article
        windows = entry.sentences * (spans.longest - spans.shortest + 1)
        together: dict[int, tuple[Clause, ...]] = {}
        size = 0
        for number in numbers:
            own = windows * sum(len(clause.terms) + 1 for clause in queries[number])
            if together and size + own > _MOST_VALUES:
                yield _ArticleQueries(entry, spans, idf, together)
                together, size = {}, 0
            together[number] = queries[number]
            size += own
        yield _ArticleQueries(entry, spans, idf, together)


def _count_stored(
    client: Elasticsearch, requests: Sequence[FrequencyRequest]
) -> Iterator[SentenceCounts]:
    counted = list(count_frequencies(client, requests))
    pairs = list(zip(requests, counted, strict=True))
    # Nothing is found in a former edition either, whose sentences have been deleted.
    check_present(client, [request.entry for request, (terms, _) in pairs if not terms.any()])
    for request, (terms, phrases) in pairs:
        # elasticsearch.dsl wraps each item of its lists when it is read, which takes long.
        lengths: Any = request.entry.lengths
        lengths = getattr(lengths, "to_list", lambda lengths=lengths: lengths)()
        yield np.array(lengths, dtype=np.int64), terms, phrases


def _score(
    client: Elasticsearch, groups: Sequence[_ArticleQueries], count: CountSentences
) -> Iterator[WindowScores]:
    counted = list(count(client, [group.frequencies for group in groups]))
    articles = [
        SentenceFrequencies(
            group.entry,
            lengths,
            group.spans.longest,
            {term: column for column, term in enumerate(group.frequencies.terms)},
            terms,
        )
        for group, (lengths, terms, _) in zip(groups, counted, strict=True)
    ]
    crossing = find_all_crossing(client, articles, [group.frequencies.phrases for group in groups])
    for group, article, (lengths, terms, phrases), across in zip(
        groups, articles, counted, crossing, strict=True
    ):
        windows = Windows(lengths, group.spans)
        columns = {phrase: column for column, phrase in enumerate(group.frequencies.phrases)}
        phrase_frequencies = windows.sum_over(phrases)
        for crossed in across:
            inside = (windows.first <= crossed.first) & (crossed.last <= windows.last)
            phrase_frequencies[inside, columns[crossed.phrase]] += 1
        frequencies = windows.sum_over(terms)
        yield WindowScores(
            windows, article.columns, frequencies, columns, phrase_frequencies, group.idf
        )


def _take_beside(documents: Mapping[int, Mapping[str, Any]], number: int, step: int) -> str:
    """Return the sentence beside another, if it is of the same section."""
    beside = documents.get(number + step)
    same = beside is not None and beside["section"] == documents[number]["section"]
    return _join(documents, number + step, number + step) if same else ""


def _join(documents: Mapping[int, Mapping[str, Any]], first: int, last: int) -> str:
    there = [str(documents[n]["text"]) for n in range(first, last + 1) if n in documents]
    return "".join(there).rstrip()
