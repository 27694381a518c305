"""Reference managers' files: what each format says of an entry, and the files that it brings."""

import json
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from citespan.pipelines.citations.manuscript import read_citations
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.bibliographies.bibliography import (
    count_entries,
    is_bibliography,
    read_bibliography,
)
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.reader import readers, recognise
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit_reading import read_articles

SUGAR = Publication(
    ("Ito, Kim B.", "van Ry, Bo"), "Sugar feeds S. cerevisiae", 2001, "Journal of Yeast", "101",
    "PMC34", "10.1000/sugar",
)  # fmt: skip

RIS = """Provider: made for this test

TY  - JOUR
ID  - sugar
A1  - Ito, Kim B.
A1  - van Ry, Bo
TI  - Sugar feeds
 <i>S. cerevisiae</i>.
Y1  - 2001/05/01
JF  - Journal of Yeast
AN  - 101
DB  - PubMed
C2  - PMC34
DO  - https://doi.org/10.1000/SUGAR
UR  - https://yeast.example/sugar
L1  - files/sugar.txt
ER  -
"""
BIB = """@article{sugar, author = {Ito, Kim B. and van Ry, Bo}, pmid = 101, pmcid = {PMC34},
  title = {Sugar feeds \\emph{S. cerevisiae}}, year = 2001, journal = {Journal of Yeast},
  doi = {10.1000/sugar}, file = {Full text:files/sugar.txt:text/plain;Also:/no/such\\:file.pdf:}}
"""
ENDNOTE = """<?xml version="1.0" encoding="UTF-8"?><xml><records><record>
<rec-number>7</rec-number><label>sugar</label><contributors><authors>
<author><style face="normal">Ito, Kim B.</style></author><author>van Ry, Bo</author></authors>
</contributors><titles><title><style>Sugar feeds </style><style face="italic">S. cerevisiae</style>
</title><secondary-title>J Yeast</secondary-title></titles>
<periodical><full-title>Journal of Yeast</full-title></periodical><dates><year>2001</year></dates>
<accession-num>101</accession-num><custom2>PMC34</custom2>
<electronic-resource-num>10.1000/sugar</electronic-resource-num>
<urls><related-urls><url>https://yeast.example/sugar</url></related-urls>
<pdf-urls><url>internal-pdf://7/sugar.txt</url></pdf-urls></urls></record></records></xml>
"""
CSL = [
    {
        "id": "sugar",
        "type": "article-journal",
        "title": "Sugar feeds <i>S. cerevisiae</i>",
        "author": [
            {"family": "Ito", "given": "Kim B."},
            {"family": "Ry", "given": "Bo", "non-dropping-particle": "van"},
        ],
        "issued": {"date-parts": [["2001", 5]]},
        "container-title": "Journal of Yeast",
        "DOI": "10.1000/sugar",
        "note": "PMID: 101\nPMCID: PMC34",
        "attachments": [{"path": "files/sugar.txt"}],
    }
]
BETTER = {
    "config": {"label": "BetterBibTeX JSON"},
    "items": [
        {
            "itemType": "journalArticle",
            "itemKey": "AAAA1111",
            "citationKey": "sugar",
            "title": "Sugar feeds <i>S. cerevisiae</i>",
            "creators": [
                {"creatorType": "author", "firstName": "Kim B.", "lastName": "Ito"},
                {"creatorType": "author", "firstName": "Bo", "lastName": "van Ry"},
                {"creatorType": "editor", "name": "A Group"},
            ],
            "date": "May 2001",
            "publicationTitle": "Journal of Yeast",
            "DOI": "10.1000/sugar",
            "extra": "PMID: 101\nPMCID: PMC34",
            "attachments": [
                {"itemType": "attachment", "path": "files/sugar.txt"},
                {"itemType": "attachment", "url": "https://yeast.example"},
            ],
        },
        {"itemType": "note", "title": "no reference"},
    ],
}
SCHEMA = """
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT, key TEXT);
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT);
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID INT);
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT);
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE itemCreators (itemID INT, creatorID INT, creatorTypeID INT, orderIndex INT);
CREATE TABLE itemAttachments (itemID INT, parentItemID INT, linkMode INT, path TEXT);
INSERT INTO itemTypes VALUES (1, 'journalArticle'), (2, 'attachment'), (3, 'note');
INSERT INTO items VALUES (1, 1, 'AAAA1111'), (2, 2, 'BBBB2222'), (3, 3, 'CCCC3333'),
  (4, 1, 'DDDD4444'), (5, 1, 'EEEE5555'), (6, 2, 'FFFF6666');
INSERT INTO deletedItems VALUES (4);
INSERT INTO fields VALUES (1, 'title'), (2, 'date'), (3, 'publicationTitle'), (4, 'DOI'),
  (5, 'extra');
INSERT INTO itemDataValues VALUES (1, 'Sugar feeds <i>S. cerevisiae</i>'),
  (2, '2001-05-00 May 2001'), (3, 'Journal of Yeast'), (4, '10.1000/sugar'),
  (5, 'Citation Key: sugar' || char(10) || 'PMID: 101' || char(10) || 'PMCID: PMC34'),
  (6, 'Deleted');
INSERT INTO itemData VALUES (1, 1, 1), (1, 2, 2), (1, 3, 3), (1, 4, 4), (1, 5, 5), (4, 1, 6);
INSERT INTO creators VALUES (1, 'Kim B.', 'Ito'), (2, 'Bo', 'van Ry');
INSERT INTO creatorTypes VALUES (1, 'author');
INSERT INTO itemCreators VALUES (1, 2, 1, 1), (1, 1, 1, 0);
INSERT INTO itemAttachments VALUES (2, 1, 0, 'storage:sugar.txt'),
  (6, NULL, 2, '/no/such/alone.pdf');
"""


