"""The summary of an article by what it is cited for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence of a summary.

    Attributes:
        number: in the article, from 0.
        start, end: where it is in the article's text, in characters.
        facet, probability: the most probable discourse facet.
        citances: the ids of those that it is evidence for; sentences of the abstract may be there
            without any.
    """

    number: int
    start: int
    end: int
    section: str
    text: str
    facet: str
    probability: float
    citances: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as `citespan summarise --json` prints it."""
        return {
            "number": self.number,
            "start": self.start,
            "end": self.end,
            "section": self.section,
            "text": self.text,
            "facet": self.facet,
            "probability": self.probability,
            "citances": list(self.citances),
        }


@dataclass(frozen=True)
class Summary(Sequence[SummarySentence]):
    """The sentences of a summary, in the order of the article; a sequence of them.

    Attributes:
        article: its id.
        citances: how many different ones there were.
        clusters: how many different things they cite the article for.
        facets: the shares of the discourse facets in what is cited.
    """

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
        return " ".join(one.text for one in self.sentences)

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
            "sentences": [one.to_json() for one in self.sentences],
        }
