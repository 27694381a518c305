"""Searches while articles are loaded, replaced and deleted: by the API and the pages of a running
`citespan serve`, and by commands. Each has to see an article wholly old or wholly new."""

import json
import random
import re
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from threading import Event, Lock, Thread
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

from findings import Record
from machine import Machine
from made import count_sentences, find_marks, name, word

_SECONDS = 30.0
_PAUSE = 0.25
_NOTHING = re.compile(r"no (articles|abstracts) are indexed", re.IGNORECASE)
_WHOLE, _OF_ONE, _OF_ALL = ("/api/article",), ("/api/search", "/article"), ("/api/search-all",)
_ANY = ("/evidence", "/api/answers", "/api/articles", "/")


class Truth:
    """What searches may find, as far as it is known; from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._allowed: dict[int, frozenset[int]] = {}
        self._certain: dict[int, int] = {}
        self._changes = 0

    def allow(self, versions: Mapping[int, Collection[int]]) -> None:
        """Say which versions articles may be of from now on."""
        with self._lock:
            self._allowed |= {number: frozenset(some) for number, some in versions.items()}

    def promise(self, numbers: Collection[int]) -> None:
        """Say that articles are there."""
        with self._lock:
            self._changes += 1
            for number in numbers:
                self._certain.setdefault(number, self._changes)

    def doubt(self, numbers: Collection[int] | None = None) -> None:
        """Say that articles may be gone from now on; None for all."""
        with self._lock:
            for number in list(self._certain if numbers is None else numbers):
                self._certain.pop(number, None)

    def look(self) -> tuple[dict[int, int], dict[int, frozenset[int]]]:
        """Return the articles that are there, with a number that changes if one of them may have
        been gone meanwhile; and the versions that articles may be of."""
        with self._lock:
            return dict(self._certain), dict(self._allowed)


@contextmanager
def serving(machine: Machine, log: Path) -> Iterator[str]:
    """The address of a running `citespan serve`."""
    process = machine.start("serve", "--port", "0")
    said: list[str] = []
    try:
        assert process.stderr is not None
        while "citespan serves http" not in (line := process.stderr.readline()):
            said.append(line)
            assert line, f"serve does not start: {' '.join(said)}"
        address = next(word for word in line.split() if word.startswith("http"))
        readers = [
            Thread(target=_copy, args=(stream, log), daemon=True)
            for stream in (process.stderr, process.stdout)
        ]
        for reader in readers:
            reader.start()
        yield address.rstrip("/")
    finally:
        process.terminate()
        process.wait(timeout=30)


def _copy(stream: Iterator[str], log: Path) -> None:
    with log.open("a") as file:
        for line in stream:
            file.write(line)


class Watcher:
    """Searches in threads until the end of its `with` statement.

    Args:
        site: the address of `citespan serve`.
        threads: how many.
    """

    def __init__(self, record: Record, truth: Truth, site: str, seed: int, threads: int) -> None:
        self._record = record
        self._truth = truth
        self._site = site
        self._ended = Event()
        self._threads = [
            Thread(target=self._work, args=(random.Random(f"{seed} {n}"),)) for n in range(threads)
        ]

    def __enter__(self) -> "Watcher":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _work(self, generator: random.Random) -> None:
        paths = [*_WHOLE, *_OF_ONE, *_OF_ONE, *_OF_ALL, *_OF_ALL, *_ANY]
        while not self._ended.wait(_PAUSE):
            _, allowed = self._truth.look()
            if allowed:
                self.ask(generator.choice(paths), generator.choice(sorted(allowed)))

    def ask(self, path: str, number: int) -> None:
        """Ask for one article, and look at what is answered."""
        query = {
            "/api/article": {"article": name(number)},
            "/api/search": {"article": name(number), "citance": "kinases bind the receptor"},
            "/article": {"article": name(number), "citance": "kinases bind the receptor"},
            "/api/answers": {"question": f"does the kinase {word(number)} bind receptors"},
            "/api/articles": {"q": word(number)},
            "/": {"q": word(number)},
        }.get(path, {"citance": f"the kinase {word(number)} binds the receptor"})
        before, _ = self._truth.look()
        started = time.monotonic()
        try:
            with urlopen(f"{self._site}{path}?{urlencode(query)}", timeout=_SECONDS) as answer:
                status, body = answer.status, answer.read().decode()
        except HTTPError as error:
            status, body = error.code, error.read().decode(errors="replace")
        except TimeoutError:
            status, body = 0, "no answer"
        except (OSError, HTTPException) as error:
            status, body = 599, repr(error)
        self._record.count("searches")
        if time.monotonic() - started > _SECONDS:
            self._record.find("hung", f"{path} has not answered in {_SECONDS:.0f} s")
        elif status == 200:
            self._look_at(path, number, body, number in before)
        elif status in (429, 503):
            self._record.count("searches refused")
            time.sleep(0.2)
        elif status in (404, 409) or _NOTHING.search(body):
            self._miss("vanished", path, number, before, body)
        else:
            self._record.find("defect", f"{path} answers {status}: {body}")

    def _look_at(self, path: str, number: int, body: str, was_there: bool) -> None:
        after, allowed = self._truth.look()
        found = find_marks(body)
        for shown, versions in found.items():
            if len(versions) > 1:
                self._record.find("mixed", f"{path} for {name(shown)} has versions {[*versions]}")
            elif not versions.keys() <= allowed.get(shown, versions.keys()):
                some = f"version {[*versions]}, not {sorted(allowed[shown])}"
                self._record.find("stale", f"{path} for {name(shown)} has {some}")
        if path in _WHOLE:
            for version, sentences in found[number].items():
                if sentences != set(range(count_sentences(number, version))):
                    self._record.find("mixed", f"{path}: {sorted(sentences)} of {name(number)}")
        if was_there and path in (*_WHOLE, *_OF_ONE, *_OF_ALL) and not found[number]:
            self._miss("empty", path, number, after, body)

    def _miss(self, kind: str, path: str, number: int, before: dict[int, int], body: str) -> None:
        after, _ = self._truth.look()
        if before.get(number) is not None and before[number] == after.get(number):
            self._record.find(kind, f"{path} for {name(number)}: {_message(body)}")


def _message(body: str) -> str:
    try:
        return json.dumps(json.loads(body))[:200]
    except ValueError:
        return " ".join(re.sub("<[^>]+>", " ", body).split())[:200]


def search_by_commands(machine: Machine, numbers: Collection[int], folder: Path) -> None:
    """Search for articles by a batch of `citespan search --from`, and look at what is answered."""
    citances = folder / f"citances-{time.monotonic_ns()}.jsonl"
    lines = [
        json.dumps({"article": name(n), "citance": "kinases bind the receptor"}) for n in numbers
    ]
    citances.write_text("\n".join(lines))
    done = machine.run("search", "--from", citances, "--format", "jsonl")
    machine.record.count("searches", len(lines))
    for line in done.stdout.splitlines():
        for number, versions in find_marks(line).items():
            if len(versions) > 1:
                machine.record.find("mixed", f"search --from has {[*versions]} of {name(number)}")
