"""Deletes the articles whose input does not exist any more.

A load knows the place that it reads by the name of its corpus, and deletes only what it has looked
for there and not found: an article whose file is gone from a folder that is there, or that is not
in a file, archive or folder which the load has read to its end. What it has not read, or not to its
end, keeps all that was once read from it.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from citespan.es_mappings.articles import Source
from citespan.pipelines.corpus.files import absolute_source_of
from citespan.pipelines.indexing.documents.builder import find_absolute
from citespan.pipelines.indexing.report import MissingArticles
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint
from citespan.pipelines.indexing.writing.editions import delete_articles, refresh_all
from citespan.pipelines.indexing.writing.texts import write_again
from citespan.pipelines.store.catalogue import Catalogue, Version
from citespan.pipelines.store.edition import Place
from citespan.pipelines.store.server import Server

_AT_ONCE = 256
_NEEDED = ("article", "source")


@dataclass
class Sweep:
    """What a load of whole folders or files finds missing, and its deletion.

    Attributes:
        checkpoint: of the load, which has read all that is below the paths.
        corpus: the load's name for the place that the paths are in.
        last_writes: `Catalogue.last_writes` before this run has looked at any file.
    """

    server: Server
    catalogue: Catalogue
    checkpoint: Checkpoint
    corpus: str
    paths: Sequence[str]
    last_writes: Sequence[int]
    # By the ids of articles, the last write to the shard of each.
    _gone: dict[str, int] = field(default_factory=dict)
    _elsewhere: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._roots = [absolute_source_of(path) for path in self.paths]

    def plan(self) -> MissingArticles:
        """Look for what is missing, and return how much that is; nothing is deleted."""
        self.server.refresh(self.catalogue.names.articles)
        query = self._make_query()
        self._gone, self._elsewhere = {}, {}
        for shard, last_write in enumerate(self.last_writes):
            for version in self.catalogue.scan(_NEEDED, query, shard):
                left = self._find_left(version, last_write)
                if left is not None:
                    (self._elsewhere if left else self._gone)[version.entry.article] = last_write
        count = partial(self.server.client.count, index=self.catalogue.names.articles, query=query)
        of = int(self.server.call(count)["count"])
        return MissingArticles(self.corpus, tuple(self._roots), len(self._gone), of)

    def delete(self) -> int:
        """Delete what was planned and is missing still, and return how many articles that were;
        those that were also read from elsewhere forget only where they are missing.

        Raises:
            CitespanError: if the server refuses something.
        """
        deleted = 0
        for planned in (self._gone, self._elsewhere):
            articles = iter(planned.items())
            while batch := dict(islice(articles, _AT_ONCE)):
                deleted += self._delete(batch)
        refresh_all(self.server, self.catalogue)
        return deleted

    def _delete(self, last_writes: Mapping[str, int]) -> int:
        present = self.server.call(lambda: self.catalogue.look_up(list(last_writes)))
        gone, changed = [], []
        for article, version in present.items():
            left = self._find_left(version, last_writes[article])
            if left:
                version.entry.source = left
                changed.append(version)
            elif left is not None:
                gone.append(version)
        write_again(self.server, self.catalogue, changed)
        if not gone:
            return 0
        group = self.checkpoint.begin_group(Place.of_entry(version.entry) for version in gone)
        deleted = delete_articles(self.server, self.catalogue, gone)
        self.checkpoint.commit({}, group=group)
        return len(deleted)

    def _make_query(self) -> dict[str, Any]:
        """Return the query for all articles that were read from below the paths."""
        below: list[dict[str, Any]] = []
        for root in self._roots:
            below.append({"term": {"source.unit": root}})
            below.append({"prefix": {"source.unit": f"{root.rstrip('/')}/"}})
        corpus = {"term": {"source.corpus": self.corpus}}
        return {"bool": {"filter": [corpus], "should": below, "minimum_should_match": 1}}

    def _find_left(self, version: Version, last_write: int) -> list[Source] | None:
        """Return where an article can still be read; None if that has not changed.

        Args:
            last_write: to the shard of its entry, before the load looked at files.
        """
        if self.checkpoint.source_of(version.entry.article) is not None:
            return None
        is_old = version.seq_no <= last_write
        left = [source for source in version.sources if not self._is_gone(source, is_old)]
        return left if len(left) < len(version.sources) else None

    def _is_gone(self, source: Source, is_old: bool) -> bool:
        """Whether an article that the load has not met can't be read there any more.

        Args:
            is_old: whether nobody has written its entry since the load looked at files.
        """
        if source.corpus != self.corpus:
            return False
        root = next((root for root in self._roots if _is_below(source.unit, root)), None)
        if root is None:
            return False
        return is_absent(Path(source.unit), Path(root)) or (is_old and self._has_read(source))

    def _has_read(self, source: Source) -> bool:
        """Whether the load has read all that is where the article was."""
        keys = [f"{number}:{source.unit}" for number in range(len(self._roots))]
        if not self.checkpoint.has_finished(keys):
            return False
        for rejected in self.checkpoint.rejections(keys):
            if rejected.outcome == "quarantined":
                return False  # the article may be in the part that can't be read
            if _is_below(source.path, find_absolute(rejected.source), ":!/"):
                return False
        return True


def is_absent(path: Path, root: Path) -> bool:
    """Whether there is nothing at a path below a folder, nor a part of the way that can't be
    looked at: the last folder on the way that is there doesn't have the next one.

    Args:
        root: the folder, which has to be there.
    """
    for place in (path, *path.parents):
        try:
            os.lstat(place)
        except (FileNotFoundError, NotADirectoryError):
            if place == root:
                return False
        except OSError:
            return False
        else:
            return place != path and place.is_dir()
    return False


def _is_below(path: str, root: str, separators: str = "/") -> bool:
    """Whether a path is the same as another, or below it."""
    if path == root:
        return True
    begins = path.startswith(root)
    return begins and (root.endswith("/") or path[len(root)] in separators)