def make_zotero(folder: Path) -> Path:
    """A data folder of Zotero with one article, and an item that says nothing."""
    with closing(sqlite3.connect(folder / "zotero.sqlite")) as database:
        database.executescript(SCHEMA)
    stored = folder / "storage" / "BBBB2222"
    stored.mkdir(parents=True)
    (stored / "sugar.txt").write_text("Sugar feeds yeast\n\nYeast grows on sugar.")
    return folder / "zotero.sqlite"


def make(name: str, folder: Path) -> Path:
    """A library with one article, and the file that its entry names."""
    if name == "zotero.sqlite":
        return make_zotero(folder)
    written = {
        "made.ris": RIS,
        "made.bib": BIB,
        "made.xml": ENDNOTE,
        "made.json": json.dumps(CSL),
        "better.json": json.dumps(BETTER),
    }[name]
    (folder / name).write_text(written)
    stored = folder / ("made.Data/PDF/7" if name == "made.xml" else "files")
    stored.mkdir(parents=True)
    (stored / "sugar.txt").write_text("Sugar feeds yeast\n\nYeast grows on sugar.")
    return folder / name


FORMATS = ["made.ris", "made.bib", "made.xml", "made.json", "better.json", "zotero.sqlite"]


@pytest.mark.parametrize("name", FORMATS)
def test_all_formats_say_the_same_of_an_article(name: str, tmp_path: Path) -> None:
    library = make(name, tmp_path)
    assert is_bibliography(library)
    assert recognise(library) is recognise(tmp_path) is readers["library"]
    reference = read_bibliography(library, name).references[0]
    assert reference.key == "sugar"
    assert reference.names == ("sugar",)
    assert reference.publication == SUGAR


@pytest.mark.parametrize("name", FORMATS)
def test_the_attached_file_is_read_as_the_article_of_its_entry(name: str, tmp_path: Path) -> None:
    library = make(name, tmp_path)
    read = list(readers["library"].read(library))
    (found,) = [reading for reading in read if isinstance(reading, Article)]
    assert found.id == "PMC34", found
    assert found.also_known_as == ("101", "10.1000/sugar", "sugar")
    assert found.publication == SUGAR
    assert found.text == "Sugar feeds yeast\n\nYeast grows on sugar."
    assert f"{library}: entry 'sugar': " in found.source
    assert len(read) == (3 if name == "zotero.sqlite" else 1)


def test_zotero_tells_items_without_a_name_and_files_without_an_item(tmp_path: Path) -> None:
    told = [
        reading
        for reading in readers["library"].read(make_zotero(tmp_path))
        if type(reading) is Rejected
    ]
    assert [(rejected.reason, rejected.outcome) for rejected in told] == [
        ("item 'EEEE5555' has neither a title nor an identifier; it is left out", "quarantined"),
        ("its file is missing: /no/such/alone.pdf", "quarantined"),
    ]
    assert recognise(tmp_path / "storage") is readers["library"]


def reasons(library: Path) -> list[tuple[str, str]]:
    return [
        (reading.outcome, reading.reason)
        if isinstance(reading, Rejected)
        else ("indexed", reading.id)
        for reading in readers["library"].read(library)
    ]


