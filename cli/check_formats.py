"""How checked manuscripts are printed: as tables, JSON, rows, Markdown and annotations."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import typer
from rich.text import Text

from citespan.cli.annotations import (
    Outcome,
    print_github,
    print_junit,
    print_sarif,
)
from citespan.cli.citations import name_reference
from citespan.cli.output import open_private, out, print_json, write_csv
from citespan.cli.tables import listing
from citespan.pipelines.citations.checking import COLUMNS, CheckedCitation, CheckedManuscript
from citespan.pipelines.citing.citations import (
    REFERENCE_COLUMNS,
    flatten_reference,
)
from citespan.pipelines.corpus.identifiers import find_addresses
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.counts import format_count
from citespan.pipelines.ranking.evidence import DIFFERS_MEANS, FOUND_MEANS
from citespan.serve.report import (
    KINDS,
    describe_decisions,
    describe_judgement,
    describe_place,
    describe_rival,
    describe_totals,
    name_searched,
)
from citespan.serve.report import describe_reference as write_reference

_STYLES = {"found": "bold", "differs": "bold yellow", "weak": "yellow", "none": "red"}
MISSING_COLUMNS = (*REFERENCE_COLUMNS, "citations")
"""The columns of `--missing`."""
_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|~&!$@]|^[-+=]|(?<=[pst]):(?=//)|(?<=www)\.")
_NUMBER = re.compile(r"^(\d+)([.)])")


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
    write_csv(sys.stdout, COLUMNS, rows)


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
    for one in checked.citations:
        table.add_row(
            Text(one.citation.id),
            _describe_status(checked, one),
            _describe_citation(article.text, one),
            _describe_evidence(one),
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


def _describe_status(checked: CheckedManuscript, one: CheckedCitation) -> Text:
    status = (describe_judgement(one), _STYLES.get(one.status, ""))
    decided = (f"\n{checked.states[one.citation.id]}", "bold") if checked.states else ""
    return Text.assemble(status, decided)


def _describe_citation(text: str, one: CheckedCitation) -> Text:
    reference = one.citation.reference
    cited = name_reference(reference) if reference is not None else f"? {one.citation.name}"
    clause = collapse_space(text[slice(*one.citation.clause)])
    return Text.assemble(clause, "\n", (f"cites {cited}", "dim"))


def _describe_evidence(one: CheckedCitation) -> Text:
    lines: list[str | tuple[str, str]] = []
    if one.evidence:
        best = one.evidence[0]
        lines += [collapse_space(best.text), (f"{describe_place(best)} of {one.article}", "dim")]
        lines += [f"differs: {each}" for each in one.evidence.differences]
    elif one.evidence is not None and not one.problem:
        lines.append(f"{KINDS['none']} in {one.article}")
    lines += filter(None, (one.problem, describe_rival(one)))
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


def make_markdown(checked: CheckedManuscript) -> str:
    """Return a report of all citations."""
    return "\n".join(_write(checked)).rstrip() + "\n"


def _write(checked: CheckedManuscript) -> Iterator[str]:
    article = checked.found.article
    yield f"# Citations of {escape(article.title or article.id)}"
    yield ""
    yield f"{describe_totals(checked)}. {FOUND_MEANS} {DIFFERS_MEANS}"
    yield ""
    if checked.decisions is not None:
        yield from (f"- {escape(line)}" for line in describe_decisions(checked))
        yield ""
    if checked.found.problems:
        yield "## References that can't be read"
        yield ""
        for problem in checked.found.problems:
            yield f"- {escape(problem)}"
        yield ""
    if checked.faulty:
        yield "## References that are not what they say"
        yield ""
        for reference, faults in checked.faulty:
            yield f"- {_write_reference(reference, reference.publication)}"
            yield from (f"  - {escape(str(fault))}" for fault in faults)
        yield ""
    for citation in checked.citations:
        yield from _write_citation(checked, citation)
    if checked.uncited:
        yield "## References without a citation"
        yield ""
        for reference in checked.uncited:
            yield f"- {_write_reference(reference, reference.publication)}"
        yield ""


def _write_citation(checked: CheckedManuscript, one: CheckedCitation) -> Iterator[str]:
    text = checked.found.article.text
    yield f"## {one.citation.id}: {describe_judgement(one)}"
    yield ""
    yield f"> {escape(text[slice(*one.citation.clause)])}"
    yield ""
    reference = one.citation.reference
    if reference is not None:
        yield f"Cites {_write_reference(reference, one.publication)}"
        yield ""
    if decided := checked.find_decided(one):
        yield from (f"- decided: {escape(str(each))}" for each in decided)
        yield ""
    for problem in filter(None, (*map(str, checked.find_faults(one)), one.problem)):
        yield f"*{escape(problem)}*"
        yield ""
    for passage in one.evidence or ():
        place = f"{escape(describe_place(passage))}; {passage.probability:.2f}"
        yield f"{passage.rank}. {escape(passage.text)} ({place})"
    if one.evidence:
        yield ""
    if one.evidence is not None and one.evidence.differences:
        yield from (f"- differs: {escape(str(each))}" for each in one.evidence.differences)
        yield ""
    if rival := describe_rival(one):
        yield escape(rival)
        yield ""
    if one.evidence is not None and one.evidence.missing:
        yield f"Not in the {name_searched(one)}: {escape(', '.join(one.evidence.missing))}"
        yield ""


def _write_reference(reference: Reference, publication: Publication) -> str:
    shown = escape(write_reference(reference))
    links = [f"[{escape(name)}](<{address}>)" for name, address in find_addresses(publication)]
    label = f"{escape(reference.label or reference.key)}: "
    return label + " ".join([shown, *links])


def escape(text: str) -> str:
    """Return the text on one line, with Markdown and HTML escaped."""
    line = _MARKUP.sub(lambda found: f"\\{found[0]}", collapse_space(text))
    return _NUMBER.sub(r"\1\\\2", line)


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
