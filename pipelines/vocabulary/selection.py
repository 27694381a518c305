"""Which terms of a vocabulary go into a store."""

from collections.abc import Iterable, Iterator

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.vocabulary.term import VocabularyTerm

_SOURCE = Rejected("", "of a source not asked for", "skipped")
_TYPE = Rejected("", "of a semantic type not asked for", "skipped")


class Selection:
    """Keeps to sources and semantic types.

    Attributes:
        sources: by name; None for all.
        types: of which a concept must have one; empty for all.
        unseen: the sources and types that no term has had so far.
    """

    def __init__(self, sources: tuple[str, ...] | None, types: tuple[str, ...]) -> None:
        self.sources = sources
        self.types = types
        self._seen: set[str] = set()

    @property
    def unseen(self) -> list[str]:
        """The sources and types asked for that no term has had so far."""
        return [name for name in (*(self.sources or ()), *self.types) if name not in self._seen]

    def apply(
        self, terms: Iterable[VocabularyTerm | Rejected]
    ) -> Iterator[VocabularyTerm | Rejected]:
        """The terms, those left out as skipped ones."""
        sources = None if self.sources is None else frozenset(self.sources)
        types = frozenset(self.types)
        for term in terms:
            if isinstance(term, Rejected):
                yield term
                continue
            self._seen.add(term.source)
            self._seen.update(term.semantic_types)
            if sources is not None and term.source not in sources:
                yield _SOURCE
            elif types and types.isdisjoint(term.semantic_types):
                yield _TYPE
            else:
                yield term
