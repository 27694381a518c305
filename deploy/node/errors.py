"""Why a node can't run; each message ends with the remedy."""

from collections.abc import Sequence
from pathlib import Path

from citespan.pipelines.errors import ElasticsearchUnreachableError, InputError

_ELSE = "install Docker, or point CITESPAN_ES_URL at a running server"


class NodeError(ElasticsearchUnreachableError):
    """No server could be started."""


class JdkMissingError(NodeError):
    """No Java that Elasticsearch runs on."""

    def __init__(self, rejected: Sequence[str]) -> None:
        looked = "; ".join(rejected) if rejected else "there is no Java at all"
        super().__init__(
            f"no JDK 21 or newer found ({looked}): install a full JDK, such as Temurin from "
            f"https://adoptium.net, set ES_JAVA_HOME to one, {_ELSE}"
        )


class MavenMissingError(NodeError):
    """No `mvn` to assemble a node with."""

    def __init__(self) -> None:
        super().__init__(
            "Maven isn't installed, and a node can't be assembled without it: install it "
            "(apt-get install maven, brew install maven), set ES_HOME to an unpacked "
            f"Elasticsearch distribution, {_ELSE}"
        )


class MavenFailedError(NodeError):
    """Maven could not fetch an artifact."""

    def __init__(self, artifact: str, reason: str) -> None:
        super().__init__(
            f"Maven could not fetch {artifact}: {reason}; check the network, and mirrors and "
            "proxies in Maven's settings.xml, set ES_HOME to an unpacked Elasticsearch "
            f"distribution, {_ELSE}"
        )


class ArchiveError(NodeError):
    """An archive with a wrong checksum, or one that would write outside its folder."""


class DiskSpaceError(NodeError):
    """Too little room on a disk."""

    def __init__(self, folder: Path, free: int, needed: int, purpose: str) -> None:
        super().__init__(
            f"too little disk space at {folder}: {purpose} needs {needed / 1e9:.1f} GB and "
            f"{free / 1e9:.1f} GB are free; make room, or set CITESPAN_HOME to a folder on a "
            "larger disk"
        )


class PortTakenError(InputError):
    """Another program listens on the port."""

    def __init__(self, port: int) -> None:
        super().__init__(
            f"port {port} of 127.0.0.1 is in use; choose another with `port` (0 picks a free "
            "one), or if Elasticsearch listens there use it with "
            f"CITESPAN_ES_URL=http://127.0.0.1:{port}"
        )


class ClosedFolderError(NodeError):
    """A folder that the account of the server can't enter."""

    def __init__(self, folder: Path, account: str, inside: Path) -> None:
        super().__init__(
            f"the server runs as '{account}', who can't enter {folder} and so can't reach "
            f"{inside}; open it with chmod o+x, or move citespan's own folders with "
            "CITESPAN_HOME (a JDK with ES_JAVA_HOME, a distribution with ES_HOME)"
        )


class NodeCrashedError(NodeError):
    """The server ended, or never came up.

    Attributes:
        last_lines: the last error lines of its log, oldest first, to be shown with the message.
    """

    def __init__(self, fault: str, log: Path, last_lines: Sequence[str]) -> None:
        super().__init__(
            f"{fault}; its log {log} says why: correct that, and run `citespan node up` again"
        )
        self.last_lines = tuple(last_lines)


class ComposeError(NodeError):
    """Docker Compose could not bring the server up or down."""
