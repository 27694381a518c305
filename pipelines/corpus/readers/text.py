"""Plain text in UTF-8: one article a file, a blank line between paragraphs.

The text is the file's own, line ends included, so that offsets hold in the file once it is
decoded; only a byte-order mark at its start is dropped. References are the entries below a line
"References" or the like. The id is the file's name without its extension, or "stdin".
"""

from collections.abc import Iterator
from pathlib import Path

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.file_reader import FileReader
from citespan.pipelines.corpus.files import STANDARD_INPUT, find_first_files, read_head, read_utf8
from citespan.pipelines.corpus.paragraphs import split_title
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.readers.pubmed import begins_record
from citespan.pipelines.corpus.reference_section import read_reference_section

_ENDINGS = (".txt", ".text")


@readers.register
class TextReader(FileReader):
    """Reads files called .txt, .text or without extension."""

    name = "text"
    description = "plain text in UTF-8, an article a file; - for standard input"
    self_contained = True

    def looks_like(self, file: Path) -> bool:
        return file.suffix.lower() in _ENDINGS

    def recognises(self, path: Path) -> bool:
        """Return whether this is a .txt file, a folder of nothing else, or standard input that
        isn't JSON or XML. What begins as PubMed's text export is that."""
        if path == STANDARD_INPUT:
            start = read_head(path).lstrip()
            return not start.startswith((b"{", b"<")) and not begins_record(start)
        if any(begins_record(read_head(file)) for file in find_first_files(path)):
            return False
        if not path.is_dir():
            return self.looks_like(path)
        try:
            inside = [p for p in path.iterdir() if not p.name.startswith(".")]
        except OSError:
            return False
        return bool(inside) and all(p.is_file() and self.looks_like(p) for p in inside)

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:
        if file.suffix.lower() not in ("", *_ENDINGS):
            yield Rejected(source, "not plain text by its name (.txt or .text)", "skipped")
            return
        text = read_utf8(file).removeprefix("\ufeff")
        if not text.replace("\ufeff", "").strip():
            yield Rejected(source, "no text", "skipped")
            return
        title, sections = split_title(text)
        name = "stdin" if file == STANDARD_INPUT else file.stem
        yield Article(
            id=name,
            title=title,
            text=text,
            source=source,
            sections=sections,
            publication=Publication(title=title),
            reference_list=read_reference_section(text),
        )
