"""Starting the server of the pages, and stopping it."""

import errno
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp

from citespan.pipelines.errors import InputError
from citespan.serve.access import (
    TOKEN,
    Access,
    Person,
    list_hosts,
    read_people,
    read_public_url,
    require_strong,
)
from citespan.serve.app import make_app
from citespan.serve.connections import Connections, is_loopback
from citespan.serve.problems import LOG
from citespan.serve.site import Service, Site

_LONGEST_HEAD = 65_536  # bytes of a request's first lines: a long citing sentence fits
_BACKLOG = 512
_TRUSTED_PROXIES = ["127.0.0.1", "::1"]


@dataclass(frozen=True, slots=True)
class Listening:
    """A socket that listens, and what answers there.

    Attributes:
        warning: what is not as it should be, for the log; "" for nothing.
    """

    service: Service
    socket: socket.socket
    app: ASGIApp
    url: str
    warning: str = ""


@contextmanager
def listen(service: Service, make: Callable[[Site], ASGIApp] = make_app) -> Iterator[Listening]:
    """Listen at an address of this machine.

    Args:
        make: what makes the application; by default, that of the pages and the API.

    Raises:
        InputError: if the address can't be listened at, or others can reach it and there is no
            token.
    """
    access = _make_access(service)
    host = service.host
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host.strip("[]"), service.port))
            listener.listen(_BACKLOG)
        except OSError as error:
            other = "port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else "host"
            raise InputError(
                f"can't listen at {host}, port {service.port} ({error.strerror or error}); choose "
                f"another with `{other}`"
            ) from error
        shown = f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{listener.getsockname()[1]}/"
        signal.signal(signal.SIGTERM, _end)  # uvicorn sends it to itself again once it has ended
        with Site(service, access) as site:
            yield Listening(service, listener, make(site), url, site.checks.warning)


def run(listening: Listening) -> None:
    """Answer requests until Ctrl-C or SIGTERM."""
    if listening.warning:
        LOG.warning("%s", listening.warning)
    has_proxy = bool(listening.service.public_url)
    open_ones = Connections(listening.service.connections, has_proxy=has_proxy)
    config = uvicorn.Config(
        listening.app,
        http=cast(Any, open_ones.make),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,  # the guard has its own, without what is asked
        server_header=False,
        proxy_headers=has_proxy,
        forwarded_allow_ips=_TRUSTED_PROXIES,
        h11_max_incomplete_event_size=_LONGEST_HEAD,
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run([listening.socket])


def _end(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _make_access(service: Service) -> Access:
    token = os.environ.get(TOKEN, "").strip()
    if token:
        require_strong(token)
    people = [Person("", token)] if token else []
    people += read_people(service.tokens) if service.tokens is not None else ()
    public = read_public_url(service.public_url) if service.public_url else None
    is_open = not is_loopback(service.host)
    if not people and (is_open or public is not None):
        reached = service.host if is_open else service.public_url
        raise InputError(
            f"others can reach {reached}: set {TOKEN} to a token that they have to know, made with "
            "`openssl rand -hex 16`, or name a file of tokens, or leave the option out"
        )
    return Access(() if is_open else list_hosts(service.host), tuple(people), public)
