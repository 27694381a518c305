"""Zotero: its data folder, read from `zotero.sqlite`, and items as its add-on Better BibTeX exports
them to JSON, whose fields have the same names."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import quote

from citespan.pipelines.corpus.bibliographies.fields import find_text, make_reference
from citespan.pipelines.corpus.publication import Publication, find_year, join_name
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.errors import InputError

DATABASE = "zotero.sqlite"
_STORED = "storage:"
_JOURNALS = (
    *("publicationTitle", "journalAbbreviation", "proceedingsTitle", "bookTitle"),
    *("repository", "publisher"),
)
_LONGEST_VALUE = 2**20
_STEPS, _MOST_STEPS = 1_000_000, 500  # of SQLite's machine, a thousand times what a library takes
_NO_ITEMS = "('attachment', 'note', 'annotation')"
_VALUES = f"""
    SELECT i.itemID, i.key, f.fieldName, v.value
    FROM items i JOIN itemTypes t USING (itemTypeID)
    LEFT JOIN itemData d ON d.itemID = i.itemID
    LEFT JOIN fields f USING (fieldID) LEFT JOIN itemDataValues v USING (valueID)
    WHERE t.typeName NOT IN {_NO_ITEMS} AND i.itemID NOT IN (SELECT itemID FROM deletedItems)
    ORDER BY i.itemID"""  # noqa: S608  of constants
_CREATORS = """
    SELECT ic.itemID, c.lastName, c.firstName
    FROM itemCreators ic JOIN creators c USING (creatorID) JOIN creatorTypes t USING (creatorTypeID)
    WHERE t.creatorType = 'author' ORDER BY ic.itemID, ic.orderIndex"""
_ATTACHED = """
    SELECT a.parentItemID, i.key, a.path FROM itemAttachments a JOIN items i USING (itemID)
    WHERE a.path IS NOT NULL AND i.itemID NOT IN (SELECT itemID FROM deletedItems)
    ORDER BY i.itemID"""
_COUNT = f"""
    SELECT COUNT(*) FROM items i JOIN itemTypes t USING (itemTypeID)
    WHERE t.typeName NOT IN {_NO_ITEMS} AND i.itemID NOT IN (SELECT itemID FROM deletedItems)
    """  # noqa: S608  of constants


def make_item(
    place: str, key: str, fields: Mapping[str, Any], authors: Sequence[str], files: Iterable[str]
) -> Reference | str:
    """Return an item by the names that Zotero gives its fields; a line if it says nothing."""
    return make_reference(
        place,
        {kind.lower(): find_text(fields, kind) for kind in ("PMID", "PMCID", "DOI")},
        key=find_text(fields, "citationKey", "citekey"),
        authors=authors,
        title=find_text(fields, "title"),
        year=find_year(find_text(fields, "date")),
        journal=find_text(fields, *_JOURNALS),
        pages=[find_text(fields, "url")],
        files=files,
        notes=[find_text(fields, "extra")],
        other_key=key,
        shown=("pmid", "doi"),
    )


def read_zotero(database: Path, source: str) -> Iterator[Reference | str]:
    """Yield the items of a Zotero database with their files, and a line for each item that says
    nothing; the database is only read, and may be in use.

    Args:
        source: its name for messages.

    Raises:
        InputError: if it is damaged, or none of Zotero's.
    """
    with closing(_open(database)) as connection:
        authors: defaultdict[int, list[str]] = defaultdict(list)
        for item, last, first in _ask(connection, _CREATORS):
            authors[item].append(join_name(str(last or ""), str(first or "")))
        files: defaultdict[int | None, list[str]] = defaultdict(list)
        for item, key, path in _ask(connection, _ATTACHED):
            files[item].append(_find_path(database.parent, str(key), str(path)))
        rows = groupby(_ask(connection, _VALUES), key=itemgetter(0, 1))
        for (item, key), fields in rows:
            values = {str(name): value for _, _, name, value in fields}
            place = f"{source}: item '{key}'"
            yield make_item(place, str(key), values, authors[item], files[item])
    for path in files[None]:
        yield Reference.of(Path(path).stem, Publication(title=Path(path).stem), files=(path,))


def count_items(database: Path) -> int:
    """Return how many items a database has.

    Raises:
        InputError: as `read_zotero` does.
    """
    with closing(_open(database)) as connection:
        return int(next(_ask(connection, _COUNT))[0])


def _find_path(folder: Path, key: str, path: str) -> str:
    stored = path.removeprefix(_STORED)
    return path if stored == path else str(folder / "storage" / key / Path(stored).name)


def _open(database: Path) -> sqlite3.Connection:
    try:
        # Zotero locks its database while it runs; an immutable one is read without locks
        address = f"file:{quote(str(database.absolute()))}?mode=ro&immutable=1"
        connection = sqlite3.connect(address, uri=True)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        connection.execute("PRAGMA trusted_schema = OFF")
    except sqlite3.Error as error:
        raise _refuse(error) from error
    steps = iter(range(_MOST_STEPS))
    connection.set_progress_handler(lambda: next(steps, None) is None, _STEPS)
    return connection


def _ask(connection: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    try:
        yield from connection.execute(query)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise _refuse(error) from error


def _refuse(error: Exception) -> InputError:
    return InputError(f"not a database of Zotero that can be read: {error}")
