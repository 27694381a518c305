"""What writes the documents of articles, in either layout."""

from collections.abc import Sequence
from typing import Protocol

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.indexing.documents.prepared import Prepared


class ArticleWriter(Protocol):
    """Writes the documents of articles in one layout."""

    def ensure(self) -> None:
        """Make what all articles share."""
        ...

    def index_of(self, prepared: Prepared, old: ArticleEntry | None) -> str:
        """Where the article's documents are to be.

        Args:
            old: its entry, if it is loaded.
        """
        ...

    def write(self, articles: Sequence[tuple[Prepared, str]]) -> dict[str, str]:
        """Write all documents and make them searchable.

        Args:
            articles: each with its index.

        Returns:
            Why the server refuses an article, by its id.
        """
        ...

    def lengths(self, articles: Sequence[tuple[Prepared, str]]) -> dict[str, list[int]]:
        """The terms of each sentence, by the article's id."""
        ...
