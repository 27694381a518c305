"""Noun phrases (paper A, section 2.3.3)."""

from citespan.pipelines.reformulation.context import Context
from citespan.pipelines.reformulation.query import Query, Word
from citespan.pipelines.reformulation.reformulation import Need, Role, reformulations
from citespan.pipelines.text.noun_phrases import Phrase, noun_phrases
from citespan.pipelines.text.stop_words import is_stop_word
from citespan.pipelines.text.words import is_number, word_offsets

MOST_TERMS = 3
"""The paper's limit: longer phrases are too specific."""


@reformulations.register
class NounPhrases:
    """The words of noun phrases that have at most three terms.

    Stop words and numbers are no terms. Whether a phrase is kept depends on the citance alone,
    not on the words that another reduction has left.
    """

    name = "np"
    description = "words of noun phrases of at most three terms, found by a spaCy pipeline"
    role: Role = "reduction"
    needs: tuple[Need, ...] = ()

    def reformulate(self, query: Query, context: Context) -> Query:
        """The query with the words that stand, at least in part, in a short noun phrase.

        Raises:
            InputError: if the spaCy pipeline isn't there or finds no noun phrases.
        """
        terms = [
            Word(start, end)
            for start, end in word_offsets(query.citance)
            if not is_stop_word(query.citance[start:end])
            and not is_number(query.citance[start:end])
        ]
        phrases = [
            phrase
            for phrase in noun_phrases(query.citance, context.options.pipeline)
            if sum(_stands_in(term, phrase) for term in terms) <= MOST_TERMS
        ]
        return query.keeping(
            word for word in query.words if any(_stands_in(word, phrase) for phrase in phrases)
        )


def _stands_in(word: Word, phrase: Phrase) -> bool:
    return word.start < phrase.end and phrase.start < word.end
