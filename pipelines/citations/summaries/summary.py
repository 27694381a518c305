"""Summaries by citances: rank an article's sentences for each of them, and choose among these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from citespan.pipelines.citations.summaries.choosing import (
    DEFAULTS,
    SHORTEST,
    WORDS,
    Settings,
    choose_sentences,
)
from citespan.pipelines.citations.summaries.facets import describe_sentences
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.logistic_model import LogisticModel
from citespan.pipelines.ranking.ranker import Ranker, Ranking
from citespan.pipelines.ranking.section_kinds import remove_headings
from citespan.pipelines.ranking.selection import choose_evidence
from citespan.pipelines.ranking.stored_article import StoredArticle
from citespan.pipelines.retrieval.passage import ShownSentence
from citespan.pipelines.shown import Row, Shown, flatten, short_repr


@short_repr
@dataclass(frozen=True, slots=True)
class SummarySentence(ShownSentence):
    """A sentence of a summary.

    Attributes:
        facet, probability: the most probable discourse facet.
        citances: the ids of those that it is evidence for; sentences of the abstract may be there
            without any.
    """

    facet: str
    probability: float
    citances: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as `citespan summarise --json` prints it."""
        return ShownSentence.to_json(self) | {"citances": list(self.citances)}


@short_repr
@dataclass(frozen=True)
class Summary(Sequence[SummarySentence], Shown):
    """The sentences of a summary, in the order of the article; a sequence of them.

    Attributes:
        article: its id.
        citances: how many different ones there were.
        clusters: how many different things they cite the article for.
        facets: the shares of the discourse facets in what is cited.
    """

    html: ClassVar[str] = "summary"

    article: str
    title: str
    sentences: tuple[SummarySentence, ...]
    citances: int
    clusters: int
    facets: Mapping[str, float]

    def __len__(self) -> int:
        return len(self.sentences)

    def __getitem__(self, place: Any) -> Any:
        return self.sentences[place]

    @property
    def text(self) -> str:
        """The sentences, joined by spaces."""
        return " ".join(sentence.text for sentence in self.sentences)

    @property
    def words(self) -> int:
        """How many words it has, as white space parts them."""
        return len(self.text.split())

    def to_json(self) -> dict[str, Any]:
        """Return it as `citespan summarise --json` prints it."""
        return {
            "article": self.article,
            "title": self.title,
            "words": self.words,
            "citances": self.citances,
            "clusters": self.clusters,
            "facets": dict(self.facets),
            "sentences": [sentence.to_json() for sentence in self.sentences],
        }

    def to_rows(self) -> list[Row]:
        """Return its sentences as rows."""
        return [
            flatten({"article": self.article, **sentence.to_json()}) for sentence in self.sentences
        ]


@dataclass(frozen=True)
class Summariser:
    """Summarises articles by what they are cited for.

    Attributes:
        ranker: says which sentences a citance is about.
        facets: says what kind of statement a sentence makes.
        words: of a summary at most.

    Raises:
        InputError: if `words` is less than 1.
    """

    ranker: Ranker
    facets: LogisticModel
    words: int = WORDS
    settings: Settings = DEFAULTS

    def __post_init__(self) -> None:
        if self.words < 1:
            raise InputError(f"{self.words} words are not possible; use 1 or more")

    def summarise(
        self,
        name: str,
        title: str,
        article: StoredArticle,
        citances: Mapping[str, str],
        on_ranked: Callable[[int], None] = lambda _: None,
    ) -> Summary:
        """Summarise an article.

        Args:
            name: its id.
            citances: by id. Those for which the article has no evidence do not count, and of those
                that say the same only the first does.
            on_ranked: called with 1 after each citance.

        Raises:
            InputError: if the ranker finds no evidence for any citance, or no evidence is short
                enough.
        """
        rankings = self._rank(article, citances, on_ranked)
        if not rankings:
            raise InputError(
                f"none of {format_count(len(citances), 'citance')} of '{name}' has evidence in it; "
                "give others, or another `ranker`"
            )
        facets = self.facets.predict(describe_sentences(article.sentences))
        probabilities = np.stack([ranking.probabilities for ranking in rankings.values()])
        behind = {citance: set(choose_evidence(ranking)) for citance, ranking in rankings.items()}
        evidence = np.zeros(len(article.sentences), dtype=bool)
        evidence[sorted(set().union(*behind.values()))] = True
        chosen = choose_sentences(
            article.sentences,
            article.positions,
            probabilities,
            evidence,
            facets,
            self.words,
            self.settings,
        )
        if not chosen.numbers:
            raise InputError(
                f"no cited sentence of '{name}' has {SHORTEST} to {self.words} words; allow more "
                "by `words`"
            )
        sentences = []
        for number in chosen.numbers:
            facet = int(facets[number].argmax())
            sentences.append(
                SummarySentence(
                    number=number,
                    start=article.starts[number],
                    end=article.ends[number],
                    section=article.sentences.sections[number],
                    text=" ".join(remove_headings(article.sentences.texts[number]).split()),
                    facet=self.facets.classes[facet],
                    probability=float(facets[number, facet]),
                    citances=tuple(citance for citance, own in behind.items() if number in own),
                )
            )
        return Summary(
            article=name,
            title=title,
            sentences=tuple(sentences),
            citances=len(rankings),
            clusters=len(set(chosen.clusters)),
            facets=dict(zip(self.facets.classes, chosen.shares, strict=True)),
        )

    def _rank(
        self, article: StoredArticle, citances: Mapping[str, str], on_ranked: Callable[[int], None]
    ) -> dict[str, Ranking]:
        """Return what the ranker says of each different citance that has evidence."""
        rankings: dict[str, Ranking] = {}
        said: set[str] = set()
        for identifier, citance in citances.items():
            if citance not in said:
                said.add(citance)
                ranking = self.ranker.rank(citance, article.sentences)
                if ranking.probabilities.any() and ranking.support >= self.ranker.threshold:
                    rankings[identifier] = ranking
            on_ranked(1)
        return rankings
