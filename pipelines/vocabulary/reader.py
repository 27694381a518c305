"""What a reader of one kind of vocabulary is, and the registry of all of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.registry import Registry
from citespan.pipelines.vocabulary.term import VocabularyTerm


class VocabularyReader(Protocol):
    """Reads the terms of one kind of vocabulary.

    Attributes:
        name: as in `citespan vocabulary build NAME`.
        description: one line for `--help`.
    """

    name: str
    description: str

    def version(self, path: Path) -> str:
        """The version that the vocabulary at `path` says it is; "" where it doesn't say.

        Raises:
            InputError: if there is no vocabulary of this kind, or two versions are mixed.
        """
        ...

    def typed(self, path: Path) -> bool:
        """Whether the concepts at `path` come with semantic types."""
        ...

    def terms(self, path: Path) -> Iterator[VocabularyTerm | Rejected]:
        """Every row of the vocabulary, streaming: a term, or a Rejected with the reason for
        leaving it out ("skipped") or the place and the fault of a broken row ("quarantined").

        Raises:
            InputError: if it can't be read on, or two versions are mixed.
        """
        ...


vocabulary_readers: Registry[VocabularyReader] = Registry(
    "kind of vocabulary",
    "citespan.pipelines.vocabulary.readers",
    "citespan.vocabulary_readers",
)
