"""Looking references up among the indexed articles."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from elasticsearch import Elasticsearch
from elasticsearch.dsl.query import Terms
from elasticsearch.helpers import scan

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import CITESPAN, IndexNames
from citespan.pipelines.citations.resolution import Candidate, LookUp
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.indexing.catalogue import Catalogue

_KEYS_AT_ONCE = 2_000
_FIELDS = ["article", "title", "authors", "year", "journal", "pmid", "pmcid", "doi"]


def make_catalogue_look_up(client: Elasticsearch, names: IndexNames = CITESPAN) -> LookUp:
    """Return what looks keys up in the catalogue, as of its last refresh; it finds nothing where
    nothing is indexed.

    Args:
        names: of the indices; those of users' articles unless stated otherwise.
    """

    catalogue = Catalogue(client, names)

    def look_up(keys: Collection[str]) -> Mapping[str, Sequence[Candidate]]:
        found: dict[str, dict[str, Candidate]] = {}
        wanted = list(keys)
        for start in range(0, len(wanted), _KEYS_AT_ONCE):
            for candidate in _find(catalogue, wanted[start : start + _KEYS_AT_ONCE]):
                for key in candidate.publication.keys:
                    found.setdefault(key, {})[candidate.id] = candidate
        return {key: list(found[key].values()) for key in keys if key in found}

    return look_up


def _find(catalogue: Catalogue, keys: Sequence[str]) -> Iterator[Candidate]:
    query = {"query": Terms("found_by", list(keys)).to_dict(), "_source": _FIELDS}
    hits = scan(catalogue.client, index=catalogue.index, query=query, ignore_unavailable=True)
    for hit in hits:
        entry = ArticleEntry.from_es(hit)
        yield Candidate(entry.article, read_publication(entry))


def read_publication(entry: ArticleEntry) -> Publication:
    """Return what the catalogue knows of an article."""
    return Publication(
        authors=tuple(entry.authors or ()),
        title=entry.title or "",
        year=entry.year,
        journal=entry.journal or "",
        pmid=entry.pmid or "",
        pmcid=entry.pmcid or "",
        doi=entry.doi or "",
    )
