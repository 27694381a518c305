"""A query's clauses: as Elasticsearch's query DSL, and as the analysed terms that it makes of them.

Every term becomes part of a `match` or `match_phrase` clause: these analyse the text and never
parse it, so nothing a user types can be taken for an operator.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from elasticsearch import Elasticsearch
from elasticsearch.dsl.query import Bool, Match, MatchPhrase, Query

from citespan.es_mappings.analysis import SYNONYM_ANALYZER
from citespan.pipelines.reformulation.query import Kind, Term

if TYPE_CHECKING:  # the analyzer is imported where a text is analysed: a node analyses most queries
    from citespan.pipelines.text.lucene import Token

SERVER_EXPANDED: tuple[Kind, ...] = ("synonym-phrases", "synonym-conjunctions")
"""Kinds of terms that only an index made with a vocabulary can search for."""
MOST_TERMS = 1_000
"""Analysed terms of a query: Elasticsearch's indices.query.bool.max_clause_count is at least 1,024,
and the request has a few more clauses."""


def limit_terms(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return the terms that a query has room for, in their order.

    All of them, except where there are more than `MOST_TERMS` once they are analysed: then those
    of the greatest weight, the first ones among equals.
    """
    if sum(len(term.text) for term in terms) <= MOST_TERMS:
        return tuple(terms)  # a term has at least a character
    sizes = [_count_terms(term.text) for term in terms]
    if sum(sizes) <= MOST_TERMS:
        return tuple(terms)
    room = MOST_TERMS
    kept: set[int] = set()
    for number in sorted(range(len(terms)), key=lambda number: -terms[number].weight):
        if sizes[number] <= room:
            kept.add(number)
            room -= sizes[number]
    return tuple(term for number, term in enumerate(terms) if number in kept)


def _count_terms(text: str) -> int:
    """Return how many terms a text has when analysed, or an upper bound."""
    from citespan.pipelines.text.lucene import count_terms

    known = count_terms(text)
    return len(text) if known is None else known


def spans_query(terms: Sequence[Term], field: str) -> Query:
    """Return the query for spans with any of the terms, scored by `field`'s model: the sum over
    terms of weight times score.

    Words of one weight share a clause, which the server runs faster than a clause each.
    """
    words = sorted((t for t in terms if t.kind == "word"), key=lambda term: -term.weight)
    queries: list[Query] = [
        Match(field, {"query": " ".join(term.text for term in group), "boost": weight})
        for weight, group in groupby(words, key=lambda term: term.weight)
    ]
    queries += [_term_query(term, field) for term in terms if term.kind != "word"]
    return queries[0] if len(queries) == 1 else Bool(should=queries, minimum_should_match=1)


def _term_query(term: Term, field: str) -> Query:
    query = {"query": term.text, "boost": term.weight}
    if term.kind == "phrase":
        return MatchPhrase(field, query)
    if term.kind == "conjunction":
        return Match(field, query | {"operator": "and"})
    phrases = term.kind == "synonym-phrases"
    expansion = {"analyzer": SYNONYM_ANALYZER, "auto_generate_synonyms_phrase_query": phrases}
    return Match(field, query | expansion)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Terms that occur side by side.

    Attributes:
        terms: as analysed.
        places: the position of each term, counted in words from the first, which is at 0.
        text: the text that was analysed.
    """

    terms: tuple[str, ...]
    places: tuple[int, ...]
    text: str

    def match_at(self, position: int, tokens: Mapping[int, Token]) -> list[Token]:
        """Return the tokens of the phrase if it begins at a position, else none.

        Args:
            tokens: by their positions.
        """
        found = []
        for term, place in zip(self.terms, self.places, strict=True):
            token = tokens.get(position + place)
            if token is None or token.term != term:
                return []
            found.append(token)
        return found


@dataclass(frozen=True, slots=True)
class Clause:
    """What adds to a span's score, as a clause of `spans_query` does.

    Attributes:
        terms: a span must have all of them.
        weight: the factor on the score.
        phrase: the same terms, if they must occur side by side.
    """

    terms: tuple[str, ...]
    weight: float
    phrase: Phrase | None = None

    @property
    def name(self) -> str:
        """The terms; a phrase is in quotation marks."""
        terms = " ".join(self.terms)
        return terms if self.phrase is None else f'"{terms}"'


def analyse_queries(
    client: Elasticsearch, index: str, queries: Sequence[Sequence[Term]]
) -> list[tuple[Clause, ...]]:
    """Return the clauses of each query.

    Args:
        index: any that has the analyzer; the server analyses the texts whose analysis is not
            known here.
    """
    from citespan.pipelines.store.analysis import analysed

    texts = list(dict.fromkeys(term.text for query in queries for term in query))
    tokens = dict(zip(texts, analysed(client, index, texts), strict=True))
    return [
        tuple(clause for term in query for clause in _make_clauses(term, tokens[term.text]))
        for query in queries
    ]


def _make_clauses(term: Term, tokens: Sequence[Token]) -> Iterator[Clause]:
    terms = tuple(token.term for token in tokens)
    if term.kind == "word" or len(terms) < 2:
        yield from (Clause((single,), term.weight) for single in terms)
    elif term.kind == "phrase":
        places = tuple(token.position - tokens[0].position for token in tokens)
        yield Clause(terms, term.weight, Phrase(terms, places, term.text))
    else:
        yield Clause(terms, term.weight)


def find_matches(query: Sequence[Clause], tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield the places where a clause is fulfilled, in order, each once."""
    of_terms: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for token in tokens:
        of_terms[token.term].append((token.start, token.end))
    by_position = {token.position: token for token in tokens}
    places: set[tuple[int, int]] = set()
    for clause in query:
        if clause.phrase is None:
            if of_terms.keys() >= set(clause.terms):
                places.update(place for term in clause.terms for place in of_terms[term])
            continue
        for token in tokens:
            if found := clause.phrase.match_at(token.position, by_position):
                places.add((token.start, found[-1].end))
    yield from sorted(places)
