"""`citespan index`: load articles and abstracts."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from socket import gethostname
from typing import Annotated

import typer

from citespan.cli.options import (
    Json,
    UnitMemory,
    UnitSeconds,
    format_help,
    layout_help,
    parse_shard,
    split_names,
)
from citespan.cli.output import out, print_json, progress, spell_flags, warn
from citespan.cli.readings import warn_rejected
from citespan.cli.setting_options import SemanticTypes, Sources, Vocabulary
from citespan.cli.tables import print_counts
from citespan.deploy.client import connect
from citespan.deploy.node.paths import folders
from citespan.pipelines.answers.zones.zoning import LoadingZoner
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.counts import count_articles_and_abstracts, format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.documents.settings import DocumentSettings, SynonymSource
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.load import Load
from citespan.pipelines.indexing.reading.sources import Sources as LoadSources
from citespan.pipelines.indexing.report import LoadReport, MissingArticles, count_reasons
from citespan.pipelines.limits import DEFAULT_MEGABYTES, DEFAULT_SECONDS, count_processors
from citespan.pipelines.retrieval.model import models as retrieval_models
from citespan.pipelines.retrieval.model import similarities
from citespan.pipelines.settings import describe_names
from citespan.pipelines.store.layout import default_layout, shared_layout
from citespan.pipelines.store.retry import DEFAULT_SECONDS as DEFAULT_PATIENCE
from citespan.pipelines.store.retry import RetryPolicy
from citespan.pipelines.store.segments import merge_segments
from citespan.pipelines.text.splitter import DEFAULT, splitters
from citespan.pipelines.vocabulary.terms import ConceptFilter

_SHOWN_REASONS = 20


def index(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files, folders, patterns such as 'articles/**/*.xml', or archives of files "
            "(.tar, .tar.gz); - reads standard input.",
            metavar="PATH...",
        ),
    ] = None,
    format_: Annotated[str, typer.Option("--format", help=format_help())] = "auto",
    layout: Annotated[
        str,
        typer.Option(
            help=f"{layout_help()}; choose {shared_layout().name} for more than a few hundred "
            "articles."
        ),
    ] = default_layout(),
    articles_expected: Annotated[
        int,
        typer.Option(
            help="How many articles there will be in total, which decides the number of shards of "
            "new indices. A later load with a greater number adds shards of sentences.",
            show_default="an estimate by the bytes of the first load",
        ),
    ] = 0,
    models: Annotated[
        str,
        typer.Option(
            help="Retrieval models to index for, separated by commas; vsm is always included. Each "
            "further one makes loading slower. " + describe_names(retrieval_models)
        ),
    ] = "vsm",
    shortest: Annotated[int, typer.Option(help="Sentences in the shortest span.")] = 1,
    longest: Annotated[int, typer.Option(help="Sentences in the longest span.")] = 5,
    splitter: Annotated[
        str, typer.Option(help="Sentence splitter. " + describe_names(splitters))
    ] = DEFAULT,
    vocabulary: Vocabulary = None,
    sources: Sources = None,
    types: SemanticTypes = None,
    zones: Annotated[
        bool,
        typer.Option(
            "--zones/--no-zones",
            help="Predict the zones of sentences of abstracts without labels while loading; "
            "otherwise `answers find` does so for each question.",
        ),
    ] = True,
    collection: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Store abstracts in an index of their own of this name, which `answers find "
            "--collection` searches alone.",
        ),
    ] = "",
    from_file: Annotated[
        Path | None,
        typer.Option(
            metavar="LIST",
            help="Also load the paths in this file, one on each line; - reads standard input.",
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Load only the I-th of N disjoint parts of the files, so that N machines can "
            "share a load.",
        ),
    ] = None,
    delete_missing: Annotated[
        bool,
        typer.Option(
            "--delete-missing",
            help="After loading, delete the articles of this --corpus that were read from these "
            "paths before and are not there any more. What this load has skipped, quarantined or "
            "not read keeps its articles. More than a tenth are deleted only with --yes.",
        ),
    ] = False,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes",
            "-y",
            help="Let --delete-missing delete, or --rebuild leave out, however many are missing.",
        ),
    ] = False,
    corpus: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name of the place that the paths are in, which is stored with them: "
            "--delete-missing deletes nothing that was read from another. Name it where machines "
            "share their files, or change their names as containers do.",
            show_default="this machine's name",
        ),
    ] = None,
    quarantine: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Copy quarantined inputs to this folder.")
    ] = None,
    processes: Annotated[
        int,
        typer.Option(
            min=0,
            help="Number of processes that read files; there is always one.",
            show_default="one for each processor",
        ),
    ] = count_processors(),
    unit_seconds: UnitSeconds = DEFAULT_SECONDS,
    unit_memory: UnitMemory = DEFAULT_MEGABYTES,
    patience: Annotated[
        float,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="How long to repeat requests while Elasticsearch accepts none, before giving up.",
        ),
    ] = DEFAULT_PATIENCE,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File that records the progress of the load, so that it can be resumed. An "
            "existing file is overwritten only if it is a checkpoint, or empty; it is deleted "
            "when the load has ended.",
            show_default="one file for each load, in citespan's own folder",
        ),
    ] = None,
    restart: Annotated[
        bool,
        typer.Option(
            "--restart",
            help="Ignore the checkpoint of an interrupted load and start from the beginning.",
        ),
    ] = False,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--rebuild",
            help="Load into new indices, which replace all present ones of articles (or of these "
            "abstracts) in one step at the end. Until then, searches use the present ones.",
        ),
    ] = False,
    finish: Annotated[
        bool,
        typer.Option(
            "--finish",
            help="After loading, merge the segments of every shard, which makes searches faster "
            "and indices smaller: once, when all is loaded. While another command writes, nothing "
            "is merged.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Load articles: read, split into sentences, index all spans.

    Loading the same articles again changes nothing; an article that has changed is replaced. If a
    load is interrupted, repeat the command: it resumes where it stopped. Abstracts (medline,
    pubmed, pubmedqa) are stored in an index of their own, with their sentences and zones; models
    and spans do not apply to them.

    With a vocabulary, queries on the field `text.umls` also find synonyms of the article's
    concepts, both in Kibana and with `--reformulation umls-field`. Loading an article again
    without the vocabulary leaves it as it is.

    Example: citespan index articles/ --format jats --models vsm,bm25
    """
    if not paths and from_file is None:
        raise InputError("nothing to load: name files or folders, or --from-file")
    synonyms = None
    if vocabulary is not None:
        scope = ConceptFilter(split_names(sources), split_names(types) or ())
        synonyms = SynonymSource(vocabulary.absolute(), scope)
    settings = DocumentSettings(
        similarities(models.split(",")),
        layout,
        SpanLengths(shortest, longest),
        splitter,
        synonyms,
        gethostname() if corpus is None else corpus,
    )
    with _as_file(from_file) as list_file:
        load = Load(
            LoadSources(paths or [], format_, list_file, parse_shard(shard)),
            settings,
            connect,
            zoner=LoadingZoner() if zones else None,
            articles_expected=articles_expected,
            processes=processes,
            unit_seconds=unit_seconds,
            unit_memory=unit_memory,
            retry_seconds=patience,
            delete_missing=delete_missing,
            delete_many=yes,
            quarantine=quarantine,
            checkpoint=checkpoint,
            checkpoints=folders().state / "loads",
            restart=restart,
            rebuild=rebuild,
            collection=collection,
            warn=warn,
        )
        with progress("Indexing", load.inputs) as advance:
            report = load.run(connect(), advance, _warn_resumed, _warn_missing)
    if finish:
        show = partial(progress, "Merging shards")
        merged = merge_segments(connect(), RetryPolicy(patience), report, show)
        if isinstance(merged, str):
            warn(merged)
        else:
            report.merged = merged
    print_report(report, json)
    missing = report.planned
    if missing is not None and missing.are_many and not yes:
        raise InputError(
            f"--delete-missing would delete {missing}, more than a tenth, so nothing was deleted; "
            "if they are to go, repeat the command with --yes"
        )
    raise typer.Exit(1 if report.quarantined else 0)


