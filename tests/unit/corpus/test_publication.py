"""What identifies a publication, and what its front matter says of it."""

from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.identifiers import find_doi, find_pmcid, find_pmid
from citespan.pipelines.corpus.publication import Publication, find_year, normalise_title
from citespan.pipelines.corpus.readers.jats import JatsReader
from citespan.pipelines.corpus.readers.jsonl import JsonlReader

FRONT = """<article><front>
<journal-meta><journal-id>J Mad Res</journal-id><journal-title-group>
<journal-title>Journal of <italic>Made</italic> Research</journal-title></journal-title-group>
</journal-meta><article-meta>
<article-id pub-id-type="pmid">0123</article-id><article-id pub-id-type="pmc">77</article-id>
<article-id pub-id-type="doi">https://doi.org/10.1000/ABC.1</article-id>
<title-group><article-title>Yeast<xref ref-type="fn">*</xref></article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Okada</surname>
<given-names>A. B.</given-names></name></contrib>
<contrib contrib-type="editor"><name><surname>Editor</surname></name></contrib>
<contrib contrib-type="author"><collab>The Yeast Group<contrib-group><contrib><name>
<surname>Inner</surname></name></contrib></contrib-group></collab></contrib></contrib-group>
<pub-date pub-type="pmc-release"><year>2021</year></pub-date>
<pub-date pub-type="epub"><year>2019</year></pub-date>
<pub-date pub-type="ppub"><year>2020</year></pub-date>
</article-meta></front><body><p>Text.</p></body></article>"""


def test_the_front_matter_of_jats(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(FRONT)
    (article,) = JatsReader().read(tmp_path / "a.xml")
    assert isinstance(article, Article)
    assert article.publication == Publication(
        authors=("Okada, A. B.", "The Yeast Group"),
        title="Yeast",
        year=2020,
        journal="Journal of Made Research",
        pmid="123",
        pmcid="PMC77",
        doi="10.1000/abc.1",
    )
    assert article.publication.first_author == "okada"


def read_line(tmp_path: Path, **keys: object) -> Article | Rejected:
    (tmp_path / "a.jsonl").write_bytes(orjson.dumps({"id": "a", "text": "x", **keys}))
    (reading,) = JsonlReader().read(tmp_path / "a.jsonl")
    return reading


def test_the_keys_of_json_lines(tmp_path: Path) -> None:
    reading = read_line(
        tmp_path, title="T", authors=["A, B"], year=1999, journal="J", pmid="PMID 5", pmcid="PMC6"
    )
    assert isinstance(reading, Article)
    assert reading.publication == Publication(("A, B",), "T", 1999, "J", "5", "PMC6")


@pytest.mark.parametrize("bad", [{"year": "1999"}, {"year": True}, {"pmid": "x"}, {"doi": "11.1"}])
def test_a_key_that_does_not_fit_is_named(bad: dict[str, object], tmp_path: Path) -> None:
    reading = read_line(tmp_path, **bad)
    assert isinstance(reading, Rejected)
    assert f'"{next(iter(bad))}"' in reading.reason


@pytest.mark.parametrize(
    ("title", "other"),
    [
        ("Effect of TGF-β1 on cells.", "Effect of TGF-beta 1 on cells"),
        ("Naïve T-cells: a review", "NAIVE T cells—A review."),
        ("α2-macroglobulin", "Alpha 2-Macroglobulin"),
    ],
)
def test_titles_that_are_the_same(title: str, other: str) -> None:
    assert normalise_title(title) == normalise_title(other) != ""


def test_keys_name_the_kind_of_identifier() -> None:
    title = "A made title of some length: a randomized controlled trial"
    publication = Publication(title=title, year=2004, pmid="1", doi="10.1/x")
    assert publication.identifiers == ("pmid:1", "doi:10.1/x")
    assert publication.keys == (
        "pmid:1",
        "doi:10.1/x",
        "begins:amadetitleofsomeleng:2004",
        "begins:amadetitleofsomeleng:2003",
        "ends:leofsomelengtharandomizedcontrolledtrial:2004",
        "ends:leofsomelengtharandomizedcontrolledtrial:2003",
    )
    assert Publication(title="...", year=2004).keys == Publication(title=title).keys == ()


@given(st.integers(1500, 2100), st.integers(-3, 3))
def test_years_at_most_one_apart_share_a_key(year: int, apart: int) -> None:
    first, second = (Publication(title="Of cells", year=y) for y in (year, year + apart))
    assert set(first.keys).isdisjoint(second.keys) == (abs(apart) > 1)


@given(st.text())
def test_normalising_twice_changes_nothing(title: str) -> None:
    once = normalise_title(title)
    assert normalise_title(once) == once
    assert len(once) <= 300


@pytest.mark.parametrize(
    ("find", "written", "found"),
    [
        (find_pmid, "PMID: 0012", "12"),
        (find_pmid, "https://pubmed.ncbi.nlm.nih.gov/12/", "12"),
        (find_pmid, "PMC12", ""),
        (find_pmcid, " PMC12.1 ", "PMC12"),
        (find_pmcid, "12", "PMC12"),
        (find_pmcid, "x12", ""),
        (find_doi, "doi: 10.1000/A(1)b.", "10.1000/a(1)b"),
        (find_doi, "http://dx.doi.org/10.1000%2Fa", "10.1000/a"),
        (find_doi, "10.1000", ""),
    ],
)
def test_identifiers_in_one_spelling(find: object, written: str, found: str) -> None:
    assert callable(find)
    assert find(written) == found


@pytest.mark.parametrize(
    ("written", "year"),
    [
        *(("2005", 2005), ("31 May 2005a", 2005), ("1998–1999", 1998), ("20050531", 2005)),
        *(("", None), ("12005", None), ("200505", None), ("pp. 1200", None)),
    ],
)
def test_the_year_of_a_date(written: str, year: int | None) -> None:
    assert find_year(written) == year
