"""Deleting the documents of articles, in either layout."""

from collections.abc import Iterable, Iterator

from elasticsearch import Elasticsearch

from citespan.es_mappings.index_name import slug
from citespan.es_mappings.sentences import sentence_id
from citespan.pipelines.indexing.documents.prepared import Place
from citespan.pipelines.indexing.writing.bulk_sender import BulkSender
from citespan.pipelines.indexing.writing.operation import Operation
from citespan.pipelines.indexing.writing.patience import Patience
from citespan.pipelines.indexing.writing.span_writer import listed


def remove(
    client: Elasticsearch, patience: Patience, sender: BulkSender, places: Iterable[Place]
) -> None:
    """Delete all documents at those places, where they are there."""
    shared: list[Place] = []
    own: list[str] = []
    for place in places:
        if place.layout == "sentences":
            shared.append(place)
        else:
            own.append(place.index)
    for names in listed(own):

        def delete(names: str = names) -> None:
            client.indices.delete(index=names, ignore_unavailable=True)

        patience.call(delete)
    if not shared:
        return
    # A bulk request to an index that is gone would make one of that name.
    present = patience.call(
        lambda: set(
            client.indices.get(
                index=sorted({place.index for place in shared}),
                ignore_unavailable=True,
                filter_path="*.aliases",
            )
        )
    )
    sender.send(_deletions(place for place in shared if place.index in present))


def _deletions(places: Iterable[Place]) -> Iterator[Operation]:
    for place in places:
        routing = slug(place.article)
        for number in range(place.sentences):
            action = f'{{"delete":{{"_id":"{sentence_id(place.edition, number)}",'
            yield Operation(
                place.index, place.article, f'{action}"routing":"{routing}"}}}}'.encode()
            )
