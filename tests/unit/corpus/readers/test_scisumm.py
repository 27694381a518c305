"""CL-SciSumm: odd spellings, encodings and sid lists; nothing dropped in silence."""

from pathlib import Path

import pytest
from places import SHARED_DATA, TEST_DATA

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.readers.scisumm import SciSummReader
from citespan.pipelines.corpus.topic import AnnotationRecord

FIXTURE = TEST_DATA / "readers" / "scisumm"
TRAIN = SHARED_DATA / "scisumm" / "train"
RECORD = (
    "Citance Number: 1 | Reference Article: T.xml | Citing Article: C.xml | "
    "Citation Marker Offset: ['1'] | Citation Marker: M | Citation Offset: ['1'] | "
    "Citation Text: Cites. | Reference Offset: {} | Reference Text: | Annotator: A |\n"
)


def topic(folder: Path, xml: str | bytes, offsets: str = "['1']") -> Path:
    for name in ("Reference_XML", "annotation"):
        (folder / "T" / name).mkdir(parents=True, exist_ok=True)
    data = xml if isinstance(xml, bytes) else xml.encode()
    (folder / "T" / "Reference_XML" / "T.xml").write_bytes(data)
    (folder / "T" / "annotation" / "T.ann.txt").write_text(RECORD.format(offsets))
    return folder / "T"


def test_the_article_of_the_fixture() -> None:
    (reading,) = SciSummReader().read(FIXTURE / "X00-0001")
    assert isinstance(reading, Article)
    assert reading.title == "A Parser for Café Menus"
    assert reading.text == (
        "A Parser for Café Menus\n\nWe parse menus & prices. It works well.\n\n"
        "Menus are “short”. Prices are numbers < 100.\n\nUnnumbered. The data are menus."
    )
    assert reading.sentences is not None
    assert [reading.text[s.start : s.end] for s in reading.sentences] == [
        "A Parser for Café Menus",
        "We parse menus & prices.",
        "It works well.",
        "Menus are “short”.",
        "Prices are numbers < 100.",
        "Unnumbered.",
        "The data are menus.",
    ]
    assert [(s.kind, s.title) for s in reading.sections] == [
        ("title", ""),
        ("abstract", "Abstract"),
        ("body", "Introduction"),
        ("body", "Introduction / Data"),
    ]


def test_the_citances_of_the_fixture() -> None:
    collection = SciSummReader().collection(FIXTURE)
    text = collection.articles["X00-0001"].text
    got = {
        c.id: {a.annotator: [text[s:e] for s, e in a.spans] for a in c.annotations}
        for c in collection.citances
    }
    assert got == {
        "X00-0001/1": {
            "Annotator 1, Lab": ["We parse menus & prices."],
            "Annotator 2, Lab": ["We parse menus & prices. It works well."],
        },
        # Sids 2 and 3 stand side by side across a section break, 4 is empty.
        "X00-0001/2": {
            "Annotator 1, Lab": ["It works well.\n\nMenus are “short”. Prices are numbers < 100."],
            "": ["The data are menus."],
        },
        "X00-0001/2-2": {"": ["Prices are numbers < 100.", "The data are menus."]},
        "X00-0001/3": {"Annotator 1, Lab": ["We parse menus & prices."]},
    }
    assert [c.text for c in collection.citances] == [
        "They (A, 2000) parse menus & more.",
        "They (A, 2000) parse menus & more.",
        "Another sentence of two lines.",
        "They (A, 2000) parse menus & more.",
    ]
    assert {c.citing_article for c in collection.citances} == {"Y00-0001", "Z00-0001"}
    assert {c.id: c.facets for c in collection.citances}["X00-0001/1"] == ("method",)


@pytest.mark.parametrize(
    ("written", "facets"),
    [
        ("Method_Citation", ("method",)),
        ("Result Citation", ("results",)),
        ("['Results_Citation', 'Aim_CItation']", ("aim", "results")),
        ("", ()),
    ],
)
def test_facets_are_spelt_in_several_ways(written: str, facets: tuple[str, ...]) -> None:
    assert AnnotationRecord("a", {"discourse facet": written}).facets == facets


def test_the_rejected_records_of_the_fixture() -> None:
    collection = SciSummReader().collection(FIXTURE)
    told = {r.source.rpartition(" ")[2]: r.reason for r in collection.rejected}
    assert told == {
        "7": "X00-0001 has no sentence with sid 77",
        "8": "X00-0001 has no sentence with sid 4",
        "9": "reference offset is not a list of sids: sentence one",
        "10": "its reference article is Q00-0001, not X00-0001",
        "11": "no reference offset",
        "12": "no citance number and no citing article and no citation text "
        "and no reference offset",
        "13": f"says the same as {collection.rejected[0].source.rpartition(',')[0]}, record 1",
    }
    assert collection.records == 13
    assert [remark.rpartition(": ")[2] for remark in collection.remarks] == [
        "reference text quotes sids 2, reference offset says 1, which is used"
    ]


