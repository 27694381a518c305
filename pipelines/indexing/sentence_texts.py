"""The sentences of articles of the layout `sentences`, by their numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import slug
from citespan.es_mappings.sentences import sentence_id
from citespan.pipelines.errors import CitespanError

_PER_REQUEST = 1_000


def sentences(
    client: Elasticsearch, wanted: Sequence[tuple[ArticleEntry, Iterable[int]]]
) -> list[dict[int, Mapping[str, Any]]]:
    """The documents of sentences (`es_mappings.sentences`), article by article.

    Raises:
        CitespanError: if an article's sentences are gone.
    """
    found: list[dict[int, Mapping[str, Any]]] = [{} for _ in wanted]
    asked = [
        (at, entry, number)
        for at, (entry, numbers) in enumerate(wanted)
        for number in dict.fromkeys(numbers)
    ]
    for place in range(0, len(asked), _PER_REQUEST):
        batch = asked[place : place + _PER_REQUEST]
        for (at, entry, number), source in zip(batch, _sources(client, batch), strict=True):
            if source is None:
                raise CitespanError(
                    f"sentence {number} of article '{entry.article}' is gone ({entry.index}); "
                    "index it again"
                )
            found[at][number] = source
    return found


def _sources(
    client: Elasticsearch, batch: Sequence[tuple[int, ArticleEntry, int]]
) -> Iterator[Mapping[str, Any] | None]:
    response = client.mget(
        docs=[
            {
                "_index": entry.index,
                "_id": sentence_id(entry.edition, number),
                "routing": slug(entry.article),
            }
            for _, entry, number in batch
        ],
        filter_path="docs._id,docs._source",
    )
    for document in response["docs"]:
        yield document.get("_source")
