"""What is searched for, and what a layout does for a search."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.similarity import Similarity
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.idf import ARTICLE, Idf
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.retrieval.model import RetrievalModel
from citespan.pipelines.retrieval.passage import Passage
from citespan.pipelines.retrieval.query_dsl import limit_terms
from citespan.pipelines.store.layout import layout_of

TOP = 3
"""How many spans annotators marked at most (paper A, section 2.4)."""
DEEPEST = 50
"""How many spans are retrieved, to find `top` of them that are not nested."""
CANDIDATES = 200
"""How many sentences are ranked, unless another number is asked for."""
WEIGHT: Final = 0.5
"""Of what others say of an article, beside its text (`studies/cited_words.py`)."""
_DEEPEST_ALLOWED = 10_000  # Elasticsearch's index.max_result_window


@dataclass(frozen=True)
class SearchRequest:
    """The terms of one citance, to be searched for in one article.

    Attributes:
        terms: of the citance; `searched` has those that a query has room for.
        top: how many spans to return.
        depth: how many retrieved spans to merge; None for the fewest that leave three, or `top`
            if that is more, so that the best of one is the best of three.
        merged: whether to merge spans into those that contain them.
        spans: the lengths of spans; None for those that the article was indexed with. Not
            every layout has others.
        singles: whether to retrieve only spans of one sentence. Their scores are the same as among
            all spans.
        idf: the collection in which terms are counted; not every layout can count
            in others than the article.

    Raises:
        InputError: if the article's layout can't answer the request; the message has the remedy.
    """

    article: ArticleEntry
    terms: tuple[Term, ...]
    model: RetrievalModel
    top: int = TOP
    depth: int | None = None
    merged: bool = True
    spans: SpanLengths | None = None
    singles: bool = False
    idf: Idf = ARTICLE

    def __post_init__(self) -> None:
        if not 1 <= self.top <= self.retrieved <= _DEEPEST_ALLOWED:
            raise InputError(
                f"top {self.top} of {self.retrieved} retrieved spans is not possible; "
                f"use 1 <= top <= depth <= {_DEEPEST_ALLOWED}"
            )
        searcher_of(self.article).check(self)

    def require_terms(self) -> None:
        """Raise an InputError, with the remedy, if no term is left to search for."""
        require_terms(self.searched)

    @cached_property
    def searched(self) -> tuple[Term, ...]:
        """The terms that are searched for: all, except in a text of more than 1,000 terms."""
        return limit_terms(self.terms)

    @property
    def omitted(self) -> int:
        """The number of terms that the query has no room for, for the caller to report."""
        return len(self.terms) - len(self.searched)

    @property
    def retrieved(self) -> int:
        """The number of spans to retrieve."""
        if not self.merged:
            return self.top
        return max(self.top, DEEPEST) if self.depth is None else self.depth

    @property
    def lengths(self) -> SpanLengths:
        """The lengths of the spans to search."""
        lengths = self.spans or self.indexed_lengths
        return SpanLengths(1, lengths.longest) if self.singles else lengths

    @property
    def indexed_lengths(self) -> SpanLengths:
        """The lengths of spans that the article was indexed with."""
        return SpanLengths(self.article.shortest, self.article.longest)

    @property
    def field(self) -> str:
        """The field of a span index that the model scores."""
        return Similarity(self.model.name, {}).field


def require_terms(terms: Sequence[Term]) -> None:
    """Raise an InputError, with the remedy, if no term is left to search for."""
    if not terms:
        raise InputError(
            "nothing of the citance is left to search for; give one with words other than "
            "citation markers, stop words and numbers"
        )


def request_candidates(
    article: ArticleEntry,
    terms: tuple[Term, ...],
    model: RetrievalModel,
    most: int | None,
    idf: Idf = ARTICLE,
) -> SearchRequest:
    """Return the request for the sentences of an article that a ranker is to rank.

    Args:
        most: how many; None for as many as usual.

    Raises:
        InputError: if the article's layout can't answer the request; the message has the remedy.
    """
    top = CANDIDATES if most is None else most
    return SearchRequest(article, terms, model, top, merged=False, singles=True, idf=idf)


@dataclass(frozen=True, slots=True)
class AskedCitance:
    """A citance that is asked.

    Attributes:
        citing: the id of the article that it is from; "" if that is not known.
        weight: of what others say, beside the text of an article; 0 for none.
    """

    text: str
    citing: str = ""
    weight: float = WEIGHT


class Retrieval(Protocol):
    """The spans found for one request, and what is needed to show them."""

    @property
    def spans(self) -> Sequence[ScoredSpan]:
        """At most `request.retrieved` spans, best first, not merged."""
        ...

    def passages(
        self, client: Elasticsearch, spans: Sequence[ScoredSpan], *, explain: bool
    ) -> list[Passage]:
        """Return the merged spans as passages, in their order.

        Args:
            explain: whether passages have the scores of terms.

        Raises:
            CitespanError: if the article is gone.
        """
        ...


class LayoutSearcher(Protocol):
    """Searches the spans of articles in one layout."""

    def check(self, request: SearchRequest) -> None:
        """Raise an InputError, with the remedy, if the article can't be searched this way."""
        ...

    def retrieve(
        self, client: Elasticsearch, requests: Sequence[SearchRequest]
    ) -> Iterator[tuple[int, Retrieval]]:
        """Yield the number of each request and what it retrieves, in any order.

        Raises:
            CitespanError: if an article is gone, or the server refuses a search.
        """
        ...

    def texts(
        self, client: Elasticsearch, entry: ArticleEntry, spans: Sequence[ScoredSpan]
    ) -> list[str]:
        """Return the text of each span.

        Raises:
            CitespanError: if the article is gone.
        """
        ...

    def console_request(self, client: Elasticsearch, request: SearchRequest) -> Mapping[str, Any]:
        """Return the body of the search request, for Kibana's console."""
        ...


def searcher_of(entry: ArticleEntry) -> LayoutSearcher:
    """Return what searches an article, in the layout in which it is indexed.

    Raises:
        UnknownNameError: if this installation does not have the layout.
        OtherVersionError: if another version of citespan has written the article's documents.
    """
    searcher: LayoutSearcher = layout_of(entry).searcher
    return searcher
