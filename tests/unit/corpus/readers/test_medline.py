"""Medline XML: what becomes of each record, and of files that are not as they should be."""

import gzip
import io
import sys
import zlib
from pathlib import Path

import pytest
from made_medline import PROSE, citation, medline, section
from places import TEST_DATA

from citespan.pipelines.corpus.abstract import Abstract, AbstractReading, Deletion
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.reader import recognise
from citespan.pipelines.corpus.readers.medline import MedlineReader, read_elements

FIXTURE = TEST_DATA / "readers/medline/citations.xml"
SPANISH = (
    "El objetivo de este estudio fue medir el sueño de los ratones durante el invierno y "
    "compararlo con el de las ratas que duermen en la misma jaula."
)


def read(data: bytes, tmp_path: Path, name: str = "m.xml") -> list[AbstractReading]:
    file = tmp_path / name
    file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return list(MedlineReader().abstracts(file))


def one(xml: str, tmp_path: Path) -> Abstract:
    (found,) = read(medline([xml]), tmp_path)
    assert isinstance(found, Abstract), found
    return found


def rejected(xml: str, tmp_path: Path) -> Rejected:
    (found,) = read(medline([xml]), tmp_path)
    assert isinstance(found, Rejected), found
    return found


def test_a_structured_abstract() -> None:
    abstract = next(iter(MedlineReader().abstracts(FIXTURE)))
    assert isinstance(abstract, Abstract)
    assert abstract.id == "90000001"
    title = "Does a walk before breakfast lower blood pressure in older adults?"
    assert abstract.title == title
    assert abstract.text[: abstract.start] == title + "\n\n"
    assert [(s.title, s.category, s.kind) for s in abstract.sections] == [
        ("", "", "title"),
        ("BACKGROUND", "BACKGROUND", "abstract"),
        ("METHODS", "METHODS", "abstract"),
        ("RESULTS", "RESULTS", "abstract"),
        ("CONCLUSIONS", "CONCLUSIONS", "abstract"),
    ]
    results = abstract.sections[3]
    assert abstract.text[results.start : results.end].endswith("VO2 rose in both groups.")
    assert "(P<0.01)" in abstract.text
    assert abstract.structured
    assert (abstract.year, abstract.revised, abstract.version) == (2019, "2021-03-09", 1)
    assert abstract.mesh == ("Walking", "Blood Pressure")
    assert abstract.also_known_as == ("PMC9900001", "10.9999/walk.2019")
    assert abstract.publication_types == ("Journal Article", "Randomized Controlled Trial")
    assert abstract.publication == Publication(
        ("Made-Up, Ann B", "Walking Group"),
        title,
        2019,
        "Journal of made-up trials",
        "90000001",
        "PMC9900001",
        "10.9999/walk.2019",
    )
    assert abstract.source == f"{FIXTURE}: PMID 90000001"


def test_a_translated_title_and_an_abstract_in_another_language() -> None:
    abstract = list(MedlineReader().abstracts(FIXTURE))[1]
    assert isinstance(abstract, Abstract)
    assert abstract.title == "The tide tables of a small harbour and the sleep of its fishermen."
    assert (abstract.year, abstract.version, abstract.languages) == (1998, 2, ("fre",))
    ((language, text),) = abstract.other_abstracts
    assert (language, text[:10]) == ("fre", "Le sommeil")
    assert "sommeil" not in abstract.text
    assert not abstract.structured


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        (
            "Sleep in <i>Mus musculus</i>: 10<sup>6</sup> nights",
            "Sleep in Mus musculus: 10^6 nights",
        ),
        ("[Sleep of mice].", "Sleep of mice."),
        ("[Sleep of mice]", "Sleep of mice"),
        ("[Ca2+] and [K+].", "[Ca2+] and [K+]."),
        ("A\n   B", "A B"),
        ("[Not Available].", "Le sommeil"),
        ("", "Le sommeil"),
    ],
)
def test_titles(written: str, read_as: str, tmp_path: Path) -> None:
    vernacular = "<VernacularTitle>Le sommeil</VernacularTitle>"
    assert one(citation(title=written, article=vernacular), tmp_path).title == read_as


def test_no_title_is_no_harm(tmp_path: Path) -> None:
    abstract = one(citation(title=""), tmp_path)
    assert (abstract.title, abstract.start, abstract.text) == ("", 0, PROSE)


@pytest.mark.parametrize(
    ("date", "year"),
    [
        ("<Year>2001</Year><Month>Dec</Month>", 2001),
        ("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", 1998),
        ("<MedlineDate>Winter 2003</MedlineDate>", 2003),
        ("<MedlineDate>undated</MedlineDate>", None),
        ("", None),
    ],
)
def test_years(date: str, year: int | None, tmp_path: Path) -> None:
    assert one(citation(date=date), tmp_path).year == year


