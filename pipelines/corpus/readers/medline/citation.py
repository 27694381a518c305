"""One citation of Medline XML as an abstract."""

import re
from collections.abc import Iterator

from lxml import etree

from citespan.pipelines.corpus.abstract import (
    YEAR,
    Abstract,
    AbstractPart,
    Deletion,
    MedlineCitation,
    is_pmid,
    lay_out_abstract,
    remove_brackets,
)
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.inline_text import extract_text
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.section_categories import category_of
from citespan.pipelines.corpus.xml import BadXmlError, refuse_used_entities

_YEAR_NUMBER = re.compile(r"[0-9]{4}")
_TWO_DIGITS = re.compile(r"[0-9]{1,2}")
_ENGLISH = "eng"


def parse_citation(record: etree._Element, source: str, number: int) -> Abstract | Rejected:
    """Return the abstract of a `<PubmedArticle>` or a `<MedlineCitation>`.

    Args:
        number: of the record in its file, for messages about one that has no PMID.
    """
    citation = record if record.tag == "MedlineCitation" else record.find("MedlineCitation")
    if citation is None:
        kind = "a book chapter" if record.tag == "PubmedBookArticle" else "no MedlineCitation"
        return Rejected(f"{source}: record {number}", f"{kind}, not a Medline citation", "skipped")
    pmid = _text(citation, "PMID")
    if not is_pmid(pmid):
        return Rejected(f"{source}: record {number}", f"PMID '{pmid[:40]}' is not a number")
    source = f"{source}: PMID {pmid}"
    try:
        refuse_used_entities(record)
    except BadXmlError as error:
        return Rejected(source, str(error))
    article = citation.find("Article")
    others = list(_others(citation))
    parts = _parts(article.find("Abstract")) if article is not None else []
    if not any(part.text for part in parts):
        # Where NLM has no abstract of its own, one by the publisher or an agency may be in
        # English; a summary in plain language is no abstract.
        english = next((o for o in others if _is_english_abstract(o)), None)
        if english is not None:
            parts = _parts(english)
            others.remove(english)
    return lay_out_abstract(
        MedlineCitation(
            pmid=pmid,
            title=_title(article),
            source=source,
            also_known_as=_identifiers(record, citation, pmid),
            version=_number(citation.find("PMID"), "Version") or 1,
            revised=_day(citation.find("DateRevised")),
            year=_year(article),
            mesh=_texts(citation, "MeshHeadingList/MeshHeading/DescriptorName"),
            languages=_texts(article, "Language"),
            publication_types=_texts(article, "PublicationTypeList/PublicationType"),
        ),
        parts,
        [(o.get("Language", "und"), " ".join(p.text for p in _parts(o))) for o in others],
    )


def parse_deletions(deleted: etree._Element, source: str) -> Iterator[Deletion | Rejected]:
    """Yield all PMIDs of a `<DeleteCitation>`."""
    for number, element in enumerate(deleted.iterfind("PMID"), 1):
        pmid = collapse_space(element.text or "")
        if is_pmid(pmid):
            yield Deletion(pmid, f"{source}: PMID {pmid}", _number(element, "Version") or 1)
        else:
            place = f"{source}: DeleteCitation, {number}"
            yield Rejected(place, f"PMID '{pmid[:40]}' is not a number")


def _title(article: etree._Element | None) -> str:
    """Return the vernacular one where Medline has no other."""
    if article is None:
        return ""
    title = remove_brackets(_inline(article.find("ArticleTitle")))
    return title or _inline(article.find("VernacularTitle"))


def _parts(abstract: etree._Element | None) -> list[AbstractPart]:
    if abstract is None:
        return []
    return [
        AbstractPart(
            collapse_space(part.get("Label", "")),
            _inline(part),
            category_of(part.get("NlmCategory")),
        )
        for part in abstract.iterfind("AbstractText")
    ]


def _others(citation: etree._Element) -> Iterator[etree._Element]:
    for other in citation.iterfind("OtherAbstract"):
        if any(part.text for part in _parts(other)):
            yield other


def _is_english_abstract(other: etree._Element) -> bool:
    return other.get("Language", _ENGLISH) == _ENGLISH and not other.get("Type", "").startswith(
        "plain-language"
    )


def _year(article: etree._Element | None) -> int | None:
    """Of the journal's issue, also from a MedlineDate ("1998 Dec-1999 Jan": the first); else of
    the electronic publication."""
    if article is None:
        return None
    for place in ("Journal/JournalIssue/PubDate", "ArticleDate"):
        date = article.find(place)
        for name in ("Year", "MedlineDate") if date is not None else ():
            named = YEAR.search(_text(date, name))
            if named:
                return int(named[1])
    return None


def _day(date: etree._Element | None) -> str:
    if date is None:
        return ""
    year, month, day = (_text(date, name) for name in ("Year", "Month", "Day"))
    if not _YEAR_NUMBER.fullmatch(year):
        return ""
    parts = (part if _TWO_DIGITS.fullmatch(part) else "01" for part in (month, day))
    return "-".join((year, *(f"{part:0>2}" for part in parts)))


def _identifiers(record: etree._Element, citation: etree._Element, pmid: str) -> tuple[str, ...]:
    """PMC id and DOI, from wherever a record has them."""
    found = [
        *_of_kind(record, "PubmedData/ArticleIdList/ArticleId", "IdType", ("pmc", "doi")),
        *_of_kind(citation, "Article/ELocationID", "EIdType", ("doi",)),
        *(t for t in _texts(citation, "OtherID") if t.startswith("PMC")),
    ]
    return tuple(dict.fromkeys(name for name in found if name != pmid))


def _of_kind(
    element: etree._Element, path: str, attribute: str, kinds: tuple[str, ...]
) -> Iterator[str]:
    for found in element.iterfind(path):
        name = collapse_space(found.text or "")
        if name and found.get(attribute) in kinds:
            yield name


def _inline(element: etree._Element | None) -> str:
    if element is None:
        return ""
    return extract_text(element) if len(element) else collapse_space(element.text or "")


def _text(element: etree._Element | None, path: str) -> str:
    return collapse_space(element.findtext(path) or "") if element is not None else ""


def _texts(element: etree._Element | None, path: str) -> tuple[str, ...]:
    if element is None:
        return ()
    texts = (collapse_space(found.text or "") for found in element.iterfind(path))
    return tuple(dict.fromkeys(text for text in texts if text))


def _number(element: etree._Element | None, attribute: str) -> int | None:
    written = element.get(attribute, "") if element is not None else ""
    return int(written) if re.fullmatch(r"[0-9]{1,6}", written) else None
