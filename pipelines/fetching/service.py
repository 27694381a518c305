"""Asking a service on the Web: within its limits, patiently, and without trust in its answers.

A request is repeated where the service is busy or what it answers is damaged, after the time that
it names, else after growing ones. An answer is bounded in size and in time from the first byte to
the last, its redirects lead nowhere but to the same host, and proxies are the environment's.
"""

import email.utils
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from socket import SHUT_RDWR
from typing import Any, TypeVar, cast
from urllib.parse import SplitResult, urlencode, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import orjson
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt
from urllib3 import (
    BaseHTTPResponse,
    HTTPConnectionPool,
    HTTPSConnectionPool,
    PoolManager,
    ProxyManager,
    Timeout,
)
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from citespan.pipelines.errors import CitespanError, InputError, OutsideError

T = TypeVar("T")
ATTEMPTS = 6
_LONGEST_WAIT = 300.0  # seconds; whoever is to wait longer had better repeat the command
_FIRST_WAIT, _MOST_WAIT = 0.5, 60.0
_CONNECT_SECONDS = 10.0
_SECOND = 1.0
_MOST_REDIRECTS = 3
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_BUSY = frozenset((408, 425, 429, 500, 502, 503, 504))
_MISSING = frozenset((404, 410))
_CHUNK = 2**16
_FAILURES = 3
_SHOWN = 80


class ServiceError(CitespanError):
    """A request that a service does not answer as it should; others may succeed.

    Attributes:
        status: of its answer; None if there was none that can be used.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status

    @property
    def is_about_the_request(self) -> bool:
        """Whether the request is at fault, and a smaller one may be answered."""
        return self.status in (400, 413, 414)


class ServiceAwayError(OutsideError):
    """A service that answers nothing any more."""


class BadAnswerError(Exception):
    """What a service has answered can't be what it meant to: it is asked again."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


def read_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object that an answer is.

    Raises:
        BadAnswerError: if it is something else.
    """
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadAnswerError("what is no JSON") from error
    if not isinstance(answer, dict):
        raise BadAnswerError("JSON of another form")
    return answer


class Pace:
    """Lets a service receive at most so many requests in any second. Services of one provider share
    a pace.

    A request begins a second after the answer to the one that came so many before it, since nobody
    but the service knows when it got that one. The first begins a second from now: what a process
    that was killed has asked may be new.

    Args:
        per_second: requests.
    """

    def __init__(self, per_second: int) -> None:
        self._ended = deque([time.monotonic()] * per_second, maxlen=per_second)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until a request may begin; what is done in this context is the request."""
        time.sleep(max(0.0, self._ended[0] + _SECOND - time.monotonic()))
        try:
            yield
        finally:
            self._ended.append(time.monotonic())


