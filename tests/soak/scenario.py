"""One round of a soak test: several loads of different contents at once, through faults and delays,
some of them killed, perhaps while nodes are killed too; then a load that nothing disturbs, and a
look at what is left.

A round is drawn from its seed. Folders share articles with different contents, and between loads
files change, move from folder to folder, and vanish.
"""

import multiprocessing
import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Timer

import small_loads
from elasticsearch import Elasticsearch
from fault_proxy import Choice, Delay, Fault, Request, proxy, scheduled
from kinds import Abstracts, Articles, Kind

from citespan.es_mappings.index_name import CITESPAN, SPANS_PREFIX
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.bulk.retry import RetryPolicy
from citespan.pipelines.indexing.bulk.sender import BulkSender
from citespan.pipelines.indexing.catalogue import Catalogue
from citespan.pipelines.indexing.server import Server, without_retries
from citespan.pipelines.indexing.writing.unnamed import find_unnamed

_ARTICLES = 5
_LONGEST_DELAY = 2.0
_FIRST_PMID = 10_000_000
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["small_loads"])


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
    """One round.

    Args:
        node: the address of the server, or those of a cluster's nodes, which no fault affects.
        folder: empty.
        kill: whether loads may be killed.
        abstracts: whether the round may be one of abstracts.
    """

    def __init__(
        self, node: str, folder: Path, seed: int, kill: bool = True, abstracts: bool = False
    ) -> None:
        self._node = node
        self._folder = folder
        self._seed = seed
        self._kill = kill
        self._random = random.Random(seed)
        self._prefix = f"soak{seed}"
        layout = self._random.choice(["sentences", "sentences", "spans"])
        self._kind: Kind = Articles(self._prefix, layout)
        if abstracts and self._random.random() < 0.25:
            self._kind = Abstracts(_FIRST_PMID + 100 * (seed % 100_000))
        self._folders = [folder / f"files{n}" for n in range(self._random.randint(2, 4))]
        self._lock = Lock()
        self.counts = Counts()

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
        """Load every folder several times, all at once, through faults."""
        for number, folder in enumerate(self._folders):
            folder.mkdir()
            for article in range(_ARTICLES):
                if self._random.random() < 0.7:
                    self._write(folder, article, f"{number}")
        seeds = [self._random.randrange(2**31) for _ in self._folders]
        with ThreadPoolExecutor(len(self._folders)) as threads:
            list(
                threads.map(
                    lambda one: self._load_often(*one, loads),
                    zip(self._folders, seeds, strict=True),
                )
            )

    def _write(self, folder: Path, article: int, seed: str) -> None:
        name, content = self._kind.make(article, seed)
        (folder / name).write_text(content)

    def _load_often(self, folder: Path, seed: int, loads: int) -> None:
        generator = random.Random(seed)
        for number in range(loads):
            self._load(folder, generator, folder.parent / f"checkpoint-{folder.name}")
            self._change(folder, generator, f"{seed} {number}")

    def _load(self, folder: Path, generator: random.Random, checkpoint: Path) -> None:
        """Load a folder through faults; it is killed at times, and not always repeated."""
        schedule = scheduled(generator.randrange(2**31), generator.choice([0.0, 0.1, 0.3]))
        delays = draw_delays(random.Random(generator.randrange(2**31)), 0.05)
        is_killed = self._kill and generator.random() < 0.5
        with self._lock:
            self.counts.loads += 1
            self.counts.killed += is_killed
        with ExitStack() as stack:
            nodes = [stack.enter_context(proxy(u, schedule, delays)) for u in self._node.split(",")]
            url = ",".join(nodes)
            # a folder whose files have just gone, or another load's article
            stack.enter_context(suppress(CitespanError))
            if not is_killed:
                options = {"delete_missing": generator.random() < 0.5}
                small_loads.run(self._kind.load(url, folder, checkpoint, **options), url)
                return
            load = self._kind.load(url, folder, checkpoint)
            process = _processes.Process(target=small_loads.run, args=(load, url))
            process.start()
            killer = Timer(generator.uniform(0.3, 3.0), process.kill)
            killer.start()
            process.join()
            killer.cancel()

    def _change(self, folder: Path, generator: random.Random, seed: str) -> None:
        """Change, move or delete some of the files."""
        for file in sorted(folder.iterdir()):
            with suppress(FileNotFoundError):
                drawn = generator.random()
                if drawn < 0.2:
                    self._write(folder, int(file.stem), seed)
                elif len(list(folder.iterdir())) == 1:
                    continue
                elif drawn < 0.3:
                    file.rename(generator.choice(self._folders) / file.name)
                elif drawn < 0.4:
                    file.unlink()

    def check(self) -> None:
        """Load what there is once more, and compare with loads of the same files alone."""
        for folder in self._folders:
            checkpoint = folder.parent / f"checkpoint-{folder.name}"
            with suppress(CitespanError):  # a folder without files
                small_loads.run(
                    self._kind.load(self._node, folder, checkpoint, restart=True), self._node
                )
        last: dict[str, str] = {}
        alone = self._folder / "alone"
        alone.mkdir()
        for folder in self._folders:
            for file in sorted(folder.iterdir()):
                last[file.stem] = file.name
                content = self._kind.rename(file.read_text(), int(file.stem))
                (alone / file.name).write_text(content)
        small_loads.run(self._kind.load(self._node, alone, None), self._node)
        with small_loads.client(self._node) as es:
            state, expected = self._kind.state(es, alone=False), self._kind.state(es, alone=True)
            for part, documents in expected.items():
                found = {
                    name: document
                    for name, document in state[part].items()
                    if name.partition(" ")[0] in last
                }
                differing = {
                    name
                    for name in found.keys() | documents.keys()
                    if found.get(name) != documents.get(name)
                }
                assert not differing, f"seed {self._seed}: {part} {sorted(differing)}"
                self.counts.documents += len(documents)
            assert self._find_orphans(es) == [], f"seed {self._seed}"

    def _find_orphans(self, es: Elasticsearch) -> list[str]:
        calm, retry = without_retries(es), RetryPolicy()
        with BulkSender(calm, retry) as sender:
            found = find_unnamed(Server(calm, retry, sender), Catalogue(calm, CITESPAN))
        return [place.edition for place in found if place.edition.startswith(self._prefix)]


def draw_delays(generator: random.Random, part: float) -> Choice:
    """Return a choice that delays so large a part of all writes, in each way.

    Documents of a span index are not delayed: they would create the index again after it has been
    deleted, and only `citespan doctor --repair` deletes that.
    """
    lock = Lock()

    def choose(request: Request) -> Fault | Delay | None:
        with lock:
            is_write = bool(request.actions) or request.method == "DELETE"
            is_of_spans = bool(request.actions) and request.path.startswith(f"/{SPANS_PREFIX}")
            if not is_write or is_of_spans or generator.random() > part:
                return None
            seconds = generator.uniform(0.1, _LONGEST_DELAY)
            return Delay(seconds, generator.random() < 0.5, generator.random() < 0.5)

    return choose
