"""A record of any format of abstracts, laid out as an `Abstract` or turned down with a reason."""

from collections.abc import Sequence
from dataclasses import dataclass

from citespan.pipelines.corpus.abstract import Abstract, AbstractSection, NlmCategory
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.english import is_english
from citespan.pipelines.corpus.paragraphs import MAX_HEADING, Heading, collapsed, lay_out

_LONGEST_CODE = 20
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class AbstractPart:
    """A section before it has its place in the text; white space is collapsed."""

    label: str
    text: str
    category: NlmCategory = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """What a record says beside its abstract; see `Abstract` for the attributes."""

    pmid: str
    title: str
    source: str
    also_known_as: tuple[str, ...] = ()
    version: int = 1
    revised: str = ""
    year: int | None = None
    mesh: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    publication_types: tuple[str, ...] = ()


def laid_out(
    citation: Citation,
    parts: Sequence[AbstractPart],
    others: Sequence[tuple[str, str]] = (),
) -> Abstract | Rejected:
    """The abstract; a `Rejected` that is to be skipped if it is empty or not in English.

    Args:
        others: (language, text) of the record's further abstracts.
    """
    parts = [part for part in parts if part.text]
    if not parts:
        languages = sorted({collapsed(language)[:_LONGEST_CODE] for language, _ in others})
        only = f" in English, only in {', '.join(languages[:_SHOWN])}" if languages else ""
        return Rejected(citation.source, f"no abstract{only}", "skipped")
    if not is_english(" ".join(part.text for part in parts)):
        return Rejected(citation.source, "the abstract is not in English", "skipped")
    headed = [(Heading(part.label[:MAX_HEADING], "abstract"), part.text) for part in parts]
    text, sections = lay_out([(Heading("", "title"), citation.title), *headed])
    categories: list[NlmCategory] = [part.category for part in parts]
    if citation.title:
        categories.insert(0, "")
    return Abstract(
        id=citation.pmid,
        title=citation.title,
        text=text,
        source=citation.source,
        also_known_as=citation.also_known_as,
        sections=tuple(
            AbstractSection(s.title, s.start, s.end, s.kind, category)
            for s, category in zip(sections, categories, strict=True)
        ),
        version=citation.version,
        revised=citation.revised,
        year=citation.year,
        mesh=citation.mesh,
        languages=citation.languages,
        publication_types=citation.publication_types,
        other_abstracts=tuple(others),
    )
