"""What was read of a folder of articles, kept in one SQLite file.

For each file or archive it has the state in which that was read and what was no article in it; for
each article the entry of the catalogue, the documents of its sentences and how often each term
occurs, as a load would give them to Elasticsearch. A file of another version is filled anew.

Several processes may use the file at once, of which one reads the folder (`reading.py`). Articles
that are read again take the place of the former ones in one step, when the last of their file has
been read; SQLite does what it takes.
"""

import hashlib
import secrets
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from threading import RLock
from typing import Any

import orjson

from citespan.es_mappings import articles
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import slug
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.errors import CitespanError, InputError, MachineError
from citespan.pipelines.store.layout import shared_layout
from citespan.pipelines.store.operation import MOST_BYTES

_APPLICATION = 0x63697465
_SECONDS_TO_LOCK = 60.0
_LARGEST_CACHE = -16_000  # KB, as SQLite wants it
_TABLES = (
    "CREATE TABLE made_by (version TEXT)",
    "CREATE TABLE units (unit TEXT PRIMARY KEY, reading INTEGER, size INTEGER, modified INTEGER, "
    "rejected BLOB)",
    "CREATE TABLE articles (number INTEGER PRIMARY KEY, unit TEXT, reading INTEGER, slug TEXT, "
    "entry BLOB, lengths BLOB, documents BLOB, terms INTEGER)",
    "CREATE INDEX articles_by_unit ON articles (unit)",
    "CREATE TABLE terms (term TEXT, article INTEGER, occurrences INTEGER, "
    "PRIMARY KEY (term, article)) WITHOUT ROWID",
)
_FORMER = "FROM articles WHERE unit = ? AND reading != ?"
_FORGETTING = (
    f"DELETE FROM terms WHERE article IN (SELECT number {_FORMER})",  # noqa: S608  our own words
    f"DELETE {_FORMER}",
)
_READING_BITS = 62

State = tuple[int, int]
"""The size of a file and the time of its last change."""


@dataclass(frozen=True, slots=True)
class ReadArticle:
    """An article as it is kept.

    Attributes:
        documents: of its sentences, as one JSON array.
        terms: all that its text has, each with the number of its occurrences.
    """

    entry: ArticleEntry
    documents: bytes
    terms: Counter[str]


@dataclass(frozen=True, slots=True)
class KeptEntry:
    """The entry of an article, without the lengths of its sentences.

    Attributes:
        number: of the article in the file.
        unit: the file or archive that it was read from, relative to the folder.
        terms: how many its text has.
    """

    number: int
    unit: str
    slug: str
    source: Mapping[str, Any]
    terms: int


