"""PDF: one article a file, as its pages show it.

The text is, in reading order: title; abstract; paragraphs of the body, across columns and pages;
captions and footnotes behind the paragraphs that they interrupt, as text of the kind "caption".
Authors, running heads, numbers of pages and lines, and tables of numbers are not text; tables of
words are, row by row. References are the entries below a heading "References" or the like. Numbers
above the line become Unicode's superscripts, in which citation markers are recognised. The id is
the file's name without its ending.
"""

from collections.abc import Iterator
from pathlib import Path

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.file_reader import ManuscriptReader
from citespan.pipelines.corpus.files import read_bytes, read_head, stem_of
from citespan.pipelines.corpus.reader import readers

_MAGIC = b"%PDF-"
_MAGIC_WITHIN = 1024  # bytes; all viewers accept what stands before it


@readers.register
class PdfReader(ManuscriptReader):
    """Reads files that begin as a PDF does."""

    name = "pdf"
    description = "PDF with text, an article a file; scans need OCR first"
    self_contained = True

    def looks_like(self, file: Path) -> bool:
        return _MAGIC in read_head(file)[:_MAGIC_WITHIN]

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:
        if not self.looks_like(file) and file.suffix.lower() != ".pdf":
            yield self.skip(file, source, "a PDF by its first bytes (%PDF-)")
            return
        # NumPy and PDFium are imported only where a PDF is read
        from citespan.pipelines.corpus.readers.pdf.assembly import make_article
        from citespan.pipelines.corpus.readers.pdf.extraction import read_pages

        yield make_article(read_pages(read_bytes(file)), stem_of(file), source)
