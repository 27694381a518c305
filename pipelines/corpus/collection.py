"""Citances with the spans that annotators marked for them."""

from collections.abc import Mapping
from dataclasses import dataclass

from citespan.pipelines.corpus.article import Article, Rejected


@dataclass(frozen=True, slots=True)
class Annotation:
    """What one annotator marked: (start, end) character offsets into the article's text,
    sorted, not overlapping."""

    annotator: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Citance:
    """A citing sentence or passage.

    Attributes:
        id: unique in the collection and safe in a TREC file (no white space).
        number: the citance's number as the collection writes it.
        marker: the citation marker as the annotators copied it; may be empty.
        annotations: one for each annotator, sorted by annotator.
        facets: the discourse facets that any annotator named, such as "method"; sorted.
        label: "supports" or "contradicts", where the collection says what the spans do to it.
    """

    id: str
    topic: str
    number: str
    article_id: str
    citing_article: str
    text: str
    marker: str
    annotations: tuple[Annotation, ...]
    facets: tuple[str, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Collection:
    """Reference articles, their citances, and every record that could not be used.

    `records` counts the annotation records met; records = the annotations of all `citances` +
    len(rejected), so that nothing is lost without a word.

    Attributes:
        unusable: topics whose article can't be used (their records are in `rejected` too),
            topics without annotation records, and annotation files that can't be read.
        remarks: lines on records that are used although something in them looks wrong.
    """

    name: str
    articles: Mapping[str, Article]
    citances: tuple[Citance, ...]
    rejected: tuple[Rejected, ...]
    records: int
    unusable: tuple[Rejected, ...] = ()
    remarks: tuple[str, ...] = ()
