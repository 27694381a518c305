"""Word's documents: text, references, and files that wish ill."""

import zipfile
from pathlib import Path

import pytest
from places import TEST_DATA

from citespan.pipelines.citing.citations import find_citations
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import MAX_BYTES
from citespan.pipelines.corpus.readers.docx import DocxReader
from citespan.pipelines.text.splitter import splitters

SPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
FIXTURE = TEST_DATA / "readers" / "docx" / "made.docx"


def read() -> Article:
    (article,) = DocxReader().read(FIXTURE)
    assert isinstance(article, Article)
    return article


def test_the_text_of_the_fixture() -> None:
    article = read()
    assert article.text.split("\n\n") == [
        "Growth of made yeast",
        "Made yeast grows.",
        "Yeast grows on sugar,¹ whereas 10⁶ loaves do not.²–³ It was seen in all cells.¹,³ "
        "It ends.",
        "A cell",
        "Ito and Ry (2001) saw it.",
        "More yeast.",
    ]
    assert [(section.kind, section.title) for section in article.sections] == [
        ("title", ""),
        ("abstract", "Abstract"),
        ("body", "Introduction"),
        ("body", "Appendix"),
    ]


def test_its_citations() -> None:
    found = find_citations(read(), splitters["punkt"])
    text = found.article.text
    assert [(text[m.start : m.end], m.keys) for m in found.markers] == [
        ("¹", ("1",)),
        ("²–³", ("2", "3")),
        ("¹,³", ("1", "3")),
        ("Ito and Ry (2001)", ("1",)),
    ]
    assert [reference.label for reference in found.references] == ["1", "2", "3"]
    assert found.references[0].publication.identifiers == ("pmid:101",)


def write(file: Path, name: str, data: bytes) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return file


def test_headings_by_styles_whose_ids_are_in_another_language(tmp_path: Path) -> None:
    styles = "".join(
        f'<w:style w:styleId="{id_}"><w:name w:val="{name}"/></w:style>'
        for id_, name in (("Titel", "Title"), ("berschrift1", "heading 1"), ("Text", "Body Text"))
    )
    paragraphs = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for style, text in (
            *(("Titel", "Bread."), ("berschrift1", "Abstract"), ("Text", "Yeast grows.")),
            *(("berschrift1", "Ovens"), ("Unknown", "It rises.")),
        )
    )
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        body = f"<w:document {SPACE}><w:body>{paragraphs}</w:body></w:document>"
        archive.writestr("word/document.xml", body)
        archive.writestr("word/styles.xml", f"<w:styles {SPACE}><!-- -->{styles}</w:styles>")
    (article,) = DocxReader().read(tmp_path / "a.docx")
    assert isinstance(article, Article)
    assert article.title == "Bread."
    assert [(section.kind, section.title) for section in article.sections] == [
        ("title", ""),
        ("abstract", "Abstract"),
        ("body", "Ovens"),
    ]


ITO = "Ito K, Ry B. Sugar feeds yeast in warm ovens. J Bread. 2001;3:1-9."
RY = "Ry, B. (2004). Bread rises where it is warm. Journal of Bread, 4, 11-19."


def run(text: str, raised: str = "") -> str:
    properties = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>' if raised else ""
    shown = f'<w:t xml:space="preserve">{text}</w:t>' if text else raised
    return f"<w:r>{properties}{shown}</w:r>"


def read_with_notes(folder: Path, notes: dict[int, str], *below: str) -> Article:
    """A document that refers to notes 2, 3 and 5, once more to the first of them by its number, and
    has paragraphs below its text."""
    marks = {id_: run("", f'<w:endnoteReference w:id="{id_}"/>') for id_ in (2, 3, 5)}
    again = run("1", "raised")
    text = f"{run('Yeast likes sugar')}{marks[2]}{run('. Bread rises.')}{marks[3]}{marks[5]}"
    paragraphs = (run("Bread"), f"{text}{run(' It ends')}{again}{run('.')}", *map(run, below))
    body = "".join(f"<w:p>{paragraph}</w:p>" for paragraph in paragraphs)
    listed = "".join(
        f'<w:endnote w:id="{id_}"><w:p>{run(" " + text)}</w:p></w:endnote>'
        for id_, text in notes.items()
    )
    with zipfile.ZipFile(folder / "a.docx", "w") as archive:
        archive.writestr(
            "word/document.xml", f"<w:document {SPACE}><w:body>{body}</w:body></w:document>"
        )
        separator = '<w:endnote w:type="separator" w:id="-1"><w:p/></w:endnote>'
        archive.writestr(
            "word/endnotes.xml", f"<w:endnotes {SPACE}>{separator}{listed}</w:endnotes>"
        )
    (article,) = DocxReader().read(folder / "a.docx")
    assert isinstance(article, Article)
    return article


