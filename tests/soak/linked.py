"""Rounds of `citespan link` through faults, killed, and two at once, while articles change."""

import random
from concurrent.futures import ThreadPoolExecutor

from disturbances import Killer, draw_disturbances, through_faults
from machine import supported
from made import FORMATS, Shelf
from scene import Scene, options_for
from stored import check_articles, check_equal, read_stored

_ARTICLES = 20  # two rings
_AT_ONCE = 3
_TRIES = 4
_REBUILT = 0.3  # part of the rounds in which a load makes new indices


class Linked:
    """A round; at its end, the links are those of a server on which nothing has ever gone wrong."""

    loses_nodes = True

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        draw = scene.generator
        self._shelf = Shelf(scene.folder / "files", draw.choice(FORMATS))
        layout = draw.choice(["sentences", "sentences", "spans"])
        self._arguments = [
            self._shelf.folder,
            *options_for(layout, self._shelf.form, 0),
            "--delete-missing",
        ]

    def disturb(self) -> None:
        scene, draw = self._scene, self._scene.generator
        scene.fill(self._shelf, [scene.number(at) for at in range(_ARTICLES)])
        scene.truth.allow({n: {v} for n, v in self._shelf.versions.items()})
        if scene.load(scene.machine, *self._arguments, tries=_TRIES) == 0:
            scene.truth.promise(self._shelf.versions)
        seeds = [draw.randrange(2**31) for _ in range(_AT_ONCE)]
        with scene.watch(), ThreadPoolExecutor(_AT_ONCE + 1) as threads:
            linking = [threads.submit(self._link, seed) for seed in seeds]
            self._load()
            for future in linking:
                future.result()

    def _load(self) -> None:
        """Change some articles, delete others, and load."""
        scene, draw = self._scene, self._scene.generator
        before = self._shelf.versions
        for file in sorted(self._shelf.files):
            drawn = draw.random()
            if drawn < 0.3:
                self._shelf.change(file, scene.draw_version())
            elif drawn < 0.4 and len(self._shelf.files) > 1:
                self._shelf.remove(file)
        after = self._shelf.versions
        scene.truth.doubt(before.keys() - after.keys())
        scene.truth.allow({n: {before[n], v} for n, v in after.items()})
        rebuilds = supported("index", "--rebuild") if draw.random() < _REBUILT else []
        scene.load(scene.machine, *self._arguments[: -1 if rebuilds else None], *rebuilds)

    def _link(self, seed: int) -> None:
        scene = self._scene
        draw = random.Random(seed)
        with scene.client() as es:
            disturb = draw_disturbances(es, random.Random(seed), late_spans=False)
            killer = Killer(scene.record, draw) if draw.random() < 0.5 else None
            choose = disturb if killer is None else killer.count(disturb)
            with through_faults(scene.machine, draw, choose) as machine:
                for _ in range(2):
                    scene.record.count("links")
                    process = machine.start("link")
                    if killer is not None:
                        killer.aim(process, None)
                    machine.finish(process)

    def check(self) -> None:
        scene = self._scene
        self._load_and_link()
        versions = {number: {version} for number, version in self._shelf.versions.items()}
        after = "after links through faults and one without"
        with scene.client() as es:
            found = check_articles(es, scene.record, versions, after=after)
            scene.empty()
            self._load_and_link()
            calm = read_stored(es)
        if not calm.links:
            scene.record.find("lost", f"all links {after}")
        check_equal(scene.record, found, calm, after)

    def _load_and_link(self) -> None:
        scene = self._scene
        status = scene.load(scene.machine, *self._arguments, "--restart", tries=_TRIES)
        if status != 0:
            scene.record.find("status", f"{status} of a load without faults")
        scene.record.count("links")
        scene.machine.run("link", allowed=(0,))
