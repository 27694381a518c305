"""The Elasticsearch client that all of citespan uses, and which server it talks to."""

import logging
import os
import re
import ssl
import warnings
from collections.abc import Iterable
from functools import cache
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

import orjson
from elastic_transport import (
    BinaryApiResponse,
    ConnectionTimeout,
    TextApiResponse,
    TlsError,
    TransportError,
)
from elastic_transport import ConnectionError as TransportConnectionError
from elasticsearch import (
    ApiError,
    AuthenticationException,
    AuthorizationException,
    BadRequestError,
    Elasticsearch,
    ElasticsearchWarning,
    JsonSerializer,
    UnsupportedProductError,
)

from citespan.deploy.node import state as state_file
from citespan.deploy.node.paths import folders
from citespan.deploy.node.state import USER, NodeState
from citespan.pipelines.errors import ElasticsearchUnreachableError, InputError

_API_KEY = re.compile(r"[!-~]*")
_CONNECTION = re.compile(r"^.*HTTPS?Connection(Pool)?\([^)]*\): |^.*>: ")


def read_api_key(variable: str) -> str:
    """Return the API key in an environment variable, without the white space around it; "" if
    there is none.

    Raises:
        InputError: if it contains anything that no encoded key has, such as a line break. The
            message names the variable only.
    """
    key = os.environ.get(variable, "").strip()
    if not _API_KEY.fullmatch(key):
        raise InputError(
            f"{variable} is no API key: it contains white space or a character that is not ASCII; "
            "set it to the encoded form of a key, in one line"
        )
    return key


def split_address(url: str, name: str) -> SplitResult:
    """Return the parts of the address of a server.

    Args:
        url: the address.
        name: of the variable or option that it comes from, for the message.

    Raises:
        InputError: if it isn't one of http or https.
    """
    try:
        parts = urlsplit(url)
        plain = url.isprintable() and " " not in url
        if plain and parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return parts
    except ValueError:
        pass  # brackets or a port that can't be
    raise InputError(f"{name} is no address of the form http://host:port or https://host:port")


def _split_addresses(urls: str) -> list[SplitResult]:
    """Return the parts of each address in a list with commas: those of the nodes of one cluster.

    Raises:
        InputError: as `split_address`.
    """
    return [split_address(url.strip(), "CITESPAN_ES_URL") for url in urls.split(",")]


def remove_credentials(addresses: Iterable[SplitResult]) -> str:
    """Return a list of addresses fit for showing."""
    shown = (parts._replace(netloc=parts.netloc.rpartition("@")[2]) for parts in addresses)
    return ",".join(map(urlunsplit, shown))


def shorten_reason(error: Exception) -> str:
    """Return the innermost cause in few words; HTTP clients repeat it at each layer."""
    causes = getattr(error, "errors", ())
    innermost = causes[-1] if causes else getattr(error, "reason", None) or error
    words = " ".join(str(getattr(innermost, "message", innermost)).split())
    return _CONNECTION.sub("", words) or type(error).__name__


MAJOR_VERSION = "9"
_REQUEST_SECONDS = 120
_PING_SECONDS = 15
_RETRIES = 3
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_LOG = logging.getLogger("citespan")


class FastJson(JsonSerializer):
    """The client's serializer, but reading with orjson: answers of searches are long lists of
    numbers."""

    def loads(self, data: bytes) -> Any:
        """Return the value; what orjson refuses, as half a surrogate pair, the client reads."""
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError:
            return super().loads(data)


class CheckedClient(Elasticsearch):
    """Elasticsearch's client, which takes nothing else for an answer of the server."""

    def perform_request(self, *arguments: Any, **options: Any) -> Any:
        """Send a request, and return the answer.

        Raises:
            TransportError: if it is a text, such as a page of a proxy.
        """
        answer = super().perform_request(*arguments, **options)
        if isinstance(answer, TextApiResponse | BinaryApiResponse):
            raise TransportError("the answer is none of Elasticsearch's, perhaps a proxy's page")
        return answer


def connect() -> Elasticsearch:
    """Return a client of the server in use: that at CITESPAN_ES_URL, else the one that
    `citespan node up` started.

    The server has answered once when this returns.

    Raises:
        ElasticsearchUnreachableError: if there is none, it doesn't answer, it refuses the
            credentials, or it isn't a version 9.
        InputError: if CITESPAN_ES_URL, CITESPAN_ES_API_KEY or CITESPAN_ES_CA is malformed.
    """
    client, _ = reach(find_server())
    return client


def find_server() -> NodeState:
    """Return the server that commands talk to, whether it answers or not.

    Raises:
        ElasticsearchUnreachableError: if none is named or was started.
        InputError: if CITESPAN_ES_URL or CITESPAN_ES_API_KEY is malformed.
    """
    state = read_environment() or state_file.read(folders().state)
    if state is None:
        raise ElasticsearchUnreachableError(
            "no Elasticsearch server is known: start one with `citespan node up`, or set "
            "CITESPAN_ES_URL to the address of yours; to check or search a folder of articles "
            "without a server, name it by `articles`"
        )
    return state


