"""How costs grow with the number of articles: loading, searching, linking, checking, disk, memory.

    python -m benchmarks.growth ARCHIVE... --stages 2,20,200 --to deploy/growth.json

The archives of articles are loaded one after the other into a node of its own, in the layout
`sentences`. After as many archives as each stage names, everything is measured. Each row is printed
as it comes and written to the file, in place of those that it had; a run that is repeated with
`--home`, the folder of its node, goes on where it was ended. At its end it prints how each cost
grows that was measured with three numbers of articles: cost = a * articles ^ b, by
`citespan/deploy/plan.py`.

Costs are seconds of the processor where something else may run on the machine. Latencies are the
best of several rounds: the smallest of their medians, and of their 99th percentiles.
"""

import argparse
import json
import os
import random
import re
import signal
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import psutil
from elasticsearch import Elasticsearch

import citespan as front_door
from benchmarks.citances import draw_words, percentiles
from benchmarks.node import own_node, server_process, wipe
from benchmarks.watched import Run, processor_seconds, watched_citespan
from citespan.deploy.client import connect
from citespan.deploy.plan import Measured, fit_all, read_growth
from citespan.es_mappings import articles, citances, citations, links
from citespan.es_mappings.sentences import SENTENCES
from citespan.library import count_articles
from citespan.pipelines.store.catalogue import Catalogue

_HEAP = "2g"
_CHUNK = 20  # archives loaded by one command, which gives one row
_AGAIN = 20  # archives that are loaded again, at most
_SEARCHES = 100
_SEARCHES_OF_ALL = 20
_ROUNDS = 2
_CHANGED = 3  # articles that are replaced, and deleted
_LINKED = 4_000  # citing articles that are linked at least, if there are: processes pay for so many
_CHECKED = 2
_INDICES = {"sentences": SENTENCES, "catalogue": articles.INDEX, "citations": citations.INDEX}
_OF_LINKS = {"links": links.INDEX, "citances": citances.INDEX}
Figures = Iterator[tuple[str, float, str]]
"""What was measured, the figure and its unit."""


