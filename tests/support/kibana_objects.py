"""Kibana's saved objects as tests ask for them: what each asks Elasticsearch, and which fields it
names."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from citespan.deploy.kibana import read_objects
from citespan.es_mappings import (
    abstracts,
    articles,
    citations,
    evaluations,
    links,
    loads,
    sentences,
    spans,
)
from citespan.es_mappings.sentences import SENTENCES
from citespan.es_mappings.spans import ALL_SPANS

Object = dict[str, Any]
MAPPINGS: Mapping[str, Mapping[str, Any]] = {
    ALL_SPANS: spans.mapping([], True),
    articles.INDEX: articles.mapping(),
    SENTENCES: sentences.mapping(),
    abstracts.ALL: abstracts.mapping(),
    loads.INDEX: loads.mapping(),
    evaluations.INDEX: evaluations.mapping(),
    citations.INDEX: citations.mapping(),
    links.INDEX: links.mapping(),
}
"""The mapping of what each data view shows."""
_QUERY_FIELD = re.compile(r"(?<![\w.])([a-z_][\w.]*):")
_BY_NAME = ("term", "range", "match", "wildcard")  # queries that name their field as a key


def find_fields(pattern: str) -> set[str]:
    """The paths of all fields in the mapping of a data view."""
    return _find_paths(MAPPINGS[pattern]["properties"])


@dataclass(frozen=True)
class SavedSearch:
    """A table in Discover."""

    id: str
    pattern: str
    query: str
    columns: list[str]
    sort: list[list[str]]

    @property
    def fields(self) -> set[str]:
        """All fields that it names."""
        return {*self.columns, *(name for name, _ in self.sort), *_QUERY_FIELD.findall(self.query)}


@dataclass(frozen=True)
class Panel:
    """A Vega-Lite chart with its request."""

    id: str
    pattern: str
    body: Object
    rows: str
    spec: Object

    @property
    def fields(self) -> set[str]:
        """The fields of documents that the request names."""
        return set(_find_named(self.body)) - set(self.body.get("runtime_mappings", {}))


def read_searches(objects: list[Object] | None = None) -> list[SavedSearch]:
    """All saved searches."""
    objects = read_objects() if objects is None else objects
    patterns = {view["id"]: view["attributes"]["title"] for view in _of("index-pattern", objects)}
    found = []
    for thing in _of("search", objects):
        attributes = thing["attributes"]
        source = json.loads(attributes["kibanaSavedObjectMeta"]["searchSourceJSON"])
        view = thing["references"][0]["id"]
        found.append(
            SavedSearch(
                id=thing["id"],
                pattern=patterns[view],
                query=source["query"]["query"],
                columns=attributes["columns"],
                sort=attributes["sort"],
            )
        )
    return found


def read_panels(objects: list[Object] | None = None) -> list[Panel]:
    """All panels of dashboards."""
    found = []
    for thing in _of("visualization", read_objects() if objects is None else objects):
        spec = json.loads(json.loads(thing["attributes"]["visState"])["params"]["spec"])
        url = spec["data"]["url"]
        rows = spec["data"]["format"]["property"]
        found.append(Panel(thing["id"], url["index"], url["body"], rows, spec))
    return found


def _of(kind: str, objects: list[Object]) -> list[Object]:
    return [thing for thing in objects if thing["type"] == kind]


def _find_paths(properties: Mapping[str, Any]) -> set[str]:
    found = set()
    for name, field in properties.items():
        found.add(name)
        below = {**field.get("fields", {}), **field.get("properties", {})}
        found |= {f"{name}.{sub}" for sub in _find_paths(below)}
    return found


def _find_named(part: Any, key: str = "") -> Iterator[str]:
    if isinstance(part, Mapping):
        if key in _BY_NAME:
            yield from part
        for name, value in part.items():
            if name == "field":
                yield value
            elif name == "_source":
                yield from value
            else:
                yield from _find_named(value, name)
    elif isinstance(part, list):
        for value in part:
            yield from _find_named(value, key)