def test_each_entry_ends_as_an_article_or_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("One\n\nIt is one.")
    (tmp_path / "two.xyz").write_text("of no format")
    (tmp_path / "bad.nxml").write_text("<article><body>")
    (tmp_path / "own.nxml").write_text(
        "<article><front><article-meta><article-id pub-id-type='doi'>10.1000/own</article-id>"
        "</article-meta></front><body><p>It says so.</p></body></article>"
    )
    entries = [
        {"id": "none", "title": "None", "DOI": "10.1000/one"},
        {"id": "one", "title": "One", "DOI": "10.1000/one", "file": "one.txt"},
        {"id": "again", "title": "Again", "DOI": "10.1000/ONE", "file": "one.txt"},
        {"id": "gone", "title": "Gone", "file": "gone.pdf"},
        {"id": "long", "title": "Long", "file": "a" * 5000},
        {"id": "nul", "title": "Nul", "file": "a\0b"},
        {"id": "page", "title": "Page", "file": "https://a.example/b.pdf"},
        {"id": "two", "title": "Two", "file": "two.xyz"},
        {"id": "bad", "title": "Bad", "file": "bad.nxml"},
        {"id": "own", "title": "Own", "DOI": "10.1000/other", "file": "own.nxml"},
        {"id": "self", "title": "Self", "file": "made.json"},
        "no entry",
        {"id": "blank"},
    ]
    library = tmp_path / "made.json"
    library.write_text(
        json.dumps([{"type": "article", **e} if isinstance(e, dict) else e for e in entries])
    )
    told = reasons(library)
    assert len(told) == len(entries)
    said = dict(zip([e["id"] for e in entries if isinstance(e, dict)], told[2:], strict=False))
    assert told[:2] == [
        ("quarantined", "item 12 is not an object; it is left out"),
        ("quarantined", "item 13 has neither a title nor an identifier; it is left out"),
    ]
    assert said["none"] == ("skipped", "the same DOI 10.1000/one as entry 'one'")
    assert said["one"] == ("indexed", "10.1000/one")
    assert said["again"] == ("skipped", "the same DOI 10.1000/one as entry 'one'")
    assert said["gone"] == ("quarantined", f"its file is missing: {tmp_path / 'gone.pdf'}")
    assert said["long"][1].startswith("its file is missing: ")
    assert said["nul"][1].startswith("its file is missing: ")
    assert said["page"] == ("skipped", "no file is attached")
    assert said["two"][0] == "skipped"
    assert "of no known format" in said["two"][1]
    assert said["bad"][0] == "quarantined"
    assert "bad.nxml: truncated" in said["bad"][1]
    assert said["own"] == ("indexed", "10.1000/own")
    assert said["self"] == ("skipped", f"{library}: not an article")


def test_a_library_of_50000_entries_is_told_entry_by_entry(tmp_path: Path) -> None:
    library = tmp_path / "made.ris"
    library.write_text("".join(f"TY  - JOUR\nTI  - Made {n}\nER  - \n" for n in range(50_000)))
    assert count_entries(library) == 50_000
    told = reasons(library)
    assert len(told) == 50_000
    assert set(told) == {("skipped", "no file is attached")}


@pytest.mark.parametrize(
    ("name", "written", "problem"),
    [
        ("a.ris", "TY  - JOUR\nER  - \n", "a.ris:1: the record has neither a title"),
        (
            "a.ris",
            "TY  - J\nTI  - A\nER  - \nb\nTY  - J\nTI  - B\n",
            "a.ris:4: 'b' is in no record",
        ),
        ("a.ris", "nothing", "a.ris: no record in it"),
        ("a.xml", "<xml><records><record><titles>", "a.xml: truncated or not well-formed"),
        (
            "a.xml",
            "<!DOCTYPE xml [<!ENTITY e 'x'>]><xml><records><record>&e;</record></records></xml>",
            "a.xml: record 1: declares the entity",
        ),
        ("a.json", "[1]", "a.json: item 1 is not an object"),
        ("a.json", '[{"id": "a"}]', "a.json: item 1 has neither a title nor an identifier"),
    ],
)
def test_a_broken_entry_is_told_in_one_line(
    name: str, written: str, problem: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(written)
    (said,) = read_bibliography(tmp_path / name, name).problems
    assert said.startswith(problem)
    assert "\n" not in said


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.json", lambda file: file.write_text("[")),
        ("a.json", lambda file: file.write_text('{"a": 1}')),
        ("a.json", lambda file: file.write_text("[" * 100_000)),
        ("a.json", lambda file: file.write_text("[" + "1" * 10_000 + "]")),
        ("a.json", lambda file: file.write_bytes(b"[\xff]")),
        ("zotero.sqlite", lambda file: file.write_bytes(b"SQLite format 3\0" + bytes(200))),
        ("zotero.sqlite", lambda file: sqlite3.connect(file).execute("CREATE TABLE items (a)")),
    ],
)
def test_a_file_that_is_no_library_is_an_input_error(
    name: str, write: Callable[[Path], object], tmp_path: Path
) -> None:
    write(tmp_path / name)
    with pytest.raises(InputError):
        read_bibliography(tmp_path / name, name)


