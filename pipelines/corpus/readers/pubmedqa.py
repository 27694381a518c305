"""PubMedQA's JSON: questions made of the titles of abstracts, with the abstract's sections.

One object, PMID to record, of which `QUESTION` is read as the title, `CONTEXTS` and `LABELS` as
sections, and `LONG_ANSWER` as the last section: PubMedQA has taken it out of the end of the
abstract and does not keep its label, which becomes CONCLUSIONS. `YEAR` and `MESHES` are read
where they are there, other keys are not.

Q. Jin et al., "PubMedQA: A Dataset for Biomedical Research Question Answering", EMNLP 2019.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import orjson

from citespan.pipelines.corpus.abstract import AbstractReading, is_pmid
from citespan.pipelines.corpus.abstract_layout import AbstractPart, Citation, laid_out
from citespan.pipelines.corpus.abstract_reader import without_deletions
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import (
    STANDARD_INPUT,
    first_files,
    head,
    read_bytes,
    source_of,
    units,
    unlisted,
)
from citespan.pipelines.corpus.paragraphs import collapsed
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.errors import InputError

_LAST = "CONCLUSIONS"
_FIRST_KEYS = re.compile(rb'\s*\{\s*"[^"]{1,40}"\s*:\s*\{\s*"[A-Za-z_]+"\s*:')
_RECORD = re.compile(rb'"QUESTION"\s*:')


@readers.register
class PubmedqaReader:
    """Reads a JSON file as a whole; a bad record is told and the rest goes on."""

    name = "pubmedqa"
    description = "PubMedQA's JSON, sections with labels; goes to the index of abstracts"

    def recognises(self, path: Path) -> bool:
        return any(_looks_like_pubmedqa(file) for file in first_files(path))

    def find(self, path: Path) -> Iterator[Path]:
        return units(path, lambda _: False)

    def count(self, unit: Path) -> int:
        if unit == STANDARD_INPUT:
            return 0
        try:
            return max(1, len(_RECORD.findall(read_bytes(unit))))
        except InputError:
            return 1

    def read(self, unit: Path) -> Iterator[Article | Rejected]:
        return without_deletions(self.abstracts(unit))

    def abstracts(self, unit: Path) -> Iterator[AbstractReading]:
        source = source_of(unit)
        if unit.is_dir():
            yield unlisted(unit)
            return
        if unit.suffix.lower() != ".json" and not _looks_like_pubmedqa(unit):
            yield Rejected(source, "not PubMedQA's JSON", "skipped")
            return
        try:
            records = _records(unit)
        except InputError as error:
            yield Rejected(source, str(error))
            return
        for pmid, record in records.items():
            place = f"{source}: PMID {pmid[:40]}"
            try:
                yield _reading(pmid, record, place)
            except InputError as error:
                yield Rejected(place, str(error))


def _looks_like_pubmedqa(file: Path) -> bool:
    start = head(file).removeprefix(b"\xef\xbb\xbf")
    return bool(_FIRST_KEYS.match(start) and _RECORD.search(start))


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


def _reading(pmid: str, record: Any, source: str) -> AbstractReading:
    if not is_pmid(pmid):
        raise InputError("the PMID is not a number")
    if not isinstance(record, dict):
        raise InputError("not a JSON object")
    texts, labels = _strings(record, "CONTEXTS"), _strings(record, "LABELS")
    if len(texts) != len(labels):
        raise InputError(f'{len(texts)} "CONTEXTS" and {len(labels)} "LABELS"')
    parts = [
        AbstractPart(collapsed(label), collapsed(text))
        for label, text in zip(labels, texts, strict=True)
    ]
    parts.append(AbstractPart(_LAST, _string(record, "LONG_ANSWER")))
    year = record.get("YEAR")
    return laid_out(
        Citation(
            pmid=pmid,
            title=_string(record, "QUESTION"),
            source=source,
            year=int(year) if isinstance(year, str) and re.fullmatch(r"\d{4}", year) else None,
            mesh=tuple(dict.fromkeys(_strings(record, "MESHES"))),
        ),
        parts,
    )


def _string(record: dict[str, Any], key: str) -> str:
    value = record.get(key, "")
    if not isinstance(value, str):
        raise InputError(f'"{key}" is not a string')
    return collapsed(value)


def _strings(record: dict[str, Any], key: str) -> list[str]:
    values = record.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise InputError(f'"{key}" is not a list of strings')
    return values
