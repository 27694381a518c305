"""Searching one article, all articles, or the abstracts, for a sentence, a question or many."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from elasticsearch import Elasticsearch

from citespan.arguments import check_arguments
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import CITESPAN, IndexNames
from citespan.library import use_client
from citespan.pipelines.answers.answer import PER_ABSTRACT, RANKER, Answer
from citespan.pipelines.answers.answer import TOP as MOST_ANSWERS
from citespan.pipelines.batches import batched
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.citance_lines import CitanceLine
from citespan.pipelines.errors import CitespanError, InputError, OutsideError
from citespan.pipelines.ranking.evidence import Evidence
from citespan.pipelines.ranking.ranker import Ranker
from citespan.pipelines.requests import (
    NARROWING,
    Search,
    SearchAll,
    SearchAllOptions,
    SearchOptions,
)
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.retrieval.search import search_apart
from citespan.pipelines.shown import Found
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.years import Years, read_years

if TYPE_CHECKING:  # help needs nothing that ranks
    from citespan.pipelines.ranking.article_ranking import ArticleEvidence


@overload
def search(
    citance: str,
    article: str,
    *,
    articles: str | Path | None = ...,
    client: Elasticsearch | None = ...,
    **settings: Unpack[SearchOptions],
) -> Evidence: ...


@overload
def search(
    citance: list[str] | tuple[str, ...],
    article: str | Sequence[str],
    *,
    articles: str | Path | None = ...,
    client: Elasticsearch | None = ...,
    **settings: Unpack[SearchOptions],
) -> list[Evidence]: ...


@check_arguments
def search(
    citance: str | list[str] | tuple[str, ...],
    article: str | Sequence[str],
    *,
    articles: str | Path | None = None,
    client: Elasticsearch | None = None,
    **settings: Unpack[SearchOptions],
) -> Evidence | list[Evidence]:
    """Find the passages of an article that a citing sentence is about, best first.

    Candidate sentences come from Elasticsearch; a ranker says which of them are evidence, how
    probable that is, and whether the article has any evidence for the sentence.

    Args:
        citance: the citing sentence, or many.
        article: the cited article by any of its identifiers; of many citances, one article for
            all or one for each.
        articles: a folder whose articles take the place of those that are indexed.
        ranker: its name, or a ranker; "none" for the method of Cohan, Soldaini and Goharian
            (NAACL 2015), whose spans have no probability.
        reformulation: how the citance becomes a query, such as "np+umls-expand".
        model: name of the retrieval model.
        top: number of passages: the evidence, then weaker ones, which say so; None for the
            evidence alone, at most three passages.
        depth: number of candidate sentences to rank. Without a ranker, of retrieved spans to
            merge; None for the fewest that leave three.
        merge: without a ranker, whether to merge spans into the retrieved spans that contain them.
        shortest, longest: without a ranker, sentences in a span; None for what the article was
            indexed with.
        options: of the reformulation; concepts of its vocabulary count among the matched words.
        explain: without a ranker, whether passages have the score of each term.
        scores: whether `sentences` of what is returned has every sentence of the article, with
            its score and probability by the ranker.
        rivals: whether to look for another indexed article that fits the citance better, which
            `rival` of what is returned names.
        idf: the collection whose document frequencies the model uses: the article, the background
            of `options`, or both as one; not every layout can count in others than the article.

    Returns:
        A sequence of passages, with what the ranker says of the article; of many citances, one
        for each. Of many citances, those without a term after their reformulation have no
        passages.

    Raises:
        UnknownNameError: for an unknown article, ranker, reformulation or model.
        InputError: if nothing of the one citance is left to search for, or the article is not
            indexed for what is asked.
        CitespanError: if the article's documents are gone.
    """
    client = use_client(client, articles)
    is_single = isinstance(citance, str)
    citances = [citance] if isinstance(citance, str) else list(citance)
    names = [article] * len(citances) if isinstance(article, str) else list(article)
    if len(names) != len(citances):
        raise InputError(
            f"{len(citances)} citances and {len(names)} articles; name one article, or one for "
            "each citance"
        )
    catalogue = Catalogue(client)
    entries = {name: catalogue.find(name) for name in dict.fromkeys(names)}
    wanted = Search(**settings)
    requests = [
        wanted.make_request(client, text, entries[name])
        for text, name in zip(citances, names, strict=True)
    ]
    if is_single:
        requests[0].require_terms()
    found = list(wanted.find(catalogue, citances, requests))
    return found[0] if is_single else found


_TOGETHER = 200

Record = dict[str, Any]


class BatchSearch:
    """Searches for the citances of lines, many at a time: in the article of each, or in all.

    Args:
        given: the settings, of which those of all articles are for lines without one.
        source: the file's name, for messages.

    Raises:
        InputError: if the settings can't be combined.
    """

    def __init__(self, client: Elasticsearch, given: SearchAllOptions, source: str) -> None:
        self._client = client
        self._given = given
        self._source = source
        self._settings = Search.of_one_article(given)
        self._catalogue = Catalogue(client)
        self._entries: dict[str, ArticleEntry] = {}

    @cached_property
    def _all(self) -> SearchAll:
        return SearchAll(**self._given)

    def describe(self) -> list[Record]:
        """Return what the records may have as `settings`."""
        try:
            return [self._settings.describe(), self._all.describe()]
        except InputError:  # something is asked that only the search of one article has
            return [self._settings.describe()]

    def search(self, lines: Iterable[CitanceLine | Rejected]) -> Iterator[Record | Rejected]:
        """Yield what is found for each line, in order, as `citespan search --from` prints it; what
        can't be searched for is rejected with the reason.

        Raises:
            UnknownNameError: for an unknown ranker, reformulation or model.
            ElasticsearchUnreachableError: if there is no server.
        """
        for some in batched(lines, _TOGETHER):
            named = [
                line.article for line in some if isinstance(line, CitanceLine) and line.article
            ]
            self._look_up(named)
            asked = [self._ask(line) if isinstance(line, CitanceLine) else line for line in some]
            wanted = [pair for pair in asked if isinstance(pair, tuple)]
            answers = iter(
                search_apart(self._find, wanted, lambda pair, error: self._reject(pair[0], error))
            )
            yield from (next(answers) if isinstance(answer, tuple) else answer for answer in asked)

    def _look_up(self, articles: Iterable[str]) -> None:
        """Read the entries of articles that are named by their ids, all at once."""
        wanted = [article for article in articles if article not in self._entries]
        self._entries |= self._catalogue.look_up_loaded(wanted)

    def _ask(self, line: CitanceLine) -> tuple[CitanceLine, SearchRequest] | Record | Rejected:
        """Return the request for a line, or what is found for it in all articles."""
        try:
            if not line.article:
                return self._search_all(line)
            if self._given.keys() & set(NARROWING):
                raise InputError(
                    "`year`, `journals`, `sections` and `citing` are for a search of all articles; "
                    "leave out the article"
                )
            if line.article not in self._entries:
                self._entries[line.article] = self._catalogue.find(line.article)
            entry = self._entries[line.article]
            request = self._settings.make_request(self._client, line.citance, entry)
            request.require_terms()
        except CitespanError as error:
            return self._reject(line, error)
        return line, request

    def _search_all(self, line: CitanceLine) -> Record:
        from citespan.pipelines.ranking.article_ranking import find_articles

        request = self._all.make_corpus_request(line.citance)
        found = find_articles(self._client, request)
        return _describe(line, self._all, self._all.describe_found(request, found))

    def _find(self, wanted: Sequence[tuple[CitanceLine, SearchRequest]]) -> list[Record | Rejected]:
        citances = [line.citance for line, _ in wanted]
        requests = [request for _, request in wanted]
        found = self._settings.find(self._catalogue, citances, requests)
        return [
            _describe(line, self._settings, self._settings.to_json(request, evidence))
            for (line, request), evidence in zip(wanted, found, strict=True)
        ]

    def _reject(self, line: CitanceLine, error: CitespanError) -> Rejected:
        if isinstance(error, OutsideError):
            raise error
        return Rejected(f"{self._source}:{line.number}", str(error))


def _describe(line: CitanceLine, settings: Search, found: Record) -> Record:
    about = {"id": line.id, "line": line.number, "citance": line.citance}
    return {**about, "settings": settings.describe(), **found}


@overload
def search_all(
    citance: str,
    *,
    names: IndexNames = ...,
    articles: str | Path | None = ...,
    client: Elasticsearch | None = ...,
    **settings: Unpack[SearchAllOptions],
) -> "Found[ArticleEvidence]": ...


@overload
def search_all(
    citance: list[str] | tuple[str, ...],
    *,
    names: IndexNames = ...,
    articles: str | Path | None = ...,
    client: Elasticsearch | None = ...,
    **settings: Unpack[SearchAllOptions],
) -> "list[Found[ArticleEvidence]]": ...


@check_arguments
def search_all(
    citance: str | list[str] | tuple[str, ...],
    *,
    names: IndexNames = CITESPAN,
    articles: str | Path | None = None,
    client: Elasticsearch | None = None,
    **settings: Unpack[SearchAllOptions],
) -> "Found[ArticleEvidence] | list[Found[ArticleEvidence]]":
    """Find the indexed articles with evidence for a citing sentence, best first.

    Elasticsearch finds articles that have its words, or that others cite with these words,
    as far as `link` has found that out; the citance itself is left out there. A ranker reads
    the first of them, says how probable it is that each has evidence, and orders them by that.

    Args:
        citance: the citing sentence, or a question; or many.
        ranker: its name, or a ranker; "none" for the order of BM25 over whole articles, with the
            spans of the retrieval model.
        reformulation: how the citance becomes a query; one that needs an article is not possible.
        model: name of the retrieval model for single articles, without a ranker.
        top: number of articles at most.
        per_article: number of passages of each at most.
        depth: number of articles to rank; at least `top` are.
        year: of publication, such as "2010", "2010-" or "2010-2015".
        journals: titles of the journals to search; none for all.
        sections: kinds of sections that passages may be in, such as "results"; none for all.
        citing: any identifier of the indexed article that the citance is from: it is not searched,
            and what it says of others does not count.
        citance_weight: of what others say when they cite an article, beside its text; 0 for none.
        options: of the reformulation; concepts of its vocabulary count among the matched words.
        names: of the indices; those of experiments are `es_mappings.index_name.EXPERIMENTS`.
        articles: a folder whose articles take the place of those that are indexed.

    Returns:
        Articles with their evidence, none if no article has words of the citance; of many
        citances, such a list for each.

    Raises:
        UnknownNameError: for an unknown ranker, reformulation, model or kind of section.
        InputError: if nothing of the citance is left to search for, or no articles are indexed.
        CitespanError: if an article's documents are gone.
    """
    wanted = SearchAll(**settings)
    citances = [citance] if isinstance(citance, str) else citance
    requests = [wanted.make_corpus_request(text) for text in citances]
    from citespan.pipelines.ranking.article_ranking import find_articles

    client = use_client(client, articles)
    found = [find_articles(client, request, names) for request in requests]
    return found[0] if isinstance(citance, str) else found


class AnswersOptions(TypedDict, total=False):
    """The settings of `answers` as keywords."""

    outcome: str | None
    intervention: str | None
    comparator: str | None
    ranker: str | Ranker
    top: int
    per_abstract: int
    year: str | None


@overload
def answers(
    question: str, *, client: Elasticsearch | None = ..., **settings: Unpack[AnswersOptions]
) -> Found[Answer]: ...


@overload
def answers(
    question: list[str] | tuple[str, ...],
    *,
    client: Elasticsearch | None = ...,
    **settings: Unpack[AnswersOptions],
) -> list[Found[Answer]]: ...


@check_arguments
def answers(
    question: str | list[str] | tuple[str, ...],
    *,
    client: Elasticsearch | None = None,
    **settings: Unpack[AnswersOptions],
) -> Found[Answer] | list[Found[Answer]]:
    """Find the sentences of the indexed abstracts and articles that answer a question, best first.

    Args:
        question: a research question, or many.
        outcome, intervention, comparator: what trials may have found something of, see
            `Answer.direction`; by default what the question names, if it has a form such as
            "Does INTERVENTION reduce OUTCOME compared with COMPARATOR?".
        ranker: its name, or a ranker.
        top: number of answers at most.
        per_abstract: number of answers of one abstract or article at most.
        year: of publication, such as "2010", "2010-" or "2010-2015".

    Returns:
        The answers; of many questions, such a list for each.

    Raises:
        InputError: if the question has nothing but stop words, nothing is indexed, or only some of
            outcome, intervention and comparator are known.
        UnknownNameError: for an unknown ranker.
    """
    from citespan.pipelines.answers.answering import AnswerSettings, find_judge, search_indexed
    from citespan.pipelines.answers.candidates import select_search_words
    from citespan.pipelines.answers.directions.comparison import read_comparison
    from citespan.pipelines.answers.zones import model as zone_model

    questions = [question] if isinstance(question, str) else question
    texts = [" ".join(text.split()) for text in questions]
    parts = [settings.get(name) for name in ("outcome", "intervention", "comparator")]
    comparisons = [read_comparison(text, *parts) for text in texts]  # type: ignore[arg-type]
    for text in texts:
        select_search_words(text)
    client = use_client(client)
    zoner = zone_model.load_model()
    year = settings.get("year")
    wanted = AnswerSettings(
        find_judge(settings.get("ranker", RANKER)),
        zoner,
        read_years(year) if year else Years(),
        settings.get("top", MOST_ANSWERS),
        settings.get("per_abstract", PER_ABSTRACT),
    )
    search = search_indexed(client, zoner.version)
    found = [
        replace(wanted, comparison=comparison).answer(text, search, client)[0]
        for text, comparison in zip(texts, comparisons, strict=True)
    ]
    return found[0] if isinstance(question, str) else found
