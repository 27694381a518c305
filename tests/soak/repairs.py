"""Rounds in which `citespan doctor --repair` runs while a load writes, on machines whose clocks
differ."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from subprocess import CompletedProcess
from threading import Lock

from disturbances import through_faults
from fault_proxy import Request
from made import FORMATS, Shelf
from scene import Scene, options_for
from stored import check_articles

from citespan.es_mappings import articles

_ARTICLES = 18  # two groups
_HOURS = 7200.0
_TRIES = 3
_LONGEST_WAIT = 60.0  # seconds


class Repairs:
    """A round: the doctor repairs between the documents of a load and their entries in the
    catalogue, however slow the machine is. If the load says that all is well, all is there."""

    loses_nodes = False

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        draw = scene.generator
        self._shelf = Shelf(scene.folder / "files", draw.choice(FORMATS))
        layout = draw.choice(["sentences", "spans"])
        self._arguments = [self._shelf.folder, *options_for(layout, self._shelf.form, 0)]
        self._clocks = draw.choice([(0.0, _HOURS), (-_HOURS, 0.0), (0.0, 0.0)])

    def disturb(self) -> None:
        scene, draw = self._scene, self._scene.generator
        scene.fill(self._shelf, [scene.number(at) for at in range(_ARTICLES)])
        if draw.random() < 0.4:
            scene.load(scene.machine, *self._arguments)
            scene.truth.promise(self._shelf.versions)
            for file in sorted(self._shelf.files):
                self._shelf.change(file, scene.draw_version())
        loader, doctor = self._clocks
        repairs: list[Future[CompletedProcess[str]]] = []

        lock = Lock()

        with ThreadPoolExecutor(1) as threads, scene.watch():

            def repair_first(request: Request) -> None:
                if not request.actions or f"/{articles.INDEX}" not in request.path:
                    return
                with lock:
                    if not repairs:
                        repairs.append(threads.submit(scene.machine.at(shift=doctor).repair))
                wait(repairs, _LONGEST_WAIT)

            with through_faults(scene.machine, draw, repair_first, parts=(0.0,)) as machine:
                status = scene.load(machine.at(shift=loader), *self._arguments)
        if status == 0:
            self._look(f"after a load and doctor --repair at once, clocks {self._clocks}")

    def check(self) -> None:
        status = self._scene.load(self._scene.machine, *self._arguments, tries=_TRIES)
        if status != 0:
            self._scene.record.find("status", f"{status} of a load after doctor --repair")
        self._look("after a load and doctor --repair, and another load")

    def _look(self, after: str) -> None:
        versions = {number: {version} for number, version in self._shelf.versions.items()}
        with self._scene.client() as es:
            check_articles(es, self._scene.record, versions, after=after)
