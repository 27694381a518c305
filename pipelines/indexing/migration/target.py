"""What an index of an older mapping version is to become, and whether it can as it stands."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from citespan.es_mappings import abstracts, articles, citations, links, loads, sentences, spans
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.similarity import Similarity
from citespan.es_mappings.synonyms import UMLS, SynonymRule
from citespan.pipelines.indexing.migration.index_versions import Kind

SimilaritiesOf = Callable[[Iterable[str]], tuple[Similarity, ...]]
"""The similarities of retrieval models, by the models' names."""

NEEDED: Mapping[Kind, Sequence[str]] = {
    "catalogue": ("article", "content", "index"),
    "loads": ("load", "started"),
    "abstracts": ("pmid", "text", "sentences", "content", "version"),
    "citations": ("edition", "article", "number", "citation", "start", "end", "text", "query"),
    "links": ("citing", "cited", "citation", "citing_content", "cited_content"),
    "spans": (
        *("article", "section", "first_sentence", "last_sentence", "length", "start", "end"),
        "text",
    ),
    "sentences": ("edition", "article", "section", "number", "start", "end", "text"),
}
"""Fields that no document can be without; a server can't make them up."""
_MEANT_BY_ABSENCE: Mapping[Kind, Sequence[str]] = {"spans": ("white_space",)}
"""Fields whose absence says something of a document; not in an index that has no such field."""

_COMPARED = ("analysis", "similarity")


@dataclass(frozen=True, slots=True)
class Target:
    """What an index would be made of today."""

    mappings: Mapping[str, Any]
    settings: Mapping[str, Any]

    def needs_copy(self, present: Mapping[str, Any]) -> bool:
        """Whether an index can only become this by being written anew: new fields can be added
        to it, but neither a field nor a similarity or an analyzer can change.

        Args:
            present: `mappings` and `settings` of the index, as the server tells them.
        """
        told = present["settings"]["index"]
        made = self.settings["index"]
        return any(
            _as_told(made.get(part, {})) != told.get(part, {}) for part in _COMPARED
        ) or _differs(self.mappings["properties"], present["mappings"].get("properties", {}))

    def lacks(self, present: Mapping[str, Any], kind: Kind) -> list[str]:
        """Fields that documents of today have, or lack for a reason, and that no document of an
        index can have, since its mapping has not.

        Args:
            present: as in `needs_copy`.
        """
        wanted = (*NEEDED[kind], *_MEANT_BY_ABSENCE.get(kind, ()))
        return [field for field in wanted if field not in present["mappings"]["properties"]]


def target_of(
    kind: Kind,
    present: Mapping[str, Any],
    entry: ArticleEntry | None,
    similarities_of: SimilaritiesOf,
) -> Target:
    """What an index is to become.

    Args:
        present: `mappings` and `settings` of the index, as the server tells them.
        entry: of the article whose spans it has.
        similarities_of: for its models.
    """
    if kind == "catalogue":
        return Target(articles.mapping(), articles.settings())
    if kind == "loads":
        return Target(loads.mapping(), loads.settings())
    if kind == "abstracts":
        return Target(abstracts.mapping(), abstracts.settings())
    if kind == "citations":
        return Target(citations.mapping(), citations.settings())
    if kind == "links":
        return Target(links.mapping(), links.settings())
    if kind == "sentences":
        shards = int(present["settings"]["index"]["number_of_shards"])
        return Target(sentences.mapping(), sentences.settings(shards))
    assert entry is not None
    similarities = similarities_of(entry.models or ())
    rules = _rules(present)
    return Target(
        spans.mapping(similarities, rules is not None), spans.settings(similarities, rules)
    )


def _rules(present: Mapping[str, Any]) -> list[SynonymRule] | None:
    """The synonym rules that the index has: they come of a vocabulary that needn't be at hand."""
    fields = present["mappings"]["properties"].get("text", {}).get("fields", {})
    if UMLS not in fields:
        return None
    filters = present["settings"]["index"]["analysis"].get("filter", {}).values()
    written: Any = next((f["synonyms"] for f in filters if f.get("type") == "synonym_graph"), [])
    # as written to settings they are strings anyway
    return cast(list[SynonymRule], [written] if isinstance(written, str) else list(written))


def _as_told(value: object) -> object:
    """A setting as the server tells it: with strings for all that is no object or list."""
    if isinstance(value, Mapping):
        return {key: _as_told(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_as_told(one) for one in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _differs(wanted: Mapping[str, Any], present: Mapping[str, Any]) -> bool:
    """Whether one of the fields that are there is to be another, or to have further sub-fields,
    which documents that are there would lack."""
    for name in wanted.keys() & present.keys():
        one, other = dict(wanted[name]), dict(present[name])
        for field in (one, other):
            if field.get("type") == "object":
                del field["type"]
        if _differs(one.pop("properties", {}), other.pop("properties", {})) or one != other:
            return True
    return bool(present.keys() - wanted.keys())
