"""Phrases that begin in one sentence and end in a later one of the same span.

The server counts phrases inside sentences. Where the words around a boundary may make one of
the phrases, the sentences' texts are read and analysed.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from elasticsearch import Elasticsearch
from numpy.typing import NDArray

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.retrieval.query_dsl import Phrase
from citespan.pipelines.store.analysis import analysed
from citespan.pipelines.store.layout import layout_of
from citespan.pipelines.text.lucene import Token

Run = tuple[int, int]
"""Numbers of the first and last of consecutive sentences, both included."""


@dataclass(frozen=True, slots=True)
class CrossingPhrase:
    """An occurrence of a phrase from sentence `first`, where it begins at the character `start`,
    to sentence `last`."""

    phrase: Phrase
    first: int
    last: int
    start: int


class SentenceFrequencies(NamedTuple):
    """The S sentences of an article.

    Attributes:
        lengths: (S,), in terms.
        longest: sentences of the longest span.
        columns: the column of each of T terms.
        frequencies: (S, T), of the terms in the sentences.
    """

    entry: ArticleEntry
    lengths: NDArray[np.int64]
    longest: int
    columns: Mapping[str, int]
    frequencies: NDArray[np.float64]


def find_all_crossing(
    client: Elasticsearch,
    articles: Sequence[SentenceFrequencies],
    phrases: Sequence[Sequence[Phrase]],
) -> list[set[CrossingPhrase]]:
    """Return, for each article, the occurrences of its phrases that cross from one sentence to
    another.

    Raises:
        CitespanError: if an article's sentences are gone.
    """
    found: list[set[CrossingPhrase]] = [set() for _ in articles]
    runs = [
        list(
            dict.fromkeys(run for phrase in some for run in _find_runs_in_article(article, phrase))
        )
        for article, some in zip(articles, phrases, strict=True)
    ]
    if not any(runs):
        return found
    wanted = [
        (article.entry, [n for first, last in some for n in range(first, last + 1)])
        for article, some in zip(articles, runs, strict=True)
    ]
    texts = [
        {number: _end_with_space(str(source["text"])) for number, source in documents.items()}
        for documents in layout_of(articles[0].entry).reader.read_sentences(client, wanted)
    ]
    of_runs = [
        (number, run, [texts[number][n] for n in range(run[0], run[1] + 1)])
        for number, some in enumerate(runs)
        for run in some
    ]
    joined = ["".join(pieces) for _, _, pieces in of_runs]
    tokens = analysed(client, articles[0].entry.index, joined)
    for (number, run, pieces), in_run in zip(of_runs, tokens, strict=True):
        found[number].update(find_crossing(run, pieces, in_run, phrases[number]))
    return found


def _find_runs_in_article(article: SentenceFrequencies, phrase: Phrase) -> Iterator[Run]:
    occurs = article.frequencies[:, [article.columns[term] for term in phrase.terms]] > 0
    return find_candidate_runs(phrase, occurs, article.lengths, article.longest)


def _end_with_space(text: str) -> str:
    """Return a sentence that ends with white space, as it does inside a span's document."""
    return text if text[-1:].isspace() else f"{text} "


def find_candidate_runs(
    phrase: Phrase, occurs: NDArray[np.bool_], lengths: NDArray[np.int64], longest: int
) -> Iterator[Run]:
    """Yield the runs of sentences in which a phrase may cross boundaries; its gaps may have any
    words.

    Args:
        occurs: (S, n), which of the phrase's terms, in their order, each sentence has.
        lengths: (S,), of the sentences in terms.
        longest: sentences of the longest span.
    """
    count = len(occurs)
    for first in np.flatnonzero(occurs[:-1, 0]).tolist():
        between = 0
        for last in range(first + 1, min(first + longest, count)):
            if occurs[last, -1] and occurs[first : last + 1].any(axis=0).all():
                yield first, last
            between += int(lengths[last])
            if between >= phrase.places[-1]:
                break


def find_crossing(
    run: Run, texts: Sequence[str], tokens: Sequence[Token], phrases: Sequence[Phrase]
) -> Iterator[CrossingPhrase]:
    """Yield the phrases that cross a boundary inside a run of sentences.

    Args:
        texts: of the run's sentences, with the white space behind each.
        tokens: of these texts joined.
    """
    starts = [0, *accumulate(len(text) for text in texts)]
    by_position = {token.position: token for token in tokens}
    beginning: dict[str, list[Phrase]] = defaultdict(list)
    for phrase in phrases:
        beginning[phrase.terms[0]].append(phrase)
    for token in tokens:
        for phrase in beginning.get(token.term, ()):
            found = phrase.match_at(token.position, by_position)
            if not found:
                continue
            first, last = (bisect_right(starts, end.start) - 1 for end in (token, found[-1]))
            if first < last:
                yield CrossingPhrase(
                    phrase, run[0] + first, run[0] + last, token.start - starts[first]
                )
