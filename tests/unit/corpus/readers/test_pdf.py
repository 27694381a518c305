"""PDF: text in reading order, what is no text, references, pages, and files that can't be read."""

import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from made_pdfs import ENTRIES, HEAD, Paper, write_long, write_paragraph, write_scan
from places import TEST_DATA

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.citing.citations import find_citations
from citespan.pipelines.corpus.article import Article, PageStart, Rejected
from citespan.pipelines.corpus.reader import recognise
from citespan.pipelines.corpus.readers.pdf import PdfReader
from citespan.pipelines.text.splitter import splitters

FIXTURE = TEST_DATA / "readers" / "pdf" / "made.pdf"


def read(file: Path = FIXTURE) -> Article:
    (article,) = PdfReader().read(file)
    assert isinstance(article, Article)
    return article


def refuse(file: Path) -> str:
    (rejected,) = PdfReader().read(file)
    assert isinstance(rejected, Rejected)
    assert "\n" not in rejected.reason
    return rejected.reason


def write(file: Path, *paragraphs: str, columns: int = 2) -> Article:
    paper = Paper(file, columns, is_headed=False)
    for text in paragraphs:
        paper.write(text, indent=12)
    paper.save()
    return read(file)


def print_raised(text: str) -> str:
    """Return a text of the fixture as it should be read."""
    raised = text.replace("^1,2^", "¹,²").replace("^3^", "³")
    return raised.replace("\xad", "")


def test_paragraphs_are_read_in_order_across_columns_and_pages() -> None:
    article = read()
    body = [
        paragraph
        for section in article.sections
        if section.title == "Introduction"
        for paragraph in article.text[section.start : section.end].split("\n\n")
    ]
    assert body == [print_raised(write_paragraph(number)) for number in range(30)]


def test_sections_have_the_headings_without_their_numbers() -> None:
    shown = [(section.kind, section.title) for section in read().sections]
    assert list(dict.fromkeys(shown)) == [
        ("title", ""),
        ("abstract", "Abstract"),
        ("body", "Introduction"),
        ("caption", "Introduction / Footnote 1"),
        ("body", "Methods / Tanks"),
        ("caption", "Methods / Tanks / Table 1"),
        ("caption", "Methods / Tanks / Figure 1"),
    ]


def test_authors_running_heads_page_numbers_and_cells_are_not_text() -> None:
    article = read()
    assert article.title == "Growth of made yeast in tanks"
    for left_out in ("Ann Ito", HEAD, "20.7", "\n\n1\n\n"):
        assert left_out not in article.text


def test_captions_and_footnotes_stand_apart() -> None:
    article = read()
    apart = {
        section.title.rpartition(" / ")[2]: article.text[section.start : section.end]
        for section in article.sections
        if section.kind == "caption"
    }
    assert apart == {
        "Footnote 1": "Tanks are filled by hand, as the first note says.",
        "Table 1": "Tanks and what was in them when the lamps went off.",
        "Figure 1": "Growth in the first tank.",
    }


def test_entries_and_the_raised_markers_that_cite_them() -> None:
    article = read()
    assert [reference.text for reference in article.references] == list(ENTRIES)
    assert article.references[2].publication.title == "Cells that divide and rest at night"
    found = find_citations(article, splitters["punkt"])
    assert not found.uncited
    assert {marker.keys for marker in found.markers} == {("1", "2"), ("3",)}
    assert not any(marker.unknown for marker in found.markers)


def test_a_hyphen_goes_where_the_article_has_the_whole_word(tmp_path: Path) -> None:
    line = "word " * 9
    article = write(
        tmp_path / "a.pdf",
        f"{line}inter\xadaction {line}well-known and interaction, also well-known.",
        f"{line}long-\xadlived {line}long-lived.",
    )
    assert "interaction word" in article.text
    assert "inter-" not in article.text
    assert "longlived" not in article.text


