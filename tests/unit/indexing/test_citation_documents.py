"""The documents of citations, what a link keeps, and what an article is cited for."""

import json
from dataclasses import replace

import pytest
from made_checks import PUBLICATION, REFERENCES, make_citations, make_evidence

from citespan.es_mappings import citations, links
from citespan.es_mappings.links import CitationLink, Difference, Place, link_id
from citespan.pipelines.citations.cited import CitedArticle, CitedSentence
from citespan.pipelines.citations.link_report import OUTCOMES, LinkProblem, LinkReport
from citespan.pipelines.citations.linking import make_linked_passage
from citespan.pipelines.citing.citations import find_citations
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.references import ReferenceList
from citespan.pipelines.indexing.documents.builder import build_citations
from citespan.pipelines.indexing.documents.content import hash_content
from citespan.pipelines.text.splitter import splitters

PUNKT = splitters["punkt"]
LINK = CitationLink(
    citing="made",
    citing_title="Yeast",
    cited="PMC7",
    cited_title="Sugar",
    citation="0.1.1",
    number=0,
    section="Results",
    start=0,
    end=5,
    text="Yeast",
    query="Yeast",
    reference="B1",
    found_by="identifier",
    verdict="found",
    support=0.9,
    threshold=0.3,
    passages=tuple(map(make_linked_passage, make_evidence(0.9))),
    differences=(),
    rivals=False,
    better="",
    better_title="",
    ranker="lexical",
    ranker_version="1",
    citing_content="a",
    cited_content="b",
    linked="2026-01-01T00:00:00+00:00",
)


def test_each_citation_is_one_document() -> None:
    found = make_citations()
    written = list(build_citations(found))
    assert len(written) == len(found.citations)
    text = found.article.text
    known = citations.mapping()["properties"].keys()
    for number, (pair, citation) in enumerate(zip(written, found.citations, strict=True)):
        action, _, document = pair.replace(b"\0", b"made~1").partition(b"\n")
        assert json.loads(action)["index"]["_id"] == f"made~1-{number}"
        source = json.loads(document)
        assert source.keys() <= known
        assert (source["number"], source["citation"]) == (number, citation.id)
        assert source["text"] == text[source["start"] : source["end"]]
        assert source["marker"] == text[source["marker_start"] : source["marker_end"]]
        assert ("reference" in source) == (citation.reference is not None)
    first = json.loads(written[0].partition(b"\n")[2].replace(b"\0", b""))
    assert (first["author"], first["doi"]) == (PUBLICATION.authors[0], PUBLICATION.doi)


@pytest.mark.parametrize("words", [1, 30, 300])
def test_an_endless_sentence_is_not_stored_whole_with_each_citation(words: int) -> None:
    text = " ".join(["sugar"] * 100 * words) + " [1]" + " bread" * 100 * words
    listed = ReferenceList(REFERENCES)
    article = Article("a", "", text, "a.txt", reference_list=listed)
    [pair] = build_citations(find_citations(article, PUNKT))
    source = json.loads(pair.partition(b"\n")[2].replace(b"\0", b""))
    assert len(source["text"]) <= 8_100
    assert len(source["query"]) <= 8_100
    assert "[1]" in source["text"]


def test_the_content_of_an_article_changes_with_its_references() -> None:
    def hash_with(*references: object) -> str:
        listed = ReferenceList(references)  # type: ignore[arg-type]
        article = Article("a", "", "Yeast grows [1].", "a.txt", reference_list=listed)
        return hash_content(article, PUNKT)

    first = REFERENCES[0]
    other = replace(first, publication=replace(PUBLICATION, doi="10.1000/other"))
    assert hash_with(first) == hash_with(first)
    assert len({hash_with(), hash_with(first), hash_with(other)}) == 3


def test_a_link_is_what_its_document_says() -> None:
    document = LINK.to_document()
    assert document.keys() == links.mapping()["properties"].keys()
    again = json.loads(json.dumps(document))
    assert CitationLink.from_document(again) == LINK
    assert document["sentences"] == ["PMC7#4", "PMC7#5"]
    assert "cited_content" not in LINK.to_json()


def test_a_link_says_what_differs_with_both_places() -> None:
    differing = Difference("number", Place(0, 2, "5%"), Place(4, 6, "9%", 1), 0.8)
    link = replace(LINK, query="5% grew", verdict="differs", differences=(differing,))
    document = json.loads(json.dumps(link.to_document()))
    known = links.mapping()["properties"]["differences"]["properties"]
    assert document["differences"][0].keys() == known.keys()
    assert CitationLink.from_document(document) == link
    assert link.to_json()["differences"] == [
        {
            "kind": "number",
            "citation": {"start": 0, "end": 2, "text": "5%"},
            "article": {"passage": 1, "start": 4, "end": 6, "text": "9%"},
        }
    ]
    assert link.pieces == [("5%", True), (" grew", False)]


def test_ids_of_links_differ_with_article_and_citation() -> None:
    pairs = [("a", "1.1.1"), ("A", "1.1.1"), ("a/b", "1.1.1"), ("a", "1.1.2")]
    assert len({link_id(*pair) for pair in pairs}) == len(pairs)


def make_cited(*found: CitationLink) -> CitedArticle:
    sections = ("Results", "Results", "Discussion")
    return CitedArticle(
        "PMC7",
        "Sugar",
        found,
        tuple(CitedSentence(n, n, n + 1, name, "A.", n) for n, name in enumerate(sections)),
        1,
    )


def test_sections_count_a_citation_once_and_only_if_evidence_is_found() -> None:
    [passage] = LINK.passages
    passages = tuple(
        replace(passage, section=name) for name in ("Results", "Results", "Discussion")
    )
    found = make_cited(
        replace(LINK, passages=passages),
        replace(LINK, verdict="weak", citing="other"),
        replace(LINK, passages=passages[:1], verdict="differs", citing="other"),
    )
    assert found.sections == {"Results": 2, "Discussion": 1}
    assert found.verdicts == {"found": 1, "differs": 1, "weak": 1, "none": 0}
    assert found.citing == {"other": 2, "made": 1}
    assert [sentence.number for sentence in found.cited] == [2, 1]
    assert [sentence.number for sentence in found.uncited] == [0]
    described = found.to_json()
    assert (described["citations"], described["outdated"]) == (3, 1)
    assert sum(described["verdicts"].values()) == described["citations"]


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_outcomes_of_a_report_add_up(outcome: str) -> None:
    report = LinkReport()
    report.counts["linked"] += 2
    report.reject(outcome, LinkProblem("a", "", "gone"), 3)  # type: ignore[arg-type]
    described = report.to_json()
    assert described["citations"] == 5
    assert sum(described[outcome.replace(" ", "_")] for outcome in OUTCOMES) == 5
    assert described["problems"] == [{"article": "a", "citation": "", "reason": "gone"}]
