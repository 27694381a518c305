"""What checks and searches ask of Elasticsearch, answered from a folder of articles.

`FolderClient` is a client without a server: it answers the requests for entries of the catalogue,
for sentences of an article and for how often terms occur in them. So resolution, ranking, reports
and the layout of the articles run as they do with a server, and know nothing of folders.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import Any, Self

from elastic_transport import (
    ApiResponseMeta,
    HeadApiResponse,
    HttpHeaders,
    NodeConfig,
    ObjectApiResponse,
)
from elasticsearch import Elasticsearch, NotFoundError

from citespan.es_mappings.index_name import CITESPAN, numbered_id, slug_of
from citespan.pipelines.errors import InputError
from citespan.pipelines.folder.kept import KeptArticles, KeptEntry
from citespan.pipelines.folder.queries import NEEDS_SERVER, EntrySearch, sort_found
from citespan.pipelines.folder.reading import select_entries
from citespan.pipelines.text.lucene import Token, find_term, find_words

_SHARDS = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
_WHOLE = "whole"  # the id of a scroll that has given all it has
_MOST_ARTICLES = 16
_USUAL_SIZE = 10
_FOUND, _NOT_FOUND = 200, 404

Answer = Mapping[str, Any]


class FolderClient(Elasticsearch):
    """Answers what searches ask, from the articles that were read of a folder.

    Args:
        kept: of the folder, up to date.
    """

    def __init__(self, kept: KeptArticles) -> None:
        super().__init__("http://folder.invalid:9200")  # nothing is ever sent there
        self.kept = kept
        self._lock = RLock()
        self._state: tuple[int, int] | None = None
        self._snapshot: _Snapshot | None = None
        self._articles: OrderedDict[str, _Article] = OrderedDict()
        self._answers: Mapping[str, Callable[[_Request], Answer]] = {
            "clear_scroll": lambda _: {},
            "count": self._count,
            "indices.analyze": lambda request: {"tokens": list(_analyse(request.body["text"]))},
            "indices.get": lambda _: {},
            "info": lambda _: {"version": {"number": "none, a folder"}},
            "mget": self._read_documents,
            "msearch": self._search_sentences,
            "scroll": lambda _: {"hits": {"hits": []}, "_shards": _SHARDS},
            "search": self._search,
        }

    def options(self, **_: Any) -> Self:
        """Return this client: time limits and repetitions are a server's."""
        return self

    def close(self) -> None:
        """Close the file in which the articles are kept."""
        super().close()
        self.kept.close()

    def perform_request(self, *_: Any, **asked: Any) -> Any:
        """Answer a request.

        Raises:
            InputError: for one that only a server can answer.
            NotFoundError: for an index that a folder does not have.
        """
        request = _Request(
            asked.get("path_parts") or {}, asked.get("params") or {}, asked.get("body") or {}
        )
        name = asked.get("endpoint_id") or ""
        if name == "indices.exists":
            return HeadApiResponse(_make_meta(_FOUND if request.is_catalogue else _NOT_FOUND))
        if name not in self._answers:
            raise InputError(NEEDS_SERVER)
        return ObjectApiResponse(body=self._answers[name](request), meta=_make_meta())

    def _read(self) -> "_Snapshot":
        """Return the entries of the articles as they are now, whoever has read the folder."""
        with self._lock:
            state = self.kept.state
            if self._snapshot is None or state != self._state:
                entries, _ = select_entries(self.kept)
                self._snapshot, self._state = _Snapshot(self.kept, entries), state
            return self._snapshot

    def _count(self, request: "_Request") -> Answer:
        found = self._read().search.find(request.body["query"]) if request.is_catalogue else ()
        return {"count": len(found), "_shards": _SHARDS}

    def _search(self, request: "_Request") -> Answer:
        if not request.is_catalogue:
            if "ignore_unavailable" in request.params:
                return _make_hits([])
            message = "index_not_found_exception"
            raise NotFoundError(message, _make_meta(_NOT_FOUND), {"error": {"type": message}})
        snapshot, body = self._read(), request.body
        found = snapshot.search.find(body.get("query", {"match_all": {}}))
        sort = body.get("sort", ["_score", "article"])
        sort = [sort] if isinstance(sort, str) else sort
        ordered = sort_found(found, snapshot.entries, sort)
        if "scroll" not in request.params:
            first = int(body.get("from", 0))
            ordered = ordered[first : first + int(body.get("size", _USUAL_SIZE))]
        hits = [
            snapshot.describe(place) | {"_score": found[place], "sort": values}
            for place, values in ordered
        ]
        return _make_hits(hits) | {"_scroll_id": _WHOLE}

    def _read_documents(self, request: "_Request") -> Answer:
        if "ids" in request.body:
            snapshot = self._read()
            return {"docs": [snapshot.read(name) for name in request.body["ids"]]}
        return {"docs": [self._read_sentence(asked) for asked in request.body["docs"]]}

    def _read_sentence(self, asked: Mapping[str, Any]) -> Answer:
        edition, _, number = asked["_id"].rpartition("-")
        documents = self._find_article(edition).documents
        there = number.isdecimal() and int(number) < len(documents)
        source = {"_source": documents[int(number)]} if there else {}
        return {"_index": asked["_index"], "_id": asked["_id"], **source}

    def _search_sentences(self, request: "_Request") -> Answer:
        bodies = list(request.body)[1::2]  # each behind a header
        return {"responses": [self._search_article(body) for body in bodies]}

    def _search_article(self, body: Mapping[str, Any]) -> Answer:
        asked = body["query"]["bool"]
        [edition] = [clause["term"]["edition"] for clause in asked["filter"]]
        article = self._find_article(edition if isinstance(edition, str) else edition["value"])
        hits = [
            {
                "_id": numbered_id(str(document["edition"]), document["number"]),
                "_source": document,
                "sort": [document["number"]],
            }
            for document in article.documents
        ]
        if "should" in asked:
            counted = article.count(asked["should"])
            hits = [hits[n] | {"matched_queries": named} for n, named in sorted(counted.items())]
        after = body.get("search_after")
        hits = [hit for hit in hits if after is None or hit["sort"] > after]
        return _make_hits(hits[: body.get("size", _USUAL_SIZE)], len(hits)) | {"status": _FOUND}

    def _find_article(self, edition: str) -> "_Article":
        """Return an edition of an article; one without sentences if it is not there any more."""
        with self._lock:
            article = self._articles.get(edition)
            if article is None:
                documents = self._read().read_documents(edition)
                article = self._articles[edition] = _Article(documents)
            if not article.documents:
                del self._articles[edition]
                return article
            self._articles.move_to_end(edition)
            while len(self._articles) > _MOST_ARTICLES:
                self._articles.popitem(last=False)
            return article


