"""Citances or questions to be searched for, from a file: TSV, CSV or JSON Lines, one a line.

TSV and CSV have a first line with the names of their columns, of which `citance` (or `question`) is
needed, and `article` and `id` may be there; JSON Lines have the same as keys. Which of the three a
file is, its first line tells: it begins with a brace, or has a tab, or neither. Fields of TSV stand
as they are; those of CSV may be quoted, and a quoted one may go on over several lines.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from io import BufferedIOBase
from itertools import chain
from pathlib import Path
from typing import Literal

import orjson

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.file_reader import UNREADABLE
from citespan.pipelines.corpus.files import open_unpacked, source_of
from citespan.pipelines.corpus.readers.jsonl import LONG_LINE, read_lines
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
    lines = (numbered for numbered in read_lines(content) if numbered[1] != b"")
    first = next(lines, None)
    if first is None or first[1] is None:
        raise InputError(f"{source}: empty; give a line for each {text}")
    number, head = first[0], first[1].removeprefix(b"\xef\xbb\xbf")
    records: Iterator[tuple[int, bytes | None]]
    parse: Callable[[bytes], Fields]
    if head.lstrip().startswith(b"{"):
        records, parse = chain([(number, head)], lines), _parse_object
    else:
        delimiter = "\t" if b"\t" in head else ","
        names = _read_names(head, delimiter, f"{source}:{number}", text)
        records = _join_quoted(lines, delimiter)
        parse = partial(_parse_record, names=names, delimiter=delimiter)
    for number, record in records:
        try:
            if record is None:
                raise ValueError(LONG_LINE)
            yield _make_line(parse(record), number, text)
        except ValueError as error:
            yield Rejected(f"{source}:{number}", str(error))


def _read_names(head: bytes, delimiter: str, place: str, text: Text) -> list[str]:
    try:
        names = [name.strip().lower() for name in _split(head, delimiter)]
    except ValueError as error:
        raise InputError(f"{place}: {error}") from error
    if text not in names:
        raise InputError(
            f"{place}: no column {text}; the first line names the columns, {text} among them, "
            "separated by tabs or commas"
        )
    return names


def _join_quoted(
    lines: Iterator[tuple[int, bytes | None]], delimiter: str
) -> Iterator[tuple[int, bytes | None]]:
    """Yield records, in CSV those of several lines too. A line that opens a quotation which does
    not end soon is a record by itself, so that it costs no other."""
    waiting: list[tuple[int, bytes | None]] = []
    while begun := waiting.pop(0) if waiting else next(lines, None):
        number, record = begun
        taken: list[tuple[int, bytes | None]] = []
        while delimiter == "," and record is not None and record.count(b'"') % 2:
            following = waiting.pop(0) if waiting else next(lines, None)
            if following is not None:
                taken.append(following)
            if following is None or following[1] is None or len(taken) == _MOST_LINES:
                waiting, record = taken + waiting, begun[1]
                break
            record = record + b"\n" + following[1]
        yield number, record


def _parse_record(record: bytes, names: Sequence[str], delimiter: str) -> Fields:
    # a line of the only column may have commas without being quoted
    whole = len(names) == 1 and not record.lstrip().startswith(b'"')
    fields = _split(record, "\t" if whole else delimiter)
    if len(fields) != len(names):
        raise ValueError(f"{len(fields)} fields, but {len(names)} columns")
    return dict(zip(names, fields, strict=True))


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


def _parse_object(line: bytes) -> Fields:
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")
    return found


def _make_line(fields: Fields, number: int, text: Text) -> CitanceLine:
    values: dict[str, str] = {}
    for key in ("id", "article", text):
        value = fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if value is not None and not isinstance(value, str):
            raise ValueError(f"{key} is not a text")
        values[key] = " ".join((value or "").split())
    needed = ("article", text) if fields.get("article") is not None else (text,)
    if missing := [key for key in needed if not values[key]]:
        raise ValueError(f"no {' and no '.join(missing)}")
    return CitanceLine(number, values["id"] or str(number), values["article"], values[text])
