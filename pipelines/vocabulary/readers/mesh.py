"""MeSH descriptors, as NLM publishes them in XML (desc2026.xml)."""

import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.xml import WITHOUT_TRUST, explain_syntax_error, forget
from citespan.pipelines.errors import InputError
from citespan.pipelines.vocabulary.reader import (
    open_packed,
    read_vocabulary_head,
    vocabulary_readers,
)
from citespan.pipelines.vocabulary.terms import VocabularyTerm

_SOURCE = "MSH"
_YEAR = re.compile(rb"nlmdescriptorrecordset_(\d{4})|desc(\d{4})\.(?:dtd|xml)")
_YEAR_IN_NAME = re.compile(r"desc(\d{4})")


@vocabulary_readers.register
class Mesh:
    """Reads the terms of descriptors.

    The terms of one MeSH concept are synonyms, those of one descriptor are not: its other
    concepts are narrower or only related. So the descriptor's preferred concept has the
    descriptor's identifier ("D001241"), each other one its own ("M0001776"). Types are TUIs, in
    the years that have them.
    """

    name = "mesh"
    description = "MeSH descriptors in XML (desc2026.xml), plain or .gz"

    def version(self, path: Path) -> str:
        """Return the year, by the document type or the file's name."""
        head = read_vocabulary_head(path)
        if b"<DescriptorRecord" not in head:
            raise InputError(f"{path}: no MeSH descriptors: no DescriptorRecordSet in there")
        said = _YEAR.search(head)
        if said:
            return (said[1] or said[2]).decode()
        named = _YEAR_IN_NAME.search(path.name)
        return named[1] if named else ""

    def typed(self, path: Path) -> bool:
        """Whether the first descriptors have semantic types."""
        return b"<SemanticTypeUI>" in read_vocabulary_head(path)

    def terms(self, path: Path) -> Iterator[VocabularyTerm | Rejected]:
        """Yield the terms of every descriptor.

        Raises:
            InputError: for XML that can't be read to its end, is not in English, or declares or
                uses entities.
        """
        with open_packed(path) as file:
            try:
                parsed = etree.iterparse(
                    file,
                    events=("start", "end"),
                    tag=("DescriptorRecordSet", "DescriptorRecord"),
                    **WITHOUT_TRUST,
                )
                for event, element in parsed:
                    if event == "start" and element.tag == "DescriptorRecordSet":
                        _check_document(element, path)
                    elif event == "end" and element.tag == "DescriptorRecord":
                        yield from _terms(element, path)
                        forget(element)
            except etree.XMLSyntaxError as error:
                raise InputError(f"{path}: {explain_syntax_error(error)}") from error


def _check_document(root: etree._Element, path: Path) -> None:
    language = root.get("LanguageCode", "eng")
    if language != "eng":
        raise InputError(f"{path}: descriptors in '{language}'; only English ones are read")
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is not None and any(True for _ in dtd.iterentities()):  # type: ignore[attr-defined]
        raise InputError(f"{path}: declares entities, which are not expanded, for safety")


def _terms(record: etree._Element, path: Path) -> Iterator[VocabularyTerm | Rejected]:
    place = f"{path}:{record.sourceline}"
    if next(record.iter(etree.Entity), None) is not None:
        raise InputError(f"{place}: uses entities, which are not expanded; write characters")
    descriptor = _text(record, "DescriptorUI")
    concepts = record.findall("ConceptList/Concept")
    if not descriptor or not concepts:
        yield Rejected(place, "a descriptor without DescriptorUI or concepts; mend or remove it")
        return
    for concept in concepts:
        preferred = concept.get("PreferredConceptYN") == "Y"
        cui = descriptor if preferred else _text(concept, "ConceptUI")
        types = tuple(sorted({(t.text or "").strip() for t in concept.iter("SemanticTypeUI")}))
        for term in concept.findall("TermList/Term"):
            text = _text(term, "String")
            if not text or not cui:
                yield Rejected(
                    f"{path}:{term.sourceline}", "a term without String or ConceptUI; mend it"
                )
            elif term.get("IsPermutedTermYN") == "Y":
                yield Rejected(place, "permuted term", "skipped")
            else:
                of_concept = term.get("ConceptPreferredTermYN") == "Y"
                kind = _term_type(term, of_concept)
                yield VocabularyTerm(cui, text, _SOURCE, kind, of_concept, types)


def _term_type(term: etree._Element, of_concept: bool) -> str:
    """As UMLS abbreviates them: main heading, preferred entry term, entry term."""
    if term.get("RecordPreferredTermYN") == "Y":
        return "MH"
    return "PEP" if of_concept else "ET"


def _text(element: etree._Element, name: str) -> str:
    return (element.findtext(name) or "").strip()
