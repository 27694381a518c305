"""Abstracts from files of any format that has them, with what else was in there."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from citespan.pipelines.corpus.abstract import Abstract, AbstractReading, Deletion
from citespan.pipelines.corpus.abstract_layout import AbstractPart, Citation, laid_out
from citespan.pipelines.corpus.abstract_reader import AbstractReader
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import STANDARD_INPUT
from citespan.pipelines.corpus.paragraphs import collapsed
from citespan.pipelines.corpus.pubmed_text import parts_of
from citespan.pipelines.corpus.reader import Reader, readers
from citespan.pipelines.corpus.recognise import recognise
from citespan.pipelines.errors import InputError
from citespan.pipelines.text.paragraphs import paragraphs

PLAIN_TEXT = "text"


def abstract_readings(path: Path, format_: str = "auto") -> Iterator[AbstractReading]:
    """All that is below `path`, streaming.

    Plain text is one abstract a file. Its first line is the title where `corpus.plain_text`
    takes it for one; labels in capitals with a colon, as "METHODS:", part it into sections.

    Args:
        format_: the name of a format that has abstracts, "text", or "auto".

    Raises:
        InputError: if there is nothing there, or no abstracts can be in it.
        UnknownNameError: for a format that there isn't.
    """
    reader = _recognised(path) if format_ == "auto" else readers[format_]
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
            yield from map(_from_plain_text, reader.read(unit))


def _recognised(path: Path) -> Reader:
    """The one format with abstracts that knows the path, whatever else may; else as for any."""
    if path == STANDARD_INPUT or path.exists():
        found = [r for r in readers if isinstance(r, AbstractReader) and r.recognises(path)]
        if len(found) == 1:
            return found[0]
    return recognise(path)


def _from_plain_text(reading: Article | Rejected) -> Abstract | Rejected:
    if isinstance(reading, Rejected):
        return reading
    body = [(s.start, s.end) for s in reading.sections if s.kind != "title"]
    parts: list[AbstractPart] = []
    for start, end in body:
        inside = reading.text[start:end]
        for first, last in paragraphs(inside):
            parts += parts_of(collapsed(inside[first:last]))
    return laid_out(Citation(reading.id, reading.title, reading.source), parts)


@dataclass(slots=True)
class Gathered:
    """Abstracts of several files, one for each PMID: that of the highest version read last.

    Attributes:
        replaced: records that a later one of the same PMID stands for.
        deleted: records that a list of deletions took away.
    """

    abstracts: list[Abstract]
    rejected: list[Rejected] = field(default_factory=list)
    replaced: int = 0
    deleted: int = 0


def gather(paths: Iterable[Path], format_: str = "auto") -> Gathered:
    """All abstracts below the paths, in memory; raises what `abstract_readings` does."""
    by_pmid: dict[str, Abstract] = {}
    found = Gathered([])
    for path in paths:
        for reading in abstract_readings(path, format_):
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
