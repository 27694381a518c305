"""Searching all articles: both layouts together, filters, and editions that come and go."""

import json
import subprocess
import threading
from collections.abc import Callable, Iterator

import loading
import pytest
from elasticsearch import Elasticsearch
from lexical_ranker import LexicalRanker

import citespan
from citespan.deploy.client import connect
from citespan.es_mappings.articles import TEXT
from citespan.es_mappings.index_name import IndexNames
from citespan.pipelines.corpus.article import Article, Section
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.errors import CitespanError, InputError, UnknownNameError
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.indexing.writing.texts import restore_texts
from citespan.pipelines.ranking.article_ranking import ArticleEvidence, CorpusRequest, find_articles
from citespan.pipelines.ranking.ranker import Ranker
from citespan.pipelines.reformulation.query import Kind, Term
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.retrieval.article_search import ArticleFilter, search_articles
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.retry import RetryPolicy
from citespan.pipelines.store.server import open_server
from citespan.pipelines.years import Years

Citespan = Callable[..., subprocess.CompletedProcess[str]]

CITANCE = "Zelatine shortens attacks of gout in adults [3]"
NAMES = IndexNames("citespan-search-all")
CHANGED = IndexNames("citespan-search-changed")
ABOUT_GOUT = (
    ("Introduction", "Attacks of gout are painful. Many remedies have been tried."),
    ("Results", "Zelatine shortens attacks of gout. Adults felt better after two days."),
    ("Competing interests", "The makers of zelatine against gout paid for the attacks."),
)
ABOUT_WHEAT = (
    ("Methods", "Wheat was grown in pots. Attacks of rust were counted by hand."),
    ("Results", "Rust spread fast. No wheat was left in August."),
)


def made(
    name: str, sections: tuple[tuple[str, str], ...], *, year: int | None = None, journal: str = ""
) -> Article:
    """An article of sections with headings."""
    text, places = "", []
    for heading, body in sections:
        places.append(Section(heading, len(text), len(text) + len(body)))
        text += body + "\n\n"
    return Article(
        name,
        f"About {name}",
        text.rstrip(),
        f"{name}.txt",
        tuple(places),
        publication=Publication(year=year, journal=journal),
    )


GOUT = made("gout", ABOUT_GOUT, year=2012, journal="Journal of Joints")
SHORT = made("short", ABOUT_GOUT[:2], year=2016, journal="Gout Letters")
WHEAT = made("wheat", ABOUT_WHEAT, journal="Crops")


@pytest.fixture(scope="module")
def mixed(node: str) -> Iterator[Elasticsearch]:
    """One article in an index of its own and two that share one, of a catalogue of their own."""
    with connect() as client:
        load_mixed(client, NAMES)
        yield client


@pytest.fixture
def changed(es: Elasticsearch) -> Iterator[Elasticsearch]:
    """The same, for a test that changes them."""
    load_mixed(es, CHANGED)
    yield es
    names = list(es.indices.get(index=f"{CHANGED.prefix}-*", filter_path="*.aliases"))
    es.indices.delete(index=names)


def load_mixed(es: Elasticsearch, names: IndexNames) -> None:
    loading.load(es, [GOUT], layout="spans", names=names)
    loading.load(es, [SHORT, WHEAT], layout="sentences", names=names)


def search(
    es: Elasticsearch,
    ranker: Ranker | None,
    citance: str = CITANCE,
    articles: ArticleFilter = ArticleFilter(),
    sections: frozenset[str] = frozenset(),
    per_article: int = 1,
    names: IndexNames = NAMES,
) -> list[ArticleEvidence]:
    request = CorpusRequest(
        citance,
        parse("baseline").terms(citance, Context()),
        ranker,
        models["vsm"],
        per_article=per_article,
        articles=articles,
        sections=sections,  # type: ignore[arg-type]
    )
    return find_articles(es, request, names)


def ids(found: list[ArticleEvidence]) -> list[str]:
    return [article.evidence.article for article in found]


@pytest.mark.parametrize("ranker", [None, LexicalRanker()])
def test_both_layouts_are_searched_together(mixed: Elasticsearch, ranker: Ranker | None) -> None:
    found = search(mixed, ranker)
    assert set(ids(found)[:2]) == {"gout", "short"}
    assert ids(found)[2:] == ["wheat"], "it has attacks"
    assert [article.rank for article in found] == [1, 2, 3]
    for article in found[:2]:
        [passage] = article.evidence
        assert "Zelatine shortens attacks of gout." in passage.text
    assert {article.evidence.article: (article.year, article.journal) for article in found} == {
        "gout": (2012, "Journal of Joints"),
        "short": (2016, "Gout Letters"),
        "wheat": (None, "Crops"),
    }


