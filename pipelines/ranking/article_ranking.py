"""Searching all articles for evidence: which of them have any for a citing sentence, and where.

The catalogue's texts, and what others say of articles, give candidates
(`pipelines/retrieval/article_search.py`). A ranker reads each of them whole and says what the
probability is that it has evidence. Articles are ordered by the log-odds of that, plus their BM25
scores, which approximate log-odds of relevance themselves (S. Robertson, H. Zaragoza, "The
probabilistic relevance framework: BM25 and beyond", 2009, section 3); of all this, only the weight
of what others say is chosen by data. Without a ranker, they stay in the order of BM25.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import Any

from elasticsearch import Elasticsearch

from citespan.es_mappings.index_name import CITESPAN, IndexNames
from citespan.pipelines.errors import InputError, UnknownNameError
from citespan.pipelines.ranking.evidence import Evidence
from citespan.pipelines.ranking.ranker import Ranker
from citespan.pipelines.ranking.search import EvidenceRequest, compare_evidence, rank_article
from citespan.pipelines.ranking.section_kinds import (
    KINDS,
    SectionKind,
    classify_heading,
    find_places,
)
from citespan.pipelines.ranking.selection import NO_EVIDENCE
from citespan.pipelines.ranking.stored_article import StoredArticle, read_stored_articles
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.article_search import ArticleFilter, FoundArticle, search_articles
from citespan.pipelines.retrieval.citances import NOTHING_SAID, CitedWords
from citespan.pipelines.retrieval.current import read_current, search_current
from citespan.pipelines.retrieval.model import RetrievalModel
from citespan.pipelines.retrieval.query_dsl import analyse_queries, limit_terms
from citespan.pipelines.retrieval.request import (
    DEEPEST,
    AskedCitance,
    SearchRequest,
    request_candidates,
    require_terms,
)
from citespan.pipelines.retrieval.search import find_passages
from citespan.pipelines.shown import Found, Row, flatten, short_repr
from citespan.pipelines.store.abstracts import is_abstract
from citespan.pipelines.store.catalogue import Catalogue, read_publication
from citespan.pipelines.store.notices import find_notices

TOP = 3
"""How many articles are returned, unless stated otherwise."""
DEPTH = 3
"""How many articles are ranked, unless more than that are wanted: each takes some 25 ms."""
_LEAST = 1e-9  # a probability whose logarithm is finite


@dataclass(frozen=True)
class CorpusRequest:
    """A citing sentence or question, for which all articles are searched.

    Attributes:
        terms: of the query, which articles are searched for.
        ranker: None for the passages of the retrieval model.
        model: of retrieval in single articles, without a ranker.
        top: how many articles to return at most.
        per_article: how many passages of each.
        depth: how many articles to rank; at least `top` are.
        articles: which articles are searched.
        sections: the kinds of sections that passages may be in; none for all.
        options: those of the reformulation.
        asked: the citance, if what others say of articles when they cite them counts as well; its
            `citing` is any identifier of the article that it is from, which is not searched.

    Raises:
        InputError: if `top` or `per_article` is less than 1, or no term is left to search for.
    """

    query: str
    terms: tuple[Term, ...]
    ranker: Ranker | None
    model: RetrievalModel
    top: int = TOP
    per_article: int = 1
    depth: int = DEPTH
    articles: ArticleFilter = ArticleFilter()  # noqa: RUF009  frozen
    sections: frozenset[SectionKind] = frozenset()
    options: Options = Options()  # noqa: RUF009  frozen
    asked: AskedCitance | None = None

    def __post_init__(self) -> None:
        if min(self.top, self.per_article, self.depth) < 1:
            raise InputError("numbers of articles and passages are at least 1")
        require_terms(self.searched)

    @cached_property
    def searched(self) -> tuple[Term, ...]:
        """The terms that are searched for: all, except in a text of more than 1,000 terms."""
        return limit_terms(self.terms)


def read_section_kinds(names: Iterable[str]) -> frozenset[SectionKind]:
    """Return the kinds of sections of those names.

    Raises:
        UnknownNameError: for a name that is no kind of section which may have evidence.
    """
    known = {kind: kind for kind in KINDS if kind not in NO_EVIDENCE}
    for name in names:
        if name not in known:
            raise UnknownNameError("section", name, list(known))
    return frozenset(kind for kind in known if kind in set(names))


@short_repr
@dataclass(frozen=True)
class ArticleEvidence:
    """An article that may have evidence for a query.

    Attributes:
        rank: from 1.
        score: what articles are ordered by.
        year: of publication; None where it is not known.
        journal: its title, or "".
        pmid, doi: its identifiers, or "".
        cited: what others say of it, as far as that has added to the score.
    """

    rank: int
    evidence: Evidence
    score: float
    year: int | None
    journal: str
    pmid: str
    doi: str
    cited: CitedWords = NOTHING_SAID

    def to_json(self) -> list[dict[str, Any]]:
        """Return its passages as `citespan search --json` prints them."""
        of_article = self.evidence.to_json()
        results = of_article.pop("results")
        named = {"title": self.evidence.title, "pmid": self.pmid, "doi": self.doi}
        about = {**named, "year": self.year, "journal": self.journal}
        scores = {
            "article_rank": self.rank,
            "article_score": self.score,
            "cited_by": self.cited.articles,
            "cited_score": self.cited.score,
        }
        return [{**of_article, **about, **scores, **result} for result in results]

    def to_rows(self) -> list[Row]:
        """Return its passages as rows."""
        return [flatten(passage) for passage in self.to_json()]


def find_articles(
    client: Elasticsearch, request: CorpusRequest, names: IndexNames = CITESPAN
) -> Found[ArticleEvidence]:
    """Return the articles that have evidence for a query, best first.

    An article without a passage in the sections that are asked for is left out.

    Raises:
        InputError: if no articles are indexed, one is not indexed for what is asked, or the list of
            retractions can't be read.
        CitespanError: if an article's documents are gone.
    """
    catalogue = Catalogue(client, names)
    depth = max(request.depth, request.top)
    asked = request.asked
    if asked is not None and asked.citing:
        asked = replace(asked, citing=catalogue.find(asked.citing).article)

    def search() -> tuple[list[FoundArticle], Sequence[Evidence | None]]:
        found = search_articles(catalogue, request.searched, request.articles, depth, asked)
        return found, _find_evidence(client, request, found)

    found, ranked = read_current(search)
    scored = [
        (add_support(article.score, evidence.support), article, evidence)
        for article, evidence in zip(found, ranked, strict=True)
        if evidence
    ]
    scored.sort(key=lambda entry: -entry[0])
    best = scored[: request.top]
    told = [read_publication(article.entry) for _, article, _ in best]
    notices = find_notices(catalogue, told)
    ranked_articles = [
        ArticleEvidence(
            rank,
            replace(compare_evidence(evidence, request.query), notices=said),
            score,
            article.entry.year,
            article.entry.journal or "",
            article.entry.pmid or "",
            article.entry.doi or "",
            article.cited,
        )
        for rank, ((score, article, evidence), said) in enumerate(
            zip(best, notices, strict=True), start=1
        )
    ]
    return Found(ranked_articles, "article_evidence", ArticleEvidence.to_rows)


def add_support(score: float, support: float | None) -> float:
    """Return a BM25 score of an article or abstract with the log-odds of a ranker's support added,
    if there is one."""
    if support is None:
        return score
    support = min(max(support, _LEAST), 1 - _LEAST)
    return score + log(support / (1 - support))


def _find_evidence(
    client: Elasticsearch, request: CorpusRequest, found: Sequence[FoundArticle]
) -> list[Evidence]:
    if not found:
        return []
    if request.ranker is None:
        return _find_spans(client, request, found)
    searches = [
        request_candidates(article.entry, request.terms, request.model, None) for article in found
    ]
    ranker = request.ranker

    def rank(current: Sequence[SearchRequest]) -> list[Evidence]:
        articles = read_stored_articles(client, [search.article for search in current])
        [clauses] = analyse_queries(client, current[0].article.index, [current[0].searched])
        return [
            rank_article(
                client,
                EvidenceRequest(
                    request.query, search, ranker, request.per_article, request.options
                ),
                search,
                article,
                _select_sentences(article, request.sections),
                clauses,
            )
            for search, article in zip(current, articles, strict=True)
        ]

    return search_current(client, searches, rank)


def _select_sentences(article: StoredArticle, sections: frozenset[SectionKind]) -> Sequence[int]:
    """Return the numbers of the sentences in sections of those kinds; none named for all."""
    if not sections:
        return range(len(article.sentences))
    places = find_places(article.sentences)
    return [number for number, place in enumerate(places) if sections & {place.kind, place.part}]


def _find_spans(
    client: Elasticsearch, request: CorpusRequest, found: Sequence[FoundArticle]
) -> list[Evidence]:
    """Return the spans of each article by the retrieval model alone."""
    top = DEEPEST if request.sections else request.per_article
    searches = [
        SearchRequest(article.entry, request.terms, request.model, top) for article in found
    ]
    evidence = []
    for article, passages in zip(found, find_passages(client, searches), strict=True):
        kept = [
            passage
            for passage in passages
            if not request.sections or request.sections & set(classify_heading(passage.section))
        ]
        entry = article.entry
        best = tuple(kept[: request.per_article])
        evidence.append(
            Evidence(entry.article, entry.title or "", best, abstract_only=is_abstract(entry))
        )
    return evidence
