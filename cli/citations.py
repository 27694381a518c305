"""`citespan citations`: what articles and manuscripts cite, and where."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer
from rich.text import Text

from citespan.cli.options import Csv, Json, manuscript_format_help
from citespan.cli.output import out, print_csv, print_json, warn
from citespan.cli.readings import list_rejected, warn_rejected
from citespan.cli.tables import listing
from citespan.pipelines.citing.citations import (
    REFERENCE_COLUMNS,
    ArticleCitations,
    Citation,
    describe_citation,
    describe_reference,
    find_citations,
    flatten_reference,
)
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.counts import format_count
from citespan.pipelines.text.splitter import DEFAULT, splitters

_LONGEST_ENTRY = 120
_COLUMNS = (
    *("article", "id", "section", "start", "end", "text", "marker", "clause", "context", "before"),
    "after",
    *("name", *REFERENCE_COLUMNS),
    "problem",
)
"""The columns of `--csv`."""
_COUNTED = (
    *("sentences", "markers", "citations", "unresolved", "references", "uncited"),
    *("links", "links_elsewhere"),
)


def citations(
    files: Annotated[
        list[str],
        typer.Argument(help="Files, folders, archives, or - for stdin.", metavar="FILE..."),
    ],
    format_: Annotated[
        str, typer.Option("--format", help=manuscript_format_help(), show_default=True)
    ] = "auto",
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Show what articles cite: each citing sentence with its markers and references.

    Each citation has the clause of the sentence that is its own, and the sentences beside it; the
    one before is its context where it belongs to the citation.
    Markers that point to no reference, and references that nothing cites, are listed. Nothing is
    indexed, and no server is needed.

    Example: citespan citations manuscript.tex --csv
    """
    report = CitationsReport()
    found = _find_all(files, format_, report)
    if json:
        print_json({"articles": [_to_json(article) for article in found], **report.to_json()})
    elif csv:
        rows = (_to_row(article, citation) for article in found for citation in article.citations)
        print_csv(rows, _COLUMNS)
    else:
        for article in found:
            report.print_article(article)
        report.print_totals()
    warn_rejected([*report.skipped, *report.quarantined])
    for problem in report.problems:
        warn(problem)
    raise typer.Exit(1 if report.quarantined or report.problems else 0)


def _find_all(
    files: list[str], format_: str, report: "CitationsReport"
) -> Iterator[ArticleCitations]:
    """Yield the citations of each article, and count all inputs."""
    from citespan.pipelines.indexing.reading.sources import Sources
    from citespan.pipelines.indexing.reading.unit_reading import read_articles

    for reading in read_articles(Sources(files, format_)):
        if isinstance(reading, Rejected):
            report.reject(reading)
        else:
            found = find_citations(reading, splitters[DEFAULT])
            report.count(found)
            yield found


