"""What connecting to any server takes: its address, an API key, and why it failed in few words."""

import os
import re
from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit, urlunsplit

from citespan.pipelines.errors import InputError

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


def split_addresses(urls: str, name: str) -> list[SplitResult]:
    """Return the parts of each address in a list with commas: those of the nodes of one cluster.

    Raises:
        InputError: as `split_address`.
    """
    return [split_address(url.strip(), name) for url in urls.split(",")]


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
