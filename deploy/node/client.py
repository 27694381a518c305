"""The Elasticsearch client that all of citespan uses."""

import os
import re
import ssl
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from elastic_transport import ConnectionError as TransportConnectionError
from elastic_transport import ConnectionTimeout, TlsError, TransportError
from elasticsearch import (
    ApiError,
    AuthenticationException,
    AuthorizationException,
    BadRequestError,
    Elasticsearch,
    UnsupportedProductError,
)

from citespan.deploy.node import state as state_file
from citespan.deploy.node.fast_json import FastJson
from citespan.deploy.node.paths import folders
from citespan.deploy.node.state import NodeState
from citespan.pipelines.errors import ElasticsearchUnreachableError, InputError

MAJOR_VERSION = "9"
_REQUEST_SECONDS = 120
_PING_SECONDS = 15
_CONNECTION = re.compile(r"^.*HTTPS?Connection(Pool)?\([^)]*\): |^.*>: ")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def connect() -> Elasticsearch:
    """A client of the server in use: CITESPAN_ES_URL, else what `citespan node up` started.

    The server has answered once when this returns.

    Raises:
        ElasticsearchUnreachableError: if there is none, it doesn't answer, it refuses the
            credentials, or it isn't a version 9.
        InputError: if CITESPAN_ES_URL or CITESPAN_ES_CA is malformed.
    """
    client, _ = reach(in_use())
    return client


def in_use() -> NodeState:
    """The server that commands talk to, whether it answers or not.

    Raises:
        ElasticsearchUnreachableError: if none is named or was started.
        InputError: if CITESPAN_ES_URL is malformed.
    """
    state = from_environment() or state_file.read(folders().state)
    if state is None:
        raise ElasticsearchUnreachableError(
            "no Elasticsearch server is known: start one with `citespan node up`, or set "
            "CITESPAN_ES_URL to the address of yours"
        )
    return state


def from_environment() -> NodeState | None:
    """The server that CITESPAN_ES_URL names, or None.

    Raises:
        InputError: if that is no http or https address.
    """
    url = os.environ.get("CITESPAN_ES_URL")
    if not url:
        return None
    parts = urlsplit(url)
    try:
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise InputError(
            "CITESPAN_ES_URL is no address of the form http://host:port or https://host:port"
        )
    api_key = os.environ.get("CITESPAN_ES_API_KEY", "")
    return NodeState("url", without_credentials(url), api_key=api_key)


def without_credentials(url: str) -> str:
    """The address fit for showing."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def client_of(state: NodeState) -> Elasticsearch:
    """A client of that server, which needn't be there.

    Raises:
        InputError: if CITESPAN_ES_URL is malformed, or the file that CITESPAN_ES_CA names can't be
            read as certificates.
    """
    address = os.environ["CITESPAN_ES_URL"] if state.source == "url" else state.url
    parts = urlsplit(address)
    options: dict[str, Any] = {}
    if state.api_key:
        options["api_key"] = state.api_key
    certificates = os.environ.get("CITESPAN_ES_CA")
    if certificates and parts.scheme == "https":
        try:
            options["ssl_context"] = ssl.create_default_context(cafile=certificates)
        except OSError as error:
            raise InputError(
                f"CITESPAN_ES_CA names {certificates}, which can't be read as a certificate in "
                f"PEM form: {error.strerror or error}"
            ) from error
    if parts.port is None:
        port = 443 if parts.scheme == "https" else 80
        parts = parts._replace(netloc=f"{parts.netloc}:{port}")
    try:
        return Elasticsearch(
            urlunsplit(parts),
            request_timeout=_REQUEST_SECONDS,
            retry_on_timeout=True,
            serializer=FastJson(),
            http_compress=parts.hostname not in _LOOPBACK,
            **options,
        )
    except ValueError as error:
        raise InputError(f"{state.url} can't be used as CITESPAN_ES_URL: {error}") from error


def reach(state: NodeState) -> tuple[Elasticsearch, dict[str, Any]]:
    """A client of that server and what the server says of itself, once it has answered.

    Raises:
        ElasticsearchUnreachableError: if it doesn't, or isn't a version 9.
        InputError: as `client_of`.
    """
    client = client_of(state)
    try:
        info = client.options(request_timeout=_PING_SECONDS, max_retries=0).info().body
    except (ApiError, TransportError, UnsupportedProductError) as error:
        client.close()
        raise ElasticsearchUnreachableError(_trouble(state, error)) from error
    number = str(info["version"]["number"])
    if number.partition(".")[0] != MAJOR_VERSION:
        client.close()
        raise ElasticsearchUnreachableError(
            f"{state.url} is Elasticsearch {number}; citespan needs version {MAJOR_VERSION}"
        )
    return client, info


def _trouble(state: NodeState, error: Exception) -> str:
    """One line on what is wrong and what to do."""
    url = state.url
    match error:
        case AuthenticationException():
            return (
                f"{url} refuses the credentials; set CITESPAN_ES_API_KEY to the encoded form of "
                "a valid API key"
            )
        case AuthorizationException():
            return f"{url} accepts the API key but not this: give it the cluster privilege monitor"
        case BadRequestError() | UnsupportedProductError():
            return (
                f"{url} doesn't speak like Elasticsearch {MAJOR_VERSION}, which citespan needs: "
                "is it an older version or another product?"
            )
        case TlsError():
            return (
                f"{url} gives no certificate to trust ({_one_line(error)}); set CITESPAN_ES_CA to "
                "the certificate of the authority that signed it, or say http:// if it is without"
            )
        case ConnectionTimeout():
            return f"{url} doesn't answer within {_PING_SECONDS} s; {_remedy(state)}"
        case TransportConnectionError():
            return f"{url} can't be reached ({_one_line(error)}); {_remedy(state)}"
        case _:
            return f"{url} answers with an error ({_one_line(error)}); {_remedy(state)}"


def _remedy(state: NodeState) -> str:
    if state.source == "url":
        return "check CITESPAN_ES_URL and that the server runs"
    return "see `citespan node logs`, and start it again with `citespan node up`"


def _one_line(error: Exception) -> str:
    """The innermost cause in few words; the client's own text repeats it at each layer."""
    causes = getattr(error, "errors", ())
    innermost = causes[-1] if causes else error
    words = " ".join(str(getattr(innermost, "message", innermost)).split())
    return _CONNECTION.sub("", words) or type(error).__name__
