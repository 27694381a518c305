"""What is to be fetched: the list that `check --missing` writes, a file of identifiers, a library,
or the references of a manuscript."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citespan.pipelines.citations.manuscript import read_citations
from citespan.pipelines.corpus.bibliographies.fields import find_text
from citespan.pipelines.corpus.files import STANDARD_INPUT, read_utf8, source_of
from citespan.pipelines.corpus.identifiers import FINDERS, identify, read_identifiers
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.publication import Publication, find_year, normalise_title
from citespan.pipelines.corpus.reader import LibraryReader, recognise
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.errors import InputError

_COLUMNS = frozenset(("pmid", "pmcid", "doi", "title"))
_LISTS = ("", ".txt", ".text", ".ids", ".list")
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Wanted:
    """An article that is wanted.

    Attributes:
        place: where it is asked for, such as "missing.csv:3".
        publication: what is said of it; empty if nothing can be told.
        problem: why it can't be looked for; "" if it can.
    """

    place: str
    publication: Publication
    problem: str = ""

    @property
    def key(self) -> str:
        """The same for what is certainly the same article: its first identifier, or else title,
        first author and year."""
        said = self.publication
        if said.identifiers:
            return said.identifiers[0]
        return f"title:{normalise_title(said.title)}|{said.first_author}|{said.year or ''}"

    @classmethod
    def of(cls, place: str, publication: Publication) -> "Wanted":
        """Return what is wanted, with the problem if too little is said of it."""
        enough = publication.identifiers or (publication.title and publication.authors)
        problem = "" if enough else "neither an identifier nor a title with its first author"
        return cls(place, publication, problem)


def read_wanted(path: str) -> list[Wanted]:
    """Return what a file wants, in its order.

    Args:
        path: of a file, or "-" for identifiers from standard input.

    Raises:
        InputError: if the file can't be read, or wants nothing.
    """
    file = Path(path)
    source = source_of(file)
    if file != STANDARD_INPUT and not file.exists():
        raise InputError(f"{path}: no such file")
    found = list(_read(file, source))
    if not found:
        raise InputError(f"{source}: nothing in it names an article")
    return found


def list_references(references: Iterable[Reference], source: str) -> Iterator[Wanted]:
    """Yield what the references of a list want."""
    for reference in references:
        yield Wanted.of(f"{source}: {reference.label or reference.key}", reference.publication)


def _read(file: Path, source: str) -> Iterator[Wanted]:
    if file.suffix.lower() == ".csv":
        yield from _read_table(file, source)
    elif file == STANDARD_INPUT or _lists_identifiers(file):
        yield from _read_list(file, source)
    else:
        yield from _read_references(file, source)


def _read_references(file: Path, source: str) -> Iterator[Wanted]:
    reader = recognise(file)
    if isinstance(reader, LibraryReader):
        units = list(reader.find(file))
        if len(units) != 1:
            raise InputError(f"{source}: several libraries; name the file of one")
        listed = reader.read_references(units[0])
        references, problems = listed.references, listed.problems
    else:
        found = read_citations(file, reader.name)
        references, problems = found.references, found.problems
    yield from list_references(references, source)
    for problem in problems:
        place, _, said = problem.removeprefix(source).partition(": ")
        yield Wanted(f"{source}{place}", Publication(), said or problem)


def _read_table(file: Path, source: str) -> Iterator[Wanted]:
    lines = csv.DictReader(_read_text(file, source).splitlines())
    try:
        columns = {(name or "").strip().lower(): name for name in lines.fieldnames or ()}
        if _COLUMNS.isdisjoint(columns):
            raise InputError(f"{source}: no column is called pmid, pmcid, doi or title")
        for row in lines:
            fields = {name: row.get(column) for name, column in columns.items()}
            yield _read_row(fields, f"{source}:{lines.line_num}")
    except csv.Error as error:
        raise InputError(f"{source}:{lines.line_num}: {error}") from error


def _read_row(fields: Mapping[str, Any], place: str) -> Wanted:
    written = {kind: find_text(fields, kind) for kind in FINDERS}
    authors = map(collapse_space, find_text(fields, "authors").split(";"))
    publication = Publication(
        authors=tuple(filter(None, authors)),
        title=collapse_space(find_text(fields, "title")),
        year=find_year(find_text(fields, "year")),
        **read_identifiers(written),
    )
    wanted = Wanted.of(place, publication)
    bad = next((k for k in written if written[k] and not getattr(publication, k)), "")
    if wanted.problem and bad:
        return Wanted(place, publication, f"{written[bad][:_SHOWN]!r} is no {bad.upper()}")
    return wanted


def _lists_identifiers(file: Path) -> bool:
    """Whether the first line of a text is an identifier, as no article begins with one."""
    if file.suffix.lower() not in _LISTS or not file.is_file():
        return False
    with file.open("rb") as lines:
        for line in lines:
            written = line[:1000].decode("utf-8", "replace").removeprefix("\ufeff").strip()
            if written and not written.startswith("#"):
                return bool(identify(written).identifiers)
    return False


def _read_list(file: Path, source: str) -> Iterator[Wanted]:
    for number, line in enumerate(_read_text(file, source).splitlines(), 1):
        written = line.strip()
        if written and not written.startswith("#"):
            found = identify(written)
            problem = "" if found.identifiers else f"{written[:_SHOWN]!r} is no PMID, PMCID or DOI"
            yield Wanted(f"{source}:{number}", found, problem)


def _read_text(file: Path, source: str) -> str:
    try:
        return read_utf8(file).removeprefix("\ufeff")
    except InputError as error:
        raise InputError(f"{source}: {error}") from error
