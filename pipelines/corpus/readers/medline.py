"""Medline in XML: NLM's baseline and update files, and what PubMed exports as XML.

A file holds `<PubmedArticle>` or `<MedlineCitation>` records and, in update files, lists of
citations to be deleted. The abstract is English; further ones (`<OtherAbstract>`) are kept apart,
and an English one among them is used where there is no other.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path

from citespan.pipelines.corpus import medline_stream
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
from citespan.pipelines.corpus.xml import BadXmlError, first_tag

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
        if unit == STANDARD_INPUT:
            return 0
        try:
            with medline_stream.opened(unit) as file:
                return max(1, medline_stream.count(file))
        except (OSError, EOFError, zlib.error):
            return 1

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
        records = 0
        met = False
        try:
            with medline_stream.opened(unit) as file:
                for element in medline_stream.elements(file):
                    met = True
                    if element.tag == medline_stream.DELETIONS:
                        yield from deletions_of(element, source)
                    else:
                        records += 1
                        yield abstract_of(element, source, records)
        except (OSError, EOFError, zlib.error, BadXmlError) as error:
            told = " ".join(str(error).split())
            before = f"; the {records:,} records before that are read" if records else ""
            yield Rejected(source, f"{told}{before}")
        else:
            if not met:
                yield Rejected(source, "no record in it", "skipped")


def _root(file: Path) -> str:
    return first_tag(head(file))
