"""A query as the index sees it: clauses of analysed terms."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from elasticsearch import Elasticsearch

from citespan.pipelines.indexing.documents.server_analysis import analysed
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.text.analyzer import Token


@dataclass(frozen=True, slots=True)
class Phrase:
    """Terms side by side.

    Attributes:
        terms: as analysed.
        places: of each, counted in words from the first, which is at 0.
        text: that they are analysed from.
    """

    terms: tuple[str, ...]
    places: tuple[int, ...]
    text: str

    def standing(self, position: int, at: Mapping[int, Token]) -> list[Token]:
        """The tokens of the phrase where it begins at a position; none if it doesn't.

        Args:
            at: tokens by their positions.
        """
        found = []
        for term, place in zip(self.terms, self.places, strict=True):
            token = at.get(position + place)
            if token is None or token.term != term:
                return []
            found.append(token)
        return found


@dataclass(frozen=True, slots=True)
class Clause:
    """What adds to a span's score, as a clause of `query_dsl.spans_query` does.

    Attributes:
        terms: a span must have all of them.
        weight: the factor on the score.
        phrase: the terms once more, where they must stand side by side.
    """

    terms: tuple[str, ...]
    weight: float
    phrase: Phrase | None = None

    @property
    def name(self) -> str:
        """The terms, a phrase in quotation marks."""
        terms = " ".join(self.terms)
        return terms if self.phrase is None else f'"{terms}"'


def clauses(
    client: Elasticsearch, index: str, queries: Sequence[Sequence[Term]]
) -> list[tuple[Clause, ...]]:
    """The clauses of each query.

    Args:
        index: any that has the analyzer; it is asked where the analysis of a text is not
            known here.
    """
    texts = list(dict.fromkeys(term.text for query in queries for term in query))
    tokens = dict(zip(texts, analysed(client, index, texts), strict=True))
    return [
        tuple(clause for term in query for clause in _clauses(term, tokens[term.text]))
        for query in queries
    ]


def _clauses(term: Term, tokens: Sequence[Token]) -> Iterator[Clause]:
    terms = tuple(token.term for token in tokens)
    if term.kind == "word" or len(terms) < 2:
        yield from (Clause((one,), term.weight) for one in terms)
    elif term.kind == "phrase":
        places = tuple(token.position - tokens[0].position for token in tokens)
        yield Clause(terms, term.weight, Phrase(terms, places, term.text))
    else:
        yield Clause(terms, term.weight)
