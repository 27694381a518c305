"""What queries find among the entries of a folder's articles.

These are the kinds of queries that resolution, the list of articles and the search of all articles
send (`pipelines/store/catalogue.py`, `pipelines/retrieval/article_search.py`). Texts are scored by
the retrieval model BM25 itself, an article as one document; what is no text by its boost.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from citespan.es_mappings.articles import TEXT
from citespan.pipelines.errors import InputError
from citespan.pipelines.folder.kept import KeptEntry
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.retrieval.model import Floats, models
from citespan.pipelines.retrieval.query_dsl import Clause
from citespan.pipelines.retrieval.window_scores import Windows, WindowScores
from citespan.pipelines.text.lucene import find_terms, fold

NEEDS_SERVER: Final = (
    "a folder of articles can be checked, searched and served, and nothing else: start a server by "
    "`citespan node up`, and load the folder by `citespan index`"
)
_TITLE = "title"
_MODEL = "bm25"
_KEPT_TERMS = 1_000
_SIMILAR = 0.7
_MOST_SIMILAR = 50

Query = Mapping[str, Any]
Found = dict[int, float]
"""The scores of the articles that a query finds, by their places among the entries."""
ReadOccurrences = Callable[[str], Sequence[tuple[int, int]]]
"""Returns the numbers of the articles that have a term, with its occurrences in each."""


class EntrySearch:
    """Searches the entries of N articles.

    Args:
        read_occurrences: of terms in their texts.
    """

    def __init__(self, entries: Sequence[KeptEntry], read_occurrences: ReadOccurrences) -> None:
        self._entries = entries
        self._places = {entry.number: place for place, entry in enumerate(entries)}
        lengths = np.array([entry.terms for entry in entries], dtype=np.int64)
        self._texts = _Texts(lengths, lru_cache(_KEPT_TERMS)(self._count_in_texts))
        self._read_occurrences = read_occurrences
        self._values: dict[str, dict[Any, list[int]]] = {}
        self._kinds: Mapping[str, Callable[[Mapping[str, Any]], Found]] = {
            "bool": self._find_bool,
            "fuzzy": self._find_similar,
            "match": self._find_match,
            "match_all": lambda _: dict.fromkeys(range(len(entries)), 1.0),
            "prefix": self._find_prefix,
            "range": self._find_range,
            "term": self._find_term,
            "terms": self._find_terms,
        }

    def find(self, query: Query) -> Found:
        """Return the articles that a query of Elasticsearch's query DSL finds.

        Raises:
            InputError: for a kind of query that a folder can't answer.
        """
        [(kind, asked)] = query.items()
        if kind not in self._kinds:
            raise InputError(NEEDS_SERVER)
        return self._kinds[kind](asked)

    def _find_bool(self, asked: Mapping[str, Any]) -> Found:
        known = {"must", "must_not", "filter", "should", "minimum_should_match"}
        if not asked.keys() <= known:
            raise InputError(NEEDS_SERVER)
        must = [self.find(clause) for clause in asked.get("must", ())]
        filters = [self.find(clause) for clause in asked.get("filter", ())]
        should = [self.find(clause) for clause in asked.get("should", ())]
        needed = asked.get("minimum_should_match", 0 if must or filters else 1)
        found: set[int] = set(range(len(self._entries)))
        for some in (*must, *filters):
            found &= some.keys()
        if should and needed:
            found &= set().union(*should)
        found = found.difference(*map(self.find, asked.get("must_not", ())))
        scored = [*must, *should]
        return {place: sum(some.get(place, 0.0) for some in scored) for place in sorted(found)}

    def _find_term(self, asked: Mapping[str, Any]) -> Found:
        field, value, how = _take_apart(asked, "value")
        if how.get("case_insensitive"):
            same = [known for known in self._list_values(field) if _fold(known) == _fold(value)]
        else:
            same = [value]
        return self._find_values(field, same, how)

    def _find_terms(self, asked: Mapping[str, Any]) -> Found:
        [(field, values)] = asked.items()
        return self._find_values(field, values, {})

    def _find_prefix(self, asked: Mapping[str, Any]) -> Found:
        field, value, how = _take_apart(asked, "value")
        fold = _fold if how.get("case_insensitive") else str
        start = fold(value)
        beginning = [known for known in self._list_values(field) if fold(known).startswith(start)]
        return self._find_values(field, beginning, how)

    def _find_similar(self, asked: Mapping[str, Any]) -> Found:
        field, value, how = _take_apart(asked, "value")
        known = list(map(str, self._list_values(field)))
        similar = get_close_matches(value, known, _MOST_SIMILAR, _SIMILAR)
        return self._find_values(field, similar, how)

    def _find_range(self, asked: Mapping[str, Any]) -> Found:
        [(field, bounds)] = asked.items()
        least, most = bounds.get("gte", -np.inf), bounds.get("lte", np.inf)
        inside = [known for known in self._list_values(field) if least <= known <= most]
        return self._find_values(field, inside, {})

    def _find_match(self, asked: Mapping[str, Any]) -> Found:
        field, text, how = _take_apart(asked, "query")
        texts = {TEXT: self._texts, _TITLE: self._titles}.get(field)
        if texts is None:
            raise InputError(NEEDS_SERVER)
        return texts.score(text, how.get("boost", 1.0), all_of_them=how.get("operator") == "and")

    def _find_values(self, field: str, values: Sequence[Any], how: Mapping[str, Any]) -> Found:
        known, score = self._list_values(field), float(how.get("boost", 1.0))
        return {place: score for value in values for place in known.get(value, ())}

    def _list_values(self, field: str) -> Mapping[Any, Sequence[int]]:
        """Return the values of a field, each with the articles that have it."""
        if field not in self._values:
            values: dict[Any, list[int]] = {}
            for place, entry in enumerate(self._entries):
                value = entry.source.get(field)
                for each in value if isinstance(value, list) else [value]:
                    if each is not None:
                        values.setdefault(each, []).append(place)
            self._values[field] = values
        return self._values[field]

    def _count_in_texts(self, term: str) -> Floats:
        counts = np.zeros(len(self._entries))
        for number, occurrences in self._read_occurrences(term):
            if number in self._places:
                counts[self._places[number]] = occurrences
        return counts

    @cached_property
    def _titles(self) -> "_Texts":
        terms = [Counter(find_terms(entry.source.get(_TITLE, ""))) for entry in self._entries]
        lengths = np.array([title.total() for title in terms], dtype=np.int64)
        return _Texts(lengths, lambda term: np.array([title[term] for title in terms], float))


class _Texts:
    """One text of each of N articles.

    Args:
        lengths: (N,), in terms.
        count: returns (N,), the occurrences of a term.
    """

    def __init__(self, lengths: NDArray[np.int64], count: Callable[[str], Floats]) -> None:
        # To a retrieval model the texts are what sentences of one article are in other searches.
        self._windows = Windows(lengths, SpanLengths(1, 1)) if len(lengths) else None
        self._count = count

    def score(self, text: str, weight: float, *, all_of_them: bool) -> Found:
        """Return the scores of the texts that have any of another text's terms, or all of them."""
        terms = find_terms(text)
        if self._windows is None or not terms:
            return {}
        columns = {term: column for column, term in enumerate(dict.fromkeys(terms))}
        frequencies = np.stack([self._count(term) for term in columns], axis=1)
        none = np.zeros((len(frequencies), 0))
        scores = WindowScores(self._windows, columns, frequencies, {}, none)
        groups = [tuple(terms)] if all_of_them else [(term,) for term in terms]
        clauses = [Clause(group, weight) for group in groups]
        best = scores.best(clauses, models[_MODEL], len(frequencies))
        return {place.first_sentence: place.score for place in best}


