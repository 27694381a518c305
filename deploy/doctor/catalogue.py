"""Whether the catalogue and the indices say the same."""

from collections.abc import Iterator
from contextlib import contextmanager

from elasticsearch import Elasticsearch

from citespan.es_mappings.index_name import CITESPAN, EXPERIMENTS, IndexNames
from citespan.pipelines.indexing.writing.citances import find_outdated, update_citances
from citespan.pipelines.indexing.writing.editions import (
    delete_articles,
    delete_unnamed,
    find_incomplete,
    refresh_all,
)
from citespan.pipelines.indexing.writing.links import delete_links, find_gone_articles
from citespan.pipelines.indexing.writing.rebuild import delete_left_over, find_left_over
from citespan.pipelines.indexing.writing.texts import find_without_text, restore_texts
from citespan.pipelines.indexing.writing.unnamed import Leftovers, find_leftovers
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.edition import Place, Stored, is_of_a_load
from citespan.pipelines.store.finding import LEFT_OVER, LOST, Finding, some
from citespan.pipelines.store.layout import Layout, layouts, shared_aliases
from citespan.pipelines.store.lease import LEASE_SECONDS, LeaseHeldError, find_writers, hold_lease
from citespan.pipelines.store.paging import count_all
from citespan.pipelines.store.retry import RetryPolicy
from citespan.pipelines.store.sender import BulkSender
from citespan.pipelines.store.server import Server, without_retries

_PATIENCE_SECONDS = 60
_TENTH = 10


def check_layout(
    client: Elasticsearch, layout: Layout, names: IndexNames = CITESPAN
) -> Iterator[Finding]:
    """Compare the documents of articles in one layout with the catalogue."""
    return layout.checker.check(client, names, _name_check(layout.name, names))


def check_each(client: Elasticsearch, layout: Layout) -> Iterator[Finding]:
    """Count the documents of each article in one layout."""
    return layout.checker.check_each(client, CITESPAN)


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
    found = count_all(client, index=names.citations) if there else 0
    if found < expected:
        message = f"{expected - found:,} citations are missing of {expected:,}"
        yield Finding(name, "failure", message, LOST)
    elif found > expected:
        message = f"{found - expected:,} citations are of no article in the catalogue"
        yield Finding(name, "warning", message, LEFT_OVER)
    else:
        yield Finding(name, "ok", f"{found:,} citations, all of articles in the catalogue")


def links(client: Elasticsearch) -> Iterator[Finding]:
    """Links against the articles that they name."""
    with _open_server(client) as server:
        gone = sorted(find_gone_articles(server, Catalogue(server.client)))
    if gone:
        message = f"links name {len(gone):,} articles that are not indexed: {some(gone)}"
        remedy = "run `citespan link`, or `citespan doctor --repair`"
        yield Finding("links", "warning", message, remedy)
    else:
        yield Finding("links", "ok", "none of an article that is not indexed")


def citances(client: Elasticsearch) -> Iterator[Finding]:
    """What others say of articles against the links that it is made of."""
    with _open_server(client) as server:
        names = Catalogue(server.client).names
        server.refresh([names.links, names.citances])
        outdated = sorted(find_outdated(server.client, names))
    if outdated:
        message = f"what others say is not what the links say of these: {some(outdated)}"
        remedy = "run `citespan link`, or `citespan doctor --repair`"
        yield Finding("citances", "warning", message, remedy)
    else:
        yield Finding("citances", "ok", "what others say of articles is what the links say")


def texts(client: Elasticsearch, names: IndexNames = CITESPAN) -> Iterator[Finding]:
    """The texts by which searches over all articles find them."""
    name = _name_check("texts", names)
    with _open_server(client) as server:
        without = next(filter(None, find_without_text(server, Catalogue(server.client, names))), ())
    if without:
        articles = some(sorted(new.entry.article for new in without))
        message = f"searches over all articles can't find these, among others: {articles}"
        yield Finding(name, "failure", message, "run `citespan doctor --repair`")
    else:
        yield Finding(name, "ok", "all articles are found by their texts")


