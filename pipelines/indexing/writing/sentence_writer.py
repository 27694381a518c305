"""Writes articles into the shared indices of the layout `sentences`."""

from collections.abc import Mapping, Sequence
from functools import partial

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import SENTENCES, slug
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.documents.prepared import Prepared
from citespan.pipelines.indexing.documents.server_analysis import server_lengths
from citespan.pipelines.indexing.writing import sentence_indices
from citespan.pipelines.indexing.writing.bulk_sender import BulkSender
from citespan.pipelines.indexing.writing.operation import documents
from citespan.pipelines.indexing.writing.patience import Patience

_ASKED_AT_ONCE = 50  # about what fits into one request, which is what is sent again


class SentenceWriter:
    """Writes editions of articles, each beside those that are there.

    Args:
        expected: how many articles there will be in all, for the number of shards.
    """

    def __init__(
        self, client: Elasticsearch, patience: Patience, sender: BulkSender, expected: int
    ) -> None:
        self._client = client
        self._patience = patience
        self._sender = sender
        self._expected = expected
        self._indices: Mapping[str, int] = {}

    def ensure(self) -> None:
        """Make the indices, where they are not there."""
        self._indices = sentence_indices.ensure(self._client, self._patience, self._expected)

    def index_of(self, prepared: Prepared, old: ArticleEntry | None) -> str:
        """Where the article's sentences are to be: where they were, if they are in the layout."""
        if old is not None and old.index in self._indices:
            return str(old.index)
        return sentence_indices.home(slug(prepared.id), self._indices)

    def write(self, articles: Sequence[tuple[Prepared, str]]) -> dict[str, str]:
        """Write all sentences and make them searchable.

        Args:
            articles: each with its index.

        Returns:
            Why the server refuses an article, by its id.

        Raises:
            CitespanError: where an index was deleted meanwhile.
        """
        refused = self._sender.send(
            one
            for article, index in articles
            for one in documents(index, article.id, article.documents)
        )
        used = sorted({index for _, index in articles})
        self._patience.call(lambda: self._client.indices.refresh(index=used))
        # A bulk request to an index that is gone makes another of that name, without its mapping.
        present = self._patience.call(lambda: sentence_indices.existing(self._client))
        gone = [index for index in used if index not in present]
        if gone:
            self._client.indices.delete(index=gone, ignore_unavailable=True)
            raise CitespanError(
                f"{', '.join(gone)} was deleted, or taken from the alias {SENTENCES}, during the "
                "load; repeat the command"
            )
        return {
            key: f"Elasticsearch refused a sentence of it: {reason}"
            for key, reason in refused.items()
        }

    def lengths(self, articles: Sequence[tuple[Prepared, str]]) -> dict[str, list[int]]:
        """The terms of each sentence, by the article's id; what is not known is asked for."""
        asked = [text for article, _ in articles for text in article.unknown]
        told: list[int] = []
        for at in range(0, len(asked), _ASKED_AT_ONCE):
            some = asked[at : at + _ASKED_AT_ONCE]
            index = articles[0][1]
            told += self._patience.call(partial(server_lengths, self._client, index, some))
        answers = iter(told)
        return {
            article.id: [next(answers) if known is None else known for known in article.lengths]
            for article, _ in articles
        }
