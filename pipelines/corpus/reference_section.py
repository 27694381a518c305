"""Where the reference list of a text begins and ends, and where each of its entries does."""

import re

from citespan.pipelines.corpus.reference_text import LABEL, NAMED_LABEL, read_entries
from citespan.pipelines.corpus.references import ReferenceList

_NAMES_OF_LISTS = (
    r"(?:(?:(?:list\sof|notes\sand|cited|selected)\s)?references?(?:\s(?:cited|and\snotes|list))?"
    r"|(?:selected\s)?bibliograph(?:y|ie)|bibliograf[ií]a|(?:literature|works)\scited|sources"
    r"|cited\sliterature|literatur(?:verzeichnis|a)?|références(?:\sbibliographiques)?"
    r"|refer[eê]ncias(?:\sbibliográficas)?)"
)
_HEADING_ALONE = re.compile(rf"(?:\d{{1,2}}\.?\s+)?{_NAMES_OF_LISTS}\s?[:.]?", re.IGNORECASE)
_HEADING = re.compile(
    rf"^[^\S\n]*(?:#+\s*|\*\*)?(?:\d{{1,2}}\.?\s+)?{_NAMES_OF_LISTS}\s?[:.]?(?:\*\*)?[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_FOLLOWING = (
    r"(?:abbreviations|acknowledge?ments?|appendi(?:x|ces)|authors?['’]?\scontributions?"
    r"|competing\sinterests?|conflicts?\sof\sinterests?|data\savailability|declarations?"
    r"|figures?(?:\s(?:captions?|legends?))?|funding|legends?|supplement(?:s|al|ary)?|tables?)\b"
)
_NEXT_HEADING = re.compile(
    rf"\n[^\S\n]*\n[^\S\n]*(?=(?:#+\s*)?{_FOLLOWING}[^\n]{{0,80}}\n)", re.IGNORECASE
)
_NEXT_ALONE = re.compile(
    rf"{_FOLLOWING}(?:\s(?:data|files?|information|materials?|statement))?[:.]?\Z"
    r"|(?:supplementary\s)?(?:fig(?:ure|\.)|table)\s?S?\d",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"^[^\S\n]*(?:{LABEL}|{NAMED_LABEL}|\(?\d{{1,4}}[.)])(?=\s)|^[^\S\n]*\d{{1,4}}(?=\s+[A-Z])",
    re.MULTILINE,
)
_ENTRY_START = re.compile(r"^(?=\S)", re.MULTILINE)
_LONGEST_ENTRY = 4000


def is_reference_heading(title: str) -> bool:
    """Whether a section of that title is a reference list."""
    return _HEADING_ALONE.fullmatch(title.rpartition(" / ")[2].strip()) is not None


def follows_references(text: str) -> bool:
    """Whether a paragraph below a reference list is none of its entries, as what stands at the end
    of manuscripts: "Figure legends", "Table 1. ..."."""
    return _NEXT_ALONE.match(text) is not None


def find_reference_section(text: str) -> tuple[int, int, int] | None:
    """Find the last reference list of a text: where its heading starts, where its entries do, and
    where it ends; None if there is no heading of one on a line of its own."""
    headings = list(_HEADING.finditer(text))
    if not headings:
        return None
    last = headings[-1]
    following = _NEXT_HEADING.search(text, last.end())
    return last.start(), last.end(), following.start() if following else len(text)


def split_entries(text: str) -> list[str]:
    """Return the entries of a reference list: at its numbers if it has two or more, else at blank
    lines, else a line each."""
    marks = [mark.start() for mark in _NUMBERED.finditer(text)]
    if len(marks) > 1 or (marks and not text[: marks[0]].strip()):
        parts = [text[a:b] for a, b in zip(marks, [*marks[1:], len(text)], strict=True)]
    else:
        parts = re.split(r"\n[^\S\n]*\n", text)
        if len(parts) == 1 or max(map(len, parts)) > _LONGEST_ENTRY:
            parts = _ENTRY_START.split(text)
    return [" ".join(part.split()) for part in parts if part.strip()]


def read_reference_section(text: str) -> ReferenceList:
    """Return the references of the last reference list in a text; none if it has no such list."""
    found = find_reference_section(text)
    return read_entries(split_entries(text[found[1] : found[2]])) if found else ReferenceList()
