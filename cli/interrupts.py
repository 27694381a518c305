"""Ctrl-C: whatever it interrupts, the command ends with one line and exit status 130."""

import os
import signal
import sys
from types import FrameType, TracebackType
from typing import NoReturn

STATUS = 130
MESSAGE = "citespan: stopped"

_interrupted = False


def exit_on_interrupt() -> None:
    """Exit immediately on Ctrl-C: nothing needs cleaning up yet, and an exception during an import
    may surface as another.

    Leaves Ctrl-C alone where it is ignored, as under nohup.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit)
        sys.unraisablehook = _exit_where_ignored
        sys.excepthook = _exit_where_printed


def raise_on_interrupt() -> None:
    """From now on, raise KeyboardInterrupt, if `exit_on_interrupt` is in force."""
    if signal.getsignal(signal.SIGINT) is _exit:
        signal.signal(signal.SIGINT, _raise)


def was_interrupted() -> bool:
    """Return whether KeyboardInterrupt was raised, which a library may have made another error."""
    return _interrupted


def _exit(_number: int, _frame: FrameType | None) -> NoReturn:
    os.write(2, f"{MESSAGE}\n".encode())
    os._exit(STATUS)


def _raise(_number: int, _frame: FrameType | None) -> NoReturn:
    global _interrupted
    _interrupted = True
    signal.signal(signal.SIGINT, _exit)  # whoever asks twice does not want to wait
    raise KeyboardInterrupt


def _exit_where_ignored(unraisable: "sys.UnraisableHookArgs") -> None:
    """End where Python would print and ignore a KeyboardInterrupt, as in a destructor."""
    if unraisable.exc_type is KeyboardInterrupt:
        _exit(signal.SIGINT, None)
    sys.__unraisablehook__(unraisable)


def _exit_where_printed(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """End where compiled code would print a KeyboardInterrupt, as where it imports NumPy."""
    if kind is KeyboardInterrupt:
        _exit(signal.SIGINT, None)
    sys.__excepthook__(kind, error, traceback)
