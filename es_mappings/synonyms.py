"""The synonyms of an article's concepts, for queries (paper A, section 2.3.5).

A `synonym_graph` filter with the rules in the index's own settings. It stands before the stop
words are taken out, unlike in the analyzer of the spans: so a rule may hold stop words, and the
phrase "cancer of the lung" that comes of it has the gap that the indexed text has. The stemmer
stands before it too, and makes stop words of other words ("ORS", the outer root sheath, becomes
"or") and other words of stop words ("was" becomes "wa"). So stop words are marked first, with a
character that no word has; the stemmer leaves marked words alone, and these are taken out at last.

Lucene replaces the words of a matched term by what the rule says. So a rule says the words one by
one too, as they would be searched for if the term were unknown. What stands in quotation marks is
searched for as it stands: rules for that would have to leave the single words out, a second set
would make an index as much dearer again, and Lucene (10.4) misplaces the gaps of stop words in a
phrase with synonyms, which then finds nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from citespan.es_mappings.analysis import (
    FOLDING,
    GREEK_NAMES,
    STOP_WORDS,
    SYNONYM_ANALYZER,
    TERM_FILTERS,
)

UMLS = "umls"
"""The sub-field of `text` whose queries are expanded, in indices made with a vocabulary."""

Words = tuple[str, ...]

_MARKING = "marking_of_stop_words"
_MARKED = "marked_stop_words"
_MARK = "#"
_SYNONYMS = "synonyms"


@dataclass(frozen=True, slots=True)
class SynonymRule:
    """Terms, and what is searched for in place of each.

    Attributes:
        terms: the server's words of each; neither the first nor the last is a stop word.
        searched: the same of what is searched for.
    """

    terms: tuple[Words, ...]
    searched: tuple[Words, ...]

    def __str__(self) -> str:
        """As Elasticsearch reads it."""
        return f"{_listed(self.terms)} => {_listed(self.searched)}"


def synonym_analysis(rules: Iterable[SynonymRule]) -> dict[str, dict[str, Any]]:
    """Return what the rules of an index add to the `analysis` part of its settings."""
    return {
        "filter": {
            _MARKING: {
                "type": "stemmer_override",
                "rules": [f"{word} => {_MARK}{word}" for word in sorted(STOP_WORDS)],
            },
            _MARKED: {
                "type": "stop",
                "stopwords": [f"{_MARK}{word}" for word in sorted(STOP_WORDS)],
            },
            _SYNONYMS: {"type": "synonym_graph", "synonyms": [str(rule) for rule in rules]},
        },
        "analyzer": {
            SYNONYM_ANALYZER: {
                "type": "custom",
                "char_filter": [GREEK_NAMES],
                "tokenizer": "standard",
                "filter": [*FOLDING, _MARKING, *TERM_FILTERS, _SYNONYMS, _MARKED],
            }
        },
    }


def _listed(terms: Iterable[Words]) -> str:
    return ", ".join(" ".join(term).replace(",", "\\,") for term in terms)
