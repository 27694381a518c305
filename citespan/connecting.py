"""The server that the functions of `import citespan` use."""

from collections.abc import Callable
from functools import partial

from elasticsearch import Elasticsearch

from citespan.deploy import client as deployed
from citespan.deploy.connection import read_api_key
from citespan.deploy.node.state import NodeState
from citespan.pipelines.errors import ElasticsearchUnreachableError

_last: Elasticsearch | None = None
_last_url: str | None = None


def connect(url: str | None = None, *, start: bool = False) -> Elasticsearch:
    """Connect to Elasticsearch, and use this server from now on unless another is given.

    Args:
        url: address of the server; None for CITESPAN_ES_URL, else for the node that `citespan node
            up` or an earlier `connect(start=True)` started. The API key is read from
            CITESPAN_ES_API_KEY, the certificate authority from CITESPAN_ES_CA.
        start: whether to start a local node if no server is found, as `citespan node up` does.
            The first start fetches about 1.1 GB.

    Returns:
        A client of the server, which has answered once.

    Raises:
        ElasticsearchUnreachableError: if there is no server, or it does not answer.
        InputError: if the address, the API key or the certificate can't be used.
    """
    global _last, _last_url  # noqa: PLW0603  the one connection of a session, as users expect it
    _last, _last_url = _reach(url, start), url
    return _last


def use_client(client: Elasticsearch | None) -> Elasticsearch:
    """Return the client given, else the one that `connect` returned last, else `connect()`."""
    return client or _last or connect()


def make_connector(client: Elasticsearch | None) -> Callable[[], Elasticsearch] | None:
    """Return what connects another process to the server of `use_client(client)`; None if only
    the caller knows how, who has made the client."""
    if client is not None and client is not _last:
        return None
    return partial(_reach, _last_url, start=False)


def _reach(url: str | None, start: bool) -> Elasticsearch:
    if url is not None:
        state = NodeState("address", url, api_key=read_api_key("CITESPAN_ES_API_KEY"))
        return deployed.reach(state)[0]
    try:
        return deployed.connect()
    except ElasticsearchUnreachableError:
        if not start:
            raise
    from citespan.deploy.node.lifecycle import up  # only here, since it is a lot

    up()
    return deployed.connect()
