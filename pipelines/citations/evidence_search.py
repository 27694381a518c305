"""Searching cited articles for what citations say, many at once.

Both who checks a manuscript and who links all citations that are stored search in this way.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import ArticleGoneError, CitespanError
from citespan.pipelines.ranking.evidence import Evidence
from citespan.pipelines.ranking.ranker import Ranker
from citespan.pipelines.ranking.rivals import add_rival
from citespan.pipelines.ranking.search import EvidenceRequest, find_evidence_many
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.request import TOP, request_candidates
from citespan.pipelines.retrieval.search import search_apart
from citespan.pipelines.store.catalogue import Catalogue

_TOGETHER = 25
_AT_ONCE = 2  # groups: the server searches for one while another is ranked
_NOTHING_SAID = "nothing of what it says can be searched for"

Call = Callable[[Callable[[], list[Evidence]]], list[Evidence]]
"""Sends requests, and perhaps repeats them."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a citation says of an indexed article.

    Attributes:
        id: by which the caller knows it again.
        article: the id of the cited one.
        citing: the id of the one that cites; "" if it is not indexed.
    """

    id: str
    article: str
    query: str
    citing: str = ""


@dataclass(frozen=True, slots=True)
class CitedEvidence:
    """What became of a question.

    Attributes:
        entry: of the cited article; None if it is not indexed any more.
        evidence: None if it could not be searched.
        problem: why, in one line, or what else there is to say; "" for nothing.
    """

    question: Question
    entry: ArticleEntry | None
    evidence: Evidence | None = None
    problem: str = ""


def find_answers(
    client: Elasticsearch,
    questions: Sequence[Question],
    ranker: Ranker,
    top: int = TOP,
    rivals: bool = False,
    call: Call = lambda send: send(),
) -> Iterator[list[CitedEvidence]]:
    """Yield the answers to all questions, in groups and in any order. An article that can't be
    searched costs no question about another.

    Args:
        top: how many passages to return for each at most.
        rivals: whether to look for articles that fit a question better than the cited one.
        call: sends the requests of a search.

    Raises:
        ElasticsearchUnreachableError: if there is no server.
    """
    entries = Catalogue(client).look_up_any(question.article for question in questions)
    ordered = sorted(questions, key=lambda one: one.article)  # so that each article is read once
    groups = [ordered[at : at + _TOGETHER] for at in range(0, len(ordered), _TOGETHER)]
    search = _Search(client, entries, ranker, top, rivals, call)
    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        yield from pool.map(search.answer, groups)
    finally:
        pool.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True)
class _Search:
    """What all groups of questions have in common; the attributes are those of `find_answers`."""

    client: Elasticsearch
    entries: Mapping[str, ArticleEntry]
    ranker: Ranker
    top: int
    rivals: bool
    call: Call

    def answer(self, questions: Sequence[Question]) -> list[CitedEvidence]:
        present = [question for question in questions if question.article in self.entries]
        absent = [question for question in questions if question.article not in self.entries]
        found = search_apart(self._search, present, self._refuse)
        return [*(CitedEvidence(question, None) for question in absent), *found]

    def _search(self, questions: Sequence[Question]) -> list[CitedEvidence]:
        requests = [self._make_request(question) for question in questions]
        found = self.call(lambda: self._find(questions, requests))
        return [
            CitedEvidence(
                question,
                request.candidates.article,
                evidence,
                "" if request.candidates.searched else _NOTHING_SAID,
            )
            for question, request, evidence in zip(questions, requests, found, strict=True)
        ]

    def _refuse(self, question: Question, error: CitespanError) -> CitedEvidence:
        if isinstance(error, ArticleGoneError):
            return CitedEvidence(question, None)
        return CitedEvidence(question, self.entries[question.article], None, str(error))

    def _find(
        self, questions: Sequence[Question], requests: Sequence[EvidenceRequest]
    ) -> list[Evidence]:
        found = list(find_evidence_many(self.client, requests))
        if not self.rivals:
            return found
        return [
            add_rival(
                self.client,
                question.query,
                request.candidates.article,
                evidence,
                self.ranker,
                question.citing,
            )
            for question, request, evidence in zip(questions, requests, found, strict=True)
        ]

    def _make_request(self, one: Question) -> EvidenceRequest:
        terms = parse("baseline").terms(one.query, Context())
        candidates = request_candidates(self.entries[one.article], terms, models["vsm"], None)
        return EvidenceRequest(one.query, candidates, self.ranker, self.top, compared=True)
