"""A checked manuscript as one HTML file, which needs no network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Final
from urllib.parse import urlencode

from citespan.pipelines.citations.checking import CheckedCitation, CheckedManuscript
from citespan.pipelines.citing.citations import ArticleCitations, Citation, make_query
from citespan.pipelines.corpus.identifiers import find_addresses
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.counts import format_count, name_sentences
from citespan.pipelines.retrieval.passage import Passage
from citespan.serve.report.decided import fill_decisions

KINDS: Final[Mapping[str, str]] = {
    "found": "Found",
    "differs": "Differs",
    "weak": "Weak evidence",
    "none": "No evidence",
    "not indexed": "Not indexed",
    "ambiguous": "Ambiguous",
    "unidentifiable": "Unidentifiable",
    "no reference": "No reference",
    "itself": "Cites itself",
    "notice": "A notice",
}
"""What each kind of citation is called, in the order of reports."""


_MOST_AUTHORS = 3


def describe_judgement(judged: CheckedCitation) -> str:
    """Return what became of a citation, with the probability that the cited article has
    evidence if that was searched, and whether only its abstract was."""
    if judged.evidence is None or judged.evidence.support is None:
        return KINDS[judged.kind]
    verdict = f"{KINDS[judged.kind]} ({judged.evidence.support:.2f})"
    return f"{verdict}, abstract only" if judged.abstract_only else verdict


def name_searched(judged: CheckedCitation) -> str:
    """Return what was searched of the cited article: all of it, or the abstract."""
    return "abstract" if judged.abstract_only else "article"


def describe_rival(judged: CheckedCitation) -> str:
    """Return which other article fits a citation better, in a line; "" for none."""
    rival = judged.evidence.rival if judged.evidence is not None else None
    return f"{rival.article} fits better: {rival.title}" if rival is not None else ""


def describe_totals(checked: CheckedManuscript) -> str:
    """Return the numbers of citations and references in a line."""
    kinds = (
        f"{checked.kinds[kind]:,} {label.lower()}"
        for kind, label in KINDS.items()
        if checked.kinds.get(kind)
    )
    references = len(checked.found.references)
    by_abstract = sum(citation.abstract_only for citation in checked.citations)
    abstracts = f"; {by_abstract:,} checked against an abstract only" if by_abstract else ""
    elsewhere = checked.found.elsewhere
    outside = f"; {elsewhere:,} outside of the text, as in tables, not checked" if elsewhere else ""
    return (
        f"{format_count(len(checked.citations), 'citation')}: {', '.join(kinds) or 'none'}"
        f"{abstracts}{outside}; "
        f"{len(checked.uncited):,} of {format_count(references, 'reference')} never cited"
        + (f", {len(checked.faulty):,} not what they say" if checked.faulty else "")
    )


def describe_decisions(checked: CheckedManuscript) -> list[str]:
    """Return what is decided and what is left, in lines; none if nobody was asked."""
    return [*checked.decisions.describe_left()] if checked.decisions is not None else []


def name_authors(authors: Sequence[str]) -> str:
    """Return the first authors of an article, and whether there are others."""
    return "; ".join([*authors[:_MOST_AUTHORS], *["et al."] * bool(authors[_MOST_AUTHORS:])])


def describe_reference(reference: Reference) -> str:
    """Return an entry of a reference list as its mark-up has it, or else its text."""
    publication = reference.publication
    if not publication.title:
        return collapse_space(reference.text)
    authors = name_authors(publication.authors)
    parts = (authors, publication.title, publication.journal, str(publication.year or ""))
    return collapse_space(". ".join(part.rstrip(".") for part in parts if part) + ".")


def describe_place(passage: Passage) -> str:
    """Return where in its article a passage is."""
    numbers = name_sentences(passage.first_sentence, passage.last_sentence, "–")
    page = f"page {passage.page}" if passage.page is not None else ""
    return ", ".join(part for part in (passage.section, page, numbers) if part)


_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class CitingPart:
    """Part of a citing sentence: what a citation says, its marker, or the rest; and whether it is
    what differs from a passage."""

    text: str
    in_clause: bool
    is_marker: bool
    differs: bool = False


def make_html(
    checked: CheckedManuscript, served_as: str | None = None, *, is_filled: bool = True
) -> str:
    """Return a report of all citations as an HTML page.

    Args:
        served_as: the id of the check, for a page of `citespan serve` with links to others; None
            for a file.
        is_filled: whether to show its decisions; otherwise they are left to `fill_decisions`.
    """
    from citespan.serve.page import make_page  # Jinja is imported only for a page

    html = make_page(
        _FOLDER,
        scripts=("report.js", "decide.js") if served_as is not None else ("report.js",),
        forms=served_as is not None,
        served_as=served_as,
        evidence_address=partial(_make_address, checked),
        checked=checked,
        article=checked.found.article,
        kinds=[(kind, KINDS[kind], checked.kinds[kind]) for kind in KINDS if kind in checked.kinds],
        totals=describe_totals(checked),
        addresses=find_addresses,
        judgement=describe_judgement,
        searched=name_searched,
        place=describe_place,
        rival=describe_rival,
        cite=describe_reference,
        source=PurePath(checked.found.article.source).name,
        split=partial(_split_citing, checked),
    )
    return fill_decisions(html, checked.decisions) if is_filled else html


def split_sentence(
    found: ArticleCitations, citation: Citation, differing: Sequence[tuple[int, int]] = ()
) -> list[CitingPart]:
    """Return the pieces of a citing sentence, in order; together they are the sentence.

    Args:
        differing: (start, end) of what differs from a passage, in the text.
    """
    sentence, marker = citation.sentence, citation.marker
    first, last = citation.clause
    edges = {sentence.start, sentence.end, first, last, marker.start, marker.end}
    edges.update(*differing)
    places = sorted(place for place in edges if sentence.start <= place <= sentence.end)
    return [
        CitingPart(
            found.article.text[start:end],
            first <= start and end <= last,
            marker.start <= start and end <= marker.end,
            any(begin <= start and end <= close for begin, close in differing),
        )
        for start, end in pairwise(places)
    ]


def _split_citing(checked: CheckedManuscript, judged: CheckedCitation) -> list[CitingPart]:
    places = [each.citation for each in checked.find_differences(judged)]
    differing = [(each.start, each.end) for each in places]
    return split_sentence(checked.found, judged.citation, differing)


def _make_address(checked: CheckedManuscript, judged: CheckedCitation, passage: Passage) -> str:
    """Return the address of the page with a passage marked in its article."""
    query = {
        "article": judged.article or "",
        "citance": make_query(checked.found.article.text, judged.citation),
        "ranker": checked.ranker,
    }
    return f"/article?{urlencode(query)}#s{passage.first_sentence}"