def repair_rebuild(client: Elasticsearch) -> Iterator[Finding]:
    """Delete what interrupted rebuilds have left, unless a command is under way."""
    if not find_left_over(client):
        return
    try:
        with _open_server(client) as server, hold_lease(server, "doctor", exclusive=True):
            deleted = delete_left_over(server)
    except LeaseHeldError as error:
        message = f"nothing of a rebuild was deleted: {error}"
        yield Finding("repair of rebuilds", "warning", message, "repeat it when that has ended")
    else:
        message = f"deleted what interrupted rebuilds have left: {some(deleted)}"
        yield Finding("repair of rebuilds", "ok", message)


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
            message = f"nothing was repaired: {some([str(writer) for writer in writers])}"
            yield Finding("repair", "warning", message, remedy)
            return
        for catalogue, left in zip(catalogues, found, strict=True):
            yield from _repair(server, catalogue, left)
            yield from _repair_empty(server, catalogue, left)
            yield from _repair_texts(server, catalogue)
        catalogue = catalogues[0]
        gone = find_gone_articles(server, catalogue)
        deleted = delete_links(server, catalogue.names, gone)
        updated = update_citances(server, catalogue.names)
    message = f"deleted {deleted:,} links of articles that are not indexed"
    yield Finding("repair of links", "ok", message if deleted else "nothing to delete")
    if updated:
        message = f"made anew what others say of {updated:,} articles"
        yield Finding("repair of citances", "ok", message)


@contextmanager
def _open_server(client: Elasticsearch) -> Iterator[Server]:
    calm, retry = without_retries(client), RetryPolicy(_PATIENCE_SECONDS)
    with BulkSender(calm, retry) as sender:
        yield Server(calm, retry, sender)


def _repair(server: Server, catalogue: Catalogue, found: Leftovers) -> Iterator[Finding]:
    names = catalogue.names
    name = _name_check("repair", names)
    places = [place for place in found.unnamed if is_of_a_load(place.edition)]
    citations = [stored for stored in found.citations if is_of_a_load(stored.edition)]
    deleted = delete_unnamed(server, catalogue, places, citations)
    server.refresh([*(f"{alias}-*" for alias in shared_aliases(names)), names.citations])
    unnamed: list[Place | Stored] = [*found.unnamed, *found.citations]
    others = [edition.index for edition in unnamed if not is_of_a_load(edition.edition)]
    if others:
        message = f"no load has named these so, and no article has them: {some(others)}"
        yield Finding(name, "warning", message, "delete them by hand if nothing else uses them")
    if deleted or not unnamed:
        message = f"deleted {len(deleted):,} editions that no article has"
        yield Finding(name, "ok", f"{message}: {some(deleted)}" if deleted else "nothing to delete")


def _repair_empty(server: Server, catalogue: Catalogue, left: Leftovers) -> Iterator[Finding]:
    """Delete entries without any document, unless they are so many that an index must be
    lost, which a snapshot may still have."""
    if not left.empty:
        return
    name = _name_check("repair of entries", catalogue.names)
    if len(left.empty) * _TENTH > left.entries:
        message = (
            f"none of the documents of {len(left.empty):,} articles is there: {some(left.empty)}"
        )
        remedy = "restore a snapshot, or index these articles again"
        yield Finding(name, "failure", message, remedy)
        return
    versions = server.call(lambda: catalogue.look_up(left.empty)).values()
    places = {Place.of_entry(version.entry): version for version in versions}
    # A load that has begun since may have written them.
    lost = find_incomplete(server, catalogue.names, list(places))
    deleted = delete_articles(server, catalogue, [places[place] for place in lost])
    refresh_all(server, catalogue)
    message = f"deleted {len(deleted):,} entries without any document: {some(sorted(deleted))}"
    yield Finding(name, "ok", message)


def _repair_texts(server: Server, catalogue: Catalogue) -> Iterator[Finding]:
    if restored := restore_texts(server, catalogue):
        message = (
            f"searches over all articles find {len(restored):,} again: {some(sorted(restored))}"
        )
        yield Finding(_name_check("repair of texts", catalogue.names), "ok", message)


def experiments(client: Elasticsearch) -> Iterator[Finding]:
    """Check what experiments have indexed."""
    if client.indices.exists(index=EXPERIMENTS.articles):
        for layout in layouts:
            yield from check_layout(client, layout, EXPERIMENTS)
        yield from citations(client, EXPERIMENTS)
        yield from texts(client, EXPERIMENTS)


def _name_check(name: str, names: IndexNames) -> str:
    return name if names == CITESPAN else f"{name} of experiments"