def _warn_resumed() -> None:
    warn("resuming where this load was interrupted; --restart starts from the beginning")


def _warn_missing(missing: MissingArticles) -> None:
    warn(f"deleting {missing}, which are not there any more")


@contextmanager
def _as_file(listed: Path | None) -> Iterator[Path | None]:
    """Give the list of paths as a file that can be read twice."""
    if listed is None or str(listed) != "-":
        yield listed
        return
    with tempfile.NamedTemporaryFile(prefix="citespan-") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
        copy.flush()
        yield Path(copy.name)


def print_report(report: LoadReport, json: bool) -> None:
    """Print the outcome of all inputs. A file of Medline has thousands of citations without an
    abstract: only `--json` lists them all."""
    warn_rejected([*report.skipped, *report.quarantined])
    if json:
        print_json(report.to_json())
        return
    reasons = {
        "skipped": _list_reasons(report.skipped),
        "quarantined": _list_reasons(report.quarantined),
    }
    print_counts("inputs", report.counted, reasons, report.inputs)
    out.print(_describe_written(report))
    if report.deletions:
        out.print(f"{report.deleted:,} of {report.deletions:,} deleted citations were indexed")
    if report.missing:
        out.print(f"{format_count(report.missing, 'article')} deleted, whose input is gone")
    if report.merged is not None:
        out.print(str(report.merged))


def _describe_written(report: LoadReport) -> str:
    """Describe what was written: articles and abstracts, each if there are any."""
    kinds = count_articles_and_abstracts(report.articles - report.abstracts, report.abstracts)
    parts = [format_count(report.sentences, "sentence")]
    if report.spans or not report.abstracts:
        parts.append(format_count(report.spans, "span"))
        parts.append(format_count(report.citations, "citation"))
    return f"{kinds} in {report.seconds:.1f} s: {', '.join(parts)}"


def _list_reasons(rejected: list[Rejected]) -> dict[str, int]:
    """Return the number of inputs for each of the first reasons, and for all others together."""
    reasons = [*count_reasons(rejected).items()]
    shown = {spell_flags(reason): number for reason, number in reasons[:_SHOWN_REASONS]}
    if others := [number for _, number in reasons[_SHOWN_REASONS:]]:
        shown[format_count(len(others), "more reason")] = sum(others)
    return shown
