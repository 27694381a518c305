"""Manuscripts that are being checked, one after the other, and the reports of the last ones."""

import secrets
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePath
from threading import Lock
from typing import Any, Literal

import orjson

from citespan.checking import check
from citespan.pipelines.citations.manuscript import read_citations
from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.ranker import DEFAULT
from citespan.serve.problems import BusyError, MissingPageError, Problem, describe
from citespan.serve.report.html import make_html
from citespan.serve.search_server import SearchServer

SUFFIXES = (
    *(".md", ".markdown", ".tex", ".latex", ".docx", ".xml", ".nxml", ".tei", ".txt"),
    *(".json", ".jsonl"),
)
_BIBLIOGRAPHIES = (".bib",)
_MOST_KEPT = 20
_MOST_WAITING = 8

State = Literal["waiting", "checking", "done", "failed"]


@dataclass(slots=True)
class Check:
    """A manuscript that was sent to be checked.

    Attributes:
        name: of its file.
        done, total: numbers of citations; 0 while the manuscript is read.
        problem: why it failed.
        report: the page of `citespan check --html`.
        result: what `citespan check --json` prints, as bytes.
    """

    id: str
    name: str
    state: State = "waiting"
    done: int = 0
    total: int = 0
    problem: Problem | None = None
    report: str = ""
    result: bytes = b""

    def to_json(self) -> dict[str, Any]:
        """Return how far it is as the API does."""
        return {
            "id": self.id,
            "name": self.name,
            "state": self.state,
            "done": self.done,
            "total": self.total,
            "problem": self.problem.message if self.problem is not None else None,
        }


class Checks:
    """Checks manuscripts in a thread of its own."""

    def __init__(self, server: SearchServer) -> None:
        self._server = server
        self._thread = ThreadPoolExecutor(1, "check")
        self._lock = Lock()
        self._kept: OrderedDict[str, Check] = OrderedDict()

    def add(self, files: Mapping[str, bytes]) -> Check:
        """Take a manuscript, which is checked when those before it are.

        Args:
            files: the manuscript, and what it names for its references, by their names.

        Raises:
            InputError: if there is not one manuscript among them.
            BusyError: if too many wait.
        """
        name = _find_manuscript(files)
        with self._lock:
            waiting = sum(one.state in ("waiting", "checking") for one in self._kept.values())
            if waiting >= _MOST_WAITING:
                raise BusyError(f"{waiting} manuscripts wait to be checked; send yours later")
            one = Check(secrets.token_urlsafe(12), name)
            self._kept[one.id] = one
            for old in [
                key for key, kept in self._kept.items() if kept.state in ("done", "failed")
            ]:
                if len(self._kept) > _MOST_KEPT:
                    del self._kept[old]
        self._thread.submit(self._run, one, files)
        return one

    def find(self, key: str) -> Check:
        """Return a check by its id.

        Raises:
            MissingPageError: if there is none, or no longer.
        """
        with self._lock:
            if key not in self._kept:
                raise MissingPageError(
                    f"there is no such check; the last {_MOST_KEPT} are kept until citespan ends"
                )
            return self._kept[key]

    def _run(self, one: Check, files: Mapping[str, bytes]) -> None:
        one.state = "checking"
        folder = Path(tempfile.mkdtemp(prefix="citespan-check-"))
        try:
            for name, content in files.items():
                (folder / name).write_bytes(content)
            found = read_citations(folder / one.name)
            one.total = len(found.citations)

            def count(citations: int) -> None:
                one.done += citations

            checked = check(found, ranker=DEFAULT, client=self._server.connect(), on_checked=count)
            one.report = make_html(checked).replace(f"{folder}/", "")
            one.result = orjson.dumps(
                checked.to_json() | {"manuscript": one.name}, option=orjson.OPT_SERIALIZE_NUMPY
            ).replace(orjson.dumps(f"{folder}/")[1:-1], b"")
            one.state = "done"
        except Exception as error:  # noqa: BLE001  the boundary of the thread: it is shown
            problem = describe(error)
            message = problem.message.replace(f"{folder}/", "")
            one.problem = Problem(problem.status, message, problem.passes)
            one.state = "failed"
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _find_manuscript(files: Mapping[str, bytes]) -> str:
    for name in files:
        if not name.isprintable() or name != PurePath(name).name or name.startswith("."):
            raise InputError("the name of a file can't be used; rename it")
    bibliographies = [one for one in files if one.lower().endswith(_BIBLIOGRAPHIES)]
    manuscripts = [one for one in files if one not in bibliographies]
    if len(manuscripts) != 1:
        raise InputError("send one manuscript, with the .bib files that it names")
    [name] = manuscripts
    if not name.lower().endswith(SUFFIXES):
        raise InputError(
            f"{name}: files of this kind can't be checked; send one that ends in "
            + ", ".join(SUFFIXES)
        )
    return name
