"""`citespan check`: whether the articles that a manuscript cites support what it says of them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citespan.cli.options import Json, manuscript_format_help, ranker_help
from citespan.cli.output import open_private, print_json, progress, warn
from citespan.deploy.client import connect
from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.ranker import DEFAULT
from citespan.pipelines.retrieval.layouts.layout import TOP

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

    from citespan.pipelines.citations.checked import CheckedManuscript

EPILOG = "Example: citespan check manuscript.tex --html report.html --missing missing.csv"


def check(
    manuscript: Annotated[str, typer.Argument(help="The file of one article, or - for stdin.")],
    format_: Annotated[
        str, typer.Option("--format", help=manuscript_format_help(), show_default=True)
    ] = "auto",
    ranker: Annotated[str, typer.Option(help=ranker_help())] = DEFAULT,
    top: Annotated[int, typer.Option(help="Number of passages for a citation at most.")] = TOP,
    html: Annotated[
        Path | None,
        typer.Option(help="Write a report for browsers to this file.", show_default=False),
    ] = None,
    missing: Annotated[
        Path | None,
        typer.Option(
            help="Write the cited articles that are not indexed to this file, with their "
            "identifiers, as comma-separated values.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    csv: Annotated[
        bool,
        typer.Option(
            "--csv",
            help="Print a line of comma-separated values per citation, with its best passage.",
        ),
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Check a manuscript: find the evidence for each of its citations in the cited article.

    Each citation has one status: supported, weak, none (no evidence), not indexed, or unresolved
    with the reason. Citations without a reference and references without a citation are listed.
    The manuscript need not be indexed, and nothing of it is stored.
    """
    if json + csv + markdown > 1:
        raise typer.BadParameter("--json, --csv and --markdown can't be combined")
    from citespan.citing import check as check_manuscript
    from citespan.pipelines.citations.manuscript import read_citations
    from citespan.pipelines.corpus.files import source_of
    from citespan.pipelines.limited_call import call_within
    from citespan.pipelines.limits import Limits

    for target in filter(None, (html, missing)):
        _require_writable(target)
    source = source_of(Path(manuscript))
    found = call_within(Limits(), source, read_citations, manuscript, format_)
    for problem in found.problems:
        warn(problem)
    client = connect()
    with progress("Checking", len(found.citations)) as advance:
        checked = check_manuscript(found, ranker=ranker, top=top, client=client, on_checked=advance)
    if html is not None:
        from citespan.serve.report.html import make_html

        with open_private(html) as file:
            file.write(make_html(checked))
    if missing is not None:
        from citespan.cli.check.rows import write_missing

        write_missing(checked, missing)
    _print(checked, html, missing, json=json, csv=csv, markdown=markdown)
    _warn(checked, client)
    raise typer.Exit(1 if found.problems else 0)


def _require_writable(target: Path) -> None:
    """Raise an InputError if a file can't be written to, before any work is done."""
    is_there = target.exists()
    try:
        target.open("a").close()
        if not is_there:
            target.unlink()
    except OSError as error:
        raise InputError(f"{target}: can't be written to: {error.strerror}") from error


def _print(
    checked: "CheckedManuscript",
    html: Path | None,
    missing: Path | None,
    *,
    json: bool,
    csv: bool,
    markdown: bool,
) -> None:
    if json:
        print_json(checked.to_json())
    elif csv:
        from citespan.cli.check.rows import print_rows

        print_rows(checked)
    elif markdown:
        from citespan.cli.check.markdown import make_markdown

        typer.echo(make_markdown(checked), nl=False)
    else:
        from citespan.cli.check.table import print_table

        print_table(checked, advise=missing is None)
        for written in filter(None, (html, missing)):
            typer.echo(f"written: {written}")


def _warn(checked: "CheckedManuscript", client: "Elasticsearch") -> None:
    if not checked.citations:
        warn(f"{checked.found.article.source}: no citation found in the text")
    if checked.missing and not any(one.article for one in checked.citations):
        from citespan.library import count_articles

        if not count_articles(client=client):
            warn("no articles are indexed; see `citespan index --help`")
