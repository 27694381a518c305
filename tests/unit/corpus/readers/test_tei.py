"""GROBID's TEI: text, links and references."""

from pathlib import Path

import pytest
from places import TEST_DATA

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.readers.tei import TeiReader

FIXTURE = TEST_DATA / "readers" / "tei" / "made.grobid.tei.xml"


def read() -> Article:
    (article,) = TeiReader().read(FIXTURE)
    assert isinstance(article, Article)
    return article


def test_the_paragraphs_and_sections_of_the_fixture() -> None:
    article = read()
    assert article.text.split("\n\n") == [
        "Growth of made yeast",
        "Made yeast grows.",
        "Yeast grows on sugar [1], whereas bread does not [2][3]. It was seen 9 (Figure 1).",
        "Bread rises (Ry and Ito, 2001;Od, 2003). It is eaten.",
        "Yeast was bought.",
        "Growth of yeast as in [2].",
        "Counts.",
        "More yeast.",
    ]
    assert [(section.kind, section.title) for section in article.sections] == [
        ("title", ""),
        ("abstract", "Abstract"),
        ("body", "Introduction"),
        ("body", "Methods"),
        ("caption", "Figure 1"),
        ("caption", "Table 1"),
        ("body", "Annex / More"),
    ]


def test_what_the_header_says() -> None:
    article = read()
    assert (article.id, article.also_known_as) == ("made", ("10.1000/made.1",))
    assert article.publication == Publication(
        authors=("Ito, Kim B",),
        title="Growth of made yeast",
        year=2019,
        journal="Journal of Yeast",
        doi="10.1000/made.1",
    )


def test_links_and_their_names() -> None:
    article = read()
    assert [(article.text[x.start : x.end], *x.names) for x in article.links] == [
        ("[1]", "b0"),
        ("[2]", "b1"),
        ("[3]", "b2"),
        ("9",),
        ("(Ry and Ito, 2001;", "b0"),
        ("Od, 2003)", "b2"),
        ("[2]", "b1"),
    ]
    assert article.links_elsewhere == (("b1",),)


def test_references() -> None:
    sugar, book, raw = read().references
    assert (sugar.key, sugar.text) == ("b0", "Ry B, Ito K. Sugar feeds yeast. J. Yeast 2001; 1:1.")
    assert sugar.publication == Publication(
        ("Ry, B", "Ito, K"), "Sugar feeds yeast", 2001, "J. Yeast", "101", "PMC102", "10.1000/sugar"
    )
    assert book.publication == Publication(("Od",), "The book of bread", 1999)
    assert raw.publication.title == "Ovens of the world and what they bake"
    assert (raw.publication.authors, raw.publication.year) == (("Od, A.",), 2003)


@pytest.mark.parametrize(
    ("data", "reason", "outcome"),
    [
        ("<TEI><teiHeader/><text><body><div/></body></text></TEI>", "no text: GROBID", "skipped"),
        ("<other/>", "not TEI XML: the root element is <other>", "skipped"),
        ("<TEI><text><body>", "truncated or not well-formed XML", "quarantined"),
        ('<!DOCTYPE TEI [<!ENTITY a "b">]><TEI>&a;</TEI>', "declares the entity", "quarantined"),
    ],
)
def test_bad_input_is_one_line(data: str, reason: str, outcome: str, tmp_path: Path) -> None:
    (tmp_path / "a.tei.xml").write_text(data)
    (reading,) = TeiReader().read(tmp_path / "a.tei.xml")
    assert isinstance(reading, Rejected)
    assert reading.reason.startswith(reason)
    assert "\n" not in reading.reason
    assert reading.outcome == outcome
