"""Reading the sentences of abstracts; the title is the first."""

from collections.abc import Iterable, Sequence
from typing import Final

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.batches import batched
from citespan.pipelines.server_reason import read_documents
from citespan.pipelines.store.abstracts import divide_document
from citespan.pipelines.store.paging import SentenceDocuments, gone

_READ_AT_ONCE = 1_000
_READ: Final = ("title", "text", "sections", "sentences.start", "sentences.end", "content")


def read_sentences(
    client: Elasticsearch, wanted: Sequence[tuple[ArticleEntry, Iterable[int]]]
) -> list[SentenceDocuments]:
    """Return sentences of abstracts by their numbers."""
    found = []
    whole = read_articles(client, [entry for entry, _ in wanted])
    for (entry, numbers), documents in zip(wanted, whole, strict=True):
        chosen = dict.fromkeys(numbers)
        if missing := chosen.keys() - documents:
            raise gone(entry, f"sentence {min(missing)}")
        found.append({number: documents[number] for number in chosen})
    return found


def read_articles(
    client: Elasticsearch, entries: Sequence[ArticleEntry]
) -> list[SentenceDocuments]:
    """Return all sentences of abstracts in order."""
    found: list[SentenceDocuments] = []
    for some in batched(entries, _READ_AT_ONCE):
        names = [{"_index": entry.index, "_id": entry.article} for entry in some]
        answer = read_documents(client.mget(docs=names, source_includes=list(_READ)))
        for entry, document in zip(some, answer, strict=True):
            source = document["_source"] if document is not None else {}
            if "text" not in source or source["content"] != entry.edition:
                raise gone(entry, "the present text")
            found.append(divide_document(source))
    return found


def read_text(client: Elasticsearch, entry: ArticleEntry) -> str:
    """Return all sentences of an abstract in order, separated by a space."""
    [documents] = read_articles(client, [entry])
    return " ".join(str(document["text"]).rstrip() for document in documents.values())
