"""Terms as Elasticsearch's query DSL.

Every term becomes part of a `match` or `match_phrase` clause: these analyse the text and never
parse it, so nothing a user types can be taken for an operator.
"""

from collections.abc import Sequence
from itertools import groupby

from elasticsearch.dsl.query import Bool, Match, MatchPhrase, Query

from citespan.es_mappings.analysis import SYNONYM_ANALYZER
from citespan.pipelines.reformulation.query import Kind, Term

SERVER_EXPANDED: tuple[Kind, ...] = ("synonym-phrases", "synonym-conjunctions")
"""Kinds of terms that only an index made with a vocabulary can search for."""


def spans_query(terms: Sequence[Term], field: str) -> Query:
    """Spans with any of the terms, scored by `field`'s model: the sum over terms of weight times
    score. Words of one weight share a clause, which the server runs faster than a clause each.
    """
    words = sorted((t for t in terms if t.kind == "word"), key=lambda term: -term.weight)
    clauses: list[Query] = [
        Match(field, {"query": " ".join(term.text for term in group), "boost": weight})
        for weight, group in groupby(words, key=lambda term: term.weight)
    ]
    clauses += [_clause(term, field) for term in terms if term.kind != "word"]
    return clauses[0] if len(clauses) == 1 else Bool(should=clauses, minimum_should_match=1)


def _clause(term: Term, field: str) -> Query:
    query = {"query": term.text, "boost": term.weight}
    if term.kind == "phrase":
        return MatchPhrase(field, query)
    if term.kind == "conjunction":
        return Match(field, query | {"operator": "and"})
    phrases = term.kind == "synonym-phrases"
    expansion = {"analyzer": SYNONYM_ANALYZER, "auto_generate_synonyms_phrase_query": phrases}
    return Match(field, query | expansion)
