"""An article whose documents are ready to be written, and where documents are stored."""

from dataclasses import dataclass, field

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.synonyms import SynonymRule
from citespan.pipelines.corpus.publication import Publication

EDITION = b"\0"
"""Stands in documents where the edition belongs, which is decided when they are written. JSON
never contains this character."""


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents of one article in one layout.

    Attributes:
        pieces: actions and sources as bulk requests have them, several in a piece.
        lengths: number of terms of each sentence, None where only the server can tell; empty in
            a layout that does not need it.
        unmeasured: the texts of the sentences whose length is None.
        synonyms: the rules of the field `text.umls`; None for no such field.
        citations: like `pieces`, of its citations.
    """

    pieces: list[bytes] = field(default_factory=list)
    lengths: list[int | None] = field(default_factory=list)
    unmeasured: list[str] = field(default_factory=list)
    synonyms: list[SynonymRule] | None = None
    citations: list[bytes] = field(default_factory=list)

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(map(len, (*self.pieces, *self.citations)))


@dataclass(frozen=True, slots=True)
class PreparedArticle:
    """What a load needs of an article, which can be sent to another process.

    Attributes:
        content: hash of all that is indexed of it.
        unit: the file or folder that it was read from as a part of a whole.
        unchanged: whether the index had exactly this when it was looked up.
        moved: whether it is unchanged, but was not read from its source before.
        text: all of it; "" if its entry is not written.
        documents: none if it is unchanged.
    """

    id: str
    title: str
    also_known_as: tuple[str, ...]
    publication: Publication
    source: str
    content: str
    characters: int
    sentences: int
    spans: int
    citations: int
    unit: str = ""
    unchanged: bool = False
    moved: bool = False
    text: str = ""
    documents: Documents = field(default_factory=Documents)


@dataclass(frozen=True, slots=True)
class Place:
    """Where one edition of an article is stored: all that it takes to count or delete it.

    Attributes:
        index: that of its spans or sentences; that of citations if nothing else is left of it.
    """

    article: str
    layout: str
    index: str
    edition: str
    sentences: int
    spans: int
    citations: int = 0

    @classmethod
    def of_entry(cls, entry: ArticleEntry) -> "Place":
        """Return the place that the catalogue names."""
        return cls(
            entry.article,
            entry.layout,
            entry.index,
            entry.edition or "",
            int(entry.sentences),
            int(entry.spans),
            int(entry.citations or 0),
        )
