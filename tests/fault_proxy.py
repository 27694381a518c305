"""A small HTTP proxy in front of a real node, which does to requests what networks and busy
servers do: by a schedule, so that a test can be repeated."""

import json
import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum, auto
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Lock, Thread
from urllib.parse import urlsplit


class Fault(Enum):
    """What is done to a request."""

    NONE = auto()
    BUSY = auto()  # 429, not forwarded
    BAD_GATEWAY = auto()  # 502, forwarded
    UNAVAILABLE = auto()  # 503, not forwarded
    RESET_BEFORE = auto()  # the connection is reset, not forwarded
    RESET_AFTER = auto()  # the same once the server has done it
    STALLED = auto()  # done, but no answer comes
    TRUNCATED = auto()  # done, and half of the answer comes
    TWICE = auto()  # sent to the server twice
    DISK = auto()  # done, but every other item of a bulk request is told as failed on the disk
    OUTAGE = auto()  # this and the next requests are reset


_OUTAGE_REQUESTS = 5
STALLED_SECONDS = 3.0
_STATUS = {Fault.BUSY: 429, Fault.BAD_GATEWAY: 502, Fault.UNAVAILABLE: 503}

Schedule = Callable[[int], Fault]


def scheduled(seed: int, part: float, stalls: bool = False) -> Schedule:
    """So large a part of the requests has a fault, of any kind.

    Args:
        stalls: whether some are stalled, which is slow.
    """
    generator = random.Random(seed)
    lock = Lock()
    kinds = [fault for fault in Fault if fault not in (Fault.NONE, Fault.STALLED)] * 2
    kinds += [Fault.STALLED] if stalls else []

    def fault(_: int) -> Fault:
        with lock:
            return generator.choice(kinds) if generator.random() < part else Fault.NONE

    return fault


@contextmanager
def proxy(url: str, schedule: Schedule) -> Iterator[str]:
    """The address of a proxy of the server at `url`.

    Args:
        schedule: what to do to the n-th request, from 0; it is called from many threads.
    """
    server = _Server(url, schedule)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, url: str, schedule: Schedule) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream = urlsplit(url)
        self._schedule = schedule
        self._numbers = count()
        self._away = 0

    def fault(self) -> Fault:
        """What is to be done to the request that has just come."""
        if self._away > 0:
            self._away -= 1
            return Fault.RESET_BEFORE
        fault = self._schedule(next(self._numbers))
        if fault is Fault.OUTAGE:
            self._away = _OUTAGE_REQUESTS
            return Fault.RESET_BEFORE
        return fault

    def handle_error(self, *_: object) -> None:
        """A client that has gone is none."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        assert isinstance(self.server, _Server)
        self._upstream = HTTPConnection(
            self.server.upstream.hostname or "", self.server.upstream.port
        )

    def finish(self) -> None:
        self._upstream.close()
        with suppress(OSError):
            super().finish()

    def _do(self) -> None:
        assert isinstance(self.server, _Server)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.server.fault()
        if fault in (Fault.BUSY, Fault.UNAVAILABLE):
            self._answer(_STATUS[fault], b'{"error":{"type":"made_up","reason":"made up"}}')
            return
        if fault is Fault.RESET_BEFORE:
            self._reset()
            return
        status, answer, headers = self._forward(body)
        if fault is Fault.TWICE:
            status, answer, headers = self._forward(body)
        if fault is Fault.BAD_GATEWAY:
            self._answer(_STATUS[fault], b"<html>bad gateway</html>", {"Content-Type": "text/html"})
        elif fault is Fault.RESET_AFTER:
            self._reset()
        elif fault is Fault.STALLED:
            time.sleep(STALLED_SECONDS)
            self._reset()
        elif fault is Fault.TRUNCATED:
            self._answer(status, answer, headers, sent=len(answer) // 2)
            self.close_connection = True
        elif fault is Fault.DISK:
            self._answer(status, _failed_on_disk(answer), headers)
        else:
            self._answer(status, answer, headers)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _do  # noqa: N815

    def _forward(self, body: bytes) -> tuple[int, bytes, dict[str, str]]:
        headers = {name: value for name, value in self.headers.items() if name != "Host"}
        self._upstream.request(self.command, self.path, body or None, headers)
        response = self._upstream.getresponse()
        answer = response.read()
        kept = ("Content-Type", "X-Elastic-Product")
        found = {name: value for name in kept if (value := response.getheader(name))}
        return response.status, answer, found

    def _answer(
        self,
        status: int,
        body: bytes,
        headers: dict[str, str] | None = None,
        sent: int | None = None,
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {"Content-Type": "application/json"}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[:sent])

    def _reset(self) -> None:
        """Close the connection so that the client sees it reset."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Nothing."""


def _failed_on_disk(answer: bytes) -> bytes:
    """The answer to a bulk request with every other item failed; any other answer as it is."""
    try:
        told = json.loads(answer)
        items = told["items"]
    except (ValueError, KeyError, TypeError):
        return answer
    error = {"type": "i_o_exception", "reason": "made up"}
    for item in items[::2]:
        for action in item:
            item[action] = {"status": 500, "error": error}
    return json.dumps({**told, "errors": True}).encode()
