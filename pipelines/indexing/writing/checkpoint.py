"""How far a load has come, in one SQLite file that survives whatever ends the process.

It says which units have been read, and how much of one that has not been read to its end; what
became of their readings, so that the census of a load that was interrupted and resumed is that
of one that was not; and what was about to be written. All that one group of articles changes is
committed at once, after the group is in the index.

While a load uses it, it is locked; the system frees the lock however the process ends.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import CitespanError, InputError
from citespan.pipelines.indexing.census import Census
from citespan.pipelines.indexing.reading.unit import Unit
from citespan.pipelines.indexing.writing.intent import AbstractIntent, Intent

VERSION = 2
_APPLICATION = 0x63737061
_COUNTS = ("indexed", "unchanged", "replaced", "sentences", "spans", "deletions", "deleted")
_SCHEMA = f"""
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {VERSION};
CREATE TABLE load (identity BLOB NOT NULL);
CREATE TABLE units (
    key TEXT PRIMARY KEY, size INTEGER, modified INTEGER, done INTEGER, finished INTEGER,
    {", ".join(f"{name} INTEGER" for name in _COUNTS)}
) WITHOUT ROWID;
CREATE TABLE rejected (unit TEXT, source TEXT, reason TEXT, outcome TEXT);
CREATE INDEX rejected_of ON rejected (unit);
CREATE TABLE articles (id TEXT PRIMARY KEY, source TEXT, unit TEXT) WITHOUT ROWID;
CREATE TABLE intents (
    article TEXT, content TEXT, body BLOB, PRIMARY KEY (article, content)
) WITHOUT ROWID;
CREATE TABLE abstract_intents (pmid TEXT PRIMARY KEY, content TEXT, outcome TEXT) WITHOUT ROWID;
"""


class CheckpointError(InputError):
    """A checkpoint that this load can't use."""


class CheckpointInUseError(CheckpointError):
    """A checkpoint that another load is using."""


