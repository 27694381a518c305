"""Noun phrases: spaCy's base noun chunks, which hold no other noun phrase."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from citespan.pipelines.errors import InputError
from citespan.pipelines.text.spacy_pipelines import SHIPPED, load_pipeline

_NEEDED = {"tok2vec", "transformer", "tagger", "morphologizer", "attribute_ruler", "parser"}


@dataclass(frozen=True, slots=True)
class Phrase:
    """Character offsets of a noun phrase in its text."""

    start: int
    end: int


@lru_cache(maxsize=10_000)  # an experiment asks for the same citances system after system
def find_noun_phrases(text: str, pipeline: str = SHIPPED) -> tuple[Phrase, ...]:
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
) -> Iterator[tuple[Phrase, ...]]:
    """Find the noun phrases of each text, as `find_noun_phrases`, parsed in batches."""
    nlp = load_pipeline(pipeline)
    if "parser" not in nlp.pipe_names or nlp.vocab.get_noun_chunks is None:
        raise InputError(f"{pipeline}: this spaCy pipeline finds no noun phrases; it has no parser")
    unneeded = [name for name in nlp.pipe_names if name not in _NEEDED]
    for doc in nlp.pipe(_short_enough(texts, nlp.max_length), disable=unneeded):
        yield tuple(Phrase(chunk.start_char, chunk.end_char) for chunk in doc.noun_chunks)


def _short_enough(texts: Iterable[str], most: int) -> Iterator[str]:
    for text in texts:
        if len(text) > most:
            raise InputError(
                f"a text of {len(text)} characters is too long to parse; give at most {most}"
            )
        yield text
