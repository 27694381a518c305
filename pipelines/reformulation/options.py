"""The options of reformulations. A new option is a field here, and its use in a reformulation."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from citespan.pipelines.settings import About
from citespan.pipelines.vocabulary.terms import ConceptFilter


@dataclass(frozen=True, slots=True)
class Options:
    """The user's choices, the same for all citances."""

    vocabulary: Annotated[
        Path | None,
        About(
            "Concept store for the umls- reformulations, made by `citespan vocabulary build`.",
            environment="CITESPAN_VOCABULARY",
        ),
    ] = None
    sources: Annotated[
        tuple[str, ...] | None,
        About(
            "The vocabulary's sources that count, as in SNOMEDCT_US,MSH.",
            default="SNOMEDCT_US where the vocabulary has it, else all",
        ),
    ] = None
    semantic_types: Annotated[
        tuple[str, ...],
        About("Semantic types of the concepts that count, as in T047,T191.", default="all"),
    ] = ()
    preferred: Annotated[
        bool, About("Whether a concept's preferred term counts whatever its source.")
    ] = True
    synonyms: Annotated[
        Literal["phrase", "conjunction"], About("What a synonym of several words becomes.")
    ] = "phrase"
    pipeline: Annotated[
        str, About("spaCy pipeline that finds noun phrases: citespan's own, a package or a folder.")
    ] = "citespan"
    background: Annotated[
        Path | None,
        About(
            "Document frequencies for keywords, prf and domain-terms, made by "
            "`citespan background build`.",
            default="60 articles of CRAFT with 500 abstracts of PubMedQA",
        ),
    ] = None
    general: Annotated[
        Path | None,
        About(
            "Document frequencies of the general corpus for domain-terms.",
            default="glosses of WordNet 3.0",
        ),
    ] = None
    least_idf: Annotated[
        float,
        About("The least idf of a word that keywords keeps, by the natural logarithm.", least=0),
    ] = 2.5
    phrase_terms: Annotated[
        int, About("How many terms a noun phrase that np keeps has at most.", least=1)
    ] = 3
    feedback_spans: Annotated[
        int, About("How many of the first spans prf takes terms from.", least=1)
    ] = 3
    feedback_terms: Annotated[int, About("How many terms prf takes.", least=1)] = 10

    @property
    def scope(self) -> ConceptFilter:
        """The concepts of the vocabulary that count."""
        return ConceptFilter(self.sources, self.semantic_types, self.preferred)
