"""What several commands of `citespan vocabulary` read: the vocabulary, and rows of tables."""

from collections.abc import Sequence
from pathlib import Path

from citespan.cli.options import split_names
from citespan.cli.output import warn
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.vocabulary.matching import Matcher
from citespan.pipelines.vocabulary.store import open_vocabulary
from citespan.pipelines.vocabulary.terms import ConceptFilter

_MOST_WARNINGS = 20


def require_vocabulary(vocabulary: Path | None) -> Path:
    """Return the folder of the vocabulary.

    Raises:
        InputError: if none is named.
    """
    if vocabulary is None:
        raise InputError(
            "no vocabulary: name one by --vocabulary or CITESPAN_VOCABULARY; "
            "`citespan vocabulary build` makes it"
        )
    return vocabulary


def open_matcher(vocabulary: Path | None, sources: str | None, types: str | None) -> Matcher:
    """Open the vocabulary for matching concepts of these sources and semantic types.

    Raises:
        InputError: if no vocabulary is named.
        VocabularyError: if there is none in the folder.
    """

    scope = ConceptFilter(split_names(sources), split_names(types) or ())
    return Matcher(open_vocabulary(require_vocabulary(vocabulary)), scope)


def warn_rejected(rejected: Sequence[Rejected], count: int) -> None:
    """Print a line for each of the first rows that can't be read, and one for the others.

    Args:
        rejected: the rows that are known.
        count: how many there are in all.
    """
    for row in rejected[:_MOST_WARNINGS]:
        warn(f"{row.source}: {row.reason}")
    if count > _MOST_WARNINGS:
        warn(f"{format_count(count - _MOST_WARNINGS, 'more row')} can't be read; see --json")
