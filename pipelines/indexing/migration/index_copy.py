"""Copying an index on the server, and switching the catalogue over to the copy."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch

from citespan.es_mappings import articles
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.migration.texts import restore_texts
from citespan.pipelines.server_reason import shortened

_POLL_SECONDS = (0.05, 2.0)
# Fields that the new mapping doesn't know go; a document that lacks one which it needs stays.
_SCRIPT = """
for (field in params.needed) {
  if (ctx._source[field] == null) { ctx.op = 'noop'; return }
}
ctx._source.keySet().retainAll(params.known);
"""
_ENTRY_SCRIPT = "ctx._source.index = params.index; ctx._source.mapping_version = params.version"


def copy(
    client: Elasticsearch,
    old: str,
    new: str,
    mappings: Mapping[str, Any],
    settings: Mapping[str, Any],
    needed: Sequence[str],
) -> tuple[int, str]:
    """Copy all documents into a new index, in place of what is there of that name.

    The old index takes no writing from then on, unless the copy fails.

    Args:
        needed: fields without which a document is not copied.

    Returns:
        How many documents there are, and why the copy is not the same; it is deleted then. The
        reason is "" if all is well.
    """
    _end_copying(client, new)
    client.indices.delete(index=new, ignore_unavailable=True)
    client.indices.create(index=new, mappings=mappings, settings=settings)
    client.indices.add_block(index=old, block="write")
    client.indices.refresh(index=old)
    known = list(mappings["properties"])
    answer = _finished(
        client,
        client.reindex(
            source={"index": old},
            dest={"index": new},
            script={"source": _SCRIPT, "params": {"needed": list(needed), "known": known}},
            slices="auto",
            refresh=True,
            wait_for_completion=False,
        )["task"],
    )
    before, after = (int(client.count(index=name)["count"]) for name in (old, new))
    problem = _problem(answer, before, after, needed)
    if problem:
        client.indices.delete(index=new)
        client.indices.put_settings(index=old, settings={"index.blocks.write": None})
    return after, problem


def update_entries(client: Elasticsearch, old: str, new: str, version: int) -> None:
    """Let the catalogue say that the articles in one index are in another, of that version.

    Raises:
        CitespanError: if an entry keeps changing meanwhile.
    """
    done = [{"term": {"mapping_version": version}}] if old == new else []
    query = {"bool": {"filter": [{"term": {"index": old}}], "must_not": done}}
    for _ in range(5):
        client.indices.refresh(index=articles.INDEX)
        if not client.count(index=articles.INDEX, query=query)["count"]:
            restore_texts(client)
            return
        started = client.update_by_query(
            index=articles.INDEX,
            query=query,
            script={"source": _ENTRY_SCRIPT, "params": {"index": new, "version": version}},
            conflicts="proceed",
            wait_for_completion=False,
        )
        _finished(client, started["task"])
    raise CitespanError(
        f"the catalogue's entries of {old} keep changing: end the load at work and repeat the "
        "command"
    )


def _problem(answer: Mapping[str, Any], before: int, after: int, needed: Sequence[str]) -> str:
    if failures := answer.get("failures"):
        cause = failures[0].get("cause", failures[0])
        return shortened(cause.get("reason"))
    if answer.get("noops"):
        return f"{answer['noops']:,} documents lack one of {', '.join(needed)}"
    return "" if before == after else f"{before:,} documents became {after:,}"


def _finished(client: Elasticsearch, task: str) -> Mapping[str, Any]:
    """What came of a task, once it has ended."""
    wait, longest = _POLL_SECONDS
    while not (found := _tasks(client, f"/{task}"))["completed"]:
        time.sleep(wait)
        wait = min(2 * wait, longest)
    if error := found.get("error"):
        raise CitespanError(f"Elasticsearch gave up a task: {shortened(error.get('reason'))}")
    answer: Mapping[str, Any] = found["response"]
    return answer


def _end_copying(client: Elasticsearch, new: str) -> None:
    """A copying that nobody waits for any more would make the index again."""
    while True:
        running = [
            name
            for node in _tasks(client, "?actions=*reindex&detailed")["nodes"].values()
            for name, one in node["tasks"].items()
            if f"[{new}]" in one.get("description", "")
        ]
        if not running:
            return
        for name in running:
            _tasks(client, f"/{name}/_cancel?wait_for_completion", "POST")


def _tasks(client: Elasticsearch, path: str, method: str = "GET") -> Mapping[str, Any]:
    """Without the client's own method, which prints a warning at each call: the API is a preview
    since version 2."""
    accept = {"accept": "application/vnd.elasticsearch+json; compatible-with=9"}
    answer: Mapping[str, Any] = client.perform_request(
        method, f"/_tasks{path}", headers=accept
    ).body
    return answer
