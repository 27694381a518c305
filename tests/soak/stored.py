"""What loads and links have left on the server, read past citespan."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from elasticsearch import Elasticsearch
from findings import Record
from made import count_sentences, find_marks, mark, name

from citespan.es_mappings import articles, citances, citations, links
from citespan.es_mappings.sentences import SENTENCES
from citespan.es_mappings.spans import ALL_SPANS

_OTHER = ("edition", "index", "loaded", "linked", "source", "mapping_version")
_SOME = 3
Documents = dict[str, dict[str, Any]]


@dataclass
class Stored:
    """All documents of articles.

    Attributes:
        entries: the catalogue's, by article.
        sentences, spans, citations: those that the entries name, by article and what distinguishes
            them within it, without what differs from load to load.
        links: by id.
        citances: what others say, by article.
        left: editions that have documents, but that no entry names.
    """

    entries: Documents = field(default_factory=dict)
    sentences: Documents = field(default_factory=dict)
    spans: Documents = field(default_factory=dict)
    citations: Documents = field(default_factory=dict)
    links: Documents = field(default_factory=dict)
    citances: Documents = field(default_factory=dict)
    left: set[str] = field(default_factory=set)

    def texts(self) -> dict[str, str]:
        """Return the texts of all sentences or spans of each article in one."""
        found: dict[str, str] = defaultdict(str)
        for documents in (self.sentences, self.spans):
            for place, document in documents.items():
                found[place.partition(" ")[0]] += f"{document['text']}\n"
        return found


def read_stored(es: Elasticsearch) -> Stored:
    """Read everything."""
    es.indices.refresh(index="citespan-*", expand_wildcards="all")
    stored = Stored(
        entries={document["article"]: document for _, document in _scan(es, articles.INDEX)}
    )
    editions = {entry.get("edition") for entry in stored.entries.values()}
    parts = ((SENTENCES, stored.sentences), (citations.INDEX, stored.citations))
    for index, documents in parts:
        for _, document in _scan(es, index):
            if document["edition"] in editions:
                documents[f"{document['article']} {document['number']}"] = _keep(document)
            else:
                stored.left.add(document["edition"])
    named = {entry["index"] for entry in stored.entries.values()}
    for index in es.indices.get(index=ALL_SPANS, filter_path="*.aliases"):
        if index not in named:
            stored.left.add(index)
    for hit, document in _scan(es, ALL_SPANS):
        if hit["_index"] in named:
            stored.spans[f"{document['article']} {hit['_id']}"] = _keep(document)
    for index, documents in ((links.INDEX, stored.links), (citances.INDEX, stored.citances)):
        documents.update((hit["_id"], _keep(document)) for hit, document in _scan(es, index))
    return stored


def check_articles(
    es: Elasticsearch,
    record: Record,
    versions: Mapping[int, Collection[int]],
    absent: Collection[int] = (),
    after: str = "",
) -> Stored:
    """Check that articles are there, whole, of one version, and found by their texts.

    Args:
        versions: those of which each article may be.
        absent: articles that must not be there.
        after: what has been done, for who reads what is found.
    """
    stored = read_stored(es)
    texts = stored.texts()
    wrong: dict[str, list[str]] = defaultdict(list)
    by_text: dict[int, int] = {}
    for number, allowed in versions.items():
        article = name(number)
        entry = stored.entries.get(article)
        if entry is None:
            wrong["lost"].append(article)
            continue
        found = find_marks(texts.get(article, "")).get(number, {})
        cited = sum(place.startswith(f"{article} ") for place in stored.citations)
        if len(found) > 1:
            wrong["mixed"].append(article)
        elif not found or any(
            parts != set(range(count_sentences(number, version)))
            for version, parts in found.items()
        ):
            wrong["incomplete"].append(article)
        elif cited != entry["citations"] or not cited:
            wrong["incomplete"].append(f"{article} ({cited} citations of {entry['citations']})")
        elif not found.keys() <= set(allowed):
            wrong["stale"].append(f"{article} (version {[*found]}, not {sorted(allowed)})")
        else:
            by_text[number] = next(iter(found))
    wrong["without text"] = list(map(name, _find_without_text(es, by_text)))
    wrong["not deleted"] = [name(number) for number in absent if name(number) in stored.entries]
    for kind, some in wrong.items():
        if some:
            shown = ", ".join(some[:_SOME])
            record.find(kind, f"{len(some)} of {len(versions)} articles {after}: {shown}")
    record.count("documents", len(versions) + len(stored.sentences) + len(stored.spans))
    return stored


def _find_without_text(es: Elasticsearch, versions: Mapping[int, int]) -> Iterator[int]:
    """Yield the articles that a search for a word of their first sentences does not find."""
    for number, version in versions.items():
        found = es.search(
            index=articles.INDEX,
            size=10,
            query={"match": {articles.TEXT: mark(number, version, 0)}},
        )["hits"]["hits"]
        if name(number) not in [hit["_source"]["article"] for hit in found]:
            yield number


def check_equal(record: Record, found: Stored, calm: Stored, after: str) -> None:
    """Check that loads through faults have left what calm loads of the same files leave."""
    for part in ("entries", "sentences", "spans", "citations", "links", "citances"):
        ours: Documents = getattr(found, part)
        expected: Documents = getattr(calm, part)
        if part == "entries":
            ours = {place: _keep(document) for place, document in ours.items()}
            expected = {place: _keep(document) for place, document in expected.items()}
        missing, extra = expected.keys() - ours.keys(), ours.keys() - expected.keys()
        other = {place for place in ours.keys() & expected.keys() if ours[place] != expected[place]}
        if missing or extra or other:
            some = min(missing | extra | other)
            record.find(
                "differs",
                f"{part} {after}: {len(missing)} missing, {len(extra)} too many, {len(other)} "
                f"other of {len(expected)}: {some}: {_show_difference(ours, expected, some)}",
            )
        record.count("documents", len(expected))


def check_left(record: Record, stored: Stored, after: str) -> None:
    """Check that no documents are left of no article."""
    if stored.left:
        record.find("left over", f"{len(stored.left)} editions {after}: {min(stored.left)}")


def _show_difference(ours: Documents, expected: Documents, place: str) -> str:
    own, other = ours.get(place, {}), expected.get(place, {})
    names = [k for k in own.keys() | other.keys() if own.get(k) != other.get(k)]
    return json.dumps({k: [own.get(k), other.get(k)] for k in names[:_SOME]})


def _keep(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in _OTHER}


def _scan(es: Elasticsearch, index: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    found = es.search(
        index=index,
        size=10_000,
        ignore_unavailable=True,
        allow_no_indices=True,
        allow_partial_search_results=False,
        track_total_hits=True,
    )["hits"]
    assert found["total"]["value"] == len(found["hits"]), "more than are looked at"
    for hit in found["hits"]:
        yield hit, hit["_source"]
