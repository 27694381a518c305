"""A cluster of three nodes that loses each of them in turn, against a node that loses nothing.

    python -m benchmarks.cluster ARCHIVE... --link 1/10 --digests FILE

The archives are loaded and linked twice, each time into new nodes that end with this program:

- by one load into one node. What is stored then is kept in FILE, as a digest of each article, and
  is not made again if the file is there;
- by two loads at once (`--shard`) into three nodes with replicas, while others search. The elected
  master is killed in the middle of the load, another node while all else is quiet, and the third in
  the middle of `citespan link`; each is started again after `--away` seconds.

Rows say how long searches took before each loss and from the loss until all shards had their copies
again, which searches ended in an error or found something else than before, how long the nodes took
to recover, and which articles, citations and links differ from those of the one node.
"""

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import orjson
import psutil
from elasticsearch import ApiError, Elasticsearch, TransportError
from elasticsearch.helpers import scan

import citespan as front_door
from benchmarks.citances import percentiles
from benchmarks.node import citespan, own_node
from benchmarks.row import Row
from citespan.deploy.client import connect, find_server
from citespan.es_mappings import articles, citances, citations, links
from citespan.es_mappings.sentences import SENTENCES
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.layout import layout_of

_NODES = 3
_LOADS = 2
_HEAP = "512m"
_SEARCHED = 100  # articles, chosen anew in each part
_FIRST_ARTICLES = 40  # that are there before searches begin
_FEWEST_TERMS = 5
_PAUSE = 0.25  # seconds between two searches of a thread
_QUIET = 30.0  # seconds of searches before a loss
_RECOVERY = 900.0
_OF_A_LOAD = ("edition", "index", "loaded", "linked")
Digests = dict[str, dict[str, str]]


