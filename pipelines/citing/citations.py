"""The citations of an article: which sentence cites which reference, where in it, and what it says,
which is what is searched for in the cited article.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from typing import Any, Final

from citespan.pipelines.citing.clauses import find_clauses
from citespan.pipelines.citing.context import load_model
from citespan.pipelines.citing.markers import Marker, group_links
from citespan.pipelines.citing.written_markers import find_written_markers
from citespan.pipelines.corpus.article import Article, Section, Sentence
from citespan.pipelines.corpus.reference_section import find_reference_section
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.text.splitter import Splitter, split_article


@dataclass(frozen=True, slots=True)
class CitingSentence:
    """A sentence with the markers in it. All offsets are into the article's text.

    Attributes:
        number: of the sentence in the article, from 0.
        before, after: the sentences beside it in its section; None where there is none.
        section: of the article; None for a text without sections.
        markers: in order.
        clauses: (start, end) of the part of the sentence that each marker stands for.
    """

    number: int
    start: int
    end: int
    before: Sentence | None
    after: Sentence | None
    section: Section | None
    markers: tuple[Marker, ...]
    clauses: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Context:
    """The sentence before a citing one where it belongs to the citation, with its markers."""

    start: int
    end: int
    markers: tuple[Marker, ...]


@dataclass(frozen=True, slots=True)
class Citation:
    """One reference cited by one marker of a sentence.

    Attributes:
        id: unique in the article: the number of the sentence, of the marker in it, and of the
            citation in that, such as "12.1.2"; the latter two count from 1.
        clause: (start, end) in the article's text of what the marker stands for.
        reference: the entry that is cited; None if the reference list has no such entry.
        name: what the marker calls the entry.
        context: the sentence before, if it belongs to the citation.
    """

    id: str
    sentence: CitingSentence
    marker: Marker
    clause: tuple[int, int]
    reference: Reference | None
    name: str
    context: Context | None = None


@dataclass(frozen=True, slots=True)
class ArticleCitations:
    """All that an article cites.

    Attributes:
        sentences: those that cite, in order.
        citations: in the order of their markers; those without a reference are among them.
        uncited: references that neither the text nor any other part of the article cites.
        elsewhere: number of links outside of the text, such as those in tables.
        problems: a line for each entry of the reference list that can't be read.
    """

    article: Article
    references: tuple[Reference, ...]
    sentences: tuple[CitingSentence, ...]
    citations: tuple[Citation, ...]
    uncited: tuple[Reference, ...]
    elsewhere: int
    problems: tuple[str, ...] = ()

    @property
    def markers(self) -> tuple[Marker, ...]:
        """The markers of all sentences, in order."""
        return tuple(marker for sentence in self.sentences for marker in sentence.markers)


def find_citations(article: Article, splitter: Splitter) -> ArticleCitations:
    """Find all citations of an article.

    Raises:
        InputError: for an article of more sentences than are indexed of one.
        CitespanError: from the splitter, if the library that it needs is not installed.
    """
    return find_in_sentences(article, split_article(article, splitter))


def find_in_sentences(article: Article, split: Sequence[Sentence]) -> ArticleCitations:
    """Find all citations of an article that has been split.

    Args:
        split: all sentences of the article, in order.
    """
    references = article.references
    markers = list(_find_markers(article, references))
    sentences = tuple(_find_sentences(article, markers, split))
    by_key = {reference.key: reference for reference in references}
    citations = tuple(_find_in_sentences(article.text, sentences, by_key))
    cited = {citation.reference.key for citation in citations if citation.reference is not None}
    named = {name for names in article.links_elsewhere for name in names}
    uncited = (
        reference
        for reference in references
        if reference.key not in cited and named.isdisjoint((reference.key, *reference.names))
    )
    return ArticleCitations(
        article,
        references,
        sentences,
        citations,
        tuple(uncited),
        len(article.links_elsewhere),
        article.reference_list.problems,
    )


def _find_markers(article: Article, references: Sequence[Reference]) -> Iterator[Marker]:
    """Yield the markers that the mark-up links; in an article without links, those that look like
    markers, up to where a reference list begins in the text itself."""
    if article.links or article.links_elsewhere:
        yield from group_links(article.text, article.links, references)
        return
    listed = find_reference_section(article.text)
    end = listed[0] if listed else len(article.text)
    yield from find_written_markers(article.text, references, end)


def _find_sentences(
    article: Article, markers: Sequence[Marker], sentences: Sequence[Sentence]
) -> Iterator[CitingSentence]:
    starts = [sentence.start for sentence in sentences]
    sections = [section.start for section in article.sections]
    of_sentence: dict[int, list[Marker]] = {}
    for marker in markers:
        of_sentence.setdefault(max(0, bisect_right(starts, marker.start) - 1), []).append(marker)
    for number, some in of_sentence.items():
        sentence = sentences[number]
        end = max(sentence.end, some[-1].end)
        at = bisect_right(sections, sentence.start) - 1
        section = article.sections[at] if at >= 0 else None
        places = [(marker.start - sentence.start, marker.end - sentence.start) for marker in some]
        clauses = find_clauses(article.text[sentence.start : end], places)
        yield CitingSentence(
            number,
            sentence.start,
            end,
            _find_beside(sentences, number - 1, section),
            _find_beside(sentences, number + 1, section),
            section,
            tuple(some),
            tuple((sentence.start + first, sentence.start + last) for first, last in clauses),
        )


def _find_beside(
    sentences: Sequence[Sentence], number: int, section: Section | None
) -> Sentence | None:
    if not 0 <= number < len(sentences):
        return None
    found = sentences[number]
    inside = section is None or section.start <= found.start < section.end
    return found if inside else None


def _find_context(
    text: str, sentence: CitingSentence, earlier: CitingSentence | None
) -> Context | None:
    """Return the sentence before a citing one if it belongs to its first marker.

    Args:
        earlier: the last sentence before it that cites.
    """
    if sentence.before is None:
        return None
    start, end = sentence.before.start, sentence.before.end
    is_before = earlier is not None and earlier.number == sentence.number - 1
    markers = earlier.markers if earlier is not None and is_before else ()
    first = sentence.markers[0]
    belongs = load_model().belongs(
        text[start:end],
        text[sentence.start : sentence.end],
        (first.start - sentence.start, first.end - sentence.start),
        len(sentence.markers),
        len(markers),
    )
    return Context(start, end, markers) if belongs else None


def _find_in_sentences(
    text: str, sentences: Sequence[CitingSentence], by_key: dict[str, Reference]
) -> Iterator[Citation]:
    for earlier, sentence in zip([None, *sentences], sentences, strict=False):
        context = _find_context(text, sentence, earlier)
        pairs = zip(sentence.markers, sentence.clauses, strict=True)
        for at, (marker, clause) in enumerate(pairs, 1):
            cited = [(by_key[key], by_key[key].label or key) for key in marker.keys]
            missing = [(None, name) for name in marker.unknown]
            for number, (reference, name) in enumerate([*cited, *missing], 1):
                identifier = f"{sentence.number}.{at}.{number}"
                belonging = context if at == 1 else None
                yield Citation(identifier, sentence, marker, clause, reference, name, belonging)


_START = attrgetter("start")

_LONGEST = 4_000
"""In characters on either side of the marker. What is longer is no sentence, but a table without
mark-up, and each citation would have a copy of it."""


def make_query(text: str, citation: Citation) -> str:
    """Return what a citation says: its clause, and the sentence before if it belongs to it, without
    the markers in them.

    Args:
        text: of the article that cites.
    """
    context = citation.context
    pieces = _cut_markers(text, *_bound(citation.clause, citation), citation.sentence.markers)
    if context is not None:
        pieces = [*_cut_markers(text, context.start, context.end, context.markers), *pieces]
    return " ".join(" ".join(pieces).split())


def _cut_markers(text: str, start: int, end: int, markers: Sequence[Marker]) -> list[str]:
    """Return the pieces of `text[start:end]` between markers."""
    pieces = []
    for marker in islice(markers, bisect_left(markers, start, key=_START), None):
        if marker.start >= end:
            break
        if start <= marker.start:
            pieces.append(text[start : marker.start])
            start = max(start, marker.end)
    return [*pieces, text[start:end]]


def bound_sentence(citation: Citation) -> tuple[int, int]:
    """Return (start, end) of the citing sentence, with the one before if that belongs to the
    citation, or of what of them is near to the marker."""
    first = citation.sentence if citation.context is None else citation.context
    return _bound((first.start, citation.sentence.end), citation)


def _bound(part: tuple[int, int], citation: Citation) -> tuple[int, int]:
    start, end = part
    return (
        max(start, min(citation.marker.start - _LONGEST, end)),
        min(end, max(citation.marker.end + _LONGEST, start)),
    )


def describe_reference(reference: Reference) -> dict[str, Any]:
    """Return a reference as an object for JSON."""
    publication = reference.publication
    return {
        "key": reference.key,
        "label": reference.label,
        "authors": list(publication.authors),
        "title": publication.title,
        "year": publication.year,
        "journal": publication.journal,
        "pmid": publication.pmid,
        "pmcid": publication.pmcid,
        "doi": publication.doi,
        "text": reference.text,
    }


REFERENCE_COLUMNS: Final = (
    *("key", "authors", "title", "year", "journal", "pmid", "pmcid", "doi", "reference"),
)
"""Of `flatten_reference`."""


def flatten_reference(reference: Reference) -> dict[str, Any]:
    """Return a reference as a row of numbers and texts."""
    described = describe_reference(reference)
    described["authors"] = "; ".join(described["authors"])
    described["reference"] = described["text"]
    return {name: described[name] for name in REFERENCE_COLUMNS}


def describe_citation(found: ArticleCitations, citation: Citation) -> dict[str, Any]:
    """Return a citation as an object for JSON; offsets are into the article's text."""
    text, sentence = found.article.text, citation.sentence
    section = sentence.section
    return {
        "id": citation.id,
        "section": section.name if section is not None else "",
        "start": sentence.start,
        "end": sentence.end,
        "text": text[sentence.start : sentence.end],
        "marker": {"start": citation.marker.start, "end": citation.marker.end}
        | {"text": text[citation.marker.start : citation.marker.end]},
        "clause": {"start": citation.clause[0], "end": citation.clause[1]}
        | {"text": text[slice(*citation.clause)]},
        "context": None
        if citation.context is None
        else {"start": citation.context.start, "end": citation.context.end}
        | {"text": text[citation.context.start : citation.context.end]},
        "before": text[sentence.before.start : sentence.before.end] if sentence.before else "",
        "after": text[sentence.after.start : sentence.after.end] if sentence.after else "",
        "name": citation.name,
        "reference": citation.reference.key if citation.reference is not None else None,
        "problem": citation.marker.problem,
    }
