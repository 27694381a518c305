"""Checking manuscripts by the real command line on a real node."""

import csv
import io
import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import loading
import pytest
from elasticsearch import Elasticsearch
from lexical_ranker import LexicalRanker

import citespan as front_door
from citespan.es_mappings.articles import INDEX
from citespan.pipelines.citations.checking import CheckedManuscript, check_citations
from citespan.pipelines.citations.manuscript import read_citations
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.shipped import sample
from citespan.pipelines.indexing.documents.windows import SpanLengths

Citespan = Callable[..., subprocess.CompletedProcess[str]]
SIGNALS = sample("jats").parent / "manuscript" / "signals.md"
EXPECTED = [
    ("found", "p53-dna-damage"),
    ("found", "tgf-beta-smad"),
    ("found", "insulin-glut4"),
    ("none", "insulin-glut4"),
    ("not indexed", None),
    ("unresolved", None),
]
SUGAR = Article(
    "sugar",
    "Sugar feeds yeast",
    "Sugar feeds yeast.\n\nYeast grows on sugar in a day. It does not grow on bread.",
    "sugar.txt",
    publication=Publication(("Ito, Kim",), "Sugar feeds yeast", 2001, doi="10.1000/sugar"),
)


@pytest.fixture
def indexed(es: Elasticsearch) -> Elasticsearch:
    """A client with the sample."""
    front_door.index(sample("jats"), layout="sentences", client=es, processes=0)
    return es


def count_documents(es: Elasticsearch) -> dict[str, str]:
    es.indices.refresh(index="citespan-*")
    counted = es.cat.indices(index="*", format="json", h="index,docs.count", expand_wildcards="all")
    return {str(row["index"]): str(row["docs.count"]) for row in counted}


@pytest.mark.usefixtures("indexed")
def test_the_sample_manuscript_in_every_form(citespan: Citespan, tmp_path: Path) -> None:
    page, missing = tmp_path / "report.html", tmp_path / "missing.csv"
    written = ("--html", str(page), "--missing", str(missing))
    done = citespan("check", str(SIGNALS), "--json", *written)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert [
        (citation["status"], citation["article"]) for citation in found["citations"]
    ] == EXPECTED
    assert found["totals"]["citations"] == len(EXPECTED)
    assert sum(found["totals"].values()) == 2 * len(EXPECTED)
    assert [reference["key"] for reference in found["uncited"]] == ["alamri2015"]
    assert "p53" in found["citations"][0]["results"][0]["text"]
    [row] = csv.DictReader(io.StringIO(missing.read_text()))
    assert (row["key"], row["year"]) == ("cohan2015", "2015")
    best = found["citations"][0]["results"][0]["text"].split()[0]
    assert best in page.read_text()

    told = citespan("check", str(SIGNALS), *written).stdout
    assert told.splitlines()[-2:] == [f"written: {page}", f"written: {missing}"]
    assert "--missing FILE" not in told
    shown = citespan("check", str(SIGNALS))
    assert shown.returncode == 0
    assert shown.stdout.splitlines()[-1].endswith("; --missing FILE writes a list of them")
    assert "6 citations: 3 found, 1 no evidence, 1 not indexed, 1 no" in shown.stdout
    rows = list(csv.DictReader(io.StringIO(citespan("check", str(SIGNALS), "--csv").stdout)))
    assert [row["status"] for row in rows] == [*(status for status, _ in EXPECTED), "uncited"]
    markdown = citespan("check", str(SIGNALS), "--markdown").stdout
    assert markdown.count("\n## ") == len(EXPECTED) + 1


def test_python_finds_the_same_and_nothing_is_stored(indexed: Elasticsearch) -> None:
    before = count_documents(indexed)
    steps: list[int] = []
    checked = front_door.check(SIGNALS, client=indexed, on_checked=steps.append)
    assert [(citation.status, citation.article) for citation in checked.citations] == EXPECTED
    assert sum(steps) == len(checked.citations)
    assert isinstance(checked, CheckedManuscript)
    assert count_documents(indexed) == before
    evidence = front_door.search(
        "After DNA damage, the kinase ATM phosphorylates p53 and thereby weakens the binding of "
        "MDM2 .",
        "p53-dna-damage",
        client=indexed,
    )
    assert checked.citations[0].evidence == evidence


