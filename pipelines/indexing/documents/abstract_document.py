"""An abstract made ready to be written: the hash of what it is, and its document."""

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from citespan.es_mappings import abstracts
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.corpus.section_categories import ZONES, section_zone, zones_at
from citespan.pipelines.indexing.documents.preparation import content_hash
from citespan.pipelines.indexing.documents.zoner import PredictedZone
from citespan.pipelines.text.splitter import Splitter

_PLACES = 4


def needs_zones(abstract: Abstract) -> bool:
    """Whether there is a section in it whose label and category name no zone."""
    return any(section_zone(s) not in ZONES for s in abstract.sections if s.kind == "abstract")


def abstract_hash(abstract: Abstract, splitter: Splitter, zoned_by: str = "") -> str:
    """A hash that changes with anything of the abstract that gets indexed, by any means.

    Args:
        zoned_by: version of what predicts the zones that labels don't give.
    """
    further = (
        [section.category for section in abstract.sections],
        abstract.version,
        abstract.revised,
        abstract.year,
        abstract.mesh,
        abstract.languages,
        abstract.publication_types,
        abstract.other_abstracts,
        zoned_by,
    )
    both = f"{content_hash(abstract, splitter)} {further!r}"
    return hashlib.sha256(both.encode("utf-8", "surrogatepass")).hexdigest()


def abstract_sentences(abstract: Abstract, splitter: Splitter) -> list[Sentence]:
    """The sentences of the abstract without those of its title; offsets are into its text."""
    start = abstract.start
    return [Sentence(s.start + start, s.end + start) for s in splitter.split(abstract.text[start:])]


def document(
    abstract: Abstract,
    sentences: Sequence[Sentence],
    content: str,
    predicted: Sequence[PredictedZone] = (),
    zoned_by: str = "",
) -> dict[str, Any]:
    """The document of `es_mappings.abstracts`, without what is empty.

    A sentence of a section whose label or category names a zone has that zone, from "label"; any
    other has the predicted one, from "model".

    Args:
        predicted: of each sentence, or none.
        zoned_by: version of what predicted them.
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
        "sentences": list(_zoned(abstract, sentences, predicted)),
        "zoned_by": zoned_by,
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


def _zoned(
    abstract: Abstract, sentences: Sequence[Sentence], predicted: Sequence[PredictedZone]
) -> Iterator[dict[str, Any]]:
    said = zones_at(abstract.sections, (sentence.start for sentence in sentences))
    for place, (sentence, zone) in enumerate(zip(sentences, said, strict=True)):
        body: dict[str, Any] = {"start": sentence.start, "end": sentence.end}
        if zone in ZONES:
            body |= {"zone": zone, "zone_from": "label"}
        elif predicted:
            likeliest, probability = predicted[place]
            body |= {
                "zone": likeliest,
                "zone_from": "model",
                "probability": round(probability, _PLACES),
            }
        yield body
