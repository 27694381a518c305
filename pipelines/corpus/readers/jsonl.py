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
- `authors`: strings, each as "Surname, Given names"; `year`: whole number; `journal`, `pmid`,
  `pmcid` and `doi`: strings.
- `references`: strings.
- `citances`: citing sentences with the spans that are marked for them by annotators.

The title stands at the start of the text that paragraphs and sections make, and not in `text`,
whose offsets are the file's own. Other keys are not read. Empty lines are passed over.

Beside these, `citances` makes the article one of a collection: a list of objects, one for each
annotator of each citance:

- `text`: string, the citing sentence; required.
- `spans`: `[[start, end], …]`, character offsets into the article's text; required, not empty.
- `number`: string, or whole number; the place in the list, from 1, if absent. Records of one number
  and citing article by different annotators are one citance.
- `citing_article`, `annotator`, `marker`: strings.
- `label`: string, what the spans do to the citance: "supports" or "contradicts".
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from io import BufferedIOBase
from pathlib import Path
from typing import Any, Final, cast

import orjson

from citespan.pipelines.corpus.article import Article, Rejected, Section, SectionKind, Sentence
from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.corpus.file_reader import UNREADABLE, FileReader, count_records
from citespan.pipelines.corpus.files import (
    MAX_TEXT_BYTES,
    STANDARD_INPUT,
    open_unpacked,
    read_head,
    source_of,
)
from citespan.pipelines.corpus.identifiers import FINDERS, read_identifiers
from citespan.pipelines.corpus.paragraphs import Heading, collapse_space, lay_out
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.reader import Record, read_all, readers
from citespan.pipelines.corpus.reference_text import read_entries
from citespan.pipelines.corpus.topic import Marked, Topic, collect_topics
from citespan.pipelines.errors import InputError, raise_if_machine
from citespan.pipelines.intervals import union

# Some JSON of other formats is one line too, PubMedQA's as Python writes it.
_TELLING_KEYS = frozenset(("id", "title", "text", "paragraphs", "sections"))
_ENDINGS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_BLANK = b"\xef\xbb\xbf \t\r\n"
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_KINDS = ("abstract", "body", "caption")
_FIRST_IMPOSSIBLE_YEAR = 10_000
_FORMS = ("text", "paragraphs", "sections")


def _read_citances(topic: Topic, line: Any, source: str) -> None:
    citances = line.get("citances", []) if isinstance(line, dict) else []
    if not isinstance(citances, list):
        topic.rejected.append(Rejected(f"{source}, record 1", "citances is not a list"))
        return
    article = topic.article
    for number, citance in enumerate(citances, start=1):
        place = f"{source}, record {number}"
        if isinstance(article, Rejected):
            reason = f"its reference article can't be used: {article.reason}"
            topic.rejected.append(Rejected(place, reason, article.outcome))
            continue
        try:
            topic.marked.append(_read_citance(article, citance, number, place))
        except InputError as error:
            topic.rejected.append(Rejected(place, str(error)))


def _read_citance(article: Article, citance: Any, number: int, source: str) -> Marked:
    if not isinstance(citance, dict):
        raise InputError("not a JSON object")
    if isinstance(citance.get("number"), int):
        citance["number"] = str(citance["number"])
    if not get_string(citance, "text").strip():
        raise InputError('"text" is missing')
    return Marked(
        source=source,
        topic=article.id,
        number=get_string(citance, "number") or str(number),
        article_id=article.id,
        citing_article=get_string(citance, "citing_article"),
        passage="",
        text=get_string(citance, "text"),
        marker=get_string(citance, "marker"),
        annotator=get_string(citance, "annotator"),
        spans=_read_spans(citance.get("spans"), len(article.text)),
        label=get_string(citance, "label"),
    )


def _read_spans(spans: Any, length: int) -> tuple[tuple[int, int], ...]:
    if not isinstance(spans, list) or not spans:
        raise InputError('"spans" is not a list of pairs of offsets')
    for span in spans:
        pair = isinstance(span, list) and len(span) == 2
        if not pair or not all(type(offset) is int for offset in span):
            raise InputError(f'"spans": {str(span)[:60]} is not a pair of offsets')
        if not 0 <= span[0] < span[1] <= length:
            raise InputError(f'"spans": {span[0]}-{span[1]} is not within the {length} characters')
    return union((start, end) for start, end in spans)


