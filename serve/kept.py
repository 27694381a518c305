"""The checks that are done, with what people have decided about their citations: a folder each,
which outlives the server."""

import gzip
import os
import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from citespan.deploy.node.paths import folders, make_folder
from citespan.pipelines.citations.checking import COLUMNS
from citespan.pipelines.citations.decisions import (
    MOST_DECISIONS,
    Decision,
    Matched,
    Subject,
    append_decisions,
    describe_decided,
    describe_states,
    list_problems,
    match_decisions,
    merge_decisions,
    read_decisions,
)
from citespan.pipelines.errors import InputError, raise_if_machine
from citespan.pipelines.shown import format_csv
from citespan.serve.check_process import FILES, MARKDOWN, RESULT, ROWS, STANDALONE, SUBJECTS
from citespan.serve.downloads import ReportKind
from citespan.serve.report.decided import Deciding, fill_decisions, fill_markdown

_KEY = re.compile(r"[A-Za-z0-9_-]{16}")
_ABOUT = "check.json"
_DECISIONS = "decisions.jsonl"
_REMEDY = "correct or delete this line: it is kept, but not counted"
_MOST_KEPT = 100
_MOST_BYTES = 200_000_000  # of all, compressed
_UNFINISHED = ".new-"
_SECONDS_TO_FINISH = 600


@dataclass(frozen=True, slots=True)
class KeptCheck:
    """A check that is done.

    Attributes:
        name: of the manuscript's file.
        citations: their number.
    """

    folder: Path
    name: str
    citations: int

    def read(self, file: str) -> bytes:
        """Return one of the files that its process has written."""
        return gzip.decompress((self.folder / file).read_bytes())

    def read_subjects(self) -> dict[str, Subject]:
        """Return what decisions about each citation are about, by its id."""
        listed = orjson.loads(self.read(SUBJECTS))
        return {name: Subject(*texts) for name, texts in listed.items()}

    def read_lines(self) -> bytes:
        """Return the file of all decisions about it, as it is."""
        file = self.folder / _DECISIONS
        return file.read_bytes() if file.exists() else b""

    def read_decisions(self) -> tuple[list[Decision], list[str]]:
        """Return all decisions about it, and a line for each line of their file that is none.

        Raises:
            InputError: if nothing of the file can be read.
        """
        file = self.folder / _DECISIONS
        name = f"{self.folder.name}/{_DECISIONS}"  # whoever sees it knows the folder by that
        return read_decisions(file, name, _REMEDY) if file.exists() else ([], [])

    def match(self, *, may_be_empty: bool = False) -> Matched | None:
        """Return all decisions about it by its citations; None if their file has no line, unless it
        may have none."""
        decisions, problems = self.read_decisions()
        if not (decisions or problems or may_be_empty):
            return None
        return match_decisions(self.read_subjects(), decisions, problems)

    def add_decisions(self, decisions: list[Decision]) -> None:
        """Keep decisions that are not kept yet.

        Raises:
            InputError: if there are too many, or they can't be kept.
        """
        before = {*self.read_decisions()[0]}
        new = [decision for decision in merge_decisions(decisions) if decision not in before]
        if len(before) + len(new) > MOST_DECISIONS:
            raise InputError(f"of a check, {MOST_DECISIONS:,} decisions can be kept")
        if new:
            append_decisions(self.folder / _DECISIONS, new)

    def show(self, file: str, deciding: Deciding | None = None) -> str:
        """Return a report with what is decided."""
        matched = self.match(may_be_empty=deciding is not None)
        return fill_decisions(self.read(file).decode(), matched, deciding)

    def describe(self) -> bytes:
        """Return what `citespan check --json` prints, with what is decided."""
        matched = self.match()
        if matched is None:
            return self.read(RESULT)
        result = orjson.loads(self.read(RESULT))
        result["citations"] = [
            citation | describe_decided(citation["id"], matched) for citation in result["citations"]
        ]
        result["problems"] += matched.problems
        return orjson.dumps(result | describe_states(matched))

    def write(self, kind: ReportKind) -> str | bytes:
        """Return a report as a file, with what is decided."""
        if kind == "html":
            return self.show(STANDALONE)
        if kind == "json":
            return self.describe()
        matched = self.match()
        if kind == "md":
            return fill_markdown(self.read(MARKDOWN).decode(), matched)
        rows = orjson.loads(self.read(ROWS))
        for row in rows:
            if matched is not None and row["id"] is not None:
                decided = "; ".join(map(str, matched.find(row["id"])))
                row |= {"decision": matched.states[row["id"]], "decisions": decided}
        problems = [{"manuscript": self.name} | row for row in list_problems(matched)]
        return format_csv(COLUMNS, [*rows, *problems])


class KeptChecks:
    """The folder of the checks that are done, which only this user can enter.

    Args:
        folder: None for that of this user; if it can't be written, checks are kept as long as the
            server runs.
        meanwhile: where to keep them then.

    Attributes:
        warning: why they are kept as long as the server runs; "" if they are kept for good.

    Raises:
        InputError: if a folder that is named can't be written.
    """

    def __init__(self, folder: Path | None, meanwhile: Path) -> None:
        self.warning = ""
        try:
            self._folder = _make_private(folder or make_folder(folders().state) / "checks")
        except (OSError, InputError) as error:
            if folder is not None:
                raise InputError(f"`keep={folder}`: can't be written to: {error}") from error
            self.warning = f"reports and decisions are kept until citespan ends: {error}"
            self._folder = _make_private(meanwhile)
        for left in self._folder.glob(f"{_UNFINISHED}*"):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > _SECONDS_TO_FINISH:
                    shutil.rmtree(left)

    def put(self, key: str, made: Path, name: str, citations: int) -> None:
        """Keep the files that the process of a check has written.

        Raises:
            MachineError: if there is no room for them.
        """
        try:
            new = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=self._folder))
            for file in FILES:
                shutil.copyfile(made / file, new / file)
            about: Mapping[str, Any] = {"name": name, "citations": citations}
            (new / _ABOUT).write_bytes(orjson.dumps(about))
            new.rename(self._folder / key)
        except OSError as error:
            raise_if_machine(error)
            raise
        self._delete_oldest()

    def find(self, key: str) -> KeptCheck | None:
        """Return a check by its id; None if there is none, or no longer."""
        folder = self._folder / key
        if not _KEY.fullmatch(key):
            return None
        try:
            about = orjson.loads((folder / _ABOUT).read_bytes())
            return KeptCheck(folder, str(about["name"]), int(about["citations"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def delete(self, key: str) -> None:
        """Delete a check with what was decided."""
        if _KEY.fullmatch(key):
            shutil.rmtree(self._folder / key, ignore_errors=True)

    def _delete_oldest(self) -> None:
        """Delete the oldest beyond what is kept, first of those about which nobody has decided."""
        found: list[tuple[bool, float, int, str]] = []
        for folder in self._folder.iterdir():
            with suppress(OSError, ValueError):
                if _KEY.fullmatch(folder.name):
                    files = {file.name: file.stat() for file in folder.iterdir()}
                    last = max(state.st_mtime for state in files.values())
                    size = sum(state.st_size for state in files.values())
                    found.append((_DECISIONS in files, last, size, folder.name))
        left = sum(size for *_, size, _ in found)
        for place, (*_, size, key) in enumerate(sorted(found)):
            if left <= _MOST_BYTES and len(found) - place <= _MOST_KEPT:
                return
            left -= size
            self.delete(key)


def _make_private(folder: Path) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(13, "Permission denied", str(folder))
    folder.chmod(0o700)
    return folder
