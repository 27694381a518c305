"""Limits of a process that reads what strangers have written: time, memory, and its parent's life.

The system enforces them, so that they also end what never returns to Python, such as the matching
of a pattern.
"""

import os
import resource
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

from citespan.pipelines.errors import InputError

DEFAULT_SECONDS = 120.0
DEFAULT_MEGABYTES = 900
_LEAST_MEGABYTES = 200  # a process that has read nothing yet has about half of this
_MEGABYTE = 10**6
_WITHOUT_MEMORY = 112
_LONGER, _MORE, _ENDS = "took longer than", "needed more than", "ended its process"
_SET_SIGNAL_AT_PARENTS_DEATH = 1  # PR_SET_PDEATHSIG of prctl(2)


def count_processors() -> int:
    """Return how many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Limits:
    """What one piece of work may take in a process of its own.

    Attributes:
        seconds: on the clock.
        megabytes: of memory that the whole process may have written to; files that it maps are
            not counted. Only Linux enforces them.

    Raises:
        InputError: for limits within which nothing can be read.
    """

    seconds: float = DEFAULT_SECONDS
    megabytes: int = DEFAULT_MEGABYTES

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise InputError(f"{self.seconds:g} s for a unit is not possible; use more than 0")
        if self.megabytes < _LEAST_MEGABYTES:
            raise InputError(
                f"{self.megabytes} MB for a unit are too few; use {_LEAST_MEGABYTES} or more"
            )

    def enforce(self) -> None:
        """Bound the memory of this process, and let it end with its parent. Its time is bounded
        by `start_clock`."""
        end_with_parent()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = self.megabytes * _MEGABYTE
        if most == resource.RLIM_INFINITY or wanted < most:
            with suppress(OSError, ValueError):  # not every system has it
                resource.setrlimit(resource.RLIMIT_DATA, (wanted, most))

    def start_clock(self) -> None:
        """Let the process end unless this is called again, or `stop_clock`, within the time."""
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def explain(self, status: int | None) -> str:
        """Return why a process has ended with this status, as `describe` takes it."""
        if status == -signal.SIGALRM:
            return f"{_LONGER} {self.seconds:g} s"
        if status == _WITHOUT_MEMORY:
            return f"{_MORE} {self.megabytes:,} MB of memory"
        return f"{_ENDS} ({describe(status)}); is there too little memory for it?"


def describe(status: int | None) -> str:
    """Return what a process has ended with, as `Popen` gives it; None if it has not ended."""
    if status is None:
        return "it is still there"
    return f"signal {-status}" if status < 0 else f"exit status {status}"


def has_ended_process(reason: str) -> bool:
    """Return whether a reason is one that `Limits.explain` returns."""
    return reason.startswith((_LONGER, _MORE, _ENDS))


def stop_clock() -> None:
    """Let the process take as long as it likes, as where it waits for others."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def end_without_memory() -> NoReturn:
    """End this process, which has met its limit of memory, with all that it holds."""
    os._exit(_WITHOUT_MEMORY)


def end_with_parent() -> None:
    """Let the system kill this process when the thread that has started it ends."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_SET_SIGNAL_AT_PARENTS_DEATH, signal.SIGKILL)
