"""The texts of articles that are loaded, read back from their spans or sentences."""

from collections.abc import Iterator

from elasticsearch import Elasticsearch, NotFoundError
from elasticsearch.dsl import Search
from elasticsearch.dsl.query import Term
from elasticsearch.helpers import scan

from citespan.es_mappings import articles
from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.documents.joints import span_text
from citespan.pipelines.indexing.sentence_texts import sentences

_PAGE = 10_000  # Elasticsearch's index.max_result_window


def loaded(client: Elasticsearch) -> Iterator[ArticleEntry]:
    """The entries of all articles that are loaded, in no order, streaming."""
    if client.indices.exists(index=articles.INDEX):
        for hit in scan(client, index=articles.INDEX):
            yield ArticleEntry.from_es(hit)


def article_text(client: Elasticsearch, entry: ArticleEntry) -> str:
    """All sentences of an article, each once and in order; a space stands for what parted them.

    Raises:
        CitespanError: if the article's index, or a sentence, is gone.
    """
    if entry.layout == "sentences":
        [documents] = sentences(client, [(entry, range(entry.sentences))])
        return " ".join(str(one["text"]).rstrip() for one in documents.values())
    return _of_spans(client, entry)


def _of_spans(client: Elasticsearch, entry: ArticleEntry) -> str:
    # An article of fewer sentences than the shortest span is one span.
    shortest = min(entry.shortest, entry.sentences)
    search = (
        Search()
        .query(Term("length", {"value": shortest}))
        .sort("first_sentence")
        .source(["start", "end", "text", "joints"])
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
                parts.append(span_text(span)[max(0, read - span["start"]) :])
                read = span["end"]
        if len(hits) < _PAGE:
            return " ".join(parts)
        page["search_after"] = hits[-1]["sort"]
