"""Medline in XML: NLM's baseline and update files, and what PubMed exports as XML.

A file holds `<PubmedArticle>` or `<MedlineCitation>` records and, in update files, lists of
citations to be deleted. The abstract is English; further ones (`<OtherAbstract>`) are kept apart,
and an English one among them is used where there is no other.
"""

from collections.abc import Iterator
from functools import partial
from io import BufferedIOBase
from pathlib import Path

from citespan.pipelines.corpus.abstract import AbstractReading
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.file_reader import AbstractFileReader, count_records, find_records
from citespan.pipelines.corpus.files import STANDARD_INPUT, read_head
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.readers.medline import stream
from citespan.pipelines.corpus.readers.medline.citation import parse_citation, parse_deletions
from citespan.pipelines.corpus.record import Record
from citespan.pipelines.corpus.xml import find_first_tag

_ENDINGS = (".xml", ".xml.gz")


@readers.register
class MedlineReader(AbstractFileReader):
    """Reads records one by one; where a file breaks off, what came before stays."""

    name = "medline"
    description = "Medline XML of NLM or PubMed, also .gz; goes to the index of abstracts"

    def looks_like(self, file: Path) -> bool:
        return _root(file) in stream.ROOTS

    def count(self, unit: Path) -> int:
        return count_records(unit, stream.count)

    def find_abstracts(self, file: Path, source: str) -> Iterator[Record[AbstractReading]]:
        root = _root(file)
        named_so = file == STANDARD_INPUT or file.name.lower().endswith(_ENDINGS)
        if root not in stream.ROOTS and (root or not named_so):
            what = f": the root element is <{root}>" if root else ""
            yield Record.of(source, Rejected(source, f"not Medline XML{what}", "skipped"))
            return
        yield from find_records(file, source, lambda content: _records(content, source))


def _records(file: BufferedIOBase, source: str) -> Iterator[Record[AbstractReading]]:
    number = 0
    for element in stream.elements(file):
        if element.tag == stream.DELETIONS:
            for deletion in parse_deletions(element, source):
                yield Record.of(deletion.source, deletion)
        else:
            number += 1
            parse = partial(parse_citation, element, source, number)
            yield Record(f"{source}: record {number}", parse, listed=True)


def _root(file: Path) -> str:
    return find_first_tag(read_head(file))