def _take_apart(asked: Mapping[str, Any], key: str) -> tuple[str, Any, Mapping[str, Any]]:
    """Return the field, the value and the options of a query for one field."""
    [(field, how)] = asked.items()
    return (field, how[key], how) if isinstance(how, Mapping) else (field, how, {})


def _fold(value: object) -> str:
    return str(value).lower()


def sort_found(
    found: Found, entries: Sequence[KeptEntry], sort: Sequence[Any]
) -> list[tuple[int, list[Any]]]:
    """Return the places that were found, in order, each with the values that it is sorted by.

    Args:
        sort: fields, as requests name them: scores fall, and all else rises unless it says "desc";
            what has no value comes last.
    """
    fields = [by if isinstance(by, str) else next(iter(by)) for by in sort]
    falls = [by == "_score" if isinstance(by, str) else "desc" in by.values() for by in sort]

    def read(place: int, field: str) -> Any:
        if field == "_score":
            return found[place]
        if field == "title.order":
            return fold(entries[place].source.get("title") or "") or None
        return place if field == "_doc" else entries[place].source.get(field)

    ordered = [(place, [read(place, field) for field in fields]) for place in found]
    for at, does_fall in reversed([*enumerate(falls)]):
        known = [hit for hit in ordered if hit[1][at] is not None]
        known.sort(key=lambda hit: hit[1][at], reverse=does_fall)
        ordered = known + [hit for hit in ordered if hit[1][at] is None]
    return ordered
