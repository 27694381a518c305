"""Loads of articles and abstracts that tests make themselves, without files."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch

from citespan.es_mappings.index_name import CITESPAN, IndexNames
from citespan.pipelines.corpus.abstract import AbstractReading
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.indexing.documents.abstract_document import Zoner
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.load import load_articles
from citespan.pipelines.indexing.reading.unit import Event, Unit
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.indexing.writing.abstracts import GROUP_ABSTRACTS, AbstractTarget
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint
from citespan.pipelines.indexing.writing.loader import Loader
from citespan.pipelines.retrieval.model import similarities
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.retry import RetryPolicy
from citespan.pipelines.store.server import open_server
from citespan.pipelines.text.splitter import DEFAULT, splitters


def load(
    es: Elasticsearch,
    readings: Iterable[Article | Rejected],
    models: Iterable[str] = (),
    lengths: SpanLengths | None = None,
    layout: str = "spans",
    names: IndexNames = CITESPAN,
    **options: Any,
) -> LoadReport:
    """Load articles."""
    settings = DocumentSettings(similarities(models), layout, lengths or SpanLengths())
    return load_articles(es, readings, settings, Catalogue(es, names), **options)


def load_abstracts(
    es: Elasticsearch,
    readings: Iterable[AbstractReading],
    zoner: Zoner | None = None,
    retry: RetryPolicy | None = None,
    group_readings: int = GROUP_ABSTRACTS,
) -> LoadReport:
    """Load abstracts and remove those deleted."""
    report = LoadReport()
    unit = Unit("", "", Path())
    with (
        open_server(es, retry or RetryPolicy(), report) as server,
        Checkpoint(None, {}) as checkpoint,
    ):
        target = AbstractTarget(
            server, checkpoint, splitters[DEFAULT], zoner, group_readings=group_readings
        )
        target.ensure()
        events = (Event(unit, reading) for reading in readings)
        Loader(target, checkpoint, report, lambda _: None).load(events)
    report.finish()
    return report
