"""Identifiers of articles as people write them: "PMID: 1234", "pmc12.nxml.gz", a DOI's URL; and the
pages that they lead to.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, cast
from urllib.parse import quote, unquote

from citespan.pipelines.corpus.publication import Identifiers, Publication

_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_PMID = re.compile(
    r"(?:PMID|PubMed(?:\s?ID)?)[\s:#]*(\d{1,12})"
    r"|(?:https?://)?(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed"
    r"|europepmc\.org/(?:article|abstract)/med)/(\d{1,12})/?",
    re.IGNORECASE,
)
_PMC = re.compile(
    r"(?:PMCID[\s:#]*)?PMC[\s:#]*(\d{1,12})(?:\.\d{1,3})?"
    r"|(?:https?://)?(?:www\.)?(?:pmc\.ncbi\.nlm\.nih\.gov/articles|ncbi\.nlm\.nih\.gov/pmc/articles"
    r"|europepmc\.org/articles?(?:/PMC)?)/PMC(\d{1,12})(?:\.\d{1,3})?(?:/.{0,200})?",
    re.IGNORECASE,
)
_DOI = re.compile(
    r"(?:doi[\s:]*)?(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/)?(10\.\d{2,9}/\S{1,500})",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"(?:\.(?:nxml|xml|txt|text|json|jsonl|ndjson|nbib|pdf|html?))?(?:\.gz)?\Z", re.IGNORECASE
)
_DIGITS = re.compile(r"(\d{1,12})")


def find_spellings(written: str) -> tuple[str, ...]:
    """Return the identifiers that a person may have meant, the likeliest first.

    The first is what was written, without white space at its ends, so that an identifier that is
    known as it stands always wins. The others are, as far as they apply: the PMID or PMC id or
    DOI that a prefix or the address of a page tells ("PMID:1234", "pmc12", "doi:10.1/x",
    "https://doi.org/10.1/x"); the name of a file without folders and endings ("a/PMC12.nxml.gz");
    each of these in capitals and in lower case, since identifiers differ in that. Whoever looks
    one up takes the first that is known.

    Args:
        written: anything; nothing is raised.

    Returns:
        Distinct strings, none blank or with white space at its ends; none for a blank `written`.
    """
    plain = [form.strip() for form in _find_forms(written.strip())]
    cased = [variant for form in plain for variant in (form.upper(), form.lower())]
    return tuple(dict.fromkeys(form for form in (*plain, *cased) if form and form == form.strip()))


def _find_forms(written: str) -> Iterator[str]:
    yield written
    address = (
        unquote(written.partition("?")[0].partition("#")[0]) if _SCHEME.match(written) else written
    )
    for known in (address, _ENDING.sub("", address)):
        if pmid := _PMID.fullmatch(known):
            yield pmid[1] or pmid[2]
        if pmc := _PMC.fullmatch(known):
            yield f"PMC{pmc[1] or pmc[2]}"
        if doi := _DOI.fullmatch(known):
            yield doi[1]
            yield doi[1].rstrip("./")
    name = re.split(r"[/\\]", address.rstrip("/\\"))[-1]
    stem = _ENDING.sub("", name)
    yield name
    yield stem
    if pmc := _PMC.fullmatch(stem):
        yield f"PMC{pmc[1] or pmc[2]}"


_WHOLE_PMID = re.compile(r"[0-9]{1,12}")


def is_pmid(text: str) -> bool:
    """Whether the text can be a PMID, which is a number in ASCII digits."""
    return bool(_WHOLE_PMID.fullmatch(text))


def find_pmid(written: str) -> str:
    """Return the PMID, as digits, if the text is nothing but a PMID, else ""."""
    found = _PMID.fullmatch(written.strip()) or _DIGITS.fullmatch(written.strip())
    return next(filter(None, found.groups()), "").lstrip("0") if found else ""


def find_pmcid(written: str) -> str:
    """Return the PMC id, as "PMC12", if the text is nothing but a PMC id, else ""."""
    found = _PMC.fullmatch(written.strip()) or _DIGITS.fullmatch(written.strip())
    return f"PMC{next(filter(None, found.groups()))}" if found else ""


def find_doi(written: str) -> str:
    """Return the DOI, in lower case, if the text is nothing but a DOI, else ""."""
    found = _DOI.fullmatch(unquote("".join(written.split())))
    return found[1].rstrip("./,;").lower() if found else ""


FINDERS: Final[Mapping[str, Callable[[str], str]]] = {
    "pmid": find_pmid,
    "pmcid": find_pmcid,
    "doi": find_doi,
}
"""By the kinds of identifiers, as a `Publication` names them."""


def read_identifiers(written: Mapping[str, str]) -> Identifiers:
    """Return the identifier of each kind that a text is; "" for a text that is none."""
    found = {kind: find(written.get(kind, "")) for kind, find in FINDERS.items()}
    return cast(Identifiers, found)


def identify(written: str) -> Publication:
    """Return a publication with the identifier that a text is; an empty one if it is none."""
    kind = next((kind for kind, find in FINDERS.items() if find(written)), "doi")
    return Publication(**read_identifiers({kind: written}))


_WHOLE_PMCID = re.compile(r"PMC[0-9]{1,12}")
_WHOLE_DOI = re.compile(r"10\.[0-9]{2,9}/[^\s\"\\^`{|}]{1,500}")


def find_addresses(publication: Publication) -> list[tuple[str, str]]:
    """Return what each page of a publication is called, such as "PubMed 12", and its address.

    There is none for an identifier that is not written as it has to be.
    """
    pmid, pmcid = find_pmid(publication.pmid), find_pmcid(publication.pmcid)
    doi = find_doi(publication.doi)
    found = []
    if _WHOLE_PMID.fullmatch(pmid):
        found.append((f"PubMed {pmid}", f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/"))
    if _WHOLE_PMCID.fullmatch(pmcid):
        found.append((pmcid, f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/"))
    if _WHOLE_DOI.fullmatch(doi) and doi.isprintable():
        found.append((f"doi:{doi}", f"https://doi.org/{quote(doi, safe='/:;()')}"))
    return found
