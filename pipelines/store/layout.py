"""Layouts: the ways in which articles are stored in Elasticsearch.

Only a layout knows which indices and documents an article has. It is one object with three parts,
and each stage talks to the part that it needs: `reader` reads what is stored, `writer` is described
in `pipelines/indexing/layout.py`, `searcher` in `pipelines/retrieval/request.py`. A layout is a
folder of `pipelines/layouts/`, or an entry point of the group `citespan.layouts`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.registry import Registry
from citespan.pipelines.store.index_versions import require_version
from citespan.pipelines.store.paging import SentenceDocuments

Thing = TypeVar("Thing")


class LayoutReader(Protocol):
    """Reads articles of one layout."""

    def read_sentences(
        self, client: Elasticsearch, wanted: Sequence[tuple[ArticleEntry, Iterable[int]]]
    ) -> list[SentenceDocuments]:
        """Return sentences of articles by their numbers.

        Raises:
            ArticleGoneError: if a sentence does not exist.
            CitespanError: if single sentences are not stored.
        """
        ...

    def read_articles(
        self, client: Elasticsearch, entries: Sequence[ArticleEntry]
    ) -> list[SentenceDocuments]:
        """Return all sentences of articles in order, each with the white space behind it.

        Raises:
            ArticleGoneError: if a sentence does not exist.
            CitespanError: if single sentences are not stored.
        """
        ...

    def read_text(self, client: Elasticsearch, entry: ArticleEntry) -> str:
        """Return all sentences of an article in order, separated by a space.

        Raises:
            ArticleGoneError: if a sentence does not exist.
        """
        ...


class Layout(Protocol):
    """Stores articles in one way.

    Attributes:
        name: as in `--layout`.
        description: one line for `--help`.
        version: of the mapping that it writes.
    """

    name: str
    description: str
    version: int

    @property
    def reader(self) -> LayoutReader:
        """What reads articles."""
        ...

    @property
    def writer(self) -> Any:
        """What writes and deletes articles: a `LayoutWriter`."""
        ...

    @property
    def searcher(self) -> Any:
        """What searches articles: a `LayoutSearcher`."""
        ...


layouts: Registry[Layout] = Registry(
    "layout", "citespan.pipelines.layouts", "citespan.layouts", Layout
)


def layout_of(entry: ArticleEntry) -> Layout:
    """Return the layout that an article is stored in.

    Raises:
        UnknownNameError: if this installation does not have it.
        OtherVersionError: if another version of citespan has written the article's documents.
    """
    require_version(entry)
    return layouts[entry.layout]


def divide_by_layout(
    things: Iterable[Thing], layout: Callable[[Thing], str]
) -> Mapping[str, list[Thing]]:
    """Return things by the layouts that they are in, in their order.

    Args:
        layout: returns the name of the layout that a thing is in.
    """
    divided: dict[str, list[Thing]] = defaultdict(list)
    for thing in things:
        divided[layout(thing)].append(thing)
    return divided
