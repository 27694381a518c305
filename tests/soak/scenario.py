"""One round of a soak test: several loads of different contents at once, through faults and delays,
some of them killed, perhaps while nodes are killed too; then loads that nothing disturbs, and a
look at what is left.

A round is drawn from its seed. Folders share articles with different contents, and between loads
files change, move from folder to folder, and vanish. All loads are commands, so that another
version can be tested as well (`tests/command_line.py`); its documents are compared with those that
it makes itself undisturbed.
"""

import random
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from command_line import finish, start
from disturbances import LoadKiller, draw_disturbances
from elasticsearch import Elasticsearch
from fault_proxy import Choice, proxy, scheduled
from kinds import Abstracts, Articles, Kind
from real_node import empty_node

_FILES, _SHARED = 16, 8  # of which several folders may have a file, with other content
_FIRST_PMID = 10_000_000
_ALLOWED = (0, 1, 2, 3)  # 2: a folder whose files have just gone
_DEFECTS = ("Traceback", "unexpected")


@dataclass
class Counts:
    """What rounds have done.

    Attributes:
        loads: that were disturbed, each by a schedule of its own.
        killed: loads among them.
        documents: that were compared.
    """

    loads: int = 0
    killed: int = 0
    documents: int = 0


class Round:
    """One round, on a server that is emptied first.

    Args:
        node: the address of the server, or those of a cluster's nodes, which no fault affects.
        folder: empty.

    Attributes:
        loaded: what is loaded: a layout of articles, or abstracts.
        counts: of what has been done so far.
    """

    def __init__(self, node: str, folder: Path, seed: int) -> None:
        self._node = node
        self._folder = folder
        self._random = random.Random(seed)
        self.loaded = self._random.choice(["sentences", "sentences", "spans", "abstracts"])
        self._kind: Kind = (
            Abstracts(_FIRST_PMID)
            if self.loaded == "abstracts"
            else Articles(f"soak{seed}", self.loaded)
        )
        self._folders = [folder / f"files{n}" for n in range(self._random.randint(2, 4))]
        self._files: dict[Path, int] = {}  # the days that they are of
        self._day = 0
        self._lock = Lock()
        self._promised: dict[int, int] = {}  # the latest days that loads without error have read
        self.counts = Counts()
        with self._client() as es:
            empty_node(es)

    def run(self, loads: int = 2) -> None:
        """Run it.

        Args:
            loads: how often each folder is loaded while others are.

        Raises:
            AssertionError: if anything is lost, doubled, left over, or half replaced.
        """
        self.disturb(loads)
        self.check()

    def disturb(self, loads: int) -> None:
        """Load every folder several times, all at once, through faults.

        Raises:
            AssertionError: if a load ends by a defect, or never.
        """
        for place, folder in enumerate(self._folders):
            folder.mkdir()
            for number in range(_FILES):
                own = number < _SHARED or number % len(self._folders) == place
                if own and self._random.random() < 0.7:
                    self._write(folder, number)
        seeds = [self._random.randrange(2**31) for _ in self._folders]
        with ThreadPoolExecutor(len(self._folders)) as threads:
            list(
                threads.map(
                    lambda one: self._load_often(*one, loads),
                    zip(self._folders, seeds, strict=True),
                )
            )

    def _client(self) -> Elasticsearch:
        return Elasticsearch(self._node.split(","), request_timeout=60)

    def _write(self, folder: Path, number: int) -> None:
        with self._lock:
            self._day += 1
            name, content = self._kind.make(number, self._day)
            (folder / name).write_text(content)
            self._files[folder / name] = self._day

    def _days(self, folder: Path) -> dict[int, int]:
        with self._lock:
            return {int(f.stem): day for f, day in self._files.items() if f.parent == folder}

    def _load_often(self, folder: Path, seed: int, loads: int) -> None:
        generator = random.Random(seed)
        for _ in range(loads):
            self._load(folder, generator)
            self._change(folder, generator)

    def _load(self, folder: Path, generator: random.Random) -> None:
        """Load a folder through faults. Half of the loads are killed; of these, some are repeated
        at once."""
        checkpoint = folder.parent / f"checkpoint-{folder.name}-{generator.randrange(3)}"
        schedule = scheduled(generator.randrange(2**31), generator.choice([0.0, 0.0, 0.1, 0.3]))
        options = ["--delete-missing"] * (self._kind.deletes and generator.random() < 0.5)
        before = self._days(folder)
        if not before:
            return
        killer = LoadKiller(generator) if generator.random() < 0.5 else None
        with self._lock:
            self.counts.loads += 1
            self.counts.killed += killer is not None
        with ExitStack() as stack, self._client() as es:
            disturb = draw_disturbances(es, random.Random(generator.randrange(2**31)))
            choose: Choice = disturb if killer is None else killer.count(disturb)
            nodes = [stack.enter_context(proxy(u, schedule, choose)) for u in self._node.split(",")]
            process = self._start(",".join(nodes), folder, checkpoint, *options)
            if killer is not None:
                killer.aim(process, checkpoint)
            done = self._finish(process)
            if killer is None:
                self._note(done.returncode, before, folder)
            elif generator.random() < 0.3:
                again = self._start(",".join(nodes), folder, checkpoint, *options)
                self._note(self._finish(again).returncode, before, folder)

    def _note(self, status: int, before: dict[int, int], folder: Path) -> None:
        """Note what a load has certainly read, if it says that all is well."""
        if status == 0:
            after = self._days(folder)
            with self._lock:
                for number, day in before.items():
                    if after.get(number) == day:
                        self._promised[number] = max(day, self._promised.get(number, 0))

    def _start(
        self, url: str, folder: Path, checkpoint: Path | None, *options: str
    ) -> subprocess.Popen[str]:
        where = () if checkpoint is None else ("--checkpoint", checkpoint)
        arguments = ("index", folder, *self._kind.options, "--processes", "0", *where, *options)
        return start(*arguments, CITESPAN_ES_URL=url)

    def _finish(self, process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
        try:
            done = finish(process)
        except subprocess.TimeoutExpired:
            raise AssertionError("a load never ends") from None
        assert done.returncode < 0 or done.returncode in _ALLOWED, self._describe(done)
        assert not any(one in done.stderr for one in _DEFECTS), self._describe(done)
        return done

    def _describe(self, done: subprocess.CompletedProcess[str]) -> str:
        return f"status {done.returncode}: {' '.join(done.stderr.split())[-400:]}"

    def _change(self, folder: Path, generator: random.Random) -> None:
        """Change, move or delete some of the files."""
        for number in sorted(self._days(folder)):
            drawn = generator.random()
            [name] = [f.name for f in self._files if f.parent == folder and int(f.stem) == number]
            if drawn < 0.2:
                self._write(folder, number)
            elif len(self._days(folder)) == 1:
                continue
            elif drawn < 0.4:
                with self._lock:
                    day = self._files.pop(folder / name)
                    if drawn < 0.3:
                        to = generator.choice(self._folders) / name
                        (folder / name).rename(to)
                        self._files[to] = day
                    else:
                        (folder / name).unlink()

    def check(self) -> None:
        """Load what there is once more, and compare with loads of the same files alone.

        Raises:
            AssertionError: if anything is lost, doubled, left over, or half replaced.
        """
        with self._client() as es:
            es.cluster.health(wait_for_status="yellow", timeout="60s")
            self._kind.check_entries(es)
            stored = self._kind.find_days(es)
        older = {n for n, day in self._promised.items() if n in stored and stored[n] < day}
        assert not older, f"older abstracts have replaced {sorted(older)}"
        # an older abstract does not replace a newer one, though its file has gone since
        days: dict[int, int] = {}
        checkpoints = sorted(self._folder.glob("checkpoint-*[0-9]"))
        folders = [one for one in self._folders if self._days(one)]
        self._random.shuffle(folders)
        for folder in folders:
            own = [c for c in checkpoints if c.name.startswith(f"checkpoint-{folder.name}-")]
            for checkpoint in own or [None]:
                self._load_calmly(folder, checkpoint)
            for number, day in self._days(folder).items():
                earlier = 0 if self._kind.deletes else days.get(number, 0)
                days[number] = max(day, earlier, stored.get(number, 0))
        self._compare(days)

    def _load_calmly(self, folder: Path, checkpoint: Path | None) -> None:
        options = ["--delete-missing"] * self._kind.deletes
        if checkpoint is not None:
            options.append("--restart")
        done = self._finish(self._start(self._node, folder, checkpoint, *options))
        assert done.returncode == 0, self._describe(done)

    def _compare(self, days: dict[int, int]) -> None:
        alone = self._folder / "alone"
        alone.mkdir()
        for number, day in days.items():
            name, content = self._kind.make(number, day)
            (alone / name).write_text(self._kind.rename(content, number))
        self._load_calmly(alone, None)
        numbers = set(map(str, days))
        with self._client() as es:
            state, expected = self._kind.state(es, alone=False), self._kind.state(es, alone=True)
        for part, documents in expected.items():
            found = {
                name: document
                for name, document in state[part].items()
                if name.partition(" ")[0] in numbers
            }
            differing = {
                name
                for name in found.keys() | documents.keys()
                if found.get(name) != documents.get(name)
            }
            assert not differing, (
                f"{part}: {len(documents.keys() - found.keys())} lost, "
                f"{len(found.keys() - documents.keys())} too many, {len(differing)} differ: "
                f"{sorted(differing)[:5]}"
            )
            self.counts.documents += len(documents)
