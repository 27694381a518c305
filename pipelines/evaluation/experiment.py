"""Running an experiment: index the collection, search all citances, measure, write the files."""

import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, cast

import orjson
from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.collection import Citance, Collection
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.experiment_index import ExperimentIndex
from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.queries import Queries, Terms, check
from citespan.pipelines.evaluation.read_collection import split_articles
from citespan.pipelines.evaluation.results import Results, check_folder
from citespan.pipelines.evaluation.scores import score_systems
from citespan.pipelines.evaluation.sentence_bm25 import SentenceBM25
from citespan.pipelines.evaluation.specification import Experiment, SearchSystem, YardstickSystem
from citespan.pipelines.ranking.ranker import NONE, OUT_OF_FOLD, Ranker, find_ranker, name_ranker
from citespan.pipelines.ranking.search import EvidenceRequest, find_evidence
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.retrieval.search import search_many

Progress = Callable[[int], None]
TrainOnFolds = Callable[[Mapping[str, Article], Sequence[Citance], Sequence[str]], Sequence[Ranker]]
"""Returns a ranker for each citance, trained on other topics: `training.ranker_fitting`."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How an experiment is run.

    Attributes:
        folder: where its files are written.
        options: for the reformulations of all systems, but for those that a system sets itself.
        layout: how its articles are indexed; None for what the systems need, as in
            `ExperimentIndex.ensure`.
        progress: called with 1 for each article indexed and each citance searched by a system.
    """

    folder: Path
    options: Options = field(default_factory=Options)
    layout: str | None = None
    progress: Progress = lambda _: None


def run(
    client: Elasticsearch,
    experiment: Experiment,
    collection: Collection,
    source: str,
    settings: RunSettings,
    train_on_folds: TrainOnFolds,
) -> Results:
    """Run all systems on all citances, and write the run folder.

    Articles are indexed first, where they are not yet, for the models that the systems need
    and with synonyms where the server is to add them.

    Args:
        source: FORMAT:PATH of the collection.
        train_on_folds: for the systems with the ranker "out-of-fold".

    Raises:
        InputError: if no citance can be used, a reformulation lacks what it needs, or the folder
            can't be written to.
        CitespanError: from indexing and searching.
    """
    check_folder(settings.folder)
    if not collection.citances:
        raise InputError(f"collection {collection.name}: no citance can be used")
    articles = split_articles(collection)
    searching = [system for system in experiment.systems if isinstance(system, SearchSystem)]
    longest = max(collection.citances, key=lambda citance: len(citance.text))
    synonyms = check(searching, settings.options, longest, articles[longest.article_id])
    indexed = ExperimentIndex(client, settings.progress).ensure(
        collection.articles,
        {system.spans for system in searching if system.ranker == NONE},
        [system.model for system in searching],
        synonyms,
        settings.layout,
    )
    usable = tuple(c for c in collection.citances if c.article_id not in indexed.rejected)
    if not usable:
        raise InputError(f"collection {collection.name}: no citance can be used")
    systems = _Systems(
        client, experiment, articles, indexed.entries, usable, settings, train_on_folds
    )
    systems.search()
    results = systems.measure(collection, source, indexed.rejected.values())
    results.write(systems.outcomes)
    return results


