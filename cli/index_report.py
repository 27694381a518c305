"""The report that `citespan index` prints when a load has ended."""

from collections import Counter

from rich.table import Table
from rich.text import Text

from citespan.cli.output import out, print_json, warn
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.counts import format_count
from citespan.pipelines.indexing.report import LoadReport, count_reasons

_SHOWN_OF_A_REASON = 20
_SHOWN_REASONS = 20


def print_report(report: LoadReport, json: bool) -> None:
    """Print the outcome of all inputs."""
    _warn_rejected("skipped", report.skipped)
    _warn_rejected("quarantined", report.quarantined)
    if json:
        print_json(report.to_json())
        return
    out.print(_make_table(report))
    out.print(_describe_written(report))
    if report.deletions:
        out.print(f"{report.deleted:,} of {report.deletions:,} deleted citations were indexed")
    if report.missing:
        out.print(f"{format_count(report.missing, 'article')} deleted, whose input is gone")


def _describe_written(report: LoadReport) -> str:
    """Describe what was written: articles and abstracts, each if there are any."""
    articles = report.articles - report.abstracts
    kinds = []
    if articles or not report.abstracts:
        kinds.append(format_count(articles, "article"))
    if report.abstracts:
        kinds.append(format_count(report.abstracts, "abstract"))
    parts = [format_count(report.sentences, "sentence")]
    if report.spans or not report.abstracts:
        parts.append(format_count(report.spans, "span"))
        parts.append(format_count(report.citations, "citation"))
    return f"{' and '.join(kinds)} written: {', '.join(parts)}, in {report.seconds:.1f} s"


def _make_table(report: LoadReport) -> Table:

    table = Table()
    table.add_column("outcome")
    table.add_column("inputs", justify="right")
    for name in ("indexed", "unchanged", "replaced"):
        table.add_row(name, f"{getattr(report, name):,}")
    _add_rejected(table, "skipped", report.skipped)
    _add_rejected(table, "quarantined", report.quarantined)
    table.add_section()
    table.add_row("inputs", f"{report.inputs:,}")
    return table


def _add_rejected(table: Table, outcome: str, rejected: list[Rejected]) -> None:

    table.add_row(outcome, f"{len(rejected):,}")
    reasons = count_reasons(rejected)
    for reason in list(reasons)[:_SHOWN_REASONS]:
        table.add_row(Text(f"  {reason}", style="dim"), f"{reasons[reason]:,}")
    more = len(reasons) - _SHOWN_REASONS
    if more > 0:
        table.add_row(Text(f"  {format_count(more, 'more reason')}", style="dim"), "")


def _warn_rejected(outcome: str, rejected: list[Rejected]) -> None:
    """Print a line for each, and one for the rest of those with the same reason.

    Medline has thousands of citations without an abstract in a file; `--json` lists them all.
    """
    of_reason = Counter(one.reason for one in rejected)
    shown: Counter[str] = Counter()
    for one in rejected:
        shown[one.reason] += 1
        if shown[one.reason] <= _SHOWN_OF_A_REASON:
            warn(f"{outcome}: {one.source}: {one.reason}")
    for reason, count in of_reason.items():
        if count > _SHOWN_OF_A_REASON:
            warn(f"{outcome}: {count - _SHOWN_OF_A_REASON:,} more: {reason}")
