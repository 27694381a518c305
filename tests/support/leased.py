"""Leases whose time has passed, without the wait for it."""

from elasticsearch import Elasticsearch

_LAPSE = "for (writer in ctx._source.writers) writer.renewed -= params.ago"


def let_leases_lapse(es: Elasticsearch, seconds: int = 3600) -> None:
    """Make all leases that there are as old as if nobody had renewed them for so long. Versions of
    citespan without leases have none."""
    es.options(ignore_status=404).update(
        index="citespan-leases",
        id="writers",
        script={"source": _LAPSE, "params": {"ago": seconds * 1000}},
        retry_on_conflict=20,
    )
