"""Citations as JSON and as lines of a table."""

from typing import Any

from citespan.pipelines.citing.citations import (
    ArticleCitations,
    Citation,
    describe_citation,
    describe_reference,
)

COLUMNS = (
    *("article", "id", "section", "start", "end", "text", "marker", "clause", "before", "after"),
    *("name", "key", "authors", "title", "year", "journal", "pmid", "pmcid", "doi", "reference"),
    "problem",
)
"""The columns of `--csv`."""


def to_json(found: ArticleCitations) -> dict[str, Any]:
    """Return the citations of an article as an object for JSON."""
    return {
        "article": found.article.id,
        "title": found.article.title,
        "source": found.article.source,
        "references": [describe_reference(one) for one in found.references],
        "citations": [describe_citation(found, one) for one in found.citations],
        "uncited": [one.key for one in found.uncited],
        "markers": len(found.markers),
        "links": sum(marker.links for marker in found.markers) + found.elsewhere,
        "links_elsewhere": found.elsewhere,
    }


def to_cells(found: ArticleCitations, one: Citation) -> tuple[str, ...]:
    """Return a citation as a line of `COLUMNS`."""
    cells = describe_citation(found, one)
    cells |= {"article": found.article.id, "key": cells["reference"] or "", "reference": ""}
    cells |= {"marker": cells["marker"]["text"], "clause": cells["clause"]["text"]}
    if one.reference is not None:
        described = describe_reference(one.reference)
        described["reference"] = described.pop("text")
        described["authors"] = "; ".join(described["authors"])
        cells |= described
    values = (cells.get(column) for column in COLUMNS)
    return tuple("" if value is None else " ".join(str(value).split()) for value in values)
