"""RIS, as EndNote, Mendeley, Zotero and publishers export it: a field a line, "TY  - JOUR".

A record that does not end, or has blank lines in it, is kept; public parsers of this format drop it
or fail.
"""

import re
from collections.abc import Iterator

from citespan.pipelines.corpus.bibliographies.fields import find_text, is_file, make_reference
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.publication import find_year
from citespan.pipelines.corpus.references import Reference

_FIELD = re.compile(r"([A-Z][A-Z0-9])  ?-(?: (.*))?")
_FIRST, _LAST = "TY", "ER"
_TITLES = ("TI", "T1", "CT", "BT")
_JOURNALS = ("JO", "JF", "T2", "JA", "J2", "BT", "PB")
_ATTACHED = ("L1", "L2", "L4", "UR", "LK")
_SHOWN = 40


def parse_ris(text: str, source: str) -> Iterator[Reference | str]:
    """Yield the references of a RIS file, and a line for each record that is broken.

    Args:
        source: the file's name for messages.
    """
    fields: dict[str, list[list[str]]] | None = None
    last: list[str] = []
    begun = between = 0
    for number, line in enumerate([*text.split("\n"), f"{_LAST}  -"], 1):
        field = _FIELD.fullmatch(line.rstrip())
        tag, value = (field[1], (field[2] or "").strip()) if field else ("", line.strip())
        if tag in (_FIRST, _LAST):
            if fields is not None:
                yield _finish(fields, f"{source}:{begun}: the record")
            fields = None
            if tag == _FIRST:
                fields, begun, last = {}, number, []
        elif fields is None:
            if value and begun > between:  # lines before the first record name where it is from
                yield f"{source}:{number}: {value[:_SHOWN]!r} is in no record; left out"
                between = begun
        elif tag:
            last = [value]
            fields.setdefault(tag, []).append(last)
        elif value:
            last.append(value)
    if not begun:
        yield f"{source}: no record in it; a record of RIS begins with TY  -"


def _finish(fields: dict[str, list[list[str]]], place: str) -> Reference | str:
    found = {
        tag: [value for lines in some if (value := collapse_space(" ".join(lines)))]
        for tag, some in fields.items()
    }
    read = {tag: values[0] for tag, values in found.items() if values}
    databases = f"{find_text(read, 'DB')} {find_text(read, 'DP')}".lower()
    accession, custom = find_text(read, "AN"), find_text(read, "C2")
    in_pubmed = any(name in databases for name in ("pubmed", "nlm", "medline"))
    links = [value for tag in _ATTACHED for value in found.get(tag, ())]
    return make_reference(
        place,
        {
            "pmid": accession if in_pubmed or accession.upper().startswith("PMID") else "",
            "pmcid": custom if custom.upper().startswith("PMC") else "",
            "doi": find_text(read, "DO"),
        },
        key=find_text(read, "ID", "LB"),
        authors=found.get("AU") or found.get("A1") or found.get("A2") or [],
        title=find_text(read, *_TITLES),
        year=find_year(find_text(read, "PY", "Y1", "DA")),
        journal=find_text(read, *_JOURNALS),
        pages=links,
        files=filter(is_file, links),
        notes=[value for tag in ("N1", "C1", "M1", "M2") for value in found.get(tag, ())],
    )