def test_notes_are_the_references_where_there_is_no_list(tmp_path: Path) -> None:
    article = read_with_notes(tmp_path, {5: "We thank them.", 3: RY, 2: ITO}, "References")
    assert article.text == "Bread\n\nYeast likes sugar¹. Bread rises.²,³ It ends¹."
    assert [reference.label for reference in article.references] == ["1", "2", "3"]
    assert [reference.publication.year for reference in article.references] == [2001, 2004, None]
    found = find_citations(article, splitters["punkt"])
    assert [marker.keys for marker in found.markers] == [("1",), ("2", "3"), ("1",)]


@pytest.mark.parametrize(
    ("notes", "below"),
    [
        ({2: "We thank them.", 3: "All of (Ito 2001).", 5: ITO}, ()),
        ({2: ITO, 3: RY, 5: "We thank them."}, ("References", "1. Roe J. Ovens are warm. 2002.")),
    ],
)
def test_other_notes_stand_behind_their_paragraph(
    notes: dict[int, str], below: tuple[str, ...], tmp_path: Path
) -> None:
    article = read_with_notes(tmp_path, notes, *below)
    text = ["Bread", "Yeast likes sugar. Bread rises. It ends¹.", *notes.values()]
    assert article.text.split("\n\n") == text
    assert [reference.publication.year for reference in article.references] == [2002][: len(below)]


def bold(text: str) -> str:
    return f'<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def test_a_manuscript_without_styles(tmp_path: Path) -> None:
    raised = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>1</w:t></w:r>'
    paragraphs = (
        *(
            bold("Bread"),
            f"{bold('Ann Ito')}{raised}",
            f"{raised}{run('Bakery')}",
            bold("Abstract"),
        ),
        *(f"{bold('Aim: ')}{run('To bake.')}", run("INTRODUCTION"), f"{run('It grew.')}{raised}"),
        *(run("References"), run(f"1. {ITO}"), run("Table 1. Ovens."), run("Figure legends")),
        *(f"{bold('Figure 1. ')}{run('It rose.')}{raised}", bold("All of it is bold.")),
        *(bold("Table 1. Ovens [1]"), bold("2.1 Funding")),
    )
    body = "".join(f"<w:p>{paragraph}</w:p>" for paragraph in paragraphs)
    document = f"<w:document {SPACE}><w:body>{body}</w:body></w:document>"
    file = write(tmp_path / "a.docx", "word/document.xml", document.encode())
    (article,) = DocxReader().read(file)
    assert isinstance(article, Article)
    assert [(section.kind, section.title) for section in article.sections] == [
        ("title", ""),
        ("abstract", "Abstract"),
        ("body", "INTRODUCTION"),
        ("body", ""),
    ]
    assert article.text.split("\n\n")[2:] == [
        *("It grew.¹", "Table 1. Ovens.", "Figure legends", "Figure 1. It rose.¹"),
        *("All of it is bold.", "Table 1. Ovens [1]"),
    ]
    assert [reference.label for reference in article.references] == ["1"]


def test_rows_of_a_table_are_text_if_it_has_words(tmp_path: Path) -> None:
    def table(*rows: tuple[str, ...]) -> str:
        cells = ("".join(f"<w:tc><w:p>{run(cell)}</w:p></w:tc>" for cell in row) for row in rows)
        return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"

    words = table(("Study", "Finding"), ("Ito [1]", "Yeast likes sugar, 30 of 40 did"))
    numbers = table(("Study", "n", "%"), ("Ito [1]", "30 (12)", "4.5 (2)"))
    body = f"<w:p>{run('Bread')}</w:p><w:p>{run('Yeast grows.')}</w:p>{words}{numbers}"
    document = f"<w:document {SPACE}><w:body>{body}</w:body></w:document>"
    file = write(tmp_path / "a.docx", "word/document.xml", document.encode())
    (article,) = DocxReader().read(file)
    assert isinstance(article, Article)
    assert article.text.split("\n\n")[2:] == [
        "Study Finding",
        "Ito [1] Yeast likes sugar, 30 of 40 did",
    ]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("word/other.xml", b"", "not a Word document: it has no word/document.xml"),
        ("word/document.xml", b" " * (MAX_BYTES + 1), "larger than 100 MB when unpacked; split it"),
        ("word/document.xml", b"<a><b>", "truncated or not well-formed XML"),
        ("word/document.xml", b"<document/>", "no text"),
        (
            "word/document.xml",
            b'<!DOCTYPE a [<!ENTITY b "cccc">]><document><body>&b;</body></document>',
            "declares the entity",
        ),
    ],
)
def test_bad_documents_are_one_line(name: str, data: bytes, reason: str, tmp_path: Path) -> None:
    (reading,) = DocxReader().read(write(tmp_path / "a.docx", name, data))
    assert isinstance(reading, Rejected)
    assert reading.reason.startswith(reason)
    assert "\n" not in reading.reason
