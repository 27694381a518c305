"""`citespan citations`: what articles and manuscripts cite, and where."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from citespan.cli.citations.report import CitationsReport
from citespan.cli.citations.rows import COLUMNS, to_cells, to_json
from citespan.cli.options import Json, manuscript_format_help
from citespan.cli.output import print_json, warn

if TYPE_CHECKING:
    from citespan.pipelines.citing.citations import ArticleCitations

EPILOG = "Example: citespan citations manuscript.tex --csv"


def citations(
    files: Annotated[
        list[str],
        typer.Argument(help="Files, folders, archives, or - for stdin.", metavar="FILE..."),
    ],
    format_: Annotated[
        str, typer.Option("--format", help=manuscript_format_help(), show_default=True)
    ] = "auto",
    json: Json = False,
    csv: Annotated[
        bool, typer.Option("--csv", help="Print a line of comma-separated values per citation.")
    ] = False,
) -> None:
    """Show what articles cite: each citing sentence with its markers and references.

    Each citation has the clause of the sentence that is its own, and the sentences beside it.
    Markers that point to no reference, and references that nothing cites, are listed. Nothing is
    indexed, and no server is needed.
    """
    if json and csv:
        raise typer.BadParameter("--json and --csv can't be combined")
    report = CitationsReport()
    found = _find_all(files, format_, report)
    if json:
        print_json({"articles": [to_json(one) for one in found], **report.to_json()})
    elif csv:
        _print_csv([COLUMNS])
        for one in found:
            _print_csv(to_cells(one, citation) for citation in one.citations)
    else:
        for one in found:
            report.print_article(one)
        report.print_totals()
    for rejected in (*report.skipped, *report.quarantined):
        warn(f"{rejected.outcome}: {rejected.source}: {rejected.reason}")
    for problem in report.problems:
        warn(problem)
    raise typer.Exit(1 if report.quarantined or report.problems else 0)


def _find_all(
    files: list[str], format_: str, report: CitationsReport
) -> "Iterator[ArticleCitations]":
    """Yield the citations of each article, and count all inputs."""
    from citespan.pipelines.citing.citations import find_citations
    from citespan.pipelines.corpus.article import Rejected
    from citespan.pipelines.indexing.reading.sources import Sources
    from citespan.pipelines.indexing.reading.unit_reading import read_articles
    from citespan.pipelines.text.splitter import DEFAULT, splitters

    for reading in read_articles(Sources(files, format_)):
        if isinstance(reading, Rejected):
            report.reject(reading)
        else:
            found = find_citations(reading, splitters[DEFAULT])
            report.count(found)
            yield found


def _print_csv(rows: Iterable[tuple[str, ...]]) -> None:
    import csv
    import sys

    csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
