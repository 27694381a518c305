"""The document of an abstract, and the hash of what is indexed of it."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from citespan.es_mappings import abstracts
from citespan.pipelines.corpus.abstract import Abstract, Deletion
from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.corpus.publication import describe_notices
from citespan.pipelines.corpus.section_categories import ZONES, Zone, find_zones, section_zone
from citespan.pipelines.indexing.documents.content import hash_content
from citespan.pipelines.text.splitter import Splitter

_PLACES = 4

SplitAbstract = tuple[Abstract, Sequence[Sentence]]
"""An abstract and its sentences, without those of its title."""

PredictedZone = tuple[Zone, float]
"""A zone and its probability, from 0 to 1."""


class Zoner(Protocol):
    """Predicts the zones of the sentences of abstracts while they are loaded.

    The models that do so belong to a later stage, `citespan.pipelines.answers`; a load is given
    one.
    """

    @property
    def version(self) -> str:
        """Differs wherever the same sentences may get other zones."""
        ...

    def __call__(self, abstracts: Sequence[SplitAbstract]) -> Iterable[Sequence[PredictedZone]]:
        """Return for each abstract the zone of each of its sentences, in order."""
        ...


def needs_zones(abstract: Abstract) -> bool:
    """Whether there is a section in it whose label and category name no zone."""
    return any(section_zone(s) not in ZONES for s in abstract.sections if s.kind == "abstract")


def hash_abstract(abstract: Abstract, splitter: Splitter, zoned_by: str = "") -> str:
    """Return a hash that changes with anything of the abstract that is indexed.

    Args:
        zoned_by: version of the model that predicts the zones which no label names.
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
    both = f"{hash_content(abstract, splitter)} {further!r}"
    return hashlib.sha256(both.encode("utf-8", "surrogatepass")).hexdigest()


def split_abstract(abstract: Abstract, splitter: Splitter) -> list[Sentence]:
    """Return the sentences of the abstract without those of its title, with offsets into its
    text."""
    start = abstract.start
    return [Sentence(s.start + start, s.end + start) for s in splitter.split(abstract.text[start:])]


def build_document(
    abstract: Abstract,
    sentences: Sequence[Sentence],
    content: str,
    predicted: Sequence[PredictedZone] = (),
    zoned_by: str = "",
) -> dict[str, Any]:
    """Return the document of `es_mappings.abstracts`, without empty fields.

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
        "authors": abstract.publication.authors,
        "journal": abstract.publication.journal,
        "pmcid": abstract.publication.pmcid,
        "doi": abstract.publication.doi,
        "found_by": abstract.publication.keys,
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
        **describe_notices(abstract.publication),
        "other_abstracts": [
            {"language": language, "text": text} for language, text in abstract.other_abstracts
        ],
        "version": abstract.version,
        "revised": abstract.revised,
        "source": abstract.source,
        "content": content,
        "mapping_version": abstracts.VERSION,
        "loaded": datetime.now(UTC).isoformat(timespec="microseconds"),
    }
    return {name: value for name, value in body.items() if value}


def build_tombstone(deletion: Deletion, deleted: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the document of `es_mappings.abstracts` in place of a deleted citation.

    Args:
        deleted: the document of the citation; None if it is not indexed.
    """
    former = deleted or {}
    return {
        "deleted": True,
        "version": deletion.version,
        "revised": former.get("revised", ""),
        "source": deletion.source,
        "content": former.get("content", ""),
        "mapping_version": abstracts.VERSION,
        "loaded": datetime.now(UTC).isoformat(timespec="microseconds"),
    }


def _zoned(
    abstract: Abstract, sentences: Sequence[Sentence], predicted: Sequence[PredictedZone]
) -> Iterator[dict[str, Any]]:
    said = find_zones(abstract.sections, (sentence.start for sentence in sentences))
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
