"""Abstracts that may answer a question: which words are searched for, and the search in memory.

The score is BM25 over title and abstract, as in the index; `indexed_abstracts` searches that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Final

from citespan.pipelines.answers.zones.zoning import ZonedSentence
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.errors import InputError
from citespan.pipelines.text.words import is_stop_word, words
from citespan.pipelines.vocabulary.normalise import keys
from citespan.pipelines.years import Years

MOST_TERMS: Final = 500
"""How many terms of a question are searched for. Each is a clause for the title and one for the
text, and 1,024 clauses is the lowest limit that Elasticsearch sets itself."""

_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class Candidate:
    """An abstract and its BM25 score, above 0.

    Attributes:
        zoned: its sentences with their zones, empty if these are not stored.
    """

    abstract: Abstract
    score: float
    zoned: tuple[ZonedSentence, ...] = ()


def select_search_words(question: str) -> str:
    """Return the words of a question that are searched for, the first of `MOST_TERMS` terms.

    Raises:
        InputError: if the question has nothing but stop words.
    """
    kept, _ = _divide_search_words(question)
    if not kept:
        shown = shorten(question, _SHOWN, placeholder=" …")
        raise InputError(f"question '{shown}': nothing but stop words in it; name what it is about")
    return " ".join(kept)


def count_cut_words(question: str) -> int:
    """Count the words of a question that are not searched for because it is too long."""
    _, cut = _divide_search_words(question)
    return len(cut)


def _divide_search_words(question: str) -> tuple[list[str], list[str]]:
    """Return the words other than stop words that are searched for, and those beyond the limit."""
    kept: list[str] = []
    cut: list[str] = []
    terms = 0
    for word in words(question):
        count = 0 if is_stop_word(word) else len(keys(word))
        terms += count
        if count:
            (kept if terms <= MOST_TERMS else cut).append(word)
    return kept, cut


def search_abstracts(
    abstracts: Sequence[Abstract], question: str, years: Years, depth: int
) -> list[Candidate]:
    """Return the abstracts of the `depth` highest scores, best first.

    The scores are Lucene's BM25 as the bm25s library implements it.

    Raises:
        InputError: if the question has nothing but stop words.
    """
    import bm25s
    import numpy as np

    wanted = keys(select_search_words(question))
    within = [abstract for abstract in abstracts if abstract.year in years]
    scores = np.zeros(len(within))
    for fields in ([abstract.text for abstract in within], [abstract.title for abstract in within]):
        analysed = [keys(text) for text in fields]
        if any(analysed):
            index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
            index.index(analysed, show_progress=False)
            scores += index.get_scores(wanted)
    best = np.argsort(-scores, kind="stable")[:depth]
    return [Candidate(within[n], float(scores[n])) for n in best if scores[n] > 0]
