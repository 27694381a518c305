"""Which terms of a vocabulary count."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ConceptFilter:
    """The scope of the UMLS reformulations: SNOMED CT and the preferred concepts, as in Cohan,
    Soldaini and Goharian (2015), sections 2.3.2 and 2.3.5, unless told otherwise.

    Attributes:
        sources: those that count, the more trusted first (it settles ambiguity); None for
            SNOMEDCT_US where the vocabulary has it, else every source.
        semantic_types: of the concepts that count; empty for all.
        preferred: whether a concept's preferred term counts whatever its source.
    """

    sources: tuple[str, ...] | None = None
    semantic_types: tuple[str, ...] = ()
    preferred: bool = True
