"""What later publications say of an article, in the formats that tell it."""

from pathlib import Path

import pytest
from made_medline import citation, medline

from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.notices import Notice, is_retracted, merge_notices
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.readers.jats import JatsReader
from citespan.pipelines.corpus.readers.medline import MedlineReader
from citespan.pipelines.corpus.readers.pubmed import PubmedReader
from citespan.pipelines.corpus.retraction_list import read_retraction_list
from citespan.pipelines.errors import InputError

XLINK = "xmlns:xlink='http://www.w3.org/1999/xlink'"


def read_jats(tmp_path: Path, kind: str, related: str = "", title: str = "Yeast") -> Publication:
    (tmp_path / "a.xml").write_text(
        f"<article {XLINK} article-type='{kind}'><front><article-meta>"
        f"<article-id pub-id-type='pmc'>1</article-id><title-group><article-title>{title}"
        f"</article-title></title-group>{related}</article-meta></front><body><p>Yeast grows."
        "</p></body></article>"
    )
    [article] = JatsReader().read(tmp_path / "a.xml")
    assert isinstance(article, Article)
    return article.publication


@pytest.mark.parametrize(
    ("kind", "relation", "notice", "is_evidence"),
    [
        ("retraction", "retracted-article", "retracted", False),
        ("partial-retraction", "partial-retraction", "partly retracted", False),
        ("expression-of-concern", "object-of-concern", "expression of concern", False),
        ("correction", "corrected-article", "corrected", True),
        ("other", "retracted-article", "retracted", False),
    ],
)
def test_a_notice_in_jats_names_the_article_that_it_is_about(
    kind: str, relation: str, notice: str, *, is_evidence: bool, tmp_path: Path
) -> None:
    related = (
        f"<related-article related-article-type='{relation}' ext-link-type='pubmed' "
        "xlink:href='23297844' vol='12' page='8'>19</related-article>"
    )
    found = read_jats(tmp_path, kind, related)
    assert (found.notice, found.notice_of, found.notices) == (notice, ("pmid:23297844",), ())
    assert found.is_evidence == is_evidence


@pytest.mark.parametrize(
    ("relation", "kind"),
    [
        ("retraction-forward", "retracted"),
        ("correction-forward", "corrected"),
        ("object-of-concern-forward", "expression of concern"),
    ],
)
def test_an_article_in_jats_names_the_notices_about_it(
    relation: str, kind: str, tmp_path: Path
) -> None:
    related = (
        f"<related-article related-article-type='{relation}' ext-link-type='doi' "
        "xlink:href='10.1000/Notice'/>"
        "<related-article related-article-type='companion' ext-link-type='doi' "
        "xlink:href='10.1000/other'/>"
    )
    found = read_jats(tmp_path, "research-article", related)
    assert found.notices == (Notice(kind, "doi:10.1000/notice"),)
    assert found.is_evidence
    assert found.notice == ""


@pytest.mark.parametrize("title", ["RETRACTED ARTICLE: Yeast", "Retracted: Yeast", "[Retracted] Y"])
def test_a_title_that_says_so_is_of_a_retracted_article(title: str, tmp_path: Path) -> None:
    assert read_jats(tmp_path, "research-article", title=title).notices == (Notice("retracted"),)
    assert read_jats(tmp_path, "retraction", title=title).notices == ()
    assert read_jats(tmp_path, "research-article", title="Retracted eyelids").notices == ()


def test_medline_tells_of_notices_by_relations_and_types(tmp_path: Path) -> None:
    xml = citation("7").replace(
        "</MedlineCitation>",
        "<CommentsCorrectionsList>"
        "<CommentsCorrections RefType='RetractionIn'><RefSource>J</RefSource><PMID>12</PMID>"
        "</CommentsCorrections>"
        "<CommentsCorrections RefType='CommentIn'><PMID>13</PMID></CommentsCorrections>"
        "</CommentsCorrectionsList></MedlineCitation>",
    )
    (tmp_path / "m.xml").write_bytes(medline([xml]))
    [abstract] = MedlineReader().abstracts(tmp_path / "m.xml")
    assert isinstance(abstract, Abstract)
    assert abstract.publication.notices == (Notice("retracted", "pmid:12"),)


