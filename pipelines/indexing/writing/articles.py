"""Writes articles in a layout, and the catalogue's entries of them.

Every group of every load writes editions of its own, which no other load shares. An entry is
written only in place of the entry that was looked up, so of two loads at once one is refused and
looks again; and a load deletes only the editions that its own entries have replaced, and its own
that no entry names. So a deletion, however late it arrives, never deletes what an entry names.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.indexing.documents.builder import DocumentBuilder, find_absolute
from citespan.pipelines.indexing.documents.prepared import Edition, PreparedArticle
from citespan.pipelines.indexing.reading.unit import Reading
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint
from citespan.pipelines.indexing.writing.editions import (
    delete_places,
    delete_unnamed,
    ensure_citations,
    find_incomplete,
    look_up_complete,
    refresh_all,
    write_citations,
)
from citespan.pipelines.indexing.writing.target import Group
from citespan.pipelines.store.catalogue import Catalogue, NewEntry, SameNameError, Version
from citespan.pipelines.store.edition import Place
from citespan.pipelines.store.layout import shared_aliases
from citespan.pipelines.store.sender import CONFLICT
from citespan.pipelines.store.server import Server

_LOOKED_AGAIN = 3


@dataclass
class ArticleTarget:
    """Articles of one catalogue, in one layout.

    Attributes:
        group_readings: how many articles a group has at most.
        expected: how many articles there will be in all, those already loaded included.
    """

    server: Server
    catalogue: Catalogue
    builder: DocumentBuilder
    checkpoint: Checkpoint
    group_readings: int
    expected: int = 0

    def __post_init__(self) -> None:
        self.name = self.catalogue.names.articles
        self._writer = self.builder.writer
        self._citations = self.catalogue.names.citations

    def ensure(self) -> None:
        self.server.call(lambda: self.catalogue.ensure(self.expected))
        self.server.refresh(self.name)  # for entries to be found by digests
        self.server.call(
            lambda: ensure_citations(self.server.client, self._citations, self.expected)
        )
        self._writer.ensure(self.server, self.catalogue.names, self.expected)

    def shared_indices(self) -> list[str]:
        names = self.catalogue.names
        return [names.articles, names.citations, *shared_aliases(names)]

    def find_missing(self, ids: Sequence[str]) -> set[str]:
        return set(ids) - look_up_complete(self.server, self.catalogue)(ids).keys()

    def fits(self, group: Group, reading: Reading) -> bool:  # noqa: ARG002
        return True

    def size(self, reading: Reading) -> int:
        return reading.documents.size if isinstance(reading, PreparedArticle) else 0

    def prepare(self, group: Group) -> None:
        """Nothing: documents have been built where articles were read."""

    def write(self, group: Group) -> None:
        changed = self._decide(group)
        if changed:
            editions = self._place(changed, group)
            self._write(editions)
            self._publish(editions, group)
            self._sweep(editions)

    def finish(self) -> None:
        for group, places in self.checkpoint.unfinished.items():
            delete_unnamed(self.server, self.catalogue, places)
            self.checkpoint.commit({}, group=group)
        refresh_all(self.server, self.catalogue)

    def _decide(self, group: Group) -> list[Edition]:
        """Return the editions that are to be written; count or reject the other articles."""
        accepted = self._accept(group)
        looked_up = [
            edition
            for edition in accepted
            if edition.article.moved or not edition.article.unchanged
        ]
        versions = self._look_up(looked_up)
        for edition in looked_up:
            edition.previous = versions.get(edition.article.id)
        stored = self._find_stored(
            [edition for edition in accepted if not edition.article.unchanged]
        )
        changed = []
        for edition in accepted:
            article, version = edition.article, edition.previous
            if article.unchanged or edition in stored:
                same = article.unchanged or self._is_current(edition, version)
                edition.outcome = "unchanged" if same else "replaced"
                edition.count()
            elif version is not None and version.entry.article != article.id:
                edition.problem = str(SameNameError(article.id, version.entry.article))
                edition.count()
            else:
                changed.append(edition)
        # Another load has written the stored ones since they were read, or spans get other lengths.
        self._update_entries(
            [edition for edition in accepted if edition.article.moved or edition in stored]
        )
        return changed

    def _accept(self, group: Group) -> list[Edition]:
        """Return the articles that this load has not met before; reject the others."""
        accepted: dict[str, Edition] = {}
        for event, report in zip(group.events, group.reports, strict=True):
            article = event.reading
            if not isinstance(article, PreparedArticle):
                continue
            if article.id in accepted:
                earlier: str | None = accepted[article.id].article.source
            else:
                earlier = self.checkpoint.source_of(article.id)
            if earlier is None:
                unit = find_absolute(source_of(event.unit.path))
                accepted[article.id] = Edition(replace(article, unit=unit), report)
                group.articles.append((article.id, article.source, event.unit.key))
            elif earlier == article.source:
                reason = "named twice in this load"
                report.reject(Rejected(article.source, reason, outcome="skipped"))
            else:
                reason = f"has the id '{article.id}' of {earlier}; give it another"
                report.reject(Rejected(article.source, reason))
        return list(accepted.values())

    def _look_up(self, editions: Sequence[Edition]) -> dict[str, Version]:
        """Return the present entries of articles, by id."""
        wanted = [edition.article.id for edition in editions]
        return self.server.call(lambda: self.catalogue.look_up(wanted))

    def _find_stored(self, editions: Sequence[Edition]) -> set[Edition]:
        """Return the articles that are stored already, with all documents."""
        stored = {
            Place.of_entry(edition.previous.entry): edition
            for edition in editions
            if edition.previous is not None
            and self.builder.has_documents(edition.previous.entry, edition.article.content)
        }
        incomplete = find_incomplete(self.server, self.catalogue.names, list(stored))
        return {edition for place, edition in stored.items() if place not in incomplete}

    def _is_current(self, edition: Edition, version: Version | None) -> bool:
        """Whether an entry describes the article as it is in this load."""
        return version is not None and self.builder.is_current(
            version.entry, edition.article.content
        )

    def _update_entries(self, editions: Sequence[Edition]) -> None:
        """Let the catalogue say where stored articles have been read from as well, and which
        lengths of spans they have now; their documents stay.

        An article that another load has changed meanwhile stays as that load has written it.
        """
        while editions:
            entries = [new for new in map(self._update_entry, editions) if new is not None]
            refused = self.catalogue.put(self.server.sender, entries)
            editions = [
                edition for edition in editions if refused.get(edition.article.id) == CONFLICT
            ]
            versions = self._look_up(editions)
            for edition in editions:
                edition.previous = versions.get(edition.article.id)

    def _update_entry(self, edition: Edition) -> NewEntry | None:
        """Return the entry of a stored article that takes the place of the present one, if that
        is to change."""
        article, version = edition.article, edition.previous
        if version is None or not self.builder.has_documents(version.entry, article.content):
            return None
        entry, sources = version.entry, version.sources
        is_moved = self.builder.is_moved(sources, article.path, article.digest)
        if not is_moved and self.builder.is_current(entry, article.content):
            return None
        lengths = self.builder.settings.lengths
        entry.source = self.builder.add_source(sources, article)
        entry.spans = article.spans
        entry.shortest, entry.longest = lengths.shortest, lengths.longest
        return NewEntry(entry, article.text, version)

    def _place(self, editions: Sequence[Edition], group: Group) -> list[Edition]:
        """Return the editions that have a place to be written to, which the checkpoint knows before
        anything is written; reject those with the name of another."""
        replaced = [edition.replaced for edition in editions]
        group.name = self.checkpoint.begin_group(filter(None, replaced))
        names = self.catalogue.names
        indices = self._writer.choose_indices(self.server, names, editions, group.name)
        layout = self.builder.layout.name
        placed: dict[str, Edition] = {}
        for edition, index in zip(editions, indices, strict=True):
            edition.place_in(layout, index, group.name)
            other = placed.setdefault(edition.place.edition, edition)
            if other is not edition:
                edition.problem = str(SameNameError(edition.article.id, other.article.id))
                edition.count()
        self.checkpoint.add_places(group.name, [edition.place for edition in placed.values()])
        return list(placed.values())

    def _write(self, editions: Sequence[Edition]) -> None:
        """Write sentences or spans, and citations at the same time; note what is refused."""
        server = self.server
        with ThreadPoolExecutor(1) as beside:
            citations = beside.submit(write_citations, server, self._citations, editions)
            try:
                refused = self._writer.write(server, editions, self.builder.settings)
            except BaseException:
                server.retry.stop()  # the load ends, so citations are not waited for
                raise
        refused |= citations.result()
        taken = [edition.place for edition in editions if edition.article.id not in refused]
        for place in self._find_missing(taken):
            refused[place.article] = (
                f"not all of its documents are in {place.index} and {self._citations}, which may "
                "have been deleted during the load; load it again"
            )
        for edition in editions:
            edition.problem = refused.get(edition.article.id, "")

    def _find_missing(self, places: Sequence[Place]) -> set[Place]:
        """Return the places that lack documents even after a while."""
        incomplete = find_incomplete(self.server, self.catalogue.names, places)
        for _ in range(_LOOKED_AGAIN):
            if not incomplete:
                break
            # A node may have died, and the other copies of its shards take over.
            indices = sorted({place.index for place in incomplete} | {self._citations})
            self.server.wait_for_shards(indices)
            self.server.refresh(indices)
            incomplete = find_incomplete(self.server, self.catalogue.names, list(incomplete))
        return incomplete

    def _publish(self, editions: Sequence[Edition], group: Group) -> None:
        """Write the entries, so that searches find the new editions."""
        waiting = [edition for edition in editions if not edition.problem]
        lengths = self._writer.count_lengths(self.server, waiting)
        while waiting:
            entries = [self._make_entry(edition, lengths) for edition in waiting]
            refused = self.catalogue.put(self.server.sender, entries)
            self.server.require_indices([self.catalogue.names.articles])
            conflicts = []
            for edition in waiting:
                reason = refused.get(edition.article.id)
                if reason is None:
                    edition.publish()
                elif reason == CONFLICT:
                    conflicts.append(edition)
                else:
                    edition.problem = f"the catalogue refused its entry: {reason}"
            waiting = self._decide_again(conflicts)
            replaced = list(filter(None, (edition.replaced for edition in waiting)))
            if replaced:
                self.checkpoint.add_places(group.name, replaced)

    def _make_entry(self, edition: Edition, lengths: Mapping[str, list[int]]) -> NewEntry:
        article, version = edition.article, edition.previous
        entry = self.builder.make_entry(
            article,
            edition.place,
            lengths.get(article.id, []),
            version.sources if version is not None else [],
        )
        return NewEntry(entry, article.text, version)

    def _decide_again(self, editions: Sequence[Edition]) -> list[Edition]:
        """Return those of some editions that are still to be published: somebody else has written
        the entry that each was to replace, or the answer to an earlier request was lost."""
        versions = self._look_up(editions)
        waiting = []
        for edition in editions:
            version = versions.get(edition.article.id)
            if version is not None and version.entry.edition == edition.place.edition:
                edition.publish()  # the answer was lost
            elif version is not None and version.entry.article != edition.article.id:
                edition.problem = str(SameNameError(edition.article.id, version.entry.article))
            else:
                edition.previous = version
                if self._is_current(edition, version):
                    edition.outcome = "unchanged"
                    self._update_entries([edition])
                else:
                    waiting.append(edition)
        return waiting

    def _sweep(self, editions: Sequence[Edition]) -> None:
        """Count what became of the editions, and delete what no entry names: those that were
        refused, and those that were replaced."""
        for edition in editions:
            edition.count()
        stale = filter(None, [edition.stale for edition in editions])
        delete_places(self.server, self.catalogue.names, stale)