def main() -> None:
    """Print each row as it comes; status 1 if something is lost or differs."""
    parser = argparse.ArgumentParser(
        "benchmarks.cluster",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("archives", nargs="+", help="archives of JATS articles")
    parser.add_argument("--link", default="1/1", metavar="I/N", help="the part that is linked")
    parser.add_argument("--away", type=float, default=30, help="seconds that a node is away")
    parser.add_argument("--digests", type=Path, help="file of what one node stores")
    arguments = parser.parse_args()
    if len(arguments.archives) < _LOADS:
        parser.error(f"give at least {_LOADS} archives, as many as loads that share them")
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    os.environ.setdefault("CITESPAN_ES_HEAP", _HEAP)
    whole = _read_reference(arguments.digests, arguments.archives, arguments.link)
    with _nodes(_NODES), tempfile.TemporaryDirectory() as scratch:
        trial = Trial(arguments.archives, arguments.link, arguments.away, whole, Path(scratch))
        for row in trial.run():
            print(row, flush=True)
    sys.exit(1 if trial.failures else 0)


def _read_reference(file: Path | None, archives: Sequence[str], part: str) -> Digests:
    """Return the digests of what one load into one node stores."""
    if file is not None and file.exists():
        return dict(json.loads(file.read_text()))
    with _nodes(1):
        loaded = citespan("index", *archives, "--layout", "sentences")
        speed = f"{loaded['inputs'] / loaded['seconds']:.1f} articles/s"
        print(Row("one node: load", f"{loaded['articles']:,} articles, {speed}"), flush=True)
        linked = citespan("link", "--shard", part)
        found = f"{linked['linked']:,} links in {linked['seconds']:.0f} s"
        print(Row("one node: link", found), flush=True)
        with connect() as client:
            digests, _ = read_digests(client)
    if file is not None:
        file.write_text(json.dumps(digests))
    return digests


@contextmanager
def _nodes(number: int) -> Iterator[None]:
    """New nodes, which commands find by their state file, so that `node up` restarts them."""
    with own_node(number):
        del os.environ["CITESPAN_ES_URL"]
        yield


def read_digests(client: Elasticsearch) -> tuple[Digests, int]:
    """Return a digest of each article, link and summary of what others say, without what differs
    from load to load; and how many documents belong to no article."""
    client.indices.refresh(index="citespan-*")
    entries = {document["article"]: document for document in _scan(client, articles.INDEX)}
    editions = {article: entry["edition"] for article, entry in entries.items()}
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    left = 0
    for index, kind in ((SENTENCES, "sentences"), (citations.INDEX, "citations")):
        for document in _scan(client, index):
            if editions.get(document["article"]) == document["edition"]:
                sums[document["article"]][kind] += 1
                sums[document["article"]]["sum"] += int(_digest(document), 16)  # in whatever order
            else:
                left += 1
    stored = {
        article: f"{_digest(entry)} {sums[article]['sentences']} sentences, "
        f"{sums[article]['citations']} citations, {sums[article]['sum'] % 2**64:x}"
        for article, entry in entries.items()
    }
    linked = {
        f"{document['citing']} {document['citation']}": _digest(document)
        for document in _scan(client, links.INDEX)
    }
    said = {document["article"]: _digest(document) for document in _scan(client, citances.INDEX)}
    return {"articles": stored, "links": linked, "what others say": said}, left


def _scan(client: Elasticsearch, index: str) -> Iterator[dict[str, Any]]:
    for hit in scan(client, index=index, size=5_000, request_timeout=300):
        yield hit["_source"]


def _digest(document: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in document.items() if key not in _OF_A_LOAD}
    body = orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(body, digest_size=8).hexdigest()


@dataclass
class Loss:
    """A node that was killed; times are of `time.monotonic`."""

    killed: float
    started: float = 0.0
    green: float = float("inf")


@dataclass
class Searches:
    """Searches in threads, at a steady rate, until they are told to stop.

    Attributes:
        part: of the trial.
        steady: whether nothing is written meanwhile, so that every search must find the same again.
        done: kind, begin and end of each search.
        errors: what users would have seen.
        different: searches that found something else than the first time.
    """

    part: str
    steady: bool
    done: list[tuple[str, float, float]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)
    _first: dict[tuple[str, str], object] = field(default_factory=dict)
    _stopped: threading.Event = field(default_factory=threading.Event)

    def run(self, seed: int, citances_of: Sequence[tuple[str, str]]) -> None:
        """Search for citances, each about the article that it was taken from."""
        generator = random.Random(seed)
        with connect() as client:
            while not self._stopped.wait(_PAUSE):
                article, citance = generator.choice(citances_of)
                kind = generator.choice(["one article", "all articles"])
                started = time.monotonic()
                try:
                    if kind == "one article":
                        found = front_door.search(citance, article, client=client)
                    else:
                        found = front_door.search_all(citance, client=client)  # type: ignore[assignment]
                except Exception as error:  # noqa: BLE001  whatever users would see
                    self.errors.append(f"{kind}: {type(error).__name__}: {error}")
                    continue
                self.done.append((kind, started, time.monotonic()))
                if not self._same(kind, article, citance, list(found)):
                    self.different.append(f"{kind}: {article}: {citance}")

    def _same(self, kind: str, article: str, citance: str, found: list[Any]) -> bool:
        """Whether a search found what it must find."""
        if kind == "one article":
            return bool(found) and found == self._first.setdefault((article, citance), found)
        # Scores depend on what else is loaded, and on the copy that answers.
        names = [hit.evidence.article for hit in found]
        return bool(names) and (
            not self.steady or names == self._first.setdefault(("", citance), names)
        )

    def stop(self) -> None:
        self._stopped.set()

    def rows(self, loss: Loss) -> Iterator[Row]:
        """How long searches took, before the loss and while copies were missing."""
        for when in ("before", "until green"):
            for kind in ("one article", "all articles"):
                seconds = [
                    end - begin
                    for done, begin, end in self.done
                    if done == kind
                    and (end < loss.killed if when == "before" else loss.killed <= end)
                    and begin < loss.green
                ]
                if seconds:
                    p50, p99 = percentiles(seconds)
                    yield Row(
                        f"{self.part}, {when}: {len(seconds):,} searches in {kind}",
                        f"p50 {p50:.0f} ms, p99 {p99:.0f} ms, longest {1000 * max(seconds):.0f} ms",
                        wanted="p99 <= 1000 ms" if when == "until green" else "",
                    )
        wrong = [*self.errors, *self.different]
        yield Row(
            f"{self.part}: searches that failed, or found something else",
            f"{len(self.errors)} and {len(self.different)} of {len(self.done) + len(self.errors):,}"
            + (f", such as {wrong[0][:300]}" if wrong else ""),
            wanted="0",
        )


@dataclass
class Command:
    """A command of citespan that runs beside this program."""

    arguments: tuple[str, ...]
    scratch: Path

    def __post_init__(self) -> None:
        print("citespan", *self.arguments, file=sys.stderr, flush=True)
        self._files: list[IO[str]] = [
            tempfile.TemporaryFile("w+", dir=self.scratch)  # noqa: SIM115  read when it has ended
            for _ in range(2)
        ]
        command = [sys.executable, "-m", "citespan.cli.main", *self.arguments, "--json"]
        self.process = subprocess.Popen(command, stdout=self._files[0], stderr=self._files[1])

    def finish(self) -> dict[str, Any]:
        """Return what it prints.

        Raises:
            RuntimeError: if it fails.
        """
        status = self.process.wait()
        printed, complained = map(self._read, self._files)
        if complained:
            print(complained, file=sys.stderr, flush=True)
        if status:
            raise RuntimeError(f"{' '.join(self.arguments)}: {status}: {complained}")
        return dict(json.loads(printed))

    @staticmethod
    def _read(file: IO[str]) -> str:
        file.seek(0)
        return file.read()


@dataclass
class Trial:
    """Loads, searches and links while nodes end.

    Attributes:
        part: the part of the citations that is linked, such as "1/10".
        away: seconds that a node is away.
        whole: the digests of a node that has lost nothing.
        failures: what is not as it must be.
    """

    archives: Sequence[str]
    part: str
    away: float
    whole: Digests
    scratch: Path
    failures: list[str] = field(default_factory=list)
    _ended: list[str] = field(default_factory=list)

    def run(self) -> Iterator[Row]:
        """Yield rows as they come."""
        count = len(self.whole["articles"])
        with connect() as client:
            yield from self._load(client, count)
            yield from self._part(client, "quiet", lambda: time.sleep(_QUIET), self._wait_for_none)
            linked = len(self.whole["links"])
            yield from self._link(client, linked)
            yield from self._compare(client)

    def _load(self, client: Elasticsearch, count: int) -> Iterator[Row]:
        shared = ("--layout", "sentences", "--articles-expected", str(count), "--processes", "1")
        commands = [
            Command(
                ("index", *self.archives, *shared, "--shard", f"{number}/{_LOADS}"), self.scratch
            )
            for number in range(1, _LOADS + 1)
        ]
        yield from self._beside(client, "load", commands, articles.INDEX, count)
        reports = [command.finish() for command in commands]
        loaded = sum(report["articles"] for report in reports)
        seconds = max(report["seconds"] for report in reports)
        yield Row(
            f"{_LOADS} loads at once, and a node lost",
            f"{loaded:,} articles, {loaded / seconds:.1f} articles/s",
        )

    def _link(self, client: Elasticsearch, count: int) -> Iterator[Row]:
        command = Command(("link", "--shard", self.part), self.scratch)
        yield from self._beside(client, "link", [command], links.INDEX, count)
        report = command.finish()
        seconds = report["seconds"]
        yield Row("link, and a node lost", f"{report['linked']:,} links in {seconds:.0f} s")

    def _beside(
        self, client: Elasticsearch, part: str, commands: list[Command], index: str, count: int
    ) -> Iterator[Row]:
        """Yield the rows of a loss in the middle of commands that write."""

        def wait(documents: float) -> None:
            while all(command.process.poll() is None for command in commands):
                if _count(client, index) >= documents:
                    return
                time.sleep(1)

        def finish() -> None:
            for command in commands:
                command.process.wait()

        try:
            wait(min(_FIRST_ARTICLES, count / 10))
            yield from self._part(client, part, lambda: wait(count / 3), finish)
        finally:
            for command in commands:
                if command.process.poll() is None:
                    command.process.terminate()

    def _part(
        self,
        client: Elasticsearch,
        part: str,
        until_lost: Callable[[], None],
        until_end: Callable[[], None],
    ) -> Iterator[Row]:
        """Search while a node ends and returns."""
        searches = Searches(part, steady=part == "quiet")
        citances_of = _draw_citances(client)
        with ThreadPoolExecutor(2) as threads:
            work = [threads.submit(searches.run, seed, citances_of) for seed in range(2)]
            try:
                until_lost()
                loss = self._lose(client)
                until_end()
            finally:
                searches.stop()
        for thread in work:
            thread.result()
        yield from searches.rows(loss)
        yield Row(
            f"{part}: until all copies were there again",
            f"{loss.green - loss.killed:.0f} s after the loss, {loss.green - loss.started:.0f} s "
            "after the node was started again",
        )
        self.failures += searches.errors + searches.different

    def _wait_for_none(self) -> None:
        """Nothing is under way."""

    def _lose(self, client: Elasticsearch) -> Loss:
        """Kill the elected master, or another node if each has been killed but once; start it
        again, and wait until all copies are there."""
        [row] = client.cat.master(format="json")
        nodes = find_server().nodes
        master = nodes[int(row["node"].rpartition("-")[2]) - 1]  # type: ignore[index]
        left = [node for node in nodes if node.url not in self._ended]
        node = next((node for node in left if node.url == master.url), left[0])
        self._ended.append(node.url)
        server = node.process()
        assert server is not None
        print(f"killing {node.url}", "the master" * (node.url == master.url), file=sys.stderr)
        loss = Loss(time.monotonic())
        server.kill()
        psutil.wait_procs([server], timeout=10)
        time.sleep(self.away)
        citespan("node", "up")
        loss.started = time.monotonic()
        while time.monotonic() < loss.started + _RECOVERY:
            try:
                health = client.cluster.health(wait_for_status="green", timeout="10s")
            except (ApiError, TransportError):
                continue
            if health["status"] == "green" and health["number_of_nodes"] == len(nodes):
                loss.green = time.monotonic()
                break
        print(f"green after {loss.green - loss.killed:.0f} s", file=sys.stderr, flush=True)
        return loss

    def _compare(self, client: Elasticsearch) -> Iterator[Row]:
        digests, left = read_digests(client)
        for kind, wanted in self.whole.items():
            found = digests[kind]
            lost = wanted.keys() - found.keys()
            more = found.keys() - wanted.keys()
            differ = [name for name in wanted.keys() & found.keys() if wanted[name] != found[name]]
            wrong = [*lost, *more, *differ]
            yield Row(
                f"{kind} of {len(wanted):,}",
                f"{len(lost)} lost, {len(differ)} different, {len(more)} not in one node"
                + "".join(f"; {name}: {wanted.get(name)}, {found.get(name)}" for name in wrong[:2]),
                wanted="0",
            )
            self.failures += wrong
        texts = int(
            client.count(index=articles.INDEX, query={"exists": {"field": "text"}})["count"]
        )
        copies: dict[tuple[str, str], set[str]] = defaultdict(set)
        for shard in client.cat.shards(index="citespan-*", format="json"):
            copies[shard["index"], shard["shard"]].add(shard["docs"])  # type: ignore[index]
        unequal = [shard for shard, documents in copies.items() if len(documents) > 1]
        yield Row(
            "articles without their text, documents of no article, shards with unequal copies",
            f"{len(digests['articles']) - texts}, {left}, {len(unequal)} of {len(copies)}",
            wanted="0, 0, 0",
        )
        self.failures += map(str, unequal)
        if left or texts < len(digests["articles"]):
            self.failures.append("documents are left, or texts are lost")


def _count(client: Elasticsearch, index: str) -> int:
    """How many documents are there; 0 while nobody answers."""
    try:
        return int(client.count(index=index, ignore_unavailable=True)["count"])
    except (ApiError, TransportError):
        return 0


def _draw_citances(client: Elasticsearch) -> list[tuple[str, str]]:
    """Sentences of random articles, with these, for which a search finds something there."""
    ids = sorted(version.entry.article for version in Catalogue(client).scan(["article"]))
    generator = random.Random(0)
    chosen = generator.sample(ids, min(len(ids), _SEARCHED))
    drawn = []
    for article, entry in Catalogue(client).entries(chosen).items():
        [documents] = layout_of(entry).reader.read_articles(client, [entry])
        texts = [str(document["text"]).strip() for document in documents.values()]
        long = [t for t in texts if len(parse("baseline").terms(t, Context())) >= _FEWEST_TERMS]
        citance = generator.choice(long) if long else ""
        if citance and len(front_door.search(citance, article, client=client)):
            drawn.append((article, citance))
    return drawn


if __name__ == "__main__":
    main()
