"""A Medline abstract: an article with only its title and abstract.

`lay_out_abstract` makes one of a record of any format, or turns it down with a reason.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from citespan.pipelines.corpus.article import Article, Rejected, Section
from citespan.pipelines.corpus.identifiers import find_doi, find_pmcid, find_pmid
from citespan.pipelines.corpus.paragraphs import MAX_HEADING, Heading, collapse_space, lay_out

YEAR = re.compile(r"\b(1[6-9]\d\d|20\d\d)\b")
"""A year of publication within a date as Medline writes it."""

_BRACKETED = re.compile(r"\[(.*)\](\.?)")
_NO_TITLE = "not available"
_LONGEST_CODE = 20
_MOST_CHARACTERS = 500_000  # those of Medline have at most a few tens of thousands
_SHOWN = 10
_WORD = re.compile(r"[^\W\d_]+")
_COMMON_WORDS = frozenset(
    (
        *("and", "are", "be", "been", "between", "by", "for", "from", "had", "has", "have", "is"),
        *("it", "its", "not", "of", "or", "than", "that", "the", "their", "these", "this"),
        *("to", "was", "we", "were", "which", "with"),
    )
)
_LEAST_SHARE = 0.08
_FEWEST_WORDS = 15

NlmCategory = Literal["", "BACKGROUND", "OBJECTIVE", "METHODS", "RESULTS", "CONCLUSIONS"]


@dataclass(frozen=True, slots=True)
class AbstractSection(Section):
    """A section of an abstract; its `title` is the label that the authors gave it.

    Attributes:
        category: the category that NLM gives the section; "" where it says nothing, and for its
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
    def doi(self) -> str | None:
        """Its DOI, if the record has one."""
        return next((name for name in self.also_known_as if name.startswith("10.")), None)

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
    """Medline's request to remove a citation; `version` is that of the citation."""

    id: str
    source: str
    version: int = 1


AbstractReading = Abstract | Deletion | Rejected
"""What comes out of a file of abstracts, in its order."""


@dataclass(frozen=True, slots=True)
class AbstractPart:
    """A section before it has its place in the text; white space is collapsed."""

    label: str
    text: str
    category: NlmCategory = ""


def lay_out_abstract(
    known: Abstract, parts: Sequence[AbstractPart], others: Sequence[tuple[str, str]] = ()
) -> Abstract | Rejected:
    """Return the abstract of a record; a `Rejected` if it is far too long, or, as skipped, if it is
    empty or not in English.

    Args:
        known: what the record says beside its abstract, without a text; its publication has only
            what no other attribute says.
        others: (language, text) of the record's further abstracts.
    """
    parts = [part for part in parts if part.text]
    characters = sum(len(text) for text in (*(p.text for p in parts), *(o for _, o in others)))
    if characters > _MOST_CHARACTERS:
        reason = f"{characters:,} characters are too many for an abstract; split it"
        return Rejected(known.source, reason)
    if not parts:
        languages = sorted({collapse_space(language)[:_LONGEST_CODE] for language, _ in others})
        only = f" in English, only in {', '.join(languages[:_SHOWN])}" if languages else ""
        return Rejected(known.source, f"no abstract{only}", "skipped")
    if not is_english(" ".join(part.text for part in parts)):
        return Rejected(known.source, "the abstract is not in English", "skipped")
    headed = [(Heading(part.label[:MAX_HEADING], "abstract"), part.text) for part in parts]
    text, sections = lay_out([(Heading("", "title"), known.title), *headed])
    categories: list[NlmCategory] = [part.category for part in parts]
    if known.title:
        categories.insert(0, "")
    names = [name for name in known.also_known_as if not name.isdecimal()]
    publication = replace(
        known.publication,
        title=known.title,
        year=known.year,
        pmid=find_pmid(known.id),
        pmcid=next(filter(None, map(find_pmcid, names)), ""),
        doi=next(filter(None, map(find_doi, names)), ""),
    )
    placed = tuple(
        AbstractSection(s.title, s.start, s.end, s.kind, category)
        for s, category in zip(sections, categories, strict=True)
    )
    return replace(
        known, text=text, publication=publication, sections=placed, other_abstracts=tuple(others)
    )


def is_english(text: str) -> bool:
    """False for a text of fifteen words or more with hardly any common English word among them,
    and for one that is mostly in another script; a shorter one passes, since it can't be judged.

    The share of these words is 0.149 or more in each of PubMedQA's 500 abstracts, and 0.256 in the
    middle.
    """
    if len(text.encode("ascii", "ignore")) * 2 < len(text):
        return False
    words = _WORD.findall(text.lower())
    if len(words) < _FEWEST_WORDS:
        return True
    return sum(word in _COMMON_WORDS for word in words) >= _LEAST_SHARE * len(words)


def remove_brackets(title: str) -> str:
    """Return a title without the brackets that mark it as translated; "" for "[Not Available]."."""
    bracketed = _BRACKETED.fullmatch(title)
    if bracketed and "[" not in bracketed[1]:
        title = bracketed[1] + bracketed[2]
    return "" if title.lower().rstrip(".") == _NO_TITLE else title
