"""The log of the server: a JSON object a line, for each request and for what goes wrong.

What people ask is theirs: of an address, only the path is logged, without the id of a check.
"""

import logging
import os
import re
import sys
import traceback
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import Any, Final, Literal

import orjson
from starlette.types import Scope

from citespan.pipelines.errors import InputError

Level = Literal["debug", "info", "warning", "error"]
_REQUESTS = logging.getLogger("citespan.serve.requests")
_KEY = re.compile(r"(?<=/check/)[^/]+")
_LONGEST_PATH = 200
_REFUSED: Final = frozenset((401, 403, 408, 413, 421, 429))


def start_logging(file: Path | None, level: Level, *, debug: bool) -> None:
    """Log to a file, or to standard error.

    Args:
        file: is appended to; when it is renamed, a new one begins.
        level: what is less important is not logged.
        debug: whether errors have their tracebacks.

    Raises:
        InputError: if the file can't be written to.
    """
    handler: logging.Handler
    if file is None:
        handler = logging.StreamHandler(sys.stderr)
    else:
        try:
            os.close(os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
            handler = WatchedFileHandler(file, encoding="utf-8")
        except OSError as error:
            raise InputError(f"`log={file}`: can't be written to: {error.strerror}") from error
    handler.setFormatter(_JsonLines(debug))
    for name in ("citespan", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level.upper() if name == "citespan" else logging.WARNING)


def log_request(scope: Scope, status: int, size: int, seconds: float) -> None:
    """Log a request that was answered."""
    if status >= 500:
        level = logging.ERROR
    elif status in _REFUSED:
        level = logging.WARNING
    else:
        level = logging.DEBUG if scope["path"].startswith("/assets/") else logging.INFO
    if _REQUESTS.isEnabledFor(level):
        said = {
            "address": (scope.get("client") or ("",))[0],
            "method": scope["method"],
            "path": _KEY.sub("…", scope["path"])[:_LONGEST_PATH],
            "status": status,
            "bytes": size,
            "seconds": round(seconds, 4),
        }
        _REQUESTS.log(level, "request", extra={"said": said})


def describe_record(record: logging.LogRecord) -> str:
    """Return what a record says in a line: with the error and its place, without a traceback."""
    message = " ".join(record.getMessage().split())
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return message
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{message}: {type(error).__name__}: {' '.join(str(error).split())}{place}"


class _JsonLines(logging.Formatter):
    """Makes a line of each record."""

    def __init__(self, debug: bool) -> None:
        super().__init__()
        self._debug = debug

    def format(self, record: logging.LogRecord) -> str:
        """Return a JSON object."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {"time": time, "level": record.levelname.lower()}
        if said := getattr(record, "said", None):
            line |= said
        else:
            line["message"] = describe_record(record)
        if self._debug and record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return orjson.dumps(line).decode()
