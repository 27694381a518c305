"""JATS: what becomes text, what doesn't, and XML that wishes ill."""

import gzip
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import SHARED_DATA, TEST_DATA

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.reader import recognise
from citespan.pipelines.corpus.readers.jats import JatsReader

FIXTURE = TEST_DATA / "readers" / "jats" / "PMC0000001.nxml"
CRAFT = SHARED_DATA / "craft" / "train"
DOCTYPE = (
    '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD'
    ' v1.3 20210610//EN" "JATS-archivearticle1-3.dtd">'
)


def wrapped(body: str, meta: str = "", before: str = "") -> bytes:
    return (
        f"{before}<article><front><article-meta>{meta}</article-meta></front>"
        f"<body>{body}</body></article>"
    ).encode()


def read(path: Path) -> Article | Rejected:
    (reading,) = JatsReader().read(path)
    return reading


def article(tmp_path: Path, data: bytes, name: str = "a.xml") -> Article:
    (tmp_path / name).write_bytes(data)
    reading = read(tmp_path / name)
    assert isinstance(reading, Article), reading
    return reading


def rejected(tmp_path: Path, data: bytes, name: str = "a.xml") -> Rejected:
    (tmp_path / name).write_bytes(data)
    reading = read(tmp_path / name)
    assert isinstance(reading, Rejected), reading
    assert reading.source == str(tmp_path / name)
    assert "\n" not in reading.reason
    return reading


def paragraphs(text: str) -> list[str]:
    return text.split("\n\n")


def test_the_paragraphs_of_the_fixture() -> None:
    found = read(FIXTURE)
    assert isinstance(found, Article)
    assert paragraphs(found.text) == [
        "The gene Abc1 in yeast",
        "Yeast grows quickly. It also buds.",
        "CO2 is released.",
        "Yeast in a line.",
        "A lead paragraph without a section.",
        "Mutants (abc1-Δ) grew to 2 × 10^7 cells 1,2 on Ca2+. 1 See Figure 1 for more.",
        "Growth of abc1.",
        "Open circles: mutant.",
        "Three things:",
        "first;",
        "second line.",
        "and an end.",
        "Here x=1 holds, and y=2 too.",
        "Growth in numbers.",
        "Means of three.",
        "In a box.",
        "Raw counts.",
        "Another section of the same name.",
        "More on yeast.",
        "Floating caption.",
    ]


def test_the_sections_of_the_fixture() -> None:
    found = read(FIXTURE)
    assert isinstance(found, Article)
    assert [(s.kind, s.title) for s in found.sections] == [
        ("title", ""),
        ("abstract", "Abstract / Background"),
        ("abstract", "Abstract / Results"),
        ("abstract", "Abstract"),
        ("body", ""),
        ("body", "Results"),
        ("caption", "Results / Figure 1"),
        ("body", "Results / Lists & formulas"),
        ("caption", "Results / Lists & formulas / Table 1"),
        ("body", "Results / Box"),
        ("caption", "Results / File S1"),
        ("body", "Results"),
        ("body", "Appendix A"),
        ("caption", "Figure 2"),
    ]


def test_identifiers_and_references_of_the_fixture() -> None:
    found = read(FIXTURE)
    assert isinstance(found, Article)
    assert found.id == "PMC0000001"
    assert found.also_known_as == ("00000001", "10.0000/made.up")
    entries = [reference.text for reference in found.references]
    assert entries == ["Surname G A title PMID 2", "G. Surname (2000), Source."]


@pytest.mark.parametrize(
    ("ids", "name", "expected", "others"),
    [
        ({"pmc": "12"}, "x.xml", "PMC12", {"x"}),
        ({"pmcid": "PMC12.1", "doi": "10.1/a"}, "x.xml", "PMC12", {"10.1/a", "x"}),
        ({"pmid": "7"}, "PMC5.nxml", "PMC5", {"7"}),
        ({"pmid": "7", "doi": "10.1/a"}, "x.xml", "7", {"10.1/a", "x"}),
        ({"doi": "10.1/a", "publisher-id": "p"}, "x.xml", "10.1/a", {"p", "x"}),
        ({"publisher-id": "p"}, "x.xml", "x", {"p"}),
    ],
)
def test_the_id_is_the_best_there_is(
    ids: dict[str, str], name: str, expected: str, others: set[str], tmp_path: Path
) -> None:
    meta = "".join(f'<article-id pub-id-type="{k}">{v}</article-id>' for k, v in ids.items())
    found = article(tmp_path, wrapped("<p>Text.</p>", meta), name)
    assert (found.id, set(found.also_known_as)) == (expected, others)


def test_an_articleset_holds_several(tmp_path: Path) -> None:
    inside = b"".join(
        wrapped(f"<p>Text {n}.</p>", f'<article-id pub-id-type="pmc">{n}</article-id>')
        for n in (1, 2)
    )
    (tmp_path / "set.xml").write_bytes(b"<pmc-articleset>" + inside + b"</pmc-articleset>")
    got = [a.id for a in JatsReader().read(tmp_path / "set.xml") if isinstance(a, Article)]
    assert got == ["PMC1", "PMC2"]


