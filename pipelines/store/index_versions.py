"""Which of citespan's indices exist, and the mapping version of each."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from elasticsearch import Elasticsearch

from citespan.es_mappings import abstracts, articles, citances, citations, leases, links, loads
from citespan.es_mappings.index_name import CITESPAN, GENERATION, IndexNames
from citespan.pipelines.errors import InputError, OtherVersionError
from citespan.pipelines.store.layout import layouts

ALL = "citespan-*"
_MAPPINGS = {
    "catalogue": articles,
    "loads": loads,
    "abstracts": abstracts,
    "citations": citations,
    "links": links,
    "citances": citances,
    "leases": leases,
}
_KINDS = {mapping.INDEX: kind for kind, mapping in _MAPPINGS.items()}
_GENERATION = re.compile(rf"~[0-9a-f]{{{GENERATION}}}\Z")
_ABSTRACTS = re.compile(rf"{abstracts.INDEX}(-[a-z0-9_-]+)?")
_COLLECTION = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
_NUMBER = re.compile(r"\d{3,}")


@dataclass(frozen=True, slots=True)
class IndexVersion:
    """An index of citespan's.

    Attributes:
        index: its own name, not an alias.
        kind: what it holds: a layout's name for documents of articles.
        version: of its mapping; None where the mapping does not say.
    """

    index: str
    kind: str
    version: int | None

    @property
    def wanted(self) -> int:
        """The version that this citespan makes."""
        known = _MAPPINGS.get(self.kind)
        return known.VERSION if known is not None else layouts[self.kind].version

    @property
    def is_newer(self) -> bool:
        """Whether a later citespan has made it."""
        return self.version is not None and self.version > self.wanted

    def __str__(self) -> str:
        version = "unknown" if self.version is None else str(self.version)
        return f"{self.index} (version {version}, not {self.wanted})"


def index_versions(client: Elasticsearch, names: IndexNames = CITESPAN) -> list[IndexVersion]:
    """Return all open indices of citespan's, by name; others whose names begin so are left out.

    Args:
        names: of the indices; those of users' articles unless stated otherwise.
    """
    return read_versions(client, f"{names.prefix}-*", names=names)


def list_indices(client: Elasticsearch, index: str, columns: str) -> list[dict[str, str]]:
    """Return a row for each index, open or closed, with those of the columns that have a value."""
    answer = client.cat.indices(index=index, h=columns, format="json", expand_wildcards="all")
    return [
        {name: str(value) for name, value in row.items() if value is not None}
        for row in cast(list[dict[str, object]], answer.body)
    ]


def require_versions(
    client: Elasticsearch, *indices: str, names: IndexNames = CITESPAN
) -> frozenset[str]:
    """Check that indices are as this citespan makes them; those that do not exist are passed over.

    Args:
        indices: their names, or aliases.
        names: as in `index_versions`.

    Returns:
        The kinds of those that exist.

    Raises:
        OtherVersionError: if another version of citespan has made one.
    """
    return check_versions(read_versions(client, *indices, names=names))


def check_versions(found: Iterable[IndexVersion]) -> frozenset[str]:
    """Return the kinds of indices.

    Raises:
        OtherVersionError: if another version of citespan has made one.
    """
    kinds = set()
    for index in found:
        if index.version != index.wanted:
            raise OtherVersionError(index.index, index.version, index.wanted)
        kinds.add(index.kind)
    return frozenset(kinds)


def read_versions(
    client: Elasticsearch, *indices: str, names: IndexNames = CITESPAN
) -> list[IndexVersion]:
    """Return those of the indices that exist and are citespan's, by name.

    Args:
        indices, names: as in `require_versions`.
    """
    found = client.indices.get(
        index=list(indices), ignore_unavailable=True, filter_path="*.aliases,*.mappings._meta"
    )
    versions = []
    for name, described in sorted(found.items()):
        kind = kind_of(CITESPAN.prefix + name.removeprefix(names.prefix))
        if kind is not None:
            version = _meta(described).get("citespan_mapping")
            versions.append(IndexVersion(name, kind, version if type(version) is int else None))
    return versions


def kind_of(index: str) -> str | None:
    """What an index of that name holds, as `IndexVersion.kind`."""
    name = _GENERATION.sub("", index)
    if name in _KINDS:
        return _KINDS[name]
    if _ABSTRACTS.fullmatch(name):
        return "abstracts"
    for layout in layouts:
        ending = name.removeprefix(CITESPAN.own_index(layout.name, ""))
        if ending != name and (not layout.shares_indices or _NUMBER.fullmatch(ending)):
            return layout.name
    return None


def _meta(described: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = described.get("mappings", {}).get("_meta", {})
    return meta if isinstance(meta, Mapping) else {}


def name_collection_index(collection: str) -> str:
    """Return the name of the index of a collection of abstracts, which can be searched alone; for
    "", of the abstracts that are in none.

    Raises:
        InputError: if a collection can't have that name.
    """
    if not collection:
        return abstracts.INDEX
    if not _COLLECTION.fullmatch(collection):
        raise InputError(
            f"`collection={collection}`: use up to 60 lower-case letters, digits, - and _, a "
            "letter or digit first"
        )
    return f"{abstracts.INDEX}-{collection}"
