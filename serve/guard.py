"""What every request passes: whose it is, how large and how frequent it may be, and what browsers
may do with the answer."""

import asyncio
import hmac
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citespan.serve.problems import Problem

LARGEST_BODY = 20_000_000
"""Bytes of a request; of manuscripts, with all their files."""
BODY_SECONDS = 60
RATE = 50
"""Requests a second from one address, over some time; files of the page itself do not count."""
BURST = 500
COOKIE = "citespan"
LOGIN = "/login"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}
_TOO_LARGE = (
    f"more than {LARGEST_BODY // 1_000_000} MB can't be sent; use `citespan check` for larger files"
)
_OPEN = "/assets/"
_MOST_ADDRESSES = 1000


@dataclass(frozen=True, slots=True)
class Access:
    """Who may ask.

    Attributes:
        hosts: the names by which browsers may ask for pages; none named for any. It keeps other
            sites from having their own names resolved to this machine.
        token: what whoever asks has to know; "" for nothing.
    """

    hosts: tuple[str, ...]
    token: str = ""

    @property
    def key(self) -> str:
        """What the cookie of a browser has that knows the token."""
        return hmac.new(self.token.encode(), b"citespan serve", sha256).hexdigest()

    def knows(self, said: str) -> bool:
        """Whether that is the token."""
        return hmac.compare_digest(said.encode(), self.token.encode())

    def admits(self, headers: Headers) -> bool:
        """Whether a request shows that it knows the token, if there is one."""
        if not self.token:
            return True
        scheme, _, said = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.knows(said.strip()):
            return True
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and hmac.compare_digest(cookie.value.encode(), self.key.encode())


class Guard:
    """An application behind these checks."""

    def __init__(self, app: ASGIApp, access: Access, rates: "Rates | None" = None) -> None:
        self._app = app
        self._access = access
        self._rates = rates or Rates()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        add_headers = _HeaderSender(send)
        refusal = self._refuse(scope)
        if refusal is not None:
            await refusal(scope, receive, add_headers)
            return
        await self._app(scope, _BoundedBody(receive), add_headers)

    def _refuse(self, scope: Scope) -> Response | None:
        headers, path = Headers(scope=scope), scope["path"]
        if self._access.hosts and _host(headers.get("host", "")) not in self._access.hosts:
            return _say(scope, 421, "ask for this page by the address that it was started with")
        if path.startswith(_OPEN):
            return None
        if scope["method"] not in ("GET", "HEAD") and not _is_same_site(headers):
            return _say(scope, 403, "another site may not send anything to this one")
        address = (scope.get("client") or ("",))[0]
        if not self._rates.take(address):
            refusal = _say(scope, 429, f"more than {RATE} requests a second; ask again later")
            refusal.headers["retry-after"] = "1"
            return refusal
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > LARGEST_BODY:
            return _say(scope, 413, _TOO_LARGE)
        if path != LOGIN and not self._access.admits(headers):
            if path.startswith("/api/"):
                refusal = _say(scope, 401, "send the token as `Authorization: Bearer TOKEN`")
                refusal.headers["www-authenticate"] = "Bearer"
                return refusal
            query = scope["query_string"].decode("latin-1")
            wanted = quote(path + (f"?{query}" if query else ""), safe="")
            return RedirectResponse(f"{LOGIN}?to={wanted}", 303)
        return None


class Rates:
    """How many requests each address may still send, which grows with time."""

    def __init__(self, rate: float = RATE, burst: float = BURST) -> None:
        self._rate, self._burst = rate, burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, now: float | None = None) -> bool:
        """Count a request; False if it is one too many."""
        now = time.monotonic() if now is None else now
        left, before = self._left.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - before) * self._rate)
        allowed = left >= 1
        self._left[address] = (left - allowed, now)
        if len(self._left) > _MOST_ADDRESSES:
            self._left.popitem(last=False)
        return allowed


class _HeaderSender:
    """Sends an answer with the headers that all answers have, unless it has its own."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)


class _BoundedBody:
    """Receives a body of a bounded size in a bounded time."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._size = 0
        self._ends = time.monotonic() + BODY_SECONDS
        self._is_whole = False

    async def __call__(self) -> Message:
        """Return the next part.

        Raises:
            HTTPException: if it is too large, or too slow.
        """
        if self._is_whole:
            return await self._receive()
        try:
            left = max(0.0, self._ends - time.monotonic())
            message = await asyncio.wait_for(self._receive(), left)
        except TimeoutError as error:
            raise HTTPException(408, f"not sent within {BODY_SECONDS} s; send it again") from error
        self._size += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        if self._size > LARGEST_BODY:
            raise HTTPException(413, _TOO_LARGE)
        return message


def _host(header: str) -> str:
    """Return the name of a host, without its port."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _is_same_site(headers: Headers) -> bool:
    """Whether a request comes from a page of this site, or from no page at all."""
    origin = headers.get("origin")
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return False
    return origin is None or urlsplit(origin).netloc == headers.get("host", "")


def _say(scope: Scope, status: int, message: str) -> Response:
    if scope["path"].startswith("/api/"):
        return JSONResponse(Problem(status, message).to_json(), status)
    return PlainTextResponse(f"citespan: {message}\n", status)


def list_hosts(host: str) -> Iterable[str]:
    """Return the names by which a browser on this machine asks for what listens on loopback."""
    return dict.fromkeys((host.strip("[]").lower(), "localhost", "127.0.0.1", "::1"))
