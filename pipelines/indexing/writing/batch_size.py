"""How many bytes a bulk request has: as many as the server takes well."""

from threading import Lock

LEAST = 64 * 1024
MOST = 10 * 2**20
_START = 4 * 2**20
_GROWTH = 1.1


class BatchSize:
    """Halved when the server is overtaxed, grown slowly with each request that it takes."""

    def __init__(self, start: int = _START) -> None:
        self._bytes = float(start)
        self._lock = Lock()

    @property
    def bytes(self) -> int:
        """The size for the next request, from 64 KB to 10 MB."""
        return int(self._bytes)

    def grow(self) -> None:
        """The server took a request."""
        with self._lock:
            self._bytes = min(float(MOST), self._bytes * _GROWTH)

    def shrink(self) -> None:
        """The server had too much of it."""
        with self._lock:
            self._bytes = max(float(LEAST), self._bytes / 2)
