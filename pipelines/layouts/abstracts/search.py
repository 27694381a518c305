"""Searching abstracts: as in the layout `sentences`, except that terms are counted here.

An abstract is read whole in any case, since all its sentences are in one document.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from elasticsearch import Elasticsearch
from elasticsearch.dsl.query import Bool, Ids, Match

from citespan.pipelines.errors import InputError
from citespan.pipelines.layouts.abstracts.read import read_articles
from citespan.pipelines.layouts.sentences.search import (
    SentenceCounts,
    SentenceRetrieval,
    retrieve_counted,
    texts,
)
from citespan.pipelines.layouts.sentences.term_frequencies import Counts, FrequencyRequest
from citespan.pipelines.retrieval.query_dsl import SERVER_EXPANDED, Phrase
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.store.analysis import analysed
from citespan.pipelines.text.lucene import Token

__all__ = ["check", "console_request", "retrieve", "texts"]


def check(request: SearchRequest) -> None:
    """Raise an InputError if the server would have to add synonyms."""
    if any(term.kind in SERVER_EXPANDED for term in request.terms):
        raise InputError(
            f"'{request.article.article}' is an abstract, and the index of abstracts has no "
            "synonyms: use umls-expand in place of umls-field"
        )


def retrieve(
    client: Elasticsearch, requests: Sequence[SearchRequest]
) -> Iterator[tuple[int, SentenceRetrieval]]:
    """Yield the number of each request and what it retrieves, abstract by abstract.

    Raises:
        ArticleGoneError: if an abstract is gone, or another one now.
    """
    return retrieve_counted(client, requests, count_sentences)


def console_request(client: Elasticsearch, request: SearchRequest) -> Mapping[str, Any]:
    """Return the body of a search request that finds the abstract by a citance."""
    words = [Match("text", {"query": term.text}) for term in request.searched]
    return {"query": Bool(filter=[Ids(values=[request.article.article])], should=words).to_dict()}


def count_sentences(
    client: Elasticsearch, requests: Sequence[FrequencyRequest]
) -> Iterator[SentenceCounts]:
    """Yield how often each term and phrase occurs in each sentence of an abstract."""
    documents = read_articles(client, [request.entry for request in requests])
    for request, sentences in zip(requests, documents, strict=True):
        written = [str(sentence["text"]) for sentence in sentences.values()]
        tokens = analysed(client, request.entry.index, written)
        counted = [Counter(token.term for token in some) for some in tokens]
        terms = np.array([[float(counts[term]) for term in request.terms] for counts in counted])
        lengths = np.array([counts.total() for counts in counted], dtype=np.int64)
        yield (
            lengths,
            terms.reshape(len(counted), len(request.terms)),
            _count_phrases(request.phrases, tokens),
        )


def _count_phrases(phrases: Sequence[Phrase], tokens: Sequence[Sequence[Token]]) -> Counts:
    counts = np.zeros((len(tokens), len(phrases)))
    for row, some in enumerate(tokens):
        by_position = {token.position: token for token in some}
        for column, phrase in enumerate(phrases):
            counts[row, column] = sum(bool(phrase.match_at(at, by_position)) for at in by_position)
    return counts
