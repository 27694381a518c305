"""How loaders talk to the server: with one clear line when it won't."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from elasticsearch import ApiError, BadRequestError, Elasticsearch, TransportError

from citespan.pipelines.errors import CitespanError, ElasticsearchUnreachableError
from citespan.pipelines.indexing.census import Census
from citespan.pipelines.server_reason import server_reason


class LoadStoppedError(CitespanError):
    """The user has stopped a load."""

    exit_status = 130


@contextmanager
def failures_told(census: Census) -> Iterator[None]:
    """Turns what ends a whole load into one line that says how far it came.

    Raises:
        ElasticsearchUnreachableError: if the server went away.
        CitespanError: if it refused a request of the load, as for want of permission.
        LoadStoppedError: at a keyboard interrupt.
    """
    try:
        yield
    except KeyboardInterrupt as error:
        raise LoadStoppedError(
            f"stopped after {census.inputs:,} inputs; repeat the command to go on"
        ) from error
    except TransportError as error:
        raise ElasticsearchUnreachableError(
            f"Elasticsearch went away after {census.inputs:,} inputs "
            f"({type(error).__name__}); start it and repeat the command: what is loaded stays"
        ) from error
    except ApiError as error:
        raise CitespanError(f"Elasticsearch refused the load: {server_reason(error)}") from error


def ensure_index(
    client: Elasticsearch, index: str, mappings: Mapping[str, Any], settings: Mapping[str, Any]
) -> None:
    """Make an index if there is none of that name; give one that is there the fields it lacks."""
    if not client.indices.exists(index=index):
        try:
            client.indices.create(index=index, mappings=mappings, settings=settings)
        except BadRequestError as error:
            # another load may have just made it
            if error.error != "resource_already_exists_exception":
                raise
        return
    client.indices.put_mapping(
        index=index, properties=mappings["properties"], meta=mappings["_meta"]
    )
