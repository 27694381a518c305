"""Starting the server of the pages, and stopping it."""

import ipaddress
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp

from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.options import Options
from citespan.serve.app import make_app
from citespan.serve.guard import Access, list_hosts

TOKEN = "CITESPAN_SERVE_TOKEN"  # noqa: S105  the name of a variable
_SHORTEST_TOKEN = 16
_MOST_CONNECTIONS = 300
_LONGEST_HEAD = 65_536  # bytes of a request's first lines: a long citing sentence fits
_BACKLOG = 128


@dataclass(frozen=True, slots=True)
class Listening:
    """A socket that listens, and what answers there."""

    socket: socket.socket
    app: ASGIApp
    url: str


@contextmanager
def listen(host: str, port: int, options: Options) -> Iterator[Listening]:
    """Listen at an address of this machine.

    Args:
        port: 0 for any that is free.
        options: of reformulations.

    Raises:
        InputError: if the address can't be listened at, or others can reach it and there is no
            token.
    """
    access = _make_access(host)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((host.strip("[]"), port))
            one.listen(_BACKLOG)
        except OSError as error:
            raise InputError(
                f"can't listen at {host}, port {port} ({error.strerror or error}); choose others "
                "with --host and --port"
            ) from error
        shown = f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{one.getsockname()[1]}/"
        yield Listening(one, make_app(access, options), url)


def run(listening: Listening) -> None:
    """Answer requests until Ctrl-C."""
    config = uvicorn.Config(
        listening.app,
        http="h11",
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,  # what is asked is nobody's business
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_MOST_CONNECTIONS,
        h11_max_incomplete_event_size=_LONGEST_HEAD,
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run([listening.socket])


def _make_access(host: str) -> Access:
    token = os.environ.get(TOKEN, "").strip()
    if token and (len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable()):
        raise InputError(
            f"{TOKEN} is too short or has other than ASCII characters: use {_SHORTEST_TOKEN} or "
            "more letters and digits, chosen at random"
        )
    if _is_loopback(host):
        return Access(tuple(list_hosts(host)), token)
    if not token:
        raise InputError(
            f"others can reach {host}: set {TOKEN} to a token of {_SHORTEST_TOKEN} or more "
            "characters that they have to know, or leave --host out"
        )
    return Access((), token)


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
