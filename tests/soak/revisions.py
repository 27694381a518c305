"""Rounds of abstracts: Medline files in which later files revise and delete what earlier ones
have."""

import random
from datetime import date, timedelta
from threading import Event, Thread

from disturbances import Killer, draw_disturbances, through_faults
from elasticsearch import ApiError, Elasticsearch, TransportError
from fault_proxy import Delay, Fault, Request
from findings import Record
from made import find_marks, mark
from made_medline import PROSE, citation, medline, section
from scene import Scene

from citespan.es_mappings import abstracts

_ABSTRACTS, _FILES = 12, 4
_FIRST_PMID, _PMIDS = 10_000_000, 1_000_000
_TRIES = 4


class Revisions:
    """A round: once the files have been loaded, loading them again, through whatever faults, never
    shows an abstract that was deleted, nor one before its revision."""

    loses_nodes = True

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._files = scene.folder / "files"
        self._files.mkdir()
        self._first = _FIRST_PMID + 100 * (scene.seed % (_PMIDS // 100))
        self._versions: dict[int, int] = {}  # by PMID; what is deleted in the end is not here
        self._arguments = [self._files, "--format", "medline", "--processes", "0"]

    def disturb(self) -> None:
        scene, draw = self._scene, self._scene.generator
        self._make_files()
        with scene.client() as es:
            for _ in range(draw.randint(0, 2)):
                self._load(es, draw)
            if scene.load(scene.machine, *self._arguments, tries=_TRIES) != 0:
                return
            self._check(es, "after a load without faults")
            with _Looks(es, scene.record, self._first, dict(self._versions)):
                for _ in range(draw.randint(3, 6)):
                    self._load(es, draw)

    def check(self) -> None:
        scene = self._scene
        if scene.load(scene.machine, *self._arguments, tries=_TRIES) != 0:
            scene.record.find("status", "a load of abstracts without faults does not end well")
        with scene.client() as es:
            self._check(es, "in the end")

    def _make_files(self) -> None:
        draw = self._scene.generator
        for at in range(_FILES):
            records, deleted = [], []
            for pmid in range(self._first, self._first + _ABSTRACTS):
                drawn = draw.random()
                if drawn < 0.5 or at == 0:
                    self._versions[pmid] = self._scene.draw_version()
                    text = f"{PROSE} We counted the {mark(pmid, self._versions[pmid], 0)} of mice."
                    day = date(2001, 1, 1) + timedelta(days=self._versions[pmid])
                    records.append(citation(pmid, abstract=section(text), revised=str(day)))
                elif drawn < 0.7 and self._versions.pop(pmid, None) is not None:
                    deleted.append(pmid)
            (self._files / f"{at}.xml").write_bytes(medline(records, deleted))

    def _load(self, es: Elasticsearch, draw: random.Random) -> None:
        """Load through faults, perhaps killed; the second group of documents may come late."""
        scene, seed = self._scene, draw.randrange(2**31)
        disturb = draw_disturbances(es, random.Random(seed), late_spans=False)
        groups, late = 0, draw.random() < 0.5

        def choose(request: Request) -> Fault | Delay | None:
            nonlocal groups
            groups += bool(request.actions)
            if late and request.actions and groups == 2:
                return Delay(draw.uniform(1.0, 5.0))
            return disturb(request)

        killer = Killer(scene.record, draw) if draw.random() < 0.5 else None
        with through_faults(
            scene.machine, draw, choose if killer is None else killer.count(choose)
        ) as machine:
            process = machine.index(*self._arguments)
            if killer is not None:
                killer.aim(process, None)
            machine.finish(process)

    def _check(self, es: Elasticsearch, after: str) -> None:
        found = _read(es, self._first)
        record = self._scene.record
        for kind, some in (
            ("lost", self._versions.keys() - found.keys()),
            ("not deleted", found.keys() - self._versions.keys()),
            ("stale", {p for p, v in self._versions.items() if found.get(p, v) != v}),
        ):
            if some:
                record.find(kind, f"{len(some)} of {_ABSTRACTS} abstracts {after}: {min(some)}")
        record.count("documents", len(self._versions))


class _Looks:
    """Looks for what must not be there until the end of its `with` statement."""

    def __init__(
        self, es: Elasticsearch, record: Record, first: int, versions: dict[int, int]
    ) -> None:
        self._es = es.options(request_timeout=10)
        self._record = record
        self._first = first
        self._versions = versions
        self._ended = Event()
        self._thread = Thread(target=self._work)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._ended.wait(0.2):
            try:
                found = _read(self._es, self._first)
            except (ApiError, TransportError):
                continue  # of a node that has been killed
            self._record.count("searches")
            back = found.keys() - self._versions.keys()
            older = {p for p, v in found.items() if self._versions.get(p, v) != v}
            gone = self._versions.keys() - found.keys()
            for kind, some in (("back again", back), ("stale", older), ("vanished", gone)):
                if some:
                    self._record.find(
                        kind,
                        f"{len(some)} of {_ABSTRACTS} abstracts, loaded unchanged: {min(some)}",
                    )


def _read(es: Elasticsearch, first: int) -> dict[int, int]:
    """Return the versions of the abstracts that are found, by PMID."""
    if not es.indices.exists(index=abstracts.INDEX):
        return {}
    es.indices.refresh(index=abstracts.INDEX)
    pmids = [str(first + at) for at in range(_ABSTRACTS)]
    found = es.search(
        index=abstracts.INDEX,
        query={"terms": {"pmid": pmids}},
        size=1000,
        allow_partial_search_results=False,
    )
    return {
        number: version
        for hit in found["hits"]["hits"]
        for number, versions in find_marks(str(hit["_source"])).items()
        for version in versions
    }
