"""Vocabularies for tests: written out, or random from few words so that terms overlap."""

from pathlib import Path

import pytest
from hypothesis import strategies as st

from citespan.pipelines.vocabulary import builder, rows
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.normalise import keys
from citespan.pipelines.vocabulary.store import Vocabulary
from citespan.pipelines.vocabulary.terms import VocabularyTerm

WORDS = ("tumour", "Tumours", "cell", "cells", "of", "CAT", "cat", "TGF-β1", "p53", "α")
SOURCES = ("SNOMEDCT_US", "MSH", "NCI")
TYPES = ("T047", "T121")


def texts(most: int) -> st.SearchStrategy[str]:
    """Texts of up to so many of the words, with punctuation between some."""
    pieces = st.tuples(st.sampled_from(WORDS), st.sampled_from((" ", " ", " ", ", ", ". ", "-")))
    return st.lists(pieces, min_size=1, max_size=most).map(
        lambda parts: "".join(word + gap for word, gap in parts).strip()
    )


def terms() -> st.SearchStrategy[list[VocabularyTerm]]:
    """Terms of up to six concepts, one of them at least with a key."""
    term = st.builds(
        VocabularyTerm,
        cui=st.sampled_from([f"C{number:07}" for number in range(6)]),
        text=texts(4),
        source=st.sampled_from(SOURCES),
        term_type=st.sampled_from(("PT", "SY")),
        preferred=st.booleans(),
        semantic_types=st.sampled_from(((), TYPES[:1], TYPES[1:], TYPES)),
    )
    return st.lists(term, min_size=1, max_size=12).filter(
        lambda some: any(keys(term.text) for term in some)
    )


def vocabulary(folder: Path, terms: list[VocabularyTerm]) -> Vocabulary:
    """The terms as a store in `folder`, opened; sorted and compiled in many small pieces."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "_LINES", 3)
        patch.setattr(builder, "_KEYS_PER_TRIE", 2)
        build(terms, folder, "made up")
    return Vocabulary(folder)
