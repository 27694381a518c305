"""A small HTTP proxy in front of a real node, which does to requests what networks and busy
servers do: by a schedule, so that a test can be repeated. It logs in at the node by itself."""

import base64
import json
import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Event, Lock, Thread
from urllib.parse import SplitResult, urlsplit


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
    SHARDS = auto()  # half of the documents that are looked up can't be read


_OUTAGE_REQUESTS = 5
STALLED_SECONDS = 3.0
LONGEST_WAIT = 120.0  # seconds
_STATUS = {Fault.BUSY: 429, Fault.BAD_GATEWAY: 502, Fault.UNAVAILABLE: 503}

Schedule = Callable[[int], Fault]


@dataclass(frozen=True)
class Delay:
    """A request reaches the server seconds later.

    Attributes:
        is_copy: whether it reaches the server at once as well, and this is answered.
        client_waits: whether the client gets the late answer; else its connection is reset at
            once. Of no meaning for a copy.
        ended: ends the delay earlier.
    """

    seconds: float
    is_copy: bool = False
    client_waits: bool = True
    ended: Event = field(default_factory=Event)


@dataclass(frozen=True)
class Request:
    """A request that has come to the proxy."""

    method: str
    path: str
    body: bytes
    headers: dict[str, str]

    @property
    def actions(self) -> list[str]:
        """The actions of a bulk request, such as "create"; none of any other."""
        if not self.path.partition("?")[0].endswith("/_bulk"):
            return []
        actions, lines = [], iter(self.body.splitlines())
        for line in lines:
            [action] = json.loads(line)
            actions.append(action)
            if action != "delete":
                next(lines)
        return actions


Page = tuple[int, bytes, dict[str, str]]
"""What is answered in place of the server: a status, a body and headers."""
Choice = Callable[[Request], Fault | Delay | Page | None]


def record(chosen: Callable[[Request], bool]) -> tuple[list[Request], Choice]:
    """Return a list, and a choice that adds the chosen requests to it and leaves them alone."""
    recorded: list[Request] = []

    def choose(request: Request) -> None:
        if chosen(request):
            recorded.append(request)

    return recorded, choose


def hold_entries() -> tuple[Choice, Event, Event]:
    """Return a choice that keeps entries of the catalogue from being written, the event that some
    are kept, and the one that lets them go."""
    kept, released = Event(), Event()

    def hold(request: Request) -> None:
        if "/citespan-articles" in request.path and request.actions:
            kept.set()
            released.wait(LONGEST_WAIT)

    return hold, kept, released


def resend(url: str, request: Request) -> bytes:
    """Send a recorded request to the server once more, and return its answer."""
    upstream = urlsplit(url)
    connection = HTTPConnection(upstream.hostname or "", upstream.port)
    try:
        return _forward_by(connection, upstream, request)[1]
    finally:
        connection.close()


def no_fault(_: int) -> Fault:
    """Leave every request alone."""
    return Fault.NONE


def once(choose: Choice) -> Choice:
    """Return a choice that does something to the first request that is chosen only."""
    lock, done = Lock(), False

    def first(request: Request) -> Fault | Delay | Page | None:
        nonlocal done
        with lock:
            found = None if done else choose(request)
            done = done or found is not None
            return found

    return first


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
def proxy(
    url: str, schedule: Schedule = no_fault, choose: Choice = lambda _: None
) -> Iterator[str]:
    """The address of a proxy of the server at `url`. At the end, all delayed requests have come.

    Args:
        schedule: what to do to the n-th request, from 0; it is called from many threads.
        choose: what to do to a request by what it asks for; None for what the schedule says.
    """
    server = _Server(url, schedule, choose)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        for late in server.late:
            late.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, url: str, schedule: Schedule, choose: Choice) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream = urlsplit(url)
        self.late: list[Thread] = []
        self._schedule = schedule
        self._choose = choose
        self._numbers = count()
        self._away = 0

    def fault(self, request: Request) -> Fault | Delay | Page:
        """What is to be done to the request that has just come."""
        if self._away > 0:
            self._away -= 1
            return Fault.RESET_BEFORE
        chosen = self._choose(request)
        if chosen is not None:
            return chosen
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
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) < length:  # the client has been killed; the server would wait for the rest
            self._reset()
            return
        request = Request(self.command, self.path, body, dict(self.headers))
        fault = self.server.fault(request)
        if isinstance(fault, Delay):
            self._delay(fault, request)
        elif isinstance(fault, tuple):
            self._answer(*fault)
        elif fault in (Fault.BUSY, Fault.UNAVAILABLE):
            self._answer(_STATUS[fault], b'{"error":{"type":"made_up","reason":"made up"}}')
        elif fault is Fault.RESET_BEFORE:
            self._reset()
        else:
            if fault is Fault.TWICE:
                self._forward(request)
            self._answer_faultily(fault, *self._forward(request))

    def _answer_faultily(
        self, fault: Fault, status: int, answer: bytes, headers: dict[str, str]
    ) -> None:
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
        elif fault is Fault.SHARDS:
            self._answer(status, _failed_shards(answer), headers)
        else:
            self._answer(status, answer, headers)

    def _delay(self, delay: Delay, request: Request) -> None:
        if delay.client_waits and not delay.is_copy:
            delay.ended.wait(delay.seconds)
            self._answer(*self._forward(request))
            return
        assert isinstance(self.server, _Server)
        late = Thread(target=self._forward_late, args=(request, delay))
        self.server.late.append(late)
        late.start()
        if delay.is_copy:
            self._answer(*self._forward(request))
        else:
            self._reset()

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _do  # noqa: N815

    def _forward(self, request: Request) -> tuple[int, bytes, dict[str, str]]:
        assert isinstance(self.server, _Server)
        return _forward_by(self._upstream, self.server.upstream, request)

    def _forward_late(self, request: Request, delay: Delay) -> None:
        """Forward a request later, by a connection of its own."""
        assert isinstance(self.server, _Server)
        delay.ended.wait(delay.seconds)
        host, port = self.server.upstream.hostname or "", self.server.upstream.port
        with suppress(OSError):
            _forward_by(HTTPConnection(host, port), self.server.upstream, request)

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


def _forward_by(
    connection: HTTPConnection, url: SplitResult, request: Request
) -> tuple[int, bytes, dict[str, str]]:
    headers = {name: value for name, value in request.headers.items() if name != "Host"}
    if url.password:
        login = base64.b64encode(f"{url.username}:{url.password}".encode()).decode()
        headers.setdefault("Authorization", f"Basic {login}")
    connection.request(request.method, request.path, request.body or None, headers)
    response = connection.getresponse()
    answer = response.read()
    kept = ("Content-Type", "X-Elastic-Product")
    found = {name: value for name in kept if (value := response.getheader(name))}
    return response.status, answer, found


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


def _failed_shards(answer: bytes) -> bytes:
    """The answer to a look-up of documents with every other one failed; any other answer as it
    is."""
    try:
        told = json.loads(answer)
        answers = told["docs"]
    except (ValueError, KeyError, TypeError):
        return answer
    error = {"type": "no_shard_available_action_exception", "reason": "made up"}
    for at in range(0, len(answers), 2):
        place = {k: v for k, v in answers[at].items() if k in ("_index", "_id")}
        answers[at] = place | {"error": error}
    return json.dumps(told).encode()
