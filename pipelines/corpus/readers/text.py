"""Plain text in UTF-8: one article a file, a blank line between paragraphs.

The text is the file's own, line ends included, so that offsets hold in the file once it is
decoded; only a byte-order mark at its start is dropped. The id is the file's name without its
extension, or "stdin".
"""

from collections.abc import Iterator
from pathlib import Path

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import (
    STANDARD_INPUT,
    first_files,
    head,
    read_utf8,
    source_of,
    units,
    unlisted,
)
from citespan.pipelines.corpus.plain_text import titled
from citespan.pipelines.corpus.pubmed_text import begins_record
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.errors import InputError

_ENDINGS = (".txt", ".text")


@readers.register
class TextReader:
    """Reads files called .txt, .text or without extension."""

    name = "text"
    description = "plain text in UTF-8, an article a file; - for standard input"

    def recognises(self, path: Path) -> bool:
        """A .txt file, or a folder of nothing else; standard input that isn't JSON or XML. What
        begins as PubMed's text export is that."""
        if path == STANDARD_INPUT:
            start = head(path).lstrip()
            return not start.startswith((b"{", b"<")) and not begins_record(start)
        if any(begins_record(head(file)) for file in first_files(path)):
            return False
        if not path.is_dir():
            return path.suffix.lower() in _ENDINGS
        try:
            inside = [p for p in path.iterdir() if not p.name.startswith(".")]
        except OSError:
            return False
        return bool(inside) and all(p.is_file() and p.suffix.lower() in _ENDINGS for p in inside)

    def find(self, path: Path) -> Iterator[Path]:
        return units(path, lambda _: False)

    def count(self, unit: Path) -> int:  # noqa: ARG002  the same for every unit
        return 1

    def read(self, unit: Path) -> Iterator[Article | Rejected]:
        source = source_of(unit)
        if unit.is_dir():
            yield unlisted(unit)
            return
        if unit.suffix.lower() not in ("", *_ENDINGS):
            yield Rejected(source, "not plain text by its name (.txt or .text)", "skipped")
            return
        try:
            text = read_utf8(unit).removeprefix("\ufeff")
        except InputError as error:
            yield Rejected(source, str(error))
            return
        if not text.strip():
            yield Rejected(source, "no text", "skipped")
            return
        title, sections = titled(text)
        name = "stdin" if unit == STANDARD_INPUT else unit.stem
        yield Article(id=name, title=title, text=text, source=source, sections=sections)
