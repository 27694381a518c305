"""What the index of loads remembers of a load."""

import os
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from elasticsearch import Elasticsearch

from citespan.es_mappings import loads
from citespan.pipelines.indexing.census import Census, by_reason
from citespan.pipelines.indexing.server import ensure_index
from citespan.pipelines.indexing.writing.patience import Patience


def ensure(client: Elasticsearch) -> None:
    """Make the index if there is none."""
    ensure_index(client, loads.INDEX, loads.mapping(), loads.settings())


def record(
    client: Elasticsearch,
    patience: Patience,
    census: Census,
    paths: Sequence[str],
    options: Mapping[str, Any],
) -> None:
    """Write the document of a load that has just ended."""
    name = uuid.uuid4().hex
    now = datetime.now(UTC)
    started = datetime.fromtimestamp(now.timestamp() - census.seconds, UTC)
    rejected = {"skipped": census.skipped, "quarantined": census.quarantined}
    entry = loads.LoadEntry(
        load=name,
        started=started.isoformat(timespec="seconds"),
        seconds=round(census.seconds, 3),
        paths=[os.path.abspath(p) if p != "-" else p for p in paths],  # noqa: PTH100
        options=dict(options),
        inputs=census.inputs,
        indexed=census.indexed,
        unchanged=census.unchanged,
        replaced=census.replaced,
        skipped=len(census.skipped),
        quarantined=len(census.quarantined),
        deleted=census.deleted + census.missing,
        sentences=census.sentences,
        spans=census.spans,
        reasons=[
            loads.Reason(outcome=outcome, reason=reason, inputs=number)
            for outcome, some in rejected.items()
            for reason, number in list(by_reason(some).items())[: loads.MOST_REASONS]
        ],
    )
    body = entry.to_dict()
    patience.call(lambda: client.index(index=loads.INDEX, id=name, document=body))
