"""A term as a line of text, such that sorting the lines brings together what belongs together."""

import re
from typing import NamedTuple

from citespan.pipelines.vocabulary.normalise import keys
from citespan.pipelines.vocabulary.term import VocabularyTerm

MOST_TOKENS = 40
"""Terms of more words are left out: no text has them."""
_NOT_TEXT = re.compile("[\ud800-\udfff]")


class Row(NamedTuple):
    """The fields of a line, in the order that sorts a concept's terms: the preferred one first,
    then those of type PT, then by source and text. The first two are "0" for yes."""

    cui: str
    not_preferred: str
    not_main_type: str
    source: str
    text: str
    term_type: str
    semantic_types: str
    key: str


def row_of(term: VocabularyTerm, any_order: bool) -> str:
    """The line of a term, its key's tokens sorted for `any_order`.

    Raises:
        ValueError: with the reason, if it can't be in a store.
    """
    if not term.cui:
        raise ValueError("no concept")
    text = " ".join(term.text.split())
    tokens = keys(text)
    if not tokens:
        raise ValueError("no word to match by")
    if len(tokens) > MOST_TOKENS:
        raise ValueError(f"more than {MOST_TOKENS} words")
    if any_order:
        tokens.sort()
    row = Row(
        term.cui,
        "0" if term.preferred else "1",
        "0" if term.term_type == "PT" else "1",
        term.source,
        text,
        term.term_type,
        "|".join(term.semantic_types),
        " ".join(tokens),
    )
    line = "\t".join(row)
    if line.count("\t") != len(row) - 1 or "\n" in line:
        raise ValueError("a tab or line break in a field")
    if _NOT_TEXT.search(line):
        raise ValueError("characters that are not Unicode text")
    return line