def test_the_year_of_electronic_publication_stands_in(tmp_path: Path) -> None:
    online = "<ArticleDate><Year>2015</Year></ArticleDate>"
    assert one(citation(date="", article=online), tmp_path).year == 2015


@pytest.mark.parametrize("category", ["UNASSIGNED", "UNLABELLED", "SOMETHING NEW", ""])
def test_a_category_that_names_no_zone_is_none(category: str, tmp_path: Path) -> None:
    abstract = one(citation(abstract=section(PROSE, "AIMS", category)), tmp_path)
    assert [(s.title, s.category) for s in abstract.sections[1:]] == [("AIMS", "")]


def test_an_empty_section_is_left_out(tmp_path: Path) -> None:
    abstract = one(
        citation(abstract=section("", "AIMS", "OBJECTIVE") + section(PROSE, "RESULTS", "RESULTS")),
        tmp_path,
    )
    assert [s.category for s in abstract.sections] == ["", "RESULTS"]


def test_an_english_abstract_among_the_others_is_used(tmp_path: Path) -> None:
    others = "".join(
        f'<OtherAbstract Type="{kind}" Language="{language}">{section(text)}</OtherAbstract>'
        for kind, language, text in (
            ("Publisher", "spa", SPANISH),
            ("plain-language-summary", "eng", "Mice sleep."),
            ("Publisher", "eng", PROSE),
        )
    )
    abstract = one(citation(abstract="", more=others), tmp_path)
    assert abstract.text.endswith(PROSE)
    assert [language for language, _ in abstract.other_abstracts] == ["spa", "eng"]


def test_what_is_no_english_abstract_is_skipped_with_its_reason(tmp_path: Path) -> None:
    spanish = f'<OtherAbstract Language="spa">{section(SPANISH)}</OtherAbstract>'
    for xml, reason in (
        (citation(abstract=""), "no abstract"),
        (citation(abstract=section(" ")), "no abstract"),
        (citation(abstract="", more=spanish), "no abstract in English, only in spa"),
        (citation(abstract=section(SPANISH)), "the abstract is not in English"),
        (citation(abstract=section("Мыши спят дольше крыс.")), "the abstract is not in English"),
    ):
        told = rejected(xml, tmp_path)
        assert (told.reason, told.outcome) == (reason, "skipped")
        assert told.source.endswith(": PMID 1")


def test_one_sentence_is_enough(tmp_path: Path) -> None:
    assert one(citation(abstract=section("Mice sleep.")), tmp_path).text.endswith("\n\nMice sleep.")


@pytest.mark.parametrize("pmid", ["", "12a", "PMC3", "٣"])
def test_a_record_without_a_number_is_quarantined(pmid: str, tmp_path: Path) -> None:
    told = rejected(citation(pmid=pmid), tmp_path)
    assert told.outcome == "quarantined"
    assert told.source.endswith("m.xml: record 1")
    assert "is not a number" in told.reason


def test_book_chapters_are_skipped_and_counted(tmp_path: Path) -> None:
    book = "<PubmedBookArticle><BookDocument><PMID>5</PMID></BookDocument></PubmedBookArticle>"
    data = medline([citation(1)]).replace(
        b"</PubmedArticleSet>", f"{book}</PubmedArticleSet>".encode()
    )
    abstract, told = read(data, tmp_path)
    assert isinstance(abstract, Abstract)
    assert isinstance(told, Rejected)
    assert (told.outcome, "book chapter" in told.reason) == ("skipped", True)
    assert MedlineReader().count(tmp_path / "m.xml") == 2


def test_deletions_stand_in_their_place_and_are_no_articles(tmp_path: Path) -> None:
    found = read(medline([citation(1), citation(2)], deleted=[7, 8]), tmp_path)
    assert [type(reading) for reading in found] == [Abstract, Abstract, Deletion, Deletion]
    assert [reading.id for reading in found if isinstance(reading, Deletion)] == ["7", "8"]
    assert len(list(MedlineReader().read(tmp_path / "m.xml"))) == 2
    assert MedlineReader().count(tmp_path / "m.xml") == 2


