"""The layouts `spans` and `sentences` give the same spans, in the same order, with the same
scores: on random articles, and on real ones where they are."""

import os
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import loading
import pytest
from elasticsearch import Elasticsearch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from places import SHARED_DATA

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.errors import CitespanError, InputError
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Kind, Term
from citespan.pipelines.reformulation.reformulation import parse, reformulations
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.retrieval.search import article_context, find_passages, search, search_many
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.layout import layout_of
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.reader import vocabulary_readers

DEFAULT_LENGTHS = SpanLengths()
CITANCES = int(os.environ.get("CITESPAN_PARITY_CITANCES", "20"))
"""Of either real collection."""
REAL_ARTICLES = int(os.environ.get("CITESPAN_PARITY_ARTICLES", "15"))
"""The same."""
_WORDS = (
    "p53 TGF-β1 kinase kinases binds cell cells mouse IL-2 the of and Müller repair 日本 β e.g. 😀"
).split()
_KINDS: list[Kind] = ["word", "phrase", "conjunction"]

Entries = dict[str, ArticleEntry]


def in_both_layouts(
    es: Elasticsearch, articles: Sequence[Article], lengths: SpanLengths = DEFAULT_LENGTHS
) -> tuple[Entries, Entries]:
    """Entries of the same articles in either layout, by the ids given."""
    found = []
    for layout in ("spans", "sentences"):
        named = [replace(a, id=f"{layout}-{a.id}", also_known_as=()) for a in articles]
        report = loading.load(es, named, models.names(), lengths, layout)
        assert report.articles + report.unchanged == len(articles), report
        entries = Catalogue(es).entries([article.id for article in named])
        found.append({name.partition("-")[2]: entry for name, entry in entries.items()})
    return found[0], found[1]


def assert_equal(
    es: Elasticsearch, spans: Sequence[SearchRequest], windows: Sequence[SearchRequest]
) -> None:
    answers = zip(spans, search_many(es, spans), search_many(es, windows), strict=True)
    for request, expected, found in answers:
        about = (request.article.article, request.model.name, request.terms)
        assert [(s.first_sentence, s.last_sentence) for s in found] == [
            (s.first_sentence, s.last_sentence) for s in expected
        ], about
        for span, other in zip(found, expected, strict=True):
            assert span.score == pytest.approx(other.score, rel=1e-4, abs=1e-9), about


def assert_alike(
    es: Elasticsearch, spans: Sequence[SearchRequest], windows: Sequence[SearchRequest]
) -> None:
    """All spans with their scores, in an order that differs only where the scores of short made-up
    spans differ by less than 32 bits can tell."""
    answers = zip(spans, search_many(es, spans), search_many(es, windows), strict=True)
    for request, expected, found in answers:
        about = (request.article.article, request.model.name, request.terms)
        scores = {(s.first_sentence, s.last_sentence): s.score for s in expected}
        places = [(s.first_sentence, s.last_sentence) for s in found]
        assert sorted(places) == sorted(scores), about
        assert [s.score for s in found] == pytest.approx(
            [scores[p] for p in places], rel=1e-5, abs=1e-6
        ), about
        for score, other in pairwise(scores[place] for place in places):
            assert other <= score * (1 + 1e-5) + 1e-6, about


_TEXT = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4).map(" ".join)
_SENTENCE = st.lists(st.sampled_from([*_WORDS, "…"]), min_size=1, max_size=60).map(" ".join)
_TERMS = st.builds(Term, _TEXT, st.sampled_from([0.3, 1.0, 2.0, 1.7]), st.sampled_from(_KINDS))


@st.composite
def made_articles(draw: st.DrawFn) -> Article:
    text = ""
    found = []
    for sentence in draw(st.lists(_SENTENCE, min_size=1, max_size=25)):
        text += draw(st.sampled_from([" ", "\n\n", ""])) if text else ""
        found.append(Sentence(len(text), len(text) + len(sentence)))
        text += sentence
    return Article("made", "Made", text, "made.txt", (), tuple(found))


@st.composite
def made_lengths(draw: st.DrawFn) -> SpanLengths:
    shortest = draw(st.integers(1, 3))
    return SpanLengths(shortest, draw(st.integers(shortest, 6)))


@settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # an example takes too long to be made smaller
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    article=made_articles(),
    queries=st.lists(st.lists(_TERMS, min_size=1, max_size=6), min_size=3, max_size=8),
    lengths=made_lengths(),
)
def test_random_articles(
    es: Elasticsearch, article: Article, queries: list[list[Term]], lengths: SpanLengths
) -> None:
    spans, windows = in_both_layouts(es, [article], lengths)
    requests = [(tuple(terms), model) for terms in queries for model in models]
    assert_alike(
        es,
        [SearchRequest(spans["made"], t, m, 200, merged=False) for t, m in requests],
        [SearchRequest(windows["made"], t, m, 200, merged=False) for t, m in requests],
    )


