"""Entries of the catalogue written anew by whoever has not read the article, with its text.

Entries are indexed with the texts of their articles but do not store them, so the text is read from
the article's documents. An entry that the server itself writes anew, as by an update, has lost it.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from citespan.es_mappings.articles import TEXT
from citespan.pipelines.batches import batched
from citespan.pipelines.errors import ArticleGoneError, CitespanError, OtherVersionError
from citespan.pipelines.indexing.writing.editions import find_incomplete
from citespan.pipelines.store.catalogue import Catalogue, NewEntry, Version
from citespan.pipelines.store.edition import Place
from citespan.pipelines.store.layout import layout_of
from citespan.pipelines.store.sender import CONFLICT
from citespan.pipelines.store.server import Server
from citespan.pipelines.text import lucene

_AT_ONCE = 100
_WITHOUT_TEXT = {"bool": {"must_not": [{"exists": {"field": TEXT}}]}}


def write_again(server: Server, catalogue: Catalogue, versions: Sequence[Version]) -> None:
    """Write entries in place of those that were looked up, with the texts of their articles.

    An entry that has been written since stays as it is, and so does one without all of its
    documents.

    Raises:
        CitespanError: if the server refuses one.
    """
    _put(server, catalogue, list(_read_texts(server, catalogue, versions)))


def restore_texts(server: Server, catalogue: Catalogue) -> list[str]:
    """Write all entries again that lack their texts, and return the ids of their articles.

    Raises:
        CitespanError: if the server refuses one.
    """
    restored = []
    for entries in find_without_text(server, catalogue):
        restored += _put(server, catalogue, entries)
    server.refresh(catalogue.names.articles)
    return restored


def find_without_text(server: Server, catalogue: Catalogue) -> Iterator[list[NewEntry]]:
    """Yield, some at a time, the entries that lack the texts of their articles, with these. An
    article without any word needs none."""
    server.refresh(catalogue.names.articles)
    found = catalogue.scan(query=_WITHOUT_TEXT)
    for some in batched(found, _AT_ONCE):
        entries = _read_texts(server, catalogue, some)
        yield [new for new in entries if _has_words(new.text)]


def _put(server: Server, catalogue: Catalogue, entries: Sequence[NewEntry]) -> list[str]:
    refused = catalogue.put(server.sender, entries)
    for article, reason in refused.items():
        if reason != CONFLICT:
            raise CitespanError(f"the entry of article '{article}' can't be written: {reason}")
    return [new.entry.article for new in entries if new.entry.article not in refused]


def _read_texts(
    server: Server, catalogue: Catalogue, versions: Sequence[Version]
) -> Iterator[NewEntry]:
    places = {Place.of_entry(version.entry): version for version in versions}
    incomplete = find_incomplete(server, catalogue.names, list(places))
    for place, version in places.items():
        if place not in incomplete:
            entry = version.entry
            with suppress(ArticleGoneError, OtherVersionError):  # gone since it was counted
                text = server.call(lambda: layout_of(entry).reader.read_text(server.client, entry))  # noqa: B023
                yield NewEntry(entry, text, version)


def _has_words(text: str) -> bool:
    """Whether an index of a text has any term."""
    if lucene.covers(text):
        return bool(lucene.tokenise(text))
    return any(map(str.isalnum, text))
