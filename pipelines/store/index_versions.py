"""Which of citespan's indices exist, and the mapping version of each."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from elasticsearch import Elasticsearch

from citespan.es_mappings import (
    abstracts,
    articles,
    citances,
    citations,
    leases,
    links,
    loads,
    sentences,
    spans,
)
from citespan.es_mappings.index_name import (
    CITESPAN,
    GENERATION,
    SENTENCES,
    SPANS_PREFIX,
    IndexNames,
)
from citespan.pipelines.errors import CitespanError, InputError

Kind = Literal[
    "catalogue",
    "loads",
    "abstracts",
    "citations",
    "links",
    "citances",
    "leases",
    "spans",
    "sentences",
]

VERSIONS: Mapping[str, int] = {
    "catalogue": articles.VERSION,
    "loads": loads.VERSION,
    "abstracts": abstracts.VERSION,
    "citations": citations.VERSION,
    "links": links.VERSION,
    "citances": citances.VERSION,
    "leases": leases.VERSION,
    "spans": spans.VERSION,
    "sentences": sentences.VERSION,
}
ALL = "citespan-*"
REMEDY = "load again with `citespan index … --rebuild`"
_OWN_NAMES: Mapping[str, Kind] = {
    articles.INDEX: "catalogue",
    loads.INDEX: "loads",
    citations.INDEX: "citations",
    links.INDEX: "links",
    citances.INDEX: "citances",
    leases.INDEX: "leases",
}
_GENERATION = re.compile(rf"~[0-9a-f]{{{GENERATION}}}\Z")
_ABSTRACTS = re.compile(rf"{abstracts.INDEX}(-[a-z0-9_-]+)?")
_COLLECTION = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
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

    def __str__(self) -> str:
        version = "unknown" if self.version is None else str(self.version)
        return f"{self.index} (version {version}, not {self.wanted})"


class OtherVersionError(CitespanError):
    """What is asked for is in an index that another version of citespan has made."""

    def __init__(self, what: str, version: int | None, wanted: int) -> None:
        described = "of no mapping version" if version is None else f"of mapping version {version}"
        update = "update citespan, or " if version is not None and version > wanted else ""
        super().__init__(
            f"{what} is {described}, and this citespan needs {wanted}: {update}{REMEDY}"
        )


def index_versions(client: Elasticsearch, names: IndexNames = CITESPAN) -> list[IndexVersion]:
    """Return all open indices of citespan's, by name; others whose names begin so are left out.

    Args:
        names: of the indices; those of users' articles unless stated otherwise.
    """
    return _read_versions(client, [f"{names.prefix}-*"], names)


def list_indices(client: Elasticsearch, index: str, columns: str) -> list[dict[str, str]]:
    """Return a row for each index, open or closed, with those of the columns that have a value."""
    answer = client.cat.indices(index=index, h=columns, format="json", expand_wildcards="all")
    return [
        {name: str(value) for name, value in row.items() if value is not None}
        for row in cast(list[dict[str, object]], answer.body)
    ]


def require_versions(
    client: Elasticsearch, *indices: str, names: IndexNames = CITESPAN
) -> frozenset[Kind]:
    """Check that indices are as this citespan makes them; those that do not exist are passed over.

    Args:
        indices: their names, or aliases.
        names: as in `index_versions`.

    Returns:
        The kinds of those that exist.

    Raises:
        OtherVersionError: if another version of citespan has made one.
    """
    found = _read_versions(client, indices, names)
    for index in found:
        if index.version != index.wanted:
            raise OtherVersionError(index.index, index.version, index.wanted)
    return frozenset(index.kind for index in found)


def _read_versions(
    client: Elasticsearch, indices: Sequence[str], names: IndexNames
) -> list[IndexVersion]:
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


def kind_of(index: str) -> Kind | None:
    """What an index of that name holds."""
    if index.startswith(SPANS_PREFIX):
        return "spans"
    name = _GENERATION.sub("", index)
    if name in _OWN_NAMES:
        return _OWN_NAMES[name]
    if _ABSTRACTS.fullmatch(name):
        return "abstracts"
    return "sentences" if _SENTENCES.fullmatch(name) else None


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
