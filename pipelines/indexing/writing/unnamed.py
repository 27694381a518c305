"""Finds where catalogue and documents differ: editions that no entry names, which a killed load or
a late request has left, and entries without any document, as where a late copy of the first writing
of an entry has undone its deletion."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from elasticsearch.dsl.query import MatchAll

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.edition import Place, Stored, find_orphans
from citespan.pipelines.store.layout import layouts
from citespan.pipelines.store.server import Server

_NEEDED = ("article", "layout", "index", "edition", "sentences", "citations")


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Where catalogue and documents differ.

    Attributes:
        unnamed: the places of all editions that no entry names.
        citations: those of editions that no entry names.
        empty: the ids of the articles that have an entry and no sentence or span, sorted.
        entries: how many entries the catalogue has.
    """

    unnamed: list[Place]
    citations: list[Stored]
    empty: list[str]
    entries: int


def find_leftovers(server: Server, catalogue: Catalogue) -> Leftovers:
    """Return where catalogue and documents differ.

    Among them are those that a load which is running has written, and has not yet named: it holds
    a lease.
    """
    unnamed: list[Place] = []
    empty: list[str] = []
    for layout in layouts:
        read_entries = partial(_read_entries, server, catalogue, layout.name)
        orphans = layout.checker.find_orphans(server, catalogue.names, read_entries)
        unnamed += orphans.unnamed
        empty += orphans.empty

    def read_citations() -> Iterator[Stored]:
        for entry in _read_entries(server, catalogue):
            yield Stored(entry.article, "", entry.edition, entry.citations or 0)

    citations, _ = find_orphans(server, catalogue.names.citations, read_citations)
    entries = server.call(lambda: catalogue.count(MatchAll()))
    return Leftovers(unnamed, citations, sorted(empty), entries)


def find_unused_indices(server: Server, catalogue: Catalogue) -> list[str]:
    """Return the indices of single articles that a load has made and no entry names."""
    return [
        index
        for layout in layouts
        for index in layout.checker.find_unused(
            server, catalogue.names, partial(_read_entries, server, catalogue, layout.name)
        )
    ]


def _read_entries(server: Server, catalogue: Catalogue, layout: str = "") -> Iterator[ArticleEntry]:
    """Yield the entries of all articles, or of those in one layout."""
    server.refresh(catalogue.names.articles)
    query = {"term": {"layout": layout}} if layout else None
    for version in catalogue.scan(_NEEDED, query):
        yield version.entry
