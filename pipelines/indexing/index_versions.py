"""Which of citespan's indices are there, and of what mapping version each is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from elasticsearch import Elasticsearch

from citespan.es_mappings import (
    abstracts,
    articles,
    citations,
    leases,
    links,
    loads,
    sentences,
    spans,
)
from citespan.es_mappings.index_name import CITESPAN, SENTENCES, SPANS_PREFIX, IndexNames

Kind = Literal[
    "catalogue", "loads", "abstracts", "citations", "links", "leases", "spans", "sentences"
]

VERSIONS: Mapping[Kind, int] = {
    "catalogue": articles.VERSION,
    "loads": loads.VERSION,
    "abstracts": abstracts.VERSION,
    "citations": citations.VERSION,
    "links": links.VERSION,
    "leases": leases.VERSION,
    "spans": spans.VERSION,
    "sentences": sentences.VERSION,
}
ALL = "citespan-*"
_OWN_NAMES: Mapping[str, Kind] = {
    articles.INDEX: "catalogue",
    loads.INDEX: "loads",
    citations.INDEX: "citations",
    links.INDEX: "links",
    leases.INDEX: "leases",
}
_ABSTRACTS = re.compile(rf"{abstracts.INDEX}(-[a-z0-9_-]+)?")
_SENTENCES = re.compile(rf"{SENTENCES}-\d{{3,}}")


@dataclass(frozen=True, slots=True)
class IndexVersion:
    """An index of citespan's.

    Attributes:
        index: its own name, not an alias.
        version: of its mapping; None where the mapping does not say.
    """

    index: str
    kind: Kind
    version: int | None

    @property
    def wanted(self) -> int:
        """The version that this citespan makes."""
        return VERSIONS[self.kind]

    @property
    def is_newer(self) -> bool:
        """Whether a later citespan has made it."""
        return self.version is not None and self.version > self.wanted


def index_versions(client: Elasticsearch, names: IndexNames = CITESPAN) -> list[IndexVersion]:
    """Return all open indices of citespan's, by name; others whose names begin so are left out.

    Args:
        names: of the indices; those of users' articles unless stated otherwise.
    """
    found = client.indices.get(index=f"{names.prefix}-*", filter_path="*.aliases,*.mappings._meta")
    versions = []
    for name, one in sorted(found.items()):
        kind = kind_of(CITESPAN.prefix + name.removeprefix(names.prefix))
        if kind is not None:
            version = _meta(one).get("citespan_mapping")
            versions.append(IndexVersion(name, kind, version if type(version) is int else None))
    return versions


def kind_of(index: str) -> Kind | None:
    """What an index of that name holds."""
    if index in _OWN_NAMES:
        return _OWN_NAMES[index]
    if index.startswith(SPANS_PREFIX):
        return "spans"
    if _ABSTRACTS.fullmatch(index):
        return "abstracts"
    return "sentences" if _SENTENCES.fullmatch(index) else None


def _meta(one: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = one.get("mappings", {}).get("_meta", {})
    return meta if isinstance(meta, Mapping) else {}
