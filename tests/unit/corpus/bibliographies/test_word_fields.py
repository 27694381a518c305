"""What reference managers put into Word's documents."""

import json
import zipfile
from base64 import b64encode
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pytest

from citespan.pipelines.citing.citations import find_citations
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.readers.docx import DocxReader
from citespan.pipelines.corpus.references import ReferenceList
from citespan.pipelines.text.splitter import splitters

_SPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_BREAD = {
    "id": 7,
    "type": "article-journal",
    "title": "Rising of <i>bread</i> in warm rooms",
    "author": [{"family": "Ito", "given": "Ann"}],
    "issued": {"date-parts": [["2001"]]},
    "container-title": "J Dough",
    "DOI": "10.1000/bread",
}
_OVENS = {"id": 8, "title": "Ovens", "issued": {"date-parts": [[2003]]}, "PMID": "303"}
_RECORD = (
    "<record><rec-number>5</rec-number><contributors><authors><author>Ry, B.</author></authors>"
    "</contributors><titles><title>Sugar &amp; yeast in the dark</title></titles><dates><year>2002"
    "</year></dates><electronic-resource-num>10.1000/sugar</electronic-resource-num></record>"
)
_ENDNOTE = f"<EndNote><Cite><Author>Ry</Author><Year>2002</Year>{_RECORD}</Cite></EndNote>"


def run(inner: str) -> str:
    return f"<w:r>{inner}</w:r>"


def text(shown: str) -> str:
    return run(f'<w:t xml:space="preserve">{escape(shown)}</w:t>')


def mark(kind: str, inner: str = "") -> str:
    return run(f'<w:fldChar w:fldCharType="{kind}">{inner}</w:fldChar>')


def field(instruction: str, shown: str) -> str:
    """A field whose instruction Word has cut into runs."""
    half = len(instruction) // 2
    halves = (instruction[:half], instruction[half:])
    parts = "".join(run(f"<w:instrText>{escape(part)}</w:instrText>") for part in halves)
    return mark("begin") + parts + mark("separate") + text(shown) + mark("end")


def cite(*items: Any, by: str = "ADDIN ZOTERO_ITEM CSL_CITATION") -> str:
    cited = {"citationID": "a", "citationItems": [{"id": 1, "itemData": item} for item in items]}
    return f" {by} {json.dumps(cited)} "


def control(cited: str, shown: str) -> str:
    tag = "MENDELEY_CITATION_v3_" + b64encode(cited.strip().encode()).decode().rstrip("=")
    content = f"<w:sdtContent>{text(shown)}</w:sdtContent>"
    return f"<w:sdt><w:sdtPr><w:tag w:val={quoteattr(tag)}/></w:sdtPr>{content}</w:sdt>"


def data_beside(xml: str, shown: str) -> str:
    """A field of EndNote's with its data in another field, as it writes longer ones."""
    encoded = f"<w:fldData>{b64encode(xml.encode() + bytes(1)).decode()}</w:fldData>"
    inner = mark("begin", encoded) + run("<w:instrText> ADDIN EN.CITE.DATA </w:instrText>")
    outer = mark("begin") + run("<w:instrText> ADDIN EN.CITE </w:instrText>")
    return outer + inner + mark("end") + mark("separate") + text(shown) + mark("end")


def read(tmp_path: Path, *paragraphs: str) -> Article:
    body = "".join(f"<w:p>{paragraph}</w:p>" for paragraph in paragraphs)
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        document = f"<w:document {_SPACE}><w:body>{body}</w:body></w:document>"
        archive.writestr("word/document.xml", document)
    (article,) = DocxReader().read(tmp_path / "a.docx")
    assert isinstance(article, Article)
    return article


def test_records_in_notes_complete_the_notes_that_are_the_list(tmp_path: Path) -> None:
    shown = "Ito, Ann. 'Rising of bread in warm rooms.' J Dough, 2001."
    note = f'<w:footnote w:id="2"><w:p>{field(cite(_BREAD), shown)}</w:p></w:footnote>'
    sentence = text("Bread rises") + run('<w:footnoteReference w:id="2"/>') + text(".")
    body = f"<w:p>{text('Bread')}</w:p><w:p>{sentence}</w:p>"
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        document = f"<w:document {_SPACE}><w:body>{body}</w:body></w:document>"
        archive.writestr("word/document.xml", document)
        archive.writestr(
            "word/footnotes.xml", f"<w:footnotes {_SPACE}>{note}<!-- --></w:footnotes>"
        )
    (article,) = DocxReader().read(tmp_path / "a.docx")
    assert isinstance(article, Article)
    [reference] = article.references
    assert (reference.label, reference.publication.doi) == ("1", "10.1000/bread")
    assert article.text == "Bread\n\nBread rises¹."


