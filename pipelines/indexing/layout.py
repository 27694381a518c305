"""What a layout does for a load: it builds, writes, counts and deletes documents of articles."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import IndexNames
from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.indexing.documents.prepared import Documents, Edition
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.store.edition import Place
from citespan.pipelines.store.layout import layouts
from citespan.pipelines.store.server import Server


class LayoutWriter(Protocol):
    """Writes, counts and deletes the documents of one layout.

    Attributes:
        group_articles: how many articles a load commits together at most.
    """

    group_articles: int

    def build(
        self, article: Article, sentences: Sequence[Sentence], settings: DocumentSettings
    ) -> Documents:
        """Return the article's documents; `EDITION` stands where the edition belongs."""
        ...

    def describe(self, settings: DocumentSettings) -> dict[str, Any]:
        """Return the fields of catalogue entries that depend on the layout."""
        ...

    def is_current(self, entry: ArticleEntry, settings: DocumentSettings) -> bool:
        """Whether the documents of an article in this layout are as the settings require."""
        ...

    def check_capacity(self, client: Elasticsearch, names: IndexNames, articles: int) -> None:
        """Check before a load that so many articles fit.

        Raises:
            ShardLimitError: if they do not.
        """
        ...

    def ensure(self, server: Server, names: IndexNames, articles: int) -> None:
        """Create the indices that all articles share.

        Args:
            articles: how many are expected in all, those already loaded included.
        """
        ...

    def choose_indices(
        self, server: Server, names: IndexNames, editions: Sequence[Edition], group: str
    ) -> list[str]:
        """Return the index to write each edition to.

        Args:
            group: the name of the group that writes them.
        """
        ...

    def write(
        self, server: Server, editions: Sequence[Edition], settings: DocumentSettings
    ) -> dict[str, str]:
        """Write all documents and make them searchable.

        Returns:
            The reason for each article, by its id, that the server refuses.
        """
        ...

    def count_lengths(self, server: Server, editions: Sequence[Edition]) -> dict[str, list[int]]:
        """Return the number of terms of each sentence by the article's id, if the catalogue
        needs them."""
        ...

    def find_incomplete(self, server: Server, places: Sequence[Place]) -> set[Place]:
        """Return the places where not all documents are."""
        ...

    def delete(self, server: Server, places: Iterable[Place]) -> None:
        """Delete all documents at those places, if they exist."""
        ...


def writer_of(layout: str) -> LayoutWriter:
    """Return what writes articles in the layout of that name.

    Raises:
        UnknownNameError: if this installation does not have it.
    """
    writer: LayoutWriter = layouts[layout].writer
    return writer
