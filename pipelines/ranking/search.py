"""Searching for evidence: candidates from Elasticsearch, ranked, and selected for readers.

The server retrieves single sentences by any reformulation and retrieval model; the ranker reads
the article and says what each is worth; `selection` makes passages of the best. Both layouts have
the same candidates and the same sentences, so they give the same passages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from elasticsearch import Elasticsearch, NotFoundError

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.batches import batched
from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.analysed_article import analyse
from citespan.pipelines.ranking.differences.disagreement import compare
from citespan.pipelines.ranking.evidence import Evidence, ScoredSentence
from citespan.pipelines.ranking.ranker import Ranker, Ranking
from citespan.pipelines.ranking.selection import Selected, select
from citespan.pipelines.ranking.stored_article import StoredArticle, read_stored_articles
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.reformulation.umls import concept_matcher, find_concepts, overlaps
from citespan.pipelines.retrieval.current import search_current
from citespan.pipelines.retrieval.passage import Passage
from citespan.pipelines.retrieval.query_dsl import MOST_TERMS, Clause, analyse_queries, find_matches
from citespan.pipelines.retrieval.request import TOP, SearchRequest
from citespan.pipelines.retrieval.search import search_editions
from citespan.pipelines.store.abstracts import is_abstract
from citespan.pipelines.store.analysis import analysed
from citespan.pipelines.store.paging import gone
from citespan.pipelines.text.lucene import find_terms

if TYPE_CHECKING:
    from citespan.pipelines.vocabulary.matching import Matcher


@dataclass(frozen=True, slots=True)
class Part:
    """A word of a query, or the words of it that name a concept.

    Attributes:
        text: as the query writes it.
        terms: of the index that a text must have.
        concept: its number in the vocabulary; a text that names it in other words has it too.
    """

    text: str
    terms: frozenset[str]
    concept: int | None = None


@dataclass(frozen=True)
class Contents:
    """What a text has: terms of the index, and numbers of concepts."""

    terms: frozenset[str]
    concepts: frozenset[int] = frozenset()

    @classmethod
    def of(cls, text: str, matcher: Matcher | None = None) -> Contents:
        """Return the contents of a text; without a matcher, no concepts."""
        matches = matcher.matches(text) if matcher is not None else ()
        concepts = {n for match in matches for n in (match.number, *match.other_numbers)}
        return cls(frozenset(find_terms(text)), frozenset(concepts))

    def has(self, part: Part) -> bool:
        """Whether the text has a part of a query."""
        return part.terms <= self.terms or part.concept in self.concepts


def find_parts(query: str, options: Options) -> tuple[Part, ...]:
    """Return the parts of a query in order, each once: concepts if the options name a vocabulary,
    and the words that are in no concept, without stop words and numbers. Of a very long query the
    first 1,000, as many as are searched for.

    Raises:
        VocabularyError: if the vocabulary can't be opened.
    """
    context = Context(options)
    baseline = parse("baseline").query(query, context)
    concepts = find_concepts(baseline, context) if options.vocabulary is not None else []
    found = [
        (match.start, _make_part(baseline.citance[match.start : match.end], match.number))
        for match in concepts
    ]
    found += [
        (word.start, _make_part(baseline.text(word)))
        for word in baseline.words
        if not any(overlaps(match, word) for match in concepts)
    ]
    ordered = [part for _, part in sorted(found, key=lambda placed: placed[0]) if part.terms]
    first = {part.text.lower(): part for part in reversed(ordered)}
    return tuple(dict.fromkeys(first[part.text.lower()] for part in ordered))[:MOST_TERMS]


def _make_part(text: str, concept: int | None = None) -> Part:
    return Part(text, frozenset(find_terms(text)), concept)


def find_matcher(options: Options) -> Matcher | None:
    """Return the matcher of the options' vocabulary; None if they name none."""
    return concept_matcher(options) if options.vocabulary is not None else None


def select_parts(parts: Sequence[Part], contents: Contents, *, there: bool) -> tuple[str, ...]:
    """Return the texts of those parts that a text has, or of those that it has not."""
    return tuple(part.text for part in parts if contents.has(part) == there)


_BATCH = 100


@dataclass(frozen=True)
class EvidenceRequest:
    """A citing sentence or question, and the article in which to find evidence.

    Attributes:
        candidates: what is searched for, in which article, and how many sentences are ranked.
        top: how many passages to return at most.
        weaker: whether passages that the ranker does not take for evidence follow, up to `top`.
        scores: whether all sentences of the article are returned with their scores.
        options: those of the reformulation; with a vocabulary, concepts of the query are looked
            for too.
        compared: whether what differs between query and passages is looked for.
    """

    query: str
    candidates: SearchRequest
    ranker: Ranker
    top: int = TOP
    options: Options = Options()  # noqa: RUF009  frozen
    weaker: bool = False
    scores: bool = False
    compared: bool = False

    def __post_init__(self) -> None:
        if self.top < 1:
            raise InputError(f"top {self.top} is not possible; use 1 or more")


def find_evidence(client: Elasticsearch, requests: Sequence[EvidenceRequest]) -> Iterator[Evidence]:
    """Yield the evidence for each query, in the order of the requests.

    A request without terms has no passage, which the caller is to report.

    Raises:
        CitespanError: if an article's documents are gone.
    """
    for batch in batched(requests, _BATCH):

        def rank(
            current: Sequence[SearchRequest], batch: Sequence[EvidenceRequest] = batch
        ) -> list[Evidence]:
            return _find_batch(client, batch, current)

        yield from search_current(client, [request.candidates for request in batch], rank)


