"""PDF: text in reading order, what is no text, references, pages, and files that can't be read."""

import subprocess
import sys
import zlib
from pathlib import Path

import pypdfium2
import pytest
from made_pdfs import (
    BOLD,
    ENTRIES,
    FONT,
    HEAD,
    MARGIN,
    Paper,
    write_lines,
    write_long,
    write_objects,
    write_paragraph,
    write_scan,
)
from places import TEST_DATA
from reportlab.pdfbase.pdfmetrics import stringWidth

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
        f"{line}neu\xadrologist {line}.",
    )
    assert "interaction word" in article.text
    assert "neurologist word" in article.text
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


def test_codes_of_the_first_fonts_of_tex_are_letters(tmp_path: Path) -> None:
    lines = b"A di\\016cult \\015oat de\\014nes", b"the na\\020ve o\\013er."
    write_lines(tmp_path / "a.pdf", *lines)
    assert read(tmp_path / "a.pdf").text == "A difficult float defines the naıve offer."


def test_codes_of_the_later_fonts_of_tex_are_letters(tmp_path: Path) -> None:
    write_lines(
        tmp_path / "a.pdf",
        b"E\\033ects are speci\\034c to \\020co\\036n\\021 on pages 63\\02572.",
        b"It was|{\\256d}.",
    )
    assert read(tmp_path / "a.pdf").text == (
        "Effects are specific to “coffin” on pages 63–72. It was|{őd}."
    )


def test_a_page_without_ligatures_is_read_as_those_before_it(tmp_path: Path) -> None:
    whole = pypdfium2.PdfDocument.new()
    first = b"E\\033ects are speci\\034c to the yeast of the book."
    for name, line in ("a", first), ("b", b"The \\020old\\021 yeast is on pages 63\\02572 of it."):
        write_lines(tmp_path / name, line)
        whole.import_pages(pypdfium2.PdfDocument(tmp_path / name))
    whole.save(tmp_path / "a.pdf")
    assert read(tmp_path / "a.pdf").text == (
        "Effects are specific to the yeast of the book. The “old” yeast is on pages 63–72 of it."
    )


