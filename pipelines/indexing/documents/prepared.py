"""An article whose documents are ready to be written."""

from dataclasses import dataclass, field

from citespan.es_mappings.synonyms import SynonymRule
from citespan.pipelines.corpus.article import PageStart
from citespan.pipelines.corpus.publication import Publication


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
        pages: as in `Article.pages`.
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
    pages: tuple[PageStart, ...] = ()
    documents: Documents = field(default_factory=Documents)
