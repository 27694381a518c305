"""What is read of PDFs: by libraries that extract text, and by citespan, which uses PDFium.

Run from anywhere: `python studies/pdf_text.py` compares them on twenty papers of CL-SciSumm with
the words of their XML; `python studies/pdf_text.py FOLDER` measures the reader on articles that
`printed_articles.py` has printed. The twenty papers were all looked at while the reader was
developed; of what `printed_articles.py` prints, nothing was.

Words are compared after NFKC, in lower case, hyphens taken out, in matching blocks. The XML was
recognised from pictures of the pages: it has footnotes and captions in the middle of sentences, the
lines of two columns mixed in some papers, headings of subsections but not of sections, letters of
tables one by one, and no references; so the text of libraries ends at the reference list. "In any
order" is the share of the XML's words that the text has at all. pdfminer.six, pypdf and pdfplumber
are left out unless they are installed.
"""

import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from html import unescape
from pathlib import Path
from time import process_time
from typing import Any

from rich.console import Console
from rich.table import Table

from citespan.pipelines.citing.citations import find_citations
from citespan.pipelines.corpus.article import Article, Section
from citespan.pipelines.corpus.files import decode
from citespan.pipelines.corpus.readers.pdf import PdfReader
from citespan.pipelines.corpus.readers.pdf.blocks import strip_number
from citespan.pipelines.corpus.reference_section import find_reference_section
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SENTENCE = re.compile(r"<S\b[^>]*>(.*?)</S>", re.DOTALL)
HYPHEN = re.compile(r"(?<=\w)[-\u2010\u00ad\u0002\ufffe]\s*(?=\w)")
Extract = Callable[[Path], str]


def find_words(text: str) -> list[str]:
    return re.findall(r"\w+", HYPHEN.sub("", unicodedata.normalize("NFKC", text)).lower())


def compare(expected: Sequence[str], found: Sequence[str]) -> tuple[float, float]:
    """Return recall and precision of words in their order."""
    blocks = SequenceMatcher(None, expected, found, autojunk=False).get_matching_blocks()
    common = sum(block.size for block in blocks)
    return common / max(1, len(expected)), common / max(1, len(found))


def mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))


def without_references(text: str) -> str:
    found = find_reference_section(text)
    return text[: found[0]] if found else text


def read(file: Path) -> Article:
    (article,) = PdfReader().read(file)
    if not isinstance(article, Article):
        sys.exit(f"{file}: {article.reason}")
    return article


def with_headings(file: Path) -> str:
    """Return what the reader finds, with the headings, which some of the XML has in its text."""
    article = read(file)
    parts = []
    last = ""
    for section in article.sections:
        if section.kind != "caption" and section.title != last:
            last = section.title
            parts.append(last.rpartition(" / ")[2])
        parts.append(article.text[section.start : section.end])
    return "\n".join(parts)


def by_pdfium(file: Path) -> str:
    import pypdfium2

    with pypdfium2.PdfDocument(file) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document)


def find_libraries() -> Iterator[tuple[str, Extract]]:
    """Yield the libraries that are installed."""
    yield "pypdfium2", by_pdfium
    try:
        from pdfminer.high_level import extract_text

        yield "pdfminer.six", lambda file: str(extract_text(file))
    except ImportError:
        pass
    try:
        from pypdf import PdfReader as Pypdf

        yield "pypdf", lambda file: "\n".join(page.extract_text() for page in Pypdf(file).pages)
    except ImportError:
        pass
    try:
        from pdfplumber import open as open_pdf

        def by_pdfplumber(file: Path) -> str:
            with open_pdf(file) as document:
                return "\n".join(page.extract_text() or "" for page in document.pages)

        yield "pdfplumber", by_pdfplumber
    except ImportError:
        pass


def read_xml(name: str) -> str:
    (file,) = (DATA / "scisumm" / "train" / name / "Reference_XML").glob("*.xml")
    return "\n".join(map(unescape, SENTENCE.findall(decode(file.read_bytes()))))


def compare_libraries(console: Console) -> None:
    import pypdfium2

    files = sorted((DATA / "pdf").glob("*.pdf"))
    if not files:
        sys.exit("the papers are not beside the checkout (../shared/data/pdf)")
    expected = [find_words(read_xml(file.stem)) for file in files]
    pages = sum(len(pypdfium2.PdfDocument(file)) for file in files)
    ways: list[tuple[str, Extract]] = [
        (name, lambda file, extract=extract: without_references(extract(file)))  # type: ignore[misc]
        for name, extract in find_libraries()
    ]
    ways += [("citespan", lambda file: read(file).text), ("with headings", with_headings)]
    table = Table("", "Recall", "Precision", "In any order", "ms/page")
    for name, extract in ways:
        start = process_time()
        texts = [extract(file) for file in files]
        spent = process_time() - start
        found = [find_words(text) for text in texts]
        rows = [
            (*compare(words, own), share(Counter(words), Counter(own)))
            for words, own in zip(expected, found, strict=True)
        ]
        means = [f"{mean([row[at] for row in rows]):.3f}" for at in range(3)]
        table.add_row(name, *means, f"{1000 * spent / pages:.0f}")
    console.print(table)


def normalise(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def count_sentences(article: Article) -> Counter[str]:
    sentences = split_article(article, splitters[DEFAULT])
    return Counter(normalise(article.text[sentence.start : sentence.end]) for sentence in sentences)


def share(expected: Counter[Any], found: Counter[Any]) -> float:
    return (expected & found).total() / max(1, expected.total())


def measure(file: Path) -> list[float]:
    """Return recall and precision of words, and the shares of the sentences, sections, markers and
    entries that are found as they were printed."""
    printed = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    article = read(file)
    text = "\n\n".join([printed["title"], *(section["text"] for section in printed["sections"])])
    whole = Article("", "", text, "", (Section("", 0, len(text)),))
    titles = {
        " / ".join(strip_number(part) for part in normalise(section["title"]).split(" / "))
        for section in printed["sections"]
        if section["kind"] in ("abstract", "body")
    }
    labels = {
        reference.key: int(reference.label) if reference.label.isdecimal() else 0
        for reference in article.references
    }
    markers = find_citations(article, splitters[DEFAULT]).markers
    return [
        *compare(find_words(text), find_words(article.text)),
        share(count_sentences(whole), count_sentences(article)),
        share(Counter(titles), Counter({normalise(section.title) for section in article.sections})),
        share(
            Counter(map(tuple, printed["markers"])),
            Counter(tuple(labels[key] for key in marker.keys) for marker in markers),
        ),
        share(
            Counter(map(normalise, printed["entries"])),
            Counter(normalise(reference.text) for reference in article.references),
        ),
    ]


def measure_printed(console: Console, folder: Path) -> None:
    files = sorted(folder.glob("*.pdf"))
    rows = [measure(file) for file in files]
    table = Table("Articles", "Recall", "Precision", "Sentences", "Sections", "Markers", "Entries")
    means = (mean([row[at] for row in rows]) for at in range(6))
    table.add_row(str(len(rows)), *(f"{value:.3f}" for value in means))
    console.print(table)


def main(folder: Path | None) -> None:
    console = Console()
    if folder is None:
        compare_libraries(console)
    else:
        measure_printed(console, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
