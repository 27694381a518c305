"""A rebuild: a whole load into new indices beside the present ones, which it then replaces.

Searches find the indices that all articles share by names that are, after a rebuild, aliases. One
request at the end gives these names to the new indices, all together; whatever happens before it
leaves the present ones untouched. An article's own index needs no such name, since the catalogue's
entry says which one is searched.

New indices have an ending that no other rebuild has, and one rebuild at a time holds the lease to
write alone, from before it makes them until it has switched. So no request to delete an index,
however late it arrives, is for one that is in use.
"""

from collections.abc import Iterator, Sequence

from elasticsearch import BadRequestError, Elasticsearch, NotFoundError
from elasticsearch.helpers import scan

from citespan.es_mappings import abstracts, citations
from citespan.es_mappings.index_name import CITESPAN, GENERATION, IndexNames
from citespan.pipelines.batches import batched
from citespan.pipelines.errors import CitespanError, InputError
from citespan.pipelines.indexing.writing.links import delete_links, find_gone_articles
from citespan.pipelines.indexing.writing.unnamed import find_unused_indices
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.index_versions import index_versions, kind_of
from citespan.pipelines.store.layout import shared_aliases
from citespan.pipelines.store.lease import Lease
from citespan.pipelines.store.paging import count_all
from citespan.pipelines.store.server import Server, batch_names

_AT_ONCE = 1_000
_TENTH = 10


class Rebuild:
    """New indices of articles, abstracts or both.

    Args:
        lease: that nobody else may write beside.
        yes: whether more than a tenth of what is indexed may be missing from the new indices.

    Attributes:
        names: of the new indices.
    """

    def __init__(self, server: Server, lease: Lease, yes: bool) -> None:
        self._server = server
        self._lease = lease
        self._yes = yes
        self.names = IndexNames(CITESPAN.prefix, lease.token[:GENERATION])
        delete_left_over(server)

    def name_new(self, index: str) -> str:
        """Return the name of the index that is to replace one of abstracts."""
        return f"{index}~{self.names.generation}"

    def switch(self, articles: bool, abstracts_index: str) -> int:
        """Let the new indices take the place of the present ones, and delete these.

        Args:
            articles: whether articles were loaded.
            abstracts_index: that of the abstracts that were loaded, as searches name it; "" for
                none.

        Returns:
            How many articles and abstracts are no longer indexed.

        Raises:
            InputError: if more than a tenth of them would be lost, and that was not asked for.
            LeaseLostError: if somebody else may have written meanwhile.
            CitespanError: if another rebuild has been faster.
        """
        replaced = [(abstracts_index, self.name_new(abstracts_index))] if abstracts_index else []
        if articles:
            replaced.append((CITESPAN.articles, self.names.articles))
            replaced.append((CITESPAN.citations, self.names.citations))
        self._ensure_present(articles, abstracts_index)
        lost = self._check_losses([pair for pair in replaced if pair[0] != CITESPAN.citations])
        actions = [action for present, new in replaced for action in self._replace(present, new)]
        if articles:
            actions += [*self._replace_shared(), *self._remove_links()]
        self._lease.check()
        self._send(actions, replaced)
        delete_left_over(self._server)
        if articles:
            catalogue = Catalogue(self._server.client)
            gone = find_gone_articles(self._server, catalogue)
            delete_links(self._server, catalogue.names, gone)
        return lost

    def _ensure_present(self, articles: bool, abstracts_index: str) -> None:
        """Create what is to be replaced where nothing is: then the switch fails if anybody
        has been faster."""
        if articles and not self._find_present(CITESPAN.articles):
            self._server.call(Catalogue(self._server.client).ensure)
        if articles and not self._find_present(CITESPAN.citations):
            self._server.ensure(CITESPAN.citations, citations.mapping(), citations.settings())
        if abstracts_index and not self._find_present(abstracts_index):
            self._server.ensure(abstracts_index, abstracts.mapping(), abstracts.settings())

    def _check_losses(self, replaced: Sequence[tuple[str, str]]) -> int:
        """Return how many documents are in the present indices and not in the new ones."""
        total = lost = 0
        for present, new in replaced:
            self._server.refresh([present, new])
            ids = _read_ids(self._server.client, present)
            for some in batched(ids, _AT_ONCE):
                found = self._server.call(lambda: _count(self._server.client, new, some))  # noqa: B023
                total, lost = total + len(some), lost + len(some) - found
        if not self._yes and lost * _TENTH > total:
            raise InputError(
                f"would replace {total:,} articles or abstracts, of which {lost:,} are not in this "
                "load; nothing is replaced: repeat the command with `delete_many` if they are to go"
            )
        return lost

    def _find_present(self, name: str) -> list[str]:
        found = self._server.call(
            lambda: self._server.client.indices.get(
                index=name, ignore_unavailable=True, filter_path="*.aliases"
            )
        )
        return sorted(found)

    def _replace(self, name: str, new: str) -> Iterator[dict[str, object]]:
        for old in self._find_present(name):
            if old == name:
                yield {"remove_index": {"index": old}}
            else:
                yield {"remove": {"index": old, "alias": name, "must_exist": True}}
        yield {"add": {"index": new, "alias": name}}

    def _replace_shared(self) -> Iterator[dict[str, object]]:
        aliases = zip(shared_aliases(CITESPAN), shared_aliases(self.names), strict=True)
        for alias, new_alias in aliases:
            for old in self._find_present(alias):
                yield {"remove": {"index": old, "alias": alias, "must_exist": True}}
            for new in self._find_present(new_alias):
                yield {"add": {"index": new, "alias": alias}}

    def _remove_links(self) -> Iterator[dict[str, object]]:
        """Links and citances of another version can't be read any more; `citespan link` makes them
        again."""
        for known in index_versions(self._server.client):
            if known.kind in ("links", "citances") and known.version != known.wanted:
                yield {"remove_index": {"index": known.index}}

    def _send(
        self, actions: Sequence[dict[str, object]], replaced: Sequence[tuple[str, str]]
    ) -> None:
        """Switch all at once; the answer to an earlier attempt may have been lost."""
        update = self._server.client.indices.update_aliases
        try:
            self._server.call(lambda: update(actions=list(actions)))
        except (BadRequestError, NotFoundError) as error:
            if any(self._find_present(name) != [new] for name, new in replaced):
                raise CitespanError(
                    "another rebuild has replaced the indices meanwhile; repeat the command"
                ) from error