def test_a_layout_makes_no_difference(es: Elasticsearch) -> None:
    """The same articles find the same, with the same scores but for rounding, in either layout."""
    found = {}
    for layout in ("spans", "sentences"):
        names = IndexNames(f"citespan-all-{layout}")
        loading.load(es, [GOUT, SHORT, WHEAT], layout=layout, names=names)
        for ranker in (None, LexicalRanker()):
            terms = parse("baseline").terms(CITANCE, Context())
            request = CorpusRequest(CITANCE, terms, ranker, models["vsm"], per_article=3)
            found[layout, ranker is None] = [
                passage
                for article in find_articles(es, request, names)
                for passage in article.to_json()
            ]
    for without in (True, False):
        spans, sentences = found["spans", without], found["sentences", without]
        assert len(spans) == len(sentences) >= 3
        for span, other in zip(spans, sentences, strict=True):
            scores = span.pop("score"), span.pop("article_score")
            assert scores == pytest.approx((other.pop("score"), other.pop("article_score")))
            assert span == other


@pytest.mark.parametrize(
    ("articles", "expected"),
    [
        (ArticleFilter(Years(2013, None)), {"short"}),
        (ArticleFilter(Years(None, 2012)), {"gout"}),
        (ArticleFilter(journals=("journal of JOINTS",)), {"gout"}),
        (ArticleFilter(journals=("Crops", "Gout Letters")), {"wheat", "short"}),
        (ArticleFilter(Years(2013, None), ("Crops",)), set()),
        (ArticleFilter(journals=("Journal",)), set()),
    ],
)
@pytest.mark.parametrize("ranker", [None, LexicalRanker()])
def test_filters(
    mixed: Elasticsearch, ranker: Ranker | None, articles: ArticleFilter, expected: set[str]
) -> None:
    assert set(ids(search(mixed, ranker, articles=articles))) == expected


@pytest.mark.parametrize("ranker", [None, LexicalRanker()])
def test_sections(mixed: Elasticsearch, ranker: Ranker | None) -> None:
    found = search(mixed, ranker, sections=frozenset({"introduction"}), per_article=3)
    assert set(ids(found)) == {"gout", "short"}
    assert {passage.section for article in found for passage in article.evidence} == {
        "Introduction"
    }


def test_replaced_and_deleted_articles_never_appear(changed: Elasticsearch) -> None:
    """An article that has been deleted, and editions that have been replaced, while their
    documents are still there and before the catalogue is refreshed."""
    catalogue = Catalogue(changed, CHANGED)
    before = catalogue.entries(["short", "gout"])
    changed.delete(index=CHANGED.articles, id="gout")  # as a load that is killed after it does
    other = made("short", ABOUT_WHEAT)
    loading.load(changed, [other], layout="sentences", names=CHANGED)
    found = search(changed, None, names=CHANGED)
    assert "gout" not in ids(found)
    assert changed.indices.exists(index=before["gout"].index), "its documents are there"
    texts = {article.evidence.article: article.evidence[0].text for article in found}
    assert "gout" not in " ".join(texts.values())


def test_searches_while_articles_are_replaced(changed: Elasticsearch) -> None:
    """Every search finds either edition of an article, whole, and never neither of them."""
    ended = threading.Event()
    other = (*ABOUT_GOUT[:2], ("Discussion", "Gout is gone."))

    def replace_again_and_again() -> None:
        for number in range(8):
            article = made("short", other if number % 2 else ABOUT_GOUT[:2])
            loading.load(
                changed, [article], layout="sentences" if number % 3 else "spans", names=CHANGED
            )
        ended.set()

    loads = threading.Thread(target=replace_again_and_again)
    loads.start()
    searches = 0
    while not ended.is_set():
        assert {"gout", "short"} <= set(ids(search(changed, LexicalRanker(), names=CHANGED)))
        searches += 1
    loads.join()
    assert searches > 3


@pytest.mark.parametrize("kind", ["phrase", "conjunction"])
def test_phrases_need_all_their_words(mixed: Elasticsearch, kind: Kind) -> None:
    terms = [Term("attacks of gout", 1.0, kind)]
    found = search_articles(Catalogue(mixed, NAMES), terms, ArticleFilter(), 10)
    assert {article.entry.article for article in found} == {"gout", "short"}


def test_terms_that_the_server_would_expand(mixed: Elasticsearch) -> None:
    terms = [Term("gout", 1.0, "synonym-phrases")]
    with pytest.raises(InputError, match="umls-expand in place of umls-field"):
        search_articles(Catalogue(mixed, NAMES), terms, ArticleFilter(), 10)


