"""Indices made by an older citespan, made those of this one without reading any file again.

Where a mapping has only gained fields, it is changed in place. Otherwise the server copies the
documents (`_reindex`, from their `_source`) into a new index, the documents of both are counted,
searches are switched over, and the old one is deleted: of spans and sentences by the `index` of
their entries in the catalogue; of all others by an alias that takes the old index's place in the
same step. Meanwhile the old one takes no writing. Wherever a migration ends,
running it again goes on.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from elasticsearch import Elasticsearch
from elasticsearch.helpers import scan

from citespan.es_mappings import articles
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import SENTENCES
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.migration.index_copy import copy, update_entries
from citespan.pipelines.indexing.migration.index_versions import (
    IndexVersion,
    Kind,
    copy_name,
    index_versions,
)
from citespan.pipelines.indexing.migration.target import (
    NEEDED,
    SimilaritiesOf,
    Target,
    target_of,
)
from citespan.pipelines.indexing.migration.texts import restore_texts

_ORDER = get_args(Kind)
_AGAIN = "index its articles again"


class NewerVersionError(CitespanError):
    """An index of a later citespan."""

    def __init__(self, index: IndexVersion) -> None:
        super().__init__(
            f"{index.index} is of mapping version {index.version}, and this citespan makes "
            f"{index.wanted}: a later citespan has made it; update citespan"
        )


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done about one index.

    Attributes:
        how: "copy" into a new index, "in place", or "not at all".
        articles: ids of the articles in it that are known.
        problem: why it can't be done, and the remedy; "" if it can.
    """

    index: IndexVersion
    how: Literal["copy", "in place", "not at all"]
    target: Target | None = None
    articles: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done.

    Attributes:
        documents: how many were copied.
        problem: why it was not done, and the remedy; "" if it was.
    """

    step: Step
    documents: int = 0
    problem: str = ""


def plan(client: Elasticsearch, similarities_of: SimilaritiesOf) -> list[Step]:
    """What there is to do, in the order to do it in; nothing is changed.

    Raises:
        NewerVersionError: for an index of a later citespan, before anything is done.
    """
    found = index_versions(client)
    for index in found:
        if index.is_newer:
            raise NewerVersionError(index)
    entries = {str(entry.index): entry for entry in _span_entries(client)}
    old = [i for i in found if i.version != i.wanted]
    old.sort(key=lambda one: _ORDER.index(one.kind))
    return [_step(client, one, entries, similarities_of) for one in old]


def migrate(client: Elasticsearch, steps: list[Step]) -> Iterator[Outcome]:
    """Do it, step by step; what can't be done is told and the rest goes on.

    Raises:
        ApiError, TransportError: where the server refuses or goes away; run it again.
    """
    for step in steps:
        if step.target is None:
            yield Outcome(step, problem=step.problem)
        elif step.how == "in place":
            _change(client, step.index, step.target)
            yield Outcome(step)
        else:
            yield _copy(client, step, step.target)


def _span_entries(client: Elasticsearch) -> Iterator[ArticleEntry]:
    if client.indices.exists(index=articles.INDEX):
        query = {"query": {"term": {"layout": "spans"}}, "_source": ["article", "index", "models"]}
        client.indices.refresh(index=articles.INDEX)
        for hit in scan(client, index=articles.INDEX, query=query):
            yield ArticleEntry.from_es(hit)


def _step(
    client: Elasticsearch,
    index: IndexVersion,
    entries: Mapping[str, ArticleEntry],
    similarities_of: SimilaritiesOf,
) -> Step:
    # a migration that ended just before its last request has left the old one
    entry = entries.get(index.index) or entries.get(copy_name(index.index))
    names = (str(entry.article),) if entry is not None else ()
    if index.version is None:
        problem = "it says no mapping version, so citespan has not made it as it is: delete it, and"
        return _impossible(index, names, f"{problem} {_AGAIN}")
    if index.kind == "spans" and entry is None:
        problem = "no article in the catalogue has it: an interrupted load has left it; delete it"
        return _impossible(index, names, problem)
    present = client.indices.get(index=index.index, features="mappings,settings")[index.index]
    target = target_of(index.kind, present, entry, similarities_of)
    if lacking := target.lacks(present, index.kind):
        return _impossible(index, names, f"it has no {', '.join(lacking)}; {_AGAIN}")
    how: Literal["copy", "in place"] = "copy" if target.needs_copy(present) else "in place"
    return Step(index, how, target, names)


def _impossible(index: IndexVersion, names: tuple[str, ...], problem: str) -> Step:
    told = f"{', '.join(names)}: " if names else ""
    return Step(index, "not at all", None, names, f"{told}{index.index}: {problem}")


def _change(client: Elasticsearch, index: IndexVersion, target: Target) -> None:
    """The version goes last, since it says that all is done."""
    meta: dict[str, Any] = client.indices.get_mapping(
        index=index.index, filter_path="*.mappings._meta"
    )[index.index]["mappings"]["_meta"]
    properties = target.mappings["properties"]
    client.indices.put_mapping(index=index.index, properties=properties)
    if index.kind in ("spans", "sentences"):
        update_entries(client, index.index, index.index, index.wanted)
    elif index.kind == "catalogue":
        restore_texts(client, index.index)
    client.indices.put_mapping(index=index.index, meta=meta | target.mappings["_meta"])


def _copy(client: Elasticsearch, step: Step, target: Target) -> Outcome:
    old, kind = step.index.index, step.index.kind
    new = copy_name(old)
    documents = 0
    if not _is_switched(client, step.index, new):
        documents, problem = copy(
            client, old, new, target.mappings, target.settings, needed=NEEDED[kind]
        )
        if problem:
            told = f"it can't be copied ({problem}); {_AGAIN}"
            return Outcome(step, problem=_impossible(step.index, step.articles, told).problem)
    if kind not in ("spans", "sentences"):
        if kind == "catalogue":
            restore_texts(client, new)
        alias = old.partition("~")[0]
        client.indices.update_aliases(
            actions=[{"remove_index": {"index": old}}, {"add": {"index": new, "alias": alias}}]
        )
        return Outcome(step, documents)
    if kind == "sentences":
        actions: list[dict[str, Any]] = [{"add": {"index": new, "alias": SENTENCES}}]
        if client.indices.exists_alias(index=old, name=SENTENCES):
            actions.append({"remove": {"index": old, "alias": SENTENCES}})
        client.indices.update_aliases(actions=actions)
    update_entries(client, old, new, step.index.wanted)
    client.indices.delete(index=old)
    return Outcome(step, documents)


def _is_switched(client: Elasticsearch, index: IndexVersion, new: str) -> bool:
    """Whether an interrupted migration has copied it already, and searches use the copy: loads
    may have written to that since."""
    if not client.indices.exists(index=new):
        return False
    if index.kind == "sentences":
        return bool(client.indices.exists_alias(index=new, name=SENTENCES))
    return bool(client.count(index=articles.INDEX, query={"term": {"index": new}})["count"])