@dataclass
class Service:
    """A service, by its address.

    Attributes:
        name: for messages.
        address: of what it offers; paths are below it.
        pace: of its requests.
        parameters: that every request has. They are in no message, since a key is among them.
        agent: how the requests name who asks.
        seconds: that one answer may take.
        warn: called with a line where a request has to wait long.

    Raises:
        InputError: for an address that is none.
    """

    name: str
    address: str
    pace: Pace
    agent: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 60.0
    warn: Callable[[str], None] = lambda _: None

    def __post_init__(self) -> None:
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"{self.address}: no address of a service; it begins with https://")
        self._pool = _open_pool(parts, self.seconds)
        self._failures = 0

    def ask(
        self,
        path: str,
        parameters: Mapping[str, str],
        read: Callable[[bytes], T],
        most_bytes: int,
        post: bool = False,
    ) -> T | None:
        """Return what a path answers; None if there is nothing there.

        Args:
            read: makes something of the answer's body; raises `BadAnswerError` if it is damaged.
            most_bytes: of the body, unpacked.
            post: whether the parameters are sent in the body, as where there are many.

        Raises:
            ServiceError: if it is not answered, or refused.
            ServiceAwayError: if that happens to request after request.
        """

        def attempt() -> T | None:
            body = self._request(path, parameters, most_bytes, post)
            return None if body is None else read(body)

        retrying = Retrying(
            stop=stop_after_attempt(ATTEMPTS),
            wait=self._choose_wait,
            retry=retry_if_exception_type((BadAnswerError, HTTPError, OSError)),
            reraise=True,
        )
        try:
            answer = retrying(attempt)
        except (BadAnswerError, HTTPError, OSError) as error:
            failure = ServiceError(f"{self.name} fails: {_explain(error)}")
        except ServiceError as error:
            if error.is_about_the_request:
                raise
            failure = error
        else:
            self._failures = 0
            return answer
        self._failures += 1
        if self._failures >= _FAILURES:
            raise ServiceAwayError(
                f"{failure}; so it was with the requests before; repeat the command later: what is "
                "fetched stays"
            ) from failure
        raise failure

    def _choose_wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome is not None else None
        named = error.wait if isinstance(error, BadAnswerError) else None
        if named is not None:
            if named > _LONGEST_WAIT:
                raise ServiceAwayError(
                    f"{self.name} asks to wait for {named:,.0f} s; repeat the command then: what "
                    "is fetched stays"
                )
            if named > _MOST_WAIT:
                self.warn(f"{self.name} asks to wait for {named:,.0f} s")
            return named
        most = min(_MOST_WAIT, _FIRST_WAIT * 2**state.attempt_number)
        return random.uniform(most / 2, most)  # noqa: S311  no secret

    def _request(
        self, path: str, parameters: Mapping[str, str], most_bytes: int, post: bool
    ) -> bytes | None:
        own = urlsplit(self.address)
        encoded = urlencode({**self.parameters, **parameters})
        target = f"{self.address.rstrip('/')}/{path}" if path else self.address
        body = encoded if post else None
        url = target if post or not encoded else f"{target}?{encoded}"
        for _ in range(_MOST_REDIRECTS + 1):
            with self.pace.turn():
                response, answer = self._exchange(url, body, most_bytes)
            if response.status not in _REDIRECTS:
                return answer
            url = urljoin(url, response.headers.get("location", ""))
            there = urlsplit(url)
            if (there.scheme, there.hostname, there.port) != (own.scheme, own.hostname, own.port):
                raise ServiceError(
                    f"{self.name} redirects to {str(there.hostname)[:_SHOWN]}, which is not "
                    "followed; name its new address if it has moved"
                )
        raise ServiceError(f"{self.name} redirects again and again")

    def _exchange(
        self, url: str, body: str | None, most_bytes: int
    ) -> tuple[BaseHTTPResponse, bytes | None]:
        deadline = time.monotonic() + self.seconds
        headers = {"User-Agent": self.agent, "Accept-Encoding": "gzip"}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        response = self._pool.urlopen(
            "GET" if body is None else "POST",
            url,
            body=body,
            headers=headers,
            retries=False,
            redirect=False,
            preload_content=False,
            decode_content=True,
        )
        whole = False
        try:
            redirects = response.status in _REDIRECTS
            answer = None if redirects else self._read(response, deadline, most_bytes)
            whole = answer is not None
        finally:
            if not whole:
                response.close()  # what is left of it is not wanted
            response.release_conn()
        return response, answer

    def _read(self, response: BaseHTTPResponse, deadline: float, most: int) -> bytes | None:
        status = response.status
        if status in _MISSING:
            return None
        if status in _BUSY:
            raise BadAnswerError(f"status {status}", _read_wait(response))
        parts, size = [], 0
        while chunk := response.read1(_CHUNK):
            parts.append(chunk)
            size += len(chunk)
            if size > most:
                raise ServiceError(f"{self.name} answers more than {most >> 20} MB")
            if time.monotonic() > deadline:
                raise BadAnswerError(f"an answer takes longer than {self.seconds:g} s")
        body = b"".join(parts)
        if status != 200:
            said = " ".join(body[:2000].decode("utf-8", "replace").split())[:_SHOWN]
            raise ServiceError(f"{self.name} refuses a request (status {status}): {said}", status)
        if not body.strip():
            raise BadAnswerError("an empty answer")
        if body.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html")):
            raise BadAnswerError("a page in place of data")
        return body


def _read_wait(response: BaseHTTPResponse) -> float | None:
    """Return the seconds that an answer says to wait, by a number or a date."""
    written = response.headers.get("retry-after", "").strip()
    if written.isascii() and written.isdigit():
        return float(written[:9])
    with suppress(ValueError, TypeError):
        return max(0.0, email.utils.parsedate_to_datetime(written).timestamp() - time.time())
    return None


def _explain(error: Exception) -> str:
    if isinstance(error, BadAnswerError):
        return str(error)
    shown = type(error).__name__.removesuffix("Error")
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in shown)
    return words.strip() or "no answer"


class _Impatient:
    """Ends a connection whose answer has not begun in time, however slowly it drips: the time-out
    of a socket begins anew with every byte."""

    sock: Any
    timeout: Any

    def getresponse(self) -> Any:
        timer = threading.Timer(float(self.timeout), self._cut)
        timer.daemon = True
        timer.start()
        try:
            return super().getresponse()  # type: ignore[misc]
        finally:
            timer.cancel()

    def _cut(self) -> None:
        with suppress(OSError, AttributeError):
            self.sock.shutdown(SHUT_RDWR)


class _HttpConnection(_Impatient, HTTPConnection):
    """Without encryption, as for a mirror of one's own."""


class _HttpsConnection(_Impatient, HTTPSConnection):
    """With encryption."""


class _HttpPool(HTTPConnectionPool):
    ConnectionCls = cast(Any, _HttpConnection)


class _HttpsPool(HTTPSConnectionPool):
    ConnectionCls = cast(Any, _HttpsConnection)


def _open_pool(address: SplitResult, seconds: float) -> PoolManager:
    timeout = Timeout(connect=min(_CONNECT_SECONDS, seconds), read=seconds)
    proxy = getproxies().get(address.scheme)
    pool: PoolManager
    if proxy and not proxy_bypass(address.hostname or ""):
        pool = ProxyManager(proxy, timeout=timeout, maxsize=1)
    else:
        pool = PoolManager(timeout=timeout, maxsize=1)
    pool.pool_classes_by_scheme = {"http": _HttpPool, "https": _HttpsPool}
    return pool
