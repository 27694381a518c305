"""`citespan index`: load articles."""

import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.index_report import report
from citespan.cli.options import (
    Json,
    Layout,
    SemanticTypes,
    Sources,
    Vocabulary,
    described,
    format_help,
    listed,
)
from citespan.cli.output import complain, progress
from citespan.deploy.node.client import connect
from citespan.deploy.node.paths import folders
from citespan.pipelines.answers.loading_zoner import LoadingZoner
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.loading import Load
from citespan.pipelines.indexing.reading.recipe import Recipe, SynonymSource
from citespan.pipelines.indexing.reading.sources import Shard
from citespan.pipelines.indexing.reading.sources import Sources as LoadSources
from citespan.pipelines.indexing.writing.patience import DEFAULT_SECONDS
from citespan.pipelines.retrieval.model import models as retrieval_models
from citespan.pipelines.retrieval.model import similarities
from citespan.pipelines.text.splitter import DEFAULT, splitters

EPILOG = "Example: citespan index articles/ --format jats --models vsm,bm25"


def index(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files, folders, patterns like 'articles/**/*.xml', archives (.tar, .tar.gz) of "
            "files; - is standard input.",
            metavar="PATH...",
        ),
    ] = None,
    format_: Annotated[str, typer.Option("--format", help=format_help())] = "auto",
    layout: Annotated[
        Layout,
        typer.Option(
            help="spans: an index for each article, a document for each span. sentences: shared "
            "indices, a document for each sentence; for more than some hundred articles."
        ),
    ] = Layout.SPANS,
    articles_expected: Annotated[
        int,
        typer.Option(
            help="How many articles there will be in all, in the layout sentences: decides the "
            "number of shards."
        ),
    ] = 0,
    models: Annotated[
        str,
        typer.Option(
            help="Models to be searched with, by comma; vsm is always there. Each further one "
            "makes loading slower. " + described(retrieval_models)
        ),
    ] = "vsm",
    shortest: Annotated[int, typer.Option(help="Sentences of the shortest span.")] = 1,
    longest: Annotated[int, typer.Option(help="Sentences of the longest span.")] = 5,
    splitter: Annotated[
        str,
        typer.Option(help="What splits texts into sentences. " + described(splitters)),
    ] = DEFAULT,
    vocabulary: Vocabulary = None,
    sources: Sources = None,
    types: SemanticTypes = None,
    zones: Annotated[
        bool,
        typer.Option(
            "--zones/--no-zones",
            help="Predict the zones of abstracts' sentences that have no label; else "
            "`answers find` does it at each question.",
        ),
    ] = True,
    from_file: Annotated[
        Path | None,
        typer.Option(
            metavar="LIST",
            help="Load the paths in this file, one a line, too; - is standard input.",
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Load the I-th of N disjoint parts of the files, so that N machines can share.",
        ),
    ] = None,
    delete_missing: Annotated[
        bool,
        typer.Option(
            "--delete-missing",
            help="When all is loaded, delete the articles that were once read from below these "
            "paths and are there no more. Files that were quarantined count as being there.",
        ),
    ] = False,
    quarantine: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Keep copies of quarantined inputs there."),
    ] = None,
    processes: Annotated[
        int, typer.Option(min=0, help="Processes that read; 0 reads in this one.")
    ] = len(os.sched_getaffinity(0)),
    patience: Annotated[
        float,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="Give up when Elasticsearch has taken nothing for so long.",
        ),
    ] = DEFAULT_SECONDS,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where to keep how far the load has come.",
            show_default="a file of citespan's own for each load",
        ),
    ] = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Begin anew where a load was interrupted.")
    ] = False,
    json: Json = False,
) -> None:
    """Load articles: read, split into sentences, index all spans.

    Loading twice changes nothing; an article that has changed is replaced. A load that was
    interrupted, by whatever, goes on where it stopped when the command is repeated. Abstracts
    (medline, pubmed, pubmedqa) go into one index of their own, each with its sentences and their
    zones; models and spans are not for them.

    With a vocabulary, a query on `text.umls` finds the synonyms of the article's concepts too,
    in Kibana as well as by `--reformulation umls-field`. An article that was indexed with one
    stays as it is when it is loaded again without.
    """
    # what it would say of each failed request is told once, where it matters
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    if not paths and from_file is None:
        raise InputError("nothing to load: name files or folders, or --from-file")
    recipe = Recipe(
        layout.value,
        similarities(models.split(",")),
        SpanLengths(shortest, longest),
        splitter,
        _synonyms(vocabulary, listed(sources), listed(types) or ()),
        connect,
    )
    with _as_file(from_file) as list_file:
        load = Load(
            LoadSources(paths or [], format_, list_file, _shard(shard)),
            recipe,
            zoner=LoadingZoner() if zones else None,
            expected=articles_expected,
            processes=processes,
            patience=patience,
            delete_missing=delete_missing,
            quarantine=quarantine,
            checkpoint=checkpoint,
            checkpoints=folders().state / "loads",
            restart=restart,
        )
        with progress("Indexing", load.inputs) as advance:
            census = load.run(connect(), advance, _tell_resumed)
    report(census, json)
    raise typer.Exit(1 if census.quarantined else 0)


def _tell_resumed() -> None:
    complain("going on where this load was interrupted; --restart begins anew")


def _synonyms(
    vocabulary: Path | None, sources: tuple[str, ...] | None, types: tuple[str, ...]
) -> SynonymSource | None:
    return None if vocabulary is None else SynonymSource(vocabulary.absolute(), sources, types)


def _shard(written: str | None) -> Shard | None:
    if written is None:
        return None
    number, _, of = written.partition("/")
    try:
        return Shard(int(number), int(of))
    except ValueError as error:
        raise InputError(
            f"--shard {written}: write it as 2/3, the second of three parts"
        ) from error


@contextmanager
def _as_file(listed: Path | None) -> Iterator[Path | None]:
    """The list of paths as a file that can be read twice."""
    if listed is None or str(listed) != "-":
        yield listed
        return
    with tempfile.NamedTemporaryFile(prefix="citespan-") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
        copy.flush()
        yield Path(copy.name)
