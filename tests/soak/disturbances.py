"""How the loads of the soak test are disturbed: killed, their requests delayed, and what they write
to deleted by others."""

import random
import subprocess
import time
from pathlib import Path
from threading import Lock, Thread, Timer

from command_line import kill
from elasticsearch import Elasticsearch
from fault_proxy import Choice, Delay, Fault, Request

from citespan.es_mappings.index_name import SPANS_PREFIX

_LONGEST_LOAD = 3.0  # seconds until a load is killed
_MOST_REQUESTS = 40  # until a load is killed
_FIRST_MOMENTS = 0.012  # seconds after its checkpoint is there
_LONGEST_DELAY, _LONGEST_DELAY_OF_DELETION = 3.0, 8.0
_DELAYED, _DELAYED_DELETIONS = 0.1, 0.4  # parts of the requests that write
_DELETED = 0.04  # part of the requests with spans, whose index is deleted before


class LoadKiller:
    """Kills a load: after a time, in its first moments, or at one of its requests."""

    def __init__(self, generator: random.Random) -> None:
        self._how = generator.choice(["time", "checkpoint", "request"])
        self._seconds = generator.uniform(0.3, _LONGEST_LOAD)
        self._moment = generator.uniform(0.0, _FIRST_MOMENTS)
        self._left = generator.randint(1, _MOST_REQUESTS)
        self._process: subprocess.Popen[str] | None = None

    def count(self, choose: Choice) -> Choice:
        """Return a choice that counts requests, then does as the other one."""

        def counted(request: Request) -> Fault | Delay | None:
            self._left -= 1
            if self._left == 0 and self._how == "request" and self._process is not None:
                kill(self._process)
            return choose(request)

        return counted

    def aim(self, process: subprocess.Popen[str], checkpoint: Path) -> None:
        """Choose what is killed."""
        self._process = process
        if self._how == "time":
            timer = Timer(self._seconds, kill, [process])
            timer.daemon = True
            timer.start()
        elif self._how == "checkpoint":
            present = checkpoint.exists()
            Thread(target=self._wait, args=(process, checkpoint, present), daemon=True).start()

    def _wait(self, process: subprocess.Popen[str], checkpoint: Path, present: bool) -> None:
        while process.poll() is None and (present or not checkpoint.exists()):
            time.sleep(0.0005)
        time.sleep(self._moment)
        kill(process)


def draw_disturbances(es: Elasticsearch, generator: random.Random) -> Choice:
    """Return a choice that delays requests of any kind, those that write more often, and deletes
    an index of spans just before documents come.

    Documents of a span index are not delayed: they would create the index again after it has been
    deleted, and only `citespan doctor --repair` deletes that.
    """
    lock = Lock()
    draw = generator.random

    def choose(request: Request) -> Fault | Delay | None:
        with lock:
            index = request.path.lstrip("/").partition("/")[0]
            if request.actions and index.startswith(SPANS_PREFIX):
                if draw() < _DELETED:
                    es.indices.delete(index=index, ignore_unavailable=True)
                return None
            deletes = request.method == "DELETE" or "delete" in request.actions
            writes = deletes or bool(request.actions)
            if draw() > (_DELAYED_DELETIONS if deletes else _DELAYED if writes else _DELAYED / 10):
                return None
            longest = _LONGEST_DELAY_OF_DELETION if deletes else _LONGEST_DELAY
            seconds = generator.uniform(0.1, longest)
            return Delay(seconds, writes and draw() < 0.5, not writes or draw() < 0.5)

    return choose
