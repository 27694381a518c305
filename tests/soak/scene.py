"""What each round of the soak test is given, and what all kinds of rounds do."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from elasticsearch import ApiError, Elasticsearch, TransportError
from findings import Record
from machine import Machine, Process, options_of
from made import Shelf
from real_node import empty_node
from watching import Truth, Watcher

_MANY = 3
_FIRST = 1000


class Scene:
    """A server that is emptied first, a folder, machines, and somebody who searches meanwhile.

    Args:
        url: the addresses of the server's nodes, which no fault affects.
        folder: empty.
        site: the address of `citespan serve` for this server.
        watchers: how many search at once.

    Attributes:
        generator: from which the round is drawn.
        record: what the round has done and found.
        truth: what searches may find.
        machine: this one, as the other machines are made of it.
    """

    def __init__(self, url: str, folder: Path, seed: int, site: str, watchers: int = 1) -> None:
        self.url = url
        self.folder = folder
        self.seed = seed
        self.site = site
        self.watchers = watchers
        self.generator = random.Random(seed)
        self.record = Record()
        self.truth = Truth()
        self.machine = Machine(self.record, url, folder / "home")
        self._versions = 0
        self.empty()

    def client(self) -> Elasticsearch:
        """Return a client of the server."""
        return Elasticsearch(self.url.split(","), request_timeout=60, max_retries=5)

    def wait(self) -> None:
        """Wait until the server has all that it needs."""
        until = time.monotonic() + 120
        with self.client() as es:
            while True:
                try:
                    es.cluster.health(wait_for_status="yellow", timeout="60s")
                    return
                except (ApiError, TransportError):
                    if time.monotonic() > until:
                        raise
                    time.sleep(1)

    def empty(self) -> None:
        """Delete everything on the server."""
        self.truth.doubt()
        self.wait()
        with self.client() as es:
            empty_node(es)

    def number(self, at: int) -> int:
        """Return the number of the round's article at a place; no other round has it."""
        return (self.seed % 10_000_000) * _FIRST + at

    def draw_version(self) -> int:
        """Return a version that no article has had."""
        self._versions += 1
        return self._versions

    def fill(self, shelf: Shelf, numbers: Iterator[int] | list[int]) -> None:
        """Write articles to a folder, of new versions."""
        shelf.fill({number: self.draw_version() for number in numbers}, self.generator)

    @contextmanager
    def watch(self) -> Iterator[Watcher]:
        """Search in the background until the end of the `with` statement."""
        with Watcher(self.record, self.truth, self.site, self.seed, self.watchers) as watcher:
            yield watcher

    def load(self, machine: Machine, *arguments: object, tries: int = 1) -> int:
        """Load, again if there were faults, and return the last status."""
        for _ in range(tries):
            status = machine.finish(machine.index(*arguments)).returncode
            if status == 0:
                break
        return status


class Round(Protocol):
    """A kind of round, each in a class of its own.

    Attributes:
        loses_nodes: whether nodes may be killed while `disturb` runs.
    """

    loses_nodes: bool

    def __init__(self, scene: Scene) -> None: ...

    def disturb(self) -> None:
        """Do what may go wrong, through faults."""
        ...

    def check(self) -> None:
        """Look, without any fault, at what is left."""
        ...


def options_for(layout: str, form: str, processes: int) -> list[object]:
    """Return the options of a load."""
    longest = ["--longest", "2"]
    return ["--layout", layout, "--format", form, "--processes", str(processes), *longest]


def has_option(command: str, option: str) -> bool:
    """Whether the tested version has an option."""
    return option in options_of(command)


def wait_for(process: Process, seconds: float) -> None:
    """Wait that long, or until the process has ended."""
    until = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
