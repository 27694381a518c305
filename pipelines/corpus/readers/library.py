"""Libraries of reference managers: an entry's attached file is its article.

The file is read by whichever reader knows it, and is known by the identifiers of the entry as
well. An entry without a file is skipped, one whose files are missing or broken is quarantined.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.bibliographies.bibliography import (
    count_entries,
    find_attached,
    is_bibliography,
    read_bibliography,
)
from citespan.pipelines.corpus.bibliographies.zotero import DATABASE
from citespan.pipelines.corpus.file_reader import FileReader
from citespan.pipelines.corpus.files import list_files, source_of, stem_of
from citespan.pipelines.corpus.reader import (
    AbstractReader,
    LibraryReader,
    Record,
    read_all,
    readers,
    recognise,
)
from citespan.pipelines.corpus.references import Reference, ReferenceList
from citespan.pipelines.errors import InputError

_KINDS = ("pmcid", "pmid", "doi")
_SHOWN_FILES = 3


@readers.register
class ReferenceLibraryReader(FileReader):
    """Reads exports of reference managers, and Zotero's data folder."""

    name = "library"
    description = (
        "references with attached files: RIS, CSL-JSON, EndNote XML, BibTeX, Zotero's folder"
    )

    def looks_like(self, file: Path) -> bool:
        return is_bibliography(file)

    def recognises(self, path: Path) -> bool:
        """Return whether this is a library, Zotero's data folder or the `storage` in it, or what
        Zotero and EndNote export: a library beside the folder of its files."""
        if not path.is_dir():
            return self.looks_like(path)
        return _find_database(path) is not None or bool(_find_exported(path))

    def find(self, path: Path) -> Iterator[Path]:
        """Yield the libraries; the files that they name are read with them."""
        database = _find_database(path) if path.is_dir() else None
        exported = _find_exported(path) if path.is_dir() else []
        if database is not None:
            yield database
        elif exported:
            yield from exported
        else:
            yield from super().find(path)

    def count(self, unit: Path) -> int:
        return count_entries(unit)

    def read_references(self, file: Path) -> ReferenceList:
        return read_bibliography(file, source_of(file))

    def records(self, unit: Path) -> Iterator[Record[Article | Rejected]]:
        """See `RecordReader.records`: an entry each."""
        refused = self.refuse(unit)
        source = source_of(unit)
        if refused is None and not self.looks_like(unit) and unit.suffix.lower() != ".ris":
            refused = Rejected(source, "not a library", "skipped")
        listed = ReferenceList()
        if refused is None:
            try:
                listed = self.read_references(unit)
            except InputError as error:
                refused = Rejected(source, str(error))
        if refused is None and not listed.references and not listed.problems:
            refused = Rejected(source, "no entry in it")
        if refused is not None:
            yield Record.of(refused.source, refused)
            return
        for number, problem in enumerate(listed.problems, 1):
            place, _, reason = problem.removeprefix(source).partition(": ")
            told = Rejected(f"{source}{place}", reason)
            yield Record.of(f"{source}: problem {number}", told)
        first = _find_first(listed.references, unit)
        named = Counter(
            stem_of(file)
            for reference in listed.references
            for file in set(_find_files(reference, unit))
        )
        for reference in listed.references:
            place = f"{source}: entry '{reference.key}'"
            same = first.get(reference.key)
            if same is not None:
                reason = f"the same {same[0]} as entry '{same[1]}'"
                yield Record.of(place, Rejected(place, reason, "skipped"))
            else:
                yield Record(
                    place, partial(_read_entry, reference, unit, place, named), listed=True
                )

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:  # noqa: ARG002
        return read_all(self.records(file))


def _find_database(folder: Path) -> Path | None:
    for place in (folder, folder.parent) if folder.name == "storage" else (folder,):
        if (place / DATABASE).is_file():
            return place / DATABASE
    return None


def _find_exported(folder: Path) -> list[Path]:
    inside = list_files(folder)
    files = [path for path in inside if path.is_file()]
    has_folder = any(path.name == "files" or path.suffix == ".Data" for path in inside)
    return files if has_folder and all(map(is_bibliography, files)) else []


def _find_first(references: tuple[Reference, ...], library: Path) -> Mapping[str, tuple[str, str]]:
    """Return, by the key of each entry of an article that another entry has as well, the identifier
    that they share and the key of the other: the first one with a file, or else the first."""
    chosen: dict[str, Reference] = {}
    there = {
        reference.key: any(map(_is_there, _find_files(reference, library)))
        for reference in references
    }
    for reference in sorted(references, key=lambda reference: not there[reference.key]):
        for identifier in reference.publication.identifiers:
            chosen.setdefault(identifier, reference)
    others = {}
    for reference in references:
        for identifier in reference.publication.identifiers:
            if chosen[identifier] is not reference:
                kind, _, value = identifier.partition(":")
                others[reference.key] = (f"{kind.upper()} {value}", chosen[identifier].key)
                break
    return others


def _find_files(reference: Reference, library: Path) -> list[Path]:
    return [find_attached(written, library) for written in reference.files if "\0" not in written]


def _is_there(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:  # a name that is too long, or a folder that one may not look into
        return False


def _read_entry(
    reference: Reference, library: Path, source: str, named: Mapping[str, int]
) -> Article | Rejected:
    """Return the first of an entry's files that is an article; or else why none of them is one."""
    if not reference.files:
        return Rejected(source, "no file is attached", "skipped")
    files = _find_files(reference, library)
    present = [file for file in files if _is_there(file)]
    if not present:
        lost = ", ".join(map(source_of, files[:_SHOWN_FILES])) or "it has no name"
        return Rejected(source, f"its file is missing: {lost}")
    told: list[Rejected] = []
    for file in present:
        try:
            reader = recognise(file)
        except InputError as error:
            told.append(Rejected(source, str(error), "skipped"))
            continue
        if isinstance(reader, AbstractReader | LibraryReader):
            told.append(Rejected(source, f"{source_of(file)}: not an article", "skipped"))
            continue
        for reading in reader.read(file):
            if isinstance(reading, Article):
                placed = replace(reading, source=f"{source}: {reading.source}")
                return _identify(placed, file, reference, named[stem_of(file)] == 1)
            told.append(
                replace(reading, source=source, reason=f"{source_of(file)}: {reading.reason}")
            )
            break
    return next((rejected for rejected in told if rejected.outcome == "quarantined"), told[0])


def _identify(article: Article, file: Path, reference: Reference, alone: bool) -> Article:
    """Return an article that is known by the identifiers of its entry as well, unless it says
    itself that it is another one. One without identifiers of its own is what the entry says.

    Args:
        alone: whether no other file of the library is called so.
    """
    own, entry = article.publication, reference.publication
    names = {kind: (getattr(own, kind), getattr(entry, kind)) for kind in _KINDS}
    if any(mine and its and mine != its for mine, its in names.values()):
        return article
    known = {kind: mine or its for kind, (mine, its) in names.items()}
    first, last = (own, entry) if own.identifiers else (entry, own)
    publication = replace(first.complete(last), **known)
    identifiers = [value for value in known.values() if value]
    named_by_file = article.id == stem_of(file) and not own.identifiers
    id_ = article.id
    if named_by_file:  # which is no name if a library has several files of it
        own_name = article.id if alone else f"{article.id} ({reference.key})"
        id_ = next(iter(identifiers), own_name)
    others = dict.fromkeys([*article.also_known_as, *identifiers, article.id])
    return replace(
        article,
        id=id_,
        title=publication.title,
        also_known_as=tuple(name for name in others if name != id_),
        publication=publication,
    )
