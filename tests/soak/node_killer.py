"""Kills nodes of a cluster while a round of the soak test runs."""

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import psutil
from findings import Record

from citespan.deploy.node.lifecycle import up

_LONGEST_WAIT = 15.0


class NodeKiller:
    """Kills nodes at random moments and starts them again: one, or at times all."""

    def __init__(self, record: Record, seed: int) -> None:
        self._record = record
        self._random = random.Random(seed)
        self._stopped = Event()
        self._thread = ThreadPoolExecutor(1)

    def __enter__(self) -> "NodeKiller":
        self._work_done = self._thread.submit(self._work)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.shutdown()
        self._work_done.result()

    def _work(self) -> None:
        while not self._stopped.wait(self._random.uniform(1.0, _LONGEST_WAIT)):
            nodes = up().nodes
            for node in nodes if self._random.random() < 0.2 else [self._random.choice(nodes)]:
                server = node.process()
                assert server is not None
                server.kill()
                psutil.wait_procs([server])
                self._record.count("node losses")
            self._stopped.wait(self._random.uniform(0.0, 5.0))
            up()