def test_dashes_and_quotes_of_the_first_fonts_of_tex(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.pdf", b'E\\013ects of \\\\yeast" on pages 63{72.')
    assert read(tmp_path / "a.pdf").text == "Effects of “yeast” on pages 63–72."


def test_digits_of_a_font_may_be_raised_themselves(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.pdf", b"Yeast grows12, -as we saw.", raised=b"12,-")
    assert read(tmp_path / "a.pdf").text == "Yeast grows¹², -as we saw."


def test_codes_that_show_nothing_are_no_letters(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.pdf", b"Words of one line\\rand of another.", font=b"Helvetica")
    assert read(tmp_path / "a.pdf").text == "Words of one line and of another."


def test_a_gap_between_letters_is_no_space(tmp_path: Path) -> None:
    # a font whose widths are less than its letters take: PDFium sees a space behind "ma"
    write_lines(tmp_path / "a.pdf", b"The ma) Tj 20.2 0 Td (jority of the yeast.", width=300)
    assert "majority" in read(tmp_path / "a.pdf").text


def test_accents_are_put_on_the_letters_below_them(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    paper.write("Yeast of Schutze grows on sugar in cold water.")
    before = stringWidth("Yeast of Sch", FONT, 10)
    wide = stringWidth("u", FONT, 10) - stringWidth("¨", FONT, 10)
    paper.canvas.setFont(FONT, 10)
    paper.canvas.drawString(paper.left + before + wide / 2, paper.y, "¨")
    paper.save()
    assert read(tmp_path / "a.pdf").text == "Yeast of Schütze grows on sugar in cold water."


def test_a_title_of_spaced_letters_is_a_word(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    paper.write_heading("A B S T R A C T")
    paper.write(write_paragraph(1).replace("^", "").replace("\xad", ""))
    paper.save()
    assert [section.title for section in read(tmp_path / "a.pdf").sections] == ["ABSTRACT"]


def test_a_title_may_have_many_lines(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    title = "The growth of made yeast in old ovens and what bakers of the south know of it " * 3
    paper.write_heading(title.strip(), 24)
    paper.write_heading("Abstract")
    for number in range(4):
        paper.write(write_paragraph(number).replace("^", "").replace("\xad", ""))
    paper.save()
    assert read(tmp_path / "a.pdf").title == title.strip()


def test_a_title_may_be_in_double_spacing(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    for line in ("The growth of made yeast in old ovens", "and what bakers know of it"):
        paper.y -= 16
        paper.write(line, 18)
    for line in ("We saw yeast in cold water on that day", "and in warm ovens on others.") * 8:
        paper.y -= 12
        paper.write(line, 12)
    paper.save()
    title = "The growth of made yeast in old ovens and what bakers know of it"
    assert read(tmp_path / "a.pdf").title == title


def test_a_short_line_may_have_many_raised_digits(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    paper.write("Yeast was seen in cold water and in warm ovens on all of these days and on the")
    paper.write("others^10,11,18,19,23^")
    paper.save()
    assert read(tmp_path / "a.pdf").text.endswith("on the others¹⁰,¹¹,¹⁸,¹⁹,²³")


@pytest.mark.parametrize("form", ["[{}]", "({})", "{}."])
def test_a_list_without_a_heading_begins_at_its_first_number(form: str, tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    text = "Yeast grows on sugar [1] in every tank that has been filled."
    paper.write(text)
    for number in range(1, 8):
        paper.y -= 10 * (number == 1)
        entry = f"A. Ito and B. Ry, J. Yeast {number}, 154 (2001)."
        paper.write(f"{form.format(number)} {entry}", hang=14)
    paper.save()
    article = read(tmp_path / "a.pdf")
    assert article.text == text
    assert [reference.label for reference in article.references] == list("1234567")
    assert {reference.publication.title for reference in article.references} == {""}


def test_what_is_numbered_at_the_end_need_not_be_a_list_of_references(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    paper.write("Yeast grows on sugar in every tank that has been filled.")
    for number in range(1, 8):
        paper.y -= 10
        paper.write(f"{number}. The tank is filled with water and sugar on day {number}.")
    paper.save()
    article = read(tmp_path / "a.pdf")
    assert not article.references
    assert article.text.count("The tank is filled") == 7


def test_entries_of_one_line_begin_where_lines_are_not_indented(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    paper.write("Yeast grows on sugar in every tank that has been filled.")
    paper.write_heading("References")
    for number, name in enumerate("Abe Bly Cho Doe Ely Fox Guy Hay Ito Jay".split()):
        long = "and of the old ovens of the south that bakers filled with water " * 2
        title = f"The growth of yeast {long * (number == 5)}"
        paper.write(f"{name} A., Ry B., 2001, {title}, J Yeast, {number}, 1", hang=14)
    paper.save()
    entries = read(tmp_path / "a.pdf").references
    assert [
        entry.text[:3] for entry in entries
    ] == "Abe Bly Cho Doe Ely Fox Guy Hay Ito Jay".split()


def test_a_running_head_with_its_page_stands_on_every_second_page(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    texts = [write_paragraph(number).replace("^", "").replace("\xad", "") for number in range(10)]
    for page in range(1, 6):
        paper.canvas.setFont(FONT, 10)
        if page > 1:
            head = f"Made yeast {page}" if page % 2 else f"{page} Ito and others"
            paper.canvas.drawString(MARGIN, 790, head)
        for text in texts[2 * page - 2 : 2 * page]:
            paper.write(text, indent=12)
        if page < 5:
            paper.end_page()
    paper.save()
    assert read(tmp_path / "a.pdf").text.split("\n\n") == texts


@pytest.mark.parametrize("step", [1, 5])
def test_numbers_of_lines_are_left_out(step: int, tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    texts = [write_paragraph(number).replace("^", "").replace("\xad", "") for number in range(20)]
    for text in texts:
        paper.write(text, indent=12)
    paper.canvas.setFont(FONT, 8)
    for number in range(step, 58, step):
        paper.canvas.drawRightString(40, paper.top - 12 * number, str(number))
    paper.save()
    assert read(tmp_path / "a.pdf").text.split("\n\n") == texts


def test_numbers_of_lines_that_are_not_evenly_spaced_are_left_out(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    for number in range(1, 20):
        paper.y -= 7 * (number % 3)
        paper.write(f"Tank {number} was seen in cold water on that day.", 12)
        paper.canvas.setFont(FONT, 6)
        paper.canvas.drawRightString(40, paper.y, str(number))
    paper.save()
    lines = read(tmp_path / "a.pdf").text.replace("\n\n", " ").replace(". ", ".\n").split("\n")
    assert lines == [f"Tank {n} was seen in cold water on that day." for n in range(1, 20)]


@pytest.mark.parametrize("step", [1, 5])
def test_numbers_of_lines_are_left_out_on_a_page_of_few(step: int, tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    words = "yeast bread sugar tanks ovens lamps water cells strains nights rye".split()
    lines = [
        f"We saw {' and '.join(words[at * place % 11] for place in range(1, 6))}."
        for at in range(67)
    ]
    for at, line in enumerate(lines, 1):
        paper.write(line, 12)
        if at % step == 0:
            paper.canvas.setFont(FONT, 6)
            paper.canvas.drawRightString(40, paper.y, str(at))
        if at in (30, 60):
            paper.end_page()
    paper.save()
    text = read(tmp_path / "a.pdf").text.replace("\n\n", " ")
    assert text.replace(". ", ".\n").split("\n") == lines


@pytest.mark.parametrize(
    ("label", "volume"),
    [("{} ", 7), ("[{}] ", 2)],
    ids=["an entry's number is none of a line", "a line's volume is no number of an entry"],
)
def test_entries_begin_at_their_numbers(label: str, volume: int, tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    paper.write("Yeast grows on sugar in every tank that has been filled.")
    paper.write_heading("References")
    for number in range(1, 9):
        title = f"Growth of yeast {'in tanks ' * 9 * (number % 3 + 1)}"
        paper.write(f"{label.format(number)}Ito A. {title}. J Yeast,", hang=14)
        paper.write(f"{number + volume}:154–163, 2001.", indent=14)
    paper.save()
    labels = [reference.label for reference in read(tmp_path / "a.pdf").references]
    assert labels == list("12345678")


def test_an_entry_may_begin_at_the_top_of_a_page(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    paper.write("Yeast grows on sugar in every tank that has been filled.")
    paper.write_heading("References")
    words = "yeast bread sugar tanks ovens lamps water cells strains nights rye".split()
    for year in range(1990, 2003):
        title = " ".join(words[year * place % 11] for place in range(1, 30))
        paper.y -= 8
        paper.write(f"Ito, A, and B Ry. {year}. “Old {title}.” J Yeast 5: 1–9.")
        if year in (1994, 1998):
            paper.end_page()
    paper.save()
    found = read(tmp_path / "a.pdf").references
    assert [reference.publication.year for reference in found] == list(range(1990, 2003))


def test_a_line_that_is_too_long_for_its_column_divides_no_columns(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", is_headed=False)
    texts = [write_paragraph(number).replace("^", "").replace("\xad", "") for number in range(40)]
    for text in texts[:6]:
        paper.write(text, indent=12)
    long = "Yeast"
    while stringWidth(long, FONT, 10) < paper.width + 8:
        long += " grows"
    paper.y -= 12
    paper.canvas.setFont(FONT, 10)
    paper.canvas.drawString(paper.left, paper.y, long)
    paper.write("on sugar.")
    for text in texts[6:]:
        paper.write(text, indent=12)
    paper.save()
    found = read(tmp_path / "a.pdf").text.split("\n\n")
    assert found == [*texts[:6], f"{long} on sugar.", *texts[6:]]


def test_a_table_of_words_is_text_and_one_of_numbers_is_not(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    paper.write(write_paragraph(1).replace("^", "").replace("\xad", ""))
    paper.write_caption("Table 1. What the tanks are made of.")
    paper.write_table([("wooden", "old tanks"), ("iron", "new tanks"), ("glass", "few tanks")])
    paper.write_caption("Table 2. What was in the tanks.")
    paper.write_table([("7", "1.5", "20.7"), ("8", "2.5", "30.7"), ("9", "3.5", "40.7")])
    paper.save()
    article = read(tmp_path / "a.pdf")
    assert "wooden old tanks iron new tanks glass few tanks" in article.text
    assert "20.7" not in article.text


def test_a_table_across_the_columns_is_read_row_by_row(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", is_headed=False)
    for number in range(60):
        paper.write(write_paragraph(number).replace("^", "").replace("\xad", ""), indent=12)
    paper.end_page()
    for at, kind in enumerate(("wooden", "iron", "glass", "paper", "stone", "golden", "silver")):
        for place, cell in ((60, kind), (200, "tank"), (330, "of"), (460, "yeast")):
            paper.canvas.setFont(FONT, 10)
            paper.canvas.drawString(place, 700 - 12 * at, cell)
    paper.save()
    assert "wooden tank of yeast iron tank of yeast glass" in read(tmp_path / "a.pdf").text


def test_a_sentence_goes_on_with_the_name_of_a_table(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", is_headed=False)
    paper.write("Yeast grows in wooden tanks, and what was seen in each of them is shown in")
    paper.end_page()
    paper.write("Table 2. Nothing else was seen in the tanks, as they were empty on that day.")
    paper.save()
    article = read(tmp_path / "a.pdf")
    assert "is shown in Table 2. Nothing else" in article.text
    assert {section.kind for section in article.sections} == {"body"}


@pytest.mark.parametrize("text", ["x = (y + z) / 2 ab", "and was seen again, as many say,"])
def test_formulas_and_parts_of_sentences_are_no_headings(text: str, tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", columns=1, is_headed=False)
    paper.write_heading("Methods")
    paper.write(write_paragraph(1))
    paper.y -= 6
    paper.write(text, 10, BOLD)
    paper.y -= 6
    paper.write(write_paragraph(2))
    paper.save()
    assert text in read(tmp_path / "a.pdf").text


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
    write_objects(
        file,
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 1e30 1e30]/Contents 4 0 R>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%b\nendstream" % (len(packed), packed),
    )


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
