"""Abstracts as they come back from Elasticsearch."""

from collections.abc import Mapping
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError

from citespan.es_mappings.abstracts import INDEX
from citespan.pipelines.answers.zoning import ZonedSentence
from citespan.pipelines.corpus.abstract import Abstract, AbstractSection
from citespan.pipelines.errors import InputError


def find(client: Elasticsearch, pmid: str) -> Abstract:
    """The indexed abstract of a PMID.

    Raises:
        InputError: if it isn't indexed.
        TransportError: if Elasticsearch does not answer.
    """
    try:
        return abstract_of(client.get(index=INDEX, id=pmid)["_source"])
    except NotFoundError as error:
        raise InputError(
            f"PMID {pmid}: no such abstract is indexed, and no file is called so; "
            "see `citespan index --help`"
        ) from error


def stored_zones(document: Mapping[str, Any], model_version: str) -> tuple[ZonedSentence, ...]:
    """The zoned sentences of a document; none if it was loaded without zones, or if another
    model than that of the version predicted them."""
    if document.get("zoned_by", model_version) != model_version:
        return ()
    text, sentences = document["text"], document["sentences"]
    if not all("zone" in sentence for sentence in sentences):
        return ()
    return tuple(
        ZonedSentence(
            s["start"],
            s["end"],
            text[s["start"] : s["end"]],
            s["zone"],
            s.get("probability", 1.0),
            s["zone_from"],
        )
        for s in sentences
    )


def abstract_of(document: Mapping[str, Any]) -> Abstract:
    """The abstract of a document of the index, as far as zoning needs it."""
    text, title = document["text"], document.get("title", "")
    sections = [
        AbstractSection(s["label"], s["start"], s["end"], "abstract", s["category"])
        for s in document["sections"]
    ]
    if title:
        sections.insert(0, AbstractSection("", 0, len(title), "title"))
    return Abstract(
        id=document["pmid"],
        title=title,
        text=text,
        source=document.get("source", ""),
        sections=tuple(sections),
        also_known_as=tuple(document.get("also_known_as", ())),
        year=document.get("year"),
        mesh=tuple(document.get("mesh", ())),
    )
