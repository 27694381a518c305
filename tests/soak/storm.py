"""Rounds in which everything happens at once: several machines load folders with other versions of
the same articles, through faults, killed and resumed; others link, delete, repair, check and
search; files change, move and vanish."""

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock

from disturbances import Killer, draw_disturbances, through_faults
from machine import Machine
from made import FORMATS, Shelf, draw_numbers, name
from scene import Scene, options_for
from stored import Stored, check_articles, check_equal, check_left
from watching import search_by_commands

_ARTICLES, _DELETABLE = 14, 3
_LOADS = 8
_TRIES = 3


class _Loading:
    """A folder that a machine loads again and again.

    Attributes:
        options: of all its loads.
    """

    def __init__(self, shelf: Shelf, machine: Machine, layout: str, draw: random.Random) -> None:
        self.shelf = shelf
        self.machine = machine
        self.draw = draw
        self.options = options_for(layout, shelf.form, draw.choice([0, 0, 1, 2]))


class Storm:
    """A round; at its end, each folder is loaded once more without faults, and what is there is
    what the same loads leave on an empty server."""

    loses_nodes = True

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._lock = Lock()  # of the files, some of which move from folder to folder
        self._ended = Event()
        draw = scene.generator
        # what a killed command leaves is for `citespan doctor --repair`, an hour later
        self._orderly = draw.random() < 0.5
        form, layout = draw.choice(FORMATS), draw.choice(["sentences", "sentences", "spans"])
        self._loadings = []
        for at in range(draw.randint(2, 3)):
            machine = Machine(scene.record, scene.url, scene.folder / f"home{at}", f"host{at}")
            shelf = Shelf(scene.folder / f"files{at}", form)
            own = random.Random(draw.randrange(2**31))
            self._loadings.append(_Loading(shelf, machine, layout, own))
            numbers = draw_numbers(draw, range(_ARTICLES))
            scene.fill(shelf, [scene.number(number) for number in numbers])

    def disturb(self) -> None:
        scene, seed = self._scene, self._scene.generator.randrange(2**31)
        with scene.watch(), ThreadPoolExecutor(len(self._loadings) + 1) as threads:
            others = threads.submit(self._do_others, random.Random(seed))
            loads = [threads.submit(self._load_often, loading) for loading in self._loadings]
            try:
                for load in loads:
                    load.result()
            finally:
                self._ended.set()
            others.result()

    def _load_often(self, loading: _Loading) -> None:
        for _ in range(_LOADS):
            self._load(loading)
            with self._lock:
                self._change(loading)

    def _load(self, loading: _Loading) -> None:
        """Load through faults. Half of the loads are killed; of these, some are repeated at once,
        without faults."""
        scene, draw = self._scene, loading.draw
        missing = ["--delete-missing"] * (draw.random() < 0.5)
        killer = Killer(scene.record, draw) if draw.random() < 0.6 else None
        checkpoint = scene.folder / f"{loading.shelf.folder.name}-checkpoint{draw.randrange(2)}"
        arguments = [loading.shelf.folder, *loading.options, *missing, "--checkpoint", checkpoint]
        with self._lock:
            before = loading.shelf.versions
        with scene.client() as es:
            seed = draw.randrange(2**31)
            disturb = draw_disturbances(es, random.Random(seed), late_spans=not self._orderly)
            choose = disturb if killer is None else killer.count(disturb)
            with through_faults(loading.machine, draw, choose) as machine:
                shifted = machine.at(shift=draw.choice([0.0, 0.0, 7200.0, -7200.0]))
                process = shifted.index(*arguments)
                if killer is not None:
                    killer.aim(process, checkpoint)
                status = machine.finish(process).returncode
        if status != 0 and draw.random() < 0.3:
            status = scene.load(loading.machine, *arguments)
        if status == 0:
            with self._lock:
                kept = before.keys() & loading.shelf.versions.keys()
            scene.truth.allow({number: range(1000) for number in kept})
            scene.truth.promise([n for n in kept if n % 1000 >= _DELETABLE])

    def _change(self, loading: _Loading) -> None:
        """Change, move or delete some of the files."""
        shelf, draw = loading.shelf, loading.draw
        for file in sorted(shelf.files):
            drawn = draw.random()
            if drawn < 0.2:
                shelf.change(file, self._scene.draw_version())
            elif drawn < 0.4 and len(shelf.files) > 1:
                self._scene.truth.doubt(shelf.files[file].keys())
                other = draw.choice(self._loadings).shelf
                if drawn < 0.3 and other.versions.keys().isdisjoint(shelf.files[file]):
                    shelf.move(file, other)
                else:
                    shelf.remove(file)

    def _do_others(self, draw: random.Random) -> None:
        """Run other commands until all loads have ended."""
        scene = self._scene
        numbers = [scene.number(at) for at in range(_ARTICLES)]
        while not self._ended.wait(draw.uniform(1.0, 6.0)):
            command = draw.choice(["link", "delete", "doctor", "check", "search", "answers"])
            machine = scene.machine.at(shift=draw.choice([0.0, 7200.0, -7200.0]))
            if command == "link":
                scene.record.count("links")
                machine.run("link")
            elif command == "delete":
                machine.delete(*(name(n) for n in draw.sample(numbers[:_DELETABLE], 1)))
            elif command == "doctor":
                machine.repair()
            elif command == "search":
                search_by_commands(machine, numbers, scene.folder)
            elif command == "answers":
                scene.record.count("searches")
                machine.run("answers", "find", "which kinase binds receptors of mice", "--json")
            else:
                scene.record.count("checks")
                machine.run("check", self._write_manuscript(), "--json")

    def _write_manuscript(self) -> object:
        shelf = Shelf(self._scene.folder / f"manuscript{self._scene.draw_version()}", "jsonl")
        shelf.write("one.jsonl", {self._scene.number(0): 1})
        return shelf.folder / "one.jsonl"

    def check(self) -> None:
        scene = self._scene
        found, after = self._load_calmly(resume=True), "after a storm and calm loads"
        if self._orderly:
            check_left(scene.record, found, after)
        scene.empty()
        check_equal(scene.record, found, self._load_calmly(resume=False), after)

    def _load_calmly(self, resume: bool) -> Stored:
        scene, versions = self._scene, dict[int, set[int]]()
        scene.truth.doubt()
        for loading in self._loadings:
            own = sorted(scene.folder.glob(f"{loading.shelf.folder.name}-checkpoint[01]"))
            for checkpoint in own if resume and own else [None]:
                where = [] if checkpoint is None else ["--checkpoint", checkpoint, "--restart"]
                arguments = [loading.shelf.folder, *loading.options, "--delete-missing", *where]
                status = scene.load(loading.machine, *arguments, tries=_TRIES)
                if status != 0:
                    scene.record.find("status", f"{status} of a load without faults")
            versions |= {number: {version} for number, version in loading.shelf.versions.items()}
        scene.record.count("links")
        scene.machine.run("link", allowed=(0,))
        absent = {scene.number(at) for at in range(_ARTICLES)} - versions.keys()
        with scene.client() as es:
            return check_articles(es, scene.record, versions, absent, "after calm loads")
