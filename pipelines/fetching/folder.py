"""The folder that articles are fetched into, with a journal of what is known and done.

Whatever ends the process, a file is there whole or not at all, and the journal lacks at most what
was being done: a line is written after what it tells, and one that was cut off is left out.
"""

import fcntl
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

import orjson

from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.errors import InputError, MachineError, raise_if_machine

ARTICLES: Final = "articles"
ABSTRACTS: Final = "abstracts"
JOURNAL: Final = "fetched.jsonl"


class FetchFolder:
    """A folder with `articles/PMC12.xml`, `abstracts/34.xml` and the journal; only one process
    fetches into it at a time.

    Args:
        path: it is made if it does not exist.

    Raises:
        InputError: if it can't be written to, another process fetches into it, or its journal is
            none.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[str, dict[str, Any]] = {}
        self.done: dict[str, dict[str, Any]] = {}
        try:
            for folder in (path / ARTICLES, path / ABSTRACTS):
                folder.mkdir(parents=True, exist_ok=True)
            self._journal: IO[bytes] = (path / JOURNAL).open("ab+")
        except OSError as error:
            raise_if_machine(error)
            raise InputError(f"{source_of(path)}: can't be written to: {error.strerror}") from error
        try:
            fcntl.flock(self._journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read()
        except BlockingIOError as error:
            self._journal.close()
            raise InputError(f"{source_of(path)}: another command fetches into it") from error
        except BaseException:
            self._journal.close()
            raise

    def __enter__(self) -> "FetchFolder":
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()

    def has(self, folder: str, name: str) -> bool:
        """Whether a file of `articles` or `abstracts` is there."""
        return (self.path / folder / name).is_file()

    def is_done(self, key: str) -> bool:
        """Whether what is wanted by this key is dealt with, and its files are still there."""
        done = self.done.get(key)
        return done is not None and all((self.path / file).is_file() for file in done["files"])

    def write(self, folder: str, name: str, data: bytes) -> None:
        """Write a file of `articles` or `abstracts`: whole, or not at all.

        Raises:
            MachineError: if it can't be written.
        """
        target = self.path / folder / name
        unfinished = target.with_name(f".{name}.part")
        try:
            with unfinished.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(target)
        except OSError as error:
            with suppress(OSError):
                unfinished.unlink()
            raise _explain(target, error) from error

    def remember_known(self, key: str, known: dict[str, Any]) -> None:
        """Record what is known of what is wanted by this key."""
        self._append({"wanted": key, "known": known})
        self.known[key] = known

    def remember_done(self, key: str, outcome: dict[str, Any]) -> None:
        """Record what has become of what is wanted by this key."""
        self._append({"wanted": key, "done": outcome})
        self.done[key] = outcome

    def forget(self, outcomes: Mapping[str, dict[str, Any]]) -> None:
        """Forget what was known of these, which are asked for again."""
        for key in outcomes:
            self.known.pop(key, None)
            self.done.pop(key, None)

    def _append(self, line: dict[str, Any]) -> None:
        try:
            self._journal.write(orjson.dumps(line) + b"\n")
            self._journal.flush()
            os.fsync(self._journal.fileno())
        except OSError as error:
            raise _explain(self.path / JOURNAL, error) from error

    def _read(self) -> None:
        self._journal.seek(0)
        whole = 0
        for number, line in enumerate(self._journal, 1):
            if not line.endswith(b"\n"):
                break
            try:
                read = orjson.loads(line)
                stored = self.known if "known" in read else self.done
                stored[read["wanted"]] = read["known"] if "known" in read else read["done"]
            except (orjson.JSONDecodeError, KeyError, TypeError) as error:
                place = f"{source_of(self.path / JOURNAL)}:{number}"
                raise InputError(f"{place}: not a line of a journal; delete the file") from error
            whole += len(line)
        self._journal.truncate(whole)
        self._journal.seek(0, os.SEEK_END)


def _explain(place: Path, error: OSError) -> MachineError:
    return MachineError(f"{source_of(place)}: can't be written: {error.strerror}")
