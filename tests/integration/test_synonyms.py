"""The synonyms of an article's index, on a real node."""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch, helpers

from citespan.es_mappings import spans
from citespan.es_mappings.analysis import ANALYZER
from citespan.es_mappings.synonyms import SynonymRule
from citespan.pipelines.indexing.documents.synonym_rules import ConceptSynonyms
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.model import models, similarities
from citespan.pipelines.retrieval.query_dsl import spans_query
from citespan.pipelines.text.lucene import split_words
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.matching import Matcher
from citespan.pipelines.vocabulary.normalise import keys
from citespan.pipelines.vocabulary.store import open_vocabulary
from citespan.pipelines.vocabulary.terms import ConceptFilter, VocabularyTerm

NASTY = [
    *"aAsSxyésßμαβΓµﬁ１①²3.,:;'’-–_/()[]+=>#\\\"\t\n",
    *[" "] * 12,
    *(
        "the of a not it's that's cells cell Müller's TGF-β1 1,25 e.g. =>, \\, naïve naive ﬂow"
    ).split(),
    *(
        "classes bodies virus is was this as IL-2 p53 α-synuclein alpha-Synuclein can't U.S."
    ).split(),
]
COMMON = ("cell death programmed apoptosis lung cancer tumour rate gene p53 IL-2 mouse fat").split()
WORDS = [*COMMON, *(f"word{number}" for number in range(30))]


def made_matcher(folder: Path, concepts: Iterable[Iterable[str]]) -> Matcher:
    """A matcher of a vocabulary with these terms; the first of each concept is preferred."""
    terms = [
        VocabularyTerm(f"C{number}", text, "MADE", "SY", place == 0)
        for number, texts in enumerate(concepts)
        for place, text in enumerate(texts)
    ]
    build(terms, folder, "made for a test")
    return Matcher(open_vocabulary(folder), ConceptFilter())


@contextmanager
def span_index(
    es: Elasticsearch, name: str, rules: list[SynonymRule], texts: list[str]
) -> Iterator[str]:
    """An index of spans with these texts and rules."""
    wanted = similarities(models.names())
    es.options(ignore_status=404).indices.delete(index=name)
    es.indices.create(
        index=name, mappings=spans.mapping(wanted, True), settings=spans.settings(wanted, rules)
    )
    documents = ({"_id": str(at), "text": text} for at, text in enumerate(texts))
    helpers.bulk(es, documents, index=name, refresh=True)
    try:
        yield name
    finally:
        es.indices.delete(index=name)


def found(es: Elasticsearch, index: str, query: dict[str, object]) -> dict[str, float]:
    """Scores by id."""
    hits = es.search(index=index, query=query, size=1000)["hits"]["hits"]
    return {hit["_id"]: hit["_score"] for hit in hits}


def nasty_text(generator: random.Random) -> str:
    return "".join(generator.choice(NASTY) for _ in range(generator.randint(1, 8)))


@pytest.mark.parametrize("seed", range(2))
def test_what_is_the_same_to_the_server_has_the_same_keys(es: Elasticsearch, seed: int) -> None:
    generator = random.Random(seed)
    texts = [nasty_text(generator) for _ in range(150)]
    texts += [generator.choice([str.upper, str.title, str.lower])(text) for text in texts]
    texts += [text.replace("-", " ").replace("’", "'") for text in texts]
    keys_of: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
    with span_index(es, "citespan-tests-analysis", [], []) as index:
        for text in texts:
            tokens = es.indices.analyze(index=index, analyzer=ANALYZER, text=text)["tokens"]
            keys_of[tuple(token["token"] for token in tokens)].add(tuple(keys(text)))
    assert len(keys_of) < len(texts)
    assert {t: k for t, k in keys_of.items() if len(k) > 1} == {}


@pytest.mark.parametrize("seed", range(2))
def test_the_server_takes_every_rule_of_any_vocabulary(
    es: Elasticsearch, tmp_path: Path, seed: int
) -> None:
    """Rules are not lenient: one that the server can't read would fail the index."""
    generator = random.Random(seed)
    concepts = [
        ["cell", *(nasty_text(generator) for _ in range(generator.randint(1, 5)))]
        for _ in range(150)
    ]
    rules = ConceptSynonyms(made_matcher(tmp_path / "v", concepts)).all_rules()
    assert len(rules) > 150
    with span_index(es, "citespan-tests-rules", rules, []):
        pass


def test_a_stop_word_is_no_plural_without_its_s(es: Elasticsearch, tmp_path: Path) -> None:
    """ "or" is not the ORS, though the stemmer makes one of the other."""
    concepts = [["ORS", "outer root sheath"]]
    rules = ConceptSynonyms(made_matcher(tmp_path / "v", concepts)).all_rules()
    texts = ["root alone", "outer root sheath", "ORS"]
    with span_index(es, "citespan-tests-stop-words", rules, texts) as index:

        def hits(query: str) -> set[str]:
            return set(found(es, index, {"match": {"text.umls": query}}))

        assert hits("or") == set()
        assert hits("ORS") == hits("ors") == {"1", "2"}
        assert hits("outer root sheath") == {"0", "1", "2"}


