"""The concepts that a citance names, for the UMLS reformulations (paper A, section 2.3.2)."""

from collections.abc import Mapping
from functools import lru_cache

from citespan.pipelines.reformulation.context import Context, Options
from citespan.pipelines.reformulation.query import Query, Word
from citespan.pipelines.text.abbreviations import abbreviations
from citespan.pipelines.vocabulary.abbreviated_matching import matches
from citespan.pipelines.vocabulary.concept_filter import ConceptFilter
from citespan.pipelines.vocabulary.matching import Match, Matcher
from citespan.pipelines.vocabulary.store import Vocabulary, open_vocabulary

_ARTICLES = 64  # whose abbreviations are remembered; citances come article by article


def concept_matcher(options: Options) -> Matcher:
    """Finds the concepts of the vocabulary that the options name, as far as they count.

    Raises:
        VocabularyError: if it can't be opened.
        UnknownNameError: if it lacks a source or semantic type.
    """
    assert options.vocabulary is not None, "Composition.check asks for one"
    scope = ConceptFilter(options.sources, options.semantic_types, options.preferred)
    return _matcher(open_vocabulary(options.vocabulary), scope)


def concepts_in(query: Query, context: Context) -> list[Match]:
    """The concepts in a citance, in order; offsets are into its text.

    An abbreviation stands for what the citance says it is short for, or else the article.

    Raises:
        VocabularyError, UnknownNameError: as `concept_matcher`.
    """
    short_forms = dict(abbreviations(query.citance))
    if context.article_text is not None:
        short_forms = {**_of_article(context.article_text()), **short_forms}
    return matches(concept_matcher(context.options), query.citance, short_forms)


def overlaps(match: Match, word: Word) -> bool:
    """Whether a word stands, at least in part, in the text of a concept."""
    return word.start < match.end and match.start < word.end


@lru_cache(maxsize=4)
def _matcher(vocabulary: Vocabulary, scope: ConceptFilter) -> Matcher:
    return Matcher(vocabulary, scope)


@lru_cache(maxsize=_ARTICLES)
def _of_article(text: str) -> Mapping[str, str]:
    return abbreviations(text)
