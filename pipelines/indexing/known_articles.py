"""Which of some articles are loaded, for those who make them ready."""

from collections.abc import Mapping, Sequence

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.indexing import catalogue
from citespan.pipelines.indexing.documents.preparer import Known
from citespan.pipelines.indexing.writing.patience import Patience
from citespan.pipelines.indexing.writing.span_writer import listed

_NOT_NEEDED = ("lengths", "title", "also_known_as")


def known_articles(client: Elasticsearch, patience: Patience) -> Known:
    """What looks up the entries of articles whose index is there."""

    def known(article_ids: Sequence[str]) -> Mapping[str, ArticleEntry]:
        found = patience.call(lambda: catalogue.versions(client, article_ids, _NOT_NEEDED))
        present = existing(client, patience, {version.entry.index for version in found.values()})
        return {
            article_id: version.entry
            for article_id, version in found.items()
            if version.entry.article == article_id and version.entry.index in present
        }

    return known


def existing(client: Elasticsearch, patience: Patience, indices: set[str]) -> set[str]:
    """Those of the indices that are there."""
    found: set[str] = set()
    for names in listed(sorted(indices)):

        def get(names: str = names) -> set[str]:
            return set(
                client.indices.get(index=names, ignore_unavailable=True, filter_path="*.aliases")
            )

        found |= patience.call(get)
    return found
