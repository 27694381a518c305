"""Limits that a process sets itself: its memory, its processor time, and its parent's life."""

import ctypes
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """Let the system kill this process as soon as its parent ends, however that ends.

    Only Linux can do that; elsewhere, nothing is done.

    Args:
        parent: the process id of the parent, which may have ended already.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def limit_memory(most: int) -> None:
    """Let this process have so many bytes of memory at most; a MemoryError is raised beyond.

    Libraries and files that are mapped do not count, unlike with RLIMIT_AS.
    """
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def limit_processor_time(seconds: int) -> None:
    """Let this process use so many seconds of processors; SIGXCPU ends it then."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