def test_bare_citations_and_gzip_and_byte_order_mark(tmp_path: Path) -> None:
    data = f"\ufeff<MedlineCitationSet>{citation(1)}{citation(2)}</MedlineCitationSet>".encode()
    for name in ("m.xml", "m.xml.gz"):
        assert [type(reading) for reading in read(data, tmp_path, name)] == [Abstract, Abstract]
        assert recognise(tmp_path / name).name == "medline"
    assert isinstance(read(citation(1).encode(), tmp_path)[0], Abstract)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for data, kind in ((medline([citation()]), Abstract), (b"garbage", Rejected)):
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))  # type: ignore[arg-type]
        monkeypatch.setattr(sys, "stdin", stdin)
        (found,) = MedlineReader().abstracts(Path("-"))
        assert isinstance(found, kind)
        assert found.source.startswith("standard input")
        assert not isinstance(found, Rejected) or found.outcome == "quarantined"


@pytest.mark.parametrize("share", [0.3, 0.6, 0.99])
@pytest.mark.parametrize("name", ["m.xml", "m.xml.gz"])
def test_a_truncated_file_keeps_what_came_before(name: str, share: float, tmp_path: Path) -> None:
    data = medline(citation(n, title=f"Sleep {n * 7919 % 1013}") for n in range(1, 3001))
    packed = gzip.compress(data) if name.endswith(".gz") else data
    kept = packed[: int(len(packed) * share)]
    (tmp_path / name).write_bytes(kept)
    unpacked = zlib.decompressobj(31).decompress(kept) if name.endswith(".gz") else kept
    *abstracts, last = MedlineReader().abstracts(tmp_path / name)
    assert [a.id for a in abstracts if isinstance(a, Abstract)] == [
        str(n + 1) for n in range(len(abstracts))
    ]
    assert 0 <= unpacked.count(b"</PubmedArticle>") - len(abstracts) <= 1
    assert isinstance(last, Rejected)
    assert last.outcome == "quarantined"
    assert f"the {len(abstracts):,} records before that are read" in last.reason


@pytest.mark.parametrize(
    ("data", "reason", "outcome"),
    [
        (b"", "empty file", "quarantined"),
        (b"no XML at all", "not well-formed XML", "quarantined"),
        (b"<html><p>x</p></html>", "the root element is <html>", "skipped"),
        (b"<PubmedArticleSet></PubmedArticleSet>", "no record in it", "skipped"),
        (b"<PubmedArticleSet><a>", "not well-formed XML", "quarantined"),
    ],
)
def test_files_without_records(data: bytes, reason: str, outcome: str, tmp_path: Path) -> None:
    (told,) = read(data, tmp_path)
    assert isinstance(told, Rejected)
    assert reason in told.reason
    assert told.outcome == outcome


def test_a_gzip_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "m.xml.gz").write_bytes(medline([citation()]))
    (told,) = MedlineReader().abstracts(tmp_path / "m.xml.gz")
    assert isinstance(told, Rejected)
    assert "gzip" in told.reason.lower()
    assert told.outcome == "quarantined"


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    body = medline([citation(abstract=section("&x; " + PROSE))])
    for declaration in (f'<!ENTITY x SYSTEM "{secret.as_uri()}">', '<!ENTITY x "inside">'):
        data = f"<!DOCTYPE PubmedArticleSet [{declaration}]>".encode() + body
        for told in read(data, tmp_path):
            assert isinstance(told, Rejected)
            assert "entit" in told.reason


def test_an_undeclared_entity_in_a_file_with_a_dtd_costs_one_record(tmp_path: Path) -> None:
    body = medline([citation(1), citation(2, abstract=section("&beta; " + PROSE)), citation(3)])
    doctype = b'<!DOCTYPE PubmedArticleSet SYSTEM "nowhere.dtd">'
    first, told, third = read(doctype + body, tmp_path)
    assert isinstance(first, Abstract)
    assert isinstance(told, Rejected)
    assert told.source.endswith("PMID 2")
    assert "&beta;" in told.reason
    assert isinstance(third, Abstract)


def test_nesting_is_bounded(tmp_path: Path) -> None:
    deep = "<i>" * 400 + "x" + "</i>" * 400
    *_, told = read(medline([citation(1), citation(2, abstract=section(deep))]), tmp_path)
    assert isinstance(told, Rejected)
    assert "nested deeper" in told.reason


def test_a_file_without_end_of_records_is_given_up(tmp_path: Path) -> None:
    data = b"<PubmedArticleSet>" + (b"<a>" + b"x" * 1_000_000 + b"</a>") * 40
    (told,) = read(data, tmp_path, "m.xml.gz")
    assert isinstance(told, Rejected)
    assert "without the end of a record" in told.reason


def test_earlier_records_are_forgotten() -> None:
    data = medline(citation(n) for n in range(1, 10_001))
    beside = []
    for element in read_elements(io.BytesIO(data)):
        parent = element.getparent()
        assert parent is not None
        beside.append(len(parent))
    assert len(beside) == 10_000
    assert max(beside) < 2_000  # those of the chunk at hand
