"""Runs in Elasticsearch, citance by citance, for Kibana's dashboard of evaluations."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from elasticsearch import Elasticsearch
from elasticsearch.helpers import BulkIndexError, bulk

from citespan.es_mappings import evaluations
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.evaluation.run_folder import ReplayedRun
from citespan.pipelines.store.server import create_index


def write_evaluation(client: Elasticsearch, run: ReplayedRun) -> int:
    """Write what each system did on each citance, in place of earlier documents of that folder.

    Returns:
        The number of documents.

    Raises:
        CitespanError: if the server refuses a document.
    """
    _prepare(client)
    name = str(run.run.folder.resolve())
    client.delete_by_query(
        index=evaluations.INDEX, query={"term": {"run": name}}, conflicts="proceed", refresh=True
    )
    documents = list(_describe(run, name))
    try:
        bulk(client, ({"_index": evaluations.INDEX, "_source": document} for document in documents),
             refresh=True)  # fmt: skip
    except BulkIndexError as error:
        first = next(iter(error.errors[0].values()))["error"]
        raise CitespanError(
            f"{evaluations.INDEX}: {len(error.errors):,} documents refused: {first.get('reason')}"
        ) from error
    return len(documents)


def _prepare(client: Elasticsearch) -> None:
    """Make the index, anew if another version of citespan has made it."""
    if client.indices.exists(index=evaluations.INDEX):
        found = client.indices.get_mapping(index=evaluations.INDEX).body[evaluations.INDEX]
        version = found["mappings"].get("_meta", {}).get("citespan_mapping")
        if version == evaluations.VERSION:
            return
        client.indices.delete(index=evaluations.INDEX)
    create_index(
        client, evaluations.INDEX, mappings=evaluations.mapping(), settings=evaluations.settings()
    )


def _describe(run: ReplayedRun, name: str) -> Iterator[dict[str, Any]]:
    """Yield a document for each system and citance."""
    results = run.results
    indexed = datetime.now(UTC).isoformat()
    for system, outcomes in run.outcomes.items():
        values = {measure: run.measure(system, measure) for measure in evaluations.MEASURES}
        for place, outcome in enumerate(outcomes):
            yield {
                "run": name,
                "experiment": results.experiment,
                "collection": results.collection,
                "system": system,
                "label": f"{system} ({results.experiment}, {results.collection})",
                "citance": outcome.citance.id,
                "topic": outcome.citance.topic,
                "article": outcome.article.id,
                "text": outcome.citance.text,
                "passages": len(outcome.spans),
                **{measure: float(value[place]) for measure, value in values.items()},
                "indexed": indexed,
            }
