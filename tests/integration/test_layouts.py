"""The layouts `spans` and `sentences` give the same spans, in the same order, with the same
scores: on random articles, and on real ones where they are."""

import os
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.errors import CitespanError, InputError
from citespan.pipelines.indexing import catalogue
from citespan.pipelines.indexing.article_text import article_text
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.writing.loader import Loader
from citespan.pipelines.reformulation.composition import parse
from citespan.pipelines.reformulation.context import Options
from citespan.pipelines.reformulation.query import Kind, Term
from citespan.pipelines.reformulation.reformulation import reformulations
from citespan.pipelines.retrieval.article_context import article_context
from citespan.pipelines.retrieval.model import models, similarities
from citespan.pipelines.retrieval.passages import passages
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.retrieval.search import search, search_many
from citespan.pipelines.text.sentences import sentences
from citespan.pipelines.text.splitter import DEFAULT, splitters
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.reader import vocabulary_readers

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
DEFAULT_LENGTHS = SpanLengths()
CITANCES = int(os.environ.get("CITESPAN_PARITY_CITANCES", "30"))
"""Of either real collection."""
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
        loader = Loader(
            es, similarities(models.names()), lengths, splitters[DEFAULT], layout=layout
        )
        census = loader.load(named)
        assert census.articles + census.unchanged == len(articles), census
        entries = catalogue.entries(es, [article.id for article in named])
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
        for one, other in zip(found, expected, strict=True):
            assert one.score == pytest.approx(other.score, rel=1e-4, abs=1e-9), about


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
        for one, other in pairwise(scores[place] for place in places):
            assert other <= one * (1 + 1e-5) + 1e-6, about


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
            shown.append(passages(es, request, search(es, request)))
        for one, other in zip(*shown, strict=True):
            assert one.term_scores == pytest.approx(other.term_scores, rel=1e-4)
            assert replace(one, score=0, term_scores={}) == replace(other, score=0, term_scores={})


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
        with pytest.raises(InputError, match="--layout sentences, which has them all"):
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
        article_text(es, entry)


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
    meta = DATA / "craft" / "vocabulary" / "META"
    if not meta.is_dir():
        pytest.skip("CRAFT is not beside the checkout (../shared/data/craft)")
    store = tmp_path_factory.mktemp("vocabulary") / "craft.vocabulary"
    build(vocabulary_readers["umls"].terms(meta), store, "CRAFT")
    return store


def test_real_citances(es: Elasticsearch, craft_vocabulary: Path) -> None:
    train = DATA / "scisumm" / "train"
    if not train.is_dir():
        pytest.skip("CL-SciSumm is not beside the checkout (../shared/data/scisumm)")
    reader = readers["scisumm"]
    collection: Collection = reader.collection(train)  # type: ignore[attr-defined]
    spans, windows = in_both_layouts(es, list(collection.articles.values()))
    chosen = random.Random(11).sample(list(collection.citances), CITANCES)
    reformulated(es, spans, windows, [(c.article_id, c.text) for c in chosen], craft_vocabulary)


def test_real_articles(es: Elasticsearch, craft_vocabulary: Path) -> None:
    """A sentence stands for a citance."""
    reader = readers["jats"]
    articles = [
        article
        for unit in reader.find(DATA / "craft" / "train" / "nxml")
        for article in reader.read(unit)
        if isinstance(article, Article)
    ]
    generator = random.Random(12)
    spans, windows = in_both_layouts(es, articles)
    citances = []
    for article in generator.choices(articles, k=CITANCES):
        one = generator.choice(sentences(article, splitters[DEFAULT]))
        citances.append((article.id, article.text[one.start : one.end]))
    reformulated(es, spans, windows, citances, craft_vocabulary)