def read_environment() -> NodeState | None:
    """Return the server that CITESPAN_ES_URL names, or None.

    Raises:
        InputError: if that is no http or https address, nor several with commas between them, or
            CITESPAN_ES_API_KEY is no API key.
    """
    if not _url():
        return None
    shown = remove_credentials(_split_addresses(_url()))
    return NodeState("url", shown, api_key=read_api_key("CITESPAN_ES_API_KEY"))


def _url() -> str:
    return os.environ.get("CITESPAN_ES_URL", "").strip()


def client_of(state: NodeState) -> Elasticsearch:
    """Return a client of that server, which need not answer.

    If it has several addresses, those of a cluster's nodes, the client leaves out the ones that
    don't answer, and tries them again from time to time.

    Raises:
        InputError: if CITESPAN_ES_URL is malformed, or the file that CITESPAN_ES_CA names can't be
            read as certificates.
    """
    named = _url() if state.source == "url" else state.addresses
    addresses = _split_addresses(named)
    options: dict[str, Any] = {}
    for parts in addresses:
        is_plain = parts.scheme == "http" and parts.hostname not in _LOOPBACK
        if is_plain and (state.api_key or parts.password):
            _warn_of_plain_text(remove_credentials([parts]))
    if state.api_key:
        options["api_key"] = state.api_key
    elif state.password:
        options["basic_auth"] = (USER, state.password)
    certificates = os.environ.get("CITESPAN_ES_CA")
    if certificates and any(parts.scheme == "https" for parts in addresses):
        try:
            options["ssl_context"] = ssl.create_default_context(cafile=certificates)
        except OSError as error:
            raise InputError(
                f"CITESPAN_ES_CA names {certificates}, which can't be read as a certificate in "
                f"PEM form: {error.strerror or error}"
            ) from error
    # the server warns, of system indices for example, those who develop clients
    warnings.simplefilter("ignore", ElasticsearchWarning)
    try:
        return CheckedClient(
            [_add_port(parts) for parts in addresses],
            request_timeout=_REQUEST_SECONDS,
            retry_on_timeout=True,
            max_retries=max(_RETRIES, len(addresses)),
            serializer=FastJson(),
            http_compress=any(parts.hostname not in _LOOPBACK for parts in addresses),
            **options,
        )
    except ValueError as error:
        raise InputError(f"{state.addresses} can't be used as CITESPAN_ES_URL: {error}") from error


@cache
def _warn_of_plain_text(url: str) -> None:
    """Warn once in a process."""
    _LOG.warning(
        "citespan: the credentials for %s are sent in plain text; whoever is on the way can read "
        "them: write https:// if the server has a certificate",
        url,
    )


def _add_port(parts: SplitResult) -> str:
    if parts.port is None:
        port = 443 if parts.scheme == "https" else 80
        parts = parts._replace(netloc=f"{parts.netloc}:{port}")
    return urlunsplit(parts)


def reach(state: NodeState) -> tuple[Elasticsearch, dict[str, Any]]:
    """Return a client of that server and what the server says of itself, once it has answered.

    Raises:
        ElasticsearchUnreachableError: if it doesn't, or isn't a version 9.
        InputError: as `client_of`.
    """
    client = client_of(state)
    others = state.addresses.count(",")
    try:
        info = client.options(request_timeout=_PING_SECONDS, max_retries=others).info().body
        number = str(info["version"]["number"])
    except (ApiError, TransportError, UnsupportedProductError) as error:
        client.close()
        raise ElasticsearchUnreachableError(_explain(state, error)) from error
    except (KeyError, TypeError) as error:
        client.close()
        raise ElasticsearchUnreachableError(_explain_foreign(state)) from error
    if number.partition(".")[0] != MAJOR_VERSION:
        client.close()
        raise ElasticsearchUnreachableError(
            f"{state.addresses} is Elasticsearch {number}; citespan needs version {MAJOR_VERSION}"
        )
    return client, info


def _explain(state: NodeState, error: Exception) -> str:
    """Return one line on what is wrong and what to do."""
    url = state.addresses
    match error:
        case AuthenticationException():
            return (
                f"{url} refuses the credentials; set CITESPAN_ES_API_KEY to the encoded form of "
                "a valid API key"
            )
        case AuthorizationException():
            return f"{url} accepts the API key but not this: give it the cluster privilege monitor"
        case BadRequestError() | UnsupportedProductError():
            return _explain_foreign(state)
        case TlsError():
            return (
                f"{url} gives no certificate to trust ({shorten_reason(error)}); set "
                "CITESPAN_ES_CA to the certificate of the authority that signed it, or write "
                "http:// if the server has none"
            )
        case ConnectionTimeout():
            return f"{url} doesn't answer within {_PING_SECONDS} s; {_remedy(state)}"
        case TransportConnectionError():
            return f"{url} can't be reached ({shorten_reason(error)}); {_remedy(state)}"
        case _:
            return f"{url} answers with an error ({shorten_reason(error)}); {_remedy(state)}"


def _explain_foreign(state: NodeState) -> str:
    return (
        f"{state.addresses} doesn't speak like Elasticsearch {MAJOR_VERSION}, which citespan "
        "needs: is it an older version, another product or a proxy?"
    )


def _remedy(state: NodeState) -> str:
    if state.source == "url":
        return "check CITESPAN_ES_URL and that the server runs"
    return "see `citespan node logs`, and start it again with `citespan node up`"
