"""Rounds of a load that is killed and resumed, where the server, the files or the state of the load
are other ones meanwhile."""

import shutil
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event

from command_line import kill
from disturbances import delay_chosen, through_faults
from elasticsearch import Elasticsearch
from fault_proxy import Request, once
from machine import Machine, Process
from made import FORMATS, Shelf
from real_node import empty_node
from scene import Scene, options_for
from stored import Stored, check_articles, check_left

from citespan.es_mappings import articles

_ARTICLES = 44  # three groups
_TRIES = 4
_LATE, _LONGEST_WAIT = 5.0, 60.0  # seconds


class Resumed:
    """A round: a load is killed after one or two groups; then the server is emptied, or restored
    from a snapshot, or some articles are deleted, or the checkpoint has been copied to another
    machine; then the same command is repeated. Once it says that all is well, all is there."""

    loses_nodes = False

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        draw = self._draw = scene.generator
        self._meanwhile = draw.choice(
            [self._empty, self._restore, self._delete, self._copy, self._leave]
        )
        self._layout = draw.choice(["sentences", "sentences", "spans"])
        self._shelf = Shelf(scene.folder / "files", draw.choice(FORMATS))
        self._checkpoint = scene.folder / "checkpoint"
        options = options_for(self._layout, self._shelf.form, draw.choice([0, 0, 2]))
        self._arguments = [self._shelf.folder, *options]

    def disturb(self) -> None:
        scene = self._scene
        count = _ARTICLES // (2 if self._layout == "spans" else 1)
        scene.fill(self._shelf, [scene.number(at) for at in range(count)])
        if self._draw.random() < 0.4:
            scene.load(scene.machine, *self._arguments)
            for file in sorted(self._shelf.files):
                self._shelf.change(file, scene.draw_version())
        with scene.client() as es:
            if self._meanwhile == self._restore:
                self._take_snapshot(es)
            self._load_until_killed()
            self._meanwhile(es)
        with through_faults(scene.machine, self._draw, parts=(0.0, 0.1)) as machine:
            status = self._resume(machine.at(shift=self._draw.choice([0.0, 0.0, -7200.0])))
        if status == 0:
            self._look("a resumed load")

    def check(self) -> None:
        status = self._resume(self._scene.machine)
        if status != 0:
            self._scene.record.find("status", f"{status} of a resumed load without faults")
        stored = self._look("two resumed loads")
        if self._meanwhile in (self._leave, self._delete):
            check_left(self._scene.record, stored, "after a load killed and resumed")

    def _look(self, then: str, before: Mapping[int, int] | None = None) -> Stored:
        after = f"after a kill, {self._meanwhile.__name__.strip('_')} and {then}"
        versions = {
            number: {version, (before or {}).get(number, version)}
            for number, version in self._shelf.versions.items()
        }
        with self._scene.client() as es:
            return check_articles(es, self._scene.record, versions, after=after)

    def _load_until_killed(self) -> None:
        machine, left = self._scene.machine, self._draw.choice([2, 2, 3])
        started: list[Process] = []

        def count(request: Request) -> None:
            nonlocal left
            if request.actions and f"/{articles.INDEX}" in request.path:
                left -= 1
                if left == 0:
                    kill(started[0])
                    self._scene.record.count("kills of a group")

        with through_faults(machine, self._draw, count, parts=(0.0,)) as disturbed:
            process = disturbed.index(*self._arguments, "--checkpoint", self._checkpoint)
            started.append(process)
            machine.finish(process)

    def _resume(self, machine: Machine) -> int:
        return self._scene.load(
            machine, *self._arguments, "--checkpoint", self._checkpoint, tries=_TRIES
        )

    def _leave(self, es: Elasticsearch) -> None:
        pass

    def _empty(self, es: Elasticsearch) -> None:
        empty_node(es)

    def _delete(self, es: Elasticsearch) -> None:
        es.indices.refresh(index="citespan-*")
        found = es.search(index=articles.INDEX, size=3, ignore_unavailable=True)["hits"]["hits"]
        if found:
            self._scene.machine.delete(*(hit["_source"]["article"] for hit in found))

    def _take_snapshot(self, es: Elasticsearch) -> None:
        where = {"type": "fs", "settings": {"location": f"soak{self._scene.seed}"}}
        es.snapshot.create_repository(name="soak", repository=where)
        es.snapshot.create(
            repository="soak", snapshot="one", indices="citespan-*", wait_for_completion=True
        )

    def _restore(self, es: Elasticsearch) -> None:
        empty_node(es)
        try:
            es.snapshot.restore(
                repository="soak",
                snapshot="one",
                indices="citespan-*",
                include_global_state=False,
                wait_for_completion=True,
            )
        finally:
            es.snapshot.delete(repository="soak", snapshot="one")
            es.snapshot.delete_repository(name="soak")

    def _copy(self, es: Elasticsearch) -> None:
        """Resume on two machines at once, one of which has a copy of the other's state and older
        files. The clocks of both show the same second."""
        for stored in self._scene.folder.glob("checkpoint*"):
            shutil.copy(stored, stored.with_name(f"copy-of-{stored.name}"))
        arguments = [*self._arguments, "--checkpoint", self._scene.folder / "copy-of-checkpoint"]
        machine, has_read = replace(self._scene.machine, stopped=time.time()), Event()
        late = once(delay_chosen(lambda request: bool(request.actions), _LATE, has_read.set))
        before = self._shelf.versions
        with (
            ThreadPoolExecutor(1) as threads,
            through_faults(machine, self._draw, late, parts=(0.0,)) as other,
        ):
            copied = threads.submit(self._scene.load, other, *arguments)
            has_read.wait(_LONGEST_WAIT)
            for file in sorted(self._shelf.files):
                self._shelf.change(file, self._scene.draw_version())
            status = min(self._resume(machine), copied.result())
        if status == 0:
            self._look("two loads resumed in the same second", before)
