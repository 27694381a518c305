"""`citespan doctor`: is all well?"""

from collections import Counter
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.deploy import doctor as checks

EPILOG = "Example: citespan doctor --thorough"

_OUT_OF_REACH = 3
_COLOURS = {"ok": "green", "warning": "yellow", "failure": "red"}


def doctor(
    thorough: Annotated[
        bool,
        typer.Option(
            "--thorough",
            help="Read all of the vocabulary, and count the sentences of each article.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Look whether all is well: the server, its indices, this machine, vocabulary and models.

    Nothing is changed. Exit status 0 if nothing has failed, 1 if something has, 3 if no server
    answers.
    """
    checkup = checks.check(thorough)
    if json:
        print_json(
            {
                "reached": checkup.reached,
                "failed": checkup.failed,
                "findings": [asdict(finding) for finding in checkup.findings],
            }
        )
    else:
        _show(checkup)
    raise typer.Exit(int(checkup.failed) if checkup.reached else _OUT_OF_REACH)


def _show(checkup: checks.Checkup) -> None:
    table = Table()
    for heading in ("check", "state", "found and remedy"):
        table.add_column(heading)
    for finding in checkup.findings:
        told = Text(finding.found)
        if finding.remedy:
            told.append(f"\n→ {finding.remedy}")
        table.add_row(finding.check, Text(finding.state, _COLOURS[finding.state]), told)
    out.print(table)
    counts = Counter(finding.state for finding in checkup.findings)
    out.print(
        f"{counts['ok']} well, {counts['warning']} to be looked at, {counts['failure']} failed"
    )
