"""How the commands of the soak test are disturbed: killed, their requests delayed or sent twice,
and what they write to deleted by others."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Lock, Thread, Timer

import psutil
from command_line import kill
from elasticsearch import Elasticsearch
from fault_proxy import Choice, Delay, Fault, Request, proxy, scheduled
from findings import Record
from machine import Machine, Process

from citespan.es_mappings.spans import SPANS_PREFIX

_LONGEST_LOAD = 4.0  # seconds until a command is killed
_MOST_REQUESTS = 40  # until a command is killed
_FIRST_MOMENTS = 0.012  # seconds after its checkpoint is there
_LONGEST_DELAY, _LONGEST_DELAY_OF_DELETION = 2.0, 9.0
_DELAYED, _DELAYED_DELETIONS = 0.06, 0.2  # parts of the requests that write
_DELETED = 0.04  # part of the requests with spans, whose index is deleted before


class Killer:
    """Kills a command: after a time, in its first moments, or at one of its requests; all of its
    processes, the one that was started, or one of those that read."""

    def __init__(self, record: Record, generator: random.Random) -> None:
        self._record = record
        self._how = generator.choice(["time", "checkpoint", "request", "request"])
        self._whom = generator.choice(["group", "group", "main process", "reader"])
        self._seconds = generator.uniform(0.8, _LONGEST_LOAD)
        self._moment = generator.uniform(0.0, _FIRST_MOMENTS)
        self._left = generator.randint(1, _MOST_REQUESTS)
        self._draw = generator.random
        self._process: Process | None = None

    def count(self, choose: Choice) -> Choice:
        """Return a choice that counts requests, then does as the other one."""

        def counted(request: Request) -> Fault | Delay | None:
            self._left -= 1
            if self._left == 0 and self._how == "request" and self._process is not None:
                self._kill(self._process)
            return choose(request)

        return counted

    def aim(self, process: Process, checkpoint: Path | None) -> None:
        """Choose what is killed."""
        self._process = process
        if self._how == "time" or (self._how == "checkpoint" and checkpoint is None):
            timer = Timer(self._seconds, self._kill, [process])
            timer.daemon = True
            timer.start()
        elif self._how == "checkpoint" and checkpoint is not None:
            present = checkpoint.exists()
            Thread(target=self._wait, args=(process, checkpoint, present), daemon=True).start()

    def _wait(self, process: Process, checkpoint: Path, present: bool) -> None:
        while process.poll() is None and (present or not checkpoint.exists()):
            time.sleep(0.0005)
        time.sleep(self._moment)
        self._kill(process)

    def _kill(self, process: Process) -> None:
        if process.poll() is not None:
            return
        whom = self._whom
        with suppress(psutil.Error):
            readers = psutil.Process(process.pid).children(recursive=True)
            if whom == "reader" and readers:
                readers[int(self._draw() * len(readers))].kill()
                self._record.count("kills of a reader")
                return
        if whom == "main process":
            process.kill()
        else:
            whom = "group"
            kill(process)
        self._record.count(f"kills of a {whom}")


def draw_disturbances(es: Elasticsearch, generator: random.Random, late_spans: bool) -> Choice:
    """Return a choice that delays requests of any kind, those that write more often, and deletes
    an index of spans just before documents come.

    Args:
        late_spans: whether documents of a span index come late too: they would create the index
            again after it has been deleted, and only `citespan doctor --repair` deletes that.
    """
    lock = Lock()
    draw = generator.random

    def choose(request: Request) -> Fault | Delay | None:
        with lock:
            index = request.path.lstrip("/").partition("/")[0]
            if request.actions and index.startswith(SPANS_PREFIX):
                if draw() < _DELETED:
                    es.indices.delete(index=index, ignore_unavailable=True)
                if not late_spans:
                    return None
            deletes = request.method == "DELETE" or "delete" in request.actions
            writes = deletes or bool(request.actions)
            if draw() > (_DELAYED_DELETIONS if deletes else _DELAYED if writes else _DELAYED / 10):
                return None
            longest = (
                _LONGEST_DELAY_OF_DELETION
                if draw() < (0.4 if deletes else 0.05)
                else _LONGEST_DELAY
            )
            seconds = generator.uniform(0.1, longest)
            return Delay(seconds, writes and draw() < 0.5, not writes or draw() < 0.5)

    return choose


@contextmanager
def through_faults(
    machine: Machine,
    generator: random.Random,
    choose: Choice = lambda _: None,
    parts: tuple[float, ...] = (0.0, 0.0, 0.1, 0.3),
) -> Iterator[Machine]:
    """The machine with proxies between it and the server; at the end, what was late has come.

    Args:
        choose: what to do to a request by what it asks for.
        parts: of the requests that have another fault, one of which is drawn.
    """
    schedule = scheduled(generator.randrange(2**31), generator.choice(parts))
    with ExitStack() as stack:
        urls = [stack.enter_context(proxy(u, schedule, choose)) for u in machine.url.split(",")]
        yield machine.at(",".join(urls))


def delay_chosen(
    chosen: Callable[[Request], bool], seconds: float, then: Callable[[], object] = lambda: None
) -> Choice:
    """Return a choice that lets the chosen requests come late, and calls a function in a thread of
    its own at the first of them."""
    lock, called = Lock(), False

    def choose(request: Request) -> Delay | None:
        nonlocal called
        if not chosen(request):
            return None
        with lock:
            if not called:
                called = True
                Thread(target=then, daemon=True).start()
        return Delay(seconds)

    return choose
