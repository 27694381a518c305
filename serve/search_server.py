"""What is behind the pages: the Elasticsearch server, asked with time limits, and found again; or a
folder of articles."""

from pathlib import Path
from threading import Lock
from time import monotonic

from elasticsearch import Elasticsearch

from citespan.deploy.client import client_of, find_server
from citespan.deploy.node.state import NodeState
from citespan.library import open_folder

REQUEST_SECONDS = 8
"""How long one request may take."""
_LOOKS_APART = 10.0  # seconds between two looks at the files of a folder


class SearchServer:
    """The server that commands use too: that at CITESPAN_ES_URL, or the node that was started.

    Which it is, is looked up for every answer, so a node that was started meanwhile is found.

    Attributes:
        kept: None, since the processes that check ask the server themselves.
    """

    kept: Path | None = None

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


class FolderServer:
    """A folder of articles in place of a server. Files that are new, changed or gone are noticed
    when somebody asks.

    Attributes:
        kept: the file with what was read of the folder, for the processes that check.

    Raises:
        InputError, MachineError: as `open_folder`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._client, _ = open_folder(folder)
        self._looked = monotonic()
        self.kept: Path | None = self._client.kept.file

    def connect(self) -> Elasticsearch:
        """Return what answers from the folder as it is now.

        Raises:
            InputError, MachineError: as `open_folder`.
        """
        with self._lock:
            if monotonic() - self._looked > _LOOKS_APART:
                open_folder(self._folder)
                self._looked = monotonic()
            return self._client


def connect_to(kept: Path | None) -> Elasticsearch:
    """Return what a process that checks asks: the server, or what was read of a folder."""
    if kept is None:
        return SearchServer().connect()
    from citespan.pipelines.folder.client import FolderClient
    from citespan.pipelines.folder.kept import KeptArticles

    return FolderClient(KeptArticles(kept))
