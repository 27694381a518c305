"""`citespan index`: load articles."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

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
from citespan.cli.output import complain, out, print_json, progress
from citespan.deploy.node.client import connect
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.indexing import loading
from citespan.pipelines.indexing.census import Census
from citespan.pipelines.indexing.synonym_rules import ConceptSynonyms
from citespan.pipelines.indexing.windows import SpanLengths
from citespan.pipelines.retrieval.model import models as retrieval_models
from citespan.pipelines.retrieval.model import similarities
from citespan.pipelines.text.splitter import DEFAULT, splitters
from citespan.pipelines.vocabulary.concept_filter import ConceptFilter
from citespan.pipelines.vocabulary.matching import Matcher
from citespan.pipelines.vocabulary.store import open_vocabulary

_SHOWN_OF_A_REASON = 20

EPILOG = "Example: citespan index articles/ --format jats --models vsm,bm25"


def index(
    paths: Annotated[
        list[str], typer.Argument(help="Files or folders; - is standard input.", metavar="PATH...")
    ],
    format_: Annotated[str, typer.Option("--format", help=format_help())] = "auto",
    _layout: Annotated[
        Layout, typer.Option("--layout", help="spans: an index per article, a document per span.")
    ] = Layout.SPANS,
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
    json: Json = False,
) -> None:
    """Load articles: read, split into sentences, index all spans.

    Loading twice changes nothing; an article that has changed is replaced. Abstracts (medline,
    pubmed, pubmedqa) go into one index of their own, each with its sentences and their zones;
    models and spans are not for them.

    With a vocabulary, a query on `text.umls` finds the synonyms of the article's concepts too,
    in Kibana as well as by `--reformulation umls-field`. An article that was indexed with one
    stays as it is when it is loaded again without.
    """
    load = loading.Load(
        paths=[Path(path) for path in paths],
        format=format_,
        similarities=similarities(models.split(",")),
        lengths=SpanLengths(shortest, longest),
        splitter=splitter,
        synonyms=_synonyms(vocabulary, listed(sources), listed(types) or ()),
    )
    inputs = load.inputs()
    with progress("Indexing", inputs) as advance:
        census = load.run(connect(), advance)
    report(census, json)
    raise typer.Exit(1 if census.quarantined else 0)


def _synonyms(
    vocabulary: Path | None, sources: tuple[str, ...] | None, types: tuple[str, ...]
) -> ConceptSynonyms | None:
    if vocabulary is None:
        return None
    return ConceptSynonyms(Matcher(open_vocabulary(vocabulary), ConceptFilter(sources, types)))


def report(census: Census, json: bool) -> None:
    """Print what became of all inputs."""
    _complain_of("skipped", census.skipped)
    _complain_of("quarantined", census.quarantined)
    if json:
        print_json(census.to_json())
        return
    table = Table()
    table.add_column("outcome")
    table.add_column("inputs", justify="right")
    for name in ("indexed", "unchanged", "replaced"):
        table.add_row(name, f"{getattr(census, name):,}")
    table.add_row("skipped", f"{len(census.skipped):,}")
    table.add_row("quarantined", f"{len(census.quarantined):,}", end_section=True)
    table.add_row("inputs", f"{census.inputs:,}")
    out.print(table)
    out.print(
        f"{census.articles:,} articles written: {census.sentences:,} sentences, "
        f"{census.spans:,} spans, in {census.seconds:.1f} s"
    )
    if census.deletions:
        out.print(f"{census.deleted:,} of {census.deletions:,} deleted citations were indexed")


def _complain_of(outcome: str, rejected: list[Rejected]) -> None:
    """A line for each, but for the many of one reason: Medline has thousands of citations
    without abstract in a file. `--json` lists them all."""
    of_reason = Counter(one.reason for one in rejected)
    shown: Counter[str] = Counter()
    for one in rejected:
        shown[one.reason] += 1
        if shown[one.reason] <= _SHOWN_OF_A_REASON:
            complain(f"{outcome}: {one.source}: {one.reason}")
    for reason, count in of_reason.items():
        if count > _SHOWN_OF_A_REASON:
            complain(f"{outcome}: {count - _SHOWN_OF_A_REASON:,} more: {reason}")