def test_the_text_export_of_pubmed_tells_the_same(tmp_path: Path) -> None:
    text = (
        "PMID- 7\nTI  - Yeast\nAB  - Yeast grows on sugar in rooms.\nPT  - Journal Article\n"
        "PT  - Retracted Publication\nRIN - J Made. 2010;1:2. PMID: 12\n"
        "EIN - J Made. 2009;3:4. PMID: 11\n"
    )
    (tmp_path / "m.txt").write_text(text)
    [abstract] = PubmedReader().abstracts(tmp_path / "m.txt")
    assert isinstance(abstract, Abstract)
    assert abstract.publication.notices == (
        Notice("retracted", "pmid:12"), Notice("corrected", "pmid:11"),
    )  # fmt: skip


def test_of_what_is_said_several_times_the_fullest_stays() -> None:
    full = Notice("retracted", "pmid:12", "2010", "Data", "Retraction Watch")
    assert merge_notices([Notice("retracted"), full, Notice("retracted", "doi:1")]) == (full,)
    assert is_retracted([full])
    assert not is_retracted([full, Notice("reinstated")])
    assert not is_retracted([Notice("corrected")])


COLUMNS = (
    "Record ID,Title,Subject,Institution,Journal,Publisher,Country,Author,URLS,ArticleType,"
    "RetractionDate,RetractionDOI,RetractionPubMedID,OriginalPaperDate,OriginalPaperDOI,"
    "OriginalPaperPubMedID,RetractionNature,Reason,Paywalled,Notes\n"
)


def line(doi: str, pmid: str, nature: str = "Retraction", title: str = "Yeast, made") -> str:
    return (
        f'1,"{title}",(BLS);,Made;,J Yeast,Made,Nowhere,Kim Ito,,Research Article;,'
        f"3/4/2019 0:00,10.1000/Notice,0,1/1/2010 0:00,{doi},{pmid},{nature},"
        '+Data;+Error in Image;,No,"two\nlines"\n'
    )


def test_the_list_of_retraction_watch_is_known_by_doi_and_pmid(tmp_path: Path) -> None:
    file = tmp_path / "retraction_watch.csv"
    rows = (
        line("10.1000/YEAST", "101"),
        line("unavailable", "102", "Expression of concern"),
        line("10.1000/yeast", "0", "Correction"),
        line("10.1000/odd", "103", "Something else"),
    )
    file.write_text(COLUMNS + "".join(rows))
    found = read_retraction_list(file)
    retracted = Notice(
        "retracted", "doi:10.1000/notice", "3/4/2019", "Data, Error in Image", "Retraction Watch"
    )
    assert found["pmid:101"] == (retracted,)
    assert [notice.kind for notice in found["doi:10.1000/yeast"]] == ["retracted", "corrected"]
    assert [notice.kind for notice in found["pmid:102"]] == ["expression of concern"]
    assert set(found) == {"pmid:101", "pmid:102", "doi:10.1000/yeast"}


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8-sig", "utf-16", "cp1251"])
def test_a_list_in_any_encoding_is_read(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    title = "Дрожжи" if encoding == "cp1251" else "Größe"
    file.write_bytes((COLUMNS + line("10.1000/yeast", "101", title=title)).encode(encoding))
    assert set(read_retraction_list(file)) == {"pmid:101", "doi:10.1000/yeast"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("DOI,Nature\n10.1000/yeast,Retraction\n", "no column RetractionNature"),
        ("", "its columns are none"),
        (COLUMNS, "no notice in it"),
        (COLUMNS + '1,"' + "x" * 200_000, "no CSV"),
        ("\0\0\0\0", "no column"),
    ],
)
def test_another_table_is_refused_in_a_line(content: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text(content)
    with pytest.raises(InputError) as refused:
        read_retraction_list(tmp_path / "other.csv")
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)
    with pytest.raises(InputError, match="can't be read"):
        read_retraction_list(tmp_path / "missing.csv")


def test_a_list_of_100_mb_is_read_once(tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    rows = (line(f"10.1000/{at}", str(at), title="x" * 850) for at in range(1, 100_001))
    with file.open("w") as stream:
        stream.write(COLUMNS)
        stream.writelines(rows)
    assert file.stat().st_size > 100_000_000
    found = read_retraction_list(file)
    assert len(found) == 200_000
    assert read_retraction_list(file) is found
    with file.open("a") as stream:
        stream.write(line("10.1000/last", "100001"))
    assert len(read_retraction_list(file)) == 200_002
