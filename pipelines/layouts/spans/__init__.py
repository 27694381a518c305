"""The layout `spans`: an index for each article, and a document for each span.

It is the published design: the server scores, and the index can be looked at in Kibana.
"""

from typing import TYPE_CHECKING

from citespan.es_mappings import spans as mappings
from citespan.pipelines.store.layout import Layout, LayoutChecker, LayoutReader, layouts

if TYPE_CHECKING:  # the types of its parts, which are imported when they are used
    from citespan.pipelines.indexing.layout import LayoutWriter
    from citespan.pipelines.layouts.spans import check, read, search, write
    from citespan.pipelines.retrieval.request import LayoutSearcher

    _PARTS: tuple[LayoutChecker, LayoutReader, LayoutSearcher, LayoutWriter]
    _PARTS = (check, read, search, write)

layouts.add(
    Layout(
        name=mappings.LAYOUT,
        description="an index for each article, a document for each span",
        version=mappings.VERSION,
        adds_synonyms=True,
        any_lengths=False,
        package=__name__,
        default=True,
    )
)
