"""Queries whose evidence is known, with their articles and the features of each sentence."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
import orjson

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.corpus.file_reader import UNREADABLE
from citespan.pipelines.corpus.files import open_unpacked, source_of
from citespan.pipelines.corpus.readers.jsonl import read_lines
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.ranking.analysed_article import K1, AnalysedArticle, B, Floats, analyse
from citespan.pipelines.ranking.features.families import FAMILIES, compute_features
from citespan.pipelines.ranking.pair import (
    AnalysedQuery,
    Pair,
    TermCounts,
    analyse_query,
    count_terms,
)
from citespan.pipelines.ranking.sentences import ArticleSentences, take_sentences

SHORT: Final = 40
"""Sentences of an article at most that is taken for an abstract."""
AROUND: Final = 60
"""Sentences of other articles that an abstract is put among."""
_SEED = 1


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A query for which an article has no evidence, as people have found.

    Attributes:
        article: its id.
    """

    query: str
    article: str


@dataclass(frozen=True, eq=False)
class Example:
    """A query with the sentences that are its evidence.

    Attributes:
        group: what folds keep together: the article that it is about.
        article: the number of its article among those of the training set.
        evidence: the numbers of the sentences; none if people found that the article has none.
    """

    query: str
    group: str
    article: int
    evidence: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Examples with the articles that they are about.

    Terms are counted in all articles. Features of a query and an article leave that article out
    of the counts, so that they are as if it had never been seen.

    Attributes:
        collections: the name of the collection that each article is of.
    """

    articles: Sequence[AnalysedArticle]
    examples: Sequence[Example]
    collections: Sequence[str]

    @cached_property
    def counts(self) -> TermCounts:
        """In how many of the articles each term is."""
        return count_terms(self.articles)

    @cached_property
    def features(self) -> list[Floats]:
        """The features of each example and its article."""
        return [
            self.compute_features(example.query, self.articles[example.article])
            for example in self.examples
        ]

    def compute_features(self, query: str, article: AnalysedArticle) -> Floats:
        """Return the (N, features) features of a query and an article."""
        pair = Pair(analyse_query(query), article, self.counts, counted=True)
        return compute_features(pair, FAMILIES)

    def mark_evidence(self, example: Example) -> Floats:
        """Return (N,) labels of the sentences of an example's article: 1 for evidence."""
        labels = np.zeros(len(self.articles[example.article]))
        labels[sorted(example.evidence)] = 1.0
        return labels

    @cached_property
    def surrounded(self) -> Mapping[int, tuple[AnalysedArticle, int]]:
        """Articles as short as abstracts among sentences of others, as in a full text, by number;
        each with the number of the sentence that it begins with."""
        short = [at for at, article in enumerate(self.articles) if len(article) <= SHORT]
        if len(short) < 2:
            return {}
        generator = np.random.default_rng(_SEED)
        return {
            number: self._surround(number, generator.permutation(short).tolist(), int(before))
            for number, before in zip(
                short, generator.integers(AROUND + 1, size=len(short)), strict=True
            )
        }

    def _surround(
        self, number: int, others: Sequence[int], before: int
    ) -> tuple[AnalysedArticle, int]:
        texts: list[str] = []
        for other in others:
            if other != number:
                texts += [f"{text.strip()} " for text in self.articles[other].texts]
            if len(texts) >= AROUND:
                break
        before = min(before, len(texts))
        own = self.articles[number].texts
        text = (*texts[:before], *own, *texts[before:AROUND])
        return analyse(ArticleSentences(text, ("",) * len(text))), before

    @cached_property
    def surrounded_features(self) -> dict[int, tuple[Floats, Floats]]:
        """By the places of examples with short articles: features and labels of these articles
        among sentences of others."""
        found = {}
        for place, example in enumerate(self.examples):
            if not example.evidence or example.article not in self.surrounded:
                continue
            article, first = self.surrounded[example.article]
            labels = np.zeros(len(article))
            labels[[first + number for number in sorted(example.evidence)]] = 1.0
            found[place] = self.compute_features(example.query, article), labels
        return found


