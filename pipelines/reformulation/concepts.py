"""The concepts that a citance names, for the UMLS reformulations (paper A, section 2.3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from citespan.pipelines.reformulation.context import Context
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Query, Word

if TYPE_CHECKING:  # vocabularies are imported when a citance is searched for concepts
    from citespan.pipelines.vocabulary.matching import Match, Matcher
    from citespan.pipelines.vocabulary.store import Vocabulary
    from citespan.pipelines.vocabulary.terms import ConceptFilter

_ARTICLES = 64  # whose abbreviations are remembered; citances come article by article


def concept_matcher(options: Options) -> Matcher:
    """Return the matcher of those concepts of the options' vocabulary that count.

    Raises:
        VocabularyError: if the vocabulary can't be opened.
        UnknownNameError: if it lacks a source or semantic type.
    """
    from citespan.pipelines.vocabulary.store import open_vocabulary
    from citespan.pipelines.vocabulary.terms import ConceptFilter

    assert options.vocabulary is not None, "Composition.check asks for one"
    scope = ConceptFilter(options.sources, options.semantic_types, options.preferred)
    return _matcher(open_vocabulary(options.vocabulary), scope)


def find_concepts(query: Query, context: Context) -> list[Match]:
    """Return the concepts in a citance, in order; offsets are into its text.

    An abbreviation stands for the long form that the citance gives, or else the article.

    Raises:
        VocabularyError, UnknownNameError: as `concept_matcher`.
    """
    from citespan.pipelines.text.abbreviations import find_abbreviations
    from citespan.pipelines.vocabulary.abbreviated_matching import match_with_abbreviations

    short_forms = dict(find_abbreviations(query.citance))
    if context.article_text is not None:
        short_forms = {**_abbreviations(context.article_text()), **short_forms}
    return match_with_abbreviations(concept_matcher(context.options), query.citance, short_forms)


def overlaps(match: Match, word: Word) -> bool:
    """Whether a word is, at least in part, in the text of a concept."""
    return word.start < match.end and match.start < word.end


@lru_cache(maxsize=4)
def _matcher(vocabulary: Vocabulary, scope: ConceptFilter) -> Matcher:
    from citespan.pipelines.vocabulary.matching import Matcher

    return Matcher(vocabulary, scope)


@lru_cache(maxsize=_ARTICLES)
def _abbreviations(text: str) -> Mapping[str, str]:
    from citespan.pipelines.text.abbreviations import find_abbreviations

    return find_abbreviations(text)
