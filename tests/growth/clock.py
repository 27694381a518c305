"""Whether something takes time out of proportion to the size of its input."""

import gc
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

FLOOR = 0.04
"""Seconds of processor time below which nothing is judged: noise and constants rule there."""
STEP = 4
RATIO = 8.0
"""How many times as long an input may take that is four times as long: where time grows as
n log n it is 5, where it grows as n² it is 16."""
_ROUNDS, _MOST_RUNS = 3, 100

T = TypeVar("T")


class TooSlow(BaseException):
    """Raised within what is measured, past every `except Exception` of the code under test."""


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Interrupt what runs in here after so much processor time, regular expressions included, which
    look for signals while they match.

    Raises:
        TooSlow: then.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def find_growth(run: Callable[[T], object], make: Callable[[int], T], most: int, cap: float) -> str:
    """Return what is wrong with the time that `run` takes, in one line; "" for nothing.

    Args:
        make: makes an input of a size.
        most: the largest size; that with which it is compared is a quarter of it.
        cap: seconds of processor time that no run may take.
    """
    largest = make(most)
    try:
        if _measure(run, largest, cap) <= FLOOR:
            return ""
    except TooSlow:
        return f"size {most:,} takes longer than {cap} s"
    # several times and in turns, since any single run may have been disturbed
    smaller = make(most // STEP)
    rounds = [(_mean(run, largest, cap), _mean(run, smaller, cap)) for _ in range(_ROUNDS)]
    last, before = (min(times) for times in zip(*rounds, strict=True))
    if last <= FLOOR or last <= RATIO * before:
        return ""
    return f"size {most // STEP:,} takes {before:.3f} s, size {most:,} {last:.3f} s"


def _mean(run: Callable[[T], object], made: T, cap: float) -> float:
    """Seconds of a run, of as many as it takes to be above the floor: the clock of processor time
    may tick in steps of several milliseconds."""
    spent, runs = 0.0, 0
    while spent <= FLOOR and runs < _MOST_RUNS:
        spent += _measure(run, made, 2 * cap)
        runs += 1
    return spent / runs


def _measure(run: Callable[[T], object], made: T, cap: float) -> float:
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        with stopped_after(cap):
            begun = time.process_time()
            run(made)
            return time.process_time() - begun
    finally:
        if is_collecting:
            gc.enable()