def find_left_over(client: Elasticsearch) -> list[str]:
    """Return the indices that a rebuild under way has made, or an interrupted one has left: those
    that no name leads to which searches use."""
    found = client.indices.get(
        index=[
            f"{CITESPAN.articles}~*",
            f"{CITESPAN.citations}~*",
            f"{abstracts.ALL}~*",
            *(f"{alias}-*" for alias in shared_aliases(CITESPAN)),
        ],
        filter_path="*.aliases",
    )
    unused = [
        name
        for name, index in found.items()
        if kind_of(name) is not None and all("~" in alias for alias in index["aliases"])
    ]
    return sorted(name for name in unused if "~" in name or not _is_named(client, name))


def delete_left_over(server: Server) -> list[str]:
    """Delete what interrupted rebuilds have left, and the spans that no article has; only for who
    writes alone.

    Returns:
        The names of the indices.
    """
    left = server.call(lambda: find_left_over(server.client))
    versions = server.call(lambda: index_versions(server.client))
    if all(known.version == known.wanted for known in versions if known.kind == "catalogue"):
        left += server.call(lambda: find_unused_indices(server, Catalogue(server.client)))
    for some in batch_names(left):
        server.call(lambda: server.client.indices.delete(index=some, ignore_unavailable=True))  # noqa: B023
    return left


def delete_outdated_records(server: Server) -> None:
    """Delete the records of loads and of leases that another version of citespan has made, which
    this one can't write."""
    for known in server.call(lambda: index_versions(server.client)):
        if known.kind in ("loads", "leases") and known.version != known.wanted:
            server.call(
                lambda: server.client.indices.delete(index=known.index, ignore_unavailable=True)  # noqa: B023
            )


def _is_named(client: Elasticsearch, index: str) -> bool:
    """Whether an article in the catalogue is in an index."""
    query = {"term": {"index": index}}
    return count_all(client, index=CITESPAN.articles, query=query, ignore_unavailable=True) > 0


def _read_ids(client: Elasticsearch, index: str) -> Iterator[str]:
    kept = {"bool": {"must_not": [{"term": {"deleted": True}}]}}  # tombstones of abstracts
    for hit in scan(client, index=index, query={"query": kept, "_source": False}, size=_AT_ONCE):
        yield hit["_id"]


def _count(client: Elasticsearch, index: str, ids: list[str]) -> int:
    found = client.mget(index=index, ids=ids, source=False)
    return sum(bool(document.get("found")) for document in found["docs"])