def random_concepts(
    generator: random.Random, joints: tuple[str, ...], shared: bool = True
) -> list[list[str]]:
    """Concepts of terms of one to three words, a quarter of which are in no article.

    Args:
        shared: whether a term may be of several concepts.
    """
    seen: set[tuple[str, ...]] = set()
    known = [*WORDS, *(f"unknown{number}" for number in range(12))]

    def term() -> str:
        return generator.choice(joints).join(generator.sample(known, generator.randint(1, 3)))

    concepts = []
    for _ in range(40):
        terms = [term() for _ in range(generator.randint(1, 4))]
        concepts.append([t for t in terms if shared or tuple(keys(t)) not in seen])
        seen.update(tuple(keys(t)) for t in terms)
    return concepts


def overlapping(query: str, rules: list[SynonymRule], scoped: list[SynonymRule]) -> bool:
    """Whether a term of the whole vocabulary that is not in the article's rules overlaps one that
    is in the query."""

    def places(some: list[SynonymRule]) -> set[tuple[int, int]]:
        words = [word.lower() for word in split_words(query)]
        terms = {tuple(w.lower() for w in term) for rule in some for term in rule.terms}
        return {
            (at, at + len(term))
            for term in terms
            for at in range(len(words))
            if tuple(words[at : at + len(term)]) == term
        }

    own, every = places(scoped), places(rules)
    return any(a < d and c < b for a, b in every - own for c, d in own)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_rules_of_the_article_find_and_score_as_those_of_the_whole_vocabulary(
    es: Elasticsearch, tmp_path: Path, seed: int, shared: bool
) -> None:
    """But for what the docstring of `synonym_rules` excepts. Where concepts share terms, only the
    same spans are asked for."""
    generator = random.Random(seed)
    concepts = random_concepts(generator, (" ", "-"), shared)
    synonyms = ConceptSynonyms(made_matcher(tmp_path / "v", concepts))
    used = generator.sample(WORDS, 25)
    texts = [
        " ".join(generator.choice([*used, "of", "the"]) for _ in range(generator.randint(3, 15)))
        for _ in range(30)
    ]
    scoped, full = synonyms.rules_for(". ".join(texts)), synonyms.all_rules()
    assert len(scoped) < len(full)
    terms = [term for concept in concepts for term in concept]
    queries = [
        " ".join(generator.choice([*terms, *WORDS, "of", "the"]) for _ in range(6))
        for _ in range(50)
    ]
    queries += [generator.choice(terms) for _ in range(40)]
    queries = [query for query in queries if not overlapping(query, full, scoped)]
    assert len(queries) >= 30
    expanded = 0
    with (
        span_index(es, "citespan-tests-scoped", scoped, texts) as of_article,
        span_index(es, "citespan-tests-full", full, texts) as of_vocabulary,
    ):
        for query in queries:
            asked: list[dict[str, object]] = [{"match": {"text.umls": query}}]
            asked += [
                spans_query([Term(query, 2.0, "synonym-phrases")], field).to_dict()
                for field in ("text.bm25", "text.lmd")
            ]
            for clause in asked:
                expected = found(es, of_vocabulary, clause)
                got = found(es, of_article, clause)
                assert got.keys() == expected.keys(), query
                if not shared:
                    assert got == pytest.approx(expected, rel=1e-5), query
                expanded += bool(
                    expected.keys() - found(es, of_article, {"match": {"text": query}})
                )
            loosely = spans_query([Term(query, 1.0, "synonym-conjunctions")], "text").to_dict()
            assert expected.keys() <= found(es, of_article, loosely).keys()
            assert found(es, of_article, loosely).keys() <= found(es, of_vocabulary, loosely).keys()
    assert expanded > 20


@pytest.mark.parametrize("seed", range(3))
def test_a_term_brings_back_all_spans_with_any_term_of_its_concepts(
    es: Elasticsearch, tmp_path: Path, seed: int
) -> None:
    """Against a search by hand through the spans."""
    generator = random.Random(100 + seed)
    concepts = random_concepts(generator, (" ", "-", " of the "))
    synonyms = ConceptSynonyms(made_matcher(tmp_path / "v", concepts))
    texts = [
        " ".join(generator.choice([*WORDS, "of", "the"]) for _ in range(generator.randint(3, 15)))
        for _ in range(30)
    ]
    by_words = [tuple(word.lower() for word in split_words(text)) for text in texts]

    def spans_with(term: tuple[str, ...]) -> set[str]:
        return {
            str(number)
            for number, words in enumerate(by_words)
            if any(words[at : at + len(term)] == term for at in range(len(words)))
        }

    with span_index(es, "citespan-tests-term", synonyms.rules_for(". ".join(texts)), texts) as own:
        for concept in concepts:
            same = [tuple(w.lower() for w in split_words(term)) for term in concept]
            everywhere = set().union(*map(spans_with, same))
            for term in concept:
                assert found(es, own, {"match": {"text.umls": term}}).keys() >= everywhere, term
