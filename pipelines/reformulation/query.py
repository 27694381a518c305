"""A citance being made into a query: the words of it that are kept, and terms added."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["word", "phrase", "conjunction", "synonym-phrases", "synonym-conjunctions"]


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a query.

    Attributes:
        text: one word or several; Elasticsearch analyses it.
        weight: the factor on its score; a term that occurs twice counts twice.
        kind: "word"; "phrase" if the words must occur side by side; "conjunction" if all of them
            must occur; "synonym-phrases" and "synonym-conjunctions" for a text that
            the server expands by the synonyms of the article's own index, synonyms of several
            words being phrases or conjunctions.
    """

    text: str
    weight: float = 1.0
    kind: Kind = "word"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the citance that is searched for, by its character offsets."""

    start: int
    end: int
    weight: float = 1.0


@dataclass(frozen=True)
class Query:
    """A citance being reformulated.

    Attributes:
        citance: without its citation markers; all offsets are into this text.
        words: the words of it that are searched for, in order.
        added: terms that are searched for beside them.
    """

    citance: str
    words: tuple[Word, ...]
    added: tuple[Term, ...] = ()

    def text(self, word: Word) -> str:
        """Return a word as it is written in the citance."""
        return self.citance[word.start : word.end]

    def keep(self, words: Iterable[Word]) -> "Query":
        """Return the query with only those words."""
        return replace(self, words=tuple(words))

    def add(self, terms: Iterable[Term]) -> "Query":
        """Return the query with those terms added."""
        return replace(self, added=self.added + tuple(terms))

    def terms(self) -> tuple[Term, ...]:
        """Return the words, then the added terms, in the order of their first occurrence.

        Terms of one kind that differ only in case are one term, whose weight is the sum.
        """
        words = (Term(self.text(word), word.weight) for word in self.words)
        first: dict[tuple[Kind, str], Term] = {}
        for term in (*words, *self.added):
            key = (term.kind, term.text.lower())
            known = first.get(key)
            first[key] = (
                term if known is None else replace(known, weight=known.weight + term.weight)
            )
        return tuple(first.values())
