"""Topics of a collection, one reference article each, put together."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from citespan.pipelines.corpus.annotations import (
    AnnotationRecord,
    Marked,
    gather_citances,
    parse_annotations,
)
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.corpus.file_reader import FileReader
from citespan.pipelines.corpus.files import decode, holds_folder, list_files, read_bytes, source_of
from citespan.pipelines.errors import InputError

_LOOKED_AT = 100


@dataclass(slots=True)
class Topic:
    """What one topic's folder holds."""

    article: Article | Rejected
    marked: list[Marked] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    unusable: list[Rejected] = field(default_factory=list)

    def take(
        self,
        records: Iterable[AnnotationRecord | Rejected],
        mark: Callable[[AnnotationRecord], Marked | Rejected],
    ) -> None:
        """Sort records into those that `mark` can use and those it can't."""
        for record in records:
            marked = record if isinstance(record, Rejected) else mark(record)
            if isinstance(marked, Rejected):
                self.rejected.append(marked)
            else:
                self.marked.append(marked)


class TopicReader(FileReader):
    """The base of readers of collections: a unit is a topic's folder, with one reference article.

    Attributes:
        inside: the folder by whose name a topic is known.
    """

    inside: str

    @abstractmethod
    def read_topic(self, folder: Path) -> Topic:
        """Read a topic with its annotations."""

    def is_unit(self, folder: Path) -> bool:
        return holds_folder(folder, self.inside)

    def looks_like(self, file: Path) -> bool:
        return self.is_unit(file)

    def recognises(self, path: Path) -> bool:
        """Return whether a topic is among the first hundred files and topics below `path`."""
        return path.is_dir() and any(map(self.is_unit, islice(self.find(path), _LOOKED_AT)))

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:  # noqa: ARG002
        yield self.read_topic(file).article

    def collection(self, path: Path) -> Collection:
        """See `CollectionReader.collection`."""
        topics = (self.read_topic(unit) for unit in self.find(path) if self.is_unit(unit))
        return collect_topics(self.name, path, topics)


def read_annotations(folder: Path) -> tuple[list[AnnotationRecord | Rejected], list[Rejected]]:
    """Return the annotation records of the .txt files in `folder`, and those files that can't be
    read."""
    records: list[AnnotationRecord | Rejected] = []
    broken = []
    for file in list_files(folder, ".txt"):
        try:
            records += parse_annotations(decode(read_bytes(file)), source_of(file))
        except InputError as error:
            broken.append(Rejected(source_of(file), str(error)))
    return records, broken


def collect_topics(name: str, path: Path, topics: Iterable[Topic]) -> Collection:
    """Return the topics below `path` as one collection.

    Raises:
        InputError: if there is no topic.
    """
    articles: dict[str, Article] = {}
    marked: list[Marked] = []
    rejected: list[Rejected] = []
    unusable: list[Rejected] = []
    remarks: list[str] = []
    count = records = 0
    for topic in topics:
        count += 1
        records += len(topic.marked) + len(topic.rejected)
        rejected += topic.rejected
        remarks += topic.remarks
        unusable += topic.unusable
        article = topic.article
        if isinstance(article, Article) and article.id in articles:
            first = articles[article.id].source
            article = Rejected(article.source, f"{first} is topic {article.id} already")
        if isinstance(article, Rejected):
            unusable.append(article)
            reason = f"its reference article can't be used: {article.reason}"
            rejected += (Rejected(m.source, reason, article.outcome) for m in topic.marked)
            continue
        articles[article.id] = article
        if not topic.marked and not topic.rejected:
            unusable.append(Rejected(article.source, "no annotation records", "skipped"))
        marked += topic.marked
    if not count:
        raise InputError(f"{path}: no {name} topic there; give a topic's folder or one of topics")
    citances, repeated = gather_citances(marked)
    return Collection(
        name=f"{name}:{path.resolve().name}",
        articles=articles,
        citances=tuple(citances),
        rejected=tuple(rejected + repeated),
        records=records,
        unusable=tuple(unusable),
        remarks=tuple(remarks),
    )
