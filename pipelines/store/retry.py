"""When a load repeats requests that a busy, restarting or unreachable server has not answered.

This policy takes the place of the client's own, which gives up after a number of attempts.
"""

import time
from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING, TypeVar

from elastic_transport import TlsError
from elasticsearch import ApiError, TransportError, UnsupportedProductError

from citespan.pipelines.errors import ElasticsearchUnreachableError
from citespan.pipelines.server_reason import UNAVAILABLE, ShardMissingError, is_page, server_reason
from citespan.pipelines.store.layout import shared_layout

if TYPE_CHECKING:  # tenacity imports asyncio and tornado, for what only loads do
    from tenacity import RetryCallState

DEFAULT_SECONDS = 300.0
TEMPORARY_STATUS = UNAVAILABLE | {408}
_DISK_FULL = (
    *("flood-stage", "read-only / allow delete", "read-only-allow-delete"),
    *("No space left on device", "disk watermark"),
)
_BLOCKED = ("blocked by: [FORBIDDEN/",)
_NO_SHARDS = ("maximum normal shards open", "maximum shards open")

MALFORMED = (LookupError, TypeError, ValueError, AttributeError)
"""What reading an answer raises that something between here and the server has made or mixed up."""

T = TypeVar("T")


class ServerFullError(ElasticsearchUnreachableError):
    """The server has stopped writing, whatever is to be written: for want of disk space or of
    shards, or since somebody has blocked an index."""


class UnsettledError(TransportError):
    """An answer that does not say whether a request was carried out: it must be sent again."""


class RetryPolicy:
    """Repeats requests until no request of the load has succeeded for a number of seconds.

    Waits grow exponentially and are drawn at random up to their bound, so that the writers of
    several loads do not return all at once.

    Args:
        seconds: without any success, after which a request is given up.
        first: upper bound of the first wait, in seconds.
        longest: upper bound of any wait, in seconds.
    """

    def __init__(
        self, seconds: float = DEFAULT_SECONDS, first: float = 0.2, longest: float = 20.0
    ) -> None:
        from tenacity import Retrying, retry_if_exception, wait_random_exponential

        self.seconds = seconds
        self._last_success = 0.0
        self._stopped = Event()
        self._retrying = Retrying(
            retry=retry_if_exception(is_temporary),
            wait=wait_random_exponential(multiplier=first, max=longest),
            stop=lambda state: self._without_success(state) > self.seconds,
            sleep=self._wait,
            retry_error_callback=self._give_up,
        )

    def record_success(self) -> None:
        """Note that the server has carried out a request."""
        self._last_success = time.monotonic()

    def stop(self) -> None:
        """End all waits at once, and let every request that fails from now on end its call."""
        self._stopped.set()

    def call(self, send: Callable[[], T]) -> T:
        """Send a request, repeatedly if need be, and return the server's answer.

        Args:
            send: sends a request that may be carried out twice.

        Raises:
            ServerFullError: if the server writes nothing any more.
            ElasticsearchUnreachableError: if no request has succeeded for too long.
            ApiError: if the server refuses the request.
        """
        answer = self._retrying(send)
        self.record_success()
        return answer

    def _wait(self, seconds: float) -> None:
        self._stopped.wait(seconds)

    def _without_success(self, state: "RetryCallState") -> float:
        if self._stopped.is_set():
            return float("inf")
        return time.monotonic() - max(state.start_time, self._last_success)

    def _give_up(self, state: "RetryCallState") -> None:
        assert state.outcome is not None
        error = state.outcome.exception()
        assert error is not None
        if self._stopped.is_set():
            raise error
        raise ElasticsearchUnreachableError(
            f"Elasticsearch accepted no request for {self._without_success(state):.0f} s "
            f"({_describe(error)}); check that it runs and repeat the command: it resumes where "
            "it stopped"
        ) from error


def is_temporary(error: BaseException) -> bool:
    """Whether the same request may succeed later.

    Raises:
        ServerFullError: if the server writes nothing any more, which waiting does not mend.
    """
    if isinstance(error, UnsupportedProductError):
        return True  # an answer that broke off, or one of something between here and the server
    if isinstance(error, ApiError):
        raise_if_server_full(server_reason(error))
        return error.meta.status in TEMPORARY_STATUS or is_page(error)
    if isinstance(error, (ShardMissingError, *MALFORMED)):
        return True
    return isinstance(error, TransportError) and not isinstance(error, TlsError)


def raise_if_server_full(reason: str) -> None:
    """Raise for what the server answers while it writes nothing, whatever it is.

    Raises:
        ServerFullError: in that case, with the remedy.
    """
    if any(phrase in reason for phrase in _DISK_FULL):
        problem, remedy = "its disk is full or nearly so", "make room or add a data node"
    elif any(phrase in reason for phrase in _NO_SHARDS):
        problem = "it has as many shards as it may have"
        layout = shared_layout().name
        remedy = f"add a data node, raise cluster.max_shards_per_node, or use the layout {layout}"
    elif any(phrase in reason for phrase in _BLOCKED):
        problem = "an index is blocked"
        remedy = "lift the block, which `citespan doctor` names"
    else:
        return
    raise ServerFullError(
        f"Elasticsearch has stopped writing, since {problem} ({reason}); {remedy}, and repeat the "
        "command: it resumes where it stopped"
    )


def _describe(error: BaseException) -> str:
    if isinstance(error, ApiError):
        return server_reason(error)
    if isinstance(error, MALFORMED):
        return f"an answer that is none of Elasticsearch's: {type(error).__name__}"
    own = isinstance(error, ShardMissingError | UnsettledError)
    return str(error) if own else type(error).__name__