class KeptArticles:
    """The articles in one file; may be used by several threads.

    Args:
        file: it is made if it does not exist.

    Raises:
        OSError: if it can't be written to.
        InputError: if it is a file of something else.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = RLock()
        _require_own(file)
        self._connection = self._open()

    @property
    def description(self) -> str:
        """Where the articles are kept, for messages."""
        return f"kept in {source_of(self.file)}"

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _open(self) -> sqlite3.Connection:
        try:
            return _open(self.file)
        except sqlite3.OperationalError as error:
            raise OSError(f"{self.file}: {error}") from error
        except sqlite3.DatabaseError:  # it is damaged, and the folder has all that it had
            self.file.unlink()
            return _open(self.file)

    @property
    def state(self) -> tuple[int, int]:
        """What changes when anybody writes to the file, this process or another."""
        with self._read("PRAGMA data_version") as rows:
            return int(next(rows)[0]), self._connection.total_changes

    def read_states(self) -> dict[str, State]:
        """Return the state in which each unit was read whole."""
        with self._read("SELECT unit, size, modified FROM units") as rows:
            return {unit: (size, modified) for unit, size, modified in rows}

    def read_rejected(self) -> Iterator[Rejected]:
        """Yield what was no article in the units, in their order."""
        with self._read("SELECT rejected FROM units ORDER BY unit") as rows:
            for (rejected,) in rows:
                yield from (Rejected(*fields) for fields in orjson.loads(rejected))

    def read_entries(self) -> list[KeptEntry]:
        """Return the entries of all articles of units that were read whole, in their order."""
        query = (
            "SELECT number, unit, slug, entry, terms FROM articles "
            "JOIN units USING (unit, reading) ORDER BY unit, number"
        )
        with self._read(query) as rows:
            return [
                KeptEntry(number, unit, name, orjson.loads(entry), terms)
                for number, unit, name, entry, terms in rows
            ]

    def read_lengths(self, number: int) -> list[int]:
        """Return the length of each sentence of an article, in terms; none if it is gone."""
        with self._read("SELECT lengths FROM articles WHERE number = ?", number) as rows:
            return orjson.loads(next(rows, (b"[]",))[0])  # type: ignore[no-any-return]

    def read_documents(self, number: int) -> list[dict[str, Any]]:
        """Return the documents of an article's sentences, in order; none if it is gone."""
        with self._read("SELECT documents FROM articles WHERE number = ?", number) as rows:
            found = next(rows, None)
            return orjson.loads(_unpack(found[0])) if found is not None else []

    def read_occurrences(self, term: str) -> list[tuple[int, int]]:
        """Return the numbers of the articles that have a term, with its occurrences in each."""
        with self._read("SELECT article, occurrences FROM terms WHERE term = ?", term) as rows:
            return list(rows)

    def add(self, unit: str, reading: int, some: Iterable[ReadArticle]) -> None:
        """Add articles of a unit, which are found once it has been read whole.

        Args:
            reading: of the unit, from `begin_reading`.
        """
        with self._write() as connection:
            for article in some:
                entry = article.entry.to_dict(skip_empty=True)
                lengths = entry.pop("lengths", [])
                added = connection.execute(
                    "INSERT INTO articles (unit, reading, slug, entry, lengths, documents, terms) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (
                        unit,
                        reading,
                        slug(article.entry.article),
                        orjson.dumps(entry),
                        orjson.dumps(lengths),
                        zlib.compress(article.documents, 1),
                        article.terms.total(),
                    ),
                )
                connection.executemany(
                    "INSERT INTO terms VALUES (?, ?, ?)",
                    ((term, added.lastrowid, count) for term, count in article.terms.items()),
                )

    def end(self, unit: str, reading: int, state: State, rejected: Sequence[Rejected]) -> None:
        """Note that a unit has been read whole, and what was no article in it; what was read of it
        before is forgotten."""
        described = orjson.dumps(
            [(rejection.source, rejection.reason, rejection.outcome) for rejection in rejected]
        )
        with self._write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO units VALUES (?, ?, ?, ?, ?)",
                (unit, reading, *state, described),
            )
            _forget(connection, unit, reading)

    def forget(self, unit: str) -> None:
        """Forget what was read of a unit, which is gone."""
        with self._write() as connection:
            connection.execute("DELETE FROM units WHERE unit = ?", (unit,))
            _forget(connection, unit, -1)

    @contextmanager
    def _read(self, query: str, *values: object) -> Iterator[Iterator[Any]]:
        with self._lock, self._explain_errors():
            cursor = self._connection.execute(query, values)
            try:
                yield cursor
            finally:
                cursor.close()

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._explain_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            with self._connection:  # it commits, or undoes everything
                yield self._connection

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise MachineError(f"{self.file}: can't be used at the moment: {error}") from error
        except (sqlite3.DatabaseError, zlib.error, orjson.JSONDecodeError) as error:
            raise CitespanError(
                f"{self.file}: damaged ({error}); delete it, and the folder is read again"
            ) from error


def _unpack(documents: bytes) -> bytes:
    """Return the documents of an article, at most as much as a load takes of one."""
    return zlib.decompressobj().decompress(documents, MOST_BYTES)


def begin_reading() -> int:
    """Return a number by which the articles of one reading of a unit are known."""
    return secrets.randbits(_READING_BITS)


def _forget(connection: sqlite3.Connection, unit: str, reading: int) -> None:
    """Forget the articles of all other readings of a unit."""
    # Terms are not indexed by articles, which would double them: all are looked through.
    found = connection.execute(f"SELECT 1 {_FORMER}", (unit, reading))
    if found.fetchone() is not None:
        for statement in _FORGETTING:
            connection.execute(statement, (unit, reading))


def _require_own(file: Path) -> None:
    """Raise an InputError if a file is there that is not one of these, and not empty."""
    try:
        with file.open("rb") as stream:
            head = stream.read(72)
    except FileNotFoundError:
        return
    own = head.startswith(b"SQLite format 3\0") and head[68:] == _APPLICATION.to_bytes(4)
    if head and not own:
        raise InputError(
            f"{file}: is where what was read of a folder is kept, and is something else; rename it"
        )


def _open(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        file, timeout=_SECONDS_TO_LOCK, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute(f"PRAGMA cache_size = {_LARGEST_CACHE}")
        connection.execute("PRAGMA trusted_schema = OFF")  # the file may be of somebody else
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            if _read_version(connection) != _make_version():
                _create(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _read_version(connection: sqlite3.Connection) -> str:
    try:
        [[found]] = connection.execute("SELECT version FROM made_by")
    except (sqlite3.OperationalError, ValueError):  # no such table, or no line in it
        return ""
    return str(found)


def _create(connection: sqlite3.Connection) -> None:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in tables:
        connection.execute(f'DROP TABLE "{table}"')
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute("INSERT INTO made_by VALUES (?)", (_make_version(),))


@cache
def _make_version() -> str:
    """Return what changes when a file would have other contents."""
    tables = hashlib.sha256("\n".join(_TABLES).encode()).hexdigest()
    return f"{tables} {articles.VERSION} {shared_layout().version} {version('citespan')}"
