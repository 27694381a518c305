"""JSON Lines: one article a line, plain or gzipped, from a file or standard input.

Each line is one JSON object:

- `id`: string, or whole number; required.
- `title`: string.
- exactly one of
  - `text`: string, taken as it is; a blank line stands between paragraphs;
  - `paragraphs`: strings; white space in them is collapsed;
  - `sections`: objects with `title` (string), `text` or `paragraphs`, and `kind` ("abstract",
    "body" or "caption"; "body" if absent).
- `sentences`: `[[start, end], …]`, character offsets into `text`, in order, without overlap;
  only beside `text`.
- `also_known_as`: strings, other identifiers of the article.
- `references`: strings.

The title stands at the start of the text that paragraphs and sections make, and not in `text`,
whose offsets are the file's own. Other keys are not read. Empty lines are passed over.
"""

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, cast

import orjson

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import (
    MAX_BYTES,
    STANDARD_INPUT,
    first_files,
    head,
    source_of,
    units,
    unlisted,
)
from citespan.pipelines.corpus.json_article import article_of
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.errors import InputError

# Some JSON of other formats is one line too, PubMedQA's as Python writes it.
_TELLING_KEYS = frozenset(("id", "title", "text", "paragraphs", "sections"))
_ENDINGS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


@readers.register
class JsonlReader:
    """Reads lines one by one; a bad one is told by its number and the rest goes on."""

    name = "jsonl"
    description = "JSON Lines, an article a line, also .gz; - for standard input"

    def recognises(self, path: Path) -> bool:
        if path == STANDARD_INPUT:
            return head(path).lstrip().startswith(b"{")
        return any(_looks_like_jsonl(file) for file in first_files(path))

    def find(self, path: Path) -> Iterator[Path]:
        return units(path, lambda _: False)

    def count(self, unit: Path) -> int:
        if unit == STANDARD_INPUT:
            return 0
        try:
            with _opened(unit) as lines:
                return max(1, sum(1 for line in lines if line.strip()))
        except (OSError, EOFError, zlib.error):
            return 1

    def read(self, unit: Path) -> Iterator[Article | Rejected]:
        source = source_of(unit)
        if unit != STANDARD_INPUT and unit.is_file() and not _looks_like_jsonl(unit):
            yield Rejected(source, "not JSON Lines", "skipped")
            return
        if unit.is_dir():
            yield unlisted(unit)
            return
        number = met = 0
        try:
            with _opened(unit) as lines:
                while line := lines.readline(MAX_BYTES + 1):
                    number += 1
                    if len(line) > MAX_BYTES:
                        yield Rejected(f"{source}:{number}", "line longer than 100 MB")
                        return
                    if line.strip(b"\xef\xbb\xbf \t\r\n"):
                        met += 1
                        yield _article(line, f"{source}:{number}")
        except (OSError, EOFError, zlib.error) as error:
            place = f"{source}:{number + 1}"
            yield Rejected(place, f"can't be read: {' '.join(str(error).split())}")
        else:
            if not met:
                yield Rejected(source, "empty file")


def _looks_like_jsonl(file: Path) -> bool:
    if file.name.lower().endswith(_ENDINGS):
        return True
    start = head(file).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start.startswith(b"{"):
        return False
    try:
        first = orjson.loads(start.partition(b"\n")[0])
    except orjson.JSONDecodeError:
        return False
    return not _TELLING_KEYS.isdisjoint(first)


def _opened(unit: Path) -> AbstractContextManager[IO[bytes]]:
    if unit == STANDARD_INPUT:
        return nullcontext(sys.stdin.buffer)
    if unit.suffix == ".gz":
        return cast(IO[bytes], gzip.open(unit))
    return unit.open("rb")


def _article(line: bytes, source: str) -> Article | Rejected:
    try:
        return article_of(orjson.loads(line.removeprefix(b"\xef\xbb\xbf")), source)
    except orjson.JSONDecodeError as error:
        return Rejected(source, f"not JSON: {error.msg} at column {error.colno}")
    except InputError as error:
        return Rejected(source, str(error))
