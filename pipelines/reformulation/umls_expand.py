"""Synonyms of the citance's concepts (paper A, section 2.3.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from citespan.pipelines.reformulation.concepts import concept_matcher, find_concepts, overlaps
from citespan.pipelines.reformulation.context import Context
from citespan.pipelines.reformulation.query import Query, Term, Word
from citespan.pipelines.reformulation.reformulation import Need, Role, reformulations
from citespan.pipelines.text.lucene import split_words
from citespan.pipelines.text.stop_words import is_stop_word
from citespan.pipelines.text.words import is_number, word_offsets

if TYPE_CHECKING:
    from citespan.pipelines.vocabulary.matching import Match, Matcher


@reformulations.register
class UmlsExpand:
    """The words, and the synonyms of those concepts all of whose words are among them."""

    name = "umls-expand"
    description = "adds the synonyms of the vocabulary's concepts"
    role: Role = "expansion"
    needs: tuple[Need, ...] = ("vocabulary",)

    def reformulate(self, query: Query, context: Context) -> Query:
        """Return the query with synonyms added, each with the mean weight of the words it replaces.

        Raises:
            VocabularyError: if the vocabulary can't be opened.
            UnknownNameError: if it lacks a source or semantic type of the options.
        """

        concepts = find_concepts(query, context)
        matcher = concept_matcher(context.options)
        several = context.options.synonyms
        added: list[Term] = []
        for concept in concepts:
            words = _words_left(query, concept)
            if words:
                weight = sum(word.weight for word in words) / len(words)
                for synonym in _synonyms(matcher, concept):
                    one = len(split_words(synonym)) == 1
                    added.append(Term(synonym, weight, "word" if one else several))
        return query.add(added)


def _words_left(query: Query, concept: Match) -> list[Word]:
    """Return the words of a concept's text; none if one of them is no longer searched for."""
    searched = {(word.start, word.end): word for word in query.words}
    left = []
    for start, end in word_offsets(query.citance):
        text = query.citance[start:end]
        if not overlaps(concept, Word(start, end)) or is_stop_word(text) or is_number(text):
            continue
        if (start, end) not in searched:
            return []
        left.append(searched[start, end])
    return left


def _synonyms(matcher: Matcher, concept: Match) -> Iterator[str]:
    """Yield the terms of a concept that count, except the one in the citance, each once."""
    from citespan.pipelines.vocabulary.normalise import keys

    seen = {tuple(keys(concept.text))}
    for term in matcher.vocabulary.terms_of(concept.number, matcher.filter):
        key = tuple(keys(term.text))
        if key and key not in seen:
            seen.add(key)
            yield term.text