def test_articles_of_a_set_have_each_their_references(tmp_path: Path) -> None:
    inside = b"".join(
        wrapped(
            f"<p>Text {n}.</p></body><back><ref-list><ref id='B{n}'><mixed-citation>"
            f"Entry {n}</mixed-citation></ref></ref-list></back><body>",
            f'<article-id pub-id-type="pmc">{n}</article-id>',
        )
        for n in (1, 2)
    )
    (tmp_path / "set.xml").write_bytes(b"<pmc-articleset>" + inside + b"</pmc-articleset>")
    found = [a for a in JatsReader().read(tmp_path / "set.xml") if isinstance(a, Article)]
    assert [[reference.text for reference in a.references] for a in found] == [
        ["Entry 1"],
        ["Entry 2"],
    ]


@pytest.mark.parametrize("name", ["boxed-text", "sec", "italic", "fn"])
def test_the_deepest_nesting_that_is_parsed_is_read(tmp_path: Path, name: str) -> None:
    deep = 245
    found = article(tmp_path, wrapped(f"{f'<{name}>' * deep}<p>deep</p>{f'</{name}>' * deep}"))
    assert found.text.split() == ["deep"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("<italic>p53</italic>-dependent", "p53-dependent"),
        ("TGF-<italic>β</italic>1", "TGF-β1"),
        ("<bold>A</bold> <italic>B</italic>", "A B"),
        ("10<sup>−3</sup> M", "10^−3 M"),
        ("<sup>32</sup>P", "32P"),
        ("the 5<sup>th</sup> day", "the 5th day"),
        ("cells<sup>[<xref ref-type='bibr'>3</xref>]</sup>", "cells [3]"),
        ("cells<xref ref-type='bibr'>3</xref><xref ref-type='bibr'>4</xref>", "cells 3 4"),
        ("seen [<xref ref-type='bibr'>3</xref>,<xref ref-type='bibr'>4</xref>].", "seen [3,4]."),
        ("one<break/>two", "one two"),
        ("no\u00a0break", "no break"),
        ("a <!-- c -->b<?pi?>c", "a bc"),
        ("x &lt; y &amp; z&#x3b1;", "x < y & zα"),
        ("here<fn><p>note</p></fn>, there", "here, there"),
    ],
)
def test_inline_tags_never_glue_or_split(written: str, expected: str, tmp_path: Path) -> None:
    found = article(tmp_path, wrapped(f"<p>{written}</p>"))
    assert paragraphs(found.text)[0] == expected


TAGS = ("italic", "bold", "sup", "sub", "xref", "named-content", "sc", "underline")


@given(
    st.lists(
        st.tuples(st.text("abcαβ -", min_size=1, max_size=6), st.sampled_from(("", *TAGS))),
        min_size=1,
        max_size=20,
    )
)
def test_text_in_tags_is_text(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[tuple[str, str]]
) -> None:
    plain = "".join(text for text, _ in pieces)
    if not plain.strip():
        return
    marked = "".join(f"<{tag}>{text}</{tag}>" if tag else text for text, tag in pieces)
    found = article(tmp_path_factory.mktemp("jats"), wrapped(f"<p>{marked}</p>"))
    assert found.text == " ".join(plain.split())


def test_a_figure_does_not_break_its_paragraph(tmp_path: Path) -> None:
    fig = "<fig><label>Figure 1</label><caption><p>Caption.</p></caption></fig>"
    found = article(tmp_path, wrapped(f"<sec><p>Before {fig} after.</p><p>Next.</p></sec>"))
    assert paragraphs(found.text) == ["Before after.", "Caption.", "Next."]
    assert [s.kind for s in found.sections] == ["body", "caption", "body"]


def test_a_doctype_is_accepted_and_not_loaded(tmp_path: Path) -> None:
    assert article(tmp_path, wrapped("<p>Text.</p>", before=DOCTYPE)).text == "Text."


def test_a_declared_encoding_is_obeyed(tmp_path: Path) -> None:
    declared = b'<?xml version="1.0" encoding="ISO-8859-1"?>'
    latin = declared + wrapped("<p>café</p>").decode().encode("latin-1")
    assert article(tmp_path, latin).text == "café"


