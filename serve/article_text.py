"""An indexed article as a reader sees it: headings, paragraphs, legends, references, and marks.

The index has an article's sentences with the white space behind them and the headings of their
sections, nested ones joined by " / "; the page is made of these.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Literal

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.citing.marker_patterns import find_brackets
from citespan.pipelines.ranking.section_kinds import find_places
from citespan.pipelines.ranking.stored_article import StoredArticle, read_stored_articles
from citespan.pipelines.retrieval.passage import Passage

Kind = Literal["title", "abstract", "legend", "references", "back", "body"]
_KEPT = 32
_HIGHEST, _LOWEST = 2, 6
_LISTS = ("references", "bibliography", "literature cited")


@dataclass(frozen=True, slots=True)
class NumberedSentence:
    """A sentence of an article.

    Attributes:
        start: character offset into the article's text.
        text: without the white space behind it.
        markers: (start, end) of the citation markers in brackets, as offsets into `text`.
    """

    number: int
    start: int
    text: str
    markers: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences without a blank line between them; a heading if the text has it on a line."""

    sentences: tuple[NumberedSentence, ...]
    is_heading: bool


@dataclass(frozen=True, slots=True)
class Block:
    """Paragraphs that stand together in one section.

    Attributes:
        headings: (level, heading) of the headings above it that the block before has not.
        name: the innermost heading; "" for none.
    """

    kind: Kind
    headings: tuple[tuple[int, str], ...]
    name: str
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a sentence."""

    text: str
    is_match: bool
    is_marker: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """What passages say of a sentence.

    Attributes:
        passages: the names of the passages that it belongs to, such as "a1".
        begins: those that begin with it.
        matches: (start, end) of matched words, as offsets into the sentence.
    """

    passages: tuple[str, ...]
    begins: tuple[str, ...]
    matches: tuple[tuple[int, int], ...]


def read_blocks(client: Elasticsearch, entry: ArticleEntry) -> tuple[Block, ...]:
    """Return the text of an article, block by block.

    Raises:
        ArticleGoneError: if its documents are gone.
        CitespanError: if its single sentences are not stored.
    """
    [article] = read_stored_articles(client, [entry])
    return lay_out(article)


@lru_cache(maxsize=_KEPT)
def lay_out(article: StoredArticle) -> tuple[Block, ...]:
    """Return the text of a stored article, block by block."""
    places = find_places(article.sentences)
    sections = article.sentences.sections
    blocks: list[Block] = []
    above: tuple[str, ...] = ()
    for (section, place), group in groupby(
        range(len(sections)), key=lambda number: (sections[number], places[number])
    ):
        parts = tuple(part for part in section.split(" / ") if part)
        kind = _name_kind(place.kind, place.part, parts)
        shared = 0
        while shared < min(len(parts), len(above)) and parts[shared] == above[shared]:
            shared += 1
        headings = tuple(
            (min(_HIGHEST + depth, _LOWEST), part)
            for depth, part in enumerate(parts)
            if depth >= shared and kind != "title"
        )
        above = parts
        paragraphs = tuple(_split_paragraphs(article, list(group)))
        blocks.append(Block(kind, headings, parts[-1] if parts else "", paragraphs))
    return tuple(blocks)


def _name_kind(kind: str, part: str, parts: Sequence[str]) -> Kind:
    if kind == "title" or kind == "abstract":
        return "title" if kind == "title" else "abstract"
    if part == "caption":
        return "legend"
    if kind == "back matter":
        listed = bool(parts) and parts[-1].strip(" .:").lower() in _LISTS
        return "references" if listed else "back"
    return "body"


def _split_paragraphs(article: StoredArticle, numbers: Sequence[int]) -> Iterator[Paragraph]:
    texts, may_be_evidence = article.sentences.texts, article.positions.evidence
    at_hand: list[NumberedSentence] = []
    for number in numbers:
        whole = texts[number]
        text = whole.rstrip()
        at_hand.append(
            NumberedSentence(
                number, article.starts[number], text, tuple(sorted(find_brackets(text)))
            )
        )
        if "\n" in whole[len(text) :] or number == numbers[-1]:
            alone = len(at_hand) == 1 and not may_be_evidence[number]
            yield Paragraph(tuple(at_hand), alone)
            at_hand = []


def find_marks(
    blocks: Sequence[Block], found: Mapping[str, Sequence[Passage]]
) -> dict[int, Mark] | None:
    """Return the marks of sentences by their numbers.

    Args:
        found: passages by the letter that names of theirs begin with.

    Returns:
        None if a passage is not in the text: the article has been replaced meanwhile.
    """
    sentences = {
        sentence.number: sentence
        for block in blocks
        for part in block.paragraphs
        for sentence in part.sentences
    }
    marks: dict[int, Mark] = {}
    for letter, passages in found.items():
        for passage in passages:
            name = f"{letter}{passage.rank}"
            for number in range(passage.first_sentence, passage.last_sentence + 1):
                sentence = sentences.get(number)
                at = sentence.start - passage.start if sentence is not None else -1
                if sentence is None or not passage.text.startswith(sentence.text, at):
                    return None
                before = marks.get(number, Mark((), (), ()))
                begins = (name,) if number == passage.first_sentence else ()
                matches = tuple(
                    (start - at, end - at)
                    for start, end in passage.matches
                    if at <= start < at + len(sentence.text)
                )
                marks[number] = Mark(
                    (*before.passages, name), before.begins + begins, before.matches + matches
                )
    return marks


def split_sentence(sentence: NumberedSentence, mark: Mark | None = None) -> list[Piece]:
    """Return the pieces of a sentence, in order; together they are the sentence."""
    matches = mark.matches if mark is not None else ()
    length = len(sentence.text)
    edges = {
        0,
        length,
        *(min(edge, length) for pair in (*matches, *sentence.markers) for edge in pair),
    }
    return [
        Piece(sentence.text[start:end], _covers(matches, start), _covers(sentence.markers, start))
        for start, end in pairwise(sorted(edges))
    ]


def _covers(spans: Sequence[tuple[int, int]], place: int) -> bool:
    return any(start <= place < end for start, end in spans)
