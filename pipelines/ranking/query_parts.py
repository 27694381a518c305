"""The words and concepts of a query, and which of them a text has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citespan.pipelines.reformulation.composition import parse
from citespan.pipelines.reformulation.context import Context
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.umls import concept_matcher, find_concepts, overlaps
from citespan.pipelines.retrieval.query_dsl import MOST_TERMS
from citespan.pipelines.text.lucene import find_terms

if TYPE_CHECKING:  # vocabularies are imported where one is given
    from citespan.pipelines.vocabulary.matching import Matcher


@dataclass(frozen=True, slots=True)
class Part:
    """A word of a query, or the words of it that name a concept.

    Attributes:
        text: as the query writes it.
        terms: of the index that a text must have.
        concept: its number in the vocabulary; a text that names it in other words has it too.
    """

    text: str
    terms: frozenset[str]
    concept: int | None = None


@dataclass(frozen=True)
class Contents:
    """What a text has: terms of the index, and numbers of concepts."""

    terms: frozenset[str]
    concepts: frozenset[int] = frozenset()

    @classmethod
    def of(cls, text: str, matcher: Matcher | None = None) -> Contents:
        """Return the contents of a text; without a matcher, no concepts."""
        matches = matcher.matches(text) if matcher is not None else ()
        concepts = {n for match in matches for n in (match.number, *match.other_numbers)}
        return cls(frozenset(find_terms(text)), frozenset(concepts))

    def has(self, part: Part) -> bool:
        """Whether the text has a part of a query."""
        return part.terms <= self.terms or part.concept in self.concepts


def find_parts(query: str, options: Options) -> tuple[Part, ...]:
    """Return the parts of a query in order, each once: concepts if the options name a vocabulary,
    and the words that are in no concept, without stop words and numbers. Of a very long query the
    first 1,000, as many as are searched for.

    Raises:
        VocabularyError: if the vocabulary can't be opened.
    """
    context = Context(options)
    baseline = parse("baseline").query(query, context)
    concepts = find_concepts(baseline, context) if options.vocabulary is not None else []
    found = [
        (match.start, _make_part(baseline.citance[match.start : match.end], match.number))
        for match in concepts
    ]
    found += [
        (word.start, _make_part(baseline.text(word)))
        for word in baseline.words
        if not any(overlaps(match, word) for match in concepts)
    ]
    ordered = [part for _, part in sorted(found, key=lambda one: one[0]) if part.terms]
    first = {part.text.lower(): part for part in reversed(ordered)}
    return tuple(dict.fromkeys(first[part.text.lower()] for part in ordered))[:MOST_TERMS]


def _make_part(text: str, concept: int | None = None) -> Part:
    return Part(text, frozenset(find_terms(text)), concept)


def find_matcher(options: Options) -> Matcher | None:
    """Return the matcher of the options' vocabulary; None if they name none."""
    return concept_matcher(options) if options.vocabulary is not None else None


def select_parts(parts: Sequence[Part], contents: Contents, *, there: bool) -> tuple[str, ...]:
    """Return the texts of those parts that a text has, or of those that it has not."""
    return tuple(part.text for part in parts if contents.has(part) == there)
