"""PubMedQA's JSON: questions made of the titles of abstracts, with the abstract's sections.

One object, PMID to record, of which `QUESTION` is read as the title, `CONTEXTS` and `LABELS` as
sections, and `LONG_ANSWER` as the last section: PubMedQA has taken it out of the end of the
abstract and does not keep its label, which becomes CONCLUSIONS. `YEAR` and `MESHES` are read
where they are there, other keys are not.

Q. Jin et al., "PubMedQA: A Dataset for Biomedical Research Question Answering", EMNLP 2019.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast

import orjson

from citespan.pipelines.corpus.abstract import (
    Abstract,
    AbstractPart,
    AbstractReading,
    lay_out_abstract,
)
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.file_reader import AbstractFileReader, count_records
from citespan.pipelines.corpus.files import MAX_BYTES, read_bytes, read_head
from citespan.pipelines.corpus.identifiers import is_pmid
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.reader import Record, readers
from citespan.pipelines.corpus.readers.jsonl import get_string, get_strings
from citespan.pipelines.errors import InputError

_LAST = "CONCLUSIONS"
_FIRST_KEYS = re.compile(rb'\s*\{\s*"[^"]{1,40}"\s*:\s*\{\s*"[A-Za-z_]+"\s*:')
_RECORD = re.compile(rb'"QUESTION"\s*:')


@readers.register
class PubmedqaReader(AbstractFileReader):
    """Reads a JSON file as a whole; a bad record is rejected, and the rest is read."""

    name = "pubmedqa"
    description = "PubMedQA's JSON, sections with labels; goes to the index of abstracts"

    def looks_like(self, file: Path) -> bool:
        start = read_head(file).removeprefix(b"\xef\xbb\xbf")
        return bool(_FIRST_KEYS.match(start) and _RECORD.search(start))

    def count(self, unit: Path) -> int:
        return count_records(unit, lambda file: len(_RECORD.findall(file.read(MAX_BYTES))))

    def find_abstracts(self, file: Path, source: str) -> Iterator[Record[AbstractReading]]:
        if file.suffix.lower() != ".json" and not self.looks_like(file):
            yield Record.of(source, Rejected(source, "not PubMedQA's JSON", "skipped"))
            return
        try:
            records = _records(file)
        except InputError as error:
            yield Record.of(source, Rejected(source, str(error)))
            return
        for pmid, record in records.items():
            place = f"{source}: PMID {pmid[:40]}"
            yield Record(place, partial(_read, pmid, record, place), listed=True)


def _records(unit: Path) -> dict[str, Any]:
    data = read_bytes(unit).removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise InputError("empty file")
    try:
        records = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise InputError(f"truncated or not JSON: {error.msg} at line {error.lineno}") from error
    if not isinstance(records, dict) or not records:
        raise InputError("not an object of PMIDs and their records")
    return cast(dict[str, Any], records)


def _read(pmid: str, record: Any, source: str) -> AbstractReading:
    if not is_pmid(pmid):
        return Rejected(source, "the PMID is not a number")
    if not isinstance(record, dict):
        return Rejected(source, "not a JSON object")
    try:
        return _read_record(pmid, record, source)
    except InputError as error:
        return Rejected(source, str(error))


def _read_record(pmid: str, record: dict[str, Any], source: str) -> AbstractReading:
    texts, labels = get_strings(record, "CONTEXTS"), get_strings(record, "LABELS")
    if len(texts) != len(labels):
        raise InputError(f'{len(texts)} "CONTEXTS" and {len(labels)} "LABELS"')
    parts = [
        AbstractPart(collapse_space(label), collapse_space(text))
        for label, text in zip(labels, texts, strict=True)
    ]
    parts.append(AbstractPart(_LAST, collapse_space(get_string(record, "LONG_ANSWER"))))
    year = record.get("YEAR")
    return lay_out_abstract(
        Abstract(
            id=pmid,
            text="",
            title=collapse_space(get_string(record, "QUESTION")),
            source=source,
            year=int(year) if isinstance(year, str) and re.fullmatch(r"\d{4}", year) else None,
            mesh=tuple(dict.fromkeys(get_strings(record, "MESHES"))),
        ),
        parts,
    )