NOTICE = """<article article-type="retraction" xmlns:xlink="http://www.w3.org/1999/xlink"><front>
<article-meta><article-id pub-id-type="pmc">8</article-id><article-id pub-id-type="pmid">808
</article-id><title-group><article-title>Retraction: Sugar feeds yeast</article-title>
</title-group><related-article related-article-type="retracted-article" ext-link-type="doi"
xlink:href="10.1000/sugar"/></article-meta></front><body><p>We retract that sugar feeds yeast, and
that yeast grows on sugar in a day.</p></body></article>"""
LISTED = """RetractionNature,Reason,RetractionDate,OriginalPaperDOI,OriginalPaperPubMedID
Expression of concern,+Concerns;,1/2/2020 0:00,10.1000/moss,0
"""


def test_references_that_are_not_what_they_say_are_told_everywhere(
    citespan: Citespan, es: Elasticsearch, tmp_path: Path
) -> None:
    loading.load(es, [SUGAR], ["vsm"])
    (tmp_path / "notice.xml").write_text(NOTICE)
    assert citespan("index", str(tmp_path / "notice.xml")).returncode == 0
    (tmp_path / "retractions.csv").write_text(LISTED)
    entries = """@article{ito, author={Wu, B.}, title={Sugar feeds yeast}, year={2001},
doi={10.1000/sugar}}
@article{again, author={Ito, K.}, title={Sugar feeds yeast}, year={2001}, doi={10.1000/sugar}}
@article{moss, author={Ito, K.}, title={Moss grows on stones}, year={2003}, doi={10.1000/moss}}
@article{odd, author={Od, K.}, title={Bread rises}, year={2003}, doi={1O.1000/bread}}
@article{notice, title={Retraction: Sugar feeds yeast}, year={2003}, pmid={808}}
"""
    text = "Yeast grows on sugar in a day [@ito]. Moss grows [@moss]. It is retracted [@notice]."
    manuscript = write(tmp_path, text, entries)
    (tmp_path / "known.txt").write_text("10.1000/sugar\n10.1000/bread\n")
    lists = ("--retractions", str(tmp_path / "retractions.csv"))
    lists = (*lists, "--known", str(tmp_path / "known.txt"))
    done = citespan("check", str(manuscript), "--json", *lists)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    faults = [(fault["reference"], fault["kind"], fault["field"]) for fault in found["faults"]]
    assert faults == [
        ("ito", "retracted", "work"),
        ("ito", "differs", "first author"),
        ("again", "retracted", "work"),
        ("again", "twice", "entry"),
        ("moss", "expression of concern", "work"),
        ("moss", "unknown", "doi:10.1000/moss"),
        ("odd", "malformed", "1O.1000/bread"),
    ]
    assert "retracted by pmid:808" in found["citations"][0]["faults"]
    assert [citation["status"] for citation in found["citations"]][1:] == [
        "not indexed",
        "unresolved",
    ]
    assert found["citations"][2]["reason"] == "notice"
    shown = citespan("check", str(manuscript), *lists).stdout
    assert "4 not what they say" in " ".join(shown.split())

    sentence = "Yeast grows on sugar in a day."
    everywhere = json.loads(citespan("search", sentence, "--json").stdout)["results"]
    assert {result["article"] for result in everywhere} == {"sugar"}
    assert everywhere[0]["notices"][0]["kind"] == "retracted"
    assert "retracted by pmid:808" in citespan("search", sentence).stdout
    assert "retracted by pmid:808" in citespan("search", sentence, "--article", "sugar").stdout
    assert "retracted by pmid:808" in citespan("cited", "sugar").stdout
    refused = citespan("search", sentence, "--article", "PMC8")
    assert refused.returncode == 2
    assert "notice about another one (doi:10.1000/sugar)" in " ".join(refused.stderr.split())