@dataclass(frozen=True, slots=True)
class _Request:
    """A request: what its path names, its parameters, and its body."""

    parts: Mapping[str, Any]
    params: Mapping[str, Any]
    body: Any

    @property
    def is_catalogue(self) -> bool:
        """Whether it is about the entries of users' articles."""
        return self.parts.get("index") in (CITESPAN.articles, [CITESPAN.articles])


class _Snapshot:
    """The entries of all articles at one time."""

    def __init__(self, kept: KeptArticles, entries: Sequence[KeptEntry]) -> None:
        self.entries = entries
        self.search = EntrySearch(entries, kept.read_occurrences)
        self._kept = kept
        self._by_slug = {entry.slug: place for place, entry in enumerate(entries)}

    def describe(self, place: int) -> dict[str, Any]:
        """Return an entry as a hit, without the lengths of sentences."""
        entry = self.entries[place]
        numbers = {"_seq_no": entry.number, "_primary_term": 1}
        return {"_index": CITESPAN.articles, "_id": entry.slug, "_source": entry.source, **numbers}

    def read(self, name: str) -> dict[str, Any]:
        """Return an entry by its slug, with the lengths of sentences."""
        if name not in self._by_slug:
            return {"_index": CITESPAN.articles, "_id": name, "found": False}
        found = self.describe(self._by_slug[name])
        lengths = self._kept.read_lengths(self.entries[self._by_slug[name]].number)
        return found | {"_source": {**found["_source"], "lengths": lengths}}

    def read_documents(self, edition: str) -> list[dict[str, Any]]:
        """Return the sentences of an edition; none if it is not that of the article now."""
        place = self._by_slug.get(slug_of(edition))
        if place is None or self.entries[place].source["edition"] != edition:
            return []
        documents = self._kept.read_documents(self.entries[place].number)
        return documents if documents and documents[0]["edition"] == edition else []


