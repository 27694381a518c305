"""How articles become documents: the settings of a load that decide what is indexed."""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING

from citespan.es_mappings.similarity import Similarity
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.store.layout import default_layout
from citespan.pipelines.text.splitter import DEFAULT, Splitter, splitters
from citespan.pipelines.vocabulary.terms import ConceptFilter

if TYPE_CHECKING:  # vocabularies are imported where one is opened
    from citespan.pipelines.indexing.documents.synonym_rules import ConceptSynonyms

_DEFAULT_LENGTHS = SpanLengths()
_LONGEST_NAME = 200


@dataclass(frozen=True)
class SynonymSource:
    """The vocabulary whose synonyms an index knows.

    Attributes:
        vocabulary: folder of a concept store.
        scope: the concepts of it that count.
    """

    vocabulary: Path
    scope: ConceptFilter = ConceptFilter()  # noqa: RUF009  frozen

    @property
    def synonyms(self) -> "ConceptSynonyms":
        """The synonyms; the vocabulary is opened once in a process.

        Raises:
            VocabularyError: if there is no vocabulary in the folder.
        """
        return _open_synonyms(self)


@cache
def _open_synonyms(source: SynonymSource) -> "ConceptSynonyms":
    from citespan.pipelines.indexing.documents.synonym_rules import ConceptSynonyms
    from citespan.pipelines.vocabulary.matching import Matcher
    from citespan.pipelines.vocabulary.store import open_vocabulary

    return ConceptSynonyms(Matcher(open_vocabulary(source.vocabulary), source.scope))


@dataclass(frozen=True)
class DocumentSettings:
    """All that decides which documents an article becomes. Can be sent to another process.

    Attributes:
        similarities: of the retrieval models to search with; shared indices know all.
        layout: name of the layout.
        lengths: how many sentences spans have.
        splitter: name of what splits texts into sentences whose format does not do so.
        synonym_source: for the field `text.umls`, where a layout has it; None for no such field.
        corpus: the name of the place that articles are read from. What was read from another
            place, such as another machine's folder of the same path, is not taken for it.

    Raises:
        UnknownNameError: for a splitter that does not exist.
        InputError: for a corpus without a name, or of more than 200 characters.
    """

    similarities: tuple[Similarity, ...]
    layout: str = field(default_factory=default_layout)
    lengths: SpanLengths = _DEFAULT_LENGTHS
    splitter_name: str = DEFAULT
    synonym_source: SynonymSource | None = None
    corpus: str = field(default_factory=gethostname)

    def __post_init__(self) -> None:
        splitters[self.splitter_name]
        if not self.corpus.strip() or len(self.corpus) > _LONGEST_NAME:
            raise InputError(f"a corpus has a name of 1 to {_LONGEST_NAME} characters")

    @property
    def splitter(self) -> Splitter:
        """What splits texts into sentences."""
        return splitters[self.splitter_name]

    @property
    def synonyms(self) -> "ConceptSynonyms | None":
        """The synonyms that indices know, if any.

        Raises:
            VocabularyError: if there is no such vocabulary.
        """
        return None if self.synonym_source is None else self.synonym_source.synonyms