@pytest.mark.parametrize(
    ("offsets", "sids"),
    [
        ("['1']", "1"),
        ("['1','3']", "1 3"),
        ("'1', '3'", "1 3"),
        ("[1, 2]", "12"),
        ("['3' 1']", "1 3"),
        ("['3' ,'3']", "3"),
        ("[ '01' ]", "1"),
        ('["2"]', "2"),
        ("['1-3']", None),
        ("['1'; '2']", None),
        ("[]", None),
        ("['9']", None),
        ("['" + "9" * 5000 + "']", None),
    ],
)
def test_sid_lists_in_all_their_forms(offsets: str, sids: str | None, tmp_path: Path) -> None:
    xml = "<PAPER>" + "".join(f"<S sid='{n}'>Sentence {n}.</S>" for n in (1, 2, 3)) + "</PAPER>"
    collection = SciSummReader().collection(topic(tmp_path, xml, offsets))
    text = collection.articles["T"].text
    if sids is None:
        assert not collection.citances
        assert len(collection.rejected) == 1
        assert len(collection.rejected[0].reason) < 120
        return
    spans = [text[s:e] for c in collection.citances for a in c.annotations for s, e in a.spans]
    assert ["".join(ch for ch in span if ch.isdigit()) for span in spans] == sids.split()


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ("<PAPER><S sid='1'>a &amp; b &lt; c &#945;</S></PAPER>", "a & b < c α"),
        ("<PAPER><S sid='1'>AT&T, &alpha; and R&D;</S></PAPER>", "AT&T, &alpha; and R&D;"),
        ("<?xml version='1.0' encoding='latin-1'?><PAPER><S sid='1'>ß</S></PAPER>", "ß"),
        (b"\xef\xbb\xbf<PAPER><S sid='1'>bom</S></PAPER>", "bom"),
        (b"<PAPER><S sid='1'>\x93cp1252\x94 \x01 \xe9</S></PAPER>", "“cp1252” é"),
        (b"<PAPER><S sid='1'>\x81 latin-1 \xe9</S></PAPER>", "\x81 latin-1 é"),
    ],
)
def test_careless_xml_is_read(xml: str | bytes, text: str, tmp_path: Path) -> None:
    (reading,) = SciSummReader().read(topic(tmp_path, xml))
    assert isinstance(reading, Article), reading
    assert reading.text == text


@pytest.mark.parametrize(
    ("xml", "reason"),
    [
        ("", "empty file"),
        ("<PAPER><S sid='1'>cut off", "truncated"),
        ("<PAPER/>", "no text"),
        ("<!DOCTYPE P [<!ENTITY a 'b'>]><PAPER><S>&a;</S></PAPER>", "entity &a;"),
        ("<PAPER>" + "<S>" * 10_000, "nested deeper"),
    ],
)
def test_what_can_not_be_read_is_rejected(xml: str, reason: str, tmp_path: Path) -> None:
    (reading,) = SciSummReader().read(topic(tmp_path, xml))
    assert isinstance(reading, Rejected)
    assert reason in reading.reason
    assert reading.source.endswith("T.xml")


def test_a_topic_needs_one_reference_paper(tmp_path: Path) -> None:
    folder = topic(tmp_path, "<PAPER><S sid='1'>x</S></PAPER>")
    (folder / "Reference_XML" / "T.xml").rename(folder / "Reference_XML" / "U.xml")
    (reading,) = SciSummReader().read(folder)
    assert isinstance(reading, Article)
    assert (reading.id, reading.also_known_as) == ("T", ("U",))
    (folder / "Reference_XML" / "V.xml").write_text("<PAPER/>")
    (two,) = SciSummReader().read(folder)
    assert isinstance(two, Rejected)
    assert two.reason == "2 files in Reference_XML, not one T.xml"


def test_a_topic_without_annotation_is_told(tmp_path: Path) -> None:
    folder = topic(tmp_path, "<PAPER><S sid='1'>x</S></PAPER>")
    (folder / "annotation" / "T.ann.txt").unlink()
    collection = SciSummReader().collection(tmp_path)
    assert list(collection.articles) == ["T"]
    assert [r.reason for r in collection.unusable] == ["no annotation records"]


@pytest.mark.skipif(not TRAIN.is_dir(), reason=f"no CL-SciSumm training set at {TRAIN}")
def test_the_training_set_to_the_last_record() -> None:
    collection = SciSummReader().collection(TRAIN)
    assert len(collection.articles) == 40
    assert collection.records == 753
    assert len(collection.citances) == 753
    assert collection.rejected == collection.unusable == ()
    assert len(collection.remarks) == 13
    pins = [(0, "C00-2123/1", (20569, 20747)), (8, "C00-2123/9", (2552, 2678))]
    pins.append((-1, "X96-1048/12", (45289, 45698)))
    for place, identifier, span in pins:
        citance = collection.citances[place]
        assert (citance.id, citance.annotations[0].spans) == (identifier, (span,))
