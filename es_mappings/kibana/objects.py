"""Kibana's saved objects: data views over the indices, and saved searches on them.

Ids are stable, so importing again overwrites and never doubles. Queries are in Lucene syntax,
which Elasticsearch runs too (`query_string`), so what Kibana will send can be tried without it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
from citespan.es_mappings.index_name import ALL_SPANS, SENTENCES

_QUERY_FIELD = re.compile(r"(?<![\w.])([a-z_][\w.]*):")


@dataclass(frozen=True)
class DataView:
    """The indices of one kind, as Kibana's Discover offers them."""

    id: str
    name: str
    pattern: str
    properties: Mapping[str, Any]

    @property
    def fields(self) -> set[str]:
        """The paths of all its fields."""
        return _paths(self.properties)

    def saved_object(self) -> dict[str, Any]:
        """Return it as the saved-objects API takes it."""
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
        sort: the fields sorted by, upwards; "-" before one sorts downwards, none sorts by score.
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
        """All fields that it names."""
        sort = (field.removeprefix("-") for field in self.sort)
        return {*self.columns, *sort, *_QUERY_FIELD.findall(self.query)}

    def __post_init__(self) -> None:
        unknown = self.fields - _paths(self.view.properties)
        if unknown:
            raise ValueError(f"saved search {self.id} names no field of the mapping: {unknown}")

    def saved_object(self) -> dict[str, Any]:
        """Return it as the saved-objects API takes it."""
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
                "sort": [
                    [field.removeprefix("-"), "desc" if field.startswith("-") else "asc"]
                    for field in self.sort
                ],
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
        below = {**field.get("fields", {}), **field.get("properties", {})}
        found |= {f"{name}.{sub}" for sub in _paths(below)}
    return found


SPANS = DataView(
    "citespan-spans", "citespan: spans", ALL_SPANS, spans.mapping([], True)["properties"]
)
ARTICLES = DataView(
    "citespan-articles", "citespan: articles", articles.INDEX, articles.mapping()["properties"]
)
SENTENCE_DOCUMENTS = DataView(
    "citespan-sentences", "citespan: sentences", SENTENCES, sentences.mapping()["properties"]
)
_ABSTRACTS = DataView(
    "citespan-abstracts",
    "citespan: abstracts",
    abstracts.ALL,
    abstracts.mapping()["properties"],
)
LOADS = DataView("citespan-loads", "citespan: loads", loads.INDEX, loads.mapping()["properties"])
EVALUATIONS = DataView(
    "citespan-evaluations",
    "citespan: evaluations",
    evaluations.INDEX,
    evaluations.mapping()["properties"],
)
CITATIONS = DataView(
    "citespan-citations",
    "citespan: citations",
    citations.INDEX,
    citations.mapping()["properties"],
)
LINKS = DataView("citespan-links", "citespan: links", links.INDEX, links.mapping()["properties"])
DATA_VIEWS = (
    SPANS,
    ARTICLES,
    SENTENCE_DOCUMENTS,
    _ABSTRACTS,
    LOADS,
    EVALUATIONS,
    CITATIONS,
    LINKS,
)

_WHERE = ("article", "first_sentence", "last_sentence")
_LINK = ("citing", "cited", "support", "text", "passages.text")
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
    SavedSearch(
        "citespan-citations",
        "citespan: citations in reading order",
        "What each article says of what it cites; filter by `article`, or by the `doi`, `pmid` or "
        "`author` of the reference.",
        CITATIONS,
        "reference:*",
        ("article", "section", "text", "marker", "author", "year", "title"),
        ("article", "number"),
    ),
    SavedSearch(
        "citespan-no-reference",
        "citespan: citations without a reference",
        "Markers that name no entry of the reference list.",
        CITATIONS,
        "NOT reference:*",
        ("article", "section", "text", "marker", "name"),
        ("article", "number"),
    ),
    SavedSearch(
        "citespan-linked",
        "citespan: what articles are cited for",
        "Citations that the cited article supports, with its passages; filter by `cited`.",
        LINKS,
        "verdict:supported",
        _LINK,
        ("cited", "-support"),
    ),
    SavedSearch(
        "citespan-without-evidence",
        "citespan: citations without evidence",
        "Citations of indexed articles in which no evidence was found, or only weak evidence; "
        "the most doubtful first.",
        LINKS,
        "NOT verdict:supported",
        ("verdict", *_LINK),
        ("support",),
    ),
)
