"""Panels of dashboards: a request to Elasticsearch, and how Vega-Lite shows its answer.

Kibana's own editor builds requests when a panel is shown. A Vega panel has its request in full, so
that it can be run without Kibana, which the tests do.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from citespan.es_mappings.kibana.objects import DataView

_SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v5.json"
_CONTEXT: Final = {
    "must": ["%dashboard_context-must_clause%"],
    "filter": ["%dashboard_context-filter_clause%"],
    "must_not": ["%dashboard_context-must_not_clause%"],
}
"""Where Kibana puts the query and the filters of the dashboard that shows the panel."""
_BY_NAME: Final = ("term", "range", "match", "wildcard")
"""Queries that name their field as a key."""


@dataclass(frozen=True)
class Panel:
    """A chart of aggregations.

    Attributes:
        aggregations: of the request.
        rows: where the answer has what is shown, as in "sections.buckets".
        mark, encoding, transform: as in Vega-Lite, on the rows.
        query: which documents count; all of the view's if there is none.
        runtime: fields that the request computes.

    Raises:
        ValueError: without aggregations, or for a field that the view does not have.
    """

    id: str
    title: str
    view: DataView
    aggregations: Mapping[str, Any]
    rows: str
    mark: Mapping[str, Any]
    encoding: Mapping[str, Any]
    transform: tuple[Mapping[str, Any], ...] = ()
    query: Mapping[str, Any] = field(default_factory=lambda: {"match_all": {}})
    runtime: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.aggregations:
            raise ValueError(f"panel {self.id} asks for nothing")
        unknown = self.fields - self.view.fields
        if unknown:
            raise ValueError(f"panel {self.id} names no field of the mapping: {unknown}")

    @property
    def fields(self) -> set[str]:
        """The fields of documents that the request names."""
        return set(_find_fields([self.aggregations, self.query])) - set(self.runtime)

    def body(self) -> dict[str, Any]:
        """Return the request for the dashboard's documents of the view."""
        clauses = _CONTEXT | {"filter": [*_CONTEXT["filter"], dict(self.query)]}
        body: dict[str, Any] = {"size": 0, "query": {"bool": clauses}, "aggs": self.aggregations}
        return body | ({"runtime_mappings": self.runtime} if self.runtime else {})

    def spec(self) -> dict[str, Any]:
        """Return the panel as Kibana's Vega takes it."""
        return {
            "$schema": _SCHEMA,
            "autosize": {"type": "fit", "contains": "padding"},
            "data": {
                "url": {"index": self.view.pattern, "body": self.body()},
                "format": {"property": f"aggregations.{self.rows}"},
            },
            "transform": list(self.transform),
            "mark": self.mark,
            "encoding": self.encoding,
            "config": {"axis": {"labelLimit": 320}},
        }

    def saved_object(self) -> dict[str, Any]:
        """Return it as the saved-objects API takes it."""
        state = {
            "title": self.title,
            "type": "vega",
            "aggs": [],
            "params": {"spec": json.dumps(self.spec(), indent=2, ensure_ascii=False)},
        }
        return {
            "id": self.id,
            "type": "visualization",
            "attributes": {
                "title": self.title,
                "description": "",
                "version": 1,
                "uiStateJSON": "{}",
                "visState": json.dumps(state, ensure_ascii=False),
                "kibanaSavedObjectMeta": {"searchSourceJSON": no_query()},
            },
            "references": [],
            "coreMigrationVersion": "8.8.0",
            "typeMigrationVersion": "8.5.0",
        }


def no_query() -> str:
    """Return a search source without a query of its own."""
    return json.dumps({"query": {"language": "kuery", "query": ""}, "filter": []})


def bars(
    *,
    value: str,
    title: str,
    name: str = "key",
    name_title: str = "",
    color: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the mark and the encoding of horizontal bars, in the order of the rows."""
    x = {"field": value, "type": "quantitative", "title": title}
    y = {"field": name, "type": "nominal", "sort": None, "title": name_title or None}
    return {
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {"x": x, "y": y, **({"color": color} if color else {})},
    }


def columns(
    *, step: float, title: str, value: str = "doc_count", value_title: str
) -> dict[str, Any]:
    """Return the mark, the encoding and the transform of a histogram.

    Args:
        step: the width of its intervals.
    """
    return {
        "transform": ({"calculate": f"datum.key + {step}", "as": "end"},),
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": {
                "field": "key",
                "type": "quantitative",
                "bin": {"binned": True, "step": step},
                "title": title,
                "axis": {"format": "~f"},
            },
            "x2": {"field": "end"},
            "y": {"field": value, "type": "quantitative", "title": value_title},
        },
    }


def _find_fields(part: Any, key: str = "") -> Iterator[str]:
    """Yield the fields that a part of a request names."""
    if isinstance(part, Mapping):
        if key in _BY_NAME:
            yield from part
        for name, value in part.items():
            if name == "field":
                yield value
            elif name == "_source":
                yield from value
            else:
                yield from _find_fields(value, name)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from _find_fields(value)
