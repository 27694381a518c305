"""The layout `sentences`: indices shared by all articles, and a document for each sentence.

The server counts terms in sentences; spans are made of sentences and scored in NumPy, when they are
searched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from citespan.es_mappings import sentences as mappings
from citespan.pipelines.store.layout import LayoutChecker, LayoutReader, layouts

if TYPE_CHECKING:  # a part is imported where it is used: searches need nothing of what writes
    from citespan.pipelines.indexing.layout import LayoutWriter
    from citespan.pipelines.retrieval.request import LayoutSearcher


@layouts.register
class Sentences:
    name = "sentences"
    description = "shared indices, a document for each sentence"
    version = mappings.VERSION
    adds_synonyms = False
    any_lengths = True

    @property
    def checker(self) -> LayoutChecker:
        from citespan.pipelines.layouts.sentences import check

        return check

    @property
    def reader(self) -> LayoutReader:
        from citespan.pipelines.layouts.sentences import read

        return read

    @property
    def writer(self) -> LayoutWriter:
        from citespan.pipelines.layouts.sentences import write

        return write

    @property
    def searcher(self) -> LayoutSearcher:
        from citespan.pipelines.layouts.sentences import search

        return search
