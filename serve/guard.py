"""What every request passes: whose it is, how large and how frequent it may be, and what browsers
may do with the answer."""

import asyncio
import re
import time
from collections import OrderedDict
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citespan.serve.access import Access, Right
from citespan.serve.log import log_request
from citespan.serve.problems import Problem

LARGEST_BODY = 20_000_000
"""Bytes of a request; of manuscripts, with all their files."""
BODY_SECONDS = 60
RATE = 50
"""Requests a second from one address, over some time; files of the page itself do not count."""
BURST = 500
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
ASSETS = "/assets/"
PROGRAMS = ("/api/", "/mcp")
"""Where programs ask, which are told in JSON what is wrong."""
PERSON = "citespan.person"
"""Where a scope has who asks."""
_DECISIONS = re.compile(r"(?:/api)?/check/[^/]+/(?:name|decisions(?:/file)?)")
_OWN_SITES = ("same-origin", "none")
_GUESS_COST = 25  # of the rate: two guesses of the token a second
_MOST_ADDRESSES = 1000


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
        answer = _Answer(send)
        refusal = self._refuse(scope)
        try:
            if refusal is not None:
                await refusal(scope, receive, answer)
            else:
                await self._app(scope, _BoundedBody(receive), answer)
        finally:
            log_request(scope, answer.status, answer.size, answer.seconds)

    def _refuse(self, scope: Scope) -> Response | None:
        headers, path = Headers(scope=scope), scope["path"]
        if not self._access.knows_host(headers.get("host", "")):
            return _say(scope, 421, "ask for this page by the address that it was started with")
        if path.startswith(ASSETS):
            return None
        is_reading = scope["method"] in ("GET", "HEAD")
        if not (_is_navigation(headers) if is_reading else self._is_own(headers)):
            return _say(scope, 403, "a page of another site may not ask this one")
        address = (scope.get("client") or ("",))[0]
        is_guess = path == LOGIN and not is_reading
        if not self._rates.take(address, cost=_GUESS_COST if is_guess else 1):
            refusal = _say(scope, 429, f"more than {RATE} requests a second; ask again later")
            refusal.headers["retry-after"] = "1"
            return refusal
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > LARGEST_BODY:
            return _say(scope, 413, _TOO_LARGE)
        person = self._access.admit(headers)
        if path != LOGIN and person is None:
            if path.startswith(PROGRAMS):
                refusal = _say(scope, 401, "send the token as `Authorization: Bearer TOKEN`")
                refusal.headers["www-authenticate"] = "Bearer"
                return refusal
            query = scope["query_string"].decode("latin-1")
            wanted = quote(path + (f"?{query}" if query else ""), safe="")
            return RedirectResponse(f"{LOGIN}?to={wanted}", 303)
        if person is not None:
            needed = "read" if is_reading else _find_right(path)
            if needed != "read" and needed not in person.may:
                return _say(scope, 403, explain_lacking(needed))
            scope[PERSON] = person
        return None

    def _is_own(self, headers: Headers) -> bool:
        """Whether a request comes from a page of this site, or from no page at all."""
        if headers.get("sec-fetch-site", "none") not in _OWN_SITES:
            return False
        origin = headers.get("origin")
        return origin is None or self._access.is_own_origin(origin, headers.get("host", ""))


class Rates:
    """How many requests each address may still send, which grows with time."""

    def __init__(self, rate: float = RATE, burst: float = BURST) -> None:
        self._rate, self._burst = rate, burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, now: float | None = None, cost: float = 1) -> bool:
        """Count a request as so many; False if it is one too many."""
        now = time.monotonic() if now is None else now
        left, before = self._left.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - before) * self._rate)
        allowed = left >= cost
        self._left[address] = (left - cost * allowed, now)
        if len(self._left) > _MOST_ADDRESSES:
            self._left.popitem(last=False)
        return allowed


class _Answer:
    """Sends an answer with the headers that all answers have, unless it has its own, and counts
    what it sends."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._began = time.monotonic()
        self.status = 500
        self.size = 0

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self._began

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        self.size += len(message.get("body", b""))
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


def _find_right(path: str) -> Right:
    """Return what somebody has to be allowed for what changes something at an address; the tools
    of agents are told who asks, and look at that themselves."""
    if not path.removeprefix("/api").startswith("/check"):
        return "read"
    return "decide" if _DECISIONS.fullmatch(path) else "check"


def explain_lacking(right: Right) -> str:
    """Return what is said to somebody who may not do something."""
    return f"your token may not {right}; ask for one that may"


def _is_navigation(headers: Headers) -> bool:
    """Whether a page is asked for by this site, by no page, or by somebody who follows a link:
    other sites may not load pages in the background."""
    if headers.get("sec-fetch-site", "none") in _OWN_SITES:
        return True
    asked = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest", "document")
    return asked == ("navigate", "document")


def _say(scope: Scope, status: int, message: str) -> Response:
    if scope["path"].startswith(PROGRAMS):
        return JSONResponse(Problem(status, message).to_json(), status)
    return PlainTextResponse(f"citespan: {message}\n", status)