@pytest.mark.parametrize("name", ["made.ris", "made.xml", "made.json"])
def test_a_manuscript_takes_its_references_from_a_library(name: str, tmp_path: Path) -> None:
    make(name, tmp_path)
    manuscript = tmp_path / "made.md"
    manuscript.write_text(f"---\nbibliography: {name}\n---\n\nYeast grows on sugar [@sugar].\n")
    (citation,) = read_citations(manuscript).citations
    assert citation.reference is not None
    assert citation.reference.publication == SUGAR


def test_articles_without_identifiers_are_called_by_their_files(tmp_path: Path) -> None:
    for folder in ("1", "2"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "paper.txt").write_text("Made\n\nIt is made.")
    (tmp_path / "other.txt").write_text("Other\n\nIt is another.")
    files = {"a": "1/paper.txt", "b": "2/paper.txt", "c": "other.txt"}
    items = [{"id": k, "type": "book", "title": k, "file": file} for k, file in files.items()]
    (tmp_path / "a.json").write_text(json.dumps(items))
    assert [told for _, told in reasons(tmp_path / "a.json")] == ["paper (a)", "paper (b)", "other"]


def test_an_article_keeps_its_own_notices(tmp_path: Path) -> None:
    (tmp_path / "own.xml").write_text(
        '<article><front><article-meta><article-id pub-id-type="pmid">5</article-id><title-group>'
        "<article-title>Sugar</article-title></title-group><related-article "
        'related-article-type="retracted-article" ext-link-type="pubmed" '
        'xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="9"/></article-meta></front>'
        "<body><p>Sugar was retracted.</p></body></article>",
        encoding="utf-8",
    )
    library = tmp_path / "made.ris"
    library.write_text("TY  - JOUR\nTI  - Sugar\nL1  - own.xml\nER  -\n", encoding="utf-8")
    alone, joined = (
        next(reading for reading in readers[name].read(file) if isinstance(reading, Article))
        for name, file in (("jats", tmp_path / "own.xml"), ("library", library))
    )
    assert alone.publication.notice_of
    assert joined.publication.notice_of == alone.publication.notice_of


def test_an_identifier_that_is_none_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "made.xml"
    file.write_text(ENDNOTE.replace("10.1000/sugar<", "sugar of 2001<"), encoding="utf-8")
    [reference] = read_bibliography(file, "made.xml").references
    assert reference.publication.doi == ""
    assert "DOI: sugar of 2001" in reference.text


def test_half_a_character_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"id": "a", "title": "A\\ud800", "file": "b\\udfff"}]')
    (reference,) = read_bibliography(tmp_path / "a.json", "a.json").references
    assert (reference.publication.title, reference.files) == ("A?", ("b?",))


def test_a_library_in_an_archive_opens_no_file_of_this_machine(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("Secret\n\nNobody is to read this.")
    (tmp_path / "a.json").write_text(
        json.dumps([{"id": "a", "type": "book", "title": "A", "file": str(secret)}])
    )
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "a.json", "a.json")
    (told,) = read_articles(Sources([str(tmp_path / "a.tar.gz")], "auto"))
    assert isinstance(told, Rejected)
    assert told.reason == "a library among articles; load it by its name"
    with pytest.raises(InputError, match="a library among articles"):
        read_citations(tmp_path / "a.tar.gz")


def test_a_library_is_no_manuscript(tmp_path: Path) -> None:
    library = make("made.ris", tmp_path)
    with pytest.raises(InputError, match="a library and no manuscript"):
        read_citations(library)
    with pytest.raises(InputError, match="a library and no manuscript"):
        read_citations(library, "library")
