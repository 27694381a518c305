"""`citespan migrate`: bring indices of an older version up to this one."""

from typing import Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import out, print_json, progress, warn
from citespan.cli.tables import listing
from citespan.deploy.client import connect
from citespan.pipelines.indexing.migration.migration import Outcome, migrate, plan
from citespan.pipelines.retrieval.model import similarities

EPILOG = "Example: citespan migrate --dry-run"


def migrate_indices(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be done, and change nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Bring indices that an older citespan has made up to this version, on the server.

    No input file is read again. If only fields were added, an index is changed in place; otherwise
    its documents are copied into a new index, which then replaces it. Do not run a load at the
    same time. If it is interrupted, run it again. Exit status 1 if something has to be indexed
    again.
    """
    with connect() as client:
        steps = plan(client, similarities)
        if dry_run:
            outcomes = [Outcome(step, problem=step.problem) for step in steps]
        else:
            outcomes = []
            with progress("Migrating", len(steps)) as advance:
                for outcome in migrate(client, steps):
                    outcomes.append(outcome)
                    advance(1)
    problems = [outcome.problem for outcome in outcomes if outcome.problem]
    if json:
        print_json({"dry_run": dry_run, "steps": [_to_json(one) for one in outcomes]})
    else:
        for problem in problems:
            warn(f"not migrated: {problem}")
        _show(outcomes, dry_run)
    raise typer.Exit(1 if problems else 0)


def _to_json(outcome: Outcome) -> dict[str, object]:
    index = outcome.step.index
    return {
        "index": index.index,
        "kind": index.kind,
        "version": index.version,
        "wanted": index.wanted,
        "how": outcome.step.how,
        "articles": outcome.step.articles,
        "documents": outcome.documents,
        "problem": outcome.problem or None,
    }


def _show(outcomes: list[Outcome], dry_run: bool) -> None:
    if not outcomes:
        out.print("all indices are of this version")
        return
    table = listing("index", "from", "to", "how" if dry_run else "what was done")
    for outcome in outcomes:
        index = outcome.step.index
        how = "not migrated" if outcome.problem else outcome.step.how
        table.add_row(index.index, str(index.version or "?"), str(index.wanted), how)
    out.print(table)
