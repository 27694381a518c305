"""The layout `sentences`: indices shared by all articles, and a document for each sentence.

The server counts terms in sentences; spans are made of sentences and scored in NumPy, when they are
searched.
"""

from typing import TYPE_CHECKING

from citespan.es_mappings import sentences as mappings
from citespan.pipelines.store.layout import Layout, LayoutChecker, LayoutReader, layouts

if TYPE_CHECKING:  # the types of its parts, which are imported when they are used
    from citespan.pipelines.indexing.layout import LayoutWriter
    from citespan.pipelines.layouts.sentences import check, read, search, write
    from citespan.pipelines.retrieval.request import LayoutSearcher

    _PARTS: tuple[LayoutChecker, LayoutReader, LayoutSearcher, LayoutWriter]
    _PARTS = (check, read, search, write)

layouts.add(
    Layout(
        name=mappings.LAYOUT,
        description="shared indices, a document for each sentence",
        version=mappings.VERSION,
        adds_synonyms=False,
        any_lengths=True,
        package=__name__,
        shares_indices=True,
    )
)
