"""Layout `sentences`: shared indices, a document for each sentence; spans are scored here.

The server counts how often the query's terms occur in each sentence, and `sentence_search` makes
and scores the windows of sentences. What it scored is kept until the passages are made.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.stored_sentences import (
    SentenceDocuments,
    read_articles,
    read_sentences,
)
from citespan.pipelines.retrieval.layouts.layout import Retrieval, SearchRequest, layouts
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.retrieval.query_dsl import SERVER_EXPANDED

# NumPy is imported when the layout is searched: the other layout does without.


@layouts.register
class Sentences:
    name = "sentences"

    def check(self, request: SearchRequest) -> None:
        """Raise an InputError if the server would have to add synonyms."""
        if any(term.kind in SERVER_EXPANDED for term in request.terms):
            raise InputError(
                f"article '{request.article.article}' is in the layout sentences, whose index has "
                "no synonyms: use umls-expand in place of umls-field, or index the article with "
                "`layout=spans` and `vocabulary`"
            )

    def retrieve(
        self, client: Elasticsearch, requests: Sequence[SearchRequest]
    ) -> Iterator[tuple[int, Retrieval]]:
        """Yield what each request retrieves, article by article."""
        from citespan.pipelines.retrieval.sentence_search import retrieve

        return retrieve(client, requests)

    def texts(
        self, client: Elasticsearch, entry: ArticleEntry, spans: Sequence[ScoredSpan]
    ) -> list[str]:
        """Return the text of each span, from its sentences."""
        numbers = [range(one.first_sentence, one.last_sentence + 1) for one in spans]
        [documents] = read_sentences(client, [(entry, [n for some in numbers for n in some])])
        return ["".join(str(documents[n]["text"]) for n in some).rstrip() for some in numbers]

    def read_articles(
        self, client: Elasticsearch, entries: Sequence[ArticleEntry]
    ) -> list[SentenceDocuments]:
        """Return all sentences of articles."""
        return read_articles(client, entries)

    def console_request(self, client: Elasticsearch, request: SearchRequest) -> Mapping[str, Any]:
        """Return the body of the first search request."""
        from citespan.pipelines.retrieval.sentence_search import console_request

        return console_request(client, request)
