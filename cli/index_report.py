"""What `citespan index` says of a load that has ended."""

from collections import Counter

from rich.table import Table
from rich.text import Text

from citespan.cli.output import complain, out, print_json
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.indexing.census import Census, by_reason

_SHOWN_OF_A_REASON = 20
_SHOWN_REASONS = 20


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
    _add_rejected(table, "skipped", census.skipped)
    _add_rejected(table, "quarantined", census.quarantined)
    table.add_section()
    table.add_row("inputs", f"{census.inputs:,}")
    out.print(table)
    out.print(
        f"{census.articles:,} articles written: {census.sentences:,} sentences, "
        f"{census.spans:,} spans, in {census.seconds:.1f} s"
    )
    if census.deletions:
        out.print(f"{census.deleted:,} of {census.deletions:,} deleted citations were indexed")
    if census.missing:
        out.print(f"{census.missing:,} articles deleted, whose input is gone")


def _add_rejected(table: Table, outcome: str, rejected: list[Rejected]) -> None:
    table.add_row(outcome, f"{len(rejected):,}")
    reasons = by_reason(rejected)
    for reason in list(reasons)[:_SHOWN_REASONS]:
        table.add_row(Text(f"  {reason}", style="dim"), f"{reasons[reason]:,}")
    if len(reasons) > _SHOWN_REASONS:
        table.add_row(Text(f"  {len(reasons) - _SHOWN_REASONS:,} more reasons", style="dim"), "")


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