def test_entries_without_numbers_begin_where_lines_are_not_indented(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", is_headed=False)
    paper.write("Yeast grows on sugar (Ito, 2001) and rests at night (Ry and Ode, 2002).")
    paper.write_heading("References")
    entries = [
        f"{names} ({year}). Growth of yeast in tanks that are filled by hand. Made Journal, 4, 1-9."
        for names, year in (("Ito, A.", 2001), ("Ry, B., & Ode, C.", 2002), ("Ode, C.", 2003))
    ]
    for entry in entries:
        paper.write(entry, hang=14)
    paper.save()
    article = read(tmp_path / "a.pdf")
    assert [reference.text for reference in article.references] == entries
    found = find_citations(article, splitters["punkt"])
    assert [marker.keys for marker in found.markers] == [("1",), ("2",)]


def test_one_column_is_read_line_by_line(tmp_path: Path) -> None:
    texts = [write_paragraph(number).replace("^", "").replace("\xad", "") for number in range(9)]
    article = write(tmp_path / "a.pdf", *texts, columns=1)
    assert article.text.split("\n\n") == texts


def test_every_place_has_its_page() -> None:
    article = read()
    assert article.pages[0] == PageStart(0, 1)
    entry = ArticleEntry(pages=[number for start in article.pages for number in start])
    places = [("Growth of made", 1), ("Tank 2 was", 1), ("Tank 29 was", 2), ("Growth in the", 2)]
    for words, page in places:
        assert entry.find_page(article.text.index(words)) == page
    assert entry.find_page(len(article.text)) == 2
    assert ArticleEntry().find_page(3) is None


def test_a_pdf_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    copy = tmp_path / "manuscript"
    copy.write_bytes(FIXTURE.read_bytes())
    assert recognise(copy).name == "pdf"
    (tmp_path / "manuscript.bib").write_text("")
    assert recognise(tmp_path).name == "pdf"


def test_a_scan_is_refused_in_one_line(tmp_path: Path) -> None:
    write_scan(tmp_path / "a.pdf")
    assert refuse(tmp_path / "a.pdf") == "no text: a scan; run OCR first"


def test_a_scan_behind_a_cover_with_text_is_refused(tmp_path: Path) -> None:
    # a stored article of a library: its own cover, and pictures of pages
    canvas = Paper(tmp_path / "a.pdf")
    canvas.write("This copy was made by the made library for its readers.")
    for _ in range(3):
        canvas.is_headed = False
        canvas.end_page()
        canvas.canvas.rect(50, 100, 400, 600, fill=1)
    canvas.save()
    assert refuse(tmp_path / "a.pdf").endswith("pages: a scan; run OCR first")


def test_a_password_is_told(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", password="secret")
    paper.write("Yeast grows on sugar.")
    paper.save()
    assert refuse(tmp_path / "a.pdf") == "protected by a password; save it without"


def test_too_many_pages_are_refused_before_any_is_read(tmp_path: Path) -> None:
    write_long(tmp_path / "a.pdf", 1001)
    assert refuse(tmp_path / "a.pdf") == "1,001 pages, more than 1,000; split it"


def test_letters_that_the_fonts_do_not_name_are_refused(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", is_headed=False)
    # what a font with codes of its own gives: each letter is another one
    coded = str.maketrans("abcdefghijklmnopqrstuvwxyz", "bcdfghjklmnpqrstvwxzbcdfgh")
    for number in range(30):
        paper.write(write_paragraph(number).replace("^", "").lower().translate(coded))
    paper.save()
    assert refuse(tmp_path / "a.pdf") == (
        "its fonts don't say which letters they show; run OCR first"
    )


@pytest.mark.parametrize("share", [0.1, 0.6])
def test_a_file_that_was_cut_off_is_refused_or_read(share: float, tmp_path: Path) -> None:
    data = FIXTURE.read_bytes()
    file = tmp_path / "a.pdf"
    file.write_bytes(data[: int(len(data) * share)])
    (read,) = PdfReader().read(file)
    assert isinstance(read, Article) or read.reason


def write_bomb(file: Path, content: bytes) -> None:
    """Write a page whose content unpacks to a thousand times its size."""
    packed = zlib.compress(content, 9)
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 1e30 1e30]/Contents 4 0 R>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%b\nendstream" % (len(packed), packed),
    )
    data = b"%PDF-1.5\n" + b"".join(
        b"%d 0 obj\n%b\nendobj\n" % (number, body) for number, body in enumerate(objects, 1)
    )
    file.write_bytes(data + b"trailer\n<</Size 5/Root 1 0 R>>\n%%EOF\n")


@pytest.mark.parametrize("content", [b" " * 50_000_000, b"q " * 2_000_000, b"[" * 2_000_000])
def test_a_bomb_ends_as_one_line(content: bytes, tmp_path: Path) -> None:
    write_bomb(tmp_path / "a.pdf", content)
    assert refuse(tmp_path / "a.pdf")


def test_no_other_format_waits_for_pdfium() -> None:
    code = (
        "from citespan.pipelines.corpus.reader import readers; list(readers); import sys; "
        "print('pypdfium2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