def test_passages_are_the_same(es: Elasticsearch) -> None:
    generator = random.Random(5)
    words = [word for word in _WORDS if word != "…"]
    text, found = "", []
    for _ in range(30):
        text += generator.choice([" ", "\n\n"]) if text else ""
        sentence = " ".join(generator.choices(words, k=generator.randint(3, 20))) + "."
        found.append(Sentence(len(text), len(text) + len(sentence)))
        text += sentence
    article = Article("passages", "", text, "passages.txt", (), tuple(found))
    spans, windows = in_both_layouts(es, [article])
    terms = (Term("p53"), Term("cells"), Term("日本", 2.0), Term("mouse kinase", 1.0, "phrase"))
    for model in models:
        shown = []
        for entry in (spans["passages"], windows["passages"]):
            request = SearchRequest(entry, terms, model)
            shown.append(next(find_passages(es, [request], explain=True)))
        for passage, other in zip(*shown, strict=True):
            assert passage.term_scores == pytest.approx(other.term_scores, rel=1e-4)
            assert replace(passage, score=0, term_scores={}) == replace(
                other, score=0, term_scores={}
            )


@contextmanager
def counted_requests(es: Elasticsearch) -> Iterator[Counter[str]]:
    """The requests sent to the server, by the last part of their path."""
    counts: Counter[str] = Counter()
    send = es.transport.perform_request

    def count(method: str, target: str, **options: Any) -> Any:
        counts[target.partition("?")[0].rpartition("/")[2]] += 1
        return send(method, target, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(es.transport, "perform_request", count)
        yield counts


@pytest.mark.parametrize("explain", [False, True])
def test_passages_come_from_the_search_that_found_them(es: Elasticsearch, explain: bool) -> None:
    article = Article("once", "", "A cell. The p53 kinase binds. The mouse.", "once.txt")
    spans, windows = in_both_layouts(es, [article])
    terms = (Term("p53"), Term("kinase", 2.0), Term("p53 kinase", 1.0, "phrase"))
    # The sentences' texts are the only other request; in an index of spans, the spans themselves.
    for entry, others in ((windows["once"], "_mget"), (spans["once"], "_search")):
        request = SearchRequest(entry, terms, models["vsm"])
        with counted_requests(es) as counts:
            [found, *_] = next(find_passages(es, [request], explain=explain))
        assert counts == {"_msearch": 1, others: 1}
        assert bool(found.term_scores) == explain
        assert found.matches


def test_a_batch_of_passages_is_what_each_request_gives(es: Elasticsearch) -> None:
    articles = [
        Article(f"batch-{n}", "", f"A cell. The p53 kinase {n} binds. Mice.", f"{n}.txt")
        for n in range(3)
    ]
    spans, windows = in_both_layouts(es, articles)
    requests = [
        SearchRequest(entry, (Term(word),) if word else (), models["bm25"])
        for word in ("p53", "", "cell")
        for entries in (spans, windows)
        for entry in entries.values()
    ]
    batch = list(find_passages(es, requests, explain=True))
    for request, found in zip(requests, batch, strict=True):
        expected = next(find_passages(es, [request], explain=True)) if request.terms else []
        assert found == expected
    assert sum(map(bool, batch)) == 12


def test_a_citance_of_very_many_terms_is_searched_alike(es: Elasticsearch) -> None:
    article = Article("long", "", "A cell. The p53 kinase binds. The mouse.", "long.txt")
    spans, windows = in_both_layouts(es, [article])
    words = [f"w{number}" for number in range(50_000)]
    terms = (*map(Term, words), Term("p53", 3.0), Term("mouse", 2.0))
    shown = []
    for entries in (spans, windows):
        request = SearchRequest(entries["long"], terms, models["vsm"])
        assert request.omitted == 50_002 - 1_000
        shown.append(next(find_passages(es, [request], explain=True)))
    assert shown[0]
    for passage, other in zip(*shown, strict=True):
        assert passage.term_scores == pytest.approx(other.term_scores, rel=1e-4)
        assert passage.score == pytest.approx(other.score, rel=1e-4)
        assert replace(passage, score=0, term_scores={}) == replace(other, score=0, term_scores={})


def test_spans_of_any_length_come_from_one_index_of_sentences(es: Elasticsearch) -> None:
    words = "cell mouse repair kinase p53".split()
    text = " ".join(f"{words[n % 5]} {words[n % 3]}." for n in range(12))
    offsets = [found.start() for found in re.finditer(r"\S+ \S+", text)]
    found = tuple(Sentence(s, text.find(".", s) + 1) for s in offsets)
    article = Article("lengths", "", text, "lengths.txt", (), found)
    _, windows = in_both_layouts(es, [article])
    terms = (Term("kinase"), Term("cell"))
    for lengths in (SpanLengths(2, 9), SpanLengths(3, 3)):
        spans, _ = in_both_layouts(es, [article], lengths)
        wanted = [SearchRequest(spans["lengths"], terms, m, 100, merged=False) for m in models]
        made = [
            SearchRequest(windows["lengths"], terms, m, 100, merged=False, spans=lengths)
            for m in models
        ]
        assert_equal(es, wanted, made)
        with pytest.raises(InputError, match="`layout=sentences`, which has them all"):
            SearchRequest(spans["lengths"], terms, models["vsm"], spans=SpanLengths(1, 2))


def test_synonyms_of_the_server_are_refused_in_one_line(es: Elasticsearch) -> None:
    article = Article("synonyms", "", "A cell.", "synonyms.txt")
    _, windows = in_both_layouts(es, [article])
    with pytest.raises(InputError, match="use umls-expand in place of umls-field"):
        SearchRequest(windows["synonyms"], (Term("cell", 1.0, "synonym-phrases"),), models["vsm"])


def test_an_article_that_shrinks_leaves_nothing_behind(es: Elasticsearch) -> None:
    long = Article("shrinks", "", "A cell. The mouse. Old kinase.", "shrinks.txt")
    in_both_layouts(es, [long])
    _, windows = in_both_layouts(es, [replace(long, text="A new cell.")])
    entry = windows["shrinks"]
    es.indices.refresh(index=entry.index)
    count = es.count(index=entry.index, query={"term": {"article": entry.article}})["count"]
    assert count == entry.sentences == 1
    assert search(es, SearchRequest(entry, (Term("kinase"),), models["vsm"])) == []


@pytest.mark.parametrize("index", ["citespan-sentences-000", "citespan-sentences-999"])
def test_sentences_that_are_gone_are_one_clear_line(es: Elasticsearch, index: str) -> None:
    _, windows = in_both_layouts(es, [Article("gone", "", "A cell. The mouse.", "gone.txt")])
    entry = windows["gone"]
    entry.index, entry.edition = index, "gone-000000000000"
    with pytest.raises(CitespanError, match="is gone .*index it again"):
        layout_of(entry).reader.read_text(es, entry)


def reformulated(
    es: Elasticsearch,
    spans: Entries,
    windows: Entries,
    citances: Iterable[tuple[str, str]],
    vocabulary: Path,
) -> None:
    """Every model and reformulation that both layouts have, for (article, citance)."""
    citances = list(citances)
    names = [name for name in reformulations.names() if name != "umls-field"]
    for synonyms in ("phrase", "conjunction"):
        options = Options(vocabulary=vocabulary, synonyms=synonyms)
        contexts = {
            (article, model.name): article_context(es, spans[article], options, model)
            for article, _ in citances
            for model in models
        }
        for name in (*names, "np+umls-expand", "umls-reduce+umls-expand"):
            if synonyms == "conjunction" and "umls-expand" not in name:
                continue
            queries: list[tuple[str, tuple[Term, ...]]] = []
            for model in models:
                if not queries or "prf" in name:
                    queries = [
                        (article, parse(name).terms(citance, contexts[article, model.name]))
                        for article, citance in citances
                    ]
                assert_equal(
                    es,
                    [SearchRequest(spans[a], t, model, 50, merged=False) for a, t in queries],
                    [SearchRequest(windows[a], t, model, 50, merged=False) for a, t in queries],
                )


@pytest.fixture(scope="module")
def craft_vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    meta = SHARED_DATA / "craft" / "vocabulary" / "META"
    if not meta.is_dir():
        pytest.skip("CRAFT is not beside the checkout (../shared/data/craft)")
    store = tmp_path_factory.mktemp("vocabulary") / "craft.vocabulary"
    build(vocabulary_readers["umls"].terms(meta), store, "CRAFT")
    return store


def test_real_citances(es: Elasticsearch, craft_vocabulary: Path) -> None:
    train = SHARED_DATA / "scisumm" / "train"
    if not train.is_dir():
        pytest.skip("CL-SciSumm is not beside the checkout (../shared/data/scisumm)")
    reader = readers["scisumm"]
    collection: Collection = reader.collection(train)  # type: ignore[attr-defined]
    names = sorted(collection.articles)[:REAL_ARTICLES]
    spans, windows = in_both_layouts(es, [collection.articles[name] for name in names])
    of_them = [citance for citance in collection.citances if citance.article_id in names]
    chosen = random.Random(11).sample(of_them, CITANCES)
    reformulated(es, spans, windows, [(c.article_id, c.text) for c in chosen], craft_vocabulary)


def test_real_articles(es: Elasticsearch, craft_vocabulary: Path) -> None:
    """A sentence stands for a citance."""
    reader = readers["jats"]
    articles = [
        article
        for unit in reader.find(SHARED_DATA / "craft" / "train" / "nxml")
        for article in reader.read(unit)
        if isinstance(article, Article)
    ][:REAL_ARTICLES]
    generator = random.Random(12)
    spans, windows = in_both_layouts(es, articles)
    citances = []
    for article in generator.choices(articles, k=CITANCES):
        sentence = generator.choice(split_article(article, splitters[DEFAULT]))
        citances.append((article.id, article.text[sentence.start : sentence.end]))
    reformulated(es, spans, windows, citances, craft_vocabulary)