def test_scores_are_bm25_of_whole_articles(mixed: Elasticsearch) -> None:
    """Computed by hand from the articles' terms."""
    from math import log

    from citespan.pipelines.text.lucene import find_terms

    texts = {article.id: list(find_terms(article.text)) for article in (GOUT, SHORT, WHEAT)}
    average = sum(map(len, texts.values())) / 3
    for word in ("gout", "attack", "zelatine"):
        df = sum(word in terms for terms in texts.values())
        idf = log(1 + (3 - df + 0.5) / (df + 0.5))
        found = search_articles(Catalogue(mixed, NAMES), [Term(word)], ArticleFilter(), 10)
        assert {article.entry.article for article in found} == {
            k for k, v in texts.items() if word in v
        }
        for article in found:
            terms = texts[article.entry.article]
            tf = terms.count(word)
            norm = tf + 1.2 * (1 - 0.75 + 0.75 * len(terms) / average)
            assert article.score == pytest.approx(2.2 * idf * tf / norm, rel=1e-5)


def find(es: Elasticsearch, *words: str) -> list[str]:
    """The ids of articles; scores change, since Lucene counts what is replaced for a while."""
    es.indices.refresh(index=CHANGED.articles)
    terms = [Term(word) for word in words]
    found = search_articles(Catalogue(es, CHANGED), terms, ArticleFilter(), 10)
    return [article.entry.article for article in found]


def test_an_entry_that_is_written_again_keeps_its_text(changed: Elasticsearch) -> None:
    """Other lengths of spans, and another source, change the entry alone."""
    before = find(changed, "gout", "rust")
    report = loading.load(
        changed, [SHORT, WHEAT], lengths=SpanLengths(1, 2), layout="sentences", names=CHANGED
    )
    assert report.replaced == 2
    assert find(changed, "gout", "rust") == before
    hit = changed.get(index=CHANGED.articles, id="short")
    assert TEXT not in hit["_source"]


def test_texts_are_restored_from_the_documents(changed: Elasticsearch) -> None:
    before = find(changed, "zelatine", "rust")
    changed.update_by_query(index=CHANGED.articles, refresh=True)
    assert find(changed, "zelatine", "rust") == []
    with open_server(changed, RetryPolicy(), LoadReport()) as server:
        catalogue = Catalogue(server.client, CHANGED)
        assert len(restore_texts(server, catalogue)) == 3
        assert find(changed, "zelatine", "rust") == before
        assert restore_texts(server, catalogue) == []


def test_bad_arguments(es: Elasticsearch) -> None:
    loading.load(es, [GOUT])
    with pytest.raises(UnknownNameError, match="unknown section 'back matter'"):
        citespan.search_all(CITANCE, ranker="none", sections=["back matter"], client=es)
    with pytest.raises(InputError, match="nothing of the citance is left"):
        citespan.search_all("of the [3]", ranker="none", client=es)
    with pytest.raises(InputError, match="prf needs an article"):
        citespan.search_all(CITANCE, ranker="none", reformulation="prf", client=es)
    with pytest.raises(CitespanError, match="at least 1"):
        citespan.search_all(CITANCE, ranker="none", top=0, client=es)


def test_no_articles_are_indexed(es: Elasticsearch) -> None:
    nothing = Catalogue(es, IndexNames("citespan-nothing"))
    with pytest.raises(InputError, match="no articles are indexed"):
        search_articles(nothing, [Term("gout")], ArticleFilter(), 1)


def test_the_command(es: Elasticsearch, citespan: Citespan) -> None:
    loading.load(es, [GOUT], layout="spans")
    loading.load(es, [SHORT, WHEAT], layout="sentences")
    arguments = ("search", CITANCE, "--ranker", "none")
    found = json.loads(citespan(*arguments, "--per-article", "2", "--json").stdout)
    results = found["results"]
    assert [result["rank"] for result in results] == list(range(1, len(results) + 1))
    first = [result for result in results if result["article"] == "short"]
    assert [result["year"] for result in first] == [2016] * len(first) != []
    assert all(result["article_rank"] == first[0]["article_rank"] for result in first)

    narrow = json.loads(citespan(*arguments, "--year", "2016-", "--json").stdout)
    assert {result["article"] for result in narrow["results"]} == {"short"}

    shown = citespan(*arguments, "--journal", "journal of joints")
    assert "1. gout  About gout" in shown.stdout
    assert "⟦" in shown.stdout
    assert "2. " not in shown.stdout

    nothing = citespan(*arguments, "--year", "1900")
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert "with these filters, no article shares" in nothing.stderr

    mistaken = citespan(*arguments, "--article", "gout", "--year", "2016")
    assert mistaken.returncode == 2
    assert "remove --article" in mistaken.stderr
    unknown = citespan(*arguments, "--section", "middle")
    assert unknown.returncode == 2
    assert "results" in unknown.stderr
