"""An article whose documents are ready to be written, and the edition of it that a load writes."""

from dataclasses import dataclass, field

from citespan.es_mappings.index_name import edition
from citespan.es_mappings.synonyms import SynonymRule
from citespan.pipelines.corpus.article import PageStart, Rejected
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.indexing.report import LoadReport, Outcome
from citespan.pipelines.store.catalogue import Version
from citespan.pipelines.store.edition import Place


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
        path: its source, whatever the working folder is.
        content: hash of all that is indexed of it.
        unit: the file or folder that it was read from as a part of a whole.
        unchanged: whether the index had exactly this when it was looked up.
        moved: whether it is unchanged, but its entry does not say that it was read from its source,
            or from these bytes there.
        text: all of it; "" if its entry is not written.
        pages, digest: as in `Article`.
        documents: none if it is unchanged.
    """

    id: str
    title: str
    also_known_as: tuple[str, ...]
    publication: Publication
    source: str
    path: str
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
    digest: str = ""
    documents: Documents = field(default_factory=Documents)


@dataclass(eq=False)
class Edition:
    """An article as one group of a load writes it.

    Attributes:
        report: counts what becomes of the article.
        previous: the entry to replace, as it was looked up; None if the article is not loaded.
        place: where the documents are written, once that is decided.
        outcome: what the edition is to its article, once an entry names it; "unchanged" if another
            load has stored the same meanwhile.
        problem: why the server refused it; "" if it did not.
    """

    article: PreparedArticle
    report: LoadReport
    previous: Version | None = None
    place: Place = field(init=False)
    outcome: Outcome | None = None
    problem: str = ""

    @property
    def replaced(self) -> Place | None:
        """Where the documents are that this edition replaces, if any."""
        return Place.of_entry(self.previous.entry) if self.previous is not None else None

    @property
    def stale(self) -> Place | None:
        """Where documents are that no entry names in the end, if any: those of this edition, or
        those that it replaces."""
        is_own = self.problem or self.outcome == "unchanged"
        return self.place if is_own else self.replaced

    def place_in(self, layout: str, index: str, group: str) -> None:
        """Decide where the documents are written.

        Args:
            group: the name of the group that writes them.
        """
        article, name = self.article, edition(self.article.id, group)
        numbers = article.sentences, article.spans, article.citations
        self.place = Place(article.id, layout, index, name, *numbers)

    def publish(self) -> None:
        """Note that the catalogue names this edition."""
        self.outcome = "indexed" if self.previous is None else "replaced"

    def count(self) -> None:
        """Count the article by what became of it."""
        article = self.article
        if self.outcome is None:
            self.report.reject(Rejected(article.source, self.problem))
        else:
            self.report.count(self.outcome, article.sentences, article.spans, article.citations)