@dataclass
class _Systems:
    """The systems of an experiment at work.

    Attributes:
        articles: split into sentences, by id.
        terms: what each system that searches was looking for, citance by citance.
        shortened: for each system, the citances with more terms than a query takes.
        outcomes: what each system found.
    """

    client: Elasticsearch
    experiment: Experiment
    articles: Mapping[str, Article]
    entries: Mapping[str, ArticleEntry]
    citances: Sequence[Citance]
    settings: RunSettings
    train_on_folds: TrainOnFolds
    terms: dict[str, list[Terms]] = field(default_factory=dict)
    shortened: dict[str, tuple[str, ...]] = field(default_factory=dict)
    outcomes: dict[str, list[Outcome]] = field(default_factory=dict)

    def search(self) -> None:
        """Let every system search for every citance."""
        queries = Queries(self.client, self.entries, self.settings.options)
        for system in self.experiment.systems:
            if isinstance(system, YardstickSystem):
                self.outcomes[system.name] = self._run_yardstick(system)
            else:
                self.terms[system.name] = queries.make_terms(system, self.citances)
                self.outcomes[system.name] = self._run_search(system)

    def measure(self, collection: Collection, source: str, lost: Iterable[Rejected]) -> Results:
        """Measure what the systems found; `lost` are the articles that could not be indexed."""
        published = self.experiment.published
        return Results(
            experiment=self.experiment,
            collection=collection.name,
            collection_path=source,
            records=collection.records,
            records_used=sum(len(citance.annotations) for citance in self.citances),
            citances=len(self.citances),
            rejected=(*collection.rejected, *collection.unusable, *lost),
            remarks=collection.remarks,
            without_terms=self._find_without_terms(),
            shortened=self.shortened,
            queries_changed=self._count_changed_queries(),
            scores=score_systems(
                self.outcomes, self.experiment.baseline, measures, seed=self.experiment.seed
            ),
            published_shown=published is not None and published.collection.matches(collection),
            published_caveat=published.collection.caveat(collection) if published else None,
            configuration=resolve_configuration(
                self.experiment, self.settings.options, self.settings.layout
            ),
            versions=list_versions(self.client, self.experiment),
            run_folder=self.settings.folder,
        )

    def _find_without_terms(self) -> dict[str, tuple[str, ...]]:
        """Return for each system the citances without a term after its reformulation."""
        return {
            system: tuple(c.id for c, their in zip(self.citances, theirs, strict=True) if not their)
            for system, theirs in self.terms.items()
        }

    def _count_changed_queries(self) -> dict[str, int]:
        """Count for each system the citances whose query is another than the baseline's."""
        baseline = self.terms.get(self.experiment.baseline)
        if baseline is None:
            return {}
        return {
            system: sum(
                set(their) != set(other) for their, other in zip(theirs, baseline, strict=True)
            )
            for system, theirs in self.terms.items()
        }

    def _run_search(self, system: SearchSystem) -> list[Outcome]:
        search = system.make_search(self.settings.options)
        requests = [
            search.request_terms(self.entries[citance.article_id], terms)
            for citance, terms in zip(self.citances, self.terms[system.name], strict=True)
        ]
        self.shortened[system.name] = tuple(
            citance.id
            for citance, request in zip(self.citances, requests, strict=True)
            if request.omitted
        )
        found = (
            search_many(self.client, requests)
            if system.ranker == NONE
            else self._rank(system, requests)
        )
        return [
            self._outcome(citance, tuple(spans))
            for citance, spans in zip(self.citances, found, strict=True)
        ]

    def _rank(
        self, system: SearchSystem, requests: Sequence[SearchRequest]
    ) -> Iterator[list[ScoredSpan]]:
        """Yield the passages that a ranker selects, with their probabilities as scores."""
        wanted = [
            EvidenceRequest(citance.text, request, ranker, system.top)
            for citance, request, ranker in zip(
                self.citances, requests, self._find_rankers(system), strict=True
            )
        ]
        for evidence in find_evidence(self.client, wanted):
            yield [
                ScoredSpan(
                    passage.first_sentence, passage.last_sentence, passage.probability or 0.0
                )
                for passage in evidence
            ]

    def _find_rankers(self, system: SearchSystem) -> Sequence[Ranker]:
        """Return the ranker for each citance."""
        if system.ranker == OUT_OF_FOLD:
            return self.train_on_folds(self.articles, self.citances, system.without)
        ranker = find_ranker(system.ranker)
        assert ranker is not None
        return [ranker] * len(self.citances)

    def _run_yardstick(self, system: YardstickSystem) -> list[Outcome]:
        indices = {
            key: SentenceBM25(article, stem=system.stem) for key, article in self.articles.items()
        }
        return [
            self._outcome(citance, indices[citance.article_id].retrieve(citance.text, system.top))
            for citance in self.citances
        ]

    def _outcome(self, citance: Citance, spans: tuple[ScoredSpan, ...]) -> Outcome:
        self.settings.progress(1)
        return Outcome(citance, self.articles[citance.article_id], spans)


LIBRARIES: Final = ("citespan", "elasticsearch", "lightgbm", "nltk", "numpy", "scipy", "spacy")


def resolve_configuration(
    experiment: Experiment, options: Options, layout: str | None
) -> dict[str, Any]:
    """Return all that decides what an experiment does, defaults included, as JSON has it.

    Args:
        options: those given for the systems of the experiment.
        layout: as given for the run; None for what the systems need.
    """
    configuration = {
        "seed": experiment.seed,
        "layout": layout,
        "baseline": experiment.baseline,
        "systems": {system.name: _resolve(system, options) for system in experiment.systems},
    }
    return cast(dict[str, Any], orjson.loads(orjson.dumps(configuration, default=str)))


def list_versions(client: Elasticsearch, experiment: Experiment) -> dict[str, str]:
    """Return the versions of the server, of Python, of libraries, and of the rankers used."""
    return {
        "server": str(client.info()["version"]["number"]),
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
        **{f"ranker {name}": ranker.version for name, ranker in _find_rankers(experiment).items()},
    }


def _resolve(system: SearchSystem | YardstickSystem, options: Options) -> dict[str, Any]:
    names = [field.name for field in fields(system)]
    settings = {
        name: getattr(system, name) for name in names if name not in ("name", "system_options")
    }
    if isinstance(system, SearchSystem):
        settings["ranker"] = name_ranker(system.ranker)
        settings["options"] = system.options(options)
    return settings


def _find_rankers(experiment: Experiment) -> dict[str, Ranker]:
    """Return the rankers of the systems by name, but for those that are trained on folds."""
    searching = [system for system in experiment.systems if isinstance(system, SearchSystem)]
    used = {name_ranker(system.ranker): system.ranker for system in searching}
    used.pop(OUT_OF_FOLD, None)
    found = {name: find_ranker(ranker) for name, ranker in sorted(used.items())}
    return {name: ranker for name, ranker in found.items() if ranker is not None}
