"""Searching cited articles for what citations say, many at once.

Both who checks a manuscript and who links all citations that are stored search in this way.
"""

import logging
import os
import signal
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial

from elasticsearch import ApiError, Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.batches import batched, map_ahead
from citespan.pipelines.errors import ArticleGoneError, CitespanError, MachineError
from citespan.pipelines.limits import end_with_parent
from citespan.pipelines.ranking.evidence import Evidence
from citespan.pipelines.ranking.ranker import Ranker
from citespan.pipelines.ranking.rivals import add_rival
from citespan.pipelines.ranking.search import EvidenceRequest, find_evidence
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.request import request_candidates
from citespan.pipelines.retrieval.search import search_apart
from citespan.pipelines.server_reason import server_reason
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.retry import RetryPolicy
from citespan.pipelines.store.server import without_retries

_TOGETHER = 25
_AT_ONCE = 2  # groups: the server searches for one while another is ranked
_AHEAD = 4  # groups that a process has before it
_PAYING = 1_000  # questions, from which on processes are started: ranking these takes 8 s
_NOTHING_SAID = "nothing of what it says can be searched for"


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


@dataclass(frozen=True, slots=True)
class EvidenceSearch:
    """A search of cited articles.

    Attributes:
        top: how many passages to return for each question at most.
        rivals: whether to look for articles that fit a question better than the cited one.
        retry: repeats requests; None for what the client does.
    """

    client: Elasticsearch
    ranker: Ranker
    top: int
    rivals: bool
    retry: RetryPolicy | None = None

    def find_answers(
        self, questions: Sequence[Question], workers: "Workers | None" = None
    ) -> Generator[list[CitedEvidence], None, None]:
        """Yield the answers to all questions, in groups and in any order. An article that can't be
        searched costs no question about another.

        Args:
            workers: processes that search, if there are many questions.

        Raises:
            ElasticsearchUnreachableError: if there is no server.
        """
        entries = Catalogue(self.client).look_up_any(question.article for question in questions)
        ordered = sorted(questions, key=lambda question: question.article)  # so each is read once
        groups = list(batched(ordered, _TOGETHER))
        known = [
            {name: entries[name] for question in group if (name := question.article) in entries}
            for group in groups
        ]
        if workers is not None and workers.number > 1 and len(questions) >= _PAYING:
            yield from workers.answer(self, groups, known)
            return
        pool = ThreadPoolExecutor(_AT_ONCE)
        try:
            yield from pool.map(self.answer, groups, known)
        finally:
            pool.shutdown(cancel_futures=True)

    def answer(
        self, questions: Sequence[Question], entries: Mapping[str, ArticleEntry]
    ) -> list[CitedEvidence]:
        """Return the answers to some questions, with the entries of the articles as far as they
        are indexed."""
        present = [question for question in questions if question.article in entries]
        absent = [question for question in questions if question.article not in entries]
        search, refuse = partial(self._search, entries=entries), partial(_refuse, entries=entries)
        found = search_apart(search, present, refuse)
        return [*(CitedEvidence(question, None) for question in absent), *found]

    def _search(
        self, questions: Sequence[Question], entries: Mapping[str, ArticleEntry]
    ) -> list[CitedEvidence]:
        requests = [self._make_request(question, entries) for question in questions]
        find = partial(self._find, questions, requests)
        found = find() if self.retry is None else self.retry.call(find)
        return [
            CitedEvidence(
                question,
                request.candidates.article,
                evidence,
                "" if request.candidates.searched else _NOTHING_SAID,
            )
            for question, request, evidence in zip(questions, requests, found, strict=True)
        ]

    def _find(
        self, questions: Sequence[Question], requests: Sequence[EvidenceRequest]
    ) -> list[Evidence]:
        found = list(find_evidence(self.client, requests))
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

    def _make_request(
        self, question: Question, entries: Mapping[str, ArticleEntry]
    ) -> EvidenceRequest:
        terms = parse("baseline").terms(question.query, Context())
        candidates = request_candidates(entries[question.article], terms, models["vsm"], None)
        return EvidenceRequest(question.query, candidates, self.ranker, self.top, compared=True)


def _refuse(
    question: Question, error: CitespanError, entries: Mapping[str, ArticleEntry]
) -> CitedEvidence:
    if isinstance(error, ArticleGoneError):
        return CitedEvidence(question, None)
    return CitedEvidence(question, entries[question.article], None, str(error))


@dataclass(frozen=True, slots=True)
class Workers:
    """Processes that search and rank, since Python ranks for only one question at a time.

    Attributes:
        number: how many.
        connect: makes the client of each, which repeats no request by itself.
    """

    number: int
    connect: Callable[[], Elasticsearch]

    def answer(
        self,
        search: EvidenceSearch,
        groups: Sequence[Sequence[Question]],
        entries: Sequence[Mapping[str, ArticleEntry]],
    ) -> Iterator[list[CitedEvidence]]:
        """Yield the answers to groups of questions, in their order.

        Raises:
            ElasticsearchUnreachableError, CitespanError: as the search does.
            MachineError: if a process is killed.
        """
        # Only here: it takes .1 s to import. It needs no `if __name__` in the script of a user.
        from loky.process_executor import ProcessPoolExecutor, TerminatedWorkerError

        seconds = search.retry.seconds if search.retry is not None else 0.0
        settings = (os.getpid(), self.connect, search.ranker, search.top, search.rivals, seconds)
        pool = ProcessPoolExecutor(self.number, initializer=_start, initargs=settings)
        try:
            yield from map_ahead(pool, _AHEAD * self.number, _answer, groups, entries)
        except TerminatedWorkerError as error:
            raise MachineError(
                "a process that ranks was killed, perhaps for want of memory; repeat the command "
                "with fewer `processes`: it resumes where it stopped"
            ) from error
        finally:
            pool.shutdown(kill_workers=True)  # which fails after `map`: it cancels what waits


_own: Callable[[], EvidenceSearch]
"""Of a process that `Workers` has started. It connects when it is first asked: what an initializer
raises would be lost."""


def _start(
    parent: int,
    connect: Callable[[], Elasticsearch],
    ranker: Ranker,
    top: int,
    rivals: bool,
    seconds: float,
) -> None:
    global _own
    end_with_parent()
    if os.getppid() != parent:
        os._exit(0)  # it has been killed meanwhile
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command itself ends this process
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    retry = RetryPolicy(seconds)
    _own = cache(lambda: EvidenceSearch(without_retries(connect()), ranker, top, rivals, retry))


def _answer(
    questions: Sequence[Question], entries: Mapping[str, ArticleEntry]
) -> list[CitedEvidence]:
    try:
        return _own().answer(questions, entries)
    except ApiError as error:  # which can't be sent to another process
        raise CitespanError(f"Elasticsearch refused a search: {server_reason(error)}") from None
