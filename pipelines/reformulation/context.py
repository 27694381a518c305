"""What a reformulation may look at beside the citance."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from citespan.pipelines.reformulation.query import Term


@dataclass(frozen=True, slots=True)
class Options:
    """What the user chooses, the same for all citances.

    Attributes:
        vocabulary: the concept store of the `umls-` reformulations.
        sources: the vocabulary's sources that count; None for SNOMED CT where the vocabulary
            has it, else all of them.
        semantic_types: of the concepts that count; none named for all.
        preferred: whether a concept's preferred term counts whatever its source.
        synonyms: what a synonym of several words becomes.
        pipeline: the spaCy pipeline that finds noun phrases; a package, or a folder.
        background: a table of document frequencies, for `keywords` and as the biomedical corpus
            of `domain-terms`; None for the shipped one.
        general: the table of the general corpus of `domain-terms`; None for the shipped one.
        feedback_spans: how many of the first spans `prf` takes terms from.
        feedback_terms: how many terms it takes.
    """

    vocabulary: Path | None = None
    sources: tuple[str, ...] | None = None
    semantic_types: tuple[str, ...] = ()
    preferred: bool = True
    synonyms: Literal["phrase", "conjunction"] = "phrase"
    pipeline: str = "citespan"
    background: Path | None = None
    general: Path | None = None
    feedback_spans: int = 3
    feedback_terms: int = 10


@dataclass(frozen=True)
class Context:
    """What is known when a citance is reformulated.

    Attributes:
        article_text: gives the text of the reference article, whose abbreviations then count;
            None where no article is named.
        first_spans: gives the texts of the first spans, at most so many, that terms find in the
            article; None where there is nothing to search.
    """

    options: Options = Options()
    article_text: Callable[[], str] | None = None
    first_spans: Callable[[Sequence[Term], int], Sequence[str]] | None = None
