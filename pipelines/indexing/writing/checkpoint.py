"""How far a load has come, in one SQLite file that survives whatever ends the process.

It stores which units have been read, and how much of a unit that has not been read to its end;
what became of their readings, so that the report of a resumed load covers all inputs; and the
groups whose writing has begun. What one group of articles changes is committed in one transaction,
after the group is in the index.

While a load uses it, the file is locked; the system releases the lock however the process ends.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from secrets import token_hex
from threading import RLock
from types import MappingProxyType
from typing import Any

import orjson

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import CitespanError, InputError, MachineError, raise_if_machine
from citespan.pipelines.indexing.reading.unit import Unit
from citespan.pipelines.indexing.report import COUNTS, LoadReport
from citespan.pipelines.store.edition import GROUP_BYTES, Place

VERSION = 4
_APPLICATION = 0x63737061
_HEADER, _APPLICATION_AT = b"SQLite format 3\0", 68  # https://sqlite.org/fileformat.html
_DISK = frozenset((sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR))
_KEYS_AT_ONCE = 10_000
_SCHEMA = (
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
    "CREATE TABLE load (identity BLOB NOT NULL, lease TEXT NOT NULL)",
    "CREATE TABLE indices (target TEXT, name TEXT, identity TEXT, PRIMARY KEY (target, name))",
    "CREATE TABLE units (key TEXT PRIMARY KEY, target TEXT, size INTEGER, modified INTEGER, "
    f"done INTEGER, finished INTEGER, {', '.join(f'{name} INTEGER' for name in COUNTS)}) "
    "WITHOUT ROWID",
    "CREATE TABLE stored (unit TEXT, names BLOB)",
    "CREATE INDEX stored_of ON stored (unit)",
    "CREATE TABLE rejected (unit TEXT, source TEXT, reason TEXT, outcome TEXT)",
    "CREATE INDEX rejected_of ON rejected (unit)",
    "CREATE TABLE articles (id TEXT PRIMARY KEY, source TEXT, unit TEXT) WITHOUT ROWID",
    "CREATE TABLE unfinished (name TEXT, place BLOB)",
)


_OF_UNITS = {"units": "key", "stored": "unit", "rejected": "unit", "articles": "unit"}


class CheckpointError(InputError):
    """A checkpoint that this load can't use."""


class CheckpointInUseError(CheckpointError):
    """A checkpoint that another load is using."""


