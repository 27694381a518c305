"""One group of articles: written, put into the catalogue, and noted as done."""

from collections.abc import Iterable, Sequence
from functools import partial

from elasticsearch import Elasticsearch

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.indexing import catalogue
from citespan.pipelines.indexing.catalogue import SameNameError, Version
from citespan.pipelines.indexing.census import Census
from citespan.pipelines.indexing.documents.prepared import Prepared, place_of, written_at
from citespan.pipelines.indexing.documents.preparer import Preparer
from citespan.pipelines.indexing.known_articles import existing
from citespan.pipelines.indexing.reading.unit import Event, Unit
from citespan.pipelines.indexing.writing.article_writer import ArticleWriter
from citespan.pipelines.indexing.writing.bulk_sender import CONFLICT, BulkSender
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint
from citespan.pipelines.indexing.writing.intent import Intent
from citespan.pipelines.indexing.writing.patience import Patience
from citespan.pipelines.indexing.writing.removal import remove
from citespan.pipelines.indexing.writing.results import Results, Writing, stale


class Group:
    """Commits groups of events, one after the other."""

    def __init__(
        self,
        client: Elasticsearch,
        patience: Patience,
        sender: BulkSender,
        preparer: Preparer,
        writer: ArticleWriter,
        checkpoint: Checkpoint,
    ) -> None:
        self._client = client
        self._patience = patience
        self._sender = sender
        self._preparer = preparer
        self._writer = writer
        self._checkpoint = checkpoint
        self._last: Unit | None = None

    def commit(self, events: Sequence[Event]) -> Census:
        """Write the articles, and note in the checkpoint how far the load has come.

        Returns:
            What became of the group's inputs, and of those that an earlier run has dealt with in
            units that have now been met.
        """
        accepted: dict[str, tuple[Prepared, Unit]] = {}
        outcomes: list[tuple[Unit, Census | str]] = []
        for event in events:
            reading = event.reading
            if isinstance(reading, Prepared):
                problem = self._met_before(reading, accepted)
                if problem is None:
                    accepted[reading.id] = reading, event.unit
                    outcomes.append((event.unit, reading.id))
                    continue
                reading = problem
            one = Census()
            if reading is not None:
                one.reject(reading)
            outcomes.append((event.unit, one))
        results = self._write([prepared for prepared, _ in accepted.values()])
        units: dict[Unit, Census] = {}
        for unit, outcome in outcomes:
            units.setdefault(unit, Census()).add(
                results.census[outcome] if isinstance(outcome, str) else outcome
            )
        total = self._earlier(units)
        for census in units.values():
            total.add(census)
        ended = {event.unit for event in events if event.reading is None}
        readings = dict.fromkeys(units, 0)
        for event in events:
            readings[event.unit] += event.reading is not None
        self._checkpoint.commit(
            {
                unit: (readings[unit], unit in ended, census)
                for unit, census in units.items()
                if not unit.finished
            },
            [(name, one.source, unit.key) for name, (one, unit) in accepted.items()],
            results.settled,
        )
        return total

    def _earlier(self, units: Iterable[Unit]) -> Census:
        """What earlier runs have dealt with in units that are met for the first time."""
        total = Census()
        for unit in units:
            if unit != self._last and (unit.done or unit.finished):
                total.add(self._checkpoint.census(unit))
            self._last = unit
        return total

    def _met_before(
        self, article: Prepared, accepted: dict[str, tuple[Prepared, Unit]]
    ) -> Rejected | None:
        if article.id in accepted:
            earlier: str | None = accepted[article.id][0].source
        else:
            earlier = self._checkpoint.source_of(article.id)
        if earlier is None:
            return None
        if earlier == article.source:
            return Rejected(article.source, "named twice in this load", outcome="skipped")
        return Rejected(article.source, f"has the id '{article.id}' of {earlier}; give it another")

    def _write(self, articles: list[Prepared]) -> Results:
        results = Results()
        writings = self._decide(articles, results)
        self._checkpoint.intend(writing.intent for writing in writings)
        writings = self._send(writings, results)
        while writings:
            refused = catalogue.put(self._sender, [(w.entry, w.version) for w in writings])
            conflicts = self._settle_written(writings, refused, results)
            writings = self._decide_again(conflicts, results)
            writings = self._send(writings, results)
        remove(self._client, self._patience, self._sender, results.stale)
        return results

    def _decide(self, articles: list[Prepared], results: Results) -> list[Writing]:
        """What is to be written, and with what outcome; count what is there already."""
        leftovers = self._checkpoint.leftovers
        asked = [a for a in articles if not a.unchanged or a.id in leftovers]
        versions = self._versions(asked)
        present = existing(self._client, self._patience, {v.entry.index for v in versions.values()})
        writings: list[Writing] = []
        for article in articles:
            intents = leftovers.pop(article.id, [])
            same = next((i for i in intents if i.content == article.content), None)
            results.settled += intents
            version = versions.get(article.id)
            if version is not None and version.entry.article != article.id:
                results.rejected(article, str(SameNameError(article.id, version.entry.article)))
                continue
            entry = version.entry if version is not None else None
            now = [place_of(entry)] if entry is not None else []
            is_there = article.unchanged or (
                entry is not None
                and entry.index in present
                and self._preparer.is_current(entry, article.content)
            )
            if is_there:
                ours = same is not None and entry is not None and written_at(entry) == same.loaded
                results.loaded(article, same.outcome if ours and same else "unchanged")
                results.stale += stale(intents, now)
                continue
            writing = self._writing(article, version, same)
            results.stale += stale(intents, [writing.intent.new, *now])
            writings.append(writing)
        return writings

    def _writing(
        self, article: Prepared, version: Version | None, before: Intent | None = None
    ) -> Writing:
        entry = version.entry if version is not None else None
        index = self._writer.index_of(article, entry)
        written = self._preparer.entry(article, index, [])
        replaced = entry is not None or (before is not None and before.outcome == "replaced")
        old = before.old if before is not None else None
        intent = Intent(
            article=article.id,
            content=article.content,
            outcome="replaced" if replaced else "indexed",
            loaded=written_at(written),
            new=place_of(written),
            old=place_of(entry) if entry is not None else old,
        )
        return Writing(article, intent, written, version)

    def _take_out(self, writings: list[Writing]) -> None:
        """Delete the entries of articles whose index is about to be made again."""
        catalogue.delete(self._sender, (writing.prepared.id for writing in writings))
        for writing in writings:
            writing.version = None

    def _send(self, writings: list[Writing], results: Results) -> list[Writing]:
        """Write documents; those that the server took."""
        if not writings:
            return []
        self._take_out([w for w in writings if w.remakes_index])
        refused = self._writer.write([writing.target for writing in writings])
        self._refuse(writings, refused, results)
        taken = [writing for writing in writings if writing.prepared.id not in refused]
        lengths = self._writer.lengths([writing.target for writing in taken])
        for writing in taken:
            writing.entry.lengths = lengths[writing.prepared.id]
        return taken

    def _refuse(
        self, writings: Iterable[Writing], refused: dict[str, str], results: Results
    ) -> None:
        for writing in writings:
            reason = refused.get(writing.prepared.id)
            if reason is not None:
                results.rejected(writing.prepared, reason)
                results.settled.append(writing.intent)
                if writing.version is None or place_of(writing.version.entry) != writing.intent.new:
                    results.stale.append(writing.intent.new)

    def _settle_written(
        self, writings: list[Writing], refused: dict[str, str], results: Results
    ) -> list[Writing]:
        """Count those whose entry is written; return those that another load was faster with."""
        conflicts = [w for w in writings if refused.get(w.prepared.id) == CONFLICT]
        told = {
            key: f"the catalogue refused its entry: {reason}"
            for key, reason in refused.items()
            if reason != CONFLICT
        }
        self._refuse(writings, told, results)
        for writing in writings:
            if writing.prepared.id not in refused:
                self._finish(writing, results)
        return conflicts

    def _finish(self, writing: Writing, results: Results) -> None:
        results.loaded(writing.prepared, writing.intent.outcome)
        results.settled.append(writing.intent)
        results.stale += stale([writing.intent], [writing.intent.new])

    def _decide_again(self, conflicts: list[Writing], results: Results) -> list[Writing]:
        """What to do about entries that are others by now than when they were looked up."""
        versions = self._versions([writing.prepared for writing in conflicts])
        again: list[Writing] = []
        for writing in conflicts:
            article = writing.prepared
            version = versions.get(article.id)
            if version is not None and written_at(version.entry) == writing.intent.loaded:
                self._finish(writing, results)  # ours: the answer to an earlier request was lost
            elif version is not None and self._preparer.is_current(version.entry, article.content):
                results.loaded(article, "unchanged")
                results.settled.append(writing.intent)
                results.stale += stale([writing.intent], [place_of(version.entry)])
            else:
                changed = self._writing(article, version)
                if changed.intent.new != writing.intent.new:
                    results.stale.append(writing.intent.new)
                again.append(changed)
        self._checkpoint.intend(writing.intent for writing in again)
        return again

    def _versions(self, articles: Sequence[Prepared]) -> dict[str, Version]:
        return self._patience.call(
            lambda: catalogue.versions(self._client, [a.id for a in articles], ["lengths"])
        )

    def settle(self) -> None:
        """Delete what an earlier run has begun to write of articles that were not met again."""
        for article, intents in self._checkpoint.leftovers.items():
            found = self._patience.call(partial(catalogue.versions, self._client, [article]))
            now = [place_of(version.entry) for version in found.values()]
            remove(self._client, self._patience, self._sender, stale(intents, now))
        settled = [one for intents in self._checkpoint.leftovers.values() for one in intents]
        self._checkpoint.commit({}, [], settled)
        self._checkpoint.leftovers.clear()
