"""RIS, as EndNote, Mendeley, Zotero and publishers export it: a field a line, "TY  - JOUR".

A record that does not end, or has blank lines in it, is kept; public parsers of this format drop it
or fail.
"""

import re
from collections.abc import Iterator

from citespan.pipelines.corpus.bibliographies.fields import (
    Fields,
    find_year,
    is_file,
    make_reference,
)
from citespan.pipelines.corpus.identifiers import find_doi, find_pmcid, find_pmid
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.references import Reference, ReferenceList, name_uniquely

_FIELD = re.compile(r"([A-Z][A-Z0-9])  ?-(?: (.*))?")
_FIRST, _LAST = "TY", "ER"
_TITLES = ("TI", "T1", "CT", "BT")
_JOURNALS = ("JO", "JF", "T2", "JA", "J2", "BT", "PB")
_ATTACHED = ("L1", "L2", "L4", "UR", "LK")
_SHOWN = 40


def parse_ris(text: str, source: str) -> ReferenceList:
    """Return the references of a RIS file, and a line for each record that is broken.

    Args:
        source: the file's name for messages.
    """
    problems: list[str] = []
    references = tuple(name_uniquely(_parse(text, source, problems)))
    return ReferenceList(references, tuple(problems))


def _parse(  # noqa: C901  one case for each kind of line
    text: str, source: str, problems: list[str]
) -> Iterator[Reference]:
    fields: dict[str, list[list[str]]] | None = None
    last: list[str] = []
    begun = between = 0
    for number, line in enumerate(text.split("\n"), 1):
        field = _FIELD.fullmatch(line.rstrip())
        tag, value = (field[1], (field[2] or "").strip()) if field else ("", line.strip())
        if tag == _FIRST:
            if fields is not None:
                yield from _finish(fields, f"{source}:{begun}", problems)
            fields, begun, last = {}, number, []
        elif fields is None:
            if value and begun > between:  # lines before the first record name where it is from
                problems.append(f"{source}:{number}: {value[:_SHOWN]!r} is in no record; left out")
                between = begun
        elif tag == _LAST:
            yield from _finish(fields, f"{source}:{begun}", problems)
            fields = None
        elif tag:
            last = [value]
            fields.setdefault(tag, []).append(last)
        elif value:
            last.append(value)
    if fields is not None:
        yield from _finish(fields, f"{source}:{begun}", problems)
    if not begun:
        problems.append(f"{source}: no record in it; a record of RIS begins with TY  -")


def _finish(
    fields: dict[str, list[list[str]]], place: str, problems: list[str]
) -> Iterator[Reference]:
    found = {
        tag: [value for value in (collapse_space(" ".join(lines)) for lines in some) if value]
        for tag, some in fields.items()
    }
    read = Fields({tag: values[0] for tag, values in found.items() if values})
    links = [value for tag in _ATTACHED for value in found.get(tag, ())]
    reference = make_reference(
        key=read.first("ID", "LB"),
        authors=found.get("AU") or found.get("A1") or found.get("A2") or [],
        title=read.first(*_TITLES),
        year=find_year(read.first("PY", "Y1", "DA")),
        journal=read.first(*_JOURNALS),
        pmid=find_pmid(_pmid(read)),
        pmcid=find_pmcid(read.first("C2")) if read.first("C2").upper().startswith("PMC") else "",
        written={"doi": read.first("DO")},
        doi=find_doi(read.first("DO")) or next(filter(None, map(find_doi, links)), ""),
        files=[link for link in links if is_file(link)],
        notes=[value for tag in ("N1", "C1", "M1", "M2") for value in found.get(tag, ())],
    )
    if reference is None:
        problems.append(
            f"{place}: the record has neither a title nor an identifier; it is left out"
        )
    else:
        yield reference


def _pmid(read: Fields) -> str:
    """The accession number, which is a PMID where PubMed is said to be its database."""
    databases = f"{read.first('DB')} {read.first('DP')}".lower()
    number = read.first("AN")
    in_pubmed = any(name in databases for name in ("pubmed", "nlm", "medline"))
    return number if in_pubmed or number.upper().startswith("PMID") else ""