def main() -> None:
    """Load and measure; status 1 if something could not be measured."""
    parser = argparse.ArgumentParser(
        "benchmarks.growth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("archives", nargs="+", type=Path, help="archives of JATS articles")
    parser.add_argument("--stages", default="", help="numbers of archives, separated by commas")
    parser.add_argument("--to", type=Path, help="file of the rows")
    parser.add_argument("--home", type=Path, help="folder of the node, which stays")
    arguments = parser.parse_args()
    stages = [int(number) for number in arguments.stages.split(",") if number]
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    os.environ.setdefault("CITESPAN_ES_HEAP", _HEAP)
    again = arguments.home is not None and arguments.home.exists()
    rows = Rows(arguments.to, again)
    with own_node(home=arguments.home), tempfile.TemporaryDirectory() as scratch:
        growth = Growth(arguments.archives, rows, Path(scratch))
        growth.run(stages or [len(arguments.archives)])
    for name, fit in sorted(fit_all(rows.rows).items()):
        print(f"{name}: {fit}", flush=True)
    sys.exit(1 if growth.failures else 0)


class Rows:
    """The rows that are there, in a file if one is named; those of the file stay if it is the
    node's that they were measured with."""

    def __init__(self, file: Path | None, again: bool) -> None:
        self._file = file
        there = again and file is not None and file.exists()
        self.rows = list(read_growth(file).rows) if file is not None and there else []

    def add(self, row: Measured) -> None:
        """Print a row and write it."""
        print(row, flush=True)
        self.rows.append(row)
        if self._file is not None:
            machine = {
                "processors": os.cpu_count(),
                "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
                "heap": os.environ["CITESPAN_ES_HEAP"],
                "load": round(os.getloadavg()[2], 1),
            }
            lines = ",\n".join(json.dumps(asdict(row)) for row in self.rows)
            unfinished = self._file.with_suffix(".part")
            unfinished.write_text(f'{{"machine": {json.dumps(machine)}, "rows": [\n{lines}\n]}}\n')
            unfinished.replace(self._file)

    def has(self, group: str, archives: int) -> bool:
        """Whether a group of figures was measured with so many archives."""
        return any((row.group, row.archives) == (group, archives) for row in self.rows)


@dataclass
class Citance:
    """A sentence of an article, or several, that stand for a citance of it."""

    article: str
    text: str


class Growth:
    """Loads and measures.

    Attributes:
        failures: what could not be measured.
    """

    def __init__(self, archives: Sequence[Path], rows: Rows, scratch: Path) -> None:
        self._archives = list(archives)
        self._rows = rows
        self._scratch = scratch
        self._loaded = 0  # archives
        self.failures: list[str] = []
        self._random = random.Random(0)
        self._server = server_process()
        self._client: Elasticsearch = connect()

    def run(self, stages: Sequence[int]) -> None:
        """Load up to each stage, and measure there."""
        groups: dict[str, Callable[[], Figures]] = {
            "again": self._again,
            "size": self._size,
            "search": self._search_one,
            "search all": self._search_all,
            "list": self._list,
            "doctor": self._doctor,
            "link": self._link,
            "search with citances": self._search_with_citances,
            "check": self._check,
            "change": self._change,
            "delete missing": self._delete_missing,
            "memory": self._memory,
        }
        if not self._rows.rows:
            self._warm_up()
        for stage in stages:
            while self._loaded < stage:
                chunk = self._archives[self._loaded : min(stage, self._loaded + _CHUNK)]
                before, self._loaded = self._loaded, self._loaded + len(chunk)
                if not self._rows.has("load", self._loaded):
                    self._measure("load", lambda: self._load(chunk, before))  # noqa: B023
            self.__dict__.pop("_ids", None)
            for group, measure in groups.items():
                if not self._rows.has(group, stage):
                    self._measure(group, measure)

    def _warm_up(self) -> None:
        """Load one archive, search it and delete it: a server that has just started compiles its
        code."""
        self._command("index", self._archives[0], "--layout", "sentences")
        for measure in (self._search_one, self._search_all):
            list(measure())
        self._client.indices.delete(index=citations.INDEX)
        wipe()

    def _measure(self, group: str, measure: Callable[[], Figures]) -> None:
        print(f"{group}, {self._loaded} archives ...", file=sys.stderr, flush=True)
        at = self._count()
        try:
            found = list(measure())
        except Exception as error:  # noqa: BLE001  the other figures are wanted all the same
            self.failures.append(group)
            print(f"{group} failed: {error!r}", file=sys.stderr, flush=True)
            return
        if group == "load":
            at = (at + self._count()) // 2  # the average of what was there
        for name, figure, unit in found:
            self._rows.add(Measured(group, name, self._loaded, at, float(f"{figure:.5g}"), unit))

    def _count(self) -> int:
        name = articles.INDEX
        self._client.indices.refresh(index=name, ignore_unavailable=True)
        return int(self._client.count(index=name, ignore_unavailable=True)["count"])

    @cached_property
    def _ids(self) -> list[str]:
        """The ids of a thousand articles, drawn at random."""
        chosen: dict[str, Any] = {
            "function_score": {"query": {"match_all": {}}, "random_score": {}}
        }
        found = self._client.search(
            index=articles.INDEX, query=chosen, size=1_000, source_includes=["article"]
        )
        return sorted(hit["_source"]["article"] for hit in found["hits"]["hits"])

    def _command(self, *arguments: object) -> tuple[Run, float]:
        """Run a command; return what it took, and the seconds of the server's processors."""
        before = processor_seconds(self._server)
        run = watched_citespan(*map(str, arguments), "--json")
        return run, processor_seconds(self._server) - before

    def _load(self, chunk: Sequence[Path], before: int) -> Figures:
        run, server = self._command("index", *chunk, "--layout", "sentences")
        report = json.loads(run.output)
        number = report["indexed"] or report["inputs"]
        total = server + run.processor + run.children
        size = sum(map(_unpacked_size, chunk)) / 1e6
        yield "the server's processor", 1000 * server / number, "ms an article"
        yield "the loader's processor", 1000 * run.processor / number, "ms an article"
        yield "processors that read", 1000 * run.children / number, "ms an article"
        yield "all processors", 1000 * total / number, "ms an article"
        yield "JATS a core", size / total, "MB/s"
        yield "time", 1000 * run.seconds / number, "ms an article"
        yield "memory of the loader and its readers", run.peak, "MB"
        yield "memory of the largest process", run.largest, "MB"
        yield "sentences", report["sentences"] / number, "an article"
        yield "citations", report["citations"] / number, "an article"

    def _again(self) -> Figures:
        some = self._archives[: min(self._loaded, _AGAIN)]
        run, server = self._command("index", *some, "--layout", "sentences")
        report = json.loads(run.output)
        number = report["inputs"]
        total = server + run.processor + run.children
        yield "time", 1000 * run.seconds / number, "ms an article"
        yield "all processors", 1000 * total / number, "ms an article"
        yield "articles that are read", float(number - report["unchanged"]), ""

    def _size(self) -> Figures:
        self._client.indices.refresh(index="citespan-*")
        text = self._client.search(
            index=articles.INDEX, size=0, aggs={"all": {"sum": {"field": "characters"}}}
        )["aggregations"]["all"]["value"]
        whole = 0
        for name, index in _INDICES.items():
            stored, segments = self._read_stats(index)
            whole += stored
            yield f"bytes of {name}", stored / self._count(), "an article"
            yield f"segments of {name}", segments, ""
        yield "bytes of all indices", whole / self._count(), "an article"
        yield "bytes of text", text / self._count(), "an article"
        yield "bytes of indices for one of text", whole / text, ""

    def _read_stats(self, index: str) -> tuple[int, int]:
        """Return the bytes of an index on disk, without copies, and the number of segments."""
        self._client.indices.flush(index=index)
        # The size of the store is that of up to ten seconds ago.
        stats = self._client.indices.stats(index=index, metric="docs,segments")
        primaries = stats["_all"]["primaries"]
        return primaries["docs"]["total_size_in_bytes"], primaries["segments"]["count"]

    def _draw(self, number: int, terms: int) -> list[Citance]:
        """Return sentences of random articles with so many terms."""
        chosen = self._random.sample(self._ids, min(number, len(self._ids)))
        entries = Catalogue(self._client).entries(chosen).values()
        drawn = (
            Citance(entry.article, draw_words(self._client, entry, terms, self._random))
            for entry in entries
        )
        return [citance for citance in drawn if citance.text]

    def _time(
        self, name: str, drawn: Sequence[Citance], search: Callable[[Citance], object]
    ) -> Figures:
        """Time searches in rounds, of which the first is what finds nothing in caches."""
        rounds = []
        before, own = processor_seconds(self._server), time.process_time()
        for _ in range(1 + _ROUNDS):
            seconds = []
            for citance in drawn:
                started = time.perf_counter()
                search(citance)
                seconds.append(time.perf_counter() - started)
            rounds.append(percentiles(seconds))
        taken = processor_seconds(self._server) - before
        own = time.process_time() - own
        yield f"{name}, asked first, p50", rounds[0][0], "ms"
        yield f"{name}, p50", min(p50 for p50, _ in rounds[1:]), "ms"
        yield f"{name}, p99", min(p99 for _, p99 in rounds[1:]), "ms"
        number = len(drawn) * len(rounds)
        yield f"{name}, the server's processor", 1000 * taken / number, "ms"
        yield f"{name}, all processors", 1000 * (taken + own) / number, "ms"

    def _search_one(self) -> Figures:
        drawn = self._draw(_SEARCHES, 10)
        for ranker in ("none", "evidence"):
            yield from self._time(
                f"ranker {ranker}",
                drawn,
                lambda asked: front_door.search(
                    asked.text,
                    asked.article,
                    ranker=ranker,  # noqa: B023
                    client=self._client,
                ),
            )

    def _search_all(self) -> Figures:
        for terms in (10, 20, 40):
            drawn = self._draw(_SEARCHES_OF_ALL, terms)
            yield from self._time_all(f"{terms} terms", drawn)
            if terms == 20:
                yield from self._time_all("20 terms of some years", drawn, year="2010-2015")
                yield from self._time_all("20 terms, ranked", drawn, ranker="evidence")

    def _time_all(self, name: str, drawn: Sequence[Citance], **settings: Any) -> Figures:
        settings = {"ranker": "none", "citance_weight": 0.0, **settings}
        yield from self._time(
            name,
            drawn,
            lambda asked: front_door.search_all(asked.text, client=self._client, **settings),
        )

    def _search_with_citances(self) -> Figures:
        drawn = self._draw(_SEARCHES_OF_ALL, 20)
        yield from self._time_all("20 terms", drawn, citance_weight=1.0)

    def _list(self) -> Figures:
        asked = [Citance("", "")] * 20
        yield from self._time(
            "articles of the page",
            asked,
            lambda _: (
                front_door.articles(top=25, order="year", client=self._client),
                count_articles(client=self._client),
            ),
        )

    def _doctor(self) -> Figures:
        run, server = self._command("doctor")
        yield "time", run.seconds, "s"
        yield "all processors", server + run.processor + run.children, "s"
        yield "memory", run.peak, "MB"

    def _link(self) -> Figures:
        """Link all articles, or one of several parts that are as large as processes pay for; a run
        of a part without articles tells what each run takes to start and end."""
        client, articles = self._client, self._count()
        client.indices.delete(index=[*_OF_LINKS.values()], ignore_unavailable=True)
        parts = max(1, articles // _LINKED)
        idle, server = self._command("link", "--shard", f"1/{10**9}")
        rest = server + idle.processor + idle.children
        run, server = self._command("link", "--shard", f"{self._loaded % parts + 1}/{parts}")
        linked = parts * max(1, json.loads(run.output)["linked"])
        total = server + run.processor + run.children
        seconds = parts * run.seconds - (parts - 1) * idle.seconds
        total = parts * total - (parts - 1) * rest
        of_article = linked / articles
        yield "start and end", idle.seconds, "s"
        yield "time", 1000 * seconds / linked, "ms a citation"
        yield "all processors", 1000 * total / linked, "ms a citation"
        yield "all processors for an article", 1000 * total / articles, "ms an article"
        yield "linked", of_article, "citations an article"
        yield "memory", run.peak, "MB"
        client.indices.refresh(index=links.INDEX)
        there = int(client.count(index=links.INDEX)["count"])
        for name, index in _OF_LINKS.items():
            stored, _ = self._read_stats(index)
            yield f"bytes of {name}", stored / there * of_article, "an article"

    def _check(self) -> Figures:
        runs = [self._command("check", file) for file in self._extract(_CHECKED, "")]
        yield "time", min(run.seconds for run, _ in runs), "s a manuscript"
        yield "the server's processor", min(server for _, server in runs), "s a manuscript"
        yield (
            "the command's processor",
            (min(run.processor + run.children for run, _ in runs)),
            "s a manuscript",
        )
        yield "memory", max(run.peak for run, _ in runs), "MB"

    def _change(self) -> Figures:
        files = list(self._extract(_CHANGED, " Changed words stand here."))
        runs = [self._command("index", file, "--layout", "sentences") for file in files]
        assert all(json.loads(run.output)["replaced"] for run, _ in runs)
        yield "replacing an article, time", min(run.seconds for run, _ in runs), "s"
        yield "replacing an article, the server's processor", min(s for _, s in runs), "s"
        runs = [self._command("delete", file.stem, "--yes") for file in files]
        yield "deleting an article, time", min(run.seconds for run, _ in runs), "s"
        yield "deleting an article, the server's processor", min(s for _, s in runs), "s"

    def _delete_missing(self) -> Figures:
        """Of the articles of two archives, none is missing but those that are deleted already."""
        options = ("--layout", "sentences", "--delete-missing")
        some = self._archives[: min(self._loaded, 2)]
        run, server = self._command("index", *some, *options)
        yield "time", run.seconds, "s"
        yield "all processors", server + run.processor + run.children, "s"

    def _memory(self) -> Figures:
        nodes = self._client.nodes.stats(metric="jvm")["nodes"]
        [jvm] = [node["jvm"]["mem"] for node in nodes.values()]
        yield "the server", self._server.memory_info().rss / 1e6, "MB"
        yield (
            "the server's heap after collections",
            (jvm["pools"]["old"]["used_in_bytes"] / 1e6),
            "MB",
        )

    def _extract(self, number: int, more: str) -> Iterator[Path]:
        """Yield files of articles of the archive that was loaded last, with more at the end of a
        paragraph; other ones each time."""
        with tarfile.open(self._archives[self._loaded - 1]) as archive:
            members = [member for member in archive if member.isfile()]
            for member in self._random.sample(members, number):
                content = archive.extractfile(member)
                assert content is not None
                file = self._scratch / Path(member.name).name
                file.write_bytes(re.sub(rb"</p>", more.encode() + b"</p>", content.read(), count=1))
                yield file


def _unpacked_size(archive: Path) -> int:
    """Return the bytes of the members, up to what the headers of an archive take."""
    if archive.suffix not in (".gz", ".tgz"):
        return archive.stat().st_size
    with archive.open("rb") as file:
        file.seek(-4, os.SEEK_END)
        return int.from_bytes(file.read(4), "little")


if __name__ == "__main__":
    main()
