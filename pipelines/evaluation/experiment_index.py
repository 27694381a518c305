"""The articles of an experiment in Elasticsearch: the only place where experiments index."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import EXPERIMENTS
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.documents.settings import DocumentSettings, SynonymSource
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.layout import writer_of
from citespan.pipelines.indexing.load import load_articles
from citespan.pipelines.retrieval.model import similarities
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.index_versions import index_versions
from citespan.pipelines.store.layout import layouts


@dataclass(frozen=True, slots=True)
class IndexedArticles:
    """What can be searched.

    Attributes:
        entries: of the articles, by id.
        rejected: the articles that could not be indexed, by id.
    """

    entries: Mapping[str, ArticleEntry]
    rejected: Mapping[str, Rejected]


@dataclass(frozen=True)
class ExperimentIndex:
    """Indexes the articles of experiments; those that are there as needed cost no write.

    Attributes:
        progress: called with the number of articles that have just been indexed.
    """

    client: Elasticsearch
    progress: Callable[[int], None] = lambda _: None

    def ensure(
        self,
        articles: Mapping[str, Article],
        lengths: Collection[SpanLengths],
        models: Iterable[str],
        synonyms: SynonymSource | None = None,
        layout: str | None = None,
    ) -> IndexedArticles:
        """Index the articles that are not yet indexed as needed.

        Args:
            articles: by id, as they were read.
            lengths: of the systems' spans; they have to be the same in a layout that has only those
                with which articles are indexed.
            models: the retrieval models to be searched with.
            synonyms: that the server is to add, which not every layout can.
            layout: None for one that adds synonyms if they are wanted, else for one that has spans
                of any lengths.

        Raises:
            InputError: for synonyms, or different lengths, in a layout that can't have them.
            CitespanError: if the server refuses.
        """
        adding = layouts.find(lambda known: known.adds_synonyms)
        flexible = layouts.find(lambda known: known.any_lengths)
        chosen = layouts[layout] if layout else flexible if synonyms is None else adding
        if synonyms is not None and not chosen.adds_synonyms:
            raise InputError(
                f"umls-field needs `layout={adding.name}`: {chosen.name} have no synonyms"
            )
        if len(lengths) > 1 and not chosen.any_lengths:
            raise InputError(
                f"spans: in the layout {chosen.name}, all systems search spans of one range of "
                f"lengths; give them the same, or run the experiment with `layout={flexible.name}`"
            )
        self._delete_outdated()
        catalogue = Catalogue(self.client, EXPERIMENTS)
        writer_of(chosen.name).check_capacity(self.client, EXPERIMENTS, len(articles))
        settings = DocumentSettings(
            similarities(models),
            chosen.name,
            # The catalogue stores one choice of lengths; searches for any lengths bring their own.
            next(iter(lengths), SpanLengths()) if not chosen.any_lengths else SpanLengths(),
            synonym_source=synonyms,
        )
        report = load_articles(self.client, articles.values(), settings, catalogue, self.progress)
        ids = {article.source: article.id for article in articles.values()}
        rejected = {
            ids[rejection.source]: rejection for rejection in (*report.skipped, *report.quarantined)
        }
        return IndexedArticles(catalogue.entries(list(articles)), rejected)

    def _delete_outdated(self) -> None:
        """Delete all experiments' indices if another version of citespan made any: they hold
        nothing that the collections do not."""
        found = index_versions(self.client, EXPERIMENTS)
        if any(version.version != version.wanted for version in found):
            self.client.indices.delete(
                index=[version.index for version in found], ignore_unavailable=True
            )