def _find_batch(
    client: Elasticsearch, batch: Sequence[EvidenceRequest], current: Sequence[SearchRequest]
) -> list[Evidence]:
    """Return the evidence for each request in the editions that are current.

    Raises:
        ArticleGoneError: if one is gone.
    """
    entries = [search.article for search in current]
    with ThreadPoolExecutor(1) as beside:  # the server does both at once
        reading = beside.submit(_read_ahead, client, entries)
        candidates = search_editions(client, current)
        articles = reading.result()
    clauses = analyse_queries(client, entries[0].index, [search.searched for search in current])
    found = [
        rank_article(client, request, search, article, [span.first_sentence for span in spans], own)
        for request, search, article, spans, own in zip(
            batch, current, articles, candidates, clauses, strict=True
        )
    ]
    return [
        compare_evidence(evidence, request.query, article.text(0, len(article.sentences)))
        if request.compared
        else evidence
        for evidence, request, article in zip(found, batch, articles, strict=True)
    ]


def _read_ahead(client: Elasticsearch, entries: Sequence[ArticleEntry]) -> list[StoredArticle]:
    """Read articles, and analyse the one that is ranked first while the server still searches."""
    articles = read_stored_articles(client, entries)
    analyse(articles[0].sentences)
    return articles


def rank_article(
    client: Elasticsearch,
    request: EvidenceRequest,
    search: SearchRequest,
    article: StoredArticle,
    candidates: Sequence[int],
    clauses: Sequence[Clause],
) -> Evidence:
    """Return the evidence that an article has among some of its sentences.

    Args:
        search: names the article's current edition.
        candidates: numbers of the sentences to rank.
        clauses: of the query, to mark what matches.

    Raises:
        ArticleGoneError: if the index is gone, and a passage is one that only the server can
            analyse.
    """
    ranker, entry = request.ranker, search.article
    support, selected, scored = 0.0, list[Selected](), tuple[ScoredSentence, ...]()
    if request.scores:
        scored = _score_all(ranker.rank(request.query, article.sentences), article)
    if candidates:
        ranking = ranker.rank(request.query, article.sentences, sorted(candidates))
        support = ranking.support
        # What is below the threshold is only there to show that the best is weak.
        top = request.top if support >= ranker.threshold or request.weaker else 1
        selected = select(ranking, article.positions, top, weaker=request.weaker)
    parts = find_parts(request.query, request.options)
    texts = [article.text(chosen.first, chosen.last) for chosen in selected]
    try:
        tokens = analysed(client, entry.index, texts)
    except NotFoundError as error:
        raise gone(entry, "the index") from error
    matcher = find_matcher(request.options)
    passages = tuple(
        Passage(
            rank=rank,
            score=passage.score,
            first_sentence=passage.first,
            last_sentence=passage.last,
            start=article.starts[passage.first],
            end=article.ends[passage.last],
            section=article.sentences.sections[passage.first],
            text=text,
            matches=tuple(find_matches(clauses, found)),
            before=article.text_beside(passage.first, -1),
            after=article.text_beside(passage.last, 1),
            term_scores={},
            probability=passage.probability,
            matched=select_parts(parts, Contents.of(text, matcher), there=True),
            weaker=passage.weaker,
            page=entry.find_page(article.starts[passage.first]),
        )
        for rank, (passage, text, found) in enumerate(
            zip(selected, texts, tokens, strict=True), start=1
        )
    )
    return Evidence(
        article=entry.article,
        title=entry.title or "",
        passages=passages,
        ranker=ranker.name,
        support=support,
        threshold=ranker.threshold,
        missing=_find_missing(parts, article, request.options),
        sentences=scored,
        abstract_only=is_abstract(entry),
    )


def compare_evidence(found: Evidence, query: str, article: str | None = None) -> Evidence:
    """Return the evidence with what differs between the query and its passages, if these are
    neither weak nor weaker.

    Args:
        article: its text, in which a quotation may stand too; without it none is compared.
    """
    if found.verdict != "found":
        return found
    differences = compare(
        query, [passage.text for passage in found.passages if not passage.weaker], article
    ).differences
    if not differences:
        return found
    return replace(
        found,
        differences=differences,
        passages=tuple(
            replace(
                passage,
                differing=tuple(
                    (each.article.start, each.article.end)
                    for each in differences
                    if each.article.passage == passage.rank
                ),
            )
            for passage in found.passages
        ),
    )


def _score_all(ranking: Ranking, article: StoredArticle) -> tuple[ScoredSentence, ...]:
    return tuple(
        ScoredSentence(
            number,
            float(ranking.scores[number]),
            float(ranking.probabilities[number]),
            article.starts[number],
            article.ends[number],
            article.sentences.sections[number],
            article.text(number, number),
        )
        for number in range(len(article.sentences))
    )


def _find_missing(
    parts: Sequence[Part], article: StoredArticle, options: Options
) -> tuple[str, ...]:
    """Return the parts of a query that are nowhere in the article."""
    terms = analyse(article.sentences).vocabulary.keys()
    missing = [part for part in parts if not part.terms <= terms]
    if options.vocabulary is None or all(part.concept is None for part in missing):
        return tuple(part.text for part in missing)
    whole = Contents.of(article.text(0, len(article.sentences)), find_matcher(options))
    return select_parts(missing, whole, there=False)
