"""Counting a corpus, for `citespan background build`."""

from collections import Counter
from collections.abc import Iterable

from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.background import Background, terms_of


def count(
    documents: Iterable[str], corpus: str, licence: str, min_documents: int = 1
) -> Background:
    """The counts of documents, each given as its text, streaming; texts without a term don't
    count. Memory is bounded by the vocabulary.

    Args:
        corpus, licence, min_documents: see `Background`.

    Raises:
        InputError: if no document has a term.
    """
    having: Counter[str] = Counter()
    occurring: Counter[str] = Counter()
    number = 0
    for text in documents:
        terms = terms_of(text)
        number += bool(terms)
        having.update(set(terms))
        occurring.update(terms)
    if not number:
        raise InputError(f"{corpus}: no document with a word in it, so there is nothing to count")
    counts = {term: (df, occurring[term]) for term, df in having.items() if df >= min_documents}
    return Background(corpus, licence, number, occurring.total(), min_documents, counts)
