"""TCP ports of the loopback address."""

import socket

from citespan.deploy.node.errors import PortTakenError
from citespan.pipelines.errors import InputError

LOOPBACK = "127.0.0.1"
_HIGHEST = 65535


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def usable_port(port: int) -> int:
    """The port itself if it is free, or a free one for 0.

    Raises:
        InputError: if it is no port, or one that this user may not listen on.
        PortTakenError: if another program listens on it.
    """
    if not 0 <= port <= _HIGHEST:
        raise InputError(f"{port} is no port: --port takes 1 to {_HIGHEST}, or 0 for a free one")
    if port == 0:
        return free_port()
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except PermissionError as error:
            raise InputError(
                f"this user may not listen on port {port}; choose one above 1023 with --port"
            ) from error
        except OSError as error:
            raise PortTakenError(port) from error
    return port
