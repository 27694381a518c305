"""An article made ready to be written, and where its documents are."""

from dataclasses import dataclass, field
from datetime import datetime

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.synonyms import SynonymRule


@dataclass(frozen=True, slots=True)
class Place:
    """Where the documents of an article are: all that it takes to delete them.

    Attributes:
        edition: of an article in the layout `sentences`.
        sentences: how many sentences it has.
    """

    article: str
    layout: str
    index: str
    edition: str
    sentences: int


def place_of(entry: ArticleEntry) -> Place:
    """Where the documents of an article are by its entry."""
    return Place(
        entry.article, entry.layout, entry.index, entry.edition or "", int(entry.sentences)
    )


def written_at(entry: ArticleEntry) -> str:
    """When an entry was written, to the microsecond: tells it from those of other loads."""
    loaded: str | datetime = entry.loaded
    return loaded if isinstance(loaded, str) else loaded.isoformat(timespec="microseconds")


@dataclass(frozen=True, slots=True)
class Prepared:
    """An article without its text: what the loader needs of it, which can be sent from process
    to process.

    Attributes:
        content: hash of all that gets indexed.
        unchanged: whether it was in the index already, just so; there are no documents then.
        edition: what its sentences are found by; "" in the layout `spans`.
        documents: actions and sources, as bulk requests have them, several in a piece.
        lengths: terms of each sentence, None where only the server can tell.
        unknown: the texts of those sentences.
        synonyms: the rules of `text.umls`; None without.
    """

    id: str
    title: str
    also_known_as: tuple[str, ...]
    source: str
    content: str
    characters: int
    sentences: int
    spans: int
    unchanged: bool = False
    edition: str = ""
    documents: list[bytes] = field(default_factory=list)
    lengths: list[int | None] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    synonyms: list[SynonymRule] | None = None

    @property
    def size(self) -> int:
        """Bytes of its documents."""
        return sum(map(len, self.documents))