@readers.register
class JsonlReader(FileReader):
    """Reads lines one by one; a bad line is rejected by its number, and the rest is read."""

    name = "jsonl"
    description = "JSON Lines, an article a line, also .gz; - for standard input"

    def looks_like(self, file: Path) -> bool:
        if file.name.lower().endswith(_ENDINGS):
            return True
        start = read_head(file).removeprefix(b"\xef\xbb\xbf").lstrip()
        if not start.startswith(b"{"):
            return False
        try:
            first = orjson.loads(start.partition(b"\n")[0])
        except orjson.JSONDecodeError:
            return False
        return not _TELLING_KEYS.isdisjoint(first)

    def recognises(self, path: Path) -> bool:
        if path == STANDARD_INPUT:
            return read_head(path).lstrip().startswith(b"{")
        return super().recognises(path)

    def count(self, unit: Path) -> int:
        return count_records(
            unit, lambda lines: sum(1 for _, line in read_lines(lines) if line != b"")
        )

    def records(self, unit: Path) -> Iterator[Record[Article | Rejected]]:
        refused = self.refuse(unit)
        if refused is not None:
            yield Record.of(refused.source, refused)
        else:
            yield from self._find_records(unit, source_of(unit))

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:
        return read_all(self._find_records(file, source))

    def _find_records(self, file: Path, source: str) -> Iterator[Record[Article | Rejected]]:
        if file != STANDARD_INPUT and file.is_file() and not self.looks_like(file):
            yield Record.of(source, Rejected(source, "not JSON Lines", "skipped"))
            return
        number = 0
        empty = True
        try:
            with open_unpacked(file) as content:
                for number, line in read_lines(content):
                    if line != b"":
                        place = f"{source}:{number}"
                        yield Record(place, partial(_make_article, line, place), listed=True)
                        empty = False
        except UNREADABLE as error:
            if isinstance(error, OSError):
                raise_if_machine(error)
            place = f"{source}:{number + 1}"
            reason = f"can't be read: {' '.join(str(error).split())}"
            yield Record.of(place, Rejected(place, reason))
        else:
            if empty:
                yield Record.of(source, Rejected(source, "empty file"))

    def collection(self, path: Path) -> Collection:
        return collect_topics(self.name, path, self._read_all_topics(path))

    def _read_all_topics(self, path: Path) -> Iterator[Topic]:
        for unit in self.find(path):
            if not self.looks_like(unit):
                continue
            source = source_of(unit)
            try:
                with open_unpacked(unit) as content:
                    yield from _read_topics(content, source)
            except UNREADABLE as error:
                yield Topic(Rejected(source, f"can't be read: {' '.join(str(error).split())}"))


LONG_LINE: Final = f"line longer than {MAX_TEXT_BYTES >> 20} MB; split it"


def read_lines(content: BufferedIOBase) -> Iterator[tuple[int, bytes | None]]:
    """Yield the number of each line and the line, b"" for a blank one, None for one longer than
    any article (`LONG_LINE`), which is passed over."""
    number = 0
    while line := content.readline(MAX_TEXT_BYTES + 1):
        number += 1
        if len(line) <= MAX_TEXT_BYTES:
            yield number, line if line.strip(_BLANK) else b""
            continue
        while line and not line.endswith(b"\n"):
            line = content.readline(MAX_TEXT_BYTES)
        yield number, None


def _read_topics(content: BufferedIOBase, source: str) -> Iterator[Topic]:
    for number, line in read_lines(content):
        if line:
            place = f"{source}:{number}"
            topic = Topic(_make_article(line, place))
            with suppress(orjson.JSONDecodeError):
                _read_citances(topic, _load(line), place)
            yield topic


def _load(line: bytes) -> Any:
    return orjson.loads(line.removeprefix(b"\xef\xbb\xbf"))


def _make_article(line: bytes | None, source: str) -> Article | Rejected:
    if line is None:
        return Rejected(source, LONG_LINE)
    try:
        return parse_article(_load(line), source)
    except orjson.JSONDecodeError as error:
        if "memory" in error.msg:  # orjson reports it so
            raise MemoryError from error
        return Rejected(source, f"not JSON: {error.msg} at column {error.colno}")
    except InputError as error:
        return Rejected(source, str(error))


