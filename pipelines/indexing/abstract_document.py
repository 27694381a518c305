"""An abstract made ready to be written: the hash of what it is, and its document."""

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from citespan.es_mappings import abstracts
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.corpus.section_categories import ZONES, section_zone
from citespan.pipelines.indexing.preparation import content_hash
from citespan.pipelines.text.splitter import Splitter


def abstract_hash(abstract: Abstract, splitter: Splitter) -> str:
    """A hash that changes with anything of the abstract that gets indexed, by any means."""
    further = (
        [section.category for section in abstract.sections],
        abstract.version,
        abstract.revised,
        abstract.year,
        abstract.mesh,
        abstract.languages,
        abstract.publication_types,
        abstract.other_abstracts,
    )
    both = f"{content_hash(abstract, splitter)} {further!r}"
    return hashlib.sha256(both.encode("utf-8", "surrogatepass")).hexdigest()


def abstract_sentences(abstract: Abstract, splitter: Splitter) -> list[Sentence]:
    """The sentences of the abstract without those of its title; offsets are into its text."""
    return [s for s in splitter.split(abstract.text) if s.start >= abstract.start]


def document(abstract: Abstract, sentences: Sequence[Sentence], content: str) -> dict[str, Any]:
    """The document of `es_mappings.abstracts`, without what is empty.

    A sentence of a section whose label or category names a zone has that zone, from "label".
    """
    body = {
        "pmid": abstract.id,
        "also_known_as": abstract.also_known_as,
        "title": abstract.title,
        "text": abstract.text,
        "sections": [
            {"label": s.title, "category": s.category, "start": s.start, "end": s.end}
            for s in abstract.sections
            if s.kind == "abstract"
        ],
        "sentences": list(_zoned(abstract, sentences)),
        "mesh": abstract.mesh,
        "year": abstract.year,
        "languages": abstract.languages,
        "publication_types": abstract.publication_types,
        "other_abstracts": [
            {"language": language, "text": text} for language, text in abstract.other_abstracts
        ],
        "version": abstract.version,
        "revised": abstract.revised,
        "source": abstract.source,
        "content": content,
        "mapping_version": abstracts.VERSION,
        "loaded": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    return {name: value for name, value in body.items() if value}


def _zoned(abstract: Abstract, sentences: Sequence[Sentence]) -> Iterator[dict[str, Any]]:
    sections = iter(abstract.sections)
    section = next(sections)
    labelled: dict[str, str] = {}
    for sentence in sentences:
        while section.end <= sentence.start:
            section = next(sections)
            zone = section_zone(section)
            labelled = {"zone": zone, "zone_from": "label"} if zone in ZONES else {}
        yield {"start": sentence.start, "end": sentence.end, **labelled}