@dataclass
class CitationsReport:
    """Counts all inputs: articles, and those that are skipped or quarantined.

    Attributes:
        citations: of references; `unresolved` ones point to none.
        problems: a line for each entry of a reference list that can't be read.
    """

    articles: int = 0
    sentences: int = 0
    markers: int = 0
    citations: int = 0
    unresolved: int = 0
    references: int = 0
    uncited: int = 0
    links: int = 0
    links_elsewhere: int = 0
    skipped: list[Rejected] = field(default_factory=list)
    quarantined: list[Rejected] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def reject(self, rejected: Rejected) -> None:
        """Count an input that is no article."""
        (self.skipped if rejected.outcome == "skipped" else self.quarantined).append(rejected)

    def count(self, found: ArticleCitations) -> None:
        """Count an article."""
        resolved = sum(citation.reference is not None for citation in found.citations)
        self.articles += 1
        self.sentences += len(found.sentences)
        self.markers += len(found.markers)
        self.citations += resolved
        self.unresolved += len(found.citations) - resolved
        self.references += len(found.references)
        self.uncited += len(found.uncited)
        self.links += sum(marker.links for marker in found.markers) + found.elsewhere
        self.links_elsewhere += found.elsewhere
        self.problems += found.problems

    def to_json(self) -> dict[str, Any]:
        """Return the totals as an object for JSON; inputs = articles + skipped + quarantined."""
        return {
            "inputs": self.articles + len(self.skipped) + len(self.quarantined),
            **{name: getattr(self, name) for name in _COUNTED},
            "problems": self.problems,
            **list_rejected([*self.skipped, *self.quarantined]),
        }

    def print_article(self, found: ArticleCitations) -> None:
        """Print the citations of an article."""
        text = found.article.text
        out.print(Text.assemble((found.article.id, "bold"), f"  {found.article.title}"))
        table = listing("id", "marker", "cites", "what it says")
        for citation in found.citations:
            clause = " ".join(text[slice(*citation.clause)].split())
            marker = " ".join(text[citation.marker.start : citation.marker.end].split())
            table.add_row(Text(citation.id), Text(marker), Text(name_cited(citation)), Text(clause))
        if found.citations:
            out.print(table)
        for unsound in (marker for marker in found.markers if marker.problem):
            shown = " ".join(text[unsound.start : unsound.end].split())
            out.print(Text(f"{shown}: {unsound.problem}"))
        for reference in found.uncited:
            out.print(Text(f"never cited: {_describe(reference)}"))

    def print_totals(self) -> None:
        """Print the totals of all inputs."""
        cited = self.references - self.uncited
        out.print(
            f"{format_count(self.articles, 'article')}: "
            f"{format_count(self.citations, 'citation')} by {format_count(self.markers, 'marker')} "
            f"in {format_count(self.sentences, 'sentence')}, {self.unresolved:,} unresolved; "
            f"{cited:,} of {format_count(self.references, 'reference')} cited"
        )
        if self.links:
            out.print(
                f"{format_count(self.links, 'link')} in the mark-up, "
                f"{self.links_elsewhere:,} of them outside of the text"
            )


def _describe(reference: Reference) -> str:
    label = reference.label or reference.key
    text = reference.text
    if len(text) > _LONGEST_ENTRY:
        text = text[:_LONGEST_ENTRY].rpartition(" ")[0] + " …"
    return f"{label}  {text}"


def name_reference(reference: Reference) -> str:
    """Return what tells a reference from the others of its list in a few words, such as
    "12 Ito 2001 pmid:101"."""
    publication = reference.publication
    surname = publication.authors[0].partition(",")[0] if publication.authors else ""
    year = str(publication.year or "")
    shown = " ".join(filter(None, (reference.label or reference.key, surname, year)))
    return " ".join(filter(None, (shown, *publication.identifiers)))


def name_cited(citation: Citation) -> str:
    """Return what a citation cites in a few words; what it writes there, behind a question mark,
    where the list has no such reference."""
    if citation.reference is None:
        return f"? {citation.name}"
    return name_reference(citation.reference)


def _to_json(found: ArticleCitations) -> dict[str, Any]:
    """Return the citations of an article as an object for JSON."""
    return {
        "article": found.article.id,
        "title": found.article.title,
        "source": found.article.source,
        "references": [describe_reference(reference) for reference in found.references],
        "citations": [describe_citation(found, citation) for citation in found.citations],
        "uncited": [reference.key for reference in found.uncited],
        "markers": len(found.markers),
        "links": sum(marker.links for marker in found.markers) + found.elsewhere,
        "links_elsewhere": found.elsewhere,
    }


def _to_row(found: ArticleCitations, citation: Citation) -> dict[str, Any]:
    """Return a citation as a row of `_COLUMNS`."""
    row = describe_citation(found, citation)
    row |= {"article": found.article.id, "key": row["reference"], "reference": ""}
    row |= {name: (row[name] or {"text": ""})["text"] for name in ("marker", "clause", "context")}
    return row | (flatten_reference(citation.reference) if citation.reference is not None else {})