@dataclass(frozen=True, eq=False)
class TrainingData:
    """What collections have for rankers to learn from.

    Attributes:
        articles: by id, split into sentences.
        collections: the name of that of each article, by its id; none given: all are of one.
        unanswered: queries for which articles have no evidence.
    """

    articles: Mapping[str, Article]
    citances: Sequence[Citance]
    collections: Mapping[str, str] = field(default_factory=dict)
    unanswered: Sequence[Unanswered] = ()

    def make_examples(self) -> TrainingSet:
        """Return an example of each citance: a sentence is evidence if any annotator marked it.
        Behind them come those of queries without evidence."""
        numbers = {identifier: number for number, identifier in enumerate(self.articles)}
        examples = [
            Example(
                citance.text,
                citance.topic,
                numbers[citance.article_id],
                Outcome(citance, self.articles[citance.article_id], ()).gold_sentences,
            )
            for citance in self.citances
        ]
        topics = {citance.article_id: citance.topic for citance in self.citances}
        examples += [
            Example(asked.query, topics.get(asked.article, asked.article), numbers[asked.article])
            for asked in self.unanswered
        ]
        return TrainingSet(
            [analyse(take_sentences(article)) for article in self.articles.values()],
            examples,
            [self.collections.get(identifier, "") for identifier in self.articles],
        )


def read_unanswered(
    path: Path, articles: Container[str], answered: Container[tuple[str, str]] = ()
) -> Iterator[Unanswered | Rejected]:
    """Yield the queries of a file without evidence: JSON Lines with the keys `article` and `text`.

    Args:
        articles: the ids of those that are known.
        answered: articles and queries that have evidence in them, which is then contradicted.

    Raises:
        InputError: if the file can't be read.
    """
    source = source_of(path)
    try:
        with open_unpacked(path) as content:
            for number, line in read_lines(content):
                if line == b"":
                    continue
                place = f"{source}:{number}"
                try:
                    read = orjson.loads(line or b"")
                except orjson.JSONDecodeError:
                    read = None
                named = isinstance(read, dict) and read.get("article")
                query = isinstance(read, dict) and read.get("text")
                if not isinstance(named, str) or not isinstance(query, str) or not query.strip():
                    yield Rejected(place, 'not a JSON object with "article" and "text"')
                elif named not in articles:
                    yield Rejected(place, f"article '{named}' is in no collection that is given")
                elif (named, query) in answered:
                    yield Rejected(place, f"a citance of article '{named}' has evidence for this")
                else:
                    yield Unanswered(query, named)
    except UNREADABLE as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise InputError(f"{source}: can't be read: {reason}") from error


class ArticleIndex:
    """BM25 over whole articles.

    Args:
        articles: A of them.
    """

    def __init__(self, articles: Sequence[AnalysedArticle]) -> None:
        import bm25s  # slow to import, and for training only

        self._articles = len(articles)
        tokens = [
            np.array(list(article.vocabulary), dtype=object)[article.tokens].tolist()
            for article in articles
        ]
        self._index: bm25s.BM25 | None = None
        if any(tokens):
            self._index = bm25s.BM25(method="lucene", k1=K1, b=B, dtype="float64")
            self._index.index(tokens, show_progress=False)

    def score(self, query: AnalysedQuery) -> Floats:
        """Return the (A,) scores of the articles, with the factor k1 + 1 that Elasticsearch has."""
        tokens = [term for term, times in query.terms for _ in range(times)]
        if self._index is None or not tokens:
            return np.zeros(self._articles)
        scores: Floats = self._index.get_scores(tokens) * (K1 + 1)
        return scores


class Mismatches:
    """Articles that queries are not about, of the same collection as the one that they are about.

    Args:
        data: the examples with their articles.
    """

    def __init__(self, data: TrainingSet) -> None:
        self._of = data.collections
        numbers: dict[str, list[int]] = {}
        for number, name in enumerate(data.collections):
            numbers.setdefault(name, []).append(number)
        self._articles = {
            name: (own, ArticleIndex([data.articles[number] for number in own]))
            for name, own in numbers.items()
        }

    def choose(self, example: Example, seed: int) -> dict[str, int]:
        """Return the number of a random article other than the example's, and that of the one
        whose BM25 score for the query is highest; none where there is no other article."""
        numbers, index = self._articles[self._of[example.article]]
        if len(numbers) < 2:
            return {}
        own = numbers.index(example.article)
        scores = index.score(analyse_query(example.query))
        random = int(np.random.default_rng([_SEED, seed]).integers(len(scores) - 1))
        scores[own] = -np.inf
        return {
            "random": numbers[random + (random >= own)],
            "hardest": numbers[int(np.argmax(scores))],
        }
