"""A checked manuscript in a terminal."""

from rich.text import Text

from citespan.cli.citations.report import name_reference
from citespan.cli.output import out
from citespan.cli.tables import listing
from citespan.pipelines.citations.checked import CheckedCitation, CheckedManuscript
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.counts import format_count
from citespan.serve.report.words import (
    KINDS,
    describe_judgement,
    describe_place,
    describe_totals,
)

_STYLES = {"supported": "green", "weak": "yellow", "none": "red"}


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
            Text(describe_judgement(one), style=_STYLES.get(one.status, "")),
            _describe_citation(article.text, one),
            _describe_evidence(one),
        )
    if checked.citations:
        out.print(table)
    for reference in checked.uncited:
        out.print(Text(f"never cited: {name_reference(reference)}"))
    out.print(Text(describe_totals(checked)))
    if checked.missing:
        wanted = format_count(len(checked.missing), "cited article")
        verb = "is" if len(checked.missing) == 1 else "are"
        advice = "; --missing FILE writes a list of them" if advise else ""
        out.print(f"{wanted} {verb} not indexed{advice}")


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
    elif one.evidence is not None and not one.problem:
        lines.append(f"{KINDS['none']} in {one.article}")
    if one.problem:
        lines.append(one.problem)
    joined = [piece for line in lines for piece in (line, "\n")][:-1]
    return Text.assemble(*joined)
