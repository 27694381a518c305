"""Running an experiment: index the collection, search all citances, measure, write the files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson
from elasticsearch import Elasticsearch

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.collection import Citance, Collection
from citespan.pipelines.corpus.reader import CollectionReader, readers
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.scores import Score, score_systems
from citespan.pipelines.evaluation.sentence_bm25 import SentenceBM25
from citespan.pipelines.evaluation.spans_file import write_spans
from citespan.pipelines.evaluation.specification import (
    Experiment,
    SearchSystem,
    YardstickSystem,
)
from citespan.pipelines.evaluation.trec import write_qrels, write_run
from citespan.pipelines.indexing import capacity, catalogue
from citespan.pipelines.indexing.loader import Loader
from citespan.pipelines.reformulation.reformulation import reformulations
from citespan.pipelines.retrieval.model import models, similarities
from citespan.pipelines.retrieval.search import SearchRequest, search_many
from citespan.pipelines.text.sentences import sentences
from citespan.pipelines.text.splitter import DEFAULT, splitters

MAIN_MEASURE = "f1"

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Results:
    """What came of an experiment.

    Attributes:
        citances: how many were searched, by every system.
        records: annotation records in the collection, and how many of them were used.
        rejected: records that could not be used, topics and articles that could not.
        remarks: lines on records that were used although something in them looks wrong.
        without_terms: for each system, the citances of which its reformulation left nothing;
            they count as retrieving nothing.
        scores: by system and measure.
        run_folder: where the TREC files, `spans.jsonl` and `results.json` are.
    """

    experiment: Experiment
    collection: str
    records: int
    records_used: int
    citances: int
    rejected: tuple[Rejected, ...]
    remarks: tuple[str, ...]
    without_terms: Mapping[str, tuple[str, ...]]
    scores: Mapping[str, Mapping[str, Score]]
    run_folder: Path

    def to_json(self) -> dict[str, Any]:
        """As `citespan evaluate run --json` prints it. `low`, `high` and `p_value` are those of
        the main measure; `intervals` and `p_values` have those of all."""
        return {
            "experiment": self.experiment.name,
            "collection": self.collection,
            "records": self.records,
            "records_used": self.records_used,
            "citances": self.citances,
            "rejected": [{"path": r.source, "reason": r.reason} for r in self.rejected],
            "remarks": list(self.remarks),
            "baseline": self.experiment.baseline,
            "main_measure": MAIN_MEASURE,
            "systems": [
                {
                    "system": system,
                    "measures": {name: score.value for name, score in scores.items()},
                    "low": scores[MAIN_MEASURE].low,
                    "high": scores[MAIN_MEASURE].high,
                    "p_value": scores[MAIN_MEASURE].p_value,
                    "intervals": {name: [s.low, s.high] for name, s in scores.items()},
                    "p_values": {name: s.p_value for name, s in scores.items()},
                    "without_terms": list(self.without_terms.get(system, ())),
                }
                for system, scores in self.scores.items()
            ],
            "run_folder": str(self.run_folder),
        }


def read_collection(name: str) -> Collection:
    """The collection that FORMAT:PATH names.

    Raises:
        InputError: if there is none, or the format brings no citances.
    """
    format_, separator, path = name.partition(":")
    if not separator:
        raise InputError(f"collection '{name}': write it as FORMAT:PATH, as in scisumm:data/train")
    reader = readers[format_]
    if not isinstance(reader, CollectionReader):
        known = ", ".join(r.name for r in readers if isinstance(r, CollectionReader))
        raise InputError(f"format '{format_}' has no citances; use one of: {known}")
    if not Path(path).exists():
        raise InputError(f"{path}: no such file or folder")
    return reader.collection(Path(path))


def run(
    client: Elasticsearch,
    experiment: Experiment,
    collection: Collection,
    folder: Path,
    progress: Progress = lambda _: None,
) -> Results:
    """Run all systems on all citances, and write the run folder.

    Articles are indexed first, where they are not yet, for the models the systems need.

    Args:
        progress: called with 1 for each article indexed and each citance searched by a system.

    Raises:
        InputError: if no citance can be used.
        CitespanError: from indexing and searching.
    """
    splitter = splitters[DEFAULT]
    articles = {
        article.id: replace(article, sentences=sentences(article, splitter))
        for article in collection.articles.values()
    }
    lost = _index(client, experiment, collection.articles, progress)
    usable = tuple(c for c in collection.citances if c.article_id not in lost)
    if not usable:
        raise InputError(f"collection {collection.name}: no citance can be used")
    outcomes: dict[str, list[Outcome]] = {}
    without_terms: dict[str, tuple[str, ...]] = {}
    entries = catalogue.entries(client, list(articles))
    for system in experiment.systems:
        if isinstance(system, YardstickSystem):
            outcomes[system.name] = _yardstick(system, articles, usable, progress)
            continue
        requests = [
            SearchRequest(
                entries[citance.article_id],
                reformulations[system.reformulation].reformulate(citance.text),
                models[system.model],
                system.top,
                system.depth,
                system.merge,
            )
            for citance in usable
        ]
        without_terms[system.name] = tuple(
            c.id for c, request in zip(usable, requests, strict=True) if not request.terms
        )
        outcomes[system.name] = []
        for citance, spans in zip(usable, search_many(client, requests), strict=True):
            outcomes[system.name].append(
                Outcome(citance, articles[citance.article_id], tuple(spans))
            )
            progress(1)
    results = Results(
        experiment,
        collection.name,
        collection.records,
        sum(len(citance.annotations) for citance in usable),
        len(usable),
        (*collection.rejected, *collection.unusable, *lost.values()),
        collection.remarks,
        without_terms,
        score_systems(outcomes, experiment.baseline, measures),
        folder,
    )
    _write(results, outcomes)
    return results


def _index(
    client: Elasticsearch,
    experiment: Experiment,
    articles: Mapping[str, Article],
    progress: Progress,
) -> dict[str, Rejected]:
    """Index what is not; the articles that could not be, by id."""
    wanted = similarities(s.model for s in experiment.systems if isinstance(s, SearchSystem))
    capacity.check(client, len(articles))
    loader = Loader(
        client,
        wanted,
        experiment.spans,
        splitters[DEFAULT],
        on_input=progress,
    )
    census = loader.load(iter(articles.values()))
    ids = {article.source: article.id for article in articles.values()}
    return {ids[r.source]: r for r in (*census.skipped, *census.quarantined)}


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


def _write(results: Results, outcomes: Mapping[str, list[Outcome]]) -> None:
    folder = results.run_folder
    folder.mkdir(parents=True, exist_ok=True)
    for system, theirs in outcomes.items():
        write_run(folder / f"{system}.run", theirs, system)
    write_qrels(folder / "qrels.txt", next(iter(outcomes.values())))
    write_spans(folder / "spans.jsonl", outcomes)
    (folder / "results.json").write_bytes(
        orjson.dumps(results.to_json(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    )
