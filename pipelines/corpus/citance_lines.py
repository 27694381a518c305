"""Citances or questions to be searched for, from a file: TSV, CSV or JSON Lines, one a line.

TSV and CSV have a first line with the names of their columns, of which `citance` (or `question`) is
needed, and `article` and `id` may be there; JSON Lines have the same as keys. Which of the three a
file is, its first line tells: it begins with a brace, or has a tab, or neither. Fields of TSV stand
as they are; those of CSV may be quoted, and a quoted one may go on over several lines.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import Literal

import orjson

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.file_reader import UNREADABLE
from citespan.pipelines.corpus.files import MAX_TEXT_BYTES, open_unpacked, source_of
from citespan.pipelines.corpus.readers.jsonl import read_lines
from citespan.pipelines.errors import InputError

Text = Literal["citance", "question"]
_MOST_LINES = 100  # of one record of CSV; more mean that a quotation mark is missing

Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class CitanceLine:
    """A citance or question to be searched for.

    Attributes:
        number: of its (first) line, from 1.
        id: as the file has it; else the number.
        article: the cited article, by any of its identifiers; "" for all articles, if the file has
            no such column or key.
    """

    number: int
    id: str
    article: str
    citance: str


def read_citance_lines(path: Path, text: Text = "citance") -> Iterator[CitanceLine | Rejected]:
    """Yield the citances of a file, plain or gzipped, or of standard input for "-", in order, and
    a `Rejected` for each record that can't be used.

    Args:
        text: the name of the column or key that has them.

    Raises:
        InputError: if the file can't be read, is empty, or lacks a column.
    """
    source = source_of(path)
    try:
        with open_unpacked(path) as content:
            yield from _read(content, source, text)
    except UNREADABLE as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise InputError(f"{source}: can't be read: {reason}") from error


def _read(content: BufferedIOBase, source: str, text: Text) -> Iterator[CitanceLine | Rejected]:
    lines = (one for one in read_lines(content) if one[1] != b"")
    first = next(lines, None)
    if first is None or first[1] is None:
        raise InputError(f"{source}: empty; give a line for each {text}")
    number, head = first[0], first[1].removeprefix(b"\xef\xbb\xbf")
    if head.lstrip().startswith(b"{"):
        yield _read_object(head, number, source, text)
        for number, line in lines:
            yield _read_object(line, number, source, text)
        return
    delimiter = "\t" if b"\t" in head else ","
    try:
        names = [name.strip().lower() for name in _split(head, delimiter)]
    except ValueError as error:
        raise InputError(f"{source}:{number}: {error}") from error
    if text not in names:
        raise InputError(
            f"{source}:{number}: no column {text}; the first line names the columns, {text} among "
            "them, separated by tabs or commas"
        )
    for number, record in _join_quoted(lines, delimiter):
        yield _read_record(record, number, source, names, delimiter, text)


def _join_quoted(
    lines: Iterator[tuple[int, bytes | None]], delimiter: str
) -> Iterator[tuple[int, bytes | None]]:
    """Yield records, in CSV those of several lines too. A line that opens a quotation which does
    not end soon is a record by itself, so that it costs no other."""
    waiting: list[tuple[int, bytes | None]] = []
    while one := waiting.pop(0) if waiting else next(lines, None):
        number, record = one
        taken: list[tuple[int, bytes | None]] = []
        while delimiter == "," and record is not None and record.count(b'"') % 2:
            following = waiting.pop(0) if waiting else next(lines, None)
            if following is not None:
                taken.append(following)
            if following is None or following[1] is None or len(taken) == _MOST_LINES:
                waiting, record = taken + waiting, one[1]
                break
            record = record + b"\n" + following[1]
        yield number, record


def _read_record(
    record: bytes | None,
    number: int,
    source: str,
    names: Sequence[str],
    delimiter: str,
    text: Text,
) -> CitanceLine | Rejected:
    if record is None:
        return _reject_long(number, source)
    try:
        # a line of the only column may have commas without being quoted
        whole = len(names) == 1 and not record.lstrip().startswith(b'"')
        fields = _split(record, "\t" if whole else delimiter)
    except ValueError as error:
        return Rejected(f"{source}:{number}", str(error))
    if len(fields) != len(names):
        reason = f"{len(fields)} fields, but {len(names)} columns"
        return Rejected(f"{source}:{number}", reason)
    return _make_line(dict(zip(names, fields, strict=True)), number, source, text)


def _split(record: bytes, delimiter: str) -> list[str]:
    """Return the fields of a record.

    Raises:
        ValueError: with the reason, if it is not UTF-8 or its quotation marks are not CSV's.
    """
    try:
        text = record.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise ValueError("not UTF-8; convert it") from error
    if delimiter == "\t":
        return text.split("\t")
    try:
        return next(csv.reader([" ".join(text.splitlines())], strict=True))
    except csv.Error as error:
        if "unexpected end" in str(error):
            raise ValueError("a quotation mark is missing") from error
        raise ValueError(f"not CSV: {error}") from error


def _read_object(
    line: bytes | None, number: int, source: str, text: Text
) -> CitanceLine | Rejected:
    if line is None:
        return _reject_long(number, source)
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return Rejected(f"{source}:{number}", f"not JSON: {error}")
    if not isinstance(found, dict):
        return Rejected(f"{source}:{number}", "not a JSON object")
    return _make_line(found, number, source, text)


def _make_line(fields: Fields, number: int, source: str, text: Text) -> CitanceLine | Rejected:
    values: dict[str, str] = {}
    for key in ("id", "article", text):
        value = fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if value is not None and not isinstance(value, str):
            return Rejected(f"{source}:{number}", f"{key} is not a text")
        values[key] = " ".join((value or "").split())
    needed = ("article", text) if fields.get("article") is not None else (text,)
    if missing := [key for key in needed if not values[key]]:
        return Rejected(f"{source}:{number}", f"no {' and no '.join(missing)}")
    return CitanceLine(number, values["id"] or str(number), values["article"], values[text])


def _reject_long(number: int, source: str) -> Rejected:
    return Rejected(f"{source}:{number}", f"line longer than {MAX_TEXT_BYTES >> 20} MB; split it")
