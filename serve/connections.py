"""Connections: no address has many, and a silent one is not waited for long."""

import asyncio
import ipaddress
from collections import defaultdict
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10
"""How long the first lines of a request may take, from the connection or the last answer."""
REQUEST_SECONDS = 180
"""How long the rest may take: the body, the answer, and its way to the client."""
OF_ONE_ADDRESS = 20
_MOST = 300
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\nretry-after: 1\r\n"
    b"connection: close\r\n\r\ncitespan: too many connections at once; ask again later\n"
)
_IPV6_NETWORK = 64


class Connections:
    """The connections that are open.

    Where there is no room for another, that which has been silent for the longest time is closed,
    so whoever asks at once gets an answer, however many connections others keep.

    Args:
        of_one: how many an address may have.
        has_proxy: whether connections from this machine are those of a proxy for many clients.
    """

    def __init__(self, of_one: int, *, has_proxy: bool) -> None:
        self._of_one = of_one
        self._has_proxy = has_proxy
        self._open: dict[str, dict[_Connection, None]] = defaultdict(dict)
        self._all: dict[_Connection, None] = {}

    def make(self, **settings: Any) -> asyncio.Protocol:
        """Return a connection, as uvicorn wants one."""
        return _Connection(self, **settings)

    def has_room_for(self, connection: "_Connection") -> bool:
        """Count a connection, if there is room or a silent one can be closed for it."""
        of_address = self._open[connection.address]
        is_bounded = not (self._has_proxy and is_loopback(connection.address))
        if is_bounded and len(of_address) >= self._of_one and not _close_silent(of_address):
            return False
        if len(self._all) >= _MOST and not _close_silent(self._all):
            return False
        of_address[connection] = self._all[connection] = None
        return True

    def remove(self, connection: "_Connection") -> None:
        """Count a connection no longer."""
        self._all.pop(connection, None)
        self._open[connection.address].pop(connection, None)
        if not self._open[connection.address]:
            del self._open[connection.address]


def _close_silent(some: dict["_Connection", None]) -> bool:
    """Close the connection that has been silent for the longest time; False if none is."""
    silent = [connection for connection in some if connection.is_silent]
    if silent:
        min(silent, key=lambda connection: connection.since).abandon()
    return bool(silent)


class _Connection(H11Protocol):
    """A connection with a deadline for each request's head, and one for all the rest."""

    def __init__(self, connections: Connections, **settings: Any) -> None:
        super().__init__(**settings)
        self._connections = connections
        self._deadline: asyncio.TimerHandle | None = None
        self.is_silent = True
        self.since = 0.0
        self.address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request, if there is room for the connection."""
        super().connection_made(transport)
        self.address = _find_network(self.client[0] if self.client else "")
        if self._connections.has_room_for(self):
            self._wait()
        else:
            transport.write(_REFUSAL)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._connections.remove(self)
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Take what was received; its deadline is another once the head is there."""
        super().handle_events()
        if self.is_silent != (self.conn.their_state is h11.IDLE):
            self._wait()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._wait()

    def abandon(self) -> None:
        """Close the connection, whatever it waits for."""
        self._connections.remove(self)
        self.transport.abort()

    def _wait(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self.is_silent = self.conn.their_state is h11.IDLE
        self.since = self.loop.time()
        seconds = HEAD_SECONDS if self.is_silent else REQUEST_SECONDS
        if not self.transport.is_closing():
            self._deadline = self.loop.call_later(seconds, self.abandon)


def _find_network(address: str) -> str:
    """Return an address, or the network of an IPv6 address, all of which one client may have."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    if parsed.is_loopback:
        return str(parsed)
    return str(ipaddress.ip_network((int(parsed), _IPV6_NETWORK), strict=False))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address or a name."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
