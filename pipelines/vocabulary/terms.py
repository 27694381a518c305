"""Terms of a vocabulary: one term as readers yield it, which go into a store, which count there."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citespan.pipelines.corpus.article import Rejected

_SOURCE = Rejected("", "of a source not asked for", "skipped")
_TYPE = Rejected("", "of a semantic type not asked for", "skipped")


@dataclass(frozen=True, slots=True)
class VocabularyTerm:
    """A term: what UMLS calls an atom.

    Attributes:
        cui: of the concept; a vocabulary without CUIs has concept ids of its own ("GO:0008150",
            "D012345").
        text: as the source writes it.
        source: the vocabulary it comes from, by MRCONSO's abbreviation SAB ("SNOMEDCT_US",
            "MSH", "GO_BP").
        term_type: MRCONSO's TTY ("PT", "SY").
        preferred: whether it is the concept's preferred name: in MRCONSO TS is P, STT is PF and
            ISPREF is Y.
        semantic_types: of the concept, as type identifiers or names.
    """

    cui: str
    text: str
    source: str
    term_type: str
    preferred: bool
    semantic_types: tuple[str, ...] = ()


class Selection:
    """Keeps to sources and semantic types.

    Attributes:
        sources: by name; None for all.
        types: a concept must have one of these; empty for all.
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
        """Yield the terms asked for, and a skipped `Rejected` for each other one."""
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


@dataclass(frozen=True)
class ConceptFilter:
    """The scope of the UMLS reformulations: SNOMED CT and the preferred concepts, as in Cohan,
    Soldaini and Goharian (2015), sections 2.3.2 and 2.3.5, by default.

    Attributes:
        sources: those that count, the more trusted first (it settles ambiguity); None for
            SNOMEDCT_US where the vocabulary has it, else every source.
        semantic_types: of the concepts that count; empty for all.
        preferred: whether a concept's preferred term counts whatever its source.
    """

    sources: tuple[str, ...] | None = None
    semantic_types: tuple[str, ...] = ()
    preferred: bool = True
