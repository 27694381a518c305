"""What is searched for, in which article, and how."""

from dataclasses import dataclass

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.similarity import Similarity
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.model import RetrievalModel
from citespan.pipelines.retrieval.query_dsl import SERVER_EXPANDED

TOP = 3  # what annotators marked at most (paper A, section 2.4)
DEEPEST = 50  # retrieved spans among which `top` that are not nested are looked for
_DEEPEST_ALLOWED = 10_000  # Elasticsearch's index.max_result_window


@dataclass(frozen=True)
class SearchRequest:
    """One citance's terms, to be searched in one article.

    Attributes:
        depth: how many spans are merged; None for as few as leave three of them, or `top` if that
            is more, so that the best of one is the best of three.
        merged: whether spans inside others are merged into these.
        spans: how long spans are; None for what the article was indexed with. Only the layout
            `sentences` has a choice.
    """

    article: ArticleEntry
    terms: tuple[Term, ...]
    model: RetrievalModel
    top: int = TOP
    depth: int | None = None
    merged: bool = True
    spans: SpanLengths | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.top <= self.retrieved <= _DEEPEST_ALLOWED:
            raise InputError(
                f"top {self.top} of {self.retrieved} retrieved spans is not possible; "
                f"use 1 <= top <= depth <= {_DEEPEST_ALLOWED}"
            )
        if self.article.layout == "sentences":
            self._check_sentences()
        else:
            self._check_spans()

    def _check_sentences(self) -> None:
        if any(t.kind in SERVER_EXPANDED for t in self.terms):
            raise InputError(
                f"article '{self.article.article}' is in the layout sentences, whose index has no "
                "synonyms: use umls-expand in place of umls-field, or index the article with "
                "--layout spans --vocabulary"
            )

    def _check_spans(self) -> None:
        if self.model.name not in self.article.models:
            raise InputError(
                f"article '{self.article.article}' was indexed for {', '.join(self.article.models)}"
                f", not for {self.model.name}; index it again with --models "
                + ",".join([*self.article.models, self.model.name])
            )
        if not self.article.vocabulary and any(t.kind in SERVER_EXPANDED for t in self.terms):
            raise InputError(
                f"article '{self.article.article}' was indexed without synonyms; index it again: "
                "citespan index ... --vocabulary"
            )
        if self.lengths != self._indexed_lengths:
            raise InputError(
                f"article '{self.article.article}' was indexed with spans of "
                f"{self.article.shortest} to {self.article.longest} sentences; index it again "
                "with others, or with --layout sentences, which has them all"
            )

    @property
    def retrieved(self) -> int:
        """How many spans are retrieved."""
        if not self.merged:
            return self.top
        return max(self.top, DEEPEST) if self.depth is None else self.depth

    @property
    def lengths(self) -> SpanLengths:
        """How long spans are."""
        return self.spans or self._indexed_lengths

    @property
    def _indexed_lengths(self) -> SpanLengths:
        return SpanLengths(self.article.shortest, self.article.longest)

    @property
    def field(self) -> str:
        """The field of a span index that is scored by the model."""
        return Similarity(self.model.name, {}).field
