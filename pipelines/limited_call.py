"""Calls a function in a process of its own, within limits, and is that process (`python -m`)."""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import TypeVar

from citespan.pipelines.errors import CitespanError, InputError, MachineError
from citespan.pipelines.limits import Limits, end_without_memory, stop_clock

T = TypeVar("T")


def call_within(limits: Limits, source: str, function: Callable[..., T], *arguments: object) -> T:
    """Return what a function returns that is called in another process, which has the standard
    input and the standard error of this one.

    Args:
        source: what it reads, for messages.
        function: of the top level of a module; it, its arguments and what it returns can be
            pickled.

    Raises:
        InputError: if it takes more than the limits allow, or where it raises any CitespanError.
        MachineError: where it raises that.
    """
    reading, writing = os.pipe()
    # A process that starts would answer Ctrl-C with a traceback; it inherits what is blocked.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process = subprocess.Popen(  # noqa: S603  our own
            [sys.executable, "-P", "-m", __name__, str(reading)],
            stdout=subprocess.PIPE,
            pass_fds=[reading],
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        os.close(reading)
    try:
        with os.fdopen(writing, "wb") as given:
            pickle.dump((limits, function, arguments), given)
        data, _ = process.communicate()
    finally:
        process.kill()
        process.wait()
    if process.returncode:
        raise InputError(f"{source}: {limits.explain(process.returncode)}")
    result, problem, of_machine = pickle.loads(data)  # noqa: S301  from a process of ours
    if problem:
        raise (MachineError if of_machine else InputError)(problem)
    return result  # type: ignore[no-any-return]


def _main() -> None:
    with os.fdopen(int(sys.argv[1]), "rb") as given:
        limits, function, arguments = pickle.load(given)  # noqa: S301  from a process of ours
    answer = sys.stdout.buffer
    sys.stdout = sys.stderr  # a library that prints must not get into the answer
    limits.enforce()
    limits.start_clock()
    outcome: tuple[object, str, bool]
    try:
        try:
            outcome = function(*arguments), "", False
        except CitespanError as error:
            outcome = None, str(error), isinstance(error, MachineError)
        data = pickle.dumps(outcome)
    except MemoryError:
        end_without_memory()
    stop_clock()
    answer.write(data)


if __name__ == "__main__":
    from citespan.pipelines.quick_start import start_quickly

    start_quickly()
    _main()
