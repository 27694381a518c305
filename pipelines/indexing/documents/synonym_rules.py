"""The synonym rules of one article: those of the concepts it names, out of a whole vocabulary.

A concept none of whose terms occurs in the article can't bring back a span of it, so its rules
are left out. Of the others every term is looked for in queries, since a citance may use any, but
those too short to be matched in a citance (`vocabulary.matching.SHORTEST`); what
is searched for in place of it are the terms that occur, and of a term of several words also its
words. So a query finds and scores as it would with the rules of the whole vocabulary, but for
what the whole vocabulary would do to its own cost:

- Lucene takes the longest term first: "familial lung cancer", not in the article, would keep the
  article's "lung cancer" from being expanded.
- In a phrase any word may stand where a stop word was: "cancer of the lung", not in the article,
  would find "cancer gene therapy lung".
- Where synonyms are searched for as conjunctions, one whose words occur but nowhere side by side
  is none of the article's.
- Where a term is of several concepts, the vocabulary's rules may score its synonyms each by
  itself and the article's as one word; they find the same.

By the first an article's rules find more, by the second and third less. Only the first came up in
CRAFT's articles, searched for its sentences (`benchmarks/scoped_synonyms.py`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from citespan.es_mappings.synonyms import SynonymRule, Words
from citespan.pipelines.errors import InputError
from citespan.pipelines.text.lucene import split_words
from citespan.pipelines.vocabulary.matching import SHORTEST, Matcher
from citespan.pipelines.vocabulary.normalise import keys

_CACHED = 1 << 15
MOST_WORDS = 500_000
"""In the rules of one article, which the server holds in memory."""


@dataclass(frozen=True, slots=True)
class _Term:
    """A term by its words as the server has them, and by its key."""

    words: Words
    key: str


class _Occurring:
    """The keys that stand somewhere in a text of these tokens."""

    def __init__(self, found: list[str]) -> None:
        self._text = f" {' '.join(found)} "
        self._keys = set(found)

    def __contains__(self, key: str) -> bool:
        return key in self._keys or (
            " " in key and self._keys.issuperset(key.split()) and f" {key} " in self._text
        )


class ConceptSynonyms:
    """Makes the rules of articles out of one vocabulary.

    Args:
        matcher: of the vocabulary, with the filter of the terms that count.

    Attributes:
        name: the same for the same vocabulary and filter only.
    """

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._terms = lru_cache(maxsize=_CACHED)(self._find_terms)
        vocabulary, counting = matcher.vocabulary, matcher.filter
        self.name = " ".join(
            [
                vocabulary.checksum[:16],
                ",".join(vocabulary.sources_of(counting)),
                ",".join(sorted(counting.semantic_types)),
                "preferred" if counting.preferred else "",
            ]
        ).strip()

    def rules_for(self, text: str) -> list[SynonymRule]:
        """The rules of an article, always in the same order.

        Args:
            text: all that is indexed of it.

        Raises:
            InputError: if these are more than a server can take.
        """
        tokens = keys(text)
        rules = []
        number = 0
        for rule in self._rules(sorted(self._matcher.occurring(tokens)), _Occurring(tokens)):
            rules.append(rule)
            number += sum(map(len, rule.terms)) + sum(map(len, rule.searched))
            if number > MOST_WORDS:
                raise InputError(
                    f"its concepts have more than {MOST_WORDS:,} words of synonyms, too many for "
                    "an index; choose fewer `sources` or `semantic_types`"
                )
        return rules

    def all_rules(self) -> list[SynonymRule]:
        """The rules of the whole vocabulary, as if every term occurred."""
        return list(self._rules(range(self._matcher.vocabulary.concepts), None))

    def _rules(
        self, concepts: Iterable[int], occurring: _Occurring | None
    ) -> Iterator[SynonymRule]:
        for concept in concepts:
            terms = self._terms(concept)
            present = [t for t in terms if occurring is None or t.key in occurring]
            if len(terms) > 1 and present:
                yield from _rules_of(terms, present, occurring)

    def _find_terms(self, concept: int) -> tuple[_Term, ...]:
        """The terms of a concept that count, of those that are the same to the server the first."""
        found: dict[str, _Term] = {}
        for term in self._matcher.vocabulary.terms_of(concept, self._matcher.filter):
            words = _between_stop_words(split_words(term.text))
            if words:
                key = " ".join(keys(" ".join(words)))
                found.setdefault(" ".join(map(_analysed, words)), _Term(words, key))
        return tuple(found.values())


def _rules_of(
    terms: Sequence[_Term], present: Sequence[_Term], occurring: _Occurring | None
) -> Iterator[SynonymRule]:
    """The rules of one concept.

    Where all that is searched for are single words, the server scores them as one word, and each
    by itself where a term of several words is among them. The article's rules must do as the
    whole vocabulary's would, so one such term stays in even if it does not occur.
    """
    several = [t for t in terms if len(t.words) > 1]
    single = [t for t in terms if len(t.words) == 1]
    apart = any(t in several for t in present)
    replaced = [t for t in single if len(t.words[0]) >= SHORTEST]
    if replaced and (len(single) > 1 or list(present) != single):
        instead = _words([*present, *([] if apart else several[:1])])
        # What is replaced by itself alone need not be.
        other = tuple(word for word in _words(replaced) if set(instead) != {word})
        if other:
            yield _rule(other, instead)
    for term in several:
        searched = [*present, *([] if apart else [term])]
        words = ((word,) for word in term.words if _is_searched(word, occurring))
        yield _rule((term.words,), (*_words(searched), *words))


def _rule(terms: tuple[Words, ...], searched: Iterable[Words]) -> SynonymRule:
    """The rule, with a term that need not occur beside a single one of several words: by itself
    the server would take that for loose words."""
    different = tuple(dict.fromkeys(searched))
    alone = len(different) == 1 and len(different[0]) > 1
    return SynonymRule(terms, (*different, terms[0]) if alone else different)


def _is_searched(word: str, occurring: _Occurring | None) -> bool:
    key = " ".join(keys(word))
    return bool(key) and (occurring is None or key in occurring)


def _words(terms: Iterable[_Term]) -> tuple[Words, ...]:
    return tuple(term.words for term in terms)


def _between_stop_words(words: Words) -> Words:
    """The words without the stop words at both ends, where the graph of a rule can't have them."""
    searched = [place for place, word in enumerate(words) if keys(word)]
    return words[searched[0] : searched[-1] + 1] if searched else ()


def _analysed(word: str) -> str:
    """The same for words that are the same to the server."""
    return (" ".join(keys(word)) if word.isalnum() else "") or word.lower()
