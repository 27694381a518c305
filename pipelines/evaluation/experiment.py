"""Running an experiment: index the collection, search all citances, measure, write the files."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.collection import Citance, Collection
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.queries import Queries, Terms, check
from citespan.pipelines.evaluation.results import Results
from citespan.pipelines.evaluation.scores import score_systems
from citespan.pipelines.evaluation.sentence_bm25 import SentenceBM25
from citespan.pipelines.evaluation.specification import (
    Experiment,
    SearchSystem,
    YardstickSystem,
)
from citespan.pipelines.indexing import capacity, catalogue
from citespan.pipelines.indexing.documents.preparer import Layout
from citespan.pipelines.indexing.documents.synonym_rules import ConceptSynonyms
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.writing.loader import Loader
from citespan.pipelines.reformulation.context import Options
from citespan.pipelines.retrieval.model import models, similarities
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.retrieval.search import search_many
from citespan.pipelines.text.sentences import sentences
from citespan.pipelines.text.splitter import DEFAULT, splitters

Progress = Callable[[int], None]


def run(
    client: Elasticsearch,
    experiment: Experiment,
    collection: Collection,
    source: str,
    folder: Path,
    options: Options,
    progress: Progress = lambda _: None,
    layout: Layout | None = None,
) -> Results:
    """Run all systems on all citances, and write the run folder.

    Articles are indexed first, where they are not yet, for the models the systems need
    and with synonyms where the server is to add them.

    Args:
        source: FORMAT:PATH of the collection.
        options: for the reformulations of all systems, but for what each has its own way.
        progress: called with 1 for each article indexed and each citance searched by a system.
        layout: of the articles; None for the one that each has, `spans` for those that are new.

    Raises:
        InputError: if no citance can be used, or a reformulation lacks what it needs.
        CitespanError: from indexing and searching.
    """
    if not collection.citances:
        raise InputError(f"collection {collection.name}: no citance can be used")
    splitter = splitters[DEFAULT]
    articles = {
        article.id: replace(article, sentences=sentences(article, splitter))
        for article in collection.articles.values()
    }
    searching = [system for system in experiment.systems if isinstance(system, SearchSystem)]
    longest = max(collection.citances, key=lambda citance: len(citance.text))
    synonyms = check(searching, options, longest, articles[longest.article_id])
    if synonyms is not None:
        if layout == "sentences":
            raise InputError("umls-field needs --layout spans: sentences have no synonyms")
        layout = "spans"
    lost = _index(client, experiment, collection.articles, synonyms, progress, layout)
    usable = tuple(c for c in collection.citances if c.article_id not in lost)
    if not usable:
        raise InputError(f"collection {collection.name}: no citance can be used")
    entries = catalogue.entries(client, list(articles))
    queries = Queries(client, entries, options)
    terms: dict[str, list[Terms]] = {}
    outcomes: dict[str, list[Outcome]] = {}
    for system in experiment.systems:
        if isinstance(system, YardstickSystem):
            outcomes[system.name] = _yardstick(system, articles, usable, progress)
            continue
        terms[system.name] = queries.terms(system, usable)
        outcomes[system.name] = _search(
            client,
            system,
            experiment.spans,
            articles,
            entries,
            usable,
            terms[system.name],
            progress,
        )
    published = experiment.published
    results = Results(
        experiment=experiment,
        collection=collection.name,
        collection_path=source,
        records=collection.records,
        records_used=sum(len(citance.annotations) for citance in usable),
        citances=len(usable),
        rejected=(*collection.rejected, *collection.unusable, *lost.values()),
        remarks=collection.remarks,
        without_terms={
            system: tuple(c.id for c, one in zip(usable, theirs, strict=True) if not one)
            for system, theirs in terms.items()
        },
        queries_changed=_changed(terms, experiment.baseline),
        scores=score_systems(outcomes, experiment.baseline, measures),
        published_shown=published is not None and published.collection.is_it(collection),
        published_remark=published.collection.remark(collection) if published else None,
        run_folder=folder,
    )
    results.write(outcomes)
    return results


def _changed(terms: Mapping[str, list[Terms]], baseline: str) -> dict[str, int]:
    """For how many citances each system's query is another than the baseline's."""
    if baseline not in terms:
        return {}
    return {
        system: sum(
            set(one) != set(other) for one, other in zip(theirs, terms[baseline], strict=True)
        )
        for system, theirs in terms.items()
    }


def _index(
    client: Elasticsearch,
    experiment: Experiment,
    articles: Mapping[str, Article],
    synonyms: ConceptSynonyms | None,
    progress: Progress,
    layout: Layout | None,
) -> dict[str, Rejected]:
    """Index what is not; the articles that could not be, by id."""
    wanted = similarities(s.model for s in experiment.systems if isinstance(s, SearchSystem))
    known = {} if layout else catalogue.entries(client, list(articles))
    in_layout: dict[Layout, list[Article]] = {"spans": [], "sentences": []}
    for article in articles.values():
        own: Layout = "sentences" if _is_in_sentences(known.get(article.id)) else "spans"
        in_layout[layout or own].append(article)
    capacity.check(client, len(in_layout["spans"]))
    rejected: list[Rejected] = []
    for its_layout, some in in_layout.items():
        if some:
            loader = Loader(
                client,
                wanted,
                experiment.spans,
                splitters[DEFAULT],
                on_input=progress,
                synonyms=synonyms,
                layout=its_layout,
            )
            census = loader.load(iter(some))
            rejected += [*census.skipped, *census.quarantined]
    ids = {article.source: article.id for article in articles.values()}
    return {ids[r.source]: r for r in rejected}


def _is_in_sentences(entry: ArticleEntry | None) -> bool:
    return entry is not None and entry.layout == "sentences"


def _search(
    client: Elasticsearch,
    system: SearchSystem,
    spans: SpanLengths,
    articles: Mapping[str, Article],
    entries: Mapping[str, ArticleEntry],
    citances: tuple[Citance, ...],
    terms: list[Terms],
    progress: Progress,
) -> list[Outcome]:
    model = models[system.model]
    requests = [
        SearchRequest(
            entries[c.article_id], one, model, system.top, system.depth, system.merge, spans
        )
        for c, one in zip(citances, terms, strict=True)
    ]
    outcomes = []
    for citance, found in zip(citances, search_many(client, requests), strict=True):
        outcomes.append(Outcome(citance, articles[citance.article_id], tuple(found)))
        progress(1)
    return outcomes


def _yardstick(
    system: YardstickSystem,
    articles: Mapping[str, Article],
    citances: tuple[Citance, ...],
    progress: Progress,
) -> list[Outcome]:
    indices = {article_id: SentenceBM25(article) for article_id, article in articles.items()}
    outcomes = []
    for citance in citances:
        spans = indices[citance.article_id].retrieve(citance.text, system.top)
        outcomes.append(Outcome(citance, articles[citance.article_id], spans))
        progress(1)
    return outcomes
