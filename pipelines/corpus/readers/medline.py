"""Medline in XML: NLM's baseline and update files, and what PubMed exports as XML.

A file holds `<PubmedArticle>` or `<MedlineCitation>` records and, in update files, lists of
citations to be deleted. The abstract is English; further ones (`<OtherAbstract>`) are kept apart,
and an English one among them is used where there is no other.
"""

from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path

from citespan.pipelines.corpus import abstract_records, medline_stream
from citespan.pipelines.corpus.abstract import AbstractReading
from citespan.pipelines.corpus.abstract_reader import without_deletions
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import (
    STANDARD_INPUT,
    first_files,
    head,
    source_of,
    units,
    unlisted,
)
from citespan.pipelines.corpus.medline_citation import abstract_of, deletions_of
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.xml import first_tag

_ENDINGS = (".xml", ".xml.gz")


@readers.register
class MedlineReader:
    """Reads records one by one; a file that breaks off is told, and what came before stays."""

    name = "medline"
    description = "Medline XML of NLM or PubMed, also .gz; goes to the index of abstracts"

    def recognises(self, path: Path) -> bool:
        return any(_root(file) in medline_stream.ROOTS for file in first_files(path))

    def find(self, path: Path) -> Iterator[Path]:
        return units(path, lambda _: False)

    def count(self, unit: Path) -> int:
        return abstract_records.count(unit, medline_stream.count)

    def read(self, unit: Path) -> Iterator[Article | Rejected]:
        return without_deletions(self.abstracts(unit))

    def abstracts(self, unit: Path) -> Iterator[AbstractReading]:
        source = source_of(unit)
        if unit.is_dir():
            yield unlisted(unit)
            return
        root = _root(unit)
        named_so = unit == STANDARD_INPUT or unit.name.lower().endswith(_ENDINGS)
        if root not in medline_stream.ROOTS and (root or not named_so):
            what = f": the root element is <{root}>" if root else ""
            yield Rejected(source, f"not Medline XML{what}", "skipped")
            return
        yield from abstract_records.readings(unit, lambda file: _readings(file, source))


def _readings(file: BufferedIOBase, source: str) -> Iterator[AbstractReading]:
    records = 0
    for element in medline_stream.elements(file):
        if element.tag == medline_stream.DELETIONS:
            yield from deletions_of(element, source)
        else:
            records += 1
            yield abstract_of(element, source, records)


def _root(file: Path) -> str:
    return first_tag(head(file))
