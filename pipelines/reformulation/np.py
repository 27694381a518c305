"""Noun phrases (paper A, section 2.3.3), of at most three terms: longer ones are too specific."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citespan.pipelines.reformulation.context import Context
from citespan.pipelines.reformulation.query import Query, Word
from citespan.pipelines.reformulation.reformulation import Need, Role, reformulations
from citespan.pipelines.text.stop_words import is_stop_word
from citespan.pipelines.text.words import is_number, word_offsets

if TYPE_CHECKING:
    from citespan.pipelines.text.noun_phrases import Phrase


@reformulations.register
class NounPhrases:
    """The words of noun phrases that have at most `phrase_terms` terms.

    Stop words and numbers don't count as terms. Whether a phrase is kept depends on the citance
    alone, not on the words that another reduction has left.
    """

    name = "np"
    description = "words of noun phrases of at most three terms, found by a spaCy pipeline"
    role: Role = "reduction"
    needs: tuple[Need, ...] = ()

    def reformulate(self, query: Query, context: Context) -> Query:
        """Return the query with the words that are, at least in part, in a short noun phrase.

        Raises:
            InputError: if the spaCy pipeline is missing or finds no noun phrases.
        """
        from citespan.pipelines.text.noun_phrases import find_noun_phrases

        terms = [
            Word(start, end)
            for start, end in word_offsets(query.citance)
            if not is_stop_word(query.citance[start:end])
            and not is_number(query.citance[start:end])
        ]
        phrases = [
            phrase
            for phrase in find_noun_phrases(query.citance, context.options.pipeline)
            if sum(_is_in(term, phrase) for term in terms) <= context.options.phrase_terms
        ]
        return query.keep(
            word for word in query.words if any(_is_in(word, phrase) for phrase in phrases)
        )


def _is_in(word: Word, phrase: Phrase) -> bool:
    return word.start < phrase.end and phrase.start < word.end
