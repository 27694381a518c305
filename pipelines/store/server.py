"""The server as a load uses it: requests are repeated, and what ends the load is one clear line."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from elasticsearch import ApiError, BadRequestError, Elasticsearch, TransportError

from citespan.pipelines.batches import batched
from citespan.pipelines.errors import CitespanError, ElasticsearchUnreachableError, OutsideError
from citespan.pipelines.server_reason import ShardMissingError, is_page, server_reason
from citespan.pipelines.store.index_versions import require_versions
from citespan.pipelines.store.retry import RetryPolicy, raise_if_server_full
from citespan.pipelines.store.sender import BulkSender

T = TypeVar("T")

_OF_THE_SERVER = 500  # the least HTTP status of a fault that no request is to blame for
_SHARD_SECONDS = 10
_NAMES_AT_ONCE = 10  # a request's first line has at most 4 KB, and a name 255 bytes


class LoadStoppedError(OutsideError):
    """The user has stopped a load."""

    exit_status = 130


@dataclass(frozen=True)
class Server:
    """What a load needs to talk to Elasticsearch.

    Attributes:
        client: repeats nothing by itself.
        retry: decides what is repeated, and how long.
        sender: sends bulk requests.
    """

    client: Elasticsearch
    retry: RetryPolicy
    sender: BulkSender

    def call(self, send: Callable[[], T]) -> T:
        """Send a request as `RetryPolicy.call` does."""
        return self.retry.call(send)

    def ensure(self, index: str, mappings: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        """Create an index if it does not exist, as `ensure_index` does."""
        self.call(lambda: ensure_index(self.client, index, mappings, settings))

    def refresh(self, index: str | list[str]) -> None:
        """Make all that is written to indices searchable; those that do not exist are passed
        over."""
        send = lambda: self.client.indices.refresh(index=index, ignore_unavailable=True)  # noqa: E731
        copies = self.call(send).get("_shards", {})
        if copies.get("successful", 0) < copies.get("total", 0):
            # A node has died, perhaps with the copy that was to pass the request on to the other.
            self.wait_for_shards([index] if isinstance(index, str) else index)
            self.call(send)

    def require_indices(self, names: list[str]) -> None:
        """Check that the indices that were written to still exist.

        A bulk request to an index that has been deleted creates another of that name, without its
        mapping; that one is deleted.

        Raises:
            CitespanError: if one has been deleted.
        """
        found = self.call(
            lambda: self.client.indices.get(
                index=names, ignore_unavailable=True, filter_path="*.aliases,*.mappings._meta"
            )
        )
        stray = _find_stray(found.body)
        if stray or len(found) < len(names):
            if stray:
                self.call(lambda: self.client.indices.delete(index=stray, ignore_unavailable=True))
            raise CitespanError(
                f"{', '.join(stray or names)} was deleted during the load; load again with "
                "`restart`"
            )

    def wait_for_shards(self, names: list[str]) -> None:
        """Wait until a copy of each shard of indices is there; those that do not exist are passed
        over.

        Raises:
            ElasticsearchUnreachableError: if one is not there for too long.
        """
        for some in batch_names(names):
            self.call(partial(_require_shards, self.client, some))

    def delete_stray(self, name: str) -> None:
        """Delete an index that a late bulk request has created."""
        found = self.call(
            lambda: self.client.indices.get(
                index=name, ignore_unavailable=True, filter_path="*.aliases,*.mappings._meta"
            )
        )
        for stray in _find_stray(found.body):
            self.call(lambda: self.client.indices.delete(index=stray, ignore_unavailable=True))  # noqa: B023


def batch_names(names: list[str]) -> Iterator[list[str]]:
    """Return names of indices in lists, as many at once as fit into the first line of a request."""
    return batched(names, _NAMES_AT_ONCE)


def _require_shards(client: Elasticsearch, names: list[str]) -> None:
    """Check that a copy of each shard is there, or comes soon. Loading needs no privilege to
    search.

    Raises:
        ShardMissingError: if it does not come.
    """
    found = client.indices.get(index=names, ignore_unavailable=True, filter_path="*.aliases")
    if found:
        patient = client.options(ignore_status=408)
        health = patient.cluster.health(
            index=sorted(found), wait_for_status="yellow", timeout=f"{_SHARD_SECONDS}s"
        )
        if health["timed_out"]:
            raise ShardMissingError(", ".join(names), "no node has a copy of one of its shards")


def _find_stray(found: Mapping[str, Any]) -> list[str]:
    """Return the indices that citespan has not created: they have no mapping version, nor an
    alias, which a user may have given them."""
    return [
        name for name, index in found.items() if not index.get("mappings") and not index["aliases"]
    ]


class Progress(Protocol):
    """A report that is being made."""

    @property
    def progress(self) -> str:
        """How far it has come, such as "12 inputs"."""
        ...


@contextmanager
def open_server(client: Elasticsearch, retry: RetryPolicy, report: Progress) -> Iterator[Server]:
    """Give a load its server; if the load ends early, no request waits any longer.

    Args:
        report: says in messages how far the load has come.

    Raises: as `translate_errors`.
    """
    calm = without_retries(client)
    with translate_errors(report), BulkSender(calm, retry) as sender:
        try:
            yield Server(calm, retry, sender)
        except BaseException:
            retry.stop()
            raise


@contextmanager
def translate_errors(report: Progress) -> Iterator[None]:
    """Turn what ends a whole load into one line that says how far it has come.

    Raises:
        ElasticsearchUnreachableError: if the server does not answer any more.
        CitespanError: if it refused a request of the load, as for want of permission.
        LoadStoppedError: at a keyboard interrupt.
    """
    try:
        yield
    except KeyboardInterrupt as error:
        raise LoadStoppedError(
            f"stopped after {report.progress}; repeat the command to resume"
        ) from error
    except TransportError as error:
        raise ElasticsearchUnreachableError(
            f"Elasticsearch stopped answering after {report.progress} "
            f"({type(error).__name__}); start it and repeat the command: what is loaded stays"
        ) from error
    except ApiError as error:
        raise_if_server_full(server_reason(error))
        if error.meta.status >= _OF_THE_SERVER or is_page(error):
            raise ElasticsearchUnreachableError(
                f"Elasticsearch can't go on after {report.progress} ({server_reason(error)}); see "
                "`citespan doctor`, and repeat the command: what is loaded stays"
            ) from error
        raise CitespanError(f"Elasticsearch refused the load: {server_reason(error)}") from error


def without_retries(client: Elasticsearch) -> Elasticsearch:
    """Return the client with its own repetition of requests switched off."""
    return client.options(max_retries=0, retry_on_timeout=False, retry_on_status=())


def ensure_index(
    client: Elasticsearch, index: str, mappings: Mapping[str, Any], settings: Mapping[str, Any]
) -> None:
    """Create an index if it does not exist.

    Raises:
        OtherVersionError: if it exists, and is of another mapping version.
    """
    found = client.indices.get(
        index=index, ignore_unavailable=True, filter_path="*.aliases,*.mappings._meta"
    )
    if not found:
        create_index(client, index, mappings=mappings, settings=settings)
    elif _find_stray(found.body):
        # It is given its mapping where it can be; deleting it could hit one that is not stray.
        with suppress(BadRequestError):
            client.indices.put_mapping(
                index=index, properties=mappings["properties"], meta=mappings["_meta"]
            )
    require_versions(client, index)


def create_index(client: Elasticsearch, index: str, **body: Any) -> bool:
    """Create an index, unless another load, or an earlier request whose answer was lost, has
    done so.

    Returns:
        Whether all copies of its shards are known to be there, so that all that is written to it
        from now on is on two nodes if there are two.

    Raises:
        ServerFullError: if no node has room for it.
    """
    try:
        created = client.indices.create(index=index, wait_for_active_shards="all", **body)
    except BadRequestError as error:
        if error.error != "resource_already_exists_exception":
            raise
        return False
    if not created["shards_acknowledged"]:
        raise_if_server_full(_explain_missing_shard(client, index))
    return bool(created["shards_acknowledged"])


def _explain_missing_shard(client: Elasticsearch, index: str) -> str:
    """Return why no node takes the first shard of an index; "" if one does."""
    explained = client.options(ignore_status=400).cluster.allocation_explain(
        index=index, shard=0, primary=True
    )
    reasons = (
        decider["explanation"]
        for node in explained.get("node_allocation_decisions", [])
        for decider in node["deciders"]
        if decider["decision"] == "NO"
    )
    return "; ".join(dict.fromkeys(reasons))
