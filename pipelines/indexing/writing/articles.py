"""Writes articles in a layout, and the catalogue's entries of them.

Every group of every load writes editions of its own, which no other load shares. An entry is
written only in place of the entry that was looked up, so of two loads at once one is refused and
looks again; and a load deletes only the editions that its own entries have replaced, and its own
that no entry names. So a deletion, however late it arrives, never deletes what an entry names.
"""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import edition, slug
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.indexing.documents.builder import DocumentBuilder, find_absolute
from citespan.pipelines.indexing.documents.prepared import PreparedArticle
from citespan.pipelines.indexing.layout import Writing
from citespan.pipelines.indexing.reading.unit import Reading
from citespan.pipelines.indexing.report import LoadReport, Outcome
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint
from citespan.pipelines.indexing.writing.editions import (
    NOT_NEEDED,
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
from citespan.pipelines.store.sender import CONFLICT
from citespan.pipelines.store.server import Server

_LOOKED_AGAIN = 3


@dataclass
class _Writing:
    """An article that is being written.

    Attributes:
        version: the entry to be replaced; None if there is none.
        lengths: of its sentences, as the catalogue stores them.
    """

    article: PreparedArticle
    report: LoadReport
    version: Version | None
    place: Place
    lengths: list[int]


class ArticleTarget:
    """Articles of one catalogue, in one layout.

    Args:
        expected: how many articles there will be in all, those already loaded included.
        group_readings: how many articles a group has at most; None for as many as suit the layout.
    """

    def __init__(
        self,
        server: Server,
        catalogue: Catalogue,
        builder: DocumentBuilder,
        checkpoint: Checkpoint,
        expected: int = 0,
        group_readings: int | None = None,
    ) -> None:
        self._server = server
        self._catalogue = catalogue
        self._builder = builder
        self._writer = builder.writer
        self._citations = catalogue.names.citations
        self._checkpoint = checkpoint
        self._expected = expected
        self.name = catalogue.names.articles
        self.group_readings = group_readings or self._writer.group_articles

    def ensure(self) -> None:
        self._server.call(self._catalogue.ensure)
        self._server.call(lambda: ensure_citations(self._server.client, self._citations))
        self._writer.ensure(self._server, self._catalogue.names, self._expected)

    def shared_indices(self) -> list[str]:
        names = self._catalogue.names
        return [names.articles, names.citations, names.sentences]

    def find_missing(self, ids: Sequence[str]) -> set[str]:
        return set(ids) - look_up_complete(self._server, self._catalogue)(ids).keys()

    def fits(self, group: Group, reading: Reading) -> bool:  # noqa: ARG002
        return True

    def size(self, reading: Reading) -> int:
        return reading.documents.size if isinstance(reading, PreparedArticle) else 0

    def prepare(self, group: Group) -> None:
        """Nothing: documents have been built where articles were read."""

    def write(self, group: Group) -> None:
        accepted = self._accept(group)
        self._update_entries([article for article, _ in accepted if article.moved])
        versions = self._look_up(
            (article for article, _ in accepted if not article.unchanged), NOT_NEEDED
        )
        changed = self._find_changed(accepted, versions)
        if not changed:
            return
        present = [versions[article.id] for article, _ in changed if article.id in versions]
        group.name = self._checkpoint.begin_group(
            Place.of_entry(version.entry) for version in present
        )
        writings = self._place(changed, versions, group.name)
        self._checkpoint.add_places(group.name, (one.place for one in writings))
        stored = self._store(writings)
        self._delete(self._switch(stored, group.name))

    def finish(self) -> None:
        for group, places in self._checkpoint.unfinished.items():
            delete_unnamed(self._server, self._catalogue, places)
            self._checkpoint.commit({}, group=group)
        refresh_all(self._server, self._catalogue)

    def _accept(self, group: Group) -> list[tuple[PreparedArticle, LoadReport]]:
        """Return the articles that this load has not met before, each with its report; reject the
        others."""
        accepted: dict[str, tuple[PreparedArticle, LoadReport]] = {}
        for event, report in zip(group.events, group.reports, strict=True):
            article = event.reading
            if not isinstance(article, PreparedArticle):
                continue
            if article.id in accepted:
                earlier: str | None = accepted[article.id][0].source
            else:
                earlier = self._checkpoint.source_of(article.id)
            if earlier is None:
                unit = find_absolute(source_of(event.unit.path))
                accepted[article.id] = replace(article, unit=unit), report
                group.articles.append((article.id, article.source, event.unit.key))
            elif earlier == article.source:
                reason = "named twice in this load"
                report.reject(Rejected(article.source, reason, outcome="skipped"))
            else:
                reason = f"has the id '{article.id}' of {earlier}; give it another"
                report.reject(Rejected(article.source, reason))
        return list(accepted.values())

    def _look_up(
        self, articles: Iterable[PreparedArticle], without: Sequence[str] = ()
    ) -> dict[str, Version]:
        wanted = [article.id for article in articles]
        return self._server.call(lambda: self._catalogue.look_up(wanted, without))

    def _update_entries(self, stored: list[PreparedArticle]) -> None:
        """Let the catalogue say where stored articles have been read from as well, and which
        lengths of spans they have now; their documents stay.

        An article that another load has changed meanwhile stays as that load has written it.
        """
        lengths = self._builder.settings.lengths
        while stored:
            versions = self._look_up(stored)
            entries = []
            for article in stored:
                version = versions.get(article.id)
                if version is None or not self._builder.has_documents(
                    version.entry, article.content
                ):
                    continue
                entry, sources = version.entry, version.sources
                is_moved = self._builder.is_moved(sources, article.source)
                if is_moved or not self._builder.is_current(entry, article.content):
                    entry.source = self._builder.add_source(sources, article)
                    entry.spans = article.spans
                    entry.shortest, entry.longest = lengths.shortest, lengths.longest
                    entries.append(NewEntry(entry, article.text, version))
            refused = self._catalogue.put(self._server.sender, entries)
            stored = [article for article in stored if refused.get(article.id) == CONFLICT]

    def _find_changed(
        self,
        accepted: list[tuple[PreparedArticle, LoadReport]],
        versions: Mapping[str, Version],
    ) -> list[tuple[PreparedArticle, LoadReport]]:
        """Return the articles to write; count the others."""
        stored = {
            article.id: Place.of_entry(versions[article.id].entry)
            for article, _ in accepted
            if article.id in versions
            and self._builder.has_documents(versions[article.id].entry, article.content)
        }
        incomplete = self._find_incomplete(list(stored.values()))
        stored = {name: place for name, place in stored.items() if place not in incomplete}
        # Another load has written these since they were read, or spans get other lengths.
        self._update_entries([article for article, _ in accepted if article.id in stored])
        changed = []
        slugs: dict[str, str] = {}
        for article, report in accepted:
            version = versions.get(article.id)
            if article.unchanged or article.id in stored:
                same = version is None or self._builder.is_current(version.entry, article.content)
                outcome: Outcome = "unchanged" if same else "replaced"
                report.count(outcome, article.sentences, article.spans, article.citations)
                continue
            other = version.entry.article if version is not None else article.id
            other = slugs.setdefault(slug(article.id), other)
            if other != article.id:
                reason = str(SameNameError(article.id, other))
                report.reject(Rejected(article.source, reason))
            else:
                changed.append((article, report))
        return changed

    def _place(
        self,
        changed: list[tuple[PreparedArticle, LoadReport]],
        versions: Mapping[str, Version],
        group: str,
    ) -> list[_Writing]:
        """Decide where each article is written."""
        editions = [edition(article.id, group) for article, _ in changed]
        present = [versions.get(article.id) for article, _ in changed]
        entries = [version.entry if version is not None else None for version in present]
        names = self._catalogue.names
        indices = self._writer.choose_indices(
            self._server, names, list(zip(editions, entries, strict=True))
        )
        return [
            _Writing(
                article,
                report,
                version,
                Place(
                    article.id,
                    self._builder.layout.name,
                    index,
                    its_edition,
                    article.sentences,
                    article.spans,
                    article.citations,
                ),
                [],
            )
            for (article, report), version, index, its_edition in zip(
                changed, present, indices, editions, strict=True
            )
        ]

    def _store(self, writings: list[_Writing]) -> list[_Writing]:
        """Write the documents; return the articles of which all are in the index."""
        refused = self._write_documents([(one.article, one.place) for one in writings])
        taken = [one for one in writings if one.article.id not in refused]
        places = [one.place for one in taken]
        incomplete = self._find_incomplete(places)
        for _ in range(_LOOKED_AGAIN):
            if not incomplete:
                break
            # A node may have died, and the other copies of its shards take over.
            indices = sorted({place.index for place in incomplete} | {self._citations})
            self._server.wait_for_shards(indices)
            self._server.refresh(indices)
            incomplete = self._find_incomplete(list(incomplete))
        for place in incomplete:
            refused[place.article] = (
                f"not all of its documents are in {place.index} and {self._citations}, which may "
                "have been deleted during the load; load it again"
            )
        stored = [one for one in taken if one.article.id not in refused]
        self._refuse(writings, refused)
        lengths = self._writer.count_lengths(
            self._server, [(one.article, one.place) for one in stored]
        )
        for one in stored:
            one.lengths = lengths.get(one.article.id, [])
        return stored

    def _write_documents(self, pairs: Sequence[Writing]) -> dict[str, str]:
        """Write sentences or spans, and citations at the same time.

        Returns:
            The reason for each article, by its id, that the server refuses.
        """
        with ThreadPoolExecutor(1) as beside:
            citations = beside.submit(write_citations, self._server, self._citations, pairs)
            try:
                refused = self._writer.write(self._server, pairs, self._builder.settings)
            except BaseException:
                self._server.retry.stop()  # the load ends, so citations are not waited for
                raise
        return refused | citations.result()

    def _refuse(self, writings: list[_Writing], refused: Mapping[str, str]) -> None:
        """Count articles that the server refuses, and delete what it has taken of them."""
        rejected = [one for one in writings if one.article.id in refused]
        for one in rejected:
            one.report.reject(Rejected(one.article.source, refused[one.article.id]))
        self._delete([one.place for one in rejected])

    def _switch(self, writings: list[_Writing], group: str) -> list[Place]:
        """Write the entries, so that searches find the new editions.

        Returns:
            Where the editions are that no entry names any more.
        """
        stale: list[Place] = []
        while writings:
            refused = self._catalogue.put(
                self._server.sender,
                [
                    NewEntry(self._make_entry(one), one.article.text, one.version)
                    for one in writings
                ],
            )
            self._server.require_indices([self._catalogue.names.articles])
            conflicts = []
            for one in writings:
                reason = refused.get(one.article.id)
                if reason is None:
                    stale += _count_written(one)
                elif reason == CONFLICT:
                    conflicts.append(one)
                else:
                    reason = f"the catalogue refused its entry: {reason}"
                    self._refuse([one], {one.article.id: reason})
            versions = self._look_up(one.article for one in conflicts)
            writings = []
            for one in conflicts:
                version = versions.get(one.article.id)
                if version is not None and version.entry.edition == one.place.edition:
                    # The answer to an earlier request was lost.
                    stale += _count_written(one)
                elif version is not None and version.entry.article != one.article.id:
                    reason = str(SameNameError(one.article.id, version.entry.article))
                    self._refuse([one], {one.article.id: reason})
                elif version is not None and self._builder.is_current(
                    version.entry, one.article.content
                ):
                    one.report.count("unchanged")
                    stale.append(one.place)
                    self._update_entries([one.article])
                else:
                    one.version = version
                    writings.append(one)
            again = [one.version.entry for one in writings if one.version is not None]
            if again:
                self._checkpoint.add_places(group, map(Place.of_entry, again))
        return stale

    def _find_incomplete(self, places: Sequence[Place]) -> set[Place]:
        return find_incomplete(self._server, self._catalogue.names, places)

    def _delete(self, places: Sequence[Place]) -> None:
        delete_places(self._server, self._catalogue.names, places)

    def _make_entry(self, one: _Writing) -> ArticleEntry:
        sources = one.version.sources if one.version is not None else []
        return self._builder.make_entry(one.article, one.place, one.lengths, sources)


def _count_written(one: _Writing) -> list[Place]:
    """Count an article whose entry is written; return where its former edition is."""
    outcome: Outcome = "indexed" if one.version is None else "replaced"
    article = one.article
    one.report.count(outcome, article.sentences, article.spans, article.citations)
    return [] if one.version is None else [Place.of_entry(one.version.entry)]
