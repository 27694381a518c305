"""How checked manuscripts are printed: as tables, JSON, rows, Markdown and annotations."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import typer
from rich.text import Text

from citespan.cli.annotations import Outcome, print_github, print_junit, print_sarif
from citespan.cli.citations import name_cited, name_reference
from citespan.cli.output import open_private, out, print_csv, print_json
from citespan.cli.tables import listing
from citespan.pipelines.citations.checking import COLUMNS, CheckedCitation, CheckedManuscript
from citespan.pipelines.citing.citations import REFERENCE_COLUMNS, flatten_reference
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.counts import format_count
from citespan.pipelines.ranking.evidence import DIFFERS_MEANS, FOUND_MEANS
from citespan.pipelines.shown import write_csv
from citespan.serve.report import (
    KINDS,
    describe_decisions,
    describe_judgement,
    describe_place,
    describe_rival,
    describe_totals,
)
from citespan.serve.report.markdown import make_markdown

_STYLES = {"found": "bold", "differs": "bold yellow", "weak": "yellow", "none": "red"}
MISSING_COLUMNS = (*REFERENCE_COLUMNS, "citations")
"""The columns of `--missing`."""


def _print_tables(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        print_table(outcome.checked, advise=not outcome.has_list)


def _print_objects(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        fetched = outcome.fetched
        told = {"fetched": fetched.to_json()} if fetched is not None else {}
        print_json(outcome.checked.to_json() | told)


def _print_rows(outcomes: Sequence[Outcome]) -> None:
    rows = (row for outcome in outcomes for row in outcome.checked.to_rows())
    print_csv(rows, COLUMNS)


def _print_markdown(outcomes: Sequence[Outcome]) -> None:
    typer.echo("\n".join(make_markdown(outcome.checked) for outcome in outcomes), nl=False)


def print_table(checked: CheckedManuscript, advise: bool = True) -> None:
    """Print each citation with its status and its best passage, and the totals.

    Args:
        advise: whether to say how a list of the missing articles is written.
    """
    article = checked.found.article
    out.print(Text.assemble((article.id, "bold"), f"  {article.title}"))
    table = listing("id", "status", "what it says", "evidence")
    for judged in checked.citations:
        table.add_row(
            Text(judged.citation.id),
            _describe_status(checked, judged),
            _describe_citation(article.text, judged),
            _describe_evidence(judged),
        )
    if checked.citations:
        out.print(table)
    for reference, faults in checked.faulty:
        for fault in faults:
            style = "bold red" if fault.kind == "retracted" else "yellow"
            out.print(Text.assemble(f"{name_reference(reference)}: ", (str(fault), style)))
    for reference in checked.uncited:
        out.print(Text(f"never cited: {name_reference(reference)}"))
    out.print(Text(describe_totals(checked)))
    if checked.totals["found"]:
        out.print(Text(FOUND_MEANS))
    if checked.totals["differs"]:
        out.print(Text(DIFFERS_MEANS))
    if checked.missing:
        wanted = format_count(len(checked.missing), "cited article")
        verb = "is" if len(checked.missing) == 1 else "are"
        advice = "; --missing FILE writes a list of them" if advise else ""
        out.print(f"{wanted} {verb} not indexed{advice}")
    for line in describe_decisions(checked):
        out.print(Text(line))


def _describe_status(checked: CheckedManuscript, judged: CheckedCitation) -> Text:
    status = (describe_judgement(judged), _STYLES.get(judged.status, ""))
    decided = (f"\n{checked.states[judged.citation.id]}", "bold") if checked.states else ""
    return Text.assemble(status, decided)


def _describe_citation(text: str, judged: CheckedCitation) -> Text:
    clause = collapse_space(text[slice(*judged.citation.clause)])
    return Text.assemble(clause, "\n", (f"cites {name_cited(judged.citation)}", "dim"))


def _describe_evidence(judged: CheckedCitation) -> Text:
    lines: list[str | tuple[str, str]] = []
    if judged.evidence:
        best = judged.evidence[0]
        lines += [collapse_space(best.text), (f"{describe_place(best)} of {judged.article}", "dim")]
        lines += [f"differs: {each}" for each in judged.evidence.differences]
    elif judged.evidence is not None and not judged.problem:
        lines.append(f"{KINDS['none']} in {judged.article}")
    lines += filter(None, (judged.problem, describe_rival(judged)))
    joined = [piece for line in lines for piece in (line, "\n")][:-1]
    return Text.assemble(*joined)


def write_missing(checked: CheckedManuscript, target: Path) -> None:
    """Write a line for each cited reference whose article is not indexed."""
    rows = (
        {**flatten_reference(reference), "citations": citations}
        for reference, citations in checked.missing.values()
    )
    with open_private(target) as stream:
        write_csv(stream, MISSING_COLUMNS, rows)


@dataclass(frozen=True, slots=True)
class Format:
    """How checked manuscripts are printed."""

    description: str
    write: Callable[[Sequence[Outcome]], None]


DEFAULT_FORMAT: Final = "table"
FORMATS: Final[Mapping[str, Format]] = {
    DEFAULT_FORMAT: Format("for reading", _print_tables),
    "json": Format("one object for each manuscript", _print_objects),
    "csv": Format("a line for each citation, with its best passage", _print_rows),
    "markdown": Format("a report", _print_markdown),
    "github": Format("annotations by GitHub Actions", print_github),
    "sarif": Format("SARIF 2.1.0", print_sarif),
    "junit": Format("JUnit's XML", print_junit),
}
WITH_LINES: Final = frozenset({"github", "sarif", "junit"})
