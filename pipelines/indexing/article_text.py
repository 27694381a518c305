"""The texts of articles that are loaded, read back from their spans."""

from collections.abc import Iterator

from elasticsearch import Elasticsearch, NotFoundError
from elasticsearch.dsl import Search
from elasticsearch.dsl.query import Term
from elasticsearch.helpers import scan

from citespan.es_mappings import articles
from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import CitespanError

_PAGE = 10_000  # Elasticsearch's index.max_result_window


def loaded(client: Elasticsearch) -> Iterator[ArticleEntry]:
    """The entries of all articles that are loaded, in no order, streaming."""
    if client.indices.exists(index=articles.INDEX):
        for hit in scan(client, index=articles.INDEX):
            yield ArticleEntry.from_es(hit)


def article_text(client: Elasticsearch, entry: ArticleEntry) -> str:
    """All sentences of an article, each once and in order; a space stands for what parted them.

    Raises:
        CitespanError: if the article's index is gone.
    """
    # An article of fewer sentences than the shortest span is one span.
    shortest = min(entry.shortest, entry.sentences)
    search = (
        Search()
        .query(Term("length", {"value": shortest}))
        .sort("first_sentence")
        .source(["start", "end", "text"])
    )
    parts: list[str] = []
    read = 0
    page: dict[str, int | list[int]] = {"size": _PAGE}
    while True:
        try:
            response = client.search(index=entry.index, **search.extra(**page).to_dict())
        except NotFoundError as error:
            raise CitespanError(
                f"the index of article '{entry.article}' is gone ({entry.index}); index it again"
            ) from error
        hits = response["hits"]["hits"]
        for hit in hits:
            span = hit["_source"]
            if span["end"] > read:
                parts.append(span["text"][max(0, read - span["start"]) :])
                read = span["end"]
        if len(hits) < _PAGE:
            return " ".join(parts)
        page["search_after"] = hits[-1]["sort"]
