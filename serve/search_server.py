"""The Elasticsearch server behind the pages, asked with time limits, and found again."""

from threading import Lock

from elasticsearch import Elasticsearch

from citespan.deploy.client import client_of, find_server
from citespan.deploy.node.state import NodeState

REQUEST_SECONDS = 8
"""How long one request may take."""


class SearchServer:
    """The server that commands use too: that at CITESPAN_ES_URL, or the node that was started.

    Which it is, is looked up for every answer, so a node that was started meanwhile is found.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._state: NodeState | None = None
        self._client: Elasticsearch | None = None

    def connect(self) -> Elasticsearch:
        """Return a client of the server, which need not answer.

        Raises:
            ElasticsearchUnreachableError: if no server is known.
            InputError: if CITESPAN_ES_URL, CITESPAN_ES_API_KEY or CITESPAN_ES_CA is malformed.
        """
        state = find_server()
        with self._lock:
            if self._client is None or state != self._state:
                # A connection that the server has closed meanwhile costs the one retry.
                self._client = client_of(state).options(
                    request_timeout=REQUEST_SECONDS, retry_on_timeout=False, max_retries=1
                )
                self._state = state
            return self._client
