"""The layout `spans`: an index for each article, and a document for each span.

It is the published design: the server scores, and the index can be looked at in Kibana.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from citespan.es_mappings import spans as mappings
from citespan.pipelines.store.layout import LayoutChecker, LayoutReader, layouts

if TYPE_CHECKING:  # a part is imported where it is used: searches need nothing of what writes
    from citespan.pipelines.indexing.layout import LayoutWriter
    from citespan.pipelines.retrieval.request import LayoutSearcher


@layouts.register
class Spans:
    name = "spans"
    description = "an index for each article, a document for each span"
    version = mappings.VERSION
    adds_synonyms = True
    any_lengths = False

    @property
    def checker(self) -> LayoutChecker:
        from citespan.pipelines.layouts.spans import check

        return check

    @property
    def reader(self) -> LayoutReader:
        from citespan.pipelines.layouts.spans import read

        return read

    @property
    def writer(self) -> LayoutWriter:
        from citespan.pipelines.layouts.spans import write

        return write

    @property
    def searcher(self) -> LayoutSearcher:
        from citespan.pipelines.layouts.spans import search

        return search
