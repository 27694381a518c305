"""One term of a vocabulary, as the vocabulary's reader yields it."""

from dataclasses import dataclass


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
