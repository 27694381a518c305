"""Abstracts in Elasticsearch: fetch one, or search them for a question."""

from collections.abc import Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError
from elasticsearch.dsl.query import Bool, Match, Query, Range, Terms

from citespan.es_mappings.abstracts import ALL, INDEX
from citespan.pipelines.answers.candidates import Candidate, select_search_words
from citespan.pipelines.answers.zones.zoning import ZonedSentence
from citespan.pipelines.corpus.abstract import Abstract, AbstractSection
from citespan.pipelines.corpus.notices import RETRACTING
from citespan.pipelines.errors import InputError
from citespan.pipelines.store.index_versions import kind_of, name_collection_index, require_versions
from citespan.pipelines.store.paging import search_all_shards
from citespan.pipelines.years import Years

_READ = ["pmid", "also_known_as", "title", "text", "sections", "sentences", "zoned_by", "year"]


def get_abstract(client: Elasticsearch, pmid: str) -> Abstract:
    """Fetch the abstract of a PMID, of whatever collection.

    Raises:
        InputError: if it isn't indexed.
        OtherVersionError: if another version of citespan has made an index of abstracts.
        TransportError: if Elasticsearch does not answer.
    """
    indices = [name_collection_index(collection) for collection in list_collections(client)]
    require_versions(client, *indices)
    query = {"term": {"pmid": pmid}}
    hits = (
        search_all_shards(client, index=indices, query=query, size=1, sort=["_index"])["hits"][
            "hits"
        ]
        if indices
        else []
    )
    if not hits:
        raise InputError(
            f"PMID {pmid}: no such abstract is indexed, and there is no file of that name; "
            "see `citespan index --help`"
        )
    return read_abstract(hits[0]["_source"])


def search_index(
    client: Elasticsearch,
    question: str,
    years: Years,
    depth: int,
    zoned_by: str,
    collections: Sequence[str] = ("",),
) -> list[Candidate]:
    """Return the indexed abstracts of the `depth` highest scores, best first.

    A word of the question counts in title and abstract, and once more in the title.

    Args:
        zoned_by: the version of the zone model whose stored zones may be used.
        collections: to search; "" for the abstracts that are in none.

    Raises:
        InputError: if there is no such collection, if no abstracts are indexed, or the question
            has nothing but stop words.
        OtherVersionError: if another version of citespan has made one of the indices.
        TransportError: if Elasticsearch does not answer.
    """
    body = build_query(select_search_words(question), years).to_dict()
    indices = [name_collection_index(collection) for collection in collections]
    require_versions(client, *indices)
    try:
        found = search_all_shards(
            client,
            index=indices,
            query=body,
            size=depth,
            collapse={"field": "pmid"},  # one may be in several collections
            source_includes=_READ,
        )
    except NotFoundError as error:
        raise InputError(_describe_missing(client, collections)) from error
    return [
        Candidate(read_abstract(source), hit["_score"], read_zones(source, zoned_by))
        for hit in found["hits"]["hits"]
        for source in (hit["_source"],)
    ]


def _describe_missing(client: Elasticsearch, collections: Sequence[str]) -> str:
    there = list_collections(client)
    missing = [collection for collection in collections if collection and collection not in there]
    if not missing:
        return "no abstracts are indexed; see `citespan index --help`"
    known = ", ".join(collection for collection in there if collection) or "none"
    return (
        f"`collection={missing[0]}`: no such collection of abstracts is indexed; there are: {known}"
    )


def list_collections(client: Elasticsearch) -> list[str]:
    """Return the names of all collections of abstracts; "" for the abstracts that are in none."""
    found = client.indices.get(index=ALL, filter_path="*.aliases")
    names = {alias for index in found.values() for alias in index["aliases"]} | set(found)
    return sorted(
        name.removeprefix(INDEX).removeprefix("-")
        for name in names
        if "~" not in name and kind_of(name) == "abstracts"
    )


def build_query(text: str, years: Years) -> Query:
    """Build the query of a text, which is analysed and never parsed."""
    # The field `text` starts with the title.
    clauses = [Match("text", {"query": text}), Match("title", {"query": text})]
    filters = [] if years.open else [Range("year", years.bounds)]
    notices = Terms("notice", sorted(RETRACTING))
    return Bool(should=clauses, minimum_should_match=1, filter=filters, must_not=[notices])


def read_zones(document: Mapping[str, Any], model_version: str) -> tuple[ZonedSentence, ...]:
    """Return the sentences of a document with their zones.

    Empty if it was loaded without zones, or if a model of another version predicted them.
    """
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


def read_abstract(document: Mapping[str, Any]) -> Abstract:
    """Return the abstract of a document of the index, as far as zoning needs it."""
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