class Checkpoint:
    """The checkpoint of one load. Use it in a `with` statement.

    Args:
        file: None for one that is kept in memory, where a load is not to be resumed.
        identity: what makes it the same load: another one is not resumed from it.

    Raises:
        CheckpointError: if the file is of another load or another version, damaged, in use, or
            can't be written.
    """

    def __init__(self, file: Path | None, identity: Mapping[str, Any]) -> None:
        self.file = file
        with self._told():
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(file or ":memory:", timeout=0, isolation_level=None)
        try:
            with self._told():
                self._open(orjson.dumps(identity, option=orjson.OPT_SORT_KEYS))
        except BaseException:
            self._db.close()
            raise
        self.resumed = bool(self._db.execute("SELECT 1 FROM units LIMIT 1").fetchone())
        self.leftovers: dict[str, list[Intent]] = {}
        for [body] in self._db.execute("SELECT body FROM intents"):
            intent = Intent.from_json(body)
            self.leftovers.setdefault(intent.article, []).append(intent)
        self.abstract_leftovers = {
            row[0]: AbstractIntent(*row)
            for row in self._db.execute("SELECT pmid, content, outcome FROM abstract_intents")
        }

    def __enter__(self) -> "Checkpoint":
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def _open(self, identity: bytes) -> None:
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute("BEGIN EXCLUSIVE")
        [application] = self._db.execute("PRAGMA application_id").fetchone()
        [tables] = self._db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if not tables:
            self._db.executescript(f"{_SCHEMA}")
            self._db.execute("INSERT INTO load VALUES (?)", (identity,))
            return
        [version] = self._db.execute("PRAGMA user_version").fetchone()
        if application != _APPLICATION:
            raise CheckpointError(f"{self.file}: not a checkpoint of citespan; name another file")
        if version != VERSION:
            raise CheckpointError(
                f"{self.file}: a checkpoint of another version of citespan; load with --restart"
            )
        [stored] = self._db.execute("SELECT identity FROM load").fetchone()
        if stored != identity:
            raise CheckpointError(
                f"{self.file}: the checkpoint of another load ({_difference(stored, identity)}); "
                "name another file, or load with --restart to throw it away"
            )
        self._db.execute("COMMIT")

    def adopt(self, leftovers: Mapping[str, list[Intent]]) -> None:
        """Take over what another checkpoint, that is thrown away, has noted."""
        self.intend(intent for intents in leftovers.values() for intent in intents)
        self.leftovers.update(leftovers)

    def remove(self) -> None:
        """Delete the file: the load has ended."""
        self._db.close()
        if self.file is not None:
            for ending in ("", "-wal", "-shm"):
                Path(f"{self.file}{ending}").unlink(missing_ok=True)

    def resume(self, unit: Unit) -> tuple[int, bool]:
        """How many readings of a unit are done, and whether these are all.

        What is known of a unit that has changed since is forgotten.
        """
        with self._told():
            row = self._db.execute(
                "SELECT size, modified, done, finished FROM units WHERE key = ?", (unit.key,)
            ).fetchone()
        if row is None:
            return 0, False
        if unit.size < 0 or row[:2] != (unit.size, unit.modified):
            with self._transaction():
                for table, column in (("units", "key"), ("rejected", "unit"), ("articles", "unit")):
                    self._db.execute(f"DELETE FROM {table} WHERE {column} = ?", (unit.key,))  # noqa: S608
            return 0, False
        return int(row[2]), bool(row[3])

    def census(self, unit: Unit) -> Census:
        """What became of the readings of a unit that earlier runs have dealt with."""
        names = ", ".join(_COUNTS)
        counts = self._db.execute(
            f"SELECT {names} FROM units WHERE key = ?",  # noqa: S608
            (unit.key,),
        ).fetchone()
        census = Census(**dict(zip(_COUNTS, counts or [0] * len(_COUNTS), strict=True)))
        for source, reason, outcome in self._db.execute(
            "SELECT source, reason, outcome FROM rejected WHERE unit = ? ORDER BY rowid",
            (unit.key,),
        ):
            census.reject(Rejected(source, reason, outcome))
        return census

    def source_of(self, article: str) -> str | None:
        """Where this load has met an article; None if it has not."""
        with self._told():
            found = self._db.execute("SELECT source FROM articles WHERE id = ?", (article,))
            row = found.fetchone()
        return None if row is None else str(row[0])

    def quarantined_units(self) -> Iterator[str]:
        """The paths of units of which this load has quarantined something."""
        found = self._db.execute("SELECT DISTINCT unit FROM rejected WHERE outcome = 'quarantined'")
        for [key] in found:
            yield key.partition(":")[2]

    def rejected_sources(self) -> Iterator[str]:
        """What this load has skipped or quarantined."""
        for [source] in self._db.execute("SELECT source FROM rejected"):
            yield str(source)

    def intend(self, intents: Iterable[Intent]) -> None:
        """Note what is about to be written."""
        with self._transaction():
            self._db.executemany(
                "INSERT OR REPLACE INTO intents VALUES (?, ?, ?)",
                [(one.article, one.content, one.to_json()) for one in intents],
            )

    def commit(
        self,
        units: Mapping[Unit, tuple[int, bool, Census]],
        articles: Iterable[tuple[str, str, str]],
        settled: Iterable[Intent],
    ) -> None:
        """Note that a group has been dealt with.

        Args:
            units: of each, how many readings were in the group, whether it has ended with them,
                and what became of them.
            articles: id, source and key of the unit of each article in it.
            settled: those that need no more attention.
        """
        with self._transaction():
            for unit, (readings, finished, census) in units.items():
                self._count(unit, readings, finished, census)
            self._db.executemany("INSERT OR IGNORE INTO articles VALUES (?, ?, ?)", articles)
            self._db.executemany(
                "DELETE FROM intents WHERE article = ? AND content = ?",
                [(one.article, one.content) for one in settled],
            )

    def intend_abstracts(self, intents: Iterable[AbstractIntent]) -> None:
        """Note what is about to be done with abstracts."""
        with self._transaction():
            self._db.executemany(
                "INSERT OR REPLACE INTO abstract_intents VALUES (?, ?, ?)",
                [(one.pmid, one.content, one.outcome) for one in intents],
            )

    def commit_abstracts(
        self, units: Mapping[Unit, tuple[int, bool, Census]], pmids: Iterable[str]
    ) -> None:
        """Note that a batch has been dealt with.

        Args:
            units: as in `commit`.
            pmids: of which nothing is to be noted any more.
        """
        with self._transaction():
            for unit, (readings, finished, census) in units.items():
                self._count(unit, readings, finished, census)
            self._db.executemany(
                "DELETE FROM abstract_intents WHERE pmid = ?", [(pmid,) for pmid in pmids]
            )

    def _count(self, unit: Unit, readings: int, finished: bool, census: Census) -> None:
        counts = [getattr(census, name) for name in _COUNTS]
        sums = ", ".join(f"{name} = {name} + excluded.{name}" for name in ("done", *_COUNTS))
        self._db.execute(
            f"INSERT INTO units VALUES ({', '.join('?' * (5 + len(counts)))}) "  # noqa: S608
            f"ON CONFLICT (key) DO UPDATE SET {sums}, finished = excluded.finished",
            (unit.key, unit.size, unit.modified, readings, finished, *counts),
        )
        self._db.executemany(
            "INSERT INTO rejected VALUES (?, ?, ?, ?)",
            [
                (unit.key, one.source, one.reason, one.outcome)
                for one in (*census.skipped, *census.quarantined)
            ],
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._told():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turns what SQLite and the file system raise into one line with a remedy."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise CheckpointInUseError(
                    f"{self.file}: another load is using this checkpoint; wait for it, or name "
                    "another with --checkpoint"
                ) from error
            raise CitespanError(
                f"{self.file}: the checkpoint can't be written ({error}); make room for it, or "
                "name another file with --checkpoint, and repeat the command"
            ) from error
        except sqlite3.DatabaseError as error:
            raise CheckpointError(
                f"{self.file}: not a checkpoint, or damaged ({error}); load with --restart to "
                "throw it away"
            ) from error
        except OSError as error:
            raise CheckpointError(
                f"{error.filename}: the checkpoint can't be kept there ({error.strerror}); name "
                "another file with --checkpoint"
            ) from error


def _difference(stored: bytes, identity: bytes) -> str:
    one, other = orjson.loads(stored), orjson.loads(identity)
    return ", ".join(sorted(key for key in {*one, *other} if one.get(key) != other.get(key)))
