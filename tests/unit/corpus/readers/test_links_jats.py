"""JATS: where an article cites, and what its reference list says."""

import re
import tarfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from places import SHARED_DATA

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.paragraphs import collapse_places, collapse_space
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.readers.jats import JatsReader
from citespan.pipelines.corpus.references import Reference

ARCHIVE = SHARED_DATA / "pmc" / "oa_by.000.tar.gz"
META = '<article-id pub-id-type="pmc">1</article-id>'


def read(tmp_path: Path, body: str, back: str = "") -> Article:
    (tmp_path / "a.xml").write_text(
        f"<article xmlns:xlink='http://www.w3.org/1999/xlink'><front><article-meta>{META}"
        f"</article-meta></front><body>{body}</body><back>{back}</back></article>"
    )
    (article,) = JatsReader().read(tmp_path / "a.xml")
    assert isinstance(article, Article), article
    return article


def cite(shown: str, names: str = "B1") -> str:
    return f'<xref ref-type="bibr" rid="{names}">{shown}</xref>'


def links(article: Article) -> list[tuple[str, str, str]]:
    """The four characters before each link, what it shows, and its names."""
    return [
        (article.text[max(0, x.start - 4) : x.start], article.text[x.start : x.end], *x.names)
        for x in article.links
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"<p>Cells [{cite('1')}] die.</p>", [("ls [", "1", "B1")]),
        (
            f"<p>Cells<sup>{cite('1')},{cite('2', 'B2')}</sup></p>",
            [("lls ", "1", "B1"), ("s 1,", "2", "B2")],
        ),
        (f"<p>Cells.{cite('<sup>1</sup>')} Mice</p>", [("ls. ", "1", "B1")]),
        (
            f"<p>Found by{cite(' Ito  <italic>et al</italic>. 1999 ')} too</p>",
            [(" by ", "Ito et al. 1999", "B1")],
        ),
        (f"<p>a</p>\n<p> abb {cite('3', 'B3')}</p>", [("abb ", "3", "B3")]),
        (
            f"<p>abb {cite('1')}{cite('')}{cite('3', 'B3')}</p>",
            [("abb ", "1", "B1"), ("b 1 ", "", "B1"), ("b 1 ", "3", "B3")],
        ),
        (
            f"<p>x<fig><caption><p>Cin {cite('1')}</p></caption></fig> abb {cite('2', 'B2')}</p>",
            [("abb ", "2", "B2"), ("Cin ", "1", "B1")],
        ),
        (
            "<p>Cells <xref ref-type='bibr'>9</xref> <xref ref-type='fig' rid='F'>1</xref></p>",
            [("lls ", "9")],
        ),
    ],
)
def test_links_have_their_place_in_the_text(
    body: str, expected: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    assert links(read(tmp_path, body)) == expected


def test_links_outside_of_the_text_are_kept_by_name(tmp_path: Path) -> None:
    body = (
        f"<sec><title>Heading {cite('1')}</title><p>x</p></sec>"
        f"<table-wrap><table><tr><td>{cite('2', 'B2 B3')}</td></tr></table></table-wrap>"
        f"<p>{cite('')}</p>"
    )
    article = read(tmp_path, body, f"<ack><p>{cite('4', 'B4')}</p></ack>")
    assert article.links == ()
    assert sorted(article.links_elsewhere) == [("B1",), ("B1",), ("B2", "B3"), ("B4",)]


def test_links_of_other_articles_inside_are_not_this_ones(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        f"<article><front><article-meta>{META}</article-meta></front><body><p>x</p></body>"
        f"<sub-article><body><p>{cite('1')}</p></body><back><ref-list><ref id='C'>"
        "<mixed-citation>Other.</mixed-citation></ref></ref-list></back></sub-article></article>"
    )
    (article,) = JatsReader().read(tmp_path / "a.xml")
    assert isinstance(article, Article)
    assert (article.links, article.links_elsewhere, article.references) == ((), (), ())


def references(tmp_path: Path, *entries: str) -> tuple[Reference, ...]:
    listed = "".join(entries)
    return read(tmp_path, "<p>x</p>", f"<ref-list>{listed}</ref-list>").references


STRUCTURED = """<ref id="B1"><label>1.</label><element-citation publication-type="journal">
<person-group person-group-type="author"><name><surname>Okada</surname><given-names>A</given-names>
</name><collab>Yeast Group</collab><etal/></person-group>
<person-group person-group-type="editor"><name><surname>Ed</surname></name></person-group>
<article-title>Growth of <italic>S. cerevisiae</italic></article-title><source>J Yeast</source>
<year>1999</year><volume>2</volume><fpage>3</fpage>
<pub-id pub-id-type="pmid">12</pub-id><pub-id pub-id-type="pmcid">PMC34</pub-id>
<pub-id pub-id-type="doi">10.1000/ABC</pub-id></element-citation></ref>"""
OKADA = Publication(
    authors=("Okada, A", "Yeast Group"),
    title="Growth of S. cerevisiae",
    year=1999,
    journal="J Yeast",
    pmid="12",
    pmcid="PMC34",
    doi="10.1000/abc",
)


def test_a_structured_entry(tmp_path: Path) -> None:
    (reference,) = references(tmp_path, STRUCTURED)
    assert (reference.key, reference.names, reference.label) == ("B1", ("B1",), "1")
    assert reference.publication == OKADA
    assert "Okada" in reference.text


@pytest.mark.parametrize(
    ("inside", "found"),
    [
        ('<pub-id pub-id-type="pmc">34</pub-id>', "pmcid:PMC34"),
        ('<pub-id pub-id-type="other">PMC34</pub-id>', "pmcid:PMC34"),
        ('<pub-id pub-id-type="medline">99</pub-id>', None),
        ('<ext-link ext-link-type="doi">10.1000/x</ext-link>', "doi:10.1000/x"),
        ('<ext-link xlink:href="https://doi.org/10.1000/x">link</ext-link>', "doi:10.1000/x"),
        ('<uri>https://pubmed.ncbi.nlm.nih.gov/1234567/</uri>', "pmid:1234567"),
        ("doi: 10.1000/x(1)a.", "doi:10.1000/x(1)a"),
    ],
)  # fmt: skip
def test_identifiers_of_all_kinds(inside: str, found: str | None, tmp_path: Path) -> None:
    (reference,) = references(
        tmp_path,
        f"<ref id='a'><mixed-citation>A. <source>S</source> {inside}</mixed-citation></ref>",
    )
    assert reference.publication.identifiers == ((found,) if found else ())


def test_alternatives_are_one_reference(tmp_path: Path) -> None:
    element = re.sub(r"<pub-id.*?</pub-id>", "", STRUCTURED[STRUCTURED.index("<element") : -6])
    pmid = '<pub-id pub-id-type="pmid">12</pub-id>'
    mixed = f'<mixed-citation id="M">Okada (1999) {pmid}</mixed-citation>'
    wrapped = f"<citation-alternatives>{element}{mixed}</citation-alternatives>"
    (reference,) = references(tmp_path, f"<ref id='B1'>{wrapped}</ref>")
    assert reference.names == ("B1", "M")
    assert reference.publication.identifiers == ("pmid:12",)
    assert reference.publication.title == OKADA.title


def test_several_publications_in_one_entry_are_several_references(tmp_path: Path) -> None:
    def of(title: str) -> str:
        return f"<mixed-citation><article-title>{title}</article-title></mixed-citation>"

    first, second, third = references(
        tmp_path,
        f"<ref id='B1'><label>1</label>{of('A')}<note><p>and</p></note>{of('B')}</ref>",
        f"<ref>{of('C')}</ref>",
    )
    assert [reference.publication.title for reference in (first, second, third)] == ["A", "B", "C"]
    assert [reference.key for reference in (first, second, third)] == ["B1", "B1-2", "3"]
    assert first.names == second.names == ("B1",)


def test_an_entry_without_mark_up_is_read_as_text(tmp_path: Path) -> None:
    (reference,) = references(
        tmp_path, "<ref id='x'>Ito K. (2001) Yeast and bread rise. Bread 1:2.</ref>"
    )
    assert (reference.publication.year, reference.publication.title) == (
        2001,
        "Yeast and bread rise",
    )


@given(st.text(alphabet=" \n\tab"), st.data())
def test_places_keep_their_words(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    flat = collapse_space(text)
    for place, (ended, starts) in zip(
        places, collapse_places(text, collapse_space(text), places), strict=True
    ):
        assert flat[:ended] == collapse_space(text[:place])
        assert flat[starts:] == collapse_space(text[place:])


IN_ARTICLE = (
    "//*[local-name()='{}']"
    "[not(ancestor::*[local-name()='sub-article' or local-name()='response'])]"
)


@pytest.mark.skipif(not ARCHIVE.exists(), reason="needs the articles of PubMed Central")
def test_no_link_of_real_articles_is_lost_or_doubled(tmp_path: Path) -> None:
    articles = 0
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is None or not member.name.endswith(".nxml"):
                continue
            data = file.read()
            (tmp_path / "a.nxml").write_bytes(data)
            (article,) = JatsReader().read(tmp_path / "a.nxml")
            assert isinstance(article, Article)
            root = etree.fromstring(data, etree.XMLParser(remove_comments=True, remove_pis=True))
            written = Counter(
                ("".join("".join(node.itertext()).split()), *(node.get("rid") or "").split())
                for node in root.xpath(IN_ARTICLE.format("xref") + "[@ref-type='bibr']")
            )
            found = Counter(
                ("".join(article.text[x.start : x.end].split()), *x.names) for x in article.links
            )
            assert not found - written, article.id
            assert found.total() + len(article.links_elsewhere) == written.total(), article.id
            entries = len(root.xpath(IN_ARTICLE.format("ref")))
            assert len({x.names or x.key for x in article.references}) >= entries, article.id
            articles += 1
    assert articles > 500
