"""`citespan doctor`: what is wrong, and the remedy."""

from collections import Counter
from dataclasses import asdict
from typing import Annotated

import typer
from rich.text import Text

from citespan.cli.options import Csv, Json
from citespan.cli.output import out, print_csv, print_json
from citespan.cli.tables import listing
from citespan.deploy import doctor as checks

_OUT_OF_REACH = 3
_COLOURS = {"ok": "green", "warning": "yellow", "failure": "red"}


def doctor(
    thorough: Annotated[
        bool,
        typer.Option(
            "--thorough",
            help="Also read all of the vocabulary, and count the sentences of each article.",
        ),
    ] = False,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="First delete documents that no article in the catalogue has, and entries of the "
            "catalogue without any document, and index the texts again that entries have lost, "
            "unless a command that writes is under way.",
        ),
    ] = False,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Check the server, its indices, this machine, vocabulary, models and plug-ins.

    Nothing is changed without --repair. Exit status 0 if nothing has failed, 1 if something has, 3
    if no server answers.

    Example: citespan doctor --thorough
    """
    checkup = checks.check(thorough, repair)
    findings = [asdict(finding) for finding in checkup.findings]
    if json:
        about = {"reached": checkup.reached, "failed": checkup.failed}
        print_json(about | {"findings": findings})
    elif csv:
        print_csv(findings, ("check", "state", "found", "remedy"))
    else:
        _show(checkup)
    raise typer.Exit(int(checkup.failed) if checkup.reached else _OUT_OF_REACH)


def _show(checkup: checks.Checkup) -> None:
    table = listing("check", "state", "found and remedy")
    for finding in checkup.findings:
        shown = Text(finding.found)
        if finding.remedy:
            shown.append(f"\n→ {finding.remedy}")
        table.add_row(finding.check, Text(finding.state, _COLOURS[finding.state]), shown)
    out.print(table)
    counts = Counter(finding.state for finding in checkup.findings)
    out.print(f"{counts['ok']} ok, {counts['warning']} warnings, {counts['failure']} failures")