class _Article:
    """The N sentences of an article, as documents."""

    def __init__(self, documents: Sequence[dict[str, Any]]) -> None:
        self.documents = documents

    @cached_property
    def _positions(self) -> Sequence[Mapping[str, set[int]]]:
        """(N,), the positions of each term in a sentence."""
        found = []
        for document in self.documents:
            positions: dict[str, set[int]] = {}
            for token in _tokenise(str(document["text"])):
                positions.setdefault(token.term, set()).add(token.position)
            found.append(positions)
        return found

    def count(self, queries: Sequence[Mapping[str, Any]]) -> dict[int, dict[str, float]]:
        """Return what each named query for a term or a phrase scores in the sentences that it
        finds: how often that occurs, times its terms (`es_mappings/sentences.py`)."""
        counted: dict[int, dict[str, float]] = {}
        for query in queries:
            [(kind, asked)] = query.items()
            how = asked["text"]
            places = {how["value"]: [0]} if kind == "term" else _find_places(how["query"])
            size = sum(map(len, places.values()))
            for number, positions in enumerate(self._positions):
                if times := _count_phrase(places, positions):
                    counted.setdefault(number, {})[how["_name"]] = float(times * size)
        return counted


def _find_places(phrase: str) -> dict[str, list[int]]:
    """Return the positions of each term of a phrase, counted from its first."""
    tokens = _tokenise(phrase)
    places: dict[str, list[int]] = {}
    for token in tokens:
        places.setdefault(token.term, []).append(token.position - tokens[0].position)
    return places


def _count_phrase(places: Mapping[str, Sequence[int]], positions: Mapping[str, set[int]]) -> int:
    """Return how often a phrase occurs in a sentence."""
    begins: set[int] | None = None
    for term, offsets in places.items():
        for offset in offsets:
            here = {position - offset for position in positions.get(term, ())}
            begins = here if begins is None else begins & here
        if not begins:
            return 0
    return len(begins or ())


def _tokenise(text: str) -> list[Token]:
    """Return the tokens of any text; those of characters that `covers` does not know may be others
    on a server."""
    found = []
    for position, word in enumerate(find_words(text)):
        if term := find_term(word[0]):
            found.append(Token(term, position, word.start(), word.end()))
    return found


def _analyse(texts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the tokens of texts as the server describes them: in UTF-16, one after the other."""
    start = first = 0
    for text in texts:
        last = -1
        for token in _tokenise(text):
            last = token.position
            yield {
                "token": token.term,
                "start_offset": start + _count_units(text[: token.start]),
                "end_offset": start + _count_units(text[: token.end]),
                "position": first + token.position,
            }
        start += _count_units(text) + 1
        first += last + 1


def _count_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _make_hits(hits: Sequence[Answer], total: int | None = None) -> dict[str, Any]:
    number = len(hits) if total is None else total
    return {
        "hits": {"total": {"value": number, "relation": "eq"}, "hits": hits},
        "_shards": _SHARDS,
    }


def _make_meta(status: int = _FOUND) -> ApiResponseMeta:
    node = NodeConfig("http", "folder.invalid", 9200)
    return ApiResponseMeta(status, "1.1", HttpHeaders(), 0.0, node)
