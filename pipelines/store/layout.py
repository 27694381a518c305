"""Layouts: the ways in which articles are stored in Elasticsearch.

Only a layout knows which indices and documents an article has. It is one object with four parts,
and others talk to the part that they need: `reader` reads what is stored, `checker` compares that
with the catalogue, `writer` is described in `pipelines/indexing/layout.py`, `searcher` in
`pipelines/retrieval/request.py`. A layout is a folder of `pipelines/layouts/`, with a module for
each part, or an entry point of the group `citespan.layouts`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, cast

from elasticsearch import Elasticsearch

from citespan.es_mappings import abstracts
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import IndexNames
from citespan.pipelines.errors import OtherVersionError
from citespan.pipelines.registry import Registry
from citespan.pipelines.store.paging import SentenceDocuments

if TYPE_CHECKING:  # searching reads what is stored without what writes and checks it
    from citespan.pipelines.store.edition import Orphans
    from citespan.pipelines.store.finding import Finding
    from citespan.pipelines.store.server import Server

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


ReadEntries = Callable[[], Iterator[ArticleEntry]]
"""Reads the entries of all articles in the layout, as they are then."""


class LayoutChecker(Protocol):
    """Compares the documents of one layout with the catalogue."""

    def check(self, client: Elasticsearch, names: IndexNames, name: str) -> Iterator[Finding]:
        """Yield whether all documents are there that the catalogue names, and no others.

        Args:
            name: of the check.
        """
        ...

    def check_each(self, client: Elasticsearch, names: IndexNames) -> Iterator[Finding]:
        """Yield whether each article has its documents, if `check` looks at their sum only."""
        ...

    def find_orphans(self, server: Server, names: IndexNames, read_entries: ReadEntries) -> Orphans:
        """Return where catalogue and documents differ.

        Args:
            read_entries: is called when the documents are known, so that what is written from now
                on is no orphan.
        """
        ...

    def find_unused(
        self, server: Server, names: IndexNames, read_entries: ReadEntries
    ) -> list[str]:
        """Return the indices that a load has made and no entry names, if articles have indices of
        their own."""
        ...


@dataclass(frozen=True)
class Layout:
    """Stores articles in one way.

    Attributes:
        name: as in `--layout`.
        description: one line for `--help`.
        version: of the mapping that it writes.
        adds_synonyms: whether the server can add synonyms to a query.
        any_lengths: whether spans of any lengths can be searched, whatever lengths an article was
            indexed with.
        package: has the modules `check`, `read`, `search` and `write`. Each is imported when it is
            used: a search needs nothing of what writes.
        abstract_only: whether it has no full texts.
        default: whether articles are stored in it unless stated otherwise.
        shares_indices: whether articles share indices (`IndexNames.shared_index`), so that any
            number of them fits; else each has its own (`IndexNames.own_index`).
    """

    name: str
    description: str
    version: int
    adds_synonyms: bool
    any_lengths: bool
    package: str
    abstract_only: bool = False
    default: bool = False
    shares_indices: bool = False

    @property
    def checker(self) -> LayoutChecker:
        """What compares documents with the catalogue."""
        return cast(LayoutChecker, self._import("check"))

    @property
    def reader(self) -> LayoutReader:
        """What reads articles."""
        return cast(LayoutReader, self._import("read"))

    @property
    def searcher(self) -> Any:
        """What searches articles: a `LayoutSearcher`."""
        return self._import("search")

    @property
    def writer(self) -> Any:
        """What writes and deletes articles: a `LayoutWriter`."""
        return self._import("write")

    def _import(self, part: str) -> ModuleType:
        return import_module(f"{self.package}.{part}")


layouts: Registry[Layout] = Registry(
    "layout", "citespan.pipelines.layouts", "citespan.layouts", Layout
)
ABSTRACTS: Final = Layout(
    name="abstracts",
    description="the index of abstracts, a document for each",
    version=abstracts.VERSION,
    adds_synonyms=False,
    any_lengths=True,
    package="citespan.pipelines.layouts.abstracts",
    abstract_only=True,
)
"""How abstracts are read and searched. It is not registered, since no article is loaded into it:
abstracts have a target of their own (`pipelines/indexing/writing/abstracts.py`)."""


def default_layout() -> str:
    """Return the name of the layout that articles are stored in unless stated otherwise."""
    return layouts.find(lambda layout: layout.default).name


def shared_layout() -> Layout:
    """Return the layout that has room for any number of articles, since they share indices."""
    return layouts.find(lambda layout: layout.shares_indices)


def shared_aliases(names: IndexNames) -> list[str]:
    """Return the aliases of all indices that articles share, in whichever layout."""
    return [names.shared(layout.name) for layout in layouts if layout.shares_indices]


def layout_of(entry: ArticleEntry) -> Layout:
    """Return the layout that an article is stored in.

    Raises:
        UnknownNameError: if this installation does not have it.
        OtherVersionError: if another version of citespan has written the article's documents.
    """
    layout = ABSTRACTS if entry.layout == ABSTRACTS.name else layouts[entry.layout]
    version = getattr(entry, "mapping_version", layout.version)
    if version != layout.version:
        index = f"{entry.index}, of article '{entry.article}',"
        raise OtherVersionError(index, version, layout.version)
    return layout


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
