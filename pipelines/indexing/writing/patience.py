"""Trying again what a busy, restarting or unreachable server has not done: the one policy of a
load, in place of the client's own."""

import random
import time
from collections.abc import Callable
from threading import Event
from typing import TypeVar

from elastic_transport import TlsError
from elasticsearch import ApiError, Elasticsearch, TransportError, UnsupportedProductError

from citespan.pipelines.errors import ElasticsearchUnreachableError
from citespan.pipelines.server_reason import server_reason

DEFAULT_SECONDS = 300.0
PASSING_STATUS = frozenset((408, 429, 502, 503, 504))
_DISK_FULL = (
    *("flood-stage", "read-only / allow delete", "read-only-allow-delete"),
    "No space left on device",
)

T = TypeVar("T")


class ServerFullError(ElasticsearchUnreachableError):
    """The server has stopped writing for want of disk space."""


class UnsettledError(TransportError):
    """An answer that doesn't say what has become of a request, which is to be sent again."""


class Patience:
    """How long requests are repeated: until so many seconds have passed in which none succeeded.

    Waits grow exponentially and are drawn at random up to their bound, so that the writers of
    several loads don't come back all at once.

    Args:
        seconds: without any success, after which it is over.
        first: seconds that the first wait may take at most.
        longest: the same of any wait.
    """

    def __init__(
        self, seconds: float = DEFAULT_SECONDS, first: float = 0.2, longest: float = 20.0
    ) -> None:
        self.seconds = seconds
        self._first = first
        self._longest = longest
        self._generator = random.Random()  # noqa: S311  no secret
        self._last_success = 0.0
        self._over = Event()

    def succeeded(self) -> None:
        """Note that the server has answered."""
        self._last_success = time.monotonic()

    def give_up(self) -> None:
        """Let no one wait any longer."""
        self._over.set()

    def wait(self, attempt: int, since: float, error: Exception) -> None:
        """Wait before a request is sent again.

        Args:
            attempt: how many times in a row it has failed, from 1.
            since: when it was first sent, by `time.monotonic`.

        Raises:
            ElasticsearchUnreachableError: where there has been no success for too long.
            Exception: `error` itself, where it is not one that passes.
        """
        if not passes(error):
            raise error
        without_success = time.monotonic() - max(since, self._last_success)
        if without_success > self.seconds:
            raise ElasticsearchUnreachableError(
                f"Elasticsearch has taken nothing for {without_success:.0f} s ({told(error)}); "
                "see that it runs and repeat the command: it goes on where it stopped"
            ) from error
        bound = min(self._longest, self._first * 2 ** min(attempt - 1, 30))
        if self._over.wait(self._generator.uniform(0, bound)):
            raise error

    def call(self, send: Callable[[], T]) -> T:
        """Send a request that may be sent twice, until the server has answered it.

        Raises:
            ServerFullError: where the server's disk is full.
            ElasticsearchUnreachableError: as `wait`.
            ApiError: where the server refuses the request for good.
        """
        attempt = 0
        since = time.monotonic()
        while True:
            try:
                answer = send()
            except (TransportError, ApiError) as error:
                attempt += 1
                self.wait(attempt, since, error)
            else:
                self.succeeded()
                return answer


def without_retries(client: Elasticsearch) -> Elasticsearch:
    """The client, repeating nothing by itself."""
    return client.options(
        max_retries=0,
        retry_on_timeout=False,
        retry_on_status=(),
    )


def passes(error: Exception) -> bool:
    """Whether the same request may be answered later.

    Raises:
        ServerFullError: where the server's disk is full, which waiting doesn't mend.
    """
    if isinstance(error, UnsupportedProductError):
        return True  # an answer that broke off, or one of something between here and the server
    if isinstance(error, ApiError):
        refuse_if_full(server_reason(error))
        return error.meta.status in PASSING_STATUS
    return isinstance(error, TransportError) and not isinstance(error, TlsError)


def refuse_if_full(reason: str) -> None:
    """Raise for what the server says while it writes nothing for want of disk space.

    Raises:
        ServerFullError: always then.
    """
    if any(said in reason for said in _DISK_FULL):
        raise ServerFullError(
            f"Elasticsearch writes no more, since its disk is full or nearly so ({reason}); make "
            "room or add a data node, and repeat the command: it goes on where it stopped"
        )


def told(error: Exception) -> str:
    """An error in few words."""
    return server_reason(error) if isinstance(error, ApiError) else type(error).__name__