class Checkpoint:
    """The checkpoint of one load. Use it in a `with` statement, from any thread.

    Args:
        file: None for one in memory, if the load is not to be resumed.
        identity: what makes it the same load; another load does not resume from it.
        restart: whether to forget how far the load has come.
        owned: whether the file is in a folder of citespan's own, so that `restart` may delete it
            even if it is damaged beyond recognition.

    Attributes:
        resumed: whether an earlier run has left something in it.
        lease: the token of the lease of the run that has used it last, which has ended; "" if
            there was none.
        unfinished: groups of earlier runs whose writing has begun and was not committed, each
            with the places of the editions that it was about to replace or write.

    Raises:
        CheckpointError: if the file is of another load or another version, damaged, in use, no
            checkpoint, or can't be written.
        MachineError: if there is no room for it.
    """

    def __init__(
        self,
        file: Path | None,
        identity: Mapping[str, Any],
        restart: bool = False,
        owned: bool = False,
    ) -> None:
        self.file = file
        self._owned = owned
        self._lock = RLock()
        described = orjson.dumps(identity, option=orjson.OPT_SORT_KEYS)
        try:
            self._open(described, restart)
        except CheckpointInUseError:
            raise
        except CheckpointError:
            if not restart or not self._is_recognised():
                raise
            self._delete_files()
            self._open(described, restart)

    def __enter__(self) -> "Checkpoint":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        with self._lock:  # a thread that reads ahead may be using it
            self._db.close()

    def _open(self, identity: bytes, restart: bool) -> None:
        with self._translate_errors():
            if self.file is not None:
                self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                self.file or ":memory:", timeout=0, isolation_level=None, check_same_thread=False
            )
        try:
            with self._translate_errors():
                self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
                self._db.execute("BEGIN EXCLUSIVE")
                self._db.execute("COMMIT")
                is_empty = not self._read("SELECT 1 FROM sqlite_schema LIMIT 1")
                if not is_empty:
                    self._check_format()
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = FULL")
                if is_empty:
                    self._create(identity)
            if restart:
                self._forget(identity)
            with self._translate_errors():
                self._check_identity(identity)
                self._read_state()
        except BaseException:
            self._db.close()
            raise

    def _create(self, identity: bytes) -> None:
        with self._transaction():
            for statement in _SCHEMA:
                self._db.execute(statement)
            self._db.execute("INSERT INTO load VALUES (?, '')", (identity,))
        # Now the file itself, not only its journal, says that it is a checkpoint.
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _check_format(self) -> None:
        [[application]] = self._read("PRAGMA application_id")
        [[version]] = self._read("PRAGMA user_version")
        if application != _APPLICATION:
            remedy = "load with `restart` to overwrite it" if self._owned else "name another file"
            raise CheckpointError(f"{self.file}: not a checkpoint of citespan; {remedy}")
        if version != VERSION:
            raise CheckpointError(
                f"{self.file}: a checkpoint of another version of citespan; load with `restart`"
            )

    def _check_identity(self, identity: bytes) -> None:
        stored = self._read("SELECT identity FROM load")
        if len(stored) != 1:
            raise CheckpointError(f"{self.file}: a damaged checkpoint; load with `restart`")
        if stored[0][0] != identity:
            raise CheckpointError(
                f"{self.file}: the checkpoint of another load "
                f"({_find_difference(stored[0][0], identity)}); name another file, or load with "
                "`restart` to overwrite it"
            )

    def _read_state(self) -> None:
        self.resumed = bool(self._read("SELECT 1 FROM units LIMIT 1"))
        [[self.lease]] = self._read("SELECT lease FROM load")
        self.unfinished: dict[str, list[Place]] = {}
        for name, place in self._read("SELECT name, place FROM unfinished"):
            places = self.unfinished.setdefault(name, [])
            if place is not None:
                places.append(Place(**orjson.loads(place)))

    def _is_recognised(self) -> bool:
        """Whether the file, though damaged, is a checkpoint for certain."""
        if self._owned or self.file is None:
            return True
        try:
            with self.file.open("rb") as file:
                start = file.read(_APPLICATION_AT + 4)
        except OSError:
            return False
        return start.startswith(_HEADER) and start[_APPLICATION_AT:] == _APPLICATION.to_bytes(4)

    def _forget(self, identity: bytes) -> None:
        """Begin anew, but keep the lease, and what the groups that have been begun may have left.

        All tables are created again, since a damaged file may say something else of them.
        """
        with self._transaction():
            [[checked]] = self._read("PRAGMA quick_check(1)")
            if checked != "ok":
                raise sqlite3.DatabaseError(checked)
            [[lease]] = self._read("SELECT lease FROM load")
            unfinished = self._read("SELECT name, place FROM unfinished")
            for table in ("load", "indices", *_OF_UNITS, "unfinished"):
                self._db.execute(f"DROP TABLE {table}")
            for statement in _SCHEMA:
                self._db.execute(statement)
            self._db.execute("INSERT INTO load VALUES (?, ?)", (identity, lease))
            self._db.executemany("INSERT INTO unfinished VALUES (?, ?)", unfinished)

    def remove(self) -> None:
        """Delete the file: the load has ended."""
        self._close()
        self._delete_files()

    def _delete_files(self) -> None:
        if self.file is not None:
            for ending in ("", "-wal", "-shm"):
                Path(f"{self.file}{ending}").unlink(missing_ok=True)

    def resume(self, unit: Unit) -> tuple[int, bool]:
        """Return how many readings of a unit are done, and whether these are all.

        What is stored about a unit that has changed since is forgotten.
        """
        rows = self._read(
            "SELECT size, modified, done, finished FROM units WHERE key = ?", unit.key
        )
        if not rows:
            return 0, False
        [row] = rows
        if unit.size < 0 or row[:2] != (unit.size, unit.modified):
            self.forget([unit.key])
            return 0, False
        return int(row[2]), bool(row[3])

    def count_done(self, unit: str) -> int:
        """Return how many readings of a unit are done, by its key."""
        rows = self._read("SELECT done FROM units WHERE key = ?", unit)
        return int(rows[0][0]) if rows else 0

    def begin_anew(self, target: str) -> bool:
        """Forget all that was written into a target; return whether there was anything."""
        units = self.list_units(target)
        self.forget(units)
        return bool(units)

    def forget(self, units: Iterable[str]) -> None:
        """Forget what was done of units, by their keys, so that they are read again."""
        keys = [(key,) for key in units]
        with self._transaction():
            for table, column in _OF_UNITS.items():
                self._db.executemany(f"DELETE FROM {table} WHERE {column} = ?", keys)  # noqa: S608

    def list_units(self, target: str) -> list[str]:
        """Return the keys of the units from which anything was written into a target."""
        return [key for [key] in self._read("SELECT key FROM units WHERE target = ?", target)]

    def list_stored(self, target: str) -> Iterator[tuple[str, str]]:
        """Yield the key of the unit and the id of everything that a target has stored."""
        for unit in self.list_units(target):
            for [names] in self._read("SELECT names FROM stored WHERE unit = ?", unit):
                for name in orjson.loads(names):
                    yield unit, name

    def indices(self, target: str) -> dict[str, str]:
        """Return what identifies the indices that a target was writing into."""
        return dict(self._read("SELECT name, identity FROM indices WHERE target = ?", target))

    def remember_indices(self, target: str, identities: Mapping[str, str]) -> None:
        """Store what identifies the indices that a target writes into."""
        rows = [(target, name, identity) for name, identity in identities.items()]
        with self._transaction():
            self._db.execute("DELETE FROM indices WHERE target = ?", (target,))
            self._db.executemany("INSERT INTO indices VALUES (?, ?, ?)", rows)

    def report(self, unit: Unit) -> LoadReport:
        """Return what earlier runs did with the readings of a unit."""
        rows = self._read(f"SELECT {', '.join(COUNTS)} FROM units WHERE key = ?", unit.key)  # noqa: S608
        report = LoadReport(**dict(zip(COUNTS, rows[0], strict=True))) if rows else LoadReport()
        for rejected in self.rejections([unit.key]):
            report.reject(rejected)
        return report

    def source_of(self, article: str) -> str | None:
        """Return where this load has read an article; None if it has not."""
        rows = self._read("SELECT source FROM articles WHERE id = ?", article)
        return str(rows[0][0]) if rows else None

    def has_finished(self, keys: Sequence[str]) -> bool:
        """Whether this load has read a unit with one of these keys to its end."""
        some = ", ".join("?" * len(keys))
        found = self._read(f"SELECT 1 FROM units WHERE finished AND key IN ({some})", *keys)  # noqa: S608
        return bool(found)

    def rejections(self, keys: Sequence[str]) -> Iterator[Rejected]:
        """Yield what this load has skipped or quarantined of the units with these keys."""
        some = ", ".join("?" * len(keys))
        for row in self._read(
            f"SELECT source, reason, outcome FROM rejected WHERE unit IN ({some}) ORDER BY rowid",  # noqa: S608
            *keys,
        ):
            yield Rejected(*row)

    def forget_absent_units(self) -> None:
        """Forget the units whose files are gone since an earlier run has read them."""
        last = ""
        while keys := self._read(
            "SELECT key FROM units WHERE key > ? ORDER BY key LIMIT ?", last, _KEYS_AT_ONCE
        ):
            for [key] in keys:
                if not os.path.lexists(key.partition(":")[2]):
                    self.forget([key])
            last = keys[-1][0]

    def remember_lease(self, token: str) -> None:
        """Store the lease of this run, for the next one to take its place."""
        with self._transaction():
            self._db.execute("UPDATE load SET lease = ?", (token,))

    def begin_group(self, replaced: Iterable[Place]) -> str:
        """Return a name for the next group that no other group of any load has, not even of one
        that goes on from a copy of this file, and store that its writing begins.

        Args:
            replaced: the places of the editions that it will replace.
        """
        group = token_hex(GROUP_BYTES)
        with self._transaction():
            self._db.execute("INSERT INTO unfinished VALUES (?, NULL)", (group,))
            self._add_places(group, replaced)
        return group

    def add_places(self, group: str, places: Iterable[Place]) -> None:
        """Store further editions that a group will replace or write."""
        with self._transaction():
            self._add_places(group, places)

    def _add_places(self, group: str, places: Iterable[Place]) -> None:
        rows = [(group, orjson.dumps(asdict(place))) for place in places]
        self._db.executemany("INSERT INTO unfinished VALUES (?, ?)", rows)

    def commit(
        self,
        units: Mapping[Unit, tuple[int, bool, LoadReport]],
        articles: Iterable[tuple[str, str, str]] = (),
        group: str = "",
        target: str = "",
        stored: Mapping[Unit, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        """Store that a group is done.

        Args:
            units: of each, how many readings the group had, whether it ended with them, and what
                became of them.
            articles: id, source and key of the unit of each article in the group.
            group: its name, if anything was written.
            target: where it was written.
            stored: the ids of what is there now, by unit.
        """
        with self._transaction():
            for unit, (readings, finished, report) in units.items():
                self._count(unit, target, readings, finished, report)
            self._db.executemany(
                "INSERT INTO stored VALUES (?, ?)",
                [(unit.key, orjson.dumps(names)) for unit, names in stored.items()],
            )
            self._db.executemany("INSERT OR IGNORE INTO articles VALUES (?, ?, ?)", articles)
            self._db.execute("DELETE FROM unfinished WHERE name = ?", (group,))

    def _count(
        self, unit: Unit, target: str, readings: int, finished: bool, report: LoadReport
    ) -> None:
        counts = [getattr(report, name) for name in COUNTS]
        sums = ", ".join(f"{name} = {name} + excluded.{name}" for name in ("done", *COUNTS))
        self._db.execute(
            f"INSERT INTO units VALUES ({', '.join('?' * (6 + len(counts)))}) "  # noqa: S608
            f"ON CONFLICT (key) DO UPDATE SET {sums}, finished = excluded.finished",
            (unit.key, target, unit.size, unit.modified, readings, finished, *counts),
        )
        self._db.executemany(
            "INSERT INTO rejected VALUES (?, ?, ?, ?)",
            [
                (unit.key, rejected.source, rejected.reason, rejected.outcome)
                for rejected in (*report.skipped, *report.quarantined)
            ],
        )

    def _read(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self._lock, self._translate_errors():
            return self._db.execute(statement, parameters).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, self._translate_errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Turn what SQLite and the file system raise into one line with a remedy."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_ERROR:  # a table or a column is missing
                raise self._describe_damage(error) from error
            if "locked" in str(error):
                raise CheckpointInUseError(
                    f"{self.file}: another load is using this checkpoint; wait for it, or name "
                    "another with `checkpoint`"
                ) from error
            problem = MachineError if error.sqlite_errorcode & 0xFF in _DISK else CitespanError
            raise problem(
                f"{self.file}: the checkpoint can't be written ({error}); make room for it, or "
                "name another file with `checkpoint`, and repeat the command"
            ) from error
        except (sqlite3.DatabaseError, ValueError, TypeError) as error:
            raise self._describe_damage(error) from error
        except OSError as error:
            raise_if_machine(error)
            raise CheckpointError(
                f"{error.filename}: the checkpoint can't be kept there ({error.strerror}); name "
                "another file with `checkpoint`"
            ) from error

    def _describe_damage(self, error: Exception) -> CheckpointError:
        remedy = (
            "load with `restart` to overwrite it"
            if self._is_recognised()
            else "delete it, or name another file"
        )
        return CheckpointError(f"{self.file}: not a checkpoint, or damaged ({error}); {remedy}")


def _find_difference(stored: bytes, identity: bytes) -> str:
    before, other = orjson.loads(stored), orjson.loads(identity)
    return ", ".join(sorted(key for key in {*before, *other} if before.get(key) != other.get(key)))
