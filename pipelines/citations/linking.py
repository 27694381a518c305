"""Linking: the evidence for every stored citation of an indexed article by another.

What is linked already, of the same two contents and by the same ranker, stays. So a run that was
ended at any moment is resumed by another one, and a run after a change searches only for what the
change concerns. A link is written only if both articles are still the editions that were looked
up; until then, an article that is deleted or replaced meanwhile costs its own citations only.

At its end, a run makes anew what others say of articles, as far as the links to them have changed
(`pipelines/indexing/writing/citances.py`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import orjson
from elasticsearch import Elasticsearch

from citespan.es_mappings import links
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.citations import StoredCitation
from citespan.es_mappings.links import CitationLink, LinkedPassage, link_id
from citespan.pipelines.batches import batched, map_ahead
from citespan.pipelines.citations.evidence_search import (
    CitedEvidence,
    EvidenceSearch,
    Question,
    Workers,
)
from citespan.pipelines.citations.link_report import LinkProblem, LinkReport, Outcome
from citespan.pipelines.citations.resolution import (
    Resolution,
    make_catalogue_look_up,
    read_reference,
    remember,
    resolve,
)
from citespan.pipelines.citations.stored import read_citations, read_links
from citespan.pipelines.indexing.reading.sources import Shard
from citespan.pipelines.indexing.writing.citances import update_citances
from citespan.pipelines.indexing.writing.links import delete_links, find_gone_articles
from citespan.pipelines.ranking.differences.model import load_model
from citespan.pipelines.ranking.evidence import Evidence
from citespan.pipelines.ranking.ranker import Ranker
from citespan.pipelines.retrieval.passage import Passage
from citespan.pipelines.retrieval.request import TOP
from citespan.pipelines.store.catalogue import Catalogue, read_publication
from citespan.pipelines.store.edition import count_by_article
from citespan.pipelines.store.lease import hold_lease
from citespan.pipelines.store.operation import Operation, replace_document
from citespan.pipelines.store.retry import DEFAULT_SECONDS, RetryPolicy
from citespan.pipelines.store.server import Server, open_server

_ARTICLES = 100  # whose citations are resolved together
_AT_ONCE = 2  # batches of these: the server finds what some cite while others are compared
_WRITTEN = 200  # links, with one request for the editions of their articles
_QUESTIONS = 40_000
"""That are searched for together, in the order of the articles cited: each of these is then read
and analysed once, which takes longer than ranking it for one more question."""
_NEEDED = (
    *("citing", "citation", "cited", "citing_content", "cited_content"),
    *("ranker", "ranker_version", "rivals"),
)
_NOT_NEEDED = ("lengths", "also_known_as", "source", "found_by")
_OUTCOMES: Mapping[str, Outcome] = {
    "ambiguous": "ambiguous",
    "unidentifiable": "unidentifiable",
    "itself": "itself",
    "notice": "notice",
}
_GONE = "the {} article was deleted or replaced while it was linked"


def link_citations(
    client: Elasticsearch,
    ranker: Ranker,
    shard: Shard | None = None,
    on_start: Callable[[int], Callable[[int], None]] = lambda _: lambda _: None,
    retry_seconds: float = DEFAULT_SECONDS,
    *,
    rivals: bool = False,
    workers: Workers | None = None,
) -> LinkReport:
    """Link the citations of all indexed articles.

    Args:
        ranker: judges the cited articles.
        shard: the part of the citing articles that is linked; None for all.
        rivals: whether to look for articles that fit a citation better than the cited one, also of
            citations that are linked without.
        workers: processes that search and rank; None for this one.
        on_start: called with the number of citations; what it returns is called with the number
            of those that have just been dealt with.
        retry_seconds: without any success of the server, after which the run ends.

    Raises:
        ElasticsearchUnreachableError: if the server goes away; linking again resumes.
        LeaseHeldError: if a command is under way that must be alone.
        CitespanError: if the server refuses to store links.
    """
    report = LinkReport()
    with (
        open_server(client, RetryPolicy(retry_seconds), report) as server,
        hold_lease(server, "link"),
    ):
        catalogue = Catalogue(server.client)
        index = catalogue.names.links
        server.refresh([catalogue.names.articles, catalogue.names.citations, index])
        settings = links.settings(server.call(catalogue.count_articles))
        server.ensure(index, links.mapping(), settings)
        citing = server.call(lambda: _list_citing(catalogue, shard))
        on_linked = on_start(sum(citing.values()))
        linker = _Linker(server, catalogue, ranker, rivals, workers, report, on_linked)
        batches = list(batched(sorted(citing), _ARTICLES))
        pool = ThreadPoolExecutor(_AT_ONCE)
        try:
            for batch, read in zip(
                batches, map_ahead(pool, _AT_ONCE, linker.read, batches), strict=True
            ):
                linker.take({article: citing[article] for article in batch}, read)
        finally:
            pool.shutdown(cancel_futures=True)
        linker.search()
        server.refresh(index)
        gone = find_gone_articles(server, catalogue)
        report.removed += delete_links(server, catalogue.names, gone)
        server.require_indices([index])
        report.citances = update_citances(server, catalogue.names)
    report.finish()
    return report


def _list_citing(catalogue: Catalogue, shard: Shard | None) -> dict[str, int]:
    """Return the number of citations of each article that has any, or has had: of those, links
    are left."""
    linked = dict(count_by_article(catalogue.client, catalogue.names.links, "citing"))
    entries = (version.entry for version in catalogue.scan(["article", "citations"]))
    return {
        entry.article: entry.citations or 0
        for entry in entries
        if (entry.citations or entry.article in linked)
        and (shard is None or shard.has(entry.article))
    }


def make_linked_passage(passage: Passage) -> LinkedPassage:
    """Return what a link keeps of a passage that a ranker has found."""
    assert passage.probability is not None
    return LinkedPassage(
        passage.rank,
        passage.first_sentence,
        passage.last_sentence,
        passage.start,
        passage.end,
        passage.section,
        passage.text,
        passage.probability,
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """A citation that is searched for.

    Attributes:
        citing, cited: the entries as they were looked up before the search.
        is_linked: whether there is a link of it already.
    """

    citation: StoredCitation
    citing: ArticleEntry
    cited: ArticleEntry
    found_by: str
    is_linked: bool

    @property
    def id(self) -> str:
        return link_id(self.citation.article, self.citation.citation)

    def describe(self, ranker: Ranker) -> dict[str, str]:
        """Return the fields of its link that change if it has to be linked again."""
        return {
            "cited": self.cited.article,
            "citing_content": self.citing.content,
            "cited_content": self.cited.content,
            "ranker": ranker.name,
            "ranker_version": f"{ranker.version}, differences {load_model().version}",
        }

    def find_gone(self, editions: Mapping[str, str]) -> str | None:
        """Return which article has changed since it was looked up: "citing", "cited" or None.

        Args:
            editions: of the articles that are loaded now.
        """
        if editions.get(self.citing.article) != self.citing.edition:
            return "citing"
        return None if editions.get(self.cited.article) == self.cited.edition else "cited"

    def make_link(self, evidence: Evidence, ranker: Ranker, *, rivals: bool) -> CitationLink:
        """Return the link."""
        assert evidence.verdict is not None
        assert evidence.support is not None
        citation = self.citation
        return CitationLink(
            citing=citation.article,
            citing_title=self.citing.title or "",
            cited_title=self.cited.title or "",
            citation=citation.citation,
            number=citation.number,
            section=citation.section,
            start=citation.start,
            end=citation.end,
            text=citation.text,
            query=citation.query,
            reference=citation.reference or "",
            found_by=self.found_by,
            verdict=evidence.verdict,
            support=evidence.support,
            threshold=evidence.threshold,
            passages=tuple(map(make_linked_passage, evidence)),
            differences=evidence.differences,
            rivals=rivals,
            better=evidence.rival.article if evidence.rival else "",
            better_title=evidence.rival.title if evidence.rival else "",
            linked=datetime.now(UTC).isoformat(timespec="milliseconds"),
            **self.describe(ranker),
        )


@dataclass(frozen=True, slots=True)
class _Read:
    """The citations of some articles, as far as these are still there with all their citations.

    Attributes:
        entries: those of the articles, and of all that are cited, by id.
        stored: the citations of each article.
        resolved: what each cited reference is, by article and key.
        links: the documents of the links that there are, by id.
    """

    entries: Mapping[str, ArticleEntry]
    stored: Mapping[str, Sequence[StoredCitation]]
    resolved: Mapping[tuple[str, str], Resolution]
    links: Mapping[str, Mapping[str, Any]]


@dataclass
class _Linker:
    """Links the citations of articles, a batch at a time."""

    server: Server
    catalogue: Catalogue
    ranker: Ranker
    rivals: bool
    workers: Workers | None
    report: LinkReport
    on_linked: Callable[[int], None]
    _asked: dict[str, _Asked] = field(default_factory=dict)

    def __post_init__(self) -> None:
        look_up = make_catalogue_look_up(self.server.client, self.catalogue.names)
        self._look_up_keys = remember(look_up)

    def read(self, articles: Sequence[str]) -> _Read:
        """Return the citations of articles, and what they cite. Several threads may do so."""
        client, names = self.server.client, self.catalogue.names
        entries = self._look_up(articles)
        stored = self.server.call(lambda: read_citations(client, entries.values(), names))
        for article, entry in entries.items():
            if len(stored[article]) != (entry.citations or 0):
                del stored[article]
        resolved = self._resolve(entries, stored)
        cited = {resolution.article for resolution in resolved.values() if resolution.article}
        present = self.server.call(
            lambda: {
                link_id(link["citing"], link["citation"]): link
                for link in read_links(client, "citing", list(stored), _NEEDED, names)
            }
        )
        return _Read(self._look_up(cited) | entries, stored, resolved, present)

    def take(self, articles: Mapping[str, int], read: _Read) -> None:
        """Queue the citations of these articles, and search when the queue is full.

        Args:
            articles: the number of citations of each.
        """
        before = self.report.citations
        self.report.articles += sum(count > 0 for count in articles.values())
        for article, count in articles.items():
            if article not in read.stored:
                problem = LinkProblem(article, "", _GONE.format("citing"))
                self.report.reject("deleted", problem, count)
        self._delete(read.links.keys() - self._decide(read))
        self.on_linked(self.report.citations - before)
        if len(self._asked) >= _QUESTIONS:
            self.search()

    def search(self) -> None:
        """Search for all that waits, and write the links."""
        asked, self._asked = self._asked, {}
        questions = [
            Question(
                name, str(waiting.cited.article), waiting.citation.query, waiting.citation.article
            )
            for name, waiting in asked.items()
        ]
        client, retry = self.server.client, self.server.retry
        search = EvidenceSearch(client, self.ranker, TOP, self.rivals, retry)
        found = search.find_answers(questions, self.workers)
        with closing(found):  # else processes outlive a run that ends early
            for answers in batched(chain.from_iterable(found), _WRITTEN):
                self._write([(asked[answer.question.id], answer) for answer in answers])
                self.on_linked(len(answers))

    def _decide(self, read: _Read) -> set[str]:
        """Count the citations that need no search, and let the others wait for it; return the ids
        of the links that stay, or will be replaced."""
        kept = set()
        for citations in read.stored.values():
            for citation in citations:
                name = link_id(citation.article, citation.citation)
                if citation.reference is None:
                    self.report.counts["no reference"] += 1
                    continue
                resolution = read.resolved[citation.article, citation.reference]
                if resolution.article is None or resolution.article not in read.entries:
                    self.report.counts[_OUTCOMES.get(resolution.outcome, "not indexed")] += 1
                    continue
                waiting = _Asked(
                    citation,
                    read.entries[citation.article],
                    read.entries[resolution.article],
                    resolution.outcome,
                    name in read.links,
                )
                kept.add(name)
                if waiting.is_linked and self._is_current(waiting, read.links[name]):
                    self.report.counts["unchanged"] += 1
                else:
                    self._asked[name] = waiting
        return kept

    def _is_current(self, asked: _Asked, link: Mapping[str, Any]) -> bool:
        described = asked.describe(self.ranker)
        return described.items() <= link.items() and link["rivals"] >= self.rivals

    def _resolve(
        self, entries: Mapping[str, ArticleEntry], stored: Mapping[str, Sequence[StoredCitation]]
    ) -> dict[tuple[str, str], Resolution]:
        """Return what each cited reference is, by article and key."""
        cited = {
            article: {
                citation.reference: read_reference(citation)
                for citation in some
                if citation.reference is not None
            }
            for article, some in stored.items()
        }
        keys = {
            key
            for references in cited.values()
            for known in references.values()
            for key in known.keys
        }
        found = self.server.call(lambda: self._look_up_keys(keys))
        resolved = {}
        for article, references in cited.items():
            own = read_publication(entries[article]).identifiers
            outcomes = resolve(list(references.values()), lambda _: found, article, own)
            for reference, outcome in zip(references, outcomes, strict=True):
                resolved[article, reference] = outcome
        return resolved

    def _write(self, answers: Sequence[tuple[_Asked, CitedEvidence]]) -> None:
        """Write the links of articles that are still what they were; count all citations."""
        editions = {
            name: entry.edition
            for name, entry in self._look_up(
                {entry.article for asked, _ in answers for entry in (asked.citing, asked.cited)}
            ).items()
        }
        written: dict[str, CitationLink] = {}
        former = []
        for asked, answer in answers:
            citation = asked.citation
            gone = asked.find_gone(editions)
            if gone is None and answer.evidence is not None:
                written[asked.id] = asked.make_link(
                    answer.evidence, self.ranker, rivals=self.rivals
                )
                continue
            if asked.is_linked:
                former.append(asked.id)
            reason = _GONE.format(gone) if gone is not None else answer.problem
            problem = LinkProblem(citation.article, citation.citation, reason)
            self.report.reject("failed" if gone is None else "deleted", problem)
        index = self.catalogue.names.links
        refused = self.server.sender.send(
            Operation(index, name, _write_document(name, link)) for name, link in written.items()
        )
        for name, link in written.items():
            if name in refused:
                reason = f"Elasticsearch refused the link: {refused[name]}"
                self.report.reject("failed", LinkProblem(link.citing, link.citation, reason))
            else:
                self.report.counts["linked"] += 1
                self.report.verdicts[link.verdict] += 1
                self.report.better += bool(link.better)
        self._delete(former)

    def _delete(self, names: Iterable[str]) -> None:
        index, names = self.catalogue.names.links, list(names)
        self.server.sender.send(replace_document(index, name, name, None, None) for name in names)
        self.report.removed += len(names)

    def _look_up(self, articles: Iterable[str]) -> dict[str, ArticleEntry]:
        """Return the entries of those articles that are loaded, as last written."""
        return self.server.call(lambda: self.catalogue.look_up_any(articles, _NOT_NEEDED))


def _write_document(name: str, link: CitationLink) -> bytes:
    action = orjson.dumps({"index": {"_id": name}})
    return action + b"\n" + orjson.dumps(link.to_document())
