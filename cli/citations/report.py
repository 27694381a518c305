"""What `citespan citations` shows in a terminal, and the totals of all its inputs."""

from dataclasses import dataclass, field
from typing import Any

from citespan.cli.output import out
from citespan.pipelines.citing.citations import ArticleCitations
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.counts import format_count

_LONGEST_ENTRY = 120


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
        resolved = sum(one.reference is not None for one in found.citations)
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
        rejected = {
            name: [{"path": one.source, "reason": one.reason} for one in some]
            for name, some in (("skipped", self.skipped), ("quarantined", self.quarantined))
        }
        return {
            "inputs": self.articles + len(self.skipped) + len(self.quarantined),
            "sentences": self.sentences,
            "markers": self.markers,
            "citations": self.citations,
            "unresolved": self.unresolved,
            "references": self.references,
            "uncited": self.uncited,
            "links": self.links,
            "links_elsewhere": self.links_elsewhere,
            "problems": self.problems,
            **rejected,
        }

    def print_article(self, found: ArticleCitations) -> None:
        """Print the citations of an article."""
        from rich.text import Text

        from citespan.cli.tables import listing

        text = found.article.text
        out.print(Text.assemble((found.article.id, "bold"), f"  {found.article.title}"))
        table = listing("id", "marker", "cites", "what it says")
        for one in found.citations:
            cited = name_reference(one.reference) if one.reference is not None else f"? {one.name}"
            clause = " ".join(text[slice(*one.clause)].split())
            marker = " ".join(text[one.marker.start : one.marker.end].split())
            table.add_row(Text(one.id), Text(marker), Text(cited), Text(clause))
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
