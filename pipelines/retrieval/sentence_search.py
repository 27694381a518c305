"""Searching articles of the layout `sentences`: spans are made and scored here.

The server tells how often the query's terms occur in each sentence; all else follows. Requests of
one article are asked together, and each term once for all of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from elasticsearch import Elasticsearch
from numpy.typing import NDArray

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.indexing.documents.server_analysis import analysed
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.sentence_texts import sentences
from citespan.pipelines.retrieval.clauses import Clause, Phrase, clauses
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.retrieval.model import Floats
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.retrieval.term_frequencies import Counts, Question, frequencies
from citespan.pipelines.retrieval.window_phrases import Run, crossings, runs
from citespan.pipelines.retrieval.window_scores import WindowScores
from citespan.pipelines.retrieval.window_statistics import Windows

_MOST_VALUES = 8_000_000
"""Spans times terms that are looked at together."""
_TOGETHER = 50
"""Articles that are asked for together."""


def search_sentences(
    client: Elasticsearch, requests: Sequence[SearchRequest]
) -> list[list[ScoredSpan]]:
    """The retrieved spans for each request, best first, not merged.

    Raises:
        CitespanError: if an article's sentences are gone, or the server refuses a search.
    """
    found: list[list[ScoredSpan]] = [[] for _ in requests]
    parts = iter(_parts(client, requests))
    while some := list(islice(parts, _TOGETHER)):
        for part, scores in zip(some, _scores(client, some), strict=True):
            for number, query in part.queries.items():
                request = requests[number]
                found[number] = scores.best(query, request.model, request.retrieved)
    return found


def term_scores(
    client: Elasticsearch, request: SearchRequest, spans: Sequence[ScoredSpan]
) -> list[dict[str, float]]:
    """What each term, or phrase, of a query scores in each span, the highest first."""
    part = next(_parts(client, [request]))
    scores = next(_scores(client, [part]))
    every = [scores.of_clauses(part.queries[0], request.model, span) for span in spans]
    return [dict(sorted(one.items(), key=lambda item: -item[1])) for one in every]


def body(client: Elasticsearch, request: SearchRequest) -> Mapping[str, Any]:
    """The body of the first search request for a citance."""
    return next(next(_parts(client, [request])).question.bodies())


@dataclass(frozen=True)
class _Part:
    """Queries, by the number of their request, that are searched in one article together."""

    entry: ArticleEntry
    spans: SpanLengths
    queries: dict[int, tuple[Clause, ...]]

    @cached_property
    def question(self) -> Question:
        """Every term and phrase once."""
        used = [clause for query in self.queries.values() for clause in query]
        return Question(
            self.entry,
            list(dict.fromkeys(term for clause in used for term in clause.terms)),
            list(dict.fromkeys(clause.phrase for clause in used if clause.phrase is not None)),
        )

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """(S,), of the sentences in terms."""
        lengths: Any = self.entry.lengths  # a list that wraps what it gives out, once read
        return np.array(getattr(lengths, "to_list", lambda: lengths)(), dtype=np.int64)


def _parts(client: Elasticsearch, requests: Sequence[SearchRequest]) -> Iterator[_Part]:
    """The requests of each article, as many together as memory allows."""
    if not requests:
        return
    queries = clauses(client, requests[0].article.index, [one.terms for one in requests])
    of_article: dict[tuple[str, SpanLengths], list[int]] = {}
    for number, request in enumerate(requests):
        of_article.setdefault((request.article.edition, request.lengths), []).append(number)
    for (_, spans), numbers in of_article.items():
        entry = requests[numbers[0]].article
        windows = entry.sentences * (spans.longest - spans.shortest + 1)
        together: dict[int, tuple[Clause, ...]] = {}
        size = 0
        for number in numbers:
            own = windows * sum(len(clause.terms) + 1 for clause in queries[number])
            if together and size + own > _MOST_VALUES:
                yield _Part(entry, spans, together)
                together, size = {}, 0
            together[number] = queries[number]
            size += own
        yield _Part(entry, spans, together)


def _scores(client: Elasticsearch, parts: Sequence[_Part]) -> Iterator[WindowScores]:
    counted = list(frequencies(client, [part.question for part in parts]))
    crossing = _crossing(client, parts, [terms for terms, _ in counted])
    for part, (terms, phrases), across in zip(parts, counted, crossing, strict=True):
        windows = Windows(part.lengths, part.spans)
        question = part.question
        columns = {phrase: column for column, phrase in enumerate(question.phrases)}
        phrase_frequencies = windows.summed(phrases)
        for phrase, first, last in across:
            inside = (windows.first <= first) & (last <= windows.last)
            phrase_frequencies[inside, columns[phrase]] += 1
        yield WindowScores(
            windows,
            {term: column for column, term in enumerate(question.terms)},
            windows.summed(terms),
            columns,
            phrase_frequencies,
        )


def _crossing(
    client: Elasticsearch, parts: Sequence[_Part], counted: Sequence[Counts]
) -> list[list[tuple[Phrase, int, int]]]:
    """For each part, the occurrences of its phrases that cross from one sentence to another."""
    places = [list(_runs(part, counts)) for part, counts in zip(parts, counted, strict=True)]
    wanted = [
        (part.entry, [n for first, last in runs_ for n in range(first, last + 1)])
        for part, runs_ in zip(parts, places, strict=True)
    ]
    texts = [
        {number: _parted(str(source["text"])) for number, source in documents.items()}
        for documents in sentences(client, wanted)
    ]
    every = [
        (number, run, [texts[number][n] for n in range(run[0], run[1] + 1)])
        for number, runs_ in enumerate(places)
        for run in runs_
    ]
    if not every:
        return [[] for _ in parts]
    index = parts[0].entry.index
    tokens = analysed(client, index, ["".join(pieces) for _, _, pieces in every])
    found: list[set[Any]] = [set() for _ in parts]
    for (number, run, pieces), theirs in zip(every, tokens, strict=True):
        found[number].update(crossings(run, pieces, theirs, parts[number].question.phrases))
    return [[(one.phrase, one.first, one.last) for one in crossing] for crossing in found]


def _parted(text: str) -> str:
    """A sentence with white space behind it, as `indexing.joints` sees to it in spans."""
    return text if text[-1:].isspace() else f"{text} "


def _runs(part: _Part, counts: Floats) -> Iterator[Run]:
    """Where any phrase may cross a boundary, each run of sentences once."""
    columns = {term: column for column, term in enumerate(part.question.terms)}
    found: dict[Run, None] = {}
    for phrase in part.question.phrases:
        occurs = counts[:, [columns[term] for term in phrase.terms]] > 0
        found.update(dict.fromkeys(runs(phrase, occurs, part.lengths, part.spans.longest)))
    yield from found