def parse_article(line: Any, source: str) -> Article | Rejected:
    """Return the article that a line describes, by the schema of this module.

    Raises:
        InputError: naming the key that doesn't fit the schema.
    """
    if not isinstance(line, dict):
        raise InputError("not a JSON object")
    identifier = line.get("id")
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        identifier = str(identifier)
    if not isinstance(identifier, str) or not identifier.strip():
        raise InputError('"id" is missing or not a string')
    title = collapse_space(get_string(line, "title"))
    text, sections = _text(line, title)
    if not text.strip():
        return Rejected(source, "no text", "skipped")
    return Article(
        id=identifier.strip(),
        title=title,
        text=text,
        source=source,
        sections=sections,
        sentences=_sentences(line, text),
        also_known_as=tuple(get_strings(line, "also_known_as")),
        publication=_publication(line, title),
        reference_list=read_entries(get_strings(line, "references")),
    )


def _publication(line: dict[str, Any], title: str) -> Publication:
    year = line.get("year")
    if year is not None and (type(year) is not int or not 0 < year < _FIRST_IMPOSSIBLE_YEAR):
        raise InputError('"year" is not a year')
    written = {kind: get_string(line, kind) for kind in FINDERS}
    authors = tuple(filter(None, map(collapse_space, get_strings(line, "authors"))))
    journal = collapse_space(get_string(line, "journal"))
    found = Publication(authors, title, year, journal, **read_identifiers(written))
    for kind, text in written.items():
        if text.strip() and not getattr(found, kind):
            raise InputError(f'"{kind}" is not a valid {kind.upper()}: {text[:60]}')
    return found


def _text(line: dict[str, Any], title: str) -> tuple[str, tuple[Section, ...]]:
    forms = [form for form in _FORMS if line.get(form) is not None]
    if len(forms) > 1:
        raise InputError(f'"{forms[0]}" and "{forms[1]}" are both given; give one')
    if not forms:
        return "", ()
    if forms == ["text"]:
        text = get_string(line, "text")
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        return text, (Section("", start, end),) if start < end else ()
    paragraphs = list(_body(line, forms[0]))
    if not any(text for _, text in paragraphs):
        return "", ()
    return lay_out([(Heading("", "title"), title), *paragraphs])


def _body(line: dict[str, Any], form: str) -> Iterator[tuple[Heading, str]]:
    if form == "paragraphs":
        heading = Heading("")
        for text in get_strings(line, "paragraphs"):
            yield heading, collapse_space(text)
        return
    if not isinstance(line["sections"], list):
        raise InputError('"sections" is not a list')
    for section in line["sections"]:
        if not isinstance(section, dict):
            raise InputError('"sections" holds something else than objects')
        kind = section.get("kind", "body")
        if kind not in _KINDS:
            raise InputError(f'"kind" of a section is none of {", ".join(_KINDS)}')
        heading = Heading(collapse_space(get_string(section, "title")), cast(SectionKind, kind))
        texts = _BLANK_LINE.split(get_string(section, "text")) + get_strings(section, "paragraphs")
        for text in texts:
            yield heading, collapse_space(text)


def _sentences(line: dict[str, Any], text: str) -> tuple[Sentence, ...] | None:
    pairs = line.get("sentences")
    if pairs is None:
        return None
    if line.get("text") is None:
        raise InputError('"sentences" are offsets into "text", which is missing')
    if not isinstance(pairs, list):
        raise InputError('"sentences" is not a list')
    found = []
    last = 0
    for number, pair in enumerate(pairs, 1):
        match pair:
            case [int(start), int(end)] if last <= start < end <= len(text):
                written = text[start:end]
            case _:
                raise InputError(f'"sentences" number {number} is not [start, end] in order')
        bare = written.strip()
        if not bare or _BLANK_LINE.search(bare):
            raise InputError(f'"sentences" number {number} is blank or spans paragraphs')
        start += len(written) - len(written.lstrip())
        found.append(Sentence(start, start + len(bare)))
        last = end
    return tuple(found)


def get_string(record: dict[str, Any], key: str) -> str:
    """Return a text of a JSON object; "" if there is none.

    Raises:
        InputError: for what is no text.
    """
    value = record.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f'"{key}" is not a string')
    return value or ""


def get_strings(record: dict[str, Any], key: str) -> list[str]:
    """Return a list of texts in a JSON object; an empty one if there is none.

    Raises:
        InputError: for what is no such list.
    """
    values = record.get(key)
    if values is None:
        return []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise InputError(f'"{key}" is not a list of strings')
    return values
