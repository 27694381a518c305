"""Noun phrases (paper A, section 2.3.3), of at most three terms: longer ones are too specific.

A noun phrase is one of spaCy's base noun chunks, which hold no other noun phrase.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.query import Query, Word
from citespan.pipelines.reformulation.reformulation import Context, Need, Role, reformulations
from citespan.pipelines.text.spacy_pipelines import SHIPPED, load_pipeline
from citespan.pipelines.text.words import is_number, is_stop_word, word_offsets

_NEEDED = {"tok2vec", "transformer", "tagger", "morphologizer", "attribute_ruler", "parser"}


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Character offsets of a noun phrase in its text."""

    start: int
    end: int


@lru_cache(maxsize=10_000)  # an experiment asks for the same citances system after system
def find_noun_phrases(text: str, pipeline: str = SHIPPED) -> tuple[NounPhrase, ...]:
    """Find the noun phrases of one text, in order, none within another.

    Args:
        pipeline: as for `load_pipeline`; it needs a tagger and a parser.

    Raises:
        InputError: if the pipeline isn't there, or finds no noun phrases.
    """
    (phrases,) = find_noun_phrases_in([text], pipeline)
    return phrases


def find_noun_phrases_in(
    texts: Iterable[str], pipeline: str = SHIPPED
) -> Iterator[tuple[NounPhrase, ...]]:
    """Find the noun phrases of each text, as `find_noun_phrases`, parsed in batches."""
    nlp = load_pipeline(pipeline)
    if "parser" not in nlp.pipe_names or nlp.vocab.get_noun_chunks is None:
        raise InputError(f"{pipeline}: this spaCy pipeline finds no noun phrases; it has no parser")
    unneeded = [name for name in nlp.pipe_names if name not in _NEEDED]
    for doc in nlp.pipe(_short_enough(texts, nlp.max_length), disable=unneeded):
        yield tuple(NounPhrase(chunk.start_char, chunk.end_char) for chunk in doc.noun_chunks)


def _short_enough(texts: Iterable[str], most: int) -> Iterator[str]:
    for text in texts:
        if len(text) > most:
            raise InputError(
                f"a text of {len(text)} characters is too long to parse; give at most {most}"
            )
        yield text


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


def _is_in(word: Word, phrase: NounPhrase) -> bool:
    return word.start < phrase.end and phrase.start < word.end
