"""Reformulations by the concepts that a citance names: the words of concepts alone (paper A,
section 2.3.2), their synonyms (section 2.3.5), and synonyms that the server adds from the article's
index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from citespan.es_mappings.analysis import STOP_WORDS
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Kind, Query, Term, Word
from citespan.pipelines.reformulation.reformulation import Context, Need, Role, reformulations
from citespan.pipelines.text.lucene import split_words
from citespan.pipelines.text.words import is_number, is_stop_word, word_offsets, words

if TYPE_CHECKING:
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

    assert options.vocabulary is not None, "Composition.check asks for one"
    return _matcher(open_vocabulary(options.vocabulary), options.scope)


def find_concepts(query: Query, context: Context) -> list[Match]:
    """Return the concepts in a citance, in order; offsets are into its text.

    An abbreviation stands for the long form that the citance gives, or else the article.

    Raises:
        VocabularyError, UnknownNameError: as `concept_matcher`.
    """
    from citespan.pipelines.text.abbreviations import find_abbreviations
    from citespan.pipelines.vocabulary.matching import match_with_abbreviations

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


@reformulations.register
class UmlsReduce:
    """The words in a term of a concept, found by greedy longest match."""

    name = "umls-reduce"
    description = "only words in terms of the vocabulary's concepts"
    role: Role = "reduction"
    needs: tuple[Need, ...] = ("vocabulary",)

    def reformulate(self, query: Query, context: Context) -> Query:
        """Return the query with the words of concepts.

        Raises:
            VocabularyError: if the vocabulary can't be opened.
            UnknownNameError: if it lacks a source or semantic type of the options.
        """
        concepts = find_concepts(query, context)
        return query.keep(
            word for word in query.words if any(overlaps(concept, word) for concept in concepts)
        )


@reformulations.register
class UmlsExpand:
    """The words, and the synonyms of those concepts all of whose words are among them."""

    name = "umls-expand"
    description = "adds the synonyms of the vocabulary's concepts"
    role: Role = "expansion"
    needs: tuple[Need, ...] = ("vocabulary",)

    def reformulate(self, query: Query, context: Context) -> Query:
        """Return the query with synonyms added, each with the mean weight of the words it replaces.

        Raises:
            VocabularyError: if the vocabulary can't be opened.
            UnknownNameError: if it lacks a source or semantic type of the options.
        """
        concepts = find_concepts(query, context)
        matcher = concept_matcher(context.options)
        several = context.options.synonyms
        added: list[Term] = []
        for concept in concepts:
            words = _words_left(query, concept)
            if words:
                weight = sum(word.weight for word in words) / len(words)
                for synonym in _synonyms(matcher, concept):
                    is_word = len(split_words(synonym)) == 1
                    added.append(Term(synonym, weight, "word" if is_word else several))
        return query.add(added)


def _words_left(query: Query, concept: Match) -> list[Word]:
    """Return the words of a concept's text; none if one of them is no longer searched for."""
    searched = {(word.start, word.end): word for word in query.words}
    left = []
    for start, end in word_offsets(query.citance):
        text = query.citance[start:end]
        if not overlaps(concept, Word(start, end)) or is_stop_word(text) or is_number(text):
            continue
        if (start, end) not in searched:
            return []
        left.append(searched[start, end])
    return left


def _synonyms(matcher: Matcher, concept: Match) -> Iterator[str]:
    """Yield the terms of a concept that count, except the one in the citance, each once."""
    from citespan.pipelines.vocabulary.normalise import keys

    seen = {tuple(keys(concept.text))}
    for term in matcher.vocabulary.terms_of(concept.number, matcher.filter):
        key = tuple(keys(term.text))
        if key and key not in seen:
            seen.add(key)
            yield term.text


@reformulations.register
class UmlsField:
    """The words as texts that the server expands by the synonyms in the article's index.

    The index does what `umls-expand` does here, also for queries from Kibana. It only knows the
    concepts that occur in the article, and not the long forms of abbreviations.
    """

    name = "umls-field"
    description = (
        "the server adds the synonyms of concepts in the article, indexed with `vocabulary`"
    )
    role: Role = "expansion"
    needs: tuple[Need, ...] = ()

    def reformulate(self, query: Query, context: Context) -> Query:
        """Return the query with each run of words of one weight as a text; no words are left."""
        phrases = context.options.synonyms == "phrase"
        kind: Kind = "synonym-phrases" if phrases else "synonym-conjunctions"
        runs: list[list[Word]] = []
        for word in query.words:
            if runs and _continues(query, runs[-1][-1], word):
                runs[-1].append(word)
            else:
                runs.append([word])
        texts = [
            Term(query.citance[run[0].start : run[-1].end], run[0].weight, kind) for run in runs
        ]
        return query.keep(()).add(texts)


def _continues(query: Query, last: Word, word: Word) -> bool:
    """Whether two words can be of one term: only stop words of the server are between them."""
    between = words(query.citance[last.end : word.start])
    return last.weight == word.weight and all(w.lower() in STOP_WORDS for w in between)
