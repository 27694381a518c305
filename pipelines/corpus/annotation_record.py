"""The annotation records that TAC 2014 and CL-SciSumm share.

A record is a line (in some files wrapped) of `Field: value |` pairs.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citespan.pipelines.corpus.article import Rejected

_FIELDS = (
    *("Topic ID", "Citance Number", "Citation Number", "Reference Article", "Citing Article"),
    *("Citation Marker Offset", "Citation Marker", "Citation Offset", "Citation Text"),
    *("Reference Offset", "Reference Text", "Discourse Facet", "Annotator"),
)
_SAME = {"citation number": "citance number"}
_REQUIRED = ("citance number", "citing article", "citation text", "reference offset")
_FIELD = re.compile(rf"(?:^|\|)[ \t]*({'|'.join(_FIELDS)})[ \t]*:", re.IGNORECASE | re.MULTILINE)
_STARTS = (
    re.compile(r"^[ \t]*Topic ID[ \t]*:", re.IGNORECASE | re.MULTILINE),
    re.compile(r"^[ \t]*Cit(?:ance|ation) Number[ \t]*:", re.IGNORECASE | re.MULTILINE),
)
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_FILE_ENDING = re.compile(r"\.(?:txt|xml)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnnotationRecord:
    """One record. `fields` has lower-case names as keys, such as "reference offset"."""

    source: str
    fields: dict[str, str]

    def __getitem__(self, name: str) -> str:
        return self.fields.get(name, "")

    def article(self, name: str) -> str:
        """The article that a field names, without a file ending."""
        return _FILE_ENDING.sub("", self[name])


def annotation_records(text: str, source: str) -> Iterator[AnnotationRecord | Rejected]:
    """The records of one annotation file, each told by file and number from 1.

    Args:
        text: the decoded file.
        source: the file's name for messages.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    for number, written in enumerate(_split(text), 1):
        place = f"{source}, record {number}"
        fields: dict[str, str] = {}
        marks = list(_FIELD.finditer(written))
        ends = [*(mark.start() for mark in marks[1:]), len(written)]
        for mark, end in zip(marks, ends, strict=False):
            name = mark[1].lower()
            value = " ".join(written[mark.end() : end].split()).rstrip("| ")
            fields.setdefault(_SAME.get(name, name), value)
        missing = [name for name in _REQUIRED if not fields.get(name)]
        if missing:
            yield Rejected(place, f"no {' and no '.join(missing)}")
        else:
            yield AnnotationRecord(place, fields)


def _split(text: str) -> Iterator[str]:
    """Blank lines part records unless the one before is still open (no "|" at its end); so does
    the name of a first field at the start of a line."""
    start = next((s for s in _STARTS if s.search(text)), None)
    blocks: list[str] = []
    for block in _BLANK_LINES.split(text.strip()):
        opens = start is not None and start.match(block)
        if blocks and not opens and not blocks[-1].rstrip().endswith("|"):
            blocks[-1] += "\n" + block
        else:
            blocks.append(block)
    for block in blocks:
        places = [m.start() for m in start.finditer(block)] if start else []
        for begin, end in zip([0, *places], [*places, len(block)], strict=True):
            if block[begin:end].strip():
                yield block[begin:end]
