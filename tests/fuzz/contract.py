"""What holds for whatever a reader makes of any input."""

import re
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path

from citespan.pipelines.corpus.abstract import Abstract, AbstractReading, Deletion
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.corpus.identifiers import is_pmid
from citespan.pipelines.corpus.paragraphs import MAX_HEADING
from citespan.pipelines.corpus.section_categories import ZONES_OF_CATEGORIES
from citespan.pipelines.vocabulary.rows import make_row
from citespan.pipelines.vocabulary.terms import VocabularyTerm

BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
DAY = re.compile(r"|[0-9]{4}-[0-9]{2}-[0-9]{2}")
CATEGORIES = ("", *ZONES_OF_CATEGORIES)
KINDS = ("title", "abstract", "body", "caption")
OUTCOMES = ("skipped", "quarantined")


def check_reading(
    reading: AbstractReading, folder: Path, size: int | None, most: int | None
) -> None:
    """An article, a deletion or a rejection.

    Args:
        folder: of the input, which messages name.
        size: bytes of the input, unpacked; None where that isn't known.
        most: characters of text that so many bytes may become.
    """
    match reading:
        case Rejected():
            check_rejected(reading, folder)
        case Deletion():
            assert is_pmid(reading.id)
            assert reading.version >= 1
        case _:
            check_article(reading, folder, size, most)


def check_rejected(rejected: Rejected, folder: Path) -> None:
    """One line that names the file."""
    assert rejected.outcome in OUTCOMES
    assert rejected.source.startswith(str(folder))
    assert rejected.reason.strip() and len(rejected.reason.splitlines()) == 1
    assert len(rejected.reason) < 1000


def check_article(article: Article, folder: Path, size: int | None, most: int | None) -> None:
    """Sendable as UTF-8, no larger than what it was read from, with all offsets in order."""
    assert article.id == article.id.strip() != ""
    assert article.source.startswith(str(folder))
    assert article.id not in article.also_known_as
    assert len(set(article.also_known_as)) == len(article.also_known_as)
    for string in strings(astuple(article)):
        string.encode()
    if size is not None and most is not None:
        assert len(article.text) <= most
        assert sum(len(reference.text) for reference in article.references) <= 2 * size
    end = 0
    for section in article.sections:
        assert section.kind in KINDS
        assert len(section.title) <= MAX_HEADING
        assert end <= section.start < section.end <= len(article.text)
        assert is_blank(article.text[end : section.start])
        end = section.end
    assert is_blank(article.text[end:])
    end = 0
    for link in article.links:
        assert end <= link.start <= link.end <= len(article.text)
        end = link.end
    keys = [reference.key for reference in article.references]
    assert len(set(keys)) == len(keys)
    end = 0
    for sentence in article.sentences or ():
        assert end <= sentence.start < sentence.end <= len(article.text)
        shown = article.text[sentence.start : sentence.end]
        assert shown == shown.strip() != ""
        assert not BLANK_LINE.search(shown)
        end = sentence.end
    if isinstance(article, Abstract):
        assert is_pmid(article.id)
        assert article.version >= 1
        assert DAY.fullmatch(article.revised)
        assert article.year is None or 1600 <= article.year <= 2099
        assert all(section.category in CATEGORIES for section in article.sections)
        assert article.text[article.start :].strip()


def is_blank(text: str) -> bool:
    """Whether there is nothing but white space and byte-order marks in it."""
    return not text.replace("\ufeff", "").strip()


def strings(value: object) -> Iterator[str]:
    """All strings in nested tuples and lists."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from strings(part)


def check_collection(collection: Collection, folder: Path) -> None:
    """No record is lost, and what annotators marked lies within the article, in order."""
    used = sum(len(citance.annotations) for citance in collection.citances)
    assert collection.records == used + len(collection.rejected)
    assert len({citance.id for citance in collection.citances}) == len(collection.citances)
    for rejected in (*collection.rejected, *collection.unusable):
        check_rejected(rejected, folder)
    for citance in collection.citances:
        text = collection.articles[citance.article_id].text
        assert citance.id and not any(map(str.isspace, citance.id))
        annotators = [annotation.annotator for annotation in citance.annotations]
        assert annotators == sorted(set(annotators))
        for annotation in citance.annotations:
            end = -1
            assert annotation.spans
            for start, stop in annotation.spans:
                assert end < start < stop <= len(text)
                end = stop


def check_term(term: VocabularyTerm | Rejected, folder: Path) -> None:
    """A term with all that it needs, which a store takes or refuses by its own exception."""
    if isinstance(term, Rejected):
        check_rejected(term, folder)
        return
    assert term.cui and term.text.strip() and term.source
    try:
        assert "\n" not in make_row(term)
    except ValueError as error:
        assert len(str(error).splitlines()) == 1