def test_a_list_of_retractions_with_other_columns_is_refused_in_a_line(
    citespan: Citespan, tmp_path: Path
) -> None:
    (tmp_path / "other.csv").write_text("DOI,Title\n10.1000/x,Yeast\n")
    done = citespan("check", str(SIGNALS), "--retractions", str(tmp_path / "other.csv"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "no column RetractionNature" in " ".join(done.stderr.split())


def test_both_layouts_give_the_same(es: Elasticsearch) -> None:
    found = []
    for layout in ("spans", "sentences"):
        front_door.index(sample("jats"), layout=layout, client=es, processes=0)
        found.append(front_door.check(SIGNALS, client=es).to_json())
    assert found[0] == found[1]


@pytest.mark.usefixtures("indexed")
def test_what_is_decided_is_kept_beside_the_manuscript_and_what_changed_is_shown(
    citespan: Citespan, tmp_path: Path
) -> None:
    for ending in (".md", ".bib"):
        (tmp_path / f"signals{ending}").write_bytes(SIGNALS.with_suffix(ending).read_bytes())
    manuscript, kept = tmp_path / "signals.md", tmp_path / "signals.md.decisions.jsonl"
    asked = citespan("check", str(manuscript), "--decide", "--by", "Ada", typed="r p. 3\n\nw\nq\n")
    assert asked.returncode == 0, asked.stderr
    assert "Decisions: 1 right, 1 wrong, 4 undecided" in asked.stdout
    assert [json.loads(line)["by"] for line in kept.read_text().splitlines()] == ["Ada", "Ada"]

    text = manuscript.read_text()
    [clause, *_] = json.loads(kept.read_text().splitlines()[0])["clause"].split(",")
    manuscript.write_text(text.replace(clause, f"{clause} of mice").replace("\n# ", "\nNew.\n\n# "))
    (tmp_path / "co.jsonl").write_text(kept.read_text().replace('"Ada"', '"Bo"') + "oops\n")
    both = ("--decisions", str(kept), "--decisions", str(tmp_path / "co.jsonl"))
    done = citespan("check", str(manuscript), *both, "--json")
    assert done.returncode == 1
    assert "co.jsonl:3: not JSON" in done.stderr
    checked = json.loads(done.stdout)
    assert checked["problems"] == [done.stderr.strip()]
    first, _, third, *_ = checked["citations"]
    assert [decision["changed"] for decision in first["decisions"]] == [["clause"], ["clause"]]
    assert (first["decision"], third["decision"]) == ("changed", "wrong")
    assert [decision["by"] for decision in third["decisions"]] == ["Ada", "Bo"]

    other = tmp_path / "other.md"
    other.write_text("# Other\n\nYeast grows [1].\n\n# References\n\n1. Ito K. Yeast. 2001.\n")
    told = citespan("check", str(other), "--decisions", str(kept))
    assert (told.returncode, "it may belong to another manuscript" in told.stderr) == (1, True)
    merged = citespan("decisions", "merge", str(kept), str(tmp_path / "co.jsonl"))
    assert (merged.returncode, len(merged.stdout.splitlines())) == (1, 4)


def write(folder: Path, text: str, entries: str = "") -> Path:
    """Write a manuscript with its BibTeX file."""
    (folder / "m.bib").write_text(entries, encoding="utf-8")
    front = "---\ntitle: Made\nbibliography: m.bib\n---\n\n" if entries else ""
    (folder / "m.md").write_text(front + text, encoding="utf-8")
    return folder / "m.md"


BY_DOI = "@article{a, title = {Sugar}, doi = {10.1000/sugar}}\n"


@pytest.fixture
def sugar(es: Elasticsearch) -> Elasticsearch:
    """A client with one article alone."""
    es.indices.delete(index=INDEX, ignore_unavailable=True)
    loading.load(es, [SUGAR], ["vsm"])
    return es


def kinds(checked: CheckedManuscript) -> list[str]:
    assert sum(checked.totals.values()) == len(checked.found.citations)
    return [citation.kind for citation in checked.citations]


def test_two_articles_of_one_identifier_are_ambiguous(sugar: Elasticsearch, tmp_path: Path) -> None:
    loading.load(sugar, [replace(SUGAR, id="twin", title="Twin")], ["vsm"])
    found = front_door.check(write(tmp_path, "Yeast grows [@a].\n", BY_DOI), client=sugar)
    assert kinds(found) == ["ambiguous"]
    assert found.citations[0].problem.endswith("fit the reference: sugar, twin")


def test_references_that_say_too_little_or_are_not_there(
    sugar: Elasticsearch, tmp_path: Path
) -> None:
    entries = (
        f"{BY_DOI}@misc{{b, year = 1999}}\n@article{{c, author = {{Ito, Kim}}, "
        "title = {Sugar feeds yeast}, year = 2002}\n@misc{d, title = {Gone}, doi = {10.1000/d}}\n"
    )
    text = "Yeast grows on sugar [@a; @b], in a day [@c]. It is white [@d], as is known [@e].\n"
    found = front_door.check(write(tmp_path, text, entries), client=sugar)
    assert kinds(found) == [*("found", "unidentifiable", "found", "not indexed", "no reference")]
    assert found.citations[0].publication.authors == ("Ito, Kim",)
    assert list(found.missing) == ["d"]


def test_markers_without_a_list_and_a_list_without_markers(
    sugar: Elasticsearch, tmp_path: Path
) -> None:
    unlisted = write(tmp_path, "Yeast grows on sugar [1] and on bread [5–2].\n")
    alone = front_door.check(unlisted, client=sugar)
    assert set(kinds(alone)) == {"no reference"}
    assert "does not ascend" in alone.citations[1].problem
    listed = write(tmp_path, "Yeast grows.\n\n# References\n\n1. Ito K. Sugar. 2001.\n2. Ry B.\n")
    found = front_door.check(listed, client=sugar)
    assert kinds(found) == []
    assert len(found.uncited) == 2


def test_a_manuscript_that_cites_itself_is_not_its_own_evidence(
    sugar: Elasticsearch, tmp_path: Path
) -> None:
    own = "<article-id pub-id-type='doi'>10.1000/sugar</article-id>"
    (tmp_path / "own.nxml").write_text(
        f"<article><front><article-meta>{own}</article-meta></front><body><p>Yeast grows on sugar "
        "<xref ref-type='bibr' rid='B1'>1</xref>.</p></body><back><ref-list><ref id='B1'>"
        "<mixed-citation>Sugar <pub-id pub-id-type='doi'>10.1000/sugar</pub-id></mixed-citation>"
        "</ref></ref-list></back></article>"
    )
    found = front_door.check(tmp_path / "own.nxml", client=sugar)
    assert kinds(found) == ["itself"]
    assert found.citations[0].evidence is None


def test_an_article_deleted_meanwhile_is_not_indexed(sugar: Elasticsearch, tmp_path: Path) -> None:
    manuscript = write(tmp_path, "Yeast grows on sugar [@a], all day [@a].\n", BY_DOI)

    def delete(_checked: int) -> None:
        sugar.indices.refresh(index=INDEX)
        if front_door.articles(client=sugar):
            front_door.delete("sugar", client=sugar)

    found = front_door.check(manuscript, client=sugar, on_checked=delete)
    assert kinds(found) == ["not indexed", "not indexed"]
    assert "was deleted while" in found.citations[0].problem
    assert [count for _, count in found.missing.values()] == [2]


def test_an_article_whose_documents_are_gone_costs_no_other_citation(
    indexed: Elasticsearch, tmp_path: Path
) -> None:
    loading.load(indexed, [SUGAR], ["vsm"], layout="spans")
    [entry] = [
        article for article in front_door.articles(client=indexed) if article.article == "sugar"
    ]
    indexed.indices.delete(index=entry.index)
    text = SIGNALS.read_text().replace("[@p53]", "[@p53; @a]")
    entries = SIGNALS.with_suffix(".bib").read_text() + BY_DOI
    (tmp_path / "signals.bib").write_text(entries)
    (tmp_path / "m.md").write_text(text)
    found = front_door.check(tmp_path / "m.md", client=indexed)
    assert found.totals == {
        "found": 3, "differs": 0, "weak": 0, "none": 1, "not indexed": 2, "unresolved": 1,
    }  # fmt: skip
    assert found.missing.keys() == {"a", "cohan2015"}


def test_an_article_that_fits_better_is_named(
    indexed: Elasticsearch, citespan: Citespan, tmp_path: Path
) -> None:
    said = "the kinase ATM phosphorylates p53 and weakens the binding of MDM2, the ubiquitin ligase"
    (tmp_path / "signals.bib").write_text(SIGNALS.with_suffix(".bib").read_text())
    manuscript = tmp_path / "m.md"
    manuscript.write_text(
        "---\nbibliography: signals.bib\n---\n\n"
        f"After DNA damage, {said} [@p53]. After DNA damage, {said} [@glut4].\n"
    )
    page = tmp_path / "report.html"
    done = citespan("check", str(manuscript), "--json", "--html", str(page))
    better = [citation["better"] for citation in json.loads(done.stdout)["citations"]]
    assert better == [None, "p53-dna-damage"]
    assert page.read_text().count("p53-dna-damage fits better") == 1
    assert citespan("check", str(manuscript), "--markdown").stdout.count("fits better") == 1
    assert "fits better" in citespan("check", str(manuscript)).stdout
    told = citespan("check", str(manuscript), "--json", "--no-rivals")
    assert [citation["better"] for citation in json.loads(told.stdout)["citations"]] == [None, None]


def test_an_article_that_cannot_be_ranked_says_why(sugar: Elasticsearch, tmp_path: Path) -> None:
    longer = replace(SUGAR, id="longer", publication=Publication(doi="10.1000/longer"))
    loading.load(sugar, [longer], ["vsm"], SpanLengths(2, 3))
    entries = BY_DOI + "@misc{b, title = {Long}, doi = {10.1000/longer}}\n"
    manuscript = write(tmp_path, "Yeast grows on sugar [@a], all day on sugar [@b].\n", entries)
    found = front_door.check(manuscript, client=sugar)
    assert kinds(found) == ["found", "not indexed"]
    assert (found.citations[1].article, found.missing) == ("longer", {})
    assert "longer" in found.citations[1].problem


def test_an_empty_catalogue_is_named_in_one_line(
    es: Elasticsearch, citespan: Citespan, tmp_path: Path
) -> None:
    es.indices.delete(index=INDEX, ignore_unavailable=True)
    done = citespan("check", str(SIGNALS), "--json", "--missing", str(tmp_path / "missing.csv"))
    assert done.returncode == 0
    assert done.stderr == "no articles are indexed; see `citespan index --help`\n"
    assert json.loads(done.stdout)["totals"]["not indexed"] == 5
    assert len((tmp_path / "missing.csv").read_text().splitlines()) == 1 + 4


def test_a_manuscript_that_cannot_be_read_leaves_no_report(
    citespan: Citespan, tmp_path: Path
) -> None:
    (tmp_path / "m.xyz").write_text("words")
    done = citespan("check", str(tmp_path / "m.xyz"), "--html", str(tmp_path / "report.html"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "of no known format" in done.stderr
    assert not (tmp_path / "report.html").exists()


def test_a_broken_entry_is_reported_and_the_rest_is_checked(
    sugar: Elasticsearch, citespan: Citespan, tmp_path: Path
) -> None:
    entries = BY_DOI + "@misc{b, title = {No {end}\n"
    manuscript = write(tmp_path, "Yeast grows on sugar [@a; @b].\n", entries)
    done = citespan("check", str(manuscript), "--json")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "m.bib" in done.stderr
    assert [citation["status"] for citation in json.loads(done.stdout)["citations"]] == [
        *("found", "unresolved")
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("none.md",), "none.md: no such file"),
        ((str(SIGNALS), "--ranker", "none"), "has no probabilities"),
        ((str(SIGNALS), "--ranker", "nobody"), "unknown ranker"),
        ((str(SIGNALS), "--top", "0"), "use 1 or more"),
        ((str(SIGNALS), "--json", "--csv"), "can't be combined"),
        ((str(SIGNALS), "--html", "/none/report.html"), "can't be written to"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    citespan: Citespan, arguments: tuple[str, ...], said: str
) -> None:
    done = citespan("check", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_nothing_more_is_searched_for_once_it_is_stopped(
    sugar: Elasticsearch, tmp_path: Path
) -> None:
    ranked: list[str] = []

    class Counting(LexicalRanker):
        def rank(self, query: str, *rest: Any) -> Any:
            ranked.append(query)
            return super().rank(query, *rest)

    def stop(checked: int) -> None:
        if checked:
            raise KeyboardInterrupt

    text = "\n\n".join(f"Yeast grows on sugar number {n} [@a]." for n in range(500))
    found = read_citations(write(tmp_path, text, BY_DOI))
    with pytest.raises(KeyboardInterrupt):
        check_citations(sugar, found, Counting(), on_checked=stop)
    assert 0 < len(ranked) <= 200


def test_another_ranker_judges_by_its_own_threshold(sugar: Elasticsearch, tmp_path: Path) -> None:
    manuscript = write(tmp_path, "Sugar is sold in large grey bags of paper [@a].\n", BY_DOI)
    found = front_door.check(manuscript, ranker=LexicalRanker.name, client=sugar)
    assert kinds(found) == ["weak"]
    assert (found.version, found.threshold) == ("lexical 1", 0.3)
    with pytest.raises(InputError, match="use 1 or more"):
        front_door.check(manuscript, top=0, client=sugar)
