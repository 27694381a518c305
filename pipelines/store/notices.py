"""Which articles are retracted, corrected or doubted, as far as anything here says so: the article
itself or its record in PubMed, an indexed notice about it, or the list of Retraction Watch.
"""

import os
from collections.abc import Sequence

from elasticsearch.dsl.query import Terms

from citespan.pipelines.batches import batched
from citespan.pipelines.corpus.notices import Notice, merge_notices
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.retraction_list import (
    RETRACTIONS,
    RetractionList,
    read_retraction_list,
)
from citespan.pipelines.store.catalogue import Catalogue, read_publication

_AT_ONCE = 2_000
_MOST = 5_000  # notices of so many: one has several, and few articles have any


def open_retractions() -> RetractionList:
    """Return the list that `CITESPAN_RETRACTIONS` names; an empty one if it names none.

    Raises:
        InputError: if that can't be read, or is another table.
    """
    path = os.environ.get(RETRACTIONS, "")
    return read_retraction_list(path) if path else {}


def find_notices(
    catalogue: Catalogue,
    publications: Sequence[Publication],
    retractions: RetractionList | None = None,
) -> list[tuple[Notice, ...]]:
    """Return what is said of each publication, in their order.

    Args:
        publications: indexed or not.
        retractions: None for the list that the environment names.

    Raises:
        InputError: if that can't be read.
    """
    listed = open_retractions() if retractions is None else retractions
    indexed = _find_indexed(catalogue, {key for work in publications for key in work.identifiers})
    return [
        merge_notices(
            (
                *work.notices,
                *(each for key in work.identifiers for each in indexed.get(key, ())),
                *(each for key in work.identifiers for each in listed.get(key, ())),
            )
        )
        for work in publications
    ]


def _find_indexed(catalogue: Catalogue, keys: set[str]) -> dict[str, list[Notice]]:
    """Return the notices that are indexed about publications, by identifiers of these."""
    found: dict[str, list[Notice]] = {}
    for some in batched(sorted(keys), _AT_ONCE):
        asked = Terms("notice_of", some)
        for entry in catalogue.search(asked, _MOST):
            notice = read_publication(entry)
            by = next(iter(notice.identifiers), str(entry.article))
            for key in notice.notice_of:
                found.setdefault(key, []).append(Notice(notice.notice, by))
    return found