def test_records_complete_the_entries_that_the_list_shows(tmp_path: Path) -> None:
    article = read(
        tmp_path,
        text("Bread"),
        text("Bread rises ")
        + field(cite(_BREAD), "[1]")
        + text(" on sugar ")
        # the same again, then with another record
        + field(f" ADDIN EN.CITE {_ENDNOTE}", "[2]")
        + text(". Ovens are hot ")
        + control(cite(_BREAD, _OVENS, by=""), "[1, 3]")
        + text("."),
        text("References"),
        text("1. Ito A. Rising of bread in warm rooms. J Dough 2001;1:2."),
        text("2. Ry B. Sugar & yeast in the dark. 2002. doi:10.1000/printed"),
        text("3. Ovens. 2003."),
        text("4. Typed Q. Written by hand. 2004."),
    )
    found = [
        (entry.label, entry.publication.title, entry.publication.identifiers)
        for entry in article.references
    ]
    assert found == [
        ("1", "Rising of bread in warm rooms", ("doi:10.1000/bread",)),
        ("2", "Sugar & yeast in the dark", ("doi:10.1000/printed",)),
        ("3", "Ovens", ("pmid:303",)),
        ("4", "Written by hand", ()),
    ]
    assert article.reference_list.problems == ()
    cited = find_citations(article, splitters["punkt"])
    assert [marker.keys for marker in cited.markers] == [("1",), ("2",), ("1", "3")]


@pytest.mark.parametrize(
    "citing",
    [
        field(cite(_BREAD, by="ADDIN CSL_CITATION"), "(Ito, 2001)"),
        f"<w:fldSimple w:instr={quoteattr(cite(_BREAD))}>{text('(Ito, 2001)')}</w:fldSimple>",
        control(cite(_BREAD, by=""), "(Ito, 2001)"),
    ],
)
def test_records_are_the_references_of_a_text_without_a_list(tmp_path: Path, citing: str) -> None:
    beside = data_beside(_ENDNOTE, "(Ry, 2002)")
    article = read(tmp_path, text("Bread"), text("It rises ") + citing + beside + text("."))
    assert "It rises (Ito, 2001)(Ry, 2002)." in article.text
    assert [entry.publication.doi for entry in article.references] == [
        "10.1000/bread",
        "10.1000/sugar",
    ]
    assert article.references[0].publication.authors == ("Ito, Ann",)
    cited = find_citations(article, splitters["punkt"])
    assert [marker.keys for marker in cited.markers] == [("1",), ("2",)]


def test_other_fields_and_deleted_citations_are_none(tmp_path: Path) -> None:
    contents = mark("begin", "<w:fldData>CNDJ6nn5us4RjIIAqgBLqQsCAAAA</w:fldData>") + mark("end")
    deleted = f"<w:del>{data_beside(_ENDNOTE, '[1]')}</w:del>"
    article = read(tmp_path, text("Bread"), text("It rises.") + contents + deleted)
    assert article.reference_list == ReferenceList()


def test_an_entry_whose_title_somebody_has_changed(tmp_path: Path) -> None:
    citing = text("It rises ") + field(cite(_BREAD), "(Ito, 2001)") + text(".")
    entries = (
        "Ito A. The rising of breads in warm rooms. J Dough 2001.",
        "Ito A. Ovens. Loaf 2001.",
    )
    listed = map(text, ("References", *entries))
    article = read(tmp_path, text("Bread"), citing, *listed)
    assert [entry.publication.doi for entry in article.references] == ["10.1000/bread", ""]


@pytest.mark.parametrize(
    "entry",
    [
        "Typed Q. Rising of bread in cold rooms. J Dough 2001.",
        "Ito A. Yeast in the night. J Dough 2001.",
    ],
)
def test_a_record_that_the_list_lacks_is_added_without_a_number(tmp_path: Path, entry: str) -> None:
    citing = text("It rises ") + field(cite(_BREAD), "(Ito, 2001)") + text(".")
    article = read(tmp_path, text("Bread"), citing, text("References"), text(entry))
    assert [entry.label for entry in article.references] == ["", ""]
    assert article.references[1].publication.doi == "10.1000/bread"


@pytest.mark.parametrize(
    ("citing", "problem"),
    [
        (
            field(" ADDIN ZOTERO_ITEM CSL_CITATION {", "[1]"),
            "citation 1: the reference manager's record can't be read",
        ),
        (
            field(" ADDIN ZOTERO_ITEM CSL_CITATION [1]", "[1]"),
            "citation 1: the reference manager's record can't be read",
        ),
        (
            field(' ADDIN CSL_CITATION {"citationItems": 3}', "[1]"),
            "citation 1: the reference manager's record can't be read",
        ),
        (
            field(" CSL_CITATION " + '{"a":' * 9999, "[1]"),
            "citation 1: the reference manager's record can't be read",
        ),
        (field(cite(3), "[1]"), "citation 1: item 1 is not an object; it is left out"),
        (field(cite({"id": 1}), "[1]"), "citation 1: item 1 has neither a title nor an identifier"),
        (
            field(" ADDIN EN.CITE <EndNote><Cite>", "[1]"),
            "citation 1: truncated or not well-formed",
        ),
        (
            mark("begin", "<w:fldData>PEVuZE5vdGU</w:fldData>"),
            "citation 1: the reference manager's record can't be read",
        ),
        (control("{", "[1]"), "citation 1: the reference manager's record can't be read"),
    ],
)
def test_broken_fields_are_a_line_each(tmp_path: Path, citing: str, problem: str) -> None:
    article = read(tmp_path, text("Bread"), text("Bread rises ") + citing, text("It ends."))
    assert article.references == ()
    (line,) = article.reference_list.problems
    assert line.startswith(problem)
    assert "\n" not in line
