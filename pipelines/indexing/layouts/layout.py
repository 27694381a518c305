"""What a layout is: how the articles of a load are stored in Elasticsearch.

Only a layout knows which indices and documents an article has. Everything else in this stage talks
to this protocol; `citespan.pipelines.retrieval.layouts` has the same for searching.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import IndexNames
from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.indexing.documents.prepared import Documents, PreparedArticle
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.stored_sentences import SentenceDocuments
from citespan.pipelines.registry import Registry
from citespan.pipelines.store.edition import Place
from citespan.pipelines.store.index_versions import require_version
from citespan.pipelines.store.server import Server

Writing = tuple[PreparedArticle, Place]
"""An article, and where it is written."""


class Layout(Protocol):
    """Stores articles in one way.

    Attributes:
        name: as in `--layout`.
        description: one line for `--help`.
        version: of the mapping that it writes.
        group_articles: how many articles a load commits together at most.
    """

    name: str
    description: str
    version: int
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
        self,
        server: Server,
        names: IndexNames,
        articles: Sequence[tuple[str, ArticleEntry | None]],
    ) -> list[str]:
        """Return the index to write each edition to.

        Args:
            articles: each edition with the article's present entry, if it is loaded.
        """
        ...

    def write(
        self, server: Server, writings: Sequence[Writing], settings: DocumentSettings
    ) -> dict[str, str]:
        """Write all documents and make them searchable.

        Returns:
            The reason for each article, by its id, that the server refuses.
        """
        ...

    def count_lengths(self, server: Server, writings: Sequence[Writing]) -> dict[str, list[int]]:
        """Return the number of terms of each sentence by the article's id, if the catalogue
        needs them."""
        ...

    def find_incomplete(self, server: Server, places: Sequence[Place]) -> set[Place]:
        """Return the places where not all documents are."""
        ...

    def delete(self, server: Server, places: Iterable[Place]) -> None:
        """Delete all documents at those places, if they exist."""
        ...

    def read_sentences(
        self, client: Elasticsearch, wanted: Sequence[tuple[ArticleEntry, Iterable[int]]]
    ) -> list[SentenceDocuments]:
        """Return sentences of articles by their numbers.

        Raises:
            ArticleGoneError: if a sentence does not exist.
        """
        ...

    def read_text(self, client: Elasticsearch, entry: ArticleEntry) -> str:
        """Return all sentences of an article in order, separated by a space.

        Raises:
            ArticleGoneError: if a sentence does not exist.
        """
        ...


layouts: Registry[Layout] = Registry(
    "layout", "citespan.pipelines.indexing.layouts", "citespan.indexing_layouts", Layout
)


def layout_of(entry: ArticleEntry) -> Layout:
    """Return the layout that an article is stored in.

    Raises:
        UnknownNameError: if this installation does not have it.
        OtherVersionError: if another version of citespan has written the article's documents.
    """
    require_version(entry)
    return layouts[entry.layout]