BOMB = (
    "<!DOCTYPE article [<!ENTITY l0 'lol'>"
    + "".join(f"<!ENTITY l{i} '{f'&l{i - 1};' * 10}'>" for i in range(1, 12))
    + "]>"
)
EXTERNAL = "<!DOCTYPE article [<!ENTITY x SYSTEM 'file:///etc/hostname'>]>"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty file"),
        (b"\x00\x01\x02", "well-formed"),
        (wrapped("<p>Text.</p>")[:-9], "truncated"),
        (wrapped("<p>caf\u00e9</p>").decode().encode("latin-1"), "encoding"),
        (wrapped("<p>&alpha;</p>"), "&alpha;"),
        (wrapped("<p>&alpha;</p>", before=DOCTYPE), "&alpha;"),
        (wrapped("<p>&l11;</p>", before=BOMB), "entit"),
        (wrapped("<sec id='&l11;'><p>x</p></sec>", before=BOMB), "entit"),
        (wrapped("<p>&x;</p>", before=EXTERNAL), "&x;"),
        (wrapped("<p>y</p>", before="<!DOCTYPE article [<!ENTITY x 'y'>]>"), "&x;"),
        (wrapped("<sec>" * 10_000 + "<p>x</p>" + "</sec>" * 10_000), "nested deeper"),
        (b"<sec>" * 10_000, "nested deeper"),
        (b"<article>" + b"<p>" * 300, "nested deeper"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_bad_xml_is_quarantined(data: bytes, reason: str, tmp_path: Path) -> None:
    refused = rejected(tmp_path, data)
    assert refused.outcome == "quarantined"
    assert reason in refused.reason


def test_an_external_parameter_entity_is_not_fetched(tmp_path: Path) -> None:
    outside = tmp_path / "outside.dtd"
    outside.write_text("<!ENTITY stolen 'secret'>")
    doctype = f"<!DOCTYPE article [<!ENTITY % d SYSTEM '{outside.as_uri()}'> %d;]>"
    assert "secret" not in rejected(tmp_path, wrapped("<p>&stolen;</p>", before=doctype)).reason


def test_more_than_a_hundred_megabytes_are_refused(tmp_path: Path) -> None:
    with (tmp_path / "a.xml").open("wb") as file:
        file.truncate(100 * 2**20 + 1)
    refused = read(tmp_path / "a.xml")
    assert isinstance(refused, Rejected)
    assert refused.reason == "larger than 100 MB; split it"


@pytest.mark.parametrize("data", [b"<article><front/><body/></article>", wrapped("<p> </p>")])
def test_an_article_without_text_is_skipped(data: bytes, tmp_path: Path) -> None:
    refused = rejected(tmp_path, data)
    assert (refused.outcome, refused.reason) == ("skipped", "no text")


@pytest.mark.parametrize("data", [b"<html><p>x</p></html>", b"<PAPER><S sid='1'>x</S></PAPER>"])
def test_other_xml_is_skipped(data: bytes, tmp_path: Path) -> None:
    refused = rejected(tmp_path, data)
    assert refused.outcome == "skipped"
    assert "not JATS XML" in refused.reason


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (b"<article/>", True),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- <book> -->\n<j:article xmlns:j='u'/>", True),
        (b"<!DOCTYPE article [<!ENTITY x 'y'>]><article/>", True),
        (b"<!--" + b"--><!--" * 5000, False),
        (b"<article xmlns='http://docbook.org/ns/docbook'/>", False),
        (b"prose about <article>", False),
        (b"", False),
    ],
)
def test_recognised_by_its_first_tag(start: bytes, expected: bool, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(start)
    assert JatsReader().recognises(tmp_path / "a") is expected


@pytest.mark.skipif(not CRAFT.is_dir(), reason=f"no CRAFT corpus at {CRAFT}")
def test_craft_word_for_word() -> None:
    """All 60 articles: nearly every word that we read is in CRAFT's own text of the article, and
    most of CRAFT's words (it has headings and acknowledgements too) are in ours."""
    assert recognise(CRAFT / "nxml").name == "jats"
    reader = JatsReader()
    units = list(reader.find(CRAFT / "nxml"))
    got = [a for unit in units for a in reader.read(unit)]
    assert len(got) == 60
    shared = ours = theirs = 0
    for reading in got:
        assert isinstance(reading, Article)
        gold = Counter(re.findall(r"\w+", (CRAFT / "txt" / f"{reading.id}.txt").read_text("utf-8")))
        mine = Counter(re.findall(r"\w+", reading.text))
        shared += (gold & mine).total()
        ours += mine.total()
        theirs += gold.total()
        assert reading.references
    assert shared / ours > 0.998
    assert shared / theirs > 0.96


@pytest.mark.parametrize("name", ["PMC12.nxml.gz", "PMC12.xml.gz", "PMC12.NXML.GZ"])
def test_gzipped_files_are_read_and_recognised_by_their_content(name: str, tmp_path: Path) -> None:
    data = wrapped("<p>Cells grew.</p>")
    plain = article(tmp_path, data, "PMC12.nxml")
    (tmp_path / "packed").mkdir()
    packed = article(tmp_path / "packed", gzip.compress(data), name)
    assert replace(packed, source=plain.source) == plain
    assert plain.id == "PMC12"
    assert recognise(tmp_path / "packed").name == "jats"
    cut = rejected(tmp_path / "packed", gzip.compress(data)[:40], name)
    assert "gzip" in cut.reason
    other = rejected(tmp_path / "packed", gzip.compress(b"<PubmedArticleSet/>"), "m.xml.gz")
    assert other.outcome == "skipped"
