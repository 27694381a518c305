"""`citespan link`: the citations of all indexed articles, linked to their evidence."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from citespan.cli.options import Json, ranker_help
from citespan.cli.output import out, print_json, progress, warn
from citespan.cli.shards import parse_shard
from citespan.deploy.client import connect
from citespan.pipelines.counts import format_count
from citespan.pipelines.ranking.ranker import DEFAULT

if TYPE_CHECKING:
    from citespan.pipelines.citations.link_report import LinkReport

EPILOG = "Example: citespan link"
_SHOWN_OF_A_REASON = 20


def link(
    ranker: Annotated[str, typer.Option(help=ranker_help())] = DEFAULT,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Link only the I-th of N disjoint parts of the citing articles, so that N "
            "machines can share the work.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Link the citations of all indexed articles to their evidence in the articles cited.

    Each citation of an indexed article is searched for in the article that it cites, if that is
    indexed too. What is linked already stays, unless one of the two articles has changed; so run it
    after each load. If it is interrupted, repeat the command: it resumes where it stopped.
    """
    from contextlib import ExitStack

    from citespan.citing import link as link_all

    part = parse_shard(shard)
    with ExitStack() as shown:
        report = link_all(
            ranker=ranker,
            shard=part,
            client=connect(),
            on_start=lambda total: shown.enter_context(progress("Linking", total)),
        )
    _warn_problems(report)
    if json:
        print_json(report.to_json())
    else:
        _print(report)
    raise typer.Exit(1 if report.counts["failed"] else 0)


def _print(report: "LinkReport") -> None:
    from rich.table import Table
    from rich.text import Text

    from citespan.pipelines.citations.link_report import OUTCOMES, VERDICTS

    table = Table()
    table.add_column("outcome")
    table.add_column("citations", justify="right")
    for outcome in OUTCOMES:
        table.add_row(outcome, f"{report.counts[outcome]:,}")
        if outcome == "linked":
            for verdict in VERDICTS:
                name = Text(f"  {verdict}", style="dim")
                table.add_row(name, f"{report.verdicts[verdict]:,}")
    table.add_section()
    table.add_row("citations", f"{report.citations:,}")
    out.print(table)
    links = f"; {format_count(report.removed, 'former link')} deleted" if report.removed else ""
    out.print(
        f"{format_count(report.articles, 'article')} with citations, in {report.seconds:.1f} s"
        f"{links}"
    )
    if not report.citations:
        warn("no citations are stored; see `citespan index --help`")


def _warn_problems(report: "LinkReport") -> None:
    """Print a line for each problem, and one for the rest of those with the same reason."""
    shown: Counter[str] = Counter()
    for one in report.problems:
        shown[one.reason] += 1
        if shown[one.reason] <= _SHOWN_OF_A_REASON:
            what = f"citation {one.citation}" if one.citation else "all citations"
            warn(f"not linked: {one.article}, {what}: {one.reason}")
    for reason, count in shown.items():
        if count > _SHOWN_OF_A_REASON:
            warn(f"not linked: {count - _SHOWN_OF_A_REASON:,} more: {reason}")
