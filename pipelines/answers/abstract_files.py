"""Read abstracts from files of any format that contains them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from citespan.pipelines.corpus.abstract import (
    Abstract,
    AbstractPart,
    AbstractReading,
    Deletion,
    lay_out_abstract,
)
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import STANDARD_INPUT
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.reader import AbstractReader, Reader, readers, recognise
from citespan.pipelines.corpus.readers.pubmed import split_sections
from citespan.pipelines.errors import InputError
from citespan.pipelines.text.splitter import find_paragraphs

PLAIN_TEXT = "text"


def read_abstracts(path: Path, format_: str = "auto") -> Iterator[AbstractReading]:
    """Read everything below `path`, streaming.

    A plain text file is one abstract. Its first line is the title if `corpus.plain_text` takes it
    for one; labels in capitals with a colon, such as "METHODS:", begin sections.

    Args:
        format_: the name of a format that contains abstracts, "text", or "auto".

    Raises:
        InputError: if the path does not exist, or its format contains no abstracts.
        UnknownNameError: if there is no such format.
    """
    reader = _recognise(path) if format_ == "auto" else readers[format_]
    if not isinstance(reader, AbstractReader) and reader.name != PLAIN_TEXT:
        known = [r.name for r in readers if isinstance(r, AbstractReader)]
        raise InputError(
            f"{path}: {reader.name} holds no abstracts; those that do are "
            f"{', '.join(known)} and {PLAIN_TEXT}"
        )
    for unit in reader.find(path):
        if isinstance(reader, AbstractReader):
            yield from reader.abstracts(unit)
        else:
            yield from map(_read_plain_text, reader.read(unit))


def _recognise(path: Path) -> Reader:
    """Prefer the one format with abstracts that recognises the path; else recognise as usual."""
    if path == STANDARD_INPUT or path.exists():
        found = [r for r in readers if isinstance(r, AbstractReader) and r.recognises(path)]
        if len(found) == 1:
            return found[0]
    return recognise(path)


def _read_plain_text(reading: Article | Rejected) -> Abstract | Rejected:
    if isinstance(reading, Rejected):
        return reading
    body = [(s.start, s.end) for s in reading.sections if s.kind != "title"]
    parts: list[AbstractPart] = []
    for start, end in body:
        inside = reading.text[start:end]
        for first, last in find_paragraphs(inside):
            parts += split_sections(collapse_space(inside[first:last]))
    return lay_out_abstract(Abstract(reading.id, reading.title, "", reading.source), parts)


@dataclass(slots=True)
class GatheredAbstracts:
    """Abstracts of several files, one for each PMID: the highest version, or the last read of it.

    Attributes:
        rejected: records that are not abstracts, with the reason.
        replaced: number of records replaced by a later one of the same PMID.
        deleted: number of records removed by a list of deletions.
    """

    abstracts: list[Abstract]
    rejected: list[Rejected] = field(default_factory=list)
    replaced: int = 0
    deleted: int = 0


def gather(paths: Iterable[Path], format_: str = "auto") -> GatheredAbstracts:
    """Read all abstracts below the paths into memory; raises what `read_abstracts` does."""
    by_pmid: dict[str, Abstract] = {}
    found = GatheredAbstracts([])
    for path in paths:
        for reading in read_abstracts(path, format_):
            if isinstance(reading, Rejected):
                found.rejected.append(reading)
            elif isinstance(reading, Deletion):
                found.deleted += by_pmid.pop(reading.id, None) is not None
            else:
                known = by_pmid.get(reading.id)
                found.replaced += known is not None
                if known is None or known.version <= reading.version:
                    by_pmid[reading.id] = reading
    found.abstracts = list(by_pmid.values())
    return found
