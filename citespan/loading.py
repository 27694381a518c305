"""Loading articles and abstracts from Python."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from socket import gethostname
from typing import Any

from elasticsearch import Elasticsearch

from citespan.connecting import make_connector, use_client
from citespan.pipelines.answers.zones.zoning import LoadingZoner
from citespan.pipelines.indexing.documents.settings import DocumentSettings, SynonymSource
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.load import Load
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.retrieval.model import similarities
from citespan.pipelines.text.splitter import DEFAULT

_DEFAULT_LENGTHS = SpanLengths()


def index(
    *paths: str | Path,
    format: str = "auto",  # noqa: A002  as in the command line
    layout: str = "spans",
    models: Sequence[str] = ("vsm",),
    lengths: SpanLengths = _DEFAULT_LENGTHS,
    splitter: str = DEFAULT,
    vocabulary: str | Path | None = None,
    corpus: str | None = None,
    client: Elasticsearch | None = None,
    on_input: Callable[[int], None] = lambda _: None,
    **load: Any,
) -> LoadReport:
    """Load articles, or abstracts into their own index; what is loaded already is left alone.

    Args:
        paths: files, folders, patterns like "articles/**/*.xml", or archives.
        format: name of a reader, or "auto".
        layout: "spans" or "sentences".
        models: retrieval models to search with, in the layout `spans`; `vsm` is always included.
        lengths: least and greatest number of sentences in a span.
        splitter: name of what splits texts into sentences.
        vocabulary: folder of a concept store, for the field `text.umls`.
        corpus: name of the place that the paths are in; None for this machine's name.
        client: of the server. If `connect` has not made it, the processes that read can't see what
            is indexed, and loading the same again takes as long as the first time.
        on_input: called with the number of inputs that have just been dealt with.
        load: further attributes of `citespan.pipelines.indexing.load.Load`, such as `processes`,
            `unit_seconds`, `unit_memory`, `delete_missing`, `delete_many`, `rebuild`, `quarantine`
            or `checkpoint`.

    Returns:
        What became of every input: indexed, unchanged, replaced, skipped or quarantined. Its
        `planned` says what `delete_missing` found missing, and its `missing` what it has deleted.

    Raises:
        InputError: if a path does not exist, or an argument can't be used.
        ElasticsearchUnreachableError: if the server goes away; loading again resumes.
        ShardLimitError: if the cluster has no room for so many indices.
    """
    synonyms = SynonymSource(Path(vocabulary).absolute()) if vocabulary is not None else None
    place = gethostname() if corpus is None else corpus
    settings = DocumentSettings(similarities(models), layout, lengths, splitter, synonyms, place)
    used = use_client(client)
    options: dict[str, Any] = {
        "processes": len(os.sched_getaffinity(0)),
        "zoner": LoadingZoner(),
    }
    sources = Sources([str(path) for path in paths], format)
    whole = Load(sources, settings, make_connector(client), **options | load)
    return whole.run(used, on_input, lambda: None)
