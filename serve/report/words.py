"""How reports of checked citations put things into words."""

from collections.abc import Mapping
from typing import Final

from citespan.pipelines.citations.checking import CheckedCitation, CheckedManuscript
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.counts import format_count
from citespan.pipelines.retrieval.passage import Passage

KINDS: Final[Mapping[str, str]] = {
    "supported": "Supported",
    "weak": "Weak evidence",
    "none": "No evidence",
    "not indexed": "Not indexed",
    "ambiguous": "Ambiguous",
    "unidentifiable": "Unidentifiable",
    "no reference": "No reference",
    "itself": "Cites itself",
}
"""What each kind of citation is called, in the order of reports."""


_MOST_AUTHORS = 3


def describe_judgement(one: CheckedCitation) -> str:
    """Return what became of a citation, with the probability that it is supported if it was
    searched for."""
    if one.evidence is None or one.evidence.support is None:
        return KINDS[one.kind]
    return f"{KINDS[one.kind]} ({one.evidence.support:.2f})"


def describe_totals(checked: CheckedManuscript) -> str:
    """Return the numbers of citations and references in a line."""
    kinds = (
        f"{checked.kinds[kind]:,} {label.lower()}"
        for kind, label in KINDS.items()
        if checked.kinds.get(kind)
    )
    references = len(checked.found.references)
    return (
        f"{format_count(len(checked.citations), 'citation')}: {', '.join(kinds) or 'none'}; "
        f"{len(checked.uncited):,} of {format_count(references, 'reference')} never cited"
    )


def describe_reference(reference: Reference) -> str:
    """Return an entry of a reference list as its mark-up has it, or else its text."""
    publication = reference.publication
    if not publication.title:
        return collapse_space(reference.text)
    authors = "; ".join(publication.authors[:_MOST_AUTHORS])
    if len(publication.authors) > _MOST_AUTHORS:
        authors += "; et al."
    year = str(publication.year or "")
    parts = (authors, publication.title, publication.journal, year)
    return collapse_space(". ".join(part.rstrip(".") for part in parts if part) + ".")


def describe_place(passage: Passage) -> str:
    """Return where in its article a passage is."""
    first, last = passage.first_sentence, passage.last_sentence
    numbers = f"sentence {first}" if first == last else f"sentences {first}–{last}"
    return f"{passage.section}, {numbers}" if passage.section else numbers
