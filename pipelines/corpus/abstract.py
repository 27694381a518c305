"""A Medline abstract: an article of which only the title and the abstract are there."""

import re
from dataclasses import dataclass
from typing import Literal

from citespan.pipelines.corpus.article import Article, Rejected, Section

_PMID = re.compile(r"[0-9]{1,12}")

NlmCategory = Literal["", "BACKGROUND", "OBJECTIVE", "METHODS", "RESULTS", "CONCLUSIONS"]


@dataclass(frozen=True, slots=True)
class AbstractSection(Section):
    """A section of an abstract; its `title` is the label that the authors gave it.

    Attributes:
        category: what NLM takes the section for; "" where it says nothing, and for its
            UNASSIGNED and UNLABELLED.
    """

    category: NlmCategory = ""


@dataclass(frozen=True, slots=True)
class Abstract(Article):
    """One abstract; its `id` is the PMID.

    Attributes:
        text: the title, a blank line, the sections, a blank line between any two.
        sections: the title's first, if there is a title, then one for each part of the
            abstract; that of an unstructured abstract has no title.
        version: of the citation; a higher one replaces a lower one.
        revised: the day of its last revision as YYYY-MM-DD, or "".
        year: of publication, where the record names one.
        mesh: its MeSH descriptors.
        languages: of the article, as Medline's codes ("eng").
        publication_types: as in "Randomized Controlled Trial".
        other_abstracts: (language, text) of further abstracts; they are not in `text`.
    """

    sections: tuple[AbstractSection, ...] = ()
    version: int = 1
    revised: str = ""
    year: int | None = None
    mesh: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    publication_types: tuple[str, ...] = ()
    other_abstracts: tuple[tuple[str, str], ...] = ()

    @property
    def start(self) -> int:
        """Where the abstract starts in `text`, after the title."""
        return next((s.start for s in self.sections if s.kind == "abstract"), len(self.text))

    @property
    def structured(self) -> bool:
        """Whether its sections have labels."""
        return any(s.title for s in self.sections if s.kind == "abstract")


@dataclass(frozen=True, slots=True)
class Deletion:
    """Medline's word that a citation is to be removed; `version` is the one it speaks of."""

    id: str
    source: str
    version: int = 1


AbstractReading = Abstract | Deletion | Rejected
"""What comes out of a file of abstracts, in its order."""


def is_pmid(text: str) -> bool:
    """Whether the text can be a PMID, which is a number in ASCII digits."""
    return bool(_PMID.fullmatch(text))
