"""Kibana's saved objects: data views over the indices, and saved searches on them.

Ids are stable, so importing again overwrites and never doubles. Queries are in Lucene syntax,
which Elasticsearch runs too (`query_string`), so what Kibana will send can be tried without it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citespan.es_mappings import abstracts, articles, sentences, spans
from citespan.es_mappings.index_name import ALL_SPANS, SENTENCES

_QUERY_FIELD = re.compile(r"(?<![\w.])([a-z_][\w.]*):")


@dataclass(frozen=True)
class DataView:
    """The indices of one kind, as Kibana's Discover offers them."""

    id: str
    name: str
    pattern: str
    properties: Mapping[str, Any]

    def saved_object(self) -> dict[str, Any]:
        """As the saved-objects API takes it."""
        return {
            "id": self.id,
            "type": "index-pattern",
            "attributes": {"title": self.pattern, "name": self.name, "allowHidden": False},
            "references": [],
            "coreMigrationVersion": "8.8.0",
            "typeMigrationVersion": "8.0.0",
        }


@dataclass(frozen=True)
class SavedSearch:
    """A table in Discover.

    Attributes:
        query: in Lucene syntax.
        columns: the fields shown.
        sort: the fields sorted by, upwards; none sorts by score.
    """

    id: str
    title: str
    description: str
    view: DataView
    query: str
    columns: tuple[str, ...]
    sort: tuple[str, ...] = ()

    @property
    def fields(self) -> set[str]:
        """Every field that it names."""
        return {*self.columns, *self.sort, *_QUERY_FIELD.findall(self.query)}

    def __post_init__(self) -> None:
        unknown = self.fields - _paths(self.view.properties)
        if unknown:
            raise ValueError(f"saved search {self.id} names no field of the mapping: {unknown}")

    def saved_object(self) -> dict[str, Any]:
        """As the saved-objects API takes it."""
        reference = "kibanaSavedObjectMeta.searchSourceJSON.index"
        source = {
            "query": {"language": "lucene", "query": self.query},
            "filter": [],
            "indexRefName": reference,
        }
        return {
            "id": self.id,
            "type": "search",
            "attributes": {
                "title": self.title,
                "description": self.description,
                "columns": list(self.columns),
                "sort": [[field, "asc"] for field in self.sort],
                "grid": {},
                "hideChart": True,
                "isTextBasedQuery": False,
                "kibanaSavedObjectMeta": {"searchSourceJSON": json.dumps(source)},
            },
            "references": [{"id": self.view.id, "name": reference, "type": "index-pattern"}],
            "coreMigrationVersion": "8.8.0",
            "typeMigrationVersion": "8.0.0",
        }


def _paths(properties: Mapping[str, Any]) -> set[str]:
    found = set()
    for name, field in properties.items():
        found.add(name)
        found |= {f"{name}.{sub}" for sub in _paths(field.get("fields", {}))}
    return found


SPANS = DataView(
    "citespan-spans", "citespan: spans", ALL_SPANS, spans.mapping([], True)["properties"]
)
ARTICLES = DataView(
    "citespan-articles", "citespan: articles", articles.INDEX, articles.mapping()["properties"]
)
_SENTENCES = DataView(
    "citespan-sentences", "citespan: sentences", SENTENCES, sentences.mapping()["properties"]
)
_ABSTRACTS = DataView(
    "citespan-abstracts",
    "citespan: abstracts",
    abstracts.INDEX,
    abstracts.mapping()["properties"],
)
DATA_VIEWS = (SPANS, ARTICLES, _SENTENCES, _ABSTRACTS)

_WHERE = ("article", "first_sentence", "last_sentence")
SAVED_SEARCHES = (
    SavedSearch(
        "citespan-reading-order",
        "citespan: sentences in reading order",
        "Every single sentence, article by article; filter by `article` to read one.",
        SPANS,
        "length:1",
        (*_WHERE, "section", "text"),
        ("article", "first_sentence"),
    ),
    SavedSearch(
        "citespan-search-spans",
        "citespan: search spans",
        "Type words of a citing sentence after `text:`; spans are ranked by the vector space.",
        SPANS,
        "text:(evidence OR result OR show)",
        (*_WHERE, "text"),
    ),
    SavedSearch(
        "citespan-search-synonyms",
        "citespan: search spans, synonyms too",
        "As before, expanded by the synonyms of each article's concepts. Only articles that were "
        "indexed with --vocabulary are found; words in quotation marks are not expanded.",
        SPANS,
        "text.umls:(evidence OR result OR show)",
        (*_WHERE, "text"),
    ),
    SavedSearch(
        "citespan-search-sentences",
        "citespan: search single sentences",
        "As before, over single sentences only.",
        SPANS,
        "text:(evidence OR result OR show) AND length:1",
        (*_WHERE, "section", "text"),
    ),
    SavedSearch(
        "citespan-abstracts",
        "citespan: abstracts",
        "The sentences of abstracts, in reading order.",
        SPANS,
        "section:Abstract* AND length:1",
        (*_WHERE, "text"),
        ("article", "first_sentence"),
    ),
    SavedSearch(
        "citespan-loaded",
        "citespan: articles loaded",
        "What is loaded, for which models, and when.",
        ARTICLES,
        "article:*",
        ("article", "title", "models", "sentences", "spans", "loaded"),
        ("article",),
    ),
)


def saved_objects() -> list[dict[str, Any]]:
    """All of them; data views come before the searches that refer to them."""
    return [thing.saved_object() for thing in (*DATA_VIEWS, *SAVED_SEARCHES)]


def export() -> bytes:
    """The file that Kibana's saved-objects import takes: an object a line."""
    lines = (json.dumps(thing, ensure_ascii=False) for thing in saved_objects())
    return ("\n".join(lines) + "\n").encode()
