"""Making the span index of one article, and filling it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from elasticsearch import ApiError, BadRequestError, Elasticsearch

from citespan.es_mappings import spans as span_index
from citespan.es_mappings.similarity import Similarity
from citespan.es_mappings.synonyms import SynonymRule
from citespan.pipelines.indexing import capacity
from citespan.pipelines.server_reason import server_reason, shortened

_BULK_BYTES = 5_000_000


@dataclass(frozen=True)
class SpanWriter:
    """Writes span indices that all have the same fields."""

    client: Elasticsearch
    similarities: tuple[Similarity, ...]

    def make(self, index: str, synonyms: Sequence[SynonymRule] | None = None) -> str | None:
        """Make an empty index, in place of one that an interrupted load has left.

        Args:
            synonyms: the rules of `text.umls`; None for an index without it.

        Returns:
            Why the server refuses it, in one line, if it does.
        """
        try:
            try:
                self._create(index, synonyms)
            except BadRequestError as error:
                if error.error != "resource_already_exists_exception":
                    raise
                self.delete(index)
                self._create(index, synonyms)
        except BadRequestError as error:
            return _refused(error)
        return None

    def _create(self, index: str, synonyms: Sequence[SynonymRule] | None) -> None:
        self.client.indices.create(
            index=index,
            mappings=span_index.mapping(self.similarities, synonyms is not None),
            settings=span_index.settings(self.similarities, synonyms),
            wait_for_active_shards=0,  # the first bulk request waits for it anyway
        )

    def fill(self, index: str, lines: list[bytes]) -> str | None:
        """Write all spans and make them searchable.

        Args:
            lines: of `bulk_lines`.

        Returns:
            Why the server refuses one of them, in one line, if it does.
        """
        chunks = list(_chunks(lines))
        for number, chunk in enumerate(chunks, start=1):
            response = self.client.bulk(
                index=index,
                operations=[chunk],  # type: ignore[list-item]  # ready-made JSON
                refresh=number == len(chunks),
                filter_path="errors,items.*.error",
            )
            if response["errors"]:
                error = next(r["error"] for i in response["items"] for r in i.values() if r)
                return f"Elasticsearch refused a span of it: {shortened(error.get('reason'))}"
        return None

    def delete(self, index: str) -> None:
        """Delete an index, if it is there."""
        self.client.indices.delete(index=index, ignore_unavailable=True)


def _chunks(lines: list[bytes]) -> Iterator[bytes]:
    """Bodies of about five megabytes, no pair of action and document apart."""
    chunk: list[bytes] = []
    size = 0
    for at in range(0, len(lines), 2):
        pair = lines[at : at + 2]
        if chunk and size + len(pair[1]) > _BULK_BYTES:
            yield b"\n".join(chunk)
            chunk, size = [], 0
        chunk += pair
        size += len(pair[1])
    if chunk:
        yield b"\n".join(chunk)


def _refused(error: ApiError) -> str:
    reason = server_reason(error)
    remedy = f"; {capacity.REMEDY}" if "maximum normal shards open" in reason else ""
    return f"Elasticsearch refused an index for it: {reason}{remedy}"
