"""Rounds of articles that are in several places: folders, archives, and disks of other machines at
the same path. Files change, move and vanish; units are skipped; articles are deleted."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from disturbances import Killer, through_faults
from machine import Machine
from made import FORMATS, Shelf, draw_numbers, name
from scene import Scene, options_for
from stored import check_articles, check_left

_ARTICLES = 10
_STEPS = 12
_PLACES = 3
_DISTURBED = 0.6  # part of the loads, which are repeated
_Place = tuple[str, str]
"""The disk and the folder."""


class _Disk:
    """The disk of one machine: a folder is at its path only while the machine runs a command.

    Attributes:
        shelves: by the name of the folder.
    """

    def __init__(self, mount: Path, machine: Machine) -> None:
        self.machine = machine
        self.mount = mount
        self.shelves: dict[str, Shelf] = {}
        self._parked = mount.with_name(f"{mount.name}-{machine.host}")

    def park(self) -> None:
        self.mount.rename(self._parked)

    def use(self) -> None:
        self._parked.mkdir(exist_ok=True)
        self._parked.rename(self.mount)


class Places:
    """A round of commands one after the other, with what must be there after each."""

    loses_nodes = False

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._generator = scene.generator
        self._layout = self._generator.choice(["sentences", "spans"])
        self._disks: list[_Disk] = []
        self._versions: dict[int, int] = {}  # that the latest load has stored
        self._places: dict[int, set[_Place]] = defaultdict(set)  # that an article was read from
        self._doubtful: set[int] = set()  # articles that may be there or not
        self._gone: set[int] = set()
        self._did = "nothing"

    def disturb(self) -> None:
        self._make_disks()
        steps = [self._load, self._load, self._load, self._load_otherwise, self._delete,
                 self._repair, self._link]  # fmt: skip
        with self._scene.watch():
            for disk in self._disks:
                for folder in disk.shelves:
                    self._load_folder(disk, folder, missing=False)
            for _ in range(_STEPS):
                step: Callable[[], None] = self._generator.choice(steps)
                step()
                self._check()

    def check(self) -> None:
        self._check()

    def _make_disks(self) -> None:
        hosts = ["one"] if self._generator.random() < 0.6 else ["one", "two"]
        mount = self._scene.folder / "disk"
        for host in hosts:
            home = self._scene.folder / f"home-{host}"
            machine = Machine(self._scene.record, self._scene.url, home, host)
            disk = _Disk(mount, machine)
            disk.use()
            for at in range(self._generator.randint(1, _PLACES)):
                form = self._generator.choice(FORMATS)
                shelf = disk.shelves[f"f{at}"] = Shelf(mount / f"f{at}", form)
                numbers = draw_numbers(self._generator, range(_ARTICLES), 0.5)
                # machines with one path have articles of their own: who is right about an article
                # in both is not the question here
                first = 100 * hosts.index(host)
                self._scene.fill(shelf, [self._scene.number(first + number) for number in numbers])
            disk.park()
            self._disks.append(disk)

    def _choose(self) -> tuple[_Disk, str]:
        disk = self._generator.choice(self._disks)
        return disk, self._generator.choice(sorted(disk.shelves))

    def _load(self) -> None:
        disk, folder = self._choose()
        disk.use()
        self._change(disk.shelves[folder])
        disk.park()
        self._load_folder(disk, folder, missing=self._generator.random() < 0.8)

    def _change(self, shelf: Shelf) -> None:
        for file in sorted(shelf.files):
            drawn = self._generator.random()
            if drawn < 0.15:
                shelf.change(file, self._scene.draw_version())
            elif drawn < 0.35 and len(shelf.files) > 1:
                shelf.remove(file)

    def _load_folder(self, disk: _Disk, folder: str, missing: bool) -> None:
        shelf, place = disk.shelves[folder], (disk.machine.host, folder)
        before = dict(self._versions)
        versions = shelf.versions
        allowed = {n: {before.get(n, v), v} for n, v in versions.items()}
        self._scene.truth.allow(allowed)
        gone = [n for n, places in self._places.items() if place in places and n not in versions]
        if missing:
            self._scene.truth.doubt(gone)
        status = self._run(disk, folder, shelf.form, missing)
        if status != 0:
            self._doubtful |= versions.keys() | set(gone)
            self._scene.truth.doubt(self._doubtful)
            return
        for number, version in versions.items():
            self._versions[number] = version
            self._places[number].add(place)
            self._doubtful.discard(number)
            self._gone.discard(number)
        if missing:
            for number in gone:
                self._places[number].discard(place)
                if not self._places[number]:
                    self._forget(number)
        self._scene.truth.allow({n: {v} for n, v in versions.items()})
        self._scene.truth.promise(self._versions.keys() - self._doubtful)

    def _load_otherwise(self) -> None:
        """Load a folder as of another format, so that its units are skipped or quarantined."""
        disk, folder = self._choose()
        shelf, place = disk.shelves[folder], (disk.machine.host, folder)
        [form] = {*FORMATS} - {shelf.form}
        missing = [n for n, p in self._places.items() if place in p and n not in shelf.versions]
        self._doubtful |= {n for n in missing if len(self._places[n]) == 1}
        self._scene.truth.doubt(self._doubtful)
        self._run(disk, folder, form, missing=True)

    def _run(self, disk: _Disk, folder: str, form: str, missing: bool) -> int:
        disk.use()
        options = options_for(self._layout, form, 0)
        if missing:
            options.append("--delete-missing")
        if self._generator.random() < 0.3:
            options.append("--restart")
        shift = self._generator.choice([0.0, 0.0, 3 * 3600.0, -3 * 3600.0])
        machine, arguments = disk.machine.at(shift=shift), [disk.mount / folder, *options]
        if self._generator.random() < _DISTURBED:
            self._load_through_faults(machine, arguments)
        status = self._scene.load(machine, *arguments)
        self._did = (
            f"after index {folder} of host {disk.machine.host} {' '.join(map(str, options))}"
        )
        disk.park()
        return status

    def _load_through_faults(self, machine: Machine, arguments: list[object]) -> None:
        killer = Killer(machine.record, self._generator)
        with through_faults(machine, self._generator, killer.count(lambda _: None)) as disturbed:
            process = disturbed.index(*arguments)
            killer.aim(process, None)
            machine.finish(process)

    def _delete(self) -> None:
        there = sorted(self._versions.keys() - self._doubtful)
        if not there:
            return
        number = self._generator.choice(there)
        self._scene.truth.doubt([number])
        status = self._disks[0].machine.delete(name(number)).returncode
        self._did = f"after delete {name(number)}"
        if status == 0:
            self._places[number].clear()
            self._forget(number)
        else:
            self._doubtful.add(number)

    def _forget(self, number: int) -> None:
        self._versions.pop(number, None)
        self._doubtful.discard(number)
        self._gone.add(number)

    def _repair(self) -> None:
        self._disks[0].machine.at(shift=self._generator.choice([0.0, 7200.0])).repair()
        self._did = "after doctor --repair"

    def _link(self) -> None:
        self._disks[0].machine.run("link")
        self._scene.record.count("links")
        self._did = "after link"

    def _check(self) -> None:
        expected = {n: {v} for n, v in self._versions.items() if n not in self._doubtful}
        with self._scene.client() as es:
            stored = check_articles(es, self._scene.record, expected, self._gone, self._did)
        lost = {number for number in expected if name(number) not in stored.entries}
        self._doubtful |= lost  # so that what is lost once is told once
        self._scene.truth.doubt(lost)
        check_left(self._scene.record, stored, self._did)
