"""Terms as query DSL."""

from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.query_dsl import MOST_TERMS, limit_terms, spans_query


def test_words_of_one_weight_share_a_clause() -> None:
    terms = (Term("p53", 2), Term("binds"), Term("DNA"))
    assert spans_query(terms, "text").to_dict() == {
        "bool": {
            "should": [
                {"match": {"text": {"query": "p53", "boost": 2.0}}},
                {"match": {"text": {"query": "binds DNA", "boost": 1.0}}},
            ],
            "minimum_should_match": 1,
        }
    }


def test_one_clause_stands_alone() -> None:
    assert spans_query((Term("p53"),), "text.bm25").to_dict() == {
        "match": {"text.bm25": {"query": "p53", "boost": 1.0}}
    }


def test_a_phrase_is_a_clause_of_its_own() -> None:
    terms = (Term("cell cycle", 0.5, "phrase"), Term("arrest"))
    assert spans_query(terms, "text").to_dict()["bool"]["should"][1] == {
        "match_phrase": {"text": {"query": "cell cycle", "boost": 0.5}}
    }


def test_operators_in_user_text_stay_text() -> None:
    terms = (Term('title:x OR "y" AND *) /z/ {"match_all":{}}'),)
    assert spans_query(terms, "text").to_dict()["match"]["text"]["query"] == terms[0].text


def test_a_query_of_ordinary_length_keeps_all_terms() -> None:
    terms = tuple(Term(f"word{number}") for number in range(MOST_TERMS))
    assert limit_terms(terms) == terms
    assert limit_terms([Term("日本語" * 300)]) == (Term("日本語" * 300),)


def test_a_longer_query_keeps_the_terms_of_the_greatest_weight() -> None:
    terms = [Term(f"word{number}", 2.0 if number % 2 else 1.0) for number in range(50_000)]
    kept = limit_terms(terms)
    assert kept == tuple(terms[1 : 2 * MOST_TERMS : 2])


def test_terms_are_counted_as_they_are_analysed() -> None:
    pieces = Term(" ".join(f"a{number}-and" for number in range(MOST_TERMS)), kind="conjunction")
    few = [Term(f"word{number}") for number in range(10)]
    assert limit_terms([pieces, *few]) == (pieces,)
    assert limit_terms([*few, pieces]) == tuple(few)
    stop_words = Term("the of and " * MOST_TERMS)
    assert limit_terms([stop_words, *few]) == (stop_words, *few)
