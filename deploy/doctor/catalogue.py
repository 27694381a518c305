"""Whether the catalogue and the indices say the same."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from elasticsearch import Elasticsearch

from citespan.deploy.doctor.finding import Finding, some
from citespan.deploy.doctor.indices import listed
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import CITESPAN, EXPERIMENTS, IndexNames
from citespan.pipelines.indexing.writing.deletion import delete_articles
from citespan.pipelines.indexing.writing.editions import (
    delete_unnamed,
    find_incomplete,
    refresh_all,
)
from citespan.pipelines.indexing.writing.links import delete_links, find_gone_articles
from citespan.pipelines.indexing.writing.rebuild import delete_left_over, find_left_over
from citespan.pipelines.indexing.writing.texts import find_without_text, restore_texts
from citespan.pipelines.indexing.writing.unnamed import (
    Leftovers,
    count_documents,
    find_leftovers,
    is_of_a_load,
)
from citespan.pipelines.server_reason import ShardMissingError
from citespan.pipelines.store.catalogue import Catalogue, NewEntry
from citespan.pipelines.store.edition import Place
from citespan.pipelines.store.lease import (
    LEASE_SECONDS,
    LeaseHeldError,
    find_writers,
    hold_lease,
)
from citespan.pipelines.store.retry import RetryPolicy
from citespan.pipelines.store.sender import BulkSender
from citespan.pipelines.store.server import Server, without_retries

_PATIENCE_SECONDS = 60
_LEFT = (
    "a load that is under way writes them, or an interrupted one has left them: repeat that load, "
    "or run `citespan doctor --repair`"
)
_LOST = (
    "index these articles again; `citespan doctor --repair` forgets those of which nothing is left"
)
_TENTH = 10


def spans(client: Elasticsearch, names: IndexNames = CITESPAN) -> Iterator[Finding]:
    """Articles of the layout `spans` against their indices, and the documents in these."""
    rows = listed(client, names.all_spans, "index,docs.count")
    counts = {row["index"]: row.get("docs.count") for row in rows}
    name = _name_check("spans", names)
    entries = list(_read_entries(client, names, "spans", ["article", "index", "spans"]))
    gone = sorted(entry.article for entry in entries if entry.index not in counts)
    if gone:
        yield Finding(name, "failure", f"the index is gone of {some(gone)}", _LOST)
    short = sorted(
        entry.article
        for entry in entries
        if (count := counts.get(entry.index)) is not None and int(count) != entry.spans
    )
    if short:
        what = f"not as many spans as the catalogue says: {some(short)}"
        yield Finding(name, "failure", what, _LOST)
    left = sorted(counts.keys() - {entry.index for entry in entries})
    if left:
        what = f"{len(left):,} indices of no article in the catalogue: {some(left)}"
        yield Finding(name, "warning", what, _LEFT)
    if not (gone or short or left):
        yield Finding(name, "ok", f"{len(entries):,} articles, all with their spans")


def sentences(client: Elasticsearch, names: IndexNames = CITESPAN) -> Iterator[Finding]:
    """Articles of the layout `sentences`: their indices, and all their sentences in one sum."""
    name = _name_check("sentences", names)
    articles_in, expected = _articles_in(client, names)
    if not articles_in and not client.indices.exists_alias(name=names.sentences):
        yield Finding(name, "ok", "no articles in that layout")
        return
    present = set(client.indices.get(index=f"{names.sentences}-*", filter_path="*.aliases"))
    gone = sorted(articles_in.keys() - present)
    if gone:
        lost = sum(articles_in[index] for index in gone)
        what = f"indices are gone: {some(gone)}, with {lost:,} articles"
        yield Finding(name, "failure", what, _LOST)
        return
    found = _count_documents(client, f"{names.sentences}-*") if present else 0
    count = sum(articles_in.values())
    if found < expected:
        what = f"{expected - found:,} sentences are missing of {expected:,}"
        remedy = "name the articles by `citespan doctor --thorough`, and index them again"
        yield Finding(name, "failure", what, remedy)
    elif found > expected:
        what = f"{found - expected:,} sentences are of no article in the catalogue"
        yield Finding(name, "warning", what, _LEFT)
    else:
        yield Finding(name, "ok", f"{count:,} articles, all of their {found:,} sentences")


def citations(client: Elasticsearch, names: IndexNames = CITESPAN) -> Iterator[Finding]:
    """The citations of all articles, in one sum."""
    name = _name_check("citations", names)
    if not client.indices.exists(index=names.articles):
        yield Finding(name, "ok", "no articles are indexed")
        return
    total = {"citations": {"sum": {"field": "citations"}}}
    told = client.search(index=names.articles, size=0, aggs=total)["aggregations"]
    expected = int(told["citations"]["value"])
    there = client.indices.exists(index=names.citations)
    found = _count_documents(client, names.citations) if there else 0
    if found < expected:
        what = f"{expected - found:,} citations are missing of {expected:,}"
        yield Finding(name, "failure", what, _LOST)
    elif found > expected:
        what = f"{found - expected:,} citations are of no article in the catalogue"
        yield Finding(name, "warning", what, _LEFT)
    else:
        yield Finding(name, "ok", f"{found:,} citations, all of articles in the catalogue")


def links(client: Elasticsearch) -> Iterator[Finding]:
    """Links against the articles that they name."""
    with _open_server(client) as server:
        gone = sorted(find_gone_articles(server, Catalogue(server.client)))
    if gone:
        what = f"links name {len(gone):,} articles that are not indexed: {some(gone)}"
        remedy = "run `citespan link`, or `citespan doctor --repair`"
        yield Finding("links", "warning", what, remedy)
    else:
        yield Finding("links", "ok", "none of an article that is not indexed")


def texts(client: Elasticsearch, names: IndexNames = CITESPAN) -> Iterator[Finding]:
    """The texts by which searches over all articles find them."""
    name = _name_check("texts", names)
    with _open_server(client) as server:
        without = next(filter(None, find_without_text(server, Catalogue(server.client, names))), ())
    if without:
        what = f"searches over all articles can't find these, among others: {some(_ids(without))}"
        yield Finding(name, "failure", what, "run `citespan doctor --repair`")
    else:
        yield Finding(name, "ok", "all articles are found by their texts")


def _ids(entries: Iterable[NewEntry]) -> list[str]:
    return sorted(one.entry.article for one in entries)


def sentences_of_each(client: Elasticsearch) -> Iterator[Finding]:
    """How many sentences there are of each article, against what the catalogue says."""
    if not client.indices.exists_alias(name=CITESPAN.sentences):
        return
    wanted = {
        entry.article: int(entry.sentences)
        for entry in _read_entries(client, CITESPAN, "sentences", ["article", "sentences"])
    }
    found = dict(count_documents(client, f"{CITESPAN.sentences}-*"))
    short = sorted(a for a, count in wanted.items() if found.get(a, 0) < count)
    if short:
        what = f"sentences are missing of {len(short):,} articles: {some(short)}"
        yield Finding("each article", "failure", what, _LOST)
    over = sorted(a for a, count in found.items() if count > wanted.get(a, 0))
    if over:
        what = f"sentences that the catalogue does not know, of {len(over):,} articles: "
        yield Finding("each article", "warning", what + some(over), _LEFT)
    if not (short or over):
        yield Finding("each article", "ok", f"{len(wanted):,} articles have just their sentences")


def _articles_in(client: Elasticsearch, names: IndexNames) -> tuple[dict[str, int], int]:
    """How many articles the catalogue has in each sentence index, and the sentences of all."""
    if not client.indices.exists(index=names.articles):
        return {}, 0
    told = client.search(
        index=names.articles,
        size=0,
        query={"term": {"layout": "sentences"}},
        aggs={
            "sentences": {"sum": {"field": "sentences"}},
            "indices": {"terms": {"field": "index", "size": 1000}},
        },
    )["aggregations"]
    buckets = told["indices"]["buckets"]
    return {one["key"]: one["doc_count"] for one in buckets}, int(told["sentences"]["value"])


def _count_documents(client: Elasticsearch, index: str) -> int:
    """Return how many documents there are.

    Raises:
        ShardMissingError: if they can't all be counted.
    """
    counted = client.count(index=index)
    if counted["_shards"]["failed"]:
        raise ShardMissingError(index, "no node has a copy of one of its shards")
    return int(counted["count"])


def _read_entries(
    client: Elasticsearch, names: IndexNames, layout: str, fields: list[str]
) -> Iterator[ArticleEntry]:
    entries = (version.entry for version in Catalogue(client, names).scan([*fields, "layout"]))
    return (entry for entry in entries if entry.layout == layout)


def repair_rebuild(client: Elasticsearch) -> Iterator[Finding]:
    """Delete what interrupted rebuilds have left, unless a command is under way."""
    if not find_left_over(client):
        return
    try:
        with _open_server(client) as server, hold_lease(server, "doctor", exclusive=True):
            deleted = delete_left_over(server)
    except LeaseHeldError as error:
        what = f"nothing of a rebuild was deleted: {error}"
        yield Finding("repair of rebuilds", "warning", what, "repeat it when that has ended")
    else:
        what = f"deleted what interrupted rebuilds have left: {some(deleted)}"
        yield Finding("repair of rebuilds", "ok", what)


def repair(client: Elasticsearch) -> Iterator[Finding]:
    """Delete the editions that no entry names, and give back their texts to entries that have lost
    them, unless a command that is under way may own any of these."""
    with _open_server(client) as server:
        catalogues = [Catalogue(server.client, names) for names in (CITESPAN, EXPERIMENTS)]
        found = [find_leftovers(server, catalogue) for catalogue in catalogues]
        # After what they may own was found: whoever begins later owns none of it.
        writers = server.call(lambda: find_writers(server.client))
        if writers:
            remedy = (
                "run `citespan doctor --repair` again when that has ended; what was killed counts "
                f"as ended after {LEASE_SECONDS // 60} minutes"
            )
            what = f"nothing was repaired: {some([str(one) for one in writers])}"
            yield Finding("repair", "warning", what, remedy)
            return
        for catalogue, left in zip(catalogues, found, strict=True):
            yield from _repair(server, catalogue, left.unnamed)
            yield from _repair_empty(server, catalogue, left)
            yield from _repair_texts(server, catalogue)
        catalogue = catalogues[0]
        gone = find_gone_articles(server, catalogue)
        deleted = delete_links(server, catalogue.names, gone)
    what = f"deleted {deleted:,} links of articles that are not indexed"
    yield Finding("repair of links", "ok", what if deleted else "nothing to delete")


@contextmanager
def _open_server(client: Elasticsearch) -> Iterator[Server]:
    calm, retry = without_retries(client), RetryPolicy(_PATIENCE_SECONDS)
    with BulkSender(calm, retry) as sender:
        yield Server(calm, retry, sender)


def _repair(server: Server, catalogue: Catalogue, found: Sequence[Place]) -> Iterator[Finding]:
    name = _name_check("repair", catalogue.names)
    left = [place for place in found if is_of_a_load(place)]
    others = [place.index for place in found if not is_of_a_load(place)]
    deleted = _name_editions(delete_unnamed(server, catalogue, left))
    server.refresh([f"{catalogue.names.sentences}-*", catalogue.names.citations])
    if others:
        what = f"no load has named these so, and no article has them: {some(others)}"
        yield Finding(name, "warning", what, "delete them by hand if nothing else uses them")
    if deleted or not found:
        what = f"deleted {len(deleted):,} editions that no article has"
        yield Finding(name, "ok", f"{what}: {some(deleted)}" if deleted else "nothing to delete")


def _repair_empty(server: Server, catalogue: Catalogue, left: Leftovers) -> Iterator[Finding]:
    """Delete entries of which no document is there, unless they are so many that an index must be
    lost, which a snapshot may still have."""
    if not left.empty:
        return
    name = _name_check("repair of entries", catalogue.names)
    if len(left.empty) * _TENTH > left.entries:
        what = f"none of the documents of {len(left.empty):,} articles is there: {some(left.empty)}"
        remedy = "restore a snapshot, or index these articles again"
        yield Finding(name, "failure", what, remedy)
        return
    versions = server.call(lambda: catalogue.look_up(left.empty)).values()
    places = {Place.of_entry(version.entry): version for version in versions}
    # A load that has begun since may have written them.
    lost = find_incomplete(server, catalogue.names, list(places))
    deleted = delete_articles(server, catalogue, [places[place] for place in lost])
    refresh_all(server, catalogue)
    what = f"deleted {len(deleted):,} entries without any document: {some(sorted(deleted))}"
    yield Finding(name, "ok", what)


def _repair_texts(server: Server, catalogue: Catalogue) -> Iterator[Finding]:
    if restored := restore_texts(server, catalogue):
        what = f"searches over all articles find {len(restored):,} again: {some(sorted(restored))}"
        yield Finding(_name_check("repair of texts", catalogue.names), "ok", what)


def _name_editions(places: Iterable[Place]) -> list[str]:
    """Return the edition at each place; one whose citations are left as well is named once."""
    return [edition for _, edition in dict.fromkeys((one.layout, one.edition) for one in places)]


def experiments(client: Elasticsearch) -> Iterator[Finding]:
    """Check what experiments have indexed."""
    if client.indices.exists(index=EXPERIMENTS.articles):
        yield from spans(client, EXPERIMENTS)
        yield from sentences(client, EXPERIMENTS)
        yield from citations(client, EXPERIMENTS)
        yield from texts(client, EXPERIMENTS)


def _name_check(name: str, names: IndexNames) -> str:
    return name if names == CITESPAN else f"{name} of experiments"
