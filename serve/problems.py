"""What is wrong, for people: an HTTP status and one line, without a path of this machine."""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from fastapi import status
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from citespan.pipelines.errors import (
    ArticleGoneError,
    CitespanError,
    ElasticsearchUnreachableError,
    MachineError,
    OtherVersionError,
    UnknownNameError,
)
from citespan.pipelines.server_reason import explain_server_error
from citespan.pipelines.store.catalogue import UnknownArticleError

LOG = logging.getLogger("citespan.serve")


class BusyError(CitespanError):
    """More is asked at once than can be answered in time."""


class TooLateError(ElasticsearchUnreachableError):
    """An answer that has taken longer than answers may take."""


class MissingPageError(CitespanError):
    """An address that names nothing."""


class ErrorDetail(BaseModel):
    """What is wrong: the HTTP status, and one line."""

    status: int
    message: str


class ErrorAnswer(BaseModel):
    """What the API answers where something is wrong."""

    error: ErrorDetail


STATUSES: Final[Mapping[int, str]] = {
    400: "A parameter can't be used.",
    401: "The token is missing.",
    403: "The token may not do that, or a page of another site asks.",
    404: "There is no such article, check or address.",
    408: "The body was not sent in time.",
    413: "The body is too large.",
    421: "The server was started with another address.",
    422: "A parameter is missing, unknown or out of range.",
    429: "There are too many requests.",
    500: "citespan is at fault.",
    503: "Elasticsearch does not answer.",
}
"""What each status of an error means."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong.

    Attributes:
        passes: whether the same request may be answered later.
    """

    status: int
    message: str
    passes: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return an `ErrorAnswer`."""
        return {"error": {"status": self.status, "message": self.message}}


FAILURE = Problem(
    status.HTTP_500_INTERNAL_SERVER_ERROR, "citespan failed at this; its log says where"
)


_PARAMETER_PROBLEMS: Final[Mapping[str, str]] = {
    "missing": "is missing",
    "extra_forbidden": "is no parameter of this address",
    "string_too_long": "has more than {max_length:,} characters",
    "string_too_short": "is empty",
    "string_pattern_mismatch": "has characters that can't be in it",
    "greater_than_equal": "has to be {ge} or more",
    "less_than_equal": "has to be {le} or less",
    "int_parsing": "has to be a whole number",
    "bool_parsing": "has to be true or false",
    "too_long": "is there more than {max_length} times",
    "literal_error": "has to be {expected}",
}
_SEE_COMMAND = re.compile(r"; see `citespan [^`]{1,100}`")


def explain_parameters(
    error: RequestValidationError | ValidationError, labels: Mapping[str, str] | None = None
) -> str:
    """Return what is wrong with each parameter.

    Args:
        labels: what parameters are called on pages; None for their own names.
    """
    return "; ".join(_explain_parameter(dict(fault), labels or {}) for fault in error.errors())


def _explain_parameter(error: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    names = [name for name in error["loc"] if isinstance(name, str)]  # others are places in lists
    name = names[-1] if names else "the request"
    shown = name if name.isprintable() and len(name) < 50 else "a parameter"
    problem = _PARAMETER_PROBLEMS.get(error["type"], "can't be used")
    return f"{labels.get(name, shown)} {problem.format_map(error.get('ctx', {}))}"


def describe(error: Exception) -> Problem:
    """Return what is wrong; what is no fault of the request is logged."""
    known = error if isinstance(error, CitespanError) else explain_server_error(error)
    message = _SEE_COMMAND.sub("", " ".join(str(known).split()))  # who asks has no command line
    match known:
        case BusyError() | ElasticsearchUnreachableError() | OtherVersionError():
            return Problem(status.HTTP_503_SERVICE_UNAVAILABLE, message, passes=True)
        case MachineError():
            LOG.error("%s", known)
            return Problem(
                status.HTTP_503_SERVICE_UNAVAILABLE,
                "the machine that serves this page is short of something; its log says of what",
                passes=True,
            )
        case MissingPageError() | ArticleGoneError() | UnknownArticleError():
            return Problem(status.HTTP_404_NOT_FOUND, message)
        case UnknownNameError(kind="article"):
            return Problem(status.HTTP_404_NOT_FOUND, message)
        case CitespanError():
            return Problem(status.HTTP_400_BAD_REQUEST, message)
        case _:
            LOG.error("unexpected %s", type(error).__name__, exc_info=error)
            return FAILURE
