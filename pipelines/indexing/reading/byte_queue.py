"""A queue between two threads that holds so many bytes at most."""

from collections import deque
from threading import Condition


class ByteQueue:
    """First in, first out.

    Args:
        most: bytes; one item may be larger, alone.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._items: deque[bytes | None] = deque()
        self._bytes = 0
        self._changed = Condition()
        self._closed = False

    def put(self, item: bytes | None) -> None:
        """Add an item, once there is room; nothing where the queue is closed."""
        size = len(item) if item is not None else 0
        with self._changed:
            self._changed.wait_for(
                lambda: self._closed or not self._bytes or self._bytes + size <= self._most
            )
            if not self._closed:
                self._items.append(item)
                self._bytes += size
                self._changed.notify_all()

    def get(self) -> bytes | None:
        """Take the next item, once there is one."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._items))
            item = self._items.popleft()
            self._bytes -= len(item) if item is not None else 0
            self._changed.notify_all()
            return item

    def close(self) -> None:
        """Let no one wait for room any longer."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
