"""Articles on their way into the index, and what has become of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.indexing.catalogue import Version
from citespan.pipelines.indexing.census import Census, Outcome
from citespan.pipelines.indexing.documents.prepared import Place, Prepared
from citespan.pipelines.indexing.writing.intent import Intent


@dataclass
class Writing:
    """An article on its way; `version` is the entry that it replaces."""

    prepared: Prepared
    intent: Intent
    entry: ArticleEntry
    version: Version | None

    @property
    def target(self) -> tuple[Prepared, str]:
        return self.prepared, self.intent.new.index

    @property
    def remakes_index(self) -> bool:
        """Whether it goes where its earlier content is, which thus has to go first."""
        return self.version is not None and (
            self.intent.new.layout == "spans" and self.version.entry.index == self.intent.new.index
        )


@dataclass
class Results:
    """What became of the articles of a group, by id, and what is to be deleted."""

    census: dict[str, Census] = field(default_factory=dict)
    stale: list[Place] = field(default_factory=list)
    settled: list[Intent] = field(default_factory=list)

    def rejected(self, article: Prepared, reason: str) -> None:
        one = Census()
        one.reject(Rejected(article.source, reason))
        self.census[article.id] = one

    def loaded(self, article: Prepared, outcome: Outcome) -> None:
        one = Census()
        one.count(outcome, article.sentences, article.spans)
        self.census[article.id] = one


def stale(intents: Iterable[Intent], current: Sequence[Place]) -> list[Place]:
    """What is to be deleted of what was written or replaced."""
    where = {(place.layout, place.index, place.edition) for place in current}
    places = (place for intent in intents for place in (intent.new, intent.old))
    return [
        place
        for place in places
        if place is not None and (place.layout, place.index, place.edition) not in where
    ]
