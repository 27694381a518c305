"""Identifiers in the text of references that cannot be: of a wrong form, whatever they name."""

import re
from collections.abc import Iterator

from citespan.pipelines.corpus.identifiers import find_doi, find_pmcid

# What follows the name of an identifier, up to the next white space.
_PMID = re.compile(r"(?<![/\w&?])PMID\b\s?[:#]?\s?([^\s,;()\[\]/?=]{1,40})", re.IGNORECASE)
_PMCID = re.compile(
    r"(?<![/\w&?])(?:PMCID\b\s?[:#]?\s?([^\s,;()\[\]/?=]{1,40})|(PMC\d[^\s,;()\[\]/?=]{0,40}))",
    re.IGNORECASE,
)
_DOI = re.compile(
    r"(?<![/.])\bdoi\s?[:=]\s{0,2}([^\s<>\"]{1,300})(?=(\s{0,3}\S{1,5})?)"
    r"|\bdoi\.org/([^\s<>\"]{1,300})(?=(\s{0,3}\S{1,5})?)",
    re.IGNORECASE,
)
_ARXIV = re.compile(r"\barxiv\s?:\s?([^\s,;()\[\]]{1,60})", re.IGNORECASE)
_RIGHT_PMID = re.compile(r"0{0,8}[1-9]\d{0,7}(?:\.\d)?")
_RIGHT_PMCID = re.compile(r"PMC[1-9]\d{0,7}")
_RIGHT_DOI = re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,4}/\S+")
_RIGHT_ARXIV = re.compile(
    r"\d\d(?:0[1-9]|1[0-2])\.\d{4,5}(?:v\d{1,3})?"
    r"|[a-z-]{2,20}(?:\.[a-z]{2})?/\d\d(?:0[1-9]|1[0-2])\d{3}(?:v\d{1,3})?",
    re.IGNORECASE,
)
_OF_PUBLISHER = "[pii]"  # the publisher's number, which some lists call a DOI
_DIGIT = re.compile(r"\d")
_END = ".,;:)]}'’”\""
_LONGEST = 4_000


def find_malformed(text: str) -> tuple[str, ...]:
    """Return the identifiers of an entry that are of a wrong form, each once, as in "PMID 12x".

    One that white space may have broken is left out, and so is a word without a digit: "PMID not
    known". The time is linear in the length of the text.
    """
    return tuple(dict.fromkeys(_find(text[:_LONGEST])))


def _find(text: str) -> Iterator[str]:
    for found in _PMID.finditer(text):
        written = found[1].rstrip(_END)
        if _DIGIT.search(written) and not _RIGHT_PMID.fullmatch(written):
            yield f"PMID {written}"
    for found in _PMCID.finditer(text):
        written = (found[1] or found[2]).rstrip(_END)
        if _DIGIT.search(written) and not _RIGHT_PMCID.fullmatch(find_pmcid(written)):
            yield f"PMCID {written}"
    for found in _DOI.finditer(text):
        written = (found[1] or found[3]).rstrip(_END)
        following = (found[2] or found[4] or "").strip()
        is_broken = written.endswith(("/", "-", "_")) or following.startswith(tuple("/.-_("))
        if following == _OF_PUBLISHER:
            continue
        if _DIGIT.search(written) and not is_broken and not _RIGHT_DOI.fullmatch(find_doi(written)):
            yield f"DOI {written}"
    for found in _ARXIV.finditer(text):
        written = found[1].rstrip(_END)
        if _DIGIT.search(written) and not _RIGHT_ARXIV.fullmatch(written):
            yield f"arXiv {written}"
