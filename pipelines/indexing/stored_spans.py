"""Reading the sentences of articles in the layout `spans`, without what writing needs."""

from collections.abc import Iterator, Mapping
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError
from elasticsearch.dsl import Search
from elasticsearch.dsl.query import Terms

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import ArticleGoneError, CitespanError
from citespan.pipelines.indexing.documents.missing_spaces import restore_text
from citespan.pipelines.indexing.stored_sentences import SentenceDocuments

_PAGE = 10_000  # Elasticsearch's index.max_result_window


def read_article(client: Elasticsearch, entry: ArticleEntry) -> SentenceDocuments:
    """Return all sentences of an article in order, each with the white space behind it.

    What stands between two of them is in the span of both; where no span has two, only
    its length is known.

    Raises:
        ArticleGoneError: if the article's spans are gone.
        CitespanError: if single sentences are not stored.
    """
    check_singles(entry, "index it again with --shortest 1")
    singles: SentenceDocuments = {}
    pairs: SentenceDocuments = {}
    for hit in search_all(client, entry, _short_spans(entry)):
        source = hit["_source"]
        (singles if source["length"] == 1 else pairs)[source["first_sentence"]] = source
    found: SentenceDocuments = {}
    for number, one in sorted(singles.items()):
        text = restore_text(one)
        if number in pairs:
            both, end = restore_text(pairs[number]), one["end"] - one["start"]
            text += both[end : end + _count_white_space(both, end)]
        found[number] = {**one, "text": text}
    if len(found) != entry.sentences:
        raise gone(entry)
    if entry.longest == 1:
        _guess_white_space(found)
    return found


def _short_spans(entry: ArticleEntry) -> Search:
    """Return a search that finds all spans of one and two sentences; in the order in which they
    are stored, which is fastest, if they fit on a page."""
    short = Search().query(Terms("length", [1, 2]))
    if 2 * entry.sentences <= _PAGE:
        return short.sort("_doc")
    return short.sort("first_sentence", "last_sentence")


def _count_white_space(text: str, at: int) -> int:
    return len(text) - at - len(text[at:].lstrip())


def _guess_white_space(found: SentenceDocuments) -> None:
    """Put white space behind sentences by its length: there is no span of two sentences."""
    for number, one in found.items():
        following = found.get(number + 1)
        gap = following["start"] - one["end"] if following else 0
        white_space = "\n" * gap if gap > 1 else " " * gap
        found[number] = {**one, "text": one["text"] + white_space}


def search_all(
    client: Elasticsearch, entry: ArticleEntry, search: Search
) -> Iterator[Mapping[str, Any]]:
    """Yield all hits of a sorted search, page by page."""
    page: dict[str, Any] = {"size": _PAGE, "track_total_hits": False}
    while True:
        try:
            response = client.search(index=entry.index, **search.extra(**page).to_dict())
        except NotFoundError as error:
            raise gone(entry) from error
        hits = response["hits"]["hits"]
        yield from hits
        if len(hits) < _PAGE:
            return
        page["search_after"] = hits[-1]["sort"]


def check_singles(entry: ArticleEntry, remedy: str) -> None:
    """Raise a CitespanError, with the remedy, if single sentences of an article are not stored."""
    if entry.shortest > 1 and entry.sentences > 1:
        raise CitespanError(
            f"article '{entry.article}' is indexed with spans of at least {entry.shortest} "
            f"sentences, so single sentences are not stored; {remedy}"
        )


def gone(entry: ArticleEntry) -> ArticleGoneError:
    """Return the error of an article whose spans are gone."""
    return ArticleGoneError(
        f"the index of article '{entry.article}' is gone ({entry.index}); index it again"
    )
